/* halo.c - a fill of ghost cells becomes nodes of the graph: pack, exchange, unpack, edges.
 *
 *   F1  a rank has a neighbour in each of the 8 or 26 directions, corners too, unless the grid ends there. All fields
 *       and all directions that lead to one neighbour go in one message; both sides order its pieces by the direction
 *       in which the sender sends them, so that two ranks that are neighbours twice do not mix them up.
 *   F2  where a periodic axis leads back to the rank itself, boxes are copied directly.
 *   F3  edges come after the exchange, x before y before z, each over the ghost cells that are already right (those of
 *       ranks and of the axes before it): so corners are right, and the same bits on every number of ranks.
 *   F4  a message begins with the status of its sender, so that a rank learns of the failure of a neighbour, which goes
 *       on taking part.
 *   F5  every rank adds the same fills in the same order; a fill's place in that order is its message tag. */
#include "run/halo.h"

#include <stdlib.h>
#include <string.h>

#include "run/edge_kernels.h"

enum { MOST_PEERS = 26, ALIGNMENT = 16 };

/* The beginning of a message (F4); as long as its alignment. */
typedef struct header {
    int64_t status, spare;
} header;

/* One fill in one graph: its messages, those that go out first, kept until the halo closes. */
typedef struct fill {
    struct fill *next;
    eg_job      *job;
    int          n_sent, n; /* messages that go out; all */
    eagle_status status;    /* of this rank when it started */
    MPI_Request  requests[2 * MOST_PEERS];
    header      *headers[2 * MOST_PEERS];
    int          peers[2 * MOST_PEERS];
} fill;

struct eg_halo {
    eg_job           *job;
    eg_cartesian      cartesian;
    const eagle_grid *grid;
    eg_edge_of        edges;
    void             *edge_state;
    MPI_Datatype      unit; /* 16 bytes, so that a count of int reaches 32 GB */
    int               n_fills;
    fill             *fills;
};

/* --- boxes ---------------------------------------------------------------------------------------------------- */

/* Cells lo <= x < lo + n, in local indices that may lie among the ghost cells. */
static eagle_plane cells_of(eagle_plane field, const eagle_grid *grid, const int64_t lo[3], const int64_t n[3])
{
    for (int a = 0; a < grid->dims; a++) {
        field.n[field.rank - 1 - a] = n[a];
        field.first += lo[a] * grid->pitch[a];
    }
    return field;
}

/* What goes in direction d (owned cells along that side), or comes from there (ghost cells). */
static eagle_plane side_of(eagle_plane field, const eagle_grid *grid, const int d[3], bool ghost)
{
    const int64_t g = field.storage->ghosts;
    int64_t       lo[3], n[3];

    for (int a = 0; a < 3; a++) {
        n[a] = d[a] == 0 ? grid->local[a] : g;
        lo[a] = d[a] <= 0 ? 0 : grid->local[a] - g;
        if (ghost && d[a] != 0) lo[a] += d[a] * g;
    }
    return cells_of(field, grid, lo, n);
}

/* Direction number 0 to 26; 13 is nowhere. */
static void direction(int number, int d[3])
{
    d[0] = number % 3 - 1;
    d[1] = number / 3 % 3 - 1;
    d[2] = number / 9 - 1;
}

static int neighbour(const eg_halo *h, int number)
{
    int d[3];

    direction(number, d);
    for (int a = h->cartesian.dims; a < 3; a++)
        if (d[a] != 0) return -1;
    return number == 13 ? -1 : eg_cartesian_neighbour(&h->cartesian, h->job->rank, d);
}

/* --- messages ------------------------------------------------------------------------------------------------- */

/* Moves that are being collected for one node. */
typedef struct moves {
    int      n, room;
    eg_move *at;
} moves;

static eagle_shape shape_of(eagle_plane plane)
{
    eagle_shape shape = { .rank = plane.rank };

    memcpy(shape.n, plane.n, sizeof shape.n);
    return shape;
}

static size_t padded_bytes(eagle_plane plane)
{
    const size_t bytes = (size_t)eg_plane_count(plane) * eg_type_bytes(plane.type);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The pieces of the message between this rank and a peer, in the order of F1, as moves into or out of a buffer that
 * begins at *offset; storage NULL only counts bytes. */
static void add_pieces(const eg_halo *h, eagle_plane_list fields, int peer, bool receive, eagle_storage *storage,
                       size_t *offset, moves *m)
{
    for (int k = 0; k < 27; k++) {
        const int number = receive ? 26 - k : k; /* the sender's direction k is the receiver's opposite one */
        int       d[3];
        if (neighbour(h, number) != peer) continue;
        direction(number, d);
        for (int f = 0; f < fields.n; f++) {
            const eagle_plane box = side_of(fields.at[f], h->grid, d, receive);
            if (box.storage->ghosts == 0) continue;
            if (storage != NULL) {
                const eagle_plane piece = eg_piece(storage, "message", box.type, shape_of(box), *offset);
                m->at[m->n++] = receive ? (eg_move){ piece, box } : (eg_move){ box, piece };
            }
            *offset += padded_bytes(box);
        }
    }
}

static bool is_peer(const eg_halo *h, int rank)
{
    for (int k = 0; k < 27 && rank != h->job->rank; k++)
        if (neighbour(h, k) == rank) return true;
    return false;
}

static eagle_status init_request(eg_halo *h, fill *f, char *at, size_t bytes, int peer, int tag, bool receive)
{
    MPI_Request   *request = &f->requests[f->n];
    const MPI_Comm comm = h->job->comm[EG_HALO];
    const int      count = (int)(bytes / ALIGNMENT);
    int            code;

    pthread_mutex_lock(&h->job->lock);
    code = receive ? MPI_Recv_init(at, count, h->unit, peer, tag, comm, request)
                   : MPI_Send_init(at, count, h->unit, peer, tag, comm, request);
    pthread_mutex_unlock(&h->job->lock);
    if (code != MPI_SUCCESS) return eg_mpi_fail(receive ? "MPI_Recv_init" : "MPI_Send_init", code);
    f->headers[f->n] = (header *)(void *)at;
    f->peers[f->n++] = peer;
    return EAGLE_OK;
}

/* One message: its header, then its pieces. A message without pieces takes no bytes. */
static void add_message(const eg_halo *h, eagle_plane_list fields, int peer, bool receive, eagle_storage *storage,
                        size_t *offset, moves *m)
{
    const size_t begin = *offset;

    *offset += sizeof(header);
    add_pieces(h, fields, peer, receive, storage, offset, m);
    if (*offset == begin + sizeof(header)) *offset = begin;
}

/* The buffer of all messages in one direction, its moves, and its requests. */
static eagle_status make_side(eg_halo *h, fill *f, eagle_plane_list fields, bool receive, eagle_plane *buffer, moves *m)
{
    size_t bytes = 0;

    for (int rank = 0; rank < h->job->ranks; rank++)
        if (is_peer(h, rank)) add_message(h, fields, rank, receive, NULL, &bytes, NULL);
    const eagle_shape shape = { 1, { bytes > 0 ? (int64_t)bytes : ALIGNMENT } };
    EAGLE_TRY(eg_storage_create(h->job->ctx, receive ? "received" : "sent", EAGLE_U8, EAGLE_PINNED, shape, 1, buffer));
    bytes = 0;
    for (int rank = 0; rank < h->job->ranks; rank++) {
        const size_t begin = bytes;
        if (!is_peer(h, rank)) continue;
        add_message(h, fields, rank, receive, buffer->storage, &bytes, m);
        char *const at = (char *)eagle_data(*buffer) + begin;
        if (bytes > begin) EAGLE_TRY(init_request(h, f, at, bytes - begin, rank, h->n_fills, receive));
    }
    return EAGLE_OK;
}

static eagle_status start(const eagle_host_call *call, void *state)
{
    fill *f = state;

    f->status = call->status;
    for (int i = 0; i < f->n_sent; i++) f->headers[i]->status = call->status;
    pthread_mutex_lock(&f->job->lock);
    const int code = MPI_Startall(f->n, f->requests);
    pthread_mutex_unlock(&f->job->lock);
    return code == MPI_SUCCESS ? EAGLE_OK : eg_mpi_fail("MPI_Startall", code);
}

/* F4 */
static int poll(void *state)
{
    fill     *f = state;
    const int done = eg_poll_requests(f->job, f->n, f->requests);

    for (int i = f->n_sent; i < f->n && done == 1 && f->status == EAGLE_OK; i++)
        if (f->headers[i]->status != EAGLE_OK) return eg_job_heard(f->peers[i], (eagle_status)f->headers[i]->status);
    return done;
}

static eagle_status add_exchange(eg_halo *h, eagle_graph *g, eagle_plane_list fields, moves *m, eagle_here here)
{
    fill       *f = eg_alloc(1, sizeof *f);
    eagle_plane sent, received;

    if (f == NULL) return EAGLE_ERR_MEMORY;
    *f = (fill){ .next = h->fills, .job = h->job };
    h->fills = f;
    h->n_fills++;
    EAGLE_TRY(make_side(h, f, fields, false, &sent, m));
    f->n_sent = f->n;
    if (f->n_sent == 0) return EAGLE_OK;
    eg_add_moves(g, "pack ghosts", m->n, m->at, here);
    m->n = 0;
    EAGLE_TRY(make_side(h, f, fields, true, &received, m));
    const eg_task task = { .start = start, .poll = poll, .state = f, .worker = EG_WORKER_COMM, .takes_part = true };
    eg_add_task(g, "exchange ghosts", &task, (eagle_plane_list){ 1, &sent }, (eagle_plane_list){ 1, &received }, here);
    eg_add_moves(g, "unpack ghosts", m->n, m->at, here);
    m->n = 0;
    return EAGLE_OK;
}

/* F2 */
static void add_wraps(eg_halo *h, eagle_graph *g, eagle_plane_list fields, moves *m, eagle_here here)
{
    for (int k = 0; k < 27; k++) {
        int d[3], back[3];
        if (neighbour(h, k) != h->job->rank) continue;
        direction(k, d);
        direction(26 - k, back);
        for (int f = 0; f < fields.n; f++)
            if (fields.at[f].storage->ghosts > 0)
                m->at[m->n++] = (eg_move){ side_of(fields.at[f], h->grid, back, false),
                                           side_of(fields.at[f], h->grid, d, true) };
    }
    if (m->n > 0) eg_add_moves(g, "wrap ghosts", m->n, m->at, here);
    m->n = 0;
}

/* --- edges ---------------------------------------------------------------------------------------------------- */

static bool has_neighbour(const eg_halo *h, int axis, int side)
{
    int d[3] = { 0, 0, 0 };

    d[axis] = side == 0 ? -1 : 1;
    return eg_cartesian_neighbour(&h->cartesian, h->job->rank, d) >= 0;
}

/* F3 */
static eagle_box edge_box(const eg_halo *h, int axis, int side, int ghosts)
{
    const eagle_grid *grid = h->grid;
    eagle_box         box = { .edge = true, .axis = axis, .side = side };

    for (int a = 0; a < 3; a++) {
        const bool inside = a < grid->dims && a != axis;
        box.lo[a] = inside && (a < axis || has_neighbour(h, a, 0)) ? -ghosts : 0;
        box.hi[a] = grid->local[a] + (inside && (a < axis || has_neighbour(h, a, 1)) ? ghosts : 0);
    }
    box.lo[axis] = side == 0 ? -ghosts : grid->local[axis];
    box.hi[axis] = box.lo[axis] + ghosts;
    return box;
}

static void add_edge(eg_halo *h, eagle_graph *g, eagle_plane field, int axis, int side)
{
    eg_edge_fill edge = { 0 };

    if (has_neighbour(h, axis, side) || !h->edges(h->edge_state, field.storage, axis, side, &edge)) return;
    edge.edge.axis = axis;
    edge.edge.side = side;
    edge.edge.box = edge_box(h, axis, side, field.storage->ghosts);
    edge.add(g, edge.state, field, &edge.edge);
}

static void add_edges(eg_halo *h, eagle_graph *g, eagle_plane field)
{
    if (h->edges == NULL || field.storage->ghosts == 0) return;
    for (int axis = 0; axis < h->grid->dims; axis++)
        for (int side = 0; side < 2; side++) add_edge(h, g, field, axis, side);
}

/* One component of a field: kernels of one value a cell are called on each. */
static eagle_plane component(eagle_plane field, int c)
{
    if (field.storage->components == 1) return field;
    field.first += c * field.stride[0];
    field.rank--;
    memmove(field.n, field.n + 1, sizeof field.n - sizeof field.n[0]);
    memmove(field.stride, field.stride + 1, sizeof field.stride - sizeof field.stride[0]);
    return field;
}

static eg_edge_value value_of(eagle_plane field, const eagle_edge *edge)
{
    return (eg_edge_value){ edge->value[0], field.storage->grid->h[edge->axis], edge->side };
}

static void add_mirror(eagle_graph *g, void *state, eagle_plane field, const eagle_edge *edge)
{
    (void)state;
    for (int c = 0; c < field.storage->components; c++)
        eagle_call(g, eg_edge_mirror, .u = component(field, c), .over = &edge->box);
}

static void add_fixed(eagle_graph *g, void *state, eagle_plane field, const eagle_edge *edge)
{
    const eg_edge_value p = value_of(field, edge);

    (void)state;
    for (int c = 0; c < field.storage->components; c++)
        eagle_call(g, eg_edge_fixed, .u = component(field, c), .over = &edge->box, .params = &p);
}

static void add_flux(eagle_graph *g, void *state, eagle_plane field, const eagle_edge *edge)
{
    const eg_edge_value p = value_of(field, edge);

    (void)state;
    for (int c = 0; c < field.storage->components; c++)
        eagle_call(g, eg_edge_flux, .u = component(field, c), .over = &edge->box, .params = &p);
}

eg_edge_add eg_edge_builtin(const char *kind)
{
    static const struct {
        const char *name;
        eg_edge_add add;
    } kinds[] = { { "mirror", add_mirror }, { "fixed", add_fixed }, { "flux", add_flux } };

    for (int i = 0; i < EG_COUNT(kinds); i++)
        if (strcmp(kind, kinds[i].name) == 0) return kinds[i].add;
    return NULL;
}

/* --- the hook ------------------------------------------------------------------------------------------------- */

static void add_fill(eagle_graph *g, void *state, eagle_plane_list fields, eagle_here here)
{
    eg_halo *h = state;
    moves    m = { .at = eg_alloc((size_t)(27 * fields.n) + 1, sizeof *m.at) };

    if (m.at == NULL || add_exchange(h, g, fields, &m, here) != EAGLE_OK) {
        eg_refuse(g, here, "free memory, or look at what MPI says", "the exchange of ghost cells could not be made: %s",
                  eagle_last_error()->what);
        eg_free(m.at);
        return;
    }
    add_wraps(h, g, fields, &m, here);
    eg_free(m.at);
    for (int f = 0; f < fields.n; f++) {
        add_edges(h, g, fields.at[f]);
        eg_ghosts_filled(g, fields.at[f]);
    }
}

eagle_status eg_halo_open(eg_job *job, const eg_cartesian *cartesian, const eagle_grid *grid, eg_edge_of edges,
                          void *edge_state, eg_halo **out)
{
    eg_halo *h = eg_alloc(1, sizeof *h);

    if (h == NULL) return EAGLE_ERR_MEMORY;
    *h = (eg_halo){ .job = job, .cartesian = *cartesian, .grid = grid, .edges = edges, .edge_state = edge_state };
    pthread_mutex_lock(&job->lock);
    MPI_Type_contiguous(ALIGNMENT, MPI_BYTE, &h->unit);
    MPI_Type_commit(&h->unit);
    pthread_mutex_unlock(&job->lock);
    job->ctx->hooks.fill = add_fill;
    job->ctx->hooks.fill_state = h;
    *out = h;
    return EAGLE_OK;
}

void eg_halo_close(eg_halo *h)
{
    if (h == NULL) return;
    pthread_mutex_lock(&h->job->lock);
    while (h->fills != NULL) {
        fill *f = h->fills;
        h->fills = f->next;
        for (int r = 0; r < f->n; r++) MPI_Request_free(&f->requests[r]);
        eg_free(f);
    }
    MPI_Type_free(&h->unit);
    pthread_mutex_unlock(&h->job->lock);
    h->job->ctx->hooks.fill = NULL;
    eg_free(h);
}
