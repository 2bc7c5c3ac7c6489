/* tuned_host.c - the host forms. Without the check what is wrong in them is seen, so they are in use. */
#include "tuned_kernels.h"

#define EACH_CELL(x, y, z)                                                                                            \
    for (int64_t z = box->lo[2]; z < box->hi[2]; z++)                                                                 \
        for (int64_t y = box->lo[1]; y < box->hi[1]; y++)                                                             \
            for (int64_t x = box->lo[0]; x < box->hi[0]; x++)

EAGLE_TUNED_HOST(spread, tuned_scale)
{
    const real by = (real)p->by;

    EACH_CELL(x, y, z)
    {
        const real *c = u + x + y * Y + z * Z;
        v[x + y * Y + z * Z] = by * (c[-X] + c[X] + c[-Y] + c[Y]) + (real)(now.dt * eagle_x(eagle_cell(grid, box, x, y, z)));
    }
}

EAGLE_TUNED_HOST(off_by_a_bit, eagle_none)
{
    EACH_CELL(x, y, z) v[x + y * Y + z * Z] = u[x + y * Y + z * Z] * (x == 6 && y > 1 ? 4 : 3);
}

EAGLE_TUNED_HOST(leaves_out, eagle_none)
{
    EACH_CELL(x, y, z)
    if (x + 1 < grid->local[0]) v[x + y * Y + z * Z] = u[x + y * Y + z * Z];
}

EAGLE_TUNED_HOST(spills_over, eagle_none)
{
    EACH_CELL(x, y, z) v[x + y * Y + z * Z] = u[x + y * Y + z * Z];
    if (box->lo[1] == 0) v[-Y] = 42;
}

EAGLE_TUNED_HOST(second, eagle_none)
{
    EACH_CELL(x, y, z)
    {
        const ptrdiff_t c = x + y * Y + z * Z;
        v[c] += u[c];
        w[c] = v[c];
        w[c + C] = x == 3 ? -v[c] : v[c];
    }
}
