/* masquerade.c - the names of compilers, and finding the compiler behind a
   name. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#endif
#include "cc/run/masquerade.h"
#include "base/tool.h"
#include "cc/run/process.h"
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
int cc_masquerade(int argc, char **argv, int *count, char ***words) {
    (void)argc, (void)argv, (void)count, (void)words;
    return 0;
}
void cc_leave_masquerade(const char *compiler) { (void)compiler; }
#else
#include <sys/stat.h>
#include <unistd.h>

/* Is folder[0..size)/name this program, by whatever link? An empty folder is
   the current one. */
static int is_this_program(const char *folder, size_t size, const char *name) {
    struct stat mine, theirs;
    size_t length = strlen(name);
    char *path = (char *)tool_alloc(size + length + 3);
    int is;
    memcpy(path, size ? folder : ".", size ? size : 1);
    size = size ? size : 1;
    path[size] = '/';
    memcpy(path + size + 1, name, length + 1);
    is = stat("/proc/self/exe", &mine) == 0 && stat(path, &theirs) == 0 &&
         mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino;
    free(path);
    return is;
}

void cc_leave_masquerade(const char *compiler) {
    const char *list = getenv("PATH");
    char *left;
    size_t used = 0;
    int dropped = 0, kept = 0;
    if (!list || strchr(compiler, '/')) return;
    left = (char *)tool_alloc(strlen(list) + 1);
    for (;;) {
        size_t n = strcspn(list, ":");
        /* A folder of compilers' names goes whole, for `compiler` may be
           ccache, which looks for the next one. */
        if (is_this_program(list, n, compiler) || is_this_program(list, n, "cc")) dropped++;
        else {
            if (kept++) left[used++] = ':';
            memcpy(left + used, list, n);
            used += n;
        }
        if (!list[n]) break;
        list += n + 1;
    }
    left[used] = 0;
    if (dropped && kept) setenv("PATH", left, 1);
    else if (dropped) unsetenv("PATH"); /* an empty PATH is the current folder */
    free(left);
}

static void add_options(cc_command *c) {
    const char *at = getenv("BURSTY_CC");
    while (at && *(at += strspn(at, " \t\n"))) {
        size_t n = strcspn(at, " \t\n");
        char *word = (char *)tool_alloc(n + 1);
        memcpy(word, at, n);
        cc_add_word(c, word);
        free(word);
        at += n;
    }
}

/* gcc, clang-19, arm-none-eabi-gcc-12: whoever calls a copy of the tool
   otherwise means the tool. */
static int is_compiler(const char *name, size_t size) {
    static const char *const all[] = {"cc", "gcc", "clang", "c++", "g++", "clang++", "c89", "c99",
                                      "tcc"};
    size_t i, digits = size;
    while (digits > 0 && strchr("0123456789.", name[digits - 1])) digits--;
    if (digits > 0 && digits < size && name[digits - 1] == '-') size = digits - 1;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        size_t length = strlen(all[i]);
        if (size >= length && strncmp(name + size - length, all[i], length) == 0 &&
            (size == length || name[size - length - 1] == '-')) return 1;
    }
    return 0;
}

int cc_masquerade(int argc, char **argv, int *count, char ***words) {
    static const char suffix[] = "-bursty";
    const char *name = argc > 0 && argv[0] ? argv[0] : "";
    const size_t suffix_size = sizeof suffix - 1;
    cc_command c = {NULL, 0, 0};
    struct stat mine;
    char *compiler;
    size_t size;
    int is_launcher;
    if (strrchr(name, '/')) name = strrchr(name, '/') + 1;
    size = strlen(name);
    is_launcher = strcmp(name, "bursty-cc") == 0;
    if (size > suffix_size && strcmp(name + size - suffix_size, suffix) == 0) size -= suffix_size;
    if (!is_launcher && !is_compiler(name, size)) return 0;
    if (stat("/proc/self/exe", &mine) != 0) {
        tool_error("%s: without /proc this name cannot be told from the compiler's; "
                   "bursty cc -- COMPILER can", name);
        return -1;
    }
    cc_add_word(&c, "cc");
    add_options(&c);
    cc_add_word(&c, "--");
    if (!is_launcher) {
        compiler = cc_join(name, "");
        compiler[size] = 0;
        cc_add_word(&c, compiler);
        free(compiler);
    }
    cc_add_words(&c, argv + 1, (size_t)argc - 1);
    *count = (int)c.count;
    *words = c.words;
    return 1;
}
#endif
