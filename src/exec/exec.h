/* exec.h - how a graph runs. replay.c decides what a replay is made of (phases, active groups, swaps, buffers, the
 * clock, errors) and a backend issues it: host.c on OpenMP threads and workers, cuda.c as CUDA graphs. A backend is
 * one constant table of operations; nothing outside it asks which one it is. */
#ifndef EG_EXEC_H
#define EG_EXEC_H

#include <pthread.h>
#include <stdatomic.h>

#include "graph/graph.h"

/* One replay, as replay.c hands it to the backend. */
typedef struct eg_step {
    int64_t     replay; /* 0, 1, 2, ... of this graph */
    eagle_clock clock;  /* where the device decides dt only its step is known */
    bool        sets_clock; /* the clock was set: the device's is not to be advanced to this step */
    uint64_t    phase;  /* bit s: the memory of swap s stands exchanged against the order in which it was declared */
    const bool *active; /* [n_units] */
    bool        last;   /* of its enqueue */
} eg_step;

typedef struct eg_backend {
    const char *name;
    bool        has_device; /* device memory is not the host's */
    bool        blocks;     /* page-locking is dear: take pinned memory in large blocks */
    eagle_status (*open)(eagle_ctx *ctx); /* fills ctx->device; an error names what is missing */
    void (*close)(eagle_ctx *ctx);
    eagle_status (*allocate)(eagle_ctx *ctx, eagle_place place, size_t bytes, void **out); /* zeroed, 256-byte aligned */
    void (*release)(eagle_ctx *ctx, eagle_place place, void *memory);
    size_t (*spare)(eagle_ctx *ctx); /* bytes of device memory that may be taken for speed alone; NULL: it is the host's */
    eagle_status (*copy)(eagle_ctx *ctx, void *to, const void *from, size_t bytes); /* any places; waits */
    /* Makes what a replay in this phase needs (graphs, streams, events). Storages stand in that phase. */
    eagle_status (*prepare)(eagle_graph *g, uint64_t phase);
    /* Issues one replay on the launcher thread. May wait for a buffer that is still in use, for nothing else. */
    eagle_status (*replay)(eagle_graph *g, const eg_step *step);
    /* Waits until everything issued, trailing work too, has ended. */
    eagle_status (*wait)(eagle_graph *g);
    /* Replays whose steps have ended, trailing work aside. Never waits. */
    int64_t (*progress)(eagle_graph *g);
    /* Where the device decides dt: waits for the steps that were issued and gives the clock after them. NULL: it is known
     * without. */
    eagle_status (*clock)(eagle_graph *g, eg_clock *out);
    void (*discard)(eagle_graph *g);               /* gives back what prepare made */
    void (*describe)(const eagle_ctx *ctx, char *out, size_t bytes); /* "NVIDIA H200, 141 GB" */
    /* Runs a kernel's tuned form on arrays of the host, standing as those of `data` do, whichever the backend. Waits. */
    eagle_status (*run_tuned)(eagle_ctx *ctx, const eg_node *node, const eagle_clock *clock, void *const *data);
} eg_backend;

extern const eg_backend eg_host_backend;
#ifdef EAGLE_WITH_CUDA
extern const eg_backend eg_cuda_backend;
#define EG_CUDA_BACKEND &eg_cuda_backend,
#else
#define EG_CUDA_BACKEND
#endif

/* Errors: a backend that this build does not have; a GPU of an architecture for which nothing was built. */
eagle_status eg_no_backend(const char *wanted);
eagle_status eg_no_code_for(const char *gpu, int major, int minor, const char *built);

/* Threads beside the launcher. Jobs of one worker run in the order in which they were posted. */
typedef struct eg_worker_thread eg_worker_thread;
typedef void (*eg_job_fn)(void *argument);
eagle_status eg_worker_open(const char *name, eg_worker_thread **out);
void         eg_worker_close(eg_worker_thread *w); /* ends after what was posted */
void         eg_worker_post(eg_worker_thread *w, eg_job_fn fn, void *argument); /* allocates nothing once warm */

/* Waiting politely: spins, then yields, then sleeps; at once where cores are scarce. */
typedef struct eg_patience {
    int64_t turns;
    double  since;
} eg_patience;
void eg_pause(const eagle_ctx *ctx, eg_patience *p);

struct eagle_ctx {
    const eg_backend *backend;
    void             *device; /* the backend's own */
    int               rank, ranks, local_rank, local_ranks;
    int               threads;   /* OpenMP threads of this rank */
    int               form;      /* host form in use: 0 baseline, 1 v3, 2 v4 */
    bool              checks;    /* what kernels and host functions touch, against what they declare */
    const eg_backend *tuned_by;  /* whose tuned forms are compared with the plain ones; NULL: of none */
    int64_t           n_tuned;   /* calls that were */
    bool              scarce;    /* fewer cores than threads and workers want: yield */
    eg_hooks          hooks;     /* given to every graph */
    eagle_storage    *storages;  /* newest first */
    int64_t           n_storages;
    int               n_events;
    const char       *event_name[64];
    eg_worker_thread *workers[EG_WORKERS];
    eg_worker_thread *launcher;
    struct eg_pool   *pool;      /* pinned memory */
    struct eg_job    *job;       /* src/run: MPI */
    eagle_graph      *graphs;    /* newest first */
    struct eagle_partial *partials; /* [threads] of the host backend */
};

/* The engine's context: everything but MPI. src/run calls these from eagle_init and eagle_finalize. cores: this rank's
 * share of those of its host. */
eagle_status eg_ctx_open(const eagle_options *options, int rank, int ranks, int local_rank, int local_ranks,
                         double cores, eagle_ctx **out);
void         eg_ctx_close(eagle_ctx *ctx);

eagle_status eg_memory_open(eagle_ctx *ctx);
void         eg_memory_close(eagle_ctx *ctx);

/* Arrays. eg_storage_create makes an array of any place; with a grid it is a field's: padded, with ghost cells, the
 * plane standing on the owned cells. name is borrowed. */
eagle_status eg_storage_create(eagle_ctx *ctx, const char *name, eagle_type type, eagle_place place, eagle_shape shape,
                               int buffers, eagle_plane *out);
eagle_status eg_field_create(eagle_ctx *ctx, const char *name, eagle_type type, eagle_place place,
                             const eagle_grid *grid, int ghosts, int components, eagle_plane *out);
/* Padding of a grid's arrays: fills pitch from local cells and ghosts. The same for every type. */
void eg_grid_pitch(eagle_grid *grid);

/* Replay (exec/replay.c). */
enum { EG_REQUESTS = 64, EG_PHASES = 16 };
typedef struct eg_request {
    int64_t  n;
    uint64_t events; /* of its last replay */
} eg_request;
typedef struct eg_replay {
    int64_t         issued;
    eg_clock        clock; /* of the next step */
    bool            sets_clock; /* no replay was issued since it was set */
    atomic_llong    voids; /* replays that were left out, as the clock was over */
    uint64_t        events; /* raised, for the last replay of the next enqueue */
    uint64_t        phases[EG_PHASES]; /* prepared ones, in the order in which they were */
    int             n_phases;
    bool           *active;  /* [n_units] */
    void           *lowered; /* the backend's own */
    eg_request      requests[EG_REQUESTS]; /* a ring: enqueues not yet issued */
    atomic_int      n_posted, n_served;
    double          held_s; /* that the launcher waited for the I/O worker; read when nothing is in flight */
    pthread_mutex_t lock;  /* of error */
    eagle_error     error; /* the first since the last synchronize */
    atomic_int      status;
} eg_replay;

uint64_t eg_phase(const eagle_graph *g); /* as the storages stand now */

/* The parts of the host backend that the cuda backend runs too, for nodes whose planes are on the host: a kernel on
 * this rank's threads (partial: where a reducing kernel leaves its result), the boxes of a copy. data: the address of
 * each of the node's accesses. */
void eg_host_kernel(eagle_ctx *ctx, const eg_node *node, const eagle_clock *clock, void *const *data);
void eg_host_moves(eagle_ctx *ctx, const eg_node *node, void *const *data);

/* check.c: calls a kernel on copies of its planes; an error names what it touches and did not declare. Runs a task and
 * keeps such an error. */
eagle_status eg_check_kernel(const eg_node *node, const eagle_clock *clock, void *const *data);
void         eg_check_task(eagle_graph *g, eg_node *node, const eagle_clock *clock, int64_t replay, void *const *data);

/* The cell of a storage's element, in local indices of a node whose plane it is. */
void eg_cell_of(const eg_node *node, eagle_plane plane, int64_t e, int64_t at[3]);

/* check_tuned.c: is a kernel's tuned form to be compared? Runs the plain form, and the tuned one on copies; an error names
 * the plane and the first cell in which they differ. */
bool         eg_tuned_wanted(const eagle_ctx *ctx, const eg_node *node);
eagle_status eg_check_tuned(eagle_ctx *ctx, const eg_node *node, const eagle_clock *clock, void *const *data);

/* A move whose axes of one element are dropped and whose axes are merged where both sides run on: n items along each
 * axis, `from` and `to` bytes apart; the last axis varies fastest. */
typedef struct eg_walk {
    int     axes;
    int64_t n[EAGLE_MAX_RANK], from[EAGLE_MAX_RANK], to[EAGLE_MAX_RANK];
} eg_walk;
eg_walk eg_walk_of(const eg_move *m);

/* Runs a task's function: fills the call, skips a user's function after a failure, keeps the first error with node,
 * rank and replay. buffer: which buffer of each of its planes this instance uses. For COMM tasks with poll, this is
 * only the start. */
void eg_run_task(eagle_graph *g, eg_node *node, const eagle_clock *clock, int64_t replay, void *const *data);
void eg_keep_error(eagle_graph *g, const eg_node *node, int64_t replay); /* this thread's last error becomes g's */

/* Waits for the steps that were enqueued, trailing work aside, and settles the clock: then eagle_clock_get is right. */
eagle_status eg_settle(eagle_graph *g);
int64_t eg_progress(eagle_graph *g); /* replays whose steps have ended, void ones too */
eagle_status eg_replay_error(eagle_graph *g); /* EAGLE_OK, or the kept error made this thread's; never waits */

#endif
