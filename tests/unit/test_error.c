/* Errors keep a status, a fact, a fix and a place, once a thread. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/base.h"
#include "check.h"

static void *fail_elsewhere(void *unused)
{
    (void)unused;
    eagle_fail(EAGLE_ERR_IO, "", "of the other thread");
    return NULL;
}

static void check_what_is_kept(void)
{
    char text[256];

    CHECK(eg_fail(EAGLE_ERR_GRAPH, (eagle_here){ "main.c", 64 }, "put x before it", "'%s' is %d", "u", 3) ==
          EAGLE_ERR_GRAPH);
    CHECK(eagle_last_error()->status == EAGLE_ERR_GRAPH);
    eg_error_format(eagle_last_error(), text, sizeof text);
    CHECK_TEXT(text, "main.c:64: error: 'u' is 3\n  fix: put x before it\n");

    eg_fail(EAGLE_ERR_IO, (eagle_here){ "a.ini", 0 }, "", "no such file");
    eg_error_format(eagle_last_error(), text, sizeof text);
    CHECK_TEXT(text, "a.ini: error: no such file\n");

    eg_fail(EAGLE_ERR_IO, EG_NOWHERE, NULL, "disk full");
    eg_error_format(eagle_last_error(), text, sizeof text);
    CHECK_TEXT(text, "error: disk full\n");
    eg_error_format(eagle_last_error(), text, 8);
    CHECK_TEXT(text, "error: ");
}

static void check_threads(void)
{
    pthread_t other;

    eagle_fail(EAGLE_ERR_NUMERICS, "", "of this thread");
    CHECK(eagle_last_error()->here.line == __LINE__ - 1);
    pthread_create(&other, NULL, fail_elsewhere, NULL);
    pthread_join(other, NULL);
    CHECK_TEXT(eagle_last_error()->what, "of this thread");
}

static void check_repeats(void)
{
    const eagle_error kept = { EAGLE_ERR_CUDA, "kept", "typed", { "k.c", 1 } };
    char              longer[3000];

    CHECK(eg_fail_again(&kept) == EAGLE_ERR_CUDA);
    CHECK_TEXT(eagle_last_error()->fix, "typed");
    CHECK(eg_fail_again(eagle_last_error()) == EAGLE_ERR_CUDA);
    /* An argument may be a text of the last error. */
    eg_fail(EAGLE_ERR_IO, EG_NOWHERE, eagle_last_error()->fix, "again: %s", eagle_last_error()->what);
    CHECK_TEXT(eagle_last_error()->what, "again: kept");
    CHECK_TEXT(eagle_last_error()->fix, "typed");

    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    eg_fail(EAGLE_ERR_IO, EG_NOWHERE, longer, "%s", longer);
    CHECK(strlen(eagle_last_error()->what) == sizeof eagle_last_error()->what - 1);
    CHECK(strlen(eagle_last_error()->fix) == sizeof eagle_last_error()->fix - 1);
}

static void check_statuses(void)
{
    CHECK_TEXT(eagle_status_text(EAGLE_OK), "no error");
    CHECK_TEXT(eagle_status_text((eagle_status)-99), "an unknown error");
    CHECK(eagle_status_exit(EAGLE_OK) == 0);
    CHECK(eagle_status_exit(EAGLE_ERR_CONFIG) == 2);
    CHECK(eagle_status_exit(EAGLE_ERR_STOPPED) == 75);
    CHECK(eagle_status_exit((eagle_status)-99) == 1);
}

static void check_memory(void)
{
    const int64_t made = eg_alloc_count(), living = eg_alloc_living();
    size_t        capacity = 0;
    int          *items = eg_grow(NULL, &capacity, 3, sizeof *items);
    char         *text = eg_format_text("%s-%d", "a", 7), *copy = eg_copy_text(text);

    CHECK(capacity >= 3 && items[2] == 0);
    items[2] = 5;
    items = eg_grow(items, &capacity, 1000, sizeof *items);
    CHECK(capacity >= 1000 && items[2] == 5 && items[999] == 0);
    CHECK_TEXT(copy, "a-7");
    CHECK(eg_alloc_count() - made == 4 && eg_alloc_living() - living == 3);
    eg_free(items), eg_free(text), eg_free(copy), eg_free(NULL);
    CHECK(eg_alloc_living() == living);

    CHECK(eg_alloc(SIZE_MAX / 2, 16) == NULL);
    CHECK(eagle_last_error()->status == EAGLE_ERR_MEMORY);
    capacity = 0;
    CHECK(eg_grow(NULL, &capacity, SIZE_MAX / 2 + 2, 1) == NULL && capacity == 0);
    text = eg_alloc(0, 8);
    CHECK(text != NULL);
    eg_free(text);
}

int main(void)
{
    CHECK(eagle_last_error() != NULL && eagle_last_error()->status == EAGLE_OK);
    check_what_is_kept();
    check_threads();
    check_repeats();
    check_statuses();
    check_memory();
    return check_end();
}
