/* sum_kernels.h - kernels for the test of reductions, random numbers and atomics. */
#include <eagle/kernel.h>

typedef struct lot {
    uint64_t seed;
    int64_t  bins;
} lot;

#define plain_planes(P)   P(in, double, u, 0)
#define least_planes(P)   P(in, double, u, 0)
#define most_planes(P)    P(in, double, u, 0)
#define wear_planes(P)    P(inout, double, u, 0)
#define draw_planes(P)    P(out, double, u, 0)
#define scatter_planes(P)                                                                                             \
    P(in, double, u, 0) P(any, int64_t, total, 0) P(any, uint32_t, count, 0) P(any, int32_t, ends, 0)
EAGLE_DECLARE(plain, eagle_none);
EAGLE_DECLARE(least, eagle_none);
EAGLE_DECLARE(most, eagle_none);
EAGLE_DECLARE(wear, eagle_none); /* writes what it returns: each cell is called once */
EAGLE_DECLARE(draw, lot);
EAGLE_DECLARE(scatter, lot); /* each cell throws its value into a bin */
