/* test_job.c - errors of several ranks: what all of them return, and what rank 0 prints at the end, each message once
 * behind the ranks that had it. */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "eagle/eagle.h"
#include "run/job.h"

static int rank, ranks;

/* --- agreement ------------------------------------------------------------------------------------------------ */

static void test_ranks_text(void)
{
    const bool in[8] = { true, true, true, false, false, false, false, true }, one[3] = { false, true, false };
    char       text[64], tiny[20];

    eg_ranks_text(in, 8, text, sizeof text);
    CHECK_TEXT(text, "ranks 0-2,7");
    eg_ranks_text(one, 3, text, sizeof text);
    CHECK_TEXT(text, "rank 1");
    eg_ranks_text(in, 8, tiny, sizeof tiny); /* never beyond its end */
    CHECK(strlen(tiny) < sizeof tiny);
}

static eagle_status fail_on(bool me, eagle_status status, const char *words)
{
    return me ? eg_fail(status, EG_NOWHERE, "mend it", "%s", words) : EAGLE_OK;
}

static void test_some_agree(eg_job *job)
{
    const bool         me = rank >= 1 && rank <= 2;
    const eagle_status status = eg_agree(job, EG_CONTROL, fail_on(me, EAGLE_ERR_IO, "the disk is full"));

    CHECK(status == (ranks > 1 ? EAGLE_ERR_IO : EAGLE_OK));
    if (ranks == 1) return;
    CHECK(eagle_last_error()->status == EAGLE_ERR_IO);
    CHECK_TEXT(eagle_last_error()->what, ranks == 2 ? "[rank 1] the disk is full" : "[ranks 1-2] the disk is full");
    CHECK_TEXT(eagle_last_error()->fix, "mend it");
    CHECK(eg_agree(job, EG_CONTROL, status) == EAGLE_ERR_IO); /* again: nothing is put in front a second time */
    CHECK(strncmp(eagle_last_error()->what, "[rank", 5) == 0 && strstr(eagle_last_error()->what + 1, "[rank") == NULL);
}

static void test_all_agree(eg_job *job)
{
    const eagle_status mine = eg_fail(EAGLE_ERR_CONFIG, (eagle_here){ "main.c", 7 }, "", "the key is wrong");

    CHECK(eg_agree(job, EG_FILES, mine) == EAGLE_ERR_CONFIG);
    CHECK_TEXT(eagle_last_error()->what, "the key is wrong");
    CHECK(eagle_last_error()->here.line == 7);
}

/* Rank 0 has an error, the last rank a worse one. */
static void test_worst_wins(eg_job *job)
{
    const bool   last = rank == ranks - 1;
    char         expected[64];
    eagle_status status = fail_on(rank == 0, EAGLE_ERR_IO, "small");

    if (last) status = eg_fail(EAGLE_ERR_NUMERICS, (eagle_here){ "a.c", 3 }, "", "large");
    CHECK(eg_agree(job, EG_CONTROL, status) == EAGLE_ERR_NUMERICS);
    snprintf(expected, sizeof expected, ranks == 1 ? "large" : "[rank %d] a.c:3: large", ranks - 1);
    CHECK_TEXT(eagle_last_error()->what, expected);
    CHECK(eg_agree(job, EG_CONTROL, EAGLE_OK) == EAGLE_OK);
}

/* Words of its own go before those that ranks in front of it only heard. */
static void test_heard(eg_job *job)
{
    const int    last = ranks - 1;
    char         expected[64];
    eagle_status status = eg_job_heard(last, EAGLE_ERR_CALLBACK);

    if (rank == last) status = fail_on(true, EAGLE_ERR_CALLBACK, "the cause");
    CHECK(eg_agree(job, EG_CONTROL, status) == EAGLE_ERR_CALLBACK);
    snprintf(expected, sizeof expected, ranks == 1 ? "the cause" : "[rank %d] the cause", last);
    CHECK_TEXT(eagle_last_error()->what, expected);
}

static void test_collectives(eg_job *job)
{
    int all[64] = { 0 }, word = rank == ranks - 1 ? 42 : 0;

    CHECK(eg_broadcast(job, EG_FILES, &word, sizeof word, ranks - 1) == EAGLE_OK && word == 42);
    word = 10 + rank;
    CHECK(eg_allgather(job, EG_SUMS, &word, sizeof word, all) == EAGLE_OK);
    for (int r = 0; r < ranks; r++) CHECK(all[r] == 10 + r);
    memset(all, 0, sizeof all);
    CHECK(eg_gather(job, EG_HALO, &word, sizeof word, all) == EAGLE_OK);
    for (int r = 0; r < ranks && rank == 0; r++) CHECK(all[r] == 10 + r);
    CHECK(eg_barrier(job, EG_CONTROL) == EAGLE_OK);
}

/* --- the end of a program ------------------------------------------------------------------------------------- */

static char printed[4096];

/* eagle_finalize, with what it writes to standard error in `printed`. */
static int finalize(eagle_ctx *ctx, eagle_status status)
{
    FILE     *file = tmpfile();
    const int kept = dup(STDERR_FILENO);
    int       exit_status;

    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    exit_status = eagle_finalize(ctx, status);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    printed[fread(printed, 1, sizeof printed - 1, file)] = '\0';
    fclose(file);
    return exit_status;
}

static eagle_ctx *open_context(const void *comm)
{
    const eagle_options options = { .comm = comm, .backend = "host", .threads = 1 };
    eagle_ctx          *ctx = NULL;

    CHECK(eagle_init(NULL, NULL, &options, &ctx) == EAGLE_OK);
    return ctx;
}

static eagle_status fail_on_last(const eagle_host_call *call, void *state)
{
    (void)state;
    if (call->rank < ranks - 1) return EAGLE_OK;
    return eagle_fail_at((eagle_here){ "app.c", 12 }, EAGLE_ERR_NUMERICS, "halve dt", "T is nan");
}

static void test_host_function_fails(void)
{
    eagle_ctx   *ctx = open_context(NULL);
    eagle_graph *g;
    eagle_status status;
    char         expected[256];

    CHECK(eagle_graph_create(ctx, "step", &g) == EAGLE_OK);
    eagle_opaque(g, fail_on_last);
    status = eagle_launch(g, 2);
    CHECK((status == EAGLE_ERR_NUMERICS) == (rank == ranks - 1));
    CHECK(finalize(ctx, status) == 3);
    snprintf(expected, sizeof expected,
             ranks == 1 ? "app.c:12: error: T is nan (fail_on_last, replay 0)\n  fix: halve dt\n"
                        : "[rank %d] app.c:12: error: T is nan (fail_on_last on rank %d, replay 0)\n  fix: halve dt\n",
             ranks - 1, ranks - 1);
    CHECK_TEXT(printed, rank == 0 ? expected : "");
}

/* Rank 0 fails by itself, all others alike. */
static void test_two_messages(void)
{
    eagle_ctx         *ctx = open_context(NULL);
    const eagle_status status = eg_fail(rank == 0 ? EAGLE_ERR_IO : EAGLE_ERR_CONFIG, EG_NOWHERE, "",
                                        rank == 0 ? "no room" : "no key");

    CHECK(finalize(ctx, status) == 4);
    if (rank != 0) return;
    const char *const expected[] = { "", "error: no room\n", "[rank 0] error: no room\n[rank 1] error: no key\n",
                                     "[rank 0] error: no room\n[ranks 1-2] error: no key\n",
                                     "[rank 0] error: no room\n[ranks 1-3] error: no key\n" };
    CHECK_TEXT(printed, expected[ranks]);
}

/* What all agreed on is printed once, though every rank brings it. */
static void test_agreed_message(void)
{
    eagle_ctx   *ctx = open_context(NULL);
    eagle_status status = fail_on(rank == ranks - 1, EAGLE_ERR_MEMORY, "no memory");
    char         expected[64];

    status = eg_agree(eg_job_of(ctx), EG_CONTROL, status);
    CHECK(finalize(ctx, status) == 5);
    snprintf(expected, sizeof expected,
             ranks == 1 ? "error: no memory\n  fix: mend it\n" : "error: [rank %d] no memory\n  fix: mend it\n",
             ranks - 1);
    CHECK_TEXT(printed, rank == 0 ? expected : "");
}

/* One rank each, though the launcher started more. */
static void test_own_communicator(void)
{
    const MPI_Comm self = MPI_COMM_SELF;
    eagle_ctx     *ctx = open_context(&self);

    CHECK(eagle_ranks(ctx) == 1 && eagle_rank(ctx) == 0);
    CHECK(finalize(ctx, EAGLE_OK) == 0);
    CHECK_TEXT(printed, "");
}

static void test_wrong_launcher(void)
{
    const char *const others[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS" };
    eagle_ctx        *ctx = NULL;

    if (ranks > 1) return;
    for (int i = 0; i < 3; i++) unsetenv(others[i]);
    setenv("SLURM_STEP_NUM_TASKS", "4", 1);
    CHECK(eagle_init(NULL, NULL, NULL, &ctx) == EAGLE_ERR_ENVIRONMENT);
    CHECK_TEXT(eagle_last_error()->what,
               "the launcher started 4 processes (SLURM_STEP_NUM_TASKS), but each is rank 0 of 1");
    unsetenv("SLURM_STEP_NUM_TASKS");
}

static void test_transport(void)
{
    const eagle_options unknown = { .backend = "host", .transport = "pigeon" };
    const eagle_options self = { .backend = "host", .threads = 1, .transport = "self" };
    eagle_ctx          *ctx = NULL;
    eagle_status        status;

    CHECK(eagle_init(NULL, NULL, &unknown, &ctx) == EAGLE_ERR_CONFIG && ctx == NULL);
    CHECK_TEXT(eagle_last_error()->what, "there is no transport 'pigeon'");
    status = eagle_init(NULL, NULL, &self, &ctx);
    CHECK(status == (ranks == 1 ? EAGLE_OK : EAGLE_ERR_CONFIG));
    if (status == EAGLE_OK) CHECK(finalize(ctx, EAGLE_OK) == 0);
}

/* One rank cannot start: none does, and all say why. */
static void test_start_of_one_fails(void)
{
    const int           last = ranks - 1;
    const eagle_options options = { .backend = rank == last ? "abacus" : "host", .threads = 1 };
    eagle_ctx          *ctx = NULL;
    char                expected[80];

    CHECK(eagle_init(NULL, NULL, &options, &ctx) == EAGLE_ERR_CONFIG && ctx == NULL);
    snprintf(expected, sizeof expected, "[rank %d] there is no backend 'abacus'", last);
    CHECK_TEXT(eagle_last_error()->what, ranks == 1 ? strchr(expected, ']') + 2 : expected);
    CHECK(finalize(NULL, EAGLE_ERR_CONFIG) == 2);
    CHECK((printed[0] != '\0') == (rank == 0));
}

int main(int argc, char **argv)
{
    eagle_ctx *ctx;
    int        level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ctx = open_context(NULL);
    test_ranks_text();
    test_some_agree(eg_job_of(ctx));
    test_all_agree(eg_job_of(ctx));
    test_worst_wins(eg_job_of(ctx));
    test_heard(eg_job_of(ctx));
    test_collectives(eg_job_of(ctx));
    CHECK(finalize(ctx, EAGLE_OK) == 0);
    test_host_function_fails();
    test_two_messages();
    test_agreed_message();
    test_own_communicator();
    test_wrong_launcher();
    test_transport();
    test_start_of_one_fails();
    MPI_Finalize();
    return check_end();
}
