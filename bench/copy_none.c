/* copy_none.c - in a build without CUDA. */
#include "bench.h"

eagle_status bench_copy_device(void *to, const void *from, size_t bytes, int n)
{
    (void)to, (void)from, (void)bytes, (void)n;
    return eagle_fail(EAGLE_ERR_ENVIRONMENT, "build with EAGLE_WITH_CUDA=ON", "this build has no CUDA");
}
