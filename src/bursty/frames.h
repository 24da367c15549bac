/* ---- frames: the state, and a tick in one ---- */

#if BURSTY_FRAMES > 0

/* What one thread knows of the frame that it is in:

       list 0   | update 2 | draw 1 |        paths ticked in this frame, and how often
       list 1   | (empty)                    of the next one: ticks go to list `active`

   A frame ends by changing `active`, in one store. Ticks that interrupt the
   work behind it are in the next frame, which has begun, and nothing is counted
   twice or lost. Invariant: the list that is not active is empty, but while a
   frame ends.

   Whoever charges ticks from another thread posts them: a ring that one thread
   fills, and that the frame's thread empties when the frame ends. A full one is
   counted. */
enum { BURSTY_P_FRAME_PATHS = 64, BURSTY_P_FRAME_POSTS = 32 };
typedef struct bursty_p_frame_list {
    volatile uint32_t count;
    uint32_t more;            /* ticks of further paths                          */
    uint32_t events;          /* how often ticks came                            */
    struct { uint32_t row, ticks; } path[BURSTY_P_FRAME_PATHS];
} bursty_p_frame_list;

enum { BURSTY_P_SLOW_FRAME, BURSTY_P_OTHER_FRAME, BURSTY_P_FRAME_CLASSES,
       /* of each class: */
       BURSTY_P_FRAME_COUNT = 0, BURSTY_P_FRAME_US, BURSTY_P_FRAME_US2, BURSTY_P_FRAME_WAIT,
       BURSTY_P_FRAME_WAIT2, BURSTY_P_FRAME_SUMS };

typedef struct bursty_p_framed {
    uint32_t used;            /* by a thread                                     */
    volatile uint32_t running; /* 1 + the kind of its frame, or 0                */
    volatile uint32_t active; /* list                                            */
    volatile uint32_t busy;   /* in bursty_frame: a signal handler finds it so   */
    uint32_t breaks;          /* pauses and clears when the frame began          */
    uint32_t serial;          /* of the path that is being folded                */
    uint32_t thread;          /* 1 + the number of its record, or 0              */
    uint32_t posted, fetched; /* how many, ever                                  */
    uint32_t post[BURSTY_P_FRAME_POSTS]; /* rows, each with one tick             */
    uint32_t blocks[BURSTY_FRAMES];      /* 1 + the number of its blocks, or 0   */
    uint64_t began_ns, began_cpu_ns;
    bursty_p_frame_list list[2];
    bursty_p_count sum[BURSTY_FRAMES][BURSTY_P_FRAME_CLASSES * BURSTY_P_FRAME_SUMS];
} bursty_p_framed;

/* n ticks of a path, in the frame of this thread. An interrupt may come here at
   any instruction of bursty_frame. */
static void bursty_p_frame_tick(bursty_p_framed *f, uint32_t row, uint32_t n) {
    bursty_p_frame_list *list;
    uint32_t i;
    if (!f || !BURSTY_P_GET(&f->running)) return;
    list = &f->list[f->active & 1];
    list->events++;
    for (i = 0; i < list->count && list->path[i].row != row; i++) { }
    if (i == BURSTY_P_FRAME_PATHS) {
        list->more = list->more + n < n ? UINT32_MAX : list->more + n;
        return;
    }
    if (i == list->count) {
        list->path[i].row = row;
        list->path[i].ticks = 0;
        list->count = i + 1;
    }
    n += list->path[i].ticks;
    list->path[i].ticks = n < list->path[i].ticks ? UINT32_MAX : n;
}

#endif /* BURSTY_FRAMES > 0 */
