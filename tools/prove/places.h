/* places.h - instructions in a recording get file and line. */
#ifndef PROVE_PLACES_H
#define PROVE_PLACES_H
#include "base/text.h"

/* The same dump, with FILE:LINE where the recorder named an address in an ELF
   file of this machine. Returns 0, or -1: it is no whole dump. */
int places_name(const unsigned char *data, size_t size, text *out);
#endif
