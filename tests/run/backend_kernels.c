#include "backend_kernels.h"

EAGLE_KERNEL(blur, blend)
{
    const real w = (real)p->weight;

    v[0] = u[0] + w * (u[-X] + u[X] + u[-Y] + u[Y] + u[-Z] + u[Z] - 6 * u[0]);
}

EAGLE_KERNEL(corners, blend) { v[0] += (real)p->weight * (u[-X - Y] - u[X + Y] + u[X - Y + Z] - u[Y - X - Z]); }

EAGLE_KERNEL(drift, blend) { u[0] += (real)(p->weight * now.t) * (real)(at.i + 3 * at.j + 7 * at.k) / 1000; }

EAGLE_SUM_KERNEL(mass, eagle_none) { return u[0] * u[0]; }

EAGLE_MAX_KERNEL(peak, eagle_none) { return u[0]; }

EAGLE_KERNEL(shift, eagle_none) { u[0] += (real)by[0]; }
