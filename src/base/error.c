/* error.c - decides what an error is: a status, a fact, a fix and a place, kept once a thread. The only producer of
 * errors, and the only file that ends the process. Nothing here allocates or fails. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local eagle_error last_error;

/* The texts are formatted aside first: an argument may be a text of the last error itself. */
static eagle_status keep(eagle_status status, eagle_here here, const char *fix, const char *fmt, va_list args)
{
    eagle_error error = { .status = status, .here = here };

    vsnprintf(error.what, sizeof error.what, fmt, args);
    snprintf(error.fix, sizeof error.fix, "%s", fix != NULL ? fix : "");
    last_error = error;
    return status;
}

eagle_status eg_fail(eagle_status status, eagle_here here, const char *fix, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    keep(status, here, fix, fmt, args);
    va_end(args);
    return status;
}

eagle_status eagle_fail_at(eagle_here here, eagle_status status, const char *fix, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    keep(status, here, fix, fmt, args);
    va_end(args);
    return status;
}

eagle_status eg_fail_again(const eagle_error *error)
{
    if (error != &last_error) last_error = *error;
    return error->status;
}

const eagle_error *eagle_last_error(void) { return &last_error; }

static int format_place(const eagle_here *here, char *out, size_t bytes)
{
    if (here->file == NULL) return 0;
    if (here->line <= 0) return snprintf(out, bytes, "%s: ", here->file);
    return snprintf(out, bytes, "%s:%d: ", here->file, here->line);
}

void eg_error_format(const eagle_error *error, char *out, size_t bytes)
{
    char      place[512] = "";
    const int has_fix = error->fix[0] != '\0';

    format_place(&error->here, place, sizeof place);
    snprintf(out, bytes, "%serror: %s\n%s%s%s", place, error->what, has_fix ? "  fix: " : "", error->fix,
             has_fix ? "\n" : "");
}

typedef struct status_words {
    eagle_status status;
    int          exit_status;
    const char  *sentence;
} status_words;

#define EG_STATUS_ROW_(name, value, exit_status, sentence) { name, exit_status, sentence },
static const status_words statuses[] = { EAGLE_STATUSES(EG_STATUS_ROW_) };

/* NULL: no status of ours. */
static const status_words *find_status(eagle_status status)
{
    for (int i = 0; i < EG_COUNT(statuses); i++) {
        if (statuses[i].status == status) return &statuses[i];
    }
    return NULL;
}

const char *eagle_status_text(eagle_status status)
{
    const status_words *found = find_status(status);

    return found != NULL ? found->sentence : "an unknown error";
}

int eagle_status_exit(eagle_status status)
{
    const status_words *found = find_status(status);

    return found != NULL ? found->exit_status : 1;
}

_Noreturn void eg_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: error: this is a bug in eagle: '%s' does not hold\n  fix: report it with the input\n", file,
            line, condition);
    fflush(stderr);
    abort();
}
