/* tables.h - on Linux: the tables of this program or shared library, out of its
   own file. They stand in the section .bursty.cover, which is not loaded.
   Whoever reads them must look whether they are of this build: the file may
   have been replaced. Only system calls are used. */
#ifndef BURSTY_RECORD_TABLES_H
#define BURSTY_RECORD_TABLES_H
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if UINTPTR_MAX > UINT32_MAX
typedef Elf64_Ehdr tables_header;
typedef Elf64_Shdr tables_section;
#else
typedef Elf32_Ehdr tables_header;
typedef Elf32_Shdr tables_section;
#endif

typedef struct tables {
    void *map;
    size_t map_size;
    const unsigned char *bytes; /* NULL: there are none */
    size_t size;
} tables;

/* A number in base 16 or 10; *at moves behind it. */
static uint64_t tables_number(const char **at, unsigned base) {
    uint64_t value = 0;
    for (;; ++*at) {
        unsigned digit = (unsigned)(**at - '0');
        if (**at >= 'a' && **at <= 'f') digit = (unsigned)(**at - 'a' + 10);
        if (digit >= base) return value;
        value = value * base + digit;
    }
}

/* Line of /proc/self/maps: "5560-5570 r-xp 00001000 08:01 1234     /folder/program". Is `place` in it?
   Then *name is its file. */
static int tables_is_line(const char *line, uintptr_t place, const char **name) {
    const char *at = line;
    uint64_t from = tables_number(&at, 16), to;
    int word;
    if (*at++ != '-') return 0;
    to = tables_number(&at, 16);
    if (place < from || place >= to) return 0;
    for (word = 0; word < 5; word++) {
        while (*at && *at != ' ') at++;
        while (*at == ' ') at++;
    }
    *name = at;
    return *at == '/';
}

/* Opens the file that holds the code at `place`. One that has been removed may
   still be that of the program. */
static int tables_open_own(uintptr_t place) {
    char line[4400], some[1024];
    size_t used = 0;
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), file = -1, is_found = 0;
    ssize_t got, i;
    if (maps < 0) return -1;
    while (!is_found && (got = read(maps, some, sizeof some)) > 0) {
        for (i = 0; i < got && !is_found; i++) {
            const char *name = NULL;
            if (some[i] != '\n') {
                if (used + 1 < sizeof line) line[used++] = some[i];
                continue;
            }
            line[used] = 0;
            used = 0;
            is_found = tables_is_line(line, place, &name);
            if (is_found) file = open(name, O_RDONLY | O_CLOEXEC);
        }
    }
    close(maps);
    if (file < 0) file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    return file;
}

static int tables_holds(const tables *t, uint64_t at, uint64_t size) {
    return at <= t->map_size && size <= t->map_size - at;
}

static void tables_find(tables *t) {
    static const char wanted[] = ".bursty.cover";
    const unsigned char *file = (const unsigned char *)t->map;
    tables_header h;
    tables_section s, names;
    unsigned i;
    if (!tables_holds(t, 0, sizeof h)) return;
    memcpy(&h, file, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_shentsize != sizeof s) return;
    if (!tables_holds(t, h.e_shoff, (uint64_t)h.e_shnum * sizeof s) || h.e_shstrndx >= h.e_shnum)
        return;
    memcpy(&names, file + h.e_shoff + h.e_shstrndx * sizeof s, sizeof s);
    if (!tables_holds(t, names.sh_offset, names.sh_size)) return;
    for (i = 0; i < h.e_shnum; i++) {
        memcpy(&s, file + h.e_shoff + i * sizeof s, sizeof s);
        if (s.sh_name > names.sh_size || names.sh_size - s.sh_name < sizeof wanted) continue;
        if (memcmp(file + names.sh_offset + s.sh_name, wanted, sizeof wanted) != 0) continue;
        if (s.sh_type != SHT_PROGBITS || s.sh_flags & 0x800 /* compressed */) continue;
        if (!tables_holds(t, s.sh_offset, s.sh_size)) continue;
        t->bytes = file + s.sh_offset;
        t->size = (size_t)s.sh_size;
    }
}

/* place: of code of this program or library. What is found is to be closed. */
static void tables_open(tables *t, uintptr_t place) {
    struct stat status;
    int file = tables_open_own(place);
    memset(t, 0, sizeof *t);
    if (file < 0) return;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        t->map_size = (size_t)status.st_size;
        t->map = mmap(NULL, t->map_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (t->map == MAP_FAILED) t->map = NULL;
        else tables_find(t);
    }
    close(file);
}

static void tables_close(tables *t) {
    if (t->map) munmap(t->map, t->map_size);
}
#endif
