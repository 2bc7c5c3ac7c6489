/* eagle/detail/host.h - the host form of a kernel: loops over a box. See common.h.
 *
 * A kernel file is compiled once per precision and x86-64 level (EAGLE_LEVEL is _v1, _v3 or _v4); the baseline also
 * defines the kernel's descriptor, which names all of them. */
#ifndef EAGLE_DETAIL_HOST_H
#define EAGLE_DETAIL_HOST_H

#define EG_FN_ static inline __attribute__((always_inline))

/* Cells of a row do not depend on one another: that is what the access words of the list promise. */
#if defined(__clang__)
#define EG_INDEPENDENT_ _Pragma("clang loop vectorize(assume_safety)")
#else
#define EG_INDEPENDENT_ _Pragma("GCC ivdep")
#endif

#define EG_HOST_NAME_(K) EG_CAT_(EG_CAT_(K, _host), EAGLE_LEVEL)
#define EG_HOST_ARGS_                                                                                                 \
    const eagle_args *args, const eagle_grid *grid, const eagle_box *box, const void *params,                         \
        const eagle_clock *clock, struct eagle_partial *partial EG_UNUSED_

/* Local copies, so that the compiler knows that the loop does not change them. */
#define EG_HOST_LOCALS_(K, P)                                                                                         \
    const struct EG_CAT_(K, _pointers) a = *(const struct EG_CAT_(K, _pointers) *)(const void *)args;                 \
    const eagle_grid  g = *grid;                                                                                      \
    const eagle_box   b = *box;                                                                                       \
    const eagle_clock now = *clock;                                                                                   \
    const P           p = *(const P *)params;

#define EG_ENTRY_EACH_CELL(K, P, L, REDUCES)                                                                          \
    void EG_HOST_NAME_(K)(EG_HOST_ARGS_);                                                                             \
    void EG_HOST_NAME_(K)(EG_HOST_ARGS_)                                                                              \
    {                                                                                                                 \
        EG_HOST_LOCALS_(K, P)                                                                                         \
        for (int64_t z = b.lo[2]; z < b.hi[2]; z++)                                                                   \
            for (int64_t y = b.lo[1]; y < b.hi[1]; y++)                                                               \
                EG_INDEPENDENT_                                                                                       \
                for (int64_t x = b.lo[0]; x < b.hi[0]; x++) {                                                         \
                    const ptrdiff_t c EG_UNUSED_ = x + y * g.pitch[1] + z * g.pitch[2];                               \
                    const eagle_at  at = eagle_cell(&g, &b, x, y, z);                                                 \
                    EG_CALL_POINT_(K, L);                                                                             \
                }                                                                                                     \
    }

/* A stretch of a row is evaluated into a buffer, which is then added at once. */
#define EG_ENTRY_REDUCING(K, P, L, REDUCES)                                                                           \
    void EG_HOST_NAME_(K)(EG_HOST_ARGS_);                                                                             \
    void EG_HOST_NAME_(K)(EG_HOST_ARGS_)                                                                              \
    {                                                                                                                 \
        EG_HOST_LOCALS_(K, P)                                                                                         \
        double value[EG_REDUCE_STRETCH];                                                                              \
        for (int64_t z = b.lo[2]; z < b.hi[2]; z++)                                                                   \
            for (int64_t y = b.lo[1]; y < b.hi[1]; y++)                                                               \
                for (int64_t first = b.lo[0]; first < b.hi[0]; first += EG_REDUCE_STRETCH) {                          \
                    const int64_t left = b.hi[0] - first;                                                             \
                    const int     n = left < EG_REDUCE_STRETCH ? (int)left : EG_REDUCE_STRETCH;                       \
                    EG_INDEPENDENT_                                                                                   \
                    for (int i = 0; i < n; i++) {                                                                     \
                        const int64_t   x = first + i;                                                                \
                        const ptrdiff_t c EG_UNUSED_ = x + y * g.pitch[1] + z * g.pitch[2];                           \
                        const eagle_at  at = eagle_cell(&g, &b, x, y, z);                                             \
                        value[i] = (double)EG_CALL_POINT_(K, L);                                                      \
                    }                                                                                                 \
                    eg_partial_add(partial, REDUCES, value, n);                                                       \
                }                                                                                                     \
    }

#if defined(EAGLE_ALL_LEVELS)
#define EG_HOST_FORMS_(K) { EG_CAT_(K, _host_v1), EG_CAT_(K, _host_v3), EG_CAT_(K, _host_v4) }
#define EG_HOST_OTHERS_(K)                                                                                            \
    void EG_CAT_(K, _host_v3)(EG_HOST_ARGS_);                                                                         \
    void EG_CAT_(K, _host_v4)(EG_HOST_ARGS_);
#define EG_TUNED_FORMS_(NAME, K)                                                                                      \
    { EG_IF_TUNED_HOST_(NAME, EG_CAT_(K, _tuned_v1), NULL), EG_IF_TUNED_HOST_(NAME, EG_CAT_(K, _tuned_v3), NULL),     \
      EG_IF_TUNED_HOST_(NAME, EG_CAT_(K, _tuned_v4), NULL) }
#else
#define EG_HOST_FORMS_(K) { EG_CAT_(K, _host_v1), NULL, NULL }
#define EG_HOST_OTHERS_(K)
#define EG_TUNED_FORMS_(NAME, K) { EG_IF_TUNED_HOST_(NAME, EG_CAT_(K, _tuned_v1), NULL), NULL, NULL }
#endif

/* Of forms that are there or not; a declaration costs nothing. */
#define EG_TUNED_DECLARE_(K)                                                                                          \
    void EG_CAT_(K, _tuned_v1)(EG_HOST_ARGS_);                                                                        \
    void EG_CAT_(K, _tuned_v3)(EG_HOST_ARGS_);                                                                        \
    void EG_CAT_(K, _tuned_v4)(EG_HOST_ARGS_);                                                                        \
    const eagle_device_form *EG_CAT_(K, _tuned_device)(void);

#if defined(EAGLE_DEVICE_FORMS)
#define EG_DEVICE_DECLARE_(K) const eagle_device_form *EG_CAT_(K, _device)(void);
#define EG_DEVICE_NAME_(K)    EG_CAT_(K, _device)
#else
#define EG_DEVICE_DECLARE_(K)
#define EG_DEVICE_NAME_(K) NULL
#endif

#if defined(EAGLE_BASELINE)
#define EG_DESCRIBE_(NAME, K, P, L, REDUCES)                                                                          \
    EG_HOST_OTHERS_(K)                                                                                                \
    EG_DEVICE_DECLARE_(K)                                                                                             \
    EG_TUNED_DECLARE_(K)                                                                                              \
    EG_ASSERT_(REDUCES == EAGLE_NO_REDUCTION || (!EG_IF_TUNED_HOST_(NAME, 1, 0) && !EG_IF_TUNED_DEVICE_(NAME, 1, 0)), \
               "only an EAGLE_KERNEL may have a tuned form, " #NAME " returns a value");                              \
    static const eagle_slot EG_CAT_(K, _slots)[] = { L(EG_SLOT_) };                                                   \
    extern const eagle_kernel K EG_LINKED_AS_(EG_TEXT_(K));                                                           \
    const eagle_kernel K = { #NAME,   __FILE__, __LINE__, 0 L(EG_ONE_), EG_CAT_(K, _slots),                           \
                             sizeof(P), REDUCES, { EG_HOST_FORMS_(K), EG_DEVICE_NAME_(K) },                           \
                             { EG_TUNED_FORMS_(NAME, K), EG_IF_TUNED_DEVICE_(NAME, EG_CAT_(K, _tuned_device), NULL) } };
#else
#define EG_DESCRIBE_(NAME, K, P, L, REDUCES)
#endif

#define EG_TUNED_HOST_(NAME, K, P)                                                                                    \
    EG_FN_ void EG_CAT_(K, _tuned_body)(NAME##_planes(EG_ARG_) EG_TUNED_ARGS_(P));                                    \
    struct EG_CAT_(K, _tuned_pointers) {                                                                              \
        NAME##_planes(EG_POINTER_)                                                                                    \
    };                                                                                                                \
    void EG_CAT_(EG_CAT_(K, _tuned), EAGLE_LEVEL)(EG_HOST_ARGS_);                                                     \
    void EG_CAT_(EG_CAT_(K, _tuned), EAGLE_LEVEL)(EG_HOST_ARGS_)                                                      \
    {                                                                                                                 \
        const struct EG_CAT_(K, _tuned_pointers) a = *(const struct EG_CAT_(K, _tuned_pointers) *)(const void *)args; \
        const P         p = *(const P *)params;                                                                       \
        const ptrdiff_t c EG_UNUSED_ = 0;                                                                             \
        EG_CAT_(K, _tuned_body)(NAME##_planes(EG_PASS_) 1, grid->pitch[1], grid->pitch[2], grid->pitch[3], grid, box, \
                                *clock, &p);                                                                          \
    }                                                                                                                 \
    EG_FN_ void EG_CAT_(K, _tuned_body)(NAME##_planes(EG_ARG_) EG_TUNED_ARGS_(P))

#endif
