/* config.h - the input: one table of keys drives parsing, checks, --help, --list-keys and used.ini. */
#ifndef EG_CONFIG_H
#define EG_CONFIG_H

#include "base/base.h"
#include "eagle/app.h"

typedef struct eg_config eg_config; /* what the input said, with file and line of each value */

/* Where the values of a table of keys go. */
typedef struct eg_key_table {
    const eagle_key *keys; /* ends with { 0 } */
    void            *state;
} eg_key_table;

/* The free-form sections: [edges], [edges.FIELD], [initial], [constants], [output.NAME], [probe.NAME], [notes], whose
 * keys the caller reads itself. A section listed here takes any key. Ends with NULL. */
typedef struct eg_free_section {
    const char      *section; /* as in free_sections */
    const char      *help;
    const eagle_key *keys; /* of type text, with an example as default; ends with { 0 } */
} eg_free_section;
typedef struct eg_config_spec {
    const char            *program;
    int                    n_tables;
    const eg_key_table    *tables;
    const eagle_key_group *groups; /* of the application; NULL: none */
    void                  *group_state;
    const char *const     *free_sections; /* "edges", "edges.*", "initial", ...; NULL-terminated */
    const eg_free_section *free_help;     /* what is told of some of them; ends with { 0 }; NULL: nothing */
} eg_config_spec;

/* Reads a file, or `text` when it is given (path is then only its name in messages), and settings "section.key=value"
 * that replace its values. On return every key has its value or its default. All errors are collected; if there are
 * any the status is EAGLE_ERR_CONFIG and eg_config_errors gives them, each with file, line, what was expected and the
 * nearest known name. *out is made even then, NULL only without memory. The tables of spec are borrowed until
 * eg_config_free, which also frees the arrays of the groups. Local: called on rank 0 with the file, on others with the
 * text that rank 0 broadcasts. */
eagle_status eg_config_read(const eg_config_spec *spec, const char *path, const char *text, int n_settings,
                            const char *const *settings, eg_config **out);
void         eg_config_free(eg_config *c);
/* The collected errors, "input.ini:7: error: ...\n  fix: ...\n" each; "" if none. Owned by c. */
const char *eg_config_errors(const eg_config *c);
/* Adds an error about a value found later (an edge, an expression); key may be NULL for a whole section. */
void eg_config_complain(eg_config *c, const char *section, const char *key, const char *fix, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* The collected errors as a status: EAGLE_OK or EAGLE_ERR_CONFIG. */
eagle_status eg_config_status(eg_config *c);

/* Free-form sections. Values are text as written, comments removed. Unread keys of them are reported by
 * eg_config_check_read as unknown; the keys that were asked for are the words that may have been meant. Only [notes]
 * is never reported. */
const char *eg_config_text(eg_config *c, const char *section, const char *key); /* NULL: not set; marks it read */
int         eg_config_keys(const eg_config *c, const char *section, const char **keys, int room);
int         eg_config_sections(const eg_config *c, const char *pattern, const char **names, int room); /* "output.*" */
void        eg_config_check_read(eg_config *c);
bool        eg_config_is_set(const eg_config *c, const char *key); /* "time.dt": by the file or the command line */

/* Numbers with units, for free-form values: "25 um" with unit "m" is 2.5e-5. end: what stands behind it, blanks
 * skipped; NULL: nothing may. Never inf or nan. */
bool eg_parse_quantity(const char *text, const char *unit, double *out, const char **end);
bool eg_parse_int(const char *text, int64_t *out);

/* The input of a restarted run against that of its checkpoint, before: complains in `now` of what may not change, tells
 * of what may. Both were read with the same spec, into states of their own. */
void eg_config_compare(eg_config *now, const eg_config *before);

/* used.ini: every key with its value, its unit and help as comment, and where it came from; it runs again. */
void eg_config_print_used(const eg_config *c, FILE *out);
/* --list-keys: a complete ini with defaults, units and help as comments. --help [SECTION|KEY]. */
void eg_config_print_keys(const eg_config_spec *spec, FILE *out);
bool eg_config_print_help(const eg_config_spec *spec, const char *section_or_key, FILE *out); /* false: unknown */
/* The whole text of the input, for broadcast. */
const char *eg_config_source(const eg_config *c);

#endif
