/* later.c - libraries that the program loaded by dlopen, behind our start. Their
   functions are not patched, which nobody is to find out by himself. Their files
   stand in /proc/self/maps; who goes again calls the dlclose below, and is noted
   before. */
#define _GNU_SOURCE 1
#include "later.h"
#include "../core/recorder.h"
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

enum { EARLY = 1024, LATER = 64, PATH = 256 };

static struct {
    uintptr_t lo[EARLY], hi[EARLY];     /* text that was there at the start */
    uint32_t early;
    char paths[LATER][PATH];
    uint32_t count;                     /* may be more than LATER */
    int started;
} later;

static int take_early(struct dl_phdr_info *info, size_t size, void *user) {
    int n;
    (void)size;
    (void)user;
    for (n = 0; n < info->dlpi_phnum; n++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[n];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || later.early == EARLY) continue;
        later.lo[later.early] = (uintptr_t)info->dlpi_addr + (uintptr_t)p->p_vaddr;
        later.hi[later.early] = later.lo[later.early] + (uintptr_t)p->p_memsz;
        later.early++;
    }
    return 0;
}

void later_start(void) {
    (void)dl_iterate_phdr(take_early, NULL);
    later.started = later.early < EARLY;
}

/* Libraries that are never patched are not missed. */
static int is_left_out(const char *path) {
    const char *base = strrchr(path, '/') + 1;
    return !strncmp(base, "libc.so", 7) || !strncmp(base, "libgcc_s.", 9)
           || !strncmp(base, "ld-linux", 8);
}

static void note_line(const char *line) {
    unsigned long start, end;
    char path[PATH];
    uint32_t n;
    if (sscanf(line, "%lx-%lx %*2cx%*c %*s %*s %*s %255[^\n]", &start, &end, path) != 3) return;
    if (path[0] != '/' || !strncmp(path, "/memfd:", 7) || is_left_out(path)) return;
    for (n = 0; n < later.early; n++) {
        if (start < later.hi[n] && end > later.lo[n]) return;
    }
    for (n = 0; n < later.count && n < LATER; n++) {
        if (!strcmp(later.paths[n], path)) return;
    }
    if (n < LATER) strcpy(later.paths[n], path);
    later.count++;
}

void later_look(void) {
    if (later.started) recorder_read_maps(note_line);
}

uint32_t later_count(void) { return later.count; }

const char *later_name(uint32_t number) {
    return number < later.count && number < LATER ? later.paths[number] : NULL;
}
