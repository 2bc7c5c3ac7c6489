/* history.h - history.txt: one row of numbers for each step that is due, in columns with units.
 *
 * A row holds the state at the start of its step. A column of eagle_record holds the value that was recorded last
 * before that step, nan before the first. A restarted run in its own directory goes on behind the rows before its step. */
#ifndef EG_HISTORY_H
#define EG_HISTORY_H

#include "run/run.h"
#include "run/schedule.h"

typedef struct eg_history eg_history;

/* Reads [history] and [probe.NAME] and makes the planes that values go through; history.txt is made on rank 0. What is
 * wrong with the input is complained of in the run's config, and is EAGLE_ERR_CONFIG. Collective. */
eagle_status eg_history_open(eagle_run *run, eg_history **out);

/* Only reads them, for --check: complains of what is wrong. Local. */
eagle_status eg_history_check(eagle_run *run);

/* Adds the statistics, the probes and the row to a graph, before the application's step. */
void eg_history_add(eg_history *h, eagle_graph *g);

/* The hook of eagle_record (eg_hooks.record); state: eg_history. */
void eg_history_record(eagle_graph *g, void *history, const char *column, const char *unit, eagle_plane value,
                       eagle_here here);

/* The first step at or after `step` at which a row is due. Raise: that row, in the last replay of the next launch. */
int64_t eg_history_next(const eg_history *h, int64_t step, double dt_s);
void    eg_history_raise(const eg_history *h, eagle_graph *g);

/* Where dt varies, as those of the outputs. */
bool   eg_history_raise_at(const eg_history *h, eagle_graph *g, int64_t step, double t_s);
double eg_history_time_after(const eg_history *h, double t_s);

/* The values that wait for their row, one f64 each: those of eagle_record keep theirs from step to step. */
eagle_plane eg_history_slots(const eg_history *h);

const char  *eg_history_path(const eg_history *h);
eagle_status eg_history_close(eg_history *h); /* the file is complete when this is EAGLE_OK; NULL does nothing */

/* One name of the header: "T_max[K]"; blanks in it would shift the columns and become '_' and '.'. */
enum { EG_COLUMN_MAX = 256 };
void eg_history_title(const char *name, const char *unit, char title[EG_COLUMN_MAX]);

#endif
