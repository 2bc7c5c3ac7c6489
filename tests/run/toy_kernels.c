#include "toy_kernels.h"

EAGLE_KERNEL(toy_step, toy_rates)
{
    const real mixed = (real)(now.dt * p->mixing) * (u[-X] + u[p->far ? 2 * X : X] + u[-Y] + u[Y] - 4 * u[0]);
    const real sound = u[0] - (real)(now.dt * p->decay) * u[0] + mixed;

    v[0] = now.step == p->break_step && at.i == p->break_x && at.j == p->break_y ? (real)NAN : sound;
}

EAGLE_KERNEL(toy_held, toy_value) { u[0] = (real)p->v; }

EAGLE_MAX_KERNEL(toy_most, eagle_none) { return u[0]; }

EAGLE_SUM_KERNEL(toy_total, eagle_none) { return u[0]; }
