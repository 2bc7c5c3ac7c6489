/* selection.c - see selection.h. */
#include "run/selection.h"

#include <string.h>

bool eg_selection_word(const char **text, char *word, size_t bytes)
{
    static const char separators[] = " \t,";
    const char       *begin = *text + strspn(*text, separators);
    const size_t      length = strcspn(begin, separators);

    *text = begin + length;
    if (length == 0 || length >= bytes) return false;
    memcpy(word, begin, length);
    word[length] = '\0';
    return true;
}

int eg_selection_field(const eagle_run *run, const char *name)
{
    for (int i = 0; i < run->n_fields; i++)
        if (strcmp(run->fields[i].spec->name, name) == 0) return i;
    return -1;
}

void eg_selection_complain(eagle_run *run, const char *section, const char *word, bool derived)
{
    enum { ROOM = 256 };
    const char *known[ROOM] = { NULL }, *near;
    char        fix[512] = "name some of:";
    int         n = 0;

    for (int i = 0; i < run->n_fields && n < ROOM; i++) known[n++] = run->fields[i].spec->name;
    for (const eagle_derived *d = run->app->derived; derived && d != NULL && d->name != NULL && n < ROOM; d++)
        known[n++] = d->name;
    near = eg_nearest(word, known, n);
    for (int i = 0; near == NULL && i < n; i++) {
        const size_t used = strlen(fix);
        snprintf(fix + used, sizeof fix - used, " %s", known[i]);
    }
    if (near != NULL) snprintf(fix, sizeof fix, "write '%s'", near);
    eg_config_complain(run->config, section, "fields", fix, "there is no field '%s'", word);
}

bool eg_selection_is_state(const eg_run_field *f) { return !f->spec->scratch && !f->spec->constant; }

bool eg_selection_has_statistics(const eg_run_field *f) { return f->type == EAGLE_F32 || f->type == EAGLE_F64; }

eagle_plane eg_selection_component(eagle_plane field, int components, int k)
{
    eagle_plane plane = field;

    if (components < 2) return field;
    plane.rank--;
    plane.first += k * field.stride[0];
    for (int a = 0; a < plane.rank; a++) {
        plane.n[a] = field.n[a + 1];
        plane.stride[a] = field.stride[a + 1];
    }
    return plane;
}

void eg_selection_label(const eagle_run *run, const eg_run_field *f, int k, char label[EG_LABEL_MAX])
{
    if (f->components < 2)
        snprintf(label, EG_LABEL_MAX, "%s", f->spec->name);
    else if (f->components <= run->grid.dims)
        snprintf(label, EG_LABEL_MAX, "%s_%c", f->spec->name, "xyz"[k]);
    else
        snprintf(label, EG_LABEL_MAX, "%s_%d", f->spec->name, k);
}
