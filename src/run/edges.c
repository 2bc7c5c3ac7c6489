/* edges.c - [edges] and [edges.FIELD]: what stands at each side of the grid. The word of a side (x_lower) goes before
 * that of its axis (x), and that of a field before that of all; without a word a side is mirror. */
#include <string.h>

#include "run/run.h"

static const char axis_names[3][2] = { "x", "y", "z" };
static const char side_names[2][8] = { "lower", "upper" };

static eg_run_edge *edge_of(const eagle_run *run, int field, int axis, int side)
{
    return &run->edges[(field * 3 + axis) * 2 + side];
}

/* --- words ---------------------------------------------------------------------------------------------------- */

/* The text for a side, and the key that gave it. */
static const char *text_for(eagle_run *run, const char *section, int axis, int side, char key[16])
{
    char        side_key[16];
    const char *of_side, *of_axis;

    snprintf(side_key, sizeof side_key, "%s_%s", axis_names[axis], side_names[side]);
    of_axis = eg_config_text(run->config, section, axis_names[axis]); /* both are asked for: both are known words */
    of_side = eg_config_text(run->config, section, side_key);
    snprintf(key, 16, "%s", of_side != NULL ? side_key : axis_names[axis]);
    return of_side != NULL ? of_side : of_axis;
}

static const eagle_edge_kind *own_kind(const eagle_run *run, const char *name, int *position)
{
    for (*position = 0; run->app->edges != NULL && run->app->edges[*position].name != NULL; ++*position)
        if (strcmp(run->app->edges[*position].name, name) == 0) return &run->app->edges[*position];
    return NULL;
}

/* The unit of value v of a kind, from "h [W/(m2 K)], T_inf [K]"; false: it has fewer. */
static bool value_unit(const char *values, int v, char unit[64])
{
    const char *open = values;

    for (int i = 0; open != NULL; i++) {
        open = strchr(open, '[');
        if (open == NULL) return false;
        const char *close = strchr(++open, ']');
        if (close == NULL) return false;
        if (i == v) {
            snprintf(unit, 64, "%.*s", (int)(close - open), open);
            return true;
        }
        open = close;
    }
    return false;
}

static void complain_kind(eagle_run *run, const char *section, const char *key, const char *word)
{
    const char *known[16] = { "periodic", "mirror", "fixed", "flux" };
    int         n = 4;
    char        fix[256];

    for (int i = 0; run->app->edges != NULL && run->app->edges[i].name != NULL && n < 16; i++)
        known[n++] = run->app->edges[i].name;
    const char *near = eg_nearest(word, known, n);
    size_t      used = (size_t)(near != NULL ? snprintf(fix, sizeof fix, "write '%s'; there are:", near)
                                             : snprintf(fix, sizeof fix, "there are:"));
    for (int i = 0; i < n && used < sizeof fix; i++)
        used += (size_t)snprintf(fix + used, sizeof fix - used, " %s", known[i]);
    eg_config_complain(run->config, section, key, fix, "'%s' is no kind of edge", word);
}

/* The values behind the word. `values` names them with their units. */
static void read_values(eagle_run *run, const char *section, const char *key, const char *text, const char *values,
                        eg_run_edge *out)
{
    char unit[64], fix[200];
    int  v = 0;

    if (values[0] == '\0')
        snprintf(fix, sizeof fix, "write %s = %s", key, out->kind);
    else
        snprintf(fix, sizeof fix, "write %s = %s VALUE..., the values being: %s", key, out->kind, values);
    for (; value_unit(values, v, unit) && v < EAGLE_EDGE_VALUES; v++) {
        if (eg_parse_quantity(text, unit, &out->edge.value[v], &text)) continue;
        eg_config_complain(run->config, section, key, fix, "value %d of '%s' is not a number with unit %s", v + 1,
                           out->kind, unit);
        return;
    }
    while (*text == ' ' || *text == '\t') text++;
    if (*text != '\0')
        eg_config_complain(run->config, section, key, fix, "'%s' is left over behind the values of '%s'", text,
                           out->kind);
}

static void read_edge(eagle_run *run, const char *section, const char *key, const char *text,
                      const eagle_field_spec *field, eg_run_edge *out)
{
    static const char *const builtin[] = { "periodic", "mirror", "fixed", "flux" };
    char                     word[64], values[96] = "";
    const size_t             length = strcspn(text, " \t");
    const eagle_edge_kind   *own;

    snprintf(word, sizeof word, "%.*s", (int)length, text);
    *out = (eg_run_edge){ 0 };
    own = own_kind(run, word, &out->edge.kind);
    if (own != NULL) {
        out->kind = own->name;
        out->add = own->add;
        read_values(run, section, key, text + length, own->values != NULL ? own->values : "", out);
        return;
    }
    for (int i = 0; i < EG_COUNT(builtin) && out->kind == NULL; i++)
        if (strcmp(word, builtin[i]) == 0) out->kind = builtin[i];
    if (out->kind == NULL) {
        complain_kind(run, section, key, word);
        out->kind = "mirror";
        return;
    }
    out->add = eg_edge_builtin(word);
    if (strcmp(word, "fixed") == 0) snprintf(values, sizeof values, "value [%s]", field->unit);
    if (strcmp(word, "flux") == 0) snprintf(values, sizeof values, "derivative [%s/m]", field->unit);
    read_values(run, section, key, text + length, values, out);
}

/* --- all sides of all fields ---------------------------------------------------------------------------------- */

static const eagle_field_spec *source_of(const eagle_run *run, const eagle_field_spec *spec)
{
    for (const eagle_field_spec *s = run->app->fields; spec->edges_of != NULL && s->name != NULL; s++)
        if (strcmp(s->name, spec->edges_of) == 0) return s;
    return spec;
}

static void read_side(eagle_run *run, int f, int axis, int side)
{
    const eagle_field_spec *spec = source_of(run, &run->app->fields[f]);
    char                    section[96], key[16], own_key[16];
    const char             *text, *own;

    snprintf(section, sizeof section, "edges.%s", spec->name);
    text = text_for(run, "edges", axis, side, key);
    own = text_for(run, section, axis, side, own_key);
    eg_run_edge *out = edge_of(run, f, axis, side);
    if (own != NULL)
        read_edge(run, section, own_key, own, spec, out);
    else
        read_edge(run, "edges", key, text != NULL ? text : "mirror", spec, out);
}

static bool is_periodic(const eg_run_edge *e) { return strcmp(e->kind, "periodic") == 0; }

/* An axis is periodic for all fields and both sides, or for none. */
static void check_axis(eagle_run *run, int axis, int n, bool *periodic)
{
    int sides = 0, wanted = 0;

    for (int f = 0; f < n; f++)
        for (int side = 0; side < 2; side++, wanted++) sides += is_periodic(edge_of(run, f, axis, side));
    *periodic = sides > 0 && sides == wanted;
    if (sides > 0 && sides < wanted)
        eg_config_complain(run->config, "edges", axis_names[axis], "make both sides periodic, for every field, or none",
                           "axis %s is periodic on one side or for some fields only", axis_names[axis]);
}

eagle_status eg_edges_read(eagle_run *run, bool periodic[3])
{
    const int dims = run->set.cells[2] > 1 ? 3 : 2, n = eg_fields_table(run->app);

    run->edges = eg_alloc((size_t)n * 6 + 1, sizeof *run->edges);
    if (run->edges == NULL) return EAGLE_ERR_MEMORY;
    for (int axis = 0; axis < 3; axis++) {
        periodic[axis] = false;
        for (int f = 0; f < n && axis < dims; f++)
            for (int side = 0; side < 2; side++) read_side(run, f, axis, side);
        if (axis < dims) check_axis(run, axis, n, &periodic[axis]);
    }
    return EAGLE_OK;
}

static int field_number(const eagle_run *run, const char *name)
{
    for (int f = 0; run->app->fields != NULL && run->app->fields[f].name != NULL; f++)
        if (strcmp(run->app->fields[f].name, name) == 0) return f;
    return -1;
}

bool eg_edges_of(void *state, const eagle_storage *field, int axis, int side, eg_edge_fill *out)
{
    eagle_run *run = state;
    const int  f = field_number(run, field->name);

    if (f < 0 || edge_of(run, f, axis, side)->add == NULL) return false;
    out->add = edge_of(run, f, axis, side)->add;
    out->edge = edge_of(run, f, axis, side)->edge;
    out->state = run->state;
    return true;
}

const char *eagle_edge_at(const eagle_run *run, const char *field, int axis, int side, eagle_edge *out)
{
    const int f = field_number(run, field);

    if (f < 0 || axis < 0 || axis >= run->grid.dims) return "mirror";
    if (out != NULL) {
        *out = edge_of(run, f, axis, side)->edge;
        out->axis = axis;
        out->side = side;
    }
    return edge_of(run, f, axis, side)->kind;
}
