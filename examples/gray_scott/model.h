/* model.h - what the program and its kernels share: the parameters, and which planes each kernel touches. */
#ifndef MODEL_H
#define MODEL_H

#include <eagle/kernel.h>

typedef struct model {
    double Du, Dv;      /* m2/s, diffusivities */
    double feed, decay; /* 1/s */
} model;

/*                           how    type  name   how far from its cell it is read */
#define react_planes(P)     P(in,  real, u,     EAGLE_STAR(1)) P(in,  real, v,     EAGLE_STAR(1)) \
                            P(out, real, u_new, 0)             P(out, real, v_new, 0)
#define imbalance_planes(P) P(in,  real, u,     0)             P(in,  real, v,     0)             \
                            P(in,  real, u_new, 0)             P(in,  real, v_new, 0)
EAGLE_DECLARE(react, model);
EAGLE_DECLARE(imbalance, model);

#endif
