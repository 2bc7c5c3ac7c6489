/* kernels.c - one step of du/dt = Du lap u - u v^2 + feed (1 - u), dv/dt = Dv lap v + u v^2 - (feed + decay) v in two
 * dimensions: explicit Euler, five-point Laplacian. u is fed, and turns into v where v is; v is drained. */
#include "model.h"

EAGLE_KERNEL(react, model)
{
    const double *h = at.grid->h;
    const real    ax = (real)(1 / (h[0] * h[0])), ay = (real)(1 / (h[1] * h[1]));
    const real    lap_u = ax * (u[-X] - 2 * u[0] + u[X]) + ay * (u[-Y] - 2 * u[0] + u[Y]);
    const real    lap_v = ax * (v[-X] - 2 * v[0] + v[X]) + ay * (v[-Y] - 2 * v[0] + v[Y]);
    const real    turned = u[0] * v[0] * v[0];

    u_new[0] = u[0] + (real)now.dt * ((real)p->Du * lap_u - turned + (real)p->feed * (1 - u[0]));
    v_new[0] = v[0] + (real)now.dt * ((real)p->Dv * lap_v + turned - (real)(p->feed + p->decay) * v[0]);
}

/* What the step made of u + v beyond what was fed and drained [m2]. Its sum is zero but for rounding: what turns is
 * in both, and what diffuses out of a cell is in the next one. */
EAGLE_SUM_KERNEL(imbalance, model)
{
    const double made = ((double)u_new[0] - u[0]) + ((double)v_new[0] - v[0]);
    const double fed = now.dt * (p->feed * (1 - (double)u[0]) - (p->feed + p->decay) * v[0]);

    return (made - fed) * eagle_volume(at.grid);
}
