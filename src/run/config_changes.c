/* config_changes.c - decides whether a restarted run may use its input: what the state follows from must be what it was;
 * what says how long a run goes, what it writes and where it runs may change, and is told. */
#include <string.h>

#include "run/config_parts.h"

/* Keys of sections that applications and outputs read themselves. A key NULL: all of the section. */
static const struct {
    const char *section, *key;
} free_to_change[] = {
    { "output", NULL }, { "output.*", NULL }, { "notes", NULL }, { "history", "every" }, { "history", "interval" },
};

static bool may_change(const char *section, const char *key)
{
    for (int i = 0; i < EG_COUNT(free_to_change); i++)
        if (eg_config_matches(free_to_change[i].section, section) &&
            (free_to_change[i].key == NULL || strcmp(free_to_change[i].key, key) == 0))
            return true;
    return false;
}

/* text: as it was, NULL if it was not set. */
static void judge(eg_config *now, const char *section, const char *key, const char *was, const char *is, bool allowed)
{
    char fix[256];

    if (allowed) {
        eg_info("restart: %s.%s is now %s, was %s", section, key, is != NULL ? is : "not set",
                was != NULL ? was : "not set");
        return;
    }
    if (was != NULL)
        snprintf(fix, sizeof fix, "write %.60s = %.120s, or start anew without --restart", key, was);
    else
        snprintf(fix, sizeof fix, "remove it, or start anew without --restart");
    eg_config_complain(now, section, is != NULL ? key : NULL, fix, "'%s.%s' is not what it was in the checkpoint's run",
                       section, key);
}

/* --- keys of tables ------------------------------------------------------------------------------------------- */

static const eg_slot *slot_like(const eg_config *c, const eg_slot *like)
{
    for (int i = 0; i < c->slots.n; i++)
        if (strcmp(c->slots.at[i].section, like->section) == 0 && strcmp(c->slots.at[i].name, like->name) == 0)
            return &c->slots.at[i];
    return NULL;
}

static bool same_value(const eg_slot *a, const eg_slot *b)
{
    if (a->key->type == EAGLE_KEY_TEXT) return strcmp(a->to, b->to) == 0;
    return memcmp(a->to, b->to, a->key->bytes) == 0;
}

static const char *text_of(const eg_config *c, const eg_slot *slot, char room[256])
{
    const eg_entry *e = eg_config_find(c, slot->section, slot->name);

    if (e != NULL) return e->value;
    eg_config_default_text(slot->key, room, 256);
    return room;
}

static void compare_slots(eg_config *now, const eg_config *before)
{
    for (int i = 0; i < now->slots.n; i++) {
        const eg_slot *slot = &now->slots.at[i], *other = slot_like(before, slot);
        char           a[256], b[256];
        if (other != NULL && same_value(slot, other)) continue;
        judge(now, slot->section, slot->name, other != NULL ? text_of(before, other, a) : NULL, text_of(now, slot, b),
              slot->key->may_change);
    }
    for (int i = 0; i < before->slots.n; i++) {
        const eg_slot *slot = &before->slots.at[i];
        char           a[256];
        if (slot_like(now, slot) == NULL) judge(now, slot->section, slot->name, text_of(before, slot, a), NULL, false);
    }
}

/* --- sections of their own ------------------------------------------------------------------------------------ */

/* As text: what its numbers are only the reader of the section knows. */
static void compare_entries(eg_config *now, const eg_config *before)
{
    for (int i = 0; i < now->n_entries; i++) {
        const eg_entry *e = &now->entries[i], *other = eg_config_find(before, e->section, e->key);
        if (e->known || (other != NULL && strcmp(e->value, other->value) == 0)) continue;
        judge(now, e->section, e->key, other != NULL ? other->value : NULL, e->value, may_change(e->section, e->key));
    }
    for (int i = 0; i < before->n_entries; i++) {
        const eg_entry *e = &before->entries[i];
        if (e->known || eg_config_find(now, e->section, e->key) != NULL) continue;
        judge(now, e->section, e->key, e->value, NULL, may_change(e->section, e->key));
    }
}

/* --- the order of sections, by which a later box covers an earlier one ---------------------------------------- */

static bool in_group(const eg_config *c, const char *section)
{
    char pattern[EG_CONFIG_NAME_MAX + 3];

    for (const eagle_key_group *g = c->spec.groups; g != NULL && g->section != NULL; g++) {
        snprintf(pattern, sizeof pattern, "%.*s.*", EG_CONFIG_NAME_MAX, g->section);
        if (eg_config_matches(pattern, section)) return true;
    }
    return false;
}

static const char *next_in_group(const eg_config *c, int *i)
{
    for (; *i < c->n_sections; ++*i)
        if (in_group(c, c->sections[*i].name)) return c->sections[(*i)++].name;
    return NULL;
}

static void compare_order(eg_config *now, const eg_config *before)
{
    int         i = 0, k = 0;
    const char *a, *b;

    do {
        a = next_in_group(now, &i);
        b = next_in_group(before, &k);
    } while (a != NULL && b != NULL && strcmp(a, b) == 0);
    if (a == NULL || b == NULL) return; /* one that is new or gone was told of by its keys */
    eg_config_complain(now, a, NULL, "put the sections in the order of the checkpoint's used.ini",
                       "[%s] stands where [%s] stood in the checkpoint's run", a, b);
}

void eg_config_compare(eg_config *now, const eg_config *before)
{
    const int n = now->n_complaints;

    compare_slots(now, before);
    compare_entries(now, before);
    if (now->n_complaints == n) compare_order(now, before);
}
