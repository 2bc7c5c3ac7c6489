/* config.c - reads the input: the file or text, then the settings of the command line, then every key by its table.
 * All errors are collected, so that a user mends an input in one go. */
#include <string.h>

#include "run/config_parts.h"

enum { ERRORS_SHOWN = 50 };

static eagle_status no_memory(void) { return eg_fail(EAGLE_ERR_MEMORY, EG_NOWHERE, "", "no memory for the input"); }

/* The file cannot be read: nothing more can be said of it, but every key has a value. */
static void read_defaults(eg_config *c)
{
    if (!eg_config_slots(&c->spec, &c->slots)) c->out_of_memory = true;
    for (int i = 0; i < c->slots.n; i++) {
        if (c->slots.at[i].to != NULL) eg_config_read_default(&c->slots.at[i]);
    }
}

eagle_status eg_config_read(const eg_config_spec *spec, const char *path, const char *text, int n_settings,
                            const char *const *settings, eg_config **out)
{
    eg_config *c = eg_alloc(1, sizeof *c);

    *out = c;
    if (c == NULL) return no_memory();
    c->spec = *spec;
    c->file = eg_copy_text(path != NULL ? path : "input");
    if (c->file == NULL) return no_memory();
    if (text != NULL) {
        c->source = eg_copy_text(text);
        c->out_of_memory |= c->source == NULL;
    } else if (path != NULL) {
        eg_config_load(c, path);
    } else {
        c->source = eg_copy_text("");
    }
    if (c->source == NULL) {
        read_defaults(c);
        return eg_config_status(c);
    }
    eg_config_parse(c);
    for (int i = 0; i < n_settings; i++) eg_config_set(c, settings[i]);
    eg_config_resolve(c);
    return eg_config_status(c);
}

const char *eg_config_errors(const eg_config *c)
{
    eg_config *mine = (eg_config *)c; /* the joined text is a cache */
    const int  shown = c->n_complaints < ERRORS_SHOWN ? c->n_complaints : ERRORS_SHOWN;
    size_t     bytes = 64;
    int        at = 0;

    for (int i = 0; i < shown; i++) bytes += strlen(c->complaints[i].text);
    eg_free(mine->errors);
    mine->errors = eg_alloc(bytes, 1);
    if (mine->errors == NULL) return "";
    for (int i = 0; i < shown; i++) at += snprintf(mine->errors + at, bytes - (size_t)at, "%s", c->complaints[i].text);
    if (shown < c->n_complaints)
        snprintf(mine->errors + at, bytes - (size_t)at, "and %d more errors\n", c->n_complaints - shown);
    return mine->errors;
}

eagle_status eg_config_status(eg_config *c)
{
    if (c->out_of_memory) return no_memory();
    if (c->n_complaints == 0) return EAGLE_OK;
    return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "", "the input '%s' has %d error%s", c->file, c->n_complaints,
                   c->n_complaints == 1 ? "" : "s");
}
