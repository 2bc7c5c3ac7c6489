/* cli.c - the command line: options, one input file, and settings section.key=value, in any order. */
#include "run/cli.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "run/stop.h"

typedef enum value_kind { NO_VALUE, NEEDS_VALUE, MAY_HAVE_VALUE } value_kind;

static const struct {
    const char *name, *value_name, *help;
    eg_action   action;
    value_kind  value;
} options[] = {
    { "--check", "", "check the input, show decomposition and memory, run nothing", EG_CHECK, NO_VALUE },
    { "--ranks", "N", "of --check: for so many ranks", EG_CHECK, NEEDS_VALUE },
    { "--verify", "", "run all known answers of this program on this machine", EG_VERIFY_ALL, NO_VALUE },
    { "--run-dir", "DIR", "where the run goes (default: the input's name)", EG_RUN, NEEDS_VALUE },
    { "--restart", "[WHICH]", "go on from a checkpoint: latest, a STEP, or a FILE.vtkhdf", EG_RUN, MAY_HAVE_VALUE },
    { "--walltime", "TIME", "stop with a checkpoint before H:MM:SS, 90 s, 30 min or 2 h are over", EG_RUN,
      NEEDS_VALUE },
    { "--check-access", "", "compare what kernels touch with what they declare: on the host, slow", EG_RUN, NO_VALUE },
    { "--check-tuned", "", "compare the backend's tuned kernels with the plain ones, bit for bit: slow", EG_RUN,
      NO_VALUE },
    { "--list-keys", "", "print a complete input file with units and help", EG_LIST_KEYS, NO_VALUE },
    { "--help", "[WORD]", "print this, or the help of a section or key", EG_HELP, MAY_HAVE_VALUE },
    { "--version", "", "print the version", EG_VERSION, NO_VALUE },
};

void eg_cli_print_usage(const eagle_app *app, FILE *out)
{
    fprintf(out, "%s: %s\n\nusage: %s [options] input.ini [section.key=value ...]\n\n", app->name, app->about,
            app->name);
    for (int i = 0; i < EG_COUNT(options); i++)
        fprintf(out, "  %-14s %-7s %s\n", options[i].name, options[i].value_name, options[i].help);
    fprintf(out,
            "\nexit status: 0 finished, 2 input, 3 numerics, 4 files, 5 environment, 75 stopped with a checkpoint\n");
}

static int find_option(const char *word)
{
    for (int i = 0; i < EG_COUNT(options); i++)
        if (strcmp(options[i].name, word) == 0) return i;
    return -1;
}

static eagle_status unknown_option(const char *word)
{
    const char *names[EG_COUNT(options)];
    char        fix[96];

    for (int i = 0; i < EG_COUNT(options); i++) names[i] = options[i].name;
    const char *near = eg_nearest(word, names, EG_COUNT(options));
    snprintf(fix, sizeof fix, near != NULL ? "write %s" : "--help lists the options%s", near != NULL ? near : "");
    return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, fix, "there is no option '%s'", word);
}

static eagle_status take_value(eg_cli *cli, const char *option, const char *value)
{
    char *end = NULL;

    if (strcmp(option, "--run-dir") == 0) cli->directory = value;
    if (strcmp(option, "--help") == 0) cli->topic = value;
    if (strcmp(option, "--restart") == 0) cli->restart = value;
    if (strcmp(option, "--walltime") == 0 && !eg_stop_parse_walltime(value, &cli->walltime_s))
        return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "write --walltime H:MM:SS, or a number with s, min, h or d",
                       "'%s' is no wall time", value);
    if (strcmp(option, "--ranks") != 0) return EAGLE_OK;
    const long n = strtol(value, &end, 10);
    if (*end != '\0' || n < 1 || n > 1000000)
        return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "write --check --ranks N with N from 1 to 1000000",
                       "'%s' is no number of ranks", value);
    cli->ranks = (int)n;
    return EAGLE_OK;
}

/* Behind --restart may also stand the input. */
static bool names_checkpoint(const char *word)
{
    const char *dot = strrchr(word, '.');

    return strcmp(word, "latest") == 0 || strspn(word, "0123456789") == strlen(word) ||
           (dot != NULL && strcmp(dot, ".vtkhdf") == 0);
}

static eagle_status take_option(eg_cli *cli, int argc, char **argv, int *i)
{
    const int o = find_option(argv[*i]);
    bool      has_next = *i + 1 < argc && argv[*i + 1][0] != '-' && argv[*i + 1][0] != '\0';

    if (o < 0) return unknown_option(argv[*i]);
    if (strcmp(options[o].name, "--restart") == 0) {
        cli->restart = "latest";
        has_next = has_next && names_checkpoint(argv[*i + 1]);
    }
    if (strcmp(options[o].name, "--check-access") == 0) cli->check_access = true;
    if (strcmp(options[o].name, "--check-tuned") == 0) cli->check_tuned = true;
    if (options[o].action != EG_RUN) cli->action = options[o].action;
    if (options[o].value == NO_VALUE || (options[o].value == MAY_HAVE_VALUE && !has_next)) return EAGLE_OK;
    if (!has_next)
        return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "write it behind the option", "%s needs a value: %s",
                       options[o].name, options[o].value_name);
    ++*i;
    return take_value(cli, options[o].name, argv[*i]);
}

static eagle_status take_input(eg_cli *cli, const char *word)
{
    if (cli->input != NULL)
        return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "give one input file; settings are section.key=value",
                       "'%s' is a second input file", word);
    cli->input = word;
    return EAGLE_OK;
}

eagle_status eg_cli_parse(int argc, char **argv, eg_cli *out)
{
    *out = (eg_cli){ .action = EG_RUN };
    out->settings = eg_alloc((size_t)argc + 1, sizeof *out->settings);
    if (out->settings == NULL) return EAGLE_ERR_MEMORY;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            EAGLE_TRY(take_option(out, argc, argv, &i));
        else if (strchr(argv[i], '=') != NULL)
            out->settings[out->n_settings++] = argv[i];
        else
            EAGLE_TRY(take_input(out, argv[i]));
    }
    if (out->restart != NULL && out->input == NULL && out->directory == NULL && strchr(out->restart, '.') == NULL)
        return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "add --run-dir DIR, the input, or the checkpoint's FILE",
                       "nothing says which run is to be restarted");
    if ((out->action == EG_RUN || out->action == EG_CHECK) && out->input == NULL && out->restart == NULL)
        return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "give one: --list-keys prints one that runs; --help says more",
                       "no input file is given");
    return EAGLE_OK;
}

void eg_cli_free(eg_cli *cli)
{
    eg_free((void *)cli->settings);
    cli->settings = NULL;
}
