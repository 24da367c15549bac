/* deflate.h - makes bytes smaller, as RFC 1951 says ("raw deflate"), and writes
   bytes as base64: so that a page carries large columns, and any browser can
   open them. */
#ifndef DEFLATE_H
#define DEFLATE_H
#include "base/text.h"

/* Adds `size` bytes, deflated. Takes some 800 KiB of memory, whatever the
   size. */
void deflate_bytes(text *out, const unsigned char *bytes, size_t size);
/* Adds them in base64, with `=` at the end. */
void deflate_base64(text *out, const unsigned char *bytes, size_t size);
#endif
