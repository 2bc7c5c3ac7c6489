/* bench.h - what the benchmarks share. Every figure is taken beside a peer, interleaved, in one run. */
#ifndef BENCH_H
#define BENCH_H

#include "exec/exec.h"

typedef struct bench_options {
    const char *backend;
    bool        small, require; /* require: exit status 1 when a ratio is missed */
    FILE       *json;           /* NULL: none */
} bench_options;

/* One benchmark of the table in bench.c. *missed counts ratios below what is asked. */
eagle_status bench_heat(eagle_ctx *ctx, const bench_options *options, int *missed);

/* Copies bytes between two arrays of the device n times and waits: cudaMemcpyAsync, device to device. */
eagle_status bench_copy_device(void *to, const void *from, size_t bytes, int n);

#endif
