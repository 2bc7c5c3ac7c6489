/* history.h - history.txt: one row of numbers for each step that is due, in columns with units.
 *
 * A row holds the state at the start of its step. A column of eagle_record holds the value that was recorded last
 * before that step, nan before the first. */
#ifndef EG_HISTORY_H
#define EG_HISTORY_H

#include "eagle/app.h"
#include "run/schedule.h"

typedef struct eg_history eg_history;

/* Reads [history] and [probe.NAME] and makes the planes that values go through. Collective. */
eagle_status eg_history_open(eagle_run *run, eg_history **out);

/* Adds the statistics, the probes and the row to a graph, before the application's step. */
void eg_history_add(eg_history *h, eagle_graph *g);

/* The hook of eagle_record (eg_hooks.record); state: eg_history. */
void eg_history_record(eagle_graph *g, void *history, const char *column, const char *unit, eagle_plane value,
                       eagle_here here);

/* The step at or after `step` at which a row is due; raises its event for the last replay of the next launch. */
int64_t eg_history_next(const eg_history *h, int64_t step, double dt_s);
void    eg_history_raise(eg_history *h, eagle_graph *g);

eagle_status eg_history_close(eg_history *h); /* NULL does nothing */

#endif
