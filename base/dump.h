/* dump.h - the .brst container of docs/formats.md: parts, chunks and their CRC,
   read strictly and written. */
#ifndef DUMP_H
#define DUMP_H
#include "base/fault.h"
#include "base/text.h"

enum { DUMP_SAMPLED = 1, DUMP_CONTEXTS = 2, DUMP_FOOTPRINT = 3 };      /* kinds of parts */

typedef struct dump_part {
    uint32_t kind;
    size_t offset, bytes;                         /* of the whole part, in the file */
    unsigned char *payload;                       /* the chunks' payloads, joined */
    size_t size;
} dump_part;

/* Words for a string that holds places in code, as record/places_format.h has them: of
   all of its bytes, until the next call. Only a recording that was not named yet
   has such strings. */
typedef struct dump_names {
    const unsigned char *(*words)(void *user, const unsigned char *string, size_t size,
                                  size_t *size_out);
    void *user;
} dump_names;

typedef struct dump {
    const unsigned char *data;
    unsigned char *owned;                         /* data, when dump_open has read it */
    dump_part *parts;
    size_t part_count;
    int is_program;                               /* they are out of an ELF file */
    const dump_names *names;                      /* NULL: strings stay as they are */
} dump;

/* Cuts a file into parts. 0, or -1 with *fault filled and nothing to free. data
   must outlive the dump. */
int  dump_read(dump *d, const unsigned char *data, size_t size, dump_fault *fault);
/* The same for a file named on the command line; of an ELF file the parts in
   its section .bursty.cover, which `bursty cc --cover` makes. Places in it are
   named. Returns a TOOL_ status, after a message by dump_blame. */
int  dump_open(dump *d, const char *path);
/* Who names places (record/tool/places.h): makes another dump of one that has some.
   Returns 0, or -1: it has none. NULL: nobody does. */
extern int (*dump_name_places)(const unsigned char *data, size_t size, text *out);
void dump_free(dump *d);
/* Where byte number `at` of a part's payload stands in the file. */
size_t dump_place(const dump *d, const dump_part *part, size_t at);
/* CRC-32 of gzip and PNG. Starts with 0 and may be continued. */
uint32_t dump_crc(uint32_t crc, const unsigned char *data, size_t size);

/* Reads fields of a payload one behind the other. After a fault, which stays,
   every field is 0 or empty. */
typedef struct dump_reader {
    const unsigned char *data;
    size_t size, at;
    const char *reason;
    const dump_names *names;
} dump_reader;
dump_reader dump_fields(const dump *d, const dump_part *part);
uint64_t dump_get(dump_reader *r);                                     /* varint */
uint32_t dump_get32(dump_reader *r); /* varint that must fit 32 bits */
const unsigned char *dump_get_string(dump_reader *r, size_t *size);    /* a piece of data */
char *dump_get_name(dump_reader *r); /* the same as a name (text_name), to be freed */

/* Writes one part at the end of out. */
typedef struct dump_writer {
    text *out;
    unsigned char chunk[256];
    size_t used;
    uint32_t crc;
    uint64_t total;
} dump_writer;
void dump_begin(dump_writer *w, text *out, uint32_t kind);
void dump_put(dump_writer *w, uint64_t number);                        /* varint */
void dump_put_string(dump_writer *w, const char *string);
void dump_put_eight(dump_writer *w, uint64_t number); /* a piece of 8 bytes */
void dump_put_bytes(dump_writer *w, const void *bytes, size_t size);
void dump_end(dump_writer *w);
#endif
