/* checkpoint_files.c - the files of checkpoints in a run's directory: which there are, which stay, and what is set aside
 * when a run goes on from an earlier step. A file's name ends in .STEP.vtkhdf, frames and checkpoints alike. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/checkpoint.h"

static const char suffix[] = ".vtkhdf";

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* -1: the name has none. */
static int64_t step_of(const char *name)
{
    const size_t length = strlen(name), n = sizeof suffix - 1;
    const char  *digits = name + length - n;

    if (name[0] == '.' || length <= n || strcmp(digits, suffix) != 0) return -1;
    while (digits > name && is_digit(digits[-1])) digits--;
    return digits > name && digits[-1] == '.' && is_digit(digits[0]) ? strtoll(digits, NULL, 10) : -1;
}

char *eg_checkpoint_path(const char *directory, int64_t step)
{
    return eg_format_text("%s/checkpoints/state.%08lld%s", directory, (long long)step, suffix);
}

static int descending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

static eagle_status list_steps(DIR *folder, int64_t **steps, int *n)
{
    size_t room = 0;

    for (const struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
        int64_t *more;
        if (strncmp(e->d_name, "state.", 6) != 0 || step_of(e->d_name) < 0) continue;
        more = eg_grow(*steps, &room, (size_t)*n + 1, sizeof *more);
        if (more == NULL) return EAGLE_ERR_MEMORY;
        *steps = more;
        more[(*n)++] = step_of(e->d_name);
    }
    if (*n > 1) qsort(*steps, (size_t)*n, sizeof **steps, descending);
    return EAGLE_OK;
}

eagle_status eg_checkpoint_list(const char *directory, int64_t **steps, int *n)
{
    char *path = eg_format_text("%s/checkpoints", directory);
    DIR  *folder = path != NULL ? opendir(path) : NULL;

    *steps = NULL;
    *n = 0;
    eg_free(path);
    if (path == NULL) return EAGLE_ERR_MEMORY;
    if (folder == NULL) return EAGLE_OK;
    const eagle_status status = list_steps(folder, steps, n);
    closedir(folder);
    return status;
}

void eg_checkpoint_keep(const char *directory, int keep)
{
    int64_t *steps;
    int      n;

    if (eg_checkpoint_list(directory, &steps, &n) != EAGLE_OK) n = 0;
    for (int i = keep; i < n; i++) {
        char *path = eg_checkpoint_path(directory, steps[i]);
        if (path != NULL && unlink(path) != 0)
            eg_warn("remove it by hand", "an old checkpoint could not be removed: '%s': %s", path, strerror(errno));
        eg_free(path);
    }
    eg_free(steps);
}

/* --- set aside ------------------------------------------------------------------------------------------------ */

/* Files of one folder of the run and the first step that goes. */
typedef struct going {
    const char *directory, *folder;
    int64_t     first;
    char       *aside; /* DIRECTORY/aside.N */
} going;

static eagle_status move_file(const going *g, const char *name)
{
    char *from = eg_format_text("%s/%s/%s", g->directory, g->folder, name);
    char *into = eg_format_text("%s/%s", g->aside, g->folder),
         *to = eg_format_text("%s/%s/%s", g->aside, g->folder, name);
    eagle_status status = from != NULL && into != NULL && to != NULL ? EAGLE_OK : EAGLE_ERR_MEMORY;

    if (status == EAGLE_OK && ((mkdir(g->aside, 0777) != 0 && errno != EEXIST) ||
                               (mkdir(into, 0777) != 0 && errno != EEXIST) || rename(from, to) != 0))
        status = eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "give a directory that can be written to",
                         "'%s' cannot be set aside as '%s': %s", from, to, strerror(errno));
    eg_free(from);
    eg_free(into);
    eg_free(to);
    return status;
}

static eagle_status move_files(const going *g, int *n)
{
    char        *path = eg_format_text("%s/%s", g->directory, g->folder);
    DIR         *folder = path != NULL ? opendir(path) : NULL;
    eagle_status status = path != NULL ? EAGLE_OK : EAGLE_ERR_MEMORY;

    eg_free(path);
    if (folder == NULL) return status;
    for (const struct dirent *e = readdir(folder); e != NULL && status == EAGLE_OK; e = readdir(folder)) {
        if (step_of(e->d_name) < g->first) continue;
        status = move_file(g, e->d_name);
        ++*n;
    }
    closedir(folder);
    return status;
}

eagle_status eg_checkpoint_set_aside(const char *directory, int64_t step)
{
    char        *base = eg_format_text("%s/aside", directory), *aside = base != NULL ? eg_rundir_aside(base) : NULL;
    const going  all[] = { { directory, "frames", step, aside }, { directory, "checkpoints", step + 1, aside } };
    eagle_status status = aside != NULL ? EAGLE_OK : EAGLE_ERR_MEMORY;
    int          n = 0;

    for (int i = 0; i < EG_COUNT(all) && status == EAGLE_OK; i++) status = move_files(&all[i], &n);
    if (status == EAGLE_OK && n > 0)
        eg_info("%d file%s of step %lld and later set aside in %s", n, n == 1 ? "" : "s", (long long)step, aside);
    eg_free(base);
    eg_free(aside);
    return status;
}
