#include "sum_kernels.h"

EAGLE_SUM_KERNEL(plain, eagle_none) { return u[0]; }

EAGLE_MIN_KERNEL(least, eagle_none) { return u[0]; }

EAGLE_MAX_KERNEL(most, eagle_none) { return u[0]; }

EAGLE_SUM_KERNEL(wear, eagle_none)
{
    u[0] = u[0] / 2 + 1;
    return u[0];
}

EAGLE_KERNEL(draw, lot) { u[0] = eagle_random(p->seed, at, now.step, 2); }

EAGLE_KERNEL(scatter, lot)
{
    const int64_t bin = (int64_t)(u[0] * (double)p->bins);
    const int32_t value = (int32_t)(u[0] * 1000000) - 500000;

    eagle_atomic_add(&total[bin], (int64_t)value);
    eagle_atomic_min(&total[p->bins + bin], (int64_t)value * 1048576);
    eagle_atomic_max(&total[2 * p->bins + bin], (int64_t)value * 1048576);
    eagle_atomic_add(&count[bin], 1u);
    eagle_atomic_max(&count[p->bins + bin], (uint32_t)value);
    eagle_atomic_min(&ends[bin], value);
    eagle_atomic_max(&ends[p->bins + bin], value);
    eagle_atomic_add(&ends[2 * p->bins + bin], value);
}
