/* eagle/detail/reduce.h - sums, minima and maxima with the same bits in any order, on host and device.
 *
 * A sum is kept as three integers, the limbs, in units of 2^(40 T), 2^(40 (T - 1)) and 2^(40 (T - 2)). The part of a
 * value x in the limb with unit u is (rn(x, u) - rn(x, 2^40 u)) / u, where rn rounds to a multiple, ties to even: a
 * function of x and u alone. T is the smallest for which every |x| < 2^(40 T + 39), so that the parts of limbs above T
 * are all zero; when a larger value comes T is raised and the lowest limb dropped, which is the same as never having
 * kept it. So the integers do not depend on the order of the values, nor on how they were shared out. It is the indexed
 * summation of Demmel and Nguyen (IEEE Trans. Comput. 64, 2015; Ahrens, Demmel, Nguyen, ACM TOMS 46, 2020) with
 * integers for the accumulators. The error of a sum of n values is at most n 2^-80 max|x|, and the final rounding:
 * docs/sums.md.
 *
 * Needs round to nearest, no contraction and no reassociation: eagle_add_kernels compiles so. */
#ifndef EAGLE_DETAIL_REDUCE_H
#define EAGLE_DETAIL_REDUCE_H

#include <string.h>

enum {
    EG_REDUCE_STRETCH = 256, /* values added at once on the host; at most 2^22 */
    EG_REDUCE_BLOCKS = 1024, /* of a device launch */
    EG_LIMBS = 3,
    EG_LIMB_BITS = 40,
    EG_TOP_LEAST = -25, /* 2^(40 * -25 - 80) is below the smallest denormal */
    EG_IS_NAN = 1,
    EG_IS_PLUS_INF = 2,
    EG_IS_MINUS_INF = 4
};

/* What is known of a reduction: 64 bytes, whatever was added; the message that a rank sends. Limb k of a sum is
 * hi[k] 2^40 + lo[k], 0 <= lo < 2^40, so that equal sums are equal structs. A minimum or maximum is lo[0], as a key
 * that orders doubles as integers, -0 before +0. */
typedef struct eagle_partial {
    int64_t  hi[EG_LIMBS], lo[EG_LIMBS];
    int32_t  top; /* T */
    uint32_t flags;
    int64_t  failed; /* 0, or which rank failed before it added its part, and how: run/reduce.c */
} eagle_partial;

EG_BOTH_ int64_t eg_bits_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

EG_BOTH_ double eg_double_of(int64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^e for a normal double. */
EG_BOTH_ double eg_power_of_2(int e) { return eg_double_of((int64_t)(e + 1023) << 52); }

/* Doubles as integers in the same order; its own inverse. */
EG_BOTH_ int64_t eg_order_key(int64_t bits) { return bits ^ ((bits >> 63) & INT64_MAX); }

#define EG_INFINITY_BITS ((int64_t)0x7ff << 52)

EG_BOTH_ void eg_partial_clear(eagle_partial *p, eagle_reduction r)
{
    memset(p, 0, sizeof *p);
    p->top = EG_TOP_LEAST;
    if (r == EAGLE_MIN) p->lo[0] = eg_order_key(EG_INFINITY_BITS);
    if (r == EAGLE_MAX) p->lo[0] = eg_order_key(EG_INFINITY_BITS | INT64_MIN);
}

/* The smallest T for a value with these bits (sign removed): 2^e <= |x|, and |x| < 2^(40 T + 39) when e < 40 T + 39. */
EG_BOTH_ int eg_top_for(int64_t bits)
{
    const int above = (int)(bits >> 52) - 1023 - 38 + 1040; /* e - 38, moved to be positive: 1040 = 26 * 40 */
    const int top = above <= 0 ? -26 : (above + EG_LIMB_BITS - 1) / EG_LIMB_BITS - 26;
    return top < EG_TOP_LEAST ? EG_TOP_LEAST : top;
}

/* One limb at a time: with fixed indices the limbs stay in registers on the device. */
EG_BOTH_ void eg_raise_top(eagle_partial *p, int top)
{
    const int by = top - p->top < EG_LIMBS ? top - p->top : EG_LIMBS;

    if (by <= 0) return;
    for (int i = 0; i < by; i++) {
        p->hi[2] = p->hi[1];
        p->lo[2] = p->lo[1];
        p->hi[1] = p->hi[0];
        p->lo[1] = p->lo[0];
        p->hi[0] = p->lo[0] = 0;
    }
    p->top = top;
}

EG_BOTH_ void eg_carry(eagle_partial *p)
{
    for (int k = 0; k < EG_LIMBS; k++) {
        p->hi[k] += p->lo[k] >> EG_LIMB_BITS;
        p->lo[k] &= ((int64_t)1 << EG_LIMB_BITS) - 1;
    }
}

EG_BOTH_ uint32_t eg_flags_of(int64_t bits)
{
    if ((bits & INT64_MAX) < EG_INFINITY_BITS) return 0;
    if ((bits & INT64_MAX) > EG_INFINITY_BITS) return EG_IS_NAN;
    return bits < 0 ? EG_IS_MINUS_INF : EG_IS_PLUS_INF;
}

/* Adds n finite values, all below the top. 1.5 * 2^52 pushes out all bits below 1, and what it keeps stands in the last
 * bits of the sum: no branches, and integer additions, which the compiler may vectorise. */
EG_BOTH_ void eg_add_limbs(eagle_partial *p, const double *v, int n)
{
    const double scale = eg_power_of_2(-EG_LIMB_BITS * p->top);
    const double push0 = 6755399441055744.0, push1 = 6144.0, push2 = 1.5 / 268435456.0; /* 1.5 * 2^52, 2^12, 2^-28 */
    uint64_t     limb0 = 0, limb1 = 0, limb2 = 0; /* modulo 2^64: with the bits of push, n times each */

    for (int i = 0; i < n; i++) {
        const double y0 = v[i] * scale, t0 = y0 + push0;
        const double y1 = y0 - (t0 - push0), t1 = y1 + push1;
        const double y2 = y1 - (t1 - push1), t2 = y2 + push2;
        limb0 += (uint64_t)eg_bits_of(t0);
        limb1 += (uint64_t)eg_bits_of(t1);
        limb2 += (uint64_t)eg_bits_of(t2);
    }
    p->lo[0] += (int64_t)(limb0 - (uint64_t)n * (uint64_t)eg_bits_of(push0));
    p->lo[1] += (int64_t)(limb1 - (uint64_t)n * (uint64_t)eg_bits_of(push1));
    p->lo[2] += (int64_t)(limb2 - (uint64_t)n * (uint64_t)eg_bits_of(push2));
    eg_carry(p);
}

EG_BOTH_ void eg_add_one_by_one(eagle_partial *p, const double *v, int n)
{
    for (int i = 0; i < n; i++) {
        const int64_t bits = eg_bits_of(v[i]);
        p->flags |= eg_flags_of(bits);
        if (eg_flags_of(bits) != 0) continue;
        eg_raise_top(p, eg_top_for(bits & INT64_MAX));
        eg_add_limbs(p, v + i, 1);
    }
}

/* The largest of n values' bits, signs removed. Several at a time: each comparison waits for the one before it. */
EG_BOTH_ int64_t eg_most_bits(const double *v, int n)
{
    enum { AT_ONCE = 16 };
    int64_t lane[AT_ONCE] = { 0 }, most = 0;
    int     i = 0;

    for (; i + AT_ONCE <= n; i += AT_ONCE)
        for (int k = 0; k < AT_ONCE; k++) {
            const int64_t bits = eg_bits_of(v[i + k]) & INT64_MAX;
            lane[k] = bits > lane[k] ? bits : lane[k];
        }
    for (; i < n; i++) {
        const int64_t bits = eg_bits_of(v[i]) & INT64_MAX;
        most = bits > most ? bits : most;
    }
    for (int k = 0; k < AT_ONCE; k++) most = lane[k] > most ? lane[k] : most;
    return most;
}

EG_BOTH_ void eg_add_sum(eagle_partial *p, const double *v, int n)
{
    const int64_t most = eg_most_bits(v, n);

    if (most >= EG_INFINITY_BITS) {
        eg_add_one_by_one(p, v, n);
        return;
    }
    eg_raise_top(p, eg_top_for(most));
    eg_add_limbs(p, v, n);
}

/* A minimum is the maximum of the complements: one loop without branches, which the compiler may vectorise. */
EG_BOTH_ void eg_add_extreme(eagle_partial *p, eagle_reduction r, const double *v, int n)
{
    const int64_t flip = r == EAGLE_MIN ? -1 : 0;
    int64_t       best = p->lo[0] ^ flip, most = 0;

    for (int i = 0; i < n; i++) {
        const int64_t bits = eg_bits_of(v[i]), size = bits & INT64_MAX;
        const int64_t key = (bits < 0 ? bits ^ INT64_MAX : bits) ^ flip;
        best = key > best ? key : best;
        most = size > most ? size : most;
    }
    p->lo[0] = best ^ flip;
    if (most > EG_INFINITY_BITS) p->flags |= EG_IS_NAN;
}

/* Adds n values, at most 2^22. */
EG_BOTH_ void eg_partial_add(eagle_partial *p, eagle_reduction r, const double *v, int n)
{
    if (r == EAGLE_SUM)
        eg_add_sum(p, v, n);
    else
        eg_add_extreme(p, r, v, n);
}

EG_BOTH_ void eg_partial_merge(eagle_partial *p, eagle_reduction r, const eagle_partial *q)
{
    eagle_partial other = *q;

    p->flags |= q->flags;
    if (q->failed < p->failed) p->failed = q->failed;
    if (r != EAGLE_SUM) {
        if (r == EAGLE_MIN ? q->lo[0] < p->lo[0] : q->lo[0] > p->lo[0]) p->lo[0] = q->lo[0];
        return;
    }
    eg_raise_top(p, q->top);
    eg_raise_top(&other, p->top);
    for (int k = 0; k < EG_LIMBS; k++) {
        p->hi[k] += other.hi[k];
        p->lo[k] += other.lo[k];
    }
    eg_carry(p);
}

#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128          eg_int128;
__extension__ typedef unsigned __int128 eg_uint128;

/* m 2^e, and a little more if `more`, to the nearest double, ties to even. */
EG_BOTH_ double eg_round_to_double(eg_uint128 m, int e, bool more)
{
    while (m >> 62 != 0) { /* to 62 bits; what falls off is remembered in the last bit */
        more = more || (m & 1) != 0;
        m >>= 1;
        e++;
    }
    return ldexp((double)(int64_t)((uint64_t)m | (more ? 1 : 0)), e);
}

EG_BOTH_ double eg_sum_value(const eagle_partial *p)
{
    const eg_int128 digit = (eg_int128)1 << EG_LIMB_BITS;
    const int       unit = EG_LIMB_BITS * (p->top - 2);
    eg_int128       limb[EG_LIMBS], low;
    bool            negative;

    for (int k = 0; k < EG_LIMBS; k++) limb[k] = (eg_int128)p->hi[k] * digit + p->lo[k];
    negative = limb[0] + ((limb[1] + (limb[2] >> EG_LIMB_BITS)) >> EG_LIMB_BITS) < 0;
    for (int k = 0; k < EG_LIMBS && negative; k++) limb[k] = -limb[k];
    limb[1] += limb[2] >> EG_LIMB_BITS; /* digits: 0 <= limb 1, limb 2 < 2^40 */
    limb[2] &= digit - 1;
    limb[0] += limb[1] >> EG_LIMB_BITS;
    limb[1] &= digit - 1;
    low = limb[1] * digit + limb[2];
    /* the second form holds up to 2^48 values: limb 0 < 2^87 */
    const double value = limb[0] >> 40 == 0
                             ? eg_round_to_double(((eg_uint128)limb[0] << 80) + (eg_uint128)low, unit, false)
                             : eg_round_to_double((eg_uint128)limb[0] * (eg_uint128)digit + (eg_uint128)limb[1],
                                                  unit + EG_LIMB_BITS, limb[2] != 0);
    return negative ? -value : value;
}

EG_BOTH_ double eg_partial_value(const eagle_partial *p, eagle_reduction r)
{
    const double nan = eg_double_of(EG_INFINITY_BITS | (int64_t)1 << 51), infinity = eg_double_of(EG_INFINITY_BITS);

    if ((p->flags & EG_IS_NAN) != 0) return nan;
    if (r != EAGLE_SUM) return eg_double_of(eg_order_key(p->lo[0]));
    if ((p->flags & EG_IS_PLUS_INF) != 0) return (p->flags & EG_IS_MINUS_INF) != 0 ? nan : infinity;
    if ((p->flags & EG_IS_MINUS_INF) != 0) return -infinity;
    return eg_sum_value(p);
}
#endif

/* What a reducing launch on the device works with: zeroed when it is made, and left so that it can run again. */
typedef struct eagle_workspace {
    eagle_partial *result; /* where the last block leaves what all blocks found */
    uint32_t       arrived, spare;
    eagle_partial  block[EG_REDUCE_BLOCKS];
} eagle_workspace;

#endif
