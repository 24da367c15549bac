/* make_refs.c - writes small traces for tests: make_refs KIND writes KIND.refs,
   and for refs KIND.table, in the current folder.

   example   the worked example abaabcabcabcabc, every letter a reference
   loops     a program that walks 6 lists in random order, with calls, back-edges and returns
   planted   12 streams between fresh references
   thin      a program whose loops and calls are known; also thin.pairs and thin.loops */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* splitmix64 */
static uint64_t test_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static FILE *refs, *table;

static void word(FILE *file, uint64_t value, int bytes) {
    for (; bytes-- > 0; value >>= 8) {
        fputc((int)(value & 255), file);
    }
}
static void event(uint32_t number) { word(refs, number, 4); }
static void row(uint64_t pc, uint64_t address) {
    word(table, pc, 8);
    word(table, address, 8);
}

static void example(void) {
    const char *at;
    for (at = "abaabcabcabcabc"; *at; at++) {
        event((uint32_t)(*at - 'a'));
    }
    for (at = "abc"; *at; at++) {
        row((uint64_t)*at, 0x1000);
    }
}

static void loops(void) {
    uint64_t seed = 1;
    uint32_t i, k;
    for (i = 0; i < 6; i++) {
        for (k = 0; k < 12 + i; k++) {
            row(0x400000 + i * 256 + k * 4, 0x10000 + i * 4096 + k * 64);
        }
    }
    for (i = 0; i < 4000; i++) {
        uint32_t list = (uint32_t)(test_random(&seed) % 6),
                 first = list * 12 + list * (list - 1) / 2;
        event(0x80000000u + list);
        for (k = 0; k < 12 + list; k++) {
            event(first + k);
            event(0xC0000000u);
        }
        event(0xE0000000u);
    }
}

static void planted(void) {
    uint64_t seed = 2;
    uint32_t i, k, fresh = 12 * 40;
    for (i = 0; i < 20000; i++) {
        row(0x400000 + i * 4, 0x100000 + i * 8);
    }
    for (i = 0; i < 1500; i++) {
        uint32_t plant = (uint32_t)(test_random(&seed) % 12);
        for (k = 0; k < 12 + plant * 2; k++) {
            event(plant * 40 + k);
        }
        for (k = (uint32_t)(test_random(&seed) % 8); k; k--) {
            event(fresh++);
        }
    }
}

/* main, 500 rounds: f, which has loops of 3, 7 and 12 instructions; g, which
   calls itself twice; h, whose loop has another one of 2 in it, 3 instructions
   behind that, and a loop that goes round once a time; k, which calls e. So a
   round has 7 entries and 26 back-edges of 6 loops, and references
   1 + 5 (3 + 7 + 12) + 3 + 3 (4 x 2 + 3 + 2). */
static void rounds(uint32_t times, uint32_t first, uint32_t each, uint32_t loop) {
    uint32_t i, k;
    for (i = 0; i < times; i++) {
        for (k = 0; k < each; k++) event(first + k);
        if (i + 1 < times) event(0xC0000000u + loop);
    }
}
static void thin(void) {
    static const uint64_t pairs[7][2] = {{0, 0x100}, {0x100, 0x1000}, {0x100, 0x2000},
        {0x2000, 0x2000}, {0x100, 0x3000}, {0x100, 0x4000}, {0x4000, 0x5000}};
    static const uint64_t loops[7][2] = {{0x100, 0x110}, {0x1000, 0x1010}, {0x1000, 0x1100},
        {0x1000, 0x1200}, {0x3000, 0x3010}, {0x3000, 0x3020}, {0x3000, 0x3080}};
    enum { IN_MAIN, IN_F, SEVEN = 4, TWELVE = 11, IN_G = 23, IN_H, BEHIND = 26, ONCE = 29 };
    static const uint64_t pc[30] = {0x118, 0x1014, 0x1018, 0x101C, 0x1104, 0x1108, 0x110C,
        0x1110, 0x1114, 0x1118, 0x111C, 0x1204, 0x1208, 0x120C, 0x1210, 0x1214, 0x1218,
        0x121C, 0x1220, 0x1224, 0x1228, 0x122C, 0x1230, 0x2004, 0x3024, 0x3028, 0x3040,
        0x3044, 0x3048, 0x3084};
    FILE *other[2];
    uint32_t i, k;
    other[0] = fopen("thin.pairs", "wb");
    other[1] = fopen("thin.loops", "wb");
    if (!other[0] || !other[1]) return;
    for (i = 0; i < 14; i++) {
        word(other[0], pairs[i / 2][i % 2], 8);
        word(other[1], loops[i / 2][i % 2], 8);
    }
    if (fclose(other[0]) != 0 || fclose(other[1]) != 0) return;
    for (i = 0; i < 30; i++) row(pc[i], 0x10000 + i * 8);
    event(0x80000000u);
    for (i = 0; i < 500; i++) {
        event(IN_MAIN);
        event(0x80000001u);
        rounds(5, IN_F, 3, 1);
        rounds(5, SEVEN, 7, 2);
        rounds(5, TWELVE, 12, 3);
        event(0xE0000000u);
        for (k = 0; k < 3; k++) {
            event(0x80000002u + (k > 0));
            event(IN_G);
        }
        for (k = 0; k < 3; k++) event(0xE0000000u);
        event(0x80000004u);
        for (k = 0; k < 3; k++) {
            rounds(4, IN_H, 2, 5);
            rounds(1, BEHIND, 3, 0);
            rounds(2, ONCE, 1, 6);
            if (k < 2) event(0xC0000004u);
        }
        event(0xE0000000u);
        event(0x80000005u);
        event(0x80000006u);
        event(0xE0000000u);
        event(0xE0000000u);
        if (i < 499) event(0xC0000000u);
    }
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*make)(void);
    } kinds[] = {{"example", example}, {"loops", loops}, {"planted", planted}, {"thin", thin}};
    size_t i;
    for (i = 0; argc == 2 && i < 4; i++) {
        char path[64];
        if (strcmp(argv[1], kinds[i].name) != 0) {
            continue;
        }
        sprintf(path, "%s.refs", argv[1]);
        refs = fopen(path, "wb");
        sprintf(path, "%s.table", argv[1]);
        table = fopen(path, "wb");
        if (!refs || !table) {
            return 1;
        }
        kinds[i].make();
        return fclose(refs) != 0 || fclose(table) != 0;
    }
    return 2;
}
