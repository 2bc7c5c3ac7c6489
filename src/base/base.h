/* base.h - what every file of eagle uses: errors, log, memory. The only place that makes an error is error.c. */
#ifndef EG_BASE_H
#define EG_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "eagle/error.h"

/* The only producer of errors: fills the thread's last error and returns `status`. here: the user's call that is at
 * fault, EG_NOWHERE if none is. fix: one imperative sentence that can be typed; "" if there is none. */
eagle_status eg_fail(eagle_status status, eagle_here here, const char *fix, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
#define EG_NOWHERE ((eagle_here){ NULL, 0 })

/* Copies an error into this thread's last error (one kept by a graph or a worker) and returns its status. */
eagle_status eg_fail_again(const eagle_error *error);

/* "main.c:64: error: what\n  fix: ...\n" into a buffer; always ends it with a zero. */
void eg_error_format(const eagle_error *error, char *out, size_t bytes);

/* Our own bugs only; on in every build that is not Release. */
#ifdef NDEBUG
#define eg_assert(condition) ((void)0)
#else
#define eg_assert(condition) ((condition) ? (void)0 : eg_assert_failed(#condition, __FILE__, __LINE__))
#endif
_Noreturn void eg_assert_failed(const char *condition, const char *file, int line);

/* Log lines: a sentence with selectable values; whole lines, flushed, of rank 0 only (eg_log_rank says which rank this is). */
void eg_log_rank(int rank);
bool eg_log_speaks(void); /* this is rank 0 */
void eg_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void eg_warn(const char *fix, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Memory, zeroed; NULL with an error made. Sizes are checked for overflow. */
void *eg_alloc(size_t n, size_t bytes);
void *eg_grow(void *old, size_t *capacity, size_t n, size_t bytes); /* at least n items; old is freed on success */
char *eg_copy_text(const char *text);
char *eg_format_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Counts what eagle itself allocates, on every thread: for the test that replay allocates nothing. */
int64_t eg_alloc_count(void);
int64_t eg_alloc_living(void); /* blocks not yet freed */
void    eg_free(void *p);

#define EG_COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* The nearest of the known words to one that was mistyped, NULL if none is near. */
const char *eg_nearest(const char *word, const char *const *known, int n);

double eg_seconds(void); /* monotonic */

#endif
