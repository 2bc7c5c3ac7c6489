/* frames.c - what do frames cost the steps beside which they are written?
 *
 * The step of subject.c with an output of its field, made as the driver makes it. How long a frame takes to be written
 * and how long a step takes is measured first; intervals are chosen so that writing takes a part of the time between two
 * frames. For each, steps without and with frames are timed in turn, several times, and the medians count. The first
 * frames of a turn fill the buffers and are not timed, so that a disk that is too slow is seen. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "run/outputs.h"
#include "run/sections.h"
#include "run/snapshot.h"

enum { TURNS = 5, WARM = 2, TIMED = 4, PATH = 4096 };

static const int64_t cells_of[2][3] = { { 8192, 8192, 1 }, { 2048, 2048, 1 } }; /* full, small */
static const double  loads[] = { 0.25, 0.5, 1, 2 };

static const eagle_app        app = { .name = "eagle-bench" };
static const eagle_field_spec T_spec = { .name = "T", .unit = "K", .ghosts = 1 };

typedef struct subject {
    bench_subject step;
    eg_run_field  field;
    eagle_run     run;
    eg_outputs   *outputs;
    eagle_graph  *g;
    int64_t       steps;
    char          directory[PATH];
} subject;

/* --- the run --------------------------------------------------------------------------------------------------- */

static eagle_status make_directory(const char *below, subject *s)
{
    snprintf(s->directory, sizeof s->directory, "%s/eagle-bench-XXXXXX", below);
    if (mkdtemp(s->directory) != NULL) return EAGLE_OK;
    const int code = errno;
    s->directory[0] = '\0';
    return eagle_fail(EAGLE_ERR_IO, "give --dir a folder that can be written to",
                      "no folder can be made in '%s': %s", below, strerror(code));
}

static void remove_frames(const subject *s)
{
    char           path[PATH + 300];
    DIR           *folder;
    struct dirent *e;

    snprintf(path, sizeof path, "%s/frames", s->directory);
    folder = opendir(path);
    if (folder == NULL) return;
    while ((e = readdir(folder)) != NULL) {
        snprintf(path, sizeof path, "%s/frames/%s", s->directory, e->d_name);
        (void)unlink(path);
    }
    closedir(folder);
}

static void remove_directory(const subject *s)
{
    char path[PATH + 300];

    if (s->directory[0] == '\0') return;
    remove_frames(s);
    snprintf(path, sizeof path, "%s/frames", s->directory);
    (void)rmdir(path);
    (void)rmdir(s->directory);
}

static eagle_status make_run(eagle_ctx *ctx, subject *s)
{
    const eg_config_spec spec = { .program = app.name, .free_sections = eg_free_sections, .free_help = eg_free_help };

    s->field = (eg_run_field){ .spec = &T_spec, .planes = &s->step.T, .type = EAGLE_F64, .components = 1,
                               .levels = 2 };
    s->run = (eagle_run){ .app = &app, .ctx = ctx, .job = eg_job_of(ctx), .directory = s->directory, .real = EAGLE_F64,
                          .cartesian = s->step.cartesian, .grid = s->step.grid, .fields = &s->field, .n_fields = 1,
                          .dt_s = s->step.dt_s };
    return eg_config_read(&spec, "eagle-bench", "[output]\nevery = 1\n", 0, NULL, &s->run.config);
}

static eagle_status open_subject(eagle_ctx *ctx, const bench_options *o, subject *s)
{
    EAGLE_TRY(bench_subject_open(ctx, 2, EAGLE_F64, cells_of[o->small], &s->step));
    EAGLE_TRY(make_directory(o->directory, s));
    EAGLE_TRY(make_run(ctx, s));
    EAGLE_TRY(eg_outputs_open(&s->run, &s->outputs));
    EAGLE_TRY(eagle_graph_create(ctx, "steps with frames", &s->g));
    EAGLE_TRY(eagle_clock_set(s->g, (eagle_clock){ 0, 0, s->step.dt_s }));
    eg_outputs_add_snapshots(s->outputs, s->g);
    eg_outputs_add_writes(s->outputs, s->g);
    bench_subject_step(&s->step, s->g);
    return eagle_prepare(s->g);
}

static eagle_status close_subject(subject *s)
{
    eagle_graph_destroy(s->g);
    const eagle_status status = eg_outputs_close(s->outputs);
    if (s->step.halo != NULL) eg_halo_close(s->step.halo);
    if (s->run.config != NULL) eg_config_free(s->run.config);
    eg_free(s->run.snapshots);
    remove_directory(s);
    return status;
}

/* --- timing ---------------------------------------------------------------------------------------------------- */

/* n times `interval` steps, each time with a frame of the last one or without; waits for the steps, not for frames. */
static eagle_status run_steps(subject *s, int n, int64_t interval, bool frames)
{
    eg_patience patience = { 0 };

    for (int i = 0; i < n; i++) {
        s->steps += interval;
        if (frames) (void)eg_outputs_raise(s->outputs, s->g, s->steps - 1, s->step.dt_s);
        EAGLE_TRY(eagle_enqueue(s->g, interval));
    }
    while (eg_progress(s->g) < s->steps && eg_replay_error(s->g) == EAGLE_OK) eg_pause(s->step.ctx, &patience);
    return eg_replay_error(s->g);
}

typedef struct turn {
    double without_s, with_s, held_s; /* a step; held: of with_s */
} turn;

static eagle_status time_turn(subject *s, int64_t interval, turn *t)
{
    const int64_t steps = TIMED * interval;
    double        begin, held;

    EAGLE_TRY(run_steps(s, 1, interval, false));
    begin = eg_seconds();
    EAGLE_TRY(run_steps(s, TIMED, interval, false));
    t->without_s = (eg_seconds() - begin) / (double)steps;
    EAGLE_TRY(run_steps(s, WARM, interval, true));
    held = s->g->replay->held_s;
    begin = eg_seconds();
    EAGLE_TRY(run_steps(s, TIMED, interval, true));
    t->with_s = (eg_seconds() - begin) / (double)steps;
    t->held_s = (s->g->replay->held_s - held) / (double)steps;
    EAGLE_TRY(eagle_synchronize(s->g));
    remove_frames(s);
    return EAGLE_OK;
}

/* Seconds of one frame on its way to the disk, and of one step. */
static eagle_status measure_alone(subject *s, double *frame_s, double *step_s)
{
    enum { FRAMES = 3 };
    int64_t bytes, frames, n = 1;
    double  begin, warm_s, seconds, took_s = 0;

    EAGLE_TRY(run_steps(s, 1, 1, true));
    EAGLE_TRY(eagle_synchronize(s->g));
    eg_outputs_figures(s->outputs, &bytes, &warm_s, &frames);
    for (int i = 0; i < FRAMES; i++) {
        EAGLE_TRY(run_steps(s, 1, 1, true));
        EAGLE_TRY(eagle_synchronize(s->g));
    }
    eg_outputs_figures(s->outputs, &bytes, &seconds, &frames);
    *frame_s = (seconds - warm_s) / FRAMES;
    for (; took_s < 0.1; n *= 2) {
        begin = eg_seconds();
        EAGLE_TRY(run_steps(s, 1, n, false));
        took_s = eg_seconds() - begin;
        *step_s = took_s / (double)n;
    }
    remove_frames(s);
    return EAGLE_OK;
}

/* --- rows ------------------------------------------------------------------------------------------------------ */

typedef struct result {
    int64_t interval;
    double  load, without_s, with_s, held_s, disk; /* medians, a step; disk: bytes per second while writing */
} result;

/* On the host the writer takes cores from the steps, and a disk that is too slow holds any. */
static double asked_of(const eagle_ctx *ctx, double load)
{
    return ctx->backend->has_device && load <= 0.5 ? 0.95 : 0;
}

static void print_row(const bench_options *o, const result *r, double asked, int *missed)
{
    const double ratio = r->without_s / r->with_s;

    printf("%8lld %6.2f %12.4g %12.4g %10.1f %9.2f %8.1f %8.3f", (long long)r->interval, r->load, r->without_s * 1e3,
           r->with_s * 1e3, 100 * (r->with_s / r->without_s - 1), r->disk / 1e9, 100 * r->held_s / r->with_s, ratio);
    if (asked > 0) printf(" %6.2f  %s", asked, ratio >= asked ? "met" : "missed");
    printf("\n");
    fflush(stdout);
    *missed += ratio < asked;
    if (o->json == NULL) return;
    fprintf(o->json, "{\"row\": \"frames load %g\", \"interval\": %lld, \"step_s\": %.6g, \"step_with_frames_s\": %.6g, "
                     "\"held_s\": %.6g, \"disk_gb_s\": %.4g, \"ratio\": %.4g, \"asked\": %.2f}\n",
            r->load, (long long)r->interval, r->without_s, r->with_s, r->held_s, r->disk / 1e9, ratio, asked);
}

static eagle_status measure_row(subject *s, result *r)
{
    double  without[TURNS], with[TURNS], held[TURNS], before_s, after_s;
    int64_t before, after, frames;

    eg_outputs_figures(s->outputs, &before, &before_s, &frames);
    for (int t = 0; t < TURNS; t++) {
        turn one;
        EAGLE_TRY(time_turn(s, r->interval, &one));
        without[t] = one.without_s;
        with[t] = one.with_s;
        held[t] = one.held_s;
    }
    eg_outputs_figures(s->outputs, &after, &after_s, &frames);
    r->without_s = bench_median(without, TURNS);
    r->with_s = bench_median(with, TURNS);
    r->held_s = bench_median(held, TURNS);
    r->disk = (double)(after - before) / (after_s - before_s);
    return EAGLE_OK;
}

static void print_head(const subject *s, const bench_options *o, double frame_s, double step_s)
{
    const int64_t *n = cells_of[o->small];
    const double   bytes = (double)n[0] * (double)n[1] * 8;
    int64_t        snapshots, missing;

    eg_snapshot_figures(&s->run, &snapshots, &missing);
    printf("%lld x %lld cells, f64: a frame of %.4g MB takes %.4g ms to be written, a step %.4g ms%s\n",
           (long long)n[0], (long long)n[1], bytes / 1e6, frame_s * 1e3, step_s * 1e3,
           missing > 0 ? "; no memory for a snapshot" : "");
    printf("load: part of the time between two frames that writing one takes\n"
           "held: part of the time in which steps waited for a buffer\n");
    printf("%8s %6s %12s %12s %10s %9s %8s %8s %6s\n", "interval", "load", "without ms", "with ms", "slowdown %",
           "disk GB/s", "held %", "ratio", "asked");
}

static eagle_status bench_rows(eagle_ctx *ctx, const bench_options *o, subject *s, int *missed)
{
    double frame_s = 0, step_s = 0;

    EAGLE_TRY(open_subject(ctx, o, s));
    EAGLE_TRY(measure_alone(s, &frame_s, &step_s));
    print_head(s, o, frame_s, step_s);
    for (int i = 0; i < EG_COUNT(loads); i++) {
        result r = { .load = loads[i], .interval = (int64_t)ceil(frame_s / step_s / loads[i]) };
        EAGLE_TRY(measure_row(s, &r));
        print_row(o, &r, asked_of(ctx, loads[i]), missed);
    }
    return EAGLE_OK;
}

eagle_status bench_frames(eagle_ctx *ctx, const bench_options *o, int *missed)
{
    subject     *s = eg_alloc(1, sizeof *s); /* until the end: fields and graphs refer to it */
    char         device[256];
    eagle_status status, closed;

    if (s == NULL) return EAGLE_ERR_MEMORY;
    ctx->backend->describe(ctx, device, sizeof device);
    printf("frames beside steps of heat, explicit Euler, on %s (%s), to '%s'\n", ctx->backend->name, device,
           o->directory);
    status = bench_rows(ctx, o, s, missed);
    closed = close_subject(s);
    return status != EAGLE_OK ? status : closed;
}
