/* eagle/detail/atomic.h - integer atomics for planes of access `any`. They return nothing: what a location held before
 * depends on the order of the cells, what it holds after all of them does not. */
#ifndef EAGLE_DETAIL_ATOMIC_H
#define EAGLE_DETAIL_ATOMIC_H

#if defined(__CUDA_ARCH__)
#define EG_ATOMIC_ADD_(type, word)                                                                                    \
    EG_BOTH_ void EG_CAT_(eg_add_, type)(type * to, type by) { atomicAdd((unsigned word *)to, (unsigned word)by); }
#define EG_ATOMIC_EXTREME_(type, word, cuda, name, keeps)                                                             \
    EG_BOTH_ void EG_CAT_(name, type)(type * to, type value) { cuda((word *)to, (word)value); }
#else
#define EG_ATOMIC_ADD_(type, word)                                                                                    \
    EG_BOTH_ void EG_CAT_(eg_add_, type)(type * to, type by) { __atomic_fetch_add(to, by, __ATOMIC_RELAXED); }
#define EG_ATOMIC_EXTREME_(type, word, cuda, name, keeps)                                                             \
    EG_BOTH_ void EG_CAT_(name, type)(type * to, type value)                                                          \
    {                                                                                                                 \
        type held = __atomic_load_n(to, __ATOMIC_RELAXED);                                                            \
        while (!(held keeps value) &&                                                                                 \
               !__atomic_compare_exchange_n(to, &held, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {            \
        }                                                                                                             \
    }
#endif

/* X(type, the device's word of that size, without and with its sign) */
#define EG_ATOMIC_TYPES_(X) X(int32_t, int, int) X(uint32_t, int, unsigned int) X(int64_t, long long, long long)
#define EG_ATOMICS_(type, word, signed_word)                                                                          \
    EG_ATOMIC_ADD_(type, word)                                                                                        \
    EG_ATOMIC_EXTREME_(type, signed_word, atomicMin, eg_min_, <=)                                                     \
    EG_ATOMIC_EXTREME_(type, signed_word, atomicMax, eg_max_, >=)
EG_ATOMIC_TYPES_(EG_ATOMICS_)

#ifdef __cplusplus
#define EG_ATOMIC_NAMES_(type, word, signed_word)                                                                     \
    EG_BOTH_ void eagle_atomic_add(type *to, type by) { EG_CAT_(eg_add_, type)(to, by); }                             \
    EG_BOTH_ void eagle_atomic_min(type *to, type value) { EG_CAT_(eg_min_, type)(to, value); }                       \
    EG_BOTH_ void eagle_atomic_max(type *to, type value) { EG_CAT_(eg_max_, type)(to, value); }
EG_ATOMIC_TYPES_(EG_ATOMIC_NAMES_)
#else
#define EG_ATOMIC_PICK_(name, to)                                                                                     \
    _Generic((to), int32_t *: EG_CAT_(name, int32_t), uint32_t *: EG_CAT_(name, uint32_t),                            \
             int64_t *: EG_CAT_(name, int64_t))
#define eagle_atomic_add(to, by)    EG_ATOMIC_PICK_(eg_add_, to)((to), (by))
#define eagle_atomic_min(to, value) EG_ATOMIC_PICK_(eg_min_, to)((to), (value))
#define eagle_atomic_max(to, value) EG_ATOMIC_PICK_(eg_max_, to)((to), (value))
#endif

#endif
