/* sums.c - what the energy check and the known answers need of the whole grid: sums, minima and maxima. Each is one
 * number, with the same bits on any number of ranks. */
#include "conduct.h"

EAGLE_INLINE real magnitude_of(real x)
{
    return x < 0 ? -x : x;
}

/* The mean temperature of a step's stages, each with its weight w in the step: mean = T + sum of w (inner - T). */
EAGLE_KERNEL(average, weight)
{
    mean[0] += (real)p->w * (inner[0] - T[0]);
}

/* What a step stored [J] */
EAGLE_SUM_KERNEL(change, eagle_none)
{
    return rho_c[0] * (real)eagle_volume(at.grid) * (T_new[0] - T[0]);
}

EAGLE_SUM_KERNEL(change_uniform, medium)
{
    return (real)(p->rho_c * eagle_volume(at.grid)) * (T_new[0] - T[0]);
}

/* What is stored [J], counted from 0 K */
EAGLE_SUM_KERNEL(content, eagle_none)
{
    return rho_c[0] * (real)eagle_volume(at.grid) * T[0];
}

EAGLE_SUM_KERNEL(content_uniform, medium)
{
    return (real)(p->rho_c * eagle_volume(at.grid)) * T[0];
}

/* The same of |T|: the scale of rounding errors */
EAGLE_SUM_KERNEL(magnitude, eagle_none)
{
    return rho_c[0] * (real)eagle_volume(at.grid) * magnitude_of(T[0]);
}

EAGLE_SUM_KERNEL(magnitude_uniform, medium)
{
    return (real)(p->rho_c * eagle_volume(at.grid)) * magnitude_of(T[0]);
}

/* What enters through one side [W]: over the ghost cells beyond it. */
EAGLE_SUM_KERNEL(heat_in, border)
{
    return (real)p->area_per_spacing * face(k[0], k[at.inward]) * (T[0] - T[at.inward]);
}

EAGLE_SUM_KERNEL(heat_in_uniform, border)
{
    return (real)(p->area_per_spacing * p->m.k) * (T[0] - T[at.inward]);
}

/* What the sources make [W] */
EAGLE_SUM_KERNEL(source, eagle_none)
{
    return q[0] * (real)eagle_volume(at.grid);
}

/* The hottest point of a region [K]: over a box around it. */
EAGLE_MAX_KERNEL(hottest, region)
{
    return region_has(p, at.grid->dims, eagle_x(at), eagle_y(at), eagle_z(at)) ? T[0] : (real)-1e30;
}

/* The largest step of explicit Euler [s]: with it no cell gives away more than the difference to its neighbours. */
EAGLE_MIN_KERNEL(explicit_dt, eagle_none)
{
    const double *h = at.grid->h;
    real          sum = inverse_square(h[0]) * connection(k, X) + inverse_square(h[1]) * connection(k, Y);

    if (at.grid->dims == 3) sum += inverse_square(h[2]) * connection(k, Z);
    return rho_c[0] / sum;
}

EAGLE_MAX_KERNEL(deviation, eagle_none)
{
    return magnitude_of(T[0] - expected[0]);
}

EAGLE_SUM_KERNEL(sample, weight)
{
    return (real)p->w * T[0];
}
