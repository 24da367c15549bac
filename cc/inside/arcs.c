/* arcs.c - what `bursty cc --cover` links in the place of libgcov: functions of
   C++, whose counters gcc itself has put in (-fprofile-arcs), join the units of
   edges.c. gcc 11 to 14.

   Each object calls __gcov_init with a gcov_info as the program starts:

       gcov_info   version  stamp  checksum (from 12 on)  file  how many functions
       functions   of each one: key, ident, counters

   `bursty cc` has put a number of the object's notes into the place of `file`.
   An object is a unit, and a function of it has counts of its own, known by that
   number and the function's ident. Of several copies of an inline function the
   linker keeps one; its key says of which object that is, and the units of the
   others leave it out.

   What an activation that never returned has counted is right by itself: each
   call that may not return ends a block, and gcc counts what comes after. So
   nothing walks a stack for C++. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "edges.h"
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* From gcc 14 on there is a kind of counters for conditions. */
#if __GNUC__ >= 14
enum { KINDS = 9 };
#else
enum { KINDS = 8 };
#endif

typedef struct gcov_function {
    const struct gcov_info *key;
    uint32_t ident, line_checksum, graph_checksum;
    struct {
        uint32_t count;
        int64_t *value;
    } arcs;
} gcov_function;

typedef struct gcov_info {
    uint32_t version;
    struct gcov_info *next;
    uint32_t stamp;
#if __GNUC__ >= 12
    uint32_t checksum;
#endif
    const char *file;
    void (*merge[KINDS])(int64_t *, uint32_t);
    uint32_t function_count;
    const gcov_function *const *functions;
} gcov_info;

/* The counters of arcs come first, but only if the object has some. */
static int has_arcs(const gcov_info *info) { return info->merge[0] != NULL; }

static gcov_info *first;
static unsigned infos, gathered; /* objects, and those that have a unit */
static int has_strangers;

HIDDEN void __gcov_init(gcov_info *info);
HIDDEN void __gcov_exit(void);
HIDDEN void __gcov_merge_add(int64_t *counters, uint32_t count);

/* "B22*" is 12.2. Other versions have other fields behind the second one. */
static int is_known(const gcov_info *info) {
    return ((info->version >> 24) - 'A') * 10 + ((info->version >> 16 & 255) - '0') == __GNUC__;
}

/* An object comes once; its `next` is free until then. */
void __gcov_init(gcov_info *info) {
    if (!is_known(info)) {
        has_strangers = 1;
        return;
    }
    if (!has_arcs(info) || info->next || info == first) return;
    info->next = first;
    first = info;
    infos++;
}

/* At the end edges_file.c writes, or exits.c. */
void __gcov_exit(void) {}

/* Its address says which counters an object has. */
void __gcov_merge_add(int64_t *counters, uint32_t count) {
    (void)counters;
    (void)count;
}

/* ---- counters that gcc's plugin has joined ---- */

/* Rows of cc/plugin/gcc_join.h: where a counter is, from here; how many
   counters it stands for; where they are. */
extern const int32_t __start_bursty_joined[] __attribute__((weak)) HIDDEN;
extern const int32_t __stop_bursty_joined[] __attribute__((weak)) HIDDEN;

/* Adds to each counter what those that stand for it have counted since the last
   time. */
static void settle(void) {
    const int32_t *row = __start_bursty_joined, *end = __stop_bursty_joined;
    while (row != end) {
        int64_t *joined = (int64_t *)((char *)(uintptr_t)row + row[0]);
        int64_t more = *(volatile int64_t *)joined - joined[1];
        int32_t count = row[1];
        joined[1] += more;
        for (row += 2; count > 0; count--, row++)
            *(int64_t *)((char *)(uintptr_t)row + row[0]) += more;
    }
}

/* ---- units ---- */

static int is_own(const gcov_info *info, const gcov_function *f) {
    return f && f->key == info && f->arcs.count > 0;
}

/* All that one object needs stands in one piece of memory, which stays. */
typedef struct object {
    edgeprof_unit_node node;
    edgeprof_unit unit;
    char name[64];
} object;

static void name_of(char *name, size_t room, const char *file) {
    size_t i;
    for (i = 0; i + 1 < room && file[i] && file[i] != '/'; i++) name[i] = file[i];
    name[i] = 0;
}

/* Only system calls are used, for a signal's handler may do it. Without memory
   the counts of that object are missing, and a report says that nobody ran
   it. */
static void add_object(const gcov_info *info) {
    uint32_t count = 0, used = 0, i;
    size_t bytes = sizeof(object);
    const edgeprof_function **list;
    edgeprof_function *functions;
    object *o;
    for (i = 0; i < info->function_count; i++) count += is_own(info, info->functions[i]) != 0;
    if (count == 0) return;
    bytes += count * (sizeof *functions + sizeof *list);
    o = (object *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (o == (object *)MAP_FAILED) return;
    functions = (edgeprof_function *)(o + 1);
    list = (const edgeprof_function **)(functions + count);
    name_of(o->name, sizeof o->name, info->file);
    for (i = 0; i < info->function_count; i++) {
        const gcov_function *f = info->functions[i];
        if (!is_own(info, f)) continue;
        functions[used].name = o->name;
        functions[used].file = "";
        functions[used].counters = f->arcs.value;
        functions[used].slots = f->arcs.count;
        functions[used].hash = f->ident;
        functions[used].bits = 64;
        list[used] = &functions[used];
        used++;
    }
    o->unit.functions = list;
    o->unit.count = count;
    o->node.unit = &o->unit;
    edgeprof_unit_add(&o->node);
}

static void gather(void) {
    const gcov_info *info = first;
    unsigned news = infos - gathered;
    gathered = infos;
    for (; news > 0 && info; news--, info = info->next) add_object(info);
}

/* ---- the start, and what libgcov's users call ---- */

__attribute__((constructor(101))) static void start(void) {
    static const char words[] = "coverage: objects of another gcc than that which linked the "
                                "program are not counted\n";
    edgeprof_units_gather = gather;
    edgeprof_units_settle = settle;
    if (has_strangers && write(2, words, sizeof words - 1) < 0) return;
}

extern int bursty_cover_write(void) __attribute__((weak)) HIDDEN;
HIDDEN void __gcov_dump(void);
HIDDEN void __gcov_reset(void);
HIDDEN void __gcov_flush(void);
void __gcov_dump(void) {
    if (bursty_cover_write) bursty_cover_write();
}
void __gcov_reset(void) { edgeprof_units_reset(); }
void __gcov_flush(void) { __gcov_dump(); }

/* ---- calls that gcc leads to libgcov ---- */

/* `bursty cc` asks it not to (-fno-builtin-fork), but a precompiled header has these functions
   as they were when it was made. */
HIDDEN pid_t __gcov_fork(void);
HIDDEN int __gcov_execv(const char *path, char *const *words);
HIDDEN int __gcov_execvp(const char *name, char *const *words);
HIDDEN int __gcov_execve(const char *path, char *const *words, char *const *environment);
HIDDEN int __gcov_execl(const char *path, char *first, ...);
HIDDEN int __gcov_execlp(const char *name, char *first, ...);
HIDDEN int __gcov_execle(const char *path, char *first, ...);

pid_t __gcov_fork(void) { return fork(); }
int __gcov_execv(const char *path, char *const *words) { return execv(path, words); }
int __gcov_execvp(const char *name, char *const *words) { return execvp(name, words); }
int __gcov_execve(const char *path, char *const *words, char *const *environment) {
    return execve(path, words, environment);
}

/* The words from first on as a list, with the NULL behind them. */
#define LIST(first, list, taken) \
    va_list counted, taken; \
    size_t count = 1, i; \
    char **list; \
    va_start(counted, first); \
    va_copy(taken, counted); \
    while (va_arg(counted, char *) != NULL) count++; \
    va_end(counted); \
    list = (char **)__builtin_alloca((count + 1) * sizeof *list); \
    list[0] = first; \
    for (i = 1; i <= count; i++) list[i] = va_arg(taken, char *)

int __gcov_execl(const char *path, char *first, ...) {
    LIST(first, list, taken);
    va_end(taken);
    return execv(path, list);
}
int __gcov_execlp(const char *name, char *first, ...) {
    LIST(first, list, taken);
    va_end(taken);
    return execvp(name, list);
}
int __gcov_execle(const char *path, char *first, ...) {
    char **environment;
    LIST(first, list, taken);
    environment = va_arg(taken, char **);
    va_end(taken);
    return execve(path, list, environment);
}
