/* answers.c - what a compiler once answered, in the cache.

   A file of the cache holds one answer: a line with the number of its question
   and a sum of the answer, and the answer. A file that is anything else, or that
   others can write, counts as none. There are MOST_FILES: then the oldest goes. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#endif
#include "cc/run/answers.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/tool.h"
#include "cc/run/cache.h"
#include "cc/run/process.h"
#include "cc/run/runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <unistd.h>
#endif

enum { MOST_FILES = 1024, MOST_BYTES = 8192 };

static const char begins[] = "answer_";

struct cc_answer {
    char *folder, *path;
    uint64_t question;
};

#ifdef _WIN32
static void remove_oldest(const char *folder) { (void)folder; }
static uint64_t add_file(uint64_t hash, const char *path) {
    (void)path;
    return hash;
}
static uint64_t add_settings(uint64_t hash, const char *program) {
    (void)program;
    return hash;
}
static char *compiler_file(const char *name) {
    (void)name;
    return NULL;
}
#else
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t add_number(uint64_t hash, uint64_t n) { return hash_fnv(&n, sizeof n, hash); }

/* If there are too many answers, of which some may be half written. */
static void remove_oldest(const char *folder) {
    char *oldest = NULL;
    size_t count = 0;
    time_t least = 0;
    DIR *directory = opendir(folder);
    struct dirent *entry;
    while (directory && (entry = readdir(directory)) != NULL) {
        char *path;
        struct stat s;
        if (strncmp(entry->d_name, begins, sizeof begins - 1) != 0) continue;
        count++;
        path = cc_join(folder, entry->d_name);
        if (lstat(path, &s) == 0 && (!oldest || s.st_mtime < least)) {
            char *was = oldest;
            least = s.st_mtime;
            oldest = path;
            path = was;
        }
        free(path);
    }
    if (directory) closedir(directory);
    if (oldest && count >= MOST_FILES) remove(oldest);
    free(oldest);
}

/* Which file it is, and in which state: a file that is replaced by another of the same
   size and time has another node, or was changed later. */
static uint64_t add_file(uint64_t hash, const char *path) {
    struct stat s;
    if (stat(path, &s) != 0) return add_number(hash, 0);
    hash = add_number(add_number(hash, (uint64_t)s.st_ino), (uint64_t)s.st_size);
    hash = add_number(add_number(hash, (uint64_t)s.st_mtime), (uint64_t)s.st_mtim.tv_nsec);
    return add_number(add_number(hash, (uint64_t)s.st_ctime), (uint64_t)s.st_ctim.tv_nsec);
}

/* The files of a folder that hold options for clang, in any order. */
static uint64_t add_folder(uint64_t hash, const char *folder) {
    DIR *directory = opendir(folder);
    struct dirent *entry;
    uint64_t sum = 0;
    while (directory && (entry = readdir(directory)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        char *path, *slash;
        if (!dot || strcmp(dot, ".cfg") != 0) continue;
        slash = cc_join(folder, "/");
        path = cc_join(slash, entry->d_name);
        sum += add_file(hash_fnv(entry->d_name, strlen(entry->d_name), 0), path);
        free(path);
        free(slash);
    }
    if (directory) closedir(directory);
    return add_number(hash, sum);
}

/* What options the compiler takes without being told: clang's stand beside its program,
   and in two folders that distributions choose. */
static uint64_t add_settings(uint64_t hash, const char *program) {
    const char *home = getenv("HOME"), *own = getenv("XDG_CONFIG_HOME");
    const char *slash = strrchr(program, '/');
    char *folder;
    if (!strstr(tool_last_part(program), "clang") || !slash) return hash;
    folder = cc_join(program, "");
    folder[slash - program] = 0;
    hash = add_folder(add_folder(hash, folder), "/etc/clang");
    free(folder);
    folder = own && *own ? cc_join(own, "/clang") : cc_join(home ? home : "", "/.config/clang");
    hash = add_folder(hash, folder);
    free(folder);
    return hash;
}

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
        if (n && cc_regular_size(path, &size) == 0 && access(path, X_OK) == 0)
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
    static const char *const begin[] = {"@",         "-include", "--include", "-imacros",
                                        "--imacros", "-specs",   "--specs",   "--config",
                                        "-wrapper",  "-B",       "-fplugin"};
    size_t i;
    if (strncmp(word, "-Wp,", 4) == 0 &&
        (strstr(word, "-include") || strstr(word, "-imacros") || strchr(word, '@'))) return 1;
    for (i = 0; i < sizeof begin / sizeof *begin; i++) {
        if (strncmp(word, begin[i], strlen(begin[i])) == 0) return 1;
    }
    return 0;
}

static uint64_t add_string(uint64_t hash, const char *s) {
    return hash_fnv(s ? s : "", s ? strlen(s) + 1 : 0, hash);
}

/* Does it define a macro that the questions do not look at? They look at macros of
   compilers and of this tool, so most builds ask the same for all their files. */
static int is_users_macro(const char *word) {
    return word[0] == '-' && (word[1] == 'D' || word[1] == 'U') && word[2] && word[2] != '_' &&
           !strstr(word, "BURSTY");
}

static uint64_t add_words(uint64_t hash, const cc_command *words) {
    size_t i;
    int all = 0;                        /* a macro of this tool may name one of the user's */
    for (i = 0; words && i < words->count; i++)
        all |= strstr(words->words[i], "BURSTY") && strchr(words->words[i], '=');
    for (i = 0; words && i < words->count; i++) {
        if (all || !is_users_macro(words->words[i])) hash = add_string(hash, words->words[i]);
    }
    return hash;
}

static uint64_t number_of(const cc_line *line, const char *program, const char *question,
                          const cc_command *words) {
    static const char *const obeyed[] = {"PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "CPATH",
                                         "C_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS",
                                         "CLANG_NO_DEFAULT_CONFIG", "XDG_CONFIG_HOME", "HOME"};
    uint64_t hash = add_string(add_string(cc_embedded_hash(), question), program);
    size_t i;
    hash = add_string(add_file(hash, program), line->compiler.words[0]);
    hash = add_settings(hash, program);
    for (i = 0; i < sizeof obeyed / sizeof *obeyed; i++)
        hash = add_string(add_string(hash, obeyed[i]), getenv(obeyed[i]));
    return add_words(hash, words);
}

cc_answer *cc_answer_of(const cc_line *line, const char *question, const cc_command *words) {
    cc_answer *a = NULL;
    char name[48], *program, *folder = NULL;
    size_t i;
    if (line->compiler.count != 1) return NULL;
    for (i = 0; words && i < words->count; i++) {
        if (hides_more(words->words[i])) return NULL;
    }
    program = compiler_file(line->compiler.words[0]);
    if (program && is_compiler(program)) folder = cc_cache_folder();
    if (folder) {
        a = (cc_answer *)tool_alloc(sizeof *a);
        a->question = number_of(line, program, question, words);
        snprintf(name, sizeof name, "%s%08lx%08lx", begins, (unsigned long)(a->question >> 32),
                 (unsigned long)(a->question & 0xFFFFFFFF));
        a->path = cc_join(folder, name);
        a->folder = folder;
    }
    free(program);
    return a;
}

void cc_answer_free(cc_answer *a) {
    if (!a) return;
    free(a->path);
    free(a->folder);
    free(a);
}

/* The line in front of an answer. */
static int first_line(char line[64], const cc_answer *a, const char *answer) {
    uint64_t sum = hash_fnv(answer, strlen(answer), a->question);
    return snprintf(line, 64, "bursty cc answer 2 %08lx%08lx %08lx%08lx\n",
                    (unsigned long)(a->question >> 32), (unsigned long)(a->question & 0xFFFFFFFF),
                    (unsigned long)(sum >> 32), (unsigned long)(sum & 0xFFFFFFFF));
}

char *cc_answer_read(const cc_answer *a) {
    char line[64], all[MOST_BYTES + 1], *answer = NULL;
    size_t size, first;
    FILE *file = a && cc_cache_has(a->path) ? fopen(a->path, "rb") : NULL;
    if (!file) return NULL;
    size = fread(all, 1, MOST_BYTES, file);
    fclose(file);
    all[size] = 0;
    first = (size_t)first_line(line, a, "");
    if (size < first || strlen(all) != size) return NULL;
    first_line(line, a, all + first);
    if (memcmp(all, line, first) == 0) answer = cc_join(all + first, "");
    return answer;
}

void cc_answer_keep(const cc_answer *a, const char *answer) {
    char line[64];
    text t = {NULL, 0, 0};
    if (!a || strlen(answer) + sizeof line > MOST_BYTES) return;
    first_line(line, a, answer);
    text_add(&t, line);
    text_add(&t, answer);
    if (!cc_cache_has(a->path)) remove_oldest(a->folder);
    cc_cache_keep(a->path, t.data, t.size);
    text_free(&t);
}
