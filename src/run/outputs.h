/* outputs.h - [output.NAME]: which fields go to frames, which part of them, and when. [output] alone is the output
 * `fields`, which is also there when the input names none. A frame holds the state at the start of its step. */
#ifndef EG_OUTPUTS_H
#define EG_OUTPUTS_H

#include "run/run.h"
#include "run/schedule.h"

typedef struct eg_outputs eg_outputs;

/* Reads the sections and makes planes, events and files' tables. What is wrong with them is complained of in the run's
 * config, and is EAGLE_ERR_CONFIG. Collective. */
eagle_status eg_outputs_open(eagle_run *run, eg_outputs **out);

/* Only reads them, for --check: complains of what is wrong. Local. */
eagle_status eg_outputs_check(eagle_run *run);

/* Adds two groups for each output, before the application's step: derived fields and snapshots; copies to the host and the
 * write, beside the steps that follow. What takes a snapshot stands before all that reads one (snapshot.h). */
void eg_outputs_add_snapshots(eg_outputs *o, eagle_graph *g);
void eg_outputs_add_writes(eg_outputs *o, eagle_graph *g);

/* The first step at or after `step` at which an output is due; EG_NEVER if there is none. */
int64_t eg_outputs_next(const eg_outputs *o, int64_t step, double dt_s);

/* Raises the events of what is due at `step`, for the last replay of the next launch; those of all others. Returns how
 * many. */
int eg_outputs_raise(const eg_outputs *o, eagle_graph *g, int64_t step, double dt_s);
int eg_outputs_raise_rest(const eg_outputs *o, eagle_graph *g, int64_t step, double dt_s);

/* Where dt varies: raises what is due at this step and time, true if anything is; the next time that an interval asks for,
 * INFINITY if none does. */
bool   eg_outputs_raise_at(const eg_outputs *o, eagle_graph *g, int64_t step, double t_s);
double eg_outputs_time_after(const eg_outputs *o, double t_s);

/* Of all outputs: bytes written, seconds spent writing, frames. */
void         eg_outputs_figures(const eg_outputs *o, int64_t *bytes, double *seconds, int64_t *frames);
eagle_status eg_outputs_close(eg_outputs *o); /* collective; NULL does nothing */

#endif
