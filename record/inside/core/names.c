/* names.c - keys of functions, and where these stand: addresses in, names out.

   A key is a place in a hash of addresses, plus 1; entries are only added,
   without a lock. What a function is called is not known here. Where the dump
   has a name, the recorder writes the number of a module and an address in it,
   and beside that a list of the modules (places.h). `bursty record` makes names
   of it when the program has ended, or who reads the dump first.
       What is mapped later at the place of a library that was closed is another
   module. Before that happens the closing one's functions get their module, and
   then their entries stop matching any address.
       A file may be replaced before anybody reads it. So the module has its build
   id and what the file was like, and functions of what may be gone have the names
   of the dynamic symbols in memory. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder.h"
#include "../../places_format.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "../../../src/part.c" /* the writer of parts, which the headers have, too */

#if UINTPTR_MAX > 0xFFFFFFFF
#define ELF(type) Elf64_##type
#else
#define ELF(type) Elf32_##type
#endif

void *recorder_functions[RECORDER_FUNCTIONS + 1];
static void **const functions = recorder_functions + 1;
static char *names[RECORDER_FUNCTIONS];    /* of dynamic symbols; NULL: nobody looked, or none */
static uint32_t function_count, without_memory;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of modules, and of who reads the maps */
static char unloaded;                                    /* the function of an entry that is gone */

enum { MODULES = 2048, ID_MOST = 40 };
typedef struct build_id { unsigned char bytes[ID_MOST]; uint32_t size; } build_id; /* 0: none */
typedef struct module {
    uintptr_t start, end, bias;
    const ELF(Dyn) *dynamic;
    build_id id;
    char *path;                     /* NULL: not known */
    uint64_t size, time_ns, number; /* of the file, as it was when the module was met */
    unsigned flags;                 /* PLACES_... */
    unsigned char is_early, is_closed, is_here, is_changed, has_no_memory;
} module;
static module modules[MODULES];
static uint32_t module_count;
static uint64_t code_bytes;                       /* of the program */
static uint64_t process, written;                /* its number, and the time, in seconds */
static uint16_t module_of[RECORDER_FUNCTIONS];   /* 1 + its number, or 0 */
static uintptr_t address_of[RECORDER_FUNCTIONS]; /* of a function with a module: in that */

/* ---- keys ---- */

/* The place of a function, or of the free entry where it would be. */
RECORDER_HOOK static uint32_t place_of(void *function) {
    uint32_t mix = (uint32_t)((uintptr_t)function >> 4) * UINT32_C(0x9E3779B1), i;
    i = (uint32_t)((uint64_t)mix * RECORDER_FUNCTIONS >> 32);
    for (;; i = i + 1 == RECORDER_FUNCTIONS ? 0 : i + 1) {
        void *there = __atomic_load_n(&functions[i], __ATOMIC_RELAXED);
        if (!there || there == function) return i;
    }
}

RECORDER_HOOK uint32_t recorder_known_key(void *function) {
    uint32_t i = place_of(function);
    return __atomic_load_n(&functions[i], __ATOMIC_RELAXED) == function ? i + 1 : 0;
}

RECORDER_HOOK uint32_t recorder_key(void *function) {
    for (;;) {
        uint32_t i = place_of(function);
        void *there = __atomic_load_n(&functions[i], __ATOMIC_RELAXED);
        if (there == function) return i + 1;
        if (there) continue; /* another thread was faster */
        if (__atomic_load_n(&function_count, __ATOMIC_RELAXED) >= RECORDER_FUNCTIONS / 4 * 3) {
            return RECORDER_FUNCTIONS + 1;
        }
        if (__atomic_compare_exchange_n(&functions[i], &there, function, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            __atomic_fetch_add(&function_count, 1, __ATOMIC_RELAXED);
            return i + 1;
        }
    }
}

/* A place in code without unwind tables has a key of its own, as the function is
   not known yet. With many of them, those of one cache line share one. */
enum { EXACT = 4096 };
static unsigned char is_bare[RECORDER_FUNCTIONS];
static uint32_t bare_count;

RECORDER_HOOK uint32_t recorder_bare_key(void *place) {
    uintptr_t at = (uintptr_t)place;
    uint32_t key;
    if (__atomic_load_n(&bare_count, __ATOMIC_RELAXED) >= EXACT) at &= ~(uintptr_t)63;
    key = recorder_key((void *)at);
    if (key <= RECORDER_FUNCTIONS && !is_bare[key - 1]) {
        is_bare[key - 1] = 1;
        __atomic_fetch_add(&bare_count, 1, __ATOMIC_RELAXED);
    }
    return key;
}

/* Code of no file: who made it may say in a file what it is. */
static unsigned char is_made[RECORDER_FUNCTIONS];

RECORDER_HOOK uint32_t recorder_made_key(void *place) {
    uint32_t key = recorder_key(place);
    if (key <= RECORDER_FUNCTIONS) is_made[key - 1] = 1;
    return key;
}

/* ---- /proc/self/maps ---- */

/* Calls `each` with every line of an open file, which it closes. Without a
   FILE: the process may end in a signal handler that has interrupted malloc. */
RECORDER_HOOK static void read_lines(int file, void (*each)(const char *line)) {
    static char text[2 * 4400];
    size_t have = 0;
    ssize_t got = 1;
    if (file < 0) return;
    while (got > 0) {
        char *line = text, *end;
        got = read(file, text + have, sizeof text - 1 - have);
        if (got > 0) have += (size_t)got;
        text[have] = 0;
        while ((end = strchr(line, '\n')) != NULL) {
            *end = 0;
            each(line);
            line = end + 1;
        }
        have -= (size_t)(line - text);
        if (have > 4400) have = 0; /* no line is that long */
        memmove(text, line, have);
    }
    close(file);
}

RECORDER_HOOK static void read_maps(void (*each)(const char *line)) {
    read_lines(open("/proc/self/maps", O_RDONLY | O_CLOEXEC), each);
}

/* Not for ever: this may be a signal handler that has interrupted who has the
   lock. */
RECORDER_HOOK static int lock_names(void) {
    int wait;
    for (wait = 0; wait < 10000; wait++) {
        if (pthread_mutex_trylock(&lock) == 0) return 1;
        sched_yield();
    }
    return 0;
}

RECORDER_HOOK void recorder_lock_names(int on) {
    if (on) pthread_mutex_lock(&lock);
    else pthread_mutex_unlock(&lock);
}

typedef struct map_line {
    uintptr_t start, end, from;
    const char *path;
    size_t length;
    int is_gone;                    /* the file has its name no more */
} map_line;

RECORDER_HOOK static const char *hexadecimal(const char *at, uintptr_t *out) {
    for (*out = 0; *at; at++) {
        int digit = *at >= '0' && *at <= '9' ? *at - '0' : *at >= 'a' ? *at - 'a' + 10 : 16;
        if (digit > 15) break;
        *out = *out << 4 | (uintptr_t)digit;
    }
    return at;
}

/* "START-END RIGHTS FROM DEVICE NUMBER  PATH" */
RECORDER_HOOK static map_line parse_line(const char *line) {
    static const char gone[] = " (deleted)";
    const size_t more = sizeof gone - 1;
    map_line l;
    int field;
    line = hexadecimal(line, &l.start);
    line = hexadecimal(line + (*line == '-'), &l.end);
    for (field = 0; field < 2 && *line; field++) line += strcspn(line + 1, " ") + 1;
    line = hexadecimal(line + (*line == ' '), &l.from);
    for (field = 0; field < 2 && *line; field++) line += strcspn(line + 1, " ") + 1;
    l.path = line + strspn(line, " ");
    l.length = strlen(l.path);
    l.is_gone = l.length > more && !strcmp(l.path + l.length - more, gone);
    if (l.is_gone) l.length -= more;
    return l;
}

static uintptr_t wanted_place, found_low, found_end;

RECORDER_HOOK static void note_stack(const char *line) {
    enum { GROWS = 64 << 20 }; /* the kernel keeps more than this free below the first stack */
    map_line l = parse_line(line);
    if (wanted_place - l.start >= l.end - l.start) return;
    found_low = !strcmp(l.path, "[stack]") && l.end > GROWS ? l.end - GROWS : l.start;
    found_end = l.end;
}

/* Where the C library notes the stack of a thread: so many words behind what
   pthread_self gives stand its lowest address, its size, and how much of it is
   the guard. The first thread that reads the maps finds that out; all others
   need not read them, which is a lot with many threads. 0: it is not known. */
static uint32_t noted_at;

RECORDER_HOOK static int stack_is_noted(uint32_t at, uintptr_t place, uintptr_t *low,
                                        uintptr_t *end) {
    const uintptr_t *note = (const uintptr_t *)pthread_self() + at;
    if (!note[0] || note[2] >= note[1] || place - note[0] >= note[1]) return 0;
    *low = note[0] + note[2];
    *end = note[0] + note[1];
    return place >= *low;
}

RECORDER_HOOK static void find_note(uintptr_t place, uintptr_t low, uintptr_t end) {
    enum { WORDS = 512, PAGE = 4096, ABOVE = 1 << 16 };
    uintptr_t self = (uintptr_t)pthread_self(), noted_low, noted_end;
    uint32_t at;
    if (self < low || self >= end) return;
    for (at = 1; at < WORDS && self + (at + 3) * sizeof self <= end; at++) {
        if (!stack_is_noted(at, place, &noted_low, &noted_end) || noted_low != low) continue;
        if (noted_end % PAGE || noted_end > end || noted_end <= self) continue;
        if (noted_end - self > ABOVE) continue;
        __atomic_store_n(&noted_at, at, __ATOMIC_RELAXED);
        return;
    }
}

RECORDER_HOOK void recorder_find_stack(uintptr_t place, uintptr_t *low, uintptr_t *end) {
    uint32_t at = __atomic_load_n(&noted_at, __ATOMIC_RELAXED);
    int state;
    if (at && stack_is_noted(at, place, low, end)) return;
    *low = *end = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    if (lock_names()) {
        wanted_place = place;
        found_low = found_end = 0;
        read_maps(note_stack);
        *low = found_low;
        *end = found_end;
        find_note(place, *low, *end);
        pthread_mutex_unlock(&lock);
    }
    pthread_setcancelstate(state, &state);
}

/* ---- modules ---- */

/* The id in notes: three words, "GNU", the id. */
RECORDER_HOOK static void read_notes(const unsigned char *notes, size_t size, build_id *id) {
    while (size >= 12) {
        uint32_t word[3];
        size_t name, bytes;
        memcpy(word, notes, sizeof word);
        if (word[0] > size || word[1] > size) return;
        name = (word[0] + 3u) & ~(size_t)3;
        bytes = (word[1] + 3u) & ~(size_t)3;
        if (name > size - 12 || bytes > size - 12 - name) return;
        if (word[2] == NT_GNU_BUILD_ID && word[0] == 4 && !memcmp(notes + 12, "GNU", 4)
            && word[1] <= ID_MOST) {
            memcpy(id->bytes, notes + 12 + name, word[1]);
            id->size = word[1];
        }
        notes += 12 + name + bytes;
        size -= 12 + name + bytes;
    }
}

RECORDER_HOOK static int is_same_module(const module *a, const module *b) {
    return !a->is_closed && a->start == b->start && a->end == b->end && a->bias == b->bias
           && a->dynamic == b->dynamic && a->id.size == b->id.size
           && !memcmp(a->id.bytes, b->id.bytes, a->id.size);
}

/* Who reads the list without the lock sees whole modules alone. */
RECORDER_HOOK static module *add_module(const module *m) {
    module *to = &modules[module_count];
    if (module_count == MODULES) return NULL;
    *to = *m;
    to->is_here = 1;
    __atomic_store_n(&module_count, module_count + 1, __ATOMIC_RELEASE);
    return to;
}

RECORDER_HOOK static int note_module(struct dl_phdr_info *info, size_t size, void *is_first) {
    module m;
    uint32_t k;
    int n;
    (void)size;
    memset(&m, 0, sizeof m);
    m.bias = (uintptr_t)info->dlpi_addr;
    m.start = UINTPTR_MAX;
    if (*(int *)is_first) m.flags = PLACES_PROGRAM;
    *(int *)is_first = 0;
    for (n = 0; n < info->dlpi_phnum; n++) {
        const ELF(Phdr) *p = &info->dlpi_phdr[n];
        uintptr_t at = m.bias + (uintptr_t)p->p_vaddr, end = at + (uintptr_t)p->p_memsz;
        if (p->p_type == PT_LOAD && p->p_flags & PF_X && m.flags & PLACES_PROGRAM && !module_count)
            code_bytes += p->p_filesz;
        if (p->p_type == PT_LOAD) {
            if (at < m.start) m.start = at;
            if (end > m.end) m.end = end;
        } else if (p->p_type == PT_DYNAMIC) m.dynamic = (const ELF(Dyn) *)at;
        else if (p->p_type == PT_NOTE && !m.id.size)
            read_notes((const unsigned char *)at, (size_t)p->p_memsz, &m.id);
    }
    for (k = 0; k < module_count && !is_same_module(&modules[k], &m); k++) { }
    if (k < module_count) modules[k].is_here = 1;
    else if (m.start < m.end) (void)add_module(&m);
    return 0;
}

/* A copy of words, which stays; NULL: there is no memory. */
RECORDER_HOOK static char *keep_words(const char *words, size_t size) {
    enum { ROOM = 1 << 14 };
    static char *at;
    static size_t left;
    char *kept;
    if (size + 1 > left) {
        left = size < ROOM ? (size_t)ROOM : size + 1;
        at = (char *)recorder_memory(left);
        if (!at) left = 0;
        if (!at) return NULL;
    }
    kept = at;
    memcpy(kept, words, size);
    at += size + 1;                 /* the memory is zeroed */
    left -= size + 1;
    return kept;
}

/* What the file is like. A change shows in one of these. */
RECORDER_HOOK static int look_at_file(const char *path, uint64_t *size, uint64_t *time_ns,
                                      uint64_t *number) {
    struct stat s;
    if (stat(path, &s) != 0) return -1;
    *size = (uint64_t)s.st_size;
    *time_ns = (uint64_t)s.st_mtim.tv_sec * 1000000000u + (uint64_t)s.st_mtim.tv_nsec;
    *number = (uint64_t)s.st_ino;
    return 0;
}

RECORDER_HOOK static void take_path(module *m, const map_line *l) {
    uint32_t n;
    for (n = 0; n < module_count && !m->path; n++) {
        char *path = modules[n].path;
        if (path && strlen(path) == l->length && !memcmp(path, l->path, l->length)) m->path = path;
    }
    if (!m->path) {
        m->path = keep_words(l->path, l->length);
        m->has_no_memory = !m->path;
        if (!m->path) return;
    }
    if (l->is_gone || look_at_file(m->path, &m->size, &m->time_ns, &m->number) != 0)
        m->is_changed = 1;
}

RECORDER_HOOK static void note_path(const char *line) {
    map_line l = parse_line(line);
    uint32_t n;
    for (n = 0; n < module_count && *l.path == '/'; n++) {
        module *m = &modules[n];
        if (!m->path && !m->is_closed && l.start - (m->start & ~(uintptr_t)4095) < m->end - m->start)
            take_path(m, &l);
    }
}

/* A library that was closed and is back, maybe at another place, has its number
   again: addresses in it are the same. */
RECORDER_HOOK static void join_closed(uint32_t before) {
    uint32_t n, k;
    for (n = module_count; n-- > before;) {
        module *m = &modules[n], *was;
        for (k = 0; k < before; k++) {
            was = &modules[k];
            if (was->is_closed && m->path && was->path == m->path && !m->is_changed
                && !was->is_changed && was->size == m->size && was->time_ns == m->time_ns
                && was->number == m->number && was->id.size == m->id.size
                && !memcmp(was->id.bytes, m->id.bytes, m->id.size))
                break;
        }
        if (k == before) continue;
        m->is_closed = 1;
        was->start = m->start;
        was->end = m->end;
        was->bias = m->bias;
        was->dynamic = m->dynamic;
        was->is_closed = 0;
        if (n + 1 == module_count) module_count--;
    }
}

/* New ones, and which are closed. */
RECORDER_HOOK static void look(void) {
    uint32_t n, before = module_count;
    int is_first = 1;
    process = (uint64_t)getpid();   /* when all is written, nobody may be asked any more */
    written = (uint64_t)time(NULL);
    for (n = 0; n < before; n++) modules[n].is_here = 0;
    (void)dl_iterate_phdr(note_module, &is_first);
    for (n = 0; n < before; n++) {
        if (!modules[n].is_here && !(modules[n].flags & PLACES_BY_OFFSET)) modules[n].is_closed = 1;
    }
    if (module_count == before) return;
    read_maps(note_path);
    join_closed(before);
}

RECORDER_HOOK static const module *module_at(uintptr_t address) {
    uint32_t n, count = __atomic_load_n(&module_count, __ATOMIC_ACQUIRE);
    for (n = 0; n < count; n++) {
        const module *m = &modules[n];
        if (!m->is_closed && address - m->start < m->end - m->start) return m;
    }
    return NULL;
}

RECORDER_HOOK static uint32_t number_of(const module *m) {
    return m ? (uint32_t)(m - modules) + 1 : 0;
}

/* Returns how many functions are in no module. */
RECORDER_HOOK static uint32_t place_keys(void) {
    uint32_t i, left = 0;
    for (i = 0; i < RECORDER_FUNCTIONS; i++) {
        const module *m;
        uintptr_t at = (uintptr_t)functions[i];
        if (!at || module_of[i] || is_made[i] || functions[i] == (void *)&unloaded) continue;
        m = module_at(at);
        if (m) {
            address_of[i] = at - m->bias;
            module_of[i] = (uint16_t)number_of(m);
        } else left++;
    }
    return left;
}

/* A file that the dynamic linker does not know. */
RECORDER_HOOK static void note_mapping(const char *line) {
    map_line l = parse_line(line);
    module m, *to;
    uint32_t i, wanted = 0;
    for (i = 0; i < RECORDER_FUNCTIONS && *l.path == '/'; i++)
        wanted |= functions[i] && !module_of[i] && !is_made[i]
                  && (uintptr_t)functions[i] - l.start < l.end - l.start;
    if (!wanted) return;
    memset(&m, 0, sizeof m);
    m.start = l.start;
    m.end = l.end;
    m.bias = l.start - l.from;
    m.flags = PLACES_BY_OFFSET;
    to = add_module(&m);
    if (to) take_path(to, &l);
}

/* Names of dynamic symbols, out of memory. How many there are is known by the
   older of the two tables of hashes alone; in the other one the last chain ends
   behind the last symbol. */
RECORDER_HOOK static void name_by_memory(const module *m) {
    const ELF(Dyn) *d = m->dynamic;
    const ELF(Sym) *symbols = NULL;
    const char *words = NULL;
    const uint32_t *hashes = NULL, *gnu = NULL;
    uint32_t count = 0, k, last;
    uint64_t word_bytes = 0;
    for (; d && d->d_tag != DT_NULL; d++) {
        uintptr_t at = (uintptr_t)d->d_un.d_ptr;
        if (at < m->start) at += m->bias;       /* some C libraries leave it as it is */
        if (d->d_tag == DT_STRSZ) word_bytes = d->d_un.d_val;
        if (at - m->start >= m->end - m->start) continue;
        if (d->d_tag == DT_SYMTAB) symbols = (const ELF(Sym) *)at;
        else if (d->d_tag == DT_STRTAB) words = (const char *)at;
        else if (d->d_tag == DT_HASH) hashes = (const uint32_t *)at;
        else if (d->d_tag == DT_GNU_HASH) gnu = (const uint32_t *)at;
    }
    if (!symbols || !words) return;
    if (hashes) count = hashes[1];
    else if (gnu) {
        const uint32_t *buckets = gnu + 4 + gnu[2] * (sizeof(uintptr_t) / 4), *chains;
        chains = buckets + gnu[0];
        for (k = last = 0; k < gnu[0]; k++) {
            if (buckets[k] > last) last = buckets[k];
        }
        if (last >= gnu[1] && last) {
            while (!(chains[last - gnu[1]] & 1)) last++;
            count = last + 1;
        }
    }
    for (k = 0; k < count; k++) {
        void *function = (void *)(m->bias + (uintptr_t)symbols[k].st_value);
        uint32_t i = place_of(function);
        const char *name = words + symbols[k].st_name;
        if ((symbols[k].st_info & 15) != STT_FUNC || !symbols[k].st_value) continue;
        if (functions[i] != function || names[i] || symbols[k].st_name >= word_bytes) continue;
        names[i] = keep_words(name, strlen(name));
        without_memory += !names[i];
    }
}

/* Names functions now whose module or file may be gone before somebody asks: modules
   that came by dlopen, and modules whose files were replaced. */
RECORDER_HOOK static void name_what_goes(void) {
    uint64_t size, time_ns, number;
    uint32_t n;
    for (n = 0; n < module_count; n++) {
        module *m = &modules[n];
        if (!m->path || m->is_closed) continue;
        if (look_at_file(m->path, &size, &time_ns, &number) != 0 || size != m->size
            || time_ns != m->time_ns || number != m->number)
            m->is_changed = 1;
        if (m->is_changed || !m->is_early) name_by_memory(m);
    }
}

RECORDER_HOOK void recorder_start_places(void) {
    uint32_t n;
    look();
    for (n = 0; n < module_count; n++) modules[n].is_early = 1;
}

/* Reading would end a thread that is asked to be cancelled, here, where the
   program has no such place, and with the lock. */
RECORDER_HOOK uint32_t recorder_find_places(void) {
    int state, locked;
    uint32_t left, i, nameless = without_memory;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    locked = lock_names();
    look();
    left = place_keys();
    if (left) {
        read_maps(note_mapping);
        (void)place_keys();
    }
    name_what_goes();
    for (i = 0; i < RECORDER_FUNCTIONS; i++)
        nameless += module_of[i] && modules[module_of[i] - 1].has_no_memory;
    if (locked) pthread_mutex_unlock(&lock);
    pthread_setcancelstate(state, &state);
    return nameless;
}

RECORDER_HOOK void recorder_forget_unmapped(void) {
    uint32_t i;
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_mutex_lock(&lock);
    (void)place_keys();             /* what another thread saw meanwhile */
    look();
    for (i = 0; i < RECORDER_FUNCTIONS; i++) {
        if (module_of[i] && modules[module_of[i] - 1].is_closed)
            __atomic_store_n(&functions[i], (void *)&unloaded, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(state, &state);
}

RECORDER_HOOK uint64_t recorder_code_bytes(void) { return code_bytes; }

RECORDER_HOOK const char *recorder_later(uint32_t *at) {
    while (*at < module_count) {
        const module *m = &modules[(*at)++];
        if (!m->is_early && !(m->flags & PLACES_BY_OFFSET) && m->path) return m->path;
    }
    return NULL;
}

/* ---- what is written ---- */

/* As a reader finds it in the place of a name; who asks may hold a few at a
   time. */
RECORDER_HOOK static const char *token(int what, uint32_t module_number, uintptr_t address) {
    static char texts[4][64];
    static uint32_t next;
    char *text = texts[next++ % 4];
    snprintf(text, sizeof *texts, PLACES_FORMAT, what, (unsigned)module_number,
             (unsigned long)address);
    return text;
}

/* The same number if the module is not noted yet. */
RECORDER_HOOK static uint32_t find_place(uint32_t i, uintptr_t *address) {
    const module *m;
    *address = address_of[i];
    if (module_of[i]) return module_of[i];
    m = module_at((uintptr_t)functions[i]);
    if (m) *address = (uintptr_t)functions[i] - m->bias;
    return number_of(m);
}

RECORDER_HOOK const char *recorder_name(void *user, uint32_t key) {
    uintptr_t address;
    uint32_t number;
    (void)user;
    if (key == RECORDER_BEYOND) return "(outer callers not known)";
    if (!key || key > RECORDER_FUNCTIONS) return "(more functions)";
    if (is_made[key - 1]) return token(PLACES_MADE, 0, (uintptr_t)functions[key - 1]);
    number = find_place(key - 1, &address);
    if (!number) return NULL;
    return token(is_bare[key - 1] ? PLACES_AROUND : PLACES_NAME, number, address);
}

RECORDER_HOOK const char *recorder_name_of(uint64_t function) {
    const module *m = module_at((uintptr_t)function);
    return m ? token(PLACES_NAME, number_of(m), (uintptr_t)function - m->bias) : NULL;
}

RECORDER_HOOK const char *recorder_place(void *user, uint32_t key) {
    uintptr_t address;
    uint32_t number;
    (void)user;
    if (!key || key > RECORDER_FUNCTIONS || is_made[key - 1]) return NULL;
    number = find_place(key - 1, &address);
    if (!number) return NULL;
    return token(is_bare[key - 1] ? PLACES_WHERE_AROUND : PLACES_WHERE, number, address);
}

RECORDER_HOOK const char *recorder_place_at(uint32_t key, uint64_t pc) {
    uintptr_t address;
    uint32_t number;
    if (!key || key > RECORDER_FUNCTIONS || is_made[key - 1]) return NULL;
    number = find_place(key - 1, &address);
    return number ? token(PLACES_WHERE, number, (uintptr_t)pc - modules[number - 1].bias) : NULL;
}

RECORDER_HOOK const char *recorder_place_of(uint64_t pc) {
    const module *m = module_at((uintptr_t)pc);
    return m ? token(PLACES_WHERE, number_of(m), (uintptr_t)pc - m->bias) : NULL;
}

RECORDER_HOOK static void put_string(base_p_out *out, const char *words, size_t size) {
    base_p_put_varint(out, size);
    if (size) base_p_put(out, words, size);
}

RECORDER_HOOK int recorder_write_modules(hcct_write_fn write, void *user) {
    base_p_out out;
    uint32_t n, count = __atomic_load_n(&module_count, __ATOMIC_ACQUIRE);
    base_p_put_begin(&out, PLACES_KIND, write, user);
    base_p_put_varint(&out, PLACES_VERSION);
    base_p_put_varint(&out, process);
    base_p_put_varint(&out, written);
    base_p_put_varint(&out, count);
    for (n = 0; n < count; n++) {
        const module *m = &modules[n];
        base_p_put_varint(&out, m->flags | (m->is_changed ? PLACES_CHANGED : 0));
        put_string(&out, m->path ? m->path : "", m->path ? strlen(m->path) : 0);
        put_string(&out, (const char *)m->id.bytes, m->id.size);
        base_p_put_varint(&out, m->size);
        base_p_put_varint(&out, m->time_ns);
    }
    for (n = 0; n < RECORDER_FUNCTIONS; n++) {
        if (!names[n] || !module_of[n]) continue;
        base_p_put_varint(&out, module_of[n]);
        base_p_put_varint(&out, address_of[n]);
        put_string(&out, names[n], strlen(names[n]));
    }
    return base_p_put_end(&out) ? -1 : 0;
}

RECORDER_HOOK const char *recorder_program(void) {
    static const char gone[] = " (deleted)";
    static char path[4096];
    ssize_t length = *path ? 0 : readlink("/proc/self/exe", path, sizeof path - 1);
    size_t end = length > 0 ? (size_t)length : 0, more = sizeof gone - 1;
    if (end > more && !memcmp(path + end - more, gone, more)) path[end - more] = 0;
    if (!*path) return program_invocation_short_name;
    return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}
