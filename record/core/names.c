/* names.c - keys of functions, and their names.

   A key is a place in a hash of addresses, plus 1; entries are only added,
   without a lock. At exit the files that /proc/self/maps lists are read for
   symbol tables. A function that none of them names is called `file+0xoffset`.
   When a library is unloaded (instrument.c), the entries of its functions stop
   matching any address, so that another library at its place gets keys of its
   own. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if UINTPTR_MAX > 0xFFFFFFFF
#define ELF(type) Elf64_##type
#else
#define ELF(type) Elf32_##type
#endif

static void *functions[RECORDER_FUNCTIONS];
static char *names[RECORDER_FUNCTIONS];
static uint32_t function_count, without_memory;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of names, and of who looks them up */
static char unloaded;                                    /* the function of an entry that is gone */
static uint32_t used[RECORDER_FUNCTIONS], used_count;    /* entries, while names are looked up */

/* Files whose functions have keys, and what makes an address in one of them an
   address here. */
enum { FILES = 512 };
static struct { char *path; uintptr_t slide; } files[FILES];
static uint32_t file_count;
static uint16_t file_of[RECORDER_FUNCTIONS]; /* 1 + its number, or 0 */
/* Where they are mapped, as far as functions with keys are there. */
static struct { uintptr_t start, end; uint16_t number; } mappings[FILES];
static uint32_t mapping_count;

int (*recorder_debug_file)(const char *path, const char *file, size_t size, int number,
                           const char **bytes_out, size_t *size_out);

/* The place of a function, or of the free entry where it would be. */
RECORDER_HOOK static uint32_t place_of(void *function) {
    uint32_t mix = (uint32_t)((uintptr_t)function >> 4) * UINT32_C(0x9E3779B1), i;
    i = (uint32_t)((uint64_t)mix * RECORDER_FUNCTIONS >> 32);
    for (;; i = i + 1 == RECORDER_FUNCTIONS ? 0 : i + 1) {
        void *there = __atomic_load_n(&functions[i], __ATOMIC_RELAXED);
        if (!there || there == function) return i;
    }
}

RECORDER_HOOK uint32_t recorder_known_key(void *function) {
    uint32_t i = place_of(function);
    return __atomic_load_n(&functions[i], __ATOMIC_RELAXED) == function ? i + 1 : 0;
}

RECORDER_HOOK uint32_t recorder_key(void *function) {
    for (;;) {
        uint32_t i = place_of(function);
        void *there = __atomic_load_n(&functions[i], __ATOMIC_RELAXED);
        if (there == function) return i + 1;
        if (there) continue; /* another thread was faster */
        if (__atomic_load_n(&function_count, __ATOMIC_RELAXED) >= RECORDER_FUNCTIONS / 4 * 3) {
            return RECORDER_FUNCTIONS + 1;
        }
        if (__atomic_compare_exchange_n(&functions[i], &there, function, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            __atomic_fetch_add(&function_count, 1, __ATOMIC_RELAXED);
            return i + 1;
        }
    }
}

RECORDER_HOOK static void give_name(uint32_t i, const char *name, size_t length) {
    names[i] = (char *)recorder_memory(length + 1);
    if (names[i]) memcpy(names[i], name, length);
    else without_memory++;
}

/* A mapped file: its bytes, and what to add to an address in it to get an
   address here. */
typedef struct image {
    const char *bytes;
    size_t size;
    uintptr_t slide;
} image;

/* Whether count entries of a size stand in the file at offset. */
RECORDER_HOOK static int holds(const image *m, uint64_t offset, uint64_t count, uint64_t size) {
    return offset <= m->size && (size == 0 || count <= (m->size - offset) / size);
}

RECORDER_HOOK static void name_by_table(const image *m, const ELF(Shdr) *table,
                                        const ELF(Shdr) *strings) {
    const ELF(Sym) *symbols = (const ELF(Sym) *)(const void *)(m->bytes + table->sh_offset);
    const char *text = m->bytes + strings->sh_offset, *end;
    uint64_t k, count = table->sh_size / sizeof *symbols;
    if (!holds(m, table->sh_offset, count, sizeof *symbols)) return;
    if (!holds(m, strings->sh_offset, strings->sh_size, 1)) return;
    for (k = 0; k < count; k++) {
        void *function = (void *)(m->slide + (uintptr_t)symbols[k].st_value);
        uint32_t i;
        if ((symbols[k].st_info & 15) != STT_FUNC || !symbols[k].st_value) continue;
        i = place_of(function);
        if (functions[i] != function || names[i] || symbols[k].st_name >= strings->sh_size)
            continue;
        end = (const char *)memchr(text + symbols[k].st_name, 0,
                                   strings->sh_size - symbols[k].st_name);
        if (end) give_name(i, text + symbols[k].st_name, (size_t)(end - text) - symbols[k].st_name);
    }
}

/* The header of an ELF file for this machine; NULL if it is none. */
RECORDER_HOOK static const ELF(Ehdr) *head_of(const image *m) {
    const ELF(Ehdr) *head = (const ELF(Ehdr) *)(const void *)m->bytes;
    if (m->size < sizeof *head || memcmp(m->bytes, ELFMAG, SELFMAG) != 0) return NULL;
    return head->e_ident[EI_CLASS] == (sizeof(void *) > 4 ? ELFCLASS64 : ELFCLASS32) ? head : NULL;
}

/* Its table of sections, e_shnum of them; NULL if that is not inside of the
   file. */
RECORDER_HOOK static const ELF(Shdr) *sections_of(const image *m, const ELF(Ehdr) *head) {
    if (!head || !holds(m, head->e_shoff, head->e_shnum, sizeof(ELF(Shdr)))) return NULL;
    return (const ELF(Shdr) *)(const void *)(m->bytes + head->e_shoff);
}

RECORDER_HOOK int recorder_find_section(const char *file, size_t size, const char *name,
                                        recorder_section *out) {
    image m = {NULL, 0, 0};
    const ELF(Ehdr) *head;
    const ELF(Shdr) *sections, *strings;
    size_t length = strlen(name) + 1;
    uint32_t i;
    m.bytes = file;
    m.size = size;
    head = head_of(&m);
    sections = sections_of(&m, head);
    if (!sections || head->e_shstrndx >= head->e_shnum) return 0;
    strings = &sections[head->e_shstrndx];
    if (!holds(&m, strings->sh_offset, strings->sh_size, 1)) return 0;
    for (i = 0; i < head->e_shnum; i++) {
        const ELF(Shdr) *h = &sections[i];
        if (h->sh_name > strings->sh_size || strings->sh_size - h->sh_name < length) continue;
        if (memcmp(file + strings->sh_offset + h->sh_name, name, length) != 0) continue;
        if (h->sh_type == SHT_NOBITS || !holds(&m, h->sh_offset, h->sh_size, 1)) return 0;
        out->bytes = (const unsigned char *)file + h->sh_offset;
        out->size = (size_t)h->sh_size;
        return 1;
    }
    return 0;
}

RECORDER_HOOK static void name_by_sections(const image *m) {
    const ELF(Ehdr) *head = head_of(m);
    const ELF(Shdr) *sections = sections_of(m, head);
    uint32_t i;
    for (i = 0; sections && i < head->e_shnum; i++) {
        uint32_t link = sections[i].sh_link;
        if (sections[i].sh_type != SHT_SYMTAB && sections[i].sh_type != SHT_DYNSYM) continue;
        if (link < head->e_shnum) name_by_table(m, &sections[i], &sections[link]);
    }
}

/* from: the file offset that is mapped at `start`, as code. Returns the address
   in the file of that place.
       A mapping begins at a page, and a segment anywhere in it: lld and mold let
   two segments share a page of the file, so that the first page of code is
   mapped twice, at two addresses. The segment of code is meant. */
RECORDER_HOOK static uintptr_t name_by_image(image *m, uintptr_t start, uintptr_t from) {
    const ELF(Ehdr) *head = head_of(m);
    const ELF(Phdr) *segments;
    uintptr_t address = from, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uint32_t i;
    int is_code = 0;
    if (!head) return from;
    segments = (const ELF(Phdr) *)(const void *)(m->bytes + head->e_phoff);
    if (!holds(m, head->e_phoff, head->e_phnum, sizeof *segments)) return from;
    for (i = 0; i < head->e_phnum; i++) {
        const ELF(Phdr) *s = &segments[i];
        uintptr_t before = (uintptr_t)s->p_offset & (page - 1);
        uintptr_t inside = from - ((uintptr_t)s->p_offset - before);
        if (s->p_type != PT_LOAD || inside >= before + (uintptr_t)s->p_filesz) continue;
        if (is_code && !(s->p_flags & PF_X)) continue;
        is_code = (s->p_flags & PF_X) != 0;
        address = inside - before + (uintptr_t)s->p_vaddr;
    }
    m->slide = start - address;         /* PIE or not */
    name_by_sections(m);
    return address;
}

/* Symbols that stand in other files: those of a -dbg package, and a compressed
   table. */
RECORDER_HOOK static void name_by_debug_files(const image *m, const char *path) {
    image debug = {NULL, 0, 0};
    int number;
    if (!recorder_debug_file || !m->bytes) return;
    debug.slide = m->slide;
    for (number = 0;
         recorder_debug_file(path, m->bytes, m->size, number, &debug.bytes, &debug.size);
         number++) {
        name_by_sections(&debug);
    }
}

/* 1 + the number of a file, or 0: there is no room. */
RECORDER_HOOK static uint16_t number_of_file(const char *path, uintptr_t slide) {
    size_t size = strlen(path) + 1;
    uint32_t n;
    for (n = 0; n < file_count; n++) {
        if (files[n].slide == slide && !strcmp(files[n].path, path)) return (uint16_t)(n + 1);
    }
    if (n == FILES) return 0;
    files[n].path = (char *)recorder_memory(size);
    if (!files[n].path) return 0;
    memcpy(files[n].path, path, size);
    files[n].slide = slide;
    file_count++;
    return (uint16_t)(n + 1);
}

RECORDER_HOOK static void name_mapping(const char *path, uintptr_t start, uintptr_t end,
                                       uintptr_t from) {
    const char *base = strrchr(path, '/');
    uintptr_t address = from;
    uint32_t i, n, wanted = 0;
    uint16_t number = 0;
    image m = {NULL, 0, 0};
    off_t size;
    int file;
    for (n = 0; n < used_count; n++)
        wanted += (uintptr_t)functions[used[n]] - start < end - start;
    if (!wanted) return;
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    size = file >= 0 ? lseek(file, 0, SEEK_END) : -1;
    if (size > 0) {
        void *mapped = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0);
        if (mapped != MAP_FAILED) {
            m.bytes = (const char *)mapped;
            m.size = (size_t)size;
            address = name_by_image(&m, start, from);
            name_by_debug_files(&m, path);
            if (head_of(&m)) number = number_of_file(path, m.slide);
            if (number && mapping_count < FILES) {
                mappings[mapping_count].start = start;
                mappings[mapping_count].end = end;
                mappings[mapping_count++].number = number;
            }
            munmap(mapped, m.size);
        }
    }
    if (file >= 0) close(file);
    for (n = 0; n < used_count; n++) {
        uintptr_t offset;
        char name[300];
        int length;
        i = used[n];
        offset = (uintptr_t)functions[i] - start;
        if (offset >= end - start || functions[i] == (void *)&unloaded) continue;
        file_of[i] = number;
        if (names[i]) continue;
        length = snprintf(name, sizeof name, "%.250s+0x%lx", base ? base + 1 : path,
                          (unsigned long)(offset + address));
        if (length > 0) give_name(i, name, (size_t)length);
    }
}

RECORDER_HOOK static void name_line(const char *line) {
    char path[4097];
    unsigned long start, end, from;
    int fields = sscanf(line, "%lx-%lx %*2cx%*c %lx %*s %*s %4096[^\n]", &start, &end, &from, path);
    if (fields == 4 && path[0] == '/') name_mapping(path, start, end, from);
}

/* Calls `each` with every line of an open file, which it closes. Without a
   FILE: the process may end in a signal handler that has interrupted malloc. */
RECORDER_HOOK static void read_lines(int file, void (*each)(const char *line)) {
    static char text[2 * 4400];
    size_t have = 0;
    ssize_t got = 1;
    if (file < 0) return;
    while (got > 0) {
        char *line = text, *end;
        got = read(file, text + have, sizeof text - 1 - have);
        if (got > 0) have += (size_t)got;
        text[have] = 0;
        while ((end = strchr(line, '\n')) != NULL) {
            *end = 0;
            each(line);
            line = end + 1;
        }
        have -= (size_t)(line - text);
        if (have > 4400) have = 0; /* no line is that long */
        memmove(text, line, have);
    }
    close(file);
}

RECORDER_HOOK static void read_maps(void (*each)(const char *line)) {
    read_lines(open("/proc/self/maps", O_RDONLY | O_CLOEXEC), each);
}

/* Code of no file: a JIT compiler made it, and may say in /tmp/perf-PID.map
   what it is, "START SIZE NAME" in each line. The last line about a place
   counts, for memory is used again. The memory itself may be gone by now. Places
   that have no name yet stand in made[], by their addresses.
   Anybody may put a file of that name there, a pipe without a writer as well. */
enum { MADE = 8192 };
static uint32_t made[MADE], made_count;

static unsigned char is_made[RECORDER_FUNCTIONS];

RECORDER_HOOK uint32_t recorder_made_key(void *place) {
    uint32_t key = recorder_key(place);
    if (key <= RECORDER_FUNCTIONS) is_made[key - 1] = 1;
    return key;
}

RECORDER_HOOK static void name_made(const char *line) {
    unsigned long start, size;
    char name[400];
    uint32_t lo = 0, hi = made_count;
    if (sscanf(line, "%lx %lx %399[^\n]", &start, &size, name) != 3) return;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if ((uintptr_t)functions[made[mid]] < start) lo = mid + 1;
        else hi = mid;
    }
    for (; lo < made_count && (uintptr_t)functions[made[lo]] - start < size; lo++) {
        if (names[made[lo]] && !strcmp(names[made[lo]], name)) continue;
        give_name(made[lo], name, strlen(name));
    }
}

RECORDER_HOOK int recorder_open_map(void) {
    char path[64];
    struct stat s;
    int file;
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    if (file < 0) return -1;
    if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) && (s.st_uid == geteuid() || s.st_uid == 0))
        return file;
    close(file);
    return -1;
}

RECORDER_HOOK static void find_made(void) {
    static const char nobody[] = "(code made at run time)";
    uint32_t n, k, gap;
    made_count = 0;
    for (n = 0; n < RECORDER_FUNCTIONS && made_count < MADE; n++) {
        if (is_made[n] && !names[n]) made[made_count++] = n;
    }
    if (!made_count) return;
    for (gap = made_count / 2; gap; gap /= 2) {   /* qsort may allocate */
        for (n = gap; n < made_count; n++) {
            uint32_t i = made[n];
            for (k = n; k >= gap && functions[made[k - gap]] > functions[i]; k -= gap)
                made[k] = made[k - gap];
            made[k] = i;
        }
    }
    read_lines(recorder_open_map(), name_made);
    for (n = 0; n < made_count; n++) {
        if (!names[made[n]]) give_name(made[n], nobody, sizeof nobody - 1);
    }
}

/* Not for ever: this may be a signal handler that has interrupted who has the
   lock. */
RECORDER_HOOK static int lock_names(void) {
    int wait;
    for (wait = 0; wait < 10000; wait++) {
        if (pthread_mutex_trylock(&lock) == 0) return 1;
        sched_yield();
    }
    return 0;
}

RECORDER_HOOK void recorder_lock_names(int on) {
    if (on) pthread_mutex_lock(&lock);
    else pthread_mutex_unlock(&lock);
}

/* Opening and reading would end a thread that is asked to be cancelled, here,
   where the program has no such place, and with the lock. */
RECORDER_HOOK uint32_t recorder_find_names(void) {
    int state, locked;
    uint32_t n;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    locked = lock_names();
    mapping_count = 0;
    for (n = used_count = 0; n < RECORDER_FUNCTIONS; n++) {
        if (functions[n]) used[used_count++] = n;
    }
    read_maps(name_line);
    find_made();
    if (locked) pthread_mutex_unlock(&lock);
    pthread_setcancelstate(state, &state);
    return without_memory;
}

static uintptr_t wanted_place, found_low, found_end;

RECORDER_HOOK static void note_stack(const char *line) {
    enum { GROWS = 64 << 20 }; /* the kernel keeps more than this free below the first stack */
    unsigned long start, end;
    if (sscanf(line, "%lx-%lx", &start, &end) != 2) return;
    if (wanted_place - start >= end - start) return;
    found_low = strstr(line, "[stack]") && end > GROWS ? end - GROWS : start;
    found_end = end;
}

RECORDER_HOOK void recorder_find_stack(uintptr_t place, uintptr_t *low, uintptr_t *end) {
    int state;
    *low = *end = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    if (lock_names()) {
        wanted_place = place;
        found_low = found_end = 0;
        read_maps(note_stack);
        *low = found_low;
        *end = found_end;
        pthread_mutex_unlock(&lock);
    }
    pthread_setcancelstate(state, &state);
}

RECORDER_HOOK void recorder_read_maps(void (*each)(const char *line)) {
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    if (lock_names()) {
        read_maps(each);
        pthread_mutex_unlock(&lock);
    }
    pthread_setcancelstate(state, &state);
}

static unsigned char mapped[RECORDER_FUNCTIONS];

RECORDER_HOOK static void note_mapped(const char *line) {
    unsigned long start, end;
    uint32_t i;
    if (sscanf(line, "%lx-%lx", &start, &end) != 2) return;
    for (i = 0; i < RECORDER_FUNCTIONS; i++) {
        uintptr_t offset = (uintptr_t)__atomic_load_n(&functions[i], __ATOMIC_RELAXED) - start;
        if (offset < end - start) mapped[i] = 1;
    }
}

RECORDER_HOOK void recorder_forget_unmapped(void) {
    uint32_t i;
    pthread_mutex_lock(&lock);
    memset(mapped, 0, sizeof mapped);
    read_maps(note_mapped);
    for (i = 0; i < RECORDER_FUNCTIONS; i++) {
        void *function = names[i] && !mapped[i] ? (void *)&unloaded : NULL;
        if (function) __atomic_store_n(&functions[i], function, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
}

RECORDER_HOOK const char *recorder_name(void *user, uint32_t key) {
    (void)user;
    return key <= RECORDER_FUNCTIONS ? names[key - 1] : "(more functions)";
}

RECORDER_HOOK const char *recorder_program(void) {
    static char path[4096];
    static const char gone[] = " (deleted)";
    ssize_t length = *path ? 0 : readlink("/proc/self/exe", path, sizeof path - 1);
    size_t end = length > 0 ? (size_t)length : 0, more = sizeof gone - 1;
    if (end > more && !memcmp(path + end - more, gone, more)) path[end - more] = 0;
    if (!*path) return program_invocation_short_name;
    return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

RECORDER_HOOK const char *recorder_place(void *user, uint32_t key) {
    static char text[4200];
    uint16_t number = key && key <= RECORDER_FUNCTIONS ? file_of[key - 1] : 0;
    (void)user;
    if (!number || functions[key - 1] == (void *)&unloaded) return NULL;
    snprintf(text, sizeof text, "%.4096s\t%lx", files[number - 1].path,
             (unsigned long)((uintptr_t)functions[key - 1] - files[number - 1].slide));
    return text;
}

RECORDER_HOOK const char *recorder_place_at(uint64_t pc) {
    static char text[4200];
    uint32_t n;
    for (n = 0; n < mapping_count; n++) {
        uint16_t number = mappings[n].number;
        if ((uintptr_t)pc - mappings[n].start >= mappings[n].end - mappings[n].start) continue;
        snprintf(text, sizeof text, "%.4096s\t%lx", files[number - 1].path,
                 (unsigned long)((uintptr_t)pc - files[number - 1].slide));
        return text;
    }
    return NULL;
}
