/* timer.h - ticks of a timer, for patch.c. */
#ifndef TIMER_H
#define TIMER_H
#include "axis.h"
#include "sampled.h"
#include <pthread.h>

enum { TIMER_THREADS = 1024 };          /* the ticks of so many threads are written */

/* The keys of the functions that are open at an interrupted place, innermost
   first, at most SAMPLED_DEEP. room: TIMER_ROOM bytes of scratch memory, for
   the stack may be small. Returns how many, or UINT32_MAX: the recorder is at
   work. */
typedef uint32_t (*timer_stack_fn)(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t stack_end,
                                   uint32_t *keys, void *room);
enum { TIMER_ROOM = SAMPLED_DEEP * 16 };
typedef int (*timer_create_fn)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Before timer_begin: ticks are counted by their place in the code, too. */
void timer_want_lines(void);
/* Gets ready, and starts the timer of the first thread, which calls it. Returns
   0, or -1. */
int timer_begin(uint32_t ticks_per_second, timer_stack_fn stack);
/* Called in the handler for n ticks of these functions; or NULL. */
extern void (*timer_ticked)(const uint32_t *keys, uint32_t count, uint32_t n);
/* Starts the timer of the calling thread, if it has none. stack_end 0: not
   known. */
void timer_thread(uint64_t stack_end);
/* pthread_create for threads with a timer. */
int timer_create_thread(timer_create_fn create, pthread_t *thread, const pthread_attr_t *attributes,
                        void *(*run)(void *), void *argument);
/* In the child of a fork that is recorded: it begins with no ticks. */
void timer_in_child(void);
/* No more ticks. The first call asks for the CPU time and for names of threads; beyond
   that there is no system call, unless `timers`: then the timers are deleted, too. */
void timer_stop(int timers);
/* Tells of the ticks of each path, by the key of its innermost function. */
void timer_each(void (*each)(void *user, uint32_t key, uint64_t ticks), void *user);
/* Writes a part of kind 18, if there was a timer and lines are wanted. place:
   lines_about of lines.h. Returns 0, or -1. */
int timer_write_lines(const sampled_profile *about, 
                      const char *(*place)(void *user, uint32_t key, uint64_t pc),
                      int (*write)(void *, const void *, size_t), void *user);
/* Writes a part of kind 26, if axis_begin was called. Returns 0, or -1. */
int timer_write_axis(const sampled_profile *about, const axis_kind *kinds,
                     uint32_t kind_count, int (*write)(void *, const void *, size_t),
                     void *user);
/* Which of the threads there the calling one is; UINT32_MAX: none. */
uint32_t timer_number(void);
/* Writes a part, if there was a timer. Returns 0, or -1. */
int timer_write(const sampled_profile *about, int (*write)(void *, const void *, size_t),
                void *user);
#endif
