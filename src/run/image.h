/* image.h - the values of a field as set-up makes them: a copy, on the host, of all the memory of the field, with its
 * ghost cells and padding, that is uploaded as a whole. */
#ifndef EG_IMAGE_H
#define EG_IMAGE_H

#include "run/run.h"

typedef struct eg_image {
    const eagle_run    *run;
    const eg_run_field *field;
    int64_t             lo[3], hi[3]; /* local cells that are filled: with ghost cells if the field is constant */
    int64_t             origin;       /* of local cell (0, 0, 0), in elements */
    void               *values;
} eg_image;

eagle_status eg_image_open(const eagle_run *run, const eg_run_field *field, eg_image *out);
void         eg_image_close(eg_image *image);

/* The global index that a local one stands for: around a periodic edge, else that of the nearest cell inside. */
int64_t eg_image_index(const eagle_run *run, int axis, int64_t local);

void eg_image_put(eg_image *image, int component, int64_t x, int64_t y, int64_t z, double value);

/* Into both levels of the field. */
eagle_status eg_image_upload(const eg_image *image);

#endif
