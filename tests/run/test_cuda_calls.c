/* test_cuda_calls.c - the 100th launch of a run with frames makes, frees and registers nothing of CUDA's, and waits for
 * the device by no call that blocks: counted by the functions below, which the linker puts between eagle and CUDA's
 * runtime, on every thread. That they count is shown first. An argument takes the place of "cuda". */
#include <cuda_runtime_api.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "cuda_calls.h"
#include "data_kernels.h"
#include "run/outputs.h"
#include "run/sections.h"
#include "run/snapshot.h"
#include "run/stat_kernels.h"

enum { MAKES, FREES, WAITS, KINDS };
static atomic_int calls[KINDS];

#define DECLARE_COUNTED(kind, name, parameters, arguments)                                                            \
    cudaError_t __real_##name parameters;                                                                             \
    cudaError_t __wrap_##name parameters;                                                                             \
    cudaError_t __wrap_##name parameters                                                                              \
    {                                                                                                                 \
        atomic_fetch_add(&calls[kind], 1);                                                                            \
        return __real_##name arguments;                                                                               \
    }
COUNTED_CALLS(DECLARE_COUNTED)

static int taken(int kind) { return atomic_exchange(&calls[kind], 0); }

static void forget(void)
{
    for (int k = 0; k < KINDS; k++) (void)taken(k);
}

/* --- the counter counts ----------------------------------------------------------------------------------------- */

/* With or without a GPU. */
static void check_counter(void)
{
    void *nothing;

    forget();
    (void)cudaMalloc(&nothing, 0);
    (void)cudaFree(NULL);
    (void)cudaDeviceSynchronize();
    (void)cudaGetLastError();
    CHECK(taken(MAKES) == 1 && taken(FREES) == 1 && taken(WAITS) == 1);
}

/* What eagle itself calls, where it has to. */
static void check_counts_of_eagle(eagle_ctx *ctx)
{
    enum { MORE_THAN_A_BLOCK = 40 << 20 };
    eagle_plane pinned, field;
    double      value = 1;

    forget();
    CHECK(eagle_pinned(ctx, "pinned", EAGLE_U8, EAGLE_SHAPE(MORE_THAN_A_BLOCK), &pinned) == EAGLE_OK);
    CHECK(taken(MAKES) == 1);
    CHECK(eagle_device(ctx, "device", EAGLE_F64, EAGLE_SHAPE(1), &field) == EAGLE_OK);
    CHECK(taken(MAKES) == 1);
    forget();
    CHECK(eagle_upload(field, &value) == EAGLE_OK);
    CHECK(taken(WAITS) > 0);
}

/* --- a run ------------------------------------------------------------------------------------------------------ */

static const eagle_app        app = { .name = "test" };
static const eagle_field_spec T_spec = { .name = "T", .unit = "K", .ghosts = 1 };
static const double           dt_s = 0.1;

typedef struct subject {
    eagle_field  T;
    eg_run_field made;
    eagle_run    run;
    eagle_plane  most;
    eg_outputs  *outputs;
    eagle_graph *g;
    int          looked;
} subject;

static eagle_status look(const eagle_host_call *call, void *state)
{
    (void)call;
    ((subject *)state)->looked++;
    return EAGLE_OK;
}

static eagle_status make_run(eagle_ctx *ctx, subject *s, char *dir)
{
    const int64_t        cells[3] = { 700, 300, 1 }, wanted[3] = { 0 };
    const double         lower[3] = { 0 }, upper[3] = { 1, 1, 1 };
    const bool           periodic[3] = { false };
    const eg_config_spec spec = { .program = "test", .free_sections = eg_free_sections, .free_help = eg_free_help };

    s->made = (eg_run_field){ &T_spec, &s->T, EAGLE_F64, 1, 2 };
    s->run = (eagle_run){ .app = &app, .ctx = ctx, .job = eg_job_of(ctx), .directory = dir, .real = EAGLE_F64,
                          .fields = &s->made, .n_fields = 1, .dt_s = dt_s };
    EAGLE_TRY(eg_config_read(&spec, "test.ini", "[output]\nevery = 1\n", 0, NULL, &s->run.config));
    EAGLE_TRY(eg_cartesian_choose(1, 2, cells, periodic, wanted, 1, &s->run.cartesian));
    eg_cartesian_grid(&s->run.cartesian, 0, lower, upper, 1, &s->run.grid);
    eg_grid_pitch(&s->run.grid);
    EAGLE_TRY(eg_field_create(ctx, "T", EAGLE_F64, EAGLE_DEVICE, &s->run.grid, 1, 1, &s->T.now));
    EAGLE_TRY(eg_field_create(ctx, "T", EAGLE_F64, EAGLE_DEVICE, &s->run.grid, 1, 1, &s->T.next));
    return eagle_pinned(ctx, "most", EAGLE_F64, EAGLE_SHAPE(1, 1), &s->most);
}

/* Frames, a largest value that comes home and is looked at, the exchange of two levels. */
static eagle_status make_graph(eagle_ctx *ctx, subject *s)
{
    EAGLE_TRY(eg_outputs_open(&s->run, &s->outputs));
    EAGLE_TRY(eagle_graph_create(ctx, "step", &s->g));
    EAGLE_TRY(eagle_clock_set(s->g, (eagle_clock){ 0, 0, dt_s }));
    eg_outputs_add_snapshots(s->outputs, s->g);
    eg_outputs_add_writes(s->outputs, s->g);
    EAGLE_EVERY(s->g, 5)
    {
        eagle_call(s->g, eg_stat_max, .u = s->T.now, .into = s->most);
        eagle_opaque(s->g, look, .reads = EAGLE_PLANES(s->most), .state = s);
    }
    eagle_call(s->g, marked, .T = s->T.now, .out = s->T.next);
    eagle_swap(s->g, s->T.now, s->T.next);
    return eagle_prepare(s->g);
}

static eagle_status launch(subject *s, int64_t launches)
{
    enum { STEPS = 10 };

    for (int64_t n = 0; n < launches; n++) {
        const int64_t last = eagle_clock_get(s->g).step + STEPS - 1;
        CHECK(eg_outputs_raise(s->outputs, s->g, last, dt_s) == 1);
        EAGLE_TRY(eagle_launch(s->g, STEPS));
    }
    return EAGLE_OK;
}

static eagle_status count_calls(eagle_ctx *ctx, subject *s, char *dir)
{
    const bool on_device = ctx->backend->has_device;
    int64_t    bytes, missing, frames;
    double     seconds;

    EAGLE_TRY(make_run(ctx, s, dir));
    forget();
    EAGLE_TRY(make_graph(ctx, s));
    CHECK((taken(MAKES) > 0) == on_device);
    eg_snapshot_figures(&s->run, &bytes, &missing);
    CHECK((bytes > 0) == on_device && missing == 0);
    EAGLE_TRY(launch(s, 99));
    forget();
    EAGLE_TRY(launch(s, 1));
    CHECK(taken(MAKES) == 0);
    CHECK(taken(FREES) == 0);
    CHECK(taken(WAITS) == 0);
    eg_outputs_figures(s->outputs, &bytes, &seconds, &frames);
    CHECK(frames == 100 && s->looked == 200);
    eagle_graph_destroy(s->g);
    CHECK((taken(FREES) > 0) == on_device);
    return eg_outputs_close(s->outputs);
}

static void remove_folder(const char *dir)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    CHECK(system(command) == 0);
}

int main(int argc, char **argv)
{
    const eagle_options options = { .backend = argc > 1 ? argv[1] : "cuda" };
    char                dir[] = "/tmp/eagle-calls-XXXXXX";
    eagle_ctx          *ctx = NULL;
    subject             s = { 0 };
    eagle_status        status = eagle_init(&argc, &argv, &options, &ctx);

    check_counter();
    if (status != EAGLE_OK) {
        printf("SKIPPED: %s\n", eagle_last_error()->what);
        return check_end() != 0 ? check_end() : CHECK_SKIPPED;
    }
    if (ctx->backend->has_device) check_counts_of_eagle(ctx);
    CHECK(mkdtemp(dir) != NULL);
    status = count_calls(ctx, &s, dir);
    remove_folder(dir);
    const int code = eagle_finalize(ctx, status);
    eg_free(s.run.snapshots);
    eg_config_free(s.run.config);
    return code != 0 ? code : check_end();
}
