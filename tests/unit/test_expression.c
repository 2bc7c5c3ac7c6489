/* Formulas: values, names, constants that use one another, and what is said of mistakes. */
#include <math.h>

#include "check.h"
#include "run/expression.h"
#include "run/formula.h"

static double value(const char *text, double x, double y)
{
    const double          at[3] = { x, y, 0 };
    eg_expression        *e;
    eg_expression_problem problem;
    double                v;

    if (!eg_expression_parse(text, "K", NULL, &e, &problem)) {
        fprintf(stderr, "%s: %s\n", text, problem.what);
        return NAN;
    }
    v = eg_expression_value(e, at, 2);
    eg_expression_free(e);
    return v;
}

static void check_values(void)
{
    CHECK(value("300", 0, 0) == 300);
    CHECK(value("25 mK", 0, 0) == 0.025);
    CHECK(value("300 + 50*exp(-(x^2 + y^2)/0.01)", 0, 0) == 350);
    CHECK(value("x + 10*y + t", 1, 2) == 23);
    CHECK(value("x > 0 ? 1 : 2", -1, 0) == 2);
    CHECK(value("if(x > 0 && y < 1, 5, 6)", 1, 0) == 5);
    CHECK(value("step(x)", 0, 0) == 1 && value("step(x)", -1, 0) == 0);
    CHECK(value("mod(-1, 4) + floor(2.5) + hypot(3, 4)", 0, 0) == 10);
    CHECK(fabs(value("sin(pi/2)", 0, 0) - 1) < 1e-15);
    CHECK(value("x == 1", 1, 0) == 1 && value("x <= 1", 1, 0) == 1);
}

static void check_mistake(const char *text, const char *what, const char *fix)
{
    eg_expression        *e;
    eg_expression_problem problem;
    const bool            parsed = eg_expression_parse(text, "K", NULL, &e, &problem);

    CHECK(!parsed && e == NULL);
    if (parsed) {
        eg_expression_free(e);
        return;
    }
    CHECK_TEXT(problem.what, what);
    if (fix != NULL) CHECK_TEXT(problem.fix, fix);
}

static void check_mistakes(void)
{
    check_mistake("300 + 50*expp(-x)", "unknown word 'expp' at position 10 of '300 + 50*expp(-x)'", "write 'exp'");
    check_mistake("300 W", "unknown word 'W' at position 5 of '300 W'", NULL);
    check_mistake("1 + ", "the formula ends too early at position 5 of '1 + '", NULL);
    check_mistake("sin(x", "a parenthesis is not closed at position 6 of 'sin(x'", NULL);
    check_mistake("2x", "an operator is missing at position 2 of '2x'", NULL);
    check_mistake("x = 3", "a formula assigns nothing at position 3 of 'x = 3'", NULL);
    check_mistake("1, 2", "a formula gives one number, not a list: '1, 2'", NULL);
    check_mistake("atan2(1)", "a function has too few arguments at position 8 of 'atan2(1)'", NULL);
    check_mistake("", "the formula is empty: ''", NULL);
}

/* Reads an input of [constants] and [initial] only. */
static eg_config *config_of(const char *text)
{
    static const char *const free_sections[] = { "constants", "initial", NULL };
    const eg_config_spec     spec = { .program = "test", .free_sections = free_sections };
    eg_config               *c = NULL;

    CHECK(eg_config_read(&spec, "test.ini", text, 0, NULL, &c) == EAGLE_OK);
    return c;
}

static void check_constants(void)
{
    eg_config     *c = config_of("[constants]\nwidth = 2\nb = 3*width\n[initial]\nu = width + b\nw = widht + 1\n");
    eg_constants   constants;
    eg_expression *e;

    CHECK(eg_constants_read(c, &constants) == EAGLE_OK);
    CHECK(constants.n == 2 && constants.at[1].value == 6);
    e = eg_expression_read(c, "initial", "u", "K", &constants);
    CHECK(e != NULL && !eg_expression_is_number(e) && eg_expression_value(e, (double[3]){ 0 }, 0) == 8);
    eg_expression_free(e);
    CHECK(eg_expression_read(c, "initial", "w", "K", &constants) == NULL);
    CHECK_TEXT(eg_config_errors(c), "test.ini:6: error: unknown word 'widht' at position 1 of 'widht + 1'\n  fix: write 'width'\n");
    eg_constants_free(&constants);
    eg_config_free(c);
}

/* A constant sees only those above it; its name may not be taken. */
static void check_bad_constants(void)
{
    eg_config   *c = config_of("[constants]\nb = a\na = 2\nsin = 1\n");
    eg_constants constants;

    CHECK(eg_constants_read(c, &constants) == EAGLE_OK);
    CHECK(constants.n == 1 && constants.at[0].value == 2);
    CHECK(strstr(eg_config_errors(c), "test.ini:2: error: unknown word 'a'") != NULL);
    CHECK(strstr(eg_config_errors(c), "test.ini:4: error: 'sin' cannot be the name of a constant") != NULL);
    eg_constants_free(&constants);
    eg_config_free(c);
}

int main(void)
{
    if (eg_formula_missing != NULL) return CHECK_SKIPPED;
    check_values();
    check_mistakes();
    check_constants();
    check_bad_constants();
    CHECK(eg_alloc_living() == 0);
    return check_end();
}
