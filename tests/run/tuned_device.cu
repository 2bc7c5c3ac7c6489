/* tuned_device.cu - the device forms, wrong where those of the host are: blocks of 32 x 4 threads, each over 2 rows. */
#include "tuned_kernels.h"

#define EACH_ROW(x, y, z)                                                                                             \
    const int64_t x = box->lo[0] + (int64_t)blockIdx.x * 32 + threadIdx.x, z = box->lo[2] + blockIdx.z;               \
    const int64_t y0 = box->lo[1] + ((int64_t)blockIdx.y * 4 + threadIdx.y) * 2;                                      \
    for (int64_t y = y0; x < box->hi[0] && y < y0 + 2 && y < box->hi[1]; y++)

EAGLE_TUNED_DEVICE(spread, tuned_scale, 32, 4, 2, 1)
{
    EACH_ROW(x, y, z)
    {
        const real *c = u + x + y * Y + z * Z;
        v[x + y * Y + z * Z] = (real)p->by * (c[-X] + c[X] + c[-Y] + c[Y]) +
                               (real)(now.dt * eagle_x(eagle_cell(grid, box, x, y, z)));
    }
}

EAGLE_TUNED_DEVICE(off_by_a_bit, eagle_none, 32, 4, 2, 1)
{
    EACH_ROW(x, y, z) v[x + y * Y + z * Z] = u[x + y * Y + z * Z] * (x == 6 && y > 1 ? 4 : 3);
}

EAGLE_TUNED_DEVICE(leaves_out, eagle_none, 32, 4, 2, 1)
{
    EACH_ROW(x, y, z)
    if (x + 1 < grid->local[0]) v[x + y * Y + z * Z] = u[x + y * Y + z * Z];
}

EAGLE_TUNED_DEVICE(spills_over, eagle_none, 32, 4, 2, 1)
{
    EACH_ROW(x, y, z)
    {
        v[x + y * Y + z * Z] = u[x + y * Y + z * Z];
        if (x == 0 && y == 0) v[-Y] = 42;
    }
}

EAGLE_TUNED_DEVICE(second, eagle_none, 32, 4, 2, 1)
{
    EACH_ROW(x, y, z)
    {
        const ptrdiff_t c = x + y * Y + z * Z;
        v[c] += u[c];
        w[c] = v[c];
        w[c + C] = x == 3 ? -v[c] : v[c];
    }
}
