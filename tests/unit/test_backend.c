/* test_backend.c - the words for a backend that a build does not have, and for a GPU for which nothing was built. */
#include "check.h"
#include "exec/exec.h"

static void expect(eagle_status got, eagle_status status, const char *what, const char *fix)
{
    CHECK(got == status && eagle_last_error()->status == status);
    CHECK_TEXT(eagle_last_error()->what, what);
    CHECK_TEXT(eagle_last_error()->fix, fix);
}

static void test_open(void)
{
    const eagle_options options = { .backend = "vulkan" };
    eagle_ctx          *ctx = NULL;

    expect(eg_ctx_open(&options, 0, 1, 0, 1, 1, &ctx), EAGLE_ERR_CONFIG, "there is no backend 'vulkan'",
           "use auto, host or cuda");
}

int main(void)
{
    test_open();
    expect(eg_no_backend("cuda"), EAGLE_ERR_ENVIRONMENT, "this eagle was built without the cuda backend",
           "build with EAGLE_WITH_CUDA=ON where nvcc is on the PATH, or set run.backend=host");
    expect(eg_no_code_for("NVIDIA A10", 8, 6, "90, 100"), EAGLE_ERR_ENVIRONMENT,
           "this eagle has no code for 'NVIDIA A10', architecture 86; it was built for 90, 100",
           "build eagle and its applications with -DEAGLE_CUDA_ARCHITECTURES=86, or set run.backend=host");
    expect(eg_no_code_for("NVIDIA B200", 10, 0, "80, 90"), EAGLE_ERR_ENVIRONMENT,
           "this eagle has no code for 'NVIDIA B200', architecture 100; it was built for 80, 90",
           "build eagle and its applications with -DEAGLE_CUDA_ARCHITECTURES=100, or set run.backend=host");
    return check_end();
}
