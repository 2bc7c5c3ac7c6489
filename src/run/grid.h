/* grid.h - which rank has which cells, and who its neighbours are. Pure functions of sizes; no MPI. */
#ifndef EG_GRID_H
#define EG_GRID_H

#include "base/base.h"
#include "eagle/kernel.h"

typedef struct eg_cartesian {
    int     dims, ranks[3];  /* ranks along x y z */
    bool    periodic[3];
    int64_t cells[3];
} eg_cartesian;

/* Chooses the ranks along each axis: the product is `ranks`, the slowest axis is split first, least surface wins; an
 * axis is never split into parts narrower than `ghosts`. wanted[a] > 0 fixes an axis. Refuses what cannot be done,
 * naming the most ranks below it that are possible. Axes beyond `dims` have one cell. */
eagle_status eg_cartesian_choose(int ranks, int dims, const int64_t cells[3], const bool periodic[3],
                                 const int64_t wanted[3], int ghosts, eg_cartesian *out);

/* Cells of part p of n along an axis: parts differ by one cell at most, the larger ones first. */
void eg_cartesian_part(int64_t cells, int n, int p, int64_t *offset, int64_t *local);

/* Rank <-> position; x varies fastest. The neighbour in direction d (-1, 0, 1 along each axis), -1 if none. */
void eg_cartesian_place(const eg_cartesian *c, int rank, int place[3]);
int  eg_cartesian_neighbour(const eg_cartesian *c, int rank, const int d[3]);

/* This rank's grid: local, offset; lower and h are the caller's. pitch is filled by eg_grid_pitch. */
void eg_cartesian_grid(const eg_cartesian *c, int rank, const double lower[3], const double upper[3], int ghosts,
                       eagle_grid *out);

#endif
