/* watch_kernels.c - see watch_kernels.h. */
#include "run/watch_kernels.h"

EAGLE_MIN_KERNEL(eg_not_finite, eagle_none)
{
    const int64_t *n = at.grid->cells;

    return u[0] - u[0] == 0 ? (double)INFINITY : (double)(at.i + n[0] * (at.j + n[1] * at.k));
}

EAGLE_MAX_KERNEL(eg_change, eagle_none)
{
    const double change = (double)v[0] - (double)u[0];

    return (change < 0 ? -change : change) / now.dt;
}
