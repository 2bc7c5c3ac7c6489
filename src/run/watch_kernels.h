/* watch_kernels.h - what is looked for in every field at a check. */
#ifndef EG_WATCH_KERNELS_H
#define EG_WATCH_KERNELS_H

#include "eagle/kernel.h"

/* The lowest global index, x fastest, of a cell whose value is not finite; infinity if there is none. */
#define eg_not_finite_planes(P) P(in, real, u, 0)
EAGLE_DECLARE(eg_not_finite, eagle_none);

/* The largest change of a value in this step, per second. */
#define eg_change_planes(P) P(in, real, u, 0) P(in, real, v, 0)
EAGLE_DECLARE(eg_change, eagle_none);

#endif
