#include "tuned_kernels.h"

EAGLE_KERNEL(spread, tuned_scale)
{
    v[0] = (real)p->by * (u[-X] + u[X] + u[-Y] + u[Y]) + (real)(now.dt * eagle_x(at));
}

EAGLE_KERNEL(off_by_a_bit, eagle_none) { v[0] = u[0] * 3; }

EAGLE_KERNEL(leaves_out, eagle_none) { v[0] = u[0]; }

EAGLE_KERNEL(spills_over, eagle_none) { v[0] = u[0]; }

EAGLE_KERNEL(second, eagle_none)
{
    v[0] += u[0];
    w[0] = w[C] = v[0];
}

EAGLE_KERNEL(untuned, eagle_none) { v[0] = u[0]; }
