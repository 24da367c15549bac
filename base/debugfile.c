/* debugfile.c - the debug file of an ELF file. The process may be in a container
   of its own, so that its root comes first, and then ours. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "base/debugfile.h"
#include "base/tool.h"
#include <string.h>

#ifdef __linux__
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file may be cut while it is mapped: then a read behind its end is a signal, and
   the rest of the file becomes zeros, which are no symbols. */
static struct {
    struct mapped { uintptr_t at; size_t size; } *list;
    size_t count;
    uintptr_t page;
    int is_set;
} maps;

static void read_zeros(int number, siginfo_t *info, void *context) {
    uintptr_t page = (uintptr_t)info->si_addr & ~(maps.page - 1);
    size_t n;
    (void)context;
    for (n = 0; n < maps.count; n++) {
        const struct mapped *m = &maps.list[n];
        if (page - m->at >= m->size) continue;
        if (mmap((void *)page, m->at + m->size - page, PROT_READ,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
            return;
    }
    signal(number, SIG_DFL);
}

/* Where the signal is ignored it stays so for the program that is started. */
static void note_map(const void *at, size_t size) {
    struct sigaction was, now;
    if ((maps.count & (maps.count - 1)) == 0)
        maps.list = (struct mapped *)tool_grow(maps.list, (maps.count ? 2 * maps.count : 1)
                                                              * sizeof *maps.list);
    maps.list[maps.count].at = (uintptr_t)at;
    maps.list[maps.count++].size = size;
    if (maps.is_set) return;
    maps.is_set = 1;
    maps.page = (uintptr_t)sysconf(_SC_PAGESIZE);
    memset(&now, 0, sizeof now);
    now.sa_sigaction = read_zeros;
    now.sa_flags = SA_SIGINFO;
    if (sigaction(SIGBUS, NULL, &was) == 0 && was.sa_handler == SIG_DFL)
        (void)sigaction(SIGBUS, &now, NULL);
}

const unsigned char *debugfile_map(const char *path, size_t *size) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat s;
    void *data = MAP_FAILED;
    if (file < 0) return NULL;
    if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0) {
        *size = (size_t)s.st_size;
        data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
    if (data == MAP_FAILED) return NULL;
    note_map(data, *size);
    return (const unsigned char *)data;
}

/* The bytes of a section by its name, or NULL. */
static const unsigned char *section(const elf_file *e, const char *name, size_t *size) {
    elf_section s, names;
    dump_fault fault;
    uint64_t n;
    if (elf_get_section(e, e->names_index, &names, &fault) != 0) return NULL;
    if (!elf_holds(e, names.offset, names.size)) return NULL;
    for (n = 0; n < e->section_count; n++) {
        if (elf_get_section(e, n, &s, &fault) != 0) return NULL;
        if (s.type == ELF_NO_BYTES || !elf_name_is(e, &names, s.name, name)) continue;
        if (!elf_holds(e, s.offset, s.size)) return NULL;
        *size = (size_t)s.size;
        return e->data + s.offset;
    }
    return NULL;
}

/* Three words, "GNU" and a zero, the id. */
const unsigned char *debugfile_id(const elf_file *e, size_t *size) {
    const unsigned char *note = section(e, ".note.gnu.build-id", size);
    if (!note || *size < 17 || *size > 80) return NULL;
    *size -= 16;
    return note + 16;
}

static int open_debug(const char *root, const char *path, const elf_file *of, elf_file *debug) {
    char whole[9400];
    size_t size, its_size, our_size;
    const unsigned char *data, *its, *ours;
    dump_fault fault;
    snprintf(whole, sizeof whole, "%s%s", root, path);
    data = debugfile_map(whole, &size);
    if (!data) return -1;
    if (elf_is(data, size) && elf_begin(debug, data, size, &fault) == 0
        && elf_find_sections(debug, &fault) == 0) {
        its = debugfile_id(debug, &its_size);
        ours = debugfile_id(of, &our_size);
        if (!its || !ours || (its_size == our_size && !memcmp(its, ours, our_size))) return 0;
    }
    munmap((void *)(uintptr_t)data, size);
    return -1;
}

/* In the process's root, then in ours. */
static int find(const char *root, const char *path, const elf_file *of, elf_file *debug) {
    if (*root && open_debug(root, path, of, debug) == 0) return 0;
    return open_debug("", path, of, debug);
}

int debugfile_find(const elf_file *e, const char *path, const char *root, elf_file *debug) {
    static const char *const before[] = {"", "", "/usr/lib/debug"};
    static const char *const behind[] = {"", ".debug/", ""};
    char other[4700];
    size_t size, n, at;
    const unsigned char *id = debugfile_id(e, &size), *link;
    const char *slash = strrchr(path, '/');
    if (id) {
        at = (size_t)snprintf(other, sizeof other, "/usr/lib/debug/.build-id/%02x/", id[0]);
        for (n = 1; n < size; n++)
            at += (size_t)snprintf(other + at, sizeof other - at, "%02x", id[n]);
        snprintf(other + at, sizeof other - at, ".debug");
        if (find(root, other, e, debug) == 0) return 0;
    }
    link = section(e, ".gnu_debuglink", &size);
    if (!slash || !link || !memchr(link, 0, size) || strchr((const char *)link, '/')) return -1;
    for (n = 0; n < 3; n++) {
        snprintf(other, sizeof other, "%s%.*s%s%.250s", before[n], (int)(slash + 1 - path), path,
                 behind[n], (const char *)link);
        if (strcmp(other, path) != 0 && find(root, other, e, debug) == 0) return 0;
    }
    return -1;
}

/* Weak: a program that is linked without the C library's loader has no dlopen. */
#pragma weak dlopen
#pragma weak dlsym

/* The uncompressed size is not known before: four times what failed, up to a
   quarter of a GB. */
int debugfile_inside(const elf_file *e, elf_file *debug) {
    typedef uint32_t (*decode_fn)(uint64_t *limit, uint32_t flags, const void *allocator,
                                  const uint8_t *in, size_t *in_at, size_t in_size, uint8_t *out,
                                  size_t *out_at, size_t out_size);
    enum { OUT_OF_ROOM = 10 };                    /* LZMA_BUF_ERROR */
    size_t size, room;
    const unsigned char *data = section(e, ".gnu_debugdata", &size);
    void *library = data && dlopen ? dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = library && dlsym ? dlsym(library, "lzma_stream_buffer_decode") : NULL;
    dump_fault fault;
    decode_fn decode;
    if (!symbol) return -1;
    memcpy(&decode, &symbol, sizeof decode);
    for (room = size * 8 + 65536; room < (size_t)1 << 28; room *= 4) {
        uint64_t limit = (uint64_t)1 << 28;
        size_t in_at = 0, out_at = 0;
        void *out = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        uint32_t status;
        if (out == MAP_FAILED) return -1;
        status = decode(&limit, 0, NULL, data, &in_at, size, (uint8_t *)out, &out_at, room);
        if (status == 0 && elf_is((uint8_t *)out, out_at)
            && elf_begin(debug, (uint8_t *)out, out_at, &fault) == 0
            && elf_find_sections(debug, &fault) == 0)
            return 0;
        munmap(out, room);
        if (status != OUT_OF_ROOM) return -1;
    }
    return -1;
}
#else
int debugfile_inside(const elf_file *e, elf_file *debug) {
    (void)e, (void)debug;
    return -1;
}

const unsigned char *debugfile_map(const char *path, size_t *size) {
    (void)path, (void)size;
    return NULL;
}

const unsigned char *debugfile_id(const elf_file *e, size_t *size) {
    (void)e, (void)size;
    return NULL;
}

int debugfile_find(const elf_file *e, const char *path, const char *root, elf_file *debug) {
    (void)e, (void)path, (void)root, (void)debug;
    return -1;
}
#endif
