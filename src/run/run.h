/* run.h - one run of an application: what the driver hands from one part to the next, in the order of a run. */
#ifndef EG_RUN_H
#define EG_RUN_H

#include "eagle/app.h"
#include "run/config.h"
#include "run/expression.h"
#include "run/grid.h"
#include "run/halo.h"
#include "run/job.h"

/* The keys that every application has (keys.c). -1 stands for auto or none, nan for no upper corner. */
typedef struct eg_settings {
    double  cells[3], lower[3], upper[3], length[3], ranks[3]; /* ranks: 0 stands for any */
    double  end_s, dt_s, cfl, until_steady;
    int64_t steps, check_every, threads;
    int     backend, precision, transport; /* positions in the words of their keys */
    double  progress_s, grace_s;
    int64_t checkpoint_every, checkpoint_keep;
    double  checkpoint_interval_s; /* of wall time */
} eg_settings;
extern const eagle_key   eg_common_keys[];
extern const char *const eg_backend_words[], *const eg_transport_words[];

/* A field that is made, in the order of the application's table. Those that are not wanted are left out. */
typedef struct eg_run_field {
    const eagle_field_spec *spec;
    eagle_field            *planes; /* in the application's state */
    eagle_type              type;
    int                     components, levels;
} eg_run_field;

/* What stands at one side of the grid for one field (edges.c). */
typedef struct eg_run_edge {
    const char *kind; /* owned by the input or the application */
    eagle_edge  edge;
    void (*add)(eagle_graph *g, void *state, eagle_plane field, const eagle_edge *edge);
} eg_run_edge;

/* A row of the verification. */
typedef struct eg_expectation {
    char   what[128];
    double got, expected, tolerance;
} eg_expectation;

/* Seconds of this rank. */
typedef enum eg_phase_of_run {
    EG_SET_UP,
    EG_STEPS,
    EG_HELD,    /* part of the steps: waited for a frame, because two were being written */
    EG_WRITING, /* beside the steps, and after them */
    EG_LAST_OUTPUT,
    EG_VERIFY,
    EG_RUN_PHASES
} eg_phase_of_run;

/* How a run is asked for, by the command line or by --verify. */
typedef struct eg_request_to_run {
    const char        *name, *text; /* of the input file; text NULL: read the file; name NULL: that of the checkpoint */
    int                n_settings;
    const char *const *settings;
    const char        *directory; /* NULL: the input's name without .ini */
    bool               quiet;     /* no files, no progress: a known answer */
    bool               launched;  /* by mpirun or the like */
    const char        *restart;   /* "latest", a step or a file; NULL: a first start */
    double             begin_s, walltime_s; /* when the program began, by eg_seconds; how long it may take, 0: any time */
    bool               check_access, check_tuned;
    bool               check_only;
    int                check_ranks; /* for check_only; 0: those that there are */
} eg_request_to_run;

struct eagle_run {
    const eagle_app         *app;
    const eg_request_to_run *request;
    void                    *state;
    eg_settings              set;
    eagle_ctx               *ctx;
    eg_job                  *job;
    eg_config               *config;
    eg_key_table             tables[2];
    const char              *input_name, *input_text; /* as in the request, or those of the checkpoint */
    char                    *directory; /* of the run: history.txt, frames/, report.json; NULL: none */
    char                    *input_dir; /* paths in the input are relative to it */
    eagle_type               real;      /* of fields declared `real` */

    eg_cartesian  cartesian;
    eagle_grid    grid; /* of this rank; fields refer to it */
    eg_halo      *halo;
    int           n_fields;
    eg_run_field *fields;
    eg_run_edge  *edges; /* [fields of the table][3][2] */
    eg_constants  constants;

    double        limit_s; /* of dt; 0: none */
    const char   *limit_why;
    bool          varies; /* dt, with each step */
    double        dt_s;  /* settled after ready; where it varies, that of the step that comes next */
    int64_t       steps; /* planned; -1: not known */
    int64_t       step;  /* done */
    double        t_s;   /* simulated until then */
    size_t        n_values, room_values;
    size_t        n_snapshots, room_snapshots;
    struct eg_snapshot *snapshots;
    eagle_plane  *values; /* made by eagle_value, in this order: a checkpoint carries them over */

    eagle_graph       *graph, *last; /* a step; what is written when the last one is done */
    struct eg_outputs *outputs;
    struct eg_history *history;
    struct eg_watch   *watch;
    struct eg_checkpoints *checkpoints;
    struct eg_restart     *restart;

    double          seconds[EG_RUN_PHASES];
    double          rate; /* steps per second, warm-up left out; 0: too short to tell */
    const char     *why;  /* it ended */
    bool            stopped; /* before its end, with a checkpoint */
    int             n_expectations, room_expectations;
    eg_expectation *expectations;
};

/* setup.c: everything between the input and the first step. Collective. On an error the message was made; errors in the
 * input were printed. eg_run_close frees what is there and may be called in any state. */
eagle_status eg_run_open(eg_job *job, const eagle_app *app, const eg_request_to_run *request, eagle_run *run);
eagle_status eg_run_close(eagle_run *run);

/* keys.c: the tables of the common keys and of the application's, into run->tables. */
eg_config_spec eg_run_spec(eagle_run *run);

/* edges.c: reads [edges] and [edges.FIELD]; complains in the config. Periodic axes go to `periodic`. */
eagle_status eg_edges_read(eagle_run *run, bool periodic[3]);
bool         eg_edges_of(void *run, const eagle_storage *field, int axis, int side, eg_edge_fill *out);

/* fields.c: the list of fields that the application wants; their memory. */
int          eg_fields_table(const eagle_app *app); /* how many fields its table has */
eagle_status eg_fields_list(eagle_run *run);
eagle_status eg_fields_make(eagle_run *run);
size_t       eg_fields_bytes(const eagle_run *run); /* of this rank's grid, for all fields */

/* timing.c: dt, the number of steps. Pure parts are declared for their tests. */
void         eg_timing_check(eagle_run *run); /* complains in the config of what does not fit together in [time] */
eagle_status eg_timing_settle(eagle_run *run);
double       eg_timing_fit(double dt_s, double interval_s); /* shortened by less than 10 % to divide the interval, or dt_s */
int64_t      eg_timing_steps(double end_s, double dt_s);

/* watch.c: values that are not finite, and until_steady, as nodes of the graph. */
eagle_status eg_watch_open(eagle_run *run);
void         eg_watch_add_finite(eagle_run *run, eagle_graph *g, eagle_plane_list verdict); /* what waits for it reads that */
void         eg_watch_add_steady(eagle_run *run, eagle_graph *g);
bool         eg_watch_is_steady(const eagle_run *run, int64_t checks); /* waits until so many checks were judged */
void         eg_watch_go_on(eagle_run *run, int64_t step); /* as if the steps before it had been checked */
void         eg_watch_close(eagle_run *run);

/* rundir.c: the directory of the run: its name, then itself. An earlier run is set aside, or goes on. Make is collective. */
eagle_status eg_rundir_name(eagle_run *run);
eagle_status eg_rundir_make(eagle_run *run);
char        *eg_rundir_of(const char *input);     /* "a/heat.ini" -> "heat" */
char        *eg_rundir_trimmed(const char *path); /* "out/" -> "out" */
char        *eg_rundir_aside(const char *path);   /* the first of "out.1", "out.2", ... that is not there */

/* loop.c: runs the steps. Collective. */
eagle_status eg_loop_run(eagle_run *run);
/* How many steps from `first` on to enqueue at once: at most `most`, not beyond `steps` (-1: no end), the last one the
 * next that has an event or a check whose answer is waited for (EG_NEVER: none). */
int64_t eg_loop_burst(int64_t first, int64_t most, int64_t steps, int64_t event, int64_t check);

/* speed.c: bytes that the kernels of a step must move on this rank; bytes per second of a copy of a field, which
 * overwrites `next`, 0 where the fields are small. The second is collective. */
double       eg_speed_bytes(const eagle_run *run);
eagle_status eg_speed_copy(eagle_run *run, double *rate);

/* report.c */
void         eg_report_start(const eagle_run *run);
void         eg_report_check(const eagle_run *run);
eagle_status eg_report_end(eagle_run *run, eagle_status status); /* EAGLE_ERR_NUMERICS if the verification failed */
bool         eg_report_passed(const eg_expectation *e);

#endif
