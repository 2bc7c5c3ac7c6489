/* kernels.c - one step of rho c dT/dt = div(k grad T) + q, cell-centred finite volumes, and what stands beyond edges.
 *
 * The uniform forms read T and nothing else; the general ones take k, rho c and q from fields. */
#include "conduct.h"

/* Explicit Euler */

EAGLE_KERNEL(uniform_2d, medium)
{
    const double a = now.dt * p->k / p->rho_c, *h = at.grid->h;
    const real   x = (real)(a / (h[0] * h[0])), y = (real)(a / (h[1] * h[1]));

    T_new[0] = T[0] + (x * (T[-X] - 2 * T[0] + T[X]) + y * (T[-Y] - 2 * T[0] + T[Y]));
}

EAGLE_KERNEL(uniform_3d, medium)
{
    const double a = now.dt * p->k / p->rho_c, *h = at.grid->h;
    const real   x = (real)(a / (h[0] * h[0])), y = (real)(a / (h[1] * h[1])), z = (real)(a / (h[2] * h[2]));

    T_new[0] = T[0] + (x * (T[-X] - 2 * T[0] + T[X]) + y * (T[-Y] - 2 * T[0] + T[Y]) +
                       z * (T[-Z] - 2 * T[0] + T[Z]));
}

EAGLE_KERNEL(euler, eagle_none)
{
    T_new[0] = T[0] + (real)now.dt * rate(T, k, rho_c[0], q[0], Y, Z, at.grid);
}

/* RKL2. Stages are written as what they add to T, so that a constant stays constant to the last bit. */

EAGLE_KERNEL(rkl2_first, stage)
{
    L[0] = rate(T, k, rho_c[0], q[0], Y, Z, at.grid);
    even[0] = T[0];
    odd[0] = T[0] + (real)(p->mu_t * now.dt) * L[0];
}

EAGLE_KERNEL(rkl2_first_uniform, stage)
{
    L[0] = rate_uniform(T, &p->m, Y, Z, at.grid);
    even[0] = T[0];
    odd[0] = T[0] + (real)(p->mu_t * now.dt) * L[0];
}

/* What stage j adds to T: `last` and `before` are the added parts of stages j - 1 and j - 2, `r` the rate of j - 1. */
EAGLE_INLINE real added(const stage *p, double dt, real last, real before, real r, real L)
{
    return (real)p->mu * last + (real)p->nu * before + ((real)(p->mu_t * dt) * r + (real)(p->gamma_t * dt) * L);
}

EAGLE_KERNEL(rkl2_next, stage)
{
    const real r = rate(last, k, rho_c[0], q[0], Y, Z, at.grid);

    before[0] = T[0] + added(p, now.dt, last[0] - T[0], before[0] - T[0], r, L[0]);
}

EAGLE_KERNEL(rkl2_next_uniform, stage)
{
    const real r = rate_uniform(last, &p->m, Y, Z, at.grid);

    before[0] = T[0] + added(p, now.dt, last[0] - T[0], before[0] - T[0], r, L[0]);
}

/* Edges: the ghost value with which the flux k (T_ghost - T) / spacing is what the surface lets in. Convection passes
 * the film and half a cell, one after the other. */
EAGLE_INLINE real ghost(const outside *p, real T, real k)
{
    const real resistance = (real)p->spacing / k;
    const real U = (real)p->h / (1 + (real)(p->h / 2) * resistance);

    return T + resistance * ((real)p->flux + U * ((real)p->T_inf - T));
}

EAGLE_KERNEL(beyond, outside)
{
    T[0] = ghost(p, T[eagle_mirrored(at)], k[0]);
}

EAGLE_KERNEL(beyond_uniform, outside)
{
    T[0] = ghost(p, T[eagle_mirrored(at)], (real)p->m.k);
}
