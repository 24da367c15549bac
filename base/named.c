/* named.c - places in code, and what they are called. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "base/named.h"
#include "base/debugfile.h"
#include "base/symbols.h"
#include "base/tool.h"
#include "record/places_format.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct known {              /* a name that the process knew itself */
    uint64_t module, address;
    char *name;
} known;

typedef struct module {
    char *path, *id;                /* id: in hexadecimal; "": none */
    uint64_t flags, bytes, time_ns;
    const char *from;               /* the file that is read; NULL: there is none */
    int is_open;                    /* it was looked for */
    elf_file elf;
    symbols names;
} module;

struct named {
    module *modules;
    size_t count;
    known *known;
    size_t known_count, known_room;
    symbols made;
    int is_made_read;
    uint64_t written;               /* when, in seconds */
    const char *program;
    text words;
    named_facts facts;
    dump_names names;
};

/* ---- files ---- */

#ifdef __linux__
static int is_as_it_was(const module *m, const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && (uint64_t)s.st_size == m->bytes
           && (uint64_t)s.st_mtim.tv_sec * 1000000000u + (uint64_t)s.st_mtim.tv_nsec == m->time_ns;
}
#else
static int is_as_it_was(const module *m, const char *path) {
    (void)m, (void)path;
    return 0;
}
#endif

static int is_same_file(const module *m, const elf_file *e, const char *path) {
    static const char digits[] = "0123456789abcdef";
    size_t size, n;
    const unsigned char *id = debugfile_id(e, &size);
    if (*m->id && id) {
        if (strlen(m->id) != 2 * size) return 0;
        for (n = 0; n < size; n++) {
            if (m->id[2 * n] != digits[id[n] >> 4] || m->id[2 * n + 1] != digits[id[n] & 15])
                return 0;
        }
        return 1;
    }
    return !(path == m->path && m->flags & PLACES_CHANGED) && is_as_it_was(m, path);
}

static int open_as(module *m, const char *path) {
    dump_fault fault;
    size_t size;
    const unsigned char *data = debugfile_map(path, &size);
    if (!data || !elf_is(data, size) || elf_begin(&m->elf, data, size, &fault) != 0) return -1;
    (void)elf_find_sections(&m->elf, &fault);
    if (!is_same_file(m, &m->elf, path)) return -1;
    symbols_read(&m->names, &m->elf, m->path, "");
    m->from = path;
    return 0;
}

static module *module_of(named *n, uint64_t number) {
    module *m = number && number <= n->count ? &n->modules[number - 1] : NULL;
    if (!m || m->is_open) return m;
    m->is_open = 1;
    if (!*m->path || open_as(m, m->path) == 0) return m;
    if (m->flags & PLACES_PROGRAM && n->program && open_as(m, n->program) == 0) return m;
    snprintf(n->facts.replaced, sizeof n->facts.replaced, "%.127s", tool_last_part(m->path));
    return m;
}

/* ---- one place ---- */

static const char *known_at(const named *n, uint64_t number, uint64_t address) {
    size_t lo = 0, hi = n->known_count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const known *k = &n->known[mid];
        if (k->module < number || (k->module == number && k->address < address)) lo = mid + 1;
        else hi = mid;
    }
    if (lo == n->known_count || n->known[lo].module != number || n->known[lo].address != address)
        return NULL;
    return n->known[lo].name;
}

static void add_symbol(named *n, const symbols *s, const symbol *f) {
    symbols_name(s, f, TEXT_NAME_MOST, &n->words);
}

static void add_made(named *n, uint64_t address) {
    enum { LATE = 10 };             /* a file that was written later is another process's */
    const symbol *f;
    if (!n->is_made_read) {
        n->is_made_read = 1;
        n->facts.without_map = !symbols_read_map(&n->made, (long)n->facts.process,
                                                 (unsigned long)-1, n->written + LATE);
    }
    f = symbols_at(&n->made, address);
    if (f) add_symbol(n, &n->made, f);
    else text_add(&n->words, "(code made at run time)");
}

static void add_name(named *n, module *m, uint64_t number, uint64_t asked, uint64_t address) {
    const symbol *f = symbols_begin(&m->names, address);
    const char *own = f ? NULL : known_at(n, number, asked);
    if (f) add_symbol(n, &m->names, f);
    else if (own) text_add(&n->words, own);
    else text_format(&n->words, "%.250s+0x%llx", tool_last_part(m->path), (unsigned long long)address);
    if (!(m->flags & PLACES_PROGRAM)) return;
    n->facts.functions++;
    n->facts.unnamed += !f && !own;
}

static void add_place(named *n, int what, uint64_t number, uint64_t asked) {
    module *m = module_of(n, number);
    uint64_t address = asked;
    const symbol *f;
    if (what == PLACES_MADE) {
        add_made(n, asked);
        return;
    }
    if (!m || !*m->path) {
        if (what == PLACES_NAME || what == PLACES_AROUND) text_add(&n->words, "?");
        return;
    }
    if (m->flags & PLACES_BY_OFFSET && m->from) (void)symbols_address(&m->elf, asked, &address);
    if (what == PLACES_NAME) {
        add_name(n, m, number, asked, address);
        return;
    }
    f = what == PLACES_WHERE ? NULL : symbols_around(&m->names, address);
    if (what == PLACES_AROUND) {
        if (f) add_symbol(n, &m->names, f);
        else
            text_format(&n->words, "(%.200s: code without unwind tables)", tool_last_part(m->path));
        return;
    }
    if (what == PLACES_WHERE_AROUND && !f) return;
    if (!m->from) return;
    text_add(&n->words, m->from);
    text_format(&n->words, "\t%llx", (unsigned long long)(f ? f->start : address));
    if (*m->id) text_add(&n->words, "\t");
    text_add(&n->words, m->id);
}

/* ---- strings ---- */

static size_t hexadecimal(const unsigned char *at, size_t size, uint64_t *out) {
    size_t n;
    for (*out = n = 0; n < size && n < 16; n++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = at[n] ? strchr(digits, at[n]) : NULL;
        if (!digit) break;
        *out = *out << 4 | (uint64_t)(digit - digits);
    }
    return n;
}

/* How many bytes of the string are a place; 0: it begins with none. */
static size_t take_place(named *n, const unsigned char *at, size_t size) {
    static const char kinds[]
        = {PLACES_NAME, PLACES_AROUND, PLACES_MADE, PLACES_WHERE, PLACES_WHERE_AROUND};
    uint64_t number, address;
    size_t used = 2, digits;
    if (size < 6 || at[0] != 1 || !memchr(kinds, at[1], sizeof kinds)) return 0;
    digits = hexadecimal(at + used, size - used, &number);
    used += digits;
    if (!digits || used == size || at[used++] != ':') return 0;
    digits = hexadecimal(at + used, size - used, &address);
    used += digits;
    if (!digits || used == size || at[used++] != 2) return 0;
    add_place(n, at[1], number, address);
    return used;
}

static const unsigned char *words(void *user, const unsigned char *string, size_t size,
                                  size_t *size_out) {
    named *n = (named *)user;
    size_t i, used;
    n->words.size = 0;
    for (i = 0; i < size; i += used) {
        used = take_place(n, string + i, size - i);
        if (used) continue;
        text_bytes(&n->words, string + i, 1);
        used = 1;
    }
    *size_out = n->words.size;
    return n->words.data ? (const unsigned char *)n->words.data : (const unsigned char *)"";
}

/* ---- the part ---- */

static char *take_id(dump_reader *r) {
    static const char digits[] = "0123456789abcdef";
    size_t size, n;
    const unsigned char *id = dump_get_string(r, &size);
    char *said = (char *)tool_alloc(2 * size + 1);
    for (n = 0; n < size; n++) {
        said[2 * n] = digits[id[n] >> 4];
        said[2 * n + 1] = digits[id[n] & 15];
    }
    said[2 * size] = 0;
    return said;
}

static void take_module(named *n, dump_reader *r) {
    module *m = &n->modules[n->count];
    memset(m, 0, sizeof *m);
    m->flags = dump_get(r);
    m->path = dump_get_name(r);
    m->id = take_id(r);
    m->bytes = dump_get(r);
    m->time_ns = dump_get(r);
    n->count++;
    if (m->flags & PLACES_PROGRAM)
        snprintf(n->facts.program, sizeof n->facts.program, "%.127s", tool_last_part(m->path));
}

static int by_place(const void *a, const void *b) {
    const known *x = (const known *)a, *y = (const known *)b;
    if (x->module != y->module) return x->module < y->module ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

named *named_open(const dump *d, const dump_part *part, const char *program) {
    dump_reader r = dump_fields(d, part);
    named *n = (named *)tool_alloc(sizeof *n);
    uint64_t count, i;
    memset(n, 0, sizeof *n);
    n->program = program;
    n->names.words = words;
    n->names.user = n;
    if (dump_get(&r) != PLACES_VERSION) r.reason = "an unknown version of modules";
    n->facts.process = (unsigned long)dump_get(&r);
    n->written = dump_get(&r);
    count = dump_get(&r);
    if (count > part->size / 5) r.reason = "more modules than fit";
    if (!r.reason) n->modules = (module *)tool_alloc(((size_t)count + 1) * sizeof *n->modules);
    for (i = 0; i < count && !r.reason; i++) take_module(n, &r);
    while (!r.reason && r.at < r.size) {
        known *k;
        TOOL_ROOM(known, n->known, n->known_count, n->known_room);
        k = &n->known[n->known_count++];
        k->module = dump_get(&r);
        k->address = dump_get(&r);
        k->name = dump_get_name(&r);
    }
    if (n->known_count) qsort(n->known, n->known_count, sizeof *n->known, by_place);
    if (!r.reason) return n;
    named_free(n);
    return NULL;
}

const dump_names *named_names(const named *n) { return n ? &n->names : NULL; }

const named_facts *named_say(const named *n) { return &n->facts; }

const char *named_lost(const named *n, size_t *at) {
    while (*at < n->count) {
        const module *m = &n->modules[(*at)++];
        if (m->is_open && *m->path && !m->from) return m->path;
    }
    return NULL;
}

void named_free(named *n) {
    size_t i;
    if (!n) return;
    for (i = 0; i < n->count; i++) {
        symbols_free(&n->modules[i].names);
        free(n->modules[i].path);
        free(n->modules[i].id);
    }
    for (i = 0; i < n->known_count; i++) free(n->known[i].name);
    symbols_free(&n->made);
    text_free(&n->words);
    free(n->modules);
    free(n->known);
    free(n);
}
