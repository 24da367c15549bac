/* symbols.c - names of places in ELF files and perf maps. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "base/symbols.h"
#include "base/debugfile.h"
#include "base/hash.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

static void add(symbol_list *l, uint64_t start, uint64_t end, const char *name, const char *unit) {
    symbol *f;
    TOOL_ROOM(symbol, l->at, l->count, l->room);
    f = &l->at[l->count++];
    f->start = start;
    f->end = end;
    f->name = name;
    f->unit = unit;
    f->user = f->twin = 0;
}

/* Names may share their ends, but not be many times as long as the file: then each
   look through them would cost more than the file is worth. */
static int fits(symbols *s, const elf_file *e, const char *name) {
    enum { SHARED = 8 };
    s->words += strlen(name);
    return s->words / SHARED <= e->size;
}

static void add_table(symbols *s, elf_file *e, uint64_t type) {
    enum { LABEL = 0, FUNCTION = 2, UNIT = 4, INDIRECT = 10, LOCAL = 0, GLOBAL = 1 };
    size_t word = e->is_64 ? 8 : 4, bytes = e->is_64 ? 24 : 16;
    dump_fault fault;
    elf_section table, names;
    uint64_t n, k;
    for (n = 0; n < e->section_count; n++) {
        const char *unit = NULL; /* local symbols follow the name of their file */
        if (elf_get_section(e, n, &table, &fault) != 0 || table.type != type) continue;
        if (elf_get_section(e, table.link, &names, &fault) != 0 || !names.size) continue;
        if (names.type == ELF_NO_BYTES) continue;
        if (elf_take(e, &table, &fault) != 0 || elf_take(e, &names, &fault) != 0) return;
        if (e->data[names.offset + names.size - 1]) continue;
        for (k = 0; k + bytes <= table.size; k += bytes) {
            size_t at = (size_t)(table.offset + k);
            uint64_t name = elf_number(e, at, 4), info = elf_number(e, at + (e->is_64 ? 4 : 12), 1);
            uint64_t section = elf_number(e, at + (e->is_64 ? 6 : 14), 2);
            uint64_t start = elf_number(e, at + (e->is_64 ? 8 : 4), word);
            uint64_t size = elf_number(e, at + (e->is_64 ? 16 : 8), word);
            int is_function = (info & 15) == FUNCTION || (info & 15) == INDIRECT;
            if ((info & 15) == UNIT && name < names.size)
                unit = (const char *)e->data + names.offset + name;
            if (!section || !start || name >= names.size || !e->data[names.offset + name]) continue;
            if (!is_function && ((info & 15) != LABEL || info >> 4 != GLOBAL)) continue;
            if (!fits(s, e, (const char *)e->data + names.offset + name)) return;
            add(is_function ? &s->functions : &s->labels, start, start + size,
                (const char *)e->data + names.offset + name,
                info >> 4 == LOCAL && unit && *unit ? unit : NULL);
        }
    }
}

/* The sorted table of .eh_frame_hdr says where functions start. */
static void add_starts(symbols *s, const elf_file *e) {
    uint64_t n, k, header, place, size, count;
    for (n = 0; n < e->segment_count && e->is_64; n++) {
        header = e->segments + n * e->segment_bytes;
        if (!elf_holds(e, header, 56) || elf_number(e, (size_t)header, 4) != 0x6474E550) continue;
        place = elf_number(e, (size_t)header + 8, 8);
        size = elf_number(e, (size_t)header + 32, 8);
        if (size < 12 || !elf_holds(e, place, size)) return;
        if (elf_number(e, (size_t)place, 4) != 0x3B031B01) return; /* the form that all have */
        count = elf_number(e, (size_t)place + 8, 4);
        for (k = 0; k < count && 12 + 8 * k + 8 <= size; k++) {
            int32_t far = (int32_t)elf_number(e, (size_t)(place + 12 + 8 * k), 4);
            uint64_t header_at = elf_number(e, (size_t)header + 16, 8);
            add(&s->functions, header_at + (uint64_t)(int64_t)far, 0, NULL, NULL);
        }
    }
}

/* ---- Go ---- */

/* Go's own table of functions stays in a stripped file. Behind 8 bytes of head stand
   numbers: how many functions there are, and how far behind the head tables begin.

       since       numbers of 8 bytes                      in an entry       of a function
       Go 1.2      count; entries follow                   address, place    address, name
       Go 1.16     count, -, names, -, -, -, entries       the same
       Go 1.18     count, -, text, names, -, -, -, entries the same, by 4 bytes from text

   A place counts from the entries (in the oldest from the head), a name from the names.
   Behind the last entry stands where its function ends. */
enum { GO_12, GO_116, GO_118, NO_GO };

static int go_version(const elf_file *e, uint64_t at) {
    if (elf_number(e, (size_t)at + 4, 2) || elf_number(e, (size_t)at + 7, 1) != 8) return NO_GO;
    switch (elf_number(e, (size_t)at, 4)) {
    case 0xFFFFFFFB: return GO_12;
    case 0xFFFFFFFA: return GO_116;
    case 0xFFFFFFF0:
    case 0xFFFFFFF1: return GO_118;
    default: return NO_GO;
    }
}

/* A number that may be left for the loader to write. */
static uint64_t relocated(const elf_file *e, uint64_t at) {
    enum { RELOCATIONS = 4, RELATIVE = 8 };
    uint64_t value = elf_number(e, (size_t)at, 8), address, n, k;
    elf_section s;
    dump_fault fault;
    if (value || symbols_address(e, at, &address) != 0) return value;
    for (n = 0; n < e->section_count; n++) {
        if (elf_get_section(e, n, &s, &fault) != 0 || s.type != RELOCATIONS) continue;
        for (k = 0; k + 24 <= s.size; k += 24) {
            size_t r = (size_t)(s.offset + k);
            if (elf_number(e, r, 8) == address && elf_number(e, r + 8, 4) == RELATIVE)
                return elf_number(e, r + 16, 8);
        }
    }
    return 0;
}

/* Returns whether a table stands at that place of the file, before `end`. */
static int add_go_table(symbols *s, elf_file *e, uint64_t at, uint64_t end) {
    enum { HEAD = 72, LONGEST = 1000 };
    uint64_t count, k, code = 0, names = 0, entries = 16, first;
    int version = end - at < HEAD ? NO_GO : go_version(e, at);
    const size_t word = version == GO_118 ? 4 : 8;
    if (version == NO_GO) return 0;
    count = elf_number(e, (size_t)at + 8, 8);
    if (version != GO_12) {
        first = version == GO_116 ? at + 24 : at + 32;
        names = elf_number(e, (size_t)first, 8);
        entries = elf_number(e, (size_t)first + 32, 8);
    }
    if (names >= end - at || entries >= end - at) return 0;
    entries += at;
    if (count >= (end - entries) / (2 * word)) return 0;
    if (version == GO_118) code = relocated(e, at + 24);
    for (k = 0; k < count; k++) {
        size_t entry = (size_t)(entries + 2 * word * k);
        uint64_t start = elf_number(e, entry, word), stop = elf_number(e, entry + 2 * word, word);
        uint64_t place = elf_number(e, entry + word, word), from = version == GO_12 ? at : entries;
        uint64_t name;
        if (start >= stop || place >= end - from || end - from - place < word + 4) continue;
        name = elf_number(e, (size_t)(from + place + word), 4);
        if (name >= end - at - names) continue;
        name += at + names;
        if (!e->data[name]) continue;
        if (!memchr(e->data + name, 0, end - name < LONGEST ? (size_t)(end - name) : LONGEST))
            continue;
        if (!fits(s, e, (const char *)e->data + name)) break;
        add(&s->functions, code + start, code + stop, (const char *)e->data + name, NULL);
    }
    return 1;
}

/* It has a section of its own, or a linker put it into one with other data. */
static void add_go(symbols *s, elf_file *e) {
    elf_section names, at;
    dump_fault fault;
    uint64_t n, k;
    if (elf_get_section(e, e->names_index, &names, &fault) != 0) return;
    for (n = 0; n < e->section_count && e->is_64; n++) {
        int is_other;
        if (elf_get_section(e, n, &at, &fault) != 0 || at.type == ELF_NO_BYTES) continue;
        is_other = elf_name_is(e, &names, at.name, ".data.rel.ro");
        if (!is_other && !elf_name_is(e, &names, at.name, ".gopclntab")
            && !elf_name_is(e, &names, at.name, ".data.rel.ro.gopclntab"))
            continue;
        for (k = 0; k < at.size && (!k || is_other); k += 8) {
            if (add_go_table(s, e, at.offset + k, at.offset + at.size)) return;
        }
    }
}

static int by_start(const void *a, const void *b) {
    const symbol *x = (const symbol *)a, *y = (const symbol *)b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    if (!x->name != !y->name) return x->name ? 1 : -1;     /* a name comes last */
    return x->name ? strcmp(x->name, y->name) : 0;
}

static void sort(symbol_list *l) {
    if (l->count) qsort(l->at, l->count, sizeof *l->at, by_start);
}

static int has_section(const elf_file *e, uint64_t type) {
    elf_section s;
    dump_fault fault;
    uint64_t n;
    for (n = 0; n < e->section_count; n++) {
        if (elf_get_section(e, n, &s, &fault) == 0 && s.type == type) return 1;
    }
    return 0;
}

static int is_named(const void *owner, uint32_t number, const void *key) {
    const symbol *f = &((const symbols *)owner)->functions.at[number - 1];
    return !strcmp(f->name, ((const symbol *)key)->name);
}

static int is_named_in_unit(const void *owner, uint32_t number, const void *key) {
    const symbol *f = &((const symbols *)owner)->functions.at[number - 1];
    return is_named(owner, number, key) && !strcmp(f->unit, ((const symbol *)key)->unit);
}

/* One symbol may stand in both tables of a file: then it begins at one address. */
static void find_twins(symbols *s, hash_is *is, uint32_t level) {
    hash_table index = {NULL, 0, 0};
    size_t n;
    for (n = 0; n < s->functions.count && n < UINT32_MAX; n++) {
        symbol *f = &s->functions.at[n], *first;
        uint64_t hash;
        uint32_t *at;
        if (!f->name || (level > 1 && (!f->twin || !f->unit))) continue;
        hash = hash_string(f->name);
        if (level > 1) hash = hash_numbers(hash, hash_string(f->unit));
        at = hash_place(&index, hash, is, s, f);
        if (!*at) *at = (uint32_t)n + 1;
        first = &s->functions.at[*at - 1];
        if (first->start != f->start) first->twin = f->twin = level;
    }
    hash_free(&index);
}

void symbols_read(symbols *s, elf_file *e, const char *path, const char *root) {
    elf_file debug;
    dump_fault fault;
    add_starts(s, e);
    if (elf_find_sections(e, &fault) == 0) {
        s->is_whole = has_section(e, ELF_SYMBOLS);
        add_table(s, e, ELF_SYMBOLS);
        add_table(s, e, ELF_DYNAMIC_SYMBOLS);
        if (!s->is_whole && (debugfile_find(e, path, root, &debug) == 0
                             || debugfile_inside(e, &debug) == 0))
            add_table(s, &debug, ELF_SYMBOLS);
        if (!s->is_whole) add_go(s, e);
    }
    sort(&s->functions);
    sort(&s->labels);
    find_twins(s, is_named, 1);
    find_twins(s, is_named_in_unit, 2);
}

/* Those that begin at the address or before. */
static size_t upper(const symbol_list *l, uint64_t address) {
    size_t lo = 0, hi = l->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (l->at[mid].start <= address) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

symbol *symbols_at(symbols *s, uint64_t address) {
    enum { PARTS = 16 };
    size_t up = upper(&s->functions, address), n;
    symbol *f = up ? &s->functions.at[up - 1] : NULL;
    /* .eh_frame may have several records for one function of the symbols. */
    for (n = 1; f && !f->name && n < up && n < PARTS; n++) {
        symbol *before = &s->functions.at[up - 1 - n];
        if (before->name && address < before->end) f = before;
    }
    if (f && f->name && f->end > f->start && address >= f->end) f = NULL;
    return f;
}

symbol *symbols_begin(symbols *s, uint64_t address) {
    size_t up = upper(&s->functions, address);
    symbol *f = up ? &s->functions.at[up - 1] : NULL;
    return f && f->start == address && f->name ? f : NULL;
}

static symbol *nearest(symbol_list *l, uint64_t address) {
    enum { FAR = 1 << 16, TRIES = 256 };
    size_t up = upper(l, address), n;
    for (n = 0; n < up && n < TRIES; n++) {
        symbol *f = &l->at[up - 1 - n];
        uint64_t size = f->end - f->start;
        if (f->name && address - f->start < (size ? size : FAR)) return f;
    }
    return NULL;
}

symbol *symbols_around(symbols *s, uint64_t address) {
    symbol *f = nearest(&s->functions, address), *label = nearest(&s->labels, address);
    return !f || (label && label->start > f->start) ? label : f;
}

size_t symbols_length(const symbols *s, const symbol *f) {
    size_t whole = strlen(f->name), size = strcspn(f->name, "@");
    return s->is_made || !size ? whole : size;
}

void symbols_name(const symbols *s, const symbol *f, size_t most, text *out) {
    size_t size = symbols_length(s, f);
    text_bytes(out, f->name, size < most ? size : most);
    if (!f->twin || !f->unit) return;
    text_format(out, " (%.200s", f->unit);
    if (f->twin > 1) text_format(out, ":0x%llx", (unsigned long long)f->start);
    text_add(out, ")");
}

int symbols_address(const elf_file *e, uint64_t offset, uint64_t *address) {
    enum { EXECUTABLE = 1 };
    uint64_t n, page = 4096;
    int found = -1, is_code = 0;
    for (n = 0; n < e->segment_count; n++) {
        uint64_t header = e->segments + n * e->segment_bytes, from, before, inside;
        if (!e->is_64 || !elf_holds(e, header, 56)) return found;
        if (elf_number(e, (size_t)header, 4) != ELF_LOAD) continue;
        from = elf_number(e, (size_t)header + 8, 8);
        before = from & (page - 1);
        inside = offset - (from - before);
        if (inside >= before + elf_number(e, (size_t)header + 32, 8)) continue;
        /* Two segments may share a page of the file: the one of code is meant. */
        if (is_code && !(elf_number(e, (size_t)header + 4, 4) & EXECUTABLE)) continue;
        is_code = (elf_number(e, (size_t)header + 4, 4) & EXECUTABLE) != 0;
        *address = inside - before + elf_number(e, (size_t)header + 16, 8);
        found = 0;
    }
    return found;
}

void symbols_free(symbols *s) {
    size_t n;
    for (n = 0; n < s->functions.count && s->is_made; n++)
        free((char *)(uintptr_t)s->functions.at[n].name);
    free(s->functions.at);
    free(s->labels.at);
    memset(s, 0, sizeof *s);
}

/* ---- perf maps ---- */

#ifdef __linux__
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Anybody may put a file of that name into /tmp, a pipe without a writer as
   well. */
static FILE *open_map(const char *path, unsigned long owner, uint64_t until) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    struct stat s;
    FILE *f = NULL;
    if (file < 0) return NULL;
    if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) &&
        (!until || (uint64_t)s.st_mtime <= until) &&
        (s.st_uid == owner || s.st_uid == geteuid() || s.st_uid == 0))
        f = fdopen(file, "r");
    if (!f) close(file);
    return f;
}

/* "START SIZE NAME" in each line; the last one about a place is the one that
   counts. */
int symbols_read_map(symbols *s, long pid, unsigned long owner, uint64_t until) {
    char path[4200], line[2048], name[1024];
    symbol_list *l = &s->functions;
    size_t n, kept = 0;
    FILE *file;
    snprintf(path, sizeof path, "/proc/%ld/root/tmp/perf-%ld.map", pid, pid);
    file = open_map(path, owner, until);
    if (!file) {
        snprintf(path, sizeof path, "/tmp/perf-%ld.map", pid);
        file = open_map(path, owner, until);
    }
    s->is_made = 1;
    if (!file) return 0;
    while (fgets(line, sizeof line, file)) {
        unsigned long long start, size;
        if (sscanf(line, "%llx %llx %1023[^\n]", &start, &size, name) != 3) continue;
        if (!size || start + size < start) continue;
        add(l, start, start + size, strdup(name), NULL);
        l->at[l->count - 1].user = (uint32_t)l->count;     /* the order, for now */
    }
    fclose(file);
    sort(l);
    for (n = 0; n < l->count; n++) {
        symbol *last = kept ? &l->at[kept - 1] : NULL;
        if (last && last->start == l->at[n].start) {
            symbol one = l->at[n];
            if (one.user > last->user) {
                l->at[n] = *last;
                *last = one;
            }
            free((char *)(uintptr_t)l->at[n].name);
        } else l->at[kept++] = l->at[n];
    }
    l->count = kept;
    for (n = 0; n < kept; n++) l->at[n].user = 0;
    return 1;
}
#else
int symbols_read_map(symbols *s, long pid, unsigned long owner, uint64_t until) {
    (void)pid, (void)owner, (void)until;
    s->is_made = 1;
    return 0;
}
#endif
