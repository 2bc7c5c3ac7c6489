/* grid.c - which rank has which cells (grid.h). Pure functions of sizes. */
#include "run/grid.h"

#include <string.h>

void eg_cartesian_part(int64_t cells, int n, int p, int64_t *offset, int64_t *local)
{
    const int64_t least = cells / n, larger = cells % n;

    *local = least + (p < larger ? 1 : 0);
    *offset = p * least + (p < larger ? p : larger);
}

void eg_cartesian_place(const eg_cartesian *c, int rank, int place[3])
{
    place[0] = rank % c->ranks[0];
    place[1] = rank / c->ranks[0] % c->ranks[1];
    place[2] = rank / c->ranks[0] / c->ranks[1];
}

int eg_cartesian_neighbour(const eg_cartesian *c, int rank, const int d[3])
{
    int place[3];

    eg_cartesian_place(c, rank, place);
    for (int a = 0; a < 3; a++) {
        place[a] += d[a];
        if (place[a] < 0 || place[a] >= c->ranks[a]) {
            if (!c->periodic[a]) return -1;
            place[a] = (place[a] + c->ranks[a]) % c->ranks[a];
        }
    }
    return place[0] + c->ranks[0] * (place[1] + c->ranks[1] * place[2]);
}

/* --- choosing ------------------------------------------------------------------------------------------------- */

/* Narrowest part that an axis may be cut into: every ghost cell must be another rank's own, or the rank's own. */
static int64_t least_part(int ghosts) { return ghosts > 1 ? ghosts : 1; }

static bool allowed(const eg_cartesian *c, const int64_t wanted[3], int ghosts)
{
    for (int a = 0; a < 3; a++) {
        if (wanted[a] > 0 && wanted[a] != c->ranks[a]) return false;
        if (a >= c->dims && c->ranks[a] > 1) return false;
        if (a < c->dims && c->cells[a] / c->ranks[a] < least_part(ghosts)) return false;
    }
    return true;
}

/* Sides of a part towards other ranks, of the part that has most. */
static int shared_sides(const eg_cartesian *c, int axis)
{
    if (c->ranks[axis] == 1) return 0;
    return c->ranks[axis] == 2 && !c->periodic[axis] ? 1 : 2;
}

/* Cells that the largest part exchanges; splitting x costs most, because its pieces are not contiguous. */
static double cost_of(const eg_cartesian *c)
{
    static const double weight[3] = { 1.5, 1.1, 1.0 };
    double              part[3], cost = 0;

    for (int a = 0; a < 3; a++) part[a] = (double)((c->cells[a] + c->ranks[a] - 1) / c->ranks[a]);
    for (int a = 0; a < 3; a++) cost += shared_sides(c, a) * weight[a] * part[0] * part[1] * part[2] / part[a];
    return cost;
}

static int lesser(int ranks, int64_t cells) { return ranks < cells ? ranks : (int)cells; }

/* The cheapest decomposition of those allowed; false: there is none. */
static bool choose(int ranks, const int64_t wanted[3], int ghosts, eg_cartesian *out)
{
    eg_cartesian c = *out;
    double       best = -1;

    for (int z = lesser(ranks, c.cells[2]); z >= 1; z--) {
        if (ranks % z != 0) continue;
        for (int y = lesser(ranks / z, c.cells[1]); y >= 1; y--) {
            if (ranks / z % y != 0) continue;
            c.ranks[0] = ranks / z / y;
            c.ranks[1] = y;
            c.ranks[2] = z;
            if (!allowed(&c, wanted, ghosts) || (best >= 0 && cost_of(&c) >= best)) continue;
            best = cost_of(&c);
            *out = c;
        }
    }
    return best >= 0;
}

/* An axis that not even one rank can hold: a ghost cell stands for a cell of the grid. */
static eagle_status refuse_axis(int axis, int64_t cells, int ghosts)
{
    char fix[96];

    snprintf(fix, sizeof fix, "give axis %c at least %lld cells", "xyz"[axis], (long long)least_part(ghosts));
    return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, fix, "axis %c has %lld cell%s and %d ghost cell%s on each side",
                   "xyz"[axis], (long long)cells, cells == 1 ? "" : "s", ghosts, ghosts == 1 ? "" : "s");
}

static void format_cells(const eg_cartesian *c, char out[80])
{
    const int n = snprintf(out, 80, "%lld x %lld", (long long)c->cells[0], (long long)c->cells[1]);

    if (c->dims == 3) snprintf(out + n, (size_t)(80 - n), " x %lld", (long long)c->cells[2]);
}

static eagle_status refuse_wanted(int ranks, const eg_cartesian *c, const int64_t wanted[3], int ghosts)
{
    const int64_t any[3] = { 0 };
    eg_cartesian  other = *c;
    char          fix[128] = "leave run.ranks out, and use fewer ranks", words[80], *at = words;

    if (choose(ranks, any, ghosts, &other))
        snprintf(fix, sizeof fix,
                 c->dims == 3 ? "leave it out, or write run.ranks = %d %d %d"
                              : "leave it out, or write run.ranks = %d %d",
                 other.ranks[0], other.ranks[1], other.ranks[2]);
    for (int a = 0; a < c->dims; a++)
        at += snprintf(at, 26, wanted[a] > 0 ? "%s%lld" : "%sany", a > 0 ? " x " : "", (long long)wanted[a]);
    return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, fix, "run.ranks: %d rank%s cannot stand as %s", ranks,
                   ranks == 1 ? "" : "s", words);
}

/* Names the most ranks, of those below, among which the cells can be shared. */
static eagle_status refuse_ranks(int ranks, const eg_cartesian *c, int ghosts)
{
    const int64_t any[3] = { 0 };
    eg_cartesian  other = *c;
    double        parts = 1; /* no more ranks than this, so that the search is short */
    int           most = ranks - 1;
    char          cells[80], fix[64];

    for (int a = 0; a < c->dims; a++) parts *= (double)(c->cells[a] / least_part(ghosts));
    if (parts < most) most = (int)parts;
    while (most > 1 && !choose(most, any, ghosts, &other)) most--;
    format_cells(c, cells);
    snprintf(fix, sizeof fix, "use at most %d rank%s", most, most == 1 ? "" : "s");
    return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, fix, "%s cells with %d ghost cell%s cannot be shared by %d ranks",
                   cells, ghosts, ghosts == 1 ? "" : "s", ranks);
}

eagle_status eg_cartesian_choose(int ranks, int dims, const int64_t cells[3], const bool periodic[3],
                                 const int64_t wanted[3], int ghosts, eg_cartesian *out)
{
    eg_cartesian c = { .dims = dims };

    memcpy(c.cells, cells, sizeof c.cells);
    memcpy(c.periodic, periodic, sizeof c.periodic);
    for (int a = dims; a < 3; a++) c.cells[a] = 1;
    for (int a = 0; a < dims; a++)
        if (cells[a] < least_part(ghosts)) return refuse_axis(a, cells[a], ghosts);
    if (!choose(ranks, wanted, ghosts, &c)) {
        if (wanted[0] > 0 || wanted[1] > 0 || wanted[2] > 0) return refuse_wanted(ranks, &c, wanted, ghosts);
        return refuse_ranks(ranks, &c, ghosts);
    }
    *out = c;
    return EAGLE_OK;
}

void eg_cartesian_grid(const eg_cartesian *c, int rank, const double lower[3], const double upper[3], int ghosts,
                       eagle_grid *out)
{
    int place[3];

    *out = (eagle_grid){ .dims = c->dims, .ghosts = ghosts };
    eg_cartesian_place(c, rank, place);
    for (int a = 0; a < 3; a++) {
        out->cells[a] = a < c->dims ? c->cells[a] : 1;
        eg_cartesian_part(out->cells[a], c->ranks[a], place[a], &out->offset[a], &out->local[a]);
        out->lower[a] = a < c->dims ? lower[a] : 0;
        out->h[a] = a < c->dims ? (upper[a] - lower[a]) / (double)c->cells[a] : 1;
    }
}
