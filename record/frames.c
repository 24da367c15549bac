/* frames.c - frame addresses tell which calls are open.

   frames[] holds one entry per open call: its frame's address and the tree's position before it.
   The stack grows down, so an open caller stands above every new frame. Whatever stands at or below
   a new frame is dead: longjmp or an exception left it, and it is closed.

   A hook knows its own frame's address, which tells the caller's; two frames are at least 16 bytes
   apart. A function that was inlined runs in its caller's frame and names its caller's call site,
   but calls the hook from another place: it gets an address of its own just below. If it calls from
   the same place again, its last call was jumped out of. */
#include "recorder.h"

RECORDER_HOOK static void close_down_to(recorder_thread *r, uint32_t count) {
    if (count == r->frame_count) return;
    hcct_return_to(&r->tree, &r->frames[count].before);
    r->frame_count = count;
}

RECORDER_HOOK static void close_below(recorder_thread *r, uintptr_t address) {
    uint32_t n = r->frame_count;
    while (n && r->frames[n - 1].address < address) n--;
    close_down_to(r, n);
}

/* The address of a call's frame, which is one of its own if the call was inlined. */
RECORDER_HOOK static uintptr_t own_address(recorder_thread *r, uintptr_t frame, const void *site,
                                           const void *from) {
    const recorder_frame *f = r->frames;
    uint32_t n, k;
    close_below(r, frame - 15);
    n = r->frame_count;
    for (k = n; k && f[k - 1].address <= frame && f[k - 1].site == site; k--) {
        if (f[k - 1].from == from) n = k - 1;
    }
    close_down_to(r, n);
    if (n && f[n - 1].address <= frame && f[n - 1].site == site) return f[n - 1].address - 1;
    return frame;
}

RECORDER_HOOK void recorder_enter(recorder_thread *r, uint32_t key, uint64_t weight,
                                  uintptr_t frame, const void *site, const void *from) {
    uintptr_t address = own_address(r, frame, site, from);
    close_below(r, address + 1);
    if (r->frame_count < RECORDER_DEPTH) {
        recorder_frame *f = &r->frames[r->frame_count++];
        f->address = address;
        f->site = site;
        f->from = from;
        f->key = key;
        f->before = hcct_position(&r->tree);
    } else {
        r->frames_full++;
    }
    hcct_enter(&r->tree, key, weight);
}

/* Some compilers move the stack pointer before the exit hook. So the innermost call of that key
   whose frame is not above `frame` is left. */
RECORDER_HOOK void recorder_leave(recorder_thread *r, uint32_t key, uintptr_t frame) {
    const recorder_frame *f = r->frames;
    uint32_t n = r->frame_count;
    while (n && f[n - 1].key != key && f[n - 1].address <= frame) n--;
    if (n && f[n - 1].address <= frame) {
        close_down_to(r, n - 1);
        return;
    }
    if (r->frame_count == RECORDER_DEPTH && r->frames_full) hcct_leave(&r->tree);
}

RECORDER_HOOK void recorder_leave_all(recorder_thread *r) {
    hcct_burst_end(&r->tree);
    r->frame_count = 0;
}

RECORDER_HOOK void recorder_reopen(recorder_thread *r) {
    uint32_t i;
    for (i = 0; i < r->frame_count; i++) {
        r->frames[i].before = hcct_position(&r->tree);
        hcct_enter(&r->tree, r->frames[i].key, 0);
    }
}
