/* hcct.h - v0.1.0 - the hot calling contexts of a program in fixed memory, with bounds - MIT, text at end of file

   example:
       #define HCCT_IMPLEMENTATION
       #include "hcct.h"
       #include <stdio.h>
       static uint64_t memory[4096];                          // 32 KiB: some 800 contexts
       static const char *name(void *user, uint32_t key) { return ((const char **)user)[key]; }
       static int out(void *file, const void *data, size_t size) { return fwrite(data, 1, size, (FILE *)file) != size; }
       int main(void) {
           const char *names[] = {"", "main", "update", "draw"};
           hcct tree;
           hcct_init(&tree, memory, sizeof memory, NULL);
           hcct_enter(&tree, 1, 1);                           // main was called once
           for (int i = 0; i < 100; i++) { hcct_enter(&tree, i % 4 ? 2 : 3, 1); hcct_leave(&tree); }
           return hcct_write_collapsed(&tree, name, (void *)names, out, stdout);
       }
   end of example.

   A calling context is the path of calls from the root to the running function; a key is your 32-bit number, not 0, for
   one function or call site. A tree counts what you credit to contexts: calls, nanoseconds, bytes. In a bounded arena it
   keeps the hot ones and the way to them, and knows for each a lower and an upper bound of its true weight. For every
   context that it does not know, `base` (hcct_get_stats) bounds the weight: base / N is the effective epsilon.

       one thread, all calls        hcct_enter, hcct_leave
       time or bytes                hcct_enter(t, key, 0), then hcct_add(t, weight) while there
       the answer                   hcct_hot (rows, hottest first), hcct_next (walk), hcct_write_collapsed (flame graph)
       dump for the host tool       hcct_write; back with hcct_load; runs and threads join by hcct_merge
       longjmp, exceptions          hcct_mark before, hcct_unwind after; or hcct_enter_at / hcct_leave_at with frame
                                    addresses; or hcct_leave_key, which climbs to the frame that it names
       coroutines                   hcct_fiber_start, hcct_fiber_switch, hcct_fiber_end
       tail call                    hcct_leave, then hcct_enter
       a share of the run only      hcct_burst_begin with your stack of keys, events, hcct_burst_end

   PROMISES   No allocation, no recursion, no abort, no output, no globals. Queries change no answer and can run at any
              event. A full arena is normal: contexts are given up, the bounds say what that costs. Counters saturate.
   THREADS    A tree belongs to one thread at a time; give each thread its own and join them with hcct_merge.
   OPTIONS    Where the implementation is: HCCT_STATIC (all functions static), HCCT_ASSERT(x) (default: nothing),
              HCCT_ALGORITHMS (mask of 1 << HCCT_SPACE_SAVING ...; default all), HCCT_SAMPLE (counts sampled on the stack
              for a quantile; default 256), HCCT_INSTRUMENT_FUNCTIONS (hosted: see the end of the implementation).

   Nodes take 32 bytes (20 in a full tree, 44 in the bucket baseline) and 5.4 of lookup tables. Theory: "Mining Hot Calling
   Contexts in Small Space" (PLDI 2011), whose section numbers stand beside the algorithms. */

#ifndef HCCT_H
#define HCCT_H
#include <stddef.h>
#include <stdint.h>

#ifndef HCCT_API
#if defined(HCCT_STATIC) && defined(__GNUC__)
#define HCCT_API __attribute__((unused)) static
#elif defined(HCCT_STATIC)
#define HCCT_API static
#else
#define HCCT_API extern
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {                          /* config.algorithm */
    HCCT_SPACE_SAVING = 0,      /* M contexts, minima evicted in sweeps: the one to use        */
    HCCT_LAZY         = 1,      /* the paper's lazy Space-Saving: minima evicted one by one    */
    HCCT_BUCKET       = 2,      /* Space-Saving with the ordered bucket list, as a yardstick   */
    HCCT_LOSSY        = 3,      /* Lossy Counting: contexts below epsilon N are dropped        */
    HCCT_STICKY       = 4,      /* Sticky Sampling: bounds hold with chance 1 - delta          */
    HCCT_FULL         = 5       /* every context, exact, while the arena lasts                 */
};
#define HCCT_KEY_DEEP UINT32_MAX        /* reserved key: "frames above here are not known" */

typedef int (*hcct_write_fn)(void *user, const void *data, size_t size);    /* 0: go on; else: stop and return it */
typedef const char *(*hcct_name_fn)(void *user, uint32_t key);              /* NULL: this key has no name         */

typedef struct hcct_mark  { uint32_t cursor, over, cut, returns, depth; } hcct_mark;
typedef struct hcct_frame { uintptr_t address; uint32_t key; hcct_mark before; } hcct_frame;
typedef struct hcct_fiber {             /* yours to hold, the tree's to look into */
    hcct_mark at;
    hcct_frame *frames; uint32_t frame_count, frame_max;
    uint32_t *returns;  uint32_t return_max;
    struct hcct_fiber *next;
} hcct_fiber;

typedef struct hcct_config {            /* every zero is a default */
    uint32_t algorithm;                 /* HCCT_SPACE_SAVING                                                    */
    uint32_t monitored;                 /* M, contexts that are counted: 3/4 of the nodes that fit              */
    uint32_t one_over_epsilon;          /* Lossy, Sticky: M                                                     */
    uint32_t one_over_phi;              /* Sticky: one_over_epsilon / 5                                         */
    uint32_t one_over_delta;            /* Sticky: 100                                                          */
    uint32_t depth_limit;               /* deeper weight is `cut`: no limit                                     */
    uint32_t fold;                      /* recursion: look for the key at the cursor and fold - 1 callers: off  */
    uint32_t *returns, return_count;    /* lent for fold: one word per open call                                */
    hcct_frame *frames; uint32_t frame_count;   /* lent for hcct_enter_at: one per open call                    */
    uint32_t history, reenable;         /* adaptive bursts: signatures kept; k: a known stack bursts 1 in k     */
    uint32_t cache_slots, hash_slots;   /* child lookup; 1: none; 0: chosen from the memory                     */
    uint64_t seed;
} hcct_config;

typedef struct hcct_context {
    uint32_t node, key, depth;
    int certain;                        /* hcct_hot: the lower bound reaches the threshold too                  */
    int cold;                           /* only known as an ancestor of others                                  */
    uint64_t lower, upper;              /* lower <= true weight <= upper                                        */
} hcct_context;

typedef struct hcct_stats {
    uint64_t total;                     /* N: weight offered                                                    */
    uint64_t base;                      /* no unknown context weighs more; base / total: the effective epsilon  */
    uint64_t lost;                      /* part of N that had no place in the arena                             */
    uint64_t cut, outside;              /* not in N: below the depth limit; added outside of any context        */
    uint64_t scaled_total;              /* bursts: what N stands for; else N                                    */
    uint64_t unmatched, repaired;       /* leaves without an enter; frames closed by a repair                   */
    uint64_t sweeps, evictions, forced; /* forced: evictions because the arena, not M, was the bound            */
    uint64_t visits;                    /* nodes looked at by sweeps                                            */
    uint64_t unhashed, frames_full;     /* parents that the hash had no room for; calls that `frames` had none  */
    uint64_t burst_points, burst_new, burst_again, burst_skipped;
    uint64_t bytes;                     /* of the arena, that were ever touched                                 */
    uint32_t capacity, nodes, peak_nodes, monitored, node_bytes;
    int saturated;                      /* some counter stands at its maximum                                   */
} hcct_stats;

typedef struct hcct hcct;

/* ---- set up ---- */

/* Lays an empty tree out in memory[0..bytes). Returns how many contexts fit; 0: too small, the tree must not be used. */
HCCT_API uint32_t hcct_init(hcct *t, void *memory, size_t bytes, const hcct_config *config);
/* Bytes that hcct_init needs for so many contexts. */
HCCT_API size_t   hcct_bytes(const hcct_config *config, uint32_t contexts);
/* Goes on in a larger memory that begins with all that the old one held, as after realloc; both aligned to 8. Returns as
   hcct_init. */
HCCT_API uint32_t hcct_grow(hcct *t, void *memory, size_t bytes);

/* ---- events ---- */

HCCT_API void hcct_enter(hcct *t, uint32_t key, uint64_t weight);   /* weight 0: only go there */
HCCT_API void hcct_leave(hcct *t);
HCCT_API void hcct_add(hcct *t, uint64_t weight);                   /* to the running context */
HCCT_API int  hcct_leave_key(hcct *t, uint32_t key);                /* the nearest open call of key; 0: there is none */
HCCT_API hcct_mark hcct_mark_here(const hcct *t);
HCCT_API void hcct_unwind(hcct *t, const hcct_mark *mark);          /* to a mark that is still on the stack */
HCCT_API void hcct_enter_at(hcct *t, uint32_t key, uint64_t weight, uintptr_t frame);   /* stack grows down */
/* The call at this frame; with a key that is not 0 the latest call of that key that is not above it, for some compilers
   move the stack before the last event of a function. 0: there is none. */
HCCT_API int  hcct_leave_at(hcct *t, uint32_t key, uintptr_t frame);

/* A fiber starts at the root, or where the running one stands. Its slot stays valid until hcct_fiber_end. NULL: main. */
HCCT_API void hcct_fiber_start(hcct *t, hcct_fiber *fiber, int here, const hcct_config *lent);
HCCT_API void hcct_fiber_switch(hcct *t, hcct_fiber *fiber);
HCCT_API void hcct_fiber_end(hcct *t, hcct_fiber *fiber);           /* not the running one */

/* Puts the cursor at stack[0..depth), oldest first, counting nothing. Returns the weight of each enter of this burst:
   1; with config.history 0 (skip: do not feed this burst) or k, so that re-enabled stacks make up for the skipped. */
HCCT_API uint32_t hcct_burst_begin(hcct *t, const uint32_t *stack, uint32_t depth);
HCCT_API void     hcct_burst_end(hcct *t);
HCCT_API void     hcct_set_total(hcct *t, uint64_t total);          /* weight of the whole run: answers are scaled to it */

/* ---- answers ---- */

HCCT_API void     hcct_get_stats(const hcct *t, hcct_stats *out);
/* The hot contexts of phi = a / b: weight >= theta = max(1, floor(phi N)). rows[0..max) gets the hottest, by lower, upper
   and then depth and path; returns how many there are. All hot ones are among them if base < theta. */
HCCT_API uint32_t hcct_hot(const hcct *t, uint32_t a, uint32_t b, hcct_context *rows, uint32_t max);
HCCT_API uint64_t hcct_theta(const hcct *t, uint32_t a, uint32_t b);
/* Preorder: 0 begins and ends. *depth goes along, 0 at the start. */
HCCT_API uint32_t hcct_next(const hcct *t, uint32_t node, uint32_t *depth);
HCCT_API uint32_t hcct_parent(const hcct *t, uint32_t node);        /* 0: the root */
HCCT_API void     hcct_get(const hcct *t, uint32_t node, hcct_context *out);    /* depth is 0 here */
HCCT_API uint32_t hcct_path(const hcct *t, uint32_t node, uint32_t *keys, uint32_t max);    /* last max keys; full depth */

/* Lines `a;b;c weight` with lower bounds, as flame graph programs read them. Returns 0 or what write returned. */
HCCT_API int hcct_write_collapsed(const hcct *t, hcct_name_fn name, void *name_user, hcct_write_fn write, void *user);
/* One .brst part of kind 2. name may be NULL. */
HCCT_API int hcct_write(const hcct *t, hcct_name_fn name, void *name_user, hcct_write_fn write, void *user);

/* ---- join ---- */

/* Adds y to x, y unchanged. Both by the same kind of algorithm (the three Space-Savings are one kind; a bucket x goes on
   as HCCT_SPACE_SAVING). Returns 0, or 1 and nothing happened. */
HCCT_API int hcct_merge(hcct *x, const hcct *y);

typedef struct hcct_reader {            /* what to do with names while loading; zeros: nothing */
    void (*name)(void *user, uint32_t key, const char *name, size_t length);    /* all, before the first context  */
    uint32_t (*key)(void *user, uint32_t key);                                  /* gives the key to use instead   */
    void *user;                         /* contexts that become one: bounds are of those in the file, sums of them */
} hcct_reader;

/* Makes a tree from a part that hcct_write wrote. Returns NULL and *used = size of the part, or why not and *used = the
   offset. A tree that is larger than the memory is pruned to fit, with bounds that still hold. */
HCCT_API const char *hcct_load(hcct *t, void *memory, size_t bytes, const void *data, size_t size, const hcct_reader *reader,
                               size_t *used);
/* Bytes of memory that hcct_load needs to keep all of the part at data; 0: it is broken. */
HCCT_API size_t hcct_load_bytes(const void *data, size_t size);

/* ---- how good an answer is: the measures of section 5.1, against a full tree of the same events ---- */

typedef struct hcct_measures {
    uint64_t contexts, total;           /* C, N of the full tree                                                */
    uint64_t hot_true, hot_found;       /* H; possible and truly hot                                            */
    uint64_t possible, certain, tree;   /* |P|, |Q|, |R|: P and its ancestors                                   */
    uint64_t false_positives, false_negatives, certain_wrong, certain_right;
    uint64_t bad;                       /* possible, though below floor((phi - epsilon) N)                      */
    uint64_t cold;                      /* |R| - |P|                                                            */
    uint64_t underestimates, overestimates;     /* known contexts whose upper < w, whose lower > w              */
    uint64_t hottest_found, hottest;    /* H1, H2                                                               */
    double overlap, max_uncovered, avg_uncovered;       /* percent                                              */
    double cover[3];                    /* at tau = 1/10, 1/20, 1/100; percent                                  */
    double max_error, avg_error;        /* of the upper bound, over P and H; percent                            */
    double max_error_lower, avg_error_lower;
} hcct_measures;

/* Words of scratch for hcct_compare: one bit per context of both trees. */
HCCT_API size_t hcct_compare_words(const hcct *full, const hcct *t);
/* phi = a / b, epsilon = c / d. Returns 0, or 1: the first tree is not HCCT_FULL. */
HCCT_API int hcct_compare(const hcct *full, const hcct *t, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t *scratch,
                          hcct_measures *out);

struct hcct {                           /* yours to hold, ours to look into */
    uint32_t *words, *cache, *hash, *links;
    uint64_t *history;
    struct hcct_p_bucket *buckets;
    void *memory;
    hcct_fiber run;                     /* where the running stack stands */
    uint32_t recent[32], recent_from;   /* its node at depth d, recent_from <= d <= depth, is recent[d % 32] */
    hcct_fiber *running, *fibers, main; /* running: where to save it; NULL is main */
    uint32_t stop, stop_full, stay;     /* enter is fast at depths below (by stride), leave above: hcct_p_window */
    uint64_t fast_below;                /* counts below this need no care */
    uint64_t total, boundary, weights;  /* boundary: Lossy sweeps there. weights: all of them, or-ed */
    uint64_t floor, lost, cut, outside, scaled_total;
    uint32_t algorithm, stride, capacity, used, free_list, live, monitored, monitored_max;
    uint32_t cache_mask, cache_slots, hash_slots, hash_fill, history_slots, history_fill;
    uint32_t limit, fold, zeros, pins, second;
    uint32_t width, one_over_phi, one_over_delta, reenable, quarter;
    uint32_t lazy_at, bucket_first, bucket_free, rate_shift, events;
    uint64_t lazy_min, pieces, seed;
    uint64_t unmatched, repaired, sweeps, evictions, forced, visits, unhashed, frames_full;
    uint64_t burst_points, burst_new, burst_again, burst_skipped;
    hcct_config config;
    int saturated, padded;              /* padded: the memory given was not aligned */
};

#ifdef __cplusplus
}
#endif
#endif /* HCCT_H */

/* ---- implementation -------------------------------------------------------------------------------------------- */
#if defined(HCCT_IMPLEMENTATION) && !defined(HCCT_IMPLEMENTED)
#define HCCT_IMPLEMENTED

#ifndef HCCT_ASSERT
#define HCCT_ASSERT(condition) ((void)0)
#endif
#ifndef HCCT_ALGORITHMS
#define HCCT_ALGORITHMS 63
#endif
#ifndef HCCT_SAMPLE
#define HCCT_SAMPLE 256
#endif
#if defined(__GNUC__)
#define HCCT_P_INLINE static inline __attribute__((always_inline))
#define HCCT_P_COLD   static __attribute__((noinline, unused))
#define HCCT_P_LIKELY(x) __builtin_expect(!!(x), 1)
#else
#define HCCT_P_INLINE static inline
#define HCCT_P_COLD   static
#define HCCT_P_LIKELY(x) (x)
#endif

/* ---- nodes ----

   word    0    1       2            3             4              5      6 7
   full    key  parent  first child  next sibling  count
   pruned  key  parent  first child  next sibling  children       error  count

   Links are node numbers; node 0 is the root and, as a link, "none". Bit 31 of `first child` says that the children stand
   in the hash too, bit 31 of `children`, their number, that a sweep must spare the node; it is always on in the root. A
   free node has parent ~0, children 1, and hangs on free_list by `next`. Space-Saving: count ~0 is cold, and `error` then
   holds `kept`, the weight that was certain before the eviction.
   Invariants: every ancestor of a counted node is in the tree; siblings have distinct keys; after a sweep no cold leaf is
   left but the cursor and pinned ones; live + free = used - 1. */

enum { HCCT_P_KEY, HCCT_P_PARENT, HCCT_P_CHILD, HCCT_P_NEXT, HCCT_P_COUNT32, HCCT_P_FANOUT = 4, HCCT_P_ERROR, HCCT_P_COUNT };
#define HCCT_P_BIT  UINT32_C(0x80000000)
#define HCCT_P_LINK UINT32_C(0x7FFFFFFF)
#define HCCT_P_FREE UINT32_MAX
#define HCCT_P_NONE UINT64_MAX
#define HCCT_P_HAS(t, which) (((HCCT_ALGORITHMS) >> (which) & 1) != 0 && (t)->algorithm == (which))

struct hcct_p_bucket { uint64_t count; uint32_t prev, next, first, unused; };

HCCT_P_INLINE uint32_t *hcct_p_at(const hcct *t, uint32_t i) { return t->words + (size_t)i * t->stride; }
HCCT_P_INLINE uint32_t *hcct_p_node(const hcct *t, uint32_t i) { return t->words + (size_t)i * 8; }       /* of a pruned tree */
HCCT_P_INLINE uint64_t *hcct_p_count(const hcct *t, uint32_t i) { return (uint64_t *)(void *)(hcct_p_node(t, i) + HCCT_P_COUNT); }
HCCT_P_INLINE uint32_t hcct_p_child(const hcct *t, uint32_t i) { return hcct_p_at(t, i)[HCCT_P_CHILD] & HCCT_P_LINK; }
HCCT_P_INLINE int hcct_p_full(const hcct *t) { return HCCT_P_HAS(t, HCCT_FULL); }
HCCT_P_INLINE int hcct_p_saving(const hcct *t) { return t->algorithm <= HCCT_BUCKET && ((HCCT_ALGORITHMS) & 7) != 0; }
HCCT_P_INLINE int hcct_p_is_free(const hcct *t, uint32_t i) { return hcct_p_at(t, i)[HCCT_P_PARENT] == HCCT_P_FREE; }

/* [shared: sat_add] */
static uint64_t hcct_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}
/* [end shared] */

static void hcct_p_zero(void *memory, size_t bytes) { while (bytes) ((unsigned char *)memory)[--bytes] = 0; }

static uint64_t hcct_p_add_to(hcct *t, uint64_t a, uint64_t b, uint64_t most) {
    if (b > most || a > most - b) { t->saturated = 1; return most; }
    return a + b;
}
static uint64_t hcct_p_less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/* splitmix64: small state, and any seed will do. */
static uint64_t hcct_p_random(hcct *t) {
    uint64_t z = (t->seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Errors in 32 bits: m * 2^e, m of 26 bits, exact below 67 million; rounded up, kept weights down, so that bounds hold. */
static uint32_t hcct_p_pack(uint64_t x, int up) {
    uint32_t e = 0;
    while (x >> 26) { x = (x >> 1) + (up ? x & 1 : 0); e++; }
    return (uint32_t)x | e << 26;
}
static uint64_t hcct_p_unpack(uint32_t packed) {
    uint32_t e = packed >> 26;
    return e > 38 ? UINT64_MAX : (uint64_t)(packed & 0x3FFFFFF) << e;
}

/* a * b / c without overflow, a <= c or a result that fits; rounded up or down. */
static uint64_t hcct_p_scale(uint64_t a, uint64_t b, uint64_t c, int up) {
    uint64_t result = 0, rest = 0;      /* invariant: bits of b so far * a = result * c + rest */
    int bit;
    if (c == 0) return a;
    for (bit = 63; bit >= 0; bit--) {
        uint64_t quotient = result > UINT64_MAX / 2 ? UINT64_MAX : result * 2;
        uint64_t carry = rest >= c - rest;
        rest = carry ? rest - (c - rest) : rest * 2;
        quotient = hcct_p_sat_add(quotient, carry);
        if (b >> bit & 1) {
            quotient = hcct_p_sat_add(quotient, a / c);
            carry = rest >= c - a % c;
            rest = carry ? rest - (c - a % c) : rest + a % c;
            quotient = hcct_p_sat_add(quotient, carry);
        }
        result = quotient;
    }
    return up && rest ? hcct_p_sat_add(result, 1) : result;
}

/* ln x, x > 0: x = 2^e m with m in [2/3, 4/3), then the series of 2 artanh((m - 1) / (m + 1)). Error below 1e-13. */
static double hcct_p_ln(double x) {
    double z, power, sum = 0;
    int e = 0, i;
    while (x >= 4.0 / 3) { x /= 2; e++; }
    while (x < 2.0 / 3) { x *= 2; e--; }
    z = (x - 1) / (x + 1);
    power = z;
    for (i = 1; i < 40; i += 2) { sum += power / i; power *= z * z; }
    return 2 * sum + e * 0.69314718055994530942;
}

/* ---- what is known of a context ----

   Of each context in the tree lower <= true weight <= upper; of all others weight <= base. */

static uint64_t hcct_p_sticky_miss(const hcct *t) {     /* E of Sticky Sampling: what a sampled count may have missed */
    double miss;
    if (t->rate_shift == 0) return 0;
    miss = hcct_p_ln((double)t->one_over_phi * t->one_over_delta) * (double)t->pieces;
    miss *= (double)((uint64_t)1 << t->rate_shift);
    return miss >= 9e18 ? UINT64_MAX : (uint64_t)miss + 1;
}

static uint64_t hcct_p_base(const hcct *t) {
    uint64_t base;
    if (!HCCT_P_HAS(t, HCCT_STICKY)) return hcct_p_sat_add(t->floor, t->lost);
    base = hcct_p_sat_add(hcct_p_sticky_miss(t), t->lost);
    return base < t->total ? base : t->total;
}

/* Raises base to at least `to`: contexts up to that weight were given up. */
static void hcct_p_raise(hcct *t, uint64_t to) {
    if (hcct_p_base(t) < to) t->floor = to - t->lost;
}

static uint64_t hcct_p_error(const hcct *t, uint32_t i) {
    uint64_t error = hcct_p_unpack(hcct_p_at(t, i)[HCCT_P_ERROR]), count = *hcct_p_count(t, i);
    return hcct_p_saving(t) && error > count ? count : error;
}

static uint64_t hcct_p_lossy_upper(const hcct *t, uint32_t i) { return hcct_p_sat_add(*hcct_p_count(t, i), hcct_p_error(t, i)); }

static int hcct_p_cold(const hcct *t, uint32_t i) {
    if (hcct_p_full(t)) return 0;
    if (hcct_p_saving(t)) return *hcct_p_count(t, i) == HCCT_P_NONE;
    if (HCCT_P_HAS(t, HCCT_STICKY)) return *hcct_p_count(t, i) == 0;
    return hcct_p_lossy_upper(t, i) <= hcct_p_base(t);
}

static void hcct_p_bounds(const hcct *t, uint32_t i, uint64_t *lower, uint64_t *upper) {
    uint64_t base = hcct_p_base(t);
    if (hcct_p_full(t)) {
        *lower = hcct_p_at(t, i)[HCCT_P_COUNT32];
        *upper = *lower == UINT32_MAX ? t->total : hcct_p_sat_add(*lower, t->lost);     /* 32 bits were full: it may be all */
    } else if (!hcct_p_saving(t)) {
        *lower = *hcct_p_count(t, i);
        *upper = HCCT_P_HAS(t, HCCT_STICKY) ? hcct_p_sat_add(*lower, base) : hcct_p_lossy_upper(t, i);
    } else if (hcct_p_cold(t, i)) {
        *lower = hcct_p_unpack(hcct_p_at(t, i)[HCCT_P_ERROR]);
        *upper = base;
    } else {
        *upper = *hcct_p_count(t, i);
        *lower = *upper - hcct_p_error(t, i);
    }
}

/* ---- finding a child ----

   1 a cache of node numbers by (parent, key), never invalidated, for an entry counts only if its node agrees; 2 a walk,
   which moves what it finds to the front; 3 after a walk of more than HCCT_P_WALK steps all children go into one hash of
   node numbers (linear probing, at most 3/4 full). One size does not fit: programs differ from 1 visit per call to 30 000
   in a plain list. */

#define HCCT_P_WALK 16
#define HCCT_P_BLOCK 256
#define HCCT_P_AHEAD 6

HCCT_P_INLINE uint32_t hcct_p_mix(uint32_t parent, uint32_t key) {
    return parent * UINT32_C(0x9E3779B1) + key * UINT32_C(0x85EBCA6B);
}
HCCT_P_INLINE uint32_t *hcct_p_cached(const hcct *t, uint32_t mix) { return t->cache + (mix >> 12 & t->cache_mask); }
static uint32_t hcct_p_home(const hcct *t, uint32_t i) {
    const uint32_t *n = hcct_p_at(t, i);
    return (uint32_t)((uint64_t)hcct_p_mix(n[HCCT_P_PARENT], n[HCCT_P_KEY]) * t->hash_slots >> 32);
}
static uint32_t hcct_p_after(const hcct *t, uint32_t slot) { return slot + 1 == t->hash_slots ? 0 : slot + 1; }

static void hcct_p_hash_put(hcct *t, uint32_t i) {
    uint32_t slot = hcct_p_home(t, i);
    while (t->hash[slot]) slot = hcct_p_after(t, slot);
    t->hash[slot] = i;
    t->hash_fill++;
}

/* Closes the gap: whatever follows and is not at home behind the gap moves up, so that no probe ends too early. */
static void hcct_p_hash_take(hcct *t, uint32_t i) {
    uint32_t gap = hcct_p_home(t, i), k;
    while (t->hash[gap] != i) gap = hcct_p_after(t, gap);
    for (k = hcct_p_after(t, gap); t->hash[k]; k = hcct_p_after(t, k)) {
        uint32_t home = hcct_p_home(t, t->hash[k]);
        uint32_t from_home = k >= home ? k - home : k + t->hash_slots - home;
        uint32_t from_gap = k >= gap ? k - gap : k + t->hash_slots - gap;
        if (from_home >= from_gap) { t->hash[gap] = t->hash[k]; gap = k; }
    }
    t->hash[gap] = 0;
    t->hash_fill--;
}

static int hcct_p_hash_full(const hcct *t, uint64_t more) { return t->hash_fill + more > t->hash_slots - t->hash_slots / 4; }

static void hcct_p_hash_children(hcct *t, uint32_t p) {
    uint32_t c, count = 0;
    for (c = hcct_p_child(t, p); c; c = hcct_p_at(t, c)[HCCT_P_NEXT]) count++;
    if (t->hash_slots < 2 || hcct_p_hash_full(t, count)) { t->unhashed++; return; }
    for (c = hcct_p_child(t, p); c; c = hcct_p_at(t, c)[HCCT_P_NEXT]) hcct_p_hash_put(t, c);
    hcct_p_at(t, p)[HCCT_P_CHILD] |= HCCT_P_BIT;
}

/* All but one, which is not there yet. */
static void hcct_p_unhash_children(hcct *t, uint32_t p, uint32_t but) {
    uint32_t c;
    hcct_p_at(t, p)[HCCT_P_CHILD] &= HCCT_P_LINK;
    for (c = hcct_p_child(t, p); c; c = hcct_p_at(t, c)[HCCT_P_NEXT]) if (c != but) hcct_p_hash_take(t, c);
    t->unhashed++;
}

/* i becomes the first child of its parent, or the one behind `after`. */
HCCT_P_INLINE void hcct_p_link(hcct *t, uint32_t i, uint32_t after, uint32_t stride) {
    uint32_t *w = t->words, *n = w + (size_t)i * stride, *place = after ? w + (size_t)after * stride + HCCT_P_NEXT
                                                                      : w + (size_t)n[HCCT_P_PARENT] * stride + HCCT_P_CHILD;
    uint32_t next = *place & HCCT_P_LINK;
    n[HCCT_P_NEXT] = next;
    *place = i | (*place & HCCT_P_BIT);
}

/* before: the sibling in front of i, or 0. */
HCCT_P_INLINE void hcct_p_unlink(hcct *t, uint32_t i, uint32_t before, uint32_t stride) {
    uint32_t *w = t->words, *n = w + (size_t)i * stride, next = n[HCCT_P_NEXT];
    uint32_t *place = before ? w + (size_t)before * stride + HCCT_P_NEXT : w + (size_t)n[HCCT_P_PARENT] * stride + HCCT_P_CHILD;
    *place = next | (*place & HCCT_P_BIT);
}

/* Tiers 3 and 2 without side effects: the child, the sibling in front of it and how many were looked at. */
HCCT_P_INLINE uint32_t hcct_p_look(const hcct *t, uint32_t p, uint32_t key, uint32_t stride, uint32_t *before, uint32_t *steps) {
    const uint32_t *words = t->words;
    uint32_t c = words[(size_t)p * stride + HCCT_P_CHILD], last = 0, count = 0;
    if (c & HCCT_P_BIT) {
        uint32_t slot = (uint32_t)((uint64_t)hcct_p_mix(p, key) * t->hash_slots >> 32);
        for (; (c = t->hash[slot]) != 0; slot = hcct_p_after(t, slot)) {
            const uint32_t *n = words + (size_t)c * stride;
            if (n[HCCT_P_KEY] == key && n[HCCT_P_PARENT] == p) return c;
        }
        return 0;
    }
    for (; c; c = words[(size_t)c * stride + HCCT_P_NEXT]) {
        count++;
        if (words[(size_t)c * stride + HCCT_P_KEY] == key) break;
        last = c;
    }
    *before = last;
    *steps = count;
    return c;
}

/* A child that the cache does not know. */
HCCT_P_INLINE uint32_t hcct_p_find_far(hcct *t, uint32_t p, uint32_t key, uint32_t stride) {
    uint32_t before = 0, steps = 0, c = hcct_p_look(t, p, key, stride, &before, &steps);
    if (c) {
        *hcct_p_cached(t, hcct_p_mix(p, key)) = c;
        if (steps > 2) { hcct_p_unlink(t, c, before, stride); hcct_p_link(t, c, 0, stride); }
    }
    if (steps > HCCT_P_WALK) hcct_p_hash_children(t, p);
    return c;
}
HCCT_P_INLINE uint32_t hcct_p_find_in(hcct *t, uint32_t p, uint32_t key, uint32_t stride) {
    uint32_t c = *hcct_p_cached(t, hcct_p_mix(p, key));
    const uint32_t *n = t->words + (size_t)c * stride;
    return n[HCCT_P_KEY] == key && n[HCCT_P_PARENT] == p ? c : hcct_p_find_far(t, p, key, stride);
}
HCCT_P_COLD uint32_t hcct_p_find_full(hcct *t, uint32_t p, uint32_t key) { return hcct_p_find_in(t, p, key, 5); }
HCCT_P_COLD uint32_t hcct_p_find_pruned(hcct *t, uint32_t p, uint32_t key) { return hcct_p_find_in(t, p, key, 8); }

static uint32_t hcct_p_find(hcct *t, uint32_t p, uint32_t key) {
    return hcct_p_full(t) ? hcct_p_find_full(t, p, key) : hcct_p_find_pruned(t, p, key);
}

/* The node after i in preorder, 0 at the end; *climb: levels from i up to its parent. */
static uint32_t hcct_p_next(const hcct *t, uint32_t i, uint32_t *climb) {
    uint32_t next = hcct_p_child(t, i);
    for (*climb = 0; !next && i; i = hcct_p_at(t, i)[HCCT_P_PARENT]) {
        ++*climb;
        next = hcct_p_at(t, i)[HCCT_P_NEXT];
    }
    return next;
}

/* ---- pruning (Figure 4) ----   Between sweeps nobody knows what is pinned when several cursors live: then only sweeps prune. */

/* 0: not done, for it stands too far behind in its list; a sweep will find it. */
static int hcct_p_free(hcct *t, uint32_t i) {
    uint32_t *n = hcct_p_node(t, i), *p = hcct_p_node(t, n[HCCT_P_PARENT]), before = 0, steps = 0, c;
    for (c = p[HCCT_P_CHILD] & HCCT_P_LINK; c != i; c = hcct_p_node(t, c)[HCCT_P_NEXT]) {
        if (++steps > HCCT_P_WALK) return 0;
        before = c;
    }
    if (p[HCCT_P_CHILD] & HCCT_P_BIT) hcct_p_hash_take(t, i);
    hcct_p_unlink(t, i, before, 8);
    p[HCCT_P_FANOUT]--;
    if (p[HCCT_P_CHILD] == HCCT_P_BIT) p[HCCT_P_CHILD] = 0;
    n[HCCT_P_PARENT] = HCCT_P_FREE;
    n[HCCT_P_FANOUT] = 1;
    n[HCCT_P_NEXT] = t->free_list;
    *hcct_p_count(t, i) = HCCT_P_NONE;
    t->free_list = i;
    t->live--;
    return 1;
}

HCCT_P_INLINE int hcct_p_prunable(const hcct *t, uint32_t i) {
    const uint32_t *n = hcct_p_node(t, i);
    return n[HCCT_P_FANOUT] == 0 && i != t->run.at.cursor && i != 0;      /* no child, no pin */
}
static void hcct_p_prune(hcct *t, uint32_t i) {
    while (hcct_p_prunable(t, i) && hcct_p_cold(t, i)) {
        uint32_t parent = hcct_p_node(t, i)[HCCT_P_PARENT];
        if (!hcct_p_free(t, i)) return;
        i = parent;
    }
}

static void hcct_p_pin(hcct *t, uint32_t i, int on) {
    if (i == 0 || i >= t->used) return;
    if (on) hcct_p_at(t, i)[HCCT_P_FANOUT] |= HCCT_P_BIT;
    else    hcct_p_at(t, i)[HCCT_P_FANOUT] &= HCCT_P_LINK;
}
static void hcct_p_pin_stack(hcct *t, const hcct_fiber *f, int on) {
    uint32_t i;
    hcct_p_pin(t, f->at.cursor, on);
    if (t->fold) for (i = 0; i < f->at.returns; i++) hcct_p_pin(t, f->returns[i], on);
}
/* Saved cursors, nodes that folding comes back to, and the second cursor of a merge. */
static void hcct_p_pin_all(hcct *t, int on) {
    const hcct_fiber *f;
    if (!t->pins && !t->second) return;
    hcct_p_pin(t, t->second, on);
    hcct_p_pin_stack(t, &t->run, on);
    if (t->running) hcct_p_pin_stack(t, &t->main, on);
    for (f = t->fibers; f; f = f->next) if (f != t->running) hcct_p_pin_stack(t, f, on);
}

/* Plain steps move depth and recent[] alone: whatever looks at run.at.cursor calls this first. */
HCCT_P_INLINE void hcct_p_sync(hcct *t) { t->run.at.cursor = t->recent[t->run.at.depth % 32]; }

/* Where enter and leave may take their fast ways: where recent[] reaches, and nothing special is going on. */
static void hcct_p_window(hcct *t) {
    uint32_t stop = t->limit < t->recent_from + 31 ? t->limit : t->recent_from + 31;
    int fast = !t->run.at.over && !t->fold;
    t->stop      = fast && !hcct_p_full(t) ? stop : 0;
    t->stop_full = fast && hcct_p_full(t) ? stop : 0;
    t->stay      = fast && (hcct_p_full(t) || (hcct_p_saving(t) && !t->zeros)) ? t->recent_from : UINT32_MAX;
}
/* After any change of the running stack that is not one plain step: recent[] knows the cursor alone. */
static void hcct_p_mode(hcct *t) {
    t->recent[t->run.at.depth % 32] = t->run.at.cursor;
    t->recent_from = t->run.at.depth;
    hcct_p_window(t);
}

/* ---- Space-Saving (section 4.1) ----

   M contexts have a count. One that arrives and has none starts at count = base + w with error = base - kept: it may have
   had up to base before, of which `kept` is certain. When M have one, the smallest must go first, and base is raised to it.

   In batches, the default: all that stand at the minimum T go in one sweep of the arena. Any context is worth
   max(count, base) as in the one-by-one forms, which only keep minima a little longer. Let S = sum of (count - base):
   an arrival adds at most w to M base + S; a sweep raises base by d and takes d from each of M. So M base + S <= N.
   Cost: a sweep is two passes and uses up M units of weight, 2 used / M visits per unit.
   Weights make minima unique: when a sweep gets fewer than M / 64, T becomes the lower quartile of a sample, which costs
   base at most 4 N / (3 M) and keeps visits at 8 used / M per eviction. */

/* The smallest count, or the first that is small enough; that of free and of cold nodes is the largest number. */
static uint64_t hcct_p_smallest(hcct *t, uint64_t enough) {
    uint64_t smallest = HCCT_P_NONE;
    uint32_t i;
    for (i = 1; i < t->used && smallest > enough; i++) if (*hcct_p_count(t, i) < smallest) smallest = *hcct_p_count(t, i);
    t->visits += i;
    return smallest;
}

static void hcct_p_bucket_leave(hcct *t, uint32_t i);

static void hcct_p_make_cold(hcct *t, uint32_t i) {
    if (HCCT_P_HAS(t, HCCT_BUCKET)) hcct_p_bucket_leave(t, i);
    hcct_p_node(t, i)[HCCT_P_ERROR] = hcct_p_pack(*hcct_p_count(t, i) - hcct_p_error(t, i), 0);
    *hcct_p_count(t, i) = HCCT_P_NONE;
    t->monitored--;
    t->evictions++;
}

#if defined(__GNUC__)
#define HCCT_P_FETCH(address) __builtin_prefetch(address, 1)
#else
#define HCCT_P_FETCH(address) ((void)0)
#endif

/* Space-Saving evicts counts up to T; then, everywhere, what is a cold leaf goes, and with it the ancestors that this
   exposes (those with higher numbers when the loop comes to them). Who goes is collected in blocks, without a branch that
   nobody can foresee. All lists are made anew in order of node numbers: to unlink what is freed one by one would touch
   three other nodes each, in no order. */
static void hcct_p_sweep(hcct *t, uint64_t T) {
    uint32_t *w = t->words, used = t->used, live = t->live, evicted = 0, i = 1, k, n, free_list = 0, gone[HCCT_P_BLOCK];
    int saving = hcct_p_saving(t), again = t->hash_slots / 4 < used;
    uint32_t narrow = T >> 26 || HCCT_P_HAS(t, HCCT_BUCKET) ? 0 : (uint32_t)T;      /* counts up to here need no packing */
    if (hcct_p_full(t)) return;
    hcct_p_pin_all(t, 1);
    hcct_p_pin(t, t->run.at.cursor, 1);
    w[HCCT_P_CHILD] &= HCCT_P_BIT;
    while (i < used) {
        uint32_t end = used - i > HCCT_P_BLOCK ? i + HCCT_P_BLOCK : used, *x = w + (size_t)i * 8;
        n = 0;
        if (saving)
            for (; i < end; i++, x += 8) {
                uint64_t count = *(uint64_t *)(void *)(x + HCCT_P_COUNT);
                gone[n] = i;
                n += T - count <= T + (x[HCCT_P_FANOUT] == 0);      /* T - count is 0 .. T up to T, T + 1 if cold */
                x[HCCT_P_CHILD] &= HCCT_P_BIT;
            }
        else
            for (; i < end; i++, x += 8) {
                if (x[HCCT_P_FANOUT] == 0 && hcct_p_cold(t, i)) gone[n++] = i;
                x[HCCT_P_CHILD] &= HCCT_P_BIT;
            }
        for (k = 0; k < n; k++) {
            uint32_t at = gone[k], soon = gone[k + HCCT_P_AHEAD < n ? k + HCCT_P_AHEAD : k];
            uint64_t *count;
            x = w + (size_t)at * 8;
            count = (uint64_t *)(void *)(x + HCCT_P_COUNT);
            HCCT_P_FETCH(w + (size_t)w[(size_t)soon * 8 + HCCT_P_PARENT] * 8);
            if (saving && *count != HCCT_P_NONE) {
                if (HCCT_P_LIKELY(*count <= narrow && x[HCCT_P_ERROR] <= (uint32_t)*count)) {
                    x[HCCT_P_ERROR] = (uint32_t)*count - x[HCCT_P_ERROR];
                    *count = HCCT_P_NONE;
                    evicted++;
                } else hcct_p_make_cold(t, at);
            }
            while (x[HCCT_P_FANOUT] == 0) {
                uint32_t *p = w + (size_t)x[HCCT_P_PARENT] * 8;
                if (!again && p[HCCT_P_CHILD] & HCCT_P_BIT) hcct_p_hash_take(t, at);
                at = x[HCCT_P_PARENT];
                x[HCCT_P_PARENT] = HCCT_P_FREE;
                x[HCCT_P_CHILD] = 0;
                x[HCCT_P_FANOUT] = 1;
                *(uint64_t *)(void *)(x + HCCT_P_COUNT) = HCCT_P_NONE;
                live--;
                x = p;
                if (--x[HCCT_P_FANOUT] & HCCT_P_LINK) break;
                x[HCCT_P_CHILD] = 0;
                if (saving ? *(uint64_t *)(void *)(x + HCCT_P_COUNT) != HCCT_P_NONE : !hcct_p_cold(t, at)) break;
            }
        }
    }
    t->monitored -= evicted;
    t->evictions += evicted;
    hcct_p_pin(t, t->run.at.cursor, 0);
    hcct_p_pin_all(t, 0);
    if (again && t->hash_fill) {
        uint32_t *hash = t->hash, slots = t->hash_slots;       /* of our own: compilers see a memset */
        for (i = 0; i < slots; i++) hash[i] = 0;
        t->hash_fill = 0;
    }
    for (i = used - 1; i; i--) {
        uint32_t *x = w + (size_t)i * 8, *first = x[HCCT_P_PARENT] == HCCT_P_FREE ? &free_list : w + (size_t)x[HCCT_P_PARENT] * 8 + HCCT_P_CHILD;
        uint32_t was = *first;
        x[HCCT_P_NEXT] = was & HCCT_P_LINK;
        *first = i | (was & HCCT_P_BIT);
        if (was & HCCT_P_BIT && again) hcct_p_hash_put(t, i);
    }
    t->free_list = free_list;
    t->live = live;
    t->visits += used;
    t->sweeps++;
}

/* The share-th smallest (from 0) of up to HCCT_SAMPLE values at even stride: counts, or bounds of leaves that may go. */
static uint64_t hcct_p_quantile(const hcct *t, int leaves, uint32_t share) {
    uint64_t sample[HCCT_SAMPLE], x;
    uint32_t step = t->used / HCCT_SAMPLE + 1, n = 0, i, k, gap;
    for (i = 1; i < t->used && n < HCCT_SAMPLE; i += step) {
        if (hcct_p_is_free(t, i) || (leaves && !hcct_p_prunable(t, i))) continue;
        x = hcct_p_saving(t) ? *hcct_p_count(t, i) : hcct_p_lossy_upper(t, i);
        if (x != HCCT_P_NONE) sample[n++] = x;
    }
    for (gap = HCCT_SAMPLE / 2; gap; gap /= 2)                  /* Shell sort: no memory, no recursion */
        for (i = gap; i < n; i++) {
            x = sample[i];
            for (k = i; k >= gap && sample[k - gap] > x; k -= gap) sample[k] = sample[k - gap];
            sample[k] = x;
        }
    return n ? sample[n / share] : 0;
}

static void hcct_p_purge(hcct *t) {
    uint64_t T = t->quarter ? hcct_p_quantile(t, 0, 4) : 0, before = t->evictions;
    if (T == 0) T = hcct_p_smallest(t, hcct_p_sat_add(hcct_p_base(t), 1));      /* all stand above base since the last sweep */
    hcct_p_raise(t, T);
    hcct_p_sweep(t, T);
    if (t->weights > 1 && t->evictions - before < t->monitored_max / 64) t->quarter = 1;
}

/* One at a time, a context at the minimum: lazily, from where the last one was found (Figure 5). Counts only grow and
   newcomers start above the minimum, so nothing in front of lazy_at equals it. */
static void hcct_p_evict_lazily(hcct *t) {
    uint32_t i = t->lazy_at;
    while (i < t->used && *hcct_p_count(t, i) != t->lazy_min) i++;
    t->visits += i - t->lazy_at;
    if (i >= t->used) {
        t->lazy_min = hcct_p_smallest(t, hcct_p_base(t));
        for (i = 1; *hcct_p_count(t, i) != t->lazy_min; i++) {}
        t->visits += i;
    }
    t->lazy_at = i + 1;
    hcct_p_raise(t, t->lazy_min);
    hcct_p_make_cold(t, i);
    if (!t->pins) hcct_p_prune(t, i);
}

/* Bucket list (Metwally et al.): buckets in order of count, each with the list of its contexts.

        bucket_first -> 3 <-> 4 <-> 9            links[3 i ..]: next and previous context of the bucket, the bucket
                        |     |     |
                       a,b    c    d,e */

static void hcct_p_bucket_leave(hcct *t, uint32_t i) {
    uint32_t *l = t->links + (size_t)i * 3;
    struct hcct_p_bucket *b = &t->buckets[l[2]];
    if (l[1]) t->links[(size_t)l[1] * 3] = l[0]; else b->first = l[0];
    if (l[0]) t->links[(size_t)l[0] * 3 + 1] = l[1];
    if (b->first) return;
    if (b->prev) t->buckets[b->prev].next = b->next; else t->bucket_first = b->next;
    if (b->next) t->buckets[b->next].prev = b->prev;
    b->next = t->bucket_free;
    t->bucket_free = l[2];
}

/* from: a bucket to begin at, whose count is not above the context's; 0: the beginning. */
static void hcct_p_bucket_join(hcct *t, uint32_t i, uint32_t from) {
    uint64_t count = *hcct_p_count(t, i);
    uint32_t *l = t->links + (size_t)i * 3, prev = from, at = from ? t->buckets[from].next : t->bucket_first;
    if (from && t->buckets[from].count == count) { at = from; prev = t->buckets[from].prev; }
    while (at && t->buckets[at].count < count) { prev = at; at = t->buckets[at].next; }
    if (!at || t->buckets[at].count != count) {
        uint32_t fresh = t->bucket_free;
        t->bucket_free = t->buckets[fresh].next;
        t->buckets[fresh].count = count;
        t->buckets[fresh].prev = prev;
        t->buckets[fresh].next = at;
        t->buckets[fresh].first = 0;
        if (prev) t->buckets[prev].next = fresh; else t->bucket_first = fresh;
        if (at) t->buckets[at].prev = fresh;
        at = fresh;
    }
    l[0] = t->buckets[at].first;
    l[1] = 0;
    l[2] = at;
    if (l[0]) t->links[(size_t)l[0] * 3 + 1] = i;
    t->buckets[at].first = i;
}

static void hcct_p_bucket_add(hcct *t, uint32_t i, uint64_t w) {
    uint32_t bucket = t->links[(size_t)i * 3 + 2];
    uint32_t prev = t->buckets[bucket].prev, alone = t->buckets[bucket].first == i && t->links[(size_t)i * 3] == 0;
    hcct_p_bucket_leave(t, i);
    *hcct_p_count(t, i) = hcct_p_add_to(t, *hcct_p_count(t, i), w, HCCT_P_NONE - 1);
    hcct_p_bucket_join(t, i, alone ? prev : bucket);
}

static void hcct_p_evict_bucket(hcct *t) {
    uint32_t i = t->buckets[t->bucket_first].first;
    hcct_p_raise(t, t->buckets[t->bucket_first].count);
    hcct_p_make_cold(t, i);
    if (!t->pins) hcct_p_prune(t, i);
}

/* i, cold so far, is counted from now on. */
static void hcct_p_take_over(hcct *t, uint32_t i, uint64_t w) {
    uint64_t kept = hcct_p_unpack(hcct_p_at(t, i)[HCCT_P_ERROR]), base;
    if (t->monitored >= t->monitored_max) {
        if (HCCT_P_HAS(t, HCCT_LAZY))        hcct_p_evict_lazily(t);
        else if (HCCT_P_HAS(t, HCCT_BUCKET)) hcct_p_evict_bucket(t);
        else                                 hcct_p_purge(t);
    }
    base = hcct_p_base(t);
    *hcct_p_count(t, i) = hcct_p_add_to(t, base, w, HCCT_P_NONE - 1);
    hcct_p_at(t, i)[HCCT_P_ERROR] = hcct_p_pack(hcct_p_less(base, kept), 1);
    t->monitored++;
    if (HCCT_P_HAS(t, HCCT_BUCKET)) hcct_p_bucket_join(t, i, 0);
}

/* ---- Lossy Counting (section 4.2) ----

   Every node counts. When N passes a multiple of the width W = ceil(1 / epsilon), base becomes L = floor(N / W) and what
   has count + error <= base goes; a new node starts with error = base, for it may have been dropped with that much. So
   lower = count, upper = count + error, L <= epsilon N. Weights can cross many multiples at once: then a sweep waits for
   min(W, used / 4) events, which costs memory but no accuracy. */

static void hcct_p_boundary(hcct *t) {
    uint64_t quarter = t->used / 4, wait = t->width < quarter ? t->width : quarter, level = t->total / t->width;
    if (level > t->floor) {
        if (t->weights > 1 && ++t->events < wait) return;
        t->events = 0;
        t->floor = level;
        hcct_p_sweep(t, 0);
    }
    t->boundary = t->floor >= UINT64_MAX / t->width ? UINT64_MAX : (t->floor + 1) * t->width;
}

/* ---- Sticky Sampling ----

   A context not yet counted is sampled with chance 1 / r per unit of weight, then counted exactly. r = 1 for the first 2 t
   units, t = ceil((1 / epsilon) ln(1 / (phi delta))), and doubles at N = 2 r t. At each doubling every count is thinned to
   what sampling at the new rate would have left: with chance 1/2 the first sample stands, else the next stands 1 + geo(r)
   units later. (Manku and Motwani toss coins until heads; that takes off 1 where r / 2 are due.) */

static double hcct_p_ln_miss(uint32_t shift) {          /* ln(1 - 1 / r), r = 2^shift > 1 */
    double x = 1.0 / (double)((uint64_t)1 << shift);
    return shift < 20 ? hcct_p_ln(1 - x) : -x * (1 + x / 2);
}
/* Failures before the first success of chance 1 / r. */
static uint64_t hcct_p_geometric(hcct *t) {
    double u = ((double)(hcct_p_random(t) >> 11) + 1) / 9007199254740992.0, n;
    if (t->rate_shift == 0) return 0;
    n = hcct_p_ln(u) / hcct_p_ln_miss(t->rate_shift);
    return n >= 9e18 ? UINT64_C(1) << 63 : (uint64_t)n;
}
/* One count, thinned to the tree's rate from half of it. */
static uint64_t hcct_p_thin(hcct *t, uint64_t count) {
    if (count == 0 || hcct_p_random(t) >> 63) return count;
    return hcct_p_less(count, hcct_p_sat_add(1, hcct_p_geometric(t)));
}
static void hcct_p_double_rate(hcct *t) {
    uint32_t i;
    t->rate_shift++;
    for (i = 1; i < t->used; i++)
        if (!hcct_p_is_free(t, i)) {
            uint64_t *count = hcct_p_count(t, i), was = *count;
            *count = hcct_p_thin(t, was);
            if (was && !*count) { t->monitored--; t->evictions++; }
        }
    hcct_p_sweep(t, 0);
}
/* 2 r t, where the rate doubles. */
static uint64_t hcct_p_rate_end(const hcct *t) {
    double end = (double)t->width * hcct_p_ln((double)t->one_over_phi * t->one_over_delta);
    uint64_t two_t = end >= 4e18 ? UINT64_C(1) << 63 : 2 * ((uint64_t)end + 1);
    return t->rate_shift >= 62 || two_t > UINT64_MAX >> t->rate_shift ? UINT64_MAX : two_t << t->rate_shift;
}
static void hcct_p_sticky_rates(hcct *t) {
    while (t->total >= (t->boundary = hcct_p_rate_end(t)) && t->rate_shift < 62) hcct_p_double_rate(t);
}
static void hcct_p_sticky(hcct *t, uint32_t i, uint64_t w) {
    while (w > 0) {
        uint64_t *count = hcct_p_count(t, i), part, room;
        if (t->total >= t->boundary) hcct_p_sticky_rates(t);
        room = t->boundary - t->total;
        part = w < room ? w : room;
        if (part == 0) { t->saturated = 1; return; }
        t->total += part;
        w -= part;
        if (*count) *count += part;
        else {
            uint64_t skipped = hcct_p_geometric(t);
            if (skipped < part) { *count = part - skipped; t->monitored++; }
        }
    }
}

/* ---- a full arena ----

   Cold leaves go first. Then all leaves up to the 1/16 quantile of their upper bounds are forced out and base is raised to
   it: base / N tells the truth though it may pass epsilon. If every leaf is pinned, one path fills the arena: what cannot
   be stored is `lost`, and as it may be all of one context, base grows by it. */

static int hcct_p_make_space(hcct *t) {
    uint32_t live = t->live, i;
    uint64_t T = HCCT_P_NONE, sampled;
    if (hcct_p_full(t)) return 0;
    hcct_p_sweep(t, 0);
    if (t->live < live) return 1;
    if (HCCT_P_HAS(t, HCCT_STICKY)) {
        while (t->live == live && t->rate_shift < 62) { hcct_p_double_rate(t); t->forced++; }
        t->boundary = hcct_p_rate_end(t);
        return t->live < live;
    }
    hcct_p_pin_all(t, 1);
    for (i = 1; i < t->used; i++)
        if (!hcct_p_is_free(t, i) && hcct_p_prunable(t, i)) {
            uint64_t upper = hcct_p_saving(t) ? *hcct_p_count(t, i) : hcct_p_lossy_upper(t, i);
            if (upper < T) T = upper;
        }
    sampled = hcct_p_quantile(t, 1, 16);
    hcct_p_pin_all(t, 0);
    t->visits += t->used;
    if (T == HCCT_P_NONE) return 0;
    if (sampled > T) T = sampled;
    hcct_p_raise(t, T);
    hcct_p_sweep(t, T);
    t->forced += live - t->live;
    return t->live < live;
}

/* A child of p, in front or behind `after`; 0: no place. */
HCCT_P_INLINE uint32_t hcct_p_new_in(hcct *t, uint32_t p, uint32_t key, uint32_t after, uint32_t stride) {
    uint32_t i = t->free_list, *n;
    if (i) t->free_list = t->words[(size_t)i * stride + HCCT_P_NEXT];
    else if (t->used <= t->capacity) i = t->used++;
    else {
        if (stride == 5 || !hcct_p_make_space(t)) return 0;
        i = t->free_list;
        t->free_list = t->words[(size_t)i * stride + HCCT_P_NEXT];
        if (after && hcct_p_at(t, after)[HCCT_P_PARENT] != p) after = 0;
    }
    n = t->words + (size_t)i * stride;
    n[HCCT_P_KEY] = key;
    n[HCCT_P_PARENT] = p;
    n[HCCT_P_CHILD] = 0;
    if (stride == 5) n[HCCT_P_COUNT32] = 0;
    else {
        n[HCCT_P_FANOUT] = 0;
        t->words[(size_t)p * stride + HCCT_P_FANOUT]++;
        n[HCCT_P_ERROR] = HCCT_P_HAS(t, HCCT_LOSSY) ? hcct_p_pack(hcct_p_base(t), 1) : 0;
        *hcct_p_count(t, i) = hcct_p_saving(t) ? HCCT_P_NONE : 0;
    }
    hcct_p_link(t, i, after, stride);
    t->live++;
    *hcct_p_cached(t, hcct_p_mix(p, key)) = i;
    if (t->words[(size_t)p * stride + HCCT_P_CHILD] & HCCT_P_BIT) {
        if (hcct_p_hash_full(t, 1)) hcct_p_unhash_children(t, p, i);
        else                        hcct_p_hash_put(t, i);
    }
    return i;
}
HCCT_P_COLD uint32_t hcct_p_new_full(hcct *t, uint32_t p, uint32_t key, uint32_t after) { return hcct_p_new_in(t, p, key, after, 5); }
HCCT_P_COLD uint32_t hcct_p_new_pruned(hcct *t, uint32_t p, uint32_t key, uint32_t after) { return hcct_p_new_in(t, p, key, after, 8); }

static uint32_t hcct_p_new(hcct *t, uint32_t p, uint32_t key, uint32_t after) {
    return hcct_p_full(t) ? hcct_p_new_full(t, p, key, after) : hcct_p_new_pruned(t, p, key, after);
}

/* ---- events ---- */

/* What the fast way of hcct_p_credit leaves: newcomers, other algorithms, counters near their end. */
HCCT_P_COLD void hcct_p_credit_slow(hcct *t, uint32_t i, uint64_t w) {
    uint64_t *count;
    hcct_p_sync(t);
    if (w == 0) {
        if (!t->zeros) { t->zeros = 1; hcct_p_mode(t); }
        return;
    }
    t->weights |= w;
    if (HCCT_P_HAS(t, HCCT_STICKY)) { hcct_p_sticky(t, i, w); return; }
    t->total = hcct_p_add_to(t, t->total, w, UINT64_MAX);
    count = hcct_p_count(t, i);
    if (hcct_p_saving(t) && *count == HCCT_P_NONE) hcct_p_take_over(t, i, w);
    else if (HCCT_P_HAS(t, HCCT_BUCKET)) hcct_p_bucket_add(t, i, w);
    else *count = hcct_p_add_to(t, *count, w, HCCT_P_NONE - 1);
    if (HCCT_P_HAS(t, HCCT_LOSSY) && t->total >= t->boundary) hcct_p_boundary(t);
}

HCCT_P_INLINE void hcct_p_credit_full(hcct *t, uint32_t i, uint64_t w) {
    uint32_t *count = t->words + (size_t)i * 5 + HCCT_P_COUNT32;
    if (HCCT_P_LIKELY((t->total | w) < UINT64_C(1) << 63)) t->total += w;
    else t->total = hcct_p_add_to(t, t->total, w, UINT64_MAX);
    if (HCCT_P_LIKELY(w <= UINT32_MAX - *count)) *count += (uint32_t)w;
    else { *count = UINT32_MAX; t->saturated = 1; }
}

HCCT_P_INLINE void hcct_p_credit_pruned(hcct *t, uint32_t i, uint64_t w) {
    uint64_t *count = (uint64_t *)(void *)(t->words + (size_t)i * 8 + HCCT_P_COUNT);
    if (!HCCT_P_LIKELY((*count | w | t->total) < t->fast_below)) { hcct_p_credit_slow(t, i, w); return; }
    *count += w;
    t->total += w;
    if (w > 1) t->weights |= w;
}

static void hcct_p_credit(hcct *t, uint32_t i, uint64_t w) {
    if (hcct_p_full(t)) hcct_p_credit_full(t, i, w);
    else                hcct_p_credit_pruned(t, i, w);
}

/* Weight that belongs to no node: of calls below the depth limit, or without a place in the arena. */
static void hcct_p_account(hcct *t, uint64_t w) {
    if (t->run.at.cut) { t->cut = hcct_p_add_to(t, t->cut, w, UINT64_MAX); return; }
    t->total = hcct_p_add_to(t, t->total, w, UINT64_MAX);
    t->lost = hcct_p_add_to(t, t->lost, w, UINT64_MAX);
}

HCCT_P_COLD void hcct_p_not_stored(hcct *t, uint64_t w, uint32_t cut) {
    t->run.at.over = 1;
    t->run.at.cut = cut;
    hcct_p_account(t, w);
    hcct_p_mode(t);
}

static int hcct_p_go_down(hcct *t, uint32_t key, uint64_t w) {
    uint32_t c = hcct_p_find(t, t->run.at.cursor, key);
    if (!c) c = hcct_p_new(t, t->run.at.cursor, key, 0);
    if (!c) { hcct_p_not_stored(t, w, 0); return 0; }
    t->run.at.cursor = c;
    t->run.at.depth++;
    return 1;
}

/* Recursion folding: the call goes back to the nearest of `fold` open contexts with its key. It leaves the node that it
   came from on `returns`, which is pinned until the call is left. */
HCCT_P_COLD void hcct_p_enter_slow(hcct *t, uint32_t key, uint64_t w) {
    uint32_t i = t->run.at.cursor, k;
    if (t->run.at.over) { t->run.at.over += t->run.at.over != UINT32_MAX; hcct_p_account(t, w); return; }
    if (t->run.at.depth >= t->limit || (t->fold && t->run.at.returns >= t->run.return_max)) { hcct_p_not_stored(t, w, 1); return; }
    if (t->fold) {
        t->run.returns[t->run.at.returns++] = i;
        for (k = 0; i && k < t->fold && hcct_p_at(t, i)[HCCT_P_KEY] != key; k++) i = hcct_p_at(t, i)[HCCT_P_PARENT];
        if (i && k < t->fold) { t->run.at.cursor = i; t->run.at.depth++; }
        else if (!hcct_p_go_down(t, key, w)) { t->run.at.returns--; return; }
    } else if (!hcct_p_go_down(t, key, w)) return;
    hcct_p_mode(t);
    hcct_p_credit(t, t->run.at.cursor, w);
}

/* The parent is read from recent[], not from the node that was left: a step does not wait for the loads of the step before.
   Whatever is not the usual case ends in a call, so that the usual one needs no stack. */
HCCT_P_INLINE void hcct_p_step(hcct *t, uint32_t depth, uint32_t c, uint64_t w, uint32_t stride) {
    depth++;
    t->run.at.depth = depth;
    t->recent[depth % 32] = c;
    if (stride == 5) hcct_p_credit_full(t, c, w);
    else             hcct_p_credit_pruned(t, c, w);
}
HCCT_P_COLD void hcct_p_hash_new(hcct *t, uint32_t p, uint32_t i) {
    if (hcct_p_hash_full(t, 1)) hcct_p_unhash_children(t, p, i);
    else                        hcct_p_hash_put(t, i);
}

/* A newcomer of batch Space-Saving while there is room for it: hcct_p_new and hcct_p_take_over in one. */
HCCT_P_INLINE void hcct_p_arrive_in(hcct *t, uint32_t key, uint64_t w, uint32_t p, uint32_t mix) {
    uint32_t depth = t->run.at.depth + 1, i = t->free_list, *n = t->words + (size_t)i * 8, *parent = t->words + (size_t)p * 8, child;
    uint64_t base = t->floor + t->lost;
    if (i) t->free_list = n[HCCT_P_NEXT];
    else { i = t->used++; n = t->words + (size_t)i * 8; }
    child = parent[HCCT_P_CHILD];
    n[HCCT_P_KEY] = key;
    n[HCCT_P_PARENT] = p;
    n[HCCT_P_CHILD] = 0;
    n[HCCT_P_NEXT] = child & HCCT_P_LINK;
    n[HCCT_P_FANOUT] = 0;
    n[HCCT_P_ERROR] = (uint32_t)base;
    *(uint64_t *)(void *)(n + HCCT_P_COUNT) = base + w;
    parent[HCCT_P_CHILD] = i | (child & HCCT_P_BIT);
    parent[HCCT_P_FANOUT]++;
    t->live++;
    t->monitored++;
    t->total += w;
    t->weights |= w;
    *hcct_p_cached(t, mix) = i;
    t->run.at.depth = depth;
    t->recent[depth % 32] = i;
    if (child & HCCT_P_BIT) hcct_p_hash_new(t, p, i);
}
HCCT_P_INLINE int hcct_p_plain(const hcct *t, uint64_t w) {     /* nothing is near its end */
    return HCCT_P_HAS(t, HCCT_SPACE_SAVING) && w - 1 < UINT32_MAX && (t->free_list || t->used <= t->capacity) && ((t->floor | t->lost) >> 25 == 0) &&
           t->total >> 62 == 0;
}
HCCT_P_COLD void hcct_p_arrive_rest(hcct *t, uint32_t key, uint64_t w, uint32_t p, uint32_t mix) {
    uint32_t c;
    t->run.at.cursor = p;
    if (hcct_p_plain(t, w)) {
        t->weights |= w;
        hcct_p_purge(t);
        if (hcct_p_plain(t, w)) { hcct_p_arrive_in(t, key, w, p, mix); return; }
    }
    c = hcct_p_new_pruned(t, p, key, 0);
    if (c) hcct_p_step(t, t->run.at.depth, c, w, 8);
    else   hcct_p_not_stored(t, w, 0);
}
HCCT_P_COLD void hcct_p_arrive(hcct *t, uint32_t key, uint64_t w, uint32_t p, uint32_t mix) {
    if (hcct_p_plain(t, w) && t->monitored < t->monitored_max) hcct_p_arrive_in(t, key, w, p, mix);
    else                                                       hcct_p_arrive_rest(t, key, w, p, mix);
}
HCCT_P_INLINE void hcct_p_search(hcct *t, uint32_t key, uint64_t w, uint32_t stride) {
    uint32_t depth = t->run.at.depth, p = t->recent[depth % 32], c = hcct_p_find_far(t, p, key, stride);
    if (!c && stride == 8) { hcct_p_arrive(t, key, w, p, hcct_p_mix(p, key)); return; }
    if (!c) {
        t->run.at.cursor = p;
        c = hcct_p_new_full(t, p, key, 0);
    }
    if (c) hcct_p_step(t, depth, c, w, stride);
    else   hcct_p_not_stored(t, w, 0);
}
HCCT_P_COLD void hcct_p_search_full(hcct *t, uint32_t key, uint64_t w) { hcct_p_search(t, key, w, 5); }
HCCT_P_COLD void hcct_p_search_pruned(hcct *t, uint32_t key, uint64_t w) { hcct_p_search(t, key, w, 8); }

HCCT_P_INLINE void hcct_p_enter(hcct *t, uint32_t key, uint64_t w, uint32_t stride) {
    uint32_t depth = t->run.at.depth, p = t->recent[depth % 32], c = *hcct_p_cached(t, hcct_p_mix(p, key));
    const uint32_t *n = t->words + (size_t)c * stride;
    if (HCCT_P_LIKELY(n[HCCT_P_KEY] == key && n[HCCT_P_PARENT] == p)) hcct_p_step(t, depth, c, w, stride);
    else if (stride == 5) hcct_p_search_full(t, key, w);
    else                  hcct_p_search_pruned(t, key, w);
}

HCCT_P_COLD void hcct_p_enter_rest(hcct *t, uint32_t key, uint64_t w) {
    uint32_t depth = t->run.at.depth;
    if (depth < t->stop_full) { hcct_p_enter(t, key, w, 5); return; }
    hcct_p_sync(t);
    if (depth >= t->limit || t->run.at.over || t->fold) { hcct_p_enter_slow(t, key, w); return; }
    t->recent_from = depth - 15;                /* recent[] is full: forget half of it */
    hcct_p_window(t);
    if (hcct_p_full(t)) hcct_p_enter(t, key, w, 5);
    else                hcct_p_enter(t, key, w, 8);
}

HCCT_API void hcct_enter(hcct *t, uint32_t key, uint64_t weight) {
    HCCT_ASSERT(key != 0);
    if (HCCT_P_LIKELY(t->run.at.depth < t->stop)) hcct_p_enter(t, key, weight, 8);
    else                                          hcct_p_enter_rest(t, key, weight);
}

/* Whoever moved the cursor away from i calls this: if i is a cold leaf, nothing holds it any more. */
static void hcct_p_left(hcct *t, uint32_t i) {
    hcct_p_mode(t);
    if (!hcct_p_full(t) && !t->pins) hcct_p_prune(t, i);
}

HCCT_P_COLD void hcct_p_leave_slow(hcct *t) {
    uint32_t i = t->recent[t->run.at.depth % 32], k, up;
    t->run.at.cursor = i;
    if (t->run.at.over) {
        if (--t->run.at.over == 0) hcct_p_mode(t);
        return;
    }
    if (i == 0 || (t->fold && t->run.at.returns == 0)) { t->unmatched++; return; }
    t->run.at.cursor = up = t->fold ? t->run.returns[--t->run.at.returns] : hcct_p_at(t, i)[HCCT_P_PARENT];
    t->run.at.depth--;
    t->recent[t->run.at.depth % 32] = up;
    t->recent_from = t->run.at.depth;
    if (t->stay != UINT32_MAX)                  /* more callers at once, so that the next leaves are fast */
        for (k = 0; k < 16 && up; k++) { up = hcct_p_at(t, up)[HCCT_P_PARENT]; t->recent[--t->recent_from % 32] = up; }
    else if (!hcct_p_full(t) && !t->pins) hcct_p_prune(t, i);
    hcct_p_window(t);
}

HCCT_API void hcct_leave(hcct *t) {
    uint32_t depth = t->run.at.depth;
    if (!HCCT_P_LIKELY(depth > t->stay)) { hcct_p_leave_slow(t); return; }
    t->run.at.depth = depth - 1;
}

HCCT_API void hcct_add(hcct *t, uint64_t weight) {
    hcct_p_sync(t);
    if (t->run.at.over)             hcct_p_account(t, weight);
    else if (t->run.at.cursor == 0) t->outside = hcct_p_add_to(t, t->outside, weight, UINT64_MAX);
    else                            hcct_p_credit(t, t->run.at.cursor, weight);
}

HCCT_API hcct_mark hcct_mark_here(const hcct *t) {
    hcct_mark mark = t->run.at;
    mark.cursor = t->recent[mark.depth % 32];
    return mark;
}

HCCT_API void hcct_unwind(hcct *t, const hcct_mark *mark) {
    uint32_t i = t->recent[t->run.at.depth % 32];
    int known = mark->cursor < t->used && !(mark->cursor && hcct_p_is_free(t, mark->cursor)) && mark->returns <= t->run.at.returns;
    HCCT_ASSERT(known);
    if (!known) return;
    t->run.at = *mark;
    hcct_p_left(t, i);
}

HCCT_API int hcct_leave_key(hcct *t, uint32_t key) {
    uint32_t i = t->recent[t->run.at.depth % 32], levels = 0, left = t->run.at.returns;
    if (t->run.at.over) { hcct_p_leave_slow(t); return 1; }
    while (i && hcct_p_at(t, i)[HCCT_P_KEY] != key) {
        if (!t->fold) i = hcct_p_at(t, i)[HCCT_P_PARENT];
        else          i = left ? t->run.returns[--left] : 0;
        levels++;
    }
    if (i == 0 || (t->fold && left == 0)) { t->unmatched++; return 0; }
    t->repaired += levels;
    for (levels++; levels; levels--) hcct_leave(t);
    return 1;
}

/* ---- frame addresses ----

   frames[] holds one entry per open call: its frame's address and the mark before it. The stack grows down, so an open
   caller stands above every new frame; whatever stands at or below it is dead (longjmp, an exception) and is unwound. */

static void hcct_p_pop_frame(hcct *t) { hcct_unwind(t, &t->run.frames[--t->run.frame_count].before); }

static void hcct_p_pop_frames_below(hcct *t, uintptr_t address) {
    uint32_t n = t->run.frame_count;
    while (n && t->run.frames[n - 1].address < address) n--;
    if (n == t->run.frame_count) return;
    t->repaired += t->run.frame_count - n;
    t->run.frame_count = n + 1;
    hcct_p_pop_frame(t);
}

HCCT_API void hcct_enter_at(hcct *t, uint32_t key, uint64_t weight, uintptr_t frame) {
    hcct_frame *entry;
    hcct_p_pop_frames_below(t, frame + 1);
    if (t->run.frame_count < t->run.frame_max) {
        entry = &t->run.frames[t->run.frame_count++];
        entry->address = frame;
        entry->key = key;
        entry->before = hcct_mark_here(t);
    } else t->frames_full++;
    hcct_enter(t, key, weight);
}

HCCT_API int hcct_leave_at(hcct *t, uint32_t key, uintptr_t frame) {
    uint32_t n = t->run.frame_count;
    while (n && (key ? t->run.frames[n - 1].key != key && t->run.frames[n - 1].address <= frame : t->run.frames[n - 1].address < frame)) n--;
    if (n && (key ? t->run.frames[n - 1].address <= frame : t->run.frames[n - 1].address == frame)) {
        t->repaired += t->run.frame_count - n;
        t->run.frame_count = n;
        hcct_p_pop_frame(t);
        return 1;
    }
    if (!key) hcct_p_pop_frames_below(t, frame);
    if (t->run.frame_count == t->run.frame_max && t->frames_full) { hcct_leave(t); return 1; }
    t->unmatched++;
    return 0;
}

/* ---- fibers ----  While there is more than one stack, or folding, only sweeps prune: they know all cursors. */

HCCT_API void hcct_fiber_start(hcct *t, hcct_fiber *fiber, int here, const hcct_config *lent) {
    hcct_p_zero(fiber, sizeof *fiber);
    hcct_p_sync(t);
    if (here) { fiber->at = t->run.at; fiber->at.returns = 0; }
    if (lent) {
        fiber->frames = lent->frames;
        fiber->frame_max = lent->frames ? lent->frame_count : 0;
        fiber->returns = lent->returns;
        fiber->return_max = lent->returns ? lent->return_count : 0;
    }
    fiber->next = t->fibers;
    t->fibers = fiber;
    t->pins = 1;
    t->zeros = 1;
    hcct_p_mode(t);
}

HCCT_API void hcct_fiber_switch(hcct *t, hcct_fiber *fiber) {
    hcct_fiber *from = t->running ? t->running : &t->main, *to = fiber ? fiber : &t->main, *next = from->next;
    if (from == to) return;
    hcct_p_sync(t);
    *from = t->run;
    from->next = next;
    t->run = *to;
    t->running = fiber;
    hcct_p_mode(t);
}

HCCT_API void hcct_fiber_end(hcct *t, hcct_fiber *fiber) {
    hcct_fiber **link = &t->fibers;
    hcct_p_sync(t);
    HCCT_ASSERT(fiber != t->running);
    if (fiber == t->running) hcct_fiber_switch(t, NULL);
    while (*link && *link != fiber) link = &(*link)->next;
    if (*link) *link = fiber->next;
    t->pins = t->fold || t->fibers;
    hcct_p_left(t, fiber->at.cursor);
}

/* ---- bursts ----

   The frames that are open when a burst begins are positioned, not counted: they were called outside of it.
   Adaptive with re-enablement (Zhuang et al.): a stack whose signature is known bursts only 1 in k times, and then counts
   k-fold; met n times it contributes 1 + (n - 1) k / k = n bursts on average, so the answer stays unbiased. */

static int hcct_p_history_known(hcct *t, uint64_t signature) {
    uint32_t slot = (uint32_t)((signature >> 32) * t->history_slots >> 32), steps = 1;      /* fewer than 4 slots can be full */
    signature += signature == 0;
    while (t->history[slot] && t->history[slot] != signature && steps++ < t->history_slots) slot = slot + 1 == t->history_slots ? 0 : slot + 1;
    if (t->history[slot] || t->history_fill >= t->history_slots - t->history_slots / 4) return 1;
    t->history[slot] = signature;
    t->history_fill++;
    return 0;
}

HCCT_API uint32_t hcct_burst_begin(hcct *t, const uint32_t *stack, uint32_t depth) {
    uint64_t signature = UINT64_C(0xCBF29CE484222325);
    uint32_t i, weight = 1;
    t->burst_points++;
    if (t->history_slots) {
        for (i = 0; i < depth; i++) {
            signature = (signature ^ stack[i]) * UINT64_C(0x9E3779B97F4A7C15);
            signature ^= signature >> 29;
        }
        if (!hcct_p_history_known(t, signature * UINT64_C(0xBF58476D1CE4E5B9))) t->burst_new++;
        else if (t->reenable && hcct_p_random(t) % t->reenable == 0) { t->burst_again++; weight = t->reenable; }
        else { t->burst_skipped++; return 0; }
    }
    hcct_burst_end(t);
    for (i = 0; i < depth; i++) hcct_enter(t, stack[i], 0);
    return weight;
}

HCCT_API void hcct_burst_end(hcct *t) {
    static const hcct_mark root = {0, 0, 0, 0, 0};
    t->run.frame_count = 0;
    hcct_unwind(t, &root);
}

HCCT_API void hcct_set_total(hcct *t, uint64_t total) { t->scaled_total = total; }

/* ---- set up ----   memory: history | cache | buckets | hash | links | nodes; what grows with the arena stands behind. */

static void hcct_p_move(void *to, const void *from, size_t bytes) {     /* to stands higher, or equal */
    while (bytes) { bytes--; ((unsigned char *)to)[bytes] = ((const unsigned char *)from)[bytes]; }
}

/* Sets sizes and places for so many contexts and returns the bytes from t->memory on. */
static uint64_t hcct_p_layout(hcct *t, uint32_t contexts, int place) {
    const hcct_config *c = &t->config;
    uint64_t nodes = (uint64_t)contexts + 1, hash = nodes + nodes / 3 + 2, cache = 2, at[6], m = contexts / 4 * 3 + contexts % 4;
    if (c->monitored) m = c->monitored;
    if (m > contexts && HCCT_P_HAS(t, HCCT_BUCKET)) m = contexts;
    if (m == 0) m = 1;
    if (c->hash_slots) hash = c->hash_slots;
    while (cache < (c->cache_slots ? c->cache_slots : nodes < 65536 ? nodes / 4 : 16384)) cache *= 2;
    if (c->cache_slots == 1) cache = 1;
    at[0] = (uint64_t)c->history * 8;
    at[1] = at[0] + (cache * 4 + 7) / 8 * 8;
    at[2] = at[1] + (HCCT_P_HAS(t, HCCT_BUCKET) ? (m + 2) * sizeof(struct hcct_p_bucket) : 0);
    at[3] = at[2] + (hash * 4 + 7) / 8 * 8;
    at[4] = at[3] + (HCCT_P_HAS(t, HCCT_BUCKET) ? (nodes * 12 + 7) / 8 * 8 : 0);
    at[5] = at[4] + nodes * t->stride * 4;
    if (place) {
        unsigned char *base = (unsigned char *)t->memory;
        t->history = (uint64_t *)(void *)base;
        t->cache   = (uint32_t *)(void *)(base + at[0]);
        t->buckets = (struct hcct_p_bucket *)(void *)(base + at[1]);
        t->hash    = (uint32_t *)(void *)(base + at[2]);
        t->links   = (uint32_t *)(void *)(base + at[3]);
        t->words   = (uint32_t *)(void *)(base + at[4]);
        t->cache_slots = (uint32_t)cache;
        t->cache_mask = (uint32_t)cache - 1;
        t->hash_slots = (uint32_t)hash;
        t->capacity = contexts;
        t->monitored_max = (uint32_t)m;
    }
    return at[5];
}

/* The largest layout that fits; 0: none. */
static uint32_t hcct_p_fit(hcct *t, uint64_t bytes) {
    uint32_t low = 0, high = HCCT_P_LINK / 2;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (hcct_p_layout(t, middle, 0) <= bytes) low = middle; else high = middle - 1;
    }
    return low;
}

static void hcct_p_clear_lookup(hcct *t) {
    hcct_p_zero(t->cache, (size_t)t->cache_slots * 4);
    hcct_p_zero(t->hash, (size_t)t->hash_slots * 4);
    t->hash_fill = 0;
}

/* Buckets first .. monitored_max + 1 become free. */
static void hcct_p_free_buckets(hcct *t, uint32_t first) {
    uint32_t i;
    if (!HCCT_P_HAS(t, HCCT_BUCKET)) return;
    for (i = t->monitored_max + 1; i >= first; i--) { t->buckets[i].next = t->bucket_free; t->bucket_free = i; }
}

static void hcct_p_defaults(hcct *t, const hcct_config *config) {
    hcct_p_zero(t, sizeof *t);
    if (config) t->config = *config;
    t->algorithm = t->config.algorithm;
    t->stride = t->algorithm == HCCT_FULL ? 5 : 8;
}

HCCT_API size_t hcct_bytes(const hcct_config *config, uint32_t contexts) {
    hcct t;
    hcct_p_defaults(&t, config);
    return (size_t)hcct_p_layout(&t, contexts, 0) + 7;
}

HCCT_API uint32_t hcct_init(hcct *t, void *memory, size_t bytes, const hcct_config *config) {
    size_t pad = (size_t)(8 - ((uintptr_t)memory & 7)) & 7;
    uint32_t contexts;
    hcct_p_defaults(t, config);
    if (t->algorithm > HCCT_FULL || !((HCCT_ALGORITHMS) >> t->algorithm & 1) || !memory || bytes < pad) return 0;
    t->memory = (unsigned char *)memory + pad;
    t->padded = pad != 0;
    contexts = hcct_p_fit(t, bytes - pad);
    if (contexts == 0) return 0;
    hcct_p_layout(t, contexts, 1);
    hcct_p_clear_lookup(t);
    hcct_p_free_buckets(t, 1);
    t->history_slots = t->config.history;
    hcct_p_zero(t->history, (size_t)t->history_slots * 8);
    hcct_p_zero(t->words, t->stride * 4);
    t->words[HCCT_P_PARENT] = HCCT_P_FREE;
    if (!hcct_p_full(t)) { *hcct_p_count(t, 0) = HCCT_P_NONE; t->words[HCCT_P_FANOUT] = HCCT_P_BIT; }
    t->used = 1;
    t->lazy_at = 1;
    t->limit = t->config.depth_limit ? t->config.depth_limit : UINT32_MAX;
    t->fold = t->config.fold;
    t->pins = t->fold != 0;
    t->reenable = t->config.reenable;
    t->seed = t->config.seed;
    t->width = t->config.one_over_epsilon ? t->config.one_over_epsilon : t->monitored_max;
    t->one_over_phi = t->config.one_over_phi ? t->config.one_over_phi : t->width / 5 + 1;
    t->one_over_delta = t->config.one_over_delta ? t->config.one_over_delta : 100;
    t->pieces = 1;
    t->boundary = HCCT_P_HAS(t, HCCT_STICKY) ? hcct_p_rate_end(t) : HCCT_P_HAS(t, HCCT_LOSSY) ? t->width : UINT64_MAX;
    t->fast_below = HCCT_P_HAS(t, HCCT_STICKY) || HCCT_P_HAS(t, HCCT_BUCKET) || HCCT_P_HAS(t, HCCT_LOSSY) ? 0 : UINT64_C(1) << 63;
    t->run.frames = t->config.frames;
    t->run.frame_max = t->config.frames ? t->config.frame_count : 0;
    t->run.returns = t->config.returns;
    t->run.return_max = t->config.returns ? t->config.return_count : 0;
    hcct_p_mode(t);
    return contexts;
}

HCCT_API uint32_t hcct_grow(hcct *t, void *memory, size_t bytes) {
    unsigned char *base = (unsigned char *)memory;
    const unsigned char *was = (const unsigned char *)t->memory;
    size_t links = (size_t)((unsigned char *)t->links - was), nodes = (size_t)((unsigned char *)t->words - was);
    size_t buckets = (size_t)((unsigned char *)t->buckets - was);
    uint32_t contexts, i, old_max = t->monitored_max;
    if (((uintptr_t)memory & 7) != 0 || t->padded) return 0;
    contexts = hcct_p_fit(t, bytes);
    if (contexts < t->capacity) return 0;
    t->memory = memory;
    hcct_p_layout(t, contexts, 1);
    hcct_p_move(t->words, base + nodes, (size_t)t->used * t->stride * 4);
    if (HCCT_P_HAS(t, HCCT_BUCKET)) {
        hcct_p_move(t->links, base + links, (size_t)t->used * 12);
        hcct_p_move(t->buckets, base + buckets, (size_t)(old_max + 2) * sizeof *t->buckets);
        hcct_p_free_buckets(t, old_max + 2);
    }
    hcct_p_clear_lookup(t);
    for (i = 0; i < t->used; i++) hcct_p_at(t, i)[HCCT_P_CHILD] &= HCCT_P_LINK;
    return contexts;
}

/* ---- answers ---- */

HCCT_API void hcct_get_stats(const hcct *t, hcct_stats *s) {
    s->total = t->total;
    s->base = hcct_p_base(t);
    s->lost = t->lost;
    s->cut = t->cut;
    s->outside = t->outside;
    s->scaled_total = t->scaled_total ? t->scaled_total : t->total;
    s->unmatched = t->unmatched;
    s->repaired = t->repaired;
    s->sweeps = t->sweeps;
    s->evictions = t->evictions;
    s->forced = t->forced;
    s->visits = t->visits;
    s->unhashed = t->unhashed;
    s->frames_full = t->frames_full;
    s->burst_points = t->burst_points;
    s->burst_new = t->burst_new;
    s->burst_again = t->burst_again;
    s->burst_skipped = t->burst_skipped;
    s->bytes = (uint64_t)((unsigned char *)t->words - (unsigned char *)t->memory) + (uint64_t)t->used * t->stride * 4;
    s->capacity = t->capacity;
    s->nodes = t->live;
    s->peak_nodes = t->used - 1;
    s->monitored = hcct_p_full(t) || HCCT_P_HAS(t, HCCT_LOSSY) ? t->live : t->monitored;
    s->node_bytes = t->stride * 4 + (HCCT_P_HAS(t, HCCT_BUCKET) ? 12 : 0);
    s->saturated = t->saturated;
}

HCCT_API uint64_t hcct_theta(const hcct *t, uint32_t a, uint32_t b) {
    uint64_t theta = b ? hcct_p_scale(t->total, a, b, 0) : UINT64_MAX;
    return theta ? theta : 1;
}

HCCT_API uint32_t hcct_next(const hcct *t, uint32_t node, uint32_t *depth) {
    uint32_t climb, next = hcct_p_next(t, node, &climb);
    *depth = next ? *depth + 1 - climb : 0;
    return next;
}

HCCT_API uint32_t hcct_parent(const hcct *t, uint32_t node) { return node ? hcct_p_at(t, node)[HCCT_P_PARENT] : 0; }

HCCT_API void hcct_get(const hcct *t, uint32_t node, hcct_context *out) {
    out->node = node;
    out->key = hcct_p_at(t, node)[HCCT_P_KEY];
    out->depth = 0;
    out->certain = 0;
    out->cold = node == 0 || hcct_p_cold(t, node);
    hcct_p_bounds(t, node, &out->lower, &out->upper);
    if (t->scaled_total) {
        out->lower = hcct_p_scale(out->lower, t->scaled_total, t->total, 0);
        out->upper = hcct_p_scale(out->upper, t->scaled_total, t->total, 1);
    }
}

HCCT_API uint32_t hcct_path(const hcct *t, uint32_t node, uint32_t *keys, uint32_t max) {
    uint32_t depth = 0, i;
    for (i = node; i; i = hcct_p_at(t, i)[HCCT_P_PARENT]) depth++;
    for (i = depth < max ? depth : max; i; node = hcct_p_at(t, node)[HCCT_P_PARENT]) keys[--i] = hcct_p_at(t, node)[HCCT_P_KEY];
    return depth;
}

static int hcct_p_hotter(const hcct *t, const hcct_context *a, const hcct_context *b) {
    uint32_t i = a->node, k = b->node;
    if (a->lower != b->lower) return a->lower > b->lower;
    if (a->upper != b->upper) return a->upper > b->upper;
    if (a->depth != b->depth) return a->depth < b->depth;
    while (hcct_p_at(t, i)[HCCT_P_PARENT] != hcct_p_at(t, k)[HCCT_P_PARENT]) { i = hcct_parent(t, i); k = hcct_parent(t, k); }
    return hcct_p_at(t, i)[HCCT_P_KEY] < hcct_p_at(t, k)[HCCT_P_KEY];
}

/* rows[0..n) is a heap with the coldest on top, but for its element i. */
static void hcct_p_sift(const hcct *t, hcct_context *rows, uint32_t n, uint32_t i) {
    for (;;) {
        uint32_t child = 2 * i + 1;
        hcct_context swap;
        if (child >= n) return;
        if (child + 1 < n && hcct_p_hotter(t, &rows[child], &rows[child + 1])) child++;
        if (!hcct_p_hotter(t, &rows[i], &rows[child])) return;
        swap = rows[i]; rows[i] = rows[child]; rows[child] = swap;
        i = child;
    }
}

/* Whether a context is possible for a threshold, and certain. */
static int hcct_p_possible(const hcct *t, uint32_t i, uint64_t theta, int *certain) {
    uint64_t lower, upper;
    hcct_p_bounds(t, i, &lower, &upper);
    *certain = lower >= theta;
    return upper >= theta && !hcct_p_cold(t, i);
}

HCCT_API uint32_t hcct_hot(const hcct *t, uint32_t a, uint32_t b, hcct_context *rows, uint32_t max) {
    uint64_t theta = hcct_theta(t, a, b);
    uint32_t i, depth = 0, found = 0, n = 0;
    int certain;
    for (i = hcct_next(t, 0, &depth); i; i = hcct_next(t, i, &depth)) {
        hcct_context row;
        if (!hcct_p_possible(t, i, theta, &certain)) continue;
        found++;
        if (max == 0) continue;
        hcct_get(t, i, &row);
        row.depth = depth;
        row.certain = certain;
        if (n < max) {
            uint32_t k = n++;
            for (; k && hcct_p_hotter(t, &rows[(k - 1) / 2], &row); k = (k - 1) / 2) rows[k] = rows[(k - 1) / 2];
            rows[k] = row;
        } else if (hcct_p_hotter(t, &row, &rows[0])) { rows[0] = row; hcct_p_sift(t, rows, n, 0); }
    }
    while (n > 1) {                                             /* the coldest of the rest to the end */
        hcct_context coldest = rows[0];
        rows[0] = rows[--n];
        rows[n] = coldest;
        hcct_p_sift(t, rows, n, 0);
    }
    return found;
}

/* ---- collapsed stacks ---- */

typedef struct hcct_p_text { hcct_write_fn write; void *user; int status; uint32_t fill; char bytes[256]; } hcct_p_text;

static void hcct_p_text_flush(hcct_p_text *out) {
    if (out->fill && !out->status) out->status = out->write(out->user, out->bytes, out->fill);
    out->fill = 0;
}
static void hcct_p_text_byte(hcct_p_text *out, char c) {
    if (out->fill == sizeof out->bytes) hcct_p_text_flush(out);
    out->bytes[out->fill++] = c;
}
static void hcct_p_text_number(hcct_p_text *out, uint64_t x, uint32_t radix) {
    char digits[20];
    int n = 0;
    do digits[n++] = "0123456789abcdef"[x % radix]; while ((x /= radix) != 0);
    while (n) hcct_p_text_byte(out, digits[--n]);
}
/* The format has no escapes: what would end a name or a line becomes another character. */
static void hcct_p_text_name(hcct_p_text *out, const char *name, uint32_t key) {
    if (name && *name) {
        for (; *name; name++) hcct_p_text_byte(out, *name == ';' ? ':' : (unsigned char)*name < ' ' ? ' ' : *name);
    } else if (key == HCCT_KEY_DEEP) {
        for (name = "(deep)"; *name; name++) hcct_p_text_byte(out, *name);
    } else {
        hcct_p_text_byte(out, '0'); hcct_p_text_byte(out, 'x');
        hcct_p_text_number(out, key, 16);
    }
}

HCCT_API int hcct_write_collapsed(const hcct *t, hcct_name_fn name, void *name_user, hcct_write_fn write, void *user) {
    hcct_p_text out;
    uint32_t i, depth = 0, keys[64];
    out.write = write; out.user = user; out.status = 0; out.fill = 0;
    for (i = hcct_next(t, 0, &depth); i && !out.status; i = hcct_next(t, i, &depth)) {
        uint32_t from, k;
        hcct_context context;
        hcct_get(t, i, &context);
        if (context.lower == 0) continue;
        for (from = 0; from < depth && !out.status; from += 64) {       /* 64 frames at a time: paths have no bound */
            uint32_t to = depth - from < 64 ? depth : from + 64, n = i;
            for (k = depth; k > to; k--) n = hcct_parent(t, n);
            for (; k > from; k--) { keys[k - from - 1] = hcct_p_at(t, n)[HCCT_P_KEY]; n = hcct_parent(t, n); }
            for (k = 0; k < to - from; k++) {
                if (from + k) hcct_p_text_byte(&out, ';');
                hcct_p_text_name(&out, name ? name(name_user, keys[k]) : NULL, keys[k]);
            }
        }
        hcct_p_text_byte(&out, ' ');
        hcct_p_text_number(&out, context.lower, 10);
        hcct_p_text_byte(&out, '\n');
    }
    hcct_p_text_flush(&out);
    return out.status;
}

/* ---- the file: a .brst part of kind 2 (docs/formats.md) ---- */

/* [shared: crc32] CRC-32 (IEEE 802.3, reflected), four bits at a time. */
static uint32_t hcct_p_crc32(uint32_t crc, const unsigned char *data, size_t size) {
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
/* [end shared] */

/* [shared: put] Writes a part of a .brst file (docs/formats.md): header, chunks, end. */
typedef struct hcct_p_out {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int error; /* the first result of write that was not 0; nothing is written after it */
    uint32_t crc;
    uint64_t total;
    size_t used;
    unsigned char chunk[2 + 256 + 4];
} hcct_p_out;

static void hcct_p_little(unsigned char *at, uint64_t value, int bytes) {
    for (; bytes-- > 0; value >>= 8) *at++ = (unsigned char)(value & 255);
}

/* Writes chunk[0..size) and its checksum. */
static void hcct_p_put_block(hcct_p_out *out, size_t size) {
    out->crc = hcct_p_crc32(out->crc, out->chunk, size);
    hcct_p_little(out->chunk + size, out->crc, 4);
    if (!out->error) out->error = out->write(out->user, out->chunk, size + 4);
    out->used = 0;
}

static void hcct_p_put_flush(hcct_p_out *out) {
    if (out->used == 0) return;
    out->total += out->used;
    hcct_p_little(out->chunk, out->used, 2);
    hcct_p_put_block(out, 2 + out->used);
}

static void hcct_p_put(hcct_p_out *out, const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    while (size--) {
        out->chunk[2 + out->used++] = *byte++;
        if (out->used == 256) hcct_p_put_flush(out);
    }
}

static void hcct_p_put_varint(hcct_p_out *out, uint64_t value) {
    unsigned char byte;
    do {
        byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
        hcct_p_put(out, &byte, 1);
        value >>= 7;
    } while (value);
}

static void hcct_p_put_begin(hcct_p_out *out, uint32_t kind,
                             int (*write)(void *user, const void *data, size_t size),
                             void *user) {
    out->write = write;
    out->user = user;
    out->error = 0;
    out->crc = 0;
    out->total = 0;
    hcct_p_little(out->chunk, UINT32_C(0x54535242), 4); /* "BRST" */
    hcct_p_little(out->chunk + 4, 1, 2);
    hcct_p_little(out->chunk + 6, kind, 2);
    hcct_p_little(out->chunk + 8, 0, 4);
    hcct_p_put_block(out, 12);
}

static int hcct_p_put_end(hcct_p_out *out) {
    hcct_p_put_flush(out);
    hcct_p_little(out->chunk, 0, 2);
    hcct_p_little(out->chunk + 2, out->total, 8);
    hcct_p_put_block(out, 10);
    return out->error;
}
/* [end shared] */

/* The numbers in front of the nodes, in the order of the file. */
enum { HCCT_P_F_VERSION, HCCT_P_F_ALGORITHM, HCCT_P_F_MONITORED, HCCT_P_F_WIDTH, HCCT_P_F_PHI, HCCT_P_F_DELTA, HCCT_P_F_LIMIT, HCCT_P_F_FOLD,
       HCCT_P_F_TOTAL, HCCT_P_F_FLOOR, HCCT_P_F_LOST, HCCT_P_F_CUT, HCCT_P_F_OUTSIDE, HCCT_P_F_SCALED, HCCT_P_F_RATE, HCCT_P_F_PIECES,
       HCCT_P_F_FLAGS, HCCT_P_F_UNMATCHED, HCCT_P_F_REPAIRED, HCCT_P_F_SWEEPS, HCCT_P_F_EVICTIONS, HCCT_P_F_FORCED, HCCT_P_F_NODES, HCCT_P_FIELDS };
#define HCCT_P_NAMES 256
enum { HCCT_P_COLD_NODE, HCCT_P_BOUNDED_NODE, HCCT_P_EXACT_NODE };      /* kept; count and error; count alone */

/* Key and name of every key in use, each once, keys ascending: without memory, by as many walks as it takes to see them
   all, some at a time. */
static void hcct_p_put_names(const hcct *t, hcct_p_out *out, hcct_name_fn name, void *name_user) {
    uint32_t keys[HCCT_P_NAMES], n, i, k, last = 0;
    do {
        for (n = 0, i = 1; i < t->used; i++) {
            uint32_t key = hcct_p_at(t, i)[HCCT_P_KEY], low = 0, high = n;
            if (key <= last || (n == HCCT_P_NAMES && key > keys[n - 1]) || hcct_p_is_free(t, i)) continue;
            while (low < high) { uint32_t middle = (low + high) / 2; if (keys[middle] < key) low = middle + 1; else high = middle; }
            if (low < n && keys[low] == key) continue;
            if (n < HCCT_P_NAMES) n++;
            for (k = n - 1; k > low; k--) keys[k] = keys[k - 1];
            keys[low] = key;
        }
        for (k = 0; k < n && !out->error; k++) {
            const char *text = name(name_user, last = keys[k]);
            size_t length = 0;
            if (!text) continue;
            while (text[length]) length++;
            hcct_p_put_varint(out, last);
            hcct_p_put_varint(out, length);
            hcct_p_put(out, text, length);
        }
    } while (n == HCCT_P_NAMES && !out->error);
}

HCCT_API int hcct_write(const hcct *t, hcct_name_fn name, void *name_user, hcct_write_fn write, void *user) {
    hcct_p_out out;
    uint64_t f[HCCT_P_FIELDS];
    uint32_t i, climb;
    f[HCCT_P_F_VERSION] = 1;
    f[HCCT_P_F_ALGORITHM] = HCCT_P_HAS(t, HCCT_BUCKET) ? (uint32_t)HCCT_SPACE_SAVING : t->algorithm;
    f[HCCT_P_F_MONITORED] = t->monitored_max;
    f[HCCT_P_F_WIDTH] = t->width;
    f[HCCT_P_F_PHI] = t->one_over_phi;
    f[HCCT_P_F_DELTA] = t->one_over_delta;
    f[HCCT_P_F_LIMIT] = t->config.depth_limit;
    f[HCCT_P_F_FOLD] = t->fold;
    f[HCCT_P_F_TOTAL] = t->total;
    f[HCCT_P_F_FLOOR] = t->floor;
    f[HCCT_P_F_LOST] = t->lost;
    f[HCCT_P_F_CUT] = t->cut;
    f[HCCT_P_F_OUTSIDE] = t->outside;
    f[HCCT_P_F_SCALED] = t->scaled_total;
    f[HCCT_P_F_RATE] = t->rate_shift;
    f[HCCT_P_F_PIECES] = t->pieces;
    f[HCCT_P_F_FLAGS] = (t->saturated ? 1u : 0u) | (t->weights > 1 ? 2u : 0u) | (t->quarter ? 4u : 0u);
    f[HCCT_P_F_UNMATCHED] = t->unmatched;
    f[HCCT_P_F_REPAIRED] = t->repaired;
    f[HCCT_P_F_SWEEPS] = t->sweeps;
    f[HCCT_P_F_EVICTIONS] = t->evictions;
    f[HCCT_P_F_FORCED] = t->forced;
    f[HCCT_P_F_NODES] = t->live;
    hcct_p_put_begin(&out, 2, write, user);
    for (i = 0; i < HCCT_P_FIELDS; i++) hcct_p_put_varint(&out, f[i]);
    if (name) hcct_p_put_names(t, &out, name, name_user);
    hcct_p_put_varint(&out, 0);
    for (i = hcct_p_next(t, 0, &climb); i && !out.error; i = hcct_p_next(t, i, &climb)) {
        hcct_p_put_varint(&out, climb);
        hcct_p_put_varint(&out, hcct_p_at(t, i)[HCCT_P_KEY]);
        if (hcct_p_full(t)) {
            hcct_p_put_varint(&out, HCCT_P_EXACT_NODE);
            hcct_p_put_varint(&out, hcct_p_at(t, i)[HCCT_P_COUNT32]);
        } else if (hcct_p_saving(t) && hcct_p_cold(t, i)) {
            hcct_p_put_varint(&out, HCCT_P_COLD_NODE);
            hcct_p_put_varint(&out, hcct_p_unpack(hcct_p_at(t, i)[HCCT_P_ERROR]));
        } else {
            hcct_p_put_varint(&out, hcct_p_error(t, i) ? HCCT_P_BOUNDED_NODE : HCCT_P_EXACT_NODE);
            hcct_p_put_varint(&out, *hcct_p_count(t, i));
            if (hcct_p_error(t, i)) hcct_p_put_varint(&out, hcct_p_error(t, i));
        }
    }
    return hcct_p_put_end(&out);
}

/* ---- merge ----

   f lies between the sums of both sides' bounds, a side that does not know a context giving 0 .. its base. So first all
   that x counts gets base(y) in count and error; then y is walked with a second cursor in x, and where both know a
   context, what was added too much goes again. Space-Saving may then count more than M: the (M + 1)-th largest count is
   the new base. M base + S <= N still holds (S of both sides adds up), so base <= N / M after any merges in any order.
   A node that finds no place in x even by force (a path longer than the arena) is lost. */

static void hcct_p_error_add(hcct *t, uint32_t i, uint64_t more, uint64_t less) {
    uint64_t error = hcct_p_less(hcct_p_sat_add(hcct_p_error(t, i), more), less);
    hcct_p_at(t, i)[HCCT_P_ERROR] = hcct_p_pack(error, 1);
}

static void hcct_p_merge_begin(hcct *x, uint64_t by) {
    uint32_t i;
    for (i = 1; i < x->used; i++) {
        uint64_t *count;
        if (hcct_p_full(x) || HCCT_P_HAS(x, HCCT_STICKY) || hcct_p_is_free(x, i)) continue;
        count = hcct_p_count(x, i);
        if (hcct_p_saving(x)) {
            if (*count == HCCT_P_NONE) continue;
            *count = hcct_p_add_to(x, *count, by, HCCT_P_NONE - 1);
        }
        hcct_p_error_add(x, i, by, 0);
    }
    x->boundary = UINT64_MAX;
}

/* What y knows of x's node i is added: `kind` as in the file, b its error or kept. by: base(y). */
static void hcct_p_merge_node(hcct *x, uint32_t i, uint64_t by, uint32_t kind, uint64_t count, uint64_t b, uint32_t rate) {
    uint64_t *to = hcct_p_count(x, i), bx, kept;
    if (hcct_p_full(x)) {
        uint32_t *narrow = &hcct_p_at(x, i)[HCCT_P_COUNT32];
        *narrow = (uint32_t)hcct_p_add_to(x, *narrow, count, UINT32_MAX);
    } else if (HCCT_P_HAS(x, HCCT_STICKY)) {
        for (; rate < x->rate_shift && count; rate++) {
            uint32_t shift = x->rate_shift;
            x->rate_shift = rate + 1;
            count = hcct_p_thin(x, count);
            x->rate_shift = shift;
        }
        if (*to == 0 && count) x->monitored++;
        *to = hcct_p_add_to(x, *to, count, HCCT_P_NONE - 1);
    } else if (!hcct_p_saving(x)) {
        *to = hcct_p_add_to(x, *to, count, HCCT_P_NONE - 1);
        hcct_p_error_add(x, i, b, by);
    } else if (*to == HCCT_P_NONE) {
        kept = hcct_p_unpack(hcct_p_at(x, i)[HCCT_P_ERROR]);
        if (kind == HCCT_P_COLD_NODE) { hcct_p_at(x, i)[HCCT_P_ERROR] = hcct_p_pack(hcct_p_sat_add(kept, b), 0); return; }
        bx = hcct_p_less(hcct_p_base(x), by);
        *to = hcct_p_add_to(x, bx, count, HCCT_P_NONE - 1);
        hcct_p_at(x, i)[HCCT_P_ERROR] = hcct_p_pack(hcct_p_sat_add(hcct_p_less(bx, kept), b), 1);
        x->monitored++;
    } else if (kind == HCCT_P_COLD_NODE) hcct_p_error_add(x, i, 0, b);
    else {
        *to = hcct_p_add_to(x, *to - by, count, HCCT_P_NONE - 1);
        hcct_p_error_add(x, i, b, by);
    }
}

/* Space-Saving: down to M again. The (M + 1)-th largest count is found bit by bit, without memory. */
static void hcct_p_merge_end(hcct *x) {
    uint64_t T = 0, bit;
    uint32_t i, above;
    x->second = 0;
    if (hcct_p_saving(x) && x->monitored > x->monitored_max) {
        for (bit = UINT64_C(1) << 63; bit; bit >>= 1) {
            for (above = 0, i = 1; i < x->used; i++)
                if (*hcct_p_count(x, i) != HCCT_P_NONE && *hcct_p_count(x, i) >= (T | bit)) above++;
            if (above > x->monitored_max) T |= bit;
        }
        hcct_p_raise(x, T);
    }
    if (HCCT_P_HAS(x, HCCT_STICKY)) hcct_p_sticky_rates(x);
    hcct_p_sweep(x, T);
    x->lazy_min = 0;
    x->lazy_at = 1;
    if (HCCT_P_HAS(x, HCCT_LOSSY)) x->boundary = 0;
}

HCCT_API int hcct_merge(hcct *x, const hcct *y) {
    uint64_t by = hcct_p_base(y), was = x->total;
    uint32_t i, climb, to = 0, missing = 0;
    if (x == y || (x->algorithm != y->algorithm && !(hcct_p_saving(x) && hcct_p_saving(y)))) return 1;
    hcct_p_sync(x);
    if (HCCT_P_HAS(x, HCCT_BUCKET)) { x->algorithm = HCCT_SPACE_SAVING; x->fast_below = UINT64_C(1) << 63; }
    while (HCCT_P_HAS(x, HCCT_STICKY) && x->rate_shift < y->rate_shift) hcct_p_double_rate(x);
    hcct_p_merge_begin(x, by);
    x->floor = hcct_p_sat_add(x->floor, y->floor);
    x->lost = hcct_p_sat_add(x->lost, y->lost);
    x->cut = hcct_p_sat_add(x->cut, y->cut);
    x->outside = hcct_p_sat_add(x->outside, y->outside);
    if (x->scaled_total || y->scaled_total)
        x->scaled_total = hcct_p_sat_add(x->scaled_total ? x->scaled_total : was, y->scaled_total ? y->scaled_total : y->total);
    x->total = hcct_p_add_to(x, x->total, y->total, UINT64_MAX);
    x->pieces = hcct_p_sat_add(x->pieces, y->pieces);
    x->weights |= y->weights;
    x->saturated |= y->saturated;
    x->unmatched += y->unmatched;
    x->repaired += y->repaired;
    for (i = hcct_p_next(y, 0, &climb); i; i = hcct_p_next(y, i, &climb)) {
        uint32_t key = hcct_p_at(y, i)[HCCT_P_KEY], down = 0, kind = HCCT_P_BOUNDED_NODE;
        uint64_t count, b = 0;
        for (; climb; climb--) { if (missing) missing--; else to = hcct_p_at(x, to)[HCCT_P_PARENT]; }
        if (hcct_p_full(y)) count = hcct_p_at(y, i)[HCCT_P_COUNT32];
        else if (hcct_p_saving(y) && hcct_p_cold(y, i)) {
            kind = HCCT_P_COLD_NODE;
            count = 0;
            b = hcct_p_unpack(hcct_p_at(y, i)[HCCT_P_ERROR]);
        } else { count = *hcct_p_count(y, i); b = hcct_p_error(y, i); }
        x->second = to;
        if (!missing && (down = hcct_p_find(x, to, key)) == 0) down = hcct_p_new(x, to, key, 0);
        if (down) { to = down; hcct_p_merge_node(x, to, by, kind, count, b, y->rate_shift); }
        else { missing++; x->lost = hcct_p_sat_add(x->lost, count); }
    }
    if (x->lost > x->total) x->lost = x->total;     /* upper bounds were added */
    hcct_p_merge_end(x);
    return 0;
}

/* ---- load ----   A part is checked whole (frame, crc), then read: a broken file leaves no half tree behind by chance. */

typedef struct hcct_p_get { const unsigned char *data; size_t size, at, left; const char *error; } hcct_p_get;

static uint64_t hcct_p_get_le(const unsigned char *from, int bytes) {
    uint64_t value = 0;
    while (bytes--) value = value << 8 | from[bytes];
    return value;
}

/* The frame of the part at data: NULL and its size, or what is wrong and where. */
static const char *hcct_p_check(const unsigned char *data, size_t size, size_t *used) {
    uint64_t payload = 0, length;
    uint32_t crc;
    size_t at = 12;
    *used = 0;
    if (size < 16 || data[0] != 'B' || data[1] != 'R' || data[2] != 'S' || data[3] != 'T') return "no .brst part";
    crc = hcct_p_crc32(0, data, 12);
    if (hcct_p_get_le(data + at, 4) != crc) return "wrong checksum";
    if (hcct_p_get_le(data + 4, 2) != 1) return "another version of the format";
    if (hcct_p_get_le(data + 6, 2) != 2) return "not a calling context tree";
    for (at = 16; ; at += (size_t)length + 6) {
        *used = at;
        if (size - at < 2) return "cut short";
        length = hcct_p_get_le(data + at, 2);
        if (length == 0) break;
        if (size - at < length + 6) return "cut short";
        crc = hcct_p_crc32(crc, data + at, (size_t)length + 2);
        if (hcct_p_get_le(data + at + 2 + length, 4) != crc) return "wrong checksum";
        payload += length;
    }
    if (size - at < 14) return "cut short";
    if (hcct_p_get_le(data + at + 10, 4) != hcct_p_crc32(crc, data + at, 10)) return "wrong checksum";
    if (hcct_p_get_le(data + at + 2, 8) != payload) return "the end does not match";
    *used = at + 14;
    return NULL;
}

/* The payload of a checked part, chunk by chunk; zeros and an error behind its end. */
static unsigned hcct_p_get_byte(hcct_p_get *in) {
    if (in->left == 0 && !in->error) {
        in->left = (size_t)hcct_p_get_le(in->data + in->at, 2);
        if (in->left == 0) in->error = "the payload is too short";
        else in->at += 2;
    }
    if (in->error) return 0;
    in->left--;
    if (in->left == 0) { in->at += 5; return in->data[in->at - 5]; }
    return in->data[in->at++];
}
static uint64_t hcct_p_get_varint(hcct_p_get *in) {
    uint64_t value = 0;
    unsigned shift = 0, byte;
    do {
        byte = hcct_p_get_byte(in);
        if (shift == 63 && byte > 1) { in->error = "a number is too large"; return 0; }
        value |= (uint64_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128);
    return value;
}
static uint32_t hcct_p_get_u32(hcct_p_get *in, uint32_t most) {
    uint64_t value = hcct_p_get_varint(in);
    if (value > most && !in->error) in->error = "a number is out of range";
    return in->error ? 0 : (uint32_t)value;
}

/* 0: that was the last one. */
static int hcct_p_get_name(hcct_p_get *in, const hcct_reader *reader) {
    char text[256];
    uint32_t key = hcct_p_get_u32(in, UINT32_MAX), length, n = 0;
    if (key == 0) return 0;
    length = hcct_p_get_u32(in, UINT32_MAX);
    for (; length && !in->error; length--) {
        char c = (char)hcct_p_get_byte(in);
        if (n < sizeof text - 1) text[n++] = c;
    }
    text[n] = 0;
    if (!in->error && reader && reader->name) reader->name(reader->user, key, text, n);
    return !in->error;
}

static const char *hcct_p_get_fields(hcct_p_get *in, const void *data, size_t size, size_t *used, uint64_t f[HCCT_P_FIELDS]) {
    int i;
    in->data = (const unsigned char *)data; in->at = 16; in->left = 0;
    in->error = hcct_p_check(in->data, size, used);
    in->size = *used;
    for (i = 0; i < HCCT_P_FIELDS && !in->error; i++) f[i] = hcct_p_get_varint(in);
    if (in->error) return in->error;
    *used = in->at;
    if (f[HCCT_P_F_VERSION] != 1) return "another version of the tree format";
    if (f[HCCT_P_F_ALGORITHM] > HCCT_FULL || f[HCCT_P_F_ALGORITHM] == HCCT_BUCKET || !((HCCT_ALGORITHMS) >> f[HCCT_P_F_ALGORITHM] & 1)) return "unknown algorithm";
    if (f[HCCT_P_F_MONITORED] - 1 >= HCCT_P_LINK || f[HCCT_P_F_WIDTH] - 1 >= UINT32_MAX || f[HCCT_P_F_PHI] - 1 >= UINT32_MAX ||
        f[HCCT_P_F_DELTA] - 1 >= UINT32_MAX || f[HCCT_P_F_LIMIT] > UINT32_MAX || f[HCCT_P_F_FOLD] > UINT32_MAX ||
        f[HCCT_P_F_RATE] > 62 || f[HCCT_P_F_PIECES] - 1 >= UINT32_MAX || f[HCCT_P_F_FLAGS] > 7 || f[HCCT_P_F_NODES] > size / 4)
        return "a parameter is out of range";
    if (f[HCCT_P_F_LOST] > f[HCCT_P_F_TOTAL]) return "more weight is lost than there was";
    return NULL;
}

static void hcct_p_file_config(hcct_config *config, const uint64_t f[HCCT_P_FIELDS]) {
    hcct t;
    hcct_p_defaults(&t, NULL);
    *config = t.config;
    config->algorithm = (uint32_t)f[HCCT_P_F_ALGORITHM];
    config->monitored = (uint32_t)f[HCCT_P_F_MONITORED];
    config->one_over_epsilon = (uint32_t)f[HCCT_P_F_WIDTH];
    config->one_over_phi = (uint32_t)f[HCCT_P_F_PHI];
    config->one_over_delta = (uint32_t)f[HCCT_P_F_DELTA];
    config->depth_limit = (uint32_t)f[HCCT_P_F_LIMIT];
}

HCCT_API size_t hcct_load_bytes(const void *data, size_t size) {
    hcct_p_get in;
    uint64_t f[HCCT_P_FIELDS];
    hcct_config config;
    size_t used;
    if (hcct_p_get_fields(&in, data, size, &used, f)) return 0;
    hcct_p_file_config(&config, f);
    /* M contexts must fit too, or the tree would be pruned as if the arena were the bound. */
    return hcct_bytes(&config, (uint32_t)f[HCCT_P_F_NODES] + 1);
}

/* Two contexts of the file have become one, by reader->key: bounds add up; a cold one lies between kept and base. */
static void hcct_p_join(hcct *t, uint32_t i, uint32_t kind, uint64_t count, uint64_t b) {
    uint64_t base = hcct_p_base(t);
    if (hcct_p_saving(t)) {
        if (*hcct_p_count(t, i) == HCCT_P_NONE) {
            uint64_t kept = hcct_p_unpack(hcct_p_at(t, i)[HCCT_P_ERROR]);
            *hcct_p_count(t, i) = base ? base : 1;
            hcct_p_at(t, i)[HCCT_P_ERROR] = hcct_p_pack(hcct_p_less(*hcct_p_count(t, i), kept), 1);
            t->monitored++;
        }
        if (kind == HCCT_P_COLD_NODE) { count = base; b = hcct_p_less(base, b); }
        *hcct_p_count(t, i) = hcct_p_add_to(t, *hcct_p_count(t, i), count, HCCT_P_NONE - 1);
        hcct_p_error_add(t, i, b, 0);
    } else hcct_p_merge_node(t, i, 0, kind, count, b, t->rate_shift);
}

HCCT_API const char *hcct_load(hcct *t, void *memory, size_t bytes, const void *data, size_t size, const hcct_reader *reader, size_t *used) {
    hcct_p_get in;
    uint64_t f[HCCT_P_FIELDS], by, counted = 0;
    uint32_t nodes, depth = 0, to = 0, missing = 0;
    hcct_config config;
    const char *error = hcct_p_get_fields(&in, data, size, used, f);
    if (error) return error;
    hcct_p_file_config(&config, f);
    if (hcct_init(t, memory, bytes, &config) == 0) return "the memory is too small";
    t->total = f[HCCT_P_F_TOTAL];
    t->floor = f[HCCT_P_F_FLOOR];
    t->lost = f[HCCT_P_F_LOST];
    t->cut = f[HCCT_P_F_CUT];
    t->outside = f[HCCT_P_F_OUTSIDE];
    t->scaled_total = f[HCCT_P_F_SCALED];
    t->rate_shift = (uint32_t)f[HCCT_P_F_RATE];
    t->pieces = f[HCCT_P_F_PIECES];
    t->saturated = f[HCCT_P_F_FLAGS] & 1;
    t->weights = f[HCCT_P_F_FLAGS] & 2;
    t->quarter = f[HCCT_P_F_FLAGS] >> 2 & 1;
    t->unmatched = f[HCCT_P_F_UNMATCHED];
    t->repaired = f[HCCT_P_F_REPAIRED];
    t->sweeps = f[HCCT_P_F_SWEEPS];
    t->evictions = f[HCCT_P_F_EVICTIONS];
    t->forced = f[HCCT_P_F_FORCED];
    by = hcct_p_base(t);
    do *used = in.at; while (hcct_p_get_name(&in, reader));
    for (nodes = (uint32_t)f[HCCT_P_F_NODES]; nodes && !in.error; nodes--) {
        uint64_t count = 0, b = 0;
        uint32_t climb, key, kind, down = 0, before = 0;
        *used = in.at;
        climb = hcct_p_get_u32(&in, UINT32_MAX);
        key = hcct_p_get_u32(&in, UINT32_MAX);
        kind = hcct_p_get_u32(&in, HCCT_P_EXACT_NODE);
        if (kind == HCCT_P_COLD_NODE) b = hcct_p_get_varint(&in);
        else count = hcct_p_get_varint(&in);
        if (kind == HCCT_P_BOUNDED_NODE) b = hcct_p_get_varint(&in);
        if (in.error) break;
        if (climb > depth) { in.error = "a node climbs above the root"; break; }
        if (key == 0) { in.error = "a node without a key"; break; }
        if ((hcct_p_full(t) && (kind != HCCT_P_EXACT_NODE || count > UINT32_MAX)) || count == HCCT_P_NONE ||
            (HCCT_P_HAS(t, HCCT_STICKY) && kind != HCCT_P_EXACT_NODE) ||
            (HCCT_P_HAS(t, HCCT_LOSSY) && kind == HCCT_P_COLD_NODE) ||
            (hcct_p_saving(t) && kind != HCCT_P_COLD_NODE && (count == 0 || b > count)) ||
            (hcct_p_saving(t) && kind == HCCT_P_COLD_NODE && b > f[HCCT_P_F_TOTAL])) { in.error = "a node's counts are impossible"; break; }
        counted += kind != HCCT_P_COLD_NODE;
        if (hcct_p_saving(t) && counted > f[HCCT_P_F_MONITORED]) { in.error = "more contexts are counted than may be"; break; }
        depth = depth + 1 - climb;
        for (; climb; climb--) {
            if (missing) { missing--; before = 0; continue; }
            before = to;
            to = hcct_p_at(t, to)[HCCT_P_PARENT];
        }
        if (reader && reader->key && reader->key(reader->user, key)) key = reader->key(reader->user, key);
        t->second = to;
        if (!missing && (down = hcct_p_find(t, to, key)) != 0) {
            if (!reader || !reader->key) { in.error = "two siblings with one key"; break; }
            hcct_p_join(t, down, kind, count, b);
            to = down;
            continue;
        }
        if (before && hcct_p_is_free(t, before)) before = 0;
        if (!missing) down = hcct_p_new(t, to, key, before);
        if (!down) { missing++; t->lost = hcct_p_sat_add(t->lost, count); continue; }
        to = down;
        hcct_p_merge_node(t, to, by, kind, count, b, (uint32_t)f[HCCT_P_F_RATE]);
    }
    t->second = 0;
    if (!in.error && (in.left || hcct_p_get_le(in.data + in.at, 2))) in.error = "the payload is too long";
    if (in.error) return in.error;
    if (t->lost > t->total) t->lost = t->total;     /* upper bounds were added */
    if (hcct_p_saving(t) && t->monitored > t->monitored_max) hcct_p_merge_end(t);
    if (HCCT_P_HAS(t, HCCT_STICKY)) t->boundary = hcct_p_rate_end(t);
    else if (HCCT_P_HAS(t, HCCT_LOSSY)) t->boundary = 0;
    *used = in.size;
    return NULL;
}

/* ---- measures (section 5.1) ---- */

static void hcct_p_bit_set(uint32_t *bits, uint32_t i) { bits[i >> 5] |= UINT32_C(1) << (i & 31); }
static int hcct_p_bit_get(const uint32_t *bits, uint32_t i) { return (int)(bits[i >> 5] >> (i & 31) & 1); }

HCCT_API size_t hcct_compare_words(const hcct *full, const hcct *t) { return (full->used + 31) / 32 + (t->used + 31) / 32; }

static double hcct_p_off(uint64_t w, uint64_t estimate) {
    return 100.0 * (w > estimate ? (double)(w - estimate) : (double)(estimate - w)) / (double)w;
}

HCCT_API int hcct_compare(const hcct *full, const hcct *t, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t *scratch, hcct_measures *m) {
    static const uint32_t one_over_tau[3] = {10, 20, 100};
    uint32_t *reached = scratch, *in_tree = scratch + (full->used + 31) / 32, i, k, to = 0, climb, missing = 0;
    uint64_t theta, hot_from = hcct_theta(full, a, b), bad, covered[3] = {0, 0, 0}, hot[3] = {0, 0, 0}, uncovered = 0, sum = 0, rest = 0, most = 0;
    int certain;
    hcct_p_zero(m, sizeof *m);
    if (!hcct_p_full(full)) return 1;
    hcct_p_zero(scratch, hcct_compare_words(full, t) * 4);
    m->total = full->total;
    bad = hcct_p_scale(m->total, hcct_p_less((uint64_t)a * d, (uint64_t)c * b), (uint64_t)b * d, 0);
    for (i = 1; i < full->used; i++) {
        uint64_t w = hcct_p_at(full, i)[HCCT_P_COUNT32];
        m->contexts++;
        if (w >= hot_from) m->hot_true++;
        if (w > m->hottest) m->hottest = w;
    }
    /* R: possible contexts and the way up to them. */
    theta = hcct_theta(t, a, b);
    for (i = hcct_p_next(t, 0, &climb); i; i = hcct_p_next(t, i, &climb))
        if (hcct_p_possible(t, i, theta, &certain))
            for (k = i; k && !hcct_p_bit_get(in_tree, k); k = hcct_parent(t, k)) { hcct_p_bit_set(in_tree, k); m->tree++; }
    /* Both trees side by side. */
    for (i = hcct_p_next(t, 0, &climb); i; i = hcct_p_next(t, i, &climb)) {
        uint64_t w = 0;
        int possible = hcct_p_possible(t, i, theta, &certain), is_hot;
        uint32_t down = 0;
        hcct_context context;
        for (; climb; climb--) { if (missing) missing--; else to = hcct_p_at(full, to)[HCCT_P_PARENT]; }
        if (!missing) down = hcct_p_look(full, to, hcct_p_at(t, i)[HCCT_P_KEY], 5, &k, &k);
        if (down) { to = down; w = hcct_p_at(full, to)[HCCT_P_COUNT32]; } else missing++;
        if (down && hcct_p_bit_get(in_tree, i)) hcct_p_bit_set(reached, to);
        is_hot = w >= hot_from;
        hcct_get(t, i, &context);
        if (context.upper < w) m->underestimates++;
        if (context.lower > w) m->overestimates++;
        if (certain) { m->certain++; if (is_hot) m->certain_right++; else m->certain_wrong++; }
        if (!possible) continue;
        m->possible++;
        if (w < bad) m->bad++;
        if (!is_hot) { m->false_positives++; continue; }
        m->hot_found++;
        m->avg_error += hcct_p_off(w, context.upper);
        m->avg_error_lower += hcct_p_off(w, context.lower);
        if (hcct_p_off(w, context.upper) > m->max_error) m->max_error = hcct_p_off(w, context.upper);
        if (hcct_p_off(w, context.lower) > m->max_error_lower) m->max_error_lower = hcct_p_off(w, context.lower);
    }
    for (i = 1; i < full->used; i++)
        if (hcct_p_bit_get(reached, i) && hcct_p_at(full, i)[HCCT_P_COUNT32] > m->hottest_found) m->hottest_found = hcct_p_at(full, i)[HCCT_P_COUNT32];
    if (m->tree == 0) m->hottest_found = m->hottest;
    for (i = 1; i < full->used; i++) {
        uint64_t w = hcct_p_at(full, i)[HCCT_P_COUNT32];
        int is_reached = hcct_p_bit_get(reached, i);
        if (is_reached) sum += w;
        else { uncovered++; rest += w; if (w > most) most = w; }
        for (k = 0; k < 3; k++) {
            if (is_reached && w * one_over_tau[k] >= m->hottest_found) covered[k]++;
            if (w * one_over_tau[k] >= m->hottest) hot[k]++;
        }
    }
    for (k = 0; k < 3; k++) m->cover[k] = hot[k] ? 100.0 * (double)covered[k] / (double)hot[k] : 0;
    if (m->total) m->overlap = 100.0 * (double)sum / (double)m->total;
    if (uncovered && m->hottest_found) {
        m->max_uncovered = 100.0 * (double)most / (double)m->hottest_found;
        m->avg_uncovered = 100.0 * ((double)rest / (double)uncovered) / (double)m->hottest_found;
    }
    m->false_negatives = m->hot_true - m->hot_found;
    m->cold = m->tree - m->possible;
    if (m->hot_found) { m->avg_error /= (double)m->hot_found; m->avg_error_lower /= (double)m->hot_found; }
    return 0;
}

/* ---- -finstrument-functions ----

   Compile the program with -finstrument-functions and link one more file, compiled without:

       #define HCCT_INSTRUMENT_FUNCTIONS
       #define HCCT_IMPLEMENTATION
       #include "hcct.h"

   At exit its hot calling contexts are in $HCCT_FILE (default hcct.brst; %p in it becomes the process number). Keys are
   functions; their names come from the symbol tables of the mapped files, else they are `file+0xoffset`. Each thread has a
   tree, allocated at its first call and merged when the thread ends; at exit threads that still run are merged too, once
   they are out of the hook. Frame addresses repair the stack after longjmp and exceptions. Sizes: HCCT_INSTRUMENT_CONTEXTS
   (20000 a thread), HCCT_INSTRUMENT_DEPTH (4096 calls whose frames are known), HCCT_INSTRUMENT_COUNT (65536 functions).
   Linux, gcc or clang; this part alone uses libc and threads. */

#ifdef HCCT_INSTRUMENT_FUNCTIONS
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifndef HCCT_INSTRUMENT_CONTEXTS
#define HCCT_INSTRUMENT_CONTEXTS 20000
#endif
#ifndef HCCT_INSTRUMENT_DEPTH
#define HCCT_INSTRUMENT_DEPTH 4096
#endif
#ifndef HCCT_INSTRUMENT_COUNT
#define HCCT_INSTRUMENT_COUNT 65536
#endif
#if UINTPTR_MAX > 0xFFFFFFFF
#define HCCT_P_ELF(type) Elf64_##type
#else
#define HCCT_P_ELF(type) Elf32_##type
#endif
#define HCCT_P_HOOK __attribute__((no_instrument_function))

typedef struct hcct_p_thread {
    hcct tree;
    struct hcct_p_thread *next;
    int busy;                                       /* inside a hook: nobody else may look at the tree */
    void *sites[HCCT_INSTRUMENT_DEPTH + 1];         /* of frames[i - 1]: its call site */
    const void *from[HCCT_INSTRUMENT_DEPTH + 1];          /* and where it called the hook from */
    hcct_frame frames[HCCT_INSTRUMENT_DEPTH];
} hcct_p_thread;

static pthread_mutex_t hcct_p_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t hcct_p_once = PTHREAD_ONCE_INIT;
static pthread_key_t hcct_p_at_end;
static hcct_p_thread *hcct_p_threads, *hcct_p_ended;        /* running; the tree of all that have ended */
static int hcct_p_stopped;
static void *hcct_p_functions[HCCT_INSTRUMENT_COUNT];       /* open addressing; key = slot + 1; entries are only added */
static char *hcct_p_names[HCCT_INSTRUMENT_COUNT];
static uint32_t hcct_p_function_count;
static __thread hcct_p_thread *hcct_p_self;
static __thread int hcct_p_gone;                            /* this thread has no tree any more, or no memory for one */

/* The key of a function. 0: it is not known and there is no room, or it is not to be added. */
HCCT_P_HOOK static uint32_t hcct_p_function_key(void *function, int add) {
    uint32_t slot = (uint32_t)((uint64_t)hcct_p_mix((uint32_t)((uintptr_t)function >> 4), 1) * HCCT_INSTRUMENT_COUNT >> 32);
    for (;; slot = slot + 1 == HCCT_INSTRUMENT_COUNT ? 0 : slot + 1) {
        void *there = __atomic_load_n(&hcct_p_functions[slot], __ATOMIC_RELAXED);
        if (there == function) return slot + 1;
        if (there) continue;
        if (!add || __atomic_load_n(&hcct_p_function_count, __ATOMIC_RELAXED) >= HCCT_INSTRUMENT_COUNT / 4 * 3) return 0;
        if (__atomic_compare_exchange_n(&hcct_p_functions[slot], &there, function, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            __atomic_fetch_add(&hcct_p_function_count, 1, __ATOMIC_RELAXED);
            return slot + 1;
        }
        if (there == function) return slot + 1;
    }
}

/* One thread's tree into that of the ended ones; the lock is held. */
HCCT_P_HOOK static void hcct_p_thread_end(hcct_p_thread *r) {
    hcct_p_thread **link = &hcct_p_threads;
    while (*link != r) link = &(*link)->next;
    *link = r->next;
    if (hcct_p_ended) hcct_merge(&hcct_p_ended->tree, &r->tree);
    else              hcct_p_ended = r;
}

HCCT_P_HOOK static void hcct_p_thread_exit(void *record) {
    hcct_p_gone = 1;
    pthread_mutex_lock(&hcct_p_lock);
    if (!hcct_p_stopped) {
        hcct_p_thread_end((hcct_p_thread *)record);
        if (hcct_p_ended != record) free(record);
    }
    pthread_mutex_unlock(&hcct_p_lock);
}

/* Names the functions in one mapping, which shows the file's bytes from `from` on at start .. end. */
HCCT_P_HOOK static void hcct_p_name_mapping(const char *path, uintptr_t start, uintptr_t end, uintptr_t from) {
    const char *base = strrchr(path, '/'), *image;
    void *mapped;
    const HCCT_P_ELF(Ehdr) *head;
    const HCCT_P_ELF(Phdr) *segments;
    const HCCT_P_ELF(Shdr) *sections;
    uintptr_t address = from, slide;
    uint32_t i, k, wanted = 0;
    off_t size;
    int file;
    for (k = 0; k < HCCT_INSTRUMENT_COUNT; k++) wanted += (uintptr_t)hcct_p_functions[k] - start < end - start;
    if (!wanted || (file = open(path, O_RDONLY)) < 0) return;
    size = lseek(file, 0, SEEK_END);
    mapped = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (mapped == MAP_FAILED) return;
    image = (const char *)mapped;
    head = (const HCCT_P_ELF(Ehdr) *)(const void *)image;
    if ((size_t)size >= sizeof *head && memcmp(image, ELFMAG, SELFMAG) == 0 && head->e_shoff + head->e_shnum * sizeof *sections <= (size_t)size) {
        segments = (const HCCT_P_ELF(Phdr) *)(const void *)(image + head->e_phoff);
        sections = (const HCCT_P_ELF(Shdr) *)(const void *)(image + head->e_shoff);
        for (i = 0; i < head->e_phnum; i++)
            if (segments[i].p_type == PT_LOAD && from - segments[i].p_offset < segments[i].p_filesz)
                address = (uintptr_t)(from - segments[i].p_offset + segments[i].p_vaddr);
        slide = start - address;                    /* from addresses in the file to addresses here, PIE or not */
        for (i = 0; i < head->e_shnum; i++) {
            const HCCT_P_ELF(Sym) *symbols = (const HCCT_P_ELF(Sym) *)(const void *)(image + sections[i].sh_offset);
            if (sections[i].sh_type != SHT_SYMTAB && sections[i].sh_type != SHT_DYNSYM) continue;
            for (k = 0; k < sections[i].sh_size / sizeof *symbols; k++) {
                uint32_t key;
                if ((symbols[k].st_info & 15) != STT_FUNC || !symbols[k].st_value) continue;
                key = hcct_p_function_key((void *)(slide + (uintptr_t)symbols[k].st_value), 0);
                if (!key || hcct_p_names[key - 1] || !(hcct_p_names[key - 1] = (char *)calloc(1, 256))) continue;
                strncpy(hcct_p_names[key - 1], image + sections[sections[i].sh_link].sh_offset + symbols[k].st_name, 255);
            }
        }
    }
    munmap(mapped, (size_t)size);
    for (k = 0; k < HCCT_INSTRUMENT_COUNT; k++) {
        uintptr_t offset = (uintptr_t)hcct_p_functions[k] - start;
        if (offset >= end - start || hcct_p_names[k] || !(hcct_p_names[k] = (char *)calloc(1, 256))) continue;
        snprintf(hcct_p_names[k], 256, "%.200s+0x%lx", base ? base + 1 : path, (unsigned long)(offset + address));
    }
}

HCCT_P_HOOK static void hcct_p_name_all(void) {
    char line[4400], path[4097];
    unsigned long start, end, from;
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps) return;
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %*2cx%*c %lx %*s %*s %4096[^\n]", &start, &end, &from, path) == 4 && path[0] == '/')
            hcct_p_name_mapping(path, start, end, from);
    fclose(maps);
}

HCCT_P_HOOK static const char *hcct_p_name_of(void *user, uint32_t key) {
    (void)user;
    return key <= HCCT_INSTRUMENT_COUNT ? hcct_p_names[key - 1] : "(more functions)";
}
HCCT_P_HOOK static int hcct_p_to_file(void *file, const void *data, size_t size) { return fwrite(data, 1, size, (FILE *)file) != size; }

HCCT_P_HOOK static void hcct_p_dump(void) {
    const char *wanted = getenv("HCCT_FILE");
    char path[1024];
    size_t n = 0;
    int wait, failed = 1;
    FILE *file;
    hcct_p_thread *r;
    if (!wanted || !*wanted) wanted = "hcct.brst";
    for (; *wanted && n < sizeof path - 32; wanted++) {
        if (wanted[0] == '%' && wanted[1] == 'p') { n += (size_t)snprintf(path + n, 32, "%ld", (long)getpid()); wanted++; }
        else path[n++] = *wanted;
    }
    path[n] = 0;
    hcct_p_gone = 1;
    pthread_mutex_lock(&hcct_p_lock);
    __atomic_store_n(&hcct_p_stopped, 1, __ATOMIC_SEQ_CST);
    for (r = hcct_p_threads; r; r = r->next)
        for (wait = 0; wait < 10000 && __atomic_load_n(&r->busy, __ATOMIC_SEQ_CST); wait++) sched_yield();
    while (hcct_p_threads) hcct_p_thread_end(hcct_p_threads);       /* not freed: their threads may still run */
    pthread_mutex_unlock(&hcct_p_lock);
    if (!hcct_p_ended) return;
    hcct_p_name_all();
    file = fopen(path, "wb");
    if (file) {
        failed = hcct_write(&hcct_p_ended->tree, hcct_p_name_of, NULL, hcct_p_to_file, file);
        failed |= fclose(file);
    }
    if (failed) fprintf(stderr, "hcct: cannot write %s\n", path);
}

HCCT_P_HOOK static void hcct_p_start(void) {
    pthread_key_create(&hcct_p_at_end, hcct_p_thread_exit);
    atexit(hcct_p_dump);
}

HCCT_P_HOOK static hcct_p_thread *hcct_p_thread_begin(void) {
    hcct_config config;
    hcct_p_thread *r;
    size_t bytes;
    hcct_p_gone = 1;                                /* should what is called here be instrumented, it must not come back */
    pthread_once(&hcct_p_once, hcct_p_start);
    memset(&config, 0, sizeof config);
    bytes = hcct_bytes(&config, HCCT_INSTRUMENT_CONTEXTS);
    r = (hcct_p_thread *)calloc(1, sizeof *r + bytes);
    if (!r) return NULL;
    config.frames = r->frames;
    config.frame_count = HCCT_INSTRUMENT_DEPTH;
    hcct_init(&r->tree, r + 1, bytes, &config);
    pthread_mutex_lock(&hcct_p_lock);
    r->next = hcct_p_threads;
    hcct_p_threads = r;
    pthread_mutex_unlock(&hcct_p_lock);
    pthread_setspecific(hcct_p_at_end, r);
    hcct_p_gone = 0;
    return hcct_p_self = r;
}

/* NULL: do nothing. Else hcct_p_hook_end must follow. A signal handler that interrupts a hook is not seen. */
HCCT_P_HOOK static inline hcct_p_thread *hcct_p_hook_begin(void) {
    hcct_p_thread *r = hcct_p_self;
    if (hcct_p_gone) return NULL;
    if (!r && !(r = hcct_p_thread_begin())) return NULL;
    if (__atomic_load_n(&r->busy, __ATOMIC_RELAXED)) return NULL;
    __atomic_store_n(&r->busy, 1, __ATOMIC_RELAXED);
    if (!__atomic_load_n(&hcct_p_stopped, __ATOMIC_ACQUIRE)) return r;
    __atomic_store_n(&r->busy, 0, __ATOMIC_RELEASE);
    return NULL;
}
HCCT_P_HOOK static inline void hcct_p_hook_end(hcct_p_thread *r) { __atomic_store_n(&r->busy, 0, __ATOMIC_RELEASE); }

/* The address of the hook's own frame tells the caller's; two frames are at least 16 bytes apart. A function that was inlined
   runs in its caller's frame and says its caller's call site, but calls the hook from another place: it gets an address of
   its own just below. If it calls from the same place again, its last call was jumped out of. */
HCCT_P_HOOK static inline uintptr_t hcct_p_frame(hcct_p_thread *r, const void *site, const void *from, uintptr_t frame) {
    hcct *t = &r->tree;
    uint32_t n, k;
    hcct_p_pop_frames_below(t, frame - 15);
    for (n = k = t->run.frame_count; k && r->frames[k - 1].address <= frame && r->sites[k] == site; k--) if (r->from[k] == from) n = k - 1;
    if (n < t->run.frame_count) {
        t->repaired += t->run.frame_count - n;
        t->run.frame_count = n + 1;
        hcct_p_pop_frame(t);
    }
    return n && r->frames[n - 1].address <= frame && r->sites[n] == site ? r->frames[n - 1].address - 1 : frame;
}

#if defined(__clang__)          /* the compiler has chosen these two names */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreserved-identifier"
#endif
#ifdef __cplusplus
extern "C" {
#endif
HCCT_P_HOOK void __cyg_profile_func_enter(void *function, void *site);
HCCT_P_HOOK void __cyg_profile_func_exit(void *function, void *site);

HCCT_P_HOOK void __cyg_profile_func_enter(void *function, void *site) {
    const void *frame = __builtin_frame_address(0), *from = __builtin_return_address(0);
    hcct_p_thread *r = hcct_p_hook_begin();
    uint32_t key;
    if (!r) return;
    key = hcct_p_function_key(function, 1);
    hcct_enter_at(&r->tree, key ? key : HCCT_INSTRUMENT_COUNT + 1, 1, hcct_p_frame(r, site, from, (uintptr_t)frame));
    r->sites[r->tree.run.frame_count] = site;
    r->from[r->tree.run.frame_count] = from;
    hcct_p_hook_end(r);
}

HCCT_P_HOOK void __cyg_profile_func_exit(void *function, void *site) {
    const void *frame = __builtin_frame_address(0);
    hcct_p_thread *r = hcct_p_hook_begin();
    uint32_t key;
    (void)site;
    if (!r) return;
    key = hcct_p_function_key(function, 0);
    hcct_leave_at(&r->tree, key ? key : HCCT_INSTRUMENT_COUNT + 1, (uintptr_t)frame);
    hcct_p_hook_end(r);
}
#ifdef __cplusplus
}
#endif
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
#endif /* HCCT_INSTRUMENT_FUNCTIONS */

#endif /* HCCT_IMPLEMENTATION */

/* MIT License

   Copyright (c) 2026 the bursty authors

   Permission is hereby granted, free of charge, to any person obtaining a copy
   of this software and associated documentation files (the "Software"), to deal
   in the Software without restriction, including without limitation the rights
   to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
   copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all
   copies or substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
   IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
   FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
   AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
   LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
   SOFTWARE.
*/
