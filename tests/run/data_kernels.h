/* data_kernels.h - a derived field. */
#include <eagle/kernel.h>

#define marked_planes(P) P(in, real, T, 0) P(out, real, out, 0)
EAGLE_DECLARE(marked, eagle_none);
