/* eagle/eagle.h - the whole public API: the graph layer, and the application layer on it. */
#ifndef EAGLE_H
#define EAGLE_H
#include "eagle/app.h"
#include "eagle/graph.h"
#endif
