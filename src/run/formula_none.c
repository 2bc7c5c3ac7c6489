/* formula_none.c - the stand-in for a parser in a build without muparser: every formula is refused. */
#include "run/formula.h"

const char *const eg_formula_missing = "write a number, or install libmuparser-dev and build eagle again";

eg_formula *eg_formula_open(const char *text, int n, const eg_formula_name *names, eg_formula_error *error)
{
    (void)text, (void)n, (void)names;
    *error = (eg_formula_error){ .what = "this build of eagle takes numbers only, no formulas", .at = -1 };
    return NULL;
}

double eg_formula_value(eg_formula *f)
{
    (void)f;
    return 0;
}

void eg_formula_close(eg_formula *f) { (void)f; }

const char *const *eg_formula_functions(void)
{
    static const char *const none[] = { NULL };

    return none;
}
