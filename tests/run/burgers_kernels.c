#include "burgers_kernels.h"

EAGLE_KERNEL(burgers_step, eagle_none)
{
    const real c = (real)(now.dt / at.grid->h[0]);
    v[0] = u[0] - c * ((real)0.5 * u[0] * u[0] - (real)0.5 * u[-X] * u[-X]);
}

EAGLE_MIN_KERNEL(burgers_stable, eagle_none) { return at.grid->h[0] / (double)u[0]; }
