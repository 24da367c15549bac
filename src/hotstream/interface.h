/* ---- types ---- */

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
