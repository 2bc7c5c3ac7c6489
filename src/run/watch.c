/* watch.c - looked at every check.every steps: is every value finite, and does the state still change? The device finds
 * the answer, a few bytes come home, a host function judges. */
#include <math.h>
#include <stdatomic.h>

#include "run/run.h"
#include "run/selection.h"
#include "run/watch_kernels.h"

enum { MOST = 64 }; /* planes that one host function looks at */

typedef struct eg_watch {
    eagle_run   *run;
    int          n_finite, n_changes;
    eagle_plane  finite[MOST], changes[MOST];
    int          field[MOST], part[MOST]; /* of each of `finite` */
    atomic_llong judged;                  /* checks of the state's change */
    atomic_bool  steady;
} eg_watch;

static eagle_status add_plane(eagle_run *run, const char *name, eagle_plane *list, int *n)
{
    if (*n == MOST)
        return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "use fewer fields or components",
                       "there are more than %d components of fields to check", MOST);
    return eagle_value(run, name, &list[(*n)++]);
}

/* Whole numbers cannot go wrong in this way, and constants do not change. */
static bool is_watched(const eg_run_field *f)
{
    return eg_selection_has_statistics(f) && !f->spec->constant && !f->spec->scratch;
}

eagle_status eg_watch_open(eagle_run *run)
{
    eg_watch *w = eg_alloc(1, sizeof *w);

    if (w == NULL) return EAGLE_ERR_MEMORY;
    run->watch = w;
    w->run = run;
    for (int f = 0; f < run->n_fields; f++) {
        if (!is_watched(&run->fields[f])) continue;
        for (int k = 0; k < run->fields[f].components; k++) {
            w->field[w->n_finite] = f;
            w->part[w->n_finite] = k;
            EAGLE_TRY(add_plane(run, "not finite", w->finite, &w->n_finite));
            if (run->fields[f].levels > 1) EAGLE_TRY(add_plane(run, "change", w->changes, &w->n_changes));
        }
    }
    return EAGLE_OK;
}

void eg_watch_close(eagle_run *run)
{
    eg_free(run->watch);
    run->watch = NULL;
}

/* --- values that are not finite ------------------------------------------------------------------------------- */

static int owner_of(const eagle_run *run, const int64_t cell[3])
{
    const eg_cartesian *c = &run->cartesian;
    int                 place[3];

    for (int r = 0; r < run->job->ranks; r++) {
        bool inside = true;
        eg_cartesian_place(c, r, place);
        for (int a = 0; a < 3; a++) {
            int64_t offset, local;
            eg_cartesian_part(run->grid.cells[a], c->ranks[a], place[a], &offset, &local);
            inside = inside && cell[a] >= offset && cell[a] < offset + local;
        }
        if (inside) return r;
    }
    return 0;
}

static eagle_status judge_finite(const eagle_host_call *call, void *state)
{
    const eg_watch   *w = state;
    const eagle_grid *g = &w->run->grid;

    for (int i = 0; i < w->n_finite; i++) {
        const double index = *(const double *)call->data[i];
        if (isinf(index)) continue;
        const int64_t n = (int64_t)index;
        const int64_t cell[3] = { n % g->cells[0], n / g->cells[0] % g->cells[1], n / g->cells[0] / g->cells[1] };
        char          label[EG_LABEL_MAX];
        eg_selection_label(w->run, &w->run->fields[w->field[i]], w->part[i], label);
        return eg_fail(EAGLE_ERR_NUMERICS, EG_NOWHERE, "make time.dt smaller, or look at the input near that cell",
                       "'%s' is not finite in cell (%lld, %lld, %lld), on rank %d, at step %lld", label,
                       (long long)cell[0], (long long)cell[1], (long long)cell[2], owner_of(w->run, cell),
                       (long long)call->now.step);
    }
    return EAGLE_OK;
}

void eg_watch_add_finite(eagle_run *run, eagle_graph *g, eagle_plane_list verdict)
{
    eg_watch *w = run->watch;

    for (int i = 0; i < w->n_finite; i++) {
        const eg_run_field *f = &run->fields[w->field[i]];
        eagle_call(g, eg_not_finite, .u = eg_selection_component(f->planes->now, f->components, w->part[i]),
                   .into = w->finite[i]);
    }
    const eg_task task = { .start = judge_finite, .state = w, .worker = EG_WORKER_HOST };
    eg_add_task(g, "check finite", &task, (eagle_plane_list){ w->n_finite, w->finite }, verdict, EG_NOWHERE);
}

/* --- the steady state ----------------------------------------------------------------------------------------- */

static eagle_status judge_change(const eagle_host_call *call, void *state)
{
    eg_watch *w = state;
    double    most = 0;

    for (int i = 0; i < call->n; i++) most = fmax(most, *(const double *)call->data[i]);
    if (most < w->run->set.until_steady) atomic_store(&w->steady, true);
    atomic_fetch_add(&w->judged, 1);
    return EAGLE_OK;
}

void eg_watch_add_steady(eagle_run *run, eagle_graph *g)
{
    eg_watch *w = run->watch;
    int       n = 0;

    for (int i = 0; i < w->n_finite; i++) {
        const eg_run_field *f = &run->fields[w->field[i]];
        if (f->levels < 2) continue;
        eagle_call(g, eg_change, .u = eg_selection_component(f->planes->now, f->components, w->part[i]),
                   .v = eg_selection_component(f->planes->next, f->components, w->part[i]), .into = w->changes[n++]);
    }
    const eg_task task = { .start = judge_change, .state = w, .worker = EG_WORKER_HOST, .takes_part = true };
    eg_add_task(g, "check steady", &task, (eagle_plane_list){ n, w->changes }, (eagle_plane_list){ 0, NULL },
                EG_NOWHERE);
}

void eg_watch_go_on(eagle_run *run, int64_t step) { atomic_store(&run->watch->judged, step / run->set.check_every); }

bool eg_watch_is_steady(const eagle_run *run, int64_t checks)
{
    eg_patience patience = { 0 };

    while (atomic_load(&run->watch->judged) < checks) eg_pause(run->ctx, &patience);
    return atomic_load(&run->watch->steady);
}
