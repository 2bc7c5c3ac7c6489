/* fields.c - the fields of a run: which are made, and their memory. */
#include <string.h>

#include "run/run.h"

int eg_fields_table(const eagle_app *app)
{
    int n = 0;

    while (app->fields != NULL && app->fields[n].name != NULL) n++;
    return n;
}

eagle_status eg_fields_list(eagle_run *run)
{
    const int n = eg_fields_table(run->app);

    run->fields = eg_alloc((size_t)n + 1, sizeof *run->fields);
    if (run->fields == NULL) return EAGLE_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        const eagle_field_spec *spec = &run->app->fields[i];
        if (spec->wanted != NULL && !spec->wanted(run->state)) continue;
        run->fields[run->n_fields++] = (eg_run_field){
            .spec = spec,
            .planes = (eagle_field *)(void *)((char *)run->state + spec->at),
            .type = spec->type != 0 ? spec->type : run->real,
            .components = spec->components > 0 ? spec->components : 1,
            .levels = spec->levels > 0 ? spec->levels : 2,
        };
    }
    return EAGLE_OK;
}

size_t eg_fields_bytes(const eagle_run *run)
{
    size_t bytes = 0;

    for (int f = 0; f < run->n_fields; f++)
        bytes += (size_t)run->grid.pitch[3] * (size_t)run->fields[f].components * (size_t)run->fields[f].levels *
                 eg_type_bytes(run->fields[f].type);
    return bytes;
}

static eagle_status make_level(eagle_run *run, const eg_run_field *f, eagle_plane *out)
{
    EAGLE_TRY(eg_field_create(run->ctx, f->spec->name, f->type, EAGLE_DEVICE, &run->grid, f->spec->ghosts,
                              f->components, out));
    out->storage->constant = f->spec->constant;
    return EAGLE_OK;
}

eagle_status eg_fields_make(eagle_run *run)
{
    for (int i = 0; i < run->n_fields; i++) {
        const eg_run_field *f = &run->fields[i];
        EAGLE_TRY(make_level(run, f, &f->planes->now));
        if (f->levels > 1) EAGLE_TRY(make_level(run, f, &f->planes->next));
    }
    return EAGLE_OK;
}

void eagle_add_advance(eagle_graph *g, int n, const eagle_field *fields, eagle_here here)
{
    for (int i = 0; i < n; i++) eagle_add_swap(g, fields[i].now, fields[i].next, here);
}
