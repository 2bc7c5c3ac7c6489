#include "engine_kernels.h"

EAGLE_KERNEL(add_one, eagle_none) { u[0] += 1; }

EAGLE_KERNEL(smooth, eagle_none) { v[0] = (u[-X] + 2 * u[0] + u[X]) / 4; }

EAGLE_KERNEL(scaled, scale) { v[0] = (real)p->by * u[0]; }

EAGLE_SUM_KERNEL(total, eagle_none) { return u[0]; }

EAGLE_MAX_KERNEL(greatest, eagle_none) { return u[0]; }

EAGLE_KERNEL(clock_at, eagle_none) { t[0] = now.t; }

EAGLE_KERNEL(add_dt, eagle_none) { v[0] = u[0] + (real)now.dt; }

EAGLE_MIN_KERNEL(allowed, scale) { return p->by / (4 + u[0]); }
