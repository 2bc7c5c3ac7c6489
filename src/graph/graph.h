/* graph.h - what a graph is: nodes in the order of the program text, what each reads and writes, and the order that
 * follows. Pure C11: it knows nothing of CUDA, MPI or threads; src/exec runs it.
 *
 * Invariants
 *   G1  nodes stand in text order; a node depends on earlier nodes of its step and, across replays, on later ones.
 *   G2  `error` is the first refusal and is never overwritten; a graph with one is never run.
 *   G3  two accesses conflict when one of them writes, both touch the same storage, and their boxes overlap.
 *   G4  a storage is a name: after each replay eagle_swap exchanges the memory of two storages, so hazards within a
 *       step are judged on storages, across replays on the memory that they stand for. */
#ifndef EG_GRAPH_H
#define EG_GRAPH_H

#include "base/base.h"
#include "eagle/graph.h"

/* An array. Planes of it stand on element `first`; with ghost cells that is not its beginning. */
struct eagle_storage {
    eagle_ctx       *ctx;
    const char      *name;
    eagle_type       type;
    eagle_place      place;
    int              rank;                 /* the whole array, ghost cells and padding included */
    int64_t          extent[EAGLE_MAX_RANK], stride[EAGLE_MAX_RANK];
    size_t           bytes;                /* of one buffer */
    const eagle_grid *grid;                /* NULL: not a field */
    int              ghosts, components;   /* of a field: ghost cells that a fill keeps valid; components, 1 or more */
    int64_t          origin;               /* of a field: the element of its first owned cell */
    bool             constant;             /* its ghost cells are always valid, and nothing may write it */
    bool             owned;                /* memory is freed by the context */
    bool             device_only;          /* the host cannot read it */
    bool             gone;                 /* destroyed: planes of it are refused */
    int              buffers;              /* 1, or the depth of a pinned plane */
    int              current;              /* the buffer last written: what eagle_data gives */
    int64_t          rotated;              /* the replay for which `current` was last moved on */
    void           **memory, **own_memory; /* [buffers]; memory is exchanged by a swap */
    int64_t          id;                   /* 1, 2, ... in order of creation */
    eagle_storage   *next;                 /* the context's list */
};

typedef struct eg_access {
    eagle_plane plane;
    bool        reads, writes;
    int64_t     lo[EAGLE_MAX_RANK], hi[EAGLE_MAX_RANK]; /* in elements of the storage along its axes, lo <= i < hi */
} eg_access;

typedef enum eg_kind { EG_KERNEL = 1, EG_COPY, EG_TASK } eg_kind;

/* Host work. `start` runs on a worker or on the thread that replays; where `poll` is set the work ends when poll says
 * so (communication), else when start returns. poll: 1 done, 0 not yet, negative an eagle_status. */
typedef enum eg_worker { EG_WORKER_HOST = 0, EG_WORKER_IO, EG_WORKER_COMM, EG_WORKERS } eg_worker;
typedef struct eg_task {
    eagle_host_fn start;
    int (*poll)(void *state);
    void     *state;
    eg_worker worker;
    bool      takes_part; /* runs even when an earlier function of this rank failed: other ranks wait for it */
} eg_task;

/* One box to move: both planes have the same shape and element type. */
typedef struct eg_move {
    eagle_plane from, to;
} eg_move;

typedef struct eg_node {
    eg_kind    kind;
    char      *name;   /* kernel, function or "copy a -> b" */
    eagle_here here;   /* the call */
    int        scope;  /* index into scopes; 0 is the step itself */
    bool       on_device;
    int        n_access;
    eg_access *access; /* EG_KERNEL: its planes in the order of the list, each standing on local cell (0, 0, 0) whatever
                          the box, then what it reads inwards beyond an edge, last its partial result if it reduces;
                          EG_COPY: from, to of each move; EG_TASK: what it reads, then what it writes */

    const eagle_kernel *kernel; /* EG_KERNEL: the form for the precision at hand */
    eagle_grid          grid;
    eagle_box           box;
    void               *params;
    int                 n_moves; /* EG_COPY */
    eg_move            *moves;
    eg_task             task; /* EG_TASK */
    eagle_plane        *planes; /* EG_TASK: those of `access`, as its function gets them */

    /* from eg_order */
    int               n_deps, *deps; /* earlier nodes of this step that it waits for, transitively reduced */
    int               n_across;
    struct eg_across *across;
    int               unit;              /* index into units */
} eg_node;

/* A wait for instances of `node` from earlier replays. The storages are the same (swap -1), or were exchanged by
 * swaps[swap]: then the memory overlaps when the two phases differ in that bit (odd) or agree in it (not odd). Through a
 * plane of b buffers the latest b - 1 = slack instances may still be in flight. */
typedef struct eg_across {
    int  node, slack, swap;
    bool odd;
} eg_across;

typedef struct eg_scope_info {
    int         parent;
    eagle_scope kind; /* 0: the step itself */
    int64_t     every, at;
    int         event;
    bool        apart;
    eagle_here  here;
} eg_scope_info;

/* Nodes that are replayed together: the step's own, and one for each group of EVERY or WHEN, in text order. A group
 * is cut in two only where a node of the step between reads or writes what it touches. */
typedef struct eg_unit {
    int scope;
    bool trailing; /* runs beside the steps that follow: no node of a later unit waits for it within the step */
    int n, *nodes;
} eg_unit;

/* What layer 4 adds: sums over ranks, ghost cells, history. Without a hook there is one rank. */
typedef struct eg_hooks {
    void *reduce_state, *record_state, *fill_state;
    int   rank, ranks;
    eagle_status (*storage)(eagle_ctx *ctx, const char *name, eagle_type type, eagle_place place, eagle_shape shape,
                            int buffers, eagle_plane *out); /* exec: an array for the graph's own use */
    void (*reduce)(eagle_graph *g, void *state, eagle_plane partial, eagle_reduction r, eagle_here here);
    void (*record)(eagle_graph *g, void *state, const char *column, const char *unit, eagle_plane value, eagle_here here);
    void (*fill)(eagle_graph *g, void *state, eagle_plane_list fields, eagle_here here);
} eg_hooks;

typedef struct eg_swap {
    eagle_storage *a, *b;
} eg_swap;

/* How many ghost cells of a field are valid here, and who made them old. */
typedef struct eg_age {
    const eagle_storage *storage;
    int                  valid;
    const char          *writer; /* NULL: not written in this step */
    eagle_here           here;
} eg_age;

struct eagle_graph {
    eagle_ctx   *ctx;
    const char  *name;
    eagle_error  error; /* status EAGLE_OK: none yet */
    const eagle_grid *grid; /* that host functions see; NULL: none */
    eg_hooks     hooks;

    eg_node       *nodes;
    size_t         n_nodes, room_nodes;
    eg_scope_info *scopes;
    size_t         n_scopes, room_scopes;
    int            open_scope;
    struct eg_swap *swaps;
    size_t          n_swaps, room_swaps;
    struct eg_age  *ages; /* of the ghost cells of each field, as the text goes on */
    size_t          n_ages, room_ages;

    bool     ordered; /* eg_order was run: nothing may be added */
    eg_unit *units;
    size_t   n_units, room_units;
    struct eg_replay *replay; /* src/exec */
    eagle_graph *next;        /* the context's list */
    double   dt;              /* for eagle_step_dt, set before the step is built */
    eagle_plane next_dt;      /* what eagle_set_dt was given; without memory: dt is constant */
    double   dt_part, dt_most; /* dt is this part of it, and at most so much (0: any) */
    int64_t  check_every;
};

/* Makes and frees the description; eagle_graph_create and _destroy (exec) add what runs it. */
eagle_status eg_graph_new(eagle_ctx *ctx, const char *name, const eg_hooks *hooks, eagle_graph **out);
void         eg_graph_free(eagle_graph *g);

/* Builder steps that other layers use. All keep the first refusal; see graph/builder.c. */
bool eg_refuse(eagle_graph *g, eagle_here here, const char *fix, const char *fmt, ...)
    __attribute__((format(printf, 4, 5))); /* returns true */
void eg_add_moves(eagle_graph *g, const char *name, int n, const eg_move *moves, eagle_here here);
void eg_add_task(eagle_graph *g, const char *name, const eg_task *task, eagle_plane_list reads, eagle_plane_list writes,
                 eagle_here here);
/* Says that the ghost cells of a field are valid from here on. */
void eg_ghosts_filled(eagle_graph *g, eagle_plane field);

/* Settles the order and the units. Refuses what can only be seen on the whole graph. Idempotent. */
eagle_status eg_order(eagle_graph *g);

/* Is the scope active on this step? events: bit set of raised events. */
bool eg_scope_active(const eagle_graph *g, int scope, int64_t step, uint64_t events);

/* Planes (graph/plane.c). */
size_t      eg_type_bytes(eagle_type type);
const char *eg_type_name(eagle_type type);
const char *eg_place_name(eagle_place place);
bool        eg_on_device(eagle_plane plane);
int64_t     eg_plane_count(eagle_plane plane); /* elements */
bool        eg_same_shape(eagle_plane a, eagle_plane b);
void        eg_access_box(eagle_plane plane, eg_access *out); /* lo and hi of the plane itself */
int64_t     eg_first_owned(const eagle_storage *field, int axis); /* its index along that axis of the grid */
bool        eg_conflict(const eg_access *a, const eg_access *b); /* G3 */
/* A plane of any shape on a storage, without gaps, from byte `offset`: a piece of a message buffer. */
eagle_plane eg_piece(eagle_storage *storage, const char *name, eagle_type type, eagle_shape shape, size_t offset);
/* The address of a plane's first element in a given buffer of its storage. */
void *eg_address(eagle_plane plane, int buffer);

#endif
