/* files.h - the files of a run, as the tools find them. */
#ifndef EG_TOOLS_FILES_H
#define EG_TOOLS_FILES_H

#include "base/base.h"

/* Names in a folder, sorted. */
typedef struct eg_names {
    char **at;
    size_t n, capacity;
} eg_names;

/* What RUN is: a frame, or a folder: that of a run, or the one of its frames. */
typedef struct eg_run_files {
    const char *path;    /* as it was given */
    char       *folder;  /* of the frames */
    char       *history; /* history.txt; NULL: there is none */
    bool        is_frame; /* path is one frame, frames has its name alone */
    eg_names    frames, leftovers; /* leftovers: temporary files that a killed run left */
} eg_run_files;

/* EAGLE_ERR_ARGUMENT: there is nothing at path, or no frame and no history in it. */
eagle_status eg_files_find(const char *path, eg_run_files *out);
void         eg_files_free(eg_run_files *files);

bool   eg_files_has(const eg_names *names, const char *name);
char  *eg_files_path(const eg_run_files *files, const char *frame); /* of a frame; free it with eg_free */
double eg_files_bytes(const char *path);

/* Prints this thread's last error; the exit status of a program that ends with it. */
int eg_files_end(const char *program, eagle_status status);
#endif
