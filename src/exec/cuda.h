/* cuda.h - the parts of the cuda backend and what they share.
 *
 *     cuda.c          the table: opening the GPU, memory
 *     cuda_nodes.c    a kernel or copy as nodes of a CUDA graph
 *     cuda_graph.c    a unit as an executable; hand-offs to host nodes; prepare and discard
 *     cuda_replay.c   issuing a replay: streams, events, what waits for what
 *     cuda_handoff.c  flags, and the thread that watches them and starts host nodes
 *
 * A host node is a task, or a kernel or copy whose planes are all on the host. What follows is relied on throughout:
 *   C1  units of the step run on the main stream in text order; a trailing unit runs on a lane, a stream of its own,
 *       after all that the main stream was given before it.
 *   C2  before a unit is launched its stream waits for launches on other lanes that touch the same memory.
 *   C3  a host node is `waited` when its executable ends only after it has ended: so C1 and C2 hold for it too. For
 *       one that is not, the launching thread looks whether it has ended before it launches what depends on it.
 *   C4  host nodes wait for one another by counts of ended instances, without the device.
 *   C5  where the device decides dt (eagle_set_dt) it advances the main clock before the first unit and tells the host:
 *       host nodes are all signalled, and take the clock of their replay then. Once the clock is over kernels and copies
 *       return at once, and host nodes end without having run. */
#ifndef EG_CUDA_H
#define EG_CUDA_H

#include <cuda.h> /* types only: nothing links with the driver, so that programs start on machines without one */

#include "exec/cuda_kernels.h"
#include "exec/exec.h"

enum { EG_CUDA_LANES = 5 /* 0 is the main stream */, EG_CUDA_FLIGHTS = 8, EG_CUDA_RING = 8, EG_CUDA_MARKS = 32, EG_CUDA_TOLD = 4096 };

/* Makes an error of a failed call: "cudaGraphLaunch failed: cudaErrorInvalidValue (1)". */
eagle_status eg_cuda_fail(const char *call, cudaError_t code);
#define EG_CUDA_TRY(call)                                                                                             \
    do {                                                                                                              \
        const cudaError_t eg_code_ = (call);                                                                          \
        if (eg_code_ != cudaSuccess) return eg_cuda_fail(#call, eg_code_);                                            \
    } while (0)

/* --- hand-offs ------------------------------------------------------------------------------------------------ */

/* Two words in pinned memory, each in a cache line of its own: the device writes `request` and takes `answer`, the
 * host takes `request` and writes `answer`. 1: written, 0: taken. */
typedef struct eg_cuda_flag {
    atomic_uint request;
    char        apart[60];
    atomic_uint answer;
    char        end[60];
} eg_cuda_flag;

/* One instance of a host node. Lives in the ring of its node and is linked into the lists of the poller. */
typedef struct eg_cuda_instance {
    eagle_graph             *g;
    struct eg_cuda_host     *host;
    struct eg_cuda_instance *next;
    eg_cuda_flag            *flag;   /* NULL: neither signalled nor waited for */
    eagle_clock              clock;
    int64_t                  replay, ordinal; /* of its node: 0, 1, ... */
    int64_t                 *needs;  /* [host->n_before]: instances that must have ended */
    void                   **data;   /* [n_access] */
    bool                     signalled, polling, is_void;
} eg_cuda_instance;

/* What the backend knows of a host node. */
typedef struct eg_cuda_host {
    int              node;
    bool             signals; /* the device says when it may start */
    bool             waited;  /* C3 */
    int              n_before, *before; /* host nodes that it waits for, C4 */
    int64_t          launched, last[EG_PHASES]; /* instances, and the last one in each phase */
    atomic_llong     done;
    int64_t          posted; /* the poller's: instances started, or given to a worker */
    atomic_llong     signalled; /* instances that the device has said may start */
    int64_t          launched_before; /* when half of `told` was last free */
    eg_cuda_instance ring[EG_CUDA_RING];
    void            *room; /* of the rings' arrays */
} eg_cuda_host;

/* --- units and executables ------------------------------------------------------------------------------------ */

/* A storage that a unit touches, and how its device nodes and its host nodes do. */
typedef struct eg_cuda_block {
    eagle_storage *storage;
    bool           device_reads, device_writes, host_reads, host_writes;
} eg_cuda_block;

/* A unit made for one arrangement of memory: base[] of its blocks. */
typedef struct eg_cuda_exec {
    struct eg_cuda_unit *unit;
    cudaGraph_t          graph;
    cudaGraphExec_t      exec;     /* NULL: nothing for the device */
    void               **base;     /* [unit->n_blocks] */
    eg_cuda_flag       **flags;    /* [unit->n_hosts]; NULL where none is needed */
    int64_t             *used;     /* [unit->n_hosts]: instances of the host node when this was last launched */
    void               **memory;   /* device memory: tables of boxes, workspaces */
    int                  n_memory;
} eg_cuda_exec;

typedef struct eg_cuda_unit {
    const eg_unit *text;
    int            index, lane;
    bool           ticks;           /* the first unit of the step: it advances the main clock */
    bool           own_clock;       /* of a group, set before each launch */
    eg_clock      *clock;           /* device */
    int            n_blocks, n_hosts, n_execs, latest;
    eg_cuda_block *blocks;
    void         **base;            /* [n_blocks]: room for looking one up */
    int           *hosts;           /* indices of nodes */
    eg_cuda_exec **execs;
    size_t         room_execs;
} eg_cuda_unit;

/* Replays issued when an event was recorded on the main stream. */
typedef struct eg_cuda_mark {
    cudaEvent_t event;
    int64_t     replays;
} eg_cuda_mark;

typedef struct eg_cuda_lowered {
    eg_cuda_unit   *units; /* [n_units] */
    eg_cuda_host  **hosts; /* [n_nodes]; NULL: a device node */
    eg_clock       *clocks; /* device: [0] of the step, [1 + unit] of groups */
    eg_clock        main;   /* what the main clock holds once all that is issued has run; not where it decides dt */
    eg_clock       *told;   /* pinned, [EG_CUDA_TOLD]: where the device decides dt, the clock of each replay */
    int64_t         told_end; /* replays that may write it without looking who has not read it */
    pthread_mutex_t lock;   /* of marks */
    eg_cuda_mark    marks[EG_CUDA_MARKS];
    int64_t         first_mark, n_marks, ended, unmarked; /* unmarked: replays since the last mark */
    int64_t         stalls; /* times that the launching thread waited for a host node */
} eg_cuda_lowered;

/* --- the GPU -------------------------------------------------------------------------------------------------- */

/* A launch on a lane that may not have ended. */
typedef struct eg_cuda_flight {
    const eg_cuda_exec *exec;
    cudaEvent_t         ended;
    unsigned            behind; /* bit per lane: what that lane is given from now on runs after it */
} eg_cuda_flight;

typedef struct eg_cuda_lane {
    cudaStream_t   stream;
    cudaEvent_t    after_main;
    eg_cuda_flight flights[EG_CUDA_FLIGHTS];
    int64_t        n_flights; /* ever; a ring */
} eg_cuda_lane;

enum { EG_CUDA_FLAGS = 1024 };

typedef struct eg_cuda {
    eagle_ctx      *ctx;
    int             device;
    char            name[256];
    size_t          bytes;
    bool            mem_ops; /* else hand-offs are CUDA host nodes */
    CUcontext       context;
    CUresult (*add_batch)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_BATCH_MEM_OP_NODE_PARAMS *);
    pthread_mutex_t lock; /* of lanes' flights and of free flags */
    eg_cuda_lane    lanes[EG_CUDA_LANES];
    eg_cuda_flag   *flags; /* [EG_CUDA_FLAGS] */
    int             free_flags[EG_CUDA_FLAGS], n_free_flags;
    atomic_bool     broken; /* the device failed: signals will not come */

    pthread_t         poller;
    bool              polls; /* the thread runs */
    pthread_mutex_t   inbox_lock;
    pthread_cond_t    inbox_filled;
    eg_cuda_instance *inbox, **inbox_end;
    atomic_int        n_inbox;
    bool              closing;
    eg_cuda_instance *waiting; /* the poller's own, in the order of launches */
} eg_cuda;

/* cuda_nodes.c. `after`: the nodes that it waits for; `out`: its last node. */
typedef struct eg_cuda_build {
    eagle_graph     *g;
    eg_cuda         *cuda;
    eg_cuda_unit    *unit;
    eg_cuda_exec    *exec;
    cudaGraphNode_t *tail;   /* [n_nodes]: the last CUDA node of each, NULL if it has none */
    cudaGraphNode_t *after;  /* room for the edges of one node */
    int              n_after;
    cudaGraphNode_t  tick, io, waits[4]; /* io: the last hand-off to the I/O worker; waits: the latest that wait */
    int              n_waits;
} eg_cuda_build;
eagle_status eg_cuda_lower(eg_cuda_build *b, const eg_node *node, cudaGraphNode_t *out);
eagle_status eg_cuda_device_memory(eg_cuda_exec *exec, size_t bytes, void **out); /* zeroed; freed with the executable */

/* cuda_tuned.c */
eagle_status eg_cuda_run_tuned(eagle_ctx *ctx, const eg_node *node, const eagle_clock *clock, void *const *data);

/* cuda_graph.c */
eagle_status eg_cuda_prepare(eagle_graph *g, uint64_t phase);
void         eg_cuda_discard(eagle_graph *g);
eagle_status eg_cuda_exec_for(eagle_graph *g, eg_cuda_unit *unit, eg_cuda_exec **out); /* as the storages stand */
static inline bool eg_cuda_on_host(const eg_node *node) { return node->kind == EG_TASK || !node->on_device; }

/* cuda_replay.c */
eagle_status eg_cuda_replay(eagle_graph *g, const eg_step *step);
eagle_status eg_cuda_wait(eagle_graph *g);
int64_t      eg_cuda_progress(eagle_graph *g);
eagle_status eg_cuda_clock_after(eagle_graph *g, eg_clock *out);

/* cuda_handoff.c */
eagle_status eg_cuda_handoff_open(eg_cuda *cuda);
void         eg_cuda_handoff_close(eg_cuda *cuda);
eagle_status eg_cuda_flag_take(eg_cuda *cuda, eg_cuda_flag **out);
void         eg_cuda_flag_give(eg_cuda *cuda, eg_cuda_flag *flag);
/* Adds the node of a host node with a flag: writes the request if it signals, takes the answer if it is waited for. */
eagle_status eg_cuda_handoff_add(eg_cuda_build *b, const eg_cuda_host *host, eg_cuda_flag *flag, cudaGraphNode_t *out);
void         eg_cuda_handoff_post(eg_cuda *cuda, eg_cuda_instance *in);

#endif
