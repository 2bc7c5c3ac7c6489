/* access_kernels.h - kernels that touch more than they declare, and some that do not. */
#include <eagle/kernel.h>

#define too_far_planes(P)      P(in, real, u, EAGLE_STAR(1)) P(out, real, v, 0)
#define corner_planes(P)       P(in, real, u, EAGLE_STAR(1)) P(out, real, v, 0)
#define now_and_then_planes(P) P(in, real, u, 0) P(out, real, v, 0)
#define adds_planes(P)         P(in, real, u, 0) P(out, real, v, 0)
#define spills_planes(P)       P(in, real, u, 0) P(out, real, v, 0)
#define spoils_planes(P)       P(in, real, u, 0) P(out, real, v, 0)
#define far_sum_planes(P)      P(in, real, u, 1)
#define far_index_planes(P)    P(in, int32_t, index, 0) P(table, real, u, 0) P(out, real, v, 0)
#define component_planes(P)    P(in, real, w, 0) P(out, real, v, 0)
#define honest_planes(P)       P(in, real, u, 1) P(inout, real, v, 0)
#define masked_planes(P)       P(in, real, u, 0) P(out, real, v, 0)
#define gathers_planes(P)      P(in, int32_t, index, 0) P(table, real, u, 0) P(exclusive, real, v, 0) P(any, uint32_t, count, 0)
#define honest_sum_planes(P)   P(in, real, u, EAGLE_STAR(2))
EAGLE_DECLARE(too_far, eagle_none);
EAGLE_DECLARE(corner, eagle_none);
EAGLE_DECLARE(now_and_then, eagle_none);
EAGLE_DECLARE(adds, eagle_none);
EAGLE_DECLARE(spills, eagle_none);
EAGLE_DECLARE(spoils, eagle_none);
EAGLE_DECLARE(far_sum, eagle_none);
EAGLE_DECLARE(far_index, eagle_none);
EAGLE_DECLARE(component, eagle_none);
EAGLE_DECLARE(honest, eagle_none);
EAGLE_DECLARE(masked, eagle_none);
EAGLE_DECLARE(gathers, eagle_none);
EAGLE_DECLARE(honest_sum, eagle_none);
