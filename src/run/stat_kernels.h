/* stat_kernels.h - statistics of a field of one component, over all cells and ranks. */
#ifndef EG_STAT_KERNELS_H
#define EG_STAT_KERNELS_H

#include "eagle/kernel.h"

#define eg_stat_min_planes(P)     P(in, real, u, 0)
#define eg_stat_max_planes(P)     P(in, real, u, 0)
#define eg_stat_sum_planes(P)     P(in, real, u, 0)
#define eg_stat_squares_planes(P) P(in, real, u, 0)
EAGLE_DECLARE(eg_stat_min, eagle_none);
EAGLE_DECLARE(eg_stat_max, eagle_none);
EAGLE_DECLARE(eg_stat_sum, eagle_none);
EAGLE_DECLARE(eg_stat_squares, eagle_none); /* the sum of squares */

#endif
