/* heat.h - what the program and its kernels share: which planes each kernel touches, and its parameters. */
#ifndef HEAT_H
#define HEAT_H

#include <eagle/kernel.h>

/* One material everywhere. */
typedef struct medium {
    double k, rho_c; /* W/(m K), J/(m3 K) */
} medium;

/* One stage of RKL2, see scheme.c. */
typedef struct stage {
    double mu, nu, mu_t, gamma_t;
    medium m; /* read by the uniform form only */
} stage;

/* What stands beyond an edge: a flux into the domain and convection, q + h (T_inf - T) at the surface. */
typedef struct outside {
    double flux, h, T_inf; /* W/m2, W/(m2 K), K */
    double spacing;        /* m, of the cells across the edge */
    medium m;              /* read by the uniform form only */
} outside;

/* One side of the box, for the heat that enters through it. */
typedef struct border {
    double area_per_spacing; /* m: area of a cell's face over the distance of two centres */
    medium m;                /* read by the uniform form only */
} border;

typedef struct weight {
    double w;
} weight;

/* A region: lower <= x < upper on each axis of the grid, and, with a radius, within it around the disc's axis. */
typedef struct region {
    double lower[3], upper[3], centre[3], radius; /* m */
    int    axis;                                  /* of a disc; else -1 */
} region;

EAGLE_INLINE bool region_has(const region *r, int dims, double x, double y, double z)
{
    const double at[3] = { x, y, z };
    double       distance2 = 0;

    for (int a = 0; a < dims; a++) {
        if (at[a] < r->lower[a] || at[a] >= r->upper[a]) return false;
        if (a != r->axis) distance2 += (at[a] - r->centre[a]) * (at[a] - r->centre[a]);
    }
    return r->radius <= 0 || distance2 < r->radius * r->radius;
}

/* T: temperature [K]; k: conductivity [W/(m K)]; rho_c: heat capacity [J/(m3 K)]; q: heat made [W/m3].
 *
 *                               how    type  name   how far from its cell it is read */
#define uniform_planes(P)      P(in,  real, T,     EAGLE_STAR(1)) P(out, real, T_new, 0)
#define uniform_2d_planes      uniform_planes
#define uniform_3d_planes      uniform_planes
#define euler_planes(P)        P(in,  real, T,     EAGLE_STAR(1)) P(in,  real, k, EAGLE_STAR(1)) \
                               P(in,  real, rho_c, 0) P(in, real, q, 0) P(out, real, T_new, 0)
EAGLE_DECLARE(uniform_2d, medium);
EAGLE_DECLARE(uniform_3d, medium);
EAGLE_DECLARE(euler, eagle_none);

/* RKL2. L: the rate of the first stage [K/s]; the even and the odd stages share a plane each. */
#define rkl2_first_planes(P)        P(in,  real, T,     EAGLE_STAR(1)) P(in,  real, k, EAGLE_STAR(1)) \
                               P(in,  real, rho_c, 0) P(in, real, q, 0) \
                               P(out, real, L,     0) P(out, real, even, 0) P(out, real, odd, 0)
#define rkl2_first_uniform_planes(P) P(in, real, T,     EAGLE_STAR(1)) \
                               P(out, real, L,     0) P(out, real, even, 0) P(out, real, odd, 0)
#define rkl2_next_planes(P)         P(in,  real, T,     0) P(in,  real, L, 0) \
                               P(in,  real, last,  EAGLE_STAR(1)) P(in,  real, k, EAGLE_STAR(1)) \
                               P(in,  real, rho_c, 0) P(in, real, q, 0) P(inout, real, before, 0)
#define rkl2_next_uniform_planes(P) P(in,  real, T,     0) P(in,  real, L, 0) \
                               P(in,  real, last,  EAGLE_STAR(1)) P(inout, real, before, 0)
EAGLE_DECLARE(rkl2_first, stage);
EAGLE_DECLARE(rkl2_first_uniform, stage);
EAGLE_DECLARE(rkl2_next, stage);
EAGLE_DECLARE(rkl2_next_uniform, stage);

/* Edges: over the ghost cells beyond one, from which the cells inside are reached without counting as a reach. */
#define beyond_planes(P)         P(exclusive, real, T, 0) P(in, real, k, 0)
#define beyond_uniform_planes(P) P(exclusive, real, T, 0)
EAGLE_DECLARE(beyond, outside);
EAGLE_DECLARE(beyond_uniform, outside);

/* The energy check: sums and maxima over all ranks; heat_in over the ghost cells beyond an edge. */
#define average_planes(P)         P(in, real, T, 0) P(in, real, inner, 0) P(inout, real, mean, 0)
#define change_planes(P)          P(in, real, T, 0) P(in, real, T_new, 0) P(in, real, rho_c, 0)
#define change_uniform_planes(P)  P(in, real, T, 0) P(in, real, T_new, 0)
#define content_planes(P)         P(in, real, T, 0) P(in, real, rho_c, 0)
#define content_uniform_planes(P) P(in, real, T, 0)
#define heat_in_planes(P)         P(in, real, T, 0) P(in, real, k, 0)
#define heat_in_uniform_planes(P) P(in, real, T, 0)
#define source_planes(P)          P(in, real, q, 0)
#define magnitude_planes          content_planes
#define magnitude_uniform_planes  content_uniform_planes
#define hottest_planes(P)         P(in, real, T, 0)
EAGLE_DECLARE(average, weight);
EAGLE_DECLARE(change, eagle_none);
EAGLE_DECLARE(change_uniform, medium);
EAGLE_DECLARE(content, eagle_none);
EAGLE_DECLARE(content_uniform, medium);
EAGLE_DECLARE(heat_in, border);
EAGLE_DECLARE(heat_in_uniform, border);
EAGLE_DECLARE(source, eagle_none);
EAGLE_DECLARE(magnitude, eagle_none);
EAGLE_DECLARE(magnitude_uniform, medium);
EAGLE_DECLARE(hottest, region);

/* Before the first step, and after the last. */
#define explicit_dt_planes(P)     P(in, real, k, EAGLE_STAR(1)) P(in, real, rho_c, 0)
#define deviation_planes(P)       P(in, real, T, 0) P(in, real, expected, 0)
#define sample_planes(P)          P(in, real, T, 0)
EAGLE_DECLARE(explicit_dt, eagle_none);
EAGLE_DECLARE(deviation, eagle_none);
EAGLE_DECLARE(sample, weight);

#endif
