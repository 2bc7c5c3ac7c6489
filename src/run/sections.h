/* sections.h - the free-form sections that every application has, and what is told of them. */
#ifndef EG_SECTIONS_H
#define EG_SECTIONS_H

#include "run/config.h"

extern const char *const     eg_free_sections[]; /* for eg_config_spec.free_sections */
extern const eg_free_section eg_free_help[];     /* for eg_config_spec.free_help */

#endif
