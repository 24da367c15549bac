/* options.h - what `bursty record` asks of the library that it preloads: one
   struct, and one text of it in one variable of the environment. The tool writes
   it, the recorder reads it, and both do so by this file.

       BURSTY_RECORD = "1\nevery=9900\nburst=100\n ... only=alpha\\nbeta\\n\n"

   The first line is the version. A line for each field follows; what is 0 or
   empty has none. A line feed in a value stands as \n, a backslash as \\. A text
   of another version, or with a name that is not known, is refused as a whole:
   the tool and the recorder are not of one build then. */
#ifndef RECORD_OPTIONS_H
#define RECORD_OPTIONS_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define OPTIONS_VARIABLE "BURSTY_RECORD"
enum { OPTIONS_VERSION = 1 };

enum {
    PROFILE_HCCT = 1,
    PROFILE_FOOTPRINT = 2,
    PROFILE_METHODS = 4,
    PROFILE_PAIRS = 8,
    PROFILE_STREAMS = 16,
    PROFILE_MISSES = 32,
    PROFILE_SHARING = 64,
    PROFILE_INTERLEAVE = 128,
    PROFILE_OBJECTS = PROFILE_MISSES | PROFILE_SHARING, /* need the heap, and long bursts */
    PROFILE_REFERENCES = PROFILE_FOOTPRINT | PROFILE_STREAMS | PROFILE_OBJECTS | PROFILE_INTERLEAVE,
    PROFILE_CALLERS = PROFILE_HCCT | PROFILE_PAIRS,
    PROFILE_CALLS = PROFILE_CALLERS | PROFILE_METHODS
};

enum { OPTIONS_STREAMS_MOST = 1 << 20 };

typedef struct record_wishes {
    uint32_t every, burst;          /* checks between two bursts, UINT32_MAX: no gaps; of a burst */
    uint32_t jitter, boring, seed;
    uint32_t per_second;            /* bursts, at most; 0: as many as come */
    uint32_t ticks;                 /* in a second of CPU time; 0: none */
    uint32_t events;                /* X86_ENTRY and its like */
    uint32_t profiles;              /* PROFILE_... */
    uint32_t streams;               /* room for so many in each thread; 0: the usual */
    uint32_t slow_us;               /* frames that take longer are slow; 0: not said */
    uint32_t signal;                /* switches on and off; 0: none does */
    uint32_t owner;                 /* the process that is started */
    uint32_t follow;                /* children are recorded, too */
    uint32_t looks;                 /* nothing is patched: time alone */
    uint32_t lines;                 /* and time by source line */
    uint32_t timeline;              /* so many ticks at most have their moment */
    uint32_t reenable;              /* 1 + K: adaptive bursts; 0: all that are due */
    uint32_t off;                   /* at the start */
    uint32_t all_checks;            /* none is eliminated */
    uint32_t direct;                /* the output is no regular file */
    uint32_t no_keep;               /* nothing is kept for the case of a kill */
    char report[128];               /* where the recorder says how it went; "-": nowhere */
    char output[4096];
    char only[1024], not_these[1024]; /* patterns of functions, a line each */
    char frames[1024];              /* functions whose calls are frames, a line each */
    char symbols[16384];            /* names that frames may mean, of a program whose symbols stand
                                       elsewhere: ADDRESS, a blank, NAME, a line each */
    char caches[256];               /* BYTES=LABEL and a space, for each size */
    char cache[4096];               /* the folder of what earlier runs found out; "": none */
    char preload[16384];            /* what LD_PRELOAD was before */
    char tunables[1024];            /* what GLIBC_TUNABLES was, behind a =; "-": it was not there;
                                       "": it is as it was */
} record_wishes;

/* Room for the text of any of them: each byte may stand as two. */
enum { OPTIONS_ROOM = 2 * sizeof(record_wishes) + 1024 };

typedef struct options_field {
    const char *name;
    size_t at, room;                /* room 0: a number */
} options_field;

static inline const options_field *options_fields(size_t *count) {
#define OPTIONS_NUMBER(name) {#name, offsetof(record_wishes, name), 0}
#define OPTIONS_WORDS(name) {#name, offsetof(record_wishes, name), sizeof ((record_wishes *)0)->name}
    static const options_field fields[]
        = {OPTIONS_NUMBER(every),      OPTIONS_NUMBER(burst),   OPTIONS_NUMBER(jitter),
           OPTIONS_NUMBER(boring),     OPTIONS_NUMBER(seed),    OPTIONS_NUMBER(per_second),
           OPTIONS_NUMBER(ticks),      OPTIONS_NUMBER(events),  OPTIONS_NUMBER(profiles),
           OPTIONS_NUMBER(streams),    OPTIONS_NUMBER(slow_us), OPTIONS_NUMBER(signal),
           OPTIONS_NUMBER(owner),      OPTIONS_NUMBER(follow),  OPTIONS_NUMBER(looks),
           OPTIONS_NUMBER(lines),      OPTIONS_NUMBER(off),     OPTIONS_NUMBER(all_checks),
           OPTIONS_NUMBER(direct),     OPTIONS_NUMBER(no_keep), OPTIONS_NUMBER(timeline),
           OPTIONS_NUMBER(reenable),
           OPTIONS_WORDS(report),      OPTIONS_WORDS(output),   OPTIONS_WORDS(only),
           OPTIONS_WORDS(not_these),   OPTIONS_WORDS(frames),   OPTIONS_WORDS(symbols),
           OPTIONS_WORDS(caches),      OPTIONS_WORDS(cache),    OPTIONS_WORDS(preload),
           OPTIONS_WORDS(tunables)};
    *count = sizeof fields / sizeof *fields;
    return fields;
}

/* Writes the text into out[0..room). Returns 0, or -1: it does not fit. */
static inline int options_write(const record_wishes *w, char *out, size_t room) {
    size_t count, n, at;
    const options_field *fields = options_fields(&count);
    int size = snprintf(out, room, "%d\n", OPTIONS_VERSION);
    if (size < 0 || (size_t)size >= room) return -1;
    at = (size_t)size;
    for (n = 0; n < count; n++) {
        const char *value = (const char *)w + fields[n].at;
        char digits[16];
        if (!fields[n].room) {
            uint32_t number;
            memcpy(&number, value, sizeof number);
            snprintf(digits, sizeof digits, "%lu", (unsigned long)number);
            value = number ? digits : "";
        }
        if (!*value) continue;
        size = snprintf(out + at, room - at, "%s=", fields[n].name);
        if (size < 0 || (size_t)size >= room - at) return -1;
        for (at += (size_t)size; *value; value++) {
            if (room - at < 4) return -1;
            if (*value == '\n' || *value == '\\') out[at++] = '\\';
            out[at++] = *value;
            if (*value == '\n') out[at - 1] = 'n';
        }
        out[at++] = '\n';
        out[at] = 0;
    }
    return 0;
}

/* One value, up to its line feed, which *at is moved behind. Returns -1: it
   does not fit, or it does not end. */
static inline int options_value(const char **at, char *out, size_t room) {
    const char *from = *at;
    size_t size = 0;
    for (; *from && *from != '\n'; from++) {
        char c = *from;
        if (c == '\\') {
            c = *++from;
            if (c == 'n') c = '\n';
            else if (c != '\\') return -1;
        }
        if (size + 1 >= room) return -1;
        out[size++] = c;
    }
    out[size] = 0;
    if (!*from) return -1;
    *at = from + 1;
    return 0;
}

static inline int options_number(const char *digits, uint32_t *out) {
    uint64_t number = 0;
    if (!*digits) return -1;
    for (; *digits; digits++) {
        if (*digits < '0' || *digits > '9') return -1;
        number = number * 10 + (uint64_t)(*digits - '0');
        if (number > UINT32_MAX) return -1;
    }
    *out = (uint32_t)number;
    return 0;
}

/* Reads the text into *w, without allocating. Returns 0, or -1: it is of another
   version, or damaged. */
static inline int options_read(record_wishes *w, const char *at) {
    char digits[16];
    uint32_t version;
    size_t count, n, size;
    const options_field *fields = options_fields(&count);
    memset(w, 0, sizeof *w);
    if (options_value(&at, digits, sizeof digits) != 0) return -1;
    if (options_number(digits, &version) != 0 || version != OPTIONS_VERSION) return -1;
    while (*at) {
        size = strcspn(at, "=\n");
        for (n = 0; n < count; n++) {
            if (strlen(fields[n].name) == size && !memcmp(fields[n].name, at, size)) break;
        }
        if (n == count || at[size] != '=') return -1;
        at += size + 1;
        if (fields[n].room) {
            if (options_value(&at, (char *)w + fields[n].at, fields[n].room) != 0) return -1;
        } else {
            uint32_t number;
            if (options_value(&at, digits, sizeof digits) != 0) return -1;
            if (options_number(digits, &number) != 0) return -1;
            memcpy((char *)w + fields[n].at, &number, sizeof number);
        }
    }
    return 0;
}
#endif
