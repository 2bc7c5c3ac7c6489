/* eagle/graph.h - the graph layer: context, planes, nodes, replay. For anyone who brings a loop of their own; the
 * application layer (eagle/app.h) is built on it. A context and what is made from it belong to one thread at a time. */
#ifndef EAGLE_GRAPH_H
#define EAGLE_GRAPH_H

#include <stdio.h>

#include "eagle/error.h"
#include "eagle/plane.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 1. The context owns all that is made from it. */
typedef struct eagle_ctx eagle_ctx;

typedef struct eagle_options {
    const void *comm;      /* points to an MPI_Comm; NULL: MPI_COMM_WORLD */
    const char *backend;   /* "auto", "host" or "cuda"; NULL: "auto" */
    int         threads;   /* host threads of this rank; 0: this rank's share of the cores it may use */
    const char *transport; /* of ghost cells: "auto", "self", "mpi"; NULL: "auto" */
    bool        check_access; /* on the host: what kernels and host functions touch, against what they declare; slow */
    bool        check_tuned;  /* on the host: the tuned forms of the backend's kernels against the plain ones; slow */
} eagle_options;

/* Starts MPI if it is not running, and the backend. Collective over the communicator. options NULL: all defaults. */
eagle_status eagle_init(int *argc, char ***argv, const eagle_options *options, eagle_ctx **ctx);

/* Waits for what is in flight, gives everything back, prints the error of `status` once for all ranks, ends MPI if
 * eagle started it. Collective. Returns the exit status of the program. ctx may be NULL. */
int eagle_finalize(eagle_ctx *ctx, eagle_status status);

int         eagle_rank(const eagle_ctx *ctx);
int         eagle_ranks(const eagle_ctx *ctx);
const char *eagle_backend(const eagle_ctx *ctx); /* "host" or "cuda" */

/* 2. Planes. Memory is set to zero, and freed by eagle_finalize. `name` is borrowed. */
#define EAGLE_SHAPE(...)                                                                                              \
    ((eagle_shape){ (int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), { __VA_ARGS__ } })

eagle_status eagle_device(eagle_ctx *ctx, const char *name, eagle_type type, eagle_shape shape, eagle_plane *out);
eagle_status eagle_host(eagle_ctx *ctx, const char *name, eagle_type type, eagle_shape shape, eagle_plane *out);

/* A page-locked plane. .buffers = n makes it n deep: n replays that write it may be in flight. */
typedef struct eagle_pinned_options {
    char eg_unused;
    int  buffers; /* 0 means 1 */
} eagle_pinned_options;
#define eagle_pinned(ctx, name, type, shape, out, ...)                                                                \
    eagle_pinned_with((ctx), (name), (type), (shape), &(const eagle_pinned_options){ .eg_unused = 0, ##__VA_ARGS__ }, (out))
eagle_status eagle_pinned_with(eagle_ctx *ctx, const char *name, eagle_type type, eagle_shape shape,
                               const eagle_pinned_options *options, eagle_plane *out);

/* A plane of the caller's memory, which stays the caller's and must outlive the context. */
eagle_status eagle_wrap(eagle_ctx *ctx, void *host, const char *name, eagle_type type, eagle_shape shape,
                        eagle_plane *out);

/* The box of a plane that begins at lo and has n elements along each axis. Outside the plane: a plane without memory. */
eagle_plane eagle_view(eagle_plane plane, eagle_shape lo, eagle_shape n);

/* The address of a host or pinned plane's first element, in the storage that is current. NULL for device planes on
 * the cuda backend. Safe after eagle_launch or eagle_synchronize. */
void *eagle_data(eagle_plane plane);

/* Copies between a plane and an array of the caller's, of the plane's shape and type without gaps. Waits. Not while a
 * graph is in flight. */
eagle_status eagle_upload(eagle_plane plane, const void *from);
eagle_status eagle_download(eagle_plane plane, void *to);

/* 3. Graphs. Builder calls return nothing: the first refusal is kept, with the file and line of the call, and comes
 *    back from prepare, launch, enqueue or synchronize. */
typedef struct eagle_graph eagle_graph;

eagle_status eagle_graph_create(eagle_ctx *ctx, const char *name, eagle_graph **out);
void         eagle_graph_destroy(eagle_graph *g); /* waits if it is in flight; NULL does nothing */

/* Adds a call of a kernel over all cells of its planes: eagle_call(g, react, .u = a, .u_new = b, .params = &p). The
 * planes' side decides where it runs, the type of the planes declared `real` which of its two forms. */
#define eagle_call(g, k, ...)                                                                                         \
    do {                                                                                                              \
        const struct k##_call eg_c_ = { __VA_ARGS__ };                                                                \
        eagle_add_call((g), &k##_f32, &k##_f64, (const eagle_plane *)(const void *)&eg_c_, &eg_c_.into, eg_c_.over,   \
                       eg_c_.params, EAGLE_HERE);                                                                     \
    } while (0)
void eagle_add_call(eagle_graph *g, const eagle_kernel *f32, const eagle_kernel *f64, const eagle_plane *planes,
                    const eagle_plane *into, const eagle_box *over, const void *params, eagle_here here);

/* Adds a copy: eagle_copy(g, from, .into = to). Its direction follows from where the two live. */
struct eagle_copy_options {
    eagle_plane into;
};
#define eagle_copy(g, from, ...)                                                                                      \
    eagle_add_copy((g), (from), &(const struct eagle_copy_options){ __VA_ARGS__ }, EAGLE_HERE)
void eagle_add_copy(eagle_graph *g, eagle_plane from, const struct eagle_copy_options *options, eagle_here here);

/* What a host function is given. planes and data: those read, then those written, as declared. */
typedef struct eagle_host_call {
    int                n;
    const eagle_plane *planes;
    void *const       *data;
    eagle_clock        now;
    const eagle_grid  *grid; /* NULL without one */
    int                rank;
    int64_t            replay; /* how many replays of the graph went before this one */
    eagle_status       status; /* EAGLE_OK, or what an earlier host function of this rank failed with */
} eagle_host_call;
typedef eagle_status (*eagle_host_fn)(const eagle_host_call *call, void *state);

/* Adds a host function: eagle_opaque(g, check, .reads = EAGLE_PLANES(sum), .state = app). It runs on another thread
 * and touches its planes and its state only. `state` is borrowed until the graph is destroyed. */
struct eagle_opaque_options {
    eagle_plane_list reads, writes;
    void            *state;
};
#define EAGLE_PLANES(...)                                                                                             \
    ((eagle_plane_list){ (int)(sizeof((const eagle_plane[]){ __VA_ARGS__ }) / sizeof(eagle_plane)),                   \
                         (const eagle_plane[]){ __VA_ARGS__ } })
#define eagle_opaque(g, fn, ...)                                                                                      \
    eagle_add_opaque((g), #fn, (fn), &(const struct eagle_opaque_options){ __VA_ARGS__ }, EAGLE_HERE)
void eagle_add_opaque(eagle_graph *g, const char *name, eagle_host_fn fn, const struct eagle_opaque_options *options,
                      eagle_here here);

/* Exchanges two planes after each replay: the names stay, the memory changes. */
#define eagle_swap(g, a, b) eagle_add_swap((g), (a), (b), EAGLE_HERE)
void eagle_add_swap(eagle_graph *g, eagle_plane a, eagle_plane b, eagle_here here);

/* Fills the ghost cells of fields: one message a neighbour for all of them, then the edges. Collective when replayed. */
#define eagle_fill_ghosts(g, ...) eagle_add_fill((g), EAGLE_PLANES(__VA_ARGS__), EAGLE_HERE)
void eagle_add_fill(eagle_graph *g, eagle_plane_list fields, eagle_here here);

/* Puts the value of a one-element f64 plane on the host into the history, under this column, when this node runs. */
#define eagle_record(g, column, unit, value) eagle_add_record((g), (column), (unit), (value), EAGLE_HERE)
void eagle_add_record(eagle_graph *g, const char *column, const char *unit, eagle_plane value, eagle_here here);

/* The length of the next step is what this plane holds here: one f64 on the device, the same on every rank, as a minimum
 * over all cells is: eagle_call(g, stable, .u = u, .into = dt); eagle_set_dt(g, dt). Once a step, outside of scopes; the
 * plane may be written in one. The first step has the dt of eagle_clock_set. */
#define eagle_set_dt(g, dt) eagle_add_set_dt((g), (dt), EAGLE_HERE)
void eagle_add_set_dt(eagle_graph *g, eagle_plane dt, eagle_here here);

/* Scopes: EAGLE_EVERY(g, 10) { ... } adds nodes of the steps with step % 10 == 0 (.at = r: == r); EAGLE_WHEN(g, e)
 * nodes of the replays for which the caller raised the event: the last replay of the next launch or enqueue. Scopes that are
 * active on the same steps are one group. .apart = true: another group; it runs beside the steps that follow if nothing behind
 * it in the step waits for it, also where the first group does not: EAGLE_WHEN(g, e) copies u into a device plane of its own,
 * EAGLE_WHEN(g, e, .apart = true) copies that home and writes it. */
typedef enum eagle_scope { EAGLE_SCOPE_EVERY = 1, EAGLE_SCOPE_WHEN } eagle_scope;
typedef struct eagle_event {
    int id; /* 0: none */
} eagle_event;
struct eagle_scope_options {
    int64_t     every, at;
    eagle_event event;
    bool        apart;
};
eagle_status eagle_event_create(eagle_ctx *ctx, const char *name, eagle_event *out);
void         eagle_raise(eagle_graph *g, eagle_event event);
bool         eagle_scope_begin(eagle_graph *g, eagle_scope s, const struct eagle_scope_options *o, eagle_here here);
bool         eagle_scope_end(eagle_graph *g); /* returns false */
#define EG_SCOPE2_(g, s, o, line)                                                                                     \
    for (bool eg_in_##line = eagle_scope_begin((g), (s), (o), EAGLE_HERE); eg_in_##line;                              \
         eg_in_##line = eagle_scope_end(g))
#define EG_SCOPE1_(g, s, o, line) EG_SCOPE2_(g, s, o, line)
#define EAGLE_EVERY(g, ...)                                                                                           \
    EG_SCOPE1_(g, EAGLE_SCOPE_EVERY, (&(const struct eagle_scope_options){ .every = __VA_ARGS__ }), __LINE__)
#define EAGLE_WHEN(g, ...)                                                                                            \
    EG_SCOPE1_(g, EAGLE_SCOPE_WHEN, (&(const struct eagle_scope_options){ .event = __VA_ARGS__ }), __LINE__)

/* 4. Replay. Every phase is lowered by eagle_prepare or on first use; after that replay allocates nothing. */
eagle_status eagle_prepare(eagle_graph *g);
eagle_status eagle_launch(eagle_graph *g, int64_t n);  /* replay n times and wait */
eagle_status eagle_enqueue(eagle_graph *g, int64_t n); /* replay n times, return at once */
eagle_status eagle_synchronize(eagle_graph *g);        /* host planes are safe to read after this */

/* The clock: set between launches; read when nothing is in flight: the step that comes next, and its time. */
eagle_status eagle_clock_set(eagle_graph *g, eagle_clock clock);
eagle_clock  eagle_clock_get(const eagle_graph *g);

/* With eagle_set_dt the step that would reach t_stop ends there exactly; replays after it are void: they change nothing.
 * 0: no such time. Set between launches. With a constant dt nothing is clipped. */
eagle_status eagle_clock_stop(eagle_graph *g, double t_stop_s);

#ifdef __cplusplus
}
#endif
#endif
