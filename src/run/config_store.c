/* config_store.c - keeps what the input said: its sections, entries and errors, each with its place. */
#include <limits.h>
#include <string.h>

#include "run/config_parts.h"

bool eg_config_matches(const char *pattern, const char *section)
{
    const size_t length = strlen(pattern);

    if (length < 2 || strcmp(pattern + length - 2, ".*") != 0) return strcmp(pattern, section) == 0;
    return strncmp(pattern, section, length - 1) == 0 && section[length - 1] != '\0';
}

eg_entry *eg_config_find(const eg_config *c, const char *section, const char *key)
{
    for (int i = 0; i < c->n_entries; i++) {
        eg_entry *e = &c->entries[i];
        if (strcmp(e->section, section) == 0 && strcmp(e->key, key) == 0) return e;
    }
    return NULL;
}

/* Room for one item more in one of the lists of c; NULL when there is no memory, which c remembers. */
static void *grow(eg_config *c, void *list, size_t *room, int n, size_t bytes)
{
    void *grown = eg_grow(list, room, (size_t)n + 1, bytes);

    if (grown == NULL) c->out_of_memory = true;
    return grown;
}

static char *copy(eg_config *c, const char *text)
{
    char *made = eg_copy_text(text);

    if (made == NULL) c->out_of_memory = true;
    return made;
}

void eg_config_add_section(eg_config *c, const char *name, eg_place place)
{
    eg_section *list;
    char       *text;

    for (int i = 0; i < c->n_sections; i++) {
        if (strcmp(c->sections[i].name, name) == 0) return;
    }
    list = grow(c, c->sections, &c->section_room, c->n_sections, sizeof *list);
    if (list == NULL) return;
    c->sections = list;
    text = copy(c, name);
    if (text != NULL) list[c->n_sections++] = (eg_section){ .name = text, .place = place };
}

static void free_entry(eg_entry *e)
{
    eg_free(e->section);
    eg_free(e->key);
    eg_free(e->value);
}

/* The strings of an entry, all or none. */
static bool make_entry(eg_config *c, eg_entry *e, const char *section, const char *key, const char *value)
{
    e->section = copy(c, section);
    e->key = copy(c, key);
    e->value = copy(c, value);
    if (e->section != NULL && e->key != NULL && e->value != NULL) return true;
    free_entry(e);
    return false;
}

void eg_config_add_entry(eg_config *c, const char *section, const char *key, const char *value, eg_place place)
{
    eg_entry *before = eg_config_find(c, section, key), *list;
    eg_entry  entry = { .place = place };

    if (!make_entry(c, &entry, section, key, value)) return;
    if (before != NULL) {
        free_entry(before);
        *before = entry;
        return;
    }
    list = grow(c, c->entries, &c->entry_room, c->n_entries, sizeof *list);
    if (list == NULL) {
        free_entry(&entry);
        return;
    }
    c->entries = list;
    list[c->n_entries++] = entry;
}

const char *eg_config_place_text(const eg_config *c, eg_place place, char *out, size_t bytes)
{
    if (place.command) {
        snprintf(out, bytes, "command line");
    } else if (place.line == 0) {
        snprintf(out, bytes, "%s", c->file);
    } else {
        snprintf(out, bytes, "%s:%d", c->file, place.line);
    }
    return out;
}

/* Errors stand in the order of the file, then those of the file as a whole, then those of the command line. */
static int order(eg_place place)
{
    if (place.command) return INT_MAX;
    return place.line == 0 ? INT_MAX - 1 : place.line;
}

/* The word of an axis is read for both of its sides: what is wrong with it is said once. */
static bool is_said(const eg_config *c, const char *text)
{
    for (int i = 0; i < c->n_complaints; i++)
        if (strcmp(c->complaints[i].text, text) == 0) return true;
    return false;
}

static void insert_complaint(eg_config *c, eg_place place, char *text)
{
    eg_complaint *list = grow(c, c->complaints, &c->complaint_room, c->n_complaints, sizeof *list);
    int           i = c->n_complaints;

    if (list == NULL) {
        eg_free(text);
        return;
    }
    c->complaints = list;
    for (; i > 0 && order(list[i - 1].place) > order(place); i--) list[i] = list[i - 1];
    list[i] = (eg_complaint){ place, text };
    c->n_complaints++;
}

static void complain(eg_config *c, eg_place place, const char *fix, const char *fmt, va_list args)
{
    char  where[512], what[1024];
    char *text;

    vsnprintf(what, sizeof what, fmt, args);
    eg_config_place_text(c, place, where, sizeof where);
    text = eg_format_text(fix != NULL && fix[0] != '\0' ? "%s: error: %s\n  fix: %s\n" : "%s: error: %s\n", where, what,
                          fix);
    if (text == NULL)
        c->out_of_memory = true;
    else if (is_said(c, text))
        eg_free(text);
    else
        insert_complaint(c, place, text);
}

void eg_config_complain_at(eg_config *c, eg_place place, const char *fix, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    complain(c, place, fix, fmt, args);
    va_end(args);
}

static eg_place place_of_section(const eg_config *c, const char *section)
{
    for (int i = 0; i < c->n_sections; i++) {
        if (strcmp(c->sections[i].name, section) == 0) return c->sections[i].place;
    }
    return (eg_place){ false, 0 };
}

void eg_config_complain(eg_config *c, const char *section, const char *key, const char *fix, const char *fmt, ...)
{
    const eg_entry *e = key != NULL ? eg_config_find(c, section, key) : NULL;
    va_list         args;

    va_start(args, fmt);
    complain(c, e != NULL ? e->place : place_of_section(c, section), fix, fmt, args);
    va_end(args);
}

const char *eg_config_text(eg_config *c, const char *section, const char *key)
{
    eg_entry *e = eg_config_find(c, section, key), *list;
    eg_entry  wanted = { 0 };

    if (e != NULL) {
        e->read = true;
        return e->value;
    }
    for (int i = 0; i < c->n_asked; i++) {
        if (strcmp(c->asked[i].section, section) == 0 && strcmp(c->asked[i].key, key) == 0) return NULL;
    }
    list = grow(c, c->asked, &c->asked_room, c->n_asked, sizeof *list);
    if (list == NULL) return NULL;
    c->asked = list;
    if (make_entry(c, &wanted, section, key, "")) list[c->n_asked++] = wanted;
    return NULL;
}

int eg_config_keys(const eg_config *c, const char *section, const char **keys, int room)
{
    int n = 0;

    for (int i = 0; i < c->n_entries; i++) {
        if (strcmp(c->entries[i].section, section) != 0) continue;
        if (n < room) keys[n] = c->entries[i].key;
        n++;
    }
    return n;
}

int eg_config_sections(const eg_config *c, const char *pattern, const char **names, int room)
{
    int n = 0;

    for (int i = 0; i < c->n_sections; i++) {
        if (!eg_config_matches(pattern, c->sections[i].name)) continue;
        if (n < room) names[n] = c->sections[i].name;
        n++;
    }
    return n;
}

bool eg_config_is_set(const eg_config *c, const char *key)
{
    const char *dot = strrchr(key, '.');
    char        section[EG_CONFIG_NAME_MAX + 1];

    if (dot == NULL || dot - key > EG_CONFIG_NAME_MAX) return false;
    snprintf(section, sizeof section, "%.*s", (int)(dot - key), key);
    return eg_config_find(c, section, dot + 1) != NULL;
}

const char *eg_config_source(const eg_config *c) { return c->source != NULL ? c->source : ""; }

void eg_config_free(eg_config *c)
{
    if (c == NULL) return;
    for (int i = 0; i < c->n_entries; i++) free_entry(&c->entries[i]);
    for (int i = 0; i < c->n_asked; i++) free_entry(&c->asked[i]);
    for (int i = 0; i < c->n_sections; i++) eg_free(c->sections[i].name);
    for (int i = 0; i < c->n_complaints; i++) eg_free(c->complaints[i].text);
    for (int i = 0; i < c->n_blocks; i++) eg_free(c->blocks[i]);
    eg_free(c->entries);
    eg_free(c->asked);
    eg_free(c->sections);
    eg_free(c->complaints);
    eg_free(c->blocks);
    eg_free(c->slots.at);
    eg_free(c->errors);
    eg_free(c->file);
    eg_free(c->source);
    eg_free(c);
}
