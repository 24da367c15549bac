/* hotstream.h - v0.2.0 - finds sequences of accesses that repeat - MIT, text at end of file

   example:
       #define HOTSTREAM_IMPLEMENTATION
       #include "hotstream.h"
       #include <stdio.h>
       static uint64_t memory[16384];                         // 128 KiB: 2000 grammar nodes
       int main(void) {
           static int object[20][8];
           hotstream_stream top[5];
           hotstream streams;
           size_t count, i, k;
           hotstream_init(&streams, memory, sizeof memory, NULL);
           for (i = 0; i < 100; i++)                          // the same walk over 15 objects
               for (k = 0; k < 15; k++)
                   hotstream_record(&streams, k + 1, (uintptr_t)object[k * 7 % 20]);
           count = hotstream_top(&streams, top, 5);
           for (i = 0; i < count; i++)
               printf("%u accesses, seen %u times, heat %u of 1500\n", (unsigned)top[i].length,
                      (unsigned)top[i].frequency, (unsigned)top[i].heat);
           return count == 0;
       }
   end of example.

   A *reference* is one load or store: a site (the code that made it) and the
   address that it used. A *stream* is a run of references that comes back, in
   the same order. Its *heat* is its length times the number of times it was
   seen without overlap. The hot streams say what to lay out side by side, or to
   fetch ahead. Calls and events of your own work alike.

   STEP BY STEP
   1. Define HOTSTREAM_IMPLEMENTATION before the include in one C or C++ file.
      Include the file plainly everywhere else.
   2. hotstream_init lays everything out in memory that you give it, and never
      needs more.
   3. hotstream_record(h, site, address) stores one reference in a buffer. The
      site is any number but 0 that names the code. The address is 0 for calls
      and events.
   4. hotstream_burst(h) says that references were left out here, because
      sampling paused. No stream spans such a gap.
   5. A full buffer is worked off at once, in the call that filled it. If that
      stall hurts, set config.deferred. Then hotstream_work(h, budget) does the
      work, at the end of a frame or on another thread, until its budget is used
      up. stats.lost counts what finds the buffer full.
   6. What happens: references become numbers, and the numbers become a grammar
      (Sequitur), which holds each repeated piece once. When the grammar is full
      it is *digested*: its hot rules are added to a profile as streams, the
      grammar is emptied, and recording goes on. Streams with the same sites in
      the same order are one stream of the profile, whatever their addresses,
      because addresses change from run to run. An item shows the first address
      that was seen.
   7. hotstream_top gives the hot streams, the hottest first. hotstream_write
      saves all of them as one .brst part, which `bursty report`, `bursty merge`
      and `bursty overlap` read. hotstream_merge adds up the objects of several
      threads before. examples/streams_of_frames.c does all of that.
   8. If bursty.h was included before this file, hotstream_attach sends here
      what one of its profiles samples: the references of BURST_REF, or any
      other class of events. Bursts should be long, say 50 in 5000 checks.
      hotstream_site_name, passed to hotstream_write, names sites by file and
      line. examples/hot_streams.c shows it.
   9. To number references yourself, set config.symbols and call hotstream_feed.
      When it answers -1 the grammar is full: call hotstream_digest, and feed the
      symbol again. hotstream_analyse and hotstream_threshold ask the grammar as
      it stands.

   PROMISES
   - It does not allocate, recurse, abort, print or keep globals.
   - A full grammar, buffer or profile is normal. hotstream_stats says what it
     costs.
   - The same references give the same streams.
   - A heat is never above the true one.

   THREADS  An object belongs to one thread at a time, with one exception: with
   config.deferred one thread may call hotstream_record and hotstream_burst
   while another calls the rest. Join the objects of several threads with
   hotstream_merge.

   OPTIONS  (define them before every include, the same everywhere)
     HOTSTREAM_STATIC       makes everything static, for one file; several such
                            files keep apart
     HOTSTREAM_PENDING=n    how many digrams can wait for a look, 4 bytes each:
                            256. When more wait, a repeat may stay unfound, and
                            stats.dropped counts it.
   OPTIONS  (define it where HOTSTREAM_IMPLEMENTATION is)
     HOTSTREAM_NO_FILES     leaves hotstream_write out

   COST  24 bytes for each node of the grammar, 22 for each different reference,
   16 for each place in the buffer, 46 for each stream and 16 for each of its
   items. By default half of the memory is for the grammar. docs/hotstream.md has
   times.

   Theory: "Bursty Tracing" (2001), section 5.2, equation 5; "Hybrid Profiling
   Support" (2005).

   CONTENTS
     language
     linkage
     types
     the bridge from bursty.h
     basics
     counters that saturate
     the grammar
     the table of digrams
     changing the grammar
     the cursor
     analysis
     the profile
     references
     laying out the memory
     the self-check
     writing a .brst part
     the dump
*/

#ifndef HOTSTREAM_H
#define HOTSTREAM_H
#include <stddef.h>
#include <stdint.h>

/* ---- language ---------------------------------------- src/language.h ---- */

/* Microsoft's compiler and -std=gnu90 say less about themselves, and take
   it. */
#if defined(__STRICT_ANSI__) && !defined(__cplusplus) \
    && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "this header is C99 and C++11: compile with -std=c99 or newer in place of -ansi"
#endif

/* ---- linkage ------------------------------------------ src/linkage.h ---- */

#if defined(__GNUC__) || defined(__clang__)             /* clang-cl defines the second alone */
#define HOTSTREAM_P_GNU
#endif
#if defined(HOTSTREAM_P_GNU) || defined(__TINYC__)
#define HOTSTREAM_P_UNUSED __attribute__((unused))
#else
#define HOTSTREAM_P_UNUSED
#endif
#ifdef HOTSTREAM_STATIC
#define HOTSTREAM_API HOTSTREAM_P_UNUSED static
#elif defined(HOTSTREAM_P_GNU) && !defined(_WIN32)
#define HOTSTREAM_API extern __attribute__((visibility("hidden")))
#else
#define HOTSTREAM_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types -------------------------------- src/hotstream/interface.h ---- */

#define HOTSTREAM_SYMBOLS UINT32_C(0x7FFFFFFF)      /* symbols of your own are below this */

typedef struct hotstream_item {
    uint64_t site, address;
} hotstream_item;

typedef struct hotstream_stream {
    uint64_t signature;                 /* of its sites in order; the same in every run */
    uint64_t frequency;                 /* how often it was seen, without overlap */
    uint64_t heat;                      /* length * frequency: references that it accounts for */
    uint32_t length;
    const hotstream_item *items;        /* [length]; valid until h changes */
} hotstream_stream;

typedef void (*hotstream_found_fn)(void *user, const hotstream_stream *stream);
typedef int  (*hotstream_write_fn)(void *user, const void *data, size_t size);     /* 0: go on */
typedef const char *(*hotstream_name_fn)(void *user, uint64_t site);           /* NULL: no name */

typedef struct hotstream_config {       /* every zero is a default */
    uint32_t min_length, max_length;    /* of a stream: 10, 40; at most 1024 */
    double   coverage;                  /* share of references that hot streams should hold: 0.9 */
    uint64_t heat_min;                  /* streams with less heat in one digest are not kept:
                                           2 * min_length */
    uint32_t references_max;            /* different references at once: a quarter of the nodes */
    uint32_t buffer_count;              /* references that can wait: nodes / 16, at least 64 */
    uint32_t streams_max;               /* streams in the profile: nodes / 32, at least 16 */
    int      deferred;                  /* 1: a full buffer waits for hotstream_work */
    int      symbols;                   /* 1: hotstream_feed is used; no references, no buffer */
    int      eager;                     /* 1: no cursor. Slower; for comparisons */
    int      whole_rules;               /* 1: rules above max_length are not cut into segments */
    hotstream_item (*item)(void *user, uint32_t symbol); /* what it stands for: {symbol, 0} */
    uint64_t (*clock)(void *user);      /* measures the budget of hotstream_work: it counts steps */
    void    *user;                      /* of both */
} hotstream_config;

typedef struct hotstream_stats {
    uint64_t references;                /* taken into the grammar, now or before a digest */
    uint64_t lost;                      /* found the buffer full */
    uint64_t bursts;                    /* gaps between them */
    uint64_t symbols;                   /* that the grammar stands for now */
    uint64_t digests;
    uint64_t dropped;                   /* looks left out: repeats may be missing */
    uint64_t heat, heat_lost;           /* of the streams kept; of those without room */
    uint32_t nodes, rules, nodes_peak;  /* of the grammar; nodes_peak: the most at one time */
    uint32_t node_count, references_max, buffer_count, streams_max;     /* how many fit */
    uint32_t streams, different;        /* streams in the profile; different references now */
    size_t   bytes;                     /* of memory in use */
} hotstream_stats;

typedef struct hotstream hotstream;

/* ---- set up ---- */
/* Lays an empty object out in memory[0..bytes). Returns how many grammar nodes
   fit; 0: too small, h must not be used. */
HOTSTREAM_API uint32_t hotstream_init(hotstream *h, void *memory, size_t bytes,
                                      const hotstream_config *config);
/* Returns the bytes that hotstream_init needs for so many nodes. */
HOTSTREAM_API size_t hotstream_bytes(const hotstream_config *config, uint32_t nodes);

/* ---- events ---- */
/* One reference; see STEP BY STEP. Site 0 means hotstream_burst. An inline
   function: see below. */
static void hotstream_record(hotstream *h, uint64_t site, uint64_t address);
/* References, or symbols, were left out here. */
HOTSTREAM_API void hotstream_burst(hotstream *h);
/* One symbol of your own, with config.symbols. Returns 0, or -1: the grammar is
   full and x was not taken, or x is not below HOTSTREAM_SYMBOLS. */
HOTSTREAM_API int  hotstream_feed(hotstream *h, uint32_t x);
/* Works on what was recorded until budget units of config.clock (without a
   clock: steps, some 20 ns each) are used up; 0: no limit. Returns 1 if there
   is more to do, else 0. */
HOTSTREAM_API int  hotstream_work(hotstream *h, uint64_t budget);

/* ---- answers ---- */
/* Adds the streams of the grammar to the profile, and empties the grammar. */
HOTSTREAM_API void   hotstream_digest(hotstream *h);
/* Digests, then fills rows with the hot streams, the hottest first: as many as
   together hold config.coverage of all references, or all there are, but at
   most max. Returns how many rows it filled. stats.streams is the number of all
   streams. */
HOTSTREAM_API size_t hotstream_top(hotstream *h, hotstream_stream *rows, size_t max);
/* Calls found for each stream of the grammar as it stands, with a heat of at
   least `heat` in it; segments 0: whole rules only. Returns the references that
   those streams account for. The profile is not changed. The grammar means the
   same afterwards. */
HOTSTREAM_API uint64_t hotstream_analyse(hotstream *h, uint64_t heat, int segments,
                                         hotstream_found_fn found, void *user);
/* Returns a heat for hotstream_analyse whose streams hold that share of all
   symbols while those of heat + 1 do not; or 2 * min_length. (Not always the
   largest: a hot rule hides its parts.) */
HOTSTREAM_API uint64_t hotstream_threshold(hotstream *h, double coverage, int segments);
HOTSTREAM_API void   hotstream_get_stats(const hotstream *h, hotstream_stats *out);
/* Checks the grammar: links, counts, rule utility, digram uniqueness, the table
   of digrams, and that it still stands for what was fed. Returns the number of
   violations: 0. For tests and field trials; takes about as long as a
   digest. */
HOTSTREAM_API uint64_t hotstream_check(hotstream *h);
/* Adds the profile of y to that of x; digests both before. */
HOTSTREAM_API void   hotstream_merge(hotstream *x, hotstream *y);
#ifndef HOTSTREAM_NO_FILES
/* Digests, then writes the profile as one .brst part of kind 5. A site's name
   may be NULL, or "name", or "name\tfile:line"; title and name may be NULL.
   Returns 0, or -1 if a write did not return 0. */
HOTSTREAM_API int    hotstream_write(hotstream *h, const char *title, hotstream_name_fn name,
                                     void *name_user, hotstream_write_fn write, void *user);
#endif

typedef struct hotstream_p_node {
    uint32_t next, prev, symbol;
} hotstream_p_node;
typedef struct hotstream_p_slot {
    uint32_t hash, node;
} hotstream_p_slot;

#ifndef HOTSTREAM_PENDING
#define HOTSTREAM_PENDING 256
#endif
#ifndef HOTSTREAM_P_DEPTH
#define HOTSTREAM_P_DEPTH 64            /* how deep the cursor descends; a test makes it tight */
#endif

struct hotstream {                      /* yours to hold, ours to look into */
    /* The buffer: a ring. put is written by the recording thread, got by the
       other one. */
    hotstream_item *buffer;
    uint32_t put, put_limit, mask;      /* put_limit: when to read got */
    uint32_t gap;                       /* references were lost since the last one recorded */
    uint32_t lost, got;
    uint32_t owner;                     /* the thread whose burst is being recorded; 0: none */
    uint64_t lost_before;               /* in objects that were merged into this one */
    /* The grammar. */
    hotstream_p_node *nodes;
    hotstream_p_slot *table;
    uint32_t capacity, slots, used, free_list, free_count, rules, peak, owed, stale, separate;
    uint32_t pending_count, list_max;
    uint64_t count, hash, dropped;      /* symbols it stands for; a hash of them */
    /* The cursor. */
    uint32_t start, at, depth, total;
    /* A digest under way. */
    uint32_t phase, rule_count, finished, flat_used, walk_depth, rule, flat_at, segments;
    uint32_t *rule_guard, *rule_length, *rule_start, *flat, items_at;
    struct hotstream_p_frame *walk;
    uint64_t *cold, threshold, covered;
    size_t cleared, clear_bytes;
    hotstream_found_fn found;
    void *found_user;
    /* References by number. */
    hotstream_item *references;
    uint32_t *reference_slots, reference_count;
    /* The profile. */
    hotstream_stream *entries;
    hotstream_item *items;
    uint32_t *entry_slots, entry_count, item_count, item_max;
    uint64_t heat, heat_lost, taken, bursts, digests;
    /* Scratch. */
    hotstream_item *spelled;
    uint32_t *spell_stack, *list;
    void *memory;
    size_t bytes;
    hotstream_config config;            /* with defaults filled in */
    uint32_t pending[HOTSTREAM_PENDING], way[HOTSTREAM_P_DEPTH], before[HOTSTREAM_P_DEPTH];
};

/* What hotstream_record does when the buffer seems full. Returns 0 if there is
   no place. */
HOTSTREAM_API int hotstream_p_make_room(hotstream *h);

/* Whoever reads `put` sees what was written to the buffer before. */
#ifdef HOTSTREAM_P_GNU
#define HOTSTREAM_P_PUBLISH(place_, value_) __atomic_store_n(&(place_), value_, __ATOMIC_RELEASE)
#define HOTSTREAM_P_READ(place_) __atomic_load_n(&(place_), __ATOMIC_ACQUIRE)
#define HOTSTREAM_P_CLAIM(place_, no_, value_) \
    __atomic_compare_exchange_n(&(place_), &(no_), value_, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
#else
#define HOTSTREAM_P_PUBLISH(place_, value_) (*(volatile uint32_t *)&(place_) = (value_))
#define HOTSTREAM_P_READ(place_) (*(const volatile uint32_t *)&(place_))
#define HOTSTREAM_P_CLAIM(place_, no_, value_) ((place_) != (no_) ? 0 : ((place_) = (value_), 1))
#endif

HOTSTREAM_P_UNUSED static inline void hotstream_record(hotstream *h, uint64_t site,
                                                       uint64_t address) {
    hotstream_item *place;
    if (h->put == h->put_limit && !hotstream_p_make_room(h)) return;
    place = &h->buffer[h->put & h->mask];
    place->site = site;
    place->address = address;
    HOTSTREAM_P_PUBLISH(h->put, h->put + 1);
}

/* ---- the bridge from bursty.h ---------------- src/hotstream/attach.h ---- */
#ifdef BURSTY_H

/* The action of a profile. The thread whose burst began first has h until that
   burst ends; events of other threads meanwhile are left out. (With
   BURSTY_STACK 0 only one thread may check.) */
HOTSTREAM_P_UNUSED static inline void hotstream_p_event(void *user, const bursty_event *event) {
    hotstream *h = (hotstream *)user;
    uint32_t me = (uint32_t)((uintptr_t)event->stack >> 3) | 1, nobody = 0;
    if (event->kind & (uint32_t)BURSTY_BEGIN) {
        int is_mine = HOTSTREAM_P_READ(h->owner) == me; /* a longjmp has left its burst */
        if (is_mine || HOTSTREAM_P_CLAIM(h->owner, nobody, me)) hotstream_burst(h);
    } else if (HOTSTREAM_P_READ(h->owner) == me) {
        uint32_t is_reference = event->kind & ((uint32_t)BURSTY_LOAD | (uint32_t)BURSTY_STORE);
        if (event->kind & (uint32_t)BURSTY_END) HOTSTREAM_P_PUBLISH(h->owner, 0);
        else if (event->kind & (uint32_t)BURSTY_GAP) hotstream_burst(h);
        else hotstream_record(h, (uintptr_t)event->site, is_reference ? event->value : 0);
    }
}

/* Makes h the receiver of a profile's events. classes 0: loads and stores. */
HOTSTREAM_P_UNUSED static inline void hotstream_attach(hotstream *h, bursty_profile *profile) {
    if (!profile->classes) profile->classes = (uint32_t)BURSTY_LOAD | (uint32_t)BURSTY_STORE;
    profile->classes |= (uint32_t)BURSTY_BEGIN | (uint32_t)BURSTY_END | (uint32_t)BURSTY_GAP;
    profile->action = hotstream_p_event;
    profile->user = h;
}

/* A hotstream_name_fn for what was recorded that way. buffer:
   char[HOTSTREAM_NAME_BYTES]. */
#define HOTSTREAM_NAME_BYTES 256
HOTSTREAM_P_UNUSED static inline const char *hotstream_site_name(void *buffer, uint64_t site) {
    const bursty_site *s = (const bursty_site *)(uintptr_t)site;
    char *out = (char *)buffer, *end = out + HOTSTREAM_NAME_BYTES - 16;
    const char *name = s->name, *file = s->file;
    uint32_t power = 1;
    while (*name && out < end) *out++ = *name++;
    *out++ = '\t';
    while (*file && out < end) *out++ = *file++;
    *out++ = ':';
    while (s->line / power > 9) power *= 10;
    for (; power; power /= 10) *out++ = (char)('0' + s->line / power % 10);
    *out = 0;
    return (const char *)buffer;
}
#endif /* BURSTY_H */

#ifdef __cplusplus
}
#endif
#endif /* HOTSTREAM_H */

#if defined(HOTSTREAM_IMPLEMENTATION) && !defined(HOTSTREAM_IMPLEMENTED)
#define HOTSTREAM_IMPLEMENTED

/* ---- basics ---------------------------------- src/hotstream/basics.c ---- */

/* A test makes these tight. */
#ifndef HOTSTREAM_P_RESERVE
#define HOTSTREAM_P_RESERVE 8       /* free nodes with which the grammar counts as full */
#endif
#ifndef HOTSTREAM_P_HASH_BITS
#define HOTSTREAM_P_HASH_BITS 32    /* of a digram */
#endif
#ifdef HOTSTREAM_P_GNU
#define HOTSTREAM_P_INLINE static inline __attribute__((always_inline))
#define HOTSTREAM_P_RARE __attribute__((noinline))
#else
#define HOTSTREAM_P_INLINE static inline
#define HOTSTREAM_P_RARE
#endif


static void hotstream_p_zero(void *memory, size_t bytes) {
    unsigned char *at = (unsigned char *)memory;
    while (bytes--) *at++ = 0;
}

/* ---- counters that saturate -------------------------- src/saturate.c ---- */

static uint64_t hotstream_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

/* ---- the grammar ---------------------------- src/hotstream/grammar.c ---- */
/* One array of nodes {next, prev, symbol}; index 0 means none. A rule is a
   ring: a guard node, then its body. The guard's index is the rule's name. Rule
   1 is S, which stands for all that was fed.

       abcabc.      S (1) -> (5) -> (5) -> back to 1         5: guard, 2 uses     S = 5 5
                    5 -> a -> b -> c -> back to 5                                5 = a b c

   symbol    0 .. 2^31 - 2     a terminal: what was fed
             2^31 + g          a use of rule g
             3 * 2^30 - 1      a separator: references were left out here
             3 * 2^30 + r      a guard; r is the number of the rule's uses. While the cursor's
                               walk is flushed, its list counts as uses, too.
             7 * 2^29 + k      a guard during an analysis; k is the number of its rule
             2^32 - 1          a free node, linked through next

   A *digram* is two neighbours that are terminals or uses. It is named by its
   left node. Invariants, whenever no digram waits in `pending`:
     1  S, expanded, is what was fed.
     2  Every rule but S has two uses or more, and two body nodes or more.
     3  Two nodes with equal digrams are neighbours of each other (the overlap in aaa).
     4  The table has exactly one entry for each digram that occurs, naming a node that bears it.
     5  Separators stand in S only.
   1, 2 and 5 hold always. 3 and 4 hold while `dropped` is 0; after that an
   entry may be missing, but none is wrong. The table is suspended (`stale`) by
   an analysis, which uses its memory.

   An append costs amortised constant time: each step takes a node away or makes
   a rule. */

#define HOTSTREAM_P_USE       UINT32_C(0x80000000)
#define HOTSTREAM_P_SEPARATOR UINT32_C(0xBFFFFFFF)
#define HOTSTREAM_P_GUARD     UINT32_C(0xC0000000)
#define HOTSTREAM_P_NUMBERED  UINT32_C(0xE0000000)
#define HOTSTREAM_P_FREE      UINT32_C(0xFFFFFFFF)
#define HOTSTREAM_P_NONE      UINT32_C(0xFFFFFFFF)
#define HOTSTREAM_P_MOST      UINT32_C(0x10000000)      /* nodes */
#define HOTSTREAM_P_START     UINT32_C(1)               /* S */
#define HOTSTREAM_P_BASE      UINT64_C(0x9E3779B97F4A7C15)  /* of the hash of all that was fed */

HOTSTREAM_P_INLINE int hotstream_p_is_guard(uint32_t symbol) { return symbol >= HOTSTREAM_P_GUARD; }
HOTSTREAM_P_INLINE int hotstream_p_is_use(uint32_t symbol) {
    return symbol - HOTSTREAM_P_USE < HOTSTREAM_P_SEPARATOR - HOTSTREAM_P_USE;
}
HOTSTREAM_P_INLINE int hotstream_p_pairable(uint32_t a, uint32_t b) {
    return a < HOTSTREAM_P_SEPARATOR && b < HOTSTREAM_P_SEPARATOR;
}
HOTSTREAM_P_INLINE uint32_t *hotstream_p_uses(hotstream *h, uint32_t use) {
    return &h->nodes[use - HOTSTREAM_P_USE].symbol;
}
/* Is it a use of a rule that has so many? */
HOTSTREAM_P_INLINE int hotstream_p_used(hotstream *h, uint32_t symbol, uint32_t times) {
    return hotstream_p_is_use(symbol) && *hotstream_p_uses(h, symbol) == HOTSTREAM_P_GUARD + times;
}
HOTSTREAM_P_INLINE void hotstream_p_link(hotstream_p_node *n, uint32_t left, uint32_t right) {
    n[left].next = right;
    n[right].prev = left;
}
HOTSTREAM_P_INLINE void hotstream_p_count_use(hotstream *h, uint32_t symbol) {
    if (hotstream_p_is_use(symbol)) ++*hotstream_p_uses(h, symbol);
}
HOTSTREAM_P_INLINE void hotstream_p_drop(hotstream *h, uint32_t symbol) {
    if (hotstream_p_is_use(symbol)) --*hotstream_p_uses(h, symbol);
}

HOTSTREAM_P_INLINE uint32_t hotstream_p_take(hotstream *h, uint32_t symbol) {
    uint32_t i = h->free_list;
    if (i) h->free_list = h->nodes[i].next;
    else i = ++h->used;
    h->free_count--;
    h->nodes[i].symbol = symbol;
    return i;
}

HOTSTREAM_P_INLINE void hotstream_p_release(hotstream *h, uint32_t i) {
    uint32_t k;
    for (k = 0; k < h->pending_count; k++) {
        if (h->pending[k] == i) h->pending[k] = 0;
    }
    h->nodes[i].symbol = HOTSTREAM_P_FREE;
    h->nodes[i].next = h->free_list;
    h->free_list = i;
    h->free_count++;
}

HOTSTREAM_P_INLINE void hotstream_p_push(hotstream *h, uint32_t i) {
    if (h->pending_count == HOTSTREAM_PENDING) h->dropped++;
    else h->pending[h->pending_count++] = i;
}

/* ---- the table of digrams ------------------- src/hotstream/digrams.c ---- */
/* Linear probing; an entry that goes pulls later ones back. */

HOTSTREAM_P_INLINE uint32_t hotstream_p_hash(uint32_t a, uint32_t b) {
    uint64_t x = (a * HOTSTREAM_P_BASE + b) * UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(x >> 32) & ~(uint32_t)((UINT64_C(1) << (32 - HOTSTREAM_P_HASH_BITS)) - 1);
}

/* The place where a hash belongs among so many. */
HOTSTREAM_P_INLINE uint32_t hotstream_p_home(uint32_t hash, uint32_t places) {
    return (uint32_t)((uint64_t)hash * places >> 32);
}

/* The slot of digram (a, b), or the empty one where it would go. */
HOTSTREAM_P_INLINE hotstream_p_slot *hotstream_p_find(hotstream *h, uint32_t a, uint32_t b,
                                                      uint32_t hash) {
    const hotstream_p_node *n = h->nodes;
    hotstream_p_slot *slot = h->table + hotstream_p_home(hash, h->slots);
    const hotstream_p_slot *end = h->table + h->slots;
    while (slot->node) {
        if (slot->hash == hash && n[slot->node].symbol == a && n[n[slot->node].next].symbol == b) {
            break;
        }
        if (++slot == end) slot = h->table;
    }
    return slot;
}

static void hotstream_p_delete(hotstream *h, hotstream_p_slot *slot) {
    hotstream_p_slot *t = h->table;
    uint32_t i = (uint32_t)(slot - t), j = i, home, to_home, to_hole;
    for (;;) {
        if (++j == h->slots) j = 0;
        if (!t[j].node) break;
        home = hotstream_p_home(t[j].hash, h->slots);
        to_home = j >= home ? j - home : j + h->slots - home;
        to_hole = j >= i ? j - i : j + h->slots - i;
        if (to_home >= to_hole) {
            t[i] = t[j];
            i = j;
        }
    }
    t[i].node = 0;
}

/* The digram at i is about to be cut, and of its nodes the left or the right
   one stays. In aaa the twin that overlaps it takes its entry over. */
enum { HOTSTREAM_P_LEFT, HOTSTREAM_P_RIGHT };

HOTSTREAM_P_INLINE void hotstream_p_forget(hotstream *h, uint32_t i, int stays) {
    const hotstream_p_node *n = h->nodes;
    uint32_t j = n[i].next, a = n[i].symbol, b = n[j].symbol;
    hotstream_p_slot *slot;
    if (!hotstream_p_pairable(a, b)) return;
    slot = hotstream_p_find(h, a, b, hotstream_p_hash(a, b));
    if (slot->node != i) return;
    if (a == b && stays == HOTSTREAM_P_LEFT && n[n[i].prev].symbol == a) {
        slot->node = n[i].prev;
    } else if (a == b && stays == HOTSTREAM_P_RIGHT && n[n[j].next].symbol == a) {
        slot->node = j;
    } else {
        hotstream_p_delete(h, slot);
    }
}

/* ---- changing the grammar --------------------- src/hotstream/rules.c ---- */

/* The digram at i becomes one use of g. The table must not name i for that
   digram any more. */
static void hotstream_p_substitute(hotstream *h, uint32_t i, uint32_t g) {
    hotstream_p_node *n = h->nodes;
    uint32_t j = n[i].next;
    hotstream_p_forget(h, n[i].prev, HOTSTREAM_P_LEFT);
    hotstream_p_forget(h, j, HOTSTREAM_P_RIGHT);
    hotstream_p_drop(h, n[i].symbol);
    hotstream_p_drop(h, n[j].symbol);
    n[i].symbol = HOTSTREAM_P_USE + g;
    n[g].symbol++;
    hotstream_p_link(n, i, n[j].next);
    hotstream_p_release(h, j);
}

/* u is the only use of its rule: the body takes its place. Digrams inside keep
   their entries. */
static void hotstream_p_expand(hotstream *h, uint32_t u) {
    hotstream_p_node *n = h->nodes;
    uint32_t g = n[u].symbol - HOTSTREAM_P_USE, first = n[g].next, last = n[g].prev;
    uint32_t before = n[u].prev, after = n[u].next;
    hotstream_p_forget(h, before, HOTSTREAM_P_LEFT);
    hotstream_p_forget(h, u, HOTSTREAM_P_RIGHT);
    hotstream_p_link(n, before, first);
    hotstream_p_link(n, last, after);
    hotstream_p_release(h, u);
    hotstream_p_release(h, g);
    h->rules--;
    if (!hotstream_p_is_guard(n[before].symbol)) hotstream_p_push(h, before);
    if (!hotstream_p_is_guard(n[after].symbol)) hotstream_p_push(h, last);
}

/* Growing, the fast path for repeats: without it each symbol of a repeat makes
   a rule and expands the one before. Rule g is used exactly at i and m, and
   both uses are followed by b: g swallows b. (The mirror image is so rare that
   the general way below is as fast.) */
static void hotstream_p_grow(hotstream *h, uint32_t i, uint32_t m, hotstream_p_slot *slot) {
    hotstream_p_node *n = h->nodes;
    uint32_t j = n[i].next, k = n[m].next, b = n[j].symbol;
    uint32_t g = n[i].symbol - HOTSTREAM_P_USE, last = n[g].prev;
    hotstream_p_delete(h, slot);
    hotstream_p_forget(h, k, HOTSTREAM_P_RIGHT);
    hotstream_p_link(n, m, n[k].next);
    hotstream_p_forget(h, j, HOTSTREAM_P_RIGHT);
    hotstream_p_link(n, i, n[j].next);
    hotstream_p_release(h, j);
    hotstream_p_drop(h, b);
    hotstream_p_link(n, last, k);
    hotstream_p_link(n, k, g);
    hotstream_p_push(h, m);
    hotstream_p_push(h, i);
    hotstream_p_push(h, last);
    if (hotstream_p_used(h, b, 1)) hotstream_p_expand(h, k);
}

/* Is the digram at i the whole body of a rule? */
HOTSTREAM_P_INLINE int hotstream_p_whole(const hotstream_p_node *n, uint32_t i) {
    uint32_t g = n[i].prev;
    return hotstream_p_is_guard(n[g].symbol) && g != HOTSTREAM_P_START && n[n[i].next].next == g;
}

/* The digrams at i and m are equal and apart: a rule takes the place of
   both. */
static void hotstream_p_match(hotstream *h, uint32_t i, uint32_t m, hotstream_p_slot *slot) {
    hotstream_p_node *n = h->nodes;
    uint32_t a = n[i].symbol, b = n[n[i].next].symbol, g, left;
    int old_is_rule = hotstream_p_whole(n, m), new_is_rule = hotstream_p_whole(n, i);
    if (old_is_rule && new_is_rule) {           /* would leave a body of one; never seen */
        h->dropped++;
        return;
    }
    if (old_is_rule) {
        g = n[m].prev;
        hotstream_p_substitute(h, i, g);
        left = i;
    } else if (new_is_rule) {
        g = n[i].prev;
        slot->node = i;
        hotstream_p_substitute(h, m, g);
        left = m;
    } else if (hotstream_p_used(h, a, 2)) {
        hotstream_p_grow(h, i, m, slot);
        return;
    } else if (h->free_count < 3 + h->owed) {
        h->dropped++;
        return;
    } else {
        g = hotstream_p_take(h, HOTSTREAM_P_GUARD);
        slot->node = hotstream_p_take(h, a);    /* first: from now on the entry lives in the rule */
        left = hotstream_p_take(h, b);
        hotstream_p_link(n, g, slot->node);
        hotstream_p_link(n, slot->node, left);
        hotstream_p_link(n, left, g);
        hotstream_p_count_use(h, a);
        hotstream_p_count_use(h, b);
        h->rules++;
        hotstream_p_substitute(h, m, g);
        hotstream_p_push(h, m);
        hotstream_p_push(h, n[m].prev);
        hotstream_p_substitute(h, i, g);
        left = i;
    }
    if (!hotstream_p_is_guard(n[n[left].next].symbol)) hotstream_p_push(h, left);
    hotstream_p_push(h, n[left].prev);          /* last in, first out: the left one comes first */
    /* Only the first or the last symbol of g can have lost all uses but this
       one. */
    if (hotstream_p_used(h, n[n[g].next].symbol, 1)) hotstream_p_expand(h, n[g].next);
    if (hotstream_p_used(h, n[n[g].prev].symbol, 1)) hotstream_p_expand(h, n[g].prev);
}

static void hotstream_p_settle(hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    while (h->pending_count) {
        uint32_t i = h->pending[--h->pending_count], j = n[i].next, hash, m;
        uint32_t a = n[i].symbol, b = n[j].symbol;
        hotstream_p_slot *slot;
        if (!hotstream_p_pairable(a, b)) continue;
        hash = hotstream_p_hash(a, b);
        slot = hotstream_p_find(h, a, b, hash);
        m = slot->node;
        if (!m) {
            slot->hash = hash;
            slot->node = i;
        } else if (m != i && n[m].next != i && j != m) {    /* not itself, not the overlap of aaa */
            hotstream_p_match(h, i, m, slot);
        }
    }
}

/* A node at the end of S, whose digram the table does not know yet. */
HOTSTREAM_P_INLINE void hotstream_p_put_last(hotstream *h, uint32_t last, uint32_t symbol) {
    uint32_t i = hotstream_p_take(h, symbol);
    hotstream_p_link(h->nodes, last, i);
    hotstream_p_link(h->nodes, i, HOTSTREAM_P_START);
}

/* A use is counted already: by the list of a flush. */
static void hotstream_p_append(hotstream *h, uint32_t symbol) {
    uint32_t last = h->nodes[HOTSTREAM_P_START].prev;
    hotstream_p_put_last(h, last, symbol);
    hotstream_p_push(h, last);
    hotstream_p_settle(h);
}

/* ---- the cursor ------------------------------ src/hotstream/cursor.c ---- */
/* Most input repeats what is known. While it does, nothing is appended: a
   cursor walks along an old occurrence, which starts at a node with the symbol
   of the last of S.

       at                         the next node to match, a terminal; 0: no cursor
       way[0] .. way[depth - 1]   the uses that it has descended through
       total                      symbols that a flush would append
       before[d]                  total when it descended through way[d]

   No node changes while the cursor is on. At a mismatch what was passed is
   appended, in pieces as large as they stand in the grammar. A node must be
   left for each of those and two for a rule, so the grammar counts as full when
   RESERVE + 2 * list_max are free. */

/* Returns 1 if the cursor stands on a symbol again. It does not when it met the
   end of S or of a rule that it entered midway (a guard), or a separator, or
   when it is too deep (a use). */
HOTSTREAM_P_INLINE int hotstream_p_step(hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    uint32_t depth = h->depth, next = n[h->at].next, total = h->total + 1;
    while (hotstream_p_is_guard(n[next].symbol) && depth) {             /* ascend */
        total = h->before[--depth] + 1;                     /* the rule counts as one symbol */
        next = n[h->way[depth]].next;
    }
    while (hotstream_p_is_use(n[next].symbol) && depth < HOTSTREAM_P_DEPTH) {     /* descend */
        h->way[depth] = next;
        h->before[depth++] = total;
        next = n[n[next].symbol - HOTSTREAM_P_USE].next;
    }
    h->depth = depth;
    h->total = total;
    h->at = next;
    return n[next].symbol < HOTSTREAM_P_USE;
}

/* The nodes first to end - 1 stand somewhere in the grammar, and they have
   matched; the last of S has the symbol of `first`. They become the body of a
   new rule, whose uses take their place and that of the last of S:

       .. p first .. q ..       S = .. first         p u q        S = .. u      u = first ..

   That is what appending them one by one leads to, since each new digram would
   be found where the one before it was, and the rule would grow by it. Here no
   node is made for any of them, and their digrams keep their entries. Returns 0
   if the rule would be another one, or would overlap its twin: then nothing has
   changed. */
static int hotstream_p_take_run(hotstream *h, uint32_t first, uint32_t end) {
    hotstream_p_node *n = h->nodes;
    uint32_t before = n[first].prev, stop = n[end].prev, last = n[HOTSTREAM_P_START].prev;
    uint32_t g, use;
    if (stop == first || stop == last || n[before].symbol == n[first].symbol ||
        n[stop].symbol == n[end].symbol ||
        (hotstream_p_is_guard(n[before].symbol) && hotstream_p_is_guard(n[end].symbol))) {
        return 0;
    }
    hotstream_p_forget(h, before, HOTSTREAM_P_LEFT);
    hotstream_p_forget(h, stop, HOTSTREAM_P_LEFT);
    g = hotstream_p_take(h, HOTSTREAM_P_GUARD + 2);
    use = hotstream_p_take(h, HOTSTREAM_P_USE + g);
    h->rules++;
    hotstream_p_link(n, before, use);
    hotstream_p_link(n, use, end);
    hotstream_p_link(n, g, first);
    hotstream_p_link(n, stop, g);
    if (!hotstream_p_is_guard(n[before].symbol)) hotstream_p_push(h, before);
    if (!hotstream_p_is_guard(n[end].symbol)) hotstream_p_push(h, use);
    before = n[last].prev;
    hotstream_p_forget(h, before, HOTSTREAM_P_LEFT);
    hotstream_p_drop(h, n[last].symbol);
    n[last].symbol = HOTSTREAM_P_USE + g;
    hotstream_p_push(h, before);
    if (hotstream_p_used(h, n[first].symbol, 1)) hotstream_p_expand(h, first);
    hotstream_p_settle(h);
    return 1;
}

/* Appends what the cursor has passed. The list is complete before the grammar
   changes, and counts as uses of its rules meanwhile, so that none of them is
   expanded or grown. What stands beside `start` becomes a rule as a whole, if
   it can. */
static void hotstream_p_flush(hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    uint32_t d, i, end, stop, count = 0, beside = 0;
    if (!h->at) return;
    i = n[h->start].next;
    end = h->depth ? h->way[0] : h->at;
    for (d = 0; d <= h->depth; d++) {
        stop = d < h->depth ? h->way[d] : h->at;
        while (i != stop) {
            h->list[count++] = n[i].symbol;
            hotstream_p_count_use(h, n[i].symbol);
            i = n[i].next;
        }
        if (d == 0) beside = count;
        if (d < h->depth) i = n[n[i].symbol - HOTSTREAM_P_USE].next;
    }
    h->at = 0;
    h->owed = count;
    if (hotstream_p_take_run(h, h->start, end)) {
        for (i = 0; i < beside; i++) hotstream_p_drop(h, h->list[i]);
        h->owed -= beside;
    } else {
        beside = 0;
    }
    for (i = beside; i < count; i++) {
        hotstream_p_append(h, h->list[i]);
        h->owed--;
    }
}

/* The last of S has become a use of a rule: the digram before it is looked at.
   Mostly the table does not know it, or it is the body of a rule of two, whose
   use then is the last of S. This is what settle does, without what it needs
   elsewhere: behind the last of S there is no digram to forget, and nothing is
   pending. */
static void hotstream_p_settle_last(hotstream *h) {
    hotstream_p_node *n = h->nodes;
    for (;;) {
        uint32_t last = n[HOTSTREAM_P_START].prev, i = n[last].prev, hash, m, g;
        uint32_t a = n[i].symbol, b = n[last].symbol;
        hotstream_p_slot *slot;
        if (!hotstream_p_pairable(a, b)) return;
        hash = hotstream_p_hash(a, b);
        slot = hotstream_p_find(h, a, b, hash);
        m = slot->node;
        if (!m) {
            slot->hash = hash;
            slot->node = i;
            return;
        }
        if (m == i || n[m].next == i || m == last) return;
        g = n[m].prev;
        if (!hotstream_p_is_guard(n[g].symbol) || g == HOTSTREAM_P_START ||
            n[n[m].next].next != g) {
            hotstream_p_push(h, i);
            hotstream_p_settle(h);
            return;
        }
        hotstream_p_forget(h, n[i].prev, HOTSTREAM_P_LEFT);
        hotstream_p_drop(h, a);
        hotstream_p_drop(h, b);
        n[i].symbol = HOTSTREAM_P_USE + g;
        n[g].symbol++;
        hotstream_p_link(n, i, HOTSTREAM_P_START);
        hotstream_p_release(h, last);
        if (hotstream_p_used(h, n[n[g].next].symbol, 1)) hotstream_p_expand(h, n[g].next);
        if (hotstream_p_used(h, n[n[g].prev].symbol, 1)) hotstream_p_expand(h, n[g].prev);
        hotstream_p_settle(h);
    }
}

/* All of g has matched, and its first symbol is the last of S: that becomes a
   use of g. */
static void hotstream_p_take_rule(hotstream *h, uint32_t g) {
    hotstream_p_node *n = h->nodes;
    uint32_t last = n[HOTSTREAM_P_START].prev;
    hotstream_p_forget(h, n[last].prev, HOTSTREAM_P_LEFT);
    hotstream_p_drop(h, n[last].symbol);
    n[last].symbol = HOTSTREAM_P_USE + g;
    n[g].symbol++;
    if (hotstream_p_used(h, n[n[g].next].symbol, 1)) {
        hotstream_p_expand(h, n[g].next);
        hotstream_p_settle(h);
    }
    hotstream_p_settle_last(h);
}

/* The cursor cannot go on from where a step has brought it, or its list is too
   long. */
HOTSTREAM_P_RARE static void hotstream_p_arrive(hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    uint32_t g = n[h->start].prev;
    if (hotstream_p_is_guard(n[h->at].symbol) && hotstream_p_is_guard(n[g].symbol) &&
        g != HOTSTREAM_P_START) {
        h->at = 0;
        hotstream_p_take_rule(h, g);
    } else {
        hotstream_p_flush(h);
    }
}

HOTSTREAM_P_INLINE void hotstream_p_taken(hotstream *h, uint32_t x) {
    h->hash = h->hash * HOTSTREAM_P_BASE + x + 1;
    h->count++;
}

static void hotstream_p_rebuild(hotstream *h);

/* A symbol that no cursor waits for, behind a separator if references were left
   out. */
HOTSTREAM_P_RARE static int hotstream_p_feed_other(hotstream *h, uint32_t x) {
    const hotstream_p_node *n = h->nodes;
    hotstream_p_slot *slot;
    uint32_t last, hash, m;
    if (h->at) hotstream_p_flush(h);
    if (h->stale) hotstream_p_rebuild(h);
    if (h->free_count < HOTSTREAM_P_RESERVE + 2 * h->list_max + h->separate) return -1;
    if (h->separate) {
        if (h->count) {
            hotstream_p_put_last(h, n[HOTSTREAM_P_START].prev, HOTSTREAM_P_SEPARATOR);
            h->hash = h->hash * HOTSTREAM_P_BASE + HOTSTREAM_P_SEPARATOR + 1;
        }
        h->bursts += h->count || h->taken;
        h->separate = 0;
    }
    hotstream_p_taken(h, x);
    last = n[HOTSTREAM_P_START].prev;
    if (hotstream_p_pairable(n[last].symbol, x)) {
        hash = hotstream_p_hash(n[last].symbol, x);
        slot = hotstream_p_find(h, n[last].symbol, x, hash);
        m = slot->node;
        if (!m) {                                           /* what append would do, sooner */
            slot->hash = hash;
            slot->node = last;
            hotstream_p_put_last(h, last, x);
            return 0;
        }
        if (h->list_max && m != last && n[m].next != last) {
            uint32_t behind = n[n[m].next].next, g = n[m].prev;
            if (hotstream_p_is_guard(n[behind].symbol)) {
                if (g == behind && g != HOTSTREAM_P_START) hotstream_p_take_rule(h, g);
                else hotstream_p_append(h, x);
                return 0;
            }
            h->start = m;
            h->at = n[m].next;
            h->depth = 0;
            h->total = 0;
            if (!hotstream_p_step(h)) hotstream_p_flush(h);
            return 0;
        }
    }
    hotstream_p_append(h, x);
    return 0;
}

HOTSTREAM_API int hotstream_feed(hotstream *h, uint32_t x) {
    if (x >= HOTSTREAM_SYMBOLS) return -1;
    if (h->nodes[h->at].symbol != x) return hotstream_p_feed_other(h, x);
    hotstream_p_taken(h, x);                                /* the walk began with nodes enough */
    if (!hotstream_p_step(h) || h->total >= h->list_max) hotstream_p_arrive(h);
    return 0;
}

/* ---- analysis ------------------------------ src/hotstream/analysis.c ---- */
/* Linear in the grammar, in the memory of the table of digrams:

     walk   Depth first from S, with a stack of frames. A finished rule gets the highest number
            left: 0 is S, and every rule comes before all that it uses. When a rule is finished, its
            length is known, and its uses stand, as numbers, in one flat array.
     pass   In the order of numbers. cold(k) is how often a walk of the parse tree that does not
            enter hot streams meets rule k. cold(S) = 1, and a rule that is not hot passes its cold
            on to each of its uses. Rule k is hot if it is not S, its length is within the limits,
            and its heat, length * cold, reaches the threshold. So the sum of heats is at most the
            symbols fed, and each heat is at most length times the occurrences without overlap.

   A rule that is too long hides the heat of parts that are too short. So its
   body is cut in *segments*, runs of neighbours within the length limits, which
   are streams of frequency cold(k) themselves.

   Example: abaabcabcabcabc, heat 8, lengths 2 to 7. S = AaCC, C = BB, B = Ac, A
   = ab.

       rule    length   cold   heat
       S         15       1            not a stream
       C          6       2     12     hot: passes nothing on
       B          3       0      0
       A          2       1      2     from S; below 8

   Walk and pass run in small steps, so that they can stop when a budget is used
   up. */

enum { HOTSTREAM_P_IDLE, HOTSTREAM_P_WALK, HOTSTREAM_P_PASS, HOTSTREAM_P_EMPTY };

typedef struct hotstream_p_frame {
    uint32_t rule, node, items, length;
} hotstream_p_frame;

/* The number of the rule that a use stands for. */
static uint32_t hotstream_p_rule_of(hotstream *h, uint32_t use) {
    return *hotstream_p_uses(h, use) - HOTSTREAM_P_NUMBERED;
}

/* The walk enters a rule. */
static void hotstream_p_walk_into(hotstream *h, uint32_t rule) {
    hotstream_p_frame *top = &h->walk[h->walk_depth++];
    top->rule = rule;
    top->node = h->nodes[rule].next;
    top->items = h->items_at;
    top->length = 0;
}

static void hotstream_p_walk_begin(hotstream *h) {
    void *memory = h->table, *end = h->table + h->slots;
    uint32_t rules;
    hotstream_p_flush(h);
    rules = h->rules + 1;
    h->stale = 1;
    h->rule_count = rules;
    h->finished = rules;
    h->cold = (uint64_t *)memory;                       /* half of it; the walk has both halves */
    h->walk = (hotstream_p_frame *)memory;
    h->rule_guard = (uint32_t *)(void *)(h->walk + rules);
    h->rule_length = h->rule_guard + rules;
    h->rule_start = h->rule_length + rules;
    h->flat = h->rule_start + rules;
    h->flat_used = 0;
    h->items_at = (uint32_t)((uint32_t *)end - h->flat);
    h->walk_depth = 0;
    hotstream_p_walk_into(h, HOTSTREAM_P_START);
}

/* The uses that the walk has met and whose rule is not finished stand at the
   end of `flat`, as the rules' guards, last met first; those of finished rules
   at its beginning, as numbers. */
static void hotstream_p_finish_rule(hotstream *h, const hotstream_p_frame *top) {
    uint32_t k = --h->finished, length = top->length, i;
    h->rule_guard[k] = top->rule;
    h->rule_start[k] = h->flat_used;
    for (i = top->items; i-- > h->items_at; ) {
        uint32_t child = h->nodes[h->flat[i]].symbol - HOTSTREAM_P_NUMBERED;
        h->flat[h->flat_used++] = child;
        length += h->rule_length[child];
        if (length < h->rule_length[child]) length = UINT32_MAX - HOTSTREAM_P_MOST;
    }
    h->items_at = top->items;
    h->rule_length[k] = length;
    h->nodes[top->rule].symbol = HOTSTREAM_P_NUMBERED + k;
}

/* Returns 1 when all rules are numbered. */
static int hotstream_p_walk_on(hotstream *h, uint64_t *steps) {
    const hotstream_p_node *n = h->nodes;
    while (h->walk_depth) {
        hotstream_p_frame *top = &h->walk[h->walk_depth - 1];
        uint32_t i = top->node, child = 0;
        while (!child && i != top->rule) {
            uint32_t symbol = n[i].symbol;
            if (*steps == 0) {
                top->node = i;
                return 0;
            }
            --*steps;
            if (hotstream_p_is_use(symbol)) {
                child = symbol - HOTSTREAM_P_USE;
                h->flat[--h->items_at] = child;
                if (n[child].symbol >= HOTSTREAM_P_NUMBERED) child = 0;
            } else {
                top->length += symbol != HOTSTREAM_P_SEPARATOR;
            }
            i = n[i].next;
        }
        top->node = i;
        if (!child) {
            hotstream_p_finish_rule(h, top);
            h->walk_depth--;
            continue;
        }
        if (h->walk_depth == h->rule_count) return 1;   /* a broken grammar */
        hotstream_p_walk_into(h, child);
    }
    return 1;
}

static void hotstream_p_pass_begin(hotstream *h) {
    h->rule = 0;
    h->flat_at = HOTSTREAM_P_NONE;
    h->covered = 0;
    hotstream_p_zero(h->cold, h->rule_count * sizeof *h->cold);
    h->cold[0] = 1;
}

/* Spells nodes first .. last into `spelled`. A stream of length L nests less
   than L deep. */
static void hotstream_p_spell(hotstream *h, uint32_t first, uint32_t last) {
    const hotstream_p_node *n = h->nodes;
    uint32_t depth = 0, i = first, length = 0;
    for (;;) {
        uint32_t symbol = n[i].symbol;
        if (hotstream_p_is_use(symbol) && depth < h->config.max_length) {
            h->spell_stack[depth++] = i;
            i = n[symbol - HOTSTREAM_P_USE].next;
            continue;
        }
        if (length < h->config.max_length) {
            hotstream_item *item = &h->spelled[length++];
            item->site = symbol;
            item->address = 0;
            if (h->references) *item = h->references[symbol];
            else if (h->config.item) *item = h->config.item(h->config.user, symbol);
        }
        while (depth && hotstream_p_is_guard(n[n[i].next].symbol)) i = h->spell_stack[--depth];
        if (depth == 0 && i == last) break;
        i = n[i].next;
    }
}

static uint64_t hotstream_p_signature(const hotstream_item *items, uint32_t length) {
    uint64_t s = length;
    uint32_t i;
    for (i = 0; i < length; i++) {
        s = (s ^ items[i].site) * UINT64_C(0x9E3779B97F4A7C15);
        s = (s ^ s >> 32) * UINT64_C(0xD6E8FEB86659FD93);
        s ^= s >> 29;
    }
    return s ? s : 1;
}

static void hotstream_p_report(hotstream *h, uint32_t first, uint32_t last, uint32_t length,
                               uint64_t frequency) {
    hotstream_stream stream;
    h->covered += length * frequency;
    if (!h->found) return;
    hotstream_p_spell(h, first, last);
    stream.items = h->spelled;
    stream.length = length;
    stream.frequency = frequency;
    stream.heat = length * frequency;
    stream.signature = hotstream_p_signature(h->spelled, length);
    h->found(h->found_user, &stream);
}

static void hotstream_p_segments(hotstream *h, uint32_t k) {
    const hotstream_p_node *n = h->nodes;
    const uint32_t least = h->config.min_length, most = h->config.max_length;
    uint32_t g = h->rule_guard[k], i = n[g].next, first = 0, last = 0, length = 0;
    for (;; i = n[i].next) {
        uint32_t symbol = n[i].symbol, c = 1;
        int ends;
        if (hotstream_p_is_use(symbol)) c = h->rule_length[hotstream_p_rule_of(h, symbol)];
        ends = i == g || c >= least;                        /* a long child speaks for itself */
        if (ends || length + c > most) {
            if (length >= least && length * h->cold[k] >= h->threshold) {
                uint32_t s = first;
                hotstream_p_report(h, first, last, length, h->cold[k]);
                for (;; s = n[s].next) {
                    if (hotstream_p_is_use(n[s].symbol)) {
                        h->cold[hotstream_p_rule_of(h, n[s].symbol)] -= h->cold[k];
                    }
                    if (s == last) break;
                }
            }
            first = 0;
            length = 0;
        }
        if (i == g) break;
        if (ends) continue;
        if (!first) first = i;
        last = i;
        length += c;
    }
}

/* Returns 1 when all streams are found. */
static int hotstream_p_pass_on(hotstream *h, uint64_t *steps) {
    for (; h->rule < h->rule_count; h->rule++, h->flat_at = HOTSTREAM_P_NONE) {
        uint32_t k = h->rule, end = k ? h->rule_start[k - 1] : h->flat_used, at;
        uint32_t length = h->rule_length[k], g = h->rule_guard[k];
        uint64_t cold = h->cold[k];
        if (h->flat_at == HOTSTREAM_P_NONE) {
            h->flat_at = h->rule_start[k];
            if (k && length >= h->config.min_length && length <= h->config.max_length && cold &&
                length * cold >= h->threshold) {
                hotstream_p_report(h, h->nodes[g].next, h->nodes[g].prev, length, cold);
                *steps -= *steps < length ? *steps : length;
                h->flat_at = end;
            }
            if (!cold) h->flat_at = end;
        }
        at = h->flat_at;
        while (at < end && *steps) {
            h->cold[h->flat[at++]] += cold;
            --*steps;
        }
        h->flat_at = at;
        if (at < end || *steps == 0) return 0;
        --*steps;
        if (h->segments && k && length > h->config.max_length && cold >= 2) {
            hotstream_p_segments(h, k);
        }
    }
    return 1;
}

/* After an analysis: makes the grammar as it was before, and the table anew. */
static void hotstream_p_rebuild(hotstream *h) {
    hotstream_p_node *n = h->nodes;
    uint32_t i;
    h->stale = 0;
    hotstream_p_zero(h->table, h->slots * sizeof *h->table);
    for (i = 1; i <= h->used; i++) {
        if (n[i].symbol != HOTSTREAM_P_FREE && n[i].symbol >= HOTSTREAM_P_GUARD) {
            n[i].symbol = HOTSTREAM_P_GUARD + (i == HOTSTREAM_P_START);
        }
    }
    for (i = 1; i <= h->used; i++) {
        uint32_t a = n[i].symbol, b, hash;
        hotstream_p_slot *slot;
        if (a >= HOTSTREAM_P_GUARD) continue;
        hotstream_p_count_use(h, a);
        b = n[n[i].next].symbol;
        if (!hotstream_p_pairable(a, b)) continue;
        hash = hotstream_p_hash(a, b);
        slot = hotstream_p_find(h, a, b, hash);
        if (slot->node && slot->node != n[i].next) continue;
        slot->hash = hash;
        slot->node = i;                                 /* of aaa the left: appending wants it */
    }
}

/* Begins anew in memory that is all zero where it must be. */
static void hotstream_p_empty(hotstream *h) {
    uint32_t in_use = h->capacity - h->free_count;
    if (in_use > h->peak) h->peak = in_use;
    h->used = 0;
    h->free_list = 0;
    h->free_count = h->capacity;
    h->rules = 0;
    h->pending_count = 0;
    h->at = 0;
    h->owed = 0;
    h->stale = 0;
    h->count = 0;
    h->hash = 0;
    h->reference_count = 0;
    h->nodes[0].symbol = HOTSTREAM_P_FREE;      /* equal to no symbol that comes; not pairable */
    h->nodes[0].next = 0;
    hotstream_p_take(h, HOTSTREAM_P_GUARD + 1);
    hotstream_p_link(h->nodes, HOTSTREAM_P_START, HOTSTREAM_P_START);
}

static uint32_t hotstream_p_reference_places(const hotstream *h) {
    return h->config.references_max + h->config.references_max / 2;
}

/* Empties the table of digrams, and that of references, which follows it; in
   steps of 512 bytes. Returns 1 when both are empty. */
static int hotstream_p_clear_on(hotstream *h, uint64_t *steps) {
    unsigned char *table = (unsigned char *)h->table;
    while (h->cleared < h->clear_bytes && *steps) {
        size_t left = h->clear_bytes - h->cleared, now = left < 512 ? left : 512;
        hotstream_p_zero(table + h->cleared, now);
        h->cleared += now;
        --*steps;
    }
    if (h->cleared < h->clear_bytes) return 0;
    h->taken += h->count;
    h->digests++;
    hotstream_p_empty(h);
    return 1;
}

static void hotstream_p_keep(void *user, const hotstream_stream *stream);

/* Goes on with a digest. Returns 1 when it is done. */
static int hotstream_p_digest_on(hotstream *h, uint64_t *steps) {
    if (h->phase == HOTSTREAM_P_WALK && hotstream_p_walk_on(h, steps)) {
        h->threshold = h->config.heat_min;
        h->segments = !h->config.whole_rules;
        h->found = hotstream_p_keep;
        h->found_user = h;
        hotstream_p_pass_begin(h);
        h->phase = HOTSTREAM_P_PASS;
    }
    if (h->phase == HOTSTREAM_P_PASS && hotstream_p_pass_on(h, steps)) {
        h->cleared = 0;
        h->phase = HOTSTREAM_P_EMPTY;
    }
    if (h->phase == HOTSTREAM_P_EMPTY && hotstream_p_clear_on(h, steps)) {
        h->phase = HOTSTREAM_P_IDLE;
    }
    return h->phase == HOTSTREAM_P_IDLE;
}

/* Ends what hotstream_work has begun, so that the grammar stands. */
static void hotstream_p_stand(hotstream *h) {
    uint64_t steps = UINT64_MAX;
    if (h->phase != HOTSTREAM_P_IDLE) hotstream_p_digest_on(h, &steps);
    if (h->buffer) hotstream_work(h, 0);
    hotstream_p_flush(h);
    if (h->stale) hotstream_p_rebuild(h);
}

static void hotstream_p_begin_analysis(hotstream *h) {
    uint64_t steps = UINT64_MAX;
    hotstream_p_stand(h);
    hotstream_p_walk_begin(h);
    hotstream_p_walk_on(h, &steps);
}

static uint64_t hotstream_p_covered(hotstream *h, uint64_t heat) {
    uint64_t steps = UINT64_MAX;
    h->threshold = heat;
    hotstream_p_pass_begin(h);
    hotstream_p_pass_on(h, &steps);
    return h->covered;
}

HOTSTREAM_API uint64_t hotstream_analyse(hotstream *h, uint64_t heat, int segments,
                                         hotstream_found_fn found, void *user) {
    hotstream_p_begin_analysis(h);
    h->segments = segments != 0;
    h->found = found;
    h->found_user = user;
    return hotstream_p_covered(h, heat);
}

HOTSTREAM_API uint64_t hotstream_threshold(hotstream *h, double coverage, int segments) {
    uint64_t low = 2 * (uint64_t)h->config.min_length, high, middle, wanted;
    hotstream_p_begin_analysis(h);
    high = h->count + 1;
    wanted = (uint64_t)(coverage * (double)h->count);
    h->segments = segments != 0;
    h->found = NULL;
    if (hotstream_p_covered(h, low) < wanted) return low;
    while (high > low + 1) {
        middle = low + (high - low) / 2;
        if (hotstream_p_covered(h, middle) >= wanted) low = middle;
        else high = middle;
    }
    return low;
}

/* ---- the profile ---------------------------- src/hotstream/profile.c ---- */
/* Streams of all digests, found by signature in an open hash table. Entries
   stand in the order of their items, but while an answer sorts them. */

static uint32_t hotstream_p_entry_places(const hotstream *h) {
    return h->config.streams_max + h->config.streams_max / 2 + 1;
}

/* The place of a signature, or the empty one where it would go. */
static uint32_t *hotstream_p_entry_find(hotstream *h, uint64_t signature) {
    uint32_t places = hotstream_p_entry_places(h);
    uint32_t at = hotstream_p_home((uint32_t)(signature >> 32), places);
    while (h->entry_slots[at] && h->entries[h->entry_slots[at] - 1].signature != signature) {
        if (++at == places) at = 0;
    }
    return &h->entry_slots[at];
}

/* Hottest first; by signature among equals, so that the order depends on
   nothing else. */
static int hotstream_p_by_heat(const hotstream_stream *a, const hotstream_stream *b) {
    return a->heat != b->heat ? a->heat > b->heat : a->signature < b->signature;
}
static int hotstream_p_by_place(const hotstream_stream *a, const hotstream_stream *b) {
    return a->items < b->items;
}

/* Shellsort with the gaps of Gonnet and Baeza-Yates: no recursion, no
   memory. */
static void hotstream_p_sort(hotstream_stream *e, uint32_t count,
                             int (*before)(const hotstream_stream *, const hotstream_stream *)) {
    uint32_t gap = count, i, k;
    while (gap > 1) {
        gap = gap < 5 ? 1 : (uint32_t)(((uint64_t)gap * 5 - 1) / 11);
        for (i = gap; i < count; i++) {
            hotstream_stream moved = e[i];
            for (k = i; k >= gap && before(&moved, &e[k - gap]); k -= gap) e[k] = e[k - gap];
            e[k] = moved;
        }
    }
}

static uint32_t hotstream_p_octave(uint64_t heat) {
    uint32_t octave = 0;
    while (heat >>= 1) octave++;
    return octave;
}

/* Gives up the colder half: whole octaves of heat, and of the octave in between
   the last ones. */
static void hotstream_p_evict(hotstream *h) {
    uint32_t counts[64], i, k, octave = 63, kept = 0, at = 0, room = h->entry_count / 2;
    hotstream_p_zero(counts, sizeof counts);
    for (i = 0; i < h->entry_count; i++) counts[hotstream_p_octave(h->entries[i].heat)]++;
    while (octave && counts[octave] <= room) room -= counts[octave--];
    for (i = 0; i < h->entry_count; i++) {
        hotstream_stream e = h->entries[i];
        uint32_t its = hotstream_p_octave(e.heat);
        if (its < octave || (its == octave && room-- == 0)) {
            room += its == octave;
            h->heat -= e.heat;
            h->heat_lost = hotstream_p_sat_add(h->heat_lost, e.heat);
            continue;
        }
        for (k = 0; k < e.length; k++) h->items[at + k] = e.items[k];
        e.items = h->items + at;
        at += e.length;
        h->entries[kept++] = e;
    }
    h->entry_count = kept;
    h->item_count = at;
    hotstream_p_zero(h->entry_slots, hotstream_p_entry_places(h) * sizeof *h->entry_slots);
    for (i = 0; i < kept; i++) *hotstream_p_entry_find(h, h->entries[i].signature) = i + 1;
}

static void hotstream_p_keep(void *user, const hotstream_stream *stream) {
    hotstream *h = (hotstream *)user;
    uint32_t *slot = hotstream_p_entry_find(h, stream->signature), k;
    hotstream_stream *e;
    if (stream->length > h->item_max) {                     /* of a merged object */
        h->heat_lost = hotstream_p_sat_add(h->heat_lost, stream->heat);
        return;
    }
    if (!*slot) {
        while (h->entry_count == h->config.streams_max ||
               h->item_max - h->item_count < stream->length) {
            hotstream_p_evict(h);
        }
        slot = hotstream_p_entry_find(h, stream->signature);
        e = &h->entries[h->entry_count++];
        *slot = h->entry_count;
        *e = *stream;
        e->frequency = 0;
        e->heat = 0;
        e->items = h->items + h->item_count;
        for (k = 0; k < stream->length; k++) h->items[h->item_count++] = stream->items[k];
    }
    e = &h->entries[*slot - 1];
    e->frequency = hotstream_p_sat_add(e->frequency, stream->frequency);
    e->heat = hotstream_p_sat_add(e->heat, stream->heat);
    h->heat = hotstream_p_sat_add(h->heat, stream->heat);
}

HOTSTREAM_API void hotstream_digest(hotstream *h) {
    uint64_t steps = UINT64_MAX;
    hotstream_p_stand(h);
    if (h->count == 0) return;
    hotstream_p_walk_begin(h);
    h->phase = HOTSTREAM_P_WALK;
    hotstream_p_digest_on(h, &steps);
}

HOTSTREAM_API size_t hotstream_top(hotstream *h, hotstream_stream *rows, size_t max) {
    uint64_t wanted, held = 0;
    uint32_t i;
    hotstream_digest(h);
    hotstream_p_sort(h->entries, h->entry_count, hotstream_p_by_heat);
    wanted = (uint64_t)(h->config.coverage * (double)h->taken);
    for (i = 0; i < h->entry_count && i < max && held < wanted; i++) {
        held = hotstream_p_sat_add(held, h->entries[i].heat);
        rows[i] = h->entries[i];
    }
    hotstream_p_sort(h->entries, h->entry_count, hotstream_p_by_place);
    return i;
}

HOTSTREAM_API void hotstream_merge(hotstream *x, hotstream *y) {
    uint32_t i;
    hotstream_digest(x);
    hotstream_digest(y);
    for (i = 0; i < y->entry_count; i++) hotstream_p_keep(x, &y->entries[i]);
    x->taken = hotstream_p_sat_add(x->taken, y->taken);
    x->lost_before = hotstream_p_sat_add(x->lost_before, y->lost_before);
    x->lost_before = hotstream_p_sat_add(x->lost_before, HOTSTREAM_P_READ(y->lost));
    x->bursts = hotstream_p_sat_add(x->bursts, y->bursts);
    x->digests = hotstream_p_sat_add(x->digests, y->digests);
    x->dropped = hotstream_p_sat_add(x->dropped, y->dropped);
    x->heat_lost = hotstream_p_sat_add(x->heat_lost, y->heat_lost);
}

/* ---- references -------------------------- src/hotstream/references.c ---- */
/* They are numbered as they come, anew after each digest. */

/* The number of a reference, or HOTSTREAM_P_NONE if there is no room for a new
   one. */
HOTSTREAM_P_INLINE uint32_t hotstream_p_number(hotstream *h, const hotstream_item *item) {
    uint64_t mixed = (item->address * UINT64_C(0xD6E8FEB86659FD93)) ^ item->site;
    uint32_t places = hotstream_p_reference_places(h), at, i;
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    at = hotstream_p_home((uint32_t)(mixed >> 32), places);
    while ((i = h->reference_slots[at]) != 0) {
        const hotstream_item *known = &h->references[i - 1];
        if (known->site == item->site && known->address == item->address) return i - 1;
        if (++at == places) at = 0;
    }
    if (h->reference_count == h->config.references_max) return HOTSTREAM_P_NONE;
    h->references[h->reference_count] = *item;
    h->reference_slots[at] = ++h->reference_count;
    return h->reference_count - 1;
}

HOTSTREAM_API void hotstream_burst(hotstream *h) {
    if (h->buffer) {
        hotstream_record(h, 0, 0);
    } else {
        hotstream_p_flush(h);
        h->separate = 1;
    }
}

/* The buffer is a ring; put and got count for ever, modulo 2^32. */
HOTSTREAM_API int hotstream_p_make_room(hotstream *h) {
    uint32_t need = 1 + h->gap, got = HOTSTREAM_P_READ(h->got);
    if (!h->buffer) return 0;
    if (h->mask + 1 - (h->put - got) < need) {
        if (h->config.deferred) {
            if (h->lost < UINT32_MAX) HOTSTREAM_P_PUBLISH(h->lost, h->lost + 1);
            h->gap = 1;
            return 0;
        }
        hotstream_work(h, 0);
        got = h->got;
    }
    h->put_limit = got + h->mask + 1;
    if (h->gap) {                                           /* what was lost parts two bursts */
        h->buffer[h->put & h->mask].site = 0;
        HOTSTREAM_P_PUBLISH(h->put, h->put + 1);
        h->gap = 0;
    }
    return 1;
}

/* Takes references from the buffer. Returns 1 if the buffer is empty. */
static int hotstream_p_drain(hotstream *h, uint64_t *steps) {
    uint32_t end = HOTSTREAM_P_READ(h->put), got = h->got;
    for (; got != end && *steps && h->phase == HOTSTREAM_P_IDLE; --*steps) {
        const hotstream_item *item = &h->buffer[got & h->mask];
        uint32_t x;
        if (item->site == 0) {
            hotstream_p_flush(h);
            h->separate = 1;
            got++;
            continue;
        }
        x = hotstream_p_number(h, item);
        if (x == HOTSTREAM_P_NONE || hotstream_feed(h, x) != 0) {
            hotstream_p_walk_begin(h);
            h->phase = HOTSTREAM_P_WALK;
        } else {
            got++;
        }
    }
    HOTSTREAM_P_PUBLISH(h->got, got);
    return got == end;
}

#define HOTSTREAM_P_SLICE UINT64_C(256)     /* steps between two looks at the clock */

HOTSTREAM_API int hotstream_work(hotstream *h, uint64_t budget) {
    uint64_t (*clock)(void *) = budget ? h->config.clock : NULL, steps, given;
    uint64_t start = clock ? clock(h->config.user) : 0;
    for (;;) {
        given = budget && (clock || budget > HOTSTREAM_P_SLICE) ? HOTSTREAM_P_SLICE : budget;
        steps = given ? given : UINT64_MAX;
        if (h->phase != HOTSTREAM_P_IDLE) hotstream_p_digest_on(h, &steps);
        if (h->phase == HOTSTREAM_P_IDLE) {
            if (!h->buffer || hotstream_p_drain(h, &steps)) return 0;
        }
        if (clock && clock(h->config.user) - start >= budget) return 1;
        if (!clock && budget) {
            budget -= given;
            if (!budget) return 1;
        }
    }
}

HOTSTREAM_API void hotstream_get_stats(const hotstream *h, hotstream_stats *out) {
    uint32_t in_use = h->capacity - h->free_count;
    out->references = hotstream_p_sat_add(h->taken, h->count);
    out->lost = hotstream_p_sat_add(h->lost_before, HOTSTREAM_P_READ(h->lost));
    out->bursts = h->bursts;
    out->symbols = h->count;
    out->digests = h->digests;
    out->dropped = h->dropped;
    out->heat = h->heat;
    out->heat_lost = h->heat_lost;
    out->nodes = in_use;
    out->rules = h->rules + 1;
    out->nodes_peak = in_use > h->peak ? in_use : h->peak;
    out->node_count = h->capacity;
    out->references_max = h->references ? h->config.references_max : 0;
    out->buffer_count = h->buffer ? h->mask + 1 : 0;
    out->streams_max = h->config.streams_max;
    out->streams = h->entry_count;
    out->different = h->reference_count;
    out->bytes = h->bytes;
}

/* ---- laying out the memory ------------------- src/hotstream/memory.c ---- */

static uint32_t hotstream_p_choose(uint32_t value, uint32_t zero, uint32_t least, uint32_t most) {
    if (value == 0) value = zero;
    return value < least ? least : value > most ? most : value;
}

static void *hotstream_p_place(unsigned char *base, uint64_t *at, uint64_t count, size_t size) {
    void *here = base ? base + *at : NULL;
    *at = (*at + count * size + 7) & ~(uint64_t)7;
    return here;
}

#define HOTSTREAM_P_PLACE(type_, field_, count_) \
    h->field_ = (type_ *)hotstream_p_place(base, &at, count_, sizeof(type_))

/* Sets all pointers and sizes for so many nodes; base NULL: only counts.
   Returns the bytes. */
static uint64_t hotstream_p_layout(hotstream *h, unsigned char *base, uint32_t nodes,
                                   const hotstream_config *config) {
    const uint32_t most = HOTSTREAM_P_MOST;
    hotstream_config *c = &h->config;
    uint64_t at = 0;
    if (config) *c = *config;
    else hotstream_p_zero(c, sizeof *c);
    c->min_length = hotstream_p_choose(c->min_length, 10, 1, 1024);
    c->max_length = hotstream_p_choose(c->max_length,
                                       c->min_length > 10 ? 4 * c->min_length : 40, 1, 1024);
    if (c->min_length > c->max_length) c->min_length = c->max_length;
    if (!(c->coverage > 0)) c->coverage = 0.9;
    if (c->coverage > 1) c->coverage = 1;
    if (c->heat_min == 0) c->heat_min = 2 * (uint64_t)c->min_length;
    c->streams_max = hotstream_p_choose(c->streams_max, nodes < 512 ? 16 : nodes / 32, 1,
                                        most / 64);
    c->references_max = hotstream_p_choose(c->references_max, nodes / 4, 16, most);
    c->buffer_count = hotstream_p_choose(c->buffer_count, nodes / 16, 64, most);
    for (h->mask = 63; h->mask + 1 <= c->buffer_count / 2; ) h->mask = 2 * h->mask + 1;
    h->capacity = nodes;
    h->slots = nodes + nodes / 2 + 16;
    h->list_max = c->eager || nodes < 64 ? 0 : nodes < 8192 ? nodes / 16 : 512;
    h->item_max = 16 * c->streams_max + 4 * c->max_length;
    h->reference_slots = NULL;
    h->references = NULL;
    h->buffer = NULL;
    HOTSTREAM_P_PLACE(hotstream_p_slot, table, h->slots);
    if (!c->symbols) {
        HOTSTREAM_P_PLACE(uint32_t, reference_slots, hotstream_p_reference_places(h));
    }
    h->clear_bytes = (size_t)at;
    HOTSTREAM_P_PLACE(hotstream_p_node, nodes, (uint64_t)nodes + 1);
    HOTSTREAM_P_PLACE(hotstream_stream, entries, c->streams_max);
    HOTSTREAM_P_PLACE(hotstream_item, items, h->item_max);
    HOTSTREAM_P_PLACE(uint32_t, entry_slots, hotstream_p_entry_places(h));
    HOTSTREAM_P_PLACE(hotstream_item, spelled, c->max_length);
    HOTSTREAM_P_PLACE(uint32_t, spell_stack, c->max_length);
    HOTSTREAM_P_PLACE(uint32_t, list, h->list_max);
    if (!c->symbols) {
        HOTSTREAM_P_PLACE(hotstream_item, references, c->references_max);
        HOTSTREAM_P_PLACE(hotstream_item, buffer, (uint64_t)h->mask + 1);
    }
    return at;
}

HOTSTREAM_API size_t hotstream_bytes(const hotstream_config *config, uint32_t nodes) {
    hotstream h;
    uint64_t bytes = hotstream_p_layout(&h, NULL, nodes, config) + 7;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

HOTSTREAM_API uint32_t hotstream_init(hotstream *h, void *memory, size_t bytes,
                                      const hotstream_config *config) {
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 7;
    uint32_t nodes = 0, too_many = memory && bytes > skip ? HOTSTREAM_P_MOST : 1;
    hotstream_p_zero(h, sizeof *h);
    while (too_many - nodes > 1) {                          /* the most whose layout fits */
        uint32_t middle = nodes + (too_many - nodes) / 2;
        if (hotstream_p_layout(h, NULL, middle, config) <= bytes - skip) nodes = middle;
        else too_many = middle;
    }
    if (nodes < HOTSTREAM_P_RESERVE + 4) {
        hotstream_p_zero(h, sizeof *h);
        return 0;
    }
    h->bytes = (size_t)hotstream_p_layout(h, (unsigned char *)memory + skip, nodes, config);
    hotstream_p_zero(h->entry_slots, hotstream_p_entry_places(h) * sizeof *h->entry_slots);
    h->free_count = h->capacity;
    hotstream_p_zero(h->table, h->clear_bytes);
    hotstream_p_empty(h);
    return nodes;
}

/* ---- the self-check --------------------------- src/hotstream/check.c ---- */

/* Links and names of rules, which everything else follows. That each node is
   the `prev` of its `next` makes the other direction right, too. */
static uint64_t hotstream_p_check_links(const hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    uint32_t i;
    uint64_t bad = 0;
    for (i = 1; i <= h->used; i++) {
        uint32_t next = n[i].next, g = n[i].symbol - HOTSTREAM_P_USE;
        if (n[i].symbol == HOTSTREAM_P_FREE) continue;
        bad += next - 1 >= h->used || n[next].symbol == HOTSTREAM_P_FREE || n[next].prev != i;
        if (!hotstream_p_is_use(n[i].symbol)) continue;
        bad += g - 1 >= h->used || n[g].symbol == HOTSTREAM_P_FREE ||
               !hotstream_p_is_guard(n[g].symbol);
    }
    return bad;
}

/* Each digram against the table. */
static uint64_t hotstream_p_check_digrams(hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    uint32_t i, found = 0;
    uint64_t bad = 0;
    for (i = 1; i <= h->used; i++) {
        uint32_t a = n[i].symbol, b = n[n[i].next].symbol, m;
        if (!hotstream_p_pairable(a, b)) continue;
        m = hotstream_p_find(h, a, b, hotstream_p_hash(a, b))->node;
        found += m == i;
        if (h->dropped) continue;
        bad += m == 0 || (m != i && n[m].next != i && n[i].next != m);
    }
    for (i = 0; i < h->slots; i++) found -= h->table[i].node != 0;
    return bad + (found != 0);                              /* an entry that no digram finds */
}

/* Rings and numbers of uses, which are counted in the memory of the table. */
static uint64_t hotstream_p_check_rules(hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    uint32_t *counts = (uint32_t *)(void *)h->table, i, k, rules = 0, reached = 0, live = 0;
    uint64_t bad = 0;
    h->stale = 1;
    hotstream_p_zero(counts, ((size_t)h->used + 1) * sizeof *counts);
    for (i = 1; i <= h->used; i++) {
        live += n[i].symbol != HOTSTREAM_P_FREE;
        if (hotstream_p_is_use(n[i].symbol)) counts[n[i].symbol - HOTSTREAM_P_USE]++;
    }
    for (i = 1; i <= h->used; i++) {
        int is_start = i == HOTSTREAM_P_START;
        uint32_t length = 0;
        if (n[i].symbol == HOTSTREAM_P_FREE || !hotstream_p_is_guard(n[i].symbol)) continue;
        rules++;
        for (k = n[i].next; k != i && length <= h->used; k = n[k].next) {
            bad += n[k].symbol >= HOTSTREAM_P_SEPARATOR + (uint32_t)is_start;
            length++;
        }
        reached += length + 1;
        bad += n[i].symbol != HOTSTREAM_P_GUARD + counts[i] + (uint32_t)is_start;
        bad += !is_start && (length < 2 || counts[i] < 2);
    }
    bad += rules != h->rules + 1 || live != h->capacity - h->free_count;
    return bad + (reached != live);
}

/* The hash of what S stands for: that of a rule is x -> scale * x + sum. */
static uint64_t hotstream_p_check_meaning(hotstream *h) {
    const hotstream_p_node *n = h->nodes;
    uint64_t *sum, *scale, steps = UINT64_MAX;
    uint32_t k, i;
    hotstream_p_walk_begin(h);
    if (!hotstream_p_walk_on(h, &steps) || h->finished) return 1;
    sum = h->cold;
    scale = sum + h->rule_count;                            /* the walk's other half */
    for (k = h->rule_count; k-- > 0; ) {
        uint64_t add = 0, times = 1;
        for (i = n[h->rule_guard[k]].next; i != h->rule_guard[k]; i = n[i].next) {
            if (hotstream_p_is_use(n[i].symbol)) {
                uint32_t child = hotstream_p_rule_of(h, n[i].symbol);
                add = add * scale[child] + sum[child];
                times *= scale[child];
            } else {
                add = add * HOTSTREAM_P_BASE + n[i].symbol + 1;
                times *= HOTSTREAM_P_BASE;
            }
        }
        sum[k] = add;
        scale[k] = times;
    }
    if (h->count < UINT32_MAX && h->rule_length[0] != h->count) return 1;
    return sum[0] != h->hash;
}

HOTSTREAM_API uint64_t hotstream_check(hotstream *h) {
    uint64_t bad;
    hotstream_p_stand(h);
    bad = hotstream_p_check_links(h);
    if (!bad) bad = hotstream_p_check_digrams(h);
    if (!bad) bad = hotstream_p_check_rules(h);
    if (!bad) bad = hotstream_p_check_meaning(h);
    if (!bad) hotstream_p_rebuild(h);
    return bad;
}

#ifndef HOTSTREAM_NO_FILES

/* ---- writing a .brst part -------------------------------- src/part.c ---- */

/* CRC-32 (IEEE 802.3, reflected), four bits at a time. */
static uint32_t hotstream_p_crc32(uint32_t crc, const unsigned char *data, size_t size) {
    static const uint32_t nibble[16] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
        0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
        0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
        0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C
    };
    crc = ~crc;
    while (size--) {
        crc = nibble[(crc ^ *data) & 15] ^ crc >> 4;
        crc = nibble[(crc ^ (uint32_t)*data++ >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}

/* Writes a part of a .brst file (docs/formats.md): header, chunks, end. */
typedef struct hotstream_p_out {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int error; /* the first result of write that was not 0; nothing is written after it */
    uint32_t crc;
    uint64_t total;
    size_t used;
    unsigned char chunk[2 + 256 + 4];
} hotstream_p_out;

static void hotstream_p_little(unsigned char *at, uint64_t value, int bytes) {
    for (; bytes-- > 0; value >>= 8) *at++ = (unsigned char)(value & 255);
}

/* Writes chunk[0..size) and its checksum. */
static void hotstream_p_put_block(hotstream_p_out *out, size_t size) {
    out->crc = hotstream_p_crc32(out->crc, out->chunk, size);
    hotstream_p_little(out->chunk + size, out->crc, 4);
    if (!out->error) out->error = out->write(out->user, out->chunk, size + 4);
    out->used = 0;
}

static void hotstream_p_put_flush(hotstream_p_out *out) {
    if (out->used == 0) return;
    out->total += out->used;
    hotstream_p_little(out->chunk, out->used, 2);
    hotstream_p_put_block(out, 2 + out->used);
}

static void hotstream_p_put(hotstream_p_out *out, const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    while (size--) {
        out->chunk[2 + out->used++] = *byte++;
        if (out->used == 256) hotstream_p_put_flush(out);
    }
}

static void hotstream_p_put_varint(hotstream_p_out *out, uint64_t value) {
    unsigned char byte;
    do {
        byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
        hotstream_p_put(out, &byte, 1);
        value >>= 7;
    } while (value);
}

static void hotstream_p_put_begin(hotstream_p_out *out, uint32_t kind,
                               int (*write)(void *user, const void *data, size_t size),
                               void *user) {
    out->write = write;
    out->user = user;
    out->error = 0;
    out->crc = 0;
    out->total = 0;
    hotstream_p_little(out->chunk, UINT32_C(0x54535242), 4); /* "BRST" */
    hotstream_p_little(out->chunk + 4, 1, 2);
    hotstream_p_little(out->chunk + 6, kind, 2);
    hotstream_p_little(out->chunk + 8, 0, 4);
    hotstream_p_put_block(out, 12);
}

static int hotstream_p_put_end(hotstream_p_out *out) {
    hotstream_p_put_flush(out);
    hotstream_p_little(out->chunk, 0, 2);
    hotstream_p_little(out->chunk + 2, out->total, 8);
    hotstream_p_put_block(out, 10);
    return out->error;
}

/* ---- the dump ---------------------------------- src/hotstream/dump.c ---- */

static void hotstream_p_put_string(hotstream_p_out *out, const char *string) {
    size_t size = 0;
    while (string && string[size]) size++;
    hotstream_p_put_varint(out, size);
    hotstream_p_put(out, string, size);
}

/* A site's number if it was written before: found by the table of digrams,
   which is empty after a digest. A slot holds an item that bears the site, and
   the site's number. */
static int hotstream_p_known_site(hotstream *h, uint32_t item, uint32_t next, uint32_t *number) {
    uint64_t site = h->items[item].site, mixed = site * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = hotstream_p_home((uint32_t)((mixed ^ mixed >> 32) >> 16), h->slots);
    for (; h->table[at].node; at = at + 1 == h->slots ? 0 : at + 1) {
        if (h->items[h->table[at].node - 1].site == site) {
            *number = h->table[at].hash;
            return 1;
        }
    }
    if (next < h->slots / 2) {                          /* else it is written in full each time */
        h->table[at].node = item + 1;
        h->table[at].hash = next;
    }
    return 0;
}

static void hotstream_p_put_head(const hotstream *h, hotstream_p_out *out) {
    const hotstream_config *c = &h->config;
    const uint64_t numbers[] = {
        c->symbols ? 1u : 0u, c->min_length, c->max_length, (uint64_t)(c->coverage * 1e6 + .5),
        h->taken, hotstream_p_sat_add(h->lost_before, HOTSTREAM_P_READ(h->lost)), h->bursts,
        h->digests, h->dropped, h->heat_lost, h->entry_count
    };
    size_t i;
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        hotstream_p_put_varint(out, numbers[i]);
    }
}

HOTSTREAM_API int hotstream_write(hotstream *h, const char *title, hotstream_name_fn name,
                                  void *name_user, hotstream_write_fn write, void *user) {
    hotstream_p_out out;
    uint32_t i, k, number, next = 0;
    hotstream_digest(h);
    hotstream_p_sort(h->entries, h->entry_count, hotstream_p_by_heat);
    hotstream_p_put_begin(&out, 5, write, user);
    hotstream_p_put_varint(&out, 1);
    hotstream_p_put_string(&out, title);
    hotstream_p_put_head(h, &out);
    for (i = 0; i < h->entry_count; i++) {
        const hotstream_stream *e = &h->entries[i];
        hotstream_p_put_varint(&out, e->length);
        hotstream_p_put_varint(&out, e->frequency);
        for (k = 0; k < e->length; k++) {
            const hotstream_item *item = &e->items[k];
            if (hotstream_p_known_site(h, (uint32_t)(item - h->items), next, &number)) {
                hotstream_p_put_varint(&out, (uint64_t)number + 1);
            } else {
                hotstream_p_put_varint(&out, 0);
                hotstream_p_put_varint(&out, item->site);
                hotstream_p_put_string(&out, name ? name(name_user, item->site) : NULL);
                next++;
            }
            hotstream_p_put_varint(&out, item->address);
        }
    }
    hotstream_p_zero(h->table, h->slots * sizeof *h->table);
    hotstream_p_sort(h->entries, h->entry_count, hotstream_p_by_place);
    return hotstream_p_put_end(&out) ? -1 : 0;
}

#endif /* HOTSTREAM_NO_FILES */
#endif /* HOTSTREAM_IMPLEMENTATION */

/* MIT License

   Copyright (c) 2026 the bursty authors

   Permission is hereby granted, free of charge, to any person obtaining a
   copy of this software and associated documentation files (the "Software"),
   to deal in the Software without restriction, including without limitation
   the rights to use, copy, modify, merge, publish, distribute, sublicense,
   and/or sell copies of the Software, and to permit persons to whom the
   Software is furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in
   all copies or substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
   IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
   FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL
   THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
   LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING
   FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
   DEALINGS IN THE SOFTWARE. */
