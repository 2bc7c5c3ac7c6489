/* misspelt.c - a call that names a plane its kernel does not have, or names one twice: the C compiler refuses it. */
#include <eagle/graph.h>

#include "refused_kernels.h"

void add(eagle_graph *g, eagle_plane u, eagle_plane v);
void add(eagle_graph *g, eagle_plane u, eagle_plane v)
{
#if defined(RIGHT)
    eagle_call(g, copy_cell, .u = u, .v = v);
#elif defined(MISSPELT)
    eagle_call(g, copy_cell, .u = u, .v_new = v);
#else
    eagle_call(g, copy_cells, .u = u, .v = v);
#endif
}
