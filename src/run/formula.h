/* formula.h - the parser behind expression.c: muparser (formula_muparser.c), or none (formula_none.c); which one is
 * chosen when eagle is built. */
#ifndef EG_FORMULA_H
#define EG_FORMULA_H

#include "base/base.h"

/* A name in a formula: a value, or where a value that changes is read. */
typedef struct eg_formula_name {
    const char *name;
    double      value;
    double     *variable; /* NULL: constant */
} eg_formula_name;

typedef struct eg_formula eg_formula;

typedef struct eg_formula_error {
    char what[160]; /* the fact, without where */
    char word[64];  /* the word at fault; "" if none */
    int  at;        /* its position in the text, from 0; -1 if none */
    bool unknown;   /* the word is not known */
} eg_formula_error;

extern const char *const eg_formula_missing; /* NULL, or what to install so that there is a parser */

/* NULL: `error` says why not. Borrows variables. */
eg_formula *eg_formula_open(const char *text, int n, const eg_formula_name *names, eg_formula_error *error);
double      eg_formula_value(eg_formula *f);
void        eg_formula_close(eg_formula *f); /* NULL does nothing */
/* The functions that formulas have, ending with NULL. */
const char *const *eg_formula_functions(void);

#endif
