/* kernels.c - see kernels.h. */
#include "graph/kernels.h"

EAGLE_KERNEL(eg_finish, eg_finish)
{
    value[0] = eg_partial_value((const eagle_partial *)(const void *)partial, (eagle_reduction)p->reduction);
}
