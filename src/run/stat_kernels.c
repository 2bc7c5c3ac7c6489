/* stat_kernels.c - see stat_kernels.h. */
#include "run/stat_kernels.h"

EAGLE_MIN_KERNEL(eg_stat_min, eagle_none) { return u[0]; }

EAGLE_MAX_KERNEL(eg_stat_max, eagle_none) { return u[0]; }

EAGLE_SUM_KERNEL(eg_stat_sum, eagle_none) { return u[0]; }

EAGLE_SUM_KERNEL(eg_stat_squares, eagle_none) { return u[0] * u[0]; }
