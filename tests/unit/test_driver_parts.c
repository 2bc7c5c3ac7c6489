/* The pure parts of the driver: the length of a step, of a burst, names of directories, the command line. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "run/cli.h"
#include "run/run.h"
#include "run/schedule.h"
#include "run/stop.h"

/* --- timing --------------------------------------------------------------------------------------------------- */

static void check_fit(void)
{
    CHECK(eg_timing_fit(0.1, 1.0) == 0.1);
    CHECK(eg_timing_fit(0.105, 0.3) == 0.3 / 3);
    CHECK(eg_timing_fit(0.0999, 1.0) == 1.0 / 11); /* 9 % shorter */
    CHECK(eg_timing_fit(0.35, 1.0) == 1.0 / 3);    /* 5 % shorter */
    CHECK(eg_timing_fit(0.14, 0.2) == 0.14);       /* 0.1 would cost 29 % */
    CHECK(eg_timing_fit(2.0, 1.0) == 2.0);         /* several outputs within a step */
    for (double dt = 1e-4; dt < 0.1; dt *= 1.37) {
        const double fitted = eg_timing_fit(dt, 1.0), n = 1.0 / fitted;
        CHECK(fitted <= dt && fitted >= 0.9 * dt);
        CHECK(fitted == dt || fabs(n - nearbyint(n)) < 1e-9 * n);
    }
}

/* Rounding of a quotient never adds a step. */
static void check_steps(void)
{
    CHECK(eg_timing_steps(1.0, 0.1) == 10);
    CHECK(eg_timing_steps(0.3, 0.1) == 3);
    CHECK(eg_timing_steps(1.0, 1.0 / 3) == 3);
    CHECK(eg_timing_steps(1.0, 0.3) == 4);
    CHECK(eg_timing_steps(0, 0.3) == 0);
    CHECK(eg_timing_steps(0.1, 0.3) == 1);
    CHECK(eg_timing_steps(1e6, 1e-3) == 1000000000);
}

static void check_bursts(void)
{
    CHECK(eg_loop_burst(0, 100, -1, EG_NEVER, EG_NEVER) == 100);
    CHECK(eg_loop_burst(90, 100, 150, EG_NEVER, EG_NEVER) == 60);
    CHECK(eg_loop_burst(0, 100, 150, 0, EG_NEVER) == 1); /* the first step has an event */
    CHECK(eg_loop_burst(1, 100, 150, 20, EG_NEVER) == 20);
    CHECK(eg_loop_burst(1, 100, 150, 20, 9) == 9);
    CHECK(eg_loop_burst(1, 5, 150, 20, 9) == 5);
    CHECK(eg_loop_burst(0, 1, 1, 500, EG_NEVER) == 1);
}

/* --- directories ---------------------------------------------------------------------------------------------- */

static void check_text(char *got, const char *expected)
{
    CHECK_TEXT(got, expected);
    eg_free(got);
}

static void check_names(void)
{
    check_text(eg_rundir_of("heat.ini"), "heat");
    check_text(eg_rundir_of("a/b.c/heat.2.ini"), "heat.2");
    check_text(eg_rundir_of("a/heat"), "heat.run");
    check_text(eg_rundir_of(".ini"), ".ini.run");
    check_text(eg_rundir_trimmed("out//"), "out");
    check_text(eg_rundir_trimmed("a/out"), "a/out");
    check_text(eg_rundir_trimmed("/"), "/");
}

static void check_aside(void)
{
    char where[] = "/tmp/eagle-aside-XXXXXX", path[128], first[128], second[128];

    CHECK(mkdtemp(where) != NULL);
    snprintf(path, sizeof path, "%s/run", where);
    snprintf(first, sizeof first, "%s/run.1", where);
    snprintf(second, sizeof second, "%s/run.2", where);
    check_text(eg_rundir_aside(path), first);
    CHECK(mkdir(first, 0700) == 0);
    check_text(eg_rundir_aside(path), second);
    CHECK(symlink("nowhere", second) == 0); /* a link that leads nowhere is there too */
    snprintf(path, sizeof path, "%s/run", where);
    snprintf(first, sizeof first, "%s/run.3", where);
    check_text(eg_rundir_aside(path), first);
    snprintf(first, sizeof first, "%s/run.1", where);
    unlink(second);
    rmdir(first);
    rmdir(where);
}

/* --- the command line ----------------------------------------------------------------------------------------- */

enum { WORDS = 7 };

static eagle_status parse(const char *const *words, eg_cli *cli)
{
    char *argv[WORDS + 1] = { "toy" };
    int   argc = 1;

    for (; argc <= WORDS && words[argc - 1] != NULL; argc++) argv[argc] = (char *)words[argc - 1];
    return eg_cli_parse(argc, argv, cli);
}

static void check_walltime(void)
{
    static const char *const bad[] = { "", "soon", "0", "-1", "0:00:00", "1:60:00", "1:00:60", "10:00", "1:00:00 h", "3 m",
                                       "1e300 d", "nan" };
    double                   s;

    CHECK(eg_stop_parse_walltime("1:02:03", &s) && s == 3723);
    CHECK(eg_stop_parse_walltime("100:00:00", &s) && s == 360000);
    CHECK(eg_stop_parse_walltime("90", &s) && s == 90);
    CHECK(eg_stop_parse_walltime("1.5 h", &s) && s == 5400);
    CHECK(eg_stop_parse_walltime("2d", &s) && s == 172800);
    for (int i = 0; i < EG_COUNT(bad); i++) CHECK(!eg_stop_parse_walltime(bad[i], &s));
}

static void check_command_line(void)
{
    eg_cli cli;

    CHECK(parse((const char *[]){ "a=1", "--run-dir", "out", "in.ini", "b.c=2 m", NULL }, &cli) == EAGLE_OK);
    CHECK(cli.action == EG_RUN && cli.n_settings == 2);
    CHECK_TEXT(cli.input, "in.ini");
    CHECK_TEXT(cli.directory, "out");
    CHECK_TEXT(cli.settings[1], "b.c=2 m");
    eg_cli_free(&cli);
    CHECK(parse((const char *[]){ "--restart", "in.ini", "--walltime", "2 min", NULL }, &cli) == EAGLE_OK);
    CHECK_TEXT(cli.restart, "latest");
    CHECK_TEXT(cli.input, "in.ini");
    CHECK(cli.walltime_s == 120);
    eg_cli_free(&cli);
    CHECK(parse((const char *[]){ "--restart", "a/state.00000120.vtkhdf", NULL }, &cli) == EAGLE_OK);
    CHECK_TEXT(cli.restart, "a/state.00000120.vtkhdf");
    CHECK(cli.input == NULL);
    eg_cli_free(&cli);
    CHECK(parse((const char *[]){ "--restart", "120", "--run-dir", "a", NULL }, &cli) == EAGLE_OK);
    CHECK_TEXT(cli.restart, "120");
    eg_cli_free(&cli);
    CHECK(parse((const char *[]){ "--check", "--ranks", "12", "in.ini", NULL }, &cli) == EAGLE_OK);
    CHECK(cli.action == EG_CHECK && cli.ranks == 12);
    eg_cli_free(&cli);
    CHECK(parse((const char *[]){ "--help", NULL }, &cli) == EAGLE_OK && cli.action == EG_HELP && cli.topic == NULL);
    eg_cli_free(&cli);
    CHECK(parse((const char *[]){ "--help", "grid", NULL }, &cli) == EAGLE_OK);
    CHECK_TEXT(cli.topic, "grid");
    eg_cli_free(&cli);
}

static void check_refused(void)
{
    static const struct {
        const char *words[WORDS], *what, *fix;
    } cases[] = {
        { { "--chek", "in.ini" }, "there is no option '--chek'", "write --check" },
        { { "-x" }, "there is no option '-x'", "--help lists the options" },
        { { "--ranks", "0" }, "'0' is no number of ranks", "write --check --ranks N with N from 1 to 1000000" },
        { { "--ranks", "2x" }, "'2x' is no number of ranks", "write --check --ranks N with N from 1 to 1000000" },
        { { "--run-dir", "--check" }, "--run-dir needs a value: DIR", "write it behind the option" },
        { { "a.ini", "b.ini" }, "'b.ini' is a second input file", "give one input file; settings are section.key=value" },
        { { "--check" }, "no input file is given", "give one: --list-keys prints one that runs; --help says more" },
    };
    eg_cli cli;

    for (int i = 0; i < EG_COUNT(cases); i++) {
        CHECK(parse(cases[i].words, &cli) == EAGLE_ERR_ARGUMENT);
        CHECK_TEXT(eagle_last_error()->what, cases[i].what);
        CHECK_TEXT(eagle_last_error()->fix, cases[i].fix);
        eg_cli_free(&cli);
    }
}

int main(void)
{
    check_fit();
    check_steps();
    check_bursts();
    check_names();
    check_aside();
    check_walltime();
    check_command_line();
    check_refused();
    return check_end();
}
