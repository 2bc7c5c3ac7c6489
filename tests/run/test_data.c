/* The data of a run, on any number of ranks: initial values, statistics, probes, recorded columns, rows and frames on
 * the steps on which they are due. What rank counts must not change is compared with literal text. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "data_kernels.h"
#include "run/frames.h"
#include "run/history.h"
#include "run/initial.h"
#include "run/outputs.h"
#include "run/sections.h"

enum { FIELDS = 3, STEPS = 6 };
static const double dt_s = 0.1;

static const char input[] = "[constants]\nT0 = 300\n"
                            "[initial]\nT = T0 + 40*x + 0*y\nv = 1\nv_y = y\nk = x > 0.5 ? 7 : 2\n"
                            "[history]\nfields = T v.max\nevery = 2\n"
                            "[probe.mid]\nat = 600 mm 0.5\n"
                            "[output]\nevery = 4\n"
                            "[output.part]\ninterval = 0.25\nfields = T_copy T_marked v k\nregion = 0.25 0 1 0.7\nstride = 2\n"
                            "[output.slice]\nevery = 5\nfields = T\nregion = 0.5 0 0.5 1\n";

static const char expected[] =
    "#step time[s] T_min[K] T_max[K] T_mean[K] T_sum[K] T_rms[K] v_x_max[m.s] v_y_max[m.s] mid_T[K] mid_v_x[m.s] "
    "mid_v_y[m.s] a_value[W/(m2.K)]\n"
    "0 0 305 335 320 3840 320.19525293170727 1 0.83333333333333326 325 1 0.5 nan\n"
    "2 0.20000000000000001 305 335 320 3840 320.19525293170727 1 0.83333333333333326 325 1 0.5 101\n"
    "4 0.40000000000000002 305 335 320 3840 320.19525293170727 1 0.83333333333333326 325 1 0.5 103\n"
    "6 0.60000000000000009 305 335 320 3840 320.19525293170727 1 0.83333333333333326 325 1 0.5 105\n";

static const eagle_field_spec specs[FIELDS] = {
    { .name = "T", .unit = "K", .ghosts = 1 },
    { .name = "v", .unit = "m s", .ghosts = 1, .components = 2 },
    { .name = "k", .unit = "1", .ghosts = 1, .constant = true, .levels = 1, .type = EAGLE_U8 },
};

typedef struct state {
    eagle_field  field[FIELDS];
    eg_run_field made[FIELDS];
} state;

static void copy_T(eagle_graph *g, void *s, eagle_plane out)
{
    eagle_copy(g, ((state *)s)->field[0].now, .into = out);
}

static void mark_T(eagle_graph *g, void *s, eagle_plane out)
{
    eagle_call(g, marked, .T = ((state *)s)->field[0].now, .out = out);
}

static const eagle_derived derived[] = {
    { "T_copy", "K", "the temperature", copy_T }, { "T_marked", "K", "and where it is", mark_T }, { 0 }
};
static const eagle_app     app = { .name = "test-data", .derived = derived };

static eagle_status make_field(eagle_run *run, int i)
{
    state           *s = run->state;
    const int        components = specs[i].components ? specs[i].components : 1, levels = specs[i].levels ? 1 : 2;
    const eagle_type type = specs[i].type ? specs[i].type : run->real;
    eagle_plane     *planes[2] = { &s->field[i].now, &s->field[i].next };

    s->made[i] = (eg_run_field){ &specs[i], &s->field[i], type, components, levels };
    for (int l = 0; l < levels; l++)
        EAGLE_TRY(eg_field_create(run->ctx, specs[i].name, type, EAGLE_DEVICE, &run->grid, 1, components, planes[l]));
    return EAGLE_OK;
}

static eagle_status make_run(eagle_run *run, eagle_ctx *ctx, state *s, const char *dir)
{
    const int64_t        cells[3] = { 4, 3, 1 }, wanted[3] = { 0 };
    const double         lower[3] = { 0 }, upper[3] = { 1, 1, 1 };
    const bool           periodic[3] = { true, false, false };
    const eg_config_spec spec = { .program = "test", .free_sections = eg_free_sections, .free_help = eg_free_help };

    *run = (eagle_run){ .app = &app, .state = s, .ctx = ctx, .job = eg_job_of(ctx), .directory = (char *)dir, .input_dir = (char *)dir,
                        .real = EAGLE_F64, .fields = s->made, .n_fields = FIELDS, .dt_s = dt_s };
    EAGLE_TRY(eg_config_read(&spec, "test.ini", input, 0, NULL, &run->config));
    EAGLE_TRY(eg_constants_read(run->config, &run->constants));
    EAGLE_TRY(eg_cartesian_choose(eagle_ranks(ctx), 2, cells, periodic, wanted, 1, &run->cartesian));
    eg_cartesian_grid(&run->cartesian, eagle_rank(ctx), lower, upper, 1, &run->grid);
    eg_grid_pitch(&run->grid);
    for (int i = 0; i < FIELDS; i++) EAGLE_TRY(make_field(run, i));
    return EAGLE_OK;
}

/* --- initial values --------------------------------------------------------------------------------------------- */

static void check_initial(const eagle_run *run)
{
    const eagle_grid *g = &run->grid;
    const state      *s = run->state;
    double            T[12];

    CHECK(eagle_download(s->field[0].next, T) == EAGLE_OK);
    for (int64_t y = 0; y < g->local[1]; y++)
        for (int64_t x = 0; x < g->local[0]; x++)
            CHECK(T[y * g->local[0] + x] == 300 + 40 * (((double)(x + g->offset[0]) + 0.5) * 0.25));
    if (strcmp(eagle_backend(run->ctx), "host") != 0) return;
    const uint8_t *k = eg_address(s->field[2].now, 0);
    for (int64_t y = -1; y <= g->local[1]; y++)
        for (int64_t x = -1; x <= g->local[0]; x++)
            CHECK(k[y * g->pitch[1] + x] == ((x + g->offset[0] + 4) % 4 > 1 ? 7 : 2));
}

/* --- paths of frames --------------------------------------------------------------------------------------------- */

static void check_path(const char *text, const char *expected)
{
    char *path = eg_initial_frame_path(text, "in");

    CHECK(path != NULL);
    if (path != NULL) CHECK_TEXT(path, expected);
    eg_free(path);
}

static void check_paths(void)
{
    check_path("frame run/frames/T@1200", "in/run/frames/T.00001200.vtkhdf");
    check_path("frame /a/T@7", "/a/T.00000007.vtkhdf");
    check_path("frame a/T.00000100.vtkhdf", "in/a/T.00000100.vtkhdf");
    check_path("frame a@b/T.00000100.vtkhdf", "in/a@b/T.00000100.vtkhdf");
    check_path("frame user@host", "in/user@host");
    CHECK(eg_initial_frame_path("frame ", "in") == NULL);
    CHECK(eg_initial_frame_path("frames", "in") == NULL);
}

/* --- steps ------------------------------------------------------------------------------------------------------ */

static eagle_status set_value(const eagle_host_call *call, void *nothing)
{
    (void)nothing;
    *(double *)call->data[0] = 100 + (double)call->now.step;
    return EAGLE_OK;
}

static eagle_status build(eagle_run *run, eg_outputs *o, eg_history *h, eagle_graph **out)
{
    eagle_plane value;

    run->ctx->hooks.record = eg_history_record;
    run->ctx->hooks.record_state = h;
    EAGLE_TRY(eagle_graph_create(run->ctx, "step", out));
    EAGLE_TRY(eagle_pinned(run->ctx, "value", EAGLE_F64, EAGLE_SHAPE(1, 1), &value));
    eg_outputs_add_snapshots(o, *out);
    eg_history_add(h, *out);
    eg_outputs_add_writes(o, *out);
    eagle_opaque(*out, set_value, .writes = EAGLE_PLANES(value));
    eagle_record(*out, "a value", "W/(m2 K)", value);
    return eagle_clock_set(*out, (eagle_clock){ 0, 0, dt_s });
}

static eagle_status advance(eagle_graph *g, eg_outputs *o, eg_history *h)
{
    for (int64_t step = 0; step <= STEPS;) {
        const int64_t row = eg_history_next(h, step, dt_s), frame = eg_outputs_next(o, step, dt_s);
        const int64_t next = row < frame ? row : frame;
        if (next > step) {
            EAGLE_TRY(eagle_enqueue(g, (next <= STEPS ? next : STEPS + 1) - step));
            step = next;
            continue;
        }
        if (row == step) eg_history_raise(h, g);
        eg_outputs_raise(o, g, step, dt_s);
        EAGLE_TRY(eagle_enqueue(g, 1));
        step++;
    }
    return eagle_synchronize(g);
}

/* --- files ------------------------------------------------------------------------------------------------------ */

static void check_history(const char *path)
{
    char   text[2048] = "";
    FILE  *file = fopen(path, "r");
    size_t n;

    CHECK(file != NULL);
    if (file == NULL) return;
    n = fread(text, 1, sizeof text - 1, file);
    CHECK(n > 0);
    fclose(file);
    CHECK_TEXT(text, expected);
}

static const eg_frame_array *array_of(const eg_frame *frame, const char *name)
{
    for (int i = 0; i < frame->n_arrays; i++)
        if (strcmp(frame->arrays[i].name, name) == 0) return &frame->arrays[i];
    CHECK(!"the frame has the field");
    return NULL;
}

static bool read_frame(const char *dir, const char *name, int step, eg_frame *frame)
{
    char path[256];

    snprintf(path, sizeof path, "%s/frames/%s.%08d.vtkhdf", dir, name, step);
    if (eg_frame_read(path, frame) != EAGLE_OK) return false;
    CHECK(frame->step == step);
    unlink(path);
    return true;
}

static void check_values(const eg_frame_array *a, int nx, int ny, int components, const double *values)
{
    if (a == NULL) return;
    CHECK(a->n[0] == nx && a->n[1] == ny && a->components == components);
    for (int i = 0; i < nx * ny * components; i++) CHECK(a->value[i] == values[i]);
}

/* Cells 1 and 3 of x (every second between 0.25 and 1), cell 0 of y. */
static void check_part(const char *dir, int step)
{
    eg_frame     frame;
    const double T[] = { 315, 335 }, marked[] = { 2 * 315 + 100, 2 * 335 + 300 }, k[] = { 2, 7 };

    CHECK(read_frame(dir, "part", step, &frame));
    check_values(array_of(&frame, "T_copy"), 2, 1, 1, T);
    check_values(array_of(&frame, "T_marked"), 2, 1, 1, marked);
    check_values(array_of(&frame, "k"), 2, 1, 1, k);
    eg_frame_free(&frame);
}

static void check_frames(const char *dir)
{
    const int    steps[] = { 0, 3, 5 };
    const double slice[] = { 325, 325, 325 };
    eg_frame     frame;

    for (int i = 0; i < EG_COUNT(steps); i++) check_part(dir, steps[i]);
    for (int step = 0; step <= STEPS; step += 4) {
        CHECK(read_frame(dir, "fields", step, &frame));
        CHECK(array_of(&frame, "v")->components == 2 && array_of(&frame, "v")->value[12 + 4] == 0.5);
        eg_frame_free(&frame);
    }
    CHECK(read_frame(dir, "slice", 5, &frame));
    check_values(array_of(&frame, "T"), 1, 3, 1, slice);
    eg_frame_free(&frame);
    CHECK(!read_frame(dir, "slice", 4, &frame));
}

/* Initial values from a frame: the same as those that were written. */
static eagle_status check_frame_as_initial(eagle_run *run)
{
    static const char    text[] = "[initial]\nT = frame frames/fields@0\n";
    const eg_config_spec spec = { .program = "test", .free_sections = eg_free_sections };
    eg_config           *kept = run->config;
    eagle_status         status;

    EAGLE_TRY(eg_config_read(&spec, "again.ini", text, 0, NULL, &run->config));
    run->n_fields = 1;
    status = eg_initial_fill(run);
    if (status == EAGLE_OK) {
        double T[12] = { 0 };
        EAGLE_TRY(eagle_download(((state *)run->state)->field[0].now, T));
        CHECK(T[0] == 300 + 40 * (((double)run->grid.offset[0] + 0.5) * 0.25));
    }
    eg_config_free(run->config);
    run->config = kept;
    run->n_fields = FIELDS;
    return status;
}

/* A full disk is an error of the launch, with the path and the reason. */
static eagle_status check_full_disk(eagle_run *run, const char *dir)
{
    const char  *kept = run->directory;
    char         full[128], path[160];
    eg_history  *h;
    eagle_graph *g;
    eagle_status status;

    snprintf(full, sizeof full, "%s/full", dir);
    snprintf(path, sizeof path, "%s/history.txt", full);
    if (eagle_rank(run->ctx) == 0) CHECK(mkdir(full, 0700) == 0 && symlink("/dev/full", path) == 0);
    run->directory = full;
    EAGLE_TRY(eg_history_open(run, &h));
    EAGLE_TRY(eagle_graph_create(run->ctx, "full", &g));
    eg_history_add(h, g);
    eg_history_raise(h, g);
    status = eg_agree(run->job, EG_CONTROL, eagle_launch(g, 1));
    CHECK(status == EAGLE_ERR_IO);
    CHECK(strstr(eagle_last_error()->what, "/full/history.txt' cannot be written: No space left on device") != NULL);
    eagle_graph_destroy(g);
    eg_history_close(h);
    run->directory = (char *)kept;
    return EAGLE_OK;
}

static eagle_status run_all(eagle_ctx *ctx, eagle_run *run, state *s, const char *dir)
{
    eg_outputs  *o;
    eg_history  *h;
    eagle_graph *g;
    int64_t      bytes, frames;
    double       seconds;
    char         path[256];

    EAGLE_TRY(make_run(run, ctx, s, dir));
    EAGLE_TRY(eg_initial_fill(run));
    check_initial(run);
    EAGLE_TRY(eg_outputs_open(run, &o));
    EAGLE_TRY(eg_history_open(run, &h));
    EAGLE_TRY(build(run, o, h, &g));
    EAGLE_TRY(advance(g, o, h));
    eagle_graph_destroy(g);
    eg_outputs_figures(o, &bytes, &seconds, &frames);
    CHECK(frames == 2 + 3 + 2);
    snprintf(path, sizeof path, "%s", eg_history_path(h));
    EAGLE_TRY(eg_history_close(h));
    EAGLE_TRY(eg_outputs_close(o));
    eg_config_check_read(run->config);
    CHECK_TEXT(eg_config_errors(run->config), "");
    EAGLE_TRY(check_full_disk(run, dir));
    EAGLE_TRY(check_frame_as_initial(run));
    if (eagle_rank(ctx) != 0) return EAGLE_OK;
    check_history(path);
    check_frames(dir);
    return EAGLE_OK;
}

static void remove_folder(const char *dir)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    CHECK(system(command) == 0);
}

int main(int argc, char **argv)
{
    const eagle_options options = { .backend = argc > 1 ? argv[1] : "host" };
    char                dir[] = "/tmp/eagle-data-XXXXXX";
    eagle_ctx          *ctx;
    eagle_run           run = { 0 };
    state               s = { 0 };
    eagle_status        status;
    int                 exit_status, root;

    if (eagle_init(&argc, &argv, &options, &ctx) != EAGLE_OK) return CHECK_SKIPPED;
    root = eagle_rank(ctx) == 0;
    check_paths();
    if (root) CHECK(mkdtemp(dir) != NULL);
    status = eg_broadcast(eg_job_of(ctx), EG_CONTROL, dir, sizeof dir, 0);
    if (status == EAGLE_OK) status = run_all(ctx, &run, &s, dir);
    if (status == EAGLE_ERR_CONFIG && root) fputs(eg_config_errors(run.config), stderr);
    if (root) remove_folder(dir);
    exit_status = eagle_finalize(ctx, status);
    eg_constants_free(&run.constants);
    eg_free(run.snapshots);
    eg_config_free(run.config);
    return exit_status != 0 ? exit_status : check_end();
}
