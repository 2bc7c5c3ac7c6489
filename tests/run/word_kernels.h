/* word_kernels.h - one kernel for each word that a list of planes may say. */
#include <eagle/kernel.h>

typedef struct table_size {
    int64_t nx, ny; /* of the table */
} table_size;

#define look_up_planes(P)  P(in, int32_t, index, 0) P(table, real, values, 0) P(out, real, v, 0)
#define look_at_planes(P)  P(table, double, map, 0) P(inout, real, v, 0)
#define turn_planes(P)     P(exclusive, real, u, 0)
#define types_planes(P)    P(in, uint8_t, a, 0) P(in, int64_t, b, 0) P(in, float, c, 0) P(out, uint32_t, d, 0) P(out, double, e, 0)
#define star_planes(P)     P(in, real, u, EAGLE_STAR(2)) P(inout, real, v, 0)
#define parts_planes(P)    P(in, real, w, 1) P(out, real, v, 0)
#define beyond_planes(P)   P(exclusive, real, u, 0)
#define found_planes(P)    P(table, int32_t, wanted, 0) P(any, uint32_t, count, 0) P(in, int32_t, index, 0)
EAGLE_DECLARE(look_up, eagle_none);
EAGLE_DECLARE(look_at, table_size);
EAGLE_DECLARE(turn, eagle_none);
EAGLE_DECLARE(types, eagle_none);
EAGLE_DECLARE(star, eagle_none);
EAGLE_DECLARE(parts, eagle_none);
EAGLE_DECLARE(beyond, eagle_none);
EAGLE_DECLARE(found, eagle_none);
