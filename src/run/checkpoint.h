/* checkpoint.h - checkpoints: all that a step carries over to the next one, in a file from which a run goes on to the
 * last bit, on any number of ranks.
 *
 * A checkpoint is a frame of the whole state, checkpoints/state.STEP.vtkhdf, with more in it: dt, the input as used.ini
 * has it, the values of eagle_value planes, and those that wait for the next row of the history. Fields that are scratch
 * or constant are not in it: the input makes them again. */
#ifndef EG_CHECKPOINT_H
#define EG_CHECKPOINT_H

#include "run/run.h"

/* What a file holds beside its fields. */
typedef struct eg_checkpoint_head {
    char    program[64];
    int64_t step;
    double  t_s, dt_s;
    char   *used, *input_dir; /* the input; the folder to which paths in it are relative */
    int64_t n_carried;
    double *carried; /* [n_carried] */
} eg_checkpoint_head;

/* checkpoint_read.c: on any rank by itself. EAGLE_ERR_IO where the file is none, cut off, or of another kind. */
eagle_status eg_checkpoint_read_head(const char *path, eg_checkpoint_head *out);
void         eg_checkpoint_head_free(eg_checkpoint_head *h);
eagle_status eg_checkpoint_read_fields(const char *path, eagle_run *run); /* this rank's part of every field */

/* checkpoint_files.c: the files in DIRECTORY/checkpoints. Steps in descending order; eg_free frees them. */
eagle_status eg_checkpoint_list(const char *directory, int64_t **steps, int *n);
char        *eg_checkpoint_path(const char *directory, int64_t step);
void         eg_checkpoint_keep(const char *directory, int keep); /* removes all but the newest */
/* Moves frames of `step` and later ones, and checkpoints of later ones, to DIRECTORY/aside.N. */
eagle_status eg_checkpoint_set_aside(const char *directory, int64_t step);

/* checkpoint.c: writing them. Collective. */
typedef struct eg_checkpoints eg_checkpoints;
eagle_status eg_checkpoints_open(eagle_run *run, eg_checkpoints **out);
void         eg_checkpoints_add_snapshots(eg_checkpoints *c, eagle_graph *g); /* both before the application's step; as */
void         eg_checkpoints_add_writes(eg_checkpoints *c, eagle_graph *g);    /* eg_outputs_add_snapshots and _writes */
int64_t      eg_checkpoints_next(const eg_checkpoints *c, int64_t step); /* the first step at or after it that is due */
void         eg_checkpoints_raise(eg_checkpoints *c, eagle_graph *g);   /* in the last replay of the next launch */
bool         eg_checkpoints_late(const eg_checkpoints *c);              /* checkpoint.interval has passed */
double       eg_checkpoints_reserve(const eg_checkpoints *c);           /* seconds that the last one may need */
eagle_status eg_checkpoints_restore(eg_checkpoints *c);                 /* what is carried beside the fields */
eagle_status eg_checkpoints_close(eg_checkpoints *c);                   /* NULL does nothing */

/* restart.c: the checkpoint that a run begins with. Collective. Find: before the input is read; the run's directory, its
 * name and text come from the checkpoint where the command line does not say. */
struct eg_restart {
    char              *path;
    eg_checkpoint_head head;
    bool               continues; /* it lies in the run's own directory: frames and history go on there */
};
eagle_status eg_restart_find(eagle_run *run);
eagle_status eg_restart_check(eagle_run *run); /* the input against the checkpoint's; complains in the config */
eagle_status eg_restart_load(eagle_run *run);  /* fields */
void         eg_restart_free(eagle_run *run);
int64_t      eg_restart_step(const eagle_run *run); /* frames and rows before it stay; 0: the run begins anew */

#endif
