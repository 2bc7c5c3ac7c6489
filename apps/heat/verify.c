/* verify.c - known answers: a mode that decays by the scheme's own factor, a wall of layers, a closed box, and case 1
 * of ISO 10211. A wrong scheme, edge or sum cannot pass them. */
#include "verify.h"
#include "energy.h"
#include "rkl2.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef double (*answer)(const heat *a, const void *known, eagle_at at);

/* Writes the answer over T.next, which the last step left unused. */
static eagle_status put_answer(const heat *a, answer f, const void *known)
{
    const eagle_grid *g = a->grid;
    const size_t      n = (size_t)(g->local[0] * g->local[1] * g->local[2]);
    const bool        single = a->T.next.type == EAGLE_F32;
    void             *memory = malloc(n * sizeof(double));
    size_t            i = 0;
    eagle_at          at = { .grid = g };

    if (memory == NULL) return eagle_fail(EAGLE_ERR_MEMORY, "", "no memory for the known answer");
    for (at.k = g->offset[2]; at.k < g->offset[2] + g->local[2]; at.k++)
        for (at.j = g->offset[1]; at.j < g->offset[1] + g->local[1]; at.j++)
            for (at.i = g->offset[0]; at.i < g->offset[0] + g->local[0]; at.i++, i++) {
                const double v = f(a, known, at);
                if (single)
                    ((float *)memory)[i] = (float)v;
                else
                    ((double *)memory)[i] = v;
            }
    const eagle_status s = eagle_upload(a->T.next, memory);
    free(memory);
    return s;
}

/* The largest |T - answer| over all cells and ranks. */
static eagle_status deviation_from(eagle_run *run, heat *a, answer f, const void *known, double *out)
{
    eagle_graph *g;
    eagle_plane  largest;

    EAGLE_TRY(put_answer(a, f, known));
    EAGLE_TRY(eagle_value(run, "deviation", &largest));
    EAGLE_TRY(eagle_graph_create(eagle_run_context(run), "deviation", &g));
    eagle_call(g, deviation, .T = a->T.now, .expected = a->T.next, .into = largest);
    const eagle_status s = eagle_launch(g, 1);
    if (s == EAGLE_OK) *out = *(double *)eagle_data(largest);
    eagle_graph_destroy(g);
    return s;
}

static double larger_of(double f64, double f32, const heat *a)
{
    return a->T.now.type == EAGLE_F32 ? f32 : f64;
}

/* 1. A mode: T = sin(pi x / length) on each axis with fixed edges, any constant on the others. */

typedef struct mode {
    bool   along[3];
    double factor;
} mode;

static double mode_at(const heat *a, const void *known, eagle_at at)
{
    const mode      *m = known;
    const eagle_grid *g = a->grid;
    const double      index[3] = { (double)at.i, (double)at.j, (double)at.k };
    double            value = m->factor;

    for (int i = 0; i < g->dims; i++)
        if (m->along[i]) value *= sin(pi * (index[i] + 0.5) / (double)g->cells[i]);
    return value;
}

static eagle_status verify_mode(eagle_run *run, heat *a)
{
    const eagle_clock now = eagle_run_clock(run);
    const eagle_grid *g = a->grid;
    mode              m = { .factor = 1 };
    double            rate = 0, off = 0; /* 1/s */
    eagle_edge        edge;

    for (int i = 0; i < g->dims; i++) {
        const double s = 2 * sin(pi / 2 / (double)g->cells[i]) / g->h[i];
        m.along[i] = strcmp(eagle_edge_at(run, "T", i, 0, &edge), "fixed") == 0;
        if (m.along[i]) rate -= a->medium.k / a->medium.rho_c * s * s;
    }
    const double each = a->scheme == EULER ? 1 + rate * now.dt : rkl2_growth_of_mode(a->rkl2.s, rate * now.dt);
    for (int64_t i = 0; i < now.step; i++)
        m.factor *= each;
    EAGLE_TRY(deviation_from(run, a, mode_at, &m, &off));
    eagle_expect(run, "the mode against its decay, largest difference", off / m.factor, 0, larger_of(1e-12, 2e-4, a));
    return EAGLE_OK;
}

/* 2. A wall: layers across x between two temperatures, each fixed or of a fluid; the heat passes all resistances. */

typedef struct wall {
    double  begin, flux; /* K, W/m2 */
    double *resistance;  /* m2 K/W, from the lower edge to the centre of each cell */
} wall;

static double wall_at(const heat *a, const void *known, eagle_at at)
{
    const wall *w = known;

    (void)a;
    return w->begin - w->flux * w->resistance[at.i];
}

/* Temperature and resistance of the film at one end. */
static eagle_status wall_end(const eagle_run *run, int side, double *T, double *resistance)
{
    eagle_edge  edge;
    const char *kind = eagle_edge_at(run, "T", 0, side, &edge);
    const bool  film = strcmp(kind, "convection") == 0;

    if (!film && strcmp(kind, "fixed") != 0)
        return eagle_fail(EAGLE_ERR_CONFIG, "set edges.x_lower and edges.x_upper to fixed or convection",
                          "verify.case = wall has no answer with '%s' at an end of x", kind);
    *T = edge.value[film ? 1 : 0];
    *resistance = film ? 1 / edge.value[0] : 0;
    return EAGLE_OK;
}

static eagle_status verify_wall(eagle_run *run, heat *a)
{
    const eagle_grid *g = a->grid;
    wall              w = { 0 };
    double            end, last_film, sum, off = 0;
    eagle_at          at = { .grid = g };

    EAGLE_TRY(wall_end(run, 0, &w.begin, &sum));
    EAGLE_TRY(wall_end(run, 1, &end, &last_film));
    w.resistance = malloc((size_t)g->cells[0] * sizeof *w.resistance);
    if (w.resistance == NULL) return eagle_fail(EAGLE_ERR_MEMORY, "", "no memory for the known answer");
    for (at.i = 0; at.i < g->cells[0]; at.i++) {
        const double half = g->h[0] / 2 / materials_at(&a->m, at)->k;
        w.resistance[at.i] = sum + half;
        sum += 2 * half;
    }
    w.flux = (w.begin - end) / (sum + last_film);
    const eagle_status s = deviation_from(run, a, wall_at, &w, &off);
    free(w.resistance);
    EAGLE_TRY(s);
    eagle_expect(run, "the wall's profile, largest difference over that of its ends", off / fabs(w.begin - end), 0,
                 larger_of(1e-10, 5e-3, a));
    return EAGLE_OK;
}

/* 3. A closed box keeps what it has. */

static eagle_status verify_box(eagle_run *run, heat *a)
{
    eagle_graph *g;
    eagle_plane  now;

    EAGLE_TRY(eagle_value(run, "energy at end", &now));
    EAGLE_TRY(eagle_graph_create(eagle_run_context(run), "end", &g));
    energy_add_content(g, a, a->T.now, now);
    const eagle_status s = eagle_launch(g, 1);
    eagle_graph_destroy(g);
    EAGLE_TRY(s);
    eagle_expect(run, "the energy of a closed box, over that at the start",
                 *(double *)eagle_data(now) / a->energy.at_start, 1, larger_of(1e-13, 1e-4, a));
    return EAGLE_OK;
}

/* 4. ISO 10211, case 1: points at multiples of an eighth of the side, each the mean of the four cells around it. */

enum { ISO_ROWS = 7, ISO_COLUMNS = 4, ISO_POINTS = ISO_ROWS * ISO_COLUMNS };
static const double iso_answer[ISO_ROWS][ISO_COLUMNS] = {
    { 9.7, 13.4, 14.7, 15.1 }, { 5.3, 8.6, 10.3, 10.8 }, { 3.2, 5.6, 7.0, 7.5 }, { 2.0, 3.6, 4.7, 5.0 },
    { 1.3, 2.3, 3.0, 3.2 },    { 0.7, 1.4, 1.8, 1.9 },   { 0.3, 0.6, 0.8, 0.9 },
};

/* The local ones of the 2 x 2 cells around a corner of the grid. */
static eagle_box cells_around(const eagle_grid *g, int64_t x, int64_t y)
{
    const int64_t corner[2] = { x, y };
    eagle_box     b = { .hi = { 0, 0, 1 } };

    for (int a = 0; a < 2; a++) {
        const int64_t lo = corner[a] - 1 - g->offset[a], hi = corner[a] + 1 - g->offset[a];
        b.lo[a] = lo < 0 ? 0 : lo < g->local[a] ? lo : g->local[a];
        b.hi[a] = hi < b.lo[a] ? b.lo[a] : hi < g->local[a] ? hi : g->local[a];
    }
    return b;
}

static eagle_status verify_iso(eagle_run *run, heat *a)
{
    const eagle_grid *grid = a->grid;
    const weight      quarter = { 0.25 };
    eagle_graph      *g;
    eagle_plane       point[ISO_POINTS];
    double            worst = 0;

    if (grid->dims != 2 || grid->cells[0] % 8 != 0 || grid->cells[1] % 8 != 0)
        return eagle_fail(EAGLE_ERR_CONFIG, "set grid.cells = 64 64",
                          "verify.case = iso10211 wants two axes with a multiple of 8 cells");
    EAGLE_TRY(eagle_graph_create(eagle_run_context(run), "points", &g));
    for (int i = 0; i < ISO_POINTS; i++) {
        const eagle_box around = cells_around(grid, (1 + i % ISO_COLUMNS) * grid->cells[0] / 8,
                                              (7 - i / ISO_COLUMNS) * grid->cells[1] / 8);
        EAGLE_TRY(eagle_value(run, "point", &point[i]));
        eagle_call(g, sample, .T = a->T.now, .over = &around, .params = &quarter, .into = point[i]);
    }
    const eagle_status s = eagle_launch(g, 1);
    for (int i = 0; i < ISO_POINTS && s == EAGLE_OK; i++)
        worst = fmax(worst, fabs(*(double *)eagle_data(point[i]) - iso_answer[i / ISO_COLUMNS][i % ISO_COLUMNS]));
    eagle_graph_destroy(g);
    EAGLE_TRY(s);
    eagle_expect(run, "ISO 10211 case 1, largest difference over 28 points [K]", worst, 0, 0.1);
    return EAGLE_OK;
}

eagle_status verify_run(eagle_run *run, void *state)
{
    static eagle_status (*const cases[])(eagle_run *, heat *) = { [CASE_NONE] = NULL, [CASE_SINE] = verify_mode,
                                                                 [CASE_WALL] = verify_wall, [CASE_BOX] = verify_box,
                                                                 [CASE_ISO] = verify_iso };
    heat *a = state;

    return cases[a->verify_case] == NULL ? EAGLE_OK : cases[a->verify_case](run, a);
}
