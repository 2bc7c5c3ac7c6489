/* refused_kernels.h - kernels for calls that are refused. */
#include <eagle/kernel.h>

typedef struct scale {
    double by;
} scale;

#define copy_cell_planes(P) P(in, real, u, 0) P(out, real, v, 0)
#define pick_planes(P)      P(in, real, u, 0) P(in, int32_t, index, 0) P(out, real, v, 0)
#define bad_reach_planes(P) P(inout, real, u, 1)
#define scaled_planes(P)    P(in, real, u, 0) P(out, real, v, 0)
#define total_planes(P)     P(in, real, u, 0)
#define smooth_planes(P)    P(in, real, u, 1) P(out, real, v, 0)
#define smooth2_planes(P)   P(in, real, u, 2) P(out, real, v, 0)
EAGLE_DECLARE(copy_cell, eagle_none);
EAGLE_DECLARE(pick, eagle_none);
EAGLE_DECLARE(bad_reach, eagle_none);
EAGLE_DECLARE(scaled, scale);
EAGLE_DECLARE(total, eagle_none);
EAGLE_DECLARE(smooth, eagle_none);
EAGLE_DECLARE(smooth2, eagle_none);
