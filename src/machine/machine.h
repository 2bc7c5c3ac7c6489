/* machine.h - where a process runs, and how many cores that leaves it. What hwloc says becomes an eg_place, plain data
 * that ranks can send each other; what follows from places are pure functions. */
#ifndef EG_MACHINE_H
#define EG_MACHINE_H

#include "base/base.h"

enum { EG_MACHINE_CORES = 4096 };

typedef struct eg_place {
    char     host[64];
    char     cpus[64];     /* hardware threads that the launcher gave, as the system counts them: "0-3,8" */
    int      numa;         /* the NUMA node that has them all, -1: several */
    int      cores;        /* with at least one of these hardware threads */
    int      host_cores;   /* that a process of this job might be given on this host */
    uint64_t core[EG_MACHINE_CORES / 64]; /* bit c: core c of the host is one of them */
} eg_place;

/* The place of this process; of a synthetic machine and a list of hardware threads for tests (NULL: all). Never widens
 * what the launcher gave. */
eagle_status eg_machine_read(const char *synthetic, const char *cpus, eg_place *out);

/* Cores for one of n ranks of a host: of each of its cores an equal part for every rank that may use it. */
double eg_machine_share(const eg_place *all, int n, int rank);

/* Threads that fit into a share; at least 1. */
int eg_machine_threads(double share);

/* Is there no core for a thread beside those that compute? Then who waits yields (eg_pause). */
bool eg_machine_scarce(double share, int threads);

/* What is wrong with the placement of the n ranks of one host. */
typedef enum eg_advice {
    EG_PLACED_WELL = 0,
    EG_RANKS_SHARE_CORES, /* more ranks than cores */
    EG_TOO_MANY_THREADS,  /* of a rank, for its share */
    EG_CORES_LEFT_OUT     /* the launcher keeps the ranks off cores that they could have */
} eg_advice;

/* threads: of each rank. *rank: the first that it concerns; *cores: that all of them may use together. */
eg_advice eg_machine_advice(const eg_place *all, const int *threads, int n, int *rank, int *cores);

#endif
