/* run.h - one run of an application: what the driver (main.c and its like) hands from one part to the next. */
#ifndef EG_RUN_H
#define EG_RUN_H

#include "eagle/app.h"
#include "run/config.h"
#include "run/expression.h"
#include "run/grid.h"
#include "run/job.h"

/* A field that is made, in the order of the application's table. Those that are not wanted are left out. */
typedef struct eg_run_field {
    const eagle_field_spec *spec;
    eagle_field            *planes; /* in the application's state */
    eagle_type              type;
    int                     components, levels;
} eg_run_field;

struct eagle_run {
    const eagle_app *app;
    void            *state;
    eagle_ctx       *ctx;
    eg_job          *job;
    eg_config       *config;
    const char      *directory; /* of the run: history.txt, frames/, report.json */
    const char      *input_dir; /* paths in the input are relative to it */
    eagle_type       real;      /* of fields declared `real` */

    eg_cartesian cartesian;
    eagle_grid   grid; /* of this rank; fields refer to it */
    int          n_fields;
    eg_run_field *fields;
    eg_constants constants;

    double  dt_s;  /* settled after ready */
    int64_t steps; /* planned; 0: not known */
};

#endif
