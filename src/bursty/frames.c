/* ---- frames ---- */

#if BURSTY_FRAMES > 0

/* bursty_frame ends the frame of this thread and begins the next. A frame that
   ends is slow or not: it is longer than config.frame_slow_ns, or, if that is
   0, it lies in a bucket above the one with the 95th percentile of the frames
   of its kind so far. The first 64 are neither, then.

       buckets  | 0 | 1 | ... | 31 | 32 .. 47 | 48 .. 63 | ... | 527 |
                  64 ns each         128 ns     256 ns           open at 73 min

   There are 16 to an octave, so they are at most 6 % wide.

   Then the ticks of its paths are folded into functions: a function has the
   ticks of all paths that end in it (self) and of all that lead through it
   (total), first within the frame and then as a sum and a sum of squares over
   the frames of its class. A frame without a tick of a function adds zeros, and
   how many frames there were is known. So mean and variance between frames
   follow, and frames are what is independent.

   A tick does not meet all frames alike. Linux looks at timers of CPU time when
   it may take the processor from the thread. So a short frame that is slow for
   that reason has ticks of several ms, and one that is slow because it works
   has one now and then. Frames of a class that had about the same CPU time have
   about the same chance of a tick. They are a stratum: buckets of CPU time, 8
   to a stratum, two to an octave. Sums are kept for each stratum, and beside
   them the CPU time and the ticks of its frames. So a reader knows what a tick
   of that stratum stands for. Without a clock of CPU time, and in bare builds,
   all is one stratum.

   Frames that follow one another are alike, in what they do and in whether they
   are slow. So what they have is also kept in blocks of frames, at most 16:

       frame   1 .. 64 | 65 .. 128 | ... | 961 .. 1024      blocks of 64
       then    1 .. 128      | ...       | 961 .. 1088      of 128

   A block is as long as a power of two, and when 16 are full each two become
   one. So 8 to 16 blocks hold all frames, and are longer than what frames
   remember. What differs between blocks tells a reader how sure a difference
   is. The length follows from the number of a frame alone: threads need not
   agree, and each one brings its own blocks up to date.

   Buckets, the last durations and the slowest frames of a kind are shared by
   all threads: buckets by atomic additions, the slowest by a flag that nobody
   waits for. What threads add up belongs to one bursty_p_framed each; and so
   does a row (function, kind) of the table of functions. So a frame never
   waits. Cost: docs/frames.md. */
enum { BURSTY_P_BUCKETS = 528, BURSTY_P_FIRST_FRAMES = 64, BURSTY_P_FRAME_NAME = 32 };
#ifdef BURSTY_NO_TLS
enum { BURSTY_P_FRAMED = 1 }; /* threads that are in a frame at once */
#else
enum { BURSTY_P_FRAMED = 64 };
#endif
#ifdef BURSTY_BARE
enum { BURSTY_P_LAST_FRAMES = 64, BURSTY_P_SLOWEST = 4, BURSTY_P_SLOWEST_PATHS = 8,
       BURSTY_P_FRAME_ROWS = 24, BURSTY_P_FRAME_INDEX = 32 };
#else
enum { BURSTY_P_LAST_FRAMES = 256, BURSTY_P_SLOWEST = 16, BURSTY_P_SLOWEST_PATHS = 16,
       BURSTY_P_FRAME_ROWS = 6144, BURSTY_P_FRAME_INDEX = 8192 };
#endif
#ifndef BURSTY_BARE /* there nobody preempts, and there is little room: a stratum is all */
#define BURSTY_P_STRATA
enum { BURSTY_P_STRATUM = 8, BURSTY_P_STRATUM_COUNT = 66 }; /* buckets in one; how many */
#ifndef BURSTY_FRAME_BLOCKS
#define BURSTY_FRAME_BLOCKS 1024
#endif
#if BURSTY_FRAME_BLOCKS < 1 || BURSTY_FRAME_BLOCKS > 65536
#error "BURSTY_FRAME_BLOCKS is a number from 1 to 65536"
#endif
enum { BURSTY_P_BLOCKS = 16, BURSTY_P_BLOCKED = BURSTY_FRAME_BLOCKS }; /* of frames; who has them */
enum { BURSTY_P_FRAMES_VERSION = 3 };
#define BURSTY_P_STRATUM_OF(row) (row)->stratum

/* What the ticks of a stratum stand for. */
typedef struct bursty_p_frame_stratum {
    bursty_p_tick_count cpu_us, ticks, events; /* events: ticks that come together are one */
} bursty_p_frame_stratum;

/* What the frames of each block have. With a site: the function's ticks, self and
   total. Without one: how many frames there are, and how long they waited. Only the
   thread of `framed` writes it. */
typedef struct bursty_p_frame_blocks {
    const bursty_site *site;
    uint32_t kind, framed;              /* framed: 1 + its number, or 0 while it is made */
    uint32_t maker;                     /* 1 + the row that stands for it in a dump    */
    uint32_t shift;                     /* a block has 2^shift frames                  */
    bursty_p_count sum[BURSTY_P_FRAME_CLASSES][2][BURSTY_P_BLOCKS];
} bursty_p_frame_blocks;
#else
enum { BURSTY_P_STRATUM = 0, BURSTY_P_FRAMES_VERSION = 2 };
#define BURSTY_P_STRATUM_OF(row) 0u
#endif

typedef struct bursty_p_slowest {
    uint64_t ns, wait_ns, began_ns; /* began: since bursty_start                        */
    uint32_t number;                /* of the frame among those of its kind, from 1     */
    uint32_t paths, more;           /* more: ticks of further paths                     */
    struct { uint32_t row, ticks; } path[BURSTY_P_SLOWEST_PATHS];
} bursty_p_slowest;

typedef struct bursty_p_frame_kind {
    const char *literal;            /* by which it was named first; what dlopen loads
                                       later may have another name at that address      */
    char name[BURSTY_P_FRAME_NAME];
    uint32_t state;                 /* 0 free, 1 being made, 2 there                    */
    uint32_t count, next, limit;    /* frames; when to look for the limit again; 1 + the
                                       last bucket that is not slow, or 0               */
    uint32_t slowest_busy, slowest_count;
    bursty_p_count slowest_least;   /* once slowest[] is full: its shortest             */
    bursty_p_tick_count unended, left_out, missed; /* missed: not among the slowest     */
    bursty_p_tick_count crowded, unplaced;         /* ticks: see bursty_write           */
    bursty_p_tick_count bucket[BURSTY_P_BUCKETS];
#ifdef BURSTY_P_STRATA
    bursty_p_frame_stratum stratum[BURSTY_P_FRAME_CLASSES][BURSTY_P_STRATUM_COUNT];
#endif
    uint32_t last_us[BURSTY_P_LAST_FRAMES];
    bursty_p_slowest slowest[BURSTY_P_SLOWEST];
} bursty_p_frame_kind;

/* A function in the frames of a kind and a stratum, on the threads of one
   bursty_p_framed. */
enum { BURSTY_P_SELF, BURSTY_P_TOTAL };
typedef struct bursty_p_frame_row {
    const bursty_site *site;
    struct bursty_p_frame_row *touched; /* in this frame: the next one, or itself      */
    uint16_t kind, framed;
#ifdef BURSTY_P_STRATA
    uint32_t stratum;
    uint32_t blocks;                    /* 1 + the number of its blocks, or 0          */
#endif
    uint32_t serial;                    /* the path that was added last                */
    uint32_t now[2];                    /* ticks of this frame: self, total            */
    bursty_p_count sum[BURSTY_P_FRAME_CLASSES][2], squares[BURSTY_P_FRAME_CLASSES][2];
} bursty_p_frame_row;

static struct {
    uint64_t began_ns;
    uint32_t breaks, paused, used;      /* used: something here is not zero            */
    uint32_t row_count;
    bursty_p_tick_count lost, idle_ends, nested; /* calls of bursty_frame; see bursty_write */
    uint32_t index[BURSTY_P_FRAME_INDEX];        /* a row's number + 1, or 0               */
    bursty_p_frame_row rows[BURSTY_P_FRAME_ROWS];
    bursty_p_frame_kind kind[BURSTY_FRAMES];
    bursty_p_framed framed[BURSTY_P_FRAMED];
#ifdef BURSTY_P_STRATA
    uint32_t blocks_count;
    bursty_p_frame_blocks blocks[BURSTY_P_BLOCKED];
#endif
} bursty_p_frames;

/* ---- clocks ---- */

static uint64_t bursty_p_frame_cpu_ns(void) {
    const bursty_config *config = &bursty_p_all.config;
    if (config->frame_cpu_clock) return config->frame_cpu_clock(config->clock_user);
    return config->frame_clock ? 0 : bursty_p_thread_ns(NULL);
}

/* Is there a clock of CPU time beside that of the frames? */
static uint32_t bursty_p_knows_waiting(void) {
    if (bursty_p_all.config.frame_cpu_clock) return 1;
    if (bursty_p_all.config.frame_clock) return 0;
#ifdef BURSTY_P_CLOCK
    return 1;
#else
    return 0;
#endif
}

/* ---- kinds and durations ---- */

static uint32_t bursty_p_bucket(uint64_t ns) {
    uint32_t shift = 0;
    for (ns >>= 6; ns >= 32; ns >>= 1) shift++;
    if (shift > BURSTY_P_BUCKETS / 16 - 2) return BURSTY_P_BUCKETS - 1;
    return 16 * shift + (uint32_t)ns;
}

/* Where the bucket begins, in ns. */
static uint64_t bursty_p_bucket_ns(uint32_t bucket) {
    if (bucket < 32) return (uint64_t)bucket << 6;
    return (uint64_t)(16 + bucket % 16) << (bucket / 16 - 1 + 6);
}

/* Names are cut: what follows 31 bytes makes no other kind. */
static int bursty_p_is_named(const bursty_p_frame_kind *kind, const char *name) {
    uint32_t i;
    for (i = 0; i + 1 < BURSTY_P_FRAME_NAME && name[i]; i++) {
        if (kind->name[i] != name[i]) return 0;
    }
    return kind->name[i] == 0;
}

/* The number of a kind; made at first sight, if make is set; BURSTY_FRAMES:
   there is none. */
static uint32_t bursty_p_kind_of(const char *name, int make) {
    uint32_t k, i;
    for (k = 0; k < BURSTY_FRAMES; k++) {
        bursty_p_frame_kind *kind = &bursty_p_frames.kind[k];
        if (BURSTY_P_ACQUIRE(&kind->state) == 2 && kind->literal == name
            && bursty_p_is_named(kind, name)) {
            return k;
        }
    }
    for (k = 0; k < BURSTY_FRAMES; k++) {
        bursty_p_frame_kind *kind = &bursty_p_frames.kind[k];
        uint32_t state = BURSTY_P_ACQUIRE(&kind->state);
        if (state == 2 && bursty_p_is_named(kind, name)) return k;
        if (state != 0 || !make) continue;
        if (!bursty_p_cas(&kind->state, 0, 1)) continue; /* readers add up two of one name */
        for (i = 0; i + 1 < BURSTY_P_FRAME_NAME && name[i]; i++) kind->name[i] = name[i];
        kind->literal = name;
        kind->next = BURSTY_P_FIRST_FRAMES;
        BURSTY_P_RELEASE(&kind->state, 2);
        return k;
    }
    return BURSTY_FRAMES;
}

/* The 95th percentile so far, looked for after 64 frames and then 32 times
   while they double. Who moves `next` does it. */
static void bursty_p_find_limit(bursty_p_frame_kind *kind, uint32_t count) {
    uint32_t next = BURSTY_P_ACQUIRE(&kind->next), step = count / 32, i;
    uint64_t all = 0, below = 0;
    if ((int32_t)(count - next) < 0) return;
    if (step < 16) step = 16;
    if (step > 4096) step = 4096;
    if (!bursty_p_cas(&kind->next, next, count + step)) return;
    for (i = 0; i < BURSTY_P_BUCKETS; i++) all += BURSTY_P_ACQUIRE(&kind->bucket[i]);
    for (i = 0; i + 1 < BURSTY_P_BUCKETS; i++) {
        below += BURSTY_P_ACQUIRE(&kind->bucket[i]);
        if (below >= all - all / 20) break;
    }
    BURSTY_P_PUT(&kind->limit, i + 1);
}

/* BURSTY_P_FRAME_CLASSES: it cannot be told yet. */
static uint32_t bursty_p_class_of(const bursty_p_frame_kind *kind, uint64_t ns) {
    uint64_t budget = bursty_p_all.config.frame_slow_ns;
    uint32_t limit = BURSTY_P_GET(&kind->limit);
    if (budget) return ns > budget ? BURSTY_P_SLOW_FRAME : BURSTY_P_OTHER_FRAME;
    if (limit == 0) return BURSTY_P_FRAME_CLASSES;
    return bursty_p_bucket(ns) >= limit ? BURSTY_P_SLOW_FRAME : BURSTY_P_OTHER_FRAME;
}

/* ---- functions in frames ---- */

static bursty_p_frame_row *bursty_p_claim_frame_row(void) {
    uint32_t number;
    do {
        number = BURSTY_P_GET(&bursty_p_frames.row_count);
        if (number >= BURSTY_P_FRAME_ROWS) return NULL;
    } while (!bursty_p_cas(&bursty_p_frames.row_count, number, number + 1));
    return &bursty_p_frames.rows[number];
}

/* The row of a function, made at first sight; NULL if the table is full. As
   bursty_p_tick_child: only the thread of `framed` writes its rows, and a slot
   changes once. */
static bursty_p_frame_row *bursty_p_frame_row_of(const bursty_site *site, uint32_t kind,
                                                 uint32_t framed, uint32_t stratum) {
    uint32_t h = bursty_p_mix(bursty_p_mix((uint32_t)((uintptr_t)site >> 3), kind),
                              framed | stratum << 16);
    bursty_p_frame_row *fresh = NULL, *row;
    for (;; h++) {
        uint32_t *slot = &bursty_p_frames.index[h % BURSTY_P_FRAME_INDEX];
        uint32_t number = BURSTY_P_ACQUIRE(slot);
        if (number == 0) {
            if (!fresh) {
                fresh = bursty_p_claim_frame_row();
                if (!fresh) return NULL;
                fresh->kind = (uint16_t)kind;
                fresh->framed = (uint16_t)framed;
#ifdef BURSTY_P_STRATA
                fresh->stratum = stratum;
#endif
                BURSTY_P_RELEASE(&fresh->site, site);
            }
            number = (uint32_t)(fresh - bursty_p_frames.rows) + 1;
            if (bursty_p_cas(slot, 0, number)) return fresh;
            number = BURSTY_P_ACQUIRE(slot);
        }
        row = &bursty_p_frames.rows[number - 1];
        if (row->site == site && row->kind == kind && row->framed == framed
            && BURSTY_P_STRATUM_OF(row) == stratum)
            return row;
    }
}

/* Adds a path's ticks to its functions, each of them once; those that it meets
   first in this frame get into the list. */
static bursty_p_frame_row *bursty_p_fold_path(bursty_p_framed *f, uint32_t kind, uint32_t stratum,
                                              uint32_t path, uint32_t n,
                                              bursty_p_frame_row *touched) {
    uint32_t framed = (uint32_t)(f - bursty_p_frames.framed), at, which = BURSTY_P_SELF;
    if (++f->serial == 0) f->serial = 1;
    for (at = path; at; at = bursty_p_ticks.rows[at - 1].parent) {
        const bursty_site *site = bursty_p_ticks.rows[at - 1].site;
        bursty_p_frame_row *row = bursty_p_frame_row_of(site, kind, framed, stratum);
        if (!row) {
            if (at == path)
                bursty_p_tick_add_shared(&bursty_p_frames.kind[kind].unplaced, n);
        } else {
            if (!row->touched) {
                row->touched = touched ? touched : row;
                row->now[BURSTY_P_SELF] = row->now[BURSTY_P_TOTAL] = row->serial = 0;
                touched = row;
            }
            for (; which <= BURSTY_P_TOTAL && row->serial != f->serial; which++)
                row->now[which] = row->now[which] + n < n ? UINT32_MAX : row->now[which] + n;
            row->serial = f->serial;
        }
        which = BURSTY_P_TOTAL;
    }
    return touched;
}

#ifdef BURSTY_P_STRATA
/* Sums that are nearly full stay as they are, all of them: it is their quotients
   that count. */
static void bursty_p_count_stratum(bursty_p_frame_stratum *sum, uint64_t cpu_us,
                                   const bursty_p_frame_list *list) {
    const bursty_p_tick_count most = BURSTY_P_TICK_MOST / 2;
    uint64_t ticks = list->more;
    uint32_t i;
    for (i = 0; i < list->count; i++) ticks += list->path[i].ticks;
    if (ticks > UINT32_MAX || cpu_us > UINT32_MAX || cpu_us > most || ticks > most
        || BURSTY_P_ACQUIRE(&sum->cpu_us) > most || BURSTY_P_ACQUIRE(&sum->ticks) > most) return;
    bursty_p_tick_add_shared(&sum->cpu_us, (uint32_t)cpu_us);
    if (!ticks) return;
    bursty_p_tick_add_shared(&sum->ticks, (uint32_t)ticks);
    bursty_p_tick_add_shared(&sum->events, list->events);
}
#endif

#ifdef BURSTY_P_STRATA
/* 1 + the number of the blocks of a function, or of all frames, made at first
   sight. 0: no room. */
static uint32_t bursty_p_blocks_of(const bursty_site *site, uint32_t kind, uint32_t framed,
                                   uint32_t maker) {
    uint32_t i, n;
    bursty_p_frame_blocks *b;
    do {
        n = BURSTY_P_ACQUIRE(&bursty_p_frames.blocks_count);
        for (i = 0; i < n; i++) {
            b = &bursty_p_frames.blocks[i];
            if (BURSTY_P_ACQUIRE(&b->framed) == framed + 1 && b->kind == kind && b->site == site) return i + 1;
        }
        if (n == BURSTY_P_BLOCKED) return 0;
    } while (!bursty_p_cas(&bursty_p_frames.blocks_count, n, n + 1));
    b = &bursty_p_frames.blocks[n];
    b->site = site;
    b->kind = kind;
    b->maker = maker;
    BURSTY_P_RELEASE(&b->framed, framed + 1);
    return n + 1;
}

static uint32_t bursty_p_block_shift(uint32_t number) {
    uint32_t shift = 0;
    while ((number - 1) >> shift >= BURSTY_P_BLOCKS) shift++;
    return shift;
}

/* Each two blocks become one until there is one for that number. */
static void bursty_p_join_blocks(bursty_p_frame_blocks *b, uint32_t number) {
    uint32_t i, k;
    for (; (number - 1) >> b->shift >= BURSTY_P_BLOCKS; BURSTY_P_PUT(&b->shift, b->shift + 1)) {
        for (k = 0; k < 4; k++) {
            bursty_p_count *sum = b->sum[k / 2][k % 2];
            for (i = 0; i < BURSTY_P_BLOCKS; i++) {
                uint64_t two = 0;
                if (i < BURSTY_P_BLOCKS / 2) {
                    bursty_p_sum(&two, &sum[2 * i]);
                    bursty_p_sum(&two, &sum[2 * i + 1]);
                }
                BURSTY_P_STORE(&sum[i], two);
            }
        }
    }
}

/* What the frame of that number, from 1, has of each of two things. */
static void bursty_p_add_to_block(uint32_t blocks, uint32_t number, uint32_t class_number,
                                  uint64_t first, uint64_t second) {
    bursty_p_frame_blocks *b = &bursty_p_frames.blocks[blocks - 1];
    bursty_p_count *sum;
    if (BURSTY_P_UNLIKELY((number - 1) >> b->shift >= BURSTY_P_BLOCKS)) bursty_p_join_blocks(b, number);
    sum = &b->sum[class_number][0][(number - 1) >> b->shift];
    bursty_p_count_up(sum, first);
    bursty_p_count_up(sum + BURSTY_P_BLOCKS, second);
}
#endif

static void bursty_p_fold_frame(bursty_p_framed *f, uint32_t kind, uint32_t class_number,
                                uint32_t stratum, uint32_t number,
                                const bursty_p_frame_list *list) {
    bursty_p_frame_row *row = NULL, *next;
    uint32_t i, k;
    for (i = 0; i < list->count; i++)
        row = bursty_p_fold_path(f, kind, stratum, list->path[i].row, list->path[i].ticks, row);
    for (; row; row = next) {
        next = row->touched == row ? NULL : row->touched;
        row->touched = NULL;
        for (k = 0; k <= BURSTY_P_TOTAL; k++) {
            bursty_p_count_up(&row->sum[class_number][k], row->now[k]);
            bursty_p_add_product(&row->squares[class_number][k], row->now[k], row->now[k]);
        }
#ifdef BURSTY_P_STRATA
        if (!row->blocks)
            row->blocks = bursty_p_blocks_of(row->site, kind, row->framed,
                                             (uint32_t)(row - bursty_p_frames.rows) + 1);
        if (row->blocks)
            bursty_p_add_to_block(row->blocks, number, class_number, row->now[BURSTY_P_SELF],
                                  row->now[BURSTY_P_TOTAL]);
#endif
    }
    (void)number;
}

/* ---- the slowest frames, as they were ---- */

/* Keeps the paths with the most ticks. */
static void bursty_p_keep_paths(bursty_p_slowest *kept, const bursty_p_frame_list *list) {
    uint64_t taken = 0, rest = list->more; /* taken: a bit for each path of the list */
    uint32_t i, best;
    kept->paths = 0;
    while (kept->paths < BURSTY_P_SLOWEST_PATHS) {
        best = BURSTY_P_FRAME_PATHS;
        for (i = 0; i < list->count; i++) {
            if (taken >> i & 1) continue;
            if (best == BURSTY_P_FRAME_PATHS || list->path[i].ticks > list->path[best].ticks)
                best = i;
        }
        if (best == BURSTY_P_FRAME_PATHS) break;
        taken |= (uint64_t)1 << best;
        kept->path[kept->paths].row = list->path[best].row;
        kept->path[kept->paths++].ticks = list->path[best].ticks;
    }
    for (i = 0; i < list->count; i++) {
        if (!(taken >> i & 1)) rest += list->path[i].ticks;
    }
    kept->more = rest > UINT32_MAX ? UINT32_MAX : (uint32_t)rest;
}

static void bursty_p_keep_slowest(bursty_p_frame_kind *kind, uint32_t number, uint64_t ns,
                                  uint64_t wait_ns, uint64_t began_ns,
                                  const bursty_p_frame_list *list) {
    uint32_t have = BURSTY_P_GET(&kind->slowest_count), i, at = 0;
    uint64_t least;
    if (have == BURSTY_P_SLOWEST && ns <= BURSTY_P_READ(&kind->slowest_least)) return;
    if (!bursty_p_cas(&kind->slowest_busy, 0, 1)) {
        bursty_p_tick_add_shared(&kind->missed, 1);
        return;
    }
    have = BURSTY_P_GET(&kind->slowest_count);
    for (i = 1; i < have; i++) {
        if (kind->slowest[i].ns < kind->slowest[at].ns) at = i;
    }
    if (have < BURSTY_P_SLOWEST) at = have++;
    else if (ns <= kind->slowest[at].ns) at = BURSTY_P_SLOWEST; /* others have come in between */
    if (at < BURSTY_P_SLOWEST) {
        bursty_p_slowest *kept = &kind->slowest[at];
        kept->ns = ns;
        kept->wait_ns = wait_ns;
        kept->began_ns = began_ns;
        kept->number = number;
        bursty_p_keep_paths(kept, list);
        for (least = ns, i = 0; i < have; i++) {
            if (kind->slowest[i].ns < least) least = kind->slowest[i].ns;
        }
        BURSTY_P_STORE(&kind->slowest_least, least);
        BURSTY_P_PUT(&kind->slowest_count, have);
    }
    BURSTY_P_RELEASE(&kind->slowest_busy, 0);
}

/* ---- ticks from another thread ---- */

/* A tick of a path of the thread with that record. One thread alone may call
   it, such as one that watches the others. Without a frame there is nowhere to
   put the tick. */
BURSTY_P_UNUSED static void bursty_p_post_frame_tick(uint32_t record, uint32_t row) {
    uint32_t i, running, posted;
    if (!BURSTY_P_GET(&bursty_p_frames.used)) return;
    for (i = 0; i < BURSTY_P_FRAMED; i++) {
        bursty_p_framed *f = &bursty_p_frames.framed[i];
        if (BURSTY_P_ACQUIRE(&f->thread) != record + 1) continue;
        running = BURSTY_P_GET(&f->running);
        if (!running) return;
        posted = BURSTY_P_GET(&f->posted);
        if (posted - BURSTY_P_ACQUIRE(&f->fetched) == BURSTY_P_FRAME_POSTS) {
            bursty_p_tick_add_shared(&bursty_p_frames.kind[running - 1].crowded, 1);
            return;
        }
        BURSTY_P_PUT(&f->post[posted % BURSTY_P_FRAME_POSTS], row);
        BURSTY_P_RELEASE(&f->posted, posted + 1);
        return;
    }
}

/* Into the frame that runs. Without one they came too late for it: dropped. */
static void bursty_p_fetch_frame_ticks(bursty_p_framed *f) {
    uint32_t posted = BURSTY_P_ACQUIRE(&f->posted), fetched = f->fetched;
    if (fetched == posted) return;
    for (; fetched != posted; fetched++)
        bursty_p_frame_tick(f, BURSTY_P_GET(&f->post[fetched % BURSTY_P_FRAME_POSTS]), 1);
    BURSTY_P_RELEASE(&f->fetched, fetched);
}

/* ---- the end of a frame, and the next ---- */

static void bursty_p_end_frame(bursty_p_framed *f, uint32_t k, uint64_t ns, uint64_t cpu_ns,
                               uint64_t began_ns, const bursty_p_frame_list *list) {
    bursty_p_frame_kind *kind = &bursty_p_frames.kind[k];
    uint64_t wait_ns = ns > cpu_ns && bursty_p_knows_waiting() ? ns - cpu_ns : 0;
    uint32_t class_number = bursty_p_class_of(kind, ns);
    uint32_t number = BURSTY_P_ADD(&kind->count, 1) + 1;
    uint64_t us = ns / 1000;
    uint32_t stratum = 0;
    bursty_p_tick_add_shared(&kind->bucket[bursty_p_bucket(ns)], 1);
    BURSTY_P_PUT(&kind->last_us[(number - 1) % BURSTY_P_LAST_FRAMES],
                 us > UINT32_MAX ? UINT32_MAX : (uint32_t)us);
    bursty_p_find_limit(kind, number);
    if (list->more) bursty_p_tick_add_shared(&kind->crowded, list->more);
    bursty_p_keep_slowest(kind, number, ns, wait_ns, began_ns, list);
#ifdef BURSTY_P_AXIS
    if (class_number == BURSTY_P_SLOW_FRAME)
        bursty_p_axis_frame(k, f->thread - 1, bursty_p_frames.began_ns + began_ns, ns);
#endif
    if (class_number == BURSTY_P_FRAME_CLASSES) return;
    {
        bursty_p_count *sum = &f->sum[k][class_number * BURSTY_P_FRAME_SUMS];
        bursty_p_count_up(&sum[BURSTY_P_FRAME_COUNT], 1);
        bursty_p_count_up(&sum[BURSTY_P_FRAME_US], us);
        bursty_p_add_product(&sum[BURSTY_P_FRAME_US2], us, us);
        bursty_p_count_up(&sum[BURSTY_P_FRAME_WAIT], wait_ns / 1000);
        bursty_p_add_product(&sum[BURSTY_P_FRAME_WAIT2], wait_ns / 1000, wait_ns / 1000);
    }
#ifdef BURSTY_P_STRATA
    {
        if (!f->blocks[k])
            f->blocks[k] = bursty_p_blocks_of(NULL, k, (uint32_t)(f - bursty_p_frames.framed), 0);
        if (f->blocks[k])
            bursty_p_add_to_block(f->blocks[k], number, class_number, 1, wait_ns / 1000);
    }
    if (bursty_p_knows_waiting()) {
        stratum = bursty_p_bucket(cpu_ns) / BURSTY_P_STRATUM;
        bursty_p_count_stratum(&kind->stratum[class_number][stratum], cpu_ns / 1000, list);
    }
#endif
    bursty_p_fold_frame(f, k, class_number, stratum, number, list);
}

/* A place for a thread that begins its first frame; NULL if all are in use. */
static bursty_p_framed *bursty_p_take_framed(uint32_t record) {
    uint32_t i;
    for (i = 0; i < BURSTY_P_FRAMED; i++) {
        bursty_p_framed *f = &bursty_p_frames.framed[i];
        if (!bursty_p_cas(&f->used, 0, 1)) continue;
        bursty_p_fetch_frame_ticks(f); /* of a thread that has ended */
        BURSTY_P_RELEASE(&f->thread, record + 1);
        return f;
    }
    return NULL;
}

BURSTY_API void bursty_frame(const char *name) {
    bursty_p_thread *t = bursty_p_me();
    bursty_p_framed *f = t ? bursty_p_mine.framed : NULL;
    bursty_p_frame_list *list;
    uint64_t now_ns, now_cpu_ns, began_ns, began_cpu_ns;
    uint32_t k = BURSTY_FRAMES, ended, breaks;
    if (BURSTY_P_ACQUIRE(&bursty_p_all.epoch) == 0) return;
    BURSTY_P_PUT(&bursty_p_frames.used, 1);
    if (!f && name && t && bursty_p_has_frame_clock())
        f = bursty_p_mine.framed = bursty_p_take_framed(t->number);
    if (!f) {
        bursty_p_tick_add_shared(name ? &bursty_p_frames.lost : &bursty_p_frames.idle_ends, 1);
        return;
    }
    if (f->busy) { /* a signal handler, in the middle of what follows */
        bursty_p_tick_add_shared(&bursty_p_frames.nested, 1);
        return;
    }
    f->busy = 1;
    BURSTY_P_FENCE();
    if (name) {
        k = bursty_p_kind_of(name, 1);
        if (k == BURSTY_FRAMES) bursty_p_tick_add_shared(&bursty_p_frames.lost, 1);
    }
    bursty_p_fetch_frame_ticks(f);
    ended = f->running;
    breaks = f->breaks;
    began_ns = f->began_ns;
    began_cpu_ns = f->began_cpu_ns;
    now_ns = bursty_p_frame_ns();
    now_cpu_ns = bursty_p_frame_cpu_ns();
    f->began_ns = now_ns;
    f->began_cpu_ns = now_cpu_ns;
    f->breaks = BURSTY_P_GET(&bursty_p_frames.breaks);
    list = &f->list[f->active & 1];
    BURSTY_P_FENCE();
    f->active = !f->active;
    BURSTY_P_PUT(&f->running, k < BURSTY_FRAMES ? k + 1 : 0);
    BURSTY_P_FENCE();
    if (!ended && !name) bursty_p_tick_add_shared(&bursty_p_frames.idle_ends, 1);
    if (ended && (breaks != f->breaks || BURSTY_P_GET(&bursty_p_frames.paused)))
        bursty_p_tick_add_shared(&bursty_p_frames.kind[ended - 1].left_out, 1);
    else if (ended) /* a clock that goes back gives a frame of 0 ns */
        bursty_p_end_frame(f, ended - 1, now_ns > began_ns ? now_ns - began_ns : 0,
                           now_cpu_ns > began_cpu_ns ? now_cpu_ns - began_cpu_ns : 0,
                           began_ns - bursty_p_frames.began_ns, list);
    list->count = list->more = list->events = 0;
    BURSTY_P_FENCE();
    f->busy = 0;
}

BURSTY_API size_t bursty_frames(const char *name, uint32_t *us, size_t max) {
    const bursty_p_frame_kind *kind;
    uint32_t k, count, i;
    if (!name || bursty_p_all.epoch == 0) return 0;
    k = bursty_p_kind_of(name, 0);
    if (k == BURSTY_FRAMES) return 0;
    kind = &bursty_p_frames.kind[k];
    count = BURSTY_P_ACQUIRE(&kind->count);
    if (max > BURSTY_P_LAST_FRAMES) max = BURSTY_P_LAST_FRAMES;
    if (max > count) max = count;
    for (i = 0; i < max; i++)
        us[i] = BURSTY_P_GET(&kind->last_us[(count - max + i) % BURSTY_P_LAST_FRAMES]);
    return max;
}

/* ---- start, pause, threads ---- */

static void bursty_p_begin_frames(void) {
    if (bursty_p_frames.used) bursty_p_zero(&bursty_p_frames, sizeof bursty_p_frames);
    bursty_p_frames.paused = 0;
    bursty_p_frames.began_ns = bursty_p_frame_ns();
}

/* A frame with a pause in it is left out. */
static void bursty_p_pause_frames(int is_paused) {
    (void)BURSTY_P_ADD(&bursty_p_frames.breaks, 1);
    BURSTY_P_PUT(&bursty_p_frames.paused, is_paused != 0);
}

/* The thread ends, and its frame with it. */
static void bursty_p_leave_frames(void) {
    bursty_p_framed *f = bursty_p_mine.framed;
    bursty_p_mine.framed = NULL;
    BURSTY_P_FENCE();
    if (!f) return;
    if (f->running) bursty_p_tick_add_shared(&bursty_p_frames.kind[f->running - 1].unended, 1);
    BURSTY_P_RELEASE(&f->thread, 0);
    BURSTY_P_PUT(&f->running, 0);
    f->busy = 0;
    f->list[0].count = 0;
    f->list[1].count = 0;
    f->list[0].more = f->list[1].more = 0;
    f->list[0].events = f->list[1].events = 0;
    BURSTY_P_RELEASE(&f->used, 0);
}

/* Rows and kinds stay. A running frame is left out when it ends. */
static void bursty_p_clear_frames(void) {
    uint32_t k, i, c, n;
    if (!BURSTY_P_GET(&bursty_p_frames.used)) return;
    (void)BURSTY_P_ADD(&bursty_p_frames.breaks, 1);
    BURSTY_P_RELEASE(&bursty_p_frames.lost, 0);
    BURSTY_P_RELEASE(&bursty_p_frames.idle_ends, 0);
    BURSTY_P_RELEASE(&bursty_p_frames.nested, 0);
    for (k = 0; k < BURSTY_FRAMES; k++) {
        bursty_p_frame_kind *kind = &bursty_p_frames.kind[k];
        BURSTY_P_RELEASE(&kind->unended, 0);
        BURSTY_P_RELEASE(&kind->left_out, 0);
        BURSTY_P_RELEASE(&kind->missed, 0);
        BURSTY_P_RELEASE(&kind->crowded, 0);
        BURSTY_P_RELEASE(&kind->unplaced, 0);
        for (i = 0; i < BURSTY_P_BUCKETS; i++) BURSTY_P_RELEASE(&kind->bucket[i], 0);
#ifdef BURSTY_P_STRATA
        for (i = 0; i < BURSTY_P_STRATUM_COUNT; i++) {
            for (c = 0; c < BURSTY_P_FRAME_CLASSES; c++) {
                BURSTY_P_RELEASE(&kind->stratum[c][i].cpu_us, 0);
                BURSTY_P_RELEASE(&kind->stratum[c][i].ticks, 0);
                BURSTY_P_RELEASE(&kind->stratum[c][i].events, 0);
            }
        }
#endif
        BURSTY_P_PUT(&kind->slowest_count, 0);
        BURSTY_P_PUT(&kind->limit, 0);
        BURSTY_P_PUT(&kind->next, BURSTY_P_FIRST_FRAMES);
        BURSTY_P_RELEASE(&kind->count, 0);
    }
    for (i = 0; i < BURSTY_P_FRAMED; i++) {
        for (k = 0; k < BURSTY_FRAMES; k++) {
            for (n = 0; n < BURSTY_P_FRAME_CLASSES * BURSTY_P_FRAME_SUMS; n++)
                BURSTY_P_STORE(&bursty_p_frames.framed[i].sum[k][n], 0);
        }
    }
    for (i = 0; i < BURSTY_P_GET(&bursty_p_frames.row_count); i++) {
        for (c = 0; c < BURSTY_P_FRAME_CLASSES; c++) {
            for (n = 0; n < 2; n++) {
                BURSTY_P_STORE(&bursty_p_frames.rows[i].sum[c][n], 0);
                BURSTY_P_STORE(&bursty_p_frames.rows[i].squares[c][n], 0);
            }
        }
    }
#ifdef BURSTY_P_STRATA
    for (i = 0; i < BURSTY_P_ACQUIRE(&bursty_p_frames.blocks_count); i++) {
        for (n = 0; n < 4 * BURSTY_P_BLOCKS; n++)
            BURSTY_P_STORE(&bursty_p_frames.blocks[i]
                                .sum[n / (2 * BURSTY_P_BLOCKS)][n / BURSTY_P_BLOCKS % 2]
                                    [n % BURSTY_P_BLOCKS], 0);
        BURSTY_P_PUT(&bursty_p_frames.blocks[i].shift, 0);
    }
#endif
}

/* A child of fork has one thread, and whoever held a flag is gone. */
static void bursty_p_fork_frames(void) {
    uint32_t i;
    for (i = 0; i < BURSTY_FRAMES; i++) {
        if (bursty_p_frames.kind[i].state == 1) bursty_p_frames.kind[i].state = 0;
        bursty_p_frames.kind[i].slowest_busy = 0;
    }
    for (i = 0; i < BURSTY_P_FRAMED; i++) {
        bursty_p_framed *f = &bursty_p_frames.framed[i];
        if (f == bursty_p_mine.framed) continue;
        f->used = f->thread = 0;
        f->running = 0;
        f->busy = 0;
        f->list[0].count = 0;
        f->list[1].count = 0;
        f->list[0].more = f->list[1].more = 0;
        f->list[0].events = f->list[1].events = 0;
    }
}

/* ---- the part of a dump ---- */

static void bursty_p_put_slowest(bursty_p_dump *d, bursty_p_frame_kind *kind) {
    uint32_t i, k, at, depth, tries = 1000;
    while (tries && !bursty_p_cas(&kind->slowest_busy, 0, 1)) tries--;
    bursty_p_put_varint(&d->out, tries ? kind->slowest_count : 0); /* 0: a handler, in between */
    for (i = 0; tries && i < kind->slowest_count; i++) {
        const bursty_p_slowest *kept = &kind->slowest[i];
        const uint64_t v[6] = { kept->number, kept->began_ns / 1000, kept->ns, kept->wait_ns,
                                kept->more, kept->paths };
        bursty_p_put_all(d, v, 6);
        for (k = 0; k < kept->paths; k++) {
            depth = 0;
            for (at = kept->path[k].row; at; at = bursty_p_ticks.rows[at - 1].parent) depth++;
            bursty_p_put_varint(&d->out, kept->path[k].ticks);
            bursty_p_put_varint(&d->out, depth);
            for (at = kept->path[k].row; at; at = bursty_p_ticks.rows[at - 1].parent)
                bursty_p_put_site(d, bursty_p_ticks.rows[at - 1].site);
        }
    }
    if (tries) BURSTY_P_RELEASE(&kind->slowest_busy, 0);
}

static void bursty_p_put_strata(bursty_p_dump *d, const bursty_p_frame_kind *kind) {
#ifdef BURSTY_P_STRATA
    uint32_t i, c;
    for (i = 0; i < BURSTY_P_STRATUM_COUNT; i++) {
        uint64_t v[1 + 3 * BURSTY_P_FRAME_CLASSES], all = 0;
        for (c = 0; c < BURSTY_P_FRAME_CLASSES; c++) {
            v[3 * c + 1] = BURSTY_P_ACQUIRE(&kind->stratum[c][i].cpu_us);
            v[3 * c + 2] = BURSTY_P_ACQUIRE(&kind->stratum[c][i].ticks);
            v[3 * c + 3] = BURSTY_P_ACQUIRE(&kind->stratum[c][i].events);
            all |= v[3 * c + 1] | v[3 * c + 2];
        }
        v[0] = i * BURSTY_P_STRATUM + 1;
        if (all) bursty_p_put_all(d, v, 1 + 3 * BURSTY_P_FRAME_CLASSES);
    }
#endif
    (void)kind;
    bursty_p_put_varint(&d->out, 0);
}

#ifdef BURSTY_P_STRATA
/* The blocks of all threads, of 2^shift frames; to[class][self or total]. */
static void bursty_p_sum_blocks(const bursty_site *site, uint32_t k, uint32_t shift,
                                uint64_t to[2][2][BURSTY_P_BLOCKS]) {
    uint32_t i, n, at;
    for (n = 0; n < 4; n++) {
        for (at = 0; at < BURSTY_P_BLOCKS; at++) to[n / 2][n % 2][at] = 0;
    }
    for (i = 0; i < BURSTY_P_ACQUIRE(&bursty_p_frames.blocks_count); i++) {
        const bursty_p_frame_blocks *b = &bursty_p_frames.blocks[i];
        uint32_t own = BURSTY_P_GET(&b->shift);
        if (!BURSTY_P_ACQUIRE(&b->framed) || b->site != site || b->kind != k) continue;
        for (n = 0; n < 4; n++) {
            for (at = 0; at < BURSTY_P_BLOCKS; at++)
                bursty_p_sum(&to[n / 2][n % 2][own < shift ? at >> (shift - own) : at],
                             &b->sum[n / 2][n % 2][at]);
        }
    }
}

/* One of the rows of a function has the blocks of all of them: the maker of the
   first. */
static int bursty_p_stands_for_blocks(uint32_t row, const bursty_site *site, uint32_t k) {
    uint32_t i;
    for (i = 0; i < BURSTY_P_ACQUIRE(&bursty_p_frames.blocks_count); i++) {
        const bursty_p_frame_blocks *b = &bursty_p_frames.blocks[i];
        if (BURSTY_P_ACQUIRE(&b->framed) && b->site == site && b->kind == k)
            return b->maker == row + 1;
    }
    return 0;
}

static uint64_t bursty_p_sum_of_products(const uint64_t *a, const uint64_t *b) {
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < BURSTY_P_BLOCKS; i++) {
        const uint64_t more = a[i] > UINT32_MAX || b[i] > UINT32_MAX ? UINT64_MAX : a[i] * b[i];
        sum = bursty_p_sat_add(sum, more);
    }
    return sum;
}

/* Something has x in slow frames and y in others; blocks have n and m such frames.
   Writes the sums over blocks of xx, yy, xy, xn, xm, yn, ym. */
static void bursty_p_put_moments(bursty_p_dump *d, const uint64_t *x, const uint64_t *y,
                                 const uint64_t *n, const uint64_t *m) {
    const uint64_t v[7] = { bursty_p_sum_of_products(x, x), bursty_p_sum_of_products(y, y),
                            bursty_p_sum_of_products(x, y), bursty_p_sum_of_products(x, n),
                            bursty_p_sum_of_products(x, m), bursty_p_sum_of_products(y, n),
                            bursty_p_sum_of_products(y, m) };
    bursty_p_put_all(d, v, 7);
}
#endif

static void bursty_p_put_kind(bursty_p_dump *d, uint32_t k) {
    bursty_p_frame_kind *kind = &bursty_p_frames.kind[k];
    const uint32_t limit = BURSTY_P_GET(&kind->limit);
    const uint64_t budget = bursty_p_all.config.frame_slow_ns;
    uint64_t running = 0, v[10], sums[2 * BURSTY_P_FRAME_SUMS];
    uint32_t i, c, s, gap = 0, rows = BURSTY_P_ACQUIRE(&bursty_p_frames.row_count);
    for (i = 0; i < 2 * BURSTY_P_FRAME_SUMS; i++) sums[i] = 0;
    for (i = 0; i < BURSTY_P_FRAMED; i++) {
        const bursty_p_framed *f = &bursty_p_frames.framed[i];
        running += BURSTY_P_GET(&f->running) == k + 1;
        for (s = 0; s < 2 * BURSTY_P_FRAME_SUMS; s++) bursty_p_sum(&sums[s], &f->sum[k][s]);
    }
    v[0] = budget;
    v[1] = budget ? budget : limit ? bursty_p_bucket_ns(limit) : 0;
    v[2] = v[1]; /* the least and the largest, where dumps are added up */
    v[3] = running;
    v[4] = BURSTY_P_ACQUIRE(&kind->unended);
    v[5] = BURSTY_P_ACQUIRE(&kind->left_out);
    v[6] = BURSTY_P_ACQUIRE(&kind->crowded);
    v[7] = BURSTY_P_ACQUIRE(&kind->unplaced);
    v[8] = BURSTY_P_ACQUIRE(&kind->missed);
    v[9] = bursty_p_knows_waiting();
    bursty_p_put_string(d, kind->name);
    bursty_p_put_all(d, v, 10);
    bursty_p_put_all(d, sums, 2 * BURSTY_P_FRAME_SUMS);
#ifdef BURSTY_P_STRATA
    uint64_t blocks[2][2][BURSTY_P_BLOCKS], own[2][2][BURSTY_P_BLOCKS], all[2] = { 0, 0 };
    const uint32_t ended = BURSTY_P_ACQUIRE(&kind->count), shift = bursty_p_block_shift(ended + !ended);
    bursty_p_sum_blocks(NULL, k, shift, blocks);
    for (i = 0; i < BURSTY_P_BLOCKS; i++) {
        all[0] += blocks[0][0][i];
        all[1] += blocks[1][0][i];
    }
    bursty_p_put_all(d, all, 2);
    bursty_p_put_varint(&d->out, bursty_p_sum_of_products(blocks[0][0], blocks[0][0]));
    bursty_p_put_varint(&d->out, bursty_p_sum_of_products(blocks[1][0], blocks[1][0]));
    bursty_p_put_varint(&d->out, bursty_p_sum_of_products(blocks[0][0], blocks[1][0]));
    bursty_p_put_moments(d, blocks[0][1], blocks[1][1], blocks[0][0], blocks[1][0]);
#endif
    bursty_p_put_strata(d, kind);
    for (i = 0; i < BURSTY_P_BUCKETS; i++) { /* count, gap, count, gap, ..., 0 */
        const uint64_t count = BURSTY_P_ACQUIRE(&kind->bucket[i]);
        if (count) {
            bursty_p_put_varint(&d->out, count);
            bursty_p_put_varint(&d->out, gap);
            gap = 0;
        } else gap++;
    }
    bursty_p_put_varint(&d->out, 0);
    bursty_p_put_slowest(d, kind);
    for (i = 0; i < rows; i++) {
        const bursty_p_frame_row *row = &bursty_p_frames.rows[i];
        const bursty_site *site = BURSTY_P_ACQUIRE(&row->site);
        if (!site || row->kind != k) continue;
        bursty_p_put_site(d, site);
        bursty_p_put_varint(&d->out, BURSTY_P_STRATUM_OF(row) * (uint32_t)BURSTY_P_STRATUM);
        for (s = 0; s < 2; s++) {
            for (c = 0; c < BURSTY_P_FRAME_CLASSES; c++) {
                bursty_p_put_varint(&d->out, BURSTY_P_READ(&row->sum[c][s]));
                bursty_p_put_varint(&d->out, BURSTY_P_READ(&row->squares[c][s]));
            }
        }
#ifdef BURSTY_P_STRATA
        if (bursty_p_stands_for_blocks(i, site, k)) {
            bursty_p_sum_blocks(site, k, shift, own);
            bursty_p_put_varint(&d->out, 1);
            for (s = 0; s < 2; s++)
                bursty_p_put_moments(d, own[0][s], own[1][s], blocks[0][0], blocks[1][0]);
        } else bursty_p_put_varint(&d->out, 0);
#endif
    }
    bursty_p_put_site(d, NULL);
}

static int bursty_p_write_frames(bursty_p_dump *d, bursty_write_fn write, void *user) {
    uint32_t k, kinds = 0;
    if (!BURSTY_P_GET(&bursty_p_frames.used)) return 0;
    for (k = 0; k < BURSTY_FRAMES; k++)
        kinds += BURSTY_P_ACQUIRE(&bursty_p_frames.kind[k].state) == 2;
    d->sites = 0;
    bursty_p_put_begin(&d->out, 8, write, user);
    bursty_p_put_varint(&d->out, BURSTY_P_FRAMES_VERSION);
    bursty_p_put_string(d, bursty_p_all.config.program);
    const uint64_t info[5] = { bursty_p_ticks.row_room ? bursty_p_ticks.period_us : 0,
                               BURSTY_P_ACQUIRE(&bursty_p_frames.lost),
                               BURSTY_P_ACQUIRE(&bursty_p_frames.idle_ends),
                               BURSTY_P_ACQUIRE(&bursty_p_frames.nested), kinds };
    bursty_p_put_all(d, info, 5);
    for (k = 0; k < BURSTY_FRAMES && kinds; k++) {
        if (BURSTY_P_ACQUIRE(&bursty_p_frames.kind[k].state) != 2) continue;
        bursty_p_put_kind(d, k);
        kinds--;
    }
    return bursty_p_put_end(&d->out);
}

#else /* no frames in this build */

static void bursty_p_begin_frames(void) { }
static void bursty_p_pause_frames(int is_paused) { (void)is_paused; }
static void bursty_p_leave_frames(void) { }
static void bursty_p_clear_frames(void) { }
static void bursty_p_fork_frames(void) { }
BURSTY_API void bursty_frame(const char *name) { (void)name; }
BURSTY_API size_t bursty_frames(const char *name, uint32_t *us, size_t max) {
    return (void)name, (void)us, (void)max, 0;
}

#endif
