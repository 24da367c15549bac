/* answers.c - what a compiler once answered, in the cache.

   A file of the cache holds one answer: a line that says so, the answer, and a
   line that ends it. A file that is anything else counts as none. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#endif
#include "cc/run/answers.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/tool.h"
#include "cc/run/process.h"
#include "cc/run/runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <unistd.h>
#endif

static const char begins[] = "bursty cc answer 1\n", ends[] = "\nend\n";

#ifdef _WIN32
static char *compiler_file(const char *name) {
    (void)name;
    return NULL;
}
#else
/* The program of that name behind all links. To be freed. */
static char *compiler_file(const char *name) {
    const char *list = getenv("PATH");
    if (strchr(name, '/')) return realpath(name, NULL);
    while (list && *list) {
        size_t n = strcspn(list, ":"), size;
        char *path = (char *)tool_alloc(n + strlen(name) + 2), *real = NULL;
        memcpy(path, list, n);
        path[n] = '/';
        strcpy(path + n + 1, name);
        if (n && access(path, X_OK) == 0 && cc_regular_size(path, &size) == 0)
            real = realpath(path, NULL);
        free(path);
        if (real || !n) return real;               /* an empty folder is the current one */
        list += list[n] ? n + 1 : n;
    }
    return NULL;
}
#endif

/* Is it gcc or clang itself, and no script? */
static int is_compiler(const char *path) {
    const char *name = tool_last_part(path);
    FILE *file;
    int is;
    if (!strstr(name, "gcc") && !strstr(name, "g++") && !strstr(name, "clang")) return 0;
    file = fopen(path, "rb");
    if (!file) return 0;
    is = getc(file) != '#';
    fclose(file);
    return is;
}

/* Does it bring words, or macros, that stand elsewhere? */
static int hides_more(const char *word) {
    static const char *const begin[] = {"@",      "-include", "--include", "-imacros", "--imacros",
                                        "-specs", "--specs",  "--config",  "-wrapper", "-B"};
    size_t i;
    for (i = 0; i < sizeof begin / sizeof *begin; i++) {
        if (strncmp(word, begin[i], strlen(begin[i])) == 0) return 1;
    }
    return 0;
}

static uint64_t add_string(uint64_t hash, const char *s) {
    return hash_fnv(s ? s : "", s ? strlen(s) + 1 : 0, hash);
}

char *cc_answer_path(const cc_line *line, const char *question, const cc_command *words) {
    static const char *const obeyed[] = {"PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "CPATH",
                                         "C_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS"};
    char name[48], *program, *folder = NULL, *path = NULL;
    unsigned long stamp = 0;
    uint64_t hash;
    size_t i;
    if (line->compiler.count != 1) return NULL;
    for (i = 0; words && i < words->count; i++) {
        if (hides_more(words->words[i])) return NULL;
    }
    program = compiler_file(line->compiler.words[0]);
    if (program && is_compiler(program)) stamp = cc_file_stamp(program);
    if (stamp) folder = cc_cache_folder();
    if (folder) {
        hash = add_string(add_string(cc_embedded_hash(), question), program);
        hash = hash_fnv(&stamp, sizeof stamp, add_string(hash, line->compiler.words[0]));
        for (i = 0; i < sizeof obeyed / sizeof *obeyed; i++)
            hash = add_string(add_string(hash, obeyed[i]), getenv(obeyed[i]));
        for (i = 0; words && i < words->count; i++) hash = add_string(hash, words->words[i]);
        snprintf(name, sizeof name, "answer_%08lx%08lx", (unsigned long)(hash >> 32),
                 (unsigned long)(hash & 0xFFFFFFFF));
        path = cc_join(folder, name);
    }
    free(folder);
    free(program);
    return path;
}

char *cc_answer_read(const char *path) {
    const size_t first = sizeof begins - 1, last = sizeof ends - 1;
    char *all, *answer = NULL;
    size_t size = 0;
    if (!path || cc_regular_size(path, &size) != 0) return NULL;
    all = (char *)tool_read_file(path, NULL, &size);
    if (all && size >= first + last && memcmp(all, begins, first) == 0 &&
        memcmp(all + size - last, ends, last) == 0) {
        size -= first + last;
        answer = (char *)tool_alloc(size + 1);
        memcpy(answer, all + first, size);
        answer[size] = 0;
        if (strlen(answer) != size || strchr(answer, '\n')) {
            free(answer);
            answer = NULL;
        }
    }
    free(all);
    return answer;
}

void cc_answer_keep(const char *path, const char *answer) {
    char number[32], *part;
    text t = {NULL, 0, 0};
    if (!path) return;
    text_add(&t, begins);
    text_add(&t, answer);
    text_add(&t, ends);
    snprintf(number, sizeof number, ".%lu", cc_process());
    part = cc_join(path, number);
    if (cc_write_file(part, t.data, t.size) != TOOL_OK || rename(part, path) != 0) remove(part);
    text_free(&t);
    free(part);
}
