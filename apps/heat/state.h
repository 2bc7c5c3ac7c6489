/* state.h - the state of the program: what the input sets, the fields, and what is worked out before the first step. */
#ifndef STATE_H
#define STATE_H

#include "materials.h"

enum { EULER, RKL2 };                                         /* time.scheme */
enum { KERNEL_AUTO, KERNEL_GENERAL };                         /* model.kernel */
enum { CASE_NONE, CASE_SINE, CASE_WALL, CASE_BOX, CASE_ISO }; /* verify.case */
enum { MAX_STAGES = 99, SIDES = 6 };

/* RKL2 with s stages. at[j] makes stage j; weight[j]: how much of the step's heat flows at the temperatures of stage j,
 * their sum being 1; growth: what the rounding errors of all stages add up to in the last one, each being 1. */
typedef struct rkl2 {
    int    s;
    stage  at[MAX_STAGES + 1];
    double weight[MAX_STAGES], growth;
} rkl2;

/* The hottest point of a layer, box or disc with power. */
typedef struct hot_point {
    region    where;
    eagle_box box;                         /* the cells of this rank around it */
    char      column[EAGLE_NAME_MAX + 8]; /* of the history */
} hot_point;

enum { STORED, CONTENT, MAGNITUDE, FIXED_VALUES }; /* J; behind them in `measured`: heat in by side, hottest points */
enum { IMBALANCE, RESISTANCE, JUDGED_VALUES };     /* J, K/W */

/* What the check measures, and what it needs to judge: see energy.c. All planes are one value on the host. */
typedef struct energy {
    eagle_plane *measured, *in, *hottest; /* [FIXED_VALUES + n_in + n_hot]; W [n_in] and K [n_hot] of them */
    eagle_plane  judged[JUDGED_VALUES];
    int          n_in, n_hot;
    eagle_box    side[SIDES]; /* the ghost cells of this rank beyond a side, and what their faces let through */
    border       border[SIDES];
    const char  *column[SIDES];
    hot_point   *hot;
    double       share;     /* of all cells: how many lie at a side */
    double       power;     /* W, of the input */
    double       made;      /* W, by the field q */
    double       at_start;  /* J */
    double       reference; /* K, outside; NAN: none */
    double       epsilon;   /* of the precision */
} energy;

typedef struct heat {
    int       scheme, kernel, verify_case;
    int64_t   stages;
    double    tolerance; /* J; 0: from rounding */
    materials m;

    eagle_field T, k, rho_c, q;
    eagle_field inner, rate, mean; /* of RKL2: its even stages, the first rate, the mean of the stages */

    const eagle_grid *grid;
    bool              uniform;
    medium            medium; /* of the uniform kernels */
    rkl2              rkl2;
    energy            energy;
} heat;

#endif
