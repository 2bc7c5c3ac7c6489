/* log.c - decides what a log line looks like: whole, flushed, from rank 0. Sentences go to standard output, warnings to
 * standard error. One write a line, so that lines of several threads or ranks do not mix. */
#include "base/base.h"

#include <stdatomic.h>

static atomic_int log_rank;

void eg_log_rank(int rank) { atomic_store(&log_rank, rank); }

bool eg_log_speaks(void) { return atomic_load(&log_rank) == 0; }

static void write_whole(FILE *to, const char *text)
{
    fputs(text, to);
    fflush(to);
}

void eg_info(const char *fmt, ...)
{
    char    words[2048], line[2056];
    va_list args;

    if (atomic_load(&log_rank) != 0) return;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    snprintf(line, sizeof line, "%s\n", words);
    write_whole(stdout, line);
}

void eg_warn(const char *fix, const char *fmt, ...)
{
    char       words[2048], line[4096];
    va_list    args;
    const bool has_fix = fix != NULL && fix[0] != '\0';

    if (atomic_load(&log_rank) != 0) return;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    snprintf(line, sizeof line, "warning: %s\n%s%.1900s%s", words, has_fix ? "  fix: " : "", has_fix ? fix : "",
             has_fix ? "\n" : "");
    write_whole(stderr, line);
}
