/* expression.c - decides what a value of the input may be: a number with its unit, or a formula of known names. The
 * formula itself is read and evaluated behind formula.h. */
#include "run/expression.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "run/formula.h"

enum { VARIABLES = 4 };
static const char *const variable_names[VARIABLES] = { "x", "y", "z", "t" };
static const double      pi = 3.14159265358979323846;

struct eg_expression {
    double      number;
    eg_formula *formula; /* NULL: a number */
    double      variable[VARIABLES];
};

/* --- the names a formula may use ------------------------------------------------------------------------------ */

static int names_of(eg_expression *e, const eg_constants *constants, eg_formula_name *out)
{
    int n = 0;

    for (int i = 0; i < VARIABLES; i++)
        out[n++] = (eg_formula_name){ .name = variable_names[i], .variable = &e->variable[i] };
    out[n++] = (eg_formula_name){ .name = "pi", .value = pi };
    for (int i = 0; constants != NULL && i < constants->n; i++)
        out[n++] = (eg_formula_name){ .name = constants->at[i].name, .value = constants->at[i].value };
    return n;
}

static int count_functions(void)
{
    int n = 0;

    while (eg_formula_functions()[n] != NULL) n++;
    return n;
}

static const char *nearest_name(const char *word, int n, const eg_formula_name *names)
{
    const int    functions = count_functions();
    const char **known = eg_alloc((size_t)(n + functions), sizeof *known), *found;

    if (known == NULL) return NULL;
    for (int i = 0; i < n; i++) known[i] = names[i].name;
    for (int i = 0; i < functions; i++) known[n + i] = eg_formula_functions()[i];
    found = eg_nearest(word, known, n + functions);
    eg_free(known);
    return found;
}

static void explain(const eg_formula_error *error, const char *text, int n, const eg_formula_name *names,
                    eg_expression_problem *out)
{
    const char *near = error->unknown ? nearest_name(error->word, n, names) : NULL;
    const int   length = (int)strlen(text), position = (error->at < length ? error->at : length) + 1;

    if (error->unknown)
        snprintf(out->what, sizeof out->what, "unknown word '%s' at position %d of '%.100s'", error->word, position,
                 text);
    else if (error->at >= 0)
        snprintf(out->what, sizeof out->what, "%s at position %d of '%.100s'", error->what, position, text);
    else
        snprintf(out->what, sizeof out->what, "%s: '%.100s'", error->what, text);
    if (near != NULL)
        snprintf(out->fix, sizeof out->fix, "write '%s'", near);
    else if (eg_formula_missing != NULL)
        snprintf(out->fix, sizeof out->fix, "%s", eg_formula_missing);
    else
        snprintf(out->fix, sizeof out->fix,
                 "write a number or a formula of x y z t pi, names of [constants] and "
                 "functions: 300 + 50*exp(-x^2/0.01)");
}

/* --- expressions ---------------------------------------------------------------------------------------------- */

static bool parse_formula(const char *text, const eg_constants *constants, eg_expression *e,
                          eg_expression_problem *problem)
{
    const int        room = VARIABLES + 1 + (constants != NULL ? constants->n : 0);
    eg_formula_name *names = eg_alloc((size_t)room, sizeof *names);
    eg_formula_error error;

    snprintf(problem->what, sizeof problem->what, "not enough memory");
    problem->fix[0] = '\0';
    if (names == NULL) return false;
    const int n = names_of(e, constants, names);
    e->formula = eg_formula_open(text, n, names, &error);
    if (e->formula == NULL) explain(&error, text, n, names, problem);
    eg_free(names);
    return e->formula != NULL;
}

bool eg_expression_parse(const char *text, const char *unit, const eg_constants *constants, eg_expression **out,
                         eg_expression_problem *problem)
{
    eg_expression *e = eg_alloc(1, sizeof *e);

    *problem = (eg_expression_problem){ .what = "not enough memory" };
    *out = NULL;
    if (e == NULL) return false;
    if (!eg_parse_quantity(text, unit, &e->number, NULL) && !parse_formula(text, constants, e, problem)) {
        eg_free(e);
        return false;
    }
    *out = e;
    return true;
}

eg_expression *eg_expression_read(eg_config *c, const char *section, const char *key, const char *unit,
                                  const eg_constants *constants)
{
    eg_expression_problem problem;
    eg_expression        *e;

    if (eg_expression_parse(eg_config_text(c, section, key), unit, constants, &e, &problem)) return e;
    eg_config_complain(c, section, key, problem.fix, "%s", problem.what);
    return NULL;
}

double eg_expression_value(eg_expression *e, const double x[3], double t)
{
    if (e->formula == NULL) return e->number;
    memcpy(e->variable, x, 3 * sizeof *x);
    e->variable[3] = t;
    return eg_formula_value(e->formula);
}

bool eg_expression_is_number(const eg_expression *e) { return e->formula == NULL; }

void eg_expression_free(eg_expression *e)
{
    if (e == NULL) return;
    eg_formula_close(e->formula);
    eg_free(e);
}

/* --- constants ------------------------------------------------------------------------------------------------ */

static bool is_identifier(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_') return false;
    for (const char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '_') return false;
    return true;
}

static bool is_taken(const char *name)
{
    const char *const *functions = eg_formula_functions();

    for (int i = 0; i < VARIABLES; i++)
        if (strcmp(name, variable_names[i]) == 0) return true;
    for (int i = 0; functions[i] != NULL; i++)
        if (strcmp(name, functions[i]) == 0) return true;
    return strcmp(name, "pi") == 0;
}

static void read_constant(eg_config *c, const char *name, eg_constants *constants)
{
    static const double origin[3] = { 0 };
    eg_expression      *e;

    if (!is_identifier(name) || is_taken(name)) {
        eg_config_complain(c, "constants", name, "use letters, digits and _, and no name of a variable or function",
                           "'%s' cannot be the name of a constant", name);
        eg_config_text(c, "constants", name);
        return;
    }
    e = eg_expression_read(c, "constants", name, NULL, constants);
    if (e == NULL) return;
    constants->at[constants->n++] = (eg_constant){ name, eg_expression_value(e, origin, 0) };
    eg_expression_free(e);
}

eagle_status eg_constants_read(eg_config *c, eg_constants *out)
{
    const int    n = eg_config_keys(c, "constants", NULL, 0);
    const char **names = eg_alloc((size_t)n + 1, sizeof *names);

    *out = (eg_constants){ .at = eg_alloc((size_t)n + 1, sizeof *out->at) };
    if (names == NULL || out->at == NULL) {
        eg_free(names);
        eg_constants_free(out);
        return EAGLE_ERR_MEMORY;
    }
    eg_config_keys(c, "constants", names, n);
    for (int i = 0; i < n; i++) read_constant(c, names[i], out);
    eg_free(names);
    return EAGLE_OK;
}

void eg_constants_free(eg_constants *constants)
{
    eg_free(constants->at);
    *constants = (eg_constants){ 0 };
}
