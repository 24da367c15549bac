/* section.h - what `bursty cc` changes in an object that a compiler has
   made. */
#ifndef CC_SECTION_H
#define CC_SECTION_H
#include "base/text.h"

/* Puts the string `name` over the one string in the ELF object's loaded sections
   that begins with `begin`, which must not be shorter. Returns 0; -1: there is
   none, or there are several. */
int cc_section_rename(unsigned char *object, size_t size, const char *begin, const char *name);

/* A copy of the ELF object with one more section, `.bursty.cover`, which nobody
   loads. Returns 0, or -1: it is no such object. */
int cc_section_add(const unsigned char *object, size_t size, const text *section, text *out);
#endif
