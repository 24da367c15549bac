/* frames.h - `bursty record --frames FUNCTION`: calls of a function of the
   program are frames, for patch.c. docs/frames.md says what a frame is. */
#ifndef RECORD_FRAMES_H
#define RECORD_FRAMES_H
#include <stddef.h>
#include <stdint.h>
#include "../core/axis.h"

enum { FRAMES_KINDS = 8 };              /* at most */

/* How many us are slow (0: not known), names of functions, a line each, and
   symbols that stand elsewhere, as options.h has them. */
void frames_take(uint32_t slow_us, const char *lines, const char *symbols);
/* After x86_install: finds the functions and hooks them. Returns 0, or -1
   after lines in the report: a name has no function, or none that can be
   hooked. */
int frames_begin(uint32_t ticks_per_second);
/* How many functions of a pattern cannot be hooked, and of how many. */
uint32_t frames_left_out(uint32_t *of);
/* n ticks of the calling thread, whose open functions have these keys, the
   innermost first. For a signal handler. */
void frames_tick(const uint32_t *keys, uint32_t count, uint32_t n);
/* The program forbids itself system calls: no frame ends from here on. */
void frames_sandbox(void);
/* A child of fork that is recorded counts from zero. */
void frames_in_child(void);
/* Writes a part of kind 8, if a frame began. Returns 0, or -1. */
int frames_write(const char *(*name)(void *user, uint32_t key),
                 int (*write)(void *user, const void *data, size_t size), void *user);
/* Fills in the kinds, for axis_write. Returns how many. */
uint32_t frames_kinds(axis_kind *kinds);
/* What is to be said about them, into the report. */
void frames_say(void);
#endif
