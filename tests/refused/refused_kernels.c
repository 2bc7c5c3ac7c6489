#include "refused_kernels.h"

EAGLE_KERNEL(copy_cell, eagle_none) { v[0] = u[0]; }

EAGLE_KERNEL(pick, eagle_none) { v[0] = index[0] > 0 ? u[0] : 0; }

EAGLE_KERNEL(bad_reach, eagle_none) { u[0] += u[X]; }

EAGLE_KERNEL(scaled, scale) { v[0] = (real)p->by * u[0]; }

EAGLE_SUM_KERNEL(total, eagle_none) { return u[0]; }

EAGLE_KERNEL(smooth, eagle_none) { v[0] = u[-X] + u[X]; }

EAGLE_KERNEL(smooth2, eagle_none) { v[0] = u[-2 * X] + u[2 * X]; }
