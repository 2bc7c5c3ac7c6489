/* table.h - reading history.txt. */
#ifndef EG_TOOLS_TABLE_H
#define EG_TOOLS_TABLE_H

#include "base/base.h"

typedef struct eg_table {
    char  **names; /* of the columns, with units: "step", "time[s]", "T_max[K]" */
    size_t  n_columns, rows;
    double *values; /* [rows][n_columns] */
} eg_table;

/* EAGLE_ERR_IO: it cannot be read, or a row has not one number for each column. */
eagle_status eg_table_read(const char *path, eg_table *out);
void         eg_table_free(eg_table *t);
#endif
