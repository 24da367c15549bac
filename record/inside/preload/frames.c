/* frames.c - `bursty record --frames FUNCTION`: a call of FUNCTION is a frame,
   from its entry to its return. x86_hook observes entries and returns,
   ticks come from the timer of record/inside/core/timer.c, and bursty.h does the rest:
   which frames are slow, what they do more, the slowest as they were.

   A thread is in one frame at a time. What comes within it belongs to it: a
   call of FUNCTION within itself, or of another FUNCTION. A frame that is left
   by longjmp or by an exception has no return. It goes on until the thread
   calls FUNCTION again, from where the stack is no deeper than then:

       stack    |  main  |  loop  |  FUNCTION  |  ...
                                  ^ open.stack: the entry of the frame
            an entry there, or further left: the frame was left, and ends now
            an entry further right: it came within the frame

   Each of these is counted, and said at the end. */
#define _GNU_SOURCE 1
#define BURSTY_IMPLEMENTATION
#define BURSTY_STATIC
#define BURSTY_NO_TIMERS
#define BURSTY_STACK 128
#define BURSTY_FRAMES 8 /* FRAMES_KINDS */
#define BURSTY_TLS_MODEL "initial-exec"
#define BURSTY_MEMORY (1 << 25) /* pages that nobody touches cost nothing */
#include "bursty.h"
#include "frames.h"
#include "../core/timer.h"
#include "handover.h"
#include "patch.h"
#include "../../../base/glob.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { KINDS = FRAMES_KINDS, HOOKS = 32, NEAR = 3 };

typedef struct frames_kind {
    const char *name;               /* as it was given: a name, or a pattern */
    uint32_t functions;             /* that have it */
    uint64_t entries;               /* that began a frame */
    uint64_t ended;                 /* frames that came to their end */
    uint64_t within;                /* entries that came within another frame */
    uint64_t left;                  /* frames without a return */
    uint64_t by_jump;               /* frames that ended in a jump to another function */
} frames_kind;

typedef struct frames_hook {
    uint32_t module, place, key, kind;
} frames_hook;

static struct {
    char words[1024], symbols[16384];
    frames_kind kinds[KINDS];
    uint32_t kind_count, hook_count, slow_us;
    uint32_t named, left_out;       /* functions, and those that cannot be hooked */
    frames_hook hooks[HOOKS];
    uint32_t numbers[HOOKS];
} all;

/* The frame that this thread is in. */
static __thread struct {
    uint64_t stack;                 /* 0: it is in none */
    const frames_hook *hook;
    uint64_t began_ns;
} open_frame __attribute__((tls_model("initial-exec")));

/* ---- frames ---- */

static void count(uint64_t *number) { __atomic_fetch_add(number, 1, __ATOMIC_RELAXED); }

/* bursty.h has the sums of it, and the axis its moments. */
static void end_on_axis(void) {
    count(&all.kinds[open_frame.hook->kind].ended);
    axis_frame(open_frame.hook->kind, timer_number(), open_frame.began_ns);
}

static void entered(const frames_hook *hook, uint64_t stack) {
    if (open_frame.stack && stack < open_frame.stack) {
        count(&all.kinds[hook->kind].within);
        return;
    }
    if (open_frame.stack) {
        count(&all.kinds[open_frame.hook->kind].left);
        end_on_axis();
    }
    count(&all.kinds[hook->kind].entries);
    open_frame.hook = hook;
    open_frame.stack = stack;
    open_frame.began_ns = axis_now_ns();
    bursty_frame(all.kinds[hook->kind].name);
}

static void left(const frames_hook *hook, uint64_t stack, int is_by_jump) {
    if (stack != open_frame.stack || hook != open_frame.hook) return;
    if (is_by_jump) count(&all.kinds[hook->kind].by_jump);
    bursty_frame(NULL);
    end_on_axis();
    open_frame.stack = 0;
}

static void told(void *user, uint32_t what, const x86_frame *frame) {
    const frames_hook *hook = all.hooks, *end = all.hooks + all.hook_count;
    int saved = errno;
    (void)user;
    if (record.sandboxed || __atomic_load_n(&record.done, __ATOMIC_RELAXED)) return;
    while (hook < end && (hook->place != frame->place || hook->module != frame->module)) hook++;
    if (hook == end) return;
    if (what == X86_ENTRY) entered(hook, frame->stack);
    else left(hook, frame->stack, (what & X86_CALL) != 0);
    errno = saved;
}

/* ---- ticks ---- */

static bursty_site sites[RECORDER_FUNCTIONS + 2]; /* by keys; kind 0: it had no tick */

/* What calls FUNCTION is in every frame, and says nothing. */
void frames_tick(const uint32_t *keys, uint32_t depth, uint32_t n) {
    static __thread const bursty_site *stack[BURSTY_STACK]
        __attribute__((tls_model("initial-exec")));
    uint32_t i, from = depth;
    if (!open_frame.stack) return;
    while (from && keys[from - 1] != open_frame.hook->key) from--;
    if (from) depth = from;
    for (i = 0; i < depth && i < BURSTY_STACK; i++) {
        uint32_t key = keys[depth - 1 - i];
        if (key >= sizeof sites / sizeof *sites) key = RECORDER_FUNCTIONS + 1;
        sites[key].kind = BURSTY_CALL | BURSTY_FRAME;
        stack[i] = &sites[key];
    }
    bursty_tick_at(stack, depth, n);
}

/* ---- the part of a dump ---- */

/* Names that a reader of sites may keep. */
static const char *keep_name(const char *name) {
    enum { ROOM = 1 << 16 };
    static char *at;
    static size_t room;
    size_t size = strlen(name) + 1;
    char *kept;
    if (size > room) {
        at = size < ROOM ? (char *)recorder_memory(ROOM) : NULL;
        room = at ? ROOM : 0;
        if (!at) return "?";
    }
    kept = (char *)memcpy(at, name, size);
    at += size;
    room -= size;
    return kept;
}

typedef struct filter {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int is_wanted;
} filter;

/* bursty.h writes a part of calls, too, and one of ticks. Each part begins with
   a piece of its own: "BRST", version, kind. */
static int write_frames(void *user, const void *data, size_t size) {
    const unsigned char *bytes = (const unsigned char *)data;
    filter *f = (filter *)user;
    if (size == 16 && !memcmp(bytes, "BRST", 4)) f->is_wanted = bytes[6] == 8 && bytes[7] == 0;
    return f->is_wanted ? f->write(f->user, data, size) : 0;
}

int frames_write(const char *(*name)(void *user, uint32_t key),
                 int (*write)(void *user, const void *data, size_t size), void *user) {
    filter f = {write, user, 0};
    uint32_t key;
    if (!all.hook_count) return 0;
    for (key = 1; key < sizeof sites / sizeof *sites; key++) {
        const char *now;
        if (!sites[key].kind) continue;
        now = name(NULL, key);
        if (!now) now = "?";
        if (!sites[key].name || strcmp(sites[key].name, now) != 0) sites[key].name = keep_name(now);
        sites[key].file = "";
    }
    return bursty_write(write_frames, &f);
}

/* ---- which functions ---- */

void frames_take(uint32_t slow_us, const char *lines, const char *symbols) {
    char *at = all.words;
    snprintf(all.words, sizeof all.words, "%s", lines);
    snprintf(all.symbols, sizeof all.symbols, "%s", symbols);
    all.slow_us = slow_us;
    while (*at && all.kind_count < KINDS) {
        all.kinds[all.kind_count++].name = at;
        at += strcspn(at, "\n");
        if (*at) *at++ = 0;
    }
}

/* Reads C++ names: the program's C++ library does it, or the machine's, which is
   loaded for that long. */
static struct {
    char *(*demangle)(const char *name, char *room, size_t *size, int *status);
    void *library;
    char *room;
    size_t size;
    int is_looked_for;
} cxx;

static void find_demangler(void) {
    void *found = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    cxx.is_looked_for = 1;
    if (!found) {
        cxx.library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        found = cxx.library ? dlsym(cxx.library, "__cxa_demangle") : NULL;
    }
    memcpy(&cxx.demangle, &found, sizeof cxx.demangle);
}

static void forget_demangler(void) {
    free(cxx.room);
    if (cxx.library) dlclose(cxx.library);
    memset(&cxx, 0, sizeof cxx);
}

/* The old names of Rust are those of C++, with a hash behind the last "::". */
static void cut_hash(char *name) {
    enum { HASH = 19 };
    const size_t size = strlen(name);
    char *at = name + (size > HASH ? size - HASH : 0);
    if (!strncmp(at, "::h", 3) && strspn(at + 3, "0123456789abcdef") == HASH - 3) *at = 0;
}

/* A C++ name as it stands in the source, until the next call; any other as it
   is. */
static const char *readable(const char *name) {
    char *words;
    int status = -1;
    if (strncmp(name, "_Z", 2)) return name;
    if (!cxx.is_looked_for) find_demangler();
    words = cxx.demangle ? cxx.demangle(name, cxx.room, &cxx.size, &status) : NULL;
    if (!words || status != 0) return name;
    cut_hash(words);
    return cxx.room = words;
}

/* The longest piece of a name in source that is in the symbol, too. Most symbols
   need not be made readable. */
static int may_be_named(const char *symbol, const char *wanted) {
    char piece[64];
    size_t most = 0, size;
    const char *best = wanted, *at = wanted;
    for (; *at; at += size + (at[size] != 0)) {
        size = strcspn(at, "*?:<>(){}[], &~.+=!|^%/");
        if (size <= most) continue;
        best = at;
        most = size;
    }
    if (most >= sizeof piece) most = sizeof piece - 1;
    memcpy(piece, best, most);
    piece[most] = 0;
    return strstr(symbol, piece) || strstr(wanted, "operator") || strchr(wanted, '<')
           || strstr(wanted, "std::") || strstr(wanted, "(anonymous");
}

/* With its parameters, or without them. */
static int is_named_in_source(const char *symbol, const char *wanted, int is_pattern) {
    const char *name = readable(symbol), *from;
    size_t size;
    if (is_pattern) return glob_matches_function(wanted, name);
    from = glob_function(name, &size);
    return (size == strlen(wanted) && !memcmp(from, wanted, size)) || !strcmp(from, wanted)
           || !strcmp(name, wanted);
}

/* A function that the compiler has made anew for its callers has a suffix. A C++
   function has the name of its symbol, too. */
static int is_named(const char *symbol, const char *wanted) {
    const size_t size = strlen(wanted);
    const char *suffix = strchr(symbol, '.');
    int is_pattern = strpbrk(wanted, "*?") != NULL;
    if (is_pattern && glob_matches(wanted, symbol, strlen(symbol))) return 1;
    if (!is_pattern && !strncmp(symbol, wanted, size)
        && (!symbol[size] || !strncmp(symbol + size, ".isra.", 6)
            || !strncmp(symbol + size, ".constprop.", 11))) return 1;
    if (strncmp(symbol, "_Z", 2) || !may_be_named(symbol, wanted)) return 0;
    if (suffix && strncmp(suffix, ".isra.", 6) && strncmp(suffix, ".constprop.", 11)) return 0;
    return is_named_in_source(symbol, wanted, is_pattern);
}

/* is_slow: the options have names that may be meant, of symbols that stand in
   another file. */
static const char *name_of(const x86_function *f, int is_slow) {
    static char name[1024];
    const char *line;
    char digits[24];
    if (!is_slow) return f->name ? f->name : "";
    snprintf(digits, sizeof digits, "%llx ", (unsigned long long)f->offset);
    line = all.symbols;
    while (*line && strncmp(line, digits, strlen(digits)) != 0) {
        line += strcspn(line, "\n");
        line += *line != 0;
    }
    if (!*line) return f->name;
    line += strlen(digits);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(line, "\n"), line);
    return name;
}

/* Those of the executable come before those of libraries. Returns how many were
   added. */
static uint32_t find(uint32_t kind, int is_slow) {
    x86_function f;
    uint32_t n, found = 0, first = 0;
    for (n = 0; x86_get_function(n, &f) == 0; n++) {
        const char *name = f.module && is_slow ? NULL : name_of(&f, is_slow);
        if (f.module && found && !first) break;
        if (f.reason == X86_STARTUP || !name || !is_named(name, all.kinds[kind].name)) continue;
        if (f.module) first = 1;
        if (all.hook_count < HOOKS) {
            frames_hook *hook = &all.hooks[all.hook_count];
            all.numbers[all.hook_count++] = n;
            hook->module = f.module;
            hook->place = f.offset;
            hook->kind = kind;
            hook->key = record_key(f.module, f.offset);
        }
        found++;
    }
    return found;
}

/* So many letters to change, add or take away; above 3 nobody cares. */
static unsigned distance(const char *a, const char *b) {
    enum { MOST = 64 };
    unsigned row[MOST + 1], i, k, size = (unsigned)strlen(b), length = (unsigned)strlen(a);
    if (size > MOST || length > MOST || length > size + 3 || size > length + 3) return 99;
    for (i = 0; i <= size; i++) row[i] = i;
    for (k = 1; k <= length; k++) {
        unsigned before = row[0];
        row[0] = k;
        for (i = 1; i <= size; i++) {
            unsigned best = before + (a[k - 1] != b[i - 1]);
            before = row[i];
            if (row[i] + 1 < best) best = row[i] + 1;
            if (row[i - 1] + 1 < best) best = row[i - 1] + 1;
            row[i] = best;
        }
    }
    return row[size];
}

/* How far a name is from what was asked for: a few wrong letters, or a part of
   it. */
static unsigned far_from(const char *wanted, const char *name) {
    unsigned apart = distance(wanted, name);
    if (apart <= 3 && apart < strlen(wanted)) return apart;
    if (strlen(wanted) >= 3 && strcasestr(name, wanted)) return 4 + (unsigned)strlen(name);
    return 9999;
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* update, of Game::update. */
static const char *last_name(const char *name) {
    const char *next;
    while ((next = strstr(name, "::")) != NULL) name = next + 2;
    return name;
}

/* ", did you mean a, b or c?" of the functions that the program has. */
static void say_near(char *to, size_t size, const char *wanted, int is_slow) {
    static char near[NEAR][256];
    unsigned apart[NEAR];
    char known[256];
    x86_function f;
    size_t length;
    uint32_t n;
    int i, k, have = 0;
    for (n = 0; x86_get_function(n, &f) == 0; n++) {
        const char *name = f.module && is_slow ? NULL : name_of(&f, is_slow);
        unsigned now;
        if (!name || !*name || strstr(name, "+0x")) continue;
        now = far_from(wanted, name);
        name = glob_function(readable(name), &length);
        snprintf(known, sizeof known, "%.*s", (int)length, name);
        now = least(now, far_from(wanted, known));
        if (strstr(known, "::")) now = least(now, far_from(wanted, last_name(known)));
        if (now == 9999) continue;
        for (i = 0; i < have && (strcmp(near[i], known) != 0); i++) { }
        if (i < have) continue;
        for (i = have; i > 0 && now < apart[i - 1]; i--) { }
        if (i == NEAR) continue;
        for (k = have < NEAR ? have++ : NEAR - 1; k > i; k--) {
            memcpy(near[k], near[k - 1], sizeof near[k]);
            apart[k] = apart[k - 1];
        }
        memcpy(near[i], known, sizeof known);
        apart[i] = now;
    }
    *to = 0;
    for (i = 0; i < have; i++) {
        size_t at = strlen(to);
        snprintf(to + at, size - at, "%s%.200s", !i ? "; did you mean " : i + 1 < have ? ", " : " or ",
                 near[i]);
    }
    if (have) snprintf(to + strlen(to), size - strlen(to), "?");
}

static int find_all(void) {
    char line[2048], near[1024];
    uint32_t kind;
    int status = 0;
    for (kind = 0; kind < all.kind_count; kind++) {
        frames_kind *k = &all.kinds[kind];
        k->functions = find(kind, 0);
        if (!k->functions) k->functions = find(kind, 1);
        if (k->functions && all.hook_count < HOOKS) continue;
        *near = 0;
        if (!k->functions) say_near(near, sizeof near, k->name, 1);
        if (!*near && !k->functions) say_near(near, sizeof near, k->name, 0);
        if (k->functions)
            snprintf(line, sizeof line, "!--frames %.200s: %u functions have such a name, and there "
                                        "is room for %u\n", k->name, k->functions, (unsigned)HOOKS - 1);
        else
            snprintf(line, sizeof line, "!--frames %.200s: %s has no function of that name%s\n",
                     k->name, recorder_program(), near);
        handover_line(line);
        status = -1;
    }
    forget_demangler();
    return status;
}

/* Hooks what can be hooked. Of a pattern the rest is left out; a kind of which
   nothing is left is refused. Each line says why. Returns 0, or -1. */
static int hook_all(void) {
    int reasons[HOOKS], status = 0;
    uint32_t left_out[KINDS] = {0}, n;
    struct stat s;
    x86_function f;
    char line[2048];
    (void)x86_hook(all.numbers, all.hook_count, told, reasons);
    for (n = 0; n < all.hook_count; n++) left_out[all.hooks[n].kind] += reasons[n] != 0;
    for (n = 0; n < all.hook_count; n++) {
        const char *why = x86_reason_text(reasons[n]), *name = "the function";
        const frames_kind *k = &all.kinds[all.hooks[n].kind];
        const int is_refused = left_out[all.hooks[n].kind] == k->functions;
        if (!reasons[n]) continue;
        if (k->functions > 1 && x86_get_function(all.numbers[n], &f) == 0)
            name = readable(name_of(&f, f.module == 0));
        if (stat("/proc/self/task", &s) == 0 && s.st_nlink > 3)
            why = "a library has started a thread before the program";
        snprintf(line, sizeof line, "%c--frames %.200s: %.400s %s hooked: %s\n",
                 is_refused ? '!' : '?', k->name, name,
                 is_refused ? "cannot be" : "begins no frame, for it cannot be", why);
        handover_line(line);
        if (is_refused) status = -1;
    }
    for (n = 0; n < all.kind_count; n++) {
        all.kinds[n].functions -= left_out[n];
        all.left_out += left_out[n];
        all.named += all.kinds[n].functions + left_out[n];
    }
    return status;
}

int frames_begin(uint32_t ticks_per_second) {
    static bursty_config config;
    int status;
    if (!all.kind_count) return 0;
    if (find_all() != 0) {
        all.hook_count = 0;
        return -1;
    }
    config.tick_hz = ticks_per_second ? (int32_t)ticks_per_second : -1;
    config.watch = -1;
    config.frame_slow_ns = (uint64_t)all.slow_us * 1000;
    config.program = recorder_program();
    if (!bursty_start(&config)) return -1;
    status = hook_all();
    if (status) all.hook_count = 0;
    forget_demangler();
    return status;
}

uint32_t frames_left_out(uint32_t *of) {
    *of = all.named;
    return all.hook_count ? all.left_out : 0;
}

void frames_sandbox(void) {
    if (all.hook_count) bursty_stop();
}

void frames_in_child(void) {
    uint32_t n;
    for (n = 0; n < all.kind_count; n++) {
        frames_kind *k = &all.kinds[n];
        k->ended = 0;
        k->entries = k->within = k->left = k->by_jump = 0;
    }
}

uint32_t frames_kinds(axis_kind *kinds) {
    uint32_t n;
    for (n = 0; n < all.kind_count && all.hook_count; n++) {
        kinds[n].name = all.kinds[n].name;
        kinds[n].count = all.kinds[n].ended;
        kinds[n].limit_us = all.slow_us;
    }
    return n;
}

/* ---- what is said ---- */

static void say(const frames_kind *k, uint64_t number, const char *what) {
    char line[1024];
    if (!number) return;
    snprintf(line, sizeof line, "?%llu %s%.200s%s\n", (unsigned long long)number, what, k->name,
             strchr(what, '(') ? ")" : "");
    handover_line(line);
}

void frames_say(void) {
    char line[1024];
    uint32_t n;
    if (all.hook_count && record.sandboxed)
        handover_line("?the frames end where the program limited its system calls (seccomp)\n");
    for (n = 0; n < all.kind_count && all.hook_count; n++) {
        const frames_kind *k = &all.kinds[n];
        if (!k->entries && !k->within) {
            snprintf(line, sizeof line, "!no frame: nothing called %.200s; a compiler may have put "
                                        "its code into its callers\n", k->name);
            handover_line(line);
        }
        if (k->functions > 1) say(k, k->functions, "functions begin frames of the name ");
        say(k, k->within, "calls within another frame belong to that one (calls of ");
        say(k, k->left, "frames were left by longjmp or an exception, and went on until the "
                        "thread's next one (frames of ");
        say(k, k->by_jump, "frames end where the function goes on into another one by a jump, which "
                           "is not in them: name that one (frames of ");
    }
}
