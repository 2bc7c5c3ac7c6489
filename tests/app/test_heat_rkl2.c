/* The coefficients of RKL2: its stages make the polynomial of the closed form, and its weights are those of a step. */
#include "check.h"
#include "../../apps/heat/rkl2.h"

#include <math.h>

/* One step of dy/dt = z y, stage by stage; `flow`: the sum of weight times rate. */
static double one_step(const rkl2 *r, double z, double *flow)
{
    double before = 1, last = 1 + r->at[1].mu_t * z;

    *flow = r->weight[0] * z;
    for (int j = 2; j <= r->s; j++) {
        const stage *c = &r->at[j];
        const double mine = 1 + c->mu * (last - 1) + c->nu * (before - 1) + c->mu_t * z * last + c->gamma_t * z;
        *flow += r->weight[j - 1] * z * last;
        before = last;
        last = mine;
    }
    return last;
}

/* Second order: the difference to exp(z) falls as z^3. */
static void check_order(int s)
{
    const double coarse = rkl2_growth_of_mode(s, -0.1) - exp(-0.1);
    const double fine = rkl2_growth_of_mode(s, -0.05) - exp(-0.05);

    CHECK(fabs(log2(coarse / fine) - 3) < 0.1);
}

/* Stable up to the length of the step, and not far beyond it. */
static void check_stability(int s)
{
    const double limit = -2 * rkl2_length(s);

    for (int i = 0; i <= 1000; i++)
        CHECK(fabs(rkl2_growth_of_mode(s, limit * i / 1000)) <= 1 + 1e-12);
    CHECK(fabs(rkl2_growth_of_mode(s, limit * 1.2)) > 1);
}

int main(void)
{
    static const double z[] = { 0, -0.01, -1, -7 };

    for (int s = 3; s <= MAX_STAGES; s += 2) {
        rkl2   r;
        double sum = 0;

        rkl2_make(s, (medium){ 1, 1 }, &r);
        for (int j = 0; j < s; j++)
            sum += r.weight[j];
        CHECK(fabs(sum - 1) < 1e-12);
        for (int i = 0; i < 4; i++) {
            double       flow;
            const double y = one_step(&r, z[i], &flow);
            CHECK(fabs(y - rkl2_growth_of_mode(s, z[i])) < 1e-12 * r.growth);
            CHECK(fabs(y - 1 - flow) < 1e-14 * r.growth);
        }
        check_order(s);
        check_stability(s);
    }
    return check_end();
}
