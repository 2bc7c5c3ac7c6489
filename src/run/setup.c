/* setup.c - from the input to the first step, in this order:
 *
 *     input -> engine -> grid and edges -> application's set_up -> fields -> their values -> application's ready
 *           -> dt -> directory, history, outputs, checkpoints -> values of a checkpoint -> graph
 *
 * After each part that can fail on one rank alone all ranks agree, so that none waits for another. */
#include <libgen.h>
#include <math.h>
#include <string.h>

#include "run/checkpoint.h"
#include "run/history.h"
#include "run/initial.h"
#include "run/outputs.h"
#include "run/run.h"

static eagle_status agree(eagle_run *run, eagle_status mine) { return eg_agree(run->job, EG_CONTROL, mine); }

/* --- the input ------------------------------------------------------------------------------------------------ */

/* Rank 0 prints all errors of the input at once; the status only counts them. */
static eagle_status input_status(eagle_run *run, eagle_status status)
{
    if (status == EAGLE_ERR_CONFIG && run->job->rank == 0 && run->config != NULL)
        fputs(eg_config_errors(run->config), stderr);
    return status;
}

static eagle_status read_on_root(eagle_run *run, const eg_config_spec *spec, char **text)
{
    const eg_request_to_run *r = run->request;
    eagle_status             status = eg_config_read(spec, run->input_name, run->input_text, r->n_settings, r->settings,
                                                     &run->config);

    if (run->config == NULL) return status;
    status = input_status(run, status);
    *text = eg_copy_text(eg_config_source(run->config));
    return *text == NULL ? EAGLE_ERR_MEMORY : status;
}

/* Rank 0 reads the file; all others read the text that it sends them. */
static eagle_status read_input(eagle_run *run)
{
    const eg_config_spec spec = eg_run_spec(run);
    char                *text = NULL;
    int64_t              bytes = 0;
    eagle_status         status = run->job->rank == 0 ? read_on_root(run, &spec, &text) : EAGLE_OK;

    status = agree(run, status);
    if (status == EAGLE_OK && text != NULL) bytes = (int64_t)strlen(text) + 1;
    if (status == EAGLE_OK) status = eg_broadcast(run->job, EG_CONTROL, &bytes, sizeof bytes, 0);
    if (status == EAGLE_OK && text == NULL) text = eg_alloc((size_t)bytes, 1);
    if (status == EAGLE_OK) status = agree(run, text == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK);
    if (status == EAGLE_OK) status = eg_broadcast(run->job, EG_CONTROL, text, (size_t)bytes, 0);
    if (status == EAGLE_OK && run->job->rank != 0)
        status = eg_config_read(&spec, run->input_name, text, run->request->n_settings, run->request->settings,
                                &run->config);
    eg_free(text);
    return agree(run, status);
}

static eagle_status find_input_dir(eagle_run *run)
{
    char *name = eg_copy_text(run->input_name);

    if (run->request->name == NULL) {
        eg_free(name);
        run->input_dir = eg_copy_text(run->restart->head.input_dir);
        return run->input_dir == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK;
    }
    if (name == NULL) return EAGLE_ERR_MEMORY;
    run->input_dir = eg_copy_text(dirname(name));
    eg_free(name);
    return run->input_dir == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK;
}

/* --- engine, grid, edges -------------------------------------------------------------------------------------- */

static eagle_status open_engine(eagle_run *run)
{
    const eagle_options to_check = { .backend = "host", .threads = 1 };
    const eagle_options to_run = { .backend = eg_backend_words[run->set.backend],
                                   .threads = (int)run->set.threads,
                                   .transport = eg_transport_words[run->set.transport],
                                   .check_access = run->request->check_access,
                                   .check_tuned = run->request->check_tuned };

    run->real = run->set.precision == 0 ? EAGLE_F64 : EAGLE_F32;
    return eg_context_open(run->request->check_only ? &to_check : &to_run, run->job, &run->ctx);
}

static void check_whole(eagle_run *run, const char *section, const char *key, const double n[3])
{
    for (int a = 0; a < 3; a++) {
        if (n[a] == (double)(int64_t)n[a]) continue;
        eg_config_complain(run->config, section, key, "write whole numbers", "'%s.%s' has %g along %c", section, key,
                           n[a], "xyz"[a]);
    }
}

/* upper | length, from lower. */
static void find_upper(eagle_run *run, int dims, double upper[3])
{
    const eg_settings *s = &run->set;
    const bool         by_upper = !isnan(s->upper[0]), by_length = s->length[0] > 0;

    if (by_upper && by_length)
        eg_config_complain(run->config, "grid", "length", "remove one of them",
                           "grid.upper and grid.length are both set");
    for (int a = 0; a < dims; a++) {
        upper[a] = by_upper ? s->upper[a] : s->lower[a] + (by_length ? s->length[a] : 1);
        if (upper[a] > s->lower[a]) continue;
        eg_config_complain(run->config, "grid", by_upper ? "upper" : "length", "make it larger",
                           "the grid has no extent along %c", "xyz"[a]);
    }
}

static int table_ghosts(const eagle_app *app)
{
    int most = 0;

    for (int f = 0; app->fields != NULL && app->fields[f].name != NULL; f++)
        if (app->fields[f].ghosts > most) most = app->fields[f].ghosts;
    return most;
}

static eagle_status make_grid(eagle_run *run)
{
    const eg_settings *s = &run->set;
    const int          dims = s->cells[2] > 1 ? 3 : 2, ghosts = table_ghosts(run->app);
    const int64_t      cells[3] = { (int64_t)s->cells[0], (int64_t)s->cells[1], (int64_t)s->cells[2] };
    const int64_t      wanted[3] = { (int64_t)s->ranks[0], (int64_t)s->ranks[1], (int64_t)s->ranks[2] };
    const int          ranks = run->request->check_ranks > 0 ? run->request->check_ranks : run->job->ranks;
    bool               periodic[3];
    double             upper[3] = { 1, 1, 1 };

    check_whole(run, "grid", "cells", s->cells);
    check_whole(run, "run", "ranks", s->ranks);
    eg_timing_check(run);
    find_upper(run, dims, upper);
    EAGLE_TRY(eg_edges_read(run, periodic));
    EAGLE_TRY(eg_config_status(run->config));
    EAGLE_TRY(eg_cartesian_choose(ranks, dims, cells, periodic, wanted, ghosts, &run->cartesian));
    eg_cartesian_grid(&run->cartesian, run->job->rank, s->lower, upper, ghosts, &run->grid);
    eg_grid_pitch(&run->grid);
    return eg_halo_open(run->job, &run->cartesian, &run->grid, eg_edges_of, run, &run->halo);
}

const eagle_grid *eagle_run_grid(const eagle_run *run) { return &run->grid; }
eagle_ctx        *eagle_run_context(const eagle_run *run) { return run->ctx; }
const char       *eagle_run_input_dir(const eagle_run *run) { return run->input_dir; }

static eagle_status new_value(eagle_run *run, const char *name, eagle_place place, eagle_plane *out)
{
    const eagle_shape one = { 1, { 1 } };
    eagle_plane      *values = eg_grow(run->values, &run->room_values, run->n_values + 1, sizeof *values);

    if (values == NULL) return EAGLE_ERR_MEMORY;
    run->values = values;
    EAGLE_TRY(eg_storage_create(run->ctx, name, EAGLE_F64, place, one, 1, out));
    values[run->n_values++] = *out;
    return EAGLE_OK;
}

eagle_clock eagle_run_clock(const eagle_run *run) { return (eagle_clock){ run->step, run->t_s, run->dt_s }; }

/* Carried over by checkpoints, for a step may write it only now and then. */
eagle_status eagle_dt_plane(eagle_run *run, eagle_plane *out)
{
    run->varies = true;
    return new_value(run, "dt", EAGLE_DEVICE, out);
}

eagle_status eagle_value(eagle_run *run, const char *name, eagle_plane *out)
{
    return new_value(run, name, EAGLE_PINNED, out);
}

/* --- everything that the input says, looked at before anything is made ---------------------------------------- */

static eagle_status check_rest_of_input(eagle_run *run)
{
    if (eg_constants_read(run->config, &run->constants) == EAGLE_ERR_MEMORY) return EAGLE_ERR_MEMORY;
    EAGLE_TRY(run->app->set_up == NULL ? EAGLE_OK : run->app->set_up(run, run->state));
    EAGLE_TRY(eg_fields_list(run));
    (void)eg_initial_check(run); /* each complains in the config; the status is taken below */
    (void)eg_outputs_check(run);
    (void)eg_history_check(run);
    if (eg_restart_check(run) == EAGLE_ERR_IO) return EAGLE_ERR_IO;
    eg_config_check_read(run->config);
    return eg_config_status(run->config);
}

/* --- graphs --------------------------------------------------------------------------------------------------- */

int64_t eagle_check_every(const eagle_graph *g) { return g->check_every; }
double  eagle_step_dt(const eagle_graph *g) { return g->dt; }

static eagle_status new_graph(eagle_run *run, const char *name, eagle_graph **out)
{
    EAGLE_TRY(eagle_graph_create(run->ctx, name, out));
    (*out)->grid = &run->grid;
    (*out)->dt = run->dt_s;
    (*out)->check_every = run->set.check_every;
    (*out)->dt_part = run->set.cfl;
    (*out)->dt_most = run->set.dt_s > 0 ? run->set.dt_s : 0;
    return eagle_clock_set(*out, eagle_run_clock(run));
}

static bool pace_refused(const eagle_run *run, eagle_graph *g)
{
    if (g->error.status != EAGLE_OK || run->varies == (g->next_dt.storage != NULL)) return false;
    return eg_refuse(g, EG_NOWHERE, "make its plane with eagle_dt_plane in set_up, and call eagle_set_dt in every step",
                     run->varies ? "eagle_dt_plane was called, but the step does not call eagle_set_dt"
                                 : "the step calls eagle_set_dt, but eagle_dt_plane was not called");
}

/* What looks at the state at the start of a step stands before the step: its copies run while the step does. */
static void add_outputs(eagle_run *run, eagle_graph *g)
{
    if (run->outputs != NULL) eg_outputs_add_snapshots(run->outputs, g);
    if (run->history != NULL) eg_history_add(run->history, g);
    if (run->checkpoints != NULL) eg_checkpoints_add_snapshots(run->checkpoints, g);
    if (run->outputs != NULL) eg_outputs_add_writes(run->outputs, g);
    if (run->checkpoints != NULL) eg_checkpoints_add_writes(run->checkpoints, g);
}

static eagle_status build_step(eagle_run *run)
{
    eagle_graph *g;

    EAGLE_TRY(new_graph(run, "step", &run->graph));
    g = run->graph;
    add_outputs(run, g);
    EAGLE_EVERY(g, run->set.check_every) eg_watch_add_finite(run, g, (eagle_plane_list){ 0, NULL });
    run->app->step(g, run->state);
    if (run->set.until_steady >= 0)
        EAGLE_EVERY(g, run->set.check_every, .at = run->set.check_every - 1) eg_watch_add_steady(run, g);
    (void)pace_refused(run, g);
    return eagle_prepare(g);
}

static eagle_status build_last(eagle_run *run)
{
    EAGLE_TRY(new_graph(run, "last output", &run->last));
    add_outputs(run, run->last);
    eg_watch_add_finite(run, run->last, (eagle_plane_list){ 0, NULL });
    return eagle_prepare(run->last);
}

static eagle_status open_files(eagle_run *run)
{
    if (run->request->quiet) return EAGLE_OK;
    EAGLE_TRY(eg_rundir_make(run));
    EAGLE_TRY(eg_history_open(run, &run->history));
    run->ctx->hooks.record = eg_history_record;
    run->ctx->hooks.record_state = run->history;
    return eg_outputs_open(run, &run->outputs);
}

/* After all values were made, so that it has them all. */
static eagle_status open_checkpoints(eagle_run *run)
{
    if (run->request->quiet) return EAGLE_OK;
    EAGLE_TRY(eg_checkpoints_open(run, &run->checkpoints));
    if (run->restart == NULL) return EAGLE_OK;
    eg_watch_go_on(run, run->step);
    return agree(run, eg_checkpoints_restore(run->checkpoints));
}

/* --- all of it ------------------------------------------------------------------------------------------------ */

static eagle_status ready(eagle_run *run)
{
    EAGLE_TRY(agree(run, run->app->ready == NULL ? EAGLE_OK : run->app->ready(run, run->state)));
    return agree(run, eg_timing_settle(run));
}

static eagle_status open_run(eagle_run *run)
{
    run->input_name = run->request->name;
    run->input_text = run->request->text;
    if (!run->request->quiet) {
        EAGLE_TRY(agree(run, eg_rundir_name(run)));
        EAGLE_TRY(eg_restart_find(run));
    }
    EAGLE_TRY(read_input(run));
    EAGLE_TRY(agree(run, find_input_dir(run)));
    EAGLE_TRY(open_engine(run));
    EAGLE_TRY(agree(run, input_status(run, make_grid(run))));
    EAGLE_TRY(agree(run, input_status(run, check_rest_of_input(run))));
    if (run->request->check_only) return EAGLE_OK;
    EAGLE_TRY(agree(run, eg_fields_make(run)));
    EAGLE_TRY(agree(run, input_status(run, eg_initial_fill(run))));
    EAGLE_TRY(ready(run));
    EAGLE_TRY(agree(run, eg_restart_load(run)));
    EAGLE_TRY(open_files(run));
    EAGLE_TRY(agree(run, eg_watch_open(run)));
    EAGLE_TRY(open_checkpoints(run));
    EAGLE_TRY(agree(run, build_step(run)));
    return agree(run, build_last(run));
}

eagle_status eg_run_open(eg_job *job, const eagle_app *app, const eg_request_to_run *request, eagle_run *run)
{
    const double begin = eg_seconds();

    *run = (eagle_run){ .app = app, .request = request, .job = job };
    run->state = eg_alloc(1, app->state_size);
    EAGLE_TRY(eg_agree(job, EG_CONTROL, run->state == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK));
    const eagle_status status = open_run(run);
    run->seconds[EG_SET_UP] = eg_seconds() - begin;
    return status;
}

eagle_status eg_run_close(eagle_run *run)
{
    eagle_status status = EAGLE_OK, other;

    eagle_graph_destroy(run->graph);
    eagle_graph_destroy(run->last);
    if (run->outputs != NULL) status = eg_outputs_close(run->outputs);
    other = eg_checkpoints_close(run->checkpoints);
    if (status == EAGLE_OK) status = other;
    if (run->history != NULL) {
        other = eg_history_close(run->history);
        if (status == EAGLE_OK) status = other;
    }
    if (run->state != NULL && run->app->clean_up != NULL) run->app->clean_up(run->state);
    eg_halo_close(run->halo);
    eg_watch_close(run);
    eg_ctx_close(run->ctx);
    run->job->ctx = NULL;
    run->job->sum_order = (eagle_plane){ 0 }; /* its memory went with the context */
    eg_constants_free(&run->constants);
    eg_free(run->fields);
    eg_free(run->edges);
    eg_free(run->expectations);
    eg_config_free(run->config);
    eg_free(run->state);
    eg_free(run->directory);
    eg_free(run->input_dir);
    eg_free(run->values);
    eg_free(run->snapshots);
    eg_restart_free(run);
    return status;
}
