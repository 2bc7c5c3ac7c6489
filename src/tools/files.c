/* files.c - decides what belongs to a run: frames/NAME.STEP.vtkhdf, .NAME.STEP.vtkhdf.tmp of a frame that was never
 * finished, history.txt. */
#include "tools/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char frame_end[] = ".vtkhdf", leftover_end[] = ".vtkhdf.tmp";

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);

    return n > m && strcmp(name + n - m, end) == 0;
}

static bool is_folder(const char *path)
{
    struct stat there;

    return stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

static bool is_file(const char *path)
{
    struct stat there;

    return stat(path, &there) == 0 && S_ISREG(there.st_mode);
}

double eg_files_bytes(const char *path)
{
    struct stat there;

    return stat(path, &there) == 0 ? (double)there.st_size : 0;
}

/* --- names ---------------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static eagle_status add_name(eg_names *names, const char *name)
{
    char **grown = eg_grow(names->at, &names->capacity, names->n + 1, sizeof *names->at);

    if (grown == NULL) return EAGLE_ERR_MEMORY;
    names->at = grown;
    names->at[names->n] = eg_copy_text(name);
    return names->at[names->n++] == NULL ? EAGLE_ERR_MEMORY : EAGLE_OK;
}

static void free_names(eg_names *names)
{
    for (size_t i = 0; i < names->n; i++) eg_free(names->at[i]);
    eg_free(names->at);
    *names = (eg_names){ 0 };
}

bool eg_files_has(const eg_names *names, const char *name)
{
    return names->n > 0 && bsearch(&name, names->at, names->n, sizeof *names->at, by_name) != NULL;
}

static eagle_status sort_entry(eg_run_files *files, const char *name)
{
    if (ends_with(name, leftover_end)) return add_name(&files->leftovers, name);
    return name[0] != '.' && ends_with(name, frame_end) ? add_name(&files->frames, name) : EAGLE_OK;
}

static eagle_status read_folder(eg_run_files *files)
{
    eagle_status status = EAGLE_OK;
    DIR         *folder = opendir(files->folder);

    if (folder == NULL)
        return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "look at the rights of that folder", "'%s' cannot be read: %s",
                       files->folder, strerror(errno));
    for (const struct dirent *e = readdir(folder); e != NULL && status == EAGLE_OK; e = readdir(folder))
        status = sort_entry(files, e->d_name);
    closedir(folder);
    if (files->frames.n > 0) qsort(files->frames.at, files->frames.n, sizeof *files->frames.at, by_name);
    if (files->leftovers.n > 0) qsort(files->leftovers.at, files->leftovers.n, sizeof *files->leftovers.at, by_name);
    return status;
}

/* --- a run ---------------------------------------------------------------------------------------------------- */

static eagle_status find_frame(const char *path, eg_run_files *out)
{
    const char *slash = strrchr(path, '/');

    out->is_frame = true;
    out->folder = slash == NULL ? eg_copy_text(".") : eg_format_text("%.*s", (int)(slash - path) + 1, path);
    return out->folder == NULL ? EAGLE_ERR_MEMORY : add_name(&out->frames, slash == NULL ? path : slash + 1);
}

static eagle_status find_run(const char *path, eg_run_files *out)
{
    out->folder = eg_format_text("%s/frames", path);
    out->history = eg_format_text("%s/history.txt", path);
    if (out->folder == NULL || out->history == NULL) return EAGLE_ERR_MEMORY;
    if (!is_folder(out->folder)) {
        eg_free(out->folder);
        out->folder = eg_copy_text(path);
        if (out->folder == NULL) return EAGLE_ERR_MEMORY;
    }
    if (!is_file(out->history)) {
        eg_free(out->history);
        out->history = NULL;
    }
    EAGLE_TRY(read_folder(out));
    if (out->frames.n + out->leftovers.n > 0 || out->history != NULL) return EAGLE_OK;
    return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "give the directory of a run, as --run-dir names it",
                   "'%s' has no frame and no history.txt", path);
}

eagle_status eg_files_find(const char *path, eg_run_files *out)
{
    *out = (eg_run_files){ .path = path };
    if (is_folder(path)) return find_run(path, out);
    if (is_file(path)) return find_frame(path, out);
    return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "give the directory of a run, or a frame NAME.STEP.vtkhdf",
                   "there is no '%s'", path);
}

void eg_files_free(eg_run_files *files)
{
    eg_free(files->folder);
    eg_free(files->history);
    free_names(&files->frames);
    free_names(&files->leftovers);
    *files = (eg_run_files){ 0 };
}

char *eg_files_path(const eg_run_files *files, const char *frame)
{
    return eg_format_text("%s/%s", files->folder, frame);
}

int eg_files_end(const char *program, eagle_status status)
{
    char text[2048];

    if (status == EAGLE_OK) return 0;
    eg_error_format(eagle_last_error(), text, sizeof text);
    fflush(stdout);
    fprintf(stderr, "%s: %s", program, text);
    return eagle_status_exit(status);
}
