/* energy.h - the balance of a step: what it stored against what edges and sources gave. */
#ifndef ENERGY_H
#define ENERGY_H

#include "state.h"

/* Which sides to measure, which parts have power; makes the one-element planes. */
eagle_status energy_set_up(eagle_run *run, heat *a);
void         energy_free(energy *e);

/* What does not change: the power of all sources, and what is stored before the first step. */
eagle_status energy_start(eagle_run *run, heat *a);

/* What is stored in a field of temperatures [J], into a one-element plane. */
void energy_add_content(eagle_graph *g, const heat *a, eagle_plane T, eagle_plane into);

/* Adds the sums over all cells and ranks: T are the temperatures before the step, T_new those after it, and `flow`
 * those at which heat crossed the edges during the step, with its ghost cells filled. */
void energy_measure(eagle_graph *g, heat *a, eagle_plane T, eagle_plane T_new, eagle_plane flow);

/* The planes that energy_measure fills, and those that energy_check makes of them. */
eagle_plane_list energy_measured(heat *a);
eagle_plane_list energy_judged(heat *a);

/* A host function: fails when a step stored more or less than it was given. state: heat. */
eagle_status energy_check(const eagle_host_call *call, void *state);

/* Puts all of it into the history. */
void energy_record(eagle_graph *g, heat *a);

#endif
