/* streams.h - profiles of hot data streams as text, JSON, collapsed stacks, a linker's order file and a DOT graph. */
#ifndef WRITE_STREAMS_H
#define WRITE_STREAMS_H
#include "kinds/streams.h"

/* All take a sorted part and write its hot streams. `top` limits how many are listed. */
void streams_to_text(const streams_part *p, size_t top, text *out);
void streams_to_json(const streams_part *p, size_t top, text *out);         /* one object */
void streams_to_collapsed(const streams_part *p, text *out);                /* "site;site;site heat" */
/* Functions that follow one another, side by side, hottest chain first: one name a line, for ld.lld --symbol-ordering-file or
   gold --section-ordering-file. Sites without a name are left out. */
void streams_to_order(const streams_part *p, text *out);
/* What is used after what: nodes are sites, or pieces of so many bytes of memory (0: sites). Edges say how often. */
void streams_to_dot(const streams_part *p, uint64_t piece_bytes, size_t top, text *out);

/* What a site is called: its name, "name (file:line)", or its value. To be freed by the caller. */
char *streams_label(const streams_part *p, const streams_site *site);
#endif
