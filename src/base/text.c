/* text.c - decides which known word was meant by a mistyped one; and the monotonic clock. */
#include "base/base.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

enum { WORD_MAX = 64 }; /* longer words have no neighbours */

static int lower(char c) { return tolower((unsigned char)c); }

static int least(int a, int b, int c)
{
    const int ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Damerau-Levenshtein: insertions, deletions, replacements and exchanges of two neighbours, whatever the case. Three
 * rows suffice: an exchange looks two rows back. */
static int distance(const char *a, const char *b)
{
    const int na = (int)strlen(a), nb = (int)strlen(b);
    int       rows[3][WORD_MAX + 1];

    for (int j = 0; j <= nb; j++) rows[0][j] = j;
    for (int i = 1; i <= na; i++) {
        const int *before = rows[(i + 2) % 3], *two_before = rows[(i + 1) % 3];
        int       *row = rows[i % 3];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            const bool exchanged = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                                   lower(a[i - 2]) == lower(b[j - 1]);
            row[j] = least(before[j] + 1, row[j - 1] + 1, before[j - 1] + !same);
            if (exchanged) row[j] = least(row[j], two_before[j - 2] + 1, row[j]);
        }
    }
    return rows[na % 3][nb];
}

/* The first known word that begins with a word of three letters or more. */
static const char *complete(const char *word, const char *const *known, int n)
{
    const size_t length = strlen(word);

    for (int i = 0; length >= 3 && i < n; i++) {
        if (strncasecmp(known[i], word, length) == 0) return known[i];
    }
    return NULL;
}

const char *eg_nearest(const char *word, const char *const *known, int n)
{
    const size_t length = strlen(word);
    const int    near = ((int)length + 2) / 3; /* a third of the letters may be wrong */
    const char  *best = NULL;
    int          best_distance = near + 1;

    if (length == 0 || length > WORD_MAX) return NULL;
    for (int i = 0; i < n; i++) {
        const size_t known_length = strlen(known[i]);
        const int    d = known_length <= WORD_MAX ? distance(word, known[i]) : WORD_MAX;
        const bool   shares_a_letter = d < (int)(length > known_length ? length : known_length);
        if (d >= best_distance || !shares_a_letter) continue;
        best = known[i];
        best_distance = d;
    }
    return best != NULL ? best : complete(word, known, n);
}

double eg_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
