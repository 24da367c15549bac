/* fuzz_notes.c - libFuzzer target: gcc's notes of a program that counts, from
   strangers. Tables that they become must be read again by whatever reads a
   dump. */
#include "base/input.h"
#include "base/tool.h"
#include "cc/cxx/notes.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *name_file(void *user, const char *file) {
    (void)user;
    return strncmp(file, "/usr/", 5) == 0 ? NULL : text_clean(file, strlen(file));
}

static int hash_file(void *user, const char *file, uint64_t *hash) {
    (void)user;
    *hash = strlen(file);
    return *file ? 0 : -1;
}

static char *name_function(void *choice, const char *name) {
    (void)choice;
    return *name == 'x' ? NULL : text_name(name, strlen(name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const cc_notes_files files = {name_file, hash_file, NULL, name_function, NULL};
    text out = {NULL, 0, 0}, again = {NULL, 0, 0};
    dump_fault fault;
    uint64_t hash;
    if (cc_notes_hash(data, size, &hash, &fault) == 0 &&
        cc_notes_read(data, size, "bursty-1", &files, &out, &fault) == 0) {
        input in;
        memset(&in, 0, sizeof in);
        if (input_take(&in, "notes", &out) != TOOL_OK) abort();
        input_settle(&in);
        input_write(&in, &again);
        input_free(&in);
    }
    text_free(&out);
    text_free(&again);
    return 0;
}
