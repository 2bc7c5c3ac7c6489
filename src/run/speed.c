/* speed.c - how fast the steps were against the memory: the bytes that their kernels must move, and the rate of a copy
 * of one of the fields, measured in the same run when the state is not needed any more. */
#include "run/run.h"

/* Each plane of each call once; what runs in some steps only is left out. */
double eg_speed_bytes(const eagle_run *run)
{
    double bytes = 0;

    for (size_t i = 0; i < run->graph->n_nodes; i++) {
        const eg_node *node = &run->graph->nodes[i];
        if (node->kind != EG_KERNEL || node->scope != 0) continue;
        for (int a = 0; a < node->kernel->n; a++) {
            const eg_access *access = &node->access[a];
            double           cells = 1;
            for (int axis = 0; axis < 3; axis++) cells *= (double)(node->box.hi[axis] - node->box.lo[axis]);
            bytes += cells * (double)eg_type_bytes(access->plane.type) * (access->reads && access->writes ? 2 : 1);
        }
    }
    return bytes;
}

/* Read and written. */
static double bytes_of_copy(const eagle_plane *p)
{
    double bytes = 2 * (double)eg_type_bytes(p->type);

    for (int a = 0; a < p->rank; a++) bytes *= (double)p->n[a];
    return bytes;
}

static double seconds_of(eagle_graph *g, int64_t n)
{
    const double begin = eg_seconds();

    return eagle_launch(g, n) == EAGLE_OK ? (eg_seconds() - begin) / (double)n : 0;
}

/* Bytes per second; 0 if it could not be measured. */
static double copy_rate(eagle_run *run, const eagle_field *field)
{
    const double enough_s = 0.02;
    eagle_graph *g;
    double       once_s, each_s = 0;

    if (eagle_graph_create(run->ctx, "copy", &g) != EAGLE_OK) return 0;
    eagle_copy(g, field->now, .into = field->next);
    (void)seconds_of(g, 1);
    once_s = seconds_of(g, 1);
    if (once_s > 0) each_s = seconds_of(g, once_s > enough_s ? 1 : (int64_t)(enough_s / once_s) + 1);
    eagle_graph_destroy(g);
    return each_s > 0 ? bytes_of_copy(&field->now) / each_s : 0;
}

eagle_status eg_speed_copy(eagle_run *run, double *rate)
{
    const double caches = 64e6; /* bytes: a copy of less says nothing of the memory */

    *rate = 0;
    EAGLE_TRY(eg_barrier(run->job, EG_CONTROL)); /* the ranks of a host share its memory: all copy at once */
    for (int f = 0; f < run->n_fields; f++) {
        if (run->fields[f].levels < 2 || bytes_of_copy(&run->fields[f].planes->now) < caches) continue;
        *rate = copy_rate(run, run->fields[f].planes);
        return EAGLE_OK;
    }
    return EAGLE_OK;
}
