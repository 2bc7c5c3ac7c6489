/* eagle/app.h - the application layer: what a new solver is written with. An application is a table of keys, a table
 * of fields and a step; eagle_main does the rest: input, ranks, frames, history, checks, progress, report. */
#ifndef EAGLE_APP_H
#define EAGLE_APP_H

#include "eagle/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct eagle_run eagle_run; /* one run of an application: its input, grid, fields, graph and files */

/* 1. Keys: the values that the input file sets, each bound to a member of the application's state. The type is that of
 * the member: double, int64_t, bool, double[3] (x y z), char[N] (text), or int with .choices (the position of the
 * chosen word). A number may carry the unit of its key with an SI prefix: "25 um". */
typedef enum eagle_key_type {
    EAGLE_KEY_DOUBLE = 1, EAGLE_KEY_INT, EAGLE_KEY_BOOL, EAGLE_KEY_VECTOR, EAGLE_KEY_TEXT, EAGLE_KEY_CHOICE
} eagle_key_type;
typedef struct eagle_key {
    size_t         at, bytes;
    eagle_key_type type;
    const char    *key;      /* "section.key"; in a group only "key" */
    const char    *unit;     /* NULL or "1": a pure number */
    double         value;    /* default of a number, and of each component that a vector leaves out */
    const char    *text;     /* default as text: "euler", "0 0 1"; of a number also a word that stands for value: "auto" */
    const char    *choices;  /* "euler | rkl2" */
    double         min, max; /* both 0: any number; max below min, or infinite: no upper limit */
    const char    *help;
    const char    *example;  /* what --list-keys writes instead of the default, so that its output runs; NULL: the default */
    bool           required, may_change; /* required: the default is only the example that --list-keys shows;
                                          * may_change: a restart may use another value */
} eagle_key;
#define EG_KEY_TYPE_(S, m)                                                                                            \
    _Generic(((S *)0)->m, double: EAGLE_KEY_DOUBLE, int64_t: EAGLE_KEY_INT, bool: EAGLE_KEY_BOOL,                     \
             double *: EAGLE_KEY_VECTOR, char *: EAGLE_KEY_TEXT, int: EAGLE_KEY_CHOICE)
#define EAGLE_KEY(S, member, name, ...)                                                                               \
    { .at = offsetof(S, member), .bytes = sizeof(((S *)0)->member), .type = EG_KEY_TYPE_(S, member), .key = (name),   \
      __VA_ARGS__ }

/* Sections that occur any number of times, [material.copper] [material.silicon]: an array of structs, in the order of
 * the file, made by the run and freed by it. The first member of each is an eagle_section: what stands behind the dot,
 * and the line of the input on which it does, by which sections of different groups can be put in order. */
enum { EAGLE_NAME_MAX = 64 };
typedef struct eagle_section {
    char name[EAGLE_NAME_MAX];
    int  line;
} eagle_section;
typedef struct eagle_key_group {
    const char      *section; /* "material" */
    size_t           at;      /* offset of the pointer to the array */
    size_t           at_n;    /* offset of its count, an int */
    size_t           size;    /* of one struct */
    const eagle_key *keys;    /* ends with { 0 } */
    const char      *help;
} eagle_key_group;
#define EAGLE_GROUP(S, member, count, item, name, item_keys, text)                                                    \
    { .section = (name), .at = offsetof(S, member), .at_n = offsetof(S, count), .size = sizeof(item),                 \
      .keys = (item_keys), .help = (text) }

/* 2. Fields: named arrays over the grid, on every rank its part with ghost cells. `now` is the state, `next` what a
 * step writes; eagle_advance exchanges them when the step ends. */
typedef struct eagle_field {
    eagle_plane now, next;
} eagle_field;

/* The value at a cell. at: its global index and coordinates; for ghost cells of a constant field those of the nearest
 * cell inside, or around a periodic edge. */
typedef double (*eagle_initial)(const void *state, eagle_at at, int component);

typedef struct eagle_field_spec {
    size_t        at;         /* offset of the eagle_field in the state */
    const char   *name, *unit, *help;
    eagle_type    type;       /* 0: real */
    int           components; /* 0 means 1 */
    int           ghosts;     /* ghost cells on each side */
    int           levels;     /* 0 means 2, now and next; 1: only now, for in-place schemes and constants */
    eagle_initial initial;    /* NULL: 0; [initial] of the input replaces it */
    bool          constant;   /* never written by a step; its ghost cells are set at set-up */
    bool          scratch;    /* no state: not in frames by default, never in checkpoints */
    const char   *edges_of;   /* its edges are those of this field; NULL: its own */
    bool (*wanted)(const void *state); /* asked after set_up; false: the field is not made, its planes have no memory */
} eagle_field_spec;
#define EAGLE_FIELD(S, member, ...) { .at = offsetof(S, member), .name = #member, __VA_ARGS__ }

/* Exchanges now and next of each field when the step ends. */
#define eagle_advance(g, ...)                                                                                         \
    eagle_add_advance((g), (int)(sizeof((const eagle_field[]){ __VA_ARGS__ }) / sizeof(eagle_field)),                 \
                      (const eagle_field[]){ __VA_ARGS__ }, EAGLE_HERE)
void eagle_add_advance(eagle_graph *g, int n, const eagle_field *fields, eagle_here here);

/* A derived field is made when a frame wants it: `add` adds the calls that fill `out` (one component, no ghosts). */
typedef struct eagle_derived {
    const char *name, *unit, *help;
    void (*add)(eagle_graph *g, void *state, eagle_plane out);
} eagle_derived;

/* 3. Edges: [edges] x_lower = convection 25 300. periodic, mirror, fixed V and flux V (the derivative along x, y or z
 * at that edge) are there; an application adds kinds, or replaces one of these by its own of that name. `add` adds the
 * calls that fill the ghost cells `box` of `field`. */
enum { EAGLE_EDGE_VALUES = 4 };
typedef struct eagle_edge {
    double    value[EAGLE_EDGE_VALUES]; /* as in the input, in the units of the kind */
    int       axis, side;               /* 0 1 2 for x y z; 0 lower, 1 upper */
    int       kind;                     /* position in the application's table of kinds */
    eagle_box box;                      /* of this rank: the ghost cells beyond the edge; depth as many as the field has */
} eagle_edge;
typedef struct eagle_edge_kind {
    const char *name;
    const char *values; /* names and units: "h [W/(m2 K)], T_inf [K]" */
    const char *help;
    void (*add)(eagle_graph *g, void *state, eagle_plane field, const eagle_edge *edge);
} eagle_edge_kind;

/* What stands at an edge of a field. kind: "periodic", "mirror", "fixed", "flux" or one of the application's. */
const char *eagle_edge_at(const eagle_run *run, const char *field, int axis, int side, eagle_edge *out);

/* 4. Set-up. What follows may be called in set_up; eagle_limit_dt and eagle_value also in ready. */
const eagle_grid *eagle_run_grid(const eagle_run *run);
eagle_ctx        *eagle_run_context(const eagle_run *run);
const char       *eagle_run_input_dir(const eagle_run *run); /* paths in the input are relative to it */
eagle_clock       eagle_run_clock(const eagle_run *run);     /* the step that comes next, its time, the last dt */

/* dt may not exceed dt_s (of all ranks: the smallest); `why` is borrowed. With dt = auto the smallest limit times
 * time.cfl is taken; a dt of the input above a limit is refused, naming it. */
eagle_status eagle_limit_dt(eagle_run *run, const char *why, double dt_s);

/* A one-element f64 plane that host functions and eagle_record can read: for sums, minima and maxima. Made in set_up or
 * ready it is part of the state, as fields are: a checkpoint carries its value over. */
eagle_status eagle_value(eagle_run *run, const char *name, eagle_plane *out);

/* In set_up: the plane for eagle_set_dt, so that dt varies from step to step: time.cfl of what stands in it, and at most a
 * time.dt of the input. Outputs with an interval are written at its multiples exactly, and the run ends at time.end
 * exactly. eagle_limit_dt, in ready, says what the first step may take. Checkpoints carry it over. */
eagle_status eagle_dt_plane(eagle_run *run, eagle_plane *out);

/* In step: true when the [check] interval is on; the number of steps between checks. */
int64_t eagle_check_every(const eagle_graph *g);

/* In step: the length of a step, in seconds; where it varies, of the first one. */
double eagle_step_dt(const eagle_graph *g);

/* 5. Known answers: in verify, eagle_expect adds a row to the verification: |got - expected| <= tolerance. A run is
 * FAILED, exit status 3, when one row fails. --verify runs all cases, each an input of its own. */
void eagle_expect(eagle_run *run, const char *what, double got, double expected, double tolerance);
typedef struct eagle_case {
    const char *name, *source; /* where the known answer comes from */
    const char *input;         /* the text of an input file */
} eagle_case;

typedef struct eagle_app {
    const char             *name, *about;
    size_t                  state_size;
    const eagle_key        *keys;    /* each table ends with { 0 }; NULL: none */
    const eagle_key_group  *groups;
    const eagle_field_spec *fields;
    const eagle_derived    *derived;
    const eagle_edge_kind  *edges;
    const eagle_case       *cases;
    eagle_status (*set_up)(eagle_run *run, void *state);       /* after the input, before the fields are made */
    eagle_status (*ready)(eagle_run *run, void *state);        /* after the fields have values, before dt is settled */
    void (*step)(eagle_graph *g, void *state);                 /* adds one time step to the graph */
    eagle_status (*verify)(eagle_run *run, void *state);       /* after the last step, on all ranks; verify.case is set */
    void (*clean_up)(void *state);                             /* frees what set_up allocated; NULL: nothing */
} eagle_app;

/* The whole main of an application. Returns the exit status: 0 finished, 2 input, 3 numerics, 4 files, 5 environment,
 * 75 stopped with a checkpoint. */
int eagle_main(int argc, char **argv, const eagle_app *app);

#ifdef __cplusplus
}
#endif
#endif
