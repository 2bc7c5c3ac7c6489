/* rkl2.c - RKL2 of Meyer, Balsara and Aslam, J. Comput. Phys. 257 (2014) 594: equations 15 to 20 there.
 *
 *   Y_0 = T,  Y_1 = Y_0 + mu~_1 dt L(Y_0)
 *   Y_j = mu_j Y_(j-1) + nu_j Y_(j-2) + (1 - mu_j - nu_j) Y_0 + mu~_j dt L(Y_(j-1)) + gamma~_j dt L(Y_0)
 *
 * A step is T_new = T + dt * sum of w_j L(Y_j): each stage is such a sum too, so that the weights of the last follow
 * from the recurrence itself, and with them the heat that crossed the edges. */
#include "rkl2.h"

#include <math.h>

static double b(int j)
{
    return j < 2 ? 1.0 / 3 : (j * j + j - 2.0) / (2.0 * j * (j + 1.0));
}

double rkl2_length(int s)
{
    return (s * s + s - 2.0) / 4;
}

static stage coefficients(int j, int s, medium m)
{
    const double w1 = 4 / (s * s + s - 2.0);
    stage        c = { .m = m };

    if (j == 1) {
        c.mu_t = b(1) * w1;
        return c;
    }
    c.mu = (2.0 * j - 1) / j * b(j) / b(j - 1);
    c.nu = -(j - 1.0) / j * b(j) / b(j - 2);
    c.mu_t = c.mu * w1;
    c.gamma_t = -(1 - b(j - 1)) * c.mu_t;
    return c;
}

/* Row j holds what stage j is made of: T + dt * sum over i of row[i] L(Y_i). Three rows in turn. */
static void weights(rkl2 *r)
{
    double row[3][MAX_STAGES] = { { 0 } };

    for (int j = 1; j <= r->s; j++) {
        const double *last = row[(j + 2) % 3], *before = row[(j + 1) % 3];
        double       *mine = row[j % 3];
        for (int i = 0; i < r->s; i++)
            mine[i] = j == 1 ? 0 : r->at[j].mu * last[i] + r->at[j].nu * before[i];
        mine[j - 1] += r->at[j].mu_t;
        mine[0] += r->at[j].gamma_t;
        for (int i = 0; i < r->s; i++)
            r->weight[i] = mine[i];
    }
}

/* An error of 1 made in stage i reaches stage s as the solution of the recurrence that starts with it. */
static double error_growth(const rkl2 *r)
{
    double sum = 0;

    for (int i = 1; i <= r->s; i++) {
        double before = 0, last = 1;
        for (int j = i + 1; j <= r->s; j++) {
            const double mine = r->at[j].mu * last + r->at[j].nu * before;
            before = last;
            last = mine;
        }
        sum += fabs(last);
    }
    return sum;
}

void rkl2_make(int s, medium m, rkl2 *r)
{
    *r = (rkl2){ .s = s };
    for (int j = 1; j <= s; j++)
        r->at[j] = coefficients(j, s, m);
    weights(r);
    r->growth = error_growth(r);
}

double rkl2_growth_of_mode(int s, double z)
{
    const double x = 1 + 4 / (s * s + s - 2.0) * z;
    double       before = 1, last = x; /* Legendre polynomials of degree 0 and 1 */

    for (int j = 2; j <= s; j++) {
        const double mine = ((2 * j - 1) * x * last - (j - 1) * before) / j;
        before = last;
        last = mine;
    }
    return 1 - b(s) + b(s) * last;
}
