/* hooks.c - the library that `bursty record --misses` preloads before the
   recorder: it tells record/inside/preload/objects.c of each block of the heap, and
   hands all calls on to the malloc that the program would have had. Other
   recordings do without it, so that their programs keep their malloc. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* In the recorder; NULL in a process without it. */
extern void bursty_allocated(const void *block, uint64_t bytes, const void *back,
                             const void *stack, const void *frame) __attribute__((weak));
extern void bursty_freed(const void *block) __attribute__((weak));
extern void bursty_kept(const void *block) __attribute__((weak));

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void (*next_free)(void *);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);
static void *(*next_memalign)(size_t, size_t);

static void find(void *to, const char *name) {
    void *real = dlsym(RTLD_NEXT, name);
    memcpy(to, &real, sizeof real);
}

/* The loader may ask for memory while it looks the real functions up. */
static char early[1 << 16] __attribute__((aligned(16)));
static size_t early_used;
static int finding;

static void *early_memory(size_t bytes) {
    size_t at = early_used;
    if (bytes > sizeof early - 16 || ((bytes + 31) & ~(size_t)15) > sizeof early - at) return NULL;
    memcpy(early + at, &bytes, sizeof bytes);
    early_used += (bytes + 31) & ~(size_t)15;
    return early + at + 16;
}

static int is_early(const void *block) {
    return (const char *)block >= early && (const char *)block < early + sizeof early;
}

__attribute__((constructor)) static void find_all(void) {
    if (next_free || finding) return;
    finding = 1;
    find(&next_malloc, "malloc");
    find(&next_calloc, "calloc");
    find(&next_realloc, "realloc");
    find(&next_posix_memalign, "posix_memalign");
    find(&next_aligned_alloc, "aligned_alloc");
    find(&next_memalign, "memalign");
    find(&next_free, "free");
    finding = 0;
}

/* The caller's registers: its frame pointer is pushed right below the return
   address. Nothing here changes errno. */
#define TELL(block_, bytes_) \
    do { \
        void *const *frame_ = (void *const *)__builtin_frame_address(0); \
        int saved_ = errno; \
        if ((block_) && bursty_allocated) \
            bursty_allocated(block_, bytes_, frame_[1], frame_ + 2, frame_[0]); \
        errno = saved_; \
    } while (0)

static void forget(const void *block) {
    int saved = errno;
    if (block && bursty_freed) bursty_freed(block);
    errno = saved;
}

/* A block whose size could not be changed is where it was. */
static void keep(const void *block) {
    int saved = errno;
    if (block && bursty_kept) bursty_kept(block);
    errno = saved;
}

EXPORTED void *malloc(size_t bytes) {
    void *block;
    if (!next_malloc) find_all();
    if (!next_malloc) return early_memory(bytes);
    block = next_malloc(bytes);
    TELL(block, bytes);
    return block;
}

EXPORTED void *calloc(size_t count, size_t bytes) {
    void *block;
    if (!next_calloc) find_all();
    if (!next_calloc)
        return bytes && count > SIZE_MAX / bytes ? NULL : early_memory(count * bytes);
    block = next_calloc(count, bytes);
    TELL(block, count * bytes);
    return block;
}

EXPORTED void free(void *block) {
    if (!block || is_early(block)) return;
    if (!next_free) find_all();
    forget(block);
    if (next_free) next_free(block);
}

static void *move_early(void *old, size_t bytes) {
    size_t had;
    void *block = next_malloc ? next_malloc(bytes) : early_memory(bytes);
    memcpy(&had, (const char *)old - 16, sizeof had);
    if (block) memcpy(block, old, had < bytes ? had : bytes);
    return block;
}

EXPORTED void *realloc(void *old, size_t bytes) {
    void *block;
    if (!next_realloc) find_all();
    if (is_early(old)) return move_early(old, bytes);
    if (!next_realloc) return old ? NULL : early_memory(bytes);
    forget(old);
    block = next_realloc(old, bytes);
    if (!block && bytes) keep(old);
    TELL(block, bytes);
    return block;
}

EXPORTED void *reallocarray(void *old, size_t count, size_t bytes) {
    void *block;
    if (bytes && count > SIZE_MAX / bytes) {
        errno = ENOMEM;
        return NULL;
    }
    if (!next_realloc) find_all();
    if (is_early(old)) return move_early(old, count * bytes);
    if (!next_realloc) return old ? NULL : early_memory(count * bytes);
    forget(old);
    block = next_realloc(old, count * bytes);
    if (!block && count && bytes) keep(old);
    TELL(block, count * bytes);
    return block;
}

EXPORTED int posix_memalign(void **out, size_t alignment, size_t bytes) {
    int status;
    if (!next_posix_memalign) find_all();
    if (!next_posix_memalign) return ENOMEM;
    status = next_posix_memalign(out, alignment, bytes);
    if (status == 0) TELL(*out, bytes);
    return status;
}

EXPORTED void *aligned_alloc(size_t alignment, size_t bytes) {
    void *block;
    if (!next_aligned_alloc) find_all();
    if (!next_aligned_alloc) return NULL;
    block = next_aligned_alloc(alignment, bytes);
    TELL(block, bytes);
    return block;
}

EXPORTED void *memalign(size_t alignment, size_t bytes) {
    void *block;
    if (!next_memalign) find_all();
    if (!next_memalign) return NULL;
    block = next_memalign(alignment, bytes);
    TELL(block, bytes);
    return block;
}
