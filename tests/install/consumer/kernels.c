#include "scaled.h"

EAGLE_KERNEL(scaled, factor) { v[0] = (real)p->by * u[0]; }
