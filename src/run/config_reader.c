/* config_reader.c - decides what a line of the input is. inih splits sections, keys and values; this reader stands
 * before it, because inih as packaged knows no line numbers, takes indented lines for continuations, and cuts long
 * lines and names silently.
 *
 *   R1  inih sees one line of ours for each line of the file: "[section]", "key = value" or an empty one, so that the
 *       line number kept here is that of the entry it hands back.
 *   R2  what inih would cut or take for something else is refused here, with the line. */
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <string.h>

#include "run/config_parts.h"

enum { FILE_MAX = 16 << 20 }; /* bytes; a larger file is none of ours */

typedef struct reader {
    eg_config  *c;
    const char *next;    /* the rest of the text */
    int         line;    /* of the line handed out last */
    bool        skipped; /* the section was refused: so are its keys, without a word for each */
} reader;

typedef struct span {
    const char *at;
    int         n;
} span;

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static span trimmed(span s)
{
    while (s.n > 0 && is_blank(s.at[0])) s.at++, s.n--;
    while (s.n > 0 && is_blank(s.at[s.n - 1])) s.n--;
    return s;
}

/* A comment begins at the start of a line or of a value, and inside when a blank stands before it. */
static span without_comment(span s)
{
    for (int i = 0; i < s.n; i++) {
        const bool begins = i == 0 || is_blank(s.at[i - 1]) || s.at[i - 1] == '=';
        if (begins && (s.at[i] == '#' || s.at[i] == ';')) s.n = i;
    }
    return s;
}

static int find(span s, char c)
{
    for (int i = 0; i < s.n; i++) {
        if (s.at[i] == c) return i;
    }
    return s.n;
}

static bool has_control(span s)
{
    for (int i = 0; i < s.n; i++) {
        const unsigned char c = (unsigned char)s.at[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f) return true;
    }
    return false;
}

static bool is_section_name(span s)
{
    for (int i = 0; i < s.n; i++) {
        if (!isalnum((unsigned char)s.at[i]) && strchr("_.+-", s.at[i]) == NULL) return false;
    }
    return s.n > 0 && s.at[0] != '.' && s.at[s.n - 1] != '.';
}

static bool check_section(eg_config *c, span name, eg_place place)
{
    if (!is_section_name(name)) {
        eg_config_complain_at(c, place, "use letters, digits and _ + - in it, and a dot before a name of your own",
                              "'[%.*s]' is not the name of a section", name.n, name.at);
        return false;
    }
    if (name.n > EG_CONFIG_NAME_MAX) {
        eg_config_complain_at(c, place, "choose a shorter name", "the section name '%.*s' is longer than %d characters",
                              name.n, name.at, EG_CONFIG_NAME_MAX);
        return false;
    }
    return true;
}

static bool check_key(eg_config *c, span key, span value, int limit, eg_place place)
{
    const int length = key.n + 3 + value.n;

    if (key.n == 0) {
        eg_config_complain_at(c, place, "write key = value", "no key stands before '='");
    } else if (find(key, ':') < key.n || key.at[0] == '[') { /* inih would take them for '=' and a section */
        eg_config_complain_at(c, place, "write key = value", "the key '%.*s' holds a '%c'", key.n, key.at,
                              key.at[0] == '[' ? '[' : ':');
    } else if (key.n > EG_CONFIG_NAME_MAX) {
        eg_config_complain_at(c, place, "choose a shorter name", "the key '%.*s' is longer than %d characters", key.n,
                              key.at, EG_CONFIG_NAME_MAX);
    } else if (length > limit) {
        eg_config_complain_at(c, place, "shorten it; parts of an expression can be named in [constants]",
                              "the line is %d characters long, at most %d are read", length, limit);
    } else {
        return true;
    }
    return false;
}

/* "[section]" for inih; an empty line when it is refused. */
static void section_line(reader *r, span line, char *out, int room)
{
    const eg_place place = { false, r->line };
    const int      close = find(line, ']');
    const span     name = trimmed((span){ line.at + 1, close - 1 });
    char           text[EG_CONFIG_NAME_MAX + 1];

    r->skipped = true;
    if (close != line.n - 1) {
        eg_config_complain_at(r->c, place, "write [SECTION] on a line of its own", "'%.*s' is not a section",
                              line.n > 60 ? 60 : line.n, line.at);
        return;
    }
    if (!check_section(r->c, name, place)) return;
    r->skipped = false;
    snprintf(text, sizeof text, "%.*s", name.n, name.at);
    eg_config_add_section(r->c, text, place);
    snprintf(out, (size_t)room, "[%s]\n", text);
}

/* "key = value" for inih; an empty line when it is refused. */
static void key_line(reader *r, span line, char *out, int room)
{
    const eg_place place = { false, r->line };
    const int      limit = room - 2 < EG_CONFIG_LINE_MAX ? room - 2 : EG_CONFIG_LINE_MAX;
    const int      equals = find(line, '=');
    const span     key = trimmed((span){ line.at, equals });
    const span     value = trimmed((span){ line.at + equals + 1, line.n - equals - 1 });

    if (equals == line.n) {
        eg_config_complain_at(r->c, place, "write key = value, or # before a comment", "'%.*s' has no '='",
                              line.n > 60 ? 60 : line.n, line.at);
        return;
    }
    if (r->skipped || !check_key(r->c, key, value, limit, place)) return;
    snprintf(out, (size_t)room, "%.*s = %.*s\n", key.n, key.at, value.n, value.at);
}

static span take_line(reader *r)
{
    const char *end = strchr(r->next, '\n');
    span        line = { r->next, end != NULL ? (int)(end - r->next) : (int)strlen(r->next) };

    r->next += line.n + (end != NULL);
    r->line++;
    if (line.n > 0 && line.at[line.n - 1] == '\r') line.n--;
    return line;
}

/* An ini_reader: one line of the file into `out`, NULL at its end. */
static char *read_line(char *out, int room, void *stream)
{
    reader        *r = stream;
    span           whole, line;
    const eg_place place = { false, r->line + 1 };

    if (*r->next == '\0') return NULL;
    whole = without_comment(take_line(r));
    line = trimmed(whole);
    snprintf(out, (size_t)room, "\n");
    if (line.n == 0) return out;
    if (has_control(line)) {
        eg_config_complain_at(r->c, place, "save the file as plain text, UTF-8", "the line holds a control character");
    } else if (line.at != whole.at) {
        eg_config_complain_at(r->c, place, "remove the blanks at its start; a value stands on one line",
                              "the line is indented");
    } else if (line.at[0] == '[') {
        section_line(r, line, out, room);
    } else {
        key_line(r, line, out, room);
    }
    return out;
}

/* An ini_handler. */
static int take_entry(void *user, const char *section, const char *key, const char *value)
{
    reader        *r = user;
    const eg_place place = { false, r->line };
    eg_entry      *before = eg_config_find(r->c, section, key);

    if (before != NULL) {
        eg_config_complain_at(r->c, place, "remove one of the two", "'%s' in [%s] is set twice, first in line %d", key,
                              section, before->place.line);
    } else if (section[0] == '\0') {
        eg_config_complain_at(r->c, place, "put a line with [SECTION] above it",
                              "the key '%s' stands before the first section", key);
    } else {
        eg_config_add_entry(r->c, section, key, value, place);
    }
    return 1;
}

void eg_config_parse(eg_config *c)
{
    reader r = { .c = c, .next = c->source };

    if (strncmp(r.next, "\xef\xbb\xbf", 3) == 0) r.next += 3;
    if (ini_parse_stream(read_line, &r, take_entry, &r) < 0) c->out_of_memory = true;
}

static void complain_of_file(eg_config *c, const char *fix, const char *what)
{
    eg_config_complain_at(c, (eg_place){ false, 0 }, fix, "%s", what);
}

/* All that is left of a file, ended with a zero; NULL with a complaint. */
static char *read_all(eg_config *c, FILE *file)
{
    char  *text = NULL;
    size_t room = 0, n = 0, got;

    do {
        char *grown = eg_grow(text, &room, n + 4096 + 1, 1);
        if (grown == NULL) goto no_memory;
        text = grown;
        got = fread(text + n, 1, room - n - 1, file);
        n += got;
    } while (got > 0 && n < FILE_MAX);
    text[n] = '\0';
    if (ferror(file)) {
        complain_of_file(c, "give the path of an input file", strerror(errno));
    } else if (n >= FILE_MAX || strlen(text) != n) {
        complain_of_file(c, "save it as plain text, UTF-8",
                         n >= FILE_MAX ? "the file is larger than 16 MiB" : "the file is not plain text");
    } else {
        return text;
    }
    eg_free(text);
    return NULL;
no_memory:
    c->out_of_memory = true;
    eg_free(text);
    return NULL;
}

void eg_config_load(eg_config *c, const char *path)
{
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        complain_of_file(c, "check the path of the input", strerror(errno));
        return;
    }
    c->source = read_all(c, file);
    fclose(file);
}

/* "section.key=value" of the command line: the last dot before '=' ends the section. */
void eg_config_set(eg_config *c, const char *setting)
{
    const eg_place place = { true, 0 };
    const span     all = without_comment((span){ setting, (int)strlen(setting) });
    const int      equals = find(all, '=');
    const span     name = trimmed((span){ all.at, equals });
    int            dot = name.n - 1;
    char           text[3][EG_CONFIG_LINE_MAX + 1];

    while (dot > 0 && name.at[dot] != '.') dot--;
    if (equals == all.n || dot <= 0 || has_control(all)) {
        eg_config_complain_at(c, place, "write section.key=value", "'%s' is not a setting", setting);
        return;
    }
    const span parts[3] = { { name.at, dot },
                            { name.at + dot + 1, name.n - dot - 1 },
                            trimmed((span){ all.at + equals + 1, all.n - equals - 1 }) };
    if (!check_section(c, parts[0], place) || !check_key(c, parts[1], parts[2], EG_CONFIG_LINE_MAX, place)) return;
    for (int i = 0; i < 3; i++) snprintf(text[i], sizeof text[i], "%.*s", parts[i].n, parts[i].at);
    eg_config_add_section(c, text[0], place);
    eg_config_add_entry(c, text[0], text[1], text[2], place);
}
