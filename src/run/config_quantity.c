/* config_quantity.c - decides what is a number and what is a unit: "25 um" where the unit is m. A prefix shifts the
 * decimal exponent in the text, so that 25 um and 2.5e-5 are the same double. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/config_parts.h"

typedef struct prefix {
    const char *text;
    int         shift;
} prefix;

static const prefix prefixes[] = {
    { "a", -18 },       { "f", -15 }, { "p", -12 }, { "n", -9 }, { "u", -6 }, { "\xc2\xb5", -6 },
    { "\xce\xbc", -6 }, { "m", -3 },  { "c", -2 },  { "d", -1 }, { "", 0 },   { "h", 2 },
    { "k", 3 },         { "M", 6 },   { "G", 9 },   { "T", 12 }, { "P", 15 }, { "E", 18 },
};

bool eg_config_is_pure(const char *unit) { return unit == NULL || unit[0] == '\0' || strcmp(unit, "1") == 0; }

static const char *skip_blanks(const char *s)
{
    while (*s == ' ' || *s == '\t') s++;
    return s;
}

static const char *skip_digits(const char *s)
{
    while (isdigit((unsigned char)*s)) s++;
    return s;
}

/* Behind the number that starts here, NULL if none does. Decimal only: no hexadecimal, no nan, no inf. */
static const char *scan_number(const char *s)
{
    const char *digits = *s == '+' || *s == '-' ? s + 1 : s;
    const char *end = skip_digits(digits);
    int         n = (int)(end - digits);

    if (*end == '.') {
        const char *fraction = end + 1;
        end = skip_digits(fraction);
        n += (int)(end - fraction);
    }
    if (n == 0) return NULL;
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end[1] == '+' || end[1] == '-' ? end + 2 : end + 1;
        const char *behind = skip_digits(exponent);
        if (behind > exponent) end = behind;
    }
    return end;
}

/* The number between two places, times 10^shift; false when it is too long or too large. */
static bool read_scaled(const char *from, const char *to, int shift, double *out)
{
    char        copy[160];
    const int   length = (int)(to - from);
    const char *e = from;
    long        exponent = 0;

    if (length > 120) return false;
    while (e < to && *e != 'e' && *e != 'E') e++;
    if (e < to) exponent = strtol(e + 1, NULL, 10);
    if (exponent > 100000 || exponent < -100000) return false;
    snprintf(copy, sizeof copy, "%.*se%ld", (int)(e - from), from, exponent + shift);
    *out = strtod(copy, NULL);
    return isfinite(*out);
}

/* The power of the first symbol of a unit, to which its prefix is raised: 2 of "m2/s"; 0: it takes no prefix. */
static int leading_power(const char *unit)
{
    const char *s = unit;

    while (isalpha((unsigned char)*s)) s++;
    if (s == unit) return 0;
    if (*s == '^') s++;
    return isdigit((unsigned char)*s) || *s == '-' ? (int)strtol(s, NULL, 10) : 1;
}

/* Behind `word` if the text starts with it and it ends there, NULL if not. */
static const char *behind_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    const char   next = strncmp(text, word, length) == 0 ? text[length] : 'x';

    return next == '\0' || next == ' ' || next == '\t' || next == ',' ? text + length : NULL;
}

/* Behind the unit that starts here, NULL if it does not; shift: the decimal exponent that its prefix stands for. */
static const char *scan_unit(const char *text, const char *unit, int *shift)
{
    const bool  in_kg = strncmp(unit, "kg", 2) == 0 && !isalpha((unsigned char)unit[2]);
    const char *base = in_kg ? unit + 1 : unit;
    const int   power = leading_power(unit);
    const char *end = behind_word(text, unit);

    *shift = 0;
    if (end != NULL || power == 0) return end;
    for (int i = 0; i < EG_COUNT(prefixes); i++) {
        const size_t length = strlen(prefixes[i].text);
        if (strncmp(text, prefixes[i].text, length) != 0) continue;
        end = behind_word(text + length, base);
        if (end == NULL) continue;
        *shift = (prefixes[i].shift - (in_kg ? 3 : 0)) * power;
        return end;
    }
    return NULL;
}

bool eg_config_scan_number(const char *text, const char *unit, eg_number *number)
{
    const char *s = skip_blanks(text), *end = scan_number(s);

    if (end == NULL) return false;
    *number = (eg_number){ .from = s, .to = end, .end = skip_blanks(end) };
    if (eg_config_is_pure(unit)) return true;
    end = scan_unit(number->end, unit, &number->shift);
    number->has_unit = end != NULL;
    if (end != NULL) number->end = skip_blanks(end);
    return true;
}

bool eg_config_number_value(const eg_number *number, double *out)
{
    return read_scaled(number->from, number->to, number->shift, out);
}

bool eg_parse_quantity(const char *text, const char *unit, double *out, const char **end)
{
    eg_number number;
    double    value;

    if (!eg_config_scan_number(text, unit, &number) || !eg_config_number_value(&number, &value)) return false;
    if (end == NULL && *number.end != '\0') return false;
    if (end != NULL) *end = number.end;
    *out = value;
    return true;
}

/* Whole numbers, also as 1e6; above 2^53 only in digits, where a double would round them. */
bool eg_parse_int(const char *text, int64_t *out)
{
    const char *s = skip_blanks(text);
    char       *end;
    double      value;
    long long   digits;

    if (scan_number(s) == NULL) return false;
    errno = 0;
    digits = strtoll(s, &end, 10);
    if (end != s && *skip_blanks(end) == '\0') {
        *out = digits;
        return errno == 0;
    }
    if (!eg_parse_quantity(s, NULL, &value, NULL) || value != floor(value) || fabs(value) > 9007199254740992.0)
        return false;
    *out = (int64_t)value;
    return true;
}
