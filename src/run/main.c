/* main.c - eagle_main: the command line, then one run, or all known answers. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "run/cli.h"
#include "run/placement.h"
#include "run/progress.h"
#include "run/run.h"
#include "run/stop.h"

/* What can be said without MPI is said by one process: the launcher tells which. */
static bool speaks_before_mpi(void)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID" };

    for (int i = 0; i < EG_COUNT(names); i++) {
        const char *rank = getenv(names[i]);
        if (rank != NULL) return strtol(rank, NULL, 10) == 0;
    }
    return true;
}

static int say_last_error(void)
{
    char text[2048];

    eg_error_format(eagle_last_error(), text, sizeof text);
    if (speaks_before_mpi()) fputs(text, stderr);
    return eagle_status_exit(eagle_last_error()->status);
}

/* --- --help, --list-keys, --version --------------------------------------------------------------------------- */

static eagle_status print_keys(const eagle_app *app, const char *topic, bool list, FILE *out)
{
    eagle_run run = { .app = app };
    bool      known = true;

    run.state = eg_alloc(1, app->state_size);
    if (run.state == NULL) return EAGLE_ERR_MEMORY;
    const eg_config_spec spec = eg_run_spec(&run);
    if (list)
        eg_config_print_keys(&spec, out);
    else
        known = eg_config_print_help(&spec, topic, out);
    eg_free(run.state);
    if (known) return EAGLE_OK;
    return eg_fail(EAGLE_ERR_ARGUMENT, EG_NOWHERE, "--list-keys prints all of them", "there is no section or key '%s'",
                   topic);
}

static eagle_status print_to(const eagle_app *app, const eg_cli *cli, FILE *out)
{
    if (cli->action == EG_VERSION) fprintf(out, "%s (eagle %s)\n", app->name, EAGLE_VERSION);
    if (cli->action == EG_HELP && cli->topic == NULL) eg_cli_print_usage(app, out);
    if (cli->action != EG_LIST_KEYS && cli->topic == NULL) return EAGLE_OK;
    return print_keys(app, cli->topic, cli->action == EG_LIST_KEYS, out);
}

/* All ranks come to the same answer, one is heard. */
static eagle_status print_something(const eagle_app *app, const eg_cli *cli)
{
    FILE *out = speaks_before_mpi() ? stdout : fopen("/dev/null", "w");

    if (out == NULL) return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "", "'/dev/null' cannot be written");
    const eagle_status status = print_to(app, cli, out);
    if (out != stdout) fclose(out);
    return status;
}

/* --- one run -------------------------------------------------------------------------------------------------- */

static eagle_status verify(eagle_run *run)
{
    const double begin = eg_seconds();

    if (run->app->verify == NULL) return EAGLE_OK;
    const eagle_status status = eg_agree(run->job, EG_CONTROL, run->app->verify(run, run->state));
    run->seconds[EG_VERIFY] = eg_seconds() - begin;
    return status;
}

static eagle_status check_tuned(eagle_run *run)
{
    if (run->ctx->tuned_by == NULL || run->ctx->n_tuned > 0) return EAGLE_OK;
    return eg_fail(EAGLE_ERR_CONFIG, EG_NOWHERE,
                   "name its file behind TUNED in CMakeLists.txt, or choose the run.backend "
                   "that it is for",
                   "no kernel with a tuned form for '%s' was called", run->ctx->tuned_by->name);
}

static eagle_status steps_and_verification(eagle_run *run)
{
    eagle_status status;

    if (!run->request->quiet) {
        eg_report_start(run);
        EAGLE_TRY(eg_placement_print(run->job));
    }
    status = eg_loop_run(run);
    if (status == EAGLE_OK) status = eg_agree(run->job, EG_CONTROL, check_tuned(run));
    if (status == EAGLE_OK) status = verify(run);
    return status;
}

/* The run's own error comes before one of closing its files. */
static eagle_status run_once(eg_job *job, const eagle_app *app, const eg_request_to_run *request, eagle_run *run)
{
    eagle_status status = eg_run_open(job, app, request, run);

    if (status != EAGLE_OK) return status;
    if (request->check_only) {
        eg_report_check(run);
        return EAGLE_OK;
    }
    status = steps_and_verification(run);
    return eg_report_end(run, status);
}

static eagle_status close_run(eg_job *job, eagle_run *run, eagle_status status)
{
    const eagle_error  error = *eagle_last_error();
    const eagle_status closed = eg_agree(job, EG_CONTROL, eg_run_close(run));

    return status == EAGLE_OK ? closed : eg_fail_again(&error);
}

/* --- --verify ------------------------------------------------------------------------------------------------- */

static int widest_name(const eagle_case *cases)
{
    int widest = 0;

    for (const eagle_case *c = cases; c != NULL && c->name != NULL; c++)
        if ((int)strlen(c->name) > widest) widest = (int)strlen(c->name);
    return widest;
}

static void say_case(const eagle_case *c, int width, const eagle_run *run, eagle_status status)
{
    for (int i = 0; i < run->n_expectations; i++) {
        const eg_expectation *e = &run->expectations[i];
        eg_info("%s  %-*s  %s: %.6g, expected %.6g within %.2g", eg_report_passed(e) ? "PASSED" : "FAILED", width,
                c->name, e->what, e->got, e->expected, e->tolerance);
    }
    if (status != EAGLE_OK && run->n_expectations == 0)
        eg_info("FAILED  %-*s  %s", width, c->name, eagle_last_error()->what);
}

static eagle_status verify_all(eg_job *job, const eagle_app *app, const eg_cli *cli)
{
    const int width = widest_name(app->cases);
    int       failed = 0, n = 0;

    for (const eagle_case *c = app->cases; c != NULL && c->name != NULL; c++, n++) {
        const eg_request_to_run request = {
            .name = c->name, .text = c->input, .n_settings = cli->n_settings, .settings = cli->settings, .quiet = true
        };
        eagle_run          run;
        const eagle_status status = run_once(job, app, &request, &run);
        const bool         passed = status == EAGLE_OK && run.n_expectations > 0;
        say_case(c, width, &run, status);
        failed += !passed;
        (void)close_run(job, &run, status);
    }
    eg_info("%d of %d known answers PASSED", n - failed, n);
    if (failed == 0) return EAGLE_OK;
    return eg_fail(EAGLE_ERR_NUMERICS, EG_NOWHERE, "look at the rows that say FAILED", "%d known answer%s FAILED",
                   failed, failed == 1 ? "" : "s");
}

/* --- main ----------------------------------------------------------------------------------------------------- */

static eagle_status run_input(eg_job *job, const eagle_app *app, const eg_cli *cli, bool launched, double begin_s)
{
    const eg_request_to_run request = { .name = cli->input,
                                        .n_settings = cli->n_settings,
                                        .settings = cli->settings,
                                        .directory = cli->directory,
                                        .launched = launched,
                                        .check_access = cli->check_access,
                                        .check_tuned = cli->check_tuned,
                                        .restart = cli->restart,
                                        .begin_s = begin_s,
                                        .walltime_s = cli->walltime_s,
                                        .check_only = cli->action == EG_CHECK,
                                        .check_ranks = cli->ranks };
    eagle_run               run;
    const eagle_status      status = run_once(job, app, &request, &run);

    return close_run(job, &run, status);
}

static eagle_status do_action(eg_job *job, const eagle_app *app, const eg_cli *cli, bool launched, double begin_s)
{
    return cli->action == EG_VERIFY_ALL ? verify_all(job, app, cli) : run_input(job, app, cli, launched, begin_s);
}

/* A launcher ends all ranks as soon as one has failed: so even a wrong command line is told with MPI, which makes each
 * wait until rank 0 has said it. */
int eagle_main(int argc, char **argv, const eagle_app *app)
{
    eg_job      *job = NULL;
    eg_cli       cli;
    const double begin_s = eg_seconds();
    const bool   launched = eg_progress_launched();
    eagle_status status = eg_cli_parse(argc, argv, &cli);
    const bool   prints = status == EAGLE_OK && cli.action >= EG_LIST_KEYS;
    int          code = 0;

    eg_stop_hold_signals();
    signal(SIGXFSZ, SIG_IGN); /* a file beyond ulimit -f is an error with words, like a full disk */
    if (prints) status = print_something(app, &cli);
    const bool        goes_on = status == EAGLE_OK ? !prints : launched;
    const eagle_error error = *eagle_last_error();
    if (goes_on && eg_job_open(&argc, &argv, NULL, &job) == EAGLE_OK) {
        status = status == EAGLE_OK ? do_action(job, app, &cli, launched, begin_s) : eg_fail_again(&error);
        code = eagle_status_exit(eg_job_report(job, status));
        eg_job_close(job);
    } else if (goes_on || status != EAGLE_OK) {
        code = say_last_error();
    }
    eg_cli_free(&cli);
    return code;
}
