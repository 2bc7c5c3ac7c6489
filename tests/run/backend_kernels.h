/* backend_kernels.h - kernels for the test that backends give the same bits: stars and corners, sums, in place. */
#include <eagle/kernel.h>

typedef struct blend {
    double weight;
} blend;

#define blur_planes(P)    P(in, real, u, EAGLE_STAR(1)) P(out, real, v, 0)
#define corners_planes(P) P(in, real, u, 1) P(inout, real, v, 0)
#define drift_planes(P)   P(inout, real, u, 0)
#define mass_planes(P)    P(in, real, u, 0)
#define peak_planes(P)    P(in, real, u, 0)
#define shift_planes(P)   P(table, double, by, 0) P(inout, real, u, 0)
EAGLE_DECLARE(blur, blend);
EAGLE_DECLARE(corners, blend);
EAGLE_DECLARE(drift, blend);
EAGLE_DECLARE(mass, eagle_none);
EAGLE_DECLARE(peak, eagle_none);
EAGLE_DECLARE(shift, eagle_none);
