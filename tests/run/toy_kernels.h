/* toy_kernels.h - a quantity that decays in every cell and mixes along x and y. */
#include <eagle/kernel.h>

typedef struct toy_rates {
    double  decay, mixing;              /* 1/s */
    int64_t break_step, break_x, break_y; /* where and when a value that is not finite comes up; -1: never */
    bool    far;                          /* reads farther than it declares */
} toy_rates;

typedef struct toy_value {
    double v;
} toy_value;

#define toy_step_planes(P)  P(in, real, u, EAGLE_STAR(1)) P(out, real, v, 0)
#define toy_held_planes(P)  P(exclusive, real, u, 0)
#define toy_most_planes(P)  P(in, real, u, 0)
#define toy_total_planes(P) P(in, real, u, 0)
EAGLE_DECLARE(toy_step, toy_rates);
EAGLE_DECLARE(toy_held, toy_value);
EAGLE_DECLARE(toy_most, eagle_none);
EAGLE_DECLARE(toy_total, eagle_none);
