/* burgers_kernels.h - u_t + (u^2 / 2)_x = 0 for u > 0, upwind: the largest u says how long a step may be. */
#include <eagle/kernel.h>

#define burgers_step_planes(P)   P(in, real, u, EAGLE_STAR(1)) P(out, real, v, 0)
#define burgers_stable_planes(P) P(in, real, u, 0)
EAGLE_DECLARE(burgers_step, eagle_none);
EAGLE_DECLARE(burgers_stable, eagle_none);
