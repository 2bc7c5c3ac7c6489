/* sections.c - see sections.h. The examples are valid values: --list-keys writes them behind a #. */
#include "run/sections.h"

#define TEXT(name, example, words)                                                                                     \
    {                                                                                                                  \
        .type = EAGLE_KEY_TEXT, .key = (name), .text = (example), .help = (words)                                      \
    }

static const eagle_key edges[] = {
    TEXT("x", "periodic", "both sides of an axis: periodic, mirror, fixed V, flux V, or a kind of the program"),
    TEXT("y_lower", "mirror", "one side"),
    { 0 }
};
static const eagle_key initial[] = { TEXT("FIELD", "300 + 50*exp(-x^2/0.01)",
                                          "number with unit, formula of x y z and [constants], or frame PATH[@STEP]"),
                                     TEXT("FIELD_x", "0", "of one component"),
                                     { 0 } };
static const eagle_key constants[] = { TEXT("NAME", "2*pi", "number or formula of the constants above it"), { 0 } };
#define OUTPUT_KEYS                                                                                                    \
    TEXT("every", "100", "steps between frames"),                                                                      \
        TEXT("interval", "0.5 s", "or simulated time between them; without both about ten frames a run"),              \
        TEXT("fields", "T", "fields and derived fields; without it all of the state"),                                 \
        TEXT("region", "0 0 10 mm 10 mm", "lower and upper corner; both the same along an axis: a slice"),             \
        TEXT("stride", "1", "every how many cells; one number, or one an axis"),                                       \
        TEXT("precision", "f32", "f32 or f64; without it as the run computes"),                                        \
        TEXT("compress", "0", "0 off, 1 fast to 9 small")
static const eagle_key output[] = {
    OUTPUT_KEYS,
    TEXT("writer", "ranks", "of all outputs: every rank writes its part, or all goes through the root: ranks | root"),
    { 0 }
};
static const eagle_key named_output[] = { OUTPUT_KEYS, { 0 } };
static const eagle_key history[] = {
    TEXT("every", "100", "steps between rows"),
    TEXT("interval", "0.5 s", "or simulated time between them; without both about a hundred rows a run"),
    TEXT("fields", "T u.max", "all of min max mean sum rms, or one of them; none; without it of the state"),
    { 0 }
};
static const eagle_key probe[] = { TEXT("at", "5 mm 5 mm", "point, in the cell nearest to which the fields are taken"),
                                   TEXT("fields", "T", "without it all of the state"),
                                   { 0 } };

const eg_free_section eg_free_help[] = { { "edges", "what stands at the edges of the grid", edges },
                                         { "edges.*", "the same for one field", edges },
                                         { "initial", "the values with which fields start", initial },
                                         { "constants", "names for formulas", constants },
                                         { "output", "frames of the output 'fields'", output },
                                         { "output.*", "frames of further outputs", named_output },
                                         { "history", "rows of history.txt", history },
                                         { "probe.*", "columns of history.txt with values in one cell", probe },
                                         { 0 } };

const char *const eg_free_sections[] = { "edges",    "edges.*", "initial", "constants", "output",
                                         "output.*", "history", "probe.*", "notes",     NULL };
