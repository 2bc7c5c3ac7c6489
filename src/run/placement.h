/* placement.h - where the ranks of a job run: what they learn of each other at start, and what is said of it. */
#ifndef EG_PLACEMENT_H
#define EG_PLACEMENT_H

#include "run/job.h"

/* Reads this rank's place, and its share of the cores from the places of all ranks of its host. Collective. */
eagle_status eg_placement_find(eg_job *job, MPI_Comm host);

/* A table of ranks, and warnings of what slows them down, on rank 0. Collective. */
eagle_status eg_placement_print(eg_job *job);

#endif
