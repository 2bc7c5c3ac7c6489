/* test_frames.c - frames written by eg_frames_write on any number of ranks: every value is read back, the bytes are those
 * of one rank, and a disk without room is an error on all ranks that leaves no file and harms none.
 *
 * test_frames DIR leaves two frames of each small layout in DIR/frames, for tests of other programs that read them. */
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "run/frames.h"
#include "run/grid.h"

enum { FIELDS = 6, PATH = 256 };

static const struct {
    const char *name, *unit;
    int         components;
    eagle_type  type, stored;
} fields[FIELDS] = {
    { "T", "K", 1, EAGLE_F64, EAGLE_F64 },      { "v", "m/s", 3, EAGLE_F64, EAGLE_F64 },
    { "coarse", "Pa", 1, EAGLE_F64, EAGLE_F32 }, { "fine", "1", 2, EAGLE_F32, EAGLE_F64 },
    { "kind", NULL, 1, EAGLE_U8, EAGLE_U8 },    { "count", "1", 1, EAGLE_I64, EAGLE_I64 },
};

typedef struct layout {
    const char *name;
    int         dims, compress;
    bool        through_root;
    int64_t     cells[3], wanted[3]; /* wanted: ranks along an axis; -1: all of them */
    int64_t     lo[3], hi[3], stride[3];
    int         fields; /* the first ones; 0: all */
} layout;

static const layout layouts[] = {
    { "whole", 3, 0, false, { 7, 5, 9 }, { 0 }, { 0, 0, 0 }, { 7, 5, 9 }, { 1, 1, 1 } },
    { "root", 3, 0, true, { 7, 5, 9 }, { 0 }, { 0, 0, 0 }, { 7, 5, 9 }, { 1, 1, 1 } },
    { "packed", 3, 4, false, { 7, 5, 9 }, { 0, -1, 0 }, { 0, 0, 0 }, { 7, 5, 9 }, { 1, 1, 1 } },
    { "along_x", 3, 0, false, { 11, 3, 2 }, { -1, 1, 1 }, { 0, 0, 0 }, { 11, 3, 2 }, { 1, 1, 1 } },
    { "corner", 3, 0, false, { 9, 6, 8 }, { 0 }, { 6, 4, 6 }, { 9, 6, 8 }, { 1, 1, 1 } },
    { "corner_root", 3, 0, true, { 9, 6, 8 }, { 0 }, { 6, 4, 6 }, { 9, 6, 8 }, { 1, 1, 1 } },
    { "stride", 3, 0, false, { 9, 6, 8 }, { 0 }, { 1, 0, 1 }, { 9, 6, 8 }, { 2, 2, 3 } },
    { "stride_packed", 3, 4, false, { 9, 6, 8 }, { -1, 1, 1 }, { 1, 0, 1 }, { 9, 6, 8 }, { 2, 2, 3 } },
    { "slice", 3, 0, false, { 9, 6, 8 }, { 0 }, { 0, 0, 3 }, { 9, 6, 4 }, { 1, 1, 1 } },
    { "point", 3, 0, false, { 9, 6, 8 }, { 0 }, { 4, 3, 5 }, { 5, 4, 6 }, { 1, 1, 1 } },
    { "plane", 2, 0, false, { 13, 10, 1 }, { 0 }, { 0, 0, 0 }, { 13, 10, 1 }, { 1, 1, 1 } },
    { "plane_packed", 2, 4, false, { 13, 10, 1 }, { -1, 1, 1 }, { 2, 1, 0 }, { 13, 10, 1 }, { 2, 1, 1 } },
    { "line", 1, 0, false, { 37, 1, 1 }, { 0 }, { 3, 0, 0 }, { 37, 1, 1 }, { 1, 1, 1 } },
    { "line_packed", 1, 4, false, { 37, 1, 1 }, { 0 }, { 3, 0, 0 }, { 37, 1, 1 }, { 1, 1, 1 } },
};

/* Of more than a rank holds at a time. */
static const layout large_layouts[] = {
    { "long_pieces", 2, 0, false, { 40000, 3, 1 }, { -1, 1, 1 }, { 0, 0, 0 }, { 40000, 3, 1 }, { 1, 1, 1 }, 1 },
    { "blocks", 2, 0, false, { 1500, 1500, 1 }, { -1, 1, 1 }, { 0, 0, 0 }, { 1500, 1500, 1 }, { 1, 1, 1 }, 1 },
    { "blocks_root", 2, 0, true, { 1500, 1500, 1 }, { 0 }, { 0, 0, 0 }, { 1500, 1500, 1 }, { 1, 1, 1 }, 1 },
    { "blocks_packed", 2, 1, false, { 1500, 1500, 1 }, { 0 }, { 0, 0, 0 }, { 1500, 1500, 1 }, { 1, 1, 1 }, 1 },
    { "staged", 3, 0, false, { 120, 90, 40 }, { 0 }, { 0, 0, 0 }, { 120, 90, 40 }, { 1, 1, 1 }, 2 },
};

static int fields_of(const layout *l) { return l->fields > 0 ? l->fields : FIELDS; }

static eagle_ctx *ctx;
static eg_job    *job, *solo; /* solo: of this rank alone */

/* --- values --------------------------------------------------------------------------------------------------- */

/* Of field i at a global cell, before it is stored. */
static double value_at(int i, int component, int64_t x, int64_t y, int64_t z, int64_t step)
{
    const double cell = (double)(1 + x + 100 * y + 10000 * z + 1000000 * component + 7 * step);

    if (fields[i].type == EAGLE_U8) return (double)((x + 3 * y + 5 * z + step) % 251);
    if (fields[i].type == EAGLE_I64) return -cell;
    return fields[i].type == EAGLE_F32 ? (double)(float)(cell / 3) : cell / 3;
}

static void put(eagle_type type, void *data, int64_t at, double v)
{
    if (type == EAGLE_F64) ((double *)data)[at] = v;
    if (type == EAGLE_F32) ((float *)data)[at] = (float)v;
    if (type == EAGLE_U8) ((uint8_t *)data)[at] = (uint8_t)v;
    if (type == EAGLE_I64) ((int64_t *)data)[at] = (int64_t)v;
}

typedef struct part {
    eagle_grid grid;
    int64_t    first[3], n[3];
    void      *data[FIELDS];
} part;

static void fill(part *p, const layout *l, int64_t step)
{
    for (int i = 0; i < FIELDS; i++)
        for (int64_t at = 0; at < p->n[0] * p->n[1] * p->n[2] * fields[i].components; at++) {
            const int64_t x = at % p->n[0], y = at / p->n[0] % p->n[1], z = at / (p->n[0] * p->n[1]) % p->n[2];
            const int     c = (int)(at / (p->n[0] * p->n[1] * p->n[2]));
            put(fields[i].type, p->data[i], at,
                value_at(i, c, l->lo[0] + (p->first[0] + x) * l->stride[0], l->lo[1] + (p->first[1] + y) * l->stride[1],
                         l->lo[2] + (p->first[2] + z) * l->stride[2], step));
        }
}

static eagle_status make_part(const eg_job *on, const layout *l, part *p)
{
    const double  lower[3] = { 1, 2, 3 }, upper[3] = { 2, 4, 6 };
    const bool    periodic[3] = { false, false, false };
    int64_t       wanted[3], local, cells = 1;
    eg_cartesian  c;

    for (int a = 0; a < 3; a++) wanted[a] = l->wanted[a] < 0 ? on->ranks : l->wanted[a];
    for (int a = 0; a < 3 && on->ranks == 1; a++) wanted[a] = 1;
    EAGLE_TRY(eg_cartesian_choose(on->ranks, l->dims, l->cells, periodic, wanted, 1, &c));
    eg_cartesian_grid(&c, on->rank, lower, upper, 1, &p->grid);
    for (int a = 0; a < 3; a++) {
        eg_frame_part(&p->grid, a, l->lo[a], l->hi[a], l->stride[a], &p->first[a], &p->n[a], &local);
        if (p->n[a] > 0) CHECK(local == l->lo[a] + p->first[a] * l->stride[a] - p->grid.offset[a] && local >= 0);
        cells *= p->n[a];
    }
    for (int i = 0; i < FIELDS; i++) p->data[i] = calloc((size_t)(cells > 0 ? cells : 1), (size_t)fields[i].components * 8);
    return EAGLE_OK;
}

/* --- writing -------------------------------------------------------------------------------------------------- */

static eagle_status open_frames(eg_job *on, const layout *l, const part *p, const char *dir, eg_frames **out)
{
    eg_frame_field list[FIELDS];
    eg_frame_spec  spec = { .directory = dir, .name = l->name, .program = "test", .version = "1", .grid = p->grid,
                            .compress = l->compress, .through_root = l->through_root, .n_fields = fields_of(l), .fields = list };

    for (int i = 0; i < FIELDS; i++)
        list[i] = (eg_frame_field){ fields[i].name, fields[i].unit, fields[i].components, fields[i].stored,
                                    { .type = fields[i].type } };
    memcpy(spec.lo, l->lo, sizeof spec.lo);
    memcpy(spec.hi, l->hi, sizeof spec.hi);
    memcpy(spec.stride, l->stride, sizeof spec.stride);
    return eg_frames_open(on, &spec, out);
}

static eagle_status write_step(eg_frames *f, const layout *l, part *p, int64_t step)
{
    fill(p, l, step);
    const eagle_host_call call = { .n = fields_of(l), .data = p->data, .now = { .step = step, .t = 0.1 * (double)step } };
    return eg_frames_write(&call, f);
}

static void free_part(part *p)
{
    for (int i = 0; i < FIELDS; i++) free(p->data[i]);
}

/* Writes step 1 of a layout into DIR/frames. */
static eagle_status write_once(eg_job *on, const layout *l, const char *dir)
{
    eg_frames *f = NULL;
    part       p;

    EAGLE_TRY(make_part(on, l, &p));
    EAGLE_TRY(open_frames(on, l, &p, dir, &f));
    const eagle_status status = write_step(f, l, &p, 1);
    int64_t            bytes, n;
    double             seconds;
    eg_frames_figures(f, &bytes, &seconds, &n);
    if (status == EAGLE_OK) CHECK(n == 1 && bytes > 0 && seconds > 0);
    free_part(&p);
    EAGLE_TRY(eg_frames_close(f));
    return status;
}

/* --- reading -------------------------------------------------------------------------------------------------- */

static void name_frame(const char *dir, const char *name, int step, const char *before, const char *after, char path[PATH])
{
    snprintf(path, PATH, "%s/frames/%s%s.%08d.vtkhdf%s", dir, before, name, step, after);
}

static int find_field(const char *name)
{
    for (int i = 0; i < FIELDS; i++)
        if (strcmp(fields[i].name, name) == 0) return i;
    return -1;
}

static int64_t count_wrong(const eg_frame_array *a, const layout *l, int i, int64_t step)
{
    const int64_t cells = a->n[0] * a->n[1] * a->n[2];
    int64_t       wrong = 0;

    for (int64_t at = 0; at < cells * a->components; at++) {
        const int64_t x = at % a->n[0], y = at / a->n[0] % a->n[1], z = at / (a->n[0] * a->n[1]) % a->n[2];
        double v = value_at(i, (int)(at / cells), l->lo[0] + x * l->stride[0], l->lo[1] + y * l->stride[1],
                            l->lo[2] + z * l->stride[2], step);
        if (fields[i].stored == EAGLE_F32) v = (double)(float)v;
        wrong += a->value[at] != v;
    }
    return wrong;
}

static void check_array(const eg_frame_array *a, const layout *l, int64_t step)
{
    const int i = find_field(a->name);

    CHECK(i >= 0);
    if (i < 0) return;
    CHECK(a->components == fields[i].components && a->type == fields[i].stored);
    CHECK_TEXT(a->unit, fields[i].unit != NULL ? fields[i].unit : "1");
    for (int k = 0; k < 3; k++) CHECK(a->n[k] == (l->hi[k] - l->lo[k] + l->stride[k] - 1) / l->stride[k]);
    CHECK(count_wrong(a, l, i, step) == 0);
}

static void check_frame(const char *dir, const layout *l, int step)
{
    const double lower[3] = { 1, 2, 3 };
    char         path[PATH];
    eg_frame     frame, head;

    name_frame(dir, l->name, step, "", "", path);
    CHECK(eg_frame_read(path, &frame) == EAGLE_OK);
    CHECK(eg_frame_read_head(path, &head) == EAGLE_OK);
    if (frame.n_arrays == 0 || head.n_arrays == 0) return;
    CHECK(frame.step == step && frame.t == 0.1 * step && frame.dims == l->dims && frame.n_arrays == fields_of(l));
    CHECK(head.step == step && head.n_arrays == fields_of(l) && head.arrays[0].value == NULL);
    for (int a = 0; a < l->dims; a++) {
        const double h = (double)(a + 1) / (double)l->cells[a], centre = lower[a] + ((double)l->lo[a] + 0.5) * h;
        const double off = frame.lower[a] + frame.h[a] / 2 - centre;
        CHECK(frame.h[a] == h * (double)l->stride[a]);
        CHECK(off < 1e-14 && off > -1e-14);
    }
    for (int i = 0; i < frame.n_arrays; i++) check_array(&frame.arrays[i], l, step);
    eg_frame_free(&frame);
    eg_frame_free(&head);
}

static char *read_bytes(const char *path, size_t *n)
{
    FILE       *file = fopen(path, "rb");
    struct stat there;
    char       *bytes;

    *n = 0;
    if (file == NULL || fstat(fileno(file), &there) != 0) return NULL;
    bytes = malloc((size_t)there.st_size + 1);
    *n = fread(bytes, 1, (size_t)there.st_size, file);
    fclose(file);
    return bytes;
}

/* One rank writes the same frame alone. */
static void check_same_bytes(const char *dir, const layout *l)
{
    char   alone[PATH], path[PATH], other[PATH];
    size_t n, m;

    snprintf(alone, sizeof alone, "%s/alone", dir);
    CHECK(mkdir(alone, 0700) == 0 || access(alone, F_OK) == 0);
    CHECK(write_once(solo, l, alone) == EAGLE_OK);
    name_frame(dir, l->name, 1, "", "", path);
    name_frame(alone, l->name, 1, "", "", other);
    char *a = read_bytes(path, &n), *b = read_bytes(other, &m);
    CHECK(n > 0 && n == m && memcmp(a, b, n) == 0);
    free(a);
    free(b);
}

/* --- no room -------------------------------------------------------------------------------------------------- */

static void allow_bytes(rlim_t bytes)
{
    struct rlimit limit;

    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

static void check_absent(const char *dir, const char *name, int step)
{
    char path[PATH];

    name_frame(dir, name, step, ".", ".tmp", path);
    CHECK(access(path, F_OK) != 0);
    name_frame(dir, name, step, "", "", path);
    CHECK(access(path, F_OK) != 0);
    CHECK(strstr(eagle_last_error()->what, path) != NULL);
}

/* Step 1 is whole; step 2 meets a limit on the size of files of one rank, or of all; step 2 again, with room. */
static eagle_status check_limit(const layout *l, const char *dir, bool all)
{
    eg_frames *f = NULL;
    part       p;

    EAGLE_TRY(make_part(job, l, &p));
    EAGLE_TRY(open_frames(job, l, &p, dir, &f));
    EAGLE_TRY(write_step(f, l, &p, 1));
    if (all || job->rank == job->ranks - 1) allow_bytes(3000);
    const eagle_status failed = write_step(f, l, &p, 2);
    allow_bytes(RLIM_INFINITY);
    EAGLE_TRY(eg_barrier(job, EG_CONTROL)); /* rank 0 removes the file after it has told the others */
    if (all || !(l->through_root || l->compress > 0) || job->ranks == 1) {
        CHECK(failed == EAGLE_ERR_IO);
        check_absent(dir, l->name, 2);
    }
    EAGLE_TRY(eg_barrier(job, EG_CONTROL));
    EAGLE_TRY(write_step(f, l, &p, 2));
    if (job->rank == 0) check_frame(dir, l, 1);
    if (job->rank == 0) check_frame(dir, l, 2);
    free_part(&p);
    return eg_frames_close(f);
}

static const layout large = { "large", 3, 0, false, { 30, 30, 20 }, { 0 }, { 0, 0, 0 }, { 30, 30, 20 }, { 1, 1, 1 } };

static eagle_status fill_up(const layout *l, const char *dir)
{
    eagle_status status = EAGLE_OK;
    eg_frames   *f = NULL;
    part         p;
    int          step = 0;

    EAGLE_TRY(make_part(job, l, &p));
    EAGLE_TRY(open_frames(job, l, &p, dir, &f));
    while (status == EAGLE_OK && step < 50) status = write_step(f, l, &p, ++step);
    CHECK(status == EAGLE_ERR_IO && step > 1);
    EAGLE_TRY(eg_barrier(job, EG_CONTROL));
    if (strstr(eagle_last_error()->what, ".xdmf") == NULL) check_absent(dir, l->name, step);
    if (job->rank == 0)
        for (int s = 1; s < step; s++) check_frame(dir, l, s);
    free_part(&p);
    (void)eg_frames_close(f); /* the list may not have found room either */
    return eg_barrier(job, EG_CONTROL);
}

/* A file system of 3 MB, where this process may make one. */
static eagle_status check_small_disk(const char *dir)
{
    layout l = large;
    char   small[PATH];
    int    mounted = 0;

    snprintf(small, sizeof small, "%s/small", dir);
    for (int i = 0; i < 3; i++) {
        if (job->rank == 0) mounted = mkdir(small, 0700) == 0 && mount("tmpfs", small, "tmpfs", 0, "size=3m") == 0;
        EAGLE_TRY(eg_broadcast(job, EG_CONTROL, &mounted, sizeof mounted, 0));
        if (!mounted) return EAGLE_OK;
        l.through_root = i == 1;
        l.compress = i == 2 ? 1 : 0;
        EAGLE_TRY(fill_up(&l, small));
        if (job->rank == 0) CHECK(umount(small) == 0 && rmdir(small) == 0);
    }
    return EAGLE_OK;
}

/* --- the test ------------------------------------------------------------------------------------------------- */

static eagle_status check_layouts(const layout *list, int n, const char *dir)
{
    for (int i = 0; i < n; i++) {
        EAGLE_TRY(write_once(job, &list[i], dir));
        if (job->rank != 0) continue;
        check_frame(dir, &list[i], 1);
        check_same_bytes(dir, &list[i]);
    }
    return EAGLE_OK;
}

/* Of a run that failed on one rank no rank makes a frame. */
static eagle_status check_failed_run(const char *dir)
{
    const layout *l = &layouts[0];
    eg_frames    *f = NULL;
    part          p;

    EAGLE_TRY(make_part(job, l, &p));
    EAGLE_TRY(open_frames(job, l, &p, dir, &f));
    const bool            here = job->rank == job->ranks - 1;
    const eagle_host_call call = { .n = FIELDS, .data = p.data, .now = { .step = 77 },
                                   .status = here ? EAGLE_ERR_CALLBACK : EAGLE_OK };
    char                  path[PATH], words[64];

    CHECK(eg_frames_write(&call, f) == EAGLE_ERR_CALLBACK);
    snprintf(words, sizeof words, "[rank %d] failed, and this rank with it", job->ranks - 1);
    CHECK_TEXT(eagle_last_error()->what, words);
    name_frame(dir, l->name, 77, ".", ".tmp", path);
    CHECK(access(path, F_OK) != 0);
    name_frame(dir, l->name, 77, "", "", path);
    CHECK(access(path, F_OK) != 0);
    free_part(&p);
    return eg_frames_close(f);
}

static eagle_status check_limits(const char *dir)
{
    layout l = large;
    char   name[32];

    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "limit%d", i);
        l.name = name;
        l.through_root = i % 3 == 1;
        l.compress = i % 3 == 2 ? 4 : 0;
        EAGLE_TRY(check_limit(&l, dir, i >= 3));
    }
    return EAGLE_OK;
}

static eagle_status run_all(const char *dir)
{
    EAGLE_TRY(check_layouts(layouts, EG_COUNT(layouts), dir));
    EAGLE_TRY(check_layouts(large_layouts, EG_COUNT(large_layouts), dir));
    EAGLE_TRY(check_failed_run(dir));
    EAGLE_TRY(check_limits(dir));
    return check_small_disk(dir);
}

static eagle_status leave(const char *dir)
{
    for (int i = 0; i < EG_COUNT(layouts); i++) {
        const layout *l = &layouts[i];
        eg_frames    *f = NULL;
        part          p;
        EAGLE_TRY(make_part(job, l, &p));
        EAGLE_TRY(open_frames(job, l, &p, dir, &f));
        EAGLE_TRY(write_step(f, l, &p, 1));
        EAGLE_TRY(write_step(f, l, &p, 2));
        free_part(&p);
        EAGLE_TRY(eg_frames_close(f));
    }
    return EAGLE_OK;
}

static void remove_folder(const char *dir)
{
    char command[PATH];

    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    CHECK(system(command) == 0);
}

static eagle_status run_in_temporary_folder(void)
{
    char         dir[] = "/tmp/eagle-frames-XXXXXX";
    eagle_status status;

    if (job->rank == 0) CHECK(mkdtemp(dir) != NULL);
    EAGLE_TRY(eg_broadcast(job, EG_CONTROL, dir, sizeof dir, 0));
    status = run_all(dir);
    if (job->rank == 0) remove_folder(dir);
    return status;
}

int main(int argc, char **argv)
{
    const eagle_options options = { .backend = "host" };
    const MPI_Comm      self = MPI_COMM_SELF;

    signal(SIGXFSZ, SIG_IGN);
    alarm(100); /* a rank that waits for ever is a failure */
    if (eagle_init(&argc, &argv, &options, &ctx) != EAGLE_OK) return eagle_finalize(NULL, EAGLE_ERR_ENVIRONMENT);
    job = eg_job_of(ctx);
    eagle_status status = eg_job_open(NULL, NULL, &self, &solo);
    if (status == EAGLE_OK) solo->ctx = ctx;
    if (status == EAGLE_OK) status = argc > 1 ? leave(argv[1]) : run_in_temporary_folder();
    if (solo != NULL) eg_job_close(solo);
    const int result = eagle_finalize(ctx, status);
    return result != 0 ? result : check_end();
}
