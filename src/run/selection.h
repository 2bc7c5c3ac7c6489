/* selection.h - fields named by the words of a key: fields = T u.max. */
#ifndef EG_SELECTION_H
#define EG_SELECTION_H

#include "run/run.h"

enum { EG_LABEL_MAX = 160 };

/* The next word of a list, separated by blanks or commas. false: there is none, or it is longer than the buffer. */
bool eg_selection_word(const char **text, char *word, size_t bytes);

/* The position of a field that the run has made, -1 if there is none of that name. */
int eg_selection_field(const eagle_run *run, const char *name);

/* Complains of a word that names no field (nor, where those are taken, a derived one). */
void eg_selection_complain(eagle_run *run, const char *section, const char *word, bool derived);

/* Part of the state: in frames, and with statistics, unless the input says otherwise. */
bool eg_selection_is_state(const eg_run_field *f);
/* Its statistics can be had: float or double. */
bool eg_selection_has_statistics(const eg_run_field *f);

/* One component of a field, as a plane over the cells. */
eagle_plane eg_selection_component(eagle_plane field, int components, int k);

/* "T", "u_x" (as many components as there are axes, or fewer) or "f_12". */
void eg_selection_label(const eagle_run *run, const eg_run_field *f, int k, char label[EG_LABEL_MAX]);

#endif
