/* edge_kernels.h - the kinds of edges that every application has. */
#ifndef EG_EDGE_KERNELS_H
#define EG_EDGE_KERNELS_H

#include "eagle/kernel.h"

typedef struct eg_edge_value {
    double value, h; /* h: spacing across the edge, m */
    int    side;     /* 0 lower, 1 upper */
} eg_edge_value;

#define eg_edge_mirror_planes(P) P(inout, real, u, 0)
#define eg_edge_fixed_planes(P)  P(inout, real, u, 0)
#define eg_edge_flux_planes(P)   P(inout, real, u, 0)
EAGLE_DECLARE(eg_edge_mirror, eagle_none);
EAGLE_DECLARE(eg_edge_fixed, eg_edge_value);
EAGLE_DECLARE(eg_edge_flux, eg_edge_value);

#endif
