/* cache.h - a folder for what may be forgotten: $XDG_CACHE_HOME/bursty or
   ~/.cache/bursty. */
#ifndef CACHE_H
#define CACHE_H
#include <stddef.h>

/* Makes the folder if there is none. Returns 0, or -1: there is no place for
   it, or it belongs to somebody else. */
int cache_folder(char *path, size_t size);
/* Removes its oldest files while they have more than so many bytes, and what
   was left half written. */
void cache_trim(const char *path, unsigned long bytes);
#endif
