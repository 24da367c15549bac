/* processes.c - what lies where in which process, as the kernel's records say it.

       processes: | 1: prog | 2: its child | 3: the child as another program | ...
                      |
       mappings:  | 1: 5555..5556 of prog | 2: 7f00..7f20 of libc.so | ...  never forgotten

   A process has a list of numbers of mappings, the newest last: code that comes
   where other code had been hides it, and places of before keep their own. A
   child begins with its parent's list; a process that becomes another program
   begins with none. A file is opened when it is mapped, so that it may be
   replaced or removed afterwards. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "record/tool/outside.h"

#ifdef CAN_ATTACH
#include "base/debugfile.h"
#include "base/tool.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAPPINGS_MOST = 1 << 22, PATH_BYTES = 4096 };

static const char VDSO[] = "[vdso]";

static struct {
    process *processes;
    uint32_t process_count, process_room;
    hash_table process_index;       /* the latest one of each pid */
    mapping *mappings;
    uint32_t mapping_count, mapping_room;
    image **images;
    uint32_t image_count;
    time_t began;
} all;

process *process_at(uint32_t number) { return &all.processes[number - 1]; }

uint32_t process_count(void) { return all.process_count; }

static int is_process(const void *owner, uint32_t number, const void *key) {
    (void)owner;
    return all.processes[number - 1].pid == *(const uint32_t *)key;
}

uint32_t process_of(uint32_t pid) {
    return hash_find(&all.process_index, hash_numbers(pid, 1), is_process, NULL, &pid);
}

static image *new_image(const char *path) {
    image *m = (image *)tool_alloc(sizeof *m);
    memset(m, 0, sizeof *m);
    m->path = (char *)tool_alloc(strlen(path) + 1);
    strcpy(m->path, path);
    m->file = -1;
    all.images = (image **)tool_grow(all.images, (all.image_count + 1) * sizeof *all.images);
    all.images[all.image_count++] = m;
    return m;
}

uint32_t process_add(uint32_t pid) {
    uint32_t *at = hash_place(&all.process_index, hash_numbers(pid, 1), is_process, NULL, &pid);
    process *p;
    if (!all.began) all.began = time(NULL);
    TOOL_ROOM(process, all.processes, all.process_count, all.process_room);
    p = &all.processes[all.process_count++];
    memset(p, 0, sizeof *p);
    p->pid = pid;
    p->owner = geteuid();
    p->memory = -1;
    p->made = new_image("");
    snprintf(p->made->root, sizeof p->made->root, "%u", (unsigned)pid);
    return *at = all.process_count;
}

/* ---- files ---- */

/* The kernel's own code for programs is the same in all processes of 64 bits. */
static const unsigned char *map_vdso(size_t *size) {
    char line[5000];
    unsigned long long lo, hi;
    const unsigned char *data = NULL;
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && !data && fgets(line, sizeof line, file)) {
        if (!strstr(line, "[vdso]") || sscanf(line, "%llx-%llx", &lo, &hi) != 2) continue;
        data = (const unsigned char *)(uintptr_t)lo;
        *size = (size_t)(hi - lo);
    }
    if (file) fclose(file);
    return data;
}

static int is_file(const char *path, uint64_t inode) {
    struct stat s;
    return stat(path, &s) == 0 && (uint64_t)s.st_ino == inode;
}

/* What lies at that path now was put there later. */
static int is_newer(const char *path, uint64_t inode) {
    struct stat s;
    return inode && stat(path, &s) == 0 && (uint64_t)s.st_ino != inode && s.st_ctime >= all.began;
}

int image_is_there(const image *m) {
    struct stat s;
    return stat(m->path, &s) == 0 && (uint64_t)s.st_ino == m->inode && s.st_ctime <= all.began;
}

static int look_at(const image *m, int64_t *bytes, int64_t *time_ns) {
    struct stat s;
    if (m->file < 0 || fstat(m->file, &s) != 0) return -1;
    *bytes = (int64_t)s.st_size;
    *time_ns = (int64_t)s.st_mtim.tv_sec * 1000000000 + (int64_t)s.st_mtim.tv_nsec;
    return 0;
}

int image_is_changed(const image *m) {
    int64_t bytes, time_ns;
    return look_at(m, &bytes, &time_ns) == 0 && (bytes != m->bytes || time_ns != m->time_ns);
}

uint32_t image_count(void) { return (uint32_t)all.image_count; }

static const unsigned char *keep(image *m, const char *path, const unsigned char *data) {
    if (data) m->file = open(path, O_RDONLY | O_CLOEXEC);
    (void)look_at(m, &m->bytes, &m->time_ns);
    return data;
}

/* As the process sees it: it may have another root. Root may ask for the very
   file that is mapped, if another one has not come there meanwhile. */
static const unsigned char *map_file(image *m, uint32_t pid, uint64_t lo, uint64_t hi,
                                     size_t *size) {
    char path[4300];
    const unsigned char *data;
    if (m->path[0] == '[') return map_vdso(size);
    snprintf(path, sizeof path, "/proc/%u/map_files/%llx-%llx", (unsigned)pid,
             (unsigned long long)lo, (unsigned long long)hi);
    if (is_file(path, m->inode) && (data = debugfile_map(path, size)) != NULL) return keep(m, path, data);
    snprintf(path, sizeof path, "%s%s", m->root, m->path);
    if (!is_newer(path, m->inode) && (data = debugfile_map(path, size)) != NULL) return keep(m, path, data);
    if (!is_newer(m->path, m->inode)) return keep(m, m->path, debugfile_map(m->path, size));
    return NULL;
}

static void note_sections(image *m) {
    static const char *const stubs[] = {".plt", ".plt.sec", ".plt.got", ".iplt"};
    elf_section s, names;
    dump_fault fault;
    uint64_t n;
    unsigned k;
    elf_file *e = &m->elf;
    if (elf_find_sections(e, &fault) != 0) return;
    if (elf_get_section(e, e->names_index, &names, &fault) != 0) return;
    for (n = 0; n < e->section_count; n++) {
        if (elf_get_section(e, n, &s, &fault) != 0) continue;
        if (elf_name_is(e, &names, s.name, ".gopclntab")
            || elf_name_is(e, &names, s.name, ".data.rel.ro.gopclntab"))
            m->is_go = 1;
        for (k = 0; k < 4 && !elf_name_is(e, &names, s.name, stubs[k]); k++) { }
        if (k == 4 || m->stub_count == 4) continue;
        m->stubs[m->stub_count][0] = s.offset;
        m->stubs[m->stub_count++][1] = s.size;
    }
}

/* The file stays mapped: names point into it. */
static void open_image(image *m, uint32_t pid, uint64_t lo, uint64_t hi) {
    const unsigned char *data;
    size_t size = 0;
    dump_fault fault;
    uint64_t n;
    data = map_file(m, pid, lo, hi, &size);
    if (!data || !elf_is(data, size) || elf_begin(&m->elf, data, size, &fault) != 0
        || !m->elf.is_64)
        return;
    for (n = 0; n < m->elf.segment_count && m->load_count < 16; n++) {
        size_t header = (size_t)(m->elf.segments + n * m->elf.segment_bytes);
        if (!elf_holds(&m->elf, header, 56) || elf_number(&m->elf, header, 4) != ELF_LOAD) continue;
        m->loads[m->load_count][0] = elf_number(&m->elf, header + 8, 8);
        m->loads[m->load_count][1] = elf_number(&m->elf, header + 32, 8);
        m->loads[m->load_count++][2] = elf_number(&m->elf, header + 16, 8);
    }
    note_sections(m);
    unwind_begin(&m->unwind, &m->elf);
    unwind_index(&m->unwind, &m->elf);
    m->has_file = 1;
}

static uint32_t image_of(process *p, const char *path, uint64_t inode, uint64_t lo, uint64_t hi) {
    uint32_t n;
    image *m;
    if (!*path) {
        for (n = all.image_count; n > 0 && all.images[n - 1] != p->made; n--) { }
        return n;
    }
    for (n = 0; n < all.image_count; n++) {
        m = all.images[n];
        if (m->inode == inode && !strcmp(m->path, path)) return n + 1;
    }
    m = new_image(path);
    m->inode = inode;
    snprintf(m->root, sizeof m->root, "/proc/%u/root", (unsigned)p->pid);
    open_image(m, p->pid, lo, hi);
    return all.image_count;
}

void image_expect(uint32_t pid, uint64_t lo, uint64_t size, uint64_t inode, const char *path) {
    uint32_t number = process_of(pid);
    if (number && path[0] == '/' && path[1] != '/' && strncmp(path, "/memfd:", 7) != 0)
        (void)image_of(process_at(number), path, inode, lo, lo + size);
}

image *image_get(uint32_t number) { return all.images[number - 1]; }

int image_is_made(const image *m) { return m->path[0] != '/' && m->path[0] != '['; }

const unsigned char *image_bytes(const image *m, uint64_t address, size_t size) {
    unsigned k;
    for (k = 0; k < m->load_count; k++) {
        const uint64_t *load = m->loads[k];
        if (address - load[2] >= load[1] || load[1] - (address - load[2]) < size) continue;
        if (!elf_holds(&m->elf, load[0] + (address - load[2]), size)) return NULL;
        return m->elf.data + load[0] + (address - load[2]);
    }
    return NULL;
}

/* ---- mappings ---- */

const mapping *mapping_get(uint32_t number) { return &all.mappings[number - 1]; }

int mapping_address(const mapping *m, uint64_t pc, uint64_t *address) {
    uint64_t offset = pc - m->lo + m->offset;
    const image *i = image_get(m->image);
    unsigned k;
    for (k = 0; k < i->load_count; k++) {
        const uint64_t *load = i->loads[k];
        if (offset - load[0] >= load[1]) continue;
        *address = offset - load[0] + load[2];
        return 0;
    }
    return -1;
}

uint32_t process_mapping(uint32_t number, uint64_t address) {
    const process *p = process_at(number);
    size_t n;
    for (n = p->mapping_count; n > 0; n--) {
        const mapping *m = mapping_get(p->mappings[n - 1]);
        if (address >= m->lo && address < m->hi) return p->mappings[n - 1];
    }
    return 0;
}

static void list_mapping(process *p, uint32_t mapping_number) {
    TOOL_ROOM(uint32_t, p->mappings, p->mapping_count, p->mapping_room);
    p->mappings[p->mapping_count++] = mapping_number;
    p->generation++;
}

/* Takes mappings out of the list that the new one covers whole. */
static void hide(process *p, const mapping *by) {
    size_t n, kept = 0;
    for (n = 0; n < p->mapping_count; n++) {
        const mapping *m = mapping_get(p->mappings[n]);
        if (m->lo >= by->lo && m->hi <= by->hi) continue;
        p->mappings[kept++] = p->mappings[n];
    }
    p->mapping_count = kept;
}

static void add_mapping(uint32_t number, uint64_t lo, uint64_t hi, uint64_t offset, uint64_t inode,
                        const char *path) {
    process *p = process_at(number);
    mapping m = {lo, hi, offset, 0};
    uint32_t known = process_mapping(number, lo);
    if (!strcmp(path, VDSO) && hi >> 32 == 0) path = "[vdso of 32 bits]";
    if (path[0] != '/' ? path[0] != '[' || strncmp(path + 1, VDSO + 1, 4) != 0
                       : !strncmp(path, "/memfd:", 7) || !strncmp(path, "//", 2))
        path = "";                                /* code of no file, whatever it is called */
    if (p->wants_name && path[0] == '/') {        /* the kernel maps the program itself first */
        snprintf(p->program, sizeof p->program, "%.255s", tool_last_part(path));
        p->wants_name = 0;
    }
    if (known) {
        const mapping *k = mapping_get(known);
        const image *i = image_get(k->image);
        if (k->lo == lo && k->hi == hi && k->offset == offset && !strcmp(i->path, path)
            && (i->inode == inode || !inode || !i->inode))
            return;
    }
    if (all.mapping_count == MAPPINGS_MOST) return;
    m.image = image_of(p, path, inode, lo, hi);
    TOOL_ROOM(mapping, all.mappings, all.mapping_count, all.mapping_room);
    all.mappings[all.mapping_count++] = m;
    hide(p, &m);
    list_mapping(p, all.mapping_count);
}

/* The code that the process has mapped now. */
void process_read_mappings(uint32_t number) {
    char path[64], line[5000];
    FILE *file;
    snprintf(path, sizeof path, "/proc/%u/maps", (unsigned)process_at(number)->pid);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        unsigned long long lo, hi, offset, inode;
        char rights[8];
        int from = 0;
        if (sscanf(line, "%llx-%llx %7s %llx %*s %llu %n", &lo, &hi, rights, &offset, &inode, &from)
            != 5)
            continue;
        if (!from || rights[2] != 'x') continue;
        line[strcspn(line, "\n")] = 0;
        add_mapping(number, lo, hi, offset, inode, line + from);
    }
    if (file) fclose(file);
}

/* ---- what the kernel's records say ---- */

void process_maps(uint32_t pid, uint64_t lo, uint64_t size, uint64_t offset, uint64_t inode,
                  const char *path) {
    uint32_t number = process_of(pid);
    if (number) add_mapping(number, lo, lo + size, offset, inode, path);
}

void process_forks(uint32_t parent, uint32_t pid) {
    uint32_t of = process_of(parent), number;
    const process *from;
    process *p;
    size_t n;
    if (!events.follows || !of) return;
    number = process_add(pid);
    from = process_at(of);
    p = process_at(number);
    memmove(p->program, from->program, sizeof p->program);
    for (n = 0; n < from->mapping_count; n++) list_mapping(p, from->mappings[n]);
}

static void close_memory(process *p) {
    if (p->memory >= 0) close(p->memory);
    p->memory = -1;
}

/* Where each process has a file, each program that it was has one. */
void process_becomes(uint32_t pid, const char *name) {
    uint32_t number = process_of(pid), before = number;
    process *p;
    if (!number) return;
    close_memory(process_at(number));
    if (events.follows && process_at(number)->mapping_count) {
        number = process_add(pid);
        process_at(number)->before = before;
    }
    p = process_at(number);
    p->mapping_count = 0;
    p->generation++;
    p->wants_name = 1;
    snprintf(p->program, sizeof p->program, "%.255s", name);
}

void process_ends(uint32_t pid) {
    uint32_t number = process_of(pid);
    if (!number) return;
    close_memory(process_at(number));
    process_at(number)->is_over = 1;
}

static int read_comm(uint32_t pid, char *name, size_t size, uid_t *owner) {
    char path[64];
    struct stat of;
    FILE *file;
    *name = 0;
    snprintf(path, sizeof path, "/proc/%u/comm", (unsigned)pid);
    file = fopen(path, "r");
    if (!file) return 0;
    if (!fgets(name, (int)size, file)) *name = 0;
    name[strcspn(name, "\n")] = 0;
    *owner = fstat(fileno(file), &of) == 0 ? of.st_uid : geteuid();
    fclose(file);
    return 1;
}

/* The name of the file that runs; "" if that is not to be had. */
static const char *read_file_name(uint32_t pid, char path[PATH_BYTES]) {
    static const char gone[] = " (deleted)";
    const size_t more = sizeof gone - 1;
    char exe[64];
    ssize_t size;
    size_t end;
    snprintf(exe, sizeof exe, "/proc/%u/exe", (unsigned)pid);
    size = readlink(exe, path, PATH_BYTES - 1);
    end = size > 0 ? (size_t)size : 0;
    path[end] = 0;
    if (end > more && !strcmp(path + end - more, gone)) path[end - more] = 0;
    return tool_last_part(path);
}

int process_is_called(uint32_t pid, const char *name) {
    char path[PATH_BYTES];
    uid_t owner;
    if (!read_comm(pid, path, sizeof path, &owner)) return 0;
    return !strcmp(path, name) || !strcmp(read_file_name(pid, path), name);
}

/* One that has ended keeps its last name: then its file is not to be had, and what
   it called itself still is. That is data of its own, such as the title of a server's
   connection, and is taken only where no name of a file was. */
int process_read(uint32_t number) {
    process *p = process_at(number);
    char path[PATH_BYTES], comm[64];
    const char *name;
    if (!read_comm(p->pid, comm, sizeof comm, &p->owner)) return 0;
    name = read_file_name(p->pid, path);
    if (!*name && !*p->program) name = comm;
    if (*name) snprintf(p->program, sizeof p->program, "%.255s", name);
    return 1;
}
#endif
