/* sancov_file.c - at exit: what sancov.c has counted, as a dump with functions
   and lines, is appended to a file (append.h). So many runs add up; delete the
   file to begin anew.

   Functions and lines are what addr2line says of the debugging information of
   the program and its shared libraries. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define EDGEPROF_STATIC
#define EDGEPROF_IMPLEMENTATION
#include "../../../cc/inside/append.h"
#include "sancov.h"
#include <link.h>

/* A program or shared library that is in memory. */
typedef struct module {
    uintptr_t low, high;
    uintptr_t slide; /* how far its addresses are from those in its file */
    char path[4096];
} module;

/* Both passes ask for the same addresses in the same order: the first writes
   down those of one module, the second reads two lines for each, the function
   and file:line. */
typedef struct dialogue {
    FILE *questions, *answers;
    const module *of;
    uint32_t asked;
    const char *file, *function; /* the latest ones: most blocks repeat them */
} dialogue;

typedef struct module_list {
    module *modules;
    size_t count, most;
} module_list;

static int add_module(struct dl_phdr_info *info, size_t size, void *user) {
    module_list *list = (module_list *)user;
    module *m = &list->modules[list->count];
    ssize_t length;
    int i;
    (void)size;
    if (list->count == list->most) return 1;
    memset(m, 0, sizeof *m);
    m->slide = (uintptr_t)info->dlpi_addr;
    m->low = UINTPTR_MAX;
    for (i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t from = m->slide + (uintptr_t)info->dlpi_phdr[i].p_vaddr;
        uintptr_t to = from + (uintptr_t)info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        if (from < m->low) m->low = from;
        if (to > m->high) m->high = to;
    }
    if (list->count == 0) { /* the program itself, which has no name here */
        length = readlink("/proc/self/exe", m->path, sizeof m->path - 1);
        m->path[length > 0 ? length : 0] = 0;
    } else if (strlen(info->dlpi_name) < sizeof m->path) {
        strcpy(m->path, info->dlpi_name);
    }
    list->count++;
    return 0;
}

static int is_in(const module *m, uintptr_t address) {
    return address >= m->low && address < m->high;
}

static void ask(void *user, uintptr_t address, sancov_place *at) {
    dialogue *d = (dialogue *)user;
    (void)at;
    if (!is_in(d->of, address)) return;
    d->asked++;
    fprintf(d->questions, "%lx\n", (unsigned long)(address - d->of->slide));
}

/* One file has one name: "a/../b.c" is "b.c", if it is there. */
static void make_plain(char *file, size_t room) {
    char *plain = NULL;
    if (strstr(file, "/../") || strstr(file, "/./")) plain = realpath(file, NULL);
    if (plain && strlen(plain) < room) strcpy(file, plain);
    free(plain);
}

static const char *copy_of(const char *latest, const char *text) {
    return latest && strcmp(latest, text) == 0 ? latest : strdup(text);
}

static void hear(void *user, uintptr_t address, sancov_place *at) {
    dialogue *d = (dialogue *)user;
    char function[1000], file[5000], *colon;
    uint32_t line;
    if (!is_in(d->of, address)) return;
    if (!fgets(function, sizeof function, d->answers)) return;
    if (!fgets(file, sizeof file, d->answers)) return;
    function[strcspn(function, "\n")] = 0;
    colon = strrchr(file, ':');
    if (!colon || strcmp(function, "??") == 0) return;
    *colon = 0;
    line = (uint32_t)strtoul(colon + 1, NULL, 10);
    make_plain(file, sizeof file);
    d->function = copy_of(d->function, function);
    d->file = copy_of(d->file, file);
    at->function = d->function;
    at->file = d->file;
    at->line = line;
}

static void name_functions_of(const module *m) {
    char questions[] = "/tmp/coverage-XXXXXX", line[5000];
    dialogue d = {NULL, NULL, NULL, 0, NULL, NULL};
    int file = mkstemp(questions);
    uint32_t count;
    if (file < 0) return;
    d.of = m;
    d.questions = fdopen(file, "w");
    if (d.questions) {
        sancov_functions(ask, &d, &count);
        fclose(d.questions);
        snprintf(line, sizeof line, "addr2line -f -e '%s' <%s", m->path, questions);
        if (d.asked) d.answers = popen(line, "r");
        if (d.answers) {
            sancov_functions(hear, &d, &count);
            pclose(d.answers);
        }
    }
    unlink(questions);
}

static void name_functions(void) {
    static module modules[64];
    module_list list = {modules, 0, sizeof modules / sizeof *modules};
    size_t i;
    dl_iterate_phdr(add_module, &list);
    for (i = 0; i < list.count; i++)
        if (modules[i].path[0] && !strchr(modules[i].path, '\'')) name_functions_of(&modules[i]);
}

/* A program and its shared library may both be linked with these files. Then
   the dynamic linker makes all names of the library's copy those of the
   program's: there is one list of functions, and the second destructor has
   nothing to do. */
__attribute__((weak)) int sancov_file_is_first(void); /* weak: never taken for its own copy */
int sancov_file_is_first(void) {
    static int calls;
    return calls++ == 0;
}

__attribute__((destructor)) static void write_dump(void) {
    const edgeprof_function *const *list;
    append_file to;
    uint32_t count;
    if (!sancov_file_is_first()) return;
    name_functions();
    list = sancov_functions(NULL, NULL, &count);
    if (append_open(&to) == 0) append_close(&to, edgeprof_write(list, count, append_bytes, &to));
    if (sancov_lost())
        fprintf(stderr, "%s: %lu functions are left out\n", append_path(),
                (unsigned long)sancov_lost());
}
