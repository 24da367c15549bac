/* edges.h - units: the functions of many objects that are linked together,
   found without a list.

   A unit is what one object has for edgeprof.h: its functions. EDGEPROF_UNIT
   stands once in the source, behind EP_FUNC:

       EP_FUNC(parse);
       EP_FUNC(print);
       EDGEPROF_UNIT(EP_REF(parse), EP_REF(print));

   Link cc/inside/edges.c once. edgeprof_units_write writes all units. On a
   machine with files, link cc/inside/edges_file.c too: at exit it adds them to
   coverage.brst, or to the file that the environment names BURSTY_COVERAGE, so
   that many runs add up. Delete the file to begin anew. With BURSTY_TEST=name
   in the environment the counts are those of that test.

   Where objects are ELF files, a unit is a pointer in the section bursty_units,
   and the linker tells where the section begins and ends: no constructor runs,
   and nothing is in RAM. Elsewhere a constructor adds it. All names are hidden:
   a shared library with units links these files too and writes its own. */
#ifndef BURSTY_RECORD_EDGES_H
#define BURSTY_RECORD_EDGES_H
#include "edgeprof.h"

#if (defined(__GNUC__) || defined(__clang__)) && !defined(_WIN32)
#define EDGEPROF_UNIT_API extern __attribute__((visibility("hidden")))
#else
#define EDGEPROF_UNIT_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct edgeprof_unit {
    const edgeprof_function *const *functions; /* one may be NULL, as with EDGEPROF_OFF */
    uint32_t count;
    const unsigned char *part; /* a whole part of kind 4 with the tables of functions, or NULL */
    size_t part_bytes;
} edgeprof_unit;

/* Where a unit is added by a call. */
typedef struct edgeprof_unit_node {
    const edgeprof_unit *unit;
    struct edgeprof_unit_node *next;
} edgeprof_unit_node;

/* Adds a unit. Call it once for each, before the program ends and when no other
   thread does. */
EDGEPROF_UNIT_API void edgeprof_unit_add(edgeprof_unit_node *node);

/* What `bursty cc --cover` compiles has no tables in the program: they stand in
   the section .bursty.cover of its objects and of the linked program, which
   nobody loads, as parts of a dump. `bursty report DUMP PROGRAM` reads them
   there.

   For each unit, writes its part as it is, if it has one, then a part with its
   functions: counts, and tables of those that have any. Returns 0, or -1 if a
   write failed. */
EDGEPROF_UNIT_API int edgeprof_units_write(edgeprof_write_fn write, void *user);

/* Appends all of it to the file of coverage (edges_file.c). Returns 0, or -1
   after a message. */
EDGEPROF_UNIT_API int edgeprof_units_append(void);

/* END_CUT of report/kinds/ends.h. */
#define EDGEPROF_UNIT_CUT 26
/* Writes a part of kind 7: a signal ended the run in the middle of a function. */
EDGEPROF_UNIT_API int edgeprof_units_write_cut(edgeprof_write_fn write, void *user);

/* The same for one unit, as the run of a test (NULL: of none). with_part: 0
   leaves its part out. */
EDGEPROF_UNIT_API int edgeprof_unit_write(const edgeprof_unit *unit, int with_part,
                                          const char *test, edgeprof_write_fn write, void *user);

/* The unit of that number, from 0 on; NULL behind the last. */
EDGEPROF_UNIT_API const edgeprof_unit *edgeprof_units_at(uint32_t number);

/* Adds units for objects that have come since the last call; NULL unless arcs.c
   is there. A weak function would do, but gold and clang do not agree on what
   one is that nobody defines. */
EDGEPROF_UNIT_API void (*edgeprof_units_gather)(void);

/* Counters that stand for others are added to them; to be called before counts
   are read or set to 0. NULL unless arcs.c is there. */
EDGEPROF_UNIT_API void (*edgeprof_units_settle)(void);

/* The key that tables of a unit begin with: of the object, if arcs.c has found
   it, which gives its functions a file and no graph; else that of the first
   function. */
EDGEPROF_UNIT_API uint64_t edgeprof_unit_table(const edgeprof_unit *unit);

/* What says that counts are of this build of a function. */
EDGEPROF_UNIT_API uint64_t edgeprof_unit_key(const edgeprof_function *f);

/* Counts what runs in the calling thread as ended where it stands (by 1), or
   takes that back (-1). */
EDGEPROF_UNIT_API void edgeprof_units_running(int by);

/* Sets all counters of all units to 0. */
EDGEPROF_UNIT_API void edgeprof_units_reset(void);

/* Returns how many units there are. */
EDGEPROF_UNIT_API uint32_t edgeprof_units_count(void);

/* Activations that longjmp or exit may end, as EP_FRAME and the others of
   edgeprof.h, in a chain of the calling thread that stands in edges.c. They are
   there if edges.c was compiled with EDGEPROF_UNIT_FRAMES, which is how many a
   thread has room for. edgeprof_unit_enter returns the frame for the others.
   edgeprof_units_write counts what runs in the calling thread as ended where it
   stands. */
EDGEPROF_UNIT_API uint32_t edgeprof_unit_enter(const edgeprof_function *f);
EDGEPROF_UNIT_API void edgeprof_unit_at(uint32_t frame, uint32_t vertex);
EDGEPROF_UNIT_API void edgeprof_unit_leave(uint32_t frame);
EDGEPROF_UNIT_API void edgeprof_unit_back(uint32_t frame, uint32_t vertex);

#ifdef __cplusplus
}
#endif

#ifdef __ELF__
#define EDGES_P_ADD_UNIT(unit) \
    static const edgeprof_unit *const ep_unit_place \
        __attribute__((used, section("bursty_units"))) = &(unit)
#else
#define EDGES_P_ADD_UNIT(unit) \
    static edgeprof_unit_node ep_unit_node = {&(unit), NULL}; \
    __attribute__((constructor)) static void ep_unit_start(void) { \
        edgeprof_unit_add(&ep_unit_node); \
    } \
    typedef int ep_unit_is_added
#endif

/* The functions of this file: one or more EP_REF. */
#define EDGEPROF_UNIT(...) \
    static const edgeprof_function *const ep_unit_functions[] = {__VA_ARGS__}; \
    static const edgeprof_unit ep_unit = { \
        ep_unit_functions, sizeof ep_unit_functions / sizeof *ep_unit_functions, NULL, 0}; \
    EDGES_P_ADD_UNIT(ep_unit)
#endif
