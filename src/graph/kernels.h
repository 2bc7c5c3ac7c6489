/* kernels.h - the engine's own kernels that a graph needs by itself. */
#ifndef EG_GRAPH_KERNELS_H
#define EG_GRAPH_KERNELS_H

#include "eagle/kernel.h"

/* Turns what is known of a sum, minimum or maximum over all ranks (an eagle_partial, as words) into one double. */
enum { EG_PARTIAL_WORDS = 8 };
typedef struct eg_finish {
    int reduction;
} eg_finish;
#define eg_finish_planes(P) P(table, int64_t, partial, 0) P(out, double, value, 0)
EAGLE_DECLARE(eg_finish, eg_finish);

#endif
