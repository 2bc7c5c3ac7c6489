/* keys.c - the keys that every application has. */
#include <math.h>

#include "run/run.h"
#include "run/sections.h"

const char *const eg_backend_words[] = { "auto", "host", "cuda" };
const char *const eg_transport_words[] = { "auto", "self", "mpi" };

const eagle_key eg_common_keys[] = {
    EAGLE_KEY(eg_settings, cells, "grid.cells", .required = true, .text = "64 64", .value = 1, .min = 1, .max = 1e9,
              .help = "cells along x y, or x y z"),
    EAGLE_KEY(eg_settings, lower, "grid.lower", .unit = "m", .help = "the lower corner"),
    EAGLE_KEY(eg_settings, upper, "grid.upper", .unit = "m", .text = "none", .value = NAN,
              .help = "the upper corner; without it and length every side is 1 m long"),
    EAGLE_KEY(eg_settings, length, "grid.length", .unit = "m", .text = "none", .value = -1, .min = 1e-300, .max = -1,
              .help = "or the lengths of the sides, from the lower corner"),
    EAGLE_KEY(eg_settings, end_s, "time.end", .unit = "s", .text = "none", .value = -1, .min = 0, .max = -1,
              .may_change = true, .help = "simulated time at which the run ends"),
    EAGLE_KEY(eg_settings, steps, "time.steps", .text = "none", .example = "100", .value = -1, .min = 0, .max = 1e15,
              .may_change = true, .help = "or the number of steps"),
    EAGLE_KEY(eg_settings, dt_s, "time.dt", .unit = "s", .text = "auto", .value = -1, .min = 1e-300, .max = -1,
              .help = "length of a step; auto: time.cfl of the largest stable one"),
    EAGLE_KEY(eg_settings, cfl, "time.cfl", .value = 0.8, .min = 1e-6, .max = 1,
              .help = "part of the largest stable step"),
    EAGLE_KEY(eg_settings, until_steady, "time.until_steady", .text = "no", .value = -1, .min = 0, .max = -1,
              .may_change = true, .help = "end when no field changes faster than this, in its unit per second"),
    EAGLE_KEY(eg_settings, check_every, "check.every", .value = 100, .min = 1, .max = 1e12,
              .help = "steps between looks at what must hold: finite values, and what the program checks"),
    EAGLE_KEY(eg_settings, checkpoint_every, "checkpoint.every", .text = "none", .value = -1, .min = 1, .max = 1e15,
              .may_change = true, .help = "steps between checkpoints; one is made at the end in any case"),
    EAGLE_KEY(eg_settings, checkpoint_interval_s, "checkpoint.interval", .unit = "s", .text = "none", .value = -1,
              .min = 1e-3, .max = -1, .may_change = true, .help = "or wall time between them"),
    EAGLE_KEY(eg_settings, checkpoint_keep, "checkpoint.keep", .value = 2, .min = 1, .max = 1e6, .may_change = true,
              .help = "how many there are, the newest ones"),
    EAGLE_KEY(eg_settings, backend, "run.backend", .text = "auto", .choices = "auto | host | cuda", .may_change = true,
              .help = "where the steps run; auto: on a GPU if there is one"),
    EAGLE_KEY(eg_settings, precision, "run.precision", .text = "f64", .choices = "f64 | f32", .help = "of the fields"),
    EAGLE_KEY(eg_settings, threads, "run.threads", .text = "auto", .value = 0, .min = 0, .max = 4096,
              .may_change = true, .help = "host threads of each rank; auto: its share of the cores"),
    EAGLE_KEY(eg_settings, ranks, "run.ranks", .text = "auto", .value = 0, .min = 0, .max = 1e6, .may_change = true,
              .help = "ranks along x y, or x y z; 0: any number; their product is the number of ranks"),
    EAGLE_KEY(eg_settings, progress_s, "run.progress", .unit = "s", .value = 1, .min = 0.1, .max = -1,
              .may_change = true, .help = "between lines that say how far the run is"),
    EAGLE_KEY(eg_settings, grace_s, "run.grace", .unit = "s", .text = "auto", .value = -1, .min = 0, .max = -1,
              .may_change = true, .help = "of --walltime, kept for the last checkpoint; auto: as the ones before took"),
    EAGLE_KEY(eg_settings, transport, "comm.transport", .text = "auto", .choices = "auto | self | mpi",
              .may_change = true, .help = "of ghost cells; self: within one rank; auto: what fits the number of ranks"),
    { 0 }
};

static const eagle_key no_keys[] = { { 0 } };

eg_config_spec eg_run_spec(eagle_run *run)
{
    run->tables[0] = (eg_key_table){ eg_common_keys, &run->set };
    run->tables[1] = (eg_key_table){ run->app->keys != NULL ? run->app->keys : no_keys, run->state };
    return (eg_config_spec){ .program = run->app->name,
                             .n_tables = 2,
                             .tables = run->tables,
                             .groups = run->app->groups,
                             .group_state = run->state,
                             .free_sections = eg_free_sections,
                             .free_help = eg_free_help };
}
