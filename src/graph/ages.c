/* ages.c - which ghost cells are valid. A field's are old from the moment it is written until they are filled; at the
 * start of a step those of every field that is not constant are old, because the step before wrote it. */
#include "graph/builder.h"

static eg_age *age_of(eagle_graph *g, const eagle_storage *field)
{
    eg_age *ages;

    for (size_t i = 0; i < g->n_ages; i++)
        if (g->ages[i].storage == field) return &g->ages[i];
    ages = eg_grow(g->ages, &g->room_ages, g->n_ages + 1, sizeof *ages);
    if (ages == NULL) {
        if (g->error.status == EAGLE_OK) g->error = *eagle_last_error();
        return NULL;
    }
    g->ages = ages;
    ages[g->n_ages] = (eg_age){ .storage = field, .valid = field->constant ? field->ghosts : 0 };
    return &ages[g->n_ages++];
}

/* Does the access touch a cell that some rank's ghost cells mirror? Filling ghost cells themselves does not. */
static bool touches_owned(const eagle_storage *s, const eg_access *a)
{
    for (int axis = 0; axis < s->grid->dims; axis++) {
        const int     i = s->rank - 1 - axis;
        const int64_t begin = eg_first_owned(s, axis);
        if (a->hi[i] <= begin || a->lo[i] >= begin + s->grid->local[axis]) return false;
    }
    return true;
}

void eg_ages_written(eagle_graph *g, const eg_access *a, const char *writer, eagle_here here)
{
    const eagle_storage *s = a->plane.storage;
    eg_age              *age;

    if (s->grid == NULL || !touches_owned(s, a)) return;
    age = age_of(g, s);
    if (age == NULL) return;
    *age = (eg_age){ .storage = s, .valid = 0, .writer = writer, .here = here };
}

void eg_ghosts_filled(eagle_graph *g, eagle_plane field)
{
    eg_age *age = age_of(g, field.storage);

    if (age != NULL) age->valid = field.storage->ghosts;
}

bool eg_ages_refused(eagle_graph *g, const char *node, const char *slot, eagle_plane plane, const eagle_grid *grid,
                     const eagle_box *box, int reach, eagle_here here)
{
    const eagle_storage *s = plane.storage;
    const char          *cells = reach == 1 ? "cell" : "cells";
    const eg_age        *age;
    int64_t              out = 0;
    char                 fix[128];

    for (int a = 0; a < grid->dims; a++) {
        if (reach - box->lo[a] > out) out = reach - box->lo[a];
        if (box->hi[a] + reach - grid->local[a] > out) out = box->hi[a] + reach - grid->local[a];
    }
    if (out == 0) return false;
    if (out > s->ghosts) {
        snprintf(fix, sizeof fix, "declare the field with .ghosts = %d", (int)out);
        return eg_refuse(g, here, fix, "%s: '%s' is read %d %s out, but '%s' has %d ghost cells", node, slot, reach,
                         cells, plane.name, s->ghosts);
    }
    age = age_of(g, s);
    if (age == NULL || age->valid >= out) return age == NULL;
    snprintf(fix, sizeof fix, "put eagle_fill_ghosts(g, %s) before it", plane.name);
    if (age->writer == NULL)
        return eg_refuse(g, here, fix, "%s: '%s' is read %d %s out, but its ghost cells are not filled in this step",
                         node, slot, reach, cells);
    return eg_refuse(g, here, fix,
                     "%s: '%s' is read %d %s out, but its ghost cells are older than the write by %s at "
                     "%s:%d",
                     node, slot, reach, cells, age->writer, age->here.file, age->here.line);
}
