/* tables.c FILE... - checks the jump tables that record/x86 proves in x86-64
   executables and libraries, as they lie on the disk; nothing of them runs. A
   second look at the code, which knows the common form alone (a comparison with
   a number, then ja or jae, on the straight way to the load), counts what a
   table must hold. The table must have just so many entries; each must lead to
   an instruction of its function, or right behind it where the compiler knew
   that it is never reached; and the table may not reach into the next one. Of
   the others, whose index is bound by a mask or on several ways, no length can
   be seen: they are proved, and not compared.

   A table is loose if both looks say the same length, and entries lead out all
   the same: the program compares the index again, as a copy in another
   register, and neither look follows that. A loose table is too long. That is
   safe, for no index reaches the rest, and a copy keeps the addresses that lead
   out. Loose tables are counted; tests/tables.sh bears few.

   It also checks that no exception lands in the bytes that the jump over an
   entry overwrites: it reads the tables of landing pads by itself.

   Prints a line for each difference, then the sums. Returns 1 if there was a
   difference. */
#define _GNU_SOURCE 1
#define X86_IMPLEMENTATION
#include "record/x86/x86.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct spot {
    uint64_t address, end;
} spot;

static unsigned long long files, functions, jumps, proved, compared, translated, loose, pads, differences;
static const char *name;
static int is_verbose; /* VERBOSE is set: loose tables are named */

/* ---- a file in memory, as a loader would leave it ---- */

static const uint8_t *file_bytes;
static size_t file_size;

static void *at(uint64_t address) { return (void *)(uintptr_t)address; }

/* Words that a loader adds the module's place to: absolute tables of libraries
   are such. */
static void relocate(const x86flow_module *m, const Elf64_Dyn *d) {
    uint64_t rela = 0, rela_size = 0, relr = 0, relr_size = 0, n, where = 0, bits;
    for (; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_RELA) rela = m->bias + d->d_un.d_ptr;
        if (d->d_tag == DT_RELASZ) rela_size = d->d_un.d_val;
        if (d->d_tag == 36) relr = m->bias + d->d_un.d_ptr;
        if (d->d_tag == 35) relr_size = d->d_un.d_val;
    }
    for (n = 0; rela && n < rela_size / sizeof(Elf64_Rela); n++) {
        const Elf64_Rela *r = (const Elf64_Rela *)at(rela) + n;
        uint64_t to = m->bias + r->r_offset, value = m->bias + (uint64_t)r->r_addend;
        if (ELF64_R_TYPE(r->r_info) != R_X86_64_RELATIVE) continue;
        if (to >= m->lo && to + 8 <= m->hi) memcpy(at(to), &value, 8);
    }
    for (n = 0; relr && n < relr_size / 8; n++) {
        uint64_t entry = ((const uint64_t *)at(relr))[n], k, word;
        if (!(entry & 1)) {
            where = m->bias + entry;
            bits = 1;
        } else bits = entry >> 1;
        for (k = 0; bits; k++, bits >>= 1) {
            if (!(bits & 1) || where + 8 * k + 8 > m->hi) continue;
            memcpy(&word, at(where + 8 * k), 8);
            word += m->bias;
            memcpy(at(where + 8 * k), &word, 8);
        }
        where += entry & 1 ? 63 * 8 : 8;
    }
}

/* Returns 0, or why it is no file for us. */
static const char *load(const char *path, x86flow_module *m) {
    const Elf64_Ehdr *e;
    const Elf64_Phdr *p;
    const Elf64_Dyn *dynamic = NULL;
    struct stat s;
    uint64_t lo = ~UINT64_C(0), hi = 0, base;
    void *image;
    int n, fd = open(path, O_RDONLY);
    memset(m, 0, sizeof *m);
    if (fd < 0 || fstat(fd, &s) != 0 || s.st_size < 4096) return "not read";
    file_size = (size_t)s.st_size;
    image = mmap(NULL, file_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (image == MAP_FAILED) return "not read";
    file_bytes = (const uint8_t *)image;
    e = (const Elf64_Ehdr *)image;
    if (memcmp(e->e_ident, ELFMAG, 4) || e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_machine != EM_X86_64
        || (e->e_type != ET_DYN && e->e_type != ET_EXEC) || e->e_phoff + e->e_phnum * sizeof *p > file_size)
        return "not x86-64";
    p = (const Elf64_Phdr *)(const void *)(file_bytes + e->e_phoff);
    for (n = 0; n < e->e_phnum; n++) {
        if (p[n].p_type != PT_LOAD) continue;
        if (p[n].p_offset + p[n].p_filesz > file_size) return "cut short";
        if (p[n].p_vaddr < lo) lo = p[n].p_vaddr & ~UINT64_C(4095);
        if (p[n].p_vaddr + p[n].p_memsz > hi) hi = p[n].p_vaddr + p[n].p_memsz;
    }
    if (lo >= hi || hi - lo > UINT64_C(1) << 31) return "no size";
    image = mmap(e->e_type == ET_EXEC ? at(lo) : NULL, (size_t)(hi - lo), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
                     | (e->e_type == ET_EXEC ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    if (image == MAP_FAILED) return "its place is taken";
    base = (uint64_t)(uintptr_t)image - lo;
    m->bias = base;
    m->text_lo = ~UINT64_C(0);
    m->lo = base + lo;
    m->hi = base + hi;
    for (n = 0; n < e->e_phnum; n++) {
        uint64_t from = base + p[n].p_vaddr, to = from + p[n].p_memsz;
        if (p[n].p_type == PT_DYNAMIC) dynamic = (const Elf64_Dyn *)at(from);
        if (p[n].p_type == PT_GNU_EH_FRAME) m->frame_header = (const uint8_t *)at(from);
        if (p[n].p_type != PT_LOAD) continue;
        memcpy(at(from), file_bytes + p[n].p_offset, (size_t)p[n].p_filesz);
        if (p[n].p_flags & PF_R && m->readable_count < 8) {
            m->readable[m->readable_count][0] = from;
            m->readable[m->readable_count++][1] = to;
        }
        if (!(p[n].p_flags & PF_X)) continue;
        if (from < m->text_lo) m->text_lo = from;
        if (to > m->text_hi) m->text_hi = to;
    }
    if (!m->frame_header || !m->text_hi) return "no unwind tables";
    if (dynamic) relocate(m, dynamic);
    return NULL;
}

/* ---- the second look ---- */

/* The register that `cmp $number, register` compares, and the number; -1: it is
   no such. */
static int compares(const x86decode_insn *i, int64_t *number, unsigned *bytes) {
    int reg;
    if (i->map != 0 || i->coding != X86DECODE_LEGACY || i->memory) return -1;
    *number = i->immediate;
    *bytes = i->rex & X86DECODE_REX_W ? 8 : i->prefixes & X86DECODE_66 ? 2 : 4;
    if (i->opcode == 0x3C || i->opcode == 0x80) *bytes = 1;
    if (i->opcode == 0x3C || i->opcode == 0x3D) return 0;
    if (i->opcode != 0x80 && i->opcode != 0x81 && i->opcode != 0x83) return -1;
    if ((i->modrm >> 3 & 7) != 7) return -1;
    reg = (i->modrm & 7) | (i->rex & X86DECODE_REX_B ? 8 : 0);
    return *bytes == 1 && !i->rex && reg >= 4 ? -1 : reg;
}

/* How many entries has the table that the load at `load` reads, if one looks at
   the straight way before it? 0: the way is not straight, or has another form;
   a mask alone is no length. */
static uint64_t entries_by_sight(const x86flow_body *b, uint32_t load) {
    int reg = b->insn[load].i.index;
    unsigned bytes = 8;
    uint32_t n = load, steps;
    for (steps = 0; steps < 40 && n > 0; steps++) {
        const x86decode_insn *i;
        x86decode_effect e;
        if (b->insn[n].target || !x86flow_runs_on(b, n - 1)) return 0;
        i = &b->insn[--n].i;
        if (i->kind == X86DECODE_BRANCH) {
            unsigned condition = i->opcode & 15, wide_as = 0;
            int64_t number = 0;
            uint32_t k;
            if (condition != 7 && condition != 3) continue; /* ja, jae */
            for (k = n; k > 0 && !b->insn[k].target && x86flow_runs_on(b, k - 1); k--) {
                int compared_reg = compares(&b->insn[k - 1].i, &number, &wide_as);
                x86decode_effects(&b->insn[k - 1].i, &e);
                if (compared_reg == reg && wide_as < (bytes > 4 ? 4 : bytes)) return 0;
                if (compared_reg == reg) {
                    uint64_t mask = wide_as == 8 ? ~UINT64_C(0) : (UINT64_C(1) << 8 * wide_as) - 1;
                    return ((uint64_t)number & mask) + (condition == 7 ? 1 : 0);
                }
                if (b->insn[k - 1].i.kind == X86DECODE_BRANCH) continue;
                if (b->insn[k - 1].i.kind != X86DECODE_PLAIN || e.flags || e.writes >> reg & 1) break;
            }
            continue;
        }
        if (i->kind != X86DECODE_PLAIN) return 0;
        x86decode_effects(i, &e);
        if (!(e.writes >> reg & 1)) continue;
        if (i->coding != X86DECODE_LEGACY || i->memory) return 0;
        if (i->map == 1 && (i->opcode == 0xB6 || i->opcode == 0xB7)) { /* movzx */
            int from = (i->modrm & 7) | (i->rex & X86DECODE_REX_B ? 8 : 0);
            if (i->opcode == 0xB6 && !i->rex && from >= 4) return 0;
            reg = from;
            bytes = i->opcode == 0xB6 ? 1 : 2;
        } else if (i->map == 0 && (i->opcode == 0x89 || i->opcode == 0x8B) && !(i->prefixes & X86DECODE_66)) {
            int one = (i->modrm & 7) | (i->rex & X86DECODE_REX_B ? 8 : 0);
            int other = (i->modrm >> 3 & 7) | (i->rex & X86DECODE_REX_R ? 8 : 0);
            reg = i->opcode == 0x89 ? other : one;
            if (!(i->rex & X86DECODE_REX_W) && bytes > 4) bytes = 4;
        } else return 0;
    }
    return 0;
}

/* ---- one function, one file ---- */

static spot *spots;
static size_t spot_count, spot_max;

static void differs(const x86flow_module *m, const x86flow_body *b, uint32_t n, const char *what,
                    uint64_t one, uint64_t other) {
    printf("%s: %llx: %s: %llu, %llu\n", name,
           (unsigned long long)(x86flow_address(b, b->insn[n].offset) - m->bias), what,
           (unsigned long long)one, (unsigned long long)other);
    differences++;
}

/* To an instruction of the function, or right behind it, where the compiler
   knew that it is never reached; or to other code: a piece of it (.cold) that
   was not joined. */
static int leads_well(const x86flow_module *m, const x86flow_body *b, uint64_t to) {
    if (x86flow_insn_at(b, to) != ~0u) return 1;
    if (to == b->f->lo + b->f->size || (b->part && to == b->part->lo + b->part->size)) return 1;
    return x86flow_offset(b, to) == ~0u && to >= m->text_lo && to < m->text_hi;
}

static void look_at_load(const x86flow_module *m, const x86flow_body *b, uint32_t n) {
    const x86flow_insn *k = &b->insn[n];
    const x86flow_table *t = &b->tables[k->table];
    uint64_t seen = entries_by_sight(b, n);
    uint32_t e;
    int leads_out = 0;
    proved++;
    if (k->entries > t->entries) differs(m, b, n, "read, and copied", k->entries, t->entries);
    if (!seen) return;
    compared++;
    if (seen != k->entries) differs(m, b, n, "entries by the proof, and by sight", k->entries, seen);
    for (e = 0; e < k->entries && !leads_out; e++) {
        uint64_t to = x86flow_table_target(t, e);
        leads_out = !leads_well(m, b, to);
        if (leads_out && seen != k->entries)
            differs(m, b, n, "an entry leads out: its number, its place", e, to - m->bias);
    }
    if (leads_out && seen == k->entries) {
        loose++;
        if (is_verbose)
            printf("%s: %llx: loose, %u entries\n", name,
                   (unsigned long long)(x86flow_address(b, b->insn[n].offset) - m->bias), k->entries);
        return; /* it may well reach into the next one */
    }
    if (spot_count == spot_max) {
        spot_max = spot_max ? 2 * spot_max : 1024;
        spots = (spot *)realloc(spots, spot_max * sizeof *spots);
        if (!spots) exit(2);
    }
    spots[spot_count].address = t->address - m->bias;
    spots[spot_count++].end = t->address - m->bias + (uint64_t)k->entries * t->width;
}

static int by_address(const void *a, const void *b) {
    const spot *x = (const spot *)a, *y = (const spot *)b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static void look_at_spots(void) {
    size_t n, k;
    qsort(spots, spot_count, sizeof *spots, by_address);
    for (n = 0; n < spot_count; n = k) {
        for (k = n + 1; k < spot_count && spots[k].address == spots[n].address; k++) continue;
        if (k == spot_count || spots[k - 1].end <= spots[k].address) continue;
        printf("%s: table %llx reaches into the next one: %llx, %llx\n", name,
               (unsigned long long)spots[n].address, (unsigned long long)spots[k - 1].end,
               (unsigned long long)spots[k].address);
        differences++;
    }
    spot_count = 0;
}

static void look_at_function(x86flow_body *b, const x86flow_module *m, x86flow_function *f) {
    uint32_t n;
    if (f->reason || f->owner || !(f->flags & X86FLOW_DISPATCH)) return;
    if (x86flow_decode(b, m, f, 0) != 0) return;
    x86flow_plan(b, -1);
    for (n = 0; n < b->count; n++) {
        if (b->insn[n].i.kind == X86DECODE_JUMP_INDIRECT) {
            jumps++;
            if (b->insn[n].dispatch == X86FLOW_TRANSLATE) translated++;
        }
        if (b->insn[n].dispatch == X86FLOW_REWRITE) look_at_load(m, b, n);
    }
}

/* ---- where exceptions land ---- */

static uint64_t number(const uint8_t **p, unsigned encoding) {
    uint64_t value = 0;
    unsigned shift = 0;
    if (encoding == 3) {
        memcpy(&value, *p, 4);
        *p += 4;
        return value;
    }
    do value |= (uint64_t)(**p & 127) << shift, shift += 7;
    while (*(*p)++ & 128);
    return value;
}

/* An entry that begins so is jumped over, from behind endbr64 on. */
static void look_at_pad(const x86flow_module *m, const x86flow_graph *g, uint64_t pad) {
    const x86flow_function *f = x86flow_function_at(m, pad);
    static const uint8_t endbr64[4] = {0xF3, 0x0F, 0x1E, 0xFA};
    uint64_t jump;
    if (!f || f->reason || f->flags & X86FLOW_FRAGMENT) return;
    jump = f->lo + (memcmp(at(f->lo), endbr64, 4) == 0 ? 4 : 0);
    if (pad >= jump + 5 || (pad > jump && x86flow_touched(g, m, pad))) return;
    printf("%s: %llx: an exception lands in the first bytes of a function\n", name,
           (unsigned long long)(pad - m->bias));
    differences++;
}

static void look_at_pads(const x86flow_module *m, const x86flow_graph *g) {
    uint32_t n;
    for (n = 0; n < m->count; n++) {
        const uint8_t *p, *end;
        uint64_t start, pad, size;
        unsigned encoding;
        x86flow_unwind u;
        if (x86flow_read_fde(m->functions[n].fde, &u) != 0 || !u.has_lsda) continue;
        p = (const uint8_t *)at(u.lsda);
        start = u.pc;
        if (*p++ != 0xFF) {
            int32_t distance;
            if (p[-1] != 0x1B) continue;
            memcpy(&distance, p, 4);
            start = (uint64_t)(uintptr_t)p + (uint64_t)(int64_t)distance;
            p += 4;
        }
        if (*p++ != 0xFF) (void)number(&p, 1);
        encoding = *p++;
        if (encoding != 1 && encoding != 3) continue;
        size = number(&p, 1);
        for (end = p + size; p < end; (void)number(&p, 1)) {
            (void)number(&p, encoding);
            (void)number(&p, encoding);
            pad = number(&p, encoding);
            if (!pad) continue;
            pads++;
            look_at_pad(m, g, start + pad);
        }
    }
}

static void look_at_module(x86flow_module *m) {
    x86flow_body body;
    x86flow_graph graph;
    uint32_t n, largest[2] = {0, 0}, room = x86flow_list_functions(m, NULL, 0);
    size_t bytes;
    void *memory, *of_graph;
    x86flow_function *list = (x86flow_function *)calloc((size_t)room + 1, sizeof *list);
    if (!room || !list || !x86flow_list_functions(m, list, room)) { free(list); return; }
    m->near = (uint32_t *)malloc(x86flow_index_words(m) * 4 + 4);
    if (m->near) x86flow_index(m, m->near);
    for (n = 0; n < m->count; n++) {
        int part = (list[n].flags & X86FLOW_FRAGMENT) != 0;
        if (list[n].size > largest[part]) largest[part] = list[n].size;
    }
    bytes = x86flow_body_init(&body, NULL, 0, (size_t)largest[0] + largest[1]);
    memory = malloc(bytes);
    of_graph = calloc(1, x86flow_graph_bytes(m));
    if (!memory || !of_graph) exit(2);
    if (!x86flow_body_init(&body, memory, bytes, (size_t)largest[0] + largest[1])) exit(2);
    x86flow_graph_init(&graph, m, of_graph);
    for (n = 0; n < m->count; n++) (void)x86flow_survey(&body, &graph, m, n);
    x86flow_touch_tables(&graph, m);
    for (n = 0; n < m->count; n++) look_at_function(&body, m, &list[n]);
    look_at_spots();
    look_at_pads(m, &graph);
    files++;
    functions += m->count;
    free(m->near);
    free(memory);
    free(of_graph);
    free(list);
}

int main(int argc, char **argv) {
    int n;
    is_verbose = getenv("VERBOSE") && *getenv("VERBOSE");
    for (n = 1; n < argc; n++) {
        x86flow_module m;
        const char *why;
        name = argv[n];
        file_bytes = NULL;
        why = load(name, &m);
        if (!why) look_at_module(&m);
        if (m.hi) munmap(at(m.lo), (size_t)(m.hi - m.lo));
        if (file_bytes) munmap((void *)(uintptr_t)file_bytes, file_size);
    }
    printf("%llu files, %llu functions, %llu indirect jumps, %llu translated; %llu tables proved, "
           "%llu compared, %llu loose, %llu landing pads, %llu differences\n",
           files, functions, jumps, translated, proved, compared, loose, pads, differences);
    return differences != 0;
}
