/* frames.h - what parts of kind 8 (bursty_frame) say of frames: how long they
   took, and what functions took in slow ones and in others. Added up over parts
   and files. */
#ifndef KINDS_FRAMES_H
#define KINDS_FRAMES_H
#include "base/kind.h"
#include "report/kinds/sampled.h"

enum { FRAMES_BUCKETS = 528, FRAMES_SLOWEST = 16 };
enum { FRAMES_SLOW, FRAMES_OTHER, FRAMES_CLASSES };
enum { FRAMES_SELF, FRAMES_TOTAL };

typedef struct frames_site {
    const char *name, *file;
    uint32_t line, kind;
} frames_site;

typedef struct frames_bucket {
    uint64_t count;
    uint32_t bucket;
} frames_bucket;

/* Ticks within the frames of a class: their sum, and the sum of squares over
   frames. */
typedef struct frames_ticks { uint64_t sum, squares; } frames_ticks;

/* Frames of about the same CPU time are a stratum, which has the number of its
   first bucket: CPU time of its slow and its other frames, ticks, and events,
   which are ticks that came together. */
typedef struct frames_stratum {
    uint32_t bucket;
    uint64_t cpu_us[FRAMES_CLASSES], ticks[FRAMES_CLASSES], events[FRAMES_CLASSES];
} frames_stratum;

/* Frames that follow one another are blocks. Let a block have n slow frames and
   m others, and something in them x and y times. Sums over blocks: of n, m,
   n^2, m^2, nm, and of xx, yy, xy, xn, xm, yn, ym. All 0: not known. */
enum { FRAMES_N, FRAMES_M, FRAMES_NN, FRAMES_MM, FRAMES_NM, FRAMES_BLOCK_SUMS };
enum { FRAMES_XX, FRAMES_YY, FRAMES_XY, FRAMES_XN, FRAMES_XM, FRAMES_YN, FRAMES_YM, FRAMES_MOMENTS };
typedef struct frames_moments { uint64_t of[FRAMES_MOMENTS]; } frames_moments;

/* A function in the frames of one stratum. The moments of all its strata stand
   with one of them. */
typedef struct frames_share {
    uint32_t site, stratum;
    frames_ticks ticks[FRAMES_CLASSES][2];        /* [][FRAMES_SELF or FRAMES_TOTAL] */
    frames_moments moments[2];
} frames_share;

/* A function in all frames: the sum of its shares, which are share_count from
   first_share on. */
typedef struct frames_function {
    uint32_t site;
    size_t first_share, share_count;
    frames_ticks ticks[FRAMES_CLASSES][2];
    frames_moments moments[2];
} frames_function;

/* A stack of functions that was ticked in one frame. stack: of depth sites from
   here on in stacks, the innermost first. */
typedef struct frames_path {
    uint64_t ticks;
    uint32_t depth;
    size_t stack;
} frames_path;

/* One frame, as it was. */
typedef struct frames_one {
    uint64_t number, began_us, ns, wait_ns;
    uint64_t more;                                /* ticks of paths that are not kept */
    size_t first_path, path_count;
} frames_one;

/* Over the frames of one class: how many, us, us^2, us of waiting, us^2 of
   waiting. */
typedef struct frames_class { uint64_t frames, us, us2, wait_us, wait_us2; } frames_class;

typedef struct frames_of_kind {
    const char *program, *name;
    uint64_t tick_us;                             /* between two ticks; 0: nothing ticked */
    uint64_t budget_ns;                           /* longer ones are slow; 0: by percentile */
    uint64_t least_limit_ns, most_limit_ns;       /* what slow was, last; 0: not known yet */
    uint64_t running, unended, left_out;          /* frames that are not counted */
    uint64_t crowded, unplaced;                   /* ticks without a path, without a function */
    uint64_t missed;                              /* frames that could not be kept as they were */
    uint32_t knows_waiting;
    frames_class classes[FRAMES_CLASSES];
    uint64_t blocks[FRAMES_BLOCK_SUMS];
    frames_moments waiting;                       /* in us */
    frames_bucket *buckets;                       /* ascending; of all frames that have ended */
    size_t bucket_count;
    frames_one *slowest;                          /* at most FRAMES_SLOWEST, the longest first */
    size_t slowest_count;
    frames_stratum *strata;                       /* ascending; none: CPU time is not known */
    size_t stratum_count;
    frames_share *shares;                         /* by name, file, line, stratum */
    size_t share_count;
    frames_function *functions;                   /* by name, file, line; made of the shares */
    size_t function_count;
} frames_of_kind;

/* What bursty_frame was called for and nothing came of it. */
typedef struct frames_program {
    const char *name;
    uint64_t tick_us, lost, idle_ends, nested;
} frames_program;

typedef struct frames {                           /* all zero: empty */
    TALLY_LIST(frames_program) programs;
    TALLY_LIST(frames_of_kind) kinds;
    TALLY_LIST(frames_site) sites;
    TALLY_LIST(frames_path) paths;
    TALLY_LIST(uint32_t) stacks;
    TALLY_LIST(char *) strings;                   /* every name above, to be freed at once */
} frames;

extern const part_kind kind_frames;               /* its state is a `frames` */

/* Where a bucket begins and ends, in ns; the last one has no end, which is
   UINT64_MAX. */
uint64_t frames_bucket_begins(uint32_t bucket);
uint64_t frames_bucket_ends(uint32_t bucket);
/* How many frames there are in all buckets. */
uint64_t frames_count(const frames_of_kind *kind);
#endif
