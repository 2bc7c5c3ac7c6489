/* The input: exact messages for what is refused, and the values of what is taken. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "run/config.h"

typedef struct material {
    eagle_section section;
    double        k;
    int           phase;
} material;

typedef struct values {
    double    cells[3], lower[3];
    double    end, dt, cfl;
    int64_t   steps, threads;
    bool      progress;
    int       scheme, backend;
    char      title[16];
    material *materials;
    int       n_materials;
} values;

static const eagle_key common[] = {
    EAGLE_KEY(values, cells, "grid.cells", .text = "8 8 1", .value = 1, .min = 1, .max = 65536, .help = "cells"),
    EAGLE_KEY(values, lower, "grid.lower", .unit = "m", .help = "lower corner"),
    EAGLE_KEY(values, end, "time.end", .unit = "s", .value = 1.5, .required = true, .help = "end of the run"),
    EAGLE_KEY(values, dt, "time.dt", .unit = "s", .text = "auto", .value = -1, .min = 1e-300, .help = "step"),
    EAGLE_KEY(values, cfl, "time.cfl", .value = 0.8, .min = 0.1, .max = 1, .help = "fraction of the limit"),
    EAGLE_KEY(values, steps, "time.steps", .help = "steps"),
    { 0 },
};
static const eagle_key special[] = {
    EAGLE_KEY(values, threads, "run.threads", .min = 0, .max = 1024, .help = "threads"),
    EAGLE_KEY(values, progress, "run.progress", .value = 1, .help = "progress lines"),
    EAGLE_KEY(values, backend, "run.backend", .choices = "auto | host | cuda", .help = "backend"),
    EAGLE_KEY(values, scheme, "model.scheme", .choices = "euler | rkl2", .text = "rkl2", .help = "scheme"),
    EAGLE_KEY(values, title, "model.title", .help = "title"),
    { 0 },
};
static const eagle_key material_keys[] = {
    EAGLE_KEY(material, k, "k", .unit = "W/(m K)", .value = 400, .required = true, .help = "conductivity"),
    EAGLE_KEY(material, phase, "phase", .choices = "solid | liquid", .help = "phase"),
    { 0 },
};
static const eagle_key_group groups[] = {
    EAGLE_GROUP(values, materials, n_materials, material, "material", material_keys, "a material"),
    { 0 },
};
static const char *const free_sections[] = { "edges", "edges.*", "initial", "output.*", "notes", NULL };

static values       v;
static eg_key_table tables[] = { { common, &v }, { special, &v } };
static const eg_config_spec spec = { "eagle-test", 2, tables, groups, &v, free_sections };

/* Reads a text as input.ini. */
static eg_config *read_text(const char *text, int n, const char *const *settings)
{
    eg_config *c = NULL;

    memset(&v, 0, sizeof v);
    eg_config_read(&spec, "input.ini", text, n, settings, &c);
    return c;
}

#define HEAD "[time]\nend = 2\n" /* what is required, in two lines */

static void expect_errors(const char *text, const char *errors, const char *file, int line)
{
    eg_config *c = read_text(text, 0, NULL);

    if (strcmp(eg_config_errors(c), errors) != 0) {
        fprintf(stderr, "%s:%d: got:\n%sexpected:\n%s", file, line, eg_config_errors(c), errors);
        check_failures++;
    }
    CHECK(eg_config_status(c) == (errors[0] != '\0' ? EAGLE_ERR_CONFIG : EAGLE_OK));
    eg_config_free(c);
}
#define EXPECT(text, errors) expect_errors((text), (errors), __FILE__, __LINE__)

static void check_lines(void)
{
    char long_line[400] = HEAD "steps = ";

    EXPECT(HEAD "  cfl = 1\n", "input.ini:3: error: the line is indented\n  fix: remove the blanks at its start; a "
                               "value stands on one line\n");
    EXPECT(HEAD "cfl 1\n",
           "input.ini:3: error: 'cfl 1' has no '='\n  fix: write key = value, or # before a comment\n");
    EXPECT(HEAD "= 1\n", "input.ini:3: error: no key stands before '='\n  fix: write key = value\n");
    EXPECT(HEAD "cfl: 1 = 1\n", "input.ini:3: error: the key 'cfl: 1' holds a ':'\n  fix: write key = value\n");
    EXPECT(HEAD "[grid\ncells = 1\n",
           "input.ini:3: error: '[grid' is not a section\n  fix: write [SECTION] on a line of its own\n");
    EXPECT(HEAD "[gr id]\n", "input.ini:3: error: '[gr id]' is not the name of a section\n"
                             "  fix: use letters, digits and _ + - in it, and a dot before a name of your own\n");
    EXPECT("a = 1\n" HEAD, "input.ini:1: error: the key 'a' stands before the first section\n"
                           "  fix: put a line with [SECTION] above it\n");
    EXPECT(HEAD "cfl = \x01\n", "input.ini:3: error: the line holds a control character\n"
                                "  fix: save the file as plain text, UTF-8\n");
    EXPECT(HEAD "[material.a_name_that_is_longer_than_forty_nine_characters]\n",
           "input.ini:3: error: the section name 'material.a_name_that_is_longer_than_forty_nine_characters' is longer "
           "than 49 characters\n  fix: choose a shorter name\n");
    memset(long_line + strlen(long_line), '1', 191);
    EXPECT(long_line, "input.ini:3: error: the line is 199 characters long, at most 198 are read\n"
                      "  fix: shorten it; parts of an expression can be named in [constants]\n");
}

static void check_longest_line(void)
{
    char       text[400] = HEAD "[initial]\nu = ";
    eg_config *c;

    memset(text + strlen(text), 'x', 194);
    c = read_text(text, 0, NULL);
    CHECK_TEXT(eg_config_errors(c), "");
    CHECK(strlen(eg_config_text(c, "initial", "u")) == 194);
    eg_config_free(c);
}

static void check_comments(void)
{
    eg_config *c = read_text("\xef\xbb\xbf# BOM, CR and comments\r\n[time] ; one\r\n   # indented comment\r\n\r\n"
                             "end = 25 us # other\r\n[model]\r\ntitle = a#b;c ;d\r\n[ grid ]\r\ncells = 4 5\r\n",
                             0, NULL);

    CHECK_TEXT(eg_config_errors(c), "");
    CHECK(v.end == 25e-6);
    CHECK_TEXT(v.title, "a#b;c");
    CHECK(v.cells[0] == 4 && v.cells[1] == 5 && v.cells[2] == 1);
    eg_config_free(c);
}

static void check_names(void)
{
    EXPECT(HEAD "clf = 1\n", "input.ini:3: error: unknown key 'clf' in [time]\n  fix: write cfl\n");
    EXPECT(HEAD "cells = 1\n", "input.ini:3: error: unknown key 'cells' in [time]\n  fix: put it into [grid]\n");
    EXPECT(HEAD "zzzzzz = 1\n",
           "input.ini:3: error: unknown key 'zzzzzz' in [time]\n  fix: use one of end, dt, cfl, steps\n");
    EXPECT(HEAD "[gird]\na = 1\nb = 2\n", "input.ini:3: error: unknown section [gird]\n  fix: write [grid]\n");
    EXPECT(HEAD "[materail.copper]\n",
           "input.ini:3: error: unknown section [materail.copper]\n  fix: write [material.copper]\n");
    EXPECT(HEAD "[material]\n",
           "input.ini:3: error: [material] has no name of its own\n  fix: write [material.NAME]\n");
    EXPECT(HEAD "[zzzzzz]\n", "input.ini:3: error: unknown section [zzzzzz]\n  fix: use one of [grid], [time], [run], "
                              "[model], [edges], [initial], [notes], [material.NAME], [edges.NAME], [output.NAME]\n");
    EXPECT(HEAD "cfl = 1\nend = 3\n", "input.ini:4: error: 'end' in [time] is set twice, first in line 2\n"
                                      "  fix: remove one of the two\n");
    EXPECT("[grid]\n", "input.ini: error: 'time.end' is not set\n  fix: add a section [time]: end = 1.5\n");
    EXPECT("[time]\n", "input.ini:1: error: 'time.end' is not set\n  fix: add to [time]: end = 1.5\n");
}

static void check_numbers(void)
{
    EXPECT("[time]\nend = soon\n", "input.ini:2: error: 'time.end' is 'soon', which is not a number\n"
                                   "  fix: write a number in s, with or without the unit\n");
    EXPECT("[time]\nend = 3 m\n", "input.ini:2: error: 'time.end' has the unit 'm', expected 's'\n"
                                  "  fix: write a number in s, with or without the unit\n");
    EXPECT("[time]\nend = 1 2\n", "input.ini:2: error: 'time.end' is '1 2', which is not a number\n"
                                  "  fix: write a number in s, with or without the unit\n");
    EXPECT("[time]\nend =\n",
           "input.ini:2: error: 'time.end' has no value\n  fix: write a value behind '=', or remove the line\n");
    EXPECT("[time]\nend = 1e999\n",
           "input.ini:2: error: 'time.end' is 1e999, more than a double can hold\n  fix: write a smaller number\n");
    EXPECT("[time]\nend = inf\n", "input.ini:2: error: 'time.end' is 'inf', which is not a number\n"
                                  "  fix: write a number in s, with or without the unit\n");
    EXPECT("[time]\nend = nan\n", "input.ini:2: error: 'time.end' is 'nan', which is not a number\n"
                                  "  fix: write a number in s, with or without the unit\n");
    EXPECT("[time]\nend = 0x10\n", "input.ini:2: error: 'time.end' has the unit 'x10', expected 's'\n"
                                   "  fix: write a number in s, with or without the unit\n");
    EXPECT(HEAD "dt = automatic\n", "input.ini:3: error: 'time.dt' is 'automatic', which is not a number\n"
                                    "  fix: write a number in s, with or without the unit, or auto\n");
    EXPECT(HEAD "dt = -1\n",
           "input.ini:3: error: 'time.dt' is -1, it must be above 0\n  fix: choose a value above 0 s, or auto\n");
    EXPECT(HEAD "cfl = 2\n", "input.ini:3: error: 'time.cfl' is 2, it must be between 0.1 and 1\n"
                             "  fix: choose a value between 0.1 and 1\n");
    EXPECT(HEAD "cfl = 0.5 m\n", "input.ini:3: error: 'time.cfl' is a number without a unit, but 'm' stands behind it\n"
                                 "  fix: write the number alone\n");
    EXPECT(HEAD "steps = 3.5\n", "input.ini:3: error: 'time.steps' is 3.5, a whole number is needed\n"
                                 "  fix: write a whole number of at most 18 digits\n");
    EXPECT(HEAD "steps = 99999999999999999999\n",
           "input.ini:3: error: 'time.steps' is 99999999999999999999, a whole number is needed\n"
           "  fix: write a whole number of at most 18 digits\n");
    EXPECT(HEAD "steps = 1_000\n", "input.ini:3: error: 'time.steps' is a number without a unit, but '_000' stands "
                                   "behind it\n  fix: write the number alone\n");
}

static void check_other_types(void)
{
    EXPECT(HEAD "[grid]\ncells = 8\n", "input.ini:4: error: 'grid.cells' is '8', 2 or 3 numbers are needed\n"
                                       "  fix: write x y z, or x y in two dimensions\n");
    EXPECT(HEAD "[grid]\ncells = 1 2 3 4\n",
           "input.ini:4: error: 'grid.cells' is '1 2 3 4', 2 or 3 numbers are needed\n"
           "  fix: write x y z, or x y in two dimensions\n");
    EXPECT(HEAD "[grid]\ncells = 8 0 8\n", "input.ini:4: error: 'grid.cells' is 0, it must be between 1 and 65536\n"
                                           "  fix: choose a value between 1 and 65536\n");
    EXPECT(HEAD "[grid]\nlower = 1 mm 2 3\n",
           "input.ini:4: error: 'grid.lower' is '1 mm 2 3', where some numbers have a unit and others have none\n"
           "  fix: write one unit behind the last number, or one behind each\n");
    EXPECT(HEAD "[grid]\nlower = 1 2 3 kg\n", "input.ini:4: error: 'grid.lower' has the unit 'kg', expected 'm'\n"
                                              "  fix: write a number in m, with or without the unit\n");
    EXPECT(HEAD "[run]\nbackend = cude\n",
           "input.ini:4: error: 'run.backend' is 'cude', it must be one of: auto | host "
           "| cuda\n  fix: write cuda\n");
    EXPECT(HEAD "[run]\nprogress = maybe\n",
           "input.ini:4: error: 'run.progress' is 'maybe', it must be true or false\n  fix: write true or false\n");
    EXPECT(HEAD "[model]\ntitle = sixteen letters!\n",
           "input.ini:4: error: 'model.title' is 16 characters long, at most 15 are kept\n  fix: shorten it\n");
}

static void check_values(void)
{
    eg_config *c = read_text(HEAD "dt = auto\nsteps = 1e6\ncfl = .5\n[grid]\nlower = -1 -2.5 mm\n[run]\nbackend=host\n"
                                  "progress = off\nthreads = 8\n",
                             0, NULL);

    CHECK_TEXT(eg_config_errors(c), "");
    CHECK(v.dt == -1 && v.steps == 1000000 && v.cfl == 0.5);
    CHECK(v.lower[0] == -1e-3 && v.lower[1] == -2.5e-3 && v.lower[2] == 0);
    CHECK(v.cells[0] == 8 && v.cells[2] == 1);
    CHECK(v.backend == 1 && !v.progress && v.threads == 8 && v.scheme == 1);
    CHECK(v.materials != NULL && v.n_materials == 0);
    CHECK(eg_config_is_set(c, "time.dt") && !eg_config_is_set(c, "model.scheme") && !eg_config_is_set(c, "dt"));
    eg_config_free(c);
}

static void check_groups(void)
{
    eg_config *c = read_text(
        HEAD "[material.copper]\nk = 401 W/(m K)\n[material.ice]\nk = 2200 mW/(m K)\nphase = solid\n", 0, NULL);

    CHECK_TEXT(eg_config_errors(c), "");
    CHECK(v.n_materials == 2);
    CHECK_TEXT(v.materials[0].section.name, "copper");
    CHECK_TEXT(v.materials[1].section.name, "ice");
    CHECK(v.materials[0].section.line == 3 && v.materials[1].section.line == 5);
    CHECK(v.materials[0].k == 401 && v.materials[1].k == 2.2);
    eg_config_free(c);
    EXPECT(HEAD "[material.a]\n[material.b]\nk = 1 W\nkk = 2\n",
           "input.ini:3: error: 'material.a.k' is not set\n  fix: add to [material.a]: k = 400\n"
           "input.ini:5: error: 'material.b.k' has the unit 'W', expected 'W/(m K)'\n"
           "  fix: write a number in W/(m K), with or without the unit\n"
           "input.ini:6: error: unknown key 'kk' in [material.b]\n  fix: write k\n");
}

static void check_settings(void)
{
    static const char *const good[] = { "time.end=3 ms", "material.copper.k = 1", "edges.x=periodic", "time.end=4 ms" };
    static const char *const bad[] = { "time.end", "end=3", "time.cfl=7", "tme.end=3", "edges.u.x=", "edges.[x=1" };
    eg_config               *c = read_text(HEAD, 4, good);

    CHECK_TEXT(eg_config_errors(c), "");
    CHECK(v.end == 4e-3 && v.n_materials == 1);
    CHECK_TEXT(eg_config_text(c, "edges", "x"), "periodic");
    eg_config_free(c);
    c = read_text(HEAD "clf = 1\n", EG_COUNT(bad), bad);
    CHECK_TEXT(eg_config_errors(c),
               "input.ini:3: error: unknown key 'clf' in [time]\n  fix: write cfl\n"
               "command line: error: 'time.end' is not a setting\n  fix: write section.key=value\n"
               "command line: error: 'end=3' is not a setting\n  fix: write section.key=value\n"
               "command line: error: the key '[x' holds a '['\n  fix: write key = value\n"
               "command line: error: 'time.cfl' is 7, it must be between 0.1 and 1\n"
               "  fix: choose a value between 0.1 and 1\n"
               "command line: error: unknown section [tme]\n  fix: write [time]\n");
    CHECK_TEXT(eagle_last_error()->what, "the input 'input.ini' has 6 errors");
    eg_config_free(c);
}

static void check_free_sections(void)
{
    eg_config  *c = read_text(HEAD "[edges]\nx_lwoer = fixed 3\n[output.slices]\nevery = 5\n[notes]\nany thing = 1\n"
                                   "[output.last]\n",
                              0, NULL);
    const char *names[1] = { "" };

    CHECK_TEXT(eg_config_errors(c), "");
    CHECK(eg_config_text(c, "edges", "x_lower") == NULL);
    CHECK(eg_config_text(c, "edges", "x_upper") == NULL);
    CHECK_TEXT(eg_config_text(c, "output.slices", "every"), "5");
    CHECK(eg_config_sections(c, "output.*", names, 1) == 2);
    CHECK_TEXT(names[0], "output.slices");
    CHECK(eg_config_keys(c, "edges", names, 1) == 1);
    CHECK_TEXT(names[0], "x_lwoer");
    eg_config_check_read(c);
    eg_config_complain(c, "output.slices", "every", "write 10", "%d is too few", 5);
    eg_config_complain(c, "output.last", NULL, "", "'%s' is empty", "output.last");
    eg_config_complain(c, "probe.none", NULL, "", "no probe");
    CHECK_TEXT(eg_config_errors(c),
               "input.ini:4: error: unknown key 'x_lwoer' in [edges]\n  fix: write x_lower\n"
               "input.ini:6: error: 5 is too few\n  fix: write 10\n"
               "input.ini:9: error: 'output.last' is empty\n"
               "input.ini: error: no probe\n");
    CHECK(eg_config_status(c) == EAGLE_ERR_CONFIG);
    eg_config_free(c);
}

/* Reads a file with these bytes. */
static void expect_file(const char *bytes, size_t n, const char *errors)
{
    char       path[] = "/tmp/eagle-test-config-XXXXXX", expected[512];
    const int  file = mkstemp(path);
    eg_config *c = NULL;

    CHECK(write(file, bytes, n) == (ssize_t)n);
    close(file);
    eg_config_read(&spec, path, NULL, 0, NULL, &c);
    snprintf(expected, sizeof expected, "%s%s", errors[0] != '\0' ? path : "", errors);
    CHECK_TEXT(eg_config_errors(c), expected);
    if (errors[0] == '\0') CHECK_TEXT(eg_config_source(c), bytes);
    unlink(path);
    eg_config_free(c);
}

static void check_files(void)
{
    eg_config *c = NULL;

    v.end = v.cfl = 0;
    CHECK(eg_config_read(&spec, "no/such.ini", NULL, 0, NULL, &c) == EAGLE_ERR_CONFIG);
    CHECK_TEXT(eg_config_errors(c),
               "no/such.ini: error: No such file or directory\n  fix: check the path of the input\n");
    CHECK(v.cfl == 0.8);
    eg_config_free(c);
    eg_config_read(&spec, "/", NULL, 0, NULL, &c);
    CHECK_TEXT(eg_config_errors(c), "/: error: Is a directory\n  fix: give the path of an input file\n");
    eg_config_free(c);
    expect_file("[time]\nend\0 = 1\n", 16,
                ": error: the file is not plain text\n  fix: save it as plain text, UTF-8\n");
    expect_file(HEAD "cfl = 1", strlen(HEAD "cfl = 1"), "");
}

/* What a printer writes, as text; the caller frees it. */
static char *printed_used(const eg_config *c)
{
    char  *text = NULL;
    size_t n = 0;
    FILE  *out = open_memstream(&text, &n);

    eg_config_print_used(c, out);
    fclose(out);
    return text;
}

static void check_used(void)
{
    static const char *const settings[] = { "run.threads=3" };
    eg_config               *c = read_text(HEAD "dt = 1e-3\n[model]\ntitle = a#b\n[edges.u]\nx = fixed 3\n"
                                               "[material.copper]\nk=400\n[grid]\nlower = 1 2 3 mm\n[notes]\nby = me\n",
                                           1, settings);
    char                    *used = printed_used(c), *again;
    values                   first = v;
    eg_config               *c2;

    CHECK_TEXT(eg_config_errors(c), "");
    CHECK(strstr(used, "end = 2                         # s; end of the run; input.ini:2\n") != NULL);
    CHECK(strstr(used, "threads = 3                     # threads; between 0 and 1024; command line\n") != NULL);
    CHECK(strstr(used, "cfl = 0.8                       # fraction of the limit; between 0.1 and 1; default\n") !=
          NULL);
    CHECK(strstr(used, "[material.copper]") > strstr(used, "[edges.u]")); /* in the order of the input */
    CHECK(strstr(used, "[material.copper]") < strstr(used, "[grid]"));
    CHECK(strstr(used, "\n[edges.u]\nx = fixed 3                     # input.ini:7\n") != NULL);
    c2 = read_text(used, 0, NULL);
    CHECK_TEXT(eg_config_errors(c2), "");
    CHECK(v.n_materials == 1 && v.materials[0].k == 400);
    v.materials = first.materials;
    CHECK(memcmp(&v, &first, sizeof v) == 0);
    CHECK_TEXT(eg_config_text(c2, "edges.u", "x"), "fixed 3");
    CHECK_TEXT(eg_config_text(c2, "notes", "by"), "me");
    again = printed_used(c2);
    CHECK(strlen(again) > 100);
    free(used), free(again);
    eg_config_free(c), eg_config_free(c2);
}

static void check_list_keys(void)
{
    eg_config *c = read_text(HEAD "[grid]\n", 0, NULL), *c2;
    values     defaults = v;
    char      *text = NULL;
    size_t     n = 0;
    FILE      *out = open_memstream(&text, &n);

    eg_config_print_keys(&spec, out);
    fclose(out);
    CHECK(strstr(text, "\ncells = 8 8 1                   # cells; between 1 and 65536\n") != NULL);
    CHECK(strstr(text, "\nend = 1.5                       # s; end of the run; required\n") != NULL);
    CHECK(strstr(text, "\n# k = 400                       # W/(m K); conductivity; required\n") != NULL);
    c2 = read_text(text, 0, NULL);
    CHECK_TEXT(eg_config_errors(c2), "");
    defaults.end = 1.5;
    defaults.materials = v.materials;
    CHECK(memcmp(&v, &defaults, sizeof v) == 0);
    free(text);
    eg_config_free(c), eg_config_free(c2);
}

static char *help(const char *word, bool *found)
{
    char  *text = NULL;
    size_t n = 0;
    FILE  *out = open_memstream(&text, &n);

    *found = eg_config_print_help(&spec, word, out);
    fclose(out);
    return text;
}

static void expect_help(const char *word, bool expected, const char *words)
{
    bool  found;
    char *text = help(word, &found);

    CHECK(found == expected);
    CHECK(strstr(text, words) != NULL);
    free(text);
}

static void check_help(void)
{
    expect_help(NULL, true, "[time] end dt cfl steps\n");
    expect_help("time", true, "\ncfl = 0.8 ");
    expect_help("time.cfl", true, "time.cfl\n  fraction of the limit\n  range:   between 0.1 and 1\n  default: 0.8\n");
    expect_help("cfl", true, "time.cfl\n");
    expect_help("material", true, "# [material.NAME]");
    expect_help("output.slices", true, "takes names of your own");
    expect_help("nothing", false, "");
}

static double quantity(const char *text, const char *unit)
{
    double value = NAN;

    return eg_parse_quantity(text, unit, &value, NULL) ? value : NAN;
}

static void check_quantities(void)
{
    const char *end = NULL;
    double      value = 0;
    int64_t     i = 0;

    CHECK(quantity("25 um", "m") == 25e-6);
    CHECK(quantity("2.3um", "m") == 2.3e-6);
    CHECK(quantity("25 \xc2\xb5m", "m") == 25e-6);
    CHECK(quantity("1.5e2 \xce\xbcm", "m") == 150e-6);
    CHECK(quantity("3 m", "m") == 3);
    CHECK(quantity("2 mm2", "m2") == 2e-6);
    CHECK(quantity("2 mm^2/s", "m^2/s") == 2e-6);
    CHECK(quantity("7 g", "kg") == 7e-3 && quantity("7 mg", "kg") == 7e-6 && quantity("7 kg", "kg") == 7);
    CHECK(quantity("1 GPa s", "Pa s") == 1e9);
    CHECK(quantity("5 1/s", "1/s") == 5);
    CHECK(isnan(quantity("5 k1/s", "1/s")));
    CHECK(isnan(quantity("5 kkg", "kg")) && isnan(quantity("5 m", NULL)) && isnan(quantity("", "m")));
    CHECK(isnan(quantity("inf", "m")) && isnan(quantity("nan", "m")) && isnan(quantity("1e400", "m")));
    CHECK(quantity("-.5", NULL) == -0.5 && isnan(quantity(".", NULL)) && isnan(quantity("1.2.3", NULL)));
    CHECK(eg_parse_quantity("25 mm 300 K", "m", &value, &end) && value == 25e-3);
    CHECK_TEXT(end, "300 K");
    CHECK(eg_parse_int(" -12 ", &i) && i == -12);
    CHECK(eg_parse_int("9223372036854775807", &i) && i == INT64_MAX);
    CHECK(eg_parse_int("1e3", &i) && i == 1000);
    CHECK(!eg_parse_int("9223372036854775808", &i) && !eg_parse_int("1e19", &i) && !eg_parse_int("3.5", &i));
    CHECK(!eg_parse_int("", &i) && !eg_parse_int("3 x", &i) && !eg_parse_int("0x10", &i));
}

static void check_many_errors(void)
{
    char       text[4096] = HEAD;
    eg_config *c;

    for (int i = 0; i < 60; i++) snprintf(text + strlen(text), sizeof text - strlen(text), "zzzz%d = 1\n", i + 100);
    c = read_text(text, 0, NULL);
    CHECK(strstr(eg_config_errors(c), "\nand 10 more errors\n") != NULL);
    eg_config_free(c);
}

int main(void)
{
    const int64_t living = eg_alloc_living();

    check_lines();
    check_longest_line();
    check_comments();
    check_names();
    check_numbers();
    check_other_types();
    check_values();
    check_groups();
    check_settings();
    check_free_sections();
    check_files();
    check_used();
    check_list_keys();
    check_help();
    check_quantities();
    check_many_errors();
    CHECK(eg_alloc_living() == living);
    return check_end();
}
