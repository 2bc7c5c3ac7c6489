/* test_machine.c - places, shares and advice on synthetic machines: two NUMA nodes of four cores of two threads. */
#include "check.h"
#include "machine/machine.h"

static const char machine[] = "numa:2 core:4 pu:2"; /* cores 0-3 and 4-7; core c has hardware threads 2c and 2c + 1 */

typedef struct read_case {
    const char *synthetic, *cpus;
    int         numa, cores, host_cores;
    const char *expected_cpus;
} read_case;

static const read_case reads[] = {
    { machine, NULL, -1, 8, 8, "0-15" },     { machine, "0-7", 0, 4, 8, "0-7" },
    { machine, "8-15", 1, 4, 8, "8-15" },    { machine, "6-9", -1, 2, 8, "6-9" },
    { machine, "3", 0, 1, 8, "3" },          { machine, "2,4,6", 0, 3, 8, "2,4,6" }, /* half of three cores */
    { machine, "14-99", 1, 1, 8, "14-15" },  { "core:3 pu:1", NULL, 0, 3, 3, "0-2" },
    { "pu:5", "1-2", 0, 2, 5, "1-2" },
};

static void test_reading(void)
{
    eg_place place;

    for (int i = 0; i < EG_COUNT(reads); i++) {
        const read_case *r = &reads[i];
        CHECK(eg_machine_read(r->synthetic, r->cpus, &place) == EAGLE_OK);
        CHECK(place.numa == r->numa && place.cores == r->cores && place.host_cores == r->host_cores);
        CHECK_TEXT(place.cpus, r->expected_cpus);
    }
    CHECK(eg_machine_read("no machine", NULL, &place) == EAGLE_ERR_ENVIRONMENT);
    CHECK(eg_machine_read(NULL, NULL, &place) == EAGLE_OK); /* this one */
    CHECK(place.cores >= 1 && place.cores <= place.host_cores && place.host[0] != '\0' && place.cpus[0] != '\0');
}

/* n ranks of one host; cpus and threads of each. */
typedef struct host_case {
    const char *cpus[4];
    int         threads[4]; /* 0: as many as fit */
    double      share[4];
    eg_advice   advice;
    int         rank, cores;
} host_case;

static const host_case hosts[] = {
    { { "0-15" }, { 0 }, { 8 }, EG_PLACED_WELL, 0, 8 },
    { { "0-15", "0-15" }, { 0 }, { 4, 4 }, EG_PLACED_WELL, 0, 8 },              /* not bound */
    { { "0-15", "0-15", "0-15" }, { 0 }, { 8 / 3.0, 8 / 3.0, 8 / 3.0 }, EG_PLACED_WELL, 0, 8 },
    { { "0-7", "8-15" }, { 0 }, { 4, 4 }, EG_PLACED_WELL, 0, 8 },               /* bound to NUMA nodes */
    { { "0-7", "0-7", "8-15", "8-15" }, { 0 }, { 2, 2, 2, 2 }, EG_PLACED_WELL, 0, 8 },
    { { "0-7", "4-11" }, { 0 }, { 3, 3 }, EG_CORES_LEFT_OUT, 0, 6 },            /* two cores in common, two left */
    { { "0-1", "2-3" }, { 0 }, { 1, 1 }, EG_CORES_LEFT_OUT, 0, 2 },             /* bound to a core each */
    { { "0", "1" }, { 0 }, { 0.5, 0.5 }, EG_RANKS_SHARE_CORES, 0, 1 },          /* two hardware threads of one core */
    { { "0-3", "0-3", "0-3" }, { 0 }, { 2 / 3.0, 2 / 3.0, 2 / 3.0 }, EG_RANKS_SHARE_CORES, 0, 2 },
    { { "0-7", "8-15" }, { 4, 5 }, { 4, 4 }, EG_TOO_MANY_THREADS, 1, 8 },
    { { "0-7", "8-15" }, { 1, 1 }, { 4, 4 }, EG_PLACED_WELL, 0, 8 },
};

static void test_hosts(void)
{
    for (int i = 0; i < EG_COUNT(hosts); i++) {
        const host_case *h = &hosts[i];
        eg_place         all[4];
        int              threads[4], n = 0, rank = -1, cores = -1;
        while (n < 4 && h->cpus[n] != NULL) {
            CHECK(eg_machine_read(machine, h->cpus[n], &all[n]) == EAGLE_OK);
            n++;
        }
        for (int r = 0; r < n; r++) {
            const double share = eg_machine_share(all, n, r);
            CHECK(share - h->share[r] < 1e-12 && h->share[r] - share < 1e-12);
            threads[r] = h->threads[r] > 0 ? h->threads[r] : eg_machine_threads(share);
        }
        const eg_advice advice = eg_machine_advice(all, threads, n, &rank, &cores);
        CHECK(advice == h->advice && cores == h->cores && (advice == EG_PLACED_WELL || rank == h->rank));
        if (advice != h->advice) fprintf(stderr, "  host %d: advice %d\n", i, (int)advice);
    }
}

static void test_threads(void)
{
    CHECK(eg_machine_threads(4) == 4 && eg_machine_threads(2.67) == 2 && eg_machine_threads(0.5) == 1);
    CHECK(eg_machine_threads(1.0 / 3 + 1.0 / 3 + 1.0 / 3 + 1.0 / 3 + 1.0 / 3 + 1.0 / 3) == 2);
    CHECK(eg_machine_scarce(2, 2) && eg_machine_scarce(0.5, 1) && !eg_machine_scarce(4, 3) && !eg_machine_scarce(8, 1));
}

int main(void)
{
    test_reading();
    test_hosts();
    test_threads();
    return check_end();
}
