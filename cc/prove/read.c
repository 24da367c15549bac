/* read.c - what an ELF file of x86-64 says of itself: segments, symbols,
   relocations. */
#include "base/dwarf.h"
#include "cc/prove/prove.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { SEGMENT_THREAD = 7, EXECUTABLE = 1, WRITABLE = 2 };
#define SEGMENT_SEALED UINT64_C(0x6474E552)
enum { SECTION_PROGRAM = 1, SECTION_RELA = 4, SECTION_NOTHING = 8, SECTION_STARTS = 14,
       SECTION_ENDS = 15, SECTION_BEFORE = 16, SECTION_RELATIVE = 19 };
enum { ALLOCATED = 2, EXECUTED = 4 };
enum { SYMBOL_NO_TYPE = 0, SYMBOL_FUNCTION = 2, SYMBOL_FILE = 4, SYMBOL_THREAD = 6,
       SYMBOL_CHOSEN = 10 };
enum { RELOCATE_64 = 1, RELOCATE_GLOBAL = 6, RELOCATE_CALL = 7, RELOCATE_RELATIVE = 8,
       RELOCATE_CHOSEN = 37 };

typedef struct section { uint64_t name, type, flags, address, offset, size, link; } section;

/* ---- lists ---- */

void prove_list_add(prove_list *l, uint64_t number) {
    TOOL_ROOM(uint64_t, l->list, l->count, l->room);
    l->list[l->count++] = number;
}

static int compare_numbers(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void prove_list_sort(prove_list *l) {
    size_t i, kept = 0;
    if (l->count) qsort(l->list, l->count, sizeof *l->list, compare_numbers);
    for (i = 0; i < l->count; i++) {
        if (kept && l->list[kept - 1] == l->list[i]) continue;
        l->list[kept++] = l->list[i];
    }
    l->count = kept;
}

int prove_list_has(const prove_list *l, uint64_t number) {
    return l->count && bsearch(&number, l->list, l->count, sizeof *l->list, compare_numbers);
}

static int in_text(const prove_image *im, uint64_t address) {
    return address >= im->text_lo && address < im->text_hi;
}

static void take(prove_image *im, uint64_t address) {
    if (in_text(im, address)) prove_list_add(&im->taken, address);
}

/* ---- segments and sections ---- */

static int read_segments(prove_image *im, uint64_t *thread_end, dump_fault *fault) {
    const elf_file *e = &im->elf;
    uint64_t i;
    im->text_lo = UINT64_MAX;
    if (e->segment_bytes < 56 ||
        !elf_holds(e, e->segments, e->segment_count * e->segment_bytes))
        return dump_refuse(fault, 32, "the program headers lie outside the file");
    for (i = 0; i < e->segment_count; i++) {
        size_t at = (size_t)(e->segments + i * e->segment_bytes);
        uint64_t type = elf_number(e, at, 4), align = elf_number(e, at + 48, 8);
        prove_segment s;
        s.flags = elf_number(e, at + 4, 4);
        s.offset = elf_number(e, at + 8, 8);
        s.address = elf_number(e, at + 16, 8);
        s.size = elf_number(e, at + 32, 8);
        if (type == SEGMENT_THREAD) {
            uint64_t bytes = elf_number(e, at + 40, 8);
            if (align == 0) align = 1;
            *thread_end = (bytes + align - 1) / align * align;
        }
        if (type == SEGMENT_SEALED) {
            im->sealed_lo = s.address;
            im->sealed_hi = s.address + elf_number(e, at + 40, 8);
        }
        if (type == ELF_INTERPRETER) im->is_program = 1;
        if (type != ELF_LOAD) continue;
        if (!elf_holds(e, s.offset, s.size) || s.address > UINT64_MAX - s.size)
            return dump_refuse(fault, at, "the segment lies outside the file");
        if (im->segment_count == sizeof im->segments / sizeof *im->segments)
            return dump_refuse(fault, at, "there are more segments than 32");
        im->segments[im->segment_count++] = s;
        if (!(s.flags & EXECUTABLE) || !s.size) continue;
        if (s.address < im->text_lo) im->text_lo = s.address;
        if (s.address + s.size > im->text_hi) im->text_hi = s.address + s.size;
    }
    if (im->text_lo >= im->text_hi) return dump_refuse(fault, 0, "has no machine code");
    if (im->text_hi - im->text_lo > (uint64_t)1 << 30)
        return dump_refuse(fault, 0, "has more than 1 GB of machine code");
    return 0;
}

static int get_section(const elf_file *e, uint64_t i, section *s) {
    size_t at = (size_t)(e->sections + i * e->section_bytes);
    if (i >= e->section_count) return -1;
    s->name = elf_number(e, at, 4);
    s->type = elf_number(e, at + 4, 4);
    s->flags = elf_number(e, at + 8, 8);
    s->address = elf_number(e, at + 16, 8);
    s->offset = elf_number(e, at + 24, 8);
    s->size = elf_number(e, at + 32, 8);
    s->link = elf_number(e, at + 40, 4);
    if (s->type == SECTION_NOTHING) return 0;
    return elf_holds(e, s->offset, s->size) ? 0 : -1;
}

static const char *string_at(const elf_file *e, const section *strings, uint64_t at) {
    const char *start;
    if (strings->type == SECTION_NOTHING || at >= strings->size) return NULL;
    start = (const char *)e->data + strings->offset + at;
    return memchr(start, 0, (size_t)(strings->size - at)) ? start : NULL;
}

/* ---- symbols ---- */

/* gcc's copies of a function have a dot behind its name: f.part.0, f.cold. The
   plugin knows some of them: f.isra.0, of which f.isra.0.cold is a part. So the
   name is taken as a whole, and then without what follows a dot. */
static uint32_t own_name(const graph *g, const uint8_t *own, const char *name) {
    size_t size = strlen(name);
    while (size) {
        uint32_t number = graph_find_name(g, name, size);
        if (number != GRAPH_NONE && own[number]) return number;
        while (--size && name[size] != '.') continue;
    }
    return GRAPH_NONE;
}
static int is_own(const graph *g, const uint8_t *own, const char *name) {
    return own_name(g, own, name) != GRAPH_NONE;
}

static int begins(const char *name, const char *with) {
    return strncmp(name, with, strlen(with)) == 0;
}

/* What bursty.h keeps to itself: p_ follows the name of the family. */
static int is_private(const char *name) {
    return begins(name, "bursty_") && begins(name + strlen("bursty_"), "p_");
}

static int is_slow_path(const char *name) {
    return strcmp(name, "bursty_hit") == 0 || strcmp(name, "bursty_note") == 0 ||
           strcmp(name, "bursty_thunk") == 0;
}

/* The runtime of checks is one object. Its static functions follow one
   name of a file, beside its private ones. What bursty cc has compiled is none
   of it. */
static void end_file(prove_image *im, size_t first, const graph *g, const uint8_t *own) {
    size_t i;
    int is_runtime = 0;
    for (i = first; i < im->symbol_count; i++)
        is_runtime |= is_private(im->symbols[i].name);
    for (i = first; i < im->symbol_count; i++) {
        prove_symbol *s = &im->symbols[i];
        s->is_beside = (uint8_t)is_runtime;
        s->is_own = (uint8_t)(!im->has_names || is_own(g, own, s->name));
        if (im->has_names ? is_runtime && !s->is_own : 0) s->is_runtime = 1;
        if (begins(s->name, "bursty_") && !begins(s->name, "bursty_on_") &&
            !begins(s->name, "bursty_cold_") && im->has_names && !s->is_own)
            s->is_runtime = 1;
        if (!im->has_names && (is_private(s->name) || is_slow_path(s->name)))
            s->is_runtime = 1;
        if (im->has_names && (begins(s->name, "bursty_on_") || begins(s->name, "bursty_cold_")))
            s->is_own = 1;
    }
}

typedef struct namesake { uint32_t name; prove_symbol *symbol; } namesake;
static int compare_namesakes(const void *a, const void *b) {
    const namesake *x = (const namesake *)a, *y = (const namesake *)b;
    if (x->name != y->name) return x->name < y->name ? -1 : 1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

/* Has the graph this name of other files alone, and do those have a symbol of it
   each? */
static int is_of_others(const graph *g, const namesake *same, size_t count, const prove_symbol *s) {
    size_t i, k, found = 0;
    for (i = 0; i < g->function_count; i++) {
        const graph_function *f = &g->functions[i];
        const char *file;
        if (f->name != same->name) continue;
        file = tool_last_part(g->names[g->units[f->unit].name]);
        if (f->linkage != GRAPH_STATIC || strcmp(file, s->file) == 0) return 0;
        for (k = 0; k < count && strcmp(same[k].symbol->file, file) != 0; k++) continue;
        if (k == count) return 0;
        found++;
    }
    return found > 0;
}

/* A static function of the runtime, or of a library that bursty cc has not
   compiled, may have the name of one of the program. */
static void tell_apart(prove_image *im, const graph *g, const uint8_t *own) {
    namesake *list = (namesake *)tool_alloc((im->symbol_count + 1) * sizeof *list);
    size_t i, k, end, count = 0;
    for (i = 0; i < im->symbol_count && im->has_names; i++) {
        if (!im->symbols[i].is_own || !im->symbols[i].file) continue;
        list[count].symbol = &im->symbols[i];
        list[count].name = own_name(g, own, im->symbols[i].name);
        if (list[count].name != GRAPH_NONE) count++;
    }
    if (count) qsort(list, count, sizeof *list, compare_namesakes);
    for (i = 0; i < count; i = end) {
        int files = 0; /* more than one */
        for (end = i + 1; end < count && list[end].name == list[i].name; end++)
            files |= strcmp(list[end].symbol->file, list[i].symbol->file) != 0;
        for (k = i; k < end && files; k++) {
            prove_symbol *s = list[k].symbol;
            if (!is_of_others(g, &list[i], end - i, s)) continue;
            s->is_own = 0;
            s->is_runtime = s->is_beside;
        }
    }
    free(list);
}

static void read_symbols(prove_image *im, const section *table, const section *strings,
                         const graph *g, uint64_t thread_end) {
    const elf_file *e = &im->elf;
    size_t i, count = (size_t)(table->size / 24), first = 0, k;
    uint8_t *own = (uint8_t *)tool_alloc((size_t)g->name_count + 1);
    const char *file = NULL;
    memset(own, 0, (size_t)g->name_count + 1);
    for (i = 0; i < g->function_count; i++) own[g->functions[i].name] = 1;
    for (i = 1; i < count; i++) {
        size_t at = (size_t)table->offset + i * 24;
        unsigned type = e->data[at + 4] & 15u, binding = e->data[at + 4] >> 4;
        uint64_t home = elf_number(e, at + 6, 2), value = elf_number(e, at + 8, 8);
        uint64_t bytes = elf_number(e, at + 16, 8);
        const char *name = string_at(e, strings, elf_number(e, at, 4));
        prove_symbol s;
        if (!name) continue;
        if (type == SYMBOL_FILE || (binding != 0 && first != im->symbol_count)) {
            end_file(im, first, g, own);
            first = im->symbol_count;
        }
        if (type == SYMBOL_FILE) file = *name ? tool_last_part(name) : NULL;
        if (type == SYMBOL_THREAD && strcmp(name, "bursty_here_tls_64") == 0 && home)
            im->word = value - thread_end;
        if (home == 0 || !in_text(im, value) || !*name) continue;
        if (type != SYMBOL_FUNCTION && type != SYMBOL_CHOSEN && type != SYMBOL_NO_TYPE) continue;
        memset(&s, 0, sizeof s);
        s.address = value;
        s.is_sized = type != SYMBOL_NO_TYPE && bytes > 0;
        s.end = s.is_sized && bytes <= im->text_hi - value ? value + bytes : value;
        s.name = name;
        s.file = binding == 0 ? file : NULL;
        TOOL_ROOM(prove_symbol, im->symbols, im->symbol_count, im->symbol_room);
        im->symbols[im->symbol_count++] = s;
        if (binding != 0) {
            end_file(im, im->symbol_count - 1, g, own);
            first = im->symbol_count;
        }
    }
    for (k = first; k < im->symbol_count; k++) end_file(im, k, g, own);
    tell_apart(im, g, own);
    free(own);
}

static int compare_symbols(const void *a, const void *b) {
    const prove_symbol *x = (const prove_symbol *)a, *y = (const prove_symbol *)b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    if (x->is_own != y->is_own) return x->is_own ? -1 : 1;
    if (x->is_sized != y->is_sized) return x->is_sized ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* One for each address; one without a size ends where the next begins. */
static void sort_symbols(prove_image *im) {
    size_t i, kept = 0;
    if (im->symbol_count)
        qsort(im->symbols, im->symbol_count, sizeof *im->symbols, compare_symbols);
    for (i = 0; i < im->symbol_count; i++) {
        prove_symbol *s = &im->symbols[i], *last = kept ? &im->symbols[kept - 1] : NULL;
        if (last && last->address == s->address) {
            last->is_runtime &= s->is_runtime;
            if (s->end > last->end) last->end = s->end;
            last->is_sized |= s->is_sized;
        } else im->symbols[kept++] = *s;
    }
    im->symbol_count = kept;
    for (i = 0; i < kept; i++) {
        prove_symbol *s = &im->symbols[i];
        if (s->end == s->address) s->end = i + 1 < kept ? s[1].address : im->text_hi;
    }
}

const prove_symbol *prove_symbol_at(const prove_image *im, uint64_t address) {
    size_t low = 0, high = im->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (im->symbols[middle].address <= address) low = middle + 1;
        else high = middle;
    }
    if (low == 0 || address >= im->symbols[low - 1].end) return NULL;
    return &im->symbols[low - 1];
}

/* ---- imports ---- */

static int is_one_of(const char *name, const char *const *list, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) {
        if (strcmp(name, list[i]) == 0) return 1;
    }
    return 0;
}

/* std::__throw_length_error and the like: _ZSt20__throw_length_errorPKc. */
static int only_throws(const char *name) {
    if (!begins(name, "_ZSt")) return 0;
    name += 4;
    return begins(name + strspn(name, "0123456789"), "__throw_");
}

static void judge_import(prove_import *m) {
    static const char *const ends[] = {
        "_Exit", "_Unwind_Resume", "__assert", "__assert_fail", "__chk_fail", "__cxa_bad_cast",
        "__cxa_bad_typeid", "__cxa_call_unexpected", "__cxa_deleted_virtual",
        "__cxa_pure_virtual", "_ZSt9terminatev", "__cxa_rethrow", "__cxa_throw", "__cxa_throw_bad_array_new_length",
        "__fortify_fail", "__longjmp_chk", "__stack_chk_fail", "_exit", "_longjmp", "abort", "err",
        "errx", "exit", "longjmp", "pthread_exit", "quick_exit", "siglongjmp", "thrd_exit", "verr",
        "verrx"};
    static const char *const plain[] = {
        "__memcpy_chk", "__memmove_chk", "__memset_chk", "bcmp", "memchr", "memcmp", "memcpy",
        "memmove", "mempcpy", "memset", "rawmemchr", "strchr", "strcmp", "strcpy", "stpcpy",
        "strlen", "strncmp", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc",
        "__errno_location", "__tls_get_addr", "abs", "labs", "fabs", "sqrt", "floor", "ceil",
        "fmod", "pow", "exp", "log", "sin", "cos", "lrint", "round", "trunc", "rint"};
    m->is_plain = (uint8_t)is_one_of(m->name, plain, sizeof plain / sizeof *plain);
    m->is_silent = (uint8_t)(!graph_calls_back(m->name) || m->is_plain);
    m->never_returns = (uint8_t)(is_one_of(m->name, ends, sizeof ends / sizeof *ends) ||
                                 only_throws(m->name));
    m->returns_again = (uint8_t)graph_returns_again(m->name);
}

static void read_dynamic(prove_image *im, const section *table, const section *strings) {
    const elf_file *e = &im->elf;
    size_t i;
    im->import_count = (size_t)(table->size / 24);
    im->imports = (prove_import *)tool_alloc((im->import_count + 1) * sizeof *im->imports);
    memset(im->imports, 0, (im->import_count + 1) * sizeof *im->imports);
    for (i = 0; i < im->import_count; i++) {
        size_t at = (size_t)table->offset + i * 24;
        unsigned type = e->data[at + 4] & 15u;
        uint64_t value = elf_number(e, at + 8, 8);
        prove_import *m = &im->imports[i];
        m->name = string_at(e, strings, elf_number(e, at, 4));
        if (!m->name) m->name = "";
        if (elf_number(e, at + 6, 2) == 0) {
            judge_import(m);
            if (graph_hooks_library(m->name)) im->library_calls = 1;
            if (strcmp(m->name, "dlsym") == 0) im->outside_taken = 1;
            continue;
        }
        if (!in_text(im, value)) continue;
        if (type != SYMBOL_FUNCTION && type != SYMBOL_CHOSEN && type != SYMBOL_NO_TYPE) continue;
        prove_list_add(&im->exported, value);
        if (!graph_calls_back(m->name)) im->library_calls = 1;
    }
}

/* ---- relocations ---- */

static void add_slot(prove_image *im, uint64_t address, uint64_t value, uint32_t import) {
    prove_slot *s;
    TOOL_ROOM(prove_slot, im->slots, im->slot_count, im->slot_room);
    s = &im->slots[im->slot_count++];
    s->address = address;
    s->value = value;
    s->import = import;
}

static int compare_slots(const void *a, const void *b) {
    uint64_t x = ((const prove_slot *)a)->address, y = ((const prove_slot *)b)->address;
    return x < y ? -1 : x > y;
}

const prove_slot *prove_slot_at(const prove_image *im, uint64_t address) {
    prove_slot key;
    memset(&key, 0, sizeof key);
    key.address = address;
    if (!im->slot_count) return NULL;
    return (const prove_slot *)bsearch(&key, im->slots, im->slot_count, sizeof *im->slots,
                                       compare_slots);
}

uint64_t prove_constant(const prove_image *im, uint64_t address) {
    prove_slot key, *found;
    uint32_t i;
    int is_constant = address >= im->sealed_lo && address + 8 <= im->sealed_hi;
    for (i = 0; i < im->segment_count; i++) {
        const prove_segment *s = &im->segments[i];
        if (address >= s->address && address - s->address < s->size && !(s->flags & WRITABLE))
            is_constant = 1;
    }
    memset(&key, 0, sizeof key);
    key.address = address;
    if (!is_constant || !im->word_count) return 0;
    found = (prove_slot *)bsearch(&key, im->words, im->word_count, sizeof *im->words,
                                  compare_slots);
    return found ? found->value : 0;
}

typedef struct starts { section list[8]; size_t count; } starts;

static int is_start(const starts *s, uint64_t address) {
    size_t i;
    for (i = 0; i < s->count; i++) {
        if (address >= s->list[i].address && address - s->list[i].address < s->list[i].size)
            return 1;
    }
    return 0;
}

static void point(prove_image *im, const starts *st, uint64_t place, uint64_t address) {
    prove_slot *w;
    if (!in_text(im, address)) return;
    TOOL_ROOM(prove_slot, im->words, im->word_count, im->word_room);
    w = &im->words[im->word_count++];
    w->address = place;
    w->value = address;
    w->import = PROVE_NONE;
    if (!is_start(st, place)) take(im, address);
    else prove_list_add(&im->roots, address);
}

static void read_relocations(prove_image *im, const section *s, const section *symbols,
                             const starts *st) {
    const elf_file *e = &im->elf;
    size_t i, count = (size_t)(s->size / 24);
    for (i = 0; i < count; i++) {
        size_t at = (size_t)s->offset + i * 24;
        uint64_t place = elf_number(e, at, 8), info = elf_number(e, at + 8, 8), value = 0;
        uint64_t addend = elf_number(e, at + 16, 8), number = info >> 32;
        uint32_t type = (uint32_t)info;
        if (symbols && number < symbols->size / 24) {
            size_t where = (size_t)(symbols->offset + number * 24);
            if (elf_number(e, where + 6, 2) != 0) value = elf_number(e, where + 8, 8);
        }
        if (type == RELOCATE_RELATIVE || type == RELOCATE_CHOSEN) point(im, st, place, addend);
        else if (type == RELOCATE_GLOBAL || type == RELOCATE_CALL)
            add_slot(im, place, value, value ? PROVE_NONE : (uint32_t)number);
        else if (type == RELOCATE_64 && value) point(im, st, place, value + addend);
        else if (type == RELOCATE_64 && number < im->import_count &&
                 !im->imports[number].is_silent)
            im->outside_taken = 1;
    }
}

/* A word of addresses, then words of bits: which of the next 63 words of the
   image are relative. */
static void read_relative(prove_image *im, const section *s, const starts *st) {
    const elf_file *e = &im->elf;
    uint64_t next = 0;
    size_t i, bit;
    for (i = 0; i + 8 <= s->size; i += 8) {
        uint64_t word = elf_number(e, (size_t)s->offset + i, 8);
        for (bit = 0; bit < 64; bit++) {
            uint64_t place = word & 1 ? next + 8 * (bit - 1) : word;
            const unsigned char *p;
            if (word & 1 ? bit == 0 || !(word >> bit & 1) : bit > 0) continue;
            p = prove_at(im, place, 8);
            if (p) point(im, st, place, dwarf_number(p, 8));
        }
        next = word & 1 ? next + 63 * 8 : word + 8;
    }
}

/* Without relocations any word of data may be an address; one that is not
   aligned, in a packed structure, only if a function begins there. */
static void read_words(prove_image *im, const section *s, const starts *st) {
    const elf_file *e = &im->elf;
    uint64_t i;
    for (i = 0; i + 8 <= s->size; i++) {
        uint64_t value = dwarf_number(e->data + s->offset + i, 8);
        const prove_symbol *symbol;
        if (!in_text(im, value)) continue;
        symbol = prove_symbol_at(im, value);
        if ((s->address + i) % 8 != 0 && (!symbol || symbol->address != value)) continue;
        point(im, st, s->address + i, value);
    }
}

static int read_sections(prove_image *im, const graph *g, uint64_t thread_end, dump_fault *fault) {
    const elf_file *e = &im->elf;
    section s, dynamic, other, names;
    starts st;
    uint64_t i;
    int has_dynamic = 0, has_symbols = 0;
    memset(&st, 0, sizeof st);
    memset(&dynamic, 0, sizeof dynamic);
    if (!e->sections || get_section(e, e->names_index, &names) != 0)
        return dump_refuse(fault, 0, "has no sections: a stripped file cannot be proved");
    for (i = 1; i < e->section_count; i++) {
        if (get_section(e, i, &s) != 0)
            return dump_refuse(fault, 0, "section %lu lies outside the file", (unsigned long)i);
        if (s.type == SECTION_STARTS || s.type == SECTION_ENDS || s.type == SECTION_BEFORE) {
            if (st.count == sizeof st.list / sizeof *st.list)
                return dump_refuse(fault, 0, "has too many lists of constructors");
            st.list[st.count++] = s;
        }
        if (s.type == ELF_DYNAMIC_SYMBOLS && !has_dynamic && get_section(e, s.link, &other) == 0) {
            dynamic = s;
            has_dynamic = 1;
            read_dynamic(im, &s, &other);
        }
        if (s.type == ELF_SYMBOLS && !has_symbols && get_section(e, s.link, &other) == 0) {
            has_symbols = 1;
            read_symbols(im, &s, &other, g, thread_end);
        }
    }
    if (!has_symbols)
        return dump_refuse(fault, 0, "has no symbols: prove it before it is stripped");
    sort_symbols(im);
    for (i = 1; i < e->section_count; i++) {
        const char *name;
        if (get_section(e, i, &s) != 0 || !(s.flags & ALLOCATED)) continue;
        name = string_at(e, &names, s.name);
        if (s.type == SECTION_RELA) read_relocations(im, &s, has_dynamic ? &dynamic : NULL, &st);
        if (s.type == SECTION_RELATIVE) read_relative(im, &s, &st);
        if (name && strcmp(name, ".eh_frame") == 0 && s.type != SECTION_NOTHING)
            prove_read_unwind(im, s.address, s.size);
        else if (im->is_fixed && !(s.flags & EXECUTED) &&
                 (s.type == SECTION_PROGRAM || is_start(&st, s.address)))
            read_words(im, &s, &st);
    }
    if (im->slot_count) qsort(im->slots, im->slot_count, sizeof *im->slots, compare_slots);
    if (im->word_count) qsort(im->words, im->word_count, sizeof *im->words, compare_slots);
    return 0;
}

int prove_read(prove_image *im, const unsigned char *data, size_t size, const graph *g,
               dump_fault *fault) {
    uint64_t thread_end = 0;
    size_t i;
    memset(im, 0, sizeof *im);
    im->data = data;
    if (elf_begin(&im->elf, data, size, fault) != 0) return PROVE_REFUSED;
    if (!im->elf.is_64 || im->elf.is_big || im->elf.machine != ELF_X86_64) {
        dump_refuse(fault, 18, "is not for x86-64");
        return PROVE_FOREIGN;
    }
    if (im->elf.type != ELF_PROGRAM && im->elf.type != ELF_SHARED) {
        dump_refuse(fault, 16, "is not linked");
        return PROVE_FOREIGN;
    }
    im->is_fixed = im->elf.type == ELF_PROGRAM;
    im->is_program = im->is_fixed;
    im->has_names = g->function_count > 0;
    if (elf_find_sections(&im->elf, fault) != 0) return PROVE_REFUSED;
    if (read_segments(im, &thread_end, fault) != 0) return PROVE_REFUSED;
    if (read_sections(im, g, thread_end, fault) != 0) return PROVE_REFUSED;
    im->entry = elf_number(&im->elf, 24, 8);
    if (in_text(im, im->entry)) prove_list_add(&im->roots, im->entry);
    for (i = 0; i < im->symbol_count; i++) {
        const char *name = im->symbols[i].name;
        if (strcmp(name, "_init") == 0 || strcmp(name, "_fini") == 0)
            prove_list_add(&im->roots, im->symbols[i].address);
    }
    if (!im->is_program) im->outside_taken = 1;
    prove_list_sort(&im->exported);
    return PROVE_READ;
}

void prove_image_free(prove_image *im) {
    free(im->symbols);
    free(im->imports);
    free(im->slots);
    free(im->words);
    free(im->pads);
    free(im->roots.list);
    free(im->exported.list);
    free(im->taken.list);
    memset(im, 0, sizeof *im);
}
