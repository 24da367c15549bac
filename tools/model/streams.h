/* streams.h - what is said about hot data streams, also by bursty replay streams. */
#ifndef MODEL_STREAMS_H
#define MODEL_STREAMS_H
#include "kinds/streams.h"

/* What a site is called: its name, "name (file:line)", or its value. To be freed by the caller. */
char *streams_label(const streams_part *p, const streams_site *site);
/* The share of all references that the hottest `count` streams of a sorted part hold. */
double streams_covered(const streams_part *p, size_t count);
/* One JSON object: the profile with its `top` hottest streams. */
void streams_json(const streams_part *p, size_t top, text *out);
#endif
