/* materials.c - which material a cell has: that of the last layer, box or disc of the input in which its centre lies,
 * below them the map's, below that the background. The power of a box or disc is spread over the cells whose centres
 * lie in it, whatever they are made of, so that the sum over cells is the power to rounding. */
#include "materials.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define AXES "x | y | z"
#define KEY(S, member, ...) EAGLE_KEY(S, member, #member, __VA_ARGS__)

const eagle_key material_keys[] = {
    KEY(material, k, .unit = "W/(m K)", .value = 401, .min = 1e-6, .max = 1e6, .required = true,
        .help = "thermal conductivity"),
    KEY(material, rho, .unit = "kg/m3", .value = 8933, .min = 1e-6, .max = 1e6, .required = true,
        .help = "density"),
    KEY(material, c, .unit = "J/(kg K)", .value = 385, .min = 1e-6, .max = 1e6, .required = true,
        .help = "specific heat capacity"),
    { 0 }
};

const eagle_key layer_keys[] = {
    KEY(layer, material, .text = "copper", .required = true, .help = "name of its material"),
    KEY(layer, axis, .text = "z", .choices = AXES, .help = "the axis across it"),
    KEY(layer, lower, .unit = "m", .help = "where it begins on that axis"),
    KEY(layer, upper, .unit = "m", .value = 1, .required = true, .help = "where it ends"),
    { 0 }
};

const eagle_key box_keys[] = {
    KEY(box, material, .text = "", .help = "name of its material; empty: as it is without the box"),
    KEY(box, lower, .unit = "m", .help = "lower corner"),
    KEY(box, upper, .unit = "m", .value = 1, .required = true, .help = "upper corner"),
    KEY(box, power, .unit = "W", .help = "heat made in it; in 2-D for one metre of depth"),
    { 0 }
};

const eagle_key disc_keys[] = {
    KEY(disc, material, .text = "", .help = "name of its material; empty: as it is without the disc"),
    KEY(disc, centre, .unit = "m", .help = "a point on its axis"),
    KEY(disc, radius, .unit = "m", .value = 0.1, .min = 1e-12, .max = 1e12, .required = true, .help = "its radius"),
    KEY(disc, axis, .text = "z", .choices = AXES, .help = "direction of its axis; in 2-D always z"),
    KEY(disc, lower, .unit = "m", .value = -1e30, .help = "in 3-D: where it begins on its axis"),
    KEY(disc, upper, .unit = "m", .value = 1e30, .help = "in 3-D: where it ends"),
    KEY(disc, power, .unit = "W", .help = "heat made in it; in 2-D for one metre of depth"),
    { 0 }
};

static const double   everywhere = 1e300;
static const material copper = { { "copper", 0 }, 401, 8933, 385 }; /* where the input has no material */

/* Where a section stands: "line 12". */
typedef struct place {
    char text[32];
} place;

static place place_of(const eagle_section *s)
{
    place out = { "the command line" };

    if (s->line == 0) return (place){ "the input" };
    if (s->line != INT_MAX) snprintf(out.text, sizeof out.text, "line %d", s->line);
    return out;
}

static int find(const materials *m, const char *name)
{
    for (int i = 0; i < m->n_list; i++)
        if (strcmp(m->list[i].section.name, name) == 0) return i;
    return -1;
}

/* The index of a material; -1 for an empty name. */
static eagle_status look_up(const materials *m, const eagle_section *who, const char *name, int *out)
{
    *out = name[0] == '\0' ? -1 : find(m, name);
    if (name[0] == '\0' || *out >= 0) return EAGLE_OK;
    return eagle_fail(EAGLE_ERR_CONFIG, "add a section [material.NAME] for it, or use the name of one that there is",
                      "%s: '%s' names '%s', which is not a material", place_of(who).text, who->name, name);
}

static part *add_part(materials *m, const eagle_section *section, double power)
{
    part *p = &m->parts[m->n_parts++];

    *p = (part){ .section = section, .order = m->n_parts, .power = power, .where = { .axis = -1 } };
    for (int a = 0; a < 3; a++) {
        p->where.lower[a] = -everywhere;
        p->where.upper[a] = everywhere;
    }
    return p;
}

static eagle_status add_layers(materials *m)
{
    for (int i = 0; i < m->n_layers; i++) {
        const layer *l = &m->layers[i];
        part        *p = add_part(m, &l->section, 0);
        p->where.lower[l->axis] = l->lower;
        p->where.upper[l->axis] = l->upper;
        EAGLE_TRY(look_up(m, &l->section, l->material, &p->material));
    }
    return EAGLE_OK;
}

static eagle_status add_boxes(materials *m)
{
    for (int i = 0; i < m->n_boxes; i++) {
        const box *b = &m->boxes[i];
        part      *p = add_part(m, &b->section, b->power);
        memcpy(p->where.lower, b->lower, sizeof b->lower);
        memcpy(p->where.upper, b->upper, sizeof b->upper);
        EAGLE_TRY(look_up(m, &b->section, b->material, &p->material));
    }
    return EAGLE_OK;
}

static eagle_status add_discs(materials *m, int dims)
{
    for (int i = 0; i < m->n_discs; i++) {
        const disc *d = &m->discs[i];
        const int   axis = dims == 2 ? 2 : d->axis;
        part       *p = add_part(m, &d->section, d->power);
        memcpy(p->where.centre, d->centre, sizeof d->centre);
        p->where.axis = axis;
        p->where.radius = d->radius;
        for (int a = 0; a < 3; a++) {
            p->where.lower[a] = a == axis ? d->lower : d->centre[a] - d->radius;
            p->where.upper[a] = a == axis ? d->upper : d->centre[a] + d->radius;
        }
        EAGLE_TRY(look_up(m, &d->section, d->material, &p->material));
    }
    return EAGLE_OK;
}

static int by_line(const void *a, const void *b)
{
    const part *p = a, *q = b;

    return p->section->line != q->section->line ? p->section->line - q->section->line : p->order - q->order;
}

/* Global cells whose centres may lie in a part: lo <= i < hi on each axis. */
static void global_box(const part *p, const eagle_grid *g, int64_t lo[3], int64_t hi[3])
{
    for (int a = 0; a < 3; a++) {
        const double first = (p->where.lower[a] - g->lower[a]) / g->h[a] - 1;
        const double last = (p->where.upper[a] - g->lower[a]) / g->h[a] + 1;
        lo[a] = a >= g->dims || !(first > 0) ? 0 : first < (double)g->cells[a] ? (int64_t)first : g->cells[a];
        hi[a] = a >= g->dims || last > (double)g->cells[a] ? g->cells[a] : last > 0 ? (int64_t)last : 0;
    }
}

static bool covers(const part *p, eagle_at at)
{
    return region_has(&p->where, at.grid->dims, eagle_x(at), eagle_y(at), eagle_z(at));
}

static int64_t count_along(const region *r, const eagle_grid *g, int axis)
{
    int64_t n = 0;

    for (int64_t i = 0; i < g->cells[axis]; i++) {
        const double x = g->lower[axis] + ((double)i + 0.5) * g->h[axis];
        n += x >= r->lower[axis] && x < r->upper[axis];
    }
    return n;
}

static int64_t count_disc(const part *p, const eagle_grid *g)
{
    int64_t  lo[3], hi[3], n = 0;
    eagle_at at = { .grid = g };

    global_box(p, g, lo, hi);
    for (at.k = lo[2]; at.k < hi[2]; at.k++)
        for (at.j = lo[1]; at.j < hi[1]; at.j++)
            for (at.i = lo[0]; at.i < hi[0]; at.i++)
                n += covers(p, at);
    return n;
}

static int64_t count_cells(const part *p, const eagle_grid *g)
{
    int64_t n = 1;

    if (p->where.radius > 0) return count_disc(p, g);
    for (int a = 0; a < g->dims; a++)
        n *= count_along(&p->where, g, a);
    return n;
}

static eagle_status count_parts(materials *m, const eagle_grid *g)
{
    for (int i = 0; i < m->n_parts; i++) {
        part         *p = &m->parts[i];
        const int64_t n = count_cells(p, g);

        p->volume = (double)n * eagle_volume(g);
        if (n > 0) continue;
        return eagle_fail(EAGLE_ERR_CONFIG, "make it larger or grid.cells finer: it needs the centre of a cell",
                          "%s: '%s' covers no cell; they measure %g x %g x %g m", place_of(p->section).text,
                          p->section->name, g->h[0], g->h[1], g->h[2]);
    }
    return EAGLE_OK;
}

/* "silicon copper" -> the materials of the map's values 0 and 1. */
static eagle_status read_map_names(materials *m)
{
    static const eagle_section section = { "map", 0 };
    char                       names[sizeof m->map_names], *rest = names;

    memcpy(names, m->map_names, sizeof names);
    for (const char *name; m->n_map < 256 && (name = strtok_r(rest, " ,\t", &rest)) != NULL; m->n_map++)
        EAGLE_TRY(look_up(m, &section, name, &m->map_material[m->n_map]));
    if (m->n_map > 0) return EAGLE_OK;
    return eagle_fail(EAGLE_ERR_CONFIG, "add map.materials = NAME NAME ..., the first for value 0",
                      "map.file is set, but no materials for its values");
}

static eagle_status check_map(const materials *m, const eagle_grid *g, const char *path)
{
    const int64_t n = g->cells[0] * g->cells[1] * g->cells[2];

    for (int64_t i = 0; i < n; i++) {
        if (m->cells[i] < m->n_map) continue;
        return eagle_fail(EAGLE_ERR_CONFIG, "name more materials in map.materials",
                          "'%s' has the value %d at cell %lld, but map.materials names %d", path, m->cells[i],
                          (long long)i, m->n_map);
    }
    return EAGLE_OK;
}

static eagle_status open_map(materials *m, const eagle_grid *g, const char *input_dir)
{
    const int64_t n = g->cells[0] * g->cells[1] * g->cells[2];
    struct stat   info;
    char          path[1024];
    void         *memory;

    snprintf(path, sizeof path, "%s%s%s", m->map[0] == '/' ? "" : input_dir, m->map[0] == '/' ? "" : "/", m->map);
    const int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &info) != 0)
        return eagle_fail(EAGLE_ERR_CONFIG, "set map.file to one that there is; paths are relative to the input",
                          "the material map '%s' cannot be opened", path);
    memory = info.st_size == n ? mmap(NULL, (size_t)n, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (info.st_size != n)
        return eagle_fail(EAGLE_ERR_CONFIG, "one byte for each cell, x fastest: make grid.cells and the map agree",
                          "the material map '%s' has %lld bytes, the grid %lld x %lld x %lld = %lld cells", path,
                          (long long)info.st_size, (long long)g->cells[0], (long long)g->cells[1],
                          (long long)g->cells[2], (long long)n);
    if (memory == MAP_FAILED)
        return eagle_fail(EAGLE_ERR_MEMORY, "", "the material map '%s' cannot be mapped into memory", path);
    m->cells = memory;
    m->n_cells = n;
    EAGLE_TRY(read_map_names(m));
    return check_map(m, g, path);
}

eagle_status materials_set_up(materials *m, const eagle_grid *grid, const char *input_dir)
{
    static const eagle_section model = { "model.background", 0 };

    if (m->n_list == 0) {
        m->only = copper;
        m->list = &m->only;
        m->n_list = 1;
    }
    EAGLE_TRY(look_up(m, &model, m->background, &m->ground));
    if (m->ground < 0) m->ground = 0;
    m->parts = calloc((size_t)(m->n_layers + m->n_boxes + m->n_discs) + 1, sizeof *m->parts);
    if (m->parts == NULL) return eagle_fail(EAGLE_ERR_MEMORY, "", "no memory for the parts of the input");
    EAGLE_TRY(add_layers(m));
    EAGLE_TRY(add_boxes(m));
    EAGLE_TRY(add_discs(m, grid->dims));
    qsort(m->parts, (size_t)m->n_parts, sizeof *m->parts, by_line);
    EAGLE_TRY(count_parts(m, grid));
    return m->map[0] == '\0' ? EAGLE_OK : open_map(m, grid, input_dir);
}

void materials_free(materials *m)
{
    if (m->cells != NULL) munmap((void *)(uintptr_t)m->cells, (size_t)m->n_cells);
    free(m->parts);
}

const material *materials_at(const materials *m, eagle_at at)
{
    const eagle_grid *g = at.grid;

    for (int i = m->n_parts - 1; i >= 0; i--)
        if (m->parts[i].material >= 0 && covers(&m->parts[i], at)) return &m->list[m->parts[i].material];
    if (m->cells == NULL) return &m->list[m->ground];
    return &m->list[m->map_material[m->cells[(at.k * g->cells[1] + at.j) * g->cells[0] + at.i]]];
}

double materials_source(const materials *m, eagle_at at)
{
    double q = 0;

    for (int i = 0; i < m->n_parts; i++)
        if (m->parts[i].power != 0 && covers(&m->parts[i], at)) q += m->parts[i].power / m->parts[i].volume;
    return q;
}

const material *materials_uniform(const materials *m)
{
    for (int i = 0; i < m->n_parts; i++)
        if (m->parts[i].power != 0 || (m->parts[i].material >= 0 && m->parts[i].material != m->ground)) return NULL;
    return m->cells == NULL ? &m->list[m->ground] : NULL;
}

eagle_box materials_part_box(const part *p, const eagle_grid *g)
{
    eagle_box out = { 0 };
    int64_t   lo[3], hi[3];

    global_box(p, g, lo, hi);
    for (int a = 0; a < 3; a++) {
        out.lo[a] = lo[a] < g->offset[a] ? 0 : lo[a] - g->offset[a];
        out.hi[a] = hi[a] > g->offset[a] + g->local[a] ? g->local[a] : hi[a] - g->offset[a];
    }
    if (out.hi[0] > out.lo[0] && out.hi[1] > out.lo[1] && out.hi[2] > out.lo[2]) return out;
    return (eagle_box){ 0 };
}
