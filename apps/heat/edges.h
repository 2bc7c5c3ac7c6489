/* edges.h - what may stand at an edge besides periodic, mirror and fixed. */
#ifndef EDGES_H
#define EDGES_H

#include "state.h"

extern const eagle_edge_kind edge_kinds[];

/* The temperature of what is outside: that of the first side with convection, else of the first that is fixed; NAN if
 * there is neither. */
double edges_reference(const eagle_run *run);

#endif
