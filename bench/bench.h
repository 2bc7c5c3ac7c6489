/* bench.h - what the benchmarks share. Every figure is taken beside a peer, interleaved, in one run. */
#ifndef BENCH_H
#define BENCH_H

#include "eagle/app.h"
#include "exec/exec.h"
#include "run/grid.h"
#include "run/halo.h"

typedef struct bench_options {
    const char *backend, *directory; /* directory: files of a benchmark go into one of their own below it */
    bool        small, require; /* require: exit status 1 when a ratio is missed */
    FILE       *json;           /* NULL: none */
} bench_options;

/* One benchmark of the table in bench.c. *missed counts ratios below what is asked. */
eagle_status bench_heat(eagle_ctx *ctx, const bench_options *options, int *missed);
eagle_status bench_frames(eagle_ctx *ctx, const bench_options *options, int *missed);

/* subject.c: the step that is timed. Fields live until the context closes; the halo is closed by the caller. */
typedef struct bench_subject {
    eagle_ctx   *ctx;
    eg_cartesian cartesian;
    eagle_grid   grid;
    eg_halo     *halo;
    eagle_field  T;
    double       dt_s;
} bench_subject;
eagle_status bench_subject_open(eagle_ctx *ctx, int dims, eagle_type type, const int64_t cells[3], bench_subject *s);
void         bench_subject_step(const bench_subject *s, eagle_graph *g);
double       bench_median(double *values, int n); /* sorts them */

/* Copies bytes between two arrays of the device n times and waits: cudaMemcpyAsync, device to device. */
eagle_status bench_copy_device(void *to, const void *from, size_t bytes, int n);

#endif
