// in_cpp17.cpp - a kernel called from C++. Called with the backend; prints nothing when the values are right.
#include <eagle/eagle.h>

#include <vector>

#include "scaled.h"

static eagle_status program(eagle_ctx *ctx)
{
    std::vector<double> values(1000, 1.5);
    const eagle_shape   shape{ 1, { static_cast<int64_t>(values.size()) } };
    const factor        twice{ 2 };
    scaled_call         call{};
    eagle_graph        *g = nullptr;

    EAGLE_TRY(eagle_device(ctx, "u", EAGLE_F64, shape, &call.u));
    EAGLE_TRY(eagle_device(ctx, "v", EAGLE_F64, shape, &call.v));
    EAGLE_TRY(eagle_upload(call.u, values.data()));
    EAGLE_TRY(eagle_graph_create(ctx, "twice", &g));
    eagle_add_call(g, &scaled_f32, &scaled_f64, &call.u, &call.into, call.over, &twice, EAGLE_HERE);
    EAGLE_TRY(eagle_launch(g, 1));
    EAGLE_TRY(eagle_download(call.v, values.data()));
    for (const double v : values)
        if (v != 3.0) return eagle_fail(EAGLE_ERR_NUMERICS, "", "%g is not twice 1.5", v);
    return EAGLE_OK;
}

int main(int argc, char **argv)
{
    eagle_options options{};
    eagle_ctx    *ctx = nullptr;

    options.backend = argc > 1 ? argv[1] : "auto";
    eagle_status status = eagle_init(&argc, &argv, &options, &ctx);
    if (status == EAGLE_OK) status = program(ctx);
    return eagle_finalize(ctx, status);
}
