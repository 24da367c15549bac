/* ---- contexts from bursty.h ---- */

#if defined(BURSTY_H) && !defined(BURSTY_OFF) && !defined(BURSTY_TINY)

#ifdef BURSTY_BARE
#define CALLPATHS_P_THREADS 8
#ifndef CALLPATHS_MEMORY
#define CALLPATHS_MEMORY 393216
#endif
#else
#define CALLPATHS_P_THREADS 64
#ifndef CALLPATHS_MEMORY
#define CALLPATHS_MEMORY 3145728 /* what no thread needs is never touched */
#endif
#endif

/* memory   | thread 0, ..., thread n - 1 | sums of 0 | tree of 0 | sums of 1 | ...      all equal

   A thread's calls go to the tree of its number. Each event carries the depth
   of the stack, and that tells which calls have returned since, by whatever
   way; so returns are no events here. When a burst begins, and whenever an
   event was left out, the tree follows the stack of scopes anew.

   Invariant: the tree's running context is the path of the innermost call that
   was recorded, it is `depth` deep, and what it holds of scopes that are still
   open is the stack. `is_held` is 1 while somebody looks at the tree or changes
   it. Nobody waits for it on a path of the program: an event that comes while a
   dump is being written is counted as lost. */

#if defined(BURSTY_NO_TLS)
#define HCCT_P_GET(p) (*(p))
#define HCCT_P_PUT(p, v) ((void)(*(p) = (v)))
static int callpaths_p_hold(uint32_t *held, uint32_t who) {
    if (*held) return 0;
    *held = who;
    return 1;
}
#elif defined(HCCT_P_GNU)
#define HCCT_P_GET(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define HCCT_P_PUT(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
static int callpaths_p_hold(uint32_t *held, uint32_t who) {
    uint32_t nobody = 0;
    return __atomic_compare_exchange_n(held, &nobody, who, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
#else /* x86 of Microsoft's compiler: plain loads acquire and plain stores release */
#include <intrin.h>
#define HCCT_P_GET(p) (_ReadWriteBarrier(), *(p))
#define HCCT_P_PUT(p, v) (_ReadWriteBarrier(), (void)(*(p) = (v)))
static int callpaths_p_hold(uint32_t *held, uint32_t who) {
    return _InterlockedCompareExchange((volatile long *)held, (long)who, 0) == 0;
}
#endif

#define CALLPATHS_P_DEEPEST (BURSTY_STACK + 1u) /* with "(deep)", which is one context */
#define CALLPATHS_P_FAR 1u    /* the key of a site too far from ours; no distance is odd */

typedef struct callpaths_p_thread {
    hcct tree;
    hcct_p_contexts *sums; /* or NULL                                    */
    uint64_t weight_256;  /* of all calls in the tree                    */
    uint64_t calls;
    uint32_t lost;        /* calls that are not in it                    */
    uint32_t is_held;
    uint32_t room;        /* contexts that fit into the tree; 0: no tree */
    uint32_t follows;     /* the tree's running context is the stack     */
    uint32_t depth;       /* of the running context, before folding      */
    uint32_t burst;       /* the number of its burst                     */
    uint32_t weight;      /* of a call in it; 0: adaptive bursts leave it out */
    uint32_t folded[CALLPATHS_P_DEEPEST + 1];
} callpaths_p_thread;

static struct {
    uint32_t is_joined;
    callpaths_p_thread *threads;
    unsigned char *trees;
    size_t tree_bytes;
    uint32_t thread_room, fold, nodes; /* nodes that have sums */
    uint32_t seed; /* of the groups */
    uint32_t lost; /* calls of threads without a tree */
    callpaths_config config;
} callpaths_p_all;

#if CALLPATHS_MEMORY > 0
static uint64_t callpaths_p_memory[(CALLPATHS_MEMORY + 7) / 8];
#endif

/* A site lies among the constants of this program or shared object. Its
   distance from this one is its key: so there may be any number of sites, and
   nothing is looked up. */
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

/* "name<tab>file:line", in the bytes at `user`. What does not fit is the name
   alone. */
enum { CALLPATHS_P_NAME = 512 };
static const char *callpaths_p_name_and_place(void *user, uint32_t key) {
    const char *name = callpaths_name(NULL, key), *parts[2];
    const bursty_site *site = (const bursty_site *)((uintptr_t)&callpaths_p_origin
                                                    + (uintptr_t)(intptr_t)(int32_t)key);
    char *out = (char *)user, digits[10];
    uint32_t used = 0, count = 0, line, k;
    if (key == HCCT_KEY_DEEP || key == CALLPATHS_P_FAR || !site->file || !*site->file) return name;
    parts[0] = name;
    parts[1] = site->file;
    for (k = 0; k < 2; k++) {
        const char *at = parts[k];
        for (; *at && used < CALLPATHS_P_NAME - 12; at++) out[used++] = *at;
        if (*at) return name;
        out[used++] = k ? ':' : '\t';
    }
    for (line = site->line; count == 0 || line; line /= 10) digits[count++] = (char)('0' + line % 10);
    while (count) out[used++] = digits[--count];
    out[used] = 0;
    return out;
}

/* An empty tree for the thread. Its memory is enough, for callpaths_p_lay_out
   has tried. */
static void callpaths_p_make(callpaths_p_thread *t) {
    size_t number = (size_t)(t - callpaths_p_all.threads);
    unsigned char *memory = callpaths_p_all.trees + number * callpaths_p_all.tree_bytes;
    size_t sums = callpaths_p_all.nodes ? hcct_p_contexts_bytes(callpaths_p_all.nodes) : 0;
    hcct_config config;
    unsigned char *byte = (unsigned char *)&config;
    uint32_t room;
    size_t i;
    for (i = 0; i < sizeof config; i++) byte[i] = 0;
    config.fold = callpaths_p_all.fold;
    config.history = callpaths_p_all.config.history;
    config.reenable = callpaths_p_all.config.reenable;
    config.seed = number;
    config.returns = config.fold ? t->folded : NULL;
    config.return_count = config.fold ? CALLPATHS_P_DEEPEST + 1 : 0;
    t->weight_256 = t->calls = 0;
    t->lost = t->follows = t->depth = t->burst = 0;
    t->weight = 1;
    t->sums = sums ? (hcct_p_contexts *)(void *)memory : NULL;
    for (i = 0; i < sums; i++) memory[i] = 0;
    if (t->sums) {
        t->sums->nodes = callpaths_p_all.nodes;
        t->sums->seed = callpaths_p_all.seed + (uint32_t)number * UINT32_C(0x9E3779B9);
    }
    config.sums = sums ? hcct_p_contexts_numbers : NULL;
    config.sums_user = t->sums;
    room = hcct_init(&t->tree, memory + sums, callpaths_p_all.tree_bytes - sums, &config);
    HCCT_P_PUT(&t->room, room);
}

/* `is_held`: by the thread's event, or by somebody who asks. */
enum { CALLPATHS_P_EVENT = 1, CALLPATHS_P_ASKED = 2, CALLPATHS_P_TRIES = 1000000 };

/* The thread's, or NULL. */
static callpaths_p_thread *callpaths_p_of(uint32_t thread) {
    return thread < callpaths_p_all.thread_room ? &callpaths_p_all.threads[thread] : NULL;
}

/* A longjmp has left an event in the middle. Nobody knows what the tree looks
   like, so a new one begins, and the calls of the old one are lost. */
static void callpaths_p_jumped(callpaths_p_thread *t) {
    uint64_t lost = t->lost + t->calls;
    if (HCCT_P_GET(&t->is_held) != CALLPATHS_P_EVENT) return;
    callpaths_p_make(t);
    t->lost = lost < UINT32_MAX / 2 ? (uint32_t)lost : UINT32_MAX / 2;
    HCCT_P_PUT(&t->is_held, 0);
}

/* In a forked child no other thread is left, and whoever held a tree is
   gone. */
static void callpaths_p_forked(void) {
    uint32_t i;
    callpaths_p_all.seed = bursty_seed();
    for (i = 0; i < callpaths_p_all.thread_room; i++) {
        callpaths_p_thread *t = &callpaths_p_all.threads[i];
        if (t->room) callpaths_p_make(t);
        t->is_held = 0;
    }
    callpaths_p_all.lost = 0;
}

static void callpaths_p_on_thread(int what, uint32_t thread) {
    callpaths_p_thread *mine = callpaths_p_of(thread);
    if (what == BURSTY_THREAD_FORKED) callpaths_p_forked();
    if (!mine) return;
    if (what == BURSTY_THREAD_SWITCHED) { /* the next event tells the other fiber's stack */
        mine->follows = 0;
        return;
    }
    if (what == BURSTY_THREAD_BEGINS && !mine->room) callpaths_p_make(mine);
    if (what == BURSTY_THREAD_JUMPED) callpaths_p_jumped(mine);
    mine->follows = 0;
    mine->burst = 0; /* another thread counts its bursts from 1 */
}

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
    if (t->burst != e->burst) {
        if (t->sums) hcct_p_contexts_burst(t->sums);
        t->weight = hcct_burst_begin(&t->tree, keys, depth);
    } else if (t->weight) {
        hcct_burst_end(&t->tree);
        for (i = 0; i < depth; i++) hcct_enter(&t->tree, keys[i], 0);
    }
    t->depth = depth;
    t->burst = e->burst;
    t->follows = 1;
}

static void callpaths_p_lose(uint32_t *lost) {
    if (HCCT_P_GET(lost) >= UINT32_MAX / 2) return; /* far from an overflow by many threads */
#if defined(BURSTY_NO_TLS)
    ++*lost;
#elif defined(HCCT_P_GNU)
    (void)__atomic_fetch_add(lost, UINT32_C(1), __ATOMIC_RELAXED);
#else
    (void)_InterlockedExchangeAdd((volatile long *)lost, 1);
#endif
}

static void callpaths_p_event(void *user, const bursty_event *e) {
    callpaths_p_thread *t = callpaths_p_of(e->thread);
    uint32_t depth = callpaths_p_depth(e->depth);
    (void)user;
    if (!t || !t->room) {
        callpaths_p_lose(&callpaths_p_all.lost);
        return;
    }
    if (!callpaths_p_hold(&t->is_held, CALLPATHS_P_EVENT)) { /* for a dump */
        t->follows = 0;
        callpaths_p_lose(&t->lost);
        return;
    }
    if (e->kind & BURSTY_GAP) {
        t->follows = 0; /* calls or their ends are missing: the next one says where it is */
        HCCT_P_PUT(&t->is_held, 0);
        return;
    }
    if (t->burst != e->burst || (t->weight && (!t->follows || t->depth < depth)))
        callpaths_p_follow(t, e, depth);
    if (!t->weight) {
        t->weight_256 += e->weight_256;
        HCCT_P_PUT(&t->is_held, 0);
        return;
    }
    for (; t->depth > depth; t->depth--) hcct_leave(&t->tree);
    hcct_enter(&t->tree, callpaths_p_key(e->site), t->weight);
    if (t->sums) hcct_p_contexts_count(t->sums, &t->tree, callpaths_p_key(e->site), t->weight);
    t->calls++;
    t->weight_256 += e->weight_256;
    if ((e->kind & BURSTY_FRAME) && t->depth < CALLPATHS_P_DEEPEST) t->depth++;
    else hcct_leave(&t->tree); /* a point is over already, and so is a call in "(deep)" */
    HCCT_P_PUT(&t->is_held, 0);
}

/* A tree of so many contexts, with sums or without. */
static size_t callpaths_p_bytes(uint32_t count, int has_sums) {
    hcct_config config;
    unsigned char *byte = (unsigned char *)&config;
    size_t i;
    size_t sums;
    if (count > UINT32_C(1) << (sizeof(size_t) > 4 ? 30 : 24)) return SIZE_MAX;
    sums = has_sums ? hcct_p_contexts_bytes(count) : 0;
    for (i = 0; i < sizeof config; i++) byte[i] = 0;
    config.history = callpaths_p_all.config.history;
    return hcct_bytes(&config, count) + sums;
}

/* Lays threads and trees out in memory. Returns whether there is room for a
   tree of 8 contexts for each thread. */
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
    if (threads == 0) threads = CALLPATHS_P_THREADS;
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

/* bursty_start calls it. Returns 0 if contexts are to be recorded. */
static int callpaths_p_start(const bursty_config *config) {
    callpaths_p_all.thread_room = 0;
    callpaths_p_all.fold = config->fold;
    callpaths_p_all.lost = 0;
    callpaths_p_all.seed = bursty_seed();
    return callpaths_p_lay_out(&callpaths_p_all.config) ? 0 : -1;
}

static int callpaths_p_write(bursty_write_fn write, void *user);

CALLPATHS_API int callpaths_setup(const callpaths_config *config) {
    bursty_companion companion;
    unsigned char *byte = (unsigned char *)&companion, *own;
    size_t i;
    for (i = 0; i < sizeof companion; i++) byte[i] = 0;
    own = (unsigned char *)&callpaths_p_all.config;
    for (i = 0; i < sizeof callpaths_p_all.config; i++) own[i] = 0;
    if (config) callpaths_p_all.config = *config;
    companion.start = callpaths_p_start;
    companion.on_thread = callpaths_p_on_thread;
    companion.write = callpaths_p_write;
    companion.profile = callpaths_p_all.config.profile;
    companion.profile.classes = (uint32_t)BURSTY_CALL | (uint32_t)BURSTY_GAP;
    companion.profile.action = callpaths_p_event;
    bursty_join(&companion);
    callpaths_p_all.is_joined = 1;
    return callpaths_p_lay_out(&callpaths_p_all.config) ? 0 : -1;
}

/* Joins the two before main; in a bare build, when bursty_start asks. */
#if defined(BURSTY_BARE)
#if defined(__ELF__) && !defined(BURSTY_STATIC)
void bursty_joins(void) {
    if (!callpaths_p_all.is_joined) (void)callpaths_setup(NULL);
}
#endif
#elif defined(HCCT_P_GNU)
__attribute__((constructor)) static void callpaths_p_join(void) { (void)callpaths_setup(NULL); }
#elif defined(__cplusplus)
static const int callpaths_p_joined = callpaths_setup(NULL);
#endif

/* Takes the tree of a thread, or NULL if it has none. A thread holds its tree
   for the few instructions of an event. If the holder does not come to an end,
   it is this very thread, which a signal handler has interrupted, or it was put
   aside by the operating system: then *busy is set, and the tree is left
   out. */
static callpaths_p_thread *callpaths_p_take(uint32_t number, int *busy) {
    callpaths_p_thread *t = callpaths_p_of(number);
    uint32_t tries = CALLPATHS_P_TRIES;
    *busy = 0;
    if (!t || !HCCT_P_GET(&t->room)) return NULL;
    while (!callpaths_p_hold(&t->is_held, CALLPATHS_P_ASKED)) {
        if (--tries) continue;
        *busy = 1;
        return NULL;
    }
    return t;
}

CALLPATHS_API const hcct *callpaths_tree(uint32_t thread) {
    int busy;
    callpaths_p_thread *t = callpaths_p_take(thread, &busy);
    if (!t) return NULL;
    hcct_scale_to(&t->tree, t->weight_256 / 256);
    HCCT_P_PUT(&t->is_held, 0);
    return &t->tree;
}

/* What a thread's calls stand for, with so many that it lost, each as heavy as
   the mean. */
static uint64_t callpaths_p_weight(const callpaths_p_thread *t, uint64_t lost) {
    return t->weight_256 / 256 + (t->calls ? t->weight_256 / t->calls * lost / 256 : 0);
}

CALLPATHS_API void callpaths_get_stats(callpaths_stats *out) {
    uint32_t i, others = HCCT_P_GET(&callpaths_p_all.lost);
    int busy;
    out->calls = out->lost = others;
    out->estimated = 0;
    out->contexts = out->threads = 0;
    out->room = 0;
    for (i = 0; i < callpaths_p_all.thread_room; i++) {
        callpaths_p_thread *t = callpaths_p_take(i, &busy);
        hcct_stats stats;
        uint32_t lost;
        if (!t) continue;
        hcct_get_stats(&t->tree, &stats);
        out->threads++;
        out->room = t->room;
        out->contexts += stats.nodes;
        lost = HCCT_P_GET(&t->lost);
        out->calls += t->calls + lost;
        out->lost += lost;
        out->estimated += callpaths_p_weight(t, (uint64_t)lost + others);
        others = 0;
        HCCT_P_PUT(&t->is_held, 0);
    }
}

/* Calls without a tree are weight in no context: they stand in the part of the
   first tree, or, if there is none, in that of an empty one. So do the calls of
   a tree that was busy. */
static int callpaths_p_write_tree(hcct *copy, uint64_t lost, uint64_t weight,
                                  bursty_write_fn write, void *user) {
    char name[CALLPATHS_P_NAME];
    copy->stats.total += lost;
    copy->stats.lost += lost;
    if (copy->stats.total == 0) return 0;
    if (weight) hcct_scale_to(copy, weight);
    return hcct_write(copy, callpaths_p_name_and_place, name, write, user);
}

static int callpaths_p_write(bursty_write_fn write, void *user) {
    uint64_t others = HCCT_P_GET(&callpaths_p_all.lost), lost, room[128];
    uint32_t i;
    hcct copy;
    int failed, busy;
    for (i = 0; i < callpaths_p_all.thread_room; i++) {
        callpaths_p_thread *t = callpaths_p_take(i, &busy);
        if (busy) others += callpaths_p_all.threads[i].calls + callpaths_p_all.threads[i].lost;
        if (!t) continue;
        lost = (uint64_t)HCCT_P_GET(&t->lost) + others;
        others = 0;
        copy = t->tree;
        failed = callpaths_p_write_tree(&copy, lost, t->calls ? callpaths_p_weight(t, lost) : 0,
                                        write, user);
        HCCT_P_PUT(&t->is_held, 0);
        if (failed) return -1;
    }
    if (others == 0 || hcct_init(&copy, room, sizeof room, NULL) == 0) return 0;
    return callpaths_p_write_tree(&copy, others, 0, write, user);
}

#endif /* BURSTY_H */
