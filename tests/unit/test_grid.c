/* test_grid.c - which rank has which cells, who its neighbours are, and what is refused. */
#include "check.h"
#include "run/grid.h"

static const bool    closed[3] = { false, false, false };

static void test_parts(void)
{
    static const int64_t cells[] = { 1, 7, 10, 64, 1000003 };

    for (int c = 0; c < EG_COUNT(cells); c++)
        for (int n = 1; n <= 13 && n <= cells[c]; n++) {
            int64_t end = 0, offset, local, least = cells[c];
            for (int p = 0; p < n; p++) {
                eg_cartesian_part(cells[c], n, p, &offset, &local);
                CHECK(offset == end && local <= least && local >= cells[c] / n && local <= cells[c] / n + 1);
                least = local;
                end = offset + local;
            }
            CHECK(end == cells[c]);
        }
}

typedef struct choice {
    int     ranks, dims;
    int64_t cells[3], wanted[3];
    int     ghosts, expected[3];
} choice;

static const choice choices[] = {
    { 1, 2, { 5, 5, 1 }, { 0 }, 1, { 1, 1, 1 } },
    { 2, 2, { 64, 64, 1 }, { 0 }, 1, { 1, 2, 1 } },          /* the slowest axis first */
    { 4, 2, { 64, 64, 1 }, { 0 }, 1, { 2, 2, 1 } },          /* least surface */
    { 2, 3, { 64, 64, 64 }, { 0 }, 1, { 1, 1, 2 } },
    { 4, 3, { 64, 64, 64 }, { 0 }, 1, { 1, 2, 2 } },
    { 8, 3, { 64, 64, 64 }, { 0 }, 1, { 2, 2, 2 } },
    { 7, 3, { 80, 90, 100 }, { 0 }, 2, { 1, 1, 7 } },        /* a prime */
    { 4, 2, { 4096, 8, 1 }, { 0 }, 1, { 4, 1, 1 } },         /* long along x */
    { 4, 2, { 64, 64, 1 }, { 4, 0, 0 }, 1, { 4, 1, 1 } },    /* fixed along x */
    { 6, 3, { 64, 64, 64 }, { 0, 3, 0 }, 1, { 1, 3, 2 } },   /* fixed along y */
    { 3, 2, { 5, 9, 1 }, { 0 }, 3, { 1, 3, 1 } },            /* parts as wide as the ghost cells */
    { 5, 2, { 5, 5, 1 }, { 0 }, 1, { 1, 5, 1 } },            /* one cell each */
};

static void test_choices(void)
{
    for (int i = 0; i < EG_COUNT(choices); i++) {
        const choice *c = &choices[i];
        eg_cartesian  out = { 0 };
        CHECK(eg_cartesian_choose(c->ranks, c->dims, c->cells, closed, c->wanted, c->ghosts, &out) == EAGLE_OK);
        for (int a = 0; a < 3; a++) CHECK(out.ranks[a] == c->expected[a] && out.cells[a] == c->cells[a]);
        CHECK(out.dims == c->dims);
    }
}

typedef struct refusal {
    int         ranks, dims;
    int64_t     cells[3], wanted[3];
    int         ghosts;
    const char *what, *fix;
} refusal;

static const refusal refusals[] = {
    { 100, 2, { 4, 4, 1 }, { 0 }, 1, "4 x 4 cells with 1 ghost cell cannot be shared by 100 ranks",
      "use at most 16 ranks" },
    { 7, 2, { 4, 4, 1 }, { 0 }, 1, "4 x 4 cells with 1 ghost cell cannot be shared by 7 ranks", "use at most 6 ranks" },
    { 2, 3, { 3, 3, 3 }, { 0 }, 2, "3 x 3 x 3 cells with 2 ghost cells cannot be shared by 2 ranks",
      "use at most 1 rank" },
    { 1000000000, 2, { 1000, 1000, 1 }, { 0 }, 1,
      "1000 x 1000 cells with 1 ghost cell cannot be shared by 1000000000 ranks", "use at most 1000000 ranks" },
    { 1, 2, { 8, 1, 1 }, { 0 }, 2, "axis y has 1 cell and 2 ghost cells on each side", "give axis y at least 2 cells" },
    { 4, 2, { 0, 8, 1 }, { 0 }, 1, "axis x has 0 cells and 1 ghost cell on each side", "give axis x at least 1 cells" },
    { 4, 2, { 64, 64, 1 }, { 3, 0, 0 }, 1, "run.ranks: 4 ranks cannot stand as 3 x any",
      "leave it out, or write run.ranks = 2 2" },
    { 4, 3, { 64, 64, 64 }, { 2, 2, 2 }, 1, "run.ranks: 4 ranks cannot stand as 2 x 2 x 2",
      "leave it out, or write run.ranks = 1 2 2" },
    { 99, 2, { 4, 4, 1 }, { 99, 1, 1 }, 1, "run.ranks: 99 ranks cannot stand as 99 x 1",
      "leave run.ranks out, and use fewer ranks" },
};

static void test_refusals(void)
{
    for (int i = 0; i < EG_COUNT(refusals); i++) {
        const refusal *r = &refusals[i];
        eg_cartesian   out = { 0 };
        CHECK(eg_cartesian_choose(r->ranks, r->dims, r->cells, closed, r->wanted, r->ghosts, &out) == EAGLE_ERR_CONFIG);
        CHECK_TEXT(eagle_last_error()->what, r->what);
        CHECK_TEXT(eagle_last_error()->fix, r->fix);
    }
}

/* Every rank has a place of its own, and the neighbour's neighbour on the other side is the rank itself. */
static void test_neighbours(bool px, bool py, bool pz)
{
    const eg_cartesian c = { 3, { 2, 3, 1 }, { px, py, pz }, { 8, 9, 5 } };
    int                place[3];

    for (int rank = 0; rank < 6; rank++) {
        eg_cartesian_place(&c, rank, place);
        CHECK(place[0] + 2 * (place[1] + 3 * place[2]) == rank);
        for (int k = 0; k < 27; k++) {
            const int d[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 }, back[3] = { -d[0], -d[1], -d[2] };
            const int other = eg_cartesian_neighbour(&c, rank, d);
            bool      outside = false;
            for (int a = 0; a < 3; a++)
                outside |= !c.periodic[a] && (place[a] + d[a] < 0 || place[a] + d[a] >= c.ranks[a]);
            CHECK((other < 0) == outside);
            if (other >= 0) CHECK(eg_cartesian_neighbour(&c, other, back) == rank);
        }
    }
}

static void test_periodic(void)
{
    const eg_cartesian c = { 2, { 2, 1, 1 }, { true, true, false }, { 8, 9, 1 } };
    const int          left[3] = { -1, 0, 0 }, right[3] = { 1, 0, 0 }, up[3] = { 0, 1, 0 }, above[3] = { 0, 0, 1 };

    CHECK(eg_cartesian_neighbour(&c, 0, left) == 1 && eg_cartesian_neighbour(&c, 0, right) == 1); /* one peer twice */
    CHECK(eg_cartesian_neighbour(&c, 1, up) == 1);                                                 /* itself */
    CHECK(eg_cartesian_neighbour(&c, 1, above) == -1);
}

static void test_grids(void)
{
    const eg_cartesian c = { 2, { 2, 3, 1 }, { false, false, false }, { 9, 10, 1 } };
    const double       lower[3] = { -1, 2, 7 }, upper[3] = { 8, 4, 7 };
    int64_t            cells = 0;
    eagle_grid         g;

    for (int rank = 0; rank < 6; rank++) {
        eg_cartesian_grid(&c, rank, lower, upper, 2, &g);
        cells += g.local[0] * g.local[1] * g.local[2];
        CHECK(g.dims == 2 && g.ghosts == 2 && g.local[2] == 1);
        CHECK(g.cells[0] == 9 && g.cells[1] == 10 && g.cells[2] == 1);
        CHECK(g.h[0] == 1.0 && g.h[1] == 0.2 && g.lower[0] == -1 && g.lower[1] == 2);
    }
    CHECK(cells == 90);
    CHECK(g.offset[0] == 5 && g.local[0] == 4 && g.offset[1] == 7 && g.local[1] == 3);
}

int main(void)
{
    test_parts();
    test_choices();
    test_refusals();
    for (int k = 0; k < 8; k++) test_neighbours((k & 1) != 0, (k & 2) != 0, (k & 4) != 0);
    test_periodic();
    test_grids();
    return check_end();
}
