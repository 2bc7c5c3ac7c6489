/* report.c - what a run says of itself: at its start, at its end, and in report.json. */
#include <math.h>
#include <string.h>

#include "run/checkpoint.h"
#include "run/outputs.h"
#include "run/run.h"
#include "run/snapshot.h"

static const char *const phase_names[EG_RUN_PHASES] = { "set-up",         "steps",       "held by output",
                                                        "writing frames", "last output", "verification" };

/* --- expectations --------------------------------------------------------------------------------------------- */

void eagle_expect(eagle_run *run, const char *what, double got, double expected, double tolerance)
{
    size_t          room = (size_t)run->room_expectations;
    eg_expectation *rows = eg_grow(run->expectations, &room, (size_t)run->n_expectations + 1, sizeof *rows);

    if (rows == NULL) return;
    run->expectations = rows;
    run->room_expectations = (int)room;
    eg_expectation *row = &rows[run->n_expectations++];
    *row = (eg_expectation){ .got = got, .expected = expected, .tolerance = tolerance };
    snprintf(row->what, sizeof row->what, "%s", what);
}

bool eg_report_passed(const eg_expectation *e) { return fabs(e->got - e->expected) <= e->tolerance; }

static bool all_passed(const eagle_run *run)
{
    bool passed = true;

    for (int i = 0; i < run->n_expectations; i++) passed = passed && eg_report_passed(&run->expectations[i]);
    return passed;
}

/* --- the start ------------------------------------------------------------------------------------------------ */

static void say_grid(const eagle_run *run)
{
    const eg_cartesian *c = &run->cartesian;
    const int64_t      *n = run->grid.cells;

    if (c->dims == 2)
        eg_info("grid: %lld x %lld cells, %d x %d ranks", (long long)n[0], (long long)n[1], c->ranks[0], c->ranks[1]);
    else
        eg_info("grid: %lld x %lld x %lld cells, %d x %d x %d ranks", (long long)n[0], (long long)n[1], (long long)n[2],
                c->ranks[0], c->ranks[1], c->ranks[2]);
}

void eg_report_start(const eagle_run *run)
{
    char device[256];

    run->ctx->backend->describe(run->ctx, device, sizeof device);
    eg_info("%s %s: %s", run->app->name, EAGLE_VERSION, run->app->about);
    eg_info("backend: %s (%s) on each of %d rank%s", run->ctx->backend->name, device, run->job->ranks,
            run->job->ranks == 1 ? "" : "s");
    say_grid(run);
    if (run->limit_s > 0)
        eg_info("dt: %.6g s, %.3g of the largest stable step (%s)", run->dt_s, run->dt_s / run->limit_s,
                run->limit_why != NULL ? run->limit_why : "of another rank");
    else
        eg_info("dt: %.6g s", run->dt_s);
    if (run->varies)
        eg_info("dt varies from step to step: %.3g of the largest stable one", run->set.cfl);
    else if (run->steps >= 0)
        eg_info("steps: %lld, to t = %.6g s", (long long)run->steps, (double)run->steps * run->dt_s);
    if (run->directory != NULL) eg_info("run directory: %s", run->directory);
    if (run->restart != NULL) eg_info("restarted at step %lld from %s", (long long)run->step, run->restart->path);
}

void eg_report_check(const eagle_run *run)
{
    eg_info("%s: the input is right", run->input_name);
    say_grid(run);
    for (int r = 0; r < run->cartesian.ranks[0] * run->cartesian.ranks[1] * run->cartesian.ranks[2] && r < 64; r++) {
        int     place[3];
        int64_t offset[3], local[3];
        eg_cartesian_place(&run->cartesian, r, place);
        for (int a = 0; a < 3; a++)
            eg_cartesian_part(run->grid.cells[a], run->cartesian.ranks[a], place[a], &offset[a], &local[a]);
        eg_info("rank %d: cells from (%lld, %lld, %lld), %lld x %lld x %lld", r, (long long)offset[0],
                (long long)offset[1], (long long)offset[2], (long long)local[0], (long long)local[1],
                (long long)local[2]);
    }
    eg_info("memory of fields: %.4g MB a rank, at most", (double)eg_fields_bytes(run) / 1e6);
}

/* --- the end -------------------------------------------------------------------------------------------------- */

typedef struct spread {
    double least, mean, most;
} spread;

/* Of each phase over the ranks. Collective. */
static eagle_status spread_of_phases(eagle_run *run, spread out[EG_RUN_PHASES])
{
    const int    ranks = run->job->ranks;
    double      *all = eg_alloc((size_t)ranks * EG_RUN_PHASES, sizeof *all);
    eagle_status status = all == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK;

    status = eg_agree(run->job, EG_CONTROL, status);
    if (status == EAGLE_OK) status = eg_allgather(run->job, EG_CONTROL, run->seconds, sizeof run->seconds, all);
    for (int p = 0; p < EG_RUN_PHASES && status == EAGLE_OK; p++) {
        out[p] = (spread){ all[p], 0, all[p] };
        for (int r = 0; r < ranks; r++) {
            const double s = all[r * EG_RUN_PHASES + p];
            out[p].least = fmin(out[p].least, s);
            out[p].most = fmax(out[p].most, s);
            out[p].mean += s / ranks;
        }
    }
    eg_free(all);
    return status;
}

typedef struct figures {
    spread  phases[EG_RUN_PHASES];
    double  cells, updates, gigabytes, copied; /* per second; the last two of this rank: kernels, and a copy */
    int64_t frame_bytes, frames;
    double  frame_s;
    int64_t snapshots[2]; /* of the rank that has most: bytes, and parts of fields without one */
} figures;

/* Collective. */
static eagle_status most_snapshots(eagle_run *run, int64_t most[2])
{
    int64_t      mine[2], *all = eg_alloc((size_t)run->job->ranks, sizeof mine);
    eagle_status status = eg_agree(run->job, EG_CONTROL, all == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK);

    eg_snapshot_figures(run, &mine[0], &mine[1]);
    if (status == EAGLE_OK) status = eg_allgather(run->job, EG_CONTROL, mine, sizeof mine, all);
    for (int i = 0; i < 2 * run->job->ranks && status == EAGLE_OK; i++)
        if (all[i] > most[i % 2]) most[i % 2] = all[i];
    eg_free(all);
    return status;
}

static eagle_status gather_figures(eagle_run *run, eagle_status status, figures *f)
{
    *f = (figures){ .cells = 1 };
    for (int a = 0; a < 3; a++) f->cells *= (double)run->grid.cells[a];
    f->updates = f->cells * run->rate;
    f->gigabytes = eg_speed_bytes(run) * run->rate / 1e9;
    if (status == EAGLE_OK && !run->request->quiet) EAGLE_TRY(eg_speed_copy(run, &f->copied));
    f->copied /= 1e9;
    if (run->outputs != NULL) eg_outputs_figures(run->outputs, &f->frame_bytes, &f->frame_s, &f->frames);
    run->seconds[EG_WRITING] = f->frame_s;
    run->seconds[EG_HELD] = run->graph->replay->held_s;
    EAGLE_TRY(most_snapshots(run, f->snapshots));
    return spread_of_phases(run, f->phases);
}

static void print_expectations(const eagle_run *run)
{
    for (int i = 0; i < run->n_expectations; i++) {
        const eg_expectation *e = &run->expectations[i];
        eg_info("%s  %s: %.6g, expected %.6g within %.2g", eg_report_passed(e) ? "PASSED" : "FAILED", e->what, e->got,
                e->expected, e->tolerance);
    }
}

static void print_end(const eagle_run *run, const figures *f)
{
    eg_info("%s after %lld steps, t = %.6g s", run->why, (long long)run->step, run->t_s);
    eg_info("%-14s %10s %10s %10s", "phase [s]", "least", "mean", "most");
    for (int p = 0; p < EG_RUN_PHASES; p++)
        eg_info("%-14s %10.3f %10.3f %10.3f", phase_names[p], f->phases[p].least, f->phases[p].mean, f->phases[p].most);
    if (run->rate > 0) eg_info("%.4g cell updates per second (warm-up left out)", f->updates);
    if (run->rate > 0 && f->copied > 0)
        eg_info("%.4g GB/s a rank, %.0f %% of a copy of its field", f->gigabytes, 100 * f->gigabytes / f->copied);
    if (f->frames > 0)
        eg_info("%lld frames, %.4g MB, written at %.3g GB/s beside the steps, which waited %.3f s for them",
                (long long)f->frames, (double)f->frame_bytes / 1e6,
                f->frame_s > 0 ? (double)f->frame_bytes / f->frame_s / 1e9 : 0, f->phases[EG_HELD].most);
    if (f->snapshots[1] > 0)
        eg_info(
            "no device memory for snapshots of %lld parts of fields: steps waited while those were copied to the host",
            (long long)f->snapshots[1]);
    print_expectations(run);
    if (run->n_expectations > 0) eg_info("verification: %s", all_passed(run) ? "PASSED" : "FAILED");
}

/* A string of JSON. */
static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        if ((unsigned char)*text >= ' ') fputc(*text, out);
    }
    fputc('"', out);
}

/* JSON has no nan. */
static void put_number(FILE *out, const char *name, double value)
{
    fprintf(out, isfinite(value) ? "\"%s\": %.17g, " : "\"%s\": null, ", name, value);
}

static void write_expectations(const eagle_run *run, FILE *out)
{
    fprintf(out, "  \"verification\": [");
    for (int i = 0; i < run->n_expectations; i++) {
        const eg_expectation *e = &run->expectations[i];
        fprintf(out, "%s\n    {\"what\": ", i > 0 ? "," : "");
        put_text(out, e->what);
        fprintf(out, ", ");
        put_number(out, "got", e->got);
        put_number(out, "expected", e->expected);
        put_number(out, "tolerance", e->tolerance);
        fprintf(out, "\"passed\": %s}", eg_report_passed(e) ? "true" : "false");
    }
    fprintf(out, "%s]\n", run->n_expectations > 0 ? "\n  " : "");
}

/* error: of a run that failed; NULL: none. */
static void write_json(const eagle_run *run, const figures *f, const eagle_error *error, FILE *out)
{
    fprintf(out, "{\n  \"program\": ");
    put_text(out, run->app->name);
    fprintf(out, ",\n  \"version\": \"%s\",\n  \"backend\": \"%s\",\n  \"ranks\": %d,\n  \"threads\": %d,\n",
            EAGLE_VERSION, run->ctx->backend->name, run->job->ranks, run->ctx->threads);
    fprintf(out, "  \"status\": %d,\n  \"why\": ", eagle_status_exit(error != NULL ? error->status : EAGLE_OK));
    put_text(out, run->why != NULL ? run->why : "it did not start");
    if (error != NULL) {
        fprintf(out, ",\n  \"error\": ");
        put_text(out, error->what);
    }
    fprintf(out, ",\n  \"steps\": %lld,\n  \"t_s\": %.17g,\n  \"dt_s\": %.17g,\n  \"cells\": %.0f,\n",
            (long long)run->step, run->t_s, run->dt_s, f->cells);
    fprintf(out, "  \"updates_per_second\": %.6g,\n  \"gigabytes_per_second\": %.6g,\n", f->updates, f->gigabytes);
    fprintf(out, "  \"copy_gigabytes_per_second\": %.6g,\n", f->copied);
    fprintf(out, "  \"frames\": %lld,\n  \"frame_bytes\": %lld,\n  \"frame_seconds\": %.6g,\n", (long long)f->frames,
            (long long)f->frame_bytes, f->frame_s);
    fprintf(out, "  \"snapshot_bytes\": %lld,\n  \"snapshots_missing\": %lld,\n", (long long)f->snapshots[0],
            (long long)f->snapshots[1]);
    fprintf(out, "  \"phases_s\": {");
    for (int p = 0; p < EG_RUN_PHASES; p++)
        fprintf(out, "%s\n    \"%s\": {\"least\": %.6f, \"mean\": %.6f, \"most\": %.6f}", p > 0 ? "," : "",
                phase_names[p], f->phases[p].least, f->phases[p].mean, f->phases[p].most);
    fprintf(out, "\n  },\n");
    write_expectations(run, out);
    fprintf(out, "}\n");
}

static eagle_status write_report(const eagle_run *run, const figures *f, const eagle_error *error)
{
    char *path = eg_format_text("%s/report.json", run->directory);
    FILE *out = path == NULL ? NULL : fopen(path, "w");
    bool  bad = out == NULL;

    if (out != NULL) {
        write_json(run, f, error, out);
        bad = ferror(out) != 0;
        bad = fclose(out) != 0 || bad;
    }
    eg_free(path);
    if (!bad) return EAGLE_OK;
    return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "make room, or give another directory: --run-dir DIR",
                   "'%s/report.json' could not be written", run->directory);
}

eagle_status eg_report_end(eagle_run *run, eagle_status status)
{
    eagle_error  error;
    figures      f;
    eagle_status written = EAGLE_OK;

    if (status == EAGLE_OK && !all_passed(run))
        status = eg_fail(EAGLE_ERR_NUMERICS, EG_NOWHERE, "look at the rows that say FAILED", "the verification failed");
    status = eg_agree(run->job, EG_CONTROL, status);
    error = *eagle_last_error();
    EAGLE_TRY(gather_figures(run, status, &f));
    if (run->job->rank == 0) {
        if (!run->request->quiet) print_end(run, &f);
        if (run->directory != NULL) written = write_report(run, &f, status != EAGLE_OK ? &error : NULL);
    }
    written = eg_agree(run->job, EG_CONTROL, written);
    return status != EAGLE_OK ? eg_fail_again(&error) : written;
}
