/* names.c - what places are called, when all is over (base/symbols.h). Code of no
   file has its names in /tmp/perf-PID.map, which a JIT compiler writes if it is
   asked to; the kernel's are in /proc/kallsyms. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "record/tool/outside.h"

#ifdef CAN_ATTACH
#include "base/debugfile.h"
#include "base/text.h"
#include "base/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES = 1 << 16 };

static struct {
    char **names;                   /* by key - 1 */
    char **places;                  /* the same: name_place, or NULL */
    const image **images;           /* the same: whose function it is, or NULL */
    const image **nameless;         /* the same, if a number is all its name */
    uint32_t count;
    hash_table index;
} all;

typedef struct named_in {
    const char *name;
    const image *in;
} named_in;

static int is_name(const void *owner, uint32_t number, const void *key) {
    const named_in *k = (const named_in *)key;
    (void)owner;
    return all.images[number - 1] == k->in && !strcmp(all.names[number - 1], k->name);
}

/* Two files may have functions of one name. */
static uint32_t key_in(const char *name, const image *in) {
    named_in key;
    uint32_t *at;
    key.name = all.count >= NAMES ? "(more functions)" : name;
    key.in = all.count >= NAMES ? NULL : in;
    at = hash_place(&all.index, hash_string(key.name), is_name, NULL, &key);
    if (*at) return *at;
    if (all.count % 256 == 0) {
        all.names = (char **)tool_grow(all.names, (all.count + 256) * sizeof *all.names);
        all.places = (char **)tool_grow(all.places, (all.count + 256) * sizeof *all.places);
        all.images = (const image **)tool_grow(all.images, (all.count + 256) * sizeof *all.images);
        all.nameless = (const image **)tool_grow(all.nameless, (all.count + 256) * sizeof *all.nameless);
    }
    all.names[all.count] = strdup(key.name);
    all.images[all.count] = key.in;
    all.places[all.count] = NULL;
    all.nameless[all.count] = NULL;
    return *at = ++all.count;
}

uint32_t name_key(const char *name) { return key_in(name, NULL); }

const char *name_get(uint32_t key) { return key && key <= all.count ? all.names[key - 1] : NULL; }

const char *name_place(uint32_t key) { return key && key <= all.count ? all.places[key - 1] : NULL; }

const image *name_nameless(uint32_t key) {
    return key && key <= all.count ? all.nameless[key - 1] : NULL;
}

/* Only when a name is asked for: large debug files take their time, and in it
   rings would run over. */
static void read_names(image *m) {
    if (!m->has_file) return;
    m->has_file = 0;
    m->is_changed = image_is_changed(m);
    if (m->is_changed) return; /* it has symbols of other code */
    symbols_read(&m->names, &m->elf, m->path, m->root);
}

void name_read_perf_map(uint32_t number) {
    const process *p = process_at(number);
    symbols_free(&p->made->names);
    (void)symbols_read_map(&p->made->names, (long)p->pid, p->owner, 0);
}

/* ---- the kernel ---- */

typedef struct kernel_function {
    uint64_t start;
    char *name;
    uint32_t key;
} kernel_function;

static struct {
    kernel_function *at;
    size_t count, room;
    int is_read;
} kernel;

static int by_start(const void *a, const void *b) {
    const kernel_function *x = (const kernel_function *)a, *y = (const kernel_function *)b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* "ffffffff81000000 T name [module]" in each line, or zeros for who may not know. */
static void read_kernel(void) {
    char line[1024], name[512];
    unsigned long long start;
    char kind;
    FILE *file = fopen("/proc/kallsyms", "r");
    while (file && fgets(line, sizeof line, file)) {
        kernel_function *f;
        if (sscanf(line, "%llx %c %511s", &start, &kind, name) != 3 || !start) continue;
        if (!strchr("tTwW", kind)) continue;
        TOOL_ROOM(kernel_function, kernel.at, kernel.count, kernel.room);
        f = &kernel.at[kernel.count++];
        f->start = start;
        f->name = strdup(name);
        f->key = 0;
    }
    if (file) fclose(file);
    if (kernel.count) qsort(kernel.at, kernel.count, sizeof *kernel.at, by_start);
}

static uint32_t kernel_key(uint64_t pc) {
    size_t lo = 0, hi;
    kernel_function *f;
    char name[600];
    if (pc == KERNEL_LEAVES) return name_key("(return to the program)");
    if (!kernel.is_read) read_kernel();
    kernel.is_read = 1;
    if (!kernel.count)
        return name_key(access("/proc/kallsyms", R_OK) == 0
                            ? "(its names are hidden: kernel.kptr_restrict)"
                            : "(its names are not known: no /proc/kallsyms)");
    for (hi = kernel.count; lo < hi;) {
        size_t mid = lo + (hi - lo) / 2;
        if (kernel.at[mid].start <= pc) lo = mid + 1;
        else hi = mid;
    }
    if (!lo) return 0;
    f = &kernel.at[lo - 1];
    if (!f->key) {
        snprintf(name, sizeof name, "%s_[k]", f->name);
        f->key = name_key(name);
    }
    return f->key;
}

/* ---- places ---- */

/* A file that was replaced or removed is still open here, where lines are made of
   places. Returns out, or NULL: there is no place. Its names were read before. */
static const char *set_place(const image *m, uint64_t address, char *out, size_t size) {
    const unsigned char *id;
    char path[64];
    size_t bytes = 0, n, at;
    int is_there = image_is_there(m);
    if (m->is_changed || (!is_there && m->file < 0)) return NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", m->file);
    at = (size_t)snprintf(out, size, "%.4096s\t%llx", is_there ? m->path : path,
                          (unsigned long long)address);
    id = m->elf.section_count ? debugfile_id(&m->elf, &bytes) : NULL;
    if (!id) return out;
    if (at + 2 + 2 * bytes > size) return NULL;
    out[at++] = '\t';
    for (n = 0; n < bytes; n++, at += 2) snprintf(out + at, size - at, "%02x", id[n]);
    return out;
}

/* No record and no symbol says which function it is. */
static uint32_t rest_key(image *m, int without) {
    uint32_t *key = without ? &m->bare : &m->rest;
    char name[4200];
    if (*key) return *key;
    if (image_is_made(m)) snprintf(name, sizeof name, "(code made at run time)");
    else if (without)
        snprintf(name, sizeof name, "(%.4000s: code without unwind tables)", tool_last_part(m->path));
    else snprintf(name, sizeof name, "(%.4000s)", tool_last_part(m->path));
    return *key = name_key(name);
}

/* A file may have rules for most of its code, and none for some assembly. */
static int is_bare(const image *m, uint64_t address) {
    unwind_rule rule;
    if (!m->unwind.count && !m->unwind.row_count) return 0;
    return unwind_find(&m->unwind, address, &rule) == UNWIND_UNKNOWN && !rule.end;
}

static uint32_t key_at(image *m, uint64_t address) {
    char where[4400];
    text name = {NULL, 0, 0};
    int without;
    symbol *f;
    read_names(m);
    without = !m->is_changed && is_bare(m, address);
    f = without ? symbols_around(&m->names, address) : symbols_at(&m->names, address);
    if (!f) return rest_key(m, without);
    if (f->user) return f->user;
    if (f->name) symbols_name(&m->names, f, 4000, &name);
    else
        text_format(&name, "%.4000s+0x%llx", tool_last_part(m->path), (unsigned long long)f->start);
    text_bytes(&name, "", 1);
    f->user = key_in(name.data, m);
    text_free(&name);
    if (!f->name) all.nameless[f->user - 1] = m;
    if (m->path[0] == '/' && !all.places[f->user - 1]
        && set_place(m, f->start, where, sizeof where))
        all.places[f->user - 1] = strdup(where);
    return f->user;
}

uint32_t name_of_place(uint32_t number) {
    const place *p = number ? place_get(number) : NULL;
    const mapping *m;
    uint64_t address = 0;
    uint32_t key;
    if (!p || !p->mapping) return 0;
    if (p->key) return p->key;
    if (p->mapping == KERNEL_MAPPING) key = kernel_key(p->pc);
    else {
        m = mapping_get(p->mapping);
        if (image_is_made(image_get(m->image))) address = p->pc;
        else (void)mapping_address(m, p->pc, &address);
        key = key_at(image_get(m->image), address);
    }
    place_set_key(number, key);
    return key;
}

const char *name_place_at(uint32_t number) {
    static char words[4400];
    const place *p = number ? place_get(number) : NULL;
    const mapping *m;
    uint64_t address;
    if (!p || !p->mapping || p->mapping == KERNEL_MAPPING) return NULL;
    m = mapping_get(p->mapping);
    if (image_get(m->image)->path[0] != '/' || mapping_address(m, p->pc, &address) != 0) return NULL;
    return set_place(image_get(m->image), address, words, sizeof words);
}
#endif
