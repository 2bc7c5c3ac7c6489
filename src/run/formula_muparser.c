/* formula_muparser.c - formulas by muparser, through its C interface; the only file that includes it. */
#include "run/formula.h"

#include <math.h>
#include <muParserDLL.h>
#include <string.h>

const char *const eg_formula_missing = NULL;

struct eg_formula {
    muParserHandle_t parser;
};

static double step(double x) { return x >= 0 ? 1 : 0; }

static double choose(double condition, double yes, double no) { return condition != 0 ? yes : no; }

static double modulo(double a, double b) { return a - b * floor(a / b); }

/* Beside those of muparser. */
static const struct {
    const char *name;
    muFun1_t    one;
    muFun2_t    two;
    muFun3_t    three;
} functions[] = {
    { "step", .one = step }, { "if", .three = choose }, { "mod", .two = modulo },  { "floor", .one = floor },
    { "ceil", .one = ceil }, { "round", .one = round }, { "cbrt", .one = cbrt },   { "erf", .one = erf },
    { "erfc", .one = erfc }, { "pow", .two = pow },     { "hypot", .two = hypot },
};

const char *const *eg_formula_functions(void)
{
    static const char *const names[] = { "sin",  "cos",  "tan",   "asin",  "acos",  "atan",  "atan2", "sinh",
                                         "cosh", "tanh", "asinh", "acosh", "atanh", "log2",  "log10", "log",
                                         "ln",   "exp",  "sqrt",  "sign",  "rint",  "abs",   "min",   "max",
                                         "sum",  "avg",  "step",  "if",    "mod",   "floor", "ceil",  "round",
                                         "cbrt", "erf",  "erfc",  "pow",   "hypot", NULL };

    return names;
}

/* What muparser's codes mean (EErrorCodes of its C++ header); without a word where nothing is to be said of it. */
static const char *const meaning[] = {
    [0] = "an operator does not belong there",
    [1] = "the word is not known",
    [2] = "the formula ends too early",
    [3] = "a comma does not belong there",
    [4] = "an argument does not belong there",
    [5] = "a number does not belong there",
    [6] = "an operator is missing",
    [7] = "a parenthesis does not belong there",
    [8] = "text does not belong there",
    [10] = "a number is expected",
    [11] = "a parenthesis is not closed",
    [12] = "a function does not belong there",
    [13] = "a quote is not closed",
    [14] = "a function has too many arguments",
    [15] = "a function has too few arguments",
    [17] = "a formula gives a number, not text",
    [25] = "the formula is empty",
    [32] = "a ? does not belong there",
    [33] = "a ? has no : that follows",
    [34] = "a : has no ? before it",
};
enum { UNKNOWN_WORD = 1 };

static const char *meaning_of(int code)
{
    const char *text = code >= 0 && code < EG_COUNT(meaning) ? meaning[code] : NULL;

    return text != NULL ? text : "the formula cannot be read";
}

static void describe(muParserHandle_t parser, eg_formula_error *error)
{
    const int code = mupGetErrorCode(parser);

    *error = (eg_formula_error){ .at = mupGetErrorPos(parser), .unknown = code == UNKNOWN_WORD };
    snprintf(error->what, sizeof error->what, "%s", meaning_of(code));
    snprintf(error->word, sizeof error->word, "%s", mupGetErrorToken(parser));
}

/* muparser takes assignments and lists; as a value they are mistakes. */
static bool assigns(const char *text, eg_formula_error *error)
{
    for (const char *c = strchr(text, '='); c != NULL; c = strchr(c + 1, '=')) {
        if (c[1] == '=') {
            c++;
            continue;
        }
        if (c > text && strchr("<>!", c[-1]) != NULL) continue;
        *error = (eg_formula_error){ .what = "a formula assigns nothing", .word = "=", .at = (int)(c - text) };
        return true;
    }
    return false;
}

/* Without a handler of ours muparser prints and goes on. */
static void keep_error(muParserHandle_t parser) { (void)parser; }

static void define(muParserHandle_t parser, int n, const eg_formula_name *names)
{
    mupSetErrorHandler(parser, keep_error);
    for (int i = 0; i < EG_COUNT(functions); i++) {
        if (functions[i].one != NULL) mupDefineFun1(parser, functions[i].name, functions[i].one, 1);
        if (functions[i].two != NULL) mupDefineFun2(parser, functions[i].name, functions[i].two, 1);
        if (functions[i].three != NULL) mupDefineFun3(parser, functions[i].name, functions[i].three, 1);
    }
    for (int i = 0; i < n; i++) {
        if (names[i].variable != NULL)
            mupDefineVar(parser, names[i].name, names[i].variable);
        else
            mupDefineConst(parser, names[i].name, names[i].value);
    }
}

/* muparser reads the text when it is evaluated first. */
static bool works(muParserHandle_t parser, eg_formula_error *error)
{
    int n = 0;

    mupEvalMulti(parser, &n);
    if (mupError(parser)) {
        describe(parser, error);
        return false;
    }
    if (n == 1) return true;
    *error = (eg_formula_error){ .what = "a formula gives one number, not a list", .at = -1 };
    return false;
}

eg_formula *eg_formula_open(const char *text, int n, const eg_formula_name *names, eg_formula_error *error)
{
    eg_formula *f = eg_alloc(1, sizeof *f);

    *error = (eg_formula_error){ .what = "not enough memory", .at = -1 };
    if (f == NULL) return NULL;
    f->parser = mupCreate(muBASETYPE_FLOAT);
    define(f->parser, n, names);
    mupSetExpr(f->parser, text);
    if (!assigns(text, error) && works(f->parser, error)) return f;
    eg_formula_close(f);
    return NULL;
}

double eg_formula_value(eg_formula *f) { return mupEval(f->parser); }

void eg_formula_close(eg_formula *f)
{
    if (f == NULL) return;
    mupRelease(f->parser);
    eg_free(f);
}
