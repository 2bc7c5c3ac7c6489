/* config_parts.h - what the files of the input share: its entries, its keys and its errors. */
#ifndef EG_CONFIG_PARTS_H
#define EG_CONFIG_PARTS_H

#include "run/config.h"

/* Limits of inih as packaged: it cuts silently what is longer, so longer names and lines are refused before. */
enum { EG_CONFIG_LINE_MAX = 198, EG_CONFIG_NAME_MAX = 49 };

typedef struct eg_place {
    bool command; /* the command line, else the file */
    int  line;    /* 0: the file as a whole */
} eg_place;

typedef struct eg_entry { /* key = value */
    char    *section, *key, *value;
    eg_place place;
    bool     known, read; /* known: a key of a table; read: asked for by eg_config_text */
} eg_entry;

typedef struct eg_section {
    char    *name;
    eg_place place;
    bool     known;
} eg_section;

typedef struct eg_complaint {
    eg_place place;
    char    *text;
} eg_complaint;

/* A key of a table, and where its value goes. */
typedef struct eg_slot {
    const eagle_key *key;
    void            *to;                              /* NULL when only the table is looked at */
    char             section[EG_CONFIG_NAME_MAX + 1]; /* "grid", "material.copper" */
    const char      *name;                            /* "cells" */
} eg_slot;

typedef struct eg_slots {
    eg_slot *at;
    int      n;
    size_t   room;
} eg_slots;

struct eg_config {
    eg_config_spec spec; /* its tables are borrowed */
    char          *file, *source;
    eg_entry      *entries;
    eg_section    *sections;
    eg_complaint  *complaints;
    eg_entry      *asked; /* what eg_config_text was asked for and did not find: the words that may have been meant */
    void         **blocks; /* the arrays of the groups */
    int            n_entries, n_sections, n_complaints, n_asked, n_blocks;
    size_t         entry_room, section_room, complaint_room, asked_room, block_room;
    eg_slots       slots;
    char          *errors; /* the complaints as one text */
    bool           out_of_memory;
};

/* config_store.c */
void        eg_config_complain_at(eg_config *c, eg_place place, const char *fix, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void        eg_config_add_section(eg_config *c, const char *name, eg_place place);
void        eg_config_add_entry(eg_config *c, const char *section, const char *key, const char *value, eg_place place);
eg_entry   *eg_config_find(const eg_config *c, const char *section, const char *key); /* NULL: not set */
const char *eg_config_place_text(const eg_config *c, eg_place place, char *out, size_t bytes); /* "input.ini:7" */
bool        eg_config_matches(const char *pattern, const char *section); /* "output.*" */

/* config_reader.c */
void eg_config_load(eg_config *c, const char *path);
void eg_config_parse(eg_config *c);
void eg_config_set(eg_config *c, const char *setting);

/* config_table.c */
bool eg_config_slots(const eg_config_spec *spec, eg_slots *slots);
void eg_config_resolve(eg_config *c);

/* config_quantity.c */
typedef struct eg_number { /* a number in a text, with the unit behind it */
    const char *from, *to; /* its digits */
    const char *end;       /* what stands behind it and its unit */
    int         shift;     /* the decimal exponent of the unit's prefix */
    bool        has_unit;
} eg_number;
bool eg_config_scan_number(const char *text, const char *unit, eg_number *number);
bool eg_config_number_value(const eg_number *number, double *out); /* false: too large for a double */
bool eg_config_is_pure(const char *unit);

/* config_value.c */
typedef struct eg_trouble {
    char what[512], fix[384];
} eg_trouble;
bool eg_config_read_value(const eg_slot *slot, const char *text, eg_trouble *trouble); /* into slot->to */
void eg_config_read_default(const eg_slot *slot);
void eg_config_default_text(const eagle_key *key, char *out, size_t bytes);
void eg_config_range_text(const eagle_key *key, char *out, size_t bytes); /* "at least 1"; "" if any number will do */

#endif
