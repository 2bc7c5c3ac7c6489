#include "data_kernels.h"

EAGLE_KERNEL(marked, eagle_none) { out[0] = 2 * T[0] + (real)(100 * at.i + at.j); }
