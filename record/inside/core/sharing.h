/* sharing.h - which cache lines do several threads use, and do they use the
   same bytes of them? Written as .brst parts of kind 14; docs/sharing.md and
   docs/formats.md.

   A processor moves lines of 64 bytes between its cores. Two threads that
   write different bytes of one line take it from one another as if they shared
   data. Where a thread was is known in bursts alone:

       thread 1   ====            ====                 ====      bursts
       thread 2         ====                    ====
       line X     w     w         w             w      w         "together": 4
       line Y     w                             r                of 2: none

   A burst is a set of lines with, for each instruction that used one, which
   bytes it read and wrote (sharing_thread). When a burst ends, its lines go
   into a table of all threads (sharing), and each of them is asked: did
   another thread use it in a burst that ended less than SHARING_NEAR_NS ago,
   and did one of both write? Then the two used it together, as near as bursts
   can tell. Data that one thread makes ready for another, long before, is
   never together. A burst that took longer itself, since its thread waited,
   meets nobody: it does not tell when it used which line. A thread that has
   ended meets no use that begins later: the next thread may have its stack.

   Room: what one thread alone used long ago cannot become shared by what comes
   later, so such lines make room for others when the table is full. If that is
   not enough younger ones go, and are counted.

   Cost: an access is a look into a table of hashes; a burst's end is a look
   into another one for each instruction and line in it. */
#ifndef SHARING_H
#define SHARING_H
#include <stddef.h>
#include <stdint.h>

enum { SHARING_KIND = 14, SHARING_VERSION = 1, SHARING_LINE_LOG2 = 6 };
enum { SHARING_SEEN = 1 << 16, SHARING_LINES = 1 << 17, SHARING_ROWS = 1 << 18 };
enum { SHARING_WRITTEN = 1 << 12 };     /* at most so many lines are in a part */
#define SHARING_NEAR_NS UINT64_C(250000000)
enum { SHARING_ENDS = 1 << 16 };        /* ends of so many threads are kept */
/* Flags: every access was seen, no sums over bursts; ends of threads were told. */
enum { SHARING_WHOLE = 1, SHARING_KNOWS_ENDS = 2 };
enum { SHARING_LOAD = 1, SHARING_STORE = 2 };   /* what an access does */
enum { SHARING_FALSE = 1, SHARING_TRUE = 2 };   /* of a line in a part: what meets there */

/* An instruction in a burst, on one line. */
typedef struct sharing_seen {
    uint64_t line, site;
    uint64_t loaded, stored;            /* bytes of the line, a bit each */
    uint32_t loads, stores;
    uint32_t burst;                     /* the entry is free in any other one */
} sharing_seen;

typedef struct sharing_thread {         /* all zero: empty */
    uint32_t number, burst, used, is_cut;
    uint64_t accesses;                  /* of this burst */
    uint32_t list[SHARING_SEEN / 4 * 3];    /* entries of this burst */
    sharing_seen seen[SHARING_SEEN];
} sharing_thread;

/* What an address belongs to. */
typedef struct sharing_place {
    uint64_t function, object;
    uint64_t low, bytes;                /* of the object, or of its block of the heap */
    uint64_t life;                      /* of a block: no two allocations have the same; 0: none */
} sharing_place;
typedef void sharing_charge(void *user, uint64_t site, uint64_t address, sharing_place *out);

/* An instruction of one thread on one line. */
typedef struct sharing_row {
    uint64_t site, loaded, stored, loads, stores;
    sharing_place place;                /* of its first byte, when it was seen last */
    uint64_t first_ns;                  /* its first burst began */
    uint32_t thread, next;              /* of its line: 1 + row, or 0 */
    uint32_t line, chained;             /* 1 + number, by hash */
} sharing_row;

/* The latest bursts of two threads that used a line. */
typedef struct sharing_latest { uint64_t ns[2]; uint32_t thread[2]; } sharing_latest;

typedef struct sharing_line {
    uint64_t line;
    uint32_t chained, rows;             /* by hash; of its rows: 1 + number, or 0 */
    sharing_latest touch, store;
    uint64_t accesses, bursts, together, yy, yr;
    uint64_t now;                       /* accesses of the burst that is added */
    uint32_t next_now, is_stored_now;
    uint32_t is_used;
} sharing_line;

typedef struct sharing {
    uint32_t flags, lines_used, rows_used;
    uint32_t free_line, free_row;       /* 1 + number, by chained and next */
    uint64_t bursts, accesses, rr;      /* r: accesses of a burst */
    uint64_t cut, forgotten, lost;      /* bursts cut short; lines; accesses without a row */
    uint64_t slow;                      /* bursts that took too long to meet any */
    uint64_t ended_ns[SHARING_ENDS];    /* of threads by number; 0: not known */
    uint32_t heads[SHARING_LINES], row_heads[SHARING_ROWS];
    sharing_line lines[SHARING_LINES];
    sharing_row rows[SHARING_ROWS];
} sharing;

/* An access of an instruction to so many bytes. what: SHARING_LOAD,
   SHARING_STORE or both. */
void sharing_access(sharing_thread *t, uint64_t site, uint64_t address, uint64_t bytes, int what);
/* The thread's burst ends. sharing: all zero at first, but for its flags; who
   calls sees to it that no other thread is in here. began_ns: when the burst
   began; now_ns: never less than before. */
void sharing_burst(sharing *s, sharing_thread *t, uint64_t began_ns, uint64_t now_ns,
                   sharing_charge *charge, void *user);
/* The thread with this number has ended. Who calls sees to the same. */
void sharing_ended(sharing *s, uint32_t thread, uint64_t now_ns);

enum { SHARING_FUNCTION = 1, SHARING_OBJECT = 2 };
typedef struct sharing_about {
    const char *program;
    uint32_t every, burst;              /* checks, or 0 */
    /* The name of a function or an object; NULL: it has none. The text is used
       at once. */
    const char *(*name)(void *user, int what, uint64_t number);
    /* Where a site stands, as FILE, a tab and an address in it; or NULL. */
    const char *(*place)(void *user, uint64_t site);
    void *user;
} sharing_about;
/* Writes a part with the lines that threads used together. Returns 0, or
   -1. */
int sharing_write(const sharing *s, const sharing_about *about,
                  int (*write)(void *user, const void *data, size_t size), void *user);
#endif
