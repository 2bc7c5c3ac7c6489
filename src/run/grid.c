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

/* Cells that the largest part exchanges; splitting x costs most, because its pieces are not contiguous. */
static double cost_of(const eg_cartesian *c)
{
    static const double weight[3] = { 1.5, 1.1, 1.0 };
    double              part[3], cost = 0;

    for (int a = 0; a < 3; a++) part[a] = (double)((c->cells[a] + c->ranks[a] - 1) / c->ranks[a]);
    for (int a = 0; a < 3; a++)
        if (c->ranks[a] > 1) cost += weight[a] * part[0] * part[1] * part[2] / part[a];
    return cost;
}

static eagle_status refuse_choice(int ranks, int dims, const int64_t cells[3], const int64_t wanted[3], int ghosts)
{
    int64_t most = 1, product = 1;
    char    fix[96];

    for (int a = 0; a < dims; a++) {
        most *= cells[a] / least_part(ghosts) > 0 ? cells[a] / least_part(ghosts) : 1;
        product *= wanted[a] > 0 ? wanted[a] : 1;
    }
    if (wanted[0] > 0 || wanted[1] > 0 || wanted[2] > 0) {
        snprintf(fix, sizeof fix, "give run.ranks a product of %d, no axis cut narrower than its ghost cells", ranks);
        return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, fix, "run.ranks cannot be had with %d rank%s", ranks,
                       ranks == 1 ? "" : "s");
    }
    snprintf(fix, sizeof fix, "use at most %lld ranks, a number whose factors fit the axes", (long long)most);
    return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, fix, "%d ranks cannot share %lld x %lld x %lld cells with %d ghost cell%s",
                   ranks, (long long)cells[0], (long long)cells[1], (long long)cells[2], ghosts, ghosts == 1 ? "" : "s");
}

eagle_status eg_cartesian_choose(int ranks, int dims, const int64_t cells[3], const bool periodic[3],
                                 const int64_t wanted[3], int ghosts, eg_cartesian *out)
{
    eg_cartesian c = { .dims = dims };
    double       best = -1;

    memcpy(c.cells, cells, sizeof c.cells);
    memcpy(c.periodic, periodic, sizeof c.periodic);
    for (int z = ranks; z >= 1; z--) {
        if (ranks % z != 0) continue;
        for (int y = ranks / z; y >= 1; y--) {
            if (ranks / z % y != 0) continue;
            c.ranks[0] = ranks / z / y;
            c.ranks[1] = y;
            c.ranks[2] = z;
            if (!allowed(&c, wanted, ghosts) || (best >= 0 && cost_of(&c) >= best)) continue;
            best = cost_of(&c);
            *out = c;
        }
    }
    return best >= 0 ? EAGLE_OK : refuse_choice(ranks, dims, cells, wanted, ghosts);
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
