/* scaled.h - the kernel of in_cpp17.cpp. */
#include <eagle/kernel.h>

typedef struct factor {
    double by;
} factor;

#define scaled_planes(P) P(in, real, u, 0) P(out, real, v, 0)
EAGLE_DECLARE(scaled, factor);
