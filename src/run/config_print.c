/* config_print.c - writes inputs: used.ini with what a run used and where it came from, --list-keys with the defaults,
 * and the pages of --help. What the first two write can be read again. */
#include <string.h>

#include "run/config_parts.h"

enum { COMMENT_COLUMN = 32 };

/* The comment of a key: "m; what it is; a | b; at least 1". */
static void print_comment(const eagle_key *key, FILE *out)
{
    char range[120];

    eg_config_range_text(key, range, sizeof range);
    if (!eg_config_is_pure(key->unit)) fprintf(out, "%s; ", key->unit);
    for (const char *s = key->help != NULL ? key->help : ""; *s != '\0'; s++) fputc(*s == '\n' ? ' ' : *s, out);
    if (key->choices != NULL) fprintf(out, "; %s", key->choices);
    if (range[0] != '\0') fprintf(out, "; %s", range);
}

static void print_line(const char *mark, const char *name, const char *value, const eagle_key *key, const char *origin,
                       FILE *out)
{
    const int written = fprintf(out, "%s%s = %s", mark, name, value);

    fprintf(out, "%*s# ", written < COMMENT_COLUMN ? COMMENT_COLUMN - written : 1, "");
    print_comment(key, out);
    fprintf(out, "%s%s\n", origin[0] != '\0' ? "; " : "", origin);
}

/* The first slot of its section: the section is printed there. */
static bool is_first(const eg_slots *slots, int i)
{
    for (int k = 0; k < i; k++) {
        if (strcmp(slots->at[k].section, slots->at[i].section) == 0) return false;
    }
    return true;
}

static void print_used_entry(const eg_config *c, const eg_entry *e, FILE *out)
{
    char      place[512];
    const int written = fprintf(out, "%s = %s", e->key, e->value);

    fprintf(out, "%*s# %s\n", written < COMMENT_COLUMN ? COMMENT_COLUMN - written : 1, "",
            eg_config_place_text(c, e->place, place, sizeof place));
}

static void print_used_slot(const eg_config *c, const eg_slot *slot, FILE *out)
{
    const eg_entry *e = eg_config_find(c, slot->section, slot->name);
    char            place[512], value[512];

    if (e != NULL) {
        print_line("", slot->name, e->value, slot->key, eg_config_place_text(c, e->place, place, sizeof place), out);
        return;
    }
    eg_config_default_text(slot->key, value, sizeof value);
    print_line("", slot->name, value, slot->key, "default", out);
}

/* What is set in a section and is no key of a table. */
static void print_free_entries(const eg_config *c, const char *section, FILE *out)
{
    for (int i = 0; i < c->n_entries; i++) {
        const eg_entry *e = &c->entries[i];
        if (!e->known && strcmp(e->section, section) == 0) print_used_entry(c, e, out);
    }
}

static void print_used_section(const eg_config *c, const char *section, FILE *out)
{
    fprintf(out, "\n[%s]\n", section);
    for (int i = 0; i < c->slots.n; i++) {
        if (strcmp(c->slots.at[i].section, section) == 0) print_used_slot(c, &c->slots.at[i], out);
    }
    print_free_entries(c, section, out);
}

static bool in_slots(const eg_slots *slots, const char *section)
{
    for (int i = 0; i < slots->n; i++) {
        if (strcmp(slots->at[i].section, section) == 0) return true;
    }
    return false;
}

static bool in_input(const eg_config *c, const char *section)
{
    for (int i = 0; i < c->n_sections; i++) {
        if (strcmp(c->sections[i].name, section) == 0) return true;
    }
    return false;
}

/* In the order of the input, by which a later section may cover an earlier one; then those that it does not have. */
void eg_config_print_used(const eg_config *c, FILE *out)
{
    fprintf(out, "# %s: every value of a run, and where it came from. It is an input and runs again.\n",
            c->spec.program != NULL ? c->spec.program : "eagle");
    for (int i = 0; i < c->n_sections; i++) print_used_section(c, c->sections[i].name, out);
    for (int i = 0; i < c->slots.n; i++) {
        if (is_first(&c->slots, i) && !in_input(c, c->slots.at[i].section))
            print_used_section(c, c->slots.at[i].section, out);
    }
}

static void print_default(const char *mark, const eg_slot *slot, FILE *out)
{
    char value[512];

    eg_config_default_text(slot->key, value, sizeof value);
    if (slot->key->example != NULL) snprintf(value, sizeof value, "%s", slot->key->example);
    print_line(mark, slot->name, value, slot->key, slot->key->required ? "required" : "", out);
}

static void print_group(const eagle_key_group *group, FILE *out)
{
    fprintf(out, "\n# [%s.NAME]%*s# %s\n", group->section,
            (int)strlen(group->section) < 20 ? 20 - (int)strlen(group->section) : 1, "",
            group->help != NULL ? group->help : "any number of these sections");
    for (const eagle_key *key = group->keys; key != NULL && key->key != NULL; key++)
        print_default("# ", &(eg_slot){ .key = key, .name = key->key }, out);
}

static void print_section_keys(const eg_slots *slots, const char *section, FILE *out)
{
    fprintf(out, "\n[%s]\n", section);
    for (int i = 0; i < slots->n; i++) {
        if (strcmp(slots->at[i].section, section) == 0) print_default("", &slots->at[i], out);
    }
}

static const eg_free_section *free_help(const eg_config_spec *spec, const char *pattern)
{
    for (const eg_free_section *f = spec->free_help; f != NULL && f->section != NULL; f++) {
        if (strcmp(f->section, pattern) == 0) return f;
    }
    return NULL;
}

/* Commented out: these sections are not there unless the input has them. */
static void print_free_section(const eg_config_spec *spec, const char *pattern, FILE *out)
{
    const eg_free_section *help = free_help(spec, pattern);
    const size_t           length = strlen(pattern);
    const bool             named = length > 2 && strcmp(pattern + length - 2, ".*") == 0;
    const int              shown = (int)(named ? length - 1 : length), width = shown + (named ? 4 : 0);
    const int              room = COMMENT_COLUMN - 4 - width;

    fprintf(out, "\n# [%.*s%s]", shown, pattern, named ? "NAME" : "");
    if (help != NULL) fprintf(out, "%*s# %s", room > 0 ? room : 1, "", help->help);
    fprintf(out, "\n");
    for (const eagle_key *key = help != NULL ? help->keys : NULL; key != NULL && key->key != NULL; key++)
        print_default("# ", &(eg_slot){ .key = key, .name = key->key }, out);
}

static void print_free_sections(const eg_config_spec *spec, FILE *out)
{
    for (const char *const *p = spec->free_sections; p != NULL && *p != NULL; p++) print_free_section(spec, *p, out);
}

void eg_config_print_keys(const eg_config_spec *spec, FILE *out)
{
    eg_slots slots = { 0 };

    if (!eg_config_slots(spec, &slots)) return;
    fprintf(out, "# Every key of %s with its default.\n", spec->program != NULL ? spec->program : "eagle");
    for (int i = 0; i < slots.n; i++) {
        if (is_first(&slots, i)) print_section_keys(&slots, slots.at[i].section, out);
    }
    for (const eagle_key_group *g = spec->groups; g != NULL && g->section != NULL; g++) print_group(g, out);
    print_free_sections(spec, out);
    eg_free(slots.at);
}

/* One key in full. */
static void print_key_page(const eg_slot *slot, FILE *out)
{
    const eagle_key *key = slot->key;
    char             value[512], range[120];

    eg_config_default_text(key, value, sizeof value);
    eg_config_range_text(key, range, sizeof range);
    fprintf(out, "%s.%s\n  %s\n", slot->section, slot->name, key->help != NULL ? key->help : "");
    if (!eg_config_is_pure(key->unit)) fprintf(out, "  unit:    %s\n", key->unit);
    if (key->choices != NULL) fprintf(out, "  one of:  %s\n", key->choices);
    if (range[0] != '\0') fprintf(out, "  range:   %s\n", range);
    if (value[0] != '\0') fprintf(out, "  %s %s\n", key->required ? "example:" : "default:", value);
    if (key->required) fprintf(out, "  must be set\n");
    if (key->may_change) fprintf(out, "  may change when a run is restarted\n");
}

static bool print_key_pages(const eg_slots *slots, const char *wanted, FILE *out)
{
    const char *dot = strrchr(wanted, '.');
    bool        found = false;

    for (int i = 0; i < slots->n; i++) {
        const eg_slot *slot = &slots->at[i];
        const bool     same_name = strcmp(slot->name, dot != NULL ? dot + 1 : wanted) == 0;
        const bool     same_section = dot == NULL || (strncmp(slot->section, wanted, (size_t)(dot - wanted)) == 0 &&
                                                  slot->section[dot - wanted] == '\0');
        if (!same_name || !same_section) continue;
        print_key_page(slot, out);
        found = true;
    }
    return found;
}

static bool print_group_page(const eg_config_spec *spec, const char *wanted, FILE *out)
{
    const size_t length = strcspn(wanted, ".");

    for (const eagle_key_group *g = spec->groups; g != NULL && g->section != NULL; g++) {
        if (strncmp(g->section, wanted, length) != 0 || g->section[length] != '\0') continue;
        print_group(g, out);
        return true;
    }
    return false;
}

static bool print_free_page(const eg_config_spec *spec, const char *wanted, FILE *out)
{
    for (const char *const *p = spec->free_sections; p != NULL && *p != NULL; p++) {
        if (!eg_config_matches(*p, wanted)) continue;
        if (free_help(spec, *p) == NULL)
            fprintf(out, "[%s] takes names of your own\n", wanted);
        else
            print_free_section(spec, *p, out);
        return true;
    }
    return false;
}

/* Nothing asked for: one line a section. */
static void print_overview(const eg_slots *slots, FILE *out)
{
    fprintf(out, "sections and keys of the input:\n");
    for (int i = 0; i < slots->n; i++) {
        if (!is_first(slots, i)) continue;
        fprintf(out, "  [%s]", slots->at[i].section);
        for (int k = i; k < slots->n; k++) {
            if (strcmp(slots->at[k].section, slots->at[i].section) == 0) fprintf(out, " %s", slots->at[k].name);
        }
        fprintf(out, "\n");
    }
}

bool eg_config_print_help(const eg_config_spec *spec, const char *section_or_key, FILE *out)
{
    eg_slots slots = { 0 };
    bool     found = true;

    if (!eg_config_slots(spec, &slots)) return false;
    if (section_or_key == NULL) {
        print_overview(&slots, out);
        for (const eagle_key_group *g = spec->groups; g != NULL && g->section != NULL; g++) print_group(g, out);
        print_free_sections(spec, out);
    } else if (in_slots(&slots, section_or_key)) {
        print_section_keys(&slots, section_or_key, out);
    } else {
        found = print_key_pages(&slots, section_or_key, out) || print_group_page(spec, section_or_key, out) ||
                print_free_page(spec, section_or_key, out);
    }
    eg_free(slots.at);
    return found;
}
