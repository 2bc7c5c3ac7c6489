/* edge_kernels.c - ghost cells beyond an edge, from the cells that mirror them. */
#include "run/edge_kernels.h"

/* No slope across the edge. */
EAGLE_KERNEL(eg_edge_mirror, eagle_none) { u[0] = u[eagle_mirrored(at)]; }

/* The value stands on the edge itself, half-way between the two cells. */
EAGLE_KERNEL(eg_edge_fixed, eg_edge_value) { u[0] = 2 * (real)p->value - u[eagle_mirrored(at)]; }

/* The derivative along the axis is the value; the two cells are 2 depth - 1 spacings apart. */
EAGLE_KERNEL(eg_edge_flux, eg_edge_value)
{
    const double distance = (2 * at.depth - 1) * p->h;
    u[0] = u[eagle_mirrored(at)] + (real)(p->side == 0 ? -distance * p->value : distance * p->value);
}
