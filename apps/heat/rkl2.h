/* rkl2.h - the coefficients of the super-time-stepping scheme RKL2. */
#ifndef RKL2_H
#define RKL2_H

#include "state.h"

/* Fills r for s stages, odd, 3 to MAX_STAGES. `m` goes along into every stage, for the uniform kernels. */
void rkl2_make(int s, medium m, rkl2 *r);

/* How many explicit steps one step may be long. */
double rkl2_length(int s);

/* What a step makes of a mode whose rate is z / dt, z <= 0: the closed form of the scheme, for tests. */
double rkl2_growth_of_mode(int s, double z);

#endif
