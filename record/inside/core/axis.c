/* axis.c - see axis.h. Ticks are thinned out as those of bursty.h are
   (src/moments.c); of frames the longest stay. */
#define _GNU_SOURCE 1
#include "axis.h"
#include "recorder.h"
#include <string.h>
#include <time.h>
#include "../../../src/part.c" /* what the headers have, too */
#define BASE_P_ACQUIRE(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define BASE_P_RELEASE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define BASE_P_ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define BASE_P_UNUSED __attribute__((unused))

static int base_p_cas(uint32_t *p, uint32_t old, uint32_t v) {
    return __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
#include "../../../src/moments.c"

enum { LEAST = 4, MOST = 24, FRAMES = 4096, AT_ONCE = 100, PATH_BITS = 16 };

static struct {
    base_p_moment *ticks;
    uint32_t bits;                  /* 2^bits of them; 0: nobody asked */
    uint64_t drawn, zero_ns;
    base_p_spans frames;            /* what: the kind */
} all;

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t axis_now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

void axis_begin(uint32_t most) {
    uint32_t bits = MOST;
    while (bits >= LEAST && UINT32_C(1) << bits > most) bits--;
    if (bits < LEAST) return;
    all.ticks = (base_p_moment *)recorder_memory(sizeof *all.ticks << bits);
    all.frames.at = (base_p_span *)recorder_memory(FRAMES * sizeof *all.frames.at);
    if (!all.ticks || !all.frames.at) return;
    all.frames.room = FRAMES;
    all.zero_ns = axis_now_ns();
    __atomic_store_n(&all.bits, bits, __ATOMIC_RELEASE);
}

void axis_in_child(void) {
    if (!all.bits) return;
    memset(all.ticks, 0, sizeof *all.ticks << all.bits);
    all.drawn = 0;
    all.frames.busy = 0;
    base_p_clear_spans(&all.frames);
    all.zero_ns = axis_now_ns();
}

static uint64_t since_us(uint64_t ns) {
    return ns > all.zero_ns ? (ns - all.zero_ns) / 1000 : 0;
}

void axis_tick(uint32_t thread, uint32_t path, uint32_t n) {
    uint64_t at, us;
    uint32_t i;
    if (!__atomic_load_n(&all.bits, __ATOMIC_ACQUIRE)) return;
    if (!path || thread >> PATH_BITS) return;
    at = __atomic_fetch_add(&all.drawn, n, __ATOMIC_RELAXED);
    us = since_us(axis_now_ns());
    for (i = 0; i < n && i < AT_ONCE; i++)
        base_p_put_moment(all.ticks, all.bits, at + i, thread << PATH_BITS | path, us);
}

void axis_frame(uint32_t kind, uint32_t thread, uint64_t began_ns) {
    const uint64_t now = axis_now_ns();
    if (!all.bits || thread >> PATH_BITS) return;
    base_p_add_span(&all.frames, kind, thread, since_us(began_ns),
                    now > began_ns ? (now - began_ns) / 1000 : 0);
}

/* ---- the part ---- */

static void put_name(base_p_out *out, const char *name) {
    size_t size = strlen(name);
    base_p_put_varint(out, size);
    base_p_put(out, name, size);
}

static uint32_t paths_of(const sampled_ticks *const *tables, uint32_t n) {
    return tables[n] ? __atomic_load_n(&tables[n]->paths_used, __ATOMIC_ACQUIRE) : 0;
}

/* Each path has a function of its own; readers know equal ones. */
static void put_paths(base_p_out *out, const sampled_profile *about,
                      const sampled_ticks *const *tables, const uint32_t *used,
                      uint32_t count) {
    uint64_t paths = 0, number = 0;
    uint32_t n, i;
    int pass;
    for (n = 0; n < count; n++) paths += used[n];
    for (pass = 0; pass < 2; pass++) {
        base_p_put_varint(out, paths);
        for (n = 0; n < count; n++) {
            for (i = 0; i < used[n]; i++) {
                const sampled_path *path = &tables[n]->paths[i];
                const char *name, *place;
                if (pass) {
                    base_p_put_varint(out, number++);
                    base_p_put_varint(out, path->parent ? i + 1 - path->parent : 0);
                    continue;
                }
                name = sampled_name_of(about, path->key);
                place = about->place && path->key < SAMPLED_BEYOND
                            ? about->place(about->name_user, path->key)
                            : NULL;
                put_name(out, name ? name : "?");
                put_name(out, place ? place : "");
                base_p_put_varint(out, 0);
            }
        }
    }
}

/* The least time of a slow frame: its limit, or that of the slowest 5 % of all. */
static uint64_t least_of(const base_p_spans *s, const axis_kind *kinds, uint32_t kind) {
    uint64_t low = 0, high = UINT64_MAX, many;
    uint32_t i;
    if (kinds[kind].limit_us) return kinds[kind].limit_us + 1;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        for (i = 0, many = 0; i < s->count; i++)
            many += s->at[i].what == kind && s->at[i].us >= middle;
        if (many <= kinds[kind].count / 20) high = middle;
        else low = middle + 1;
    }
    return low;
}

static void put_frames(base_p_out *out, const axis_kind *kinds, uint32_t kind_count,
                       uint32_t threads, uint64_t span) {
    enum { KINDS = 64 };
    base_p_spans *s = &all.frames;
    uint64_t least[KINDS];
    uint32_t i;
    if (kind_count > KINDS) kind_count = KINDS;
    base_p_put_varint(out, kind_count);
    for (i = 0; i < kind_count; i++) {
        least[i] = least_of(s, kinds, i);
        put_name(out, kinds[i].name);
        base_p_put_varint(out, least[i] ? least[i] - 1 : 0);
    }
    for (i = 0; i < kind_count && least[i] >= s->least_us; i++) { }
    base_p_put_varint(out, i < kind_count ? s->left + s->missed : s->missed);
    base_p_put_varint(out, i < kind_count ? s->left_us : 0);
    for (i = 0; i < s->count; i++) {
        const base_p_span *f = &s->at[i];
        const uint64_t from = f->from_us < span ? f->from_us : span;
        if (f->what >= kind_count || f->thread >= threads) continue;
        if (f->us < least[f->what]) continue;
        base_p_put_varint(out, f->thread + (uint64_t)1);
        base_p_put_varint(out, from);
        base_p_put_varint(out, f->us < span - from ? f->us : span - from);
        base_p_put_varint(out, f->what);
    }
    base_p_put_varint(out, 0);
}

static void put_ticks(base_p_out *out, const uint32_t *used, uint32_t count,
                      uint64_t span) {
    const uint64_t drawn = __atomic_load_n(&all.drawn, __ATOMIC_ACQUIRE);
    const uint32_t groups = base_p_groups(all.bits, drawn);
    uint64_t us, before = 0, first;
    uint32_t i, n, what;
    for (i = 0; i < groups; i++) {
        uint32_t thread, path;
        if (!base_p_get_moment(all.ticks, all.bits, drawn, i, &what, &us)) continue;
        thread = what >> PATH_BITS;
        path = what & ((1u << PATH_BITS) - 1);
        if (thread >= count || !path || path > used[thread]) continue;
        for (n = 0, first = 0; n < thread; n++) first += used[n];
        if (us > span) us = span;
        if (us < before) us = before; /* of threads at once */
        base_p_put_varint(out, us - before);
        base_p_put_varint(out, 2 * (uint64_t)thread + 1);
        base_p_put_varint(out, first + path - 1);
        before = us;
    }
}

int axis_write(const sampled_profile *about, int32_t process, uint32_t period_us,
               const sampled_ticks *const *tables, const axis_thread *threads,
               uint32_t count, const axis_kind *kinds, uint32_t kind_count,
               int (*write)(void *user, const void *data, size_t size), void *user) {
    enum { KIND = 26, VERSION = 2, THREADS = 4096 };
    static uint32_t used[THREADS];
    const uint64_t span = since_us(axis_now_ns()), drawn = all.drawn;
    base_p_out out;
    uint32_t n;
    if (!all.bits || !drawn) return 0;
    if (count > THREADS) count = THREADS;
    base_p_put_begin(&out, KIND, write, user);
    base_p_put_varint(&out, VERSION);
    put_name(&out, about->program);
    base_p_put_varint(&out, (uint64_t)process);
    base_p_put_varint(&out, clock_ns(CLOCK_REALTIME) / 1000 - span);
    base_p_put_varint(&out, span);
    base_p_put_varint(&out, period_us);
    base_p_put_varint(&out, UINT64_C(1) << base_p_level(all.bits, drawn - 1));
    base_p_put_varint(&out, 0);
    base_p_put_varint(&out, count);
    for (n = 0; n < count; n++) {
        used[n] = paths_of(tables, n);
        base_p_put_varint(&out, threads[n].number);
        put_name(&out, threads[n].name);
    }
    put_paths(&out, about, tables, used, count);
    for (n = 0; n < 4; n++) base_p_put_varint(&out, 0); /* no waits */
    put_frames(&out, kinds, kind_count, count, span);
    put_ticks(&out, used, count, span);
    return base_p_put_end(&out) ? -1 : 0;
}
