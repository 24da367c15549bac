/* samples.h - parts of kind 24: which samples the dumps are (docs/formats.md). */
#ifndef KINDS_SAMPLES_H
#define KINDS_SAMPLES_H
#include "base/kind.h"

enum { SAMPLE_NO_SEED, SAMPLE_GIVEN, SAMPLE_DRAWN,
       SAMPLE_BY_LOOKS }; /* of looks from outside: no seed makes it again */

typedef struct sample {
    uint32_t seed, how, again, build;
    char *program;
} sample;

typedef struct samples {
    sample *at;
    size_t count, sorted; /* the first so many are in order, each once */
} samples;

extern const part_kind kind_samples;

/* Adds a part for a program that was looked at from outside, so that its build is
   known. image: the first bytes of its file. */
void samples_write_looks(const char *program, const unsigned char *image, size_t size, text *out);

/* The build of each program. A function without a name is called
   PROGRAM+0xOFFSET, and only in one build of the program that is a function. */
typedef struct sample_build {
    const char *program;
    uint32_t build; /* 0: not known, or there are several */
    int has_several;
} sample_build;

/* By program, to be freed by the caller. Cost: n log n. */
sample_build *samples_builds(const samples *s, size_t *count);
/* That of the program if it is such a name, or NULL. */
const sample_build *samples_build_of(const sample_build *list, size_t count, const char *name);
/* "seed 7 (drawn)". */
void samples_say(const sample *one, text *out);
#endif
