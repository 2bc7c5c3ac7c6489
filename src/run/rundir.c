/* rundir.c - the directory of a run. One that holds an earlier run is set aside as DIR.1, DIR.2, ...; nothing is
 * overwritten. One that holds something else is used as it is: only runs are ever renamed. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/checkpoint.h"

/* A name without .ini must not be that of the input itself. */
char *eg_rundir_of(const char *input)
{
    const char  *slash = strrchr(input, '/');
    const char  *name = slash == NULL ? input : slash + 1;
    const size_t length = strlen(name);

    if (length > 4 && strcmp(name + length - 4, ".ini") == 0) return eg_format_text("%.*s", (int)(length - 4), name);
    return eg_format_text("%s.run", name);
}

/* DIR/ is DIR. */
char *eg_rundir_trimmed(const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/') length--;
    return eg_format_text("%.*s", (int)length, path);
}

static eagle_status io_fail(const char *what, const char *path)
{
    return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "give a directory that can be written to: --run-dir DIR", "%s '%s': %s",
                   what, path, strerror(errno));
}

static bool is_there(const char *path)
{
    struct stat it;
    return lstat(path, &it) == 0;
}

static bool holds_a_run(const char *path)
{
    static const char *const files[] = { "used.ini", "history.txt", "report.json", "frames", "checkpoints" };
    bool                     found = false;

    for (int i = 0; i < EG_COUNT(files) && !found; i++) {
        char *file = eg_format_text("%s/%s", path, files[i]);
        found = file == NULL || is_there(file);
        eg_free(file);
    }
    return found;
}

char *eg_rundir_aside(const char *path)
{
    char *other = NULL;

    for (int n = 1; other == NULL || is_there(other); n++) {
        eg_free(other);
        other = eg_format_text("%s.%d", path, n);
        if (other == NULL) return NULL;
    }
    return other;
}

static eagle_status set_aside(const char *path)
{
    char *other;

    if (!holds_a_run(path)) return EAGLE_OK;
    other = eg_rundir_aside(path);
    if (other == NULL) return EAGLE_ERR_MEMORY;
    const int code = rename(path, other);
    if (code == 0) eg_info("an earlier run is set aside as %s", other);
    eg_free(other);
    return code == 0 ? EAGLE_OK : io_fail("an earlier run cannot be set aside:", path);
}

/* mkdir -p */
static eagle_status make_path(const char *path)
{
    char *part = eg_copy_text(path);
    int   code = 0;

    if (part == NULL) return EAGLE_ERR_MEMORY;
    for (char *slash = strchr(part + 1, '/'); slash != NULL && code == 0; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        code = mkdir(part, 0777) != 0 && errno != EEXIST;
        *slash = '/';
    }
    if (code == 0) code = mkdir(part, 0777) != 0 && errno != EEXIST;
    eg_free(part);
    if (code == 0 && access(path, W_OK | X_OK) != 0) code = 1; /* it was there: a file, or without the right to write */
    return code == 0 ? EAGLE_OK : io_fail("the run's directory cannot be made:", path);
}

static eagle_status write_used(const eagle_run *run)
{
    char *path = eg_format_text("%s/used.ini", run->directory);
    FILE *out = path == NULL ? NULL : fopen(path, "w");

    if (out == NULL) {
        const eagle_status status = path == NULL ? EAGLE_ERR_MEMORY : io_fail("a file cannot be made:", path);
        eg_free(path);
        return status;
    }
    eg_config_print_used(run->config, out);
    const bool         bad = ferror(out) != 0;
    const eagle_status status = fclose(out) != 0 || bad ? io_fail("a file could not be written:", path) : EAGLE_OK;
    eg_free(path);
    return status;
}

static eagle_status make_on_root(eagle_run *run)
{
    char *frames = eg_format_text("%s/frames", run->directory);

    if (frames == NULL) return EAGLE_ERR_MEMORY;
    const bool   continues = run->restart != NULL && run->restart->continues;
    eagle_status status = continues ? EAGLE_OK : set_aside(run->directory);
    if (status == EAGLE_OK) status = make_path(frames);
    if (status == EAGLE_OK && continues) status = eg_checkpoint_set_aside(run->directory, run->restart->head.step);
    if (status == EAGLE_OK) status = write_used(run);
    eg_free(frames);
    return status;
}

eagle_status eg_rundir_name(eagle_run *run)
{
    const eg_request_to_run *r = run->request;

    if (r->directory == NULL && r->name == NULL) return EAGLE_OK; /* the checkpoint knows */
    run->directory = r->directory != NULL ? eg_rundir_trimmed(r->directory) : eg_rundir_of(r->name);
    return run->directory == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK;
}

eagle_status eg_rundir_make(eagle_run *run)
{
    return eg_agree(run->job, EG_CONTROL, run->job->rank == 0 ? make_on_root(run) : EAGLE_OK);
}
