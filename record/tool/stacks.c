/* stacks.c - the callers of a place, out of a piece of the stack that came with a
   look.

       stack:   sp | frame | frame | ... piece | .... | frame | main | end
                   |<--- came with the look -->|<- read from the process ->|

   .eh_frame of the files says how to go from a frame to the one around it. Where
   the stack is deeper than the piece, the rest is read from the process's memory,
   up to 20 ms later: frames that are that far out rarely change meanwhile, and a
   walk that does not come to the end of the stack is not believed.

   Code without such rules: a function that calls nobody has its return address on
   top of the stack or near it; rbp may be a chain of frames, as it is in all code
   of Go; else the next word that lies behind a call is taken for a return address.

   Recursion: what stands three times behind itself, as `a a a` or `a b a b a b`,
   is listed twice, so that a stack of 100 000 frames has room. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "record/tool/outside.h"

#ifdef CAN_ATTACH
#include "base/tool.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CALLERS_MOST = 1 << 21, PLACES_MOST = 1 << 22, LISTED = SAMPLED_DEEP - 2 };

/* ---- places and callers have numbers ---- */

static struct {
    place *places;
    uint32_t place_count, place_room;
    hash_table place_index;
    caller *callers;
    uint32_t caller_count, caller_room;
    hash_table caller_index;
} all;

static int is_place(const void *owner, uint32_t number, const void *key) {
    const place *a = &all.places[number - 1], *b = (const place *)key;
    (void)owner;
    return a->pc == b->pc && a->mapping == b->mapping;
}

static int is_caller(const void *owner, uint32_t number, const void *key) {
    const caller *a = &all.callers[number - 1], *b = (const caller *)key;
    (void)owner;
    return a->place == b->place && a->around == b->around;
}

/* Places of one function have one number, by the file and where it starts. */
static uint64_t function_of(uint64_t pc, uint32_t mapping_number) {
    const mapping *m;
    uint64_t address = pc;
    unwind_rule rule;
    if (!mapping_number || mapping_number == KERNEL_MAPPING) return pc;
    m = mapping_get(mapping_number);
    if (mapping_address(m, pc, &address) == 0) {
        (void)unwind_find(&image_get(m->image)->unwind, address, &rule);
        if (rule.end) address = rule.start;
    }
    return hash_numbers(m->image, address);
}

uint32_t place_of(uint64_t pc, uint32_t mapping_number) {
    place p = {pc, 0, mapping_number, 0};
    uint32_t *at;
    if (all.place_count == PLACES_MOST) return 0;
    at = hash_place(&all.place_index, hash_numbers(pc, mapping_number), is_place, NULL, &p);
    if (*at) return *at;
    TOOL_ROOM(place, all.places, all.place_count, all.place_room);
    p.function = function_of(pc, mapping_number);
    all.places[all.place_count] = p;
    return *at = ++all.place_count;
}

const place *place_get(uint32_t number) { return &all.places[number - 1]; }

void place_set_key(uint32_t number, uint32_t key) { all.places[number - 1].key = key; }

int place_is_made(uint32_t number) {
    const place *p = number ? place_get(number) : NULL;
    return p && p->mapping && p->mapping != KERNEL_MAPPING
           && image_is_made(image_get(mapping_get(p->mapping)->image));
}

/* 0: there is no room. */
static uint32_t caller_of(uint32_t place_number, uint32_t around) {
    caller c = {place_number, around};
    uint32_t *at;
    if (all.caller_count == CALLERS_MOST) return 0;
    at = hash_place(&all.caller_index, hash_numbers(place_number, around), is_caller, NULL, &c);
    if (*at) return *at;
    TOOL_ROOM(caller, all.callers, all.caller_count, all.caller_room);
    all.callers[all.caller_count] = c;
    return *at = ++all.caller_count;
}

const caller *caller_get(uint32_t number) { return &all.callers[number - 1]; }

/* ---- words of the stack ---- */

/* The process's memory in pieces of 64 KB, each of which is read again after a
   while. Memory that is gone, such as that of a process that has ended, stays as it
   was read last, for the rings may still hold looks from before. */
enum { CHUNK = 1 << 16, CHUNKS = 512 };

typedef struct chunk {
    uint32_t process;               /* 0: free */
    uint64_t at, round, call;       /* when it was read, as memory counts */
    uint64_t from, bytes;           /* what of it is there, up to `bytes` */
    unsigned char *data;
} chunk;

static struct {
    chunk chunks[CHUNKS];
    uint64_t call;                  /* of stack_renew */
    uint64_t round, walked_ns;      /* of deep stacks in this round */
    uint64_t fresh;                 /* what is below must have been read since the last call */
} memory;

typedef struct words {
    const uint64_t *piece;
    uint64_t base, bytes;
    uint32_t process, thread;
} words;

/* Deep stacks may take a fiftieth of the time. */
void stack_renew(void) {
    static uint64_t next;
    uint64_t now = events_now_ns();
    memory.call++;
    if (now < next) return;
    next = now + 50 * memory.walked_ns;
    memory.walked_ns = 0;
    memory.round++;
}

static int memory_of(process *p) {
    char path[64];
    if (p->memory != -1 || p->is_over) return p->memory;
    snprintf(path, sizeof path, "/proc/%u/mem", (unsigned)p->pid);
    p->memory = open(path, O_RDONLY | O_CLOEXEC);
    if (p->memory < 0) p->memory = -2;
    return p->memory;
}

static const chunk *chunk_at(uint32_t number, uint64_t address) {
    chunk *c = &memory.chunks[(address / CHUNK + number * 31) % CHUNKS];
    int is_it = c->process == number && c->at == address / CHUNK * CHUNK, file;
    uint64_t from = 0;
    ssize_t got;
    if (is_it && (c->call == memory.call || (c->round == memory.round && address >= memory.fresh)))
        return c;
    file = memory_of(process_at(number));
    if (file < 0) return is_it ? c : NULL;
    if (!c->data) c->data = (unsigned char *)tool_alloc(CHUNK);
    got = pread(file, c->data, CHUNK, (off_t)(address / CHUNK * CHUNK));
    if (got <= 0) {                               /* what is mapped may begin within it */
        uint64_t page = address & ~(uint64_t)4095;
        from = page % CHUNK;
        got = pread(file, c->data + from, CHUNK - from, (off_t)page);
    }
    if (got <= 0 && !is_it) return NULL;
    c->round = memory.round;
    c->call = memory.call;
    if (got <= 0) return c;
    c->process = number;
    c->at = address / CHUNK * CHUNK;
    c->from = from;
    c->bytes = from + (uint64_t)got;
    return c;
}

void stack_expect(uint32_t process_number, uint64_t address) {
    const process *p = process_at(process_number);
    if (!p->is_over) (void)chunk_at(process_number, address);
}

/* Returns 0, or -1. */
static int word_at(const words *w, uint64_t address, uint64_t *value) {
    const chunk *c;
    uint64_t in = address % CHUNK;
    if (address & 7) return -1;
    if (address - w->base < w->bytes && w->bytes - (address - w->base) >= 8) {
        *value = w->piece[(address - w->base) / 8];
        return 0;
    }
    c = chunk_at(w->process, address);
    if (!c || in < c->from || in + 8 > c->bytes) return -1;
    memcpy(value, c->data + in, 8);
    return 0;
}

/* ---- rules ---- */

/* What is known of a place of a process, until its mappings change. */
enum { KNOWN = 1 << 15 };

typedef struct known {
    uint64_t pc;
    uint32_t process, generation;   /* process 0: free */
    uint32_t place, mapping;
    int status;                     /* UNWIND_... */
    unwind_rule rule;
} known;

static known known_places[KNOWN];

static void learn(uint32_t number, uint64_t pc, known *k) {
    const mapping *m;
    uint64_t address;
    k->pc = pc;
    k->process = number;
    k->mapping = process_mapping(number, pc);
    k->generation = process_at(number)->generation;
    k->place = place_of(pc, k->mapping);
    k->status = UNWIND_UNKNOWN;
    k->rule.end = 0;
    if (!k->mapping) return;
    m = mapping_get(k->mapping);
    if (mapping_address(m, pc, &address) == 0)
        k->status = unwind_find(&image_get(m->image)->unwind, address, &k->rule);
}

static const known *known_at(uint32_t number, uint64_t pc) {
    known *k = &known_places[(pc * UINT64_C(0x9E3779B97F4A7C15) >> 49) % KNOWN];
    if (k->process != number || k->pc != pc || k->generation != process_at(number)->generation)
        learn(number, pc, k);
    return k;
}

/* ---- code without rules ---- */

/* So many bytes of the code before and from pc. NULL: it is in no file. */
static const unsigned char *code_at(uint32_t mapping_number, uint64_t pc, unsigned before,
                                    unsigned behind) {
    const mapping *m;
    uint64_t address;
    const unsigned char *at;
    if (!mapping_number) return NULL;
    m = mapping_get(mapping_number);
    if (mapping_address(m, pc, &address) != 0) return NULL;
    at = image_bytes(image_get(m->image), address - before, before + behind);
    return at ? at + before : NULL;
}

/* Does a call stand before it? In code of no file nobody knows: then it may. */
static int is_behind_call(uint32_t number, uint64_t pc) {
    uint32_t m = process_mapping(number, pc - 1);
    const unsigned char *at = code_at(m, pc - 1, 7, 1);
    unsigned bytes;
    if (!m) return 0;
    if (!at) return image_is_made(image_get(mapping_get(m)->image));
    at++;
    if (at[-5] == 0xE8) return 1;
    for (bytes = 2; bytes <= 7; bytes++) {
        if (at[-(int)bytes] == 0xFF && (at[1 - (int)bytes] & 0x38) == 0x10) return 1;
    }
    return 0;
}

/* The kernel calls a handler so that it returns to code which asks the kernel to
   go on where it was, with the registers that lie on the stack. */
static int is_signal_return(uint32_t number, uint64_t pc) {
    static const unsigned char form[] = {0x48, 0xC7, 0xC0, 15, 0, 0, 0, 0x0F, 0x05};
    const unsigned char *at = code_at(process_mapping(number, pc), pc, 0, sizeof form);
    return at && !memcmp(at, form, sizeof form);
}

static int is_return(uint32_t number, uint64_t pc) {
    return is_behind_call(number, pc) || is_signal_return(number, pc);
}

/* The instruction leaves in cx where the program goes on. */
int stack_is_back(uint32_t number, uint64_t ip, uint64_t cx) {
    const unsigned char *at = cx == ip ? code_at(process_mapping(number, ip), ip, 2, 1) : NULL;
    return at && at[-2] == 0x0F && at[-1] == 0x05;
}

/* The `jmp *slot(%rip)` of a stub that begins at `at`, or NULL: it is none. */
static const unsigned char *stub_jump(const unsigned char *at) {
    if (at[0] == 0xF3 && at[1] == 0x0F && at[2] == 0x1E && at[3] == 0xFA) at += 4;
    if (at[0] == 0x41 && at[1] == 0xBB) at += 6;
    if (at[0] == 0xF2) at++;
    return at[0] == 0xFF && at[1] == 0x25 ? at : NULL;
}

/* A stub only jumps on, and belongs to whoever calls it. Linkers may give a section of
   them unwind rules; a function with rules may have such a jump, too. */
static int is_stub(const known *k) {
    const unsigned char *at;
    const mapping *m = k->mapping ? mapping_get(k->mapping) : NULL;
    const image *i = m ? image_get(m->image) : NULL;
    unsigned n;
    for (n = 0; i && n < i->stub_count; n++) {
        if (k->pc - m->lo + m->offset - i->stubs[n][0] < i->stubs[n][1]) return 1;
    }
    at = k->status == UNWIND_UNKNOWN ? code_at(k->mapping, k->pc, 5, 17) : NULL;
    if (!at) return 0;
    return (at[0] == 0xE9 && at[-5] == 0x68) || (at[0] == 0x68 && at[5] == 0xE9) || stub_jump(at);
}

/* Go's compiler and most JIT compilers do. */
static int keeps_frames(const known *k) {
    const image *m = image_get(mapping_get(k->mapping)->image);
    return m->is_go || image_is_made(m);
}

/* The chain of rbp. Returns UNWIND_FOUND, and r is the caller's. */
static int step_by_frame(const words *w, registers *r, uint64_t *around) {
    enum { FAR = 1 << 24 };
    uint64_t to, bp;
    if (r->bp & 7 || r->bp < r->sp || r->bp - r->sp > FAR) return UNWIND_UNKNOWN;
    if (word_at(w, r->bp + 8, &to) != 0 || word_at(w, r->bp, &bp) != 0) return UNWIND_UNKNOWN;
    if (!is_return(w->process, to)) return bp ? UNWIND_UNKNOWN : UNWIND_OUTERMOST;
    if (bp && (bp & 7 || bp <= r->bp)) return UNWIND_UNKNOWN;
    *around = to;
    r->sp = r->bp + 16;
    r->bp = bp;
    return UNWIND_FOUND;
}

/* Where a call of `to` leads: a stub jumps to where its slot says. */
static uint64_t behind_stub(const words *w, uint64_t to) {
    const unsigned char *at = code_at(process_mapping(w->process, to), to, 0, 17);
    const unsigned char *jump = at ? stub_jump(at) : NULL;
    int32_t distance;
    uint64_t slot;
    if (!jump) return to;
    memcpy(&distance, jump + 2, sizeof distance);
    slot = to + (uint64_t)(jump + 6 - at) + (uint64_t)(int64_t)distance;
    (void)word_at(w, slot, &to);
    return to;
}

/* Does the call before it lead to the function of k? Only a direct call tells, or one
   of a stub. Where code has no records, its function begins nobody knows where, but not
   far. */
static int is_behind_call_of(const words *w, uint64_t pc, const known *k) {
    enum { FAR = 1 << 16 };
    const uint32_t number = w->process;
    const unsigned char *at = code_at(process_mapping(number, pc - 1), pc - 5, 0, 5);
    int32_t distance;
    uint64_t to;
    if (!at || *at != 0xE8) return 0;
    memcpy(&distance, at + 1, sizeof distance);
    to = behind_stub(w, pc + (uint64_t)(int64_t)distance);
    if (k->pc - to >= FAR || process_mapping(number, to) != k->mapping) return 0;
    return k->rule.end ? known_at(number, to)->rule.start == k->rule.start
                       : !known_at(number, to)->rule.end;
}

/* The next word that lies behind a call, or behind one of k's function. */
static int step_by_search(const words *w, const known *k, registers *r, uint64_t *around,
                          unsigned most) {
    unsigned n;
    uint64_t to;
    for (n = 0; n < most && word_at(w, r->sp + 8 * n, &to) == 0; n++) {
        if (to < 4096 || !(k ? is_behind_call_of(w, to, k) : is_return(w->process, to)))
            continue;
        *around = to;
        r->sp += 8 * (uint64_t)n + 8;
        return UNWIND_FOUND;
    }
    return UNWIND_UNKNOWN;
}

/* Where a program begins, nobody called. */
static int is_entry(const known *k) {
    enum { ENTRY = 24, NEAR = 64 };
    const mapping *m = k->mapping ? mapping_get(k->mapping) : NULL;
    const image *i = m ? image_get(m->image) : NULL;
    uint64_t address;
    if (!i || !i->load_count || mapping_address(m, k->pc, &address) != 0) return 0;
    return address - elf_number(&i->elf, ENTRY, 8) < NEAR;
}

/* It has no name then, in the loader. */
static int is_beginning(const known *k) { return k->status == UNWIND_UNKNOWN && is_entry(k); }

static int step_without_rule(const words *w, const known *at, registers *r, uint64_t *around,
                             int is_first) {
    enum { WORDS = 64, NEAR_WORDS = 16 };
    const known k = *at;            /* another place may take its room */
    int status = UNWIND_UNKNOWN;
    if (is_entry(&k)) return UNWIND_OUTERMOST;
    if (!k.mapping) return UNWIND_UNKNOWN;
    if (!keeps_frames(&k)) status = step_by_search(w, &k, r, around, WORDS);
    if (status == UNWIND_UNKNOWN && is_first)
        status = step_by_search(w, NULL, r, around, keeps_frames(&k) ? 1 : NEAR_WORDS);
    if (status == UNWIND_UNKNOWN) status = step_by_frame(w, r, around);
    if (status == UNWIND_UNKNOWN && !keeps_frames(&k))
        status = step_by_search(w, NULL, r, around, WORDS);
    /* By the ABI rbp is 0 in the outermost frame. */
    return status == UNWIND_UNKNOWN && !is_first && !r->bp ? UNWIND_OUTERMOST : status;
}

static int step_out_of_handler(const words *w, registers *r, uint64_t *pc) {
    enum { BP = 120, SP = 160, IP = 168 };
    uint64_t at = r->sp;
    return word_at(w, at + BP, &r->bp) || word_at(w, at + SP, &r->sp) || word_at(w, at + IP, pc)
               ? UNWIND_UNKNOWN
               : UNWIND_FOUND;
}

static int step_by_rule(const words *w, const unwind_rule *rule, registers *r, uint64_t *around) {
    uint64_t cfa = (rule->reg == 6 ? r->bp : r->sp) + (uint64_t)(int64_t)rule->offset, saved;
    if (rule->cfa_saved && word_at(w, cfa, &cfa) != 0) return UNWIND_UNKNOWN;
    saved = (rule->rbp_saved == 2 ? r->bp : cfa) + (uint64_t)(int64_t)rule->rbp;
    if (cfa & 7 || cfa <= r->sp || word_at(w, cfa - 8, around) != 0) return UNWIND_UNKNOWN;
    if (rule->rbp_saved && word_at(w, saved, &r->bp) != 0) return UNWIND_UNKNOWN;
    r->sp = cfa;
    return UNWIND_FOUND;
}

/* ---- a walk ---- */

typedef struct list {               /* places, the innermost first */
    uint32_t at[LISTED];
    uint64_t functions[LISTED];
    uint32_t count;
} list;

static void fold(list *l) {
    enum { LONGEST = 8 };
    uint32_t period, n;
    for (period = 1; period <= LONGEST && 3 * period <= l->count; period++) {
        for (n = l->count - 1; n >= l->count - 2 * period; n--) {
            if (l->functions[n] != l->functions[n - period]) break;
        }
        if (n < l->count - 2 * period) {
            l->count -= period;
            return;
        }
    }
}

/* Returns 0, or -1: the list is full. */
static int append(list *l, uint32_t place_number) {
    if (l->count == LISTED) return -1;
    l->at[l->count] = place_number;
    l->functions[l->count++] = place_number ? place_get(place_number)->function : 0;
    fold(l);
    return 0;
}

/* What was found beyond a place of the stack, where the piece had ended. Frames
   there are the same for many looks. */
enum { MEMOS = 512 };

typedef struct memo {
    uint32_t process, thread;       /* process 0: free */
    uint64_t round, ip, sp, bp;
    int status;
    list rest;
} memo;

static memo *memos;

static memo *memo_at(const words *w, uint64_t sp) {
    if (!memos) {
        memos = (memo *)tool_alloc(MEMOS * sizeof *memos);
        memset(memos, 0, MEMOS * sizeof *memos);
    }
    return &memos[(sp / CHUNK + w->thread * 67) % MEMOS];
}

static const memo *find_memo(const words *w, const registers *r) {
    const memo *m = memo_at(w, r->sp);
    return m->process == w->process && m->thread == w->thread && m->round == memory.round
                   && m->ip == r->ip && m->sp == r->sp && m->bp == r->bp
               ? m
               : NULL;
}

static void keep_memo(const words *w, const registers *r, const list *rest, int status) {
    memo *m = memo_at(w, r->sp);
    m->process = w->process;
    m->thread = w->thread;
    m->round = memory.round;
    m->ip = r->ip;
    m->sp = r->sp;
    m->bp = r->bp;
    m->status = status;
    m->rest = *rest;
}

/* One step from r, whose ip is in the code of the frame. Returns UNWIND_FOUND, and
   r is the caller's: its ip is in the call. */
static int step(const words *w, registers *r, int is_first) {
    const known *k = known_at(w->process, r->ip);
    uint64_t around = 0;
    int status = k->status;
    if (status == UNWIND_FOUND) status = step_by_rule(w, &k->rule, r, &around);
    else if (status == UNWIND_UNKNOWN) status = step_without_rule(w, k, r, &around, is_first);
    if (status != UNWIND_FOUND) return status;
    if (is_signal_return(w->process, around)) return step_out_of_handler(w, r, &r->ip);
    r->ip = around - 1;
    return process_mapping(w->process, r->ip) ? UNWIND_FOUND : UNWIND_UNKNOWN;
}

/* Up to where sp is beyond `limit`. Returns UNWIND_FOUND if it came there. */
static int walk_to(const words *w, registers *r, uint64_t limit, list *l, int is_first) {
    enum { STEPS = 1 << 17 };
    int status = UNWIND_FOUND, n;
    for (n = 0; n < STEPS && r->sp < limit; n++) {
        status = step(w, r, is_first && !n);
        if (status != UNWIND_FOUND) return status;
        if (is_beginning(known_at(w->process, r->ip))) return UNWIND_OUTERMOST;
        if (append(l, known_at(w->process, r->ip)->place) != 0) return UNWIND_UNKNOWN;
    }
    return n == STEPS ? UNWIND_UNKNOWN : status;
}

static int append_all(list *l, const list *rest) {
    uint32_t n;
    for (n = 0; n < rest->count; n++) {
        if (append(l, rest->at[n]) != 0) return -1;
    }
    return 0;
}

/* Beyond the piece: from one border of 64 KB to the next. Each part is a list of
   its own, and behind the last one they are put together from the outermost on, so
   that other looks find all that is beyond a border. */
static int walk_beyond(const words *w, registers *r, list *l) {
    enum { PARTS = 256 };
    static list parts[PARTS];
    static registers borders[PARTS];
    list rest;
    uint32_t n = 0;
    const memo *m = NULL;
    int status = walk_to(w, r, (r->sp / CHUNK + 1) * CHUNK, l, 0);
    rest.count = 0;
    while (status == UNWIND_FOUND && !(m = find_memo(w, r)) && n < PARTS) {
        borders[n] = *r;
        parts[n].count = 0;
        status = walk_to(w, r, (r->sp / CHUNK + 1) * CHUNK, &parts[n], 0);
        n++;
    }
    if (m) {
        rest = m->rest;
        status = m->status;
    } else if (status == UNWIND_FOUND) status = UNWIND_UNKNOWN;
    while (n--) {
        list *part = &parts[n];
        if (append_all(part, &rest) != 0) status = UNWIND_UNKNOWN;
        rest = *part;
        if (status == UNWIND_OUTERMOST) keep_memo(w, &borders[n], &rest, status);
    }
    return append_all(l, &rest) != 0 ? UNWIND_UNKNOWN : status;
}

static int walk(const words *w, registers *r, list *l) {
    uint64_t began;
    int status = walk_to(w, r, w->base + w->bytes - 7, l, 1);
    if (status != UNWIND_FOUND) return status;
    began = events_now_ns();
    status = walk_beyond(w, r, l);
    memory.walked_ns += events_now_ns() - began;
    return status;
}

/* The stack may have grown since its memory was read: then it is read again. */
static int walk_again(const words *w, registers *r, list *l) {
    enum { TRIES = 4 };
    const list inner = *l;
    const registers from = *r;
    int status, n;
    memory.fresh = 0;
    status = walk(w, r, l);
    for (n = 0; n < TRIES && status == UNWIND_UNKNOWN && r->sp + CHUNK > memory.fresh
                && r->sp >= w->base + w->bytes - 64; n++) {
        memory.fresh = r->sp + CHUNK;
        *r = from;
        *l = inner;
        status = walk(w, r, l);
    }
    return status;
}

static uint32_t number_of(const list *l, uint32_t from, int is_cut) {
    uint32_t n = l->count, number = is_cut ? caller_of(0, 0) : 0, inner;
    while (n > from) {
        inner = caller_of(l->at[--n], number);
        if (!inner) break;
        number = inner;
    }
    return number;
}

stack stack_walk(uint32_t process_number, uint32_t thread, const registers *at,
                 const uint64_t *piece, uint64_t bytes) {
    words w = {piece, at->sp, bytes, process_number, thread};
    registers r = *at;
    stack s = {0, 0, 0};
    list l;
    const known *k = known_at(process_number, r.ip);
    int status, is_stub_here = is_stub(k);
    l.count = 0;
    if (!is_stub_here) (void)append(&l, k->place);
    status = bytes >= 8 ? walk_again(&w, &r, &l) : UNWIND_UNKNOWN;
    s.is_cut = status != UNWIND_OUTERMOST;
    if (!l.count) (void)append(&l, k->place);
    s.place = l.at[0];
    s.callers = number_of(&l, 1, s.is_cut);
    return s;
}

stack stack_unknown(uint32_t process_number, uint64_t pc) {
    stack s = {0, 0, 1};
    if (pc) s.place = known_at(process_number, pc)->place;
    s.callers = caller_of(0, 0);
    return s;
}
#endif
