/* probes.h - [probe.NAME] at = x y z: the value of fields in one cell, as columns of the history. */
#ifndef EG_PROBES_H
#define EG_PROBES_H

#include "run/run.h"

typedef struct eg_probe {
    const char *name;    /* behind "probe."; owned by the config */
    int64_t     cell[3]; /* global */
    eagle_box   box;     /* of this rank: the cell, or no cell where another rank has it */
    bool       *wanted;  /* [n_fields] of the run */
} eg_probe;

/* The cell whose centre is nearest to a point, in global indices. false: the point lies outside the grid. */
bool eg_probe_cell(const eagle_grid *grid, const double at_m[3], int64_t cell[3]);

/* That cell as a box of this rank: one cell, or none where another rank has it. */
eagle_box eg_probe_box(const eagle_grid *grid, const int64_t cell[3]);

/* Reads all sections; complains of what is wrong with them. Gives *n probes, to be freed. */
eagle_status eg_probes_read(eagle_run *run, eg_probe **out, int *n);
void         eg_probes_free(eg_probe *probes, int n);

#endif
