/* probes.c - see probes.h. Every rank takes the minimum over its part of the probed cell, which is one cell on the rank
 * that has it and none elsewhere: so the value reaches all ranks by way of the reductions, with its bits. */
#include "run/probes.h"

#include <math.h>
#include <string.h>

#include "run/selection.h"

static const double slack_cells = 1e-6; /* of a point on the edge, for rounding */
enum { PREFIX = sizeof "probe." - 1, WORD_MAX = 128 };

bool eg_probe_cell(const eagle_grid *grid, const double at_m[3], int64_t cell[3])
{
    for (int a = 0; a < 3; a++) {
        const double cells = a < grid->dims ? (at_m[a] - grid->lower[a]) / grid->h[a] : 0;
        if (!(cells >= -slack_cells && cells <= (double)grid->cells[a] + slack_cells)) return false;
        cell[a] = (int64_t)floor(cells);
        if (cell[a] < 0) cell[a] = 0;
        if (cell[a] >= grid->cells[a]) cell[a] = grid->cells[a] - 1;
    }
    return true;
}

eagle_box eg_probe_box(const eagle_grid *grid, const int64_t cell[3])
{
    eagle_box box = { .lo = { 0 } };
    bool      here = true;

    for (int a = 0; a < 3; a++) {
        box.lo[a] = cell[a] - grid->offset[a];
        box.hi[a] = box.lo[a] + 1;
        here = here && box.lo[a] >= 0 && box.hi[a] <= grid->local[a];
    }
    return here ? box : (eagle_box){ .lo = { 0 } };
}

static bool read_point(const char *text, int dims, double at_m[3])
{
    for (int a = 0; a < dims; a++)
        if (!eg_parse_quantity(text, "m", &at_m[a], &text)) return false;
    return *text == '\0';
}

static void read_at(eagle_run *run, const char *section, eg_probe *p)
{
    static const char *const axes[] = { "", "x", "x y", "x y z" };
    const char              *text = eg_config_text(run->config, section, "at");
    double                   at_m[3] = { 0 };
    char                     fix[64];

    snprintf(fix, sizeof fix, "write the point in metres: at = %s", axes[run->grid.dims]);
    if (text == NULL)
        eg_config_complain(run->config, section, NULL, fix, "[%s] has no 'at'", section);
    else if (!read_point(text, run->grid.dims, at_m))
        eg_config_complain(run->config, section, "at", fix, "'%s' is not a point of %d coordinates", text,
                           run->grid.dims);
    else if (!eg_probe_cell(&run->grid, at_m, p->cell))
        eg_config_complain(run->config, section, "at", "choose a point between grid.lower and grid.upper",
                           "'%s' lies outside the grid", text);
    p->box = eg_probe_box(&run->grid, p->cell);
}

static void read_word(eagle_run *run, const char *section, const char *word, eg_probe *p)
{
    const int f = eg_selection_field(run, word);

    if (f < 0) {
        eg_selection_complain(run, section, word, false);
        return;
    }
    if (!eg_selection_has_statistics(&run->fields[f])) {
        eg_config_complain(run->config, section, "fields", "name fields of real numbers", "'%s' holds no real numbers",
                           word);
        return;
    }
    p->wanted[f] = true;
}

static void read_fields(eagle_run *run, const char *section, eg_probe *p)
{
    const char *text = eg_config_text(run->config, section, "fields");
    char        word[WORD_MAX];

    for (int f = 0; text == NULL && f < run->n_fields; f++)
        p->wanted[f] = eg_selection_is_state(&run->fields[f]) && eg_selection_has_statistics(&run->fields[f]);
    while (text != NULL && eg_selection_word(&text, word, sizeof word)) read_word(run, section, word, p);
}

void eg_probes_free(eg_probe *probes, int n)
{
    for (int i = 0; i < n; i++) eg_free(probes[i].wanted);
    eg_free(probes);
}

eagle_status eg_probes_read(eagle_run *run, eg_probe **out, int *n)
{
    enum { ROOM = 1024 };
    const char *sections[ROOM];
    const int   found = eg_config_sections(run->config, "probe.*", sections, ROOM);
    eg_probe   *probes = eg_alloc((size_t)found + 1, sizeof *probes);

    *n = found < ROOM ? found : ROOM;
    *out = probes;
    if (probes == NULL) return EAGLE_ERR_MEMORY;
    for (int i = 0; i < *n; i++) {
        probes[i].name = sections[i] + PREFIX;
        probes[i].wanted = eg_alloc((size_t)run->n_fields + 1, sizeof *probes[i].wanted);
        if (probes[i].wanted == NULL) {
            eg_probes_free(probes, i);
            *out = NULL;
            return EAGLE_ERR_MEMORY;
        }
        read_at(run, sections[i], &probes[i]);
        read_fields(run, sections[i], &probes[i]);
    }
    return EAGLE_OK;
}
