/* stop.h - what asks a run for a checkpoint, or to end with one: signals, and the end of --walltime. */
#ifndef EG_STOP_H
#define EG_STOP_H

#include "run/run.h"

enum { EG_ASKED_CHECKPOINT = 1, EG_ASKED_STOP = 2, EG_ASKED_IN_TIME = 4 };

/* SIGUSR1 and SIGUSR2 no longer end the process, but wait to be taken. Before any thread is started, so that all of them
 * heed it. */
void eg_stop_hold_signals(void);

/* What all ranks together were asked for since the last call: a signal to any of them counts. Collective. */
eagle_status eg_stop_asked(eagle_run *run, unsigned *asked);

/* "H:MM:SS", or a number with s (or nothing), min, h or d. false: it is none, or not above 0. */
bool eg_stop_parse_walltime(const char *text, double *seconds);

#endif
