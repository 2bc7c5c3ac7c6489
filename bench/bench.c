/* bench.c - eagle-bench: figures of the engine and the programs, as ratios to a peer measured in the same run. */
#include <string.h>

#include "bench.h"

static const struct {
    const char *name, *about;
    eagle_status (*run)(eagle_ctx *ctx, const bench_options *options, int *missed);
} benchmarks[] = {
    { "heat", "sweeps of eagle-heat against a copy of the same bytes", bench_heat },
    { "frames", "steps with frames at several intervals against steps without", bench_frames },
};

static void print_usage(void)
{
    printf("usage: eagle-bench NAME [--backend host|cuda] [--small] [--dir DIR] [--require] [--json FILE]\n\n");
    for (int i = 0; i < EG_COUNT(benchmarks); i++) printf("  %-8s %s\n", benchmarks[i].name, benchmarks[i].about);
    printf("\n--small: arrays that fit a laptop; --dir: the disk that frames go to, by default this folder's; they are removed\n"
           "--require: exit status 1 when a ratio is below what is asked; --json: a line for each row\n");
}

static eagle_status open_json(const char *path, bench_options *o)
{
    o->json = fopen(path, "w");
    return o->json != NULL ? EAGLE_OK : eagle_fail(EAGLE_ERR_IO, "give a path that can be written", "'%s' cannot be made", path);
}

static eagle_status parse(int argc, char **argv, bench_options *o, int *benchmark)
{
    *benchmark = -1;
    for (int i = 1; i < argc; i++) {
        const bool has_next = i + 1 < argc;
        for (int b = 0; b < EG_COUNT(benchmarks); b++)
            if (strcmp(argv[i], benchmarks[b].name) == 0) *benchmark = b;
        if (*benchmark >= 0 && argv[i][0] != '-') continue;
        if (strcmp(argv[i], "--small") == 0)
            o->small = true;
        else if (strcmp(argv[i], "--require") == 0)
            o->require = true;
        else if (strcmp(argv[i], "--backend") == 0 && has_next)
            o->backend = argv[++i];
        else if (strcmp(argv[i], "--dir") == 0 && has_next)
            o->directory = argv[++i];
        else if (strcmp(argv[i], "--json") == 0 && has_next)
            EAGLE_TRY(open_json(argv[++i], o));
        else
            return eagle_fail(EAGLE_ERR_ARGUMENT, "eagle-bench without arguments lists what there is", "'%s' is not known", argv[i]);
    }
    return EAGLE_OK;
}

int main(int argc, char **argv)
{
    bench_options o = { .backend = "auto", .directory = "." };
    eagle_ctx    *ctx = NULL;
    int           benchmark, missed = 0, code;
    eagle_status  status = parse(argc, argv, &o, &benchmark);

    if (status == EAGLE_OK && benchmark < 0) {
        print_usage();
        return 2;
    }
    if (status == EAGLE_OK)
        status = eagle_init(&argc, &argv, &(const eagle_options){ .backend = o.backend }, &ctx);
    if (status == EAGLE_OK) status = benchmarks[benchmark].run(ctx, &o, &missed);
    code = eagle_finalize(ctx, status);
    if (o.json != NULL) fclose(o.json);
    return code != 0 ? code : o.require && missed > 0;
}
