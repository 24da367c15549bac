/* objects.c - names of data.

   Symbols and sections are two sorted lists for each module.

   A block of the heap is found by any address in it. A block of 2^(k-1) + 1 to
   2^k bytes touches one or two of the pieces of memory that are 2^k bytes large
   and begin at a multiple of that. It is in the chain of each piece:

       |      piece 5 of 64       |      piece 6 of 64       |
              [ block of 40 bytes ]        [ block of 60 bytes  ... ]

   So a look-up asks for one piece of each class k that has blocks. A freed
   block stays for a while, for a burst's accesses are looked up at its end.

   A block is named by who allocated it: the two innermost functions that are
   open, without those that have `alloc` in their names. */
#define _GNU_SOURCE 1
#include "debugfile.h"
#include "objects.h"
#include "patch.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BLOCKS_MOST = 1 << 20, HEADS = 1 << 20, SITES_MOST = 1 << 12, FREED_MOST = 1 << 14 };
enum { CLASS_LEAST = 4, CLASSES = 48, FRAMES_SEEN = 8, NAMED = 2, CHAINS = 256 };
enum { PATIENCE = 1000 };
enum { IS_OTHER = 0, IS_SYMBOL = 1, IS_SECTION = 2, IS_BLOCK = 3, IS_STACK = 4 };

typedef struct datum { uint64_t low, bytes; const char *name; } datum;
typedef struct data_list { datum *at; uint32_t count, room; } data_list;
typedef struct data_module {
    uint64_t low, end;
    const char *name;
    data_list symbols, sections;
} data_module;

static data_module modules[MODULES];
static uint32_t module_count;

static const char *keep_words(const char *words, size_t size) {
    static char *room;
    static size_t left;
    char *kept;
    if (size > 200) size = 200;
    if (size + 1 > left) {
        room = (char *)recorder_memory(1 << 16);
        left = room ? 1 << 16 : 0;
        if (!room) return NULL;
    }
    kept = room;
    memcpy(kept, words, size);
    kept[size] = 0;
    room += size + 1;
    left -= size + 1;
    return kept;
}

/* ---- symbols and sections ---- */

static void add_datum(data_list *list, uint64_t low, uint64_t bytes, const char *name,
                      size_t size) {
    datum *d;
    if (list->count == list->room) return;
    d = &list->at[list->count];
    d->low = low;
    d->bytes = bytes;
    d->name = keep_words(name, size);
    if (d->name) list->count++;
}

static int comes_later(const datum *a, const datum *b) {
    return a->low != b->low ? a->low > b->low : a->bytes < b->bytes;
}

static void sift(datum *at, uint32_t root, uint32_t count) {
    for (;;) {
        uint32_t child = 2 * root + 1;
        datum kept;
        if (child >= count) return;
        if (child + 1 < count && comes_later(&at[child + 1], &at[child])) child++;
        if (!comes_later(&at[child], &at[root])) return;
        kept = at[root];
        at[root] = at[child];
        at[child] = kept;
        root = child;
    }
}

/* qsort would call malloc. */
static void sort_data(data_list *list) {
    uint32_t n;
    for (n = list->count / 2; n > 0; n--) sift(list->at, n - 1, list->count);
    for (n = list->count; n > 1; n--) {
        datum kept = list->at[0];
        list->at[0] = list->at[n - 1];
        list->at[n - 1] = kept;
        sift(list->at, 0, n - 1);
    }
}

/* Finds the symbol that holds an address. The largest of those that begin together
   stands first. */
static uint32_t find_datum(const data_list *list, uint64_t address) {
    uint32_t lo = 0, hi = list->count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (list->at[mid].low <= address) lo = mid + 1;
        else hi = mid;
    }
    while (lo > 1 && list->at[lo - 2].low == list->at[lo - 1].low) lo--;
    return lo && address - list->at[lo - 1].low < list->at[lo - 1].bytes ? lo : 0;
}

static int is_object(const Elf64_Sym *s) {
    int type = s->st_info & 15;
    return (type == STT_OBJECT || type == STT_COMMON) && s->st_size && s->st_value
           && s->st_shndx != SHN_UNDEF;
}

static int take_symbols(data_module *m, const char *file, size_t size, uint64_t bias,
                        const char *symbols, const char *strings) {
    debugfile_section table, text;
    size_t n, count, wanted = 0;
    if (!debugfile_section_of(file, size, symbols, &table)
        || !debugfile_section_of(file, size, strings, &text))
        return 0;
    count = table.size / sizeof(Elf64_Sym);
    for (n = 0; n < count; n++) {
        Elf64_Sym s;
        memcpy(&s, table.bytes + n * sizeof s, sizeof s);
        wanted += is_object(&s) != 0;
    }
    if (!wanted || wanted > UINT32_MAX) return 0;
    m->symbols.at = (datum *)recorder_memory(wanted * sizeof(datum));
    m->symbols.room = m->symbols.at ? (uint32_t)wanted : 0;
    for (n = 0; n < count; n++) {
        Elf64_Sym s;
        const unsigned char *name, *end;
        memcpy(&s, table.bytes + n * sizeof s, sizeof s);
        if (!is_object(&s) || s.st_name >= text.size) continue;
        name = text.bytes + s.st_name;
        end = (const unsigned char *)memchr(name, 0, text.size - s.st_name);
        if (end && end > name)
            add_datum(&m->symbols, bias + s.st_value, s.st_size, (const char *)name,
                      (size_t)(end - name));
    }
    sort_data(&m->symbols);
    return 1;
}

static void take_sections(data_module *m, const char *file, size_t size, uint64_t bias) {
    Elf64_Ehdr head;
    Elf64_Shdr names, s;
    uint32_t n;
    if (size < sizeof head) return;
    memcpy(&head, file, sizeof head);
    if (head.e_shoff > size || (size - head.e_shoff) / sizeof s < head.e_shnum
        || head.e_shstrndx >= head.e_shnum)
        return;
    memcpy(&names, file + head.e_shoff + head.e_shstrndx * sizeof s, sizeof s);
    if (names.sh_offset > size || names.sh_size > size - names.sh_offset) return;
    m->sections.at = (datum *)recorder_memory(head.e_shnum * sizeof(datum));
    m->sections.room = m->sections.at ? head.e_shnum : 0;
    for (n = 0; n < head.e_shnum; n++) {
        char words[256];
        const char *name;
        int length;
        memcpy(&s, file + head.e_shoff + n * sizeof s, sizeof s);
        if (!(s.sh_flags & SHF_ALLOC) || s.sh_flags & (SHF_EXECINSTR | SHF_TLS) || !s.sh_size
            || s.sh_name >= names.sh_size)
            continue;
        name = file + names.sh_offset + s.sh_name;
        length = snprintf(words, sizeof words, "%.*s of %.150s",
                          (int)strnlen(name, (size_t)(names.sh_size - s.sh_name) > 64
                                                 ? 64 : (size_t)(names.sh_size - s.sh_name)),
                          name, m->name);
        if (length > 0)
            add_datum(&m->sections, bias + s.sh_addr, s.sh_size, words, (size_t)length);
    }
    sort_data(&m->sections);
}

static void take_file(data_module *m, const char *path, uint64_t bias) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    off_t size = file >= 0 ? lseek(file, 0, SEEK_END) : -1;
    void *bytes = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    const char *debug;
    size_t debug_size;
    int number = 0;
    if (file >= 0) close(file);
    if (bytes == MAP_FAILED) return;
    take_sections(m, (const char *)bytes, (size_t)size, bias);
    if (!take_symbols(m, (const char *)bytes, (size_t)size, bias, ".symtab", ".strtab")) {
        char real[4096];
        ssize_t n = readlink(path, real, sizeof real - 1);
        if (n > 0) real[n] = 0;
        while (debugfile_find(n > 0 ? real : path, (const char *)bytes, (size_t)size,
                                        number++, &debug, &debug_size)
               && !take_symbols(m, debug, debug_size, bias, ".symtab", ".strtab")) { }
        if (!m->symbols.count)
            (void)take_symbols(m, (const char *)bytes, (size_t)size, bias, ".dynsym", ".dynstr");
    }
    munmap(bytes, (size_t)size);
}

static int take_module(struct dl_phdr_info *info, size_t size, void *user) {
    data_module *m = &modules[module_count];
    const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : NULL, *base;
    uint32_t n;
    (void)size;
    (void)user;
    if (module_count == MODULES || (!path && module_count)) return 0; /* not the vdso */
    base = path ? path : recorder_program();
    base = strrchr(base, '/') ? strrchr(base, '/') + 1 : base;
    m->low = UINT64_MAX;
    m->end = 0;
    for (n = 0; n < info->dlpi_phnum; n++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[n];
        uint64_t low = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD) continue;
        if (low < m->low) m->low = low;
        if (low + p->p_memsz > m->end) m->end = low + p->p_memsz;
    }
    m->name = keep_words(base, strlen(base));
    if (m->end <= m->low || !m->name) return 0;
    take_file(m, path ? path : "/proc/self/exe", info->dlpi_addr);
    module_count++;
    return 0;
}

/* ---- blocks of the heap ---- */

typedef struct block {
    uint64_t low, bytes, life;
    uint32_t site;                  /* 1 + number; 0: not known */
    uint32_t next[2];               /* in the chains of its pieces: 1 + 2 * block + which */
    uint32_t freed_at;              /* 1 + where it stands among the freed; 0: it is in use */
} block;

typedef struct heap_site { uint32_t keys[NAMED]; } heap_site;

static struct heap {
    block *blocks;
    uint32_t *heads;                /* by hash of piece and class */
    uint32_t used, free_first;      /* blocks ever used; 1 + one that is free, by next[0] */
    uint32_t freed[FREED_MOST];     /* 1 + blocks that are freed, and stay for now */
    uint32_t freed_next;
    uint64_t of_class[CLASSES];     /* blocks */
    heap_site sites[SITES_MOST];
    uint32_t site_count;
    uint64_t lost, lives;
    int lock, is_stuck, is_off;
} heap;

static __thread int at_heap;        /* 1: this thread has the lock */

/* Who had the lock may never come back: it was left by siglongjmp, or it is a
   thread of the parent. Then one waits in vain, and no other after that. */
static int lock_heap(void) {
    int wait, most = __atomic_load_n(&heap.is_stuck, __ATOMIC_RELAXED) ? 1 : PATIENCE;
    if (at_heap || heap.is_off || !heap.blocks) return 0;
    at_heap = 1;
    for (wait = 0; wait < most; wait++) {
        if (!__atomic_exchange_n(&heap.lock, 1, __ATOMIC_ACQUIRE)) {
            if (most == 1) __atomic_store_n(&heap.is_stuck, 0, __ATOMIC_RELAXED);
            return 1;
        }
        if (!record.sandboxed && most > 1) sched_yield();
    }
    __atomic_store_n(&heap.is_stuck, 1, __ATOMIC_RELAXED);
    at_heap = 0;
    return 0;
}

static void unlock_heap(void) {
    __atomic_store_n(&heap.lock, 0, __ATOMIC_RELEASE);
    at_heap = 0;
}

static uint32_t class_of(uint64_t bytes) {
    uint32_t class_number = CLASS_LEAST;
    while (class_number < CLASSES - 1 && UINT64_C(1) << class_number < bytes) class_number++;
    return class_number;
}

static uint32_t *head_of(uint64_t piece, uint32_t class_number) {
    uint64_t hash = (piece * 64 + class_number) * UINT64_C(0x9E3779B97F4A7C15);
    return &heap.heads[hash >> 44];
}

/* The pieces that a block is in: how many, 1 or 2. */
static uint32_t pieces_of(const block *b, uint32_t class_number, uint64_t *piece) {
    piece[0] = b->low >> class_number;
    piece[1] = (b->low + (b->bytes ? b->bytes - 1 : 0)) >> class_number;
    return piece[1] != piece[0] ? 2 : 1;
}

static void link_block(uint32_t number) {
    block *b = &heap.blocks[number];
    uint32_t class_number = class_of(b->bytes), n;
    uint64_t piece[2];
    uint32_t count = pieces_of(b, class_number, piece);
    for (n = 0; n < count; n++) {
        uint32_t *head = head_of(piece[n], class_number);
        b->next[n] = *head;
        *head = 1 + 2 * number + n;
    }
    heap.of_class[class_number]++;
}

static void unlink_block(uint32_t number) {
    block *b = &heap.blocks[number];
    uint32_t class_number = class_of(b->bytes), n;
    uint64_t piece[2];
    uint32_t count = pieces_of(b, class_number, piece);
    for (n = 0; n < count; n++) {
        uint32_t *at = head_of(piece[n], class_number), wanted = 1 + 2 * number + n;
        while (*at != wanted) at = &heap.blocks[(*at - 1) / 2].next[(*at - 1) % 2];
        *at = b->next[n];
    }
    heap.of_class[class_number]--;
    b->next[0] = heap.free_first;
    heap.free_first = 1 + number;
}

/* 1 + the block that holds an address; one that is not freed, if there is. */
static uint32_t block_at(uint64_t address) {
    uint32_t class_number, found = 0, at;
    for (class_number = CLASS_LEAST; class_number < CLASSES; class_number++) {
        if (!heap.of_class[class_number]) continue;
        for (at = *head_of(address >> class_number, class_number); at;
             at = heap.blocks[(at - 1) / 2].next[(at - 1) % 2]) {
            const block *b = &heap.blocks[(at - 1) / 2];
            if (address - b->low >= b->bytes || class_of(b->bytes) != class_number) continue;
            if (!b->freed_at) return 1 + (at - 1) / 2;
            found = 1 + (at - 1) / 2;
        }
    }
    return found;
}

/* A freed block is forgotten. */
static void drop_freed(uint32_t place) {
    uint32_t number = heap.freed[place];
    if (number) unlink_block(number - 1);
    heap.freed[place] = 0;
}

/* Does the name say that the function hands memory on? */
static int is_allocator(const x86_frame *f) {
    static const char *const words[] = {"alloc", "_Znw", "_Zna", "strdup", NULL};
    x86_function about;
    int n;
    if (x86_get_function(x86_find_function(f->module, f->place), &about) != 0
        || !about.name)
        return 0;
    for (n = 0; words[n]; n++) {
        if (strcasestr(about.name, words[n])) return 1;
    }
    return 0;
}

static uint32_t site_of(const uint32_t *keys) {
    uint32_t n;
    for (n = 0; n < heap.site_count; n++) {
        if (!memcmp(heap.sites[n].keys, keys, sizeof heap.sites[n].keys)) return 1 + n;
    }
    if (heap.site_count == SITES_MOST) return 0;
    memcpy(heap.sites[heap.site_count].keys, keys, sizeof heap.sites[0].keys);
    return ++heap.site_count;
}

/* The open functions of an earlier allocation, by where their return addresses
   stand. If all of these are still there, its site is this one's. */
typedef struct chain {
    const void *back;
    const void *stack;
    uint32_t site, count, turn;
    uint64_t where[FRAMES_SEEN], what[FRAMES_SEEN];
} chain;

/* The chains of a thread. When it ends, another thread takes the table, and `turn`
   counts up: a chain with a smaller number is of the earlier thread's stack. */
typedef struct chain_table {
    struct chain_table *next;
    uint32_t turn;
    chain at[CHAINS];
} chain_table;

static chain_table *free_tables;    /* under the lock of the heap */
static pthread_key_t at_thread_end;
static __thread chain_table *chains;
static __thread uintptr_t stack_low, stack_end;

static void leave_chains(void *table) {
    chain_table *t = (chain_table *)table;
    chains = NULL;
    if (!lock_heap()) return;
    t->next = free_tables;
    free_tables = t;
    unlock_heap();
}

static void take_chains(void) {
    chain_table *t = NULL;
    if (lock_heap()) {
        t = free_tables;
        if (t) free_tables = t->next;
        unlock_heap();
    }
    if (!t) t = (chain_table *)recorder_memory(sizeof *t);
    if (!t) return;
    t->turn++;
    chains = t;
    pthread_setspecific(at_thread_end, t);  /* it may allocate, and come here again */
}

static uint64_t word_at(uint64_t address) { return *(const uint64_t *)(uintptr_t)address; }

static uint32_t walk(chain *c, const void *frame) {
    x86_frame frames[FRAMES_SEEN];
    uint32_t keys[NAMED] = {0}, count, n, named = 0, first = 0;
    count = x86_stack((uint64_t)(uintptr_t)c->back - 1, (uint64_t)(uintptr_t)c->stack,
                           (uint64_t)(uintptr_t)frame, stack_end, frames, FRAMES_SEEN);
    c->count = 0;
    if (count == UINT32_MAX) return 0;
    while (first + 1 < count && is_allocator(&frames[first])) first++;
    for (n = first; n < count && named < NAMED; n++)
        keys[named++] = record_key(frames[n].module, frames[n].place);
    for (n = 0; n < count && n < first + NAMED; n++) {
        uint64_t where = frames[n].stack;
        if (where < stack_low || where > stack_end - 8) break;
        c->where[c->count] = where;
        c->what[c->count++] = word_at(where);
    }
    if (!named || !lock_heap()) return 0;
    n = site_of(keys);
    unlock_heap();
    return n;
}

static uint32_t find_site(const void *back, const void *stack, const void *frame) {
    uint64_t hash = ((uintptr_t)back * 31 + (uintptr_t)stack) * UINT64_C(0x9E3779B97F4A7C15);
    uintptr_t here = (uintptr_t)stack;
    chain *c;
    uint32_t n;
    if (!record.running || record.done || record.sandboxed) return 0;
    if (!stack_end) {
        recorder_find_stack(here, &stack_low, &stack_end);
        if (!stack_end) stack_end = 1;
    }
    if (here < stack_low || here >= stack_end) return 0;        /* a stack of the program's own */
    if (!chains) take_chains();
    if (!chains) return 0;
    c = &chains->at[hash >> 56];
    if (c->back == back && c->stack == stack && c->site && c->turn == chains->turn) {
        for (n = 0; n < c->count && word_at(c->where[n]) == c->what[n]; n++) { }
        if (n == c->count) return c->site;
    }
    c->back = back;
    c->stack = stack;
    c->turn = chains->turn;
    c->site = walk(c, frame);
    return c->site;
}

__attribute__((visibility("default"))) void bursty_allocated(const void *memory, uint64_t bytes,
                                                             const void *back, const void *stack,
                                                             const void *frame) {
    uint32_t site, number;
    block *b;
    if (!heap.blocks || heap.is_off || !memory || !bytes || at_heap) return;
    site = find_site(back, stack, frame);
    if (!lock_heap()) {
        __atomic_fetch_add(&heap.lost, 1, __ATOMIC_RELAXED);
        return;
    }
    /* Many blocks that were freed at one place would make long chains. */
    number = block_at((uint64_t)(uintptr_t)memory);
    if (number && heap.blocks[number - 1].freed_at)
        drop_freed(heap.blocks[number - 1].freed_at - 1);
    number = heap.free_first;
    if (number) heap.free_first = heap.blocks[number - 1].next[0];
    else if (heap.used < BLOCKS_MOST) number = ++heap.used;
    if (number) {
        b = &heap.blocks[number - 1];
        b->low = (uint64_t)(uintptr_t)memory;
        b->bytes = bytes;
        b->life = ++heap.lives;
        b->site = site;
        b->freed_at = 0;
        link_block(number - 1);
    } else heap.lost++;
    unlock_heap();
}

__attribute__((visibility("default"))) void bursty_freed(const void *memory) {
    uint32_t number, place;
    if (!memory || !lock_heap()) return;
    number = block_at((uint64_t)(uintptr_t)memory);
    if (number && !heap.blocks[number - 1].freed_at
        && heap.blocks[number - 1].low == (uint64_t)(uintptr_t)memory) {
        place = heap.freed_next++ % FREED_MOST;
        drop_freed(place);
        heap.freed[place] = number;
        heap.blocks[number - 1].freed_at = place + 1;
    }
    unlock_heap();
}

__attribute__((visibility("default"))) void bursty_kept(const void *memory) {
    uint32_t number;
    block *b;
    if (!lock_heap()) return;
    number = block_at((uint64_t)(uintptr_t)memory);
    b = number ? &heap.blocks[number - 1] : NULL;
    if (b && b->freed_at && b->low == (uint64_t)(uintptr_t)memory) {
        heap.freed[b->freed_at - 1] = 0;
        b->freed_at = 0;
    }
    unlock_heap();
}

/* ---- objects ---- */

void objects_end(void) { heap.is_off = 1; }

void objects_free(void) {
    objects_end();
    if (heap.heads) munmap(heap.heads, HEADS * sizeof *heap.heads);
    if (heap.blocks) munmap(heap.blocks, BLOCKS_MOST * sizeof *heap.blocks);
}

/* A child has the table as it is at the fork, so nobody may be at it then. */
static __thread int has_at_fork;

static void before_fork(void) {
    if (lock_heap()) has_at_fork = 1;
}

static void in_parent(void) {
    if (has_at_fork) unlock_heap();
    has_at_fork = 0;
}

static void in_child(void) {
    if (!has_at_fork && !at_heap) objects_end();
    in_parent();
}

void objects_start(void) {
    if (pthread_key_create(&at_thread_end, leave_chains) != 0) return;
    if (pthread_atfork(before_fork, in_parent, in_child) != 0) return;
    (void)dl_iterate_phdr(take_module, NULL);
    heap.heads = (uint32_t *)recorder_memory(HEADS * sizeof *heap.heads);
    if (heap.heads) heap.blocks = (block *)recorder_memory(BLOCKS_MOST * sizeof *heap.blocks);
}

static uint64_t object(uint32_t type, uint32_t module, uint32_t number) {
    return (uint64_t)type << 56 | (uint64_t)module << 32 | number;
}

static uint64_t datum_object(uint32_t type, uint32_t module, const data_list *list,
                             uint32_t number, objects_span *out) {
    out->low = list->at[number].low;
    out->bytes = list->at[number].bytes;
    return object(type, module, number);
}

uint64_t objects_find_span(uint64_t address, uint64_t low, uint64_t end, objects_span *out) {
    uint32_t n, found, site = 0;
    memset(out, 0, sizeof *out);
    for (n = 0; n < module_count; n++) {
        const data_module *m = &modules[n];
        if (address < m->low || address >= m->end) continue;
        found = find_datum(&m->symbols, address);
        if (found) return datum_object(IS_SYMBOL, n, &m->symbols, found - 1, out);
        found = find_datum(&m->sections, address);
        return found ? datum_object(IS_SECTION, n, &m->sections, found - 1, out)
                     : object(IS_OTHER, 0, 0);
    }
    if (address >= low && address < end) return object(IS_STACK, 0, 0);
    if (!lock_heap()) return object(IS_OTHER, 0, 0);
    found = block_at(address);
    if (found) {
        const block *b = &heap.blocks[found - 1];
        site = b->site;
        out->low = b->low;
        out->bytes = b->bytes;
        out->life = b->life;
    }
    unlock_heap();
    return found ? object(IS_BLOCK, 0, site) : object(IS_OTHER, 0, 0);
}

uint64_t objects_find(uint64_t address, uint64_t low, uint64_t end) {
    objects_span span;
    return objects_find_span(address, low, end, &span);
}

uint64_t objects_lives(void) { return __atomic_load_n(&heap.lives, __ATOMIC_RELAXED); }

int objects_is_stack(uint64_t number) { return number >> 56 == IS_STACK; }

int objects_is_block(uint64_t number) { return number >> 56 == IS_BLOCK; }

int objects_is_other(uint64_t number) { return number >> 56 == IS_OTHER; }

const char *objects_name(uint64_t number, const char *(*name)(void *user, uint32_t key)) {
    static char words[512];
    uint32_t type = (uint32_t)(number >> 56), module = (uint32_t)(number >> 32) & 0xFFFFFF;
    uint32_t low = (uint32_t)number;
    const char *inner, *outer;
    switch (type) {
    case IS_SYMBOL: return modules[module].symbols.at[low].name;
    case IS_SECTION: return modules[module].sections.at[low].name;
    case IS_STACK: return "(stack)";
    case IS_BLOCK:
        if (!low) return "(heap, allocated by code that is not recorded)";
        inner = name(NULL, heap.sites[low - 1].keys[0]);
        outer = heap.sites[low - 1].keys[1] ? name(NULL, heap.sites[low - 1].keys[1]) : NULL;
        snprintf(words, sizeof words, outer ? "heap of %.200s < %.200s" : "heap of %.200s",
                 inner ? inner : "?", outer);
        return words;
    default: return "(other memory)";
    }
}

uint64_t objects_lost(void) { return heap.lost; }

