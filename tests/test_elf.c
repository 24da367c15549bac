/* test_elf.c - the reader of ELF files: both sizes and byte orders say the
   same, every cut of a file is refused or harmless, and tables that point
   outside of the file are not followed. */
#include "test.h"
#include "base/elf.h"

enum { SIZE = 512, SECTIONS = 256, SEGMENTS = 128, TEXT_AT = 240 };

static unsigned char file[SIZE];
static int is_64, is_big;

static void put(size_t at, size_t bytes, uint64_t value) {
    size_t i;
    for (i = 0; i < bytes; i++)
        file[at + i] = (unsigned char)(value >> 8 * (is_big ? bytes - 1 - i : i));
}

static void put_section(unsigned n, uint64_t name, uint64_t type, uint64_t offset, uint64_t size) {
    size_t at = SECTIONS + n * (is_64 ? 64u : 40u), word = is_64 ? 8 : 4;
    put(at, 4, name);
    put(at + 4, 4, type);
    put(at + 8 + 2 * word, word, offset);
    put(at + 8 + 3 * word, word, size);
    put(at + 8 + 4 * word, 4, 1);
}

/* Three sections (none, names, symbols) and one segment. */
static void make(int wide, int big) {
    size_t word, at;
    memset(file, 0, sizeof file);
    is_64 = wide;
    is_big = big;
    word = is_64 ? 8 : 4;
    at = is_64 ? 54 : 42;
    memcpy(file, "\177ELF", 4);
    file[4] = (unsigned char)(1 + is_64);
    file[5] = (unsigned char)(1 + is_big);
    put(16, 2, ELF_SHARED);
    put(18, 2, ELF_X86_64);
    put(24 + word, word, SEGMENTS);
    put(24 + 2 * word, word, SECTIONS);
    put(at, 2, is_64 ? 56 : 32);
    put(at + 2, 2, 1);
    put(at + 4, 2, is_64 ? 64 : 40);
    put(at + 6, 2, 3);
    put(at + 8, 2, 1);
    memcpy(file + TEXT_AT, "\0.names\0.more", 14);
    put_section(1, 1, 3, TEXT_AT, 14);
    put_section(2, 8, ELF_SYMBOLS, 200, 40);
    put(SEGMENTS, 4, ELF_LOAD);
    put(SEGMENTS + word, word, 100);
    put(SEGMENTS + 4 * word, word, 50);
}

static const struct { int wide, big; } shapes[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};

TEST(all_shapes_say_the_same) {
    size_t i;
    for (i = 0; i < 4; i++) {
        elf_file e;
        elf_section names, s;
        elf_segment p;
        dump_fault fault;
        make(shapes[i].wide, shapes[i].big);
        CHECK(elf_is(file, SIZE));
        CHECK_EQ(elf_begin(&e, file, SIZE, &fault), 0);
        CHECK_EQ(elf_find_sections(&e, &fault), 0);
        CHECK_EQ(e.type, ELF_SHARED);
        CHECK_EQ(e.machine, ELF_X86_64);
        CHECK_EQ(e.section_count, 3);
        CHECK_EQ(elf_get_section(&e, e.names_index, &names, &fault), 0);
        CHECK_EQ(elf_get_section(&e, 2, &s, &fault), 0);
        CHECK(s.type == ELF_SYMBOLS && s.offset == 200 && s.size == 40 && s.link == 1);
        CHECK(elf_name_is(&e, &names, s.name, ".more"));
        CHECK(!elf_name_is(&e, &names, s.name, ".mor"));
        CHECK(!elf_name_is(&e, &names, 13, ".more"));
        CHECK(!elf_name_is(&e, &names, 999, ""));
        CHECK_EQ(elf_get_section(&e, 3, &s, &fault), -1);
        CHECK_EQ(elf_get_segment(&e, 0, &p), 0);
        CHECK(p.type == ELF_LOAD && p.offset == 100 && p.size == 50);
        CHECK_EQ(elf_get_segment(&e, 1, &p), -1);
    }
}

/* What a cut file says is inside of what is left. */
TEST(every_cut) {
    size_t i, size, begun = 0, whole = 0;
    for (i = 0; i < 4; i++) {
        make(shapes[i].wide, shapes[i].big);
        for (size = 0; size <= SIZE; size++) {
            unsigned char *copy = (unsigned char *)malloc(size ? size : 1);
            elf_file e;
            elf_section s;
            elf_segment p;
            dump_fault fault;
            uint64_t n;
            if (!copy) continue;
            memcpy(copy, file, size);
            if (elf_begin(&e, copy, size, &fault) == 0) {
                begun++;
                if (elf_get_segment(&e, 0, &p) == 0) CHECK(size >= SEGMENTS + e.segment_bytes);
                if (elf_find_sections(&e, &fault) == 0) {
                    whole++;
                    for (n = 0; n < e.section_count; n++) {
                        if (elf_get_section(&e, n, &s, &fault) == 0)
                            CHECK(s.offset + s.size <= size);
                    }
                }
            }
            free(copy);
        }
    }
    CHECK_EQ(begun, 2 * (SIZE + 1 - 52) + 2 * (SIZE + 1 - 64));
    CHECK_EQ(whole, 2 * (SIZE + 1 - 256 - 120) + 2 * (SIZE + 1 - 256 - 192));
}

TEST(numbers_that_lie) {
    elf_file e;
    elf_section s;
    elf_segment p;
    dump_fault fault;
    make(1, 0);
    put_section(2, 8, ELF_SYMBOLS, 500, 13);            /* one byte too long */
    CHECK_EQ(elf_begin(&e, file, SIZE, &fault), 0);
    CHECK_EQ(elf_find_sections(&e, &fault), 0);
    CHECK_EQ(elf_get_section(&e, 2, &s, &fault), -1);
    put_section(2, 8, ELF_SYMBOLS, UINT64_MAX - 5, 10); /* the sum is small */
    CHECK_EQ(elf_get_section(&e, 2, &s, &fault), -1);
    put_section(2, 8, ELF_NO_BYTES, 500, 1 << 20);      /* takes no bytes of the file */
    CHECK_EQ(elf_get_section(&e, 2, &s, &fault), 0);
    put(32, 8, UINT64_MAX - 20);                        /* segments */
    CHECK_EQ(elf_begin(&e, file, SIZE, &fault), 0);
    CHECK_EQ(elf_get_segment(&e, 0, &p), -1);
    put(40, 8, UINT64_MAX - 100);                       /* sections */
    CHECK_EQ(elf_begin(&e, file, SIZE, &fault), 0);
    CHECK_EQ(elf_find_sections(&e, &fault), -1);
    make(1, 0);
    put(58, 2, 8);                                      /* headers too small for what they hold */
    CHECK_EQ(elf_begin(&e, file, SIZE, &fault), 0);
    CHECK_EQ(elf_find_sections(&e, &fault), -1);
}

/* All that is read together is no more than the file. */
TEST(sections_at_one_place) {
    elf_file e;
    elf_section s;
    dump_fault fault;
    unsigned taken = 0;
    make(0, 1);
    put_section(2, 8, ELF_SYMBOLS, 0, SIZE / 2);
    CHECK_EQ(elf_begin(&e, file, SIZE, &fault), 0);
    CHECK_EQ(elf_find_sections(&e, &fault), 0);
    CHECK_EQ(elf_get_section(&e, 2, &s, &fault), 0);
    while (taken < 9 && elf_take(&e, &s, &fault) == 0) taken++;
    CHECK_EQ(taken, 2);
}

/* With more than 65279 sections, section 0 has their number and where the names
   are. */
TEST(numbers_in_section_0) {
    elf_file e;
    dump_fault fault;
    make(1, 0);
    put(60, 2, 0);
    put(62, 2, 0xFFFF);
    put(SECTIONS + 32, 8, 3);
    put(SECTIONS + 40, 4, 1);
    CHECK_EQ(elf_begin(&e, file, SIZE, &fault), 0);
    CHECK_EQ(elf_find_sections(&e, &fault), 0);
    CHECK_EQ(e.section_count, 3);
    CHECK_EQ(e.names_index, 1);
}

/* A stripped file whose header counts sections all the same: there is no table
   that they could stand in. */
TEST(sections_without_a_table) {
    size_t i;
    for (i = 0; i < 4; i++) {
        elf_file e;
        elf_section s;
        dump_fault fault;
        make(shapes[i].wide, shapes[i].big);
        put(24 + 2 * (shapes[i].wide ? 8u : 4u), shapes[i].wide ? 8 : 4, 0);
        put(shapes[i].wide ? 60 : 48, 2, 0xFFFF);
        CHECK_EQ(elf_begin(&e, file, SIZE, &fault), 0);
        CHECK_EQ(e.section_count, 0);
        CHECK_EQ(elf_find_sections(&e, &fault), 0);
        CHECK_EQ(e.section_count, 0);
        CHECK_EQ(elf_get_section(&e, 0xFFFE, &s, &fault), -1);
    }
}

/* Everything that is asked of a file of which two numbers say anything. */
static void ask_all(const unsigned char *data, size_t size) {
    elf_file e;
    elf_section s, names;
    elf_segment p;
    dump_fault fault;
    uint64_t n;
    int has_names;
    if (elf_begin(&e, data, size, &fault) != 0) return;
    for (n = 0; n < 3; n++) (void)elf_get_segment(&e, n, &p);
    (void)elf_get_segment(&e, e.segment_count - 1, &p);
    if (elf_find_sections(&e, &fault) != 0) CHECK_EQ(e.section_count, 0);
    CHECK(e.section_count <= size / 40);
    has_names = elf_get_section(&e, e.names_index, &names, &fault) == 0;
    for (n = 0; n <= e.section_count; n++) {
        if (elf_get_section(&e, n, &s, &fault) != 0) continue;
        CHECK(s.type == ELF_NO_BYTES || (s.size <= size && s.offset <= size - s.size));
        if (has_names) (void)elf_name_is(&e, &names, s.name, ".names");
        (void)elf_take(&e, &s, &fault);
    }
}

/* Each pair of bytes of the header, the segments and the sections, with values
   at which arithmetic turns over. The copy ends where its memory ends. */
TEST(every_two_bytes_lie) {
    static const unsigned char values[] = {0, 1, 0x7F, 0x80, 0xFF};
    static unsigned char copy[SIZE];
    size_t i, at, v, w;
    for (i = 0; i < 4; i++) {
        make(shapes[i].wide, shapes[i].big);
        for (at = 6; at + 1 < SIZE; at++) {
            for (v = 0; v < 25; v++) {
                memcpy(copy, file, SIZE);
                copy[at] = values[v / 5];
                copy[at + 1] = values[v % 5];
                ask_all(copy, SIZE);
                if (v % 6) continue;            /* and a whole number of eight bytes */
                for (w = at; w < at + 8 && w < SIZE; w++) copy[w] = values[v / 5];
                ask_all(copy, SIZE);
            }
        }
    }
}
