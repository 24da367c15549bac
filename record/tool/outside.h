/* outside.h - what the files of this folder share: they look at processes by the
   kernel's events, for attach.c.

       events.c      rings of the kernel  ->  records, in the order of their time
       processes.c   forks, exec, mappings, files: what lies where in which process
       stacks.c      the callers of a place
       names.c       places  ->  names
       looks.c       threads, and the looks at them
       periods.c     when they come, and what they are worth
       ticks.c       looks  ->  ticks, and the dump
       moments.c     ticks  ->  a log of them in time
       waits.c       when threads left a processor, and came back
       sampled.c, lines.c   the recorder's own writers

   A *look* is what the kernel saw of a thread at the end of a period: a place
   and its callers. A *place* is an address in one mapping, so that code which
   comes where other code had been is another place. All of them are known by
   numbers from 1 on. */
#ifndef OUTSIDE_H
#define OUTSIDE_H

/* The kernel's headers need not be there beside another C library's. */
#if defined(__linux__) && defined(__x86_64__) && defined(__GNUC__) && !defined(__TINYC__)
#if !defined(__has_include)
#define CAN_ATTACH
#elif __has_include(<linux/perf_event.h>)
#define CAN_ATTACH
#endif
#endif

#include "record/tool/attach.h" /* elsewhere these files hold nothing else */

#ifdef CAN_ATTACH
#include "base/elf.h"
#include "base/hash.h"
#include "base/symbols.h"
#include "base/unwind.h"
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#define SAMPLED_PATHS_BITS 15
#include "record/inside/core/sampled.h"

/* ---- outside.c ---- */

typedef struct events_beside {      /* others, whose records stand in the same queue: */
    void (*read)(void);             /* brings them there, */
    void (*take)(const uint64_t *words, size_t count); /* and gets them back in order */
    int (*join)(void);              /* as events_join and events_stop */
    void (*stop)(void);
} events_beside;

typedef struct events_state {
    int is_started;                 /* by us, and the events begin with its exec */
    int follows;                    /* children are asked for, too */
    int is_shown;                   /* looks are taken at once, and nobody asks for threads */
    int no_kernel;
    unsigned stack_bytes;           /* that come with a look; 0: no callers are wanted, or had */
    uint64_t period;                /* ns between two looks */
    unsigned count;                 /* of all threads on all CPUs; */
    unsigned of_thread;             /* and of one */
    uint64_t begun, ended;          /* processes that it started, and those of them that are over */
    int has_clock;                  /* records have the time of CLOCK_MONOTONIC, in ns: */
    uint64_t zero_ns, last_ns;      /* of the exec or our beginning; of the latest record */
    const events_beside *beside;    /* NULL: none */
} events_state;
extern events_state events;
uint64_t events_now_ns(void);
/* From 0 up to 1, by chance. */
double events_draw(void);

/* ---- attach.c ---- */

/* Reads for a twentieth of a second. To be called again at once, or looks are lost. */
void attach_look(void);
/* SIGINT and SIGTERM: has one of them come? */
void attach_catch_signals(void);
int attach_is_stopped(void);
/* Says why a process cannot be looked at. Returns a TOOL_ status. */
int attach_refuse(long pid, int why);
int attach_is_alive(uint32_t number);

/* ---- processes.c ---- */

typedef struct image {              /* a file, or the code of none */
    elf_file elf;
    int file;                       /* stays open: its path may come to mean another one; -1: none */
    int has_file;                   /* and its names have not been read */
    int64_t bytes, time_ns;         /* of the file, when it was opened */
    int is_changed;                 /* it was written to meanwhile */
    int is_go;                      /* frames are found by rbp */
    uint64_t stubs[4][2];           /* offset, size of the sections that only jump on */
    unsigned stub_count;
    unwind_file unwind;
    char *path;
    char root[64];                  /* of the process that had it first */
    uint64_t inode;                 /* 0: not known */
    symbols names;
    uint64_t loads[16][3];          /* offset, size, address */
    unsigned load_count;
    uint32_t rest, bare;            /* the keys of what no function holds */
} image;

typedef struct mapping {
    uint64_t lo, hi, offset;
    uint32_t image;
} mapping;

typedef struct process {            /* as one program, unless nobody asks for each of them */
    uint32_t pid;
    uint32_t before;                /* the number of the program that it was before; 0: none */
    uid_t owner;
    char program[256];
    uint32_t *mappings;             /* numbers, the newest last */
    size_t mapping_count, mapping_room;
    uint32_t generation;            /* of these */
    image *made;                    /* code of no file */
    int memory;                     /* /proc/PID/mem; -1: not open, -2: not to be had */
    int is_over, wants_name;
    int is_ours;                    /* the rest is written by who goes on when the program ends */
} process;

process *process_at(uint32_t number);
uint32_t process_count(void);
/* The latest one of that pid; 0: nobody asks for it. */
uint32_t process_of(uint32_t pid);
uint32_t process_add(uint32_t pid);
/* Its name and owner as the system has them now. Returns 0 if there is no such
   process. */
int process_read(uint32_t number);
/* Is that the name of the file that runs, or the one that the process has given
   itself, of 15 bytes at most? */
int process_is_called(uint32_t pid, const char *name);
void process_read_mappings(uint32_t number);
/* The number of the mapping of a process's address; 0: there is none. */
uint32_t process_mapping(uint32_t number, uint64_t address);
const mapping *mapping_get(uint32_t number);
image *image_get(uint32_t number);
/* A file is about to be mapped, and may be gone soon: it is opened. */
void image_expect(uint32_t pid, uint64_t lo, uint64_t size, uint64_t inode, const char *path);
/* The address of a place as its file counts. Returns 0, or -1. */
int mapping_address(const mapping *m, uint64_t pc, uint64_t *address);
int image_is_made(const image *m);
/* Does its path still mean the file that ran? */
int image_is_there(const image *m);
/* Was the file itself written to or cut since it was opened? */
int image_is_changed(const image *m);
/* How many there are. */
uint32_t image_count(void);
/* So many of an image's bytes at an address; NULL: they are not there. */
const unsigned char *image_bytes(const image *m, uint64_t address, size_t size);

/* Records of the kernel. `time` is given for those that begin something. */
void process_maps(uint32_t pid, uint64_t lo, uint64_t size, uint64_t offset, uint64_t inode,
                  const char *path);
void process_forks(uint32_t parent, uint32_t pid);
void process_becomes(uint32_t pid, const char *name);
void process_ends(uint32_t pid);

/* ---- stacks.c ---- */

enum { KERNEL_MAPPING = 0x7FFFFFFF };
/* In the kernel: where it goes back to the program. */
enum { KERNEL_LEAVES = 1 };
/* The number of a place. mapping 0: no code is known there. */
uint32_t place_of(uint64_t pc, uint32_t mapping);

typedef struct place {
    uint64_t pc, function;          /* function: equal for places of one */
    uint32_t mapping, key;
} place;
const place *place_get(uint32_t number);
void place_set_key(uint32_t number, uint32_t key);
/* Is it in code of no file? */
int place_is_made(uint32_t number);

typedef struct caller {
    uint32_t place, around;         /* place 0: nobody knows who is there */
} caller;
const caller *caller_get(uint32_t number);

typedef struct registers {
    uint64_t ip, sp, bp;
} registers;

typedef struct stack {              /* of a look */
    uint32_t place, callers;        /* numbers; 0: not known, none */
    int is_cut;
} stack;

/* The stack of a process's thread. words: its piece from sp on. */
stack stack_walk(uint32_t process, uint32_t thread, const registers *at, const uint64_t *words,
                 uint64_t bytes);
/* Has the thread done nothing since the kernel came back from a call? The kernel
   lets no timer in while it leaves, and a look that was due there comes here. */
int stack_is_back(uint32_t process, uint64_t ip, uint64_t cx);
/* A stack of one place. */
stack stack_unknown(uint32_t process, uint64_t pc);
/* A walk will come to that address, and the process may end before. */
void stack_expect(uint32_t process, uint64_t address);
/* What was read of processes' memory may have changed. */
void stack_renew(void);

/* ---- looks.c ---- */

typedef struct look {
    uint32_t place, callers;        /* 0: not known; none */
    uint32_t thread;                /* the number of its thread_time */
    uint32_t kernel;                /* the place where the kernel was; 0: it was not at work */
    uint64_t ns;                    /* when, as records have it */
    float worth;                    /* so much CPU time (ns) */
    uint32_t period;                /* of its timer (ns), if that was made with the thread; or 0 */
} look;

typedef struct thread_time {
    uint32_t thread, process;       /* process 0: a child that nobody asks for */
    uint32_t before;                /* the same thread, when it was another program; 0: none */
    unsigned ends;                  /* CPUs whose event has said that the thread is over */
    uint64_t ns;                    /* what these events said */
    double seen_ns;                 /* what the looks at it are worth */
    uint64_t born_ns;               /* 0: not known, or before us */
    uint64_t last_ns;               /* when it was heard of last */
    char name[16];                  /* that it was given; "": none */
} thread_time;

/* The number of a thread that has not ended. Numbers of ended ones come back. */
uint32_t thread_of(uint32_t pid, uint32_t thread);
void thread_begins(uint32_t pid, uint32_t thread, uint64_t ns);
thread_time *thread_get(uint32_t number);
uint32_t thread_count(void);

typedef struct looks {
    look *at;
    size_t count, room;
    uint32_t one_of, skipped;       /* of so many looks one is kept, for there is no more room */
    uint64_t lost, cut;             /* cut: those of which outer callers are missing */
    double children_ns;             /* what those at children that nobody asks for are worth */
    uint64_t nameless;              /* looks in functions that have no symbol, */
    const image *nameless_in;       /* and where most of them are */
} looks;
extern looks looks_taken;

void looks_add(const look *l);

/* ---- ticks.c ---- */

/* Ticks are drawn from the looks, and each process has its file: all processes,
   or those that are ours, or the others. Returns a TOOL_ status. */
enum { TICKS_OF_OTHERS, TICKS_OF_OURS, TICKS_OF_ALL };
int ticks_write_drawn(const attach_options *o, const char *program, int whose);
/* Fills in nameless and nameless_in of looks_taken. */
void ticks_find_nameless(void);
/* CPU time of children that nobody asks for, and of the others, once ticks are
   drawn. */
void ticks_children(double *theirs_ms, double *own_ms);

/* ---- periods.c ---- */

/* A timer of the kernel had counted so much when its thread ended. */
void periods_ended(uint64_t ns);
/* Are periods of another kind wanted from now on? */
int periods_change(void);
/* Do they have to be renewed often? */
int periods_are_drawn(void);
/* The next period of the event with that number. */
uint64_t periods_next(unsigned n);
/* What a look of a timer is worth. own: the number of the event, if it is one of
   ours; UINT_MAX: the timer was made with a thread. */
double periods_worth(uint64_t id, unsigned own, uint64_t period, uint64_t ns);
/* So short that looks at others stand for it, and seen by such periods; so short
   that no look could see where it was. */
int periods_is_short(const thread_time *t);
int periods_is_too_short(const thread_time *t);
/* Is that so much that its looks speak for themselves? */
int periods_are_many(double ns);
/* An event has another number now; or, if that is its own, none any more. */
void periods_move(unsigned from, unsigned to);
/* Was a timer's period drawn for short threads, so that those which began with the
   same one are seen at the same ages? */
int periods_are_of_short(uint32_t period);

/* ---- moments.c ---- */

/* A file's log begins: at most so many ticks; 0: there is none. */
void moments_begin(uint32_t most);
/* A tick on that path of the ticks that are written; 0: none, and it is left
   out. */
void moments_add(uint64_t ns, uint32_t thread, uint32_t path);
/* Writes the part, if there is anything in it. path: that of a place among these
   ticks, which gets no tick; 0: there is no room. */
void moments_write(const attach_options *o, uint32_t process, const sampled_profile *about,
                   const sampled_ticks *ticks, uint32_t (*path)(uint32_t place, uint32_t callers),
                   text *out);

/* ---- waits.c ---- */

typedef struct waited {
    uint64_t from_ns, ns;
    uint32_t thread, place, callers; /* place 0: not known */
} waited;

/* Watches the threads of a process, whose looks have begun, and those that they
   start. If that cannot be, all of the time is unseen. */
void waits_open(long pid);
/* The longest ones of a process, when all is over. Returns how many there are; left
   and left_ns: those that are not among them. */
size_t waits_of(uint32_t process, waited *to, size_t most, uint64_t *left, uint64_t *left_ns);
/* Time in which nobody could see waits. */
uint64_t waits_unseen_ns(void);

/* ---- names.c ---- */

uint32_t name_key(const char *name);
const char *name_get(uint32_t key);
/* "file<tab>address<tab>build id" of a function; NULL: not known. */
const char *name_place(uint32_t key);
/* The file of a function that has no symbol; NULL: it has one. */
const image *name_nameless(uint32_t key);
/* 0: the place is in no code that is known. */
uint32_t name_of_place(uint32_t place);
/* The same of a place in the file. */
const char *name_place_at(uint32_t place);
void name_read_perf_map(uint32_t process);

/* ---- events.c ---- */

/* Opens the events of all threads of a process, and of those that they start. Returns
   0 or errno. */
int events_open(long pid, unsigned looks, int with_callers);
/* The same of one more process, once the first one is open. */
int events_open_more(long pid);
/* Takes what the rings have. is_last: up to now, else up to the last call. */
void events_read(int is_last);
void events_stop(void);
/* In a child of ours, which goes on where we were. Returns 0 or -1. */
int events_join(void);
/* Have all threads ended? */
int events_are_over(void);
/* The period becomes another one that no program can know, on some CPUs in turn or
   on all. */
void events_renew_periods(int of_all);
/* No thread has a timer of another one's any more. */
void events_set_apart(void);
/* CPU time of all threads, of those that ended, too. */
uint64_t events_ns(void);
struct perf_event_attr;
struct perf_event_mmap_page;
/* Samples have a place and so many bytes of the stack. */
void events_fill_sample(struct perf_event_attr *a, unsigned stack_bytes);
/* The stack of such a sample, of a thread of that process. */
stack events_walk(const uint64_t *words, size_t count, uint32_t process);
/* To the queue, in which records wait; those of is_beside are taken by the
   events beside. The second returns how many there were. */
void events_add_record(const uint64_t *words, size_t count, int is_beside);
size_t events_read_ring(struct perf_event_mmap_page *ring, size_t bytes, int is_beside);
#endif
#endif
