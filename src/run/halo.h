/* halo.h - filling ghost cells, as nodes of a graph. */
#ifndef EG_HALO_H
#define EG_HALO_H

#include "eagle/app.h"
#include "run/grid.h"
#include "run/job.h"

/* What stands beyond one side of the grid for one field. add: adds the calls that fill edge->box of the field. */
typedef struct eg_edge_fill {
    void (*add)(eagle_graph *g, void *state, eagle_plane field, const eagle_edge *edge);
    void      *state;
    eagle_edge edge;
} eg_edge_fill;

/* Fills `out` but for its box; false: nothing stands there (a periodic side, or ghost cells nobody reads). */
typedef bool (*eg_edge_of)(void *state, const eagle_storage *field, int axis, int side, eg_edge_fill *out);

typedef struct eg_halo eg_halo;

/* The exchange of a decomposition, given to every graph made afterwards (ctx->hooks). Owned by the job. grid is
 * borrowed. edges NULL: none. Local. */
eagle_status eg_halo_open(eg_job *job, const eg_cartesian *cartesian, const eagle_grid *grid, eg_edge_of edges,
                          void *edge_state, eg_halo **out);
void         eg_halo_close(eg_halo *h);

/* The built-in kinds: "mirror", "fixed" and "flux" (value[0] is the value, the derivative along the axis); NULL for any
 * other name. */
typedef void (*eg_edge_add)(eagle_graph *g, void *state, eagle_plane field, const eagle_edge *edge);
eg_edge_add eg_edge_builtin(const char *kind);

#endif
