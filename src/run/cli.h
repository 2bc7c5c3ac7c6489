/* cli.h - the command line. */
#ifndef EG_CLI_H
#define EG_CLI_H

#include <stdio.h>

#include "eagle/app.h"

typedef enum eg_action { EG_RUN, EG_CHECK, EG_VERIFY_ALL, EG_LIST_KEYS, EG_VERSION, EG_HELP } eg_action;

typedef struct eg_cli {
    eg_action    action;
    const char  *input, *directory, *topic; /* topic of --help */
    const char  *restart;                   /* "latest", a step or a file; NULL: not asked for */
    double       walltime_s;                /* 0: not given */
    bool         check_access, check_tuned;
    int          ranks;                     /* of --check */
    int          n_settings;
    const char **settings; /* section.key=value; freed by eg_cli_free */
} eg_cli;

/* EAGLE_ERR_ARGUMENT with the nearest known option where a word is not known. */
eagle_status eg_cli_parse(int argc, char **argv, eg_cli *out);
void         eg_cli_free(eg_cli *cli);
void         eg_cli_print_usage(const eagle_app *app, FILE *out);

#endif
