/* memory.c - decides where eagle's own blocks come from: the C library, zeroed, sizes checked, every block counted. */
#include "base/base.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int64_t made, living;

int64_t eg_alloc_count(void) { return atomic_load(&made); }

int64_t eg_alloc_living(void) { return atomic_load(&living); }

static void *out_of_memory(size_t n, size_t bytes)
{
    eg_fail(EAGLE_ERR_MEMORY, EG_NOWHERE, "make the problem smaller or use a machine with more memory",
            "no memory for %zu items of %zu bytes", n, bytes);
    return NULL;
}

void *eg_alloc(size_t n, size_t bytes)
{
    void *block;

    if (bytes != 0 && n > PTRDIFF_MAX / bytes) return out_of_memory(n, bytes);
    block = n == 0 || bytes == 0 ? calloc(1, 1) : calloc(n, bytes); /* never zero bytes: NULL means one thing */
    if (block == NULL) return out_of_memory(n, bytes);
    atomic_fetch_add(&made, 1);
    atomic_fetch_add(&living, 1);
    return block;
}

void eg_free(void *p)
{
    if (p == NULL) return;
    atomic_fetch_sub(&living, 1);
    free(p);
}

/* Doubles, so that appending one by one stays linear. What is new is zero. */
void *eg_grow(void *old, size_t *capacity, size_t n, size_t bytes)
{
    size_t room = *capacity < 8 ? 8 : *capacity;
    void  *grown;

    if (old != NULL && n <= *capacity) return old;
    while (room < n && room <= SIZE_MAX / 2) room *= 2;
    if (room < n) return out_of_memory(n, bytes);
    grown = eg_alloc(room, bytes);
    if (grown == NULL) return NULL;
    if (old != NULL) memcpy(grown, old, *capacity * bytes);
    eg_free(old);
    *capacity = room;
    return grown;
}

char *eg_copy_text(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char        *copy = eg_alloc(bytes, 1);

    if (copy != NULL) memcpy(copy, text, bytes);
    return copy;
}

char *eg_format_text(const char *fmt, ...)
{
    va_list args, again;
    char   *out = NULL;
    int     length;

    va_start(args, fmt);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, fmt, args);
    if (length >= 0) out = eg_alloc((size_t)length + 1, 1);
    if (out != NULL) vsnprintf(out, (size_t)length + 1, fmt, again);
    va_end(again);
    va_end(args);
    return out;
}
