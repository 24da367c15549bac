/* samples.h - parts of kind 24: which samples the dumps are (docs/formats.md). */
#ifndef KINDS_SAMPLES_H
#define KINDS_SAMPLES_H
#include "base/kind.h"

enum { SAMPLE_NO_SEED, SAMPLE_GIVEN, SAMPLE_DRAWN };

typedef struct sample {
    uint32_t seed, how, again, build;
    char *program;
} sample;

typedef struct samples {
    sample *at;
    size_t count, sorted; /* the first so many are in order, each once */
} samples;

extern const part_kind kind_samples;

/* Is a file that has these parts a repetition: are all samples that it is made
   of known already? Then *one is one of them, to be freed with its program. */
int samples_have(const samples *s, const dump *d, sample *one);
/* "seed 7 (drawn)". */
void samples_say(const sample *one, text *out);
#endif
