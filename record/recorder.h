/* recorder.h - what the files of this folder share: the furniture of a recorder that runs inside a
   program. Linux, gcc or clang.

       instrument.c   hooks of -finstrument-functions
       patch.c        the library that `bursty record` preloads: events of binpatch.h
       frames.c       frame addresses: finds calls that longjmp or an exception left
       threads.c      a tree for each thread; threads that end, fork
       names.c        keys of functions; names from the symbol tables of the mapped files
       dump.c         writes all trees into a file at exit

   A program has instrument.c or patch.c, and the other four. These two provide recorder_memory,
   recorder_at_exit and recorder_wants_child. */
#ifndef RECORDER_H
#define RECORDER_H
#include "hcct.h"
#include <stddef.h>
#include <stdint.h>

#ifndef RECORDER_CONTEXTS
#define RECORDER_CONTEXTS 20000 /* contexts that a thread's tree has room for */
#endif
#ifndef RECORDER_DEPTH
#define RECORDER_DEPTH 4096 /* open calls of a thread whose frames are known */
#endif
#ifndef RECORDER_FUNCTIONS
#define RECORDER_FUNCTIONS 65536 /* functions that can be told apart, about 3/4 of it */
#endif

/* The recorder must not record itself, even if it is compiled like the program. */
#define RECORDER_HOOK __attribute__((no_instrument_function))

/* instrument.c, patch.c */

/* Returns zeroed memory that is never given back, or NULL. */
void *recorder_memory(size_t bytes);
/* The process ends. */
void recorder_at_exit(void);

/* An open call. */
typedef struct recorder_frame {
    uintptr_t address;
    const void *site, *from; /* where it was called, and where it called the hook */
    uint32_t key;
    hcct_place before; /* the tree's position without it */
} recorder_frame;

typedef struct recorder_thread {
    hcct tree;
    struct recorder_thread *next;
    size_t bytes;                       /* of the tree's memory, which stands behind */
    int busy;                           /* inside a hook: nobody else may look at the tree */
    int in_use;                         /* by a thread that runs; else the next new thread takes it */
    uint64_t frames_full;               /* calls beyond RECORDER_DEPTH */
    void *references;                   /* patch.c: a footprint of the thread's references, or NULL */
    uint32_t frame_count;
    recorder_frame frames[RECORDER_DEPTH];
} recorder_thread;

/* threads.c */

/* In the child of a fork. Returns whether the child is recorded too. Its trees are emptied then; who
   keeps more in the records (by `next`) empties that here. instrument.c, patch.c. */
int recorder_wants_child(recorder_thread *all);
/* Returns the calling thread's record, or NULL: do nothing. recorder_end must follow, soon. */
recorder_thread *recorder_begin(void);
void recorder_end(recorder_thread *r);
/* Stops recording for good and waits for threads that are inside a hook. Returns the records, by
   `next`, and how many threads had none for lack of memory. */
recorder_thread *recorder_stop(uint32_t *without_memory);
/* Whether this process is a fork of one that recorded. */
int recorder_is_child(void);

/* frames.c */
/* weight: 1 counts the call; 0 only goes there, for a call that was open before recording began. */
void recorder_enter(recorder_thread *r, uint32_t key, uint64_t weight, uintptr_t frame,
                    const void *site, const void *from);
void recorder_leave(recorder_thread *r, uint32_t key, uintptr_t frame);
/* Closes all calls. */
void recorder_leave_all(recorder_thread *r);
/* The tree was emptied: the open calls are in it again, without weight. */
void recorder_reopen(recorder_thread *r);

/* names.c */

/* The key of a function; RECORDER_FUNCTIONS + 1 stands for all that the table has no room for. */
uint32_t recorder_key(void *function);
/* Looks all names up. Returns how many had no memory. */
uint32_t recorder_find_names(void);
const char *recorder_name(void *user, uint32_t key);

/* dump.c */

/* Writes the trees as parts into a new file, and then whatever `more` writes (NULL: nothing).
   Returns 0, or -1 with errno. */
int recorder_write(const recorder_thread *all, const char *path,
                   int (*more)(hcct_write_fn write, void *user));
/* Stops, and writes into the file that the environment names. */
void recorder_dump(void);
#endif
