/* materials.h - what the box is made of: materials, the regions that they fill, and the power in them. */
#ifndef MATERIALS_H
#define MATERIALS_H

#include "heat.h"
#include <eagle/eagle.h>

typedef struct material {
    eagle_section section;
    double        k, rho, c; /* W/(m K), kg/m3, J/(kg K) */
} material;

typedef struct layer {
    eagle_section section;
    char          material[EAGLE_NAME_MAX];
    int           axis;
    double        lower, upper; /* m */
} layer;

typedef struct box {
    eagle_section section;
    char          material[EAGLE_NAME_MAX];
    double        lower[3], upper[3]; /* m */
    double        power;              /* W */
} box;

typedef struct disc {
    eagle_section section;
    char          material[EAGLE_NAME_MAX];
    double        centre[3], radius, lower, upper; /* m */
    int           axis;
    double        power; /* W */
} disc;

/* A layer, box or disc, as far as cells are concerned. */
typedef struct part {
    const eagle_section *section;
    region               where;
    int                  order, material; /* as it was added; -1: it leaves the material as it is */
    double               power, volume;   /* W; m3 of the cells that it covers */
} part;

typedef struct materials {
    material *list, only; /* only: where the input has none */
    layer    *layers;
    box      *boxes;
    disc     *discs;
    int       n_list, n_layers, n_boxes, n_discs;
    char      background[EAGLE_NAME_MAX], map[256], map_names[1024];

    int            ground; /* index of the background material */
    part          *parts;  /* in the order of the input: later ones win */
    int            n_parts;
    const uint8_t *cells; /* [n_cells] the map, x fastest; NULL: none */
    int64_t        n_cells;
    int            map_material[256], n_map;
} materials;

extern const eagle_key material_keys[], layer_keys[], box_keys[], disc_keys[];

/* Looks up names, counts the cells that each part covers, opens the map. Refuses unknown materials, parts that cover no
 * cell, and a map of another size than the grid. */
eagle_status materials_set_up(materials *m, const eagle_grid *grid, const char *input_dir);
void         materials_free(materials *m);

/* The material of a cell, and the heat made in it [W/m3]. */
const material *materials_at(const materials *m, eagle_at at);
double          materials_source(const materials *m, eagle_at at);

/* The only material, if there is no other and no part has power; else NULL. */
const material *materials_uniform(const materials *m);

/* The local cells of the box around a part; empty on ranks that have none of them. */
eagle_box materials_part_box(const part *p, const eagle_grid *grid);

#endif
