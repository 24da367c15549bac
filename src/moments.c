/* ---- moments of ticks, in bounded room ---- */

/* 2^bits ticks at most have their moment. When there are more, every second one
   gives way, and those that stay stand for twice as many:

       tick        0   1   2   3   4   5   6   7   8 ...        room for 4
       level 0     x   x   x   x
       level 1       x       x       x   x                      one of each 2
       level 2               x                   x ...          one of each 4

   Nothing is moved and nobody waits, so that ticks of many threads may come at
   once, in handlers of signals. All follows from the number of the tick, which
   an atomic addition gives. A group of 2^level ticks has one that stays: the
   winner of its two halves, by a bit that is as random as a hash of level and
   group, so that threads which come in turn, or a program that keeps step, are
   met alike. The winner of two groups keeps its place; the loser's is taken by
   a group that comes later:

       level 1, group 2 and on    take the places of the losers of 0 and 1, 2 and 3, ...

   A place says which tick it has, so that a reader notices what is being
   written, and what has not come.

   Cost: one hash for half of the ticks, two for a quarter, and so on; for one
   that stays, as many as there are levels. */
#if UINTPTR_MAX > UINT32_MAX
typedef uint64_t base_p_serial;
#else
typedef uint32_t base_p_serial;
#endif

typedef struct base_p_moment {
    uint32_t serial, what;    /* serial: 1 + its low bits; 0 while it is written */
    uint32_t low, high;       /* us */
} base_p_moment;

/* Which of the groups 2 g and 2 g + 1 of a level stays, 0 or 1. */
static uint32_t base_p_winner(uint32_t level, base_p_serial g) {
    uint32_t h = (uint32_t)g * UINT32_C(0x9E3779B1) + level;
    h = (h ^ h >> 15) * UINT32_C(0x85EBCA6B);
    h = (h ^ h >> 13) * UINT32_C(0xC2B2AE35);
    return h >> 31;
}

/* The level at which the tick of that number comes. */
static uint32_t base_p_level(uint32_t bits, base_p_serial serial) {
    uint32_t level = 0;
    for (serial >>= bits; serial; serial >>= 1) level++;
    return level;
}

/* The place of a group. */
static uint32_t base_p_place(uint32_t bits, uint32_t level, base_p_serial group) {
    const base_p_serial half = (base_p_serial)1 << (bits - 1);
    while (level--) {
        const uint32_t is_late = group >= half;
        if (is_late) group -= half;
        group = 2 * group + (base_p_winner(level, group) ^ is_late);
    }
    return (uint32_t)group;
}

/* The tick of that number, if it stays. */
static void base_p_put_moment(base_p_moment *at, uint32_t bits, base_p_serial serial,
                              uint32_t what, uint64_t us) {
    const uint32_t level = base_p_level(bits, serial);
    base_p_serial group = serial;
    uint32_t k;
    for (k = 0; k < level; k++, group >>= 1)
        if ((group & 1) != base_p_winner(k, group >> 1)) return;
    at += base_p_place(bits, level, group);
    BASE_P_RELEASE(&at->serial, 0);
    BASE_P_RELEASE(&at->what, what);
    BASE_P_RELEASE(&at->low, (uint32_t)us);
    BASE_P_RELEASE(&at->high, (uint32_t)(us >> 32));
    BASE_P_RELEASE(&at->serial, (uint32_t)serial + 1);
}

/* How many groups the first `drawn` ticks have. */
static uint32_t base_p_groups(uint32_t bits, base_p_serial drawn) {
    return drawn ? (uint32_t)((drawn - 1) >> base_p_level(bits, drawn - 1)) + 1 : 0;
}

/* The one that stays of a group. Returns 0 if it is not there. */
static int base_p_get_moment(const base_p_moment *at, uint32_t bits, base_p_serial drawn,
                             uint32_t group, uint32_t *what, uint64_t *us) {
    const uint32_t level = base_p_level(bits, drawn - 1);
    base_p_serial serial = group;
    uint32_t k = level, number;
    while (k--) serial = 2 * serial + base_p_winner(k, serial);
    at += base_p_place(bits, level, group);
    number = BASE_P_ACQUIRE(&at->serial);
    *what = BASE_P_ACQUIRE(&at->what);
    *us = BASE_P_ACQUIRE(&at->low);
    *us |= (uint64_t)BASE_P_ACQUIRE(&at->high) << 32;
    return number && number == (uint32_t)serial + 1
           && number == BASE_P_ACQUIRE(&at->serial);
}

/* ---- stretches of time, the longest of them ---- */

/* Waits, or slow frames. When there is no room, the shorter half goes, and is
   counted. Nobody waits: one that finds another at work is counted, too. */
typedef struct base_p_span {
    uint64_t from_us, us;
    uint32_t what, thread;
} base_p_span;

typedef struct base_p_spans {
    base_p_span *at;
    uint32_t room, count, busy;
    uint32_t missed;                   /* others were at work */
    uint64_t least_us;                 /* shorter ones are left out */
    uint64_t left, left_us;            /* how many were, and their sum */
} base_p_spans;

/* Brings the `kept` longest to the front. */
static void base_p_select(base_p_span *at, uint32_t count, uint32_t kept) {
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        const uint64_t middle = at[low + (high - low) / 2].us;
        uint32_t i = low, first = low, last = high;
        while (i < last) {                   /* longer | as long | not seen | shorter */
            const base_p_span s = at[i];
            if (s.us > middle) {
                at[i++] = at[first];
                at[first++] = s;
            } else if (s.us < middle) {
                at[i] = at[--last];
                at[last] = s;
            } else i++;
        }
        if (kept <= first) high = first;
        else if (kept >= last) low = last;
        else return;
    }
}

/* The shorter half goes. */
static void base_p_drop_spans(base_p_spans *s) {
    const uint32_t kept = s->room / 2;
    uint64_t least = UINT64_MAX;
    uint32_t i;
    base_p_select(s->at, s->count, kept);
    for (i = 0; i < s->count; i++) {
        if (i < kept && s->at[i].us < least) least = s->at[i].us;
        if (i >= kept) s->left_us += s->at[i].us;
    }
    s->left += s->count - kept;
    s->least_us = least;
    s->count = kept;
}

BASE_P_UNUSED static void base_p_add_span(base_p_spans *s, uint32_t what, uint32_t thread,
                                          uint64_t from_us, uint64_t us) {
    base_p_span *to;
    if (s->room < 2) return;
    if (!base_p_cas(&s->busy, 0, 1)) {
        (void)BASE_P_ADD(&s->missed, 1);
        return;
    }
    if (s->count == s->room) base_p_drop_spans(s);
    if (us < s->least_us) {
        s->left++;
        s->left_us += us;
    } else {
        to = &s->at[s->count++];
        to->from_us = from_us;
        to->us = us;
        to->what = what;
        to->thread = thread;
    }
    BASE_P_RELEASE(&s->busy, 0);
}

/* Nothing of before counts any more. */
BASE_P_UNUSED static void base_p_clear_spans(base_p_spans *s) {
    uint32_t tries = 1000;
    while (tries && !base_p_cas(&s->busy, 0, 1)) tries--;
    if (!tries) return;
    s->count = 0;
    s->least_us = s->left = s->left_us = 0;
    BASE_P_RELEASE(&s->missed, 0);
    BASE_P_RELEASE(&s->busy, 0);
}
