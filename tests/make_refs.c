/* make_refs.c - writes small traces for tests: make_refs KIND writes KIND.refs,
   and for refs KIND.table, in the current folder.

   example   the worked example abaabcabcabcabc, every letter a reference
   loops     a program that walks 6 lists in random order, with calls, back-edges and returns
   planted   12 streams between fresh references */
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

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*make)(void);
    } kinds[] = { { "example", example }, { "loops", loops }, { "planted", planted } };
    size_t i;
    for (i = 0; argc == 2 && i < 3; i++) {
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
