/* moves.c - the boxes of a copy on the host: any two boxes of one shape, whatever their strides. */
#include <string.h>

#include "exec/exec.h"

enum { SERIAL_BYTES = 1 << 16 };

static void squeeze(eagle_plane p, int64_t *n, int64_t *stride, int *axes)
{
    *axes = 0;
    for (int a = 0; a < p.rank; a++) {
        if (p.n[a] == 1) continue;
        n[*axes] = p.n[a];
        stride[(*axes)++] = p.stride[a] * (int64_t)eg_type_bytes(p.type);
    }
}

eg_walk eg_walk_of(const eg_move *m)
{
    eg_walk w = { 0 }, merged = { 0 };
    int     axes;

    squeeze(m->from, w.n, w.from, &axes);
    squeeze(m->to, w.n, w.to, &w.axes);
    for (int a = 0; a < w.axes; a++) {
        const int  k = merged.axes - 1;
        const bool runs_on = k >= 0 && merged.from[k] == w.n[a] * w.from[a] && merged.to[k] == w.n[a] * w.to[a];
        const int  into = runs_on ? k : merged.axes++;
        merged.n[into] = (runs_on ? merged.n[into] : 1) * w.n[a];
        merged.from[into] = w.from[a];
        merged.to[into] = w.to[a];
    }
    return merged;
}

static void move_row(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, size_t bytes)
{
    if (to_step == (int64_t)bytes && from_step == (int64_t)bytes) {
        memcpy(to, from, (size_t)n * bytes);
        return;
    }
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, bytes);
}

/* Rows may be long (a whole plane) or many: work is cut into pieces of rows, and of a single row into stretches. */
static void move_rows(const eg_walk *w, char *to, const char *from, size_t bytes, int part, int parts)
{
    const int     last = w->axes - 1;
    const int64_t length = w->axes > 0 ? w->n[last] : 1;
    int64_t       rows = 1, first, end;

    for (int a = 0; a < last; a++) rows *= w->n[a];
    if (rows == 1) {
        const int64_t to_step = last < 0 ? (int64_t)bytes : w->to[last],
                      from_step = last < 0 ? (int64_t)bytes : w->from[last];
        first = length * part / parts;
        end = length * (part + 1) / parts;
        move_row(to + first * to_step, to_step, from + first * from_step, from_step, end - first, bytes);
        return;
    }
    first = rows * part / parts;
    end = rows * (part + 1) / parts;
    for (int64_t r = first; r < end; r++) {
        int64_t rest = r, t = 0, f = 0;
        for (int a = last - 1; a >= 0; a--) {
            t += rest % w->n[a] * w->to[a];
            f += rest % w->n[a] * w->from[a];
            rest /= w->n[a];
        }
        move_row(to + t, w->to[last], from + f, w->from[last], length, bytes);
    }
}

void eg_host_moves(eagle_ctx *ctx, const eg_node *node, void *const *data)
{
    for (int m = 0; m < node->n_moves; m++) {
        const eg_move *move = &node->moves[m];
        const size_t   bytes = eg_type_bytes(move->from.type);
        const int64_t  total = eg_plane_count(move->from) * (int64_t)bytes;
        const int      parts = total < SERIAL_BYTES ? 1 : ctx->threads;
        const eg_walk  w = eg_walk_of(move);
        const char    *from = data[2 * m];
        char          *to = data[2 * m + 1];

        if (from == to) continue;
        if (parts == 1) {
            move_rows(&w, to, from, bytes, 0, 1);
            continue;
        }
#pragma omp parallel for num_threads(parts) schedule(static)
        for (int p = 0; p < parts; p++) move_rows(&w, to, from, bytes, p, parts);
    }
}
