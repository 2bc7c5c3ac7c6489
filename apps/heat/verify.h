/* verify.h - known answers. */
#ifndef VERIFY_H
#define VERIFY_H

#include "state.h"

extern const eagle_case verify_cases[]; /* for --verify */

/* Compares the fields after the last step with the answer of verify.case. */
eagle_status verify_run(eagle_run *run, void *state);

#endif
