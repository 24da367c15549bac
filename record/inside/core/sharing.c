/* sharing.c - lines that several threads use, from their bursts. */
#include "sharing.h"
#include <string.h>
#include "../../../src/part.c" /* the writer of parts, which the headers have, too */

/* ---- a burst ---- */

static uint64_t mix(uint64_t a, uint64_t b) {
    return (a * UINT64_C(0x9E3779B97F4A7C15) ^ b) * UINT64_C(0xD6E8FEB86659FD93);
}

/* The entry of an instruction on a line; NULL: there is no room, and the burst
   ends here. burst + 1 marks entries, so that zero bytes are free ones. */
static sharing_seen *seen_of(sharing_thread *t, uint64_t line, uint64_t site) {
    uint32_t i = (uint32_t)(mix(line, site) >> 48);
    for (;; i++) {
        sharing_seen *e = &t->seen[i % SHARING_SEEN];
        if (e->burst != t->burst + 1) {
            if (t->used == SHARING_SEEN / 4 * 3) return NULL;
            t->list[t->used++] = i % SHARING_SEEN;
            memset(e, 0, sizeof *e);
            e->line = line;
            e->site = site;
            e->burst = t->burst + 1;
            return e;
        }
        if (e->line == line && e->site == site) return e;
    }
}

static uint64_t bits(uint64_t first, uint64_t count) {
    return (count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1) << first;
}

void sharing_access(sharing_thread *t, uint64_t site, uint64_t address, uint64_t bytes, int what) {
    const uint64_t size = UINT64_C(1) << SHARING_LINE_LOG2;
    uint64_t left = bytes ? bytes : 1, first, here;
    sharing_seen *e;
    if (left - 1 > UINT64_MAX - address) left = UINT64_MAX - address + 1;
    for (; left && !t->is_cut; left -= here, address += here) {
        first = address % size;
        here = left < size - first ? left : size - first;
        e = seen_of(t, address >> SHARING_LINE_LOG2, site);
        if (!e) {
            t->is_cut = 1;
            return;
        }
        t->accesses++;
        if (what & SHARING_LOAD) {
            e->loaded |= bits(first, here);
            e->loads++;
        }
        if (what & SHARING_STORE) {
            e->stored |= bits(first, here);
            e->stores++;
        }
    }
}

/* ---- the table of all threads ---- */

void sharing_ended(sharing *s, uint32_t thread, uint64_t now_ns) {
    if (thread < SHARING_ENDS) s->ended_ns[thread] = now_ns ? now_ns : 1;
}

/* Had the thread ended when something began? */
static int had_ended(const sharing *s, uint32_t thread, uint64_t began_ns) {
    return thread < SHARING_ENDS && s->ended_ns[thread] && s->ended_ns[thread] <= began_ns;
}

/* Bursts of another thread than this one, near enough? */
static int has_met(const sharing *s, const sharing_latest *of, uint32_t thread, uint64_t began_ns,
                   uint64_t now_ns) {
    int n;
    for (n = 0; n < 2; n++) {
        if (of->ns[n] && of->thread[n] != thread && now_ns - of->ns[n] < SHARING_NEAR_NS
            && !had_ended(s, of->thread[n], began_ns))
            return 1;
    }
    return 0;
}

static void note(sharing_latest *of, uint32_t thread, uint64_t now_ns) {
    int n = of->ns[0] && of->thread[0] == thread ? 0
            : of->ns[1] && of->thread[1] == thread ? 1
                                                   : of->ns[0] > of->ns[1];
    of->thread[n] = thread;
    of->ns[n] = now_ns;
}

static uint64_t newest(const sharing_latest *of) {
    return of->ns[0] > of->ns[1] ? of->ns[0] : of->ns[1];
}

static uint32_t *head_of(sharing *s, uint64_t line) {
    return &s->heads[(mix(line, 0) >> 40) % SHARING_LINES];
}

static uint32_t *row_head(sharing *s, uint32_t line, uint64_t site, uint32_t thread) {
    return &s->row_heads[mix(site, (uint64_t)thread << 32 | line) >> 46]; /* of 2^18 */
}

static void drop_row(sharing *s, uint32_t number) {
    sharing_row *row = &s->rows[number - 1];
    uint32_t *at = row_head(s, row->line, row->site, row->thread);
    while (*at != number) at = &s->rows[*at - 1].chained;
    *at = row->chained;
    row->next = s->free_row;
    s->free_row = number;
    s->rows_used--;
}

static void drop_line(sharing *s, uint32_t number) {
    sharing_line *l = &s->lines[number];
    uint32_t *at = head_of(s, l->line), row = l->rows, next;
    while (*at != number + 1) at = &s->lines[*at - 1].chained;
    *at = l->chained;
    for (; row; row = next) {
        next = s->rows[row - 1].next;
        drop_row(s, row);
    }
    memset(l, 0, sizeof *l);
    l->chained = s->free_line;
    s->free_line = number + 1;
    s->lines_used--;
}

/* Lines that nobody has used together go: those of long ago, and then, if half
   of the room is still taken, the others. Lines of the burst that is being
   added stay. */
static void sweep(sharing *s, uint64_t now_ns) {
    int round;
    uint32_t n;
    for (round = 0; round < 2; round++) {
        if (round && s->lines_used < SHARING_LINES / 2 && s->rows_used < SHARING_ROWS / 2) return;
        for (n = 0; n < SHARING_LINES; n++) {
            sharing_line *l = &s->lines[n];
            if (!l->is_used || l->together || l->now) continue;
            if (!round && now_ns - newest(&l->touch) < SHARING_NEAR_NS) continue;
            s->forgotten += (uint64_t)round;
            drop_line(s, n);
        }
    }
}

static uint32_t line_of(sharing *s, uint64_t line) {
    uint32_t *head = head_of(s, line), number = *head;
    sharing_line *l;
    while (number && s->lines[number - 1].line != line) number = s->lines[number - 1].chained;
    if (number) return number;
    number = s->free_line;
    if (number) s->free_line = s->lines[number - 1].chained;
    else if (s->lines_used < SHARING_LINES) number = s->lines_used + 1;
    else return 0;
    s->lines_used++;
    l = &s->lines[number - 1];
    memset(l, 0, sizeof *l);
    l->line = line;
    l->is_used = 1;
    l->chained = *head;
    *head = number;
    return number;
}

static sharing_row *row_of(sharing *s, uint32_t line, const sharing_seen *e, uint32_t thread,
                           uint64_t began_ns) {
    uint32_t *head = row_head(s, line, e->site, thread), number = *head;
    sharing_line *l = &s->lines[line - 1];
    sharing_row *row;
    for (; number; number = row->chained) {
        row = &s->rows[number - 1];
        if (row->line == line && row->site == e->site && row->thread == thread) return row;
    }
    number = s->free_row;
    if (number) s->free_row = s->rows[number - 1].next;
    else if (s->rows_used < SHARING_ROWS) number = s->rows_used + 1;
    else return NULL;
    s->rows_used++;
    row = &s->rows[number - 1];
    memset(row, 0, sizeof *row);
    row->site = e->site;
    row->thread = thread;
    row->first_ns = began_ns;
    row->line = line;
    row->chained = *head;
    *head = number;
    row->next = l->rows;
    l->rows = number;
    return row;
}

static uint32_t lowest(uint64_t mask) {
    uint32_t n = 0;
    while (n < 63 && !(mask >> n & 1)) n++;
    return n;
}

static uint32_t highest(uint64_t mask) {
    uint32_t n = 63;
    while (n > 0 && !(mask >> n & 1)) n--;
    return n;
}

/* Adds an entry of the burst; returns its line, 1 + number, or 0. */
static uint32_t add_seen(sharing *s, const sharing_seen *e, uint32_t thread, uint64_t began_ns,
                         sharing_charge *charge, void *user) {
    uint32_t number = line_of(s, e->line);
    uint64_t first = (e->line << SHARING_LINE_LOG2) + lowest(e->loaded | e->stored);
    sharing_line *l = number ? &s->lines[number - 1] : NULL;
    sharing_row *row = number ? row_of(s, number, e, thread, began_ns) : NULL;
    uint64_t count = e->loads > e->stores ? e->loads : e->stores;
    if (!row) {
        s->lost += count;
        if (l && !l->rows) drop_line(s, number - 1);
        return 0;
    }
    memset(&row->place, 0, sizeof row->place);
    charge(user, e->site, first, &row->place);
    row->loaded |= e->loaded;
    row->stored |= e->stored;
    row->loads += e->loads;
    row->stores += e->stores;
    l->is_stored_now |= e->stored != 0;
    l->now += count;
    return number;
}

static void add_product(uint64_t *sum, uint64_t a, uint64_t b) {
    uint64_t product = a > UINT32_MAX || b > UINT32_MAX ? UINT64_MAX : a * b;
    *sum = *sum > UINT64_MAX - product ? UINT64_MAX : *sum + product;
}

static void settle_line(sharing *s, sharing_line *l, uint32_t thread, uint64_t began_ns,
                        uint64_t now_ns, int is_slow, uint64_t r) {
    if (!is_slow) {
        l->together += (uint64_t)has_met(s, l->is_stored_now ? &l->touch : &l->store, thread,
                                         began_ns, now_ns);
        note(&l->touch, thread, now_ns);
        if (l->is_stored_now) note(&l->store, thread, now_ns);
    }
    l->bursts++;
    l->accesses += l->now;
    if (!(s->flags & SHARING_WHOLE)) {
        add_product(&l->yy, l->now, l->now);
        add_product(&l->yr, l->now, r);
    }
    l->now = l->is_stored_now = 0;
}

void sharing_burst(sharing *s, sharing_thread *t, uint64_t began_ns, uint64_t now_ns,
                   sharing_charge *charge, void *user) {
    uint32_t n, first = 0;
    int is_slow = now_ns > began_ns && now_ns - began_ns >= SHARING_NEAR_NS;
    if (!now_ns) now_ns = 1;
    if (s->lines_used + t->used > SHARING_LINES || s->rows_used + t->used > SHARING_ROWS)
        sweep(s, now_ns);
    for (n = 0; n < t->used; n++) {
        uint32_t number = add_seen(s, &t->seen[t->list[n]], t->number, began_ns, charge, user);
        if (!number || s->lines[number - 1].next_now) continue;
        s->lines[number - 1].next_now = first ? first : number; /* the last one names itself */
        first = number;
    }
    for (; first; first = n) {
        sharing_line *l = &s->lines[first - 1];
        n = l->next_now == first ? 0 : l->next_now;
        l->next_now = 0;
        settle_line(s, l, t->number, began_ns, now_ns, is_slow, t->accesses);
    }
    if (t->accesses) {
        s->bursts++;
        s->accesses += t->accesses;
        add_product(&s->rr, t->accesses, t->accesses);
        s->slow += (uint64_t)is_slow;
    }
    s->cut += t->is_cut;
    t->burst++;
    t->used = t->is_cut = 0;
    t->accesses = 0;
}

/* ---- what meets on a line ---- */

enum { THREADS_TOLD = 64, ROWS_TOLD = 512 };
/* Who makes less than one in so many of a line's accesses has no say in what
   meets there: it set the data up, or read it in the end. */
enum { HARDLY = 1000 };

static uint64_t bytes_of(const sharing_row *row) { return row->loaded | row->stored; }

static uint64_t count_of(const sharing_row *row) {
    return row->loads > row->stores ? row->loads : row->stores;
}

/* Blocks of the heap that had the same memory, one after the other, were never
   there together. */
static int lived_together(const sharing_place *a, const sharing_place *b) {
    return a->life == b->life || !a->life || !b->life || a->low + a->bytes <= b->low
           || b->low + b->bytes <= a->low;
}

typedef struct line_facts {
    const sharing_row *rows[ROWS_TOLD];
    uint8_t meets[ROWS_TOLD];           /* SHARING_FALSE, SHARING_TRUE */
    uint32_t count, what, threads;
    uint64_t contended, falsely;        /* falsely: as far as other bytes are the reason */
} line_facts;

/* Bytes that more than one thread uses and at least one writes. Moving these
   apart is no cure. Threads whose numbers are equal in their low bits count as
   one. */
static uint64_t truly_shared(const line_facts *f) {
    uint64_t of_thread[THREADS_TOLD] = {0}, once = 0, twice = 0, stored = 0;
    uint32_t n;
    for (n = 0; n < f->count; n++) {
        of_thread[f->rows[n]->thread % THREADS_TOLD] |= bytes_of(f->rows[n]);
        stored |= f->rows[n]->stored;
    }
    for (n = 0; n < THREADS_TOLD; n++) {
        twice |= once & of_thread[n];
        once |= of_thread[n];
    }
    return twice & stored;
}

/* a writes. Other bytes than b's: false sharing, but not if all of these are
   shared in truth, as the fields are that a lock protects. */
static void meet(const sharing *s, line_facts *f, uint32_t a, uint32_t b, uint64_t truly) {
    const sharing_row *x = f->rows[a], *y = f->rows[b];
    int what;
    if (x->thread == y->thread || !x->stored || !lived_together(&x->place, &y->place)) return;
    if (had_ended(s, x->thread, y->first_ns) || had_ended(s, y->thread, x->first_ns)) return;
    if (x->stored & bytes_of(y)) what = SHARING_TRUE;
    else if (bytes_of(x) & bytes_of(y)) return; /* b writes what a reads: the other way round */
    else if ((x->stored | bytes_of(y)) & ~truly) what = SHARING_FALSE;
    else return;
    f->meets[a] |= (uint8_t)what;
    f->meets[b] |= (uint8_t)what;
}

/* A thread waits for the line at most as often as it uses it, and at most as
   often as others write it: of the rows that meet. Who uses bytes that are
   shared in truth would wait in any case, so `falsely` leaves these uses out;
   truly is 0 for all. */
static uint64_t contended_in(const line_facts *f, int what, uint64_t truly) {
    uint64_t used[THREADS_TOLD] = {0}, stored[THREADS_TOLD] = {0}, stores = 0, sum = 0;
    uint32_t n;
    for (n = 0; n < f->count; n++) {
        uint32_t thread = f->rows[n]->thread % THREADS_TOLD;
        if (!(f->meets[n] & what)) continue;
        if (bytes_of(f->rows[n]) & ~truly) used[thread] += count_of(f->rows[n]);
        stored[thread] += f->rows[n]->stores;
        stores += f->rows[n]->stores;
    }
    for (n = 0; n < THREADS_TOLD; n++) {
        uint64_t others = stores - stored[n];
        sum += used[n] < others ? used[n] : others;
    }
    return sum;
}

static void look_at_line(const sharing *s, const sharing_line *l, line_facts *f) {
    uint64_t truly, threads = 0;
    uint32_t number = l->rows, a, b;
    f->count = f->what = f->threads = 0;
    f->contended = f->falsely = 0;
    if (!l->is_used || !l->together) return;
    for (; number && f->count < ROWS_TOLD; number = s->rows[number - 1].next) {
        if (count_of(&s->rows[number - 1]) < l->accesses / HARDLY) continue;
        f->meets[f->count] = 0;
        f->rows[f->count++] = &s->rows[number - 1];
    }
    truly = truly_shared(f);
    for (a = 0; a < f->count; a++) {
        for (b = 0; b < f->count; b++) meet(s, f, a, b, truly);
    }
    for (a = 0; a < f->count; a++) {
        f->what |= f->meets[a];
        if (f->meets[a]) threads |= UINT64_C(1) << f->rows[a]->thread % THREADS_TOLD;
    }
    for (; threads; threads &= threads - 1) f->threads++;
    f->contended = contended_in(f, SHARING_FALSE | SHARING_TRUE, 0);
    f->falsely = contended_in(f, SHARING_FALSE, truly);
}

/* ---- a part ---- */

static void put_number(base_p_out *out, uint64_t value) { base_p_put_varint(out, value); }

static void put_string(base_p_out *out, const char *words) {
    size_t size = words ? strlen(words) : 0;
    put_number(out, size);
    if (size) base_p_put(out, words, size);
}

static void put_side(base_p_out *out, const sharing_line *l, const sharing_row *row, uint32_t meets,
                     const sharing_about *about) {
    uint64_t bytes = bytes_of(row), first = (l->line << SHARING_LINE_LOG2) + lowest(bytes);
    put_number(out, meets);
    put_number(out, row->thread + 1);
    put_string(out, about->name(about->user, SHARING_FUNCTION, row->place.function));
    put_string(out, about->name(about->user, SHARING_OBJECT, row->place.object));
    put_string(out, about->place ? about->place(about->user, row->site) : NULL);
    put_number(out, first >= row->place.low && row->place.bytes ? first - row->place.low : first % 64);
    put_number(out, highest(bytes) - lowest(bytes) + 1);
    put_number(out, row->loads);
    put_number(out, row->stores);
}

static void put_line(base_p_out *out, const sharing_line *l, const line_facts *f,
                     const sharing_about *about) {
    uint32_t n, sides = 0;
    for (n = 0; n < f->count; n++) sides += f->meets[n] != 0;
    put_number(out, f->what);
    put_number(out, 1);                 /* lines */
    put_number(out, f->threads);
    put_number(out, l->accesses);
    put_number(out, f->contended);
    put_number(out, f->falsely);
    put_number(out, l->bursts);
    put_number(out, l->together);
    put_number(out, l->yy);
    put_number(out, l->yr);
    put_number(out, sides);
    for (n = 0; n < f->count; n++) {
        if (f->meets[n]) put_side(out, l, f->rows[n], f->meets[n], about);
    }
}

static uint32_t log2_of(uint64_t value) {
    uint32_t n = 0;
    while (value >>= 1) n++;
    return n;
}

/* Is the line one of about `room` of `count` equal ones? Always the same ones,
   wherever they lie in the table. */
static int is_drawn(const sharing_line *l, uint32_t room, uint32_t count) {
    return (mix(l->line, 1) >> 32) * count < (uint64_t)room << 32;
}

/* The lines that are used most are written, class by class: of a class, uses
   differ by less than two times. Of the class that does not fit as many are
   drawn as there is room for. So a large array that is hot everywhere is seen. */
int sharing_write(const sharing *s, const sharing_about *about,
                  int (*write)(void *user, const void *data, size_t size), void *user) {
    static line_facts facts;            /* too large for a stack that is not ours */
    uint32_t of_size[64] = {0}, least = 63, sum = 0, room = 0, drawn = 0, n;
    int is_split;
    uint64_t left = 0;
    base_p_out out;
    for (n = 0; n < SHARING_LINES; n++) {
        look_at_line(s, &s->lines[n], &facts);
        if (facts.contended) of_size[log2_of(facts.contended)]++;
    }
    while (least > 0 && sum + of_size[least] <= SHARING_WRITTEN) sum += of_size[least--];
    is_split = sum + of_size[least] > SHARING_WRITTEN;
    if (is_split) {
        room = SHARING_WRITTEN - sum;
        for (n = 0; n < SHARING_LINES; n++) {
            look_at_line(s, &s->lines[n], &facts);
            if (facts.contended && log2_of(facts.contended) == least)
                drawn += (uint32_t)is_drawn(&s->lines[n], room, of_size[least]);
        }
        if (drawn > room) drawn = room;
        for (n = 0; n <= least; n++) left += of_size[n];
        left -= drawn;
    } else
        for (n = 0; n < least; n++) left += of_size[n];
    base_p_put_begin(&out, SHARING_KIND, write, user);
    put_number(&out, SHARING_VERSION);
    put_number(&out, s->flags);
    put_string(&out, about->program);
    put_number(&out, about->every);
    put_number(&out, about->burst);
    put_number(&out, SHARING_NEAR_NS / 1000000);
    put_number(&out, s->bursts);
    put_number(&out, s->accesses);
    put_number(&out, s->rr);
    put_number(&out, s->slow);
    put_number(&out, s->cut);
    put_number(&out, s->forgotten);
    put_number(&out, s->lost);
    put_number(&out, left);
    for (n = 0; n < SHARING_LINES; n++) {
        look_at_line(s, &s->lines[n], &facts);
        if (!facts.contended || log2_of(facts.contended) < least) continue;
        if (is_split && log2_of(facts.contended) == least) {
            if (!drawn || !is_drawn(&s->lines[n], room, of_size[least])) continue;
            drawn--;
        }
        put_line(&out, &s->lines[n], &facts, about);
    }
    return base_p_put_end(&out) ? -1 : 0;
}
