/* eagle/detail/common.h - how EAGLE_KERNEL makes functions of a body; nothing here is for kernel authors.
 *
 * A body becomes a function of one cell, NAME_point. The host form (host.h) calls it in loops over a box, the device
 * form (device.h) in threads. The compiler inlines it into both, so that what does not vary leaves the loop. */
#ifndef EAGLE_DETAIL_COMMON_H
#define EAGLE_DETAIL_COMMON_H

#if defined(__CUDACC__)
#define EG_BOTH_ static __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define EG_BOTH_ static inline __attribute__((unused))
#else
#define EG_BOTH_ static inline
#endif

#ifdef __cplusplus
#define EG_EXTERN_C_ extern "C"
#define EG_RESTRICT_ __restrict__
#else
#define EG_EXTERN_C_ extern
#define EG_RESTRICT_ restrict
#endif

#define EG_CAT2_(a, b) a##b
#define EG_CAT_(a, b)  EG_CAT2_(a, b)
#define EG_UNUSED_     __attribute__((unused))
#define EG_TEXT2_(a)   #a
#define EG_TEXT_(a)    EG_TEXT2_(a)

/* The linker's name of a kernel says what to do when it is not found: "undefined reference to
 * `react_f64_is_missing_from_eagle_add_kernels'". */
#define EG_LINKED_AS_(kernel) __asm__(kernel "_is_missing_from_eagle_add_kernels")

#include "eagle/detail/clock.h"
#include "eagle/detail/reduce.h"

#ifdef EAGLE_REAL

/* The list of planes, unrolled: as members, as a count, as text, as arguments, and as what is passed for them. */
#define EG_POINTER_(access, type, name, reach) void *name;
#define EG_ONE_(access, type, name, reach)     +1
#define EG_SLOT_(access, type, name, reach)    { #access, #type, #name, reach },
#define EG_ARG_(access, type, name, reach)     EG_ARG_##access(type, name)
#define EG_ARG_in(type, name)                  const type *EG_RESTRICT_ name EG_UNUSED_,
#define EG_ARG_out(type, name)                 type *EG_RESTRICT_ name EG_UNUSED_,
#define EG_ARG_inout(type, name)               type *EG_RESTRICT_ name EG_UNUSED_,
#define EG_ARG_exclusive(type, name)           type *EG_RESTRICT_ name EG_UNUSED_,
#define EG_ARG_table(type, name)               const type *EG_RESTRICT_ name EG_UNUSED_,
#define EG_ARG_any(type, name)                 type *name EG_UNUSED_,
#define EG_PASS_(access, type, name, reach)    EG_PASS_##access(type, name)
#define EG_PASS_in(type, name)                 (const type *)a.name + c,
#define EG_PASS_out(type, name)                (type *)a.name + c,
#define EG_PASS_inout(type, name)              (type *)a.name + c,
#define EG_PASS_exclusive(type, name)          (type *)a.name + c,
#define EG_PASS_table(type, name)              (const type *)a.name,
#define EG_PASS_any(type, name)                (type *)a.name,

/* Where cell (x, y, z) of this rank is, as a kernel sees it. */
EG_BOTH_ eagle_at eagle_cell(const eagle_grid *g, const eagle_box *b, int64_t x, int64_t y, int64_t z)
{
    eagle_at at = { x + g->offset[0], y + g->offset[1], z + g->offset[2], 0, 0, g };

    if (b->edge) {
        const int64_t index = b->axis == 0 ? x : b->axis == 1 ? y : z;
        at.inward = b->side == 0 ? (ptrdiff_t)g->pitch[b->axis] : -(ptrdiff_t)g->pitch[b->axis];
        at.depth = (int)(b->side == 0 ? -index : index - g->local[b->axis] + 1);
    }
    return at;
}

#define EG_POINT_ARGS_                                                                                                \
    const ptrdiff_t X EG_UNUSED_, const ptrdiff_t Y EG_UNUSED_, const ptrdiff_t Z EG_UNUSED_,                         \
        const ptrdiff_t C EG_UNUSED_, const eagle_at at EG_UNUSED_, const eagle_clock now EG_UNUSED_

/* The call of the point function for local cell (x, y, z). */
#define EG_CALL_POINT_(K, L) EG_CAT_(K, _point)(L(EG_PASS_) 1, g.pitch[1], g.pitch[2], g.pitch[3], at, now, &p)

/* What a tuned form is given beside its planes. */
#define EG_TUNED_ARGS_(P)                                                                                             \
    const ptrdiff_t X EG_UNUSED_, const ptrdiff_t Y EG_UNUSED_, const ptrdiff_t Z EG_UNUSED_,                         \
        const ptrdiff_t C EG_UNUSED_, const eagle_grid *grid EG_UNUSED_, const eagle_box *box,                        \
        const eagle_clock now EG_UNUSED_, const P *p EG_UNUSED_

/* Is there a tuned form? Where there is, EagleKernels.cmake defines EG_TUNED_HOST_react, or EG_TUNED_DEVICE_react, as
 * `0,`, which makes `yes` the second of the arguments. */
#define EG_SECOND_(a, b, ...)              b
#define EG_CHOOSE_(...)                    EG_SECOND_(__VA_ARGS__)
#define EG_IF_TUNED_HOST_(NAME, yes, no)   EG_CHOOSE_(EG_TUNED_HOST_##NAME yes, no, 0)
#define EG_IF_TUNED_DEVICE_(NAME, yes, no) EG_CHOOSE_(EG_TUNED_DEVICE_##NAME yes, no, 0)
#ifdef __cplusplus
#define EG_ASSERT_ static_assert
#else
#define EG_ASSERT_ _Static_assert
#endif

#if defined(__CUDACC__)
#include "eagle/detail/device.h"
#else
#include "eagle/detail/host.h"
#endif

#define EG_DEFINE_(NAME, K, P, RESULT, FORM, REDUCES)                                                                 \
    EG_FN_ RESULT EG_CAT_(K, _point)(NAME##_planes(EG_ARG_) EG_POINT_ARGS_, const P *p EG_UNUSED_);                   \
    struct EG_CAT_(K, _pointers) {                                                                                    \
        NAME##_planes(EG_POINTER_)                                                                                    \
    };                                                                                                                \
    EG_CAT_(EG_ENTRY_, FORM)(K, P, NAME##_planes, REDUCES)                                                            \
    EG_DESCRIBE_(NAME, K, P, NAME##_planes, REDUCES)                                                                  \
    EG_FN_ RESULT EG_CAT_(K, _point)(NAME##_planes(EG_ARG_) EG_POINT_ARGS_, const P *p EG_UNUSED_)

#endif
#endif
