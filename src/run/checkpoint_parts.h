/* checkpoint_parts.h - what the files that write and read checkpoints share. */
#ifndef EG_CHECKPOINT_PARTS_H
#define EG_CHECKPOINT_PARTS_H

#include "run/checkpoint.h"
#include "run/frames.h"

/* What is in the group of a file that only checkpoints have. */
#define EG_CHECKPOINT_GROUP  "/checkpoint"
#define EG_CHECKPOINT_FIELDS "/VTKHDF/PointData"
enum { EG_CHECKPOINT_FORMAT = 1 };

/* checkpoint_write.c: writes `head` into a file that is being made. Of its members program and step are the frame's own. */
bool eg_checkpoint_write_head(const eg_checkpoint_head *head, int64_t file);

#endif
