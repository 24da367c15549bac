/* stdlib.h - see stdio.h; the compiler's own headers of vector instructions ask
   for it. */
#ifndef SYSTEM_STDLIB_H
#define SYSTEM_STDLIB_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *malloc(size_t size);
void free(void *memory);
int posix_memalign(void **memory, size_t alignment, size_t size);
#ifdef __cplusplus
}
#endif
#endif
