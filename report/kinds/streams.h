/* streams.h - the profiles of parts of kind 5 (hotstream.h), added up over
   parts, files, threads and machines. */
#ifndef KINDS_STREAMS_H
#define KINDS_STREAMS_H
#include "base/hash.h"
#include "base/kind.h"

/* Code that makes references, or a symbol. Two sites with the same name are one
   site, whatever their values: values change from run to run. Without a name
   the value counts. */
typedef struct streams_site {
    uint64_t value;
    char *name; /* "name", "name\tfile:line" or ""; behind each may stand "\t@object" */
} streams_site;

typedef struct streams_item {
    uint32_t site;
    uint64_t address; /* the first one seen, or an offset in the object; 0 for events */
} streams_item;

typedef struct streams_stream {
    uint64_t frequency, heat;
    uint32_t length;
    size_t first; /* items[first .. first + length) */
} streams_stream;

typedef struct streams_part {
    size_t order; /* of the first part of this sum */
    char *title;
    uint32_t flags, min_length, max_length, coverage_ppm;
    uint64_t references, lost, bursts, digests, dropped, heat_lost;
    streams_site *sites;
    size_t site_count, site_room;
    streams_stream *streams;
    size_t stream_count, stream_room;
    streams_item *items;
    size_t item_count, item_room;
    hash_table site_places, stream_places;
} streams_part;

typedef struct streams {
    streams_part *parts;
    size_t count;
} streams; /* all zero: empty */

/* Settling adds up profiles of one title with the same limits, hottest streams
   first. */
extern const part_kind kind_streams; /* its state is a streams */

/* For those who make a part themselves: all zero, then these, then
   streams_part_sort and streams_part_write. */
uint32_t streams_site_number(streams_part *p, uint64_t value, const char *name);
void streams_add(streams_part *p, const streams_item *items, uint32_t length, uint64_t frequency);
void streams_part_sort(streams_part *p);
void streams_part_write(const streams_part *p, text *out);
void streams_part_free(streams_part *p);
/* What data a site uses, in its name; NULL: that is not known, and addresses are
   the process's own. */
const char *streams_object_of(const char *name);
/* How many of a sorted part's streams are hot: the first that hold coverage_ppm
   of all references, or all. */
size_t streams_hot(const streams_part *p);
/* The same number for the same site in every part: of its name, or of its
   value. */
uint64_t streams_site_key(const streams_site *site);
#endif
