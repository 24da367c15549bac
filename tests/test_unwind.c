/* test_unwind.c - rules out of .eh_frame of this program's own file: they are
   those of the header's reader (test_x86flow.c compares them), and no damage of
   the file leads outside of it. */
#include "test.h"
#include "base/tool.h"
#include "base/unwind.h"

static unsigned char *data;
static size_t size;
static elf_file file;
static unwind_file rules;

/* 0 if this machine's programs have none. */
static int open_own(void) {
    dump_fault fault;
    FILE *own = fopen("/proc/self/exe", "rb");
    long end;
    if (!own) return 0;
    free(data);
    data = NULL;
    if (fseek(own, 0, SEEK_END) == 0 && (end = ftell(own)) > 0) {
        size = (size_t)end;
        data = (unsigned char *)malloc(size);
        rewind(own);
        if (data && fread(data, 1, size, own) != size) size = 0;
    }
    fclose(own);
    if (!data || !size || elf_begin(&file, data, size, &fault) != 0) return 0;
    if (!file.is_64 || file.machine != ELF_X86_64) return 0;
    unwind_begin(&rules, &file);
    return rules.count > 0;
}

/* Where the n-th function starts. */
static uint64_t start_of(uint64_t n) {
    uint64_t at = rules.header + 8 * n;
    unsigned k;
    for (k = 0; k < rules.load_count; k++) {
        const unwind_load *l = &rules.loads[k];
        if (at - l->address < l->size)
            return rules.base
                   + (uint64_t)(int64_t)(int32_t)elf_number(&file, (size_t)(l->offset + at - l->address), 4);
    }
    return 0;
}

TEST(at_its_start_a_function_has_its_return_address_on_top) {
    uint64_t n, found = 0;
    unwind_rule rule;
    if (!open_own()) {
        SKIP("x86-64 with .eh_frame_hdr only");
        return;
    }
    for (n = 0; n < rules.count; n++) {
        if (unwind_find(&rules, start_of(n), &rule) != UNWIND_FOUND) continue;
        if (rule.reg == 7 && rule.offset == 8 && !rule.rbp_saved) found++;
    }
    CHECK(found * 2 > rules.count);               /* the others are parts of functions */
    CHECK(unwind_find(&rules, 0, &rule) == UNWIND_UNKNOWN);
    CHECK(unwind_find(&rules, UINT64_MAX, &rule) == UNWIND_UNKNOWN);
}

/* Of a program that has both, the records say what the table's records say. */
TEST(a_file_without_the_table_has_the_same_rules) {
    uint64_t n, k, count;
    unwind_file bare;
    if (!open_own()) {
        SKIP("x86-64 with .eh_frame_hdr only");
        return;
    }
    bare = rules;
    bare.count = 0;
    unwind_index(&bare, &file);
    count = bare.row_count;
    CHECK(count >= rules.count);
    for (n = 0; n < rules.count; n++) {
        for (k = 0; k < 64; k += 7) {
            unwind_rule a, b;
            int status = unwind_find(&rules, start_of(n) + k, &a);
            if (status != UNWIND_FOUND) continue;
            CHECK(unwind_find(&bare, start_of(n) + k, &b) == UNWIND_FOUND);
            CHECK(a.reg == b.reg && a.offset == b.offset && a.rbp_saved == b.rbp_saved);
        }
    }
    free(bare.rows);
}

static uint32_t next(uint32_t *seed) { return *seed = *seed * 1664525u + 1013904223u; }

TEST(no_damage_leads_outside_of_the_file) {
    uint32_t seed = 7, n, k;
    uint64_t frames;
    unwind_rule rule;
    if (!open_own()) {
        SKIP("x86-64 with .eh_frame_hdr only");
        return;
    }
    for (frames = 0; frames < rules.load_count; frames++) {
        const unwind_load *l = &rules.loads[frames];
        if (rules.header - l->address >= l->size) continue;
        for (n = 0; n < 3000; n++) {              /* each byte that changes stays changed */
            uint64_t at = l->offset + next(&seed) % l->size;
            data[at] = (unsigned char)(next(&seed) >> 24);
            unwind_begin(&rules, &file);
            for (k = 0; k < 20 && rules.count; k++)
                (void)unwind_find(&rules, start_of(next(&seed) % rules.count) + next(&seed) % 64, &rule);
        }
    }
    CHECK(open_own());
    for (n = 0; n < 300; n++) {                   /* without the table */
        unwind_file bare = rules;
        elf_file damaged = file;
        bare.count = 0;
        for (k = 0; k < 40; k++)
            data[64 + next(&seed) % (size - 64)] = (unsigned char)(next(&seed) >> 24);
        unwind_index(&bare, &damaged);
        for (k = 0; k < 20 && bare.row_count; k++) {
            uint64_t start = bare.rows[next(&seed) % bare.row_count].start;
            (void)unwind_find(&bare, start + next(&seed) % 64, &rule);
        }
        free(bare.rows);
    }
    CHECK(open_own());
    for (n = 0; n < 200; n++) {                   /* a file that is cut */
        dump_fault fault;
        size_t cut = next(&seed) % size;
        unsigned char *copy = (unsigned char *)malloc(cut ? cut : 1);
        CHECK(copy != NULL);
        memcpy(copy, data, cut);
        if (elf_begin(&file, copy, cut, &fault) == 0) {
            unwind_begin(&rules, &file);
            for (k = 0; k < 20 && rules.count; k++)
                (void)unwind_find(&rules, start_of(next(&seed) % rules.count) + next(&seed) % 64, &rule);
        }
        free(copy);
    }
}
