/* names.c - keys of functions, and their names.

   A key is a place in a hash of addresses, plus 1; entries are only added,
   without a lock. At exit the files that /proc/self/maps lists are read for
   symbol tables. A function that none of them names is called `file+0xoffset`.
   Before a library is unloaded its functions get their names, and then their
   entries stop matching any address, so that another library at its place gets
   keys of its own.
       A file is what was mapped only if its build id is the one that stands in
   memory. What was replaced meanwhile has other functions and lines: then the
   dynamic symbols in memory are all that there is. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
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
enum { FILES = 512, ID_MOST = 40 };
typedef struct build_id { unsigned char bytes[ID_MOST]; uint32_t size; } build_id; /* 0: none */
static struct { char *path; uintptr_t slide; build_id id; } files[FILES];
static uint32_t file_count;
static uint16_t file_of[RECORDER_FUNCTIONS]; /* 1 + its number, or 0 */
static uintptr_t address_of[RECORDER_FUNCTIONS]; /* of a function with a file, if it is gone, too */

/* What is loaded, as memory has it. */
typedef struct module {
    uintptr_t start, end, bias;
    const ELF(Dyn) *dynamic;
    build_id id;
} module;
static module modules[FILES];
static uint32_t module_count;

static char replaced[128];                   /* a file whose names are not to be had */

int (*recorder_debug_file)(const char *path, const char *file, size_t size, int number,
                           const char **bytes_out, size_t *size_out);

/* ---- what is loaded ---- */

/* The id in notes: three words, "GNU", the id. */
RECORDER_HOOK static void read_notes(const unsigned char *notes, size_t size, build_id *id) {
    while (size >= 12) {
        uint32_t word[3];
        size_t name, bytes;
        memcpy(word, notes, sizeof word);
        if (word[0] > size || word[1] > size) return;
        name = (word[0] + 3u) & ~(size_t)3;
        bytes = (word[1] + 3u) & ~(size_t)3;
        if (name > size - 12 || bytes > size - 12 - name) return;
        if (word[2] == NT_GNU_BUILD_ID && word[0] == 4 && !memcmp(notes + 12, "GNU", 4)
            && word[1] <= ID_MOST) {
            memcpy(id->bytes, notes + 12 + name, word[1]);
            id->size = word[1];
        }
        notes += 12 + name + bytes;
        size -= 12 + name + bytes;
    }
}

RECORDER_HOOK static int note_module(struct dl_phdr_info *info, size_t size, void *unused) {
    module *m = &modules[module_count];
    int n;
    (void)size;
    (void)unused;
    if (module_count == FILES) return 0;
    memset(m, 0, sizeof *m);
    m->bias = (uintptr_t)info->dlpi_addr;
    m->start = UINTPTR_MAX;
    for (n = 0; n < info->dlpi_phnum; n++) {
        const ELF(Phdr) *p = &info->dlpi_phdr[n];
        uintptr_t at = m->bias + (uintptr_t)p->p_vaddr, end = at + (uintptr_t)p->p_memsz;
        if (p->p_type == PT_LOAD) {
            if (at < m->start) m->start = at;
            if (end > m->end) m->end = end;
        } else if (p->p_type == PT_DYNAMIC) m->dynamic = (const ELF(Dyn) *)at;
        else if (p->p_type == PT_NOTE && !m->id.size)
            read_notes((const unsigned char *)at, (size_t)p->p_memsz, &m->id);
    }
    if (m->start < m->end) module_count++;
    return 0;
}

RECORDER_HOOK void recorder_look_at_modules(void) {
    module_count = 0;
    (void)dl_iterate_phdr(note_module, NULL);
}

RECORDER_HOOK static const module *module_at(uintptr_t address) {
    uint32_t n;
    for (n = 0; n < module_count; n++) {
        if (address - modules[n].start < modules[n].end - modules[n].start) return &modules[n];
    }
    return NULL;
}

/* ---- keys ---- */

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

/* A place in code without unwind tables has a key of its own, as the function is
   not known yet. With many of them, those of one cache line share one. */
enum { EXACT = 4096, NO_SIZE = 1 << 16 };
static unsigned char is_bare[RECORDER_FUNCTIONS];
static uint32_t bare_count;
static uint32_t bare_far[RECORDER_FUNCTIONS]; /* from the symbol that was found */

RECORDER_HOOK uint32_t recorder_bare_key(void *place) {
    uintptr_t at = (uintptr_t)place;
    uint32_t key;
    if (__atomic_load_n(&bare_count, __ATOMIC_RELAXED) >= EXACT) at &= ~(uintptr_t)63;
    key = recorder_key((void *)at);
    if (key <= RECORDER_FUNCTIONS && !is_bare[key - 1]) {
        is_bare[key - 1] = 1;
        __atomic_fetch_add(&bare_count, 1, __ATOMIC_RELAXED);
    }
    return key;
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

/* A symbol for places without unwind tables: a function that says how long it is,
   or else the nearest one before. */
RECORDER_HOOK static void name_bare(uintptr_t start, uint64_t size, const char *name,
                                    size_t length) {
    uint32_t n;
    for (n = 0; n < used_count; n++) {
        uint32_t i = used[n];
        uintptr_t far = (uintptr_t)functions[i] - start;
        if (!is_bare[i] || far >= (size ? size : NO_SIZE)) continue;
        if (names[i] && far >= bare_far[i]) continue;
        give_name(i, name, length);
        address_of[i] = start;
        bare_far[i] = (uint32_t)far;
    }
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
        const char *name = text + symbols[k].st_name;
        uint32_t i, kind = symbols[k].st_info & 15u;
        int is_label = kind == STT_NOTYPE && symbols[k].st_info >> 4 == STB_GLOBAL && bare_count;
        if ((kind != STT_FUNC && !is_label) || !symbols[k].st_value || !symbols[k].st_shndx)
            continue;
        if (symbols[k].st_name >= strings->sh_size) continue;
        i = place_of(function);
        if (!bare_count && (functions[i] != function || names[i])) continue;
        end = (const char *)memchr(name, 0, strings->sh_size - symbols[k].st_name);
        if (!end) continue;
        if (kind == STT_FUNC && functions[i] == function && !names[i])
            give_name(i, name, (size_t)(end - name));
        if (bare_count) name_bare((uintptr_t)function, symbols[k].st_size, name, (size_t)(end - name));
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
RECORDER_HOOK static uintptr_t address_in(const image *m, uintptr_t from) {
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
    return address;
}

/* Names of dynamic symbols, out of memory. How many there are is known by the
   older of the two tables of hashes alone; in the other one the last chain ends
   behind the last symbol. */
RECORDER_HOOK static void name_by_memory(const module *m) {
    const ELF(Dyn) *d = m->dynamic;
    const ELF(Sym) *symbols = NULL;
    const char *words = NULL;
    const uint32_t *hashes = NULL, *gnu = NULL;
    uint32_t count = 0, k, last;
    uint64_t word_bytes = 0;
    for (; d && d->d_tag != DT_NULL; d++) {
        uintptr_t at = (uintptr_t)d->d_un.d_ptr;
        if (at < m->start) at += m->bias;       /* some C libraries leave it as it is */
        if (d->d_tag == DT_STRSZ) word_bytes = d->d_un.d_val;
        if (at - m->start >= m->end - m->start) continue;
        if (d->d_tag == DT_SYMTAB) symbols = (const ELF(Sym) *)at;
        else if (d->d_tag == DT_STRTAB) words = (const char *)at;
        else if (d->d_tag == DT_HASH) hashes = (const uint32_t *)at;
        else if (d->d_tag == DT_GNU_HASH) gnu = (const uint32_t *)at;
    }
    if (!symbols || !words) return;
    if (hashes) count = hashes[1];
    else if (gnu) {
        const uint32_t *buckets = gnu + 4 + gnu[2] * (sizeof(uintptr_t) / 4), *chains;
        chains = buckets + gnu[0];
        for (k = last = 0; k < gnu[0]; k++) {
            if (buckets[k] > last) last = buckets[k];
        }
        if (last >= gnu[1] && last) {
            while (!(chains[last - gnu[1]] & 1)) last++;
            count = last + 1;
        }
    }
    for (k = 0; k < count; k++) {
        void *function = (void *)(m->bias + (uintptr_t)symbols[k].st_value);
        uint32_t i = place_of(function);
        if ((symbols[k].st_info & 15) != STT_FUNC || !symbols[k].st_value) continue;
        if (functions[i] != function || names[i] || symbols[k].st_name >= word_bytes) continue;
        give_name(i, words + symbols[k].st_name, strlen(words + symbols[k].st_name));
    }
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
RECORDER_HOOK static uint16_t number_of_file(const char *path, uintptr_t slide,
                                             const build_id *id) {
    size_t size = strlen(path) + 1;
    uint32_t n;
    for (n = 0; n < file_count; n++) {
        if (files[n].slide == slide && !strcmp(files[n].path, path)
            && files[n].id.size == id->size && !memcmp(files[n].id.bytes, id->bytes, id->size))
            return (uint16_t)(n + 1);
    }
    if (n == FILES) return 0;
    files[n].path = (char *)recorder_memory(size);
    if (!files[n].path) return 0;
    memcpy(files[n].path, path, size);
    files[n].slide = slide;
    files[n].id = *id;
    file_count++;
    return (uint16_t)(n + 1);
}

/* Maps the file that was mapped at a module's place, and no other one. Returns
   0: it is gone. *id: the file's. */
RECORDER_HOOK static int open_image(const char *path, int is_gone, const module *at, image *m,
                                    build_id *id) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    off_t size = file >= 0 ? lseek(file, 0, SEEK_END) : -1;
    void *mapped = MAP_FAILED;
    recorder_section note;
    int is_same;
    id->size = 0;
    if (size > 0) mapped = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0) close(file);
    if (mapped == MAP_FAILED) return 0;
    m->bytes = (const char *)mapped;
    m->size = (size_t)size;
    if (recorder_find_section(m->bytes, m->size, ".note.gnu.build-id", &note))
        read_notes(note.bytes, note.size, id);
    is_same = at && at->id.size && id->size
                  ? at->id.size == id->size && !memcmp(at->id.bytes, id->bytes, id->size)
                  : !is_gone;
    if (is_same) return 1;
    munmap(mapped, m->size);
    m->bytes = NULL;
    return 0;
}

/* The kernel writes this behind the name of a file that has it no more. */
static const char gone[] = " (deleted)";

RECORDER_HOOK static void name_mapping(char *path, uintptr_t start, uintptr_t end,
                                       uintptr_t from) {
    const module *at = module_at(start);
    size_t length = strlen(path), more = sizeof gone - 1;
    int is_gone = length > more && !strcmp(path + length - more, gone), is_there;
    const char *base;
    uintptr_t address = at ? start - at->bias : from;
    uint32_t i, n, wanted = 0;
    uint16_t number = 0;
    image m = {NULL, 0, 0};
    build_id id;
    for (n = 0; n < used_count; n++)
        wanted += (uintptr_t)functions[used[n]] - start < end - start;
    if (!wanted) return;
    if (is_gone) path[length - more] = 0;
    base = strrchr(path, '/');
    if (is_gone && at == modules)       /* the program, which the kernel still has */
        is_there = open_image("/proc/self/exe", 0, at, &m, &id);
    else is_there = open_image(path, is_gone, at, &m, &id);
    if (is_there) {
        if (!at) address = address_in(&m, from);
        m.slide = start - address;          /* PIE or not */
        name_by_sections(&m);
        name_by_debug_files(&m, path);
        if (head_of(&m)) number = number_of_file(path, m.slide, &id);
        munmap((void *)(uintptr_t)m.bytes, m.size);
    } else if (at) {
        name_by_memory(at);
        snprintf(replaced, sizeof replaced, "%.127s", base ? base + 1 : path);
    }
    for (n = 0; n < used_count; n++) {
        uintptr_t offset;
        char name[300];
        int size;
        i = used[n];
        offset = (uintptr_t)functions[i] - start;
        if (offset >= end - start || functions[i] == (void *)&unloaded) continue;
        file_of[i] = number;
        if (!is_bare[i] || !names[i]) address_of[i] = (uintptr_t)functions[i];
        if (names[i]) continue;
        if (is_bare[i]) {
            file_of[i] = 0;
            size = snprintf(name, sizeof name, "(%.200s: code without unwind tables)",
                            base ? base + 1 : path);
        } else size = snprintf(name, sizeof name, "%.250s+0x%lx", base ? base + 1 : path,
                        (unsigned long)(offset + address));
        if (size > 0) give_name(i, name, (size_t)size);
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
    for (n = used_count = 0; n < RECORDER_FUNCTIONS; n++) {
        if (functions[n] && !names[n]) used[used_count++] = n;
    }
    recorder_look_at_modules();
    if (used_count) read_maps(name_line);
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

/* Where the C library notes the stack of a thread: so many words behind what
   pthread_self gives stand its lowest address, its size, and how much of it is
   the guard. The first thread that reads the maps finds that out; all others
   need not read them, which is a lot with many threads. 0: it is not known. */
static uint32_t noted_at;

RECORDER_HOOK static int stack_is_noted(uint32_t at, uintptr_t place, uintptr_t *low,
                                        uintptr_t *end) {
    const uintptr_t *note = (const uintptr_t *)pthread_self() + at;
    if (!note[0] || note[2] >= note[1] || place - note[0] >= note[1]) return 0;
    *low = note[0] + note[2];
    *end = note[0] + note[1];
    return place >= *low;
}

RECORDER_HOOK static void find_note(uintptr_t place, uintptr_t low, uintptr_t end) {
    enum { WORDS = 512, PAGE = 4096, ABOVE = 1 << 16 };
    uintptr_t self = (uintptr_t)pthread_self(), noted_low, noted_end;
    uint32_t at;
    if (self < low || self >= end) return;
    for (at = 1; at < WORDS && self + (at + 3) * sizeof self <= end; at++) {
        if (!stack_is_noted(at, place, &noted_low, &noted_end) || noted_low != low) continue;
        if (noted_end % PAGE || noted_end > end || noted_end <= self) continue;
        if (noted_end - self > ABOVE) continue;
        __atomic_store_n(&noted_at, at, __ATOMIC_RELAXED);
        return;
    }
}

RECORDER_HOOK void recorder_find_stack(uintptr_t place, uintptr_t *low, uintptr_t *end) {
    uint32_t at = __atomic_load_n(&noted_at, __ATOMIC_RELAXED);
    int state;
    if (at && stack_is_noted(at, place, low, end)) return;
    *low = *end = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    if (lock_names()) {
        wanted_place = place;
        found_low = found_end = 0;
        read_maps(note_stack);
        *low = found_low;
        *end = found_end;
        find_note(place, *low, *end);
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
    for (i = 0; i < used_count; i++) {
        uintptr_t offset = (uintptr_t)functions[used[i]] - start;
        if (offset < end - start) mapped[used[i]] = 1;
    }
}

/* What another thread saw while the library went has no name. Code that the
   program made itself is named at the end, from a file that stays. */
RECORDER_HOOK void recorder_forget_unmapped(void) {
    static const char nobody[] = "(a library that was closed)";
    uint32_t i;
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_mutex_lock(&lock);
    for (i = used_count = 0; i < RECORDER_FUNCTIONS; i++) {
        mapped[i] = 0;
        if (functions[i] && functions[i] != (void *)&unloaded && !is_made[i])
            used[used_count++] = i;
    }
    read_maps(note_mapped);
    for (i = 0; i < used_count; i++) {
        uint32_t n = used[i];
        if (mapped[n]) continue;
        if (!names[n]) give_name(n, nobody, sizeof nobody - 1);
        __atomic_store_n(&functions[n], (void *)&unloaded, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(state, &state);
}

RECORDER_HOOK const char *recorder_name(void *user, uint32_t key) {
    (void)user;
    if (key == RECORDER_BEYOND) return "(outer callers not known)";
    return key <= RECORDER_FUNCTIONS ? names[key - 1] : "(more functions)";
}

RECORDER_HOOK const char *recorder_program(void) {
    static char path[4096];
    ssize_t length = *path ? 0 : readlink("/proc/self/exe", path, sizeof path - 1);
    size_t end = length > 0 ? (size_t)length : 0, more = sizeof gone - 1;
    if (end > more && !memcmp(path + end - more, gone, more)) path[end - more] = 0;
    if (!*path) return program_invocation_short_name;
    return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

RECORDER_HOOK static const char *place_in(const char *path, uintptr_t address,
                                          const build_id *id) {
    static char text[4300];
    int size = snprintf(text, sizeof text, "%.4096s\t%lx", path, (unsigned long)address);
    uint32_t n;
    if (id && id->size) text[size++] = '\t';
    for (n = 0; id && n < id->size; n++)
        size += snprintf(text + size, sizeof text - (size_t)size, "%02x", id->bytes[n]);
    return text;
}

RECORDER_HOOK const char *recorder_place(void *user, uint32_t key) {
    (void)user;
    if (!key || key > RECORDER_FUNCTIONS) return NULL;
    return recorder_place_at(key, address_of[key - 1]);
}

RECORDER_HOOK const char *recorder_place_at(uint32_t key, uint64_t pc) {
    uint16_t number = key && key <= RECORDER_FUNCTIONS ? file_of[key - 1] : 0;
    if (!number) return NULL;
    return place_in(files[number - 1].path, (uintptr_t)pc - files[number - 1].slide,
                    &files[number - 1].id);
}

RECORDER_HOOK const char *recorder_place_in(const char *path, uint64_t address, uint64_t here) {
    const module *m = module_at((uintptr_t)here);
    return place_in(path, (uintptr_t)address, m ? &m->id : NULL);
}

RECORDER_HOOK const char *recorder_replaced(void) { return *replaced ? replaced : NULL; }
