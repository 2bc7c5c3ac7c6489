/* Any bytes as an input: no crash, no leak, and what is taken is written to used.ini so that it is taken again with the
 * same values. Not part of the build: compile it with clang -fsanitize=fuzzer,address,undefined together with src/base
 * and the config files of src/run, and run it with -max_len=600. */
#include <stdlib.h>
#include <string.h>

#include "run/config.h"

typedef struct part {
    char   name[EAGLE_NAME_MAX];
    double k;
} part;

typedef struct values {
    double  a[3], b;
    int64_t n;
    bool    on;
    int     word;
    char    text[24];
    part   *parts;
    int     n_parts;
} values;

static const eagle_key keys[] = {
    EAGLE_KEY(values, a, "s.a", .unit = "m", .text = "1 2 3", .value = 1),
    EAGLE_KEY(values, b, "s.b", .unit = "kg", .text = "auto", .value = -1, .min = 1e-300),
    EAGLE_KEY(values, n, "t.n", .min = -100, .max = 1e18),
    EAGLE_KEY(values, on, "t.on"),
    EAGLE_KEY(values, word, "t.word", .choices = "x | yy | zzz"),
    EAGLE_KEY(values, text, "t.text"),
    { 0 },
};
static const eagle_key         part_keys[] = { EAGLE_KEY(part, k, "k", .unit = "W/(m K)"), { 0 } };
static const eagle_key_group   groups[] = { EAGLE_GROUP(values, parts, n_parts, part, "p", part_keys, "parts"), { 0 } };
static const char *const       free_sections[] = { "f", "f.*", "notes", NULL };
static values                  v;
static const eg_key_table      table = { keys, &v };
static const eg_config_spec    spec = { "fuzz", 1, &table, groups, &v, free_sections };

static void require(bool condition, const char *text)
{
    if (condition) return;
    fprintf(stderr, "%s\n", text);
    __builtin_trap();
}

static eg_config *read_text(const char *text, int n, const char *const *settings)
{
    eg_config *c = NULL;

    memset(&v, 0, sizeof v);
    eg_config_read(&spec, "f.ini", text, n, settings, &c);
    return c;
}

/* What was taken is taken again, with the same values. */
static void check_used(eg_config *c)
{
    const values first = v;
    char        *used = NULL;
    size_t       n = 0;
    FILE        *out = open_memstream(&used, &n);
    eg_config   *again;

    eg_config_print_used(c, out);
    fclose(out);
    again = read_text(used, 0, NULL);
    require(eg_config_errors(again)[0] == '\0', eg_config_errors(again));
    require(v.n_parts == first.n_parts, used);
    for (int i = 0; i < v.n_parts; i++) require(memcmp(&v.parts[i], &first.parts[i], sizeof(part)) == 0, used);
    v.parts = first.parts;
    require(memcmp(&v, &first, sizeof v) == 0, used);
    eg_config_free(again);
    free(used);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char       *text = malloc(size + 1);
    const char *setting = text;
    eg_config  *c;

    memcpy(text, data, size);
    text[size] = '\0';
    c = read_text(text, 0, NULL);
    if (eg_config_errors(c)[0] == '\0') check_used(c);
    eg_config_check_read(c);
    eg_config_free(c);
    c = read_text("[f]\n", 1, &setting);
    if (eg_config_errors(c)[0] == '\0') check_used(c);
    eg_config_free(c);
    free(text);
    return 0;
}
