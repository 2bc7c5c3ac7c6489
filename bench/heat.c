/* heat.c - explicit Euler of eagle-heat in one material: how much of a copy's bandwidth does a sweep reach?
 *
 * A sweep (subject.c) reads and writes each cell once, as the copy of the same bytes does. Both are timed in turn,
 * several times; the medians count. */
#include <string.h>

#include "bench.h"

enum { TURNS = 7 };

typedef struct row {
    const char *name;
    int         dims;
    eagle_type  type;
    int64_t     cells[2][3]; /* full, small */
} row;

static const row rows[] = {
    { "2-D f64", 2, EAGLE_F64, { { 16384, 16384, 1 }, { 4096, 4096, 1 } } },
    { "2-D f32", 2, EAGLE_F32, { { 16384, 16384, 1 }, { 4096, 4096, 1 } } },
    { "3-D f64", 3, EAGLE_F64, { { 512, 512, 512 }, { 256, 256, 256 } } },
    { "3-D f32", 3, EAGLE_F32, { { 512, 512, 512 }, { 256, 256, 256 } } },
};

typedef struct subject {
    bench_subject step;
    eagle_graph  *g;
} subject;

static eagle_status make_subject(eagle_ctx *ctx, const row *r, const int64_t cells[3], subject *s)
{
    EAGLE_TRY(bench_subject_open(ctx, r->dims, r->type, cells, &s->step));
    EAGLE_TRY(eagle_graph_create(ctx, r->name, &s->g));
    EAGLE_TRY(eagle_clock_set(s->g, (eagle_clock){ 0, 0, s->step.dt_s }));
    bench_subject_step(&s->step, s->g);
    return eagle_prepare(s->g);
}

/* The fastest copy: every thread its part, as the kernels share it. */
static void copy_host(const subject *s, size_t bytes, int n)
{
    const int parts = s->step.ctx->threads;
    char     *to = s->step.T.next.storage->memory[0];
    char     *from = s->step.T.now.storage->memory[0];

    for (int i = 0; i < n; i++) {
#pragma omp parallel for num_threads(parts) schedule(static)
        for (int p = 0; p < parts; p++) {
            const size_t first = bytes / (size_t)parts * (size_t)p / 4096 * 4096;
            const size_t end = p == parts - 1 ? bytes : bytes / (size_t)parts * (size_t)(p + 1) / 4096 * 4096;
            memcpy(to + first, from + first, end - first);
        }
        char *other = to;
        to = from;
        from = other;
    }
}

static eagle_status copy(const subject *s, size_t bytes, int n)
{
    if (s->step.ctx->backend->has_device)
        return bench_copy_device(s->step.T.next.storage->memory[0], s->step.T.now.storage->memory[0], bytes, n);
    copy_host(s, bytes, n);
    return EAGLE_OK;
}

/* Seconds of one sweep and of one copy. */
static eagle_status measure(const subject *s, size_t bytes, int n, double *sweep_s, double *copy_s)
{
    double sweeps[TURNS], copies[TURNS];

    EAGLE_TRY(eagle_launch(s->g, 2));
    EAGLE_TRY(copy(s, bytes, 2));
    for (int t = 0; t < TURNS; t++) {
        double begin = eg_seconds();
        EAGLE_TRY(eagle_launch(s->g, n));
        sweeps[t] = (eg_seconds() - begin) / n;
        begin = eg_seconds();
        EAGLE_TRY(copy(s, bytes, n));
        copies[t] = (eg_seconds() - begin) / n;
    }
    *sweep_s = bench_median(sweeps, TURNS);
    *copy_s = bench_median(copies, TURNS);
    return EAGLE_OK;
}

static void print_row(const row *r, const bench_options *o, double cells, double sweep_s, double copy_s, double asked)
{
    const double bytes = 2.0 * (double)eg_type_bytes(r->type), ratio = copy_s / sweep_s;

    printf("%-8s %12.4g %8.0f %10.2f %10.1f %10.1f %8.3f %8.2f  %s\n", r->name, cells, bytes, cells / sweep_s / 1e9,
           cells * bytes / sweep_s / 1e9, cells * bytes / copy_s / 1e9, ratio, asked, ratio >= asked ? "met" : "missed");
    fflush(stdout);
    if (o->json != NULL)
        fprintf(o->json, "{\"row\": \"heat %s\", \"cells\": %.0f, \"glups\": %.4g, \"gb_s\": %.4g, \"copy_gb_s\": %.4g, "
                         "\"ratio\": %.4g, \"asked\": %.2f}\n",
                r->name, cells, cells / sweep_s / 1e9, cells * bytes / sweep_s / 1e9, cells * bytes / copy_s / 1e9, ratio, asked);
}

static eagle_status bench_row(eagle_ctx *ctx, const row *r, const bench_options *o, int *missed)
{
    const int64_t *n = r->cells[o->small];
    const double   cells = (double)n[0] * (double)n[1] * (double)n[2];
    const size_t   bytes = (size_t)cells * eg_type_bytes(r->type);
    const bool     device = ctx->backend->has_device;
    const double   asked = !device ? 0.8 : r->type == EAGLE_F32 ? 0.80 : 0.88;
    /* A subject lives as long as its fields, which the context frees. */
    subject *s = eg_alloc(1, sizeof *s);
    double   sweep_s = 0, copy_s = 0;

    if (s == NULL) return EAGLE_ERR_MEMORY;
    EAGLE_TRY(make_subject(ctx, r, n, s));
    EAGLE_TRY(measure(s, bytes, device ? 50 : 4, &sweep_s, &copy_s));
    print_row(r, o, cells, sweep_s, copy_s, asked);
    *missed += copy_s / sweep_s < asked;
    eagle_graph_destroy(s->g);
    eg_halo_close(s->step.halo);
    return EAGLE_OK;
}

eagle_status bench_heat(eagle_ctx *ctx, const bench_options *o, int *missed)
{
    char device[256];

    ctx->backend->describe(ctx, device, sizeof device);
    printf("heat, explicit Euler, one sweep a step, on %s (%s)\n", ctx->backend->name, device);
    printf("%-8s %12s %8s %10s %10s %10s %8s %8s\n", "row", "cells", "B/cell", "GLUP/s", "GB/s", "copy GB/s", "ratio", "asked");
    for (int i = 0; i < EG_COUNT(rows); i++) EAGLE_TRY(bench_row(ctx, &rows[i], o, missed));
    return EAGLE_OK;
}
