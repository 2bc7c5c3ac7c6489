/* table.c - history.txt: a first line "#step time[s] ..." with the names, then a row of numbers a line. */
#include "tools/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n";

static eagle_status unreadable(const char *path, const char *what)
{
    return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "give a run whose history.txt is as eagle wrote it", "'%s' %s", path,
                   what);
}

static eagle_status take_names(const char *path, char *line, eg_table *t)
{
    size_t capacity = 0;
    char  *rest = NULL;

    if (line[0] != '#') return unreadable(path, "does not begin with the names of its columns");
    for (char *word = strtok_r(line + 1, blanks, &rest); word != NULL; word = strtok_r(NULL, blanks, &rest)) {
        char **grown = eg_grow(t->names, &capacity, t->n_columns + 1, sizeof *t->names);
        if (grown == NULL) return EAGLE_ERR_MEMORY;
        t->names = grown;
        t->names[t->n_columns] = eg_copy_text(word);
        if (t->names[t->n_columns++] == NULL) return EAGLE_ERR_MEMORY;
    }
    return t->n_columns > 0 ? EAGLE_OK : unreadable(path, "has no columns");
}

/* A line without words is no row. */
static eagle_status take_row(const char *path, char *line, eg_table *t, size_t *capacity)
{
    char  *rest = NULL, *end = NULL, *word = strtok_r(line, blanks, &rest);
    size_t column = 0;

    if (word == NULL || word[0] == '#') return EAGLE_OK;
    double *grown = eg_grow(t->values, capacity, (t->rows + 1) * t->n_columns, sizeof *t->values);
    if (grown == NULL) return EAGLE_ERR_MEMORY;
    t->values = grown;
    for (; word != NULL && column < t->n_columns; word = strtok_r(NULL, blanks, &rest)) {
        t->values[t->rows * t->n_columns + column++] = strtod(word, &end);
        if (*end != '\0') return unreadable(path, "has a word among its numbers");
    }
    if (word != NULL || column != t->n_columns)
        return unreadable(path, "has a row that is not as long as its first line");
    t->rows++;
    return EAGLE_OK;
}

static eagle_status read_lines(const char *path, FILE *in, eg_table *out)
{
    size_t       bytes = 0, capacity = 0;
    char        *line = NULL;
    eagle_status status = getline(&line, &bytes, in) < 0 ? unreadable(path, "is empty") : take_names(path, line, out);

    while (status == EAGLE_OK && getline(&line, &bytes, in) >= 0) status = take_row(path, line, out, &capacity);
    free(line); /* getline's own */
    return status == EAGLE_OK && ferror(in) ? unreadable(path, strerror(errno)) : status;
}

eagle_status eg_table_read(const char *path, eg_table *out)
{
    FILE *in = fopen(path, "r");

    *out = (eg_table){ 0 };
    if (in == NULL) return unreadable(path, strerror(errno));
    const eagle_status status = read_lines(path, in, out);
    fclose(in);
    if (status != EAGLE_OK) eg_table_free(out);
    return status;
}

void eg_table_free(eg_table *t)
{
    for (size_t i = 0; i < t->n_columns; i++) eg_free(t->names[i]);
    eg_free(t->names);
    eg_free(t->values);
    *t = (eg_table){ 0 };
}
