/* builder.h - what the files of the builder share. */
#ifndef EG_BUILDER_H
#define EG_BUILDER_H

#include "graph/graph.h"

/* True if nothing can be added any more: a refusal is kept, or the graph was replayed (which is refused). */
bool eg_builder_closed(eagle_graph *g, eagle_here here);
/* True, with the refusal kept, if the plane has no memory or is of another context. */
bool eg_plane_refused(eagle_graph *g, const char *node, eagle_plane plane, eagle_here here);
/* Appends a node with room for n_access + 1 accesses; NULL with the refusal kept. */
eg_node *eg_builder_node(eagle_graph *g, eg_kind kind, const char *name, int n_access, eagle_here here);
void     eg_builder_access(eg_access *a, eagle_plane plane, bool reads, bool writes);

/* ages.c: a field was written here, so that its ghost cells are old. */
void eg_ages_written(eagle_graph *g, const eg_access *a, const char *writer, eagle_here here);
/* True, with the refusal kept, if `reach` cells around the box are not all valid. */
bool eg_ages_refused(eagle_graph *g, const char *node, const char *slot, eagle_plane plane, const eagle_grid *grid,
                     const eagle_box *box, int reach, eagle_here here);

#endif
