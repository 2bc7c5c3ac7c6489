#include "access_kernels.h"

EAGLE_KERNEL(too_far, eagle_none) { v[0] = u[-X] + u[2 * X]; }

EAGLE_KERNEL(corner, eagle_none) { v[0] = u[-X] + u[X + Y]; }

/* Only one cell of all, by its place. */
EAGLE_KERNEL(now_and_then, eagle_none) { v[0] = at.i == 5 && at.j == 2 ? u[0] - u[-Y] : u[0]; }

EAGLE_KERNEL(adds, eagle_none) { v[0] += u[0]; }

EAGLE_KERNEL(spills, eagle_none)
{
    v[0] = u[0];
    if (at.i == 23) v[X] = 2 * u[0];
}

EAGLE_KERNEL(spoils, eagle_none)
{
    v[0] = u[0];
    if (at.i == 26) ((real *)(uintptr_t)u)[0] = 7;
}

EAGLE_SUM_KERNEL(far_sum, eagle_none) { return u[2 * Y]; }

EAGLE_KERNEL(far_index, eagle_none) { v[0] = u[index[X]]; }

EAGLE_KERNEL(component, eagle_none) { v[0] = w[0] + w[C] + w[C + X]; }

EAGLE_KERNEL(honest, eagle_none) { v[0] += u[-X - Y] + u[X + Y] + u[0]; }

EAGLE_KERNEL(masked, eagle_none)
{
    if (at.i % 2 == 0) v[0] = u[0];
}

EAGLE_KERNEL(gathers, eagle_none)
{
    v[0] = v[0] / 2 + u[index[0]];
    eagle_atomic_add(&count[index[0]], 1);
}

EAGLE_SUM_KERNEL(honest_sum, eagle_none) { return u[2 * Y] - u[-2 * X]; }
