/* config_table.c - decides which keys there are, gives each its value or its default, and says of every other section
 * and key of the input what was probably meant. */
#include <limits.h>
#include <string.h>

#include "run/config_parts.h"

enum { WORDS_MAX = 256, HEADS_MAX = 64 };
typedef char heads_room[HEADS_MAX][EG_CONFIG_NAME_MAX + 1];

typedef struct words { /* that may have been meant */
    const char *at[WORDS_MAX];
    int         n;
} words;

static void add_word(words *w, const char *word)
{
    for (int i = 0; i < w->n; i++) {
        if (strcmp(w->at[i], word) == 0) return;
    }
    if (w->n < WORDS_MAX) w->at[w->n++] = word;
}

static bool add_slot(eg_slots *slots, const eagle_key *key, void *base, const char *section)
{
    const char *dot = strrchr(key->key, '.');
    eg_slot    *list = eg_grow(slots->at, &slots->room, (size_t)slots->n + 1, sizeof *list);
    eg_slot     slot = { .key = key, .to = base != NULL ? (char *)base + key->at : NULL };

    if (list == NULL) return false;
    slots->at = list;
    slot.name = dot != NULL ? dot + 1 : key->key;
    if (section != NULL) {
        snprintf(slot.section, sizeof slot.section, "%s", section);
    } else if (dot != NULL) {
        snprintf(slot.section, sizeof slot.section, "%.*s", (int)(dot - key->key), key->key);
    }
    list[slots->n++] = slot;
    return true;
}

static bool add_table(eg_slots *slots, const eagle_key *keys, void *base, const char *section)
{
    for (const eagle_key *key = keys; key != NULL && key->key != NULL; key++) {
        if (!add_slot(slots, key, base, section)) return false;
    }
    return true;
}

bool eg_config_slots(const eg_config_spec *spec, eg_slots *slots)
{
    for (int i = 0; i < spec->n_tables; i++) {
        if (!add_table(slots, spec->tables[i].keys, spec->tables[i].state, NULL)) return false;
    }
    return true;
}

/* "material" of [material.copper]; NULL: not of this group. */
static const char *name_in_group(const eagle_key_group *group, const char *section)
{
    const size_t length = strlen(group->section);

    if (strncmp(section, group->section, length) != 0 || section[length] != '.') return NULL;
    return section + length + 1;
}

/* Sections of the command line come after those of the file. */
static eagle_section section_of(const eg_section *s, const char *name)
{
    eagle_section out = { .line = s->place.command ? INT_MAX : s->place.line };

    snprintf(out.name, sizeof out.name, "%s", name);
    return out;
}

/* The array of a group, one struct for each of its sections, its names filled in and its keys added. */
static void add_group(eg_config *c, const eagle_key_group *group)
{
    char  *state = c->spec.group_state, *items;
    void **blocks = eg_grow(c->blocks, &c->block_room, (size_t)c->n_blocks + 1, sizeof *blocks);
    int    n = 0;

    if (blocks != NULL) c->blocks = blocks;
    items = eg_alloc((size_t)c->n_sections + 1, group->size);
    if (items == NULL || blocks == NULL) {
        eg_free(items);
        c->out_of_memory = true;
        return;
    }
    blocks[c->n_blocks++] = items;
    for (int i = 0; i < c->n_sections; i++) {
        const char *name = name_in_group(group, c->sections[i].name);
        char       *item = items + (size_t)n * group->size;
        if (name == NULL) continue;
        *(eagle_section *)(void *)item = section_of(&c->sections[i], name);
        if (!add_table(&c->slots, group->keys, item, c->sections[i].name)) c->out_of_memory = true;
        n++;
    }
    memcpy(state + group->at, &items, sizeof items);
    memcpy(state + group->at_n, &n, sizeof n);
}

static void complain_of_missing(eg_config *c, const eg_slot *slot)
{
    char example[256], fix[512];
    bool there = false;

    for (int i = 0; i < c->n_sections; i++) there |= strcmp(c->sections[i].name, slot->section) == 0;
    eg_config_default_text(slot->key, example, sizeof example);
    if (slot->key->text == NULL && slot->key->value == 0) snprintf(example, sizeof example, "...");
    snprintf(fix, sizeof fix, "%s[%s]: %s = %s", there ? "add to " : "add a section ", slot->section, slot->name,
             example);
    eg_config_complain(c, slot->section, NULL, fix, "'%s.%s' is not set", slot->section, slot->name);
}

static void resolve_slot(eg_config *c, const eg_slot *slot)
{
    eg_entry  *e = eg_config_find(c, slot->section, slot->name);
    eg_trouble trouble;

    if (slot->to != NULL) eg_config_read_default(slot);
    if (e != NULL) {
        e->known = true;
        if (!eg_config_read_value(slot, e->value, &trouble)) {
            eg_config_complain_at(c, e->place, trouble.fix, "%s", trouble.what);
        }
    } else if (slot->key->required) {
        complain_of_missing(c, slot);
    }
}

static bool is_free(const eg_config *c, const char *section)
{
    for (const char *const *p = c->spec.free_sections; p != NULL && *p != NULL; p++) {
        if (eg_config_matches(*p, section)) return true;
    }
    return false;
}

static bool has_section(const eg_config *c, const char *section)
{
    for (int i = 0; i < c->slots.n; i++) {
        if (strcmp(c->slots.at[i].section, section) == 0) return true;
    }
    for (const eagle_key_group *g = c->spec.groups; g != NULL && g->section != NULL; g++) {
        if (name_in_group(g, section) != NULL) return true;
    }
    return is_free(c, section);
}

static const eagle_key_group *find_group(const eg_config *c, const char *section)
{
    for (const eagle_key_group *g = c->spec.groups; g != NULL && g->section != NULL; g++) {
        if (strcmp(g->section, section) == 0) return g;
    }
    return NULL;
}

/* Sections that take a name, without their ".*", or those that take none. heads: room for the words that are cut. */
static void list_sections(const eg_config *c, bool named, heads_room heads, words *out)
{
    for (int i = 0; !named && i < c->slots.n; i++) add_word(out, c->slots.at[i].section);
    for (const eagle_key_group *g = c->spec.groups; g != NULL && g->section != NULL; g++) {
        if (named) add_word(out, g->section);
    }
    for (int i = 0; c->spec.free_sections != NULL && c->spec.free_sections[i] != NULL && i < HEADS_MAX; i++) {
        const char *pattern = c->spec.free_sections[i], *star = strstr(pattern, ".*");
        if ((star != NULL) != named) continue;
        snprintf(heads[i], sizeof heads[i], "%.*s", star != NULL ? (int)(star - pattern) : EG_CONFIG_NAME_MAX, pattern);
        add_word(out, heads[i]);
    }
}

/* "[a], [b], [c.NAME]" */
static void print_sections(const eg_config *c, char *out, size_t bytes)
{
    words      plain = { .n = 0 }, named = { .n = 0 };
    heads_room heads;

    out[0] = '\0';
    list_sections(c, false, heads, &plain);
    for (int i = 0; i < plain.n; i++)
        snprintf(out + strlen(out), bytes - strlen(out), "%s[%s]", i > 0 ? ", " : "", plain.at[i]);
    list_sections(c, true, heads, &named);
    for (int i = 0; i < named.n; i++)
        snprintf(out + strlen(out), bytes - strlen(out), "%s[%s.NAME]", out[0] != '\0' ? ", " : "", named.at[i]);
}

static void complain_of_section(eg_config *c, const eg_section *s)
{
    const char *dot = strchr(s->name, '.');
    char        head[EG_CONFIG_NAME_MAX + 1], all[400], fix[480];
    words       known = { .n = 0 };
    heads_room  heads;
    const char *near;

    if (find_group(c, s->name) != NULL) {
        snprintf(fix, sizeof fix, "write [%s.NAME]", s->name);
        eg_config_complain_at(c, s->place, fix, "[%s] has no name of its own", s->name);
        return;
    }
    snprintf(head, sizeof head, "%.*s", dot != NULL ? (int)(dot - s->name) : EG_CONFIG_NAME_MAX, s->name);
    list_sections(c, dot != NULL, heads, &known);
    near = eg_nearest(head, known.at, known.n);
    print_sections(c, all, sizeof all);
    snprintf(fix, sizeof fix, "use one of %s", all);
    if (near != NULL) snprintf(fix, sizeof fix, "write [%s%s]", near, dot != NULL ? dot : "");
    eg_config_complain_at(c, s->place, fix, "unknown section [%s]", s->name);
}

static void complain_of_key(eg_config *c, const eg_entry *e)
{
    words       here = { .n = 0 };
    const char *near, *elsewhere = NULL;
    char        fix[480] = "use one of";

    for (int i = 0; i < c->slots.n; i++) {
        const eg_slot *slot = &c->slots.at[i];
        if (strcmp(slot->section, e->section) == 0)
            add_word(&here, slot->name);
        else if (strcmp(slot->name, e->key) == 0 && elsewhere == NULL)
            elsewhere = slot->section;
    }
    near = eg_nearest(e->key, here.at, here.n);
    for (int i = 0; i < here.n; i++)
        snprintf(fix + strlen(fix), sizeof fix - strlen(fix), "%s %s", i > 0 ? "," : "", here.at[i]);
    if (elsewhere != NULL) snprintf(fix, sizeof fix, "put it into [%s]", elsewhere);
    if (near != NULL) snprintf(fix, sizeof fix, "write %s", near);
    eg_config_complain_at(c, e->place, fix, "unknown key '%s' in [%s]", e->key, e->section);
}

void eg_config_resolve(eg_config *c)
{
    if (!eg_config_slots(&c->spec, &c->slots)) c->out_of_memory = true;
    for (const eagle_key_group *g = c->spec.groups; g != NULL && g->section != NULL; g++) add_group(c, g);
    for (int i = 0; i < c->slots.n; i++) resolve_slot(c, &c->slots.at[i]);
    for (int i = 0; i < c->n_sections; i++) {
        c->sections[i].known = has_section(c, c->sections[i].name);
        if (!c->sections[i].known) complain_of_section(c, &c->sections[i]);
    }
    for (int i = 0; i < c->n_entries; i++) {
        const eg_entry *e = &c->entries[i];
        if (!e->known && has_section(c, e->section) && !is_free(c, e->section)) complain_of_key(c, e);
    }
}

/* [notes] is for people: nobody reads its keys. */
void eg_config_check_read(eg_config *c)
{
    for (int i = 0; i < c->n_entries; i++) {
        const eg_entry *e = &c->entries[i];
        words           here = { .n = 0 };
        const char     *near;
        char            fix[160] = "remove it";
        if (e->known || e->read || !is_free(c, e->section) || strcmp(e->section, "notes") == 0) continue;
        for (int k = 0; k < c->n_asked; k++) {
            if (strcmp(c->asked[k].section, e->section) == 0) add_word(&here, c->asked[k].key);
        }
        for (int k = 0; k < c->slots.n; k++) {
            if (strcmp(c->slots.at[k].section, e->section) == 0) add_word(&here, c->slots.at[k].name);
        }
        near = eg_nearest(e->key, here.at, here.n);
        if (near != NULL) snprintf(fix, sizeof fix, "write %s", near);
        eg_config_complain_at(c, e->place, fix, "unknown key '%s' in [%s]", e->key, e->section);
    }
}
