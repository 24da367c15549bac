/* sancov_file.c - at exit: what sancov.c has counted, as a dump with functions and lines, is
   appended to a file (append.h). So many runs add up; delete the file to begin anew.

   Functions and lines are what addr2line, or the program that BURSTY_ADDR2LINE names, says of the
   program's debugging information; code of shared libraries gets none. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define EDGEPROF_STATIC
#define EDGEPROF_IMPLEMENTATION
#include "append.h"
#include "sancov.h"
#include <link.h>

/* Both passes ask for the same addresses in the same order: the first writes them down, the second
   reads two lines for each, the function and file:line. */
typedef struct dialogue {
    FILE *questions, *answers;
    uintptr_t slide;
    const char *file, *function; /* the latest ones: most blocks repeat them */
} dialogue;

static int first_slide(struct dl_phdr_info *info, size_t size, void *slide) {
    (void)size;
    *(uintptr_t *)slide = (uintptr_t)info->dlpi_addr;
    return 1;
}

static void ask(void *user, uintptr_t address, sancov_place *at) {
    dialogue *d = (dialogue *)user;
    (void)at;
    fprintf(d->questions, "%lx\n", (unsigned long)(address - d->slide));
}

static const char *copy_of(const char *latest, const char *text) {
    return latest && strcmp(latest, text) == 0 ? latest : strdup(text);
}

static void hear(void *user, uintptr_t address, sancov_place *at) {
    dialogue *d = (dialogue *)user;
    char function[1000], file[5000], *colon;
    (void)address;
    if (!fgets(function, sizeof function, d->answers)) return;
    if (!fgets(file, sizeof file, d->answers)) return;
    function[strcspn(function, "\n")] = 0;
    colon = strrchr(file, ':');
    if (!colon || strcmp(function, "??") == 0) return;
    *colon = 0;
    d->function = copy_of(d->function, function);
    d->file = copy_of(d->file, file);
    at->function = d->function;
    at->file = d->file;
    at->line = (uint32_t)strtoul(colon + 1, NULL, 10);
}

static void name_functions(void) {
    const char *command = getenv("BURSTY_ADDR2LINE");
    char questions[] = "/tmp/coverage-XXXXXX", line[5000], self[4096];
    dialogue d = {NULL, NULL, 0, NULL, NULL};
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    int file = mkstemp(questions);
    uint32_t count;
    if (file < 0) return;
    d.questions = fdopen(file, "w");
    self[length > 0 ? length : 0] = 0;
    if (d.questions && length > 0 && !strchr(self, '\'')) {
        dl_iterate_phdr(first_slide, &d.slide);
        sancov_functions(ask, &d, &count);
        fclose(d.questions);
        snprintf(line, sizeof line, "%s -f -e '%s' <%s", command ? command : "addr2line", self,
                 questions);
        d.answers = popen(line, "r");
        if (d.answers) {
            sancov_functions(hear, &d, &count);
            pclose(d.answers);
        }
    }
    unlink(questions);
}

__attribute__((destructor)) static void write_dump(void) {
    const edgeprof_function *const *list;
    off_t before = 0;
    uint32_t count;
    FILE *file;
    name_functions();
    list = sancov_functions(NULL, NULL, &count);
    file = append_open(&before);
    if (file) append_close(file, before, edgeprof_write(list, count, append_bytes, file));
    if (sancov_lost())
        fprintf(stderr, "%s: %lu functions are left out\n", append_path(),
                (unsigned long)sancov_lost());
}
