/* eagle/detail/reduce.h - sums, minima and maxima with the same bits in any order. */
#ifndef EAGLE_DETAIL_REDUCE_H
#define EAGLE_DETAIL_REDUCE_H

enum { EG_REDUCE_STRETCH = 256, EG_REDUCE_BLOCKS = 1024 };

/* 64 bytes, whatever was added: the message that a rank sends. */
typedef struct eagle_partial {
    int64_t hi[3], lo[3];
    int32_t top;
    uint32_t flags;
    int64_t spare;
} eagle_partial;

EG_BOTH_ void eg_partial_clear(eagle_partial *p, eagle_reduction r) { (void)p, (void)r; }
EG_BOTH_ void eg_partial_add(eagle_partial *p, eagle_reduction r, const double *v, int n) { (void)p, (void)r, (void)v, (void)n; }
EG_BOTH_ void eg_partial_merge(eagle_partial *p, eagle_reduction r, const eagle_partial *q) { (void)p, (void)r, (void)q; }
EG_BOTH_ double eg_partial_value(const eagle_partial *p, eagle_reduction r) { (void)p, (void)r; return 0; }

#endif
