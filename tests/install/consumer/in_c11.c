/* in_c11.c - a graph of a copy and a host function. Called with the backend; prints nothing when the values are right. */
#include <eagle/eagle.h>

enum { N = 1000 };

static eagle_status add_up(const eagle_host_call *call, void *state)
{
    const double *u = call->data[0];

    for (int i = 0; i < N; i++) *(double *)state += u[i];
    return EAGLE_OK;
}

static eagle_status program(eagle_ctx *ctx, double *sum)
{
    double       values[N];
    eagle_plane  u, home;
    eagle_graph *g;

    for (int i = 0; i < N; i++) values[i] = i;
    EAGLE_TRY(eagle_device(ctx, "u", EAGLE_F64, EAGLE_SHAPE(N), &u));
    EAGLE_TRY(eagle_pinned(ctx, "home", EAGLE_F64, EAGLE_SHAPE(N), &home, .buffers = 2));
    EAGLE_TRY(eagle_upload(u, values));
    EAGLE_TRY(eagle_graph_create(ctx, "sum", &g));
    eagle_copy(g, u, .into = home);
    eagle_opaque(g, add_up, .reads = EAGLE_PLANES(home), .state = sum);
    EAGLE_TRY(eagle_launch(g, 3));
    if (*sum == 3.0 * N * (N - 1) / 2) return EAGLE_OK;
    return eagle_fail(EAGLE_ERR_NUMERICS, "", "the sum is %g", *sum);
}

int main(int argc, char **argv)
{
    const eagle_options options = { .backend = argc > 1 ? argv[1] : "auto" };
    eagle_ctx          *ctx = NULL;
    double              sum = 0;
    eagle_status        status = eagle_init(&argc, &argv, &options, &ctx);

    if (status == EAGLE_OK) status = program(ctx, &sum);
    return eagle_finalize(ctx, status);
}
