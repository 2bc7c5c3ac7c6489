/* tuned_kernels.h - kernels with forms written by hand: some leave the same bits, some do not. */
#include <eagle/kernel.h>

typedef struct tuned_scale {
    double by;
} tuned_scale;

#define spread_planes(P)     P(in, real, u, EAGLE_STAR(1)) P(out, real, v, 0)
#define off_by_a_bit_planes(P) P(in, real, u, 0) P(out, real, v, 0)
#define leaves_out_planes(P) P(in, real, u, 0) P(out, real, v, 0)
#define spills_over_planes(P) P(in, real, u, 0) P(out, real, v, 0)
#define second_planes(P)     P(in, real, u, 0) P(inout, real, v, 0) P(out, real, w, 0)
#define untuned_planes(P)    P(in, real, u, 0) P(out, real, v, 0)
EAGLE_DECLARE(spread, tuned_scale);
EAGLE_DECLARE(off_by_a_bit, eagle_none);
EAGLE_DECLARE(leaves_out, eagle_none);
EAGLE_DECLARE(spills_over, eagle_none);
EAGLE_DECLARE(second, eagle_none);
EAGLE_DECLARE(untuned, eagle_none);
