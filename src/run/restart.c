/* restart.c - the checkpoint that a run begins with: which file, whether the input fits it, and taking its values.
 *
 *   R1  rank 0 chooses the file; every rank reads its head and its part of the fields by itself.
 *   R2  without a word, or with `latest`, the newest one that can be read is taken: those that cannot are warned of. A
 *       STEP or FILE is taken or refused.
 *   R3  set-up goes as at a first start, initial values included, so that an application sees what it saw then; the
 *       fields' values are replaced before the first step. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/checkpoint.h"

int64_t eg_restart_step(const eagle_run *run)
{
    return run->restart != NULL && run->restart->continues ? run->restart->head.step : 0;
}

/* --- which file (rank 0) -------------------------------------------------------------------------------------- */

static eagle_status none_found(const char *directory)
{
    return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "name the directory of the run: --run-dir DIR; or start without --restart",
                   "there is no checkpoint in '%s/checkpoints'", directory);
}

static eagle_status find_latest(const char *directory, char **path)
{
    int64_t     *steps;
    int          n;
    eagle_status status = eg_checkpoint_list(directory, &steps, &n);

    if (status == EAGLE_OK && n == 0) status = none_found(directory);
    for (int i = 0; i < n; i++) {
        eg_checkpoint_head head;
        *path = eg_checkpoint_path(directory, steps[i]);
        status = *path != NULL ? eg_checkpoint_read_head(*path, &head) : EAGLE_ERR_MEMORY;
        if (status == EAGLE_OK) eg_checkpoint_head_free(&head);
        if (status != EAGLE_ERR_IO) break;
        eg_warn(i + 1 < n ? "the one before is taken" : "start without --restart", "%s", eagle_last_error()->what);
        eg_free(*path);
        *path = NULL;
    }
    eg_free(steps);
    return status;
}

static eagle_status choose_file(const char *which, const char *directory, char **path)
{
    int64_t step;

    if (strcmp(which, "latest") == 0) return find_latest(directory, path);
    *path = eg_parse_int(which, &step) ? eg_checkpoint_path(directory, step) : eg_copy_text(which);
    return *path != NULL ? EAGLE_OK : EAGLE_ERR_MEMORY;
}

/* --- all ranks ------------------------------------------------------------------------------------------------ */

static eagle_status share_path(eagle_run *run, char **path)
{
    int64_t      bytes = 0;
    eagle_status status = EAGLE_OK;

    if (run->job->rank == 0) status = choose_file(run->request->restart, run->directory, path);
    EAGLE_TRY(eg_agree(run->job, EG_CONTROL, status));
    if (*path != NULL) bytes = (int64_t)strlen(*path) + 1;
    EAGLE_TRY(eg_broadcast(run->job, EG_CONTROL, &bytes, sizeof bytes, 0));
    if (*path == NULL) *path = eg_alloc((size_t)bytes, 1);
    EAGLE_TRY(eg_agree(run->job, EG_CONTROL, *path == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK));
    return eg_broadcast(run->job, EG_CONTROL, *path, (size_t)bytes, 0);
}

/* The directory in whose folder `checkpoints` a file lies; NULL: in no such one, or no memory. */
static char *directory_of(const char *path)
{
    char *copy = eg_format_text("%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    char *folder = copy != NULL ? dirname(copy) : NULL, *out = NULL;
    char *slash = folder != NULL ? strrchr(folder, '/') : NULL;

    if (slash != NULL && strcmp(slash + 1, "checkpoints") == 0)
        out = eg_format_text("%.*s", (int)(slash - folder), folder);
    eg_free(copy);
    return out;
}

static bool same_directory(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* A file's own directory is that of the run unless the command line names one. */
static eagle_status settle_directory(eagle_run *run)
{
    char *own = directory_of(run->restart->path);

    if (own != NULL && run->request->directory == NULL && run->request->name == NULL) {
        eg_free(run->directory);
        run->directory = eg_copy_text(own);
    }
    run->restart->continues = own != NULL && run->directory != NULL && same_directory(own, run->directory);
    eg_free(own);
    if (run->directory != NULL) return EAGLE_OK;
    return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "add --run-dir DIR", "nothing says where the restarted run goes");
}

static eagle_status read_own(eagle_run *run)
{
    struct eg_restart *r = run->restart;

    EAGLE_TRY(eg_checkpoint_read_head(r->path, &r->head));
    if (strcmp(r->head.program, run->app->name) != 0)
        return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "restart it with the program that wrote it",
                       "'%s' is a checkpoint of %s, not of %s", r->path, r->head.program, run->app->name);
    EAGLE_TRY(settle_directory(run));
    if (run->request->name != NULL) return EAGLE_OK;
    run->input_name = r->path;
    run->input_text = r->head.used;
    return EAGLE_OK;
}

eagle_status eg_restart_find(eagle_run *run)
{
    if (run->request->restart == NULL) return EAGLE_OK;
    run->restart = eg_alloc(1, sizeof *run->restart);
    EAGLE_TRY(eg_agree(run->job, EG_CONTROL, run->restart != NULL ? EAGLE_OK : EAGLE_ERR_MEMORY));
    EAGLE_TRY(share_path(run, &run->restart->path));
    return eg_agree(run->job, EG_CONTROL, read_own(run));
}

/* --- the input ------------------------------------------------------------------------------------------------ */

/* The checkpoint's input, read into a state that is thrown away. */
static eagle_status compare(eagle_run *run, eagle_run *before)
{
    const eg_config_spec spec = eg_run_spec(before);
    eagle_status         status;

    status = eg_config_read(&spec, run->restart->path, run->restart->head.used, 0, NULL, &before->config);
    if (status == EAGLE_ERR_CONFIG)
        return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "use the version of the program that wrote it",
                       "'%s' holds an input that this program does not take", run->restart->path);
    EAGLE_TRY(status);
    eg_config_compare(run->config, before->config);
    return EAGLE_OK;
}

eagle_status eg_restart_check(eagle_run *run)
{
    eagle_run    before = { .app = run->app };
    eagle_status status = EAGLE_ERR_MEMORY;

    if (run->restart == NULL) return EAGLE_OK;
    before.state = eg_alloc(1, run->app->state_size);
    if (before.state != NULL) status = compare(run, &before);
    eg_config_free(before.config);
    eg_free(before.state);
    EAGLE_TRY(status);
    return eg_config_status(run->config);
}

/* --- its values ----------------------------------------------------------------------------------------------- */

eagle_status eg_restart_load(eagle_run *run)
{
    const struct eg_restart *r = run->restart;

    if (r == NULL) return EAGLE_OK;
    if (run->steps >= 0 && r->head.step > run->steps)
        return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE, "choose an earlier checkpoint, --restart STEP, or a later end",
                       "'%s' is of step %lld, but the run ends at step %lld", r->path, (long long)r->head.step,
                       (long long)run->steps);
    run->step = r->head.step;
    run->t_s = r->head.t_s;
    return eg_checkpoint_read_fields(r->path, run);
}

void eg_restart_free(eagle_run *run)
{
    if (run->restart == NULL) return;
    eg_checkpoint_head_free(&run->restart->head);
    eg_free(run->restart->path);
    eg_free(run->restart);
    run->restart = NULL;
}
