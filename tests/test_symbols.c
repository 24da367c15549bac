/* test_symbols.c - names of places in ELF files: Go's own table in each of its
   versions, wherever a linker put it; and names that are more than their file. */
#include "test.h"
#include "base/symbols.h"

enum { SIZE = 4096, NAMES = 0x100, SECTIONS = 0x200, GO = 0x400, MOVED = 0x700, SYMS = 0x800,
       STRINGS = 0x900, BASE = 0x400000, CODE = 0x401000 };

static unsigned char file[SIZE];
static unsigned section_count;

static void put(size_t at, size_t bytes, uint64_t value) {
    size_t i;
    for (i = 0; i < bytes; i++) file[at + i] = (unsigned char)(value >> 8 * i);
}

static void add_section(const char *name, uint64_t type, size_t offset, size_t size) {
    static size_t used;
    size_t at = SECTIONS + 64 * section_count;
    if (!section_count++) used = 1;
    else {
        strcpy((char *)file + NAMES + used, name);
        put(at, 4, used);
        put(at + 4, 4, type);
        put(at + 24, 8, offset);
        put(at + 32, 8, size);
        used += strlen(name) + 1;
    }
    put(60, 2, section_count);
}

/* Section 1 has the names of sections. The whole file is loaded at BASE. */
static void begin(void) {
    memset(file, 0, sizeof file);
    section_count = 0;
    memcpy(file, "\177ELF\2\1\1", 7);
    put(16, 2, ELF_PROGRAM);
    put(18, 2, ELF_X86_64);
    put(32, 8, 64);
    put(40, 8, SECTIONS);
    put(54, 2, 56);
    put(56, 2, 1);
    put(58, 2, 64);
    put(62, 2, 1);
    put(64, 4, ELF_LOAD);
    put(68, 4, 5);
    put(80, 8, BASE);
    put(96, 8, SIZE);
    put(104, 8, SIZE);
    add_section("", 0, 0, 0);
    add_section(".names", 3, NAMES, 0x100);
}

static const char *const functions[] = {"main.hot", "main.(*T).warm", "runtime.goexit"};

/* Three functions of 0x40 bytes from CODE on, as the table at a place says it.
   code: what stands there for it. */
static void put_go(size_t at, uint32_t magic, uint64_t code) {
    int is_new = (magic & 0xFF) < 0xFA, is_first = magic == 0xFFFFFFFB;
    size_t word = is_new ? 4 : 8, n, names = 0x60, entries = is_first ? 16 : 0xA0;
    size_t from = is_first ? 0 : entries, records = at + 0xA0 + 0x60, name = names;
    put(at, 4, magic);
    put(at + 6, 1, 1);
    put(at + 7, 1, 8);
    put(at + 8, 8, 3);
    if (!is_first) {
        if (is_new) put(at + 24, 8, code);
        put(at + (is_new ? 32 : 24), 8, names);
        put(at + (is_new ? 64 : 56), 8, entries);
    }
    for (n = 0; n < 4; n++) {
        uint64_t start = 0x40 * n + (is_new ? 0 : CODE);
        put(at + entries + 2 * word * n, word, start);
        if (n == 3) break;
        put(at + entries + 2 * word * n + word, word, records + 16 * n - at - from);
        put(records + 16 * n, word, start);
        put(records + 16 * n + word, 4, name - (is_first ? 0 : names));
        strcpy((char *)file + at + name, functions[n]);
        name += strlen(functions[n]) + 1;
    }
}

static void read_file(symbols *s, elf_file *e, const unsigned char *data, size_t size) {
    dump_fault fault;
    memset(s, 0, sizeof *s);
    if (elf_begin(e, data, size, &fault) == 0) symbols_read(s, e, "/nowhere/file", "/nowhere");
}

static const char *name_at(symbols *s, uint64_t address) {
    const symbol *f = symbols_at(s, address);
    return f && f->name ? f->name : "(none)";
}

static void finds_all(void) {
    elf_file e;
    symbols s;
    unsigned n;
    read_file(&s, &e, file, sizeof file);
    CHECK_EQ(s.functions.count, 3);
    for (n = 0; n < 3; n++) {
        CHECK_STR(name_at(&s, CODE + 0x40 * n), functions[n]);
        CHECK_STR(name_at(&s, CODE + 0x40 * n + 0x3F), functions[n]);
    }
    CHECK_STR(name_at(&s, CODE - 1), "(none)");
    CHECK_STR(name_at(&s, CODE + 0xC0), "(none)");
    symbols_free(&s);
}

static const uint32_t magics[] = {0xFFFFFFFB, 0xFFFFFFFA, 0xFFFFFFF0, 0xFFFFFFF1};

TEST(go_in_each_version) {
    size_t n;
    for (n = 0; n < 4; n++) {
        begin();
        add_section(".gopclntab", 1, GO, 0x200);
        put_go(GO, magics[n], CODE);
        finds_all();
        begin();
        add_section(".data.rel.ro.gopclntab", 1, GO, 0x200);
        put_go(GO, magics[n], CODE);
        finds_all();
    }
}

TEST(go_among_other_data) {
    size_t n;
    for (n = 0; n < 4; n++) {
        begin();
        add_section(".data.rel.ro", 1, GO - 0x20, 0x240);
        put(GO - 0x20, 4, magics[n]);             /* no table */
        put_go(GO, magics[n], CODE);
        finds_all();
    }
}

/* The loader is to write where the code begins. */
TEST(go_where_code_is_relocated) {
    begin();
    add_section(".gopclntab", 1, GO, 0x200);
    add_section(".rela.dyn", 4, MOVED, 72);
    put_go(GO, 0xFFFFFFF1, 0);
    put(MOVED, 8, BASE + GO + 16);
    put(MOVED + 8, 8, 8);
    put(MOVED + 16, 8, 0x1234);
    put(MOVED + 24, 8, BASE + GO + 24);
    put(MOVED + 32, 8, 6);
    put(MOVED + 40, 8, 0x1234);
    put(MOVED + 48, 8, BASE + GO + 24);
    put(MOVED + 56, 8, 8);
    put(MOVED + 64, 8, CODE);
    finds_all();
}

/* Who has symbols needs no other table. */
TEST(go_with_symbols) {
    elf_file e;
    symbols s;
    begin();
    add_section(".gopclntab", 1, GO, 0x200);
    put_go(GO, 0xFFFFFFF1, CODE);
    add_section(".symtab", ELF_SYMBOLS, SYMS, 48);
    put(SECTIONS + 64 * 3 + 40, 4, 4);
    add_section(".strtab", 3, STRINGS, 16);
    strcpy((char *)file + STRINGS + 1, "own");
    put(SYMS + 24, 4, 1);
    put(SYMS + 28, 1, 0x12);
    put(SYMS + 30, 2, 1);
    put(SYMS + 32, 8, CODE);
    put(SYMS + 40, 8, 0x40);
    read_file(&s, &e, file, sizeof file);
    CHECK_EQ(s.functions.count, 1);
    CHECK_STR(name_at(&s, CODE), "own");
    symbols_free(&s);
}

/* Cut and changed: nothing outside of the file is read, and no name is long. */
TEST(any_bytes) {
    uint64_t z = 7;
    size_t round, k, n;
    for (round = 0; round < 40000 / TEST_SCALE; round++) {
        unsigned char *copy;
        size_t size = sizeof file;
        elf_file e;
        symbols s;
        begin();
        add_section(round & 4 ? ".gopclntab" : ".data.rel.ro", 1, GO, 0x200);
        add_section(".rela.dyn", 4, MOVED, 72);
        put_go(GO, magics[round % 4], round & 8 ? CODE : 0);
        for (k = 0; k < 1 + round % 3; k++) {
            z = z * UINT64_C(6364136223846793005) + 1442695040888963407u;
            file[(round & 16 ? GO : SECTIONS) + (z >> 40) % 0x200] = (unsigned char)(z >> 30);
        }
        if (round % 5 == 0) size -= (z >> 20) % (sizeof file - 64);
        copy = (unsigned char *)malloc(size);
        memcpy(copy, file, size);
        read_file(&s, &e, copy, size);
        for (n = 0; n < s.functions.count; n++) {
            const char *name = s.functions.at[n].name;
            CHECK(name >= (char *)copy && name < (char *)copy + size && strlen(name) <= 1000);
        }
        symbols_free(&s);
        free(copy);
    }
}

/* A thousand symbols of one name that is as long as the file: to look through all
   would cost the square of the file. */
TEST(names_that_are_more_than_the_file) {
    enum { COUNT = 1000, LONG = 30000, WHOLE = SIZE + 24 * COUNT + LONG };
    unsigned char *whole = (unsigned char *)calloc(1, WHOLE);
    elf_file e;
    symbols s;
    size_t n;
    int is_long;
    for (is_long = 0; is_long < 2; is_long++) {
        begin();
        add_section(".symtab", ELF_SYMBOLS, SIZE, 24 * COUNT);
        put(SECTIONS + 64 * 2 + 40, 4, 3);
        add_section(".strtab", 3, SIZE + 24 * COUNT, LONG);
        memcpy(whole, file, SIZE);
        memset(whole + SIZE + 24 * COUNT, 'x', LONG - 1);
        for (n = 0; n < COUNT; n++) {
            unsigned char *at = whole + SIZE + 24 * n;
            size_t name = is_long ? n % 99 : LONG - 100 + n % 99;
            at[0] = (unsigned char)name;
            at[1] = (unsigned char)(name >> 8);
            at[4] = 0x12;
            at[6] = 1;
            at[8] = (unsigned char)(n >> 4);
            at[9] = (unsigned char)(1 + (n >> 12));
        }
        read_file(&s, &e, whole, WHOLE);
        if (is_long) CHECK(s.functions.count * (LONG - 100) <= 9 * WHOLE);
        else CHECK_EQ(s.functions.count, COUNT);
        symbols_free(&s);
    }
    free(whole);
}
