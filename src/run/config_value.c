/* config_value.c - decides what the text of a key may be, by the type, unit, choices and range of the key, and writes
 * its value. A number key with a .text takes that word too ("auto"); it then holds the default of the table. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "run/config_parts.h"

enum { COMPONENTS_MAX = 8 };

static bool refuse(eg_trouble *trouble, const char *fix, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool refuse(eg_trouble *trouble, const char *fix, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(trouble->what, sizeof trouble->what, fmt, args);
    va_end(args);
    snprintf(trouble->fix, sizeof trouble->fix, "%s", fix);
    return false;
}

/* With no upper limit below the lower one: a table may give min alone. */
static bool has_range(const eagle_key *key) { return key->min != 0 || key->max != 0; }

static bool has_upper(const eagle_key *key) { return key->max >= key->min && key->max < DBL_MAX; }

/* The shortest digits that read back as the same double. */
static void print_number(double value, char *out, size_t bytes)
{
    for (int digits = 15; digits <= 17; digits++) {
        double again;
        snprintf(out, bytes, "%.*g", digits, value);
        if (!isfinite(value) || (eg_parse_quantity(out, NULL, &again, NULL) && again == value)) return;
    }
}

void eg_config_range_text(const eagle_key *key, char *out, size_t bytes)
{
    char low[40], high[40];

    print_number(key->min, low, sizeof low);
    print_number(key->max, high, sizeof high);
    out[0] = '\0';
    if (!has_range(key)) return;
    if (key->min <= -DBL_MAX) {
        snprintf(out, bytes, "at most %s", high);
    } else if (!has_upper(key) && key->min > 0 && key->min < 1e-99) {
        snprintf(out, bytes, "above 0");
    } else if (!has_upper(key)) {
        snprintf(out, bytes, "at least %s", low);
    } else if (key->min > 0 && key->min < 1e-99) {
        snprintf(out, bytes, "above 0 and at most %s", high);
    } else {
        snprintf(out, bytes, "between %s and %s", low, high);
    }
}

/* A word that stands for a value: "auto". */
static bool has_word(const eagle_key *key)
{
    return key->text != NULL && key->type != EAGLE_KEY_VECTOR && isalpha((unsigned char)key->text[0]);
}

static bool check_range(const eg_slot *slot, double value, const char *text, eg_trouble *trouble)
{
    const eagle_key *key = slot->key;
    char             range[120], fix[160];

    if (!has_range(key)) return true;
    if (value >= key->min && (!has_upper(key) || value <= key->max)) return true;
    eg_config_range_text(key, range, sizeof range);
    snprintf(fix, sizeof fix, "choose a value %s%s%s%s%s", range, eg_config_is_pure(key->unit) ? "" : " ",
             eg_config_is_pure(key->unit) ? "" : key->unit, has_word(key) ? ", or " : "",
             has_word(key) ? key->text : "");
    return refuse(trouble, fix, "'%s.%s' is %s, it must be %s", slot->section, slot->name, text, range);
}

/* How a number of this key is written, as a fix. */
static const char *number_fix(const eagle_key *key, char *out, size_t bytes)
{
    if (eg_config_is_pure(key->unit)) {
        snprintf(out, bytes, "write a number");
    } else {
        snprintf(out, bytes, "write a number in %s, with or without the unit", key->unit);
    }
    if (has_word(key)) snprintf(out + strlen(out), bytes - strlen(out), ", or %s", key->text);
    return out;
}

static bool refuse_number(const eg_slot *slot, const char *text, eg_trouble *trouble)
{
    char fix[160];

    return refuse(trouble, number_fix(slot->key, fix, sizeof fix), "'%s.%s' is '%s', which is not a number",
                  slot->section, slot->name, text);
}

/* What stands behind a number and is not its unit. */
static bool refuse_rest(const eg_slot *slot, const char *text, const char *rest, eg_trouble *trouble)
{
    const bool is_word = strchr("0123456789.+-,()", rest[0]) == NULL;
    char       fix[160];

    if (!is_word) return refuse_number(slot, text, trouble);
    if (eg_config_is_pure(slot->key->unit)) {
        return refuse(trouble, "write the number alone",
                      "'%s.%s' is a number without a unit, but '%s' stands behind it", slot->section, slot->name, rest);
    }
    return refuse(trouble, number_fix(slot->key, fix, sizeof fix), "'%s.%s' has the unit '%s', expected '%s'",
                  slot->section, slot->name, rest, slot->key->unit);
}

/* inf is a number only where the table says so. */
static bool read_infinity(const eagle_key *key, const char *text, double *out)
{
    if (strcmp(text, "inf") == 0 && key->max == (double)INFINITY) {
        *out = (double)INFINITY;
        return true;
    }
    if (strcmp(text, "-inf") == 0 && key->min == -(double)INFINITY) {
        *out = -(double)INFINITY;
        return true;
    }
    return false;
}

static bool read_double(const eg_slot *slot, const char *text, double *out, eg_trouble *trouble)
{
    eg_number number;
    double    value;

    if (read_infinity(slot->key, text, out)) return true;
    if (!eg_config_scan_number(text, slot->key->unit, &number)) return refuse_number(slot, text, trouble);
    if (*number.end != '\0') return refuse_rest(slot, text, number.end, trouble);
    if (!eg_config_number_value(&number, &value)) {
        return refuse(trouble, "write a smaller number", "'%s.%s' is %s, more than a double can hold", slot->section,
                      slot->name, text);
    }
    if (!check_range(slot, value, text, trouble)) return false;
    *out = value;
    return true;
}

static bool read_int(const eg_slot *slot, const char *text, int64_t *out, eg_trouble *trouble)
{
    eg_number number;
    char      digits[64];
    int64_t   value;

    if (!eg_config_scan_number(text, slot->key->unit, &number)) return refuse_number(slot, text, trouble);
    if (*number.end != '\0') return refuse_rest(slot, text, number.end, trouble);
    snprintf(digits, sizeof digits, "%.*s", (int)(number.to - number.from), number.from);
    if (number.shift != 0 || number.to - number.from >= (int)sizeof digits || !eg_parse_int(digits, &value)) {
        return refuse(trouble, "write a whole number of at most 18 digits", "'%s.%s' is %s, a whole number is needed",
                      slot->section, slot->name, text);
    }
    if (!check_range(slot, (double)value, text, trouble)) return false;
    *out = value;
    return true;
}

static bool read_bool(const eg_slot *slot, const char *text, bool *out, eg_trouble *trouble)
{
    static const char *const words[] = { "false", "true", "no", "yes", "off", "on", "0", "1" };

    for (int i = 0; i < EG_COUNT(words); i++) {
        if (strcasecmp(text, words[i]) != 0) continue;
        *out = i % 2 == 1;
        return true;
    }
    return refuse(trouble, "write true or false", "'%s.%s' is '%s', it must be true or false", slot->section,
                  slot->name, text);
}

/* The numbers of a vector and where each of them stands; their count, or -1 at something else. Blanks or a comma
 * stand between. */
static int scan_vector(const char *text, const char *unit, eg_number *numbers, const char **end)
{
    int n = 0;

    *end = text;
    while (**end != '\0' && n < COMPONENTS_MAX) {
        if (n > 0 && **end == ',')
            ++*end;
        else if (n > 0 && (*end)[-1] != ' ' && (*end)[-1] != '\t')
            return -1;
        if (!eg_config_scan_number(*end, unit, &numbers[n])) return -1;
        *end = numbers[n++].end;
    }
    return n;
}

/* One unit behind the last number is that of all; else each has one, or none has. */
static bool share_unit(eg_number *numbers, int n)
{
    int with_unit = 0;

    for (int i = 0; i < n; i++) with_unit += numbers[i].has_unit;
    if (with_unit == 0 || with_unit == n) return true;
    if (with_unit > 1 || !numbers[n - 1].has_unit) return false;
    for (int i = 0; i < n; i++) numbers[i].shift = numbers[n - 1].shift;
    return true;
}

static bool read_vector(const eg_slot *slot, const char *text, double *out, eg_trouble *trouble)
{
    const int   components = (int)(slot->key->bytes / sizeof(double));
    const int   fewest = components < 2 ? components : 2;
    eg_number   numbers[COMPONENTS_MAX];
    double      values[COMPONENTS_MAX];
    const char *end;
    const int   n = scan_vector(text, slot->key->unit, numbers, &end);

    if (n < 0 && end > text && *end != ',') return refuse_rest(slot, text, end, trouble);
    if (n < 0) return refuse_number(slot, text, trouble);
    if (n < fewest || n > components || *end != '\0') {
        return refuse(trouble, "write x y z, or x y in two dimensions", "'%s.%s' is '%s', %d or %d numbers are needed",
                      slot->section, slot->name, text, fewest, components);
    }
    if (!share_unit(numbers, n)) {
        return refuse(trouble, "write one unit behind the last number, or one behind each",
                      "'%s.%s' is '%s', where some numbers have a unit and others have none", slot->section, slot->name,
                      text);
    }
    for (int i = 0; i < n; i++) {
        char component[160];
        snprintf(component, sizeof component, "%.*s", (int)(numbers[i].to - numbers[i].from), numbers[i].from);
        if (!eg_config_number_value(&numbers[i], &values[i])) return refuse_number(slot, text, trouble);
        if (!check_range(slot, values[i], component, trouble)) return false;
    }
    memcpy(out, values, (size_t)n * sizeof *out);
    for (int i = n; i < components; i++) out[i] = slot->key->value;
    return true;
}

static bool read_text(const eg_slot *slot, const char *text, char *out, eg_trouble *trouble)
{
    const size_t length = strlen(text);

    if (length >= slot->key->bytes) {
        return refuse(trouble, "shorten it", "'%s.%s' is %zu characters long, at most %zu are kept", slot->section,
                      slot->name, length, slot->key->bytes - 1);
    }
    memset(out, 0, slot->key->bytes);
    memcpy(out, text, length);
    return true;
}

enum { CHOICES_MAX = 32, WORDS_ROOM = 512 };

/* The words of "euler | rkl2", in a copy of the text. */
static int split_choices(const char *choices, char *copy, const char **words)
{
    char *rest = NULL;
    int   n = 0;

    snprintf(copy, WORDS_ROOM, "%s", choices != NULL ? choices : "");
    for (char *word = strtok_r(copy, " |", &rest); word != NULL && n < CHOICES_MAX; word = strtok_r(NULL, " |", &rest))
        words[n++] = word;
    return n;
}

static bool read_choice(const eg_slot *slot, const char *text, int *out, eg_trouble *trouble)
{
    char        copy[WORDS_ROOM], fix[160];
    const char *words[CHOICES_MAX], *near;
    const int   n = split_choices(slot->key->choices, copy, words);

    for (int i = 0; i < n; i++) {
        if (strcmp(words[i], text) != 0) continue;
        *out = i;
        return true;
    }
    near = eg_nearest(text, words, n);
    snprintf(fix, sizeof fix, "write %s", near != NULL ? near : "one of these words");
    return refuse(trouble, fix, "'%s.%s' is '%s', it must be one of: %s", slot->section, slot->name, text,
                  slot->key->choices);
}

static void fill_number(const eg_slot *slot)
{
    const int components = slot->key->type == EAGLE_KEY_VECTOR ? (int)(slot->key->bytes / sizeof(double)) : 1;
    double   *values = slot->to;

    if (slot->key->type == EAGLE_KEY_INT) {
        *(int64_t *)slot->to = (int64_t)slot->key->value;
        return;
    }
    for (int i = 0; i < components; i++) values[i] = slot->key->value;
}

static bool is_number(eagle_key_type type)
{
    return type == EAGLE_KEY_DOUBLE || type == EAGLE_KEY_INT || type == EAGLE_KEY_VECTOR;
}

static bool read_typed(const eg_slot *slot, const char *text, eg_trouble *trouble)
{
    switch (slot->key->type) {
    case EAGLE_KEY_DOUBLE: return read_double(slot, text, slot->to, trouble);
    case EAGLE_KEY_INT: return read_int(slot, text, slot->to, trouble);
    case EAGLE_KEY_BOOL: return read_bool(slot, text, slot->to, trouble);
    case EAGLE_KEY_VECTOR: return read_vector(slot, text, slot->to, trouble);
    case EAGLE_KEY_TEXT: return read_text(slot, text, slot->to, trouble);
    case EAGLE_KEY_CHOICE: return read_choice(slot, text, slot->to, trouble);
    }
    return refuse(trouble, "", "'%s.%s' has no type", slot->section, slot->name);
}

bool eg_config_read_value(const eg_slot *slot, const char *text, eg_trouble *trouble)
{
    const eagle_key *key = slot->key;

    if (text[0] == '\0' && key->type != EAGLE_KEY_TEXT) {
        return refuse(trouble, "write a value behind '=', or remove the line", "'%s.%s' has no value", slot->section,
                      slot->name);
    }
    if (is_number(key->type) && key->text != NULL && strcmp(key->text, text) == 0) {
        eg_config_read_default(slot);
        return true;
    }
    return read_typed(slot, text, trouble);
}

/* The text of a table may be numbers ("0 0 1") or a word that stands for .value ("auto"). */
void eg_config_read_default(const eg_slot *slot)
{
    const eagle_key *key = slot->key;
    eg_trouble       unused;

    if (is_number(key->type)) fill_number(slot);
    if (key->type == EAGLE_KEY_BOOL) *(bool *)slot->to = key->value != 0;
    if (key->type == EAGLE_KEY_CHOICE) *(int *)slot->to = (int)key->value;
    if (key->text != NULL || key->type == EAGLE_KEY_TEXT) read_typed(slot, key->text != NULL ? key->text : "", &unused);
}

void eg_config_default_text(const eagle_key *key, char *out, size_t bytes)
{
    const int   components = key->type == EAGLE_KEY_VECTOR ? (int)(key->bytes / sizeof(double)) : 1;
    char        copy[WORDS_ROOM], number[40];
    const char *words[CHOICES_MAX];

    out[0] = '\0';
    if (key->text != NULL) {
        snprintf(out, bytes, "%s", key->text);
    } else if (key->type == EAGLE_KEY_BOOL) {
        snprintf(out, bytes, "%s", key->value != 0 ? "true" : "false");
    } else if (key->type == EAGLE_KEY_CHOICE) {
        const int n = split_choices(key->choices, copy, words);
        if ((int)key->value < n) snprintf(out, bytes, "%s", words[(int)key->value]);
    } else if (is_number(key->type)) {
        print_number(key->value, number, sizeof number);
        for (int i = 0; i < components; i++)
            snprintf(out + strlen(out), bytes - strlen(out), "%s%s", i > 0 ? " " : "", number);
    }
}
