/* conduct.h - how heat flows between cells; for kernel files. */
#ifndef CONDUCT_H
#define CONDUCT_H

#include "heat.h"

/* The conductivity of the face between two cells: the harmonic mean, with which a layered wall is exact. */
EAGLE_INLINE real face(real a, real b)
{
    return 2 * a * b / (a + b);
}

/* What flows in from both neighbours along one axis, times the spacing. */
EAGLE_INLINE real inflow(const real *T, const real *k, ptrdiff_t n)
{
    return face(k[0], k[n]) * (T[n] - T[0]) + face(k[0], k[-n]) * (T[-n] - T[0]);
}

/* How well a cell is connected to both neighbours along one axis [W/(m K)] */
EAGLE_INLINE real connection(const real *k, ptrdiff_t n)
{
    return face(k[0], k[n]) + face(k[0], k[-n]);
}

EAGLE_INLINE real inverse_square(double h)
{
    return (real)(1 / (h * h));
}

/* dT/dt [K/s] */
EAGLE_INLINE real rate(const real *T, const real *k, real rho_c, real q, ptrdiff_t Y, ptrdiff_t Z, const eagle_grid *g)
{
    real heat = inverse_square(g->h[0]) * inflow(T, k, 1) + inverse_square(g->h[1]) * inflow(T, k, Y) + q;

    if (g->dims == 3) heat += inverse_square(g->h[2]) * inflow(T, k, Z);
    return heat / rho_c;
}

EAGLE_INLINE real rate_uniform(const real *T, const medium *m, ptrdiff_t Y, ptrdiff_t Z, const eagle_grid *g)
{
    const double alpha = m->k / m->rho_c;
    const real   x = (real)(alpha / (g->h[0] * g->h[0])), y = (real)(alpha / (g->h[1] * g->h[1]));
    const real   z = (real)(alpha / (g->h[2] * g->h[2]));
    const real   flat = x * (T[-1] - 2 * T[0] + T[1]) + y * (T[-Y] - 2 * T[0] + T[Y]);

    return g->dims == 3 ? flat + z * (T[-Z] - 2 * T[0] + T[Z]) : flat;
}

#endif
