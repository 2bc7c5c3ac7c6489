/* test_backends.c - the same graph programs on the host and on the GPU leave the same bits: what kernels compute, what
 * copies move, and what host functions see, in the order in which they see it. Skipped where there is no GPU. */
#include <stdlib.h>

#include "backend_kernels.h"
#include "check.h"
#include "exec/exec.h"

enum { NOTES = 4096 };

/* What a program leaves: every value that a host function saw, and the bytes of its fields at the end. */
typedef struct outcome {
    eagle_type type;
    int64_t    cells[3];
    int        dims, n;
    double     notes[NOTES];
    char      *field;
    size_t     bytes;
} outcome;

typedef struct setting {
    eagle_ctx  *ctx;
    outcome    *out;
    eagle_grid  grid;
    eagle_plane u, v;
} setting;

static void note(outcome *o, double value)
{
    if (o->n < NOTES) o->notes[o->n++] = value;
}

static double value_at(int64_t i) { return (double)(i * 7919 % 1000 - 500) / 64; }

static void fill(eagle_plane field, const eagle_storage *s)
{
    const size_t count = s->bytes / eg_type_bytes(s->type);
    char        *all = malloc(s->bytes);

    for (size_t i = 0; i < count; i++) {
        if (s->type == EAGLE_F32)
            ((float *)(void *)all)[i] = (float)value_at((int64_t)i);
        else
            ((double *)(void *)all)[i] = value_at((int64_t)i);
    }
    CHECK(s->ctx->backend->copy(s->ctx, field.storage->memory[0], all, s->bytes) == EAGLE_OK);
    free(all);
}

static eagle_plane new_field(setting *s, const char *name)
{
    eagle_plane plane = { 0 };

    CHECK(eg_field_create(s->ctx, name, s->out->type, EAGLE_DEVICE, &s->grid, 1, 1, &plane) == EAGLE_OK);
    fill(plane, plane.storage);
    return plane;
}

static eagle_plane new_pinned(setting *s, const char *name, eagle_plane like, int buffers)
{
    eagle_plane plane = { 0 };
    eagle_shape shape = { .rank = like.rank };

    for (int a = 0; a < like.rank; a++) shape.n[a] = like.n[a];
    CHECK(eg_storage_create(s->ctx, name, like.type, EAGLE_PINNED, shape, buffers, &plane) == EAGLE_OK);
    return plane;
}

static eagle_plane new_value(setting *s, const char *name, int buffers)
{
    eagle_plane plane = { 0 };

    CHECK(eg_storage_create(s->ctx, name, EAGLE_F64, EAGLE_PINNED, EAGLE_SHAPE(1), buffers, &plane) == EAGLE_OK);
    return plane;
}

static eagle_graph *new_graph(setting *s, double dt)
{
    eagle_graph *g = NULL;

    CHECK(eagle_graph_create(s->ctx, "program", &g) == EAGLE_OK);
    CHECK(eagle_clock_set(g, (eagle_clock){ 5, 5 * dt, dt }) == EAGLE_OK);
    return g;
}

static void run(eagle_graph *g, int64_t n)
{
    const eagle_status status = eagle_launch(g, n);

    CHECK(status == EAGLE_OK);
    if (status != EAGLE_OK) fprintf(stderr, "  %s\n", eagle_last_error()->what);
}

/* --- host functions ------------------------------------------------------------------------------------------- */

static double first_of(const eagle_host_call *c, int i)
{
    return c->planes[i].type == EAGLE_F32 ? *(const float *)c->data[i] : *(const double *)c->data[i];
}

static eagle_status note_value(const eagle_host_call *c, void *state)
{
    note(state, first_of(c, 0));
    note(state, c->now.t);
    note(state, (double)c->replay);
    return EAGLE_OK;
}

static eagle_status note_checksum(const eagle_host_call *c, void *state)
{
    const size_t   bytes = (size_t)eg_plane_count(c->planes[0]) * eg_type_bytes(c->planes[0].type);
    const uint8_t *data = c->data[0];
    uint32_t       sum = 2166136261u;

    for (size_t i = 0; i < bytes; i++) sum = (sum ^ data[i]) * 16777619u;
    note(state, sum);
    return EAGLE_OK;
}

static eagle_status halve(const eagle_host_call *c, void *state)
{
    (void)state;
    *(double *)c->data[1] = *(const double *)c->data[0] / 2 + c->now.t;
    return EAGLE_OK;
}

/* --- programs ------------------------------------------------------------------------------------------------- */

/* Kernels, a swap, and frames that are copied home and looked at beside the steps that follow. */
static void frames(setting *s)
{
    eagle_plane  frame = new_pinned(s, "frame", s->u, 2);
    eagle_graph *g = new_graph(s, 0.01);
    const blend  p = { 0.11 };

    eg_ghosts_filled(g, s->u);
    eagle_call(g, blur, .u = s->u, .v = s->v, .params = &p);
    eagle_call(g, drift, .u = s->v, .params = &p);
    EAGLE_EVERY(g, 2) {
        eagle_copy(g, s->v, .into = frame);
        eagle_opaque(g, note_checksum, .reads = EAGLE_PLANES(frame), .state = s->out);
    }
    eagle_swap(g, s->u, s->v);
    run(g, 31);
    run(g, 30);
    eagle_graph_destroy(g);
}

/* The field is changed in place, and frames go through a snapshot. */
static void snapshots(setting *s)
{
    eagle_plane  taken = { 0 }, frame = new_pinned(s, "frame", s->u, 2);
    eagle_graph *g = new_graph(s, 0.01);
    const blend  p = { 0.11 };
    eagle_shape  shape = { .rank = s->u.rank };

    for (int a = 0; a < s->u.rank; a++) shape.n[a] = s->u.n[a];
    CHECK(eagle_device(s->ctx, "taken", s->u.type, shape, &taken) == EAGLE_OK);
    EAGLE_EVERY(g, 3) eagle_copy(g, s->u, .into = taken);
    EAGLE_EVERY(g, 3, .at = 0, .apart = true)
    {
        eagle_copy(g, taken, .into = frame);
        eagle_opaque(g, note_checksum, .reads = EAGLE_PLANES(frame), .state = s->out);
    }
    eagle_call(g, drift, .u = s->u, .params = &p);
    run(g, 31);
    run(g, 30);
    eagle_graph_destroy(g);
}

/* Sums and maxima come home every few steps; the text goes on with what reads the same planes. */
static void checks(setting *s)
{
    eagle_plane  sum = new_value(s, "sum", 1), most = new_value(s, "most", 1);
    eagle_graph *g = new_graph(s, 0.02);
    const blend  p = { 0.07 };

    eg_ghosts_filled(g, s->u);
    eagle_call(g, corners, .u = s->u, .v = s->v, .params = &p);
    EAGLE_EVERY(g, 3, .at = 1) {
        eagle_call(g, mass, .u = s->v, .into = sum);
        eagle_call(g, peak, .u = s->v, .into = most);
        eagle_opaque(g, note_value, .reads = EAGLE_PLANES(sum, most), .state = s->out);
    }
    eagle_call(g, drift, .u = s->v, .params = &p);
    eagle_swap(g, s->u, s->v);
    run(g, 50);
    run(g, 1);
    eagle_graph_destroy(g);
}

/* Every step a value goes home, through two host functions, and back into the field. */
static void there_and_back(setting *s)
{
    eagle_plane  sum = new_value(s, "sum", 1), half = new_value(s, "half", 1), quarter = new_value(s, "quarter", 1);
    eagle_plane  by = { 0 };
    eagle_graph *g = new_graph(s, 1e-3);
    const blend  p = { 1e-3 };

    CHECK(eg_storage_create(s->ctx, "by", EAGLE_F64, EAGLE_DEVICE, EAGLE_SHAPE(1), 1, &by) == EAGLE_OK);
    eagle_call(g, peak, .u = s->u, .into = sum);
    eagle_opaque(g, halve, .reads = EAGLE_PLANES(sum), .writes = EAGLE_PLANES(half));
    eagle_opaque(g, halve, .reads = EAGLE_PLANES(half), .writes = EAGLE_PLANES(quarter));
    eagle_copy(g, quarter, .into = by);
    eagle_call(g, shift, .by = by, .u = s->u);
    eagle_opaque(g, note_value, .reads = EAGLE_PLANES(quarter), .state = s->out);
    eagle_call(g, drift, .u = s->v, .params = &p);
    run(g, 40);
    eagle_graph_destroy(g);
}

/* Communication: started, then asked a few times whether it has ended. */
typedef struct exchange {
    double *from, *to;
    int     asked;
} exchange;

static eagle_status start_exchange(const eagle_host_call *c, void *state)
{
    exchange *x = state;

    x->from = c->data[0];
    x->to = c->data[1];
    x->asked = 0;
    return EAGLE_OK;
}

static int poll_exchange(void *state)
{
    exchange *x = state;

    if (++x->asked < 5) return 0;
    *x->to = *x->from * 0.5 + 1;
    return 1;
}

static void exchanges(setting *s)
{
    eagle_plane  sent[2], received[2], by = { 0 };
    eagle_graph *g = new_graph(s, 1e-3);
    exchange     x[2] = { { 0 }, { 0 } };

    CHECK(eg_storage_create(s->ctx, "by", EAGLE_F64, EAGLE_DEVICE, EAGLE_SHAPE(1), 1, &by) == EAGLE_OK);
    for (int k = 0; k < 2; k++) {
        const eg_task task = { .start = start_exchange, .poll = poll_exchange, .state = &x[k], .worker = EG_WORKER_COMM,
                               .takes_part = true };
        sent[k] = new_value(s, "sent", 1);
        received[k] = new_value(s, "received", 1);
        eagle_call(g, peak, .u = k == 0 ? s->u : s->v, .into = sent[k]);
        eg_add_task(g, "exchange", &task, EAGLE_PLANES(sent[k]), EAGLE_PLANES(received[k]), EAGLE_HERE);
    }
    for (int k = 0; k < 2; k++) {
        eagle_copy(g, received[k], .into = by);
        eagle_call(g, shift, .by = by, .u = k == 0 ? s->v : s->u);
    }
    eagle_opaque(g, note_value, .reads = EAGLE_PLANES(received[1], received[0]), .state = s->out);
    run(g, 25);
    eagle_graph_destroy(g);
}

/* Boxes of all kinds: strips along each axis, single cells, from and to pageable memory. */
static eagle_plane strip(eagle_plane field, int axis, int64_t at, int64_t n)
{
    eagle_shape lo = { .rank = field.rank }, count = { .rank = field.rank };

    for (int a = 0; a < field.rank; a++) count.n[a] = field.n[a];
    lo.n[axis] = at;
    count.n[axis] = n;
    return eagle_view(field, lo, count);
}

static void boxes(setting *s)
{
    eagle_plane  home = new_pinned(s, "home", s->u, 1), pageable = { 0 };
    eagle_graph *g = new_graph(s, 1);
    eg_move      moves[2 * EAGLE_MAX_RANK];
    int          n = 0;

    CHECK(eg_storage_create(s->ctx, "pageable", s->u.type, EAGLE_HOST,
                            (eagle_shape){ s->u.rank, { s->u.n[0], s->u.n[1], s->u.n[2] } }, 1, &pageable) == EAGLE_OK);
    for (int a = 0; a < s->u.rank; a++) {
        moves[n++] = (eg_move){ strip(s->u, a, 0, 1), strip(s->v, a, s->v.n[a] - 1, 1) };
        moves[n++] = (eg_move){ strip(s->u, a, s->u.n[a] - 3, 2), strip(s->v, a, 0, 2) };
    }
    for (int k = 0; k < n; k++) eg_add_moves(g, "strip", 1, &moves[k], EAGLE_HERE);
    eagle_copy(g, s->v, .into = home);
    eagle_opaque(g, note_checksum, .reads = EAGLE_PLANES(home), .state = s->out);
    eagle_copy(g, home, .into = s->u);
    eagle_copy(g, s->u, .into = pageable);
    eagle_opaque(g, note_checksum, .reads = EAGLE_PLANES(pageable), .state = s->out);
    eagle_call(g, shift, .by = new_value(s, "by", 1), .u = pageable);
    eagle_copy(g, pageable, .into = s->v);
    run(g, 3);
    eagle_graph_destroy(g);
}

/* --- on both backends ----------------------------------------------------------------------------------------- */

typedef void (*program)(setting *s);

static const struct {
    const char *name;
    program     run;
} programs[] = { { "frames", frames }, { "snapshots", snapshots }, { "checks", checks },
                 { "there and back", there_and_back }, { "exchanges", exchanges }, { "boxes", boxes } };

static const struct {
    eagle_type type;
    int        dims;
    int64_t    cells[3];
} sizes[] = { { EAGLE_F64, 2, { 301, 203, 1 } }, { EAGLE_F32, 3, { 131, 45, 23 } }, { EAGLE_F64, 3, { 640, 33, 17 } },
              { EAGLE_F32, 2, { 1500, 800, 1 } } };

static void take_field(outcome *o, eagle_plane u)
{
    o->bytes = (size_t)eg_plane_count(u) * eg_type_bytes(u.type);
    o->field = malloc(o->bytes);
    CHECK(eagle_download(u, o->field) == EAGLE_OK);
}

static void run_on(const char *backend, int size, program p, outcome *o)
{
    const eagle_options options = { .backend = backend, .threads = 2 };
    setting             s = { .out = o };

    o->type = sizes[size].type;
    CHECK(eg_ctx_open(&options, 0, 1, 0, 1, 8, &s.ctx) == EAGLE_OK);
    s.grid = (eagle_grid){ .dims = sizes[size].dims, .ghosts = 1, .h = { 1, 1, 1 } };
    for (int a = 0; a < 3; a++) s.grid.cells[a] = s.grid.local[a] = sizes[size].cells[a];
    eg_grid_pitch(&s.grid);
    s.u = new_field(&s, "u");
    s.v = new_field(&s, "v");
    p(&s);
    take_field(o, s.u);
    eg_ctx_close(s.ctx);
}

static const char *other;

static void compare(int size, int p)
{
    outcome *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);

    run_on("host", size, programs[p].run, a);
    run_on(other, size, programs[p].run, b);
    CHECK(a->n == b->n && a->n > 0);
    CHECK(memcmp(a->notes, b->notes, sizeof a->notes) == 0);
    CHECK(a->bytes == b->bytes && memcmp(a->field, b->field, a->bytes) == 0);
    if (a->n != b->n || memcmp(a->notes, b->notes, sizeof a->notes) != 0 || memcmp(a->field, b->field, a->bytes) != 0)
        fprintf(stderr, "  program '%s', size %d\n", programs[p].name, size);
    free(a->field);
    free(b->field);
    free(a);
    free(b);
}

/* An argument takes the place of "cuda": the test is to be trusted where both are the host. */
int main(int argc, char **argv)
{
    other = argc > 1 ? argv[1] : "cuda";
    const eagle_options options = { .backend = other, .threads = 1 };
    eagle_ctx          *ctx;

    if (eg_ctx_open(&options, 0, 1, 0, 1, 8, &ctx) != EAGLE_OK) {
        printf("SKIPPED: %s\n", eagle_last_error()->what);
        return CHECK_SKIPPED;
    }
    eg_ctx_close(ctx);
    for (int p = 0; p < EG_COUNT(programs); p++)
        for (int size = 0; size < EG_COUNT(sizes); size++) compare(size, p);
    return check_end();
}
