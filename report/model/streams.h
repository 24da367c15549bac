/* streams.h - what is said about hot data streams, also by bursty-lab
   streams. */
#ifndef MODEL_STREAMS_H
#define MODEL_STREAMS_H
#include "report/kinds/streams.h"

/* One JSON object: the profile with its `top` hottest streams. C++ names are
   made readable, or kept as the linker has them. */
void streams_json(const streams_part *p, size_t top, int keeps_mangled, text *out);
#endif
