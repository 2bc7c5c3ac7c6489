#include "word_kernels.h"

EAGLE_KERNEL(look_up, eagle_none) { v[0] = values[index[0]] + values[(index[0] + 1) % 7]; }

/* A table of another shape than the cells, read at any index. */
EAGLE_KERNEL(look_at, table_size) { v[0] += (real)map[at.j % p->ny * p->nx + at.i % p->nx]; }

/* Each location is touched by one cell: those of the left half exchange both. */
EAGLE_KERNEL(turn, eagle_none)
{
    const ptrdiff_t across = (ptrdiff_t)(at.grid->cells[0] - 1 - 2 * at.i);

    if (across > 0) {
        const real kept = u[0];
        u[0] = u[across];
        u[across] = kept;
    }
}

EAGLE_KERNEL(types, eagle_none)
{
    d[0] = (uint32_t)a[0] + (uint32_t)b[0];
    e[0] = (double)c[0] / 3;
}

EAGLE_KERNEL(star, eagle_none) { v[0] += u[-2 * X] + 10 * u[2 * X] + 100 * u[-2 * Y] + 1000 * u[2 * Y]; }

EAGLE_KERNEL(parts, eagle_none) { v[0] = w[0] + 10 * w[C] + 100 * w[2 * C + X - Y]; }

/* All that a kernel of an edge may ask: where it is, how far out, what stands inside. */
EAGLE_KERNEL(beyond, eagle_none)
{
    u[0] = (real)(1e6 * at.depth + 1e3 * (double)at.i + (double)at.j) + 2 * u[eagle_mirrored(at)] - u[eagle_nearest(at)];
}

EAGLE_KERNEL(found, eagle_none)
{
    for (int k = 0; k < 3; k++)
        if (index[0] == wanted[k]) eagle_atomic_add(&count[k], 1);
}
