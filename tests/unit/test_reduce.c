/* Sums, minima and maxima: the same struct whatever the order, split and merge; against an exact sum; infinities and
 * NaN; the compiled forms of a kernel; random numbers against known answers. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "check.h"
#include "run/stat_kernels.h"

enum { MOST = 700 };

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static int below(int n) { return (int)(draw() >> 33) % n; }

/* --- an exact sum --------------------------------------------------------------------------------------------- */

/* Words of 32 bits in units of 2^LEAST: all doubles, all limbs, and 2^31 of them, fit. */
enum { LEAST = -1152, WORDS = 73 };
typedef struct exact {
    int64_t word[WORDS];
} exact;

/* sign m 2^e */
static void exact_add(exact *sum, int sign, uint64_t m, int e)
{
    const int  at = (e - LEAST) / 32;
    eg_uint128 shifted = (eg_uint128)m << (e - LEAST) % 32;

    for (int w = at; shifted != 0; w++, shifted >>= 32) sum->word[w] += sign * (int64_t)(uint32_t)shifted;
    for (int w = 0; w + 1 < WORDS; w++) {
        const int64_t carry = sum->word[w] >> 32;
        sum->word[w] -= carry * 4294967296;
        sum->word[w + 1] += carry;
    }
}

static void exact_add_double(exact *sum, double x)
{
    int          e;
    const double m = frexp(fabs(x), &e);

    if (x != 0) exact_add(sum, x < 0 ? -1 : 1, (uint64_t)ldexp(m, 53), e - 53);
}

static void exact_add_limb(exact *sum, int64_t limb, int e)
{
    if (limb != 0) exact_add(sum, limb < 0 ? -1 : 1, limb < 0 ? -(uint64_t)limb : (uint64_t)limb, e);
}

/* Nearly: to the last bits of a long double. */
static long double exact_value(const exact *sum)
{
    long double value = 0;

    for (int w = WORDS - 1; w >= 0; w--) value += ldexpl((long double)sum->word[w], LEAST + 32 * w);
    return value;
}

/* Half of the distance from |x| to the next double. */
static long double half_ulp(double x)
{
    int e;

    frexp(x, &e);
    return ldexpl(1, (e - 53 < -1074 ? -1074 : e - 53) - 1);
}

/* --- data ----------------------------------------------------------------------------------------------------- */

static double of_exponent(int least, int most)
{
    const double m = 1 + (double)(draw() >> 12) / 4503599627370496.0;

    return ldexp((draw() & 1) != 0 ? m : -m, least + below(most - least + 1));
}

/* The kinds of data: how far apart exponents are, whether nearly all cancels, whether some are not finite. */
static double value_of(int kind, int i, const double *v)
{
    static const double odd[] = { INFINITY, -INFINITY, NAN, 0.0, -0.0, 1.0, DBL_MAX, -DBL_MAX, 5e-324 };

    switch (kind) {
    case 0: return of_exponent(-3, 3);
    case 1: return of_exponent(-1074, 1013);
    case 2: return of_exponent(-1074, -1000);
    case 3: return of_exponent(1000, 1012);
    case 4: return i % 2 == 1 ? -v[i - 1] : of_exponent(-60, 60);
    case 5: return i % 2 == 1 ? -v[i - 1] * (1 + DBL_EPSILON * below(3)) : of_exponent(-500, 500);
    case 6: return ldexp(below(8) - 4, 40 * (below(50) - 25) + 38 + below(3)); /* where limbs meet */
    case 7: return ldexp((double)(draw() >> 62) + 0.5, 40 * below(4)) * (below(2) == 0 ? 1 : -1); /* ties */
    case 8: return below(10) == 0 ? odd[below(EG_COUNT(odd))] : of_exponent(-300, 300);
    default: return odd[3 + below(2)];
    }
}
enum { KINDS = 10, NOT_FINITE = 8 };

static int make(int kind, double *v)
{
    const int n = below(MOST);

    for (int i = 0; i < n; i++) v[i] = value_of(kind, i, v);
    return n;
}

static void shuffle(double *v, int n)
{
    for (int i = n - 1; i > 0; i--) {
        const int    j = below(i + 1);
        const double x = v[i];
        v[i] = v[j];
        v[j] = x;
    }
}

/* Adds v in pieces to some partial results, and merges these as a tree of any shape. */
static eagle_partial shared_out(eagle_reduction r, const double *v, int n)
{
    enum { PARTS = 9 };
    eagle_partial part[PARTS];
    const int     parts = 1 + below(PARTS);

    for (int p = 0; p < parts; p++) eg_partial_clear(&part[p], r);
    for (int i = 0; i < n;) {
        const int piece = 1 + below(n - i < 300 ? n - i : 300);
        eg_partial_add(&part[below(parts)], r, v + i, piece);
        i += piece;
    }
    for (int left = parts; left > 1; left--) {
        const int from = below(left - 1);
        eg_partial_merge(&part[from], r, &part[left - 1]);
    }
    return part[0];
}

/* --- tests ---------------------------------------------------------------------------------------------------- */

static void check_value(const double *v, int n, const eagle_partial *p)
{
    const double value = eg_partial_value(p, EAGLE_SUM);
    exact        sum = { { 0 } }, kept = { { 0 } };
    double       most = 0;

    for (int i = 0; i < n; i++) {
        exact_add_double(&sum, v[i]);
        most = fmax(most, fabs(v[i]));
    }
    for (int k = 0; k < EG_LIMBS; k++) {
        const int unit = EG_LIMB_BITS * (p->top - k);
        exact_add_limb(&kept, p->lo[k], unit);
        exact_add_limb(&kept, p->hi[k], unit + EG_LIMB_BITS);
        CHECK(p->lo[k] >= 0 && p->lo[k] < (int64_t)1 << EG_LIMB_BITS);
    }
    exact_add_double(&sum, -value);
    exact_add_double(&kept, -value);
    CHECK(fabsl(exact_value(&kept)) <= half_ulp(value));
    CHECK(fabsl(exact_value(&sum)) <= n * ldexpl(most, -80) + half_ulp(value));
    CHECK(value != 0 || !signbit(value));
}

static void test_any_order(void)
{
    double v[MOST];

    for (int set = 0; set < 1000; set++) {
        const int n = make(set % KINDS, v);
        for (eagle_reduction r = EAGLE_SUM; r <= EAGLE_MAX; r++) {
            const eagle_partial first = shared_out(r, v, n);
            shuffle(v, n);
            const eagle_partial second = shared_out(r, v, n);
            CHECK(memcmp(&first, &second, sizeof first) == 0);
            if (r == EAGLE_SUM && set % KINDS != NOT_FINITE) check_value(v, n, &first);
        }
    }
}

static double reduced(eagle_reduction r, const double *v, int n)
{
    eagle_partial p;

    eg_partial_clear(&p, r);
    eg_partial_add(&p, r, v, n);
    return eg_partial_value(&p, r);
}

#define REDUCED(r, ...)                                                                                               \
    reduced(r, (const double[]){ __VA_ARGS__ }, (int)(sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double)))

static void test_special(void)
{
    const double tiny = 5e-324;

    CHECK(reduced(EAGLE_SUM, &tiny, 0) == 0 && !signbit(reduced(EAGLE_SUM, &tiny, 0)));
    CHECK(reduced(EAGLE_MIN, &tiny, 0) == INFINITY && reduced(EAGLE_MAX, &tiny, 0) == -INFINITY);
    CHECK(!signbit(REDUCED(EAGLE_SUM, -0.0, -0.0)));
    CHECK(REDUCED(EAGLE_SUM, tiny, tiny, -1, 1) == 0); /* below n 2^-80 max|x| */
    CHECK(REDUCED(EAGLE_SUM, tiny, tiny) == 2 * tiny);
    CHECK(REDUCED(EAGLE_SUM, 1, 0x1p-53) == 1 && REDUCED(EAGLE_SUM, 1, 0x1p-53, 0x1p-79) == 1 + 0x1p-52);
    CHECK(REDUCED(EAGLE_SUM, 1 + 0x1p-52, 0x1p-53) == 1 + 0x1p-51);
    CHECK(REDUCED(EAGLE_SUM, DBL_MAX, DBL_MAX, -DBL_MAX) == DBL_MAX);
    CHECK(REDUCED(EAGLE_SUM, DBL_MAX, DBL_MAX) == INFINITY);
    CHECK(REDUCED(EAGLE_SUM, -DBL_MAX, -DBL_MAX, 1) == -INFINITY);
    CHECK(REDUCED(EAGLE_SUM, INFINITY, 1, -DBL_MAX) == INFINITY && REDUCED(EAGLE_SUM, -INFINITY, 1) == -INFINITY);
    CHECK(isnan(REDUCED(EAGLE_SUM, INFINITY, -INFINITY)) && isnan(REDUCED(EAGLE_SUM, 1, NAN)));
    CHECK(signbit(REDUCED(EAGLE_MIN, 0.0, -0.0, 0.0)) && !signbit(REDUCED(EAGLE_MAX, -0.0, 0.0, -0.0)));
    CHECK(REDUCED(EAGLE_MIN, 3, -2, 7) == -2 && REDUCED(EAGLE_MAX, 3, -2, 7, tiny) == 7);
    CHECK(REDUCED(EAGLE_MIN, INFINITY, 2, -INFINITY) == -INFINITY && REDUCED(EAGLE_MAX, -INFINITY, -3) == -3);
    CHECK(isnan(REDUCED(EAGLE_MIN, 1, NAN, 2)) && isnan(REDUCED(EAGLE_MAX, 1, -NAN, INFINITY)));
}

/* What 2^-80 of the largest value means: 2^-79 of it is still there when the large ones cancel. */
static void test_depth(void)
{
    for (int e = -1074 + 79; e < 1024; e++)
        CHECK(REDUCED(EAGLE_SUM, ldexp(1, e), ldexp(-1, e), ldexp(1, e - 79)) == ldexp(1, e - 79));
}

/* More values than a test can add: a partial result merged with itself 46 times; a tie, and just above it. */
static void test_many(void)
{
    const double  v[] = { 0.1, 1e10, -3.7e-5, 1 };
    eagle_partial p;

    eg_partial_clear(&p, EAGLE_SUM);
    eg_partial_add(&p, EAGLE_SUM, v, EG_COUNT(v));
    const double once = eg_partial_value(&p, EAGLE_SUM);
    for (int i = 0; i < 46; i++) {
        const eagle_partial q = p;
        eg_partial_merge(&p, EAGLE_SUM, &q);
    }
    CHECK(eg_partial_value(&p, EAGLE_SUM) == ldexp(once, 46));
    p = (eagle_partial){ .hi = { (int64_t)1 << 46 }, .lo = { (int64_t)1 << 33 } };
    CHECK(eg_partial_value(&p, EAGLE_SUM) == 0x1p86);
    p.lo[2] = 1;
    CHECK(eg_partial_value(&p, EAGLE_SUM) == 0x1p86 + 0x1p34);
}

/* The word of a failed rank goes with its part; the worst, then the lowest rank, is kept. */
static void test_failed(void)
{
    eagle_partial p, q;

    eg_partial_clear(&p, EAGLE_SUM);
    q = p;
    q.failed = -5;
    eg_partial_merge(&p, EAGLE_SUM, &q);
    q.failed = 0;
    eg_partial_merge(&p, EAGLE_SUM, &q);
    CHECK(p.failed == -5);
}

static bool has_form(int form)
{
    __builtin_cpu_init();
    if (form == 1)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    return form == 0 || (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                         __builtin_cpu_supports("avx512cd"));
}

/* The forms compiled for each level leave the struct that one value after the other leaves. */
static void compare_forms(const eagle_kernel *k, double *v, int n)
{
    const eagle_grid  grid = { .cells = { n, 1, 1 }, .local = { n, 1, 1 }, .pitch = { 1, n, n, n }, .h = { 1, 1, 1 } };
    const eagle_box   box = { .hi = { n, 1, 1 } };
    const eagle_args  args = { { v } };
    const eagle_clock clock = { 0, 0, 0 };
    const eagle_none  none = { 0 };
    eagle_partial     expected, got;

    eg_partial_clear(&expected, k->reduces);
    for (int i = 0; i < n; i++) eg_partial_add(&expected, k->reduces, &v[i], 1);
    for (int form = 0; form < EAGLE_HOST_FORMS; form++) {
        if (k->plain.host[form] == NULL || !has_form(form)) continue;
        eg_partial_clear(&got, k->reduces);
        k->plain.host[form](&args, &grid, &box, &none, &clock, &got);
        CHECK(memcmp(&got, &expected, sizeof got) == 0);
    }
}

static void test_forms(void)
{
    double v[MOST];

    for (int set = 0; set < 100; set++) {
        const int n = make(set % KINDS, v);
        compare_forms(&eg_stat_sum_f64, v, n);
        compare_forms(&eg_stat_min_f64, v, n);
        compare_forms(&eg_stat_max_f64, v, n);
    }
}

/* Known answers of Philox4x32-10, from the Random123 library, which its authors wrote. */
static void test_philox(void)
{
    static const struct {
        eg_philox counter;
        uint32_t  key[2];
        eg_philox answer;
    } known[] = {
        { { { 0, 0, 0, 0 } }, { 0, 0 }, { { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } } },
        { { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff } }, { 0xffffffff, 0xffffffff },
          { { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } } },
        { { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 } }, { 0xa4093822, 0x299f31d0 },
          { { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } } },
    };

    for (int i = 0; i < EG_COUNT(known); i++) {
        const eg_philox got = eg_philox_of(known[i].counter, known[i].key[0], known[i].key[1]);
        CHECK(memcmp(&got, &known[i].answer, sizeof got) == 0);
    }
}

/* Uniform: mean and variance within 5 standard errors; another seed, step, stream or cell is another number. */
static void test_random(void)
{
    enum { N = 100000 };
    const eagle_grid grid = { .cells = { N, 2, 2 } };
    eagle_at         at = { .grid = &grid };
    double           sum = 0, squares = 0;

    for (at.i = 0; at.i < N; at.i++) {
        const double x = eagle_random(7, at, 3, 1);
        CHECK(x >= 0 && x < 1);
        sum += x;
        squares += (x - 0.5) * (x - 0.5);
    }
    CHECK(fabs(sum / N - 0.5) < 5 * sqrt(1.0 / 12 / N));
    CHECK(fabs(squares / N - 1.0 / 12) < 5 * sqrt(1.0 / 180 / N));
    at.i = 5;
    const double   x = eagle_random(7, at, 3, 1);
    const eagle_at up = { .i = 5, .j = 1, .grid = &grid }, far = { .i = 5, .k = 1, .grid = &grid };
    CHECK(x != eagle_random(8, at, 3, 1) && x != eagle_random(7, at, 4, 1) && x != eagle_random(7, at, 3, 2));
    CHECK(x != eagle_random(7, up, 3, 1) && x != eagle_random(7, far, 3, 1));
    CHECK(x != eagle_random(7 + (1ull << 32), at, 3, 1) && x != eagle_random(7, at, 3 + (1ll << 32), 1));
}

int main(void)
{
    test_any_order();
    test_special();
    test_depth();
    test_many();
    test_failed();
    test_forms();
    test_philox();
    test_random();
    return check_end();
}
