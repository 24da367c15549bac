/* trace.c - what `bursty cc --trace` links: writes the path that each thread
   takes into a file. docs/formats.md has the bytes.

   The rewritten code writes tokens of one or two bytes, a witness or the number
   of a function that is entered, to the place that bursty_tr names. That is
   memory of the file itself (mmap), so that nothing has to be written when the
   program dies, by whatever cause.

       file     | head | tables | segment 0 | segment 1 | segment 2 | ...
       thread 1                   ^ full      ^ at .. end
       thread 2                                            ^ at .. end

   A thread takes the next segment when its own is full. When the file has its
   limit, it takes the oldest of its own again: so the last part of each
   thread's path is kept. A segment begins with the functions whose calls are
   open, innermost first, as the map of calls (calls.h) and a walk over the stack
   tell, so that it can be read without those before it.

   A signal's handler runs between any two instructions. It has a stream of its
   own, as if it were another thread: bursty_tr is exchanged before and after. A
   child of fork gets a file of its own, which begins with its parent's last
   segment. longjmp is told by the number of its setjmp. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "calls.h"
#include "file_name.h"
#include "tables.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unwind.h>

enum {
    SEGMENT = 1 << 16,
    HEAD = 64,             /* of a segment, and of the file in front of its units */
    MARGIN = 8,            /* no token is longer */
    MOST_FUNCTIONS = 104 * 256,
    MOST_FRAMES = 4000,
    LEVELS = 4,            /* handlers that interrupt one another */
    LANDINGS = 250,
    ENTER = 144, LANDING = 248, RESUME = 249, SURE = 250, LOST = 251, LEFT = 252
};
enum { OPEN = 0, FULL = 1, ENDED = 2 };                        /* states of a segment */
enum { CLAIMED = 48, STREAMS_LOST = 52, FAULT = 56, FLAGS = 60 }; /* places in the file's head */

typedef struct place { unsigned char *at, *end; } place;
typedef struct unit {
    unsigned key[2], functions, vertices;
    unsigned short *enter;
    unsigned *places;
} unit;

extern const unit *const __start_bursty_traced[] __attribute__((weak)) HIDDEN;
extern const unit *const __stop_bursty_traced[] __attribute__((weak)) HIDDEN;
extern const char bursty_cc_file[] HIDDEN;

typedef struct stream {
    place place;           /* while it is not the one that writes */
    unsigned char *map;    /* its segment, or NULL */
    uint32_t number, sequence, current, oldest, count;
    int is_off;
} stream;

typedef struct landing {
    const void *buffer;
    uintptr_t frame;
    unsigned level;
} landing;

/* The state of one thread. It is mapped when the thread first needs it: a library
   that is opened late has room for little more than a pointer in each thread. */
typedef struct state {
    struct state *next;    /* of all that there are */
    int is_free;           /* its thread has ended */
    stream streams[LEVELS + 1];
    unsigned level;
    landing landings[LANDINGS];
    unsigned landing_count;
} state;

HIDDEN __thread place bursty_tr;
static __thread state *own;
static state *states;
static state ended;        /* of threads that write no more; nobody writes to it */

static unsigned char *head;     /* the file's, mapped */
static uint32_t *next_of;       /* of each segment the next one of its stream */
static uint32_t most, segments_at, stream_count;
static size_t next_bytes;
static int file = -1;
static char path[4200];
static pthread_key_t at_thread_end;
static unsigned char nowhere[4096]; /* where tokens go that nobody wants */

/* ---- bytes ---- */

static void put4(unsigned char *to, uint32_t value) {
    to[0] = (unsigned char)value;
    to[1] = (unsigned char)(value >> 8);
    to[2] = (unsigned char)(value >> 16);
    to[3] = (unsigned char)(value >> 24);
}

static void put8(unsigned char *to, uint64_t value) {
    put4(to, (uint32_t)value);
    put4(to + 4, (uint32_t)(value >> 32));
}

static uint32_t get4(const unsigned char *from) {
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

/* FNV-1a over words of eight bytes, the last one filled up with zeros. */
static uint64_t check_of(uint64_t hash, const unsigned char *data, size_t size) {
    size_t i, k;
    for (i = 0; i < size; i += 8) {
        uint64_t word = 0;
        if (size - i >= 8) word = get4(data + i) | (uint64_t)get4(data + i + 4) << 32;
        else for (k = 0; k < size - i; k++) word |= (uint64_t)data[i + k] << 8 * k;
        hash = (hash ^ word) * UINT64_C(0x100000001B3);
    }
    return hash;
}
#define CHECK_START UINT64_C(0xCBF29CE484222325)

static void say(const char *what, const char *why) {
    char line[4400];
    int size = snprintf(line, sizeof line, "%.4200s: %s%s\n", path, what, why);
    if (size > (int)sizeof line - 1) size = (int)sizeof line - 1;
    if (size > 0 && write(2, line, (size_t)size) < 0) return;
}

/* ---- the file ---- */

/* 64M, 100K, 4096; what is no number counts as none was given. */
static uint64_t wanted_bytes(void) {
    const char *text = getenv("BURSTY_TRACE_LIMIT");
    uint64_t bytes = 0;
    int digits = 0;
    if (!text || !*text) return 64 << 20;
    for (; *text >= '0' && *text <= '9' && digits < 15; text++, digits++)
        bytes = bytes * 10 + (uint64_t)(*text - '0');
    if (*text == 'K' || *text == 'k') bytes <<= 10;
    if (*text == 'M' || *text == 'm') bytes <<= 20;
    if (*text == 'G' || *text == 'g') bytes <<= 30;
    if (*text && (text[1] || !strchr("KkMmGg", *text))) digits = 0;
    if (digits == 0) say("", "BURSTY_TRACE_LIMIT is no number of bytes; 64M it is");
    return digits ? bytes : 64 << 20;
}

/* May a file of that name be replaced? Only an older trace, which nobody
   writes to. Returns 1, 0, or -1 after a message. */
static int may_replace(void) {
    struct stat status;
    unsigned char start[HEAD];
    int old = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK), is_free;
    if (old < 0 && errno == ENOENT) return 1;
    if (old < 0 || fstat(old, &status) != 0) {
        say("no trace is written: ", strerror(errno));
        if (old >= 0) close(old);
        return -1;
    }
    is_free = S_ISREG(status.st_mode) ? 1 : -1;
    if (is_free > 0 && status.st_size > 0) {
        ssize_t got = read(old, start, sizeof start);
        if (got < 4 || memcmp(start, "BTRC", 4) != 0) is_free = -1;
        else if (flock(old, LOCK_EX | LOCK_NB) != 0) is_free = 0;
        else if (got == HEAD && get4(start + 16) == (uint32_t)getpid()) is_free = 0;
    }
    close(old);
    if (is_free < 0) say("no trace is written: the file is something else", "");
    else if (is_free && unlink(path) != 0 && errno != ENOENT) {
        say("no trace is written: ", strerror(errno));
        return -1;
    }
    return is_free;
}

/* A new file. A program that runs at the same time, or ran in this process
   before exec, keeps its own. */
static int create(int is_child) {
    size_t used;
    int i, is_free = 0;
    file_name(path, sizeof path - 64, "BURSTY_TRACE", bursty_cc_file, is_child);
    used = strlen(path);
    for (i = 0; i < 100 && is_free == 0; i++) {
        if (i == 1) used += (size_t)snprintf(path + used, 24, ".%ld", (long)getpid());
        if (i > 1) snprintf(path + used, 24, ".%d", i);
        is_free = may_replace();
    }
    if (is_free == 0) say("no trace is written: others of this process have all names", "");
    if (is_free <= 0) return -1;
    i = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (i < 0) say("no trace is written: ", strerror(errno));
    return i;
}

static int fill_numbers(void) {
    const unit *const *u;
    uint32_t number = 0, i;
    for (u = __start_bursty_traced; u != __stop_bursty_traced; u++) number += (*u)->functions;
    if (number > MOST_FUNCTIONS) {
        say("no trace is written: the program has more than 26624 functions", "");
        return -1;
    }
    number = 0;
    for (u = __start_bursty_traced; u != __stop_bursty_traced; u++) {
        for (i = 0; i < (*u)->functions; i++, number++) {
            unsigned char token[2];
            token[0] = (unsigned char)(ENTER + (number >> 8));
            token[1] = (unsigned char)(number & 255);
            memcpy(&(*u)->enter[i], token, 2);
        }
    }
    return 0;
}

static int write_all(const unsigned char *data, size_t size, off_t at) {
    while (size > 0) {
        ssize_t got = pwrite(file, data, size, at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        data += got;
        at += got;
        size -= (size_t)got;
    }
    return 0;
}

static void here(void) {}

/* Head, units and tables. */
static int write_head(uint32_t parent) {
    const unit *const *u;
    tables t;
    uint32_t units = (uint32_t)(__stop_bursty_traced - __start_bursty_traced), number = 0;
    size_t bytes = HEAD + 16 * (size_t)units, at = HEAD;
    unsigned char *made;
    int failed;
    tables_open(&t, (uintptr_t)here);
    segments_at = (uint32_t)((bytes + t.size + 4095) & ~(size_t)4095);
    made = (unsigned char *)mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) {
        tables_close(&t);
        return -1;
    }
    memcpy(made, "BTRC", 4);
    made[4] = 1;
    put4(made + 8, SEGMENT);
    put4(made + 12, most);
    put4(made + 16, (uint32_t)getpid());
    put4(made + 20, units);
    put4(made + 24, (uint32_t)bytes);
    put4(made + 28, (uint32_t)t.size);
    put4(made + 32, segments_at);
    put4(made + 36, parent);
    for (u = __start_bursty_traced; u != __stop_bursty_traced; u++, at += 16) {
        put4(made + at, (*u)->key[0]);
        put4(made + at + 4, (*u)->key[1]);
        put4(made + at + 8, number);
        put4(made + at + 12, (*u)->functions);
        number += (*u)->functions;
    }
    put8(made + 40, check_of(check_of(CHECK_START, made, 40), made + HEAD, bytes - HEAD));
    failed = write_all(made, bytes, 0) || write_all(t.bytes, t.size, (off_t)bytes) ||
             posix_fallocate(file, 0, (off_t)segments_at) != 0;
    munmap(made, bytes);
    tables_close(&t);
    return failed ? -1 : 0;
}

static int open_file(int is_child, uint32_t parent) {
    uint64_t wanted;
    file = create(is_child);
    if (file < 0) return -1;
    flock(file, LOCK_EX | LOCK_NB);
    wanted = wanted_bytes() / SEGMENT;
    most = wanted > 1 << 20 ? 1 << 20 : wanted < 4 ? 4 : (uint32_t)wanted;
    next_bytes = most * sizeof *next_of;
    if (write_head(parent) != 0) goto no;
    head = (unsigned char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    next_of = (uint32_t *)mmap(NULL, next_bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (head != MAP_FAILED && next_of != (uint32_t *)MAP_FAILED) return 0;
    head = NULL;
no:
    say("no trace is written: ", strerror(errno ? errno : ENOSPC));
    close(file);
    unlink(path);
    file = -1;
    return -1;
}

/* ---- segments ---- */

static uint32_t add_head(unsigned at, uint32_t by) {
    return __atomic_fetch_add((uint32_t *)(void *)(head + at), by, __ATOMIC_RELAXED);
}

/* A number of 7 bits a byte. */
static unsigned char *put_number(unsigned char *to, uint32_t number) {
    for (; number > 127; number >>= 7) *to++ = (unsigned char)(number | 128);
    *to++ = (unsigned char)number;
    return to;
}

typedef struct frames {
    unsigned char *to, *end;
    uint32_t count;
} frames;

/* Which unit and vertex a place of the map belongs to. */
static const unit *unit_of(const uint32_t *place_of, uint32_t *number) {
    const unit *const *u;
    for (u = __start_bursty_traced; u != __stop_bursty_traced; u++) {
        uintptr_t first = (uintptr_t)(*u)->places, at = (uintptr_t)place_of;
        if (!first || at < first || at >= first + 4 * (uintptr_t)(*u)->vertices) continue;
        *number = (uint32_t)(u - __start_bursty_traced);
        return *u;
    }
    return NULL;
}

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *user) {
    frames *f = (frames *)user;
    int is_before = 0;
    uint32_t number;
    uintptr_t at = _Unwind_GetIPInfo(context, &is_before), start = _Unwind_GetRegionStart(context);
    const call *c;
    const unit *u;
    if (at == 0 || f->end - f->to < 16 || f->count == MOST_FRAMES) return _URC_END_OF_STACK;
    if (!start) return _URC_NO_REASON;
    c = find(is_before ? at : at - 1, start);
    u = c ? unit_of(early_of(c), &number) : NULL;
    if (!u) return _URC_NO_REASON;
    f->to = put_number(f->to, number + 1);
    f->to = put_number(f->to, (uint32_t)(early_of(c) - u->places));
    f->count++;
    return _URC_NO_REASON;
}

/* Unit + 1 and vertex of each open call, innermost first; 0; then the function
   that writes, as its token, or two zeros. */
static unsigned char *put_frames(unsigned char *to, const unsigned short *top) {
    frames f;
    f.to = to;
    f.end = to + SEGMENT / 2;
    f.count = 0;
    if ((uintptr_t)__start_bursty_calls != (uintptr_t)__stop_bursty_calls)
        _Unwind_Backtrace(note_frame, &f);
    *f.to++ = 0;
    if (top) memcpy(f.to, top, 2);
    else f.to[0] = f.to[1] = 0;
    return f.to + 2;
}

static void close_segment(stream *s, const unsigned char *at, uint32_t state) {
    uint32_t used = (uint32_t)(at - s->map);
    put4(s->map + 36, used);
    put8(s->map + 40, check_of(CHECK_START, s->map + HEAD, used - HEAD));
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    put4(s->map + 32, state);
}

/* The next segment of the file, or the oldest of this stream. Returns its
   number, or UINT32_MAX. */
static uint32_t claim(stream *s) {
    uint32_t number, all = get4(head + CLAIMED);
    if (all < most) all = add_head(CLAIMED, 1);
    if (all < most) {
        int fault = posix_fallocate(file, (off_t)segments_at + (off_t)all * SEGMENT, SEGMENT);
        if (fault) {
            if (!get4(head + FAULT)) say("the trace stops here: ", strerror(fault));
            put4(head + FAULT, (uint32_t)fault);
            return UINT32_MAX;
        }
        if (s->count++) next_of[s->current] = all;
        else s->oldest = all;
        return all;
    }
    if (s->count == 0) {
        add_head(STREAMS_LOST, 1);
        return UINT32_MAX;
    }
    number = s->oldest;
    if (s->count > 1) {
        s->oldest = next_of[number];
        next_of[s->current] = number;
    }
    return number;
}

static void begin_segment(stream *s, unsigned level, uint32_t skip) {
    memcpy(s->map, "BSEG", 4);
    put4(s->map + 4, s->number);
    put4(s->map + 8, s->sequence);
    put4(s->map + 12, level);
    put4(s->map + 16, (uint32_t)syscall(SYS_gettid));
    put4(s->map + 20, skip);
    put8(s->map + 24, check_of(CHECK_START, s->map, 24));
    put4(s->map + 32, OPEN);
    put4(s->map + 36, 0);
    put8(s->map + 40, 0);
}

static void turn_off(stream *s) {
    if (own != &ended) s->is_off = 1;
    bursty_tr.at = nowhere;
    bursty_tr.end = nowhere + sizeof nowhere - MARGIN;
}

static unsigned char *map_segment(uint32_t number) {
    void *map = mmap(NULL, SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                     (off_t)segments_at + (off_t)number * SEGMENT);
    return map == MAP_FAILED ? NULL : (unsigned char *)map;
}

static void start(void);
static int is_started;

/* The thread's state: one that another thread has left, or a new one. A signal's
   handler may want one at any time. Nobody leaves the list but as a library is
   closed. */
static state *mine(void) {
    state *s, *none = NULL;
    if (own) return own;
    for (s = __atomic_load_n(&states, __ATOMIC_ACQUIRE); s; s = s->next) {
        int is_free = 1;
        if (__atomic_compare_exchange_n(&s->is_free, &is_free, 0, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) break;
    }
    if (s) {
        memset(s->streams, 0, sizeof s->streams);
        s->level = s->landing_count = 0;
    } else {
        s = (state *)mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                          -1, 0);
        if (s == MAP_FAILED) return own = &ended;
        s->next = __atomic_load_n(&states, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(&states, &s->next, s, 1, __ATOMIC_RELEASE,
                                            __ATOMIC_RELAXED)) {
        }
    }
    if (__atomic_compare_exchange_n(&own, &none, s, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return s;
    __atomic_store_n(&s->is_free, 1, __ATOMIC_RELEASE);
    return own;
}

/* There is no room: the next segment. top: who wants to write. */
HIDDEN void bursty_tr_more(const unsigned short *top);
HIDDEN __attribute__((noinline)) void bursty_tr_more(const unsigned short *top) {
    int error = errno;
    state *me = mine();
    stream *s = &me->streams[me->level];
    uint32_t number;
    unsigned char *map;
    if (!is_started) start();
    if (me == &ended || s->is_off || !head) {
        turn_off(s);
        errno = error;
        return;
    }
    if (s->map) close_segment(s, bursty_tr.at, FULL);
    else {
        s->number = __atomic_add_fetch(&stream_count, 1, __ATOMIC_RELAXED);
        pthread_setspecific(at_thread_end, (void *)1);
    }
    number = claim(s);
    if (s->map && number == s->current && s->count > 0) {
        map = s->map;
    } else {
        map = number == UINT32_MAX ? NULL : map_segment(number);
        if (s->map) munmap(s->map, SEGMENT);
    }
    s->map = map;
    if (!map) {
        turn_off(s);
        errno = error;
        return;
    }
    if (get4(map) != 0) memset(map, 0, SEGMENT); /* it was used before */
    s->current = number;
    begin_segment(s, me->level, 0);
    s->sequence++;
    bursty_tr.at = put_frames(map + HEAD, top);
    bursty_tr.end = map + SEGMENT - MARGIN;
    errno = error;
}

static void put_token(unsigned char token) {
    if (bursty_tr.at >= bursty_tr.end) bursty_tr_more(NULL);
    *bursty_tr.at++ = token;
}

static void put_pair(unsigned char token, unsigned number) {
    if (bursty_tr.at >= bursty_tr.end) bursty_tr_more(NULL);
    bursty_tr.at[0] = token;
    bursty_tr.at[1] = (unsigned char)number;
    bursty_tr.at += 2;
}

/* What leads up to here has run, whatever comes. */
static void be_sure(void) {
    if (own && own->streams[own->level].map) put_token(SURE);
}

/* ---- ends ---- */

/* The calling thread writes no more. */
static void end_streams(void) {
    state *me = mine();
    unsigned i;
    if (me == &ended) return;
    be_sure();
    for (i = 0; i <= LEVELS; i++) {
        stream *s = &me->streams[i];
        unsigned char *at = i == me->level ? bursty_tr.at : s->place.at;
        if (s->map) {
            close_segment(s, at, ENDED);
            munmap(s->map, SEGMENT);
        }
        s->map = NULL;
        s->is_off = 1;
    }
    turn_off(&me->streams[me->level]);
}

/* What the thread still runs is written nowhere. */
static void leave_thread(void) {
    state *me = own;
    end_streams();
    if (!me || me == &ended) return;
    own = &ended;
    __atomic_store_n(&me->is_free, 1, __ATOMIC_RELEASE);
}

/* Other keys' destructors may run first. */
static void thread_ends(void *round) {
    if ((uintptr_t)round < 3) pthread_setspecific(at_thread_end, (void *)((uintptr_t)round + 1));
    else leave_thread();
}

static void sure_at_quick_end(void) { be_sure(); }

/* A child writes to a file of its own, which begins with its parent's
   segment. */
static void begin_child(void) {
    state *me = own;
    unsigned i;
    if (!head) return;
    munmap(head, 4096);
    munmap(next_of, next_bytes);
    close(file);
    head = NULL;
    if (open_file(1, (uint32_t)getppid()) != 0) head = NULL;
    stream_count = 0;
    for (i = 0; me && me != &ended && i <= LEVELS; i++) {
        stream *s = &me->streams[i];
        place *p = i == me->level ? &bursty_tr : &s->place;
        unsigned char *old = s->map;
        uint32_t number, used = old ? (uint32_t)(p->at - old) : 0;
        if (!old) continue;
        s->count = 0;
        s->sequence = 0;
        s->number = ++stream_count;
        number = head ? claim(s) : UINT32_MAX;
        s->map = number == UINT32_MAX ? NULL : map_segment(number);
        if (s->map) {
            memcpy(s->map, old, used);
            s->current = number;
            begin_segment(s, i, used);
            s->sequence++;
            p->at = s->map + used;
            p->end = s->map + SEGMENT - MARGIN;
        } else {
            s->is_off = 1;
            p->at = nowhere;
            p->end = nowhere + sizeof nowhere - MARGIN;
        }
        munmap(old, SEGMENT);
    }
}

__attribute__((constructor(101))) static void start(void) {
    const char *limit = getenv("BURSTY_TRACE_LIMIT");
    if (is_started) return;
    is_started = 1;
    if (limit && strcmp(limit, "0") == 0) return;
    if (__start_bursty_traced == __stop_bursty_traced || fill_numbers() != 0) return;
    if (open_file(0, 0) != 0) return;
    pthread_key_create(&at_thread_end, thread_ends);
    pthread_atfork(NULL, NULL, begin_child);
    at_quick_exit(sure_at_quick_end);
}

/* What is behind the last segment's last byte is cut off. */
static void trim(void) {
    const stream *s = &own->streams[0];
    uint32_t used = (uint32_t)(bursty_tr.at - s->map), last = s->current;
    off_t size = (off_t)segments_at + (off_t)last * SEGMENT + (off_t)used;
    end_streams();
    if (last + 1 == get4(head + CLAIMED) && ftruncate(file, size + 1) != 0) return;
}

/* Nobody runs its code any more, and it may be opened again. */
static void close_library(void) {
    unsigned char *old = head;
    pthread_key_delete(at_thread_end);
    head = NULL;
    while (states) {
        state *one = states;
        unsigned i;
        states = one->next;
        for (i = 0; i <= LEVELS; i++)
            if (one->streams[i].map) munmap(one->streams[i].map, SEGMENT);
        munmap(one, sizeof *one);
    }
    own = &ended;
    munmap(old, 4096);
    munmap(next_of, next_bytes);
    close(file);
}

__attribute__((destructor(101))) static void at_end(void) {
    if (!head || getpid() != (pid_t)get4(head + 16)) return;
    add_head(FLAGS, 1);
    if (own && own->level == 0 && own->streams[0].map) trim();
    else end_streams();
    if (!is_program()) close_library();
}

/* ---- setjmp and longjmp ---- */

/* setjmp(b) has become setjmp(bursty_landing(b, frame)). Frames grow downwards:
   an entry whose frame is below the stack pointer has returned. */
static unsigned landing_of(const state *me, const void *buffer) {
    unsigned i = me->landing_count;
    while (i > 0 && me->landings[i - 1].buffer != buffer) i--;
    return i;
}

HIDDEN void *bursty_landing(void *buffer, const void *frame);
HIDDEN __attribute__((noinline)) void *bursty_landing(void *buffer, const void *frame) {
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    state *me = mine();
    unsigned i;
    if (me == &ended) return buffer;
    while (me->landing_count && me->landings[me->landing_count - 1].level == me->level &&
           me->landings[me->landing_count - 1].frame < sp) me->landing_count--;
    i = landing_of(me, buffer);
    if (i == 0 && me->landing_count < LANDINGS) i = ++me->landing_count;
    if (i > 0) {
        me->landings[i - 1].buffer = buffer;
        me->landings[i - 1].frame = (uintptr_t)frame;
        me->landings[i - 1].level = me->level;
        put_pair(LANDING, i - 1);
    }
    return buffer;
}

static void leave_level(state *me) {
    if (me->streams[me->level].map) put_token(LEFT);
    me->streams[me->level].place = bursty_tr;
    bursty_tr = me->streams[--me->level].place;
}

static void jump(const void *buffer) {
    state *me = mine();
    unsigned i = landing_of(me, buffer);
    while (me->level > 0 && (i == 0 || me->landings[i - 1].level < me->level)) leave_level(me);
    if (i > 0) put_pair(RESUME, i - 1);
    else put_token(LOST);
}

/* ---- signals ---- */

typedef struct handler {
    struct sigaction wanted;
    int is_ours;
} handler;

static handler handlers[NSIG];

static void on_signal(int number, siginfo_t *info, void *context) {
    struct sigaction a = handlers[number].wanted;
    state *me = mine();
    unsigned before = me == &ended ? LEVELS : me->level;
    if (before < LEVELS) {
        me->streams[before].place = bursty_tr;
        me->level = before + 1;
        bursty_tr = me->streams[me->level].place;
    }
    if (a.sa_flags & (int)SA_SIGINFO) a.sa_sigaction(number, info, context);
    else a.sa_handler(number);
    if (before < LEVELS) {
        me->streams[me->level].place = bursty_tr;
        me->level = before;
        bursty_tr = me->streams[me->level].place;
    }
}

WRAP(int, sigaction, (int number, const struct sigaction *act, struct sigaction *old)) {
    struct sigaction mine, before;
    handler was;
    int failed, takes;
    if (number <= 0 || number >= NSIG) return __real_sigaction(number, act, old);
    was = handlers[number];
    takes = act && act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN;
    if (act) mine = *act;
    if (takes) {
        mine.sa_sigaction = on_signal;
        mine.sa_flags |= (int)SA_SIGINFO;
        handlers[number].wanted = *act;
    }
    failed = __real_sigaction(number, act ? &mine : NULL, &before);
    if (failed) {
        handlers[number] = was;
        return failed;
    }
    if (act) handlers[number].is_ours = takes;
    if (old) {
        *old = before;
        if (was.is_ours && before.sa_sigaction == on_signal) {
            old->sa_handler = was.wanted.sa_handler;
            if (was.wanted.sa_flags & (int)SA_SIGINFO) old->sa_sigaction = was.wanted.sa_sigaction;
            else old->sa_flags &= ~(int)SA_SIGINFO;
        }
    }
    return 0;
}

typedef void (*simple_handler)(int);

static simple_handler set_handler(int number, simple_handler to, int flags) {
    struct sigaction mine, before;
    __builtin_memset(&mine, 0, sizeof mine);
    mine.sa_handler = to;
    mine.sa_flags = flags;
    return __wrap_sigaction(number, &mine, &before) ? SIG_ERR : before.sa_handler;
}

WRAP(simple_handler, signal, (int number, simple_handler to)) {
    return set_handler(number, to, (int)SA_RESTART);
}
WRAP(simple_handler, bsd_signal, (int number, simple_handler to)) {
    return set_handler(number, to, (int)SA_RESTART);
}
WRAP(simple_handler, __sysv_signal, (int number, simple_handler to)) {
    return set_handler(number, to, (int)(SA_RESETHAND | SA_NODEFER));
}

/* ---- what the linker leads here ---- */

LEAVES(longjmp, (void *b, int v)) { jump(b); __real_longjmp(b, v); }
LEAVES(_longjmp, (void *b, int v)) { jump(b); __real__longjmp(b, v); }
LEAVES(siglongjmp, (void *b, int v)) { jump(b); __real_siglongjmp(b, v); }
#ifdef __GLIBC__
LEAVES(__longjmp_chk, (void *b, int v)) { jump(b); __real___longjmp_chk(b, v); }
#endif
LEAVES(_exit, (int status)) { be_sure(); __real__exit(status); }
LEAVES(_Exit, (int status)) { be_sure(); __real__Exit(status); }
LEAVES(abort, (void)) { be_sure(); __real_abort(); }
LEAVES(__assert_fail, (const char *what, const char *name, unsigned line, const char *function)) {
    be_sure();
    __real___assert_fail(what, name, line, function);
}

/* A child of vfork would write to its parent's place. */
extern pid_t __real_vfork(void);
HIDDEN pid_t __wrap_vfork(void);
HIDDEN pid_t __wrap_vfork(void) { return fork(); }

/* Another stack: what was open is not known any more. */
WRAP(int, swapcontext, (ucontext_t *from, const ucontext_t *to)) {
    int got;
    put_token(LOST);
    got = __real_swapcontext(from, to);
    put_token(LOST);
    return got;
}
WRAP(int, setcontext, (const ucontext_t *to)) {
    put_token(LOST);
    return __real_setcontext(to);
}

WRAP(int, execve, (const char *name, char *const *words, char *const *environment)) {
    be_sure();
    return __real_execve(name, words, environment);
}
WRAP(int, execv, (const char *name, char *const *words)) {
    be_sure();
    return __real_execv(name, words);
}
WRAP(int, execvp, (const char *name, char *const *words)) {
    be_sure();
    return __real_execvp(name, words);
}
