/* probes.h - [probe.NAME] at = x y z: the value of fields in one cell, as columns of the history. */
#ifndef EG_PROBES_H
#define EG_PROBES_H

#include "run/config.h"

/* The cell whose centre is nearest to a point, in global indices. false: the point lies outside the grid. */
bool eg_probe_cell(const eagle_grid *grid, const double at_m[3], int64_t cell[3]);

/* That cell as a box of this rank: one cell, or none where another rank owns it. */
eagle_box eg_probe_box(const eagle_grid *grid, const int64_t cell[3]);

#endif
