/* placement.c - the places of all ranks: their exchange, the table at start, the warnings (placement.h). */
#include "run/placement.h"

#include <string.h>

enum { MOST_ROWS = 64 };

/* What a rank tells rank 0. */
typedef struct row {
    eg_place place;
    int      threads;
    bool     told; /* its host had its warning */
    char     device[128];
} row;

eagle_status eg_placement_find(eg_job *job, MPI_Comm host)
{
    eg_place *all = eg_alloc((size_t)job->local_ranks, sizeof *all);
    int       code;

    if (all == NULL) return EAGLE_ERR_MEMORY;
    const eagle_status status = eg_machine_read(NULL, NULL, &job->place);
    code = MPI_Allgather(&job->place, sizeof job->place, MPI_BYTE, all, sizeof job->place, MPI_BYTE, host);
    job->cores = eg_machine_share(all, job->local_ranks, job->local_rank);
    eg_free(all);
    return code == MPI_SUCCESS ? status : eg_mpi_fail("MPI_Allgather", code);
}

/* --- warnings ------------------------------------------------------------------------------------------------- */

static void warn_of(eg_advice advice, const row *r, int rank, int n, int cores)
{
    char      fix[160];
    const int each = r->place.host_cores / n > 0 ? r->place.host_cores / n : 1;

    switch (advice) {
    case EG_RANKS_SHARE_CORES:
        snprintf(fix, sizeof fix, "start at most %d ranks on this host", r->place.host_cores);
        eg_warn(n > r->place.host_cores ? fix : "give each rank cores of its own: mpirun --bind-to core",
                "%d ranks of host '%s' share %d core%s", n, r->place.host, cores, cores == 1 ? "" : "s");
        break;
    case EG_TOO_MANY_THREADS:
        eg_warn("set run.threads = auto, or give the ranks more cores",
                "rank %d runs %d threads on host '%s', more than its share of %d cores", rank, r->threads,
                r->place.host, cores);
        break;
    case EG_CORES_LEFT_OUT:
        snprintf(fix, sizeof fix, "mpirun --map-by slot:PE=%d --bind-to core, or mpirun --bind-to none", each);
        eg_warn(fix, "the launcher gave the ranks of host '%s' %d of its %d cores", r->place.host, cores,
                r->place.host_cores);
        break;
    case EG_PLACED_WELL: break;
    }
}

/* The advice for the host of row `first`. members, threads: room for all ranks. */
static void warn_host(row *rows, int n, int first, eg_place *members, int *threads)
{
    int count = 0, rank, cores;

    for (int r = first; r < n; r++) {
        if (strcmp(rows[r].place.host, rows[first].place.host) != 0) continue;
        rows[r].told = true;
        members[count] = rows[r].place;
        threads[count++] = rows[r].threads;
    }
    const eg_advice advice = eg_machine_advice(members, threads, count, &rank, &cores);
    for (int r = first; r < n && advice == EG_TOO_MANY_THREADS; r++) { /* its number in the job */
        if (strcmp(rows[r].place.host, rows[first].place.host) == 0 && rank-- == 0) {
            rank = r;
            break;
        }
    }
    warn_of(advice, &rows[first], rank, count, cores);
}

/* --- the table ------------------------------------------------------------------------------------------------ */

static void print_rows(const row *rows, int n)
{
    char numa[16];
    int  host = 4, cpus = 4;

    for (int r = 0; r < n; r++) {
        const int a = (int)strlen(rows[r].place.host), b = (int)strlen(rows[r].place.cpus);
        host = a > host ? a : host;
        cpus = b > cpus ? b : cpus;
    }
    eg_info("rank  %-*s  %-*s  numa  cores  threads  runs on", host, "host", cpus, "cpus");
    for (int r = 0; r < n && r < MOST_ROWS; r++) {
        snprintf(numa, sizeof numa, rows[r].place.numa < 0 ? "-" : "%d", rows[r].place.numa);
        eg_info("%4d  %-*s  %-*s  %4s  %5d  %7d  %s", r, host, rows[r].place.host, cpus, rows[r].place.cpus, numa,
                rows[r].place.cores, rows[r].threads, rows[r].device);
    }
    if (n > MOST_ROWS) eg_info("      and %d ranks more", n - MOST_ROWS);
}

static eagle_status print_all(row *rows, int n)
{
    eg_place  *members = eg_alloc((size_t)n, sizeof *members);
    int       *threads = eg_alloc((size_t)n, sizeof *threads);
    const bool room = members != NULL && threads != NULL;

    if (room) print_rows(rows, n);
    for (int r = 0; r < n && room; r++)
        if (!rows[r].told) warn_host(rows, n, r, members, threads);
    eg_free(members);
    eg_free(threads);
    return room ? EAGLE_OK : EAGLE_ERR_MEMORY;
}

eagle_status eg_placement_print(eg_job *job)
{
    row         *rows = eg_alloc((size_t)job->ranks, sizeof *rows);
    row          mine = { .place = job->place, .threads = job->ctx->threads };
    eagle_status status = eg_agree(job, EG_CONTROL, rows == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK);

    job->ctx->backend->describe(job->ctx, mine.device, sizeof mine.device);
    if (status == EAGLE_OK) status = eg_gather(job, EG_CONTROL, &mine, sizeof mine, rows);
    if (status == EAGLE_OK && job->rank == 0) status = print_all(rows, job->ranks);
    eg_free(rows);
    return eg_agree(job, EG_CONTROL, status);
}
