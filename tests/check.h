/* check.h - the whole test harness: CHECK counts failures and says where; end main with return check_end(). */
#ifndef CHECK_H
#define CHECK_H
#include <stdio.h>
#include <string.h>

static int check_failures;

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                   \
            check_failures++;                                                                                         \
        }                                                                                                             \
    } while (0)

#define CHECK_TEXT(got, expected)                                                                                     \
    do {                                                                                                              \
        const char *got_ = (got), *expected_ = (expected);                                                            \
        if (strcmp(got_, expected_) != 0) {                                                                           \
            fprintf(stderr, "%s:%d: got:      %s\n%s:%d: expected: %s\n", __FILE__, __LINE__, got_, __FILE__,         \
                    __LINE__, expected_);                                                                             \
            check_failures++;                                                                                         \
        }                                                                                                             \
    } while (0)

static inline int check_end(void) { return check_failures == 0 ? 0 : 1; }

/* A test that cannot run here ends with this status; CTest reports it as skipped. */
enum { CHECK_SKIPPED = 77 };
#endif
