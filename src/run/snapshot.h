/* snapshot.h - copies of fields in device memory. Frames and checkpoints take a field in two parts: a snapshot within the
 * step, which takes as long as a copy on the device, and from there the copy to the host beside the steps that follow. */
#ifndef EG_SNAPSHOT_H
#define EG_SNAPSHOT_H

#include "run/run.h"

struct eg_snapshot {
    eagle_plane of, taken; /* the same storage: there is none */
};

/* The plane from which `field`, a part of one, is copied home: its snapshot, which all share who ask for the same part;
 * `field` itself where the device's memory is the host's, or has no room. Local. */
eagle_status eg_snapshot_of(eagle_run *run, eagle_plane field, eagle_plane *taken);

/* Adds the copy, or nothing where there is no snapshot. All snapshots of a graph stand before what reads them: so nothing in
 * the step waits for the copies home. */
void eg_snapshot_add(eagle_graph *g, eagle_plane field, eagle_plane taken);

/* Bytes of this rank's snapshots; parts of fields for which there was no room. */
void eg_snapshot_figures(const eagle_run *run, int64_t *bytes, int64_t *missing);

#endif
