/* callpaths.h - v0.2.0 - every calling context of a program, by one call - MIT, text at end of file

   example:
       #define BURSTY_IMPLEMENTATION
       #define BURSTY_STDIO
       #include "bursty.h"
       #define HCCT_IMPLEMENTATION
       #include "hcct.h"
       #define CALLPATHS_IMPLEMENTATION
       #include "callpaths.h"
       static int price(int n) { BURST_SCOPE("price"); return n % 3; }
       static int search(int n) { BURST_SCOPE("search"); return price(n) + price(n + 1); }
       static int draw(int n) { BURST_SCOPE("draw"); return price(n); }
       int main(void) {
           int i, sum = 0;
           callpaths_start(NULL);
           for (i = 0; i < 100000; i++) { sum += search(i) + draw(i); }
           return bursty_save("paths.brst") != 0 || sum == 0;
       }
   end of example.

   bursty.h knows who is called, and from where. hcct.h keeps whole calling contexts: main calls
   search, search calls price. This header joins the two. There is no code to write between them.

   STEP BY STEP
   1. Include bursty.h, hcct.h and then this header. For time as well include ticks.h before this
      header. One C or C++ file defines all their IMPLEMENTATIONs.
   2. Call callpaths_start(NULL) in the place of bursty_start or ticks_start.
   3. bursty_save writes the contexts, too. `bursty report` shows the hot ones, and for each
      function the calls in it and below it. `bursty report --collapsed` writes whole stacks for a
      flame graph, by ticks (time) or by calls: --by ticks, --by calls.
   4. Inside the program, ask callpaths_tree and hcct_hottest: examples/hot_contexts.c.
   5. Deep recursion makes long paths. config.fold = 1 keeps a function that calls itself as one
      context; n also folds cycles of n functions. Ticks are folded in the same way.

   PROMISES
     - It allocates nothing and waits for nobody on a path of the program. It uses CALLPATHS_MEMORY
       bytes of static memory, or memory that you pass in.
     - There may be any number of sites. Paths are as deep as BURSTY_STACK; what is deeper stands
       in a context "(deep)".
     - Each context's share of the calls has a 95 % interval in the report, from how its calls
       differ between bursts. That takes 32 bytes a context; config.no_intervals saves them.
     - A call that is not counted is in callpaths_stats.lost, and the report shows it: a thread had
       no tree, or a dump was being written.

   THREADS
     Each thread has a tree of its own. A thread that takes over the record of one that has ended
     goes on with its tree. The dump holds all trees, and the tool joins them. After fork,
     bursty_forked empties the trees of the child. If a handler of a signal jumps out of the middle
     of an event (longjmp and bursty_set_depth, see bursty.h), the thread begins a new tree at its
     next event, and the calls of the old one count as lost.

   OPTIONS where CALLPATHS_IMPLEMENTATION is defined:
     CALLPATHS_MEMORY=bytes  the size of the static memory: 393216, for 8 threads with some 600
                             contexts each; 0 means none
   OPTIONS in every file:
     CALLPATHS_STATIC        makes everything static, for a single file
     BURSTY_OFF              everything becomes nothing, as in bursty.h

   COST
     One more profile of bursty.h, at the rate of its profile 0: some 130 instructions for each
     event in a burst, and 30 for each scope on the stack when a burst begins. */

#ifndef CALLPATHS_H
#define CALLPATHS_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__) || defined(__TINYC__)
#define CALLPATHS_P_UNUSED __attribute__((unused))
#else
#define CALLPATHS_P_UNUSED
#endif

#if defined(BURSTY_OFF)
#define CALLPATHS_API CALLPATHS_P_UNUSED static inline
#define CALLPATHS_P_OFF(...) { __VA_ARGS__; }
#elif defined(CALLPATHS_STATIC)
#define CALLPATHS_API CALLPATHS_P_UNUSED static
#elif (defined(__GNUC__) || defined(__clang__)) && !defined(_WIN32)
#define CALLPATHS_API extern __attribute__((visibility("hidden")))
#else
#define CALLPATHS_API extern
#endif
#ifndef BURSTY_OFF
#define CALLPATHS_P_OFF(...) ;
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(BURSTY_H) && defined(HCCT_H) && (!defined(BURSTY_TINY) || defined(BURSTY_OFF))

/* ---- types ---------------------------------------------------------------------------------- */

struct ticks_config;

typedef struct callpaths_config {     /* a zero anywhere means the default                       */
    const bursty_config *bursty;      /* for bursty_start; NULL: its defaults                    */
    const struct ticks_config *ticks; /* for ticks_start, if ticks.h is included before          */
    bursty_profile profile;           /* rate of the bursts; all zero: as bursty's profile 0     */
    uint32_t fold;                    /* n > 0: a call of the running function or of one of its
                                         n - 1 nearest callers is no deeper context              */
    uint32_t threads;                 /* trees to make room for: 8                               */
    int no_intervals;                 /* 1: no sums over bursts, and room for more contexts      */
    void *memory;                     /* NULL: CALLPATHS_MEMORY bytes of static memory           */
    size_t memory_bytes;
} callpaths_config;

typedef struct callpaths_stats {
    uint64_t calls;      /* recorded in bursts                                                   */
    uint64_t estimated;  /* how many calls of the whole run these stand for                      */
    uint64_t lost;       /* of the recorded ones, calls that are in no tree                      */
    uint32_t contexts;   /* in all trees                                                         */
    uint32_t room;       /* contexts that fit into one tree                                      */
    uint32_t threads;    /* trees in use                                                         */
} callpaths_stats;

/* ---- functions ------------------------------------------------------------------------------ */

/* Calls ticks_start or bursty_start and sets the last of the BURSTY_PROFILES to record contexts;
   config may be NULL. A second call begins again; stop all other threads before it. Returns 0, or
   -1: bursty_start or ticks_start refuses, memory is too small, or the profile is out of range.
   After -1 bursty.h may be running, without contexts. */
CALLPATHS_API int callpaths_start(const callpaths_config *config)
    CALLPATHS_P_OFF(return (void)config, 0)

/* Leaves out the contexts from now on, such as those of a loading screen (1), or goes on with them
   (0), and with the ticks, if ticks.h is included before. What was counted stays. The other
   profiles of bursty.h go on: bursty_set_profile switches each. callpaths_start begins with 0.
   Returns 0, or -1: callpaths_start was not called or had returned -1. */
CALLPATHS_API int callpaths_pause(int is_paused) CALLPATHS_P_OFF(return (void)is_paused, 0)

/* Sums over all threads. What other threads count at the same time may be missing. */
CALLPATHS_API void callpaths_get_stats(callpaths_stats *out)
    CALLPATHS_P_OFF(const callpaths_stats none = { 0, 0, 0, 0, 0, 0 }; *out = none)

/* The tree of the thread of that number, from 0 in the order in which bursty.h registered them;
   NULL if it has none. Its answers stand for the whole run. While you ask, that thread must make
   no check: ask on the thread itself, or when it has ended. */
CALLPATHS_API const hcct *callpaths_tree(uint32_t thread)
    CALLPATHS_P_OFF((void)thread; return NULL)

/* An hcct_name_fn for these trees; user is not used. */
CALLPATHS_API const char *callpaths_name(void *user, uint32_t key)
    CALLPATHS_P_OFF((void)user; (void)key; return NULL)

/* Writes each tree as a part of a dump; bursty_write does it. write must not call this header, and
   no signal handler may. Returns 0, or -1 if write failed. */
CALLPATHS_API int callpaths_write(bursty_write_fn write, void *user)
    CALLPATHS_P_OFF(return (void)write, (void)user, 0)

#endif

#ifdef __cplusplus
}
#endif
#endif /* CALLPATHS_H */

/* ---- implementation ------------------------------------------------------------------------- */

#if defined(CALLPATHS_IMPLEMENTATION) && !defined(CALLPATHS_IMPLEMENTED)
#define CALLPATHS_IMPLEMENTED
#ifdef TICKS_H
#define CALLPATHS_P_WITH_TICKS
#endif

#if defined(BURSTY_H) && defined(HCCT_H) && !defined(BURSTY_OFF) && !defined(BURSTY_TINY)
#ifndef BURSTY_IMPLEMENTED
#error "CALLPATHS_IMPLEMENTATION belongs behind bursty.h with BURSTY_IMPLEMENTATION, and hcct.h"
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif
#ifndef CALLPATHS_MEMORY
#define CALLPATHS_MEMORY 393216
#endif

/* memory   | thread 0, ..., thread n - 1 | sums of 0 | tree of 0 | sums of 1 | ...      all equal

   A thread's calls go to the tree of its number. Each event carries the depth of the stack, and
   that tells which calls have returned since, by whatever way; so returns are no events here. When
   a burst begins, and whenever an event was left out, the tree follows the stack of scopes anew.

   Invariant: the tree's running context is the path of the innermost call that was recorded, it is
   `depth` deep, and what it holds of scopes that are still open is the stack. `is_held` is 1 while
   somebody looks at the tree or changes it. Nobody waits for it on a path of the program: an event
   that comes while a dump is being written is counted as lost. */

#ifdef BURSTY_NO_TLS
#define CALLPATHS_P_GET(p) (*(p))
#define CALLPATHS_P_PUT(p, v) ((void)(*(p) = (v)))
static int callpaths_p_hold(uint32_t *held, uint32_t who) {
    if (*held) return 0;
    *held = who;
    return 1;
}
#else
#define CALLPATHS_P_GET(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define CALLPATHS_P_PUT(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
static int callpaths_p_hold(uint32_t *held, uint32_t who) {
    uint32_t nobody = 0;
    return __atomic_compare_exchange_n(held, &nobody, who, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
#endif

#define CALLPATHS_P_DEEPEST (BURSTY_STACK + 1u) /* with "(deep)", which is one context */
#define CALLPATHS_P_FAR 1u    /* the key of a site too far from ours; no distance is odd */

/* What the variance between bursts needs of a context, by the number of its node. y is how many
   calls it has in one burst. The tree may give a context up and use its node for another one: then
   the key or the parent differs, and the sums begin again. What the tool finds in the tree must be
   `calls`; if it is more, the context was given up in between, and it gets no interval. */
typedef struct callpaths_p_sums {
    uint64_t yy;          /* of all its bursts but the latest: y * y         */
    uint32_t key, parent;
    uint32_t calls;       /* the sum of y, with the latest burst             */
    uint32_t bursts;      /* in which it was called                          */
    uint32_t burst, y;    /* the latest of these, and the calls in it so far */
} callpaths_p_sums;

typedef struct callpaths_p_thread {
    hcct tree;
    callpaths_p_sums *sums; /* of nodes 0 to room; 0: of all calls. Or NULL */
    uint64_t weight_256;  /* of all calls in the tree                    */
    uint64_t calls;
    uint32_t lost;        /* calls that are not in it                    */
    uint32_t is_held;
    uint32_t room;        /* contexts that fit into the tree; 0: no tree */
    uint32_t follows;     /* the tree's running context is the stack     */
    uint32_t depth;       /* of the running context, before folding      */
    uint32_t burst;       /* the number of its burst                     */
    uint32_t bursts;      /* how many bursts had a call                  */
    uint32_t folded[CALLPATHS_P_DEEPEST + 1];
} callpaths_p_thread;

static struct {
    callpaths_p_thread *threads;
    unsigned char *trees;
    size_t tree_bytes;
    uint32_t thread_room, fold, nodes; /* nodes that have sums */
    uint32_t lost; /* calls of threads without a tree */
    void (*on_thread)(int what);
    int (*more)(bursty_write_fn write, void *user);
    bursty_profile profile; /* for callpaths_pause */
} callpaths_p_all;

#if CALLPATHS_MEMORY > 0
static uint64_t callpaths_p_memory[(CALLPATHS_MEMORY + 7) / 8];
#endif

/* A site lies among the constants of this program or shared object. Its distance from this one is
   its key: so there may be any number of sites, and nothing is looked up. */
static const bursty_site callpaths_p_origin = { "", "", 0, 0 };

static uint32_t callpaths_p_key(const bursty_site *site) {
    uintptr_t distance = (uintptr_t)site - (uintptr_t)&callpaths_p_origin;
    uint32_t key = (uint32_t)distance;
    return distance == (uintptr_t)(intptr_t)(int32_t)key ? key : CALLPATHS_P_FAR;
}

CALLPATHS_API const char *callpaths_name(void *user, uint32_t key) {
    uintptr_t distance = (uintptr_t)(intptr_t)(int32_t)key;
    (void)user;
    if (key == HCCT_KEY_DEEP) return "(deep)";
    if (key == CALLPATHS_P_FAR) return "(other objects)";
    return ((const bursty_site *)((uintptr_t)&callpaths_p_origin + distance))->name;
}

/* ---- sums over bursts ----------------------------------------------------------------------- */

static uint32_t callpaths_p_more(uint32_t count) { return count + (count != UINT32_MAX); }

static uint64_t callpaths_p_with(uint64_t yy, uint32_t y) {
    uint64_t square = (uint64_t)y * y;
    return yy + square < yy ? UINT64_MAX : yy + square;
}

static void callpaths_p_sum(callpaths_p_thread *t, uint32_t node, uint32_t key, uint32_t parent) {
    callpaths_p_sums *s = &t->sums[node];
    if (s->key != key || s->parent != parent) {
        s->yy = s->calls = s->bursts = s->burst = s->y = 0;
        s->key = key;
        s->parent = parent;
    }
    if (s->burst != t->bursts) {
        s->yy = callpaths_p_with(s->yy, s->y);
        s->y = 0;
        s->burst = t->bursts;
        s->bursts = callpaths_p_more(s->bursts);
    }
    s->y = callpaths_p_more(s->y);
    s->calls = callpaths_p_more(s->calls);
}

/* The call that was just recorded. One that has no place in the tree is one of all calls. */
static void callpaths_p_sum_call(callpaths_p_thread *t, uint32_t key) {
    hcct_place place = hcct_position(&t->tree);
    callpaths_p_sum(t, 0, 0, 0);
    if (place.cursor == 0 || place.cursor > callpaths_p_all.nodes) return;
    if (place.over == 0)
        callpaths_p_sum(t, place.cursor, key, hcct_parent(&t->tree, place.cursor));
}

/* For hcct_write. */
static void callpaths_p_numbers(void *user, uint32_t node, uint64_t numbers[3]) {
    const callpaths_p_sums *s = ((const callpaths_p_thread *)user)->sums;
    s += node <= callpaths_p_all.nodes ? node : 0;
    numbers[0] = node <= callpaths_p_all.nodes ? s->calls : 0;
    numbers[1] = s->bursts;
    numbers[2] = callpaths_p_with(s->yy, s->y);
}

/* An empty tree for the thread. Its memory is enough, for callpaths_start has tried. */
static void callpaths_p_make(callpaths_p_thread *t) {
    size_t number = (size_t)(t - callpaths_p_all.threads);
    unsigned char *memory = callpaths_p_all.trees + number * callpaths_p_all.tree_bytes;
    size_t sums = callpaths_p_all.nodes ? (callpaths_p_all.nodes + 1) * sizeof *t->sums : 0;
    hcct_config config;
    unsigned char *byte = (unsigned char *)&config;
    uint32_t room;
    size_t i;
    for (i = 0; i < sizeof config; i++) byte[i] = 0;
    config.fold = callpaths_p_all.fold;
    config.returns = config.fold ? t->folded : NULL;
    config.return_count = config.fold ? CALLPATHS_P_DEEPEST + 1 : 0;
    t->weight_256 = t->calls = 0;
    t->lost = t->follows = t->depth = t->burst = t->bursts = 0;
    t->sums = sums ? (callpaths_p_sums *)(void *)memory : NULL;
    for (i = 0; i < sums; i++) memory[i] = 0;
    config.sums = sums ? callpaths_p_numbers : NULL;
    config.sums_user = t;
    room = hcct_init(&t->tree, memory + sums, callpaths_p_all.tree_bytes - sums, &config);
    CALLPATHS_P_PUT(&t->room, room);
}

/* `is_held`: by the thread's event, or by somebody who asks. */
enum { CALLPATHS_P_EVENT = 1, CALLPATHS_P_ASKED = 2 };

/* For the thread itself, outside of its events: has a longjmp out of a signal handler left one in
   the middle? Then nobody knows what the tree looks like, and its calls are lost. */
static void callpaths_p_mend(callpaths_p_thread *t) {
    uint64_t lost;
    if (CALLPATHS_P_GET(&t->is_held) != CALLPATHS_P_EVENT) return;
    lost = t->lost + t->calls;
    callpaths_p_make(t);
    t->lost = lost < UINT32_MAX / 2 ? (uint32_t)lost : UINT32_MAX / 2;
    CALLPATHS_P_PUT(&t->is_held, 0);
}

/* The calling thread's, or NULL. */
static callpaths_p_thread *callpaths_p_mine(void) {
    const bursty_p_thread *record = bursty_p_registered();
    if (!record || record->number >= callpaths_p_all.thread_room) return NULL;
    return &callpaths_p_all.threads[record->number];
}

/* bursty.h calls it on a thread that registers (1), that ends (0) or that is a forked child (2). In
   the child no other thread is left, and whoever held a tree is gone. */
static void callpaths_p_on_thread(int what) {
    callpaths_p_thread *mine = callpaths_p_mine();
    uint32_t i;
    if (callpaths_p_all.on_thread) callpaths_p_all.on_thread(what);
    for (i = 0; what == 2 && i < callpaths_p_all.thread_room; i++) {
        callpaths_p_thread *t = &callpaths_p_all.threads[i];
        if (t->room) callpaths_p_make(t);
        t->is_held = 0;
    }
    if (what == 2) callpaths_p_all.lost = 0;
    if (what == 1 && mine && !mine->room) callpaths_p_make(mine);
    if (!mine) return;
    callpaths_p_mend(mine);
    mine->follows = 0;
    mine->burst = 0; /* another thread counts its bursts from 1 */
}

/* ---- events --------------------------------------------------------------------------------- */

/* Scopes that the stack has no room for are one context. */
static uint32_t callpaths_p_depth(uint32_t scopes) {
    return scopes > BURSTY_STACK ? CALLPATHS_P_DEEPEST : scopes;
}

static void callpaths_p_follow(callpaths_p_thread *t, const bursty_event *e, uint32_t depth) {
    uint32_t keys[CALLPATHS_P_DEEPEST], i = 0;
#if BURSTY_STACK > 0
    for (; i < depth && i < BURSTY_STACK; i++) keys[i] = callpaths_p_key(e->stack[i]);
#endif
    if (i < depth) keys[i] = HCCT_KEY_DEEP;
    (void)hcct_burst_begin(&t->tree, keys, depth);
    t->depth = depth;
    if (t->burst != e->burst) t->bursts = callpaths_p_more(t->bursts);
    t->burst = e->burst;
    t->follows = 1;
}

static void callpaths_p_lose(uint32_t *lost) {
    if (CALLPATHS_P_GET(lost) >= UINT32_MAX / 2) return; /* far from an overflow by many threads */
#ifdef BURSTY_NO_TLS
    ++*lost;
#else
    (void)__atomic_fetch_add(lost, UINT32_C(1), __ATOMIC_RELAXED);
#endif
}

static void callpaths_p_event(void *user, const bursty_event *e) {
    callpaths_p_thread *t = callpaths_p_mine();
    uint32_t depth = callpaths_p_depth(e->depth);
    (void)user;
    if (!t || !t->room) {
        callpaths_p_lose(&callpaths_p_all.lost);
        return;
    }
    callpaths_p_mend(t);
    if (!callpaths_p_hold(&t->is_held, CALLPATHS_P_EVENT)) { /* for a dump */
        t->follows = 0;
        callpaths_p_lose(&t->lost);
        return;
    }
    if (!t->follows || t->burst != e->burst || t->depth < depth) callpaths_p_follow(t, e, depth);
    for (; t->depth > depth; t->depth--) hcct_leave(&t->tree);
    hcct_enter(&t->tree, callpaths_p_key(e->site), 1);
    if (t->sums) callpaths_p_sum_call(t, callpaths_p_key(e->site));
    t->calls++;
    t->weight_256 += e->weight_256;
    if ((e->kind & BURSTY_FRAME) && t->depth < CALLPATHS_P_DEEPEST) t->depth++;
    else hcct_leave(&t->tree); /* a point is over already, and so is a call in "(deep)" */
    CALLPATHS_P_PUT(&t->is_held, 0);
}

/* ---- start and answers ---------------------------------------------------------------------- */

/* A tree of so many contexts, with sums or without. */
static size_t callpaths_p_bytes(uint32_t count, int has_sums) {
    uint64_t sums = has_sums ? ((uint64_t)count + 1) * sizeof(callpaths_p_sums) : 0;
    if (count > UINT32_C(1) << (sizeof(size_t) > 4 ? 30 : 24)) return SIZE_MAX;
    return hcct_bytes(NULL, count) + (size_t)sums;
}

/* Lays threads and trees out in memory. Returns whether there is room for a tree of 8 contexts for
   each thread. */
static int callpaths_p_lay_out(const callpaths_config *config) {
    uint32_t step;
    unsigned char *memory = (unsigned char *)config->memory;
    size_t bytes = config->memory_bytes, skip, i, threads = config->threads;
#if CALLPATHS_MEMORY > 0
    if (!memory) {
        memory = (unsigned char *)callpaths_p_memory;
        bytes = sizeof callpaths_p_memory;
    }
#endif
    if (threads == 0) threads = 8;
#ifdef BURSTY_NO_TLS
    threads = 1;
#endif
    skip = memory ? (0 - (uintptr_t)memory) & 7 : 0;
    if (!memory || bytes < skip || threads > (bytes - skip) / sizeof(callpaths_p_thread)) return 0;
    bytes -= skip + threads * sizeof(callpaths_p_thread);
    callpaths_p_all.threads = (callpaths_p_thread *)(void *)(memory + skip);
    callpaths_p_all.trees = (unsigned char *)(callpaths_p_all.threads + threads);
    callpaths_p_all.tree_bytes = bytes / threads & ~(size_t)7;
    if (callpaths_p_all.tree_bytes < callpaths_p_bytes(8, !config->no_intervals)) return 0;
    callpaths_p_all.nodes = 0;
    for (step = UINT32_C(1) << 30; step && !config->no_intervals; step /= 2) {
        if (callpaths_p_bytes(callpaths_p_all.nodes + step, 1) <= callpaths_p_all.tree_bytes)
            callpaths_p_all.nodes += step;
    }
    for (i = 0; i < threads * sizeof(callpaths_p_thread); i++) (memory + skip)[i] = 0;
    callpaths_p_all.thread_room = (uint32_t)threads;
    return 1;
}

CALLPATHS_API int callpaths_start(const callpaths_config *config) {
    bursty_config bursty;
    bursty_profile profile;
    callpaths_config zero;
    unsigned char *byte = (unsigned char *)&zero;
    size_t i;
#ifdef TICKS_H
    ticks_config ticks;
    unsigned char *ticks_byte = (unsigned char *)&ticks;
    for (i = 0; i < sizeof ticks; i++) ticks_byte[i] = 0;
#endif
    for (i = 0; i < sizeof zero; i++) byte[i] = 0;
    if (!config) config = &zero;
    byte = (unsigned char *)&bursty;
    for (i = 0; i < sizeof bursty; i++) byte[i] = 0;
    if (config->bursty) bursty = *config->bursty;
    callpaths_p_all.thread_room = 0;
    callpaths_p_all.profile.action = NULL;
    if (BURSTY_PROFILES < 2 || !callpaths_p_lay_out(config)) return -1;
    callpaths_p_all.fold = config->fold;
    callpaths_p_all.lost = 0;
#ifdef TICKS_H
    if (config->ticks) ticks = *config->ticks;
    if (!config->bursty && ticks.bursty) bursty = *ticks.bursty;
    if (ticks.fold == 0) ticks.fold = config->fold;
    ticks.bursty = &bursty;
#endif
    profile = config->profile.check_count ? config->profile : bursty.profile;
    profile.classes = BURSTY_CALL;
    profile.action = callpaths_p_event;
    profile.user = NULL;
    profile.off = 0;
    callpaths_p_all.on_thread = bursty.on_thread;
    callpaths_p_all.more = bursty.more;
    bursty.on_thread = callpaths_p_on_thread;
    bursty.more = callpaths_write;
#ifdef TICKS_H
    if (ticks_start(&ticks) != 0) return -1;
#else
    if (bursty_start(&bursty) == 0) return -1;
#endif
    callpaths_p_all.profile = profile;
    return bursty_set_profile(BURSTY_PROFILES - 1, &profile);
}

CALLPATHS_API int callpaths_pause(int is_paused) {
    if (!callpaths_p_all.profile.action) return -1;
#ifdef TICKS_H
    ticks_pause(is_paused);
#endif
    callpaths_p_all.profile.off = is_paused != 0;
    return bursty_set_profile(BURSTY_PROFILES - 1, &callpaths_p_all.profile);
}

/* Waits until the thread is not in the middle of an event; it is at most a few instructions away,
   or was put aside by the operating system. */
static callpaths_p_thread *callpaths_p_take(uint32_t number) {
    callpaths_p_thread *t;
    if (number >= callpaths_p_all.thread_room) return NULL;
    t = &callpaths_p_all.threads[number];
    if (!CALLPATHS_P_GET(&t->room)) return NULL;
    if (t == callpaths_p_mine()) callpaths_p_mend(t);
    while (!callpaths_p_hold(&t->is_held, CALLPATHS_P_ASKED)) { }
    return t;
}

CALLPATHS_API const hcct *callpaths_tree(uint32_t thread) {
    callpaths_p_thread *t = callpaths_p_take(thread);
    if (!t) return NULL;
    hcct_scale_to(&t->tree, t->weight_256 / 256);
    CALLPATHS_P_PUT(&t->is_held, 0);
    return &t->tree;
}

/* What a thread's calls stand for, with so many that it lost, each as heavy as the mean. */
static uint64_t callpaths_p_weight(const callpaths_p_thread *t, uint64_t lost) {
    return t->weight_256 / 256 + (t->calls ? t->weight_256 / t->calls * lost / 256 : 0);
}

CALLPATHS_API void callpaths_get_stats(callpaths_stats *out) {
    uint32_t i, others = CALLPATHS_P_GET(&callpaths_p_all.lost);
    out->calls = out->lost = others;
    out->estimated = 0;
    out->contexts = out->threads = 0;
    out->room = 0;
    for (i = 0; i < callpaths_p_all.thread_room; i++) {
        callpaths_p_thread *t = callpaths_p_take(i);
        hcct_stats stats;
        uint32_t lost;
        if (!t) continue;
        hcct_get_stats(&t->tree, &stats);
        out->threads++;
        out->room = t->room;
        out->contexts += stats.nodes;
        lost = CALLPATHS_P_GET(&t->lost);
        out->calls += t->calls + lost;
        out->lost += lost;
        out->estimated += callpaths_p_weight(t, (uint64_t)lost + others);
        others = 0;
        CALLPATHS_P_PUT(&t->is_held, 0);
    }
}

/* Calls without a tree are weight in no context: they stand in the part of the first tree. */
CALLPATHS_API int callpaths_write(bursty_write_fn write, void *user) {
    uint32_t i, others = CALLPATHS_P_GET(&callpaths_p_all.lost);
    for (i = 0; i < callpaths_p_all.thread_room; i++) {
        callpaths_p_thread *t = callpaths_p_take(i);
        uint64_t lost;
        hcct copy;
        int failed;
        if (!t) continue;
        lost = (uint64_t)CALLPATHS_P_GET(&t->lost) + others;
        others = 0;
        copy = t->tree;
        copy.stats.total += lost;
        copy.stats.lost += lost;
        if (t->calls) hcct_scale_to(&copy, callpaths_p_weight(t, lost));
        failed = copy.stats.total ? hcct_write(&copy, callpaths_name, NULL, write, user) : 0;
        CALLPATHS_P_PUT(&t->is_held, 0);
        if (failed) return -1;
    }
    return callpaths_p_all.more ? callpaths_p_all.more(write, user) : 0;
}

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif
#endif /* CALLPATHS_IMPLEMENTATION */

/* MIT License

   Copyright (c) 2026 the bursty authors

   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
   associated documentation files (the "Software"), to deal in the Software without restriction,
   including without limitation the rights to use, copy, modify, merge, publish, distribute,
   sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all copies or
   substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
   NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
   DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
