/* machine.c - reading a machine by hwloc, and sharing its cores among the ranks on it (machine.h).
 *
 * Cores are counted as the whole machine counts them, those that this process may not use too, so that the numbers mean
 * the same in every rank of a host. */
#include "machine/machine.h"

#include <hwloc.h>
#include <math.h>
#include <unistd.h>

/* --- reading -------------------------------------------------------------------------------------------------- */

static eagle_status hwloc_failed(const char *call)
{
    return eg_fail(EAGLE_ERR_ENVIRONMENT, EG_NOWHERE, "run lstopo to see what hwloc says of this machine", "%s failed",
                   call);
}

static eagle_status load(const char *synthetic, hwloc_topology_t topology)
{
    if (synthetic != NULL && hwloc_topology_set_synthetic(topology, synthetic) != 0)
        return hwloc_failed("hwloc_topology_set_synthetic");
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    return hwloc_topology_load(topology) == 0 ? EAGLE_OK : hwloc_failed("hwloc_topology_load");
}

/* The hardware threads of this thread, or those of the list, as far as they are allowed. */
static void find_cpus(hwloc_topology_t topology, bool synthetic, const char *cpus, hwloc_bitmap_t set)
{
    hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(topology);

    hwloc_bitmap_copy(set, allowed);
    if (cpus != NULL) hwloc_bitmap_list_sscanf(set, cpus);
    if (cpus == NULL && !synthetic && hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_THREAD) != 0)
        hwloc_bitmap_copy(set, allowed); /* this system binds nothing */
    hwloc_bitmap_and(set, set, allowed);
}

static int numa_of(hwloc_topology_t topology, hwloc_const_bitmap_t set)
{
    hwloc_obj_t node = NULL;

    while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != NULL)
        if (hwloc_bitmap_isincluded(set, node->cpuset)) return (int)node->os_index;
    return -1;
}

static void find_cores(hwloc_topology_t topology, hwloc_const_bitmap_t set, eg_place *out)
{
    /* some virtual machines show no cores */
    const bool             shown = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
    const hwloc_obj_type_t type = shown ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    hwloc_const_bitmap_t   allowed = hwloc_topology_get_allowed_cpuset(topology);
    hwloc_obj_t            core = NULL;

    while ((core = hwloc_get_next_obj_by_type(topology, type, core)) != NULL) {
        if (core->logical_index >= EG_MACHINE_CORES) break;
        if (hwloc_bitmap_intersects(core->cpuset, allowed)) out->host_cores++;
        if (!hwloc_bitmap_intersects(core->cpuset, set)) continue;
        out->cores++;
        out->core[core->logical_index / 64] |= (uint64_t)1 << (core->logical_index % 64);
    }
}

eagle_status eg_machine_read(const char *synthetic, const char *cpus, eg_place *out)
{
    hwloc_topology_t topology;
    hwloc_bitmap_t   set;
    eagle_status     status;

    *out = (eg_place){ .numa = -1 };
    gethostname(out->host, sizeof out->host - 1);
    if (hwloc_topology_init(&topology) != 0) return hwloc_failed("hwloc_topology_init");
    status = load(synthetic, topology);
    set = hwloc_bitmap_alloc();
    if (status == EAGLE_OK && set == NULL) status = hwloc_failed("hwloc_bitmap_alloc");
    if (status == EAGLE_OK) {
        find_cpus(topology, synthetic != NULL, cpus, set);
        hwloc_bitmap_list_snprintf(out->cpus, sizeof out->cpus, set);
        out->numa = numa_of(topology, set);
        find_cores(topology, set, out);
    }
    hwloc_bitmap_free(set);
    hwloc_topology_destroy(topology);
    return status;
}

/* --- sharing -------------------------------------------------------------------------------------------------- */

static bool has(const eg_place *place, int core) { return (place->core[core / 64] >> (core % 64) & 1) != 0; }

static int users_of(const eg_place *all, int n, int core)
{
    int users = 0;

    for (int r = 0; r < n; r++) users += has(&all[r], core);
    return users;
}

double eg_machine_share(const eg_place *all, int n, int rank)
{
    double share = 0;

    for (int core = 0; core < EG_MACHINE_CORES; core++)
        if (has(&all[rank], core)) share += 1.0 / users_of(all, n, core);
    return share;
}

/* 3 times a third is 1. */
static double a_little_more(double share) { return share + 1e-9; }

int eg_machine_threads(double share)
{
    const int whole = (int)floor(a_little_more(share));
    return whole > 1 ? whole : 1;
}

bool eg_machine_scarce(double share, int threads) { return a_little_more(share) < threads + 1; }

/* --- advice --------------------------------------------------------------------------------------------------- */

eg_advice eg_machine_advice(const eg_place *all, const int *threads, int n, int *rank, int *cores)
{
    bool left_out = true;

    *cores = 0;
    for (int core = 0; core < EG_MACHINE_CORES; core++) *cores += users_of(all, n, core) > 0;
    for (*rank = 0; *rank < n; ++*rank)
        if (a_little_more(eg_machine_share(all, n, *rank)) < 1) return EG_RANKS_SHARE_CORES;
    for (*rank = 0; *rank < n; ++*rank)
        if (threads[*rank] > eg_machine_threads(eg_machine_share(all, n, *rank))) return EG_TOO_MANY_THREADS;
    *rank = 0;
    for (int r = 0; r < n; r++) left_out = left_out && eg_machine_share(all, n, r) < all[r].host_cores / n;
    return left_out && *cores < all[0].host_cores ? EG_CORES_LEFT_OUT : EG_PLACED_WELL;
}
