/* fuzz_symbols.c - libFuzzer target: the reader of symbols (base/symbols.c) on a
   file from a stranger, and places in strings (base/named.c). The bytes are an
   ELF file, of which each place is asked; then a part of modules; then a string
   of such a recording. */
#include "base/named.h"
#include "base/symbols.h"
#include "../record/places_format.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(symbols *s, uint64_t address) {
    symbol *at = symbols_at(s, address), *begins = symbols_begin(s, address);
    symbol *around = symbols_around(s, address);
    if (begins && (begins->start != address || !begins->name)) abort();
    if (begins && symbols_length(s, begins) > strlen(begins->name)) abort();
    if (at && at->start > address) abort();
    if (around && (around->start > address || !around->name)) abort();
}

static void read_file(const uint8_t *data, size_t size) {
    elf_file e;
    symbols s;
    dump_fault fault;
    uint64_t address = 0;
    size_t n;
    if (!elf_is(data, size) || elf_begin(&e, data, size, &fault) != 0) return;
    memset(&s, 0, sizeof s);
    symbols_read(&s, &e, "/nowhere/file", "/nowhere");
    for (n = 0; n < s.functions.count; n++) {
        ask(&s, s.functions.at[n].start);
        ask(&s, s.functions.at[n].end);
    }
    for (n = 0; n < 64; n++) {
        ask(&s, n << n % 60);
        (void)symbols_address(&e, n << n % 60, &address);
    }
    symbols_free(&s);
}

static void read_modules(const uint8_t *data, size_t size) {
    text file = {NULL, 0, 0};
    dump_writer w;
    dump d;
    dump_fault fault;
    named *n;
    size_t got;
    dump_begin(&w, &file, PLACES_KIND);
    dump_put_bytes(&w, data, size);
    dump_end(&w);
    if (dump_read(&d, (const unsigned char *)file.data, file.size, &fault) != 0) abort();
    n = named_open(&d, &d.parts[0], NULL);
    if (n) (void)named_names(n)->words(named_names(n)->user, data, size, &got);
    named_free(n);
    dump_free(&d);
    text_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_file(data, size);
    read_modules(data, size);
    return 0;
}
