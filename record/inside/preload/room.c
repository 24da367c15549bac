/* room.c - what all rooms of this folder stand on: the state of the recording,
   memory, and the bodies of the products that are nobody's own. It calls none of
   them. */
#define _GNU_SOURCE 1
#define FOOTPRINT_IMPLEMENTATION
#define HOTSTREAM_IMPLEMENTATION
#include "patch.h"
#include <errno.h>
#include <sys/mman.h>

record_state record;

/* Events come in the middle of anything that the program does, malloc too. The
   room near the code belongs to copies. */
void *recorder_memory(size_t bytes) {
    static size_t mapped;
    size_t at;
    int saved = errno;
    void *memory;
    if (record.sandboxed) {
        bytes = (bytes + 63) & ~(size_t)63;
        if (bytes > record.pool_left) return NULL;
        return record.pool + __atomic_sub_fetch(&record.pool_left, bytes, __ATOMIC_RELAXED);
    }
    at = __atomic_fetch_add(&mapped, (bytes | 4095) + 1, __ATOMIC_RELAXED);
    memory = mmap((void *)(at + ((size_t)1 << 45)), bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = saved;
    return memory == MAP_FAILED ? NULL : memory;
}
