/* The pure parts of a run's data: names of columns, cells of probes, ghost cells, words of a list. */
#include <stdlib.h>

#include "check.h"
#include "run/history.h"
#include "run/image.h"
#include "run/probes.h"
#include "run/selection.h"

static const eagle_grid grid = { .cells = { 10, 4, 1 }, .local = { 5, 4, 1 }, .offset = { 5, 0, 0 }, .lower = { -1, 0, 0 },
                                 .h = { 0.2, 0.1, 1 }, .dims = 2 };

static const char *title(const char *name, const char *unit)
{
    static char text[EG_COLUMN_MAX];

    eg_history_title(name, unit, text);
    return text;
}

/* A blank in the header would shift the columns of whoever reads the file. */
static void check_titles(void)
{
    char long_name[2 * EG_COLUMN_MAX];

    CHECK_TEXT(title("T_max", "K"), "T_max[K]");
    CHECK_TEXT(title("heat out", "W/(m2 K)"), "heat_out[W/(m2.K)]");
    CHECK_TEXT(title("ratio", "1"), "ratio");
    CHECK_TEXT(title("ratio", NULL), "ratio");
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    CHECK(strlen(title(long_name, "K")) == EG_COLUMN_MAX - 1);
}

static bool probes(double x, double y, int64_t i, int64_t j)
{
    const double at[3] = { x, y, 0 };
    int64_t      cell[3];

    return eg_probe_cell(&grid, at, cell) && cell[0] == i && cell[1] == j && cell[2] == 0;
}

static void check_probe_cells(void)
{
    int64_t cell[3];

    CHECK(probes(-0.9, 0.05, 0, 0));
    CHECK(probes(-1, 0, 0, 0));
    CHECK(probes(1, 0.4, 9, 3)); /* on the upper edge: the last cell */
    CHECK(probes(0.99, 0.31, 9, 3));
    CHECK(!eg_probe_cell(&grid, (double[3]){ 1.01, 0.1, 0 }, cell));
    CHECK(!eg_probe_cell(&grid, (double[3]){ 0, -0.1, 0 }, cell));
}

static void check_probe_boxes(void)
{
    const eagle_box here = eg_probe_box(&grid, (int64_t[3]){ 7, 2, 0 });
    const eagle_box there = eg_probe_box(&grid, (int64_t[3]){ 4, 2, 0 });

    CHECK(here.lo[0] == 2 && here.hi[0] == 3 && here.lo[1] == 2 && here.hi[1] == 3 && here.hi[2] == 1);
    CHECK(there.hi[0] <= there.lo[0]);
    CHECK(!here.edge && !there.edge);
}

static void check_words(void)
{
    const char *text = "  T, u.max\tv ";
    char        word[8];

    CHECK(eg_selection_word(&text, word, sizeof word));
    CHECK_TEXT(word, "T");
    CHECK(eg_selection_word(&text, word, sizeof word));
    CHECK_TEXT(word, "u.max");
    CHECK(eg_selection_word(&text, word, sizeof word));
    CHECK_TEXT(word, "v");
    CHECK(!eg_selection_word(&text, word, sizeof word));
}

/* Ghost cells: around a periodic edge, else as the nearest cell. */
static void check_indices(void)
{
    const eagle_run run = { .grid = grid, .cartesian = { .periodic = { true, false, false } } };

    CHECK(eg_image_index(&run, 0, 0) == 5 && eg_image_index(&run, 0, -1) == 4);
    CHECK(eg_image_index(&run, 0, 5) == 0 && eg_image_index(&run, 0, -7) == 8);
    CHECK(eg_image_index(&run, 1, -2) == 0 && eg_image_index(&run, 1, 5) == 3);
}

int main(void)
{
    check_titles();
    check_probe_cells();
    check_probe_boxes();
    check_words();
    check_indices();
    return check_end();
}
