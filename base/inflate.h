/* inflate.h - makes deflated bytes whole again, as RFC 1950 and 1951 say: the
   compressed sections of ELF files (-gz). */
#ifndef INFLATE_H
#define INFLATE_H
#include <stddef.h>

/* Fills out[0..size) from a zlib stream of exactly so many bytes. Returns 0, or
   -1: it is damaged, or of another length. Its sum is not checked: what is read
   of it is looked at like any file of a stranger. */
int inflate_zlib(const unsigned char *data, size_t data_size, unsigned char *out, size_t size);
#endif
