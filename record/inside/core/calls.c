/* calls.c - frame addresses tell which calls are open; bursts.

   frames[] holds one entry per open call, with its frame's address. While the
   tree is fed, as many calls are open in it as there are entries and calls that
   had no room for one. The stack grows down, so an open caller stands above
   every new frame. Whatever stands at or below a new frame is dead: longjmp or
   an exception left it, and it is closed.

   On x86-64 a call's own return address stands at the upper end of its
   function's frame. The hook looks for it: whatever stands below that end is
   dead, too, but for the function itself.

   A hook knows its own frame's address, which tells the caller's; two frames
   are at least 16 bytes apart. A function that was inlined runs in its caller's
   frame and names its caller's call site, but calls the hook from another
   place: it gets an address of its own just below. If it calls from the same
   place again, its last call was jumped out of.
   A function that the place calls through a pointer, after a jump out of another
   one, names the same call site, too: its hook is called right behind its own
   beginning (recorder_has_own_frame).

   Bursts. Between two of them the hooks push and pop frames[] without looking
   at addresses, so dead entries may be among them. When a burst begins, all
   entries are entered again in their order, with weight 0, by the rules above;
   what is dead falls out. Their return addresses are looked for in a copy of
   the thread's own stack, for a dead frame may lie in memory that is gone. The
   calls of the burst have weight 1. A burst waits while calls are open that
   frames[] had no room for.

   When every call is recorded, most hooks are those of recorder_plain.h and do
   not come here. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder.h"
#include "recorder_plain.h"
#define BASE_P_SLOW RECORDER_HOOK __attribute__((unused)) static
#include "../../../src/chance.c" /* the chance that the headers have, too */

static int options_known;

RECORDER_HOOK static void close_down_to(recorder_thread *r, uint32_t count) {
    if (count == r->frame_count) return;
    uint32_t n = r->feeding ? r->frame_count - count + r->deep : 0;
    for (; n; n--) hcct_leave(&r->tree);
    r->frame_count = count;
    r->deep = 0;
}

RECORDER_HOOK static void close_below(recorder_thread *r, uintptr_t address) {
    uint32_t n = r->frame_count;
    while (n && r->frames[n - 1].address < address) n--;
    close_down_to(r, n);
}

recorder_known recorder_known_calls[RECORDER_KNOWN];

/* The upper end of the frame that the calling hook was called from, if that is
   known; or 0. Where it was the last time comes first: below it the same return
   address may be left from an earlier call. */
RECORDER_HOOK RECORDER_READS_STACK static uintptr_t end_of_frame(const recorder_thread *r,
                                                                 const void *function,
                                                                 uintptr_t frame, const void *site,
                                                                 const void *from) {
#if defined(__x86_64__) && !defined(__ILP32__)
    const uintptr_t *word = (const uintptr_t *)(frame & ~(uintptr_t)7);
    const uintptr_t *stop = word + RECORDER_FRAME_WORDS, sought = (uintptr_t)site;
    const recorder_known *k = recorder_known_at(from);
    uintptr_t last = frame + __atomic_load_n(&k->need, __ATOMIC_RELAXED) + 7;
    typedef char words_are_a_multiple_of_4[RECORDER_FRAME_WORDS % 4 ? -1 : 1];
    (void)sizeof(words_are_a_multiple_of_4);
    if (recorder_is_key(__atomic_load_n(&k->key, __ATOMIC_RELAXED), function) &&
        frame >= r->stack_low && last < r->stack_end && *(const uintptr_t *)last == sought)
        return last + 8;
    for (; word < stop; word += 4) { /* most hooks look at a dozen words */
        if (word[0] == sought) return (uintptr_t)(word + 1);
        if (word[1] == sought) return (uintptr_t)(word + 2);
        if (word[2] == sought) return (uintptr_t)(word + 3);
        if (word[3] == sought) return (uintptr_t)(word + 4);
    }
#endif
    (void)r, (void)function, (void)frame, (void)site, (void)from;
    return 0;
}

/* From the stack pointer up to its end a thread's own stack is there; of
   another stack nothing is known, and nothing copied. */
RECORDER_HOOK __attribute__((no_sanitize_address)) void recorder_copy_stack(recorder_thread *r,
                                                                            uintptr_t from) {
    const volatile uintptr_t *word = (const volatile uintptr_t *)(from & ~(uintptr_t)7);
    uint32_t n = 0;
    r->copied_from = (uintptr_t)word;
#if defined(__x86_64__) && !defined(__ILP32__)
    if (from >= r->stack_low && from < r->stack_end) {
        uintptr_t words = (r->stack_end - r->copied_from) / sizeof *word;
        for (; n < RECORDER_COPY_WORDS && n < words; n++) r->copied[n] = word[n];
    }
#endif
    r->copied_words = n;
}

RECORDER_HOOK uintptr_t recorder_frame_end(const recorder_thread *r, const recorder_frame *f) {
    uintptr_t first = (f->address - r->copied_from) / sizeof *r->copied, i;
    if (!f->site || f->address < r->copied_from) return 0;
    for (i = first; i < r->copied_words && i - first < RECORDER_FRAME_WORDS; i++) {
        if (r->copied[i] == (uintptr_t)f->site)
            return r->copied_from + (i + 1) * sizeof *r->copied;
    }
    return 0;
}

RECORDER_HOOK int recorder_is_dead(const recorder_frame *f, const recorder_frame *inner,
                                   uintptr_t end) {
    return f->address + 15 < end && (f->site != inner->site || f->from == inner->from);
}

/* Before all entries are entered again: leaves out the dead ones among them,
   from the innermost one on, which is open. */
RECORDER_HOOK static void drop_dead(recorder_thread *r, uintptr_t frame) {
    uint32_t i, kept = r->frame_count;
    uintptr_t end = 0;
    recorder_copy_stack(r, frame);
    for (i = r->frame_count; i-- > 0;) {
        if (end && recorder_is_dead(&r->frames[i], &r->frames[kept], end)) continue;
        r->frames[--kept] = r->frames[i];
        end = recorder_frame_end(r, &r->frames[kept]);
    }
    r->frame_count -= kept;
    for (i = 0; i < r->frame_count; i++) r->frames[i] = r->frames[kept + i];
}

/* The address of a call's frame, which is one of its own if the call was
   inlined. */
RECORDER_HOOK static uintptr_t own_address(recorder_thread *r, const void *function,
                                           uintptr_t frame, uintptr_t end, const void *site,
                                           const void *from) {
    const recorder_frame *f = r->frames;
    recorder_frame inner;
    uint32_t n, k;
    inner.site = site;
    inner.from = from;
    close_below(r, frame - 15);
    n = r->frame_count;
    for (;;) {
        while (n && recorder_is_dead(&f[n - 1], &inner, end)) n--;
        for (k = n; k && f[k - 1].site == site; k--) {
            if (f[k - 1].address > frame && f[k - 1].address + 15 >= end) break;
        }
        if (k == n || !recorder_has_own_frame(&f[k], function, from)) break;
        n = k;
    }
    close_down_to(r, n);
    for (k = n; k && f[k - 1].address <= frame && f[k - 1].site == site; k--) {
        if (f[k - 1].from == from) n = k - 1;
    }
    close_down_to(r, n);
    if (n && f[n - 1].address <= frame && f[n - 1].site == site) return f[n - 1].address - 1;
    return frame;
}

RECORDER_HOOK uint64_t recorder_seen(const recorder_thread *r) {
    uint64_t left = r->given;
    if (r->in_use && !r->feeding && !r->deep) {
        int64_t now = __atomic_load_n(&r->now->left, __ATOMIC_RELAXED);
        left = now > 0 ? (uint64_t)now : 0;
    }
    return r->seen + (left < r->given ? r->given - left : 0);
}

/* The tree hears now of the calls that have returned since top was called. */
RECORDER_HOOK static void leave_late(recorder_thread *r, const recorder_frame *top) {
    hcct_place at = hcct_position(&r->tree);
    uint64_t open = (uint64_t)at.depth + at.over;
    r->frame_count = top->depth;
    for (; open > r->frame_count; open--) hcct_leave(&r->tree);
}

/* What r says of this moment, between two hooks. */
RECORDER_HOOK void recorder_sync(recorder_thread *r) {
    if (r->lazy && r->now->top != &recorder_none) leave_late(r, r->now->top);
    if (r->feeding || r->deep) return;
    r->frame_count = (uint32_t)(r->now->top - (r->frames - 1));
    if (r->now->left < 0) r->now->left = 0;
    r->gap -= recorder_seen(r) - r->seen;
    r->seen = recorder_seen(r);
    r->given = (uint64_t)r->now->left;
}

RECORDER_HOOK static void enter(recorder_thread *r, void *function, uint32_t key, uint64_t weight,
                                uintptr_t frame, uintptr_t end, const void *site,
                                const void *from) {
    const recorder_frame *top = r->frames + r->frame_count - 1;
    uintptr_t address = frame;
    /* Mostly the innermost call stands above this one's whole frame: it is open,
       and so are all others. */
    if (r->frame_count && (top->address <= frame || top->address + 15 < end)) {
        address = own_address(r, function, frame, end, site, from);
        close_below(r, address + 1);
    }
    if (r->frame_count < RECORDER_DEPTH) {
        recorder_frame *f = &r->frames[r->frame_count++];
        f->function = function;
        f->key = key;
        f->address = address;
        f->site = site;
        f->from = from;
        f->depth = r->frame_count;
    } else {
        r->frames_full++;
        r->deep++;
    }
    if (!r->feeding) return;
    if (!key) key = recorder_key(function);
    hcct_enter(&r->tree, key, weight);
}

RECORDER_HOOK void recorder_enter(recorder_thread *r, uint32_t key, uint64_t weight,
                                  uintptr_t frame, const void *site, const void *from) {
    enter(r, NULL, key, weight, frame, 0, site, from);
}

RECORDER_HOOK static void leave(recorder_thread *r, void *function, uint32_t key, uintptr_t frame) {
    const recorder_frame *f = r->frames;
    uint32_t n = r->frame_count;
    if (r->deep || !n || f[n - 1].function != function || f[n - 1].key != key) {
        while (n && (f[n - 1].function != function || f[n - 1].key != key)) {
            if (f[n - 1].address > frame) break;
            n--;
        }
        if (n && f[n - 1].address > frame) n = 0;
    }
    if (n && n == r->frame_count && !r->deep) {
        r->frame_count--; /* the innermost call, as nearly always: one step up the tree */
        if (r->feeding) hcct_leave(&r->tree);
    } else if (n) {
        close_down_to(r, n - 1);
    } else if (r->deep) {
        r->deep--;
        if (r->feeding) hcct_leave(&r->tree);
    }
}

/* Some compilers move the stack pointer before the exit hook. So the innermost
   call of that key whose frame is not above `frame` is left. */
RECORDER_HOOK void recorder_leave(recorder_thread *r, uint32_t key, uintptr_t frame) {
    leave(r, NULL, key, frame);
}

RECORDER_HOOK void recorder_leave_all(recorder_thread *r) {
    hcct_burst_end(&r->tree);
    r->frame_count = 0;
    r->deep = 0;
}

RECORDER_HOOK void recorder_reopen(recorder_thread *r) {
    uint32_t i, count = r->frame_count;
    r->frame_count = 0;
    for (i = 0; i < count; i++) {
        recorder_frame f = r->frames[i]; /* entering writes at or before it */
        enter(r, f.function, f.key, 0, f.address, 0, f.site, f.from);
    }
}

/* ---- bursts ---- */

/* The interval varies by an eighth, so that it does not fall into step with a
   loop. */
enum { GAP_VARIES = 12 }; /* percent */

/* What the hooks do next. A signal may come between any two stores. */
RECORDER_HOOK static void go_on(recorder_thread *r) {
    uint64_t room;
    recorder_frame *top = r->frames - 1 + r->frame_count;
    recorder_here.left = 0;
    recorder_here.stack_low = r->lazy ? r->stack_low : 0;
    recorder_here.stack_end = r->lazy ? r->stack_end : 0;
    if (r->lazy) {
        r->given = 0;
        recorder_here.record = r;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        recorder_here.top = top;
        return;
    }
    if (r->feeding || r->deep) { /* each call and each return comes to the recorder */
        (++top)->function = NULL; /* of no call */
        top->address = 0;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        recorder_here.top = top;
        r->given = 0;
        return;
    }
    room = RECORDER_DEPTH - r->frame_count;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    recorder_here.top = top;
    r->given = room < r->gap ? room : r->gap;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    recorder_here.left = (int64_t)r->given;
}

RECORDER_HOOK void recorder_start_gap(recorder_thread *r) {
    uint32_t in_burst = 0, left;
    r->random = base_p_state_of(recorder_seed, r->number, r->uses++);
    r->weight = 1;
    r->feeding = recorder_period == 0;
    r->gap = recorder_period == RECORDER_NEVER ? RECORDER_NEVER : 0;
    if (recorder_period && recorder_period != RECORDER_NEVER) {
        left = base_p_begin(&r->random, (uint32_t)(recorder_period - recorder_burst), GAP_VARIES,
                            (uint32_t)recorder_burst, &in_burst);
        r->burst_left = in_burst ? left : recorder_burst;
        r->gap = in_burst ? 0 : left;
    }
    go_on(r);
}

RECORDER_HOOK static void end_burst(recorder_thread *r) {
    hcct_burst_end(&r->tree);
    r->feeding = 0;
    r->burst_left = recorder_burst;
    r->gap = base_p_draw_gap(&r->random, (uint32_t)(recorder_period - recorder_burst), GAP_VARIES);
}

/* Adaptive bursts (section 5.5): what each call of the burst that is due counts,
   or 0 if its stack had one. Then the next one is due when this one would have
   been over, and a gap. */
RECORDER_HOOK static void weigh_burst(recorder_thread *r) {
    uint32_t i;
    if (recorder_reenable == RECORDER_STATIC || !recorder_period) return;
    for (i = 0; i < r->frame_count; i++) {
        const recorder_frame *f = &r->frames[i];
        r->keys[i] = f->key ? f->key : recorder_key(f->function);
    }
    r->weight = hcct_burst_begin(&r->tree, r->keys, r->frame_count);
    if (r->weight) hcct_burst_end(&r->tree);
    else r->gap = recorder_burst + base_p_draw_gap(&r->random,
                                                   (uint32_t)(recorder_period - recorder_burst),
                                                   GAP_VARIES);
}

/* plain_rest of instrument.c says why 32. */
RECORDER_HOOK static void leave_hook(recorder_thread *r) {
    r->lazy = recorder_period == 0 && r->frame_count + 32 < RECORDER_DEPTH && !r->deep &&
              recorder_has_barrier();
    go_on(r);
    recorder_end(r);
}

RECORDER_HOOK static recorder_thread *enter_hook(void) {
    recorder_thread *r = recorder_self();
    recorder_frame *top = recorder_here.top;
    int lazy = r && r->lazy;
    if (!options_known) {
        recorder_options();
        options_known = 1;
    }
    if (lazy && top == &recorder_none) return NULL; /* a handler has interrupted a hook */
    if (lazy) recorder_here.top = &recorder_none;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    r = recorder_begin();
    if (lazy && !r) recorder_here.top = top;
    if (!r) return NULL;
    if (lazy) leave_late(r, top);
    else recorder_sync(r);
    return r;
}

/* The next call from there may be plain. */
RECORDER_HOOK static void learn(void *function, uintptr_t frame, uintptr_t end, const void *from) {
    recorder_known *k = recorder_known_at(from);
    uint32_t key = recorder_key(function), need = INT32_MAX;
#if defined(__x86_64__) && !defined(__ILP32__)
    if (end > frame + 15) need = (uint32_t)(end - frame - 15);
#else
    (void)frame, (void)end;
    need = 1;
#endif
    if (key > RECORDER_FUNCTIONS) return;
    __atomic_store_n(&k->need, need, __ATOMIC_RELAXED);
    __atomic_store_n(&k->key, key, __ATOMIC_RELAXED);
}

/* Plain calls read the stack where it is known to be. */
RECORDER_HOOK static void find_stack(recorder_thread *r, uintptr_t frame) {
    recorder_find_stack(frame, &r->stack_low, &r->stack_end);
    if (!r->stack_end) r->stack_low = r->stack_end = UINTPTR_MAX; /* not asked again */
}

RECORDER_HOOK void recorder_call(void *function, uintptr_t frame, const void *site,
                                 const void *from) {
    recorder_thread *r = enter_hook();
    uintptr_t end;
    if (!r) return;
    if (recorder_period == 0 && !r->stack_end) find_stack(r, frame);
    end = end_of_frame(r, function, frame, site, from);
    if (recorder_period == 0) {
        learn(function, frame, end, from);
    }
    r->seen++;
    if (!r->feeding && r->gap == 0 && !r->deep) {
        (void)own_address(r, function, frame, end, site, from); /* what is left is open around this call */
        drop_dead(r, frame);
        weigh_burst(r);
        r->feeding = r->weight != 0;
        if (r->feeding) recorder_reopen(r);
        else r->gap--;
    } else if (!r->feeding) {
        if (r->gap) r->gap--;
        if (r->frame_count == RECORDER_DEPTH && r->seen >= r->clean_at) {
            r->clean_at = r->seen + RECORDER_DEPTH;
            (void)own_address(r, function, frame, end, site, from);
            drop_dead(r, frame); /* frames[] is full, perhaps of calls that are dead */
            recorder_reopen(r);
        }
    }
    enter(r, function, 0, r->weight, frame, end, site, from);
    if (r->feeding && recorder_period && --r->burst_left == 0) end_burst(r);
    leave_hook(r);
}

RECORDER_HOOK void recorder_return(void *function, uintptr_t frame) {
    recorder_thread *r = enter_hook();
    if (!r) return;
    leave(r, function, 0, frame);
    leave_hook(r);
}
