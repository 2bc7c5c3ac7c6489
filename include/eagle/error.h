/* eagle/error.h - errors: what happened, and what to type to mend it. */
#ifndef EAGLE_ERROR_H
#define EAGLE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, value, exit status of a program that ends with it, sentence) */
#define EAGLE_STATUSES(X)                                                                                             \
    X(EAGLE_OK, 0, 0, "no error")                                                                                     \
    X(EAGLE_ERR_ARGUMENT, -1, 2, "an argument is not what the call takes")                                            \
    X(EAGLE_ERR_STATE, -2, 2, "the call does not fit what was done before it")                                        \
    X(EAGLE_ERR_MEMORY, -3, 5, "not enough memory")                                                                   \
    X(EAGLE_ERR_GRAPH, -4, 2, "the graph cannot be built")                                                            \
    X(EAGLE_ERR_CALLBACK, -5, 3, "a host function failed")                                                            \
    X(EAGLE_ERR_CONFIG, -6, 2, "the input is wrong")                                                                  \
    X(EAGLE_ERR_IO, -7, 4, "a file could not be read or written")                                                     \
    X(EAGLE_ERR_MPI, -8, 5, "MPI failed")                                                                             \
    X(EAGLE_ERR_CUDA, -9, 5, "CUDA failed")                                                                           \
    X(EAGLE_ERR_NUMERICS, -10, 3, "the numbers went wrong")                                                           \
    X(EAGLE_ERR_ENVIRONMENT, -11, 5, "the machine does not have what the run asks for")                               \
    X(EAGLE_ERR_STOPPED, -12, 75, "stopped with a checkpoint, to be run again")

#define EG_STATUS_(name, value, exit_status, sentence) name = value,
typedef enum eagle_status { EAGLE_STATUSES(EG_STATUS_) EAGLE_STATUS_END_ = 1 } eagle_status;

/* The place in a program that a message speaks of; file NULL: none. */
typedef struct eagle_here {
    const char *file;
    int         line;
} eagle_here;
#ifdef __cplusplus
#define EAGLE_HERE (eagle_here{ __FILE__, __LINE__ })
#else
#define EAGLE_HERE ((eagle_here){ __FILE__, __LINE__ })
#endif

typedef struct eagle_error {
    eagle_status status;
    char         what[1024]; /* the fact, lower case, no full stop */
    char         fix[512];   /* what to type; empty: nothing can be typed */
    eagle_here   here;
} eagle_error;

/* This thread's last error. Valid until its next failing eagle call. Never NULL. */
const eagle_error *eagle_last_error(void);

/* Makes an error and returns its status: return eagle_fail(EAGLE_ERR_NUMERICS, "make time.dt smaller", "...", ...).
 * Local; never allocates, never fails. */
#define eagle_fail(status, fix, ...) eagle_fail_at(EAGLE_HERE, (status), (fix), __VA_ARGS__)
eagle_status eagle_fail_at(eagle_here here, eagle_status status, const char *fix, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The sentence of a status, and the exit status of a program that ends with it. */
const char *eagle_status_text(eagle_status status);
int         eagle_status_exit(eagle_status status);

#define EAGLE_TRY(expr)                                                                                               \
    do {                                                                                                              \
        const eagle_status eagle_s_ = (expr);                                                                         \
        if (eagle_s_ != EAGLE_OK) return eagle_s_;                                                                    \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
