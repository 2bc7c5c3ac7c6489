/* engine_kernels.h - small kernels for the tests of the engine. */
#include <eagle/kernel.h>

typedef struct scale {
    double by;
} scale;

#define add_one_planes(P)  P(inout, real, u, 0)
#define smooth_planes(P)   P(in, real, u, 1) P(out, real, v, 0)
#define scaled_planes(P)   P(in, real, u, 0) P(out, real, v, 0)
#define total_planes(P)    P(in, real, u, 0)
#define greatest_planes(P) P(in, real, u, 0)
#define clock_at_planes(P) P(out, double, t, 0)
#define add_dt_planes(P)   P(in, real, u, 0) P(out, real, v, 0)
#define allowed_planes(P)  P(in, real, u, 0)
EAGLE_DECLARE(add_dt, eagle_none);
EAGLE_DECLARE(allowed, scale);
EAGLE_DECLARE(add_one, eagle_none);
EAGLE_DECLARE(smooth, eagle_none);
EAGLE_DECLARE(scaled, scale);
EAGLE_DECLARE(total, eagle_none);
EAGLE_DECLARE(greatest, eagle_none);
EAGLE_DECLARE(clock_at, eagle_none);
