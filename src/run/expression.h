/* expression.h - formulas of the input: "300 + 50*exp(-(x^2 + y^2)/0.01)". Evaluated on the host, at set-up only. */
#ifndef EG_EXPRESSION_H
#define EG_EXPRESSION_H

#include "run/config.h"

/* The names of [constants], which may use those above them; pi is always there. */
typedef struct eg_constant {
    const char *name; /* owned by the config */
    double      value;
} eg_constant;
typedef struct eg_constants {
    int          n;
    eg_constant *at;
} eg_constants;
eagle_status eg_constants_read(eg_config *c, eg_constants *out); /* errors in values are complained of in c */
void         eg_constants_free(eg_constants *constants);

/* A number with its unit ("25 um") or, where eagle is built with muparser, a formula in x y z (metres; 0 along an axis
 * that the grid does not have), t (seconds) and constants. */
typedef struct eg_expression eg_expression;

/* What is wrong with a formula: a fact, and what to type. */
typedef struct eg_expression_problem {
    char what[512], fix[256];
} eg_expression_problem;

/* false: `problem` says why not, or EAGLE_ERR_MEMORY was made. constants may be NULL; their values are copied. */
bool eg_expression_parse(const char *text, const char *unit, const eg_constants *constants, eg_expression **out,
                         eg_expression_problem *problem);
/* The same for a value of the input; complains of [section] key. NULL: there was something to complain of. */
eg_expression *eg_expression_read(eg_config *c, const char *section, const char *key, const char *unit,
                                  const eg_constants *constants);
double eg_expression_value(eg_expression *e, const double x[3], double t); /* one thread at a time */
bool   eg_expression_is_number(const eg_expression *e);
void   eg_expression_free(eg_expression *e); /* NULL does nothing */

#endif
