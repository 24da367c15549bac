/* cache.h - what was found out about programs, for their next start: for
   patch.c. */
#ifndef CACHE_H
#define CACHE_H
#include <stddef.h>
#include <stdint.h>

/* The folder, and what else the findings depend on. Nothing is remembered
   before this is called. */
void cache_open(const char *folder, uint64_t settings);
/* For x86_config. */
const uint32_t *cache_recall(void *user, const char *path, uint64_t key, size_t *words);
void cache_keep(void *user, const char *path, uint64_t key, const uint32_t *words, size_t count);
/* Behind x86_install: memory is given back, and nothing is remembered any
   more. */
void cache_close(void);
#endif
