/* merge.h - on Linux: what an earlier run has left in coverage.brst is added to
   the counters of this one, so that the file grows by tables and tests, and not
   by runs.

       old file    | tables of p | p: counts | tables of q | q: counts | p, test a: counts |
                                       |
                       + this run of p v
       new file    | tables of p | tables of q | q: counts | p, test a: counts | p: counts |

   The new file is written beside the old one and takes its place when it is
   whole (rename); the writer holds the lock of the old one. So a program that
   is killed meanwhile, or a full disk, costs the counts of that one run. Where
   a new file cannot be put there (no right to write in the folder, a link,
   another owner), the run is appended.

   Tables are written if the file has none of their key, also where it has
   counts: those of a program without tables may have come first. A part of
   counts is ours if it holds one record, of a unit's key, width and size, and of
   our test. All checksums of the file are looked at: a damaged one is appended
   to, and the report says so. Only system calls are used, so that a signal's
   handler may do it too. */
#ifndef BURSTY_RECORD_MERGE_H
#define BURSTY_RECORD_MERGE_H
#include "append.h"
#include "edges.h"
#include "tables.h"

/* What was found of one unit. */
typedef struct merge_unit {
    const edgeprof_unit *unit;
    uint64_t key;          /* of its first function; 0: it cannot be merged */
    uint64_t table;        /* what its tables begin with */
    size_t at, end;        /* of its counts in the old file; 0: there are none */
    size_t payload;        /* its first byte of counts, as merge_reader counts */
    int is_known;          /* the old file has its tables */
} merge_unit;

typedef struct merge_file {
    const unsigned char *old;
    size_t size;
    merge_unit *units;
    uint32_t count;
    size_t units_size;     /* of the memory */
    const char *test;
    int is_cut, knows_cut; /* see edgeprof_units_write_cut; is it in the old file? */
} merge_file;

/* ---- reading ---- */

/* The payload of a part, whose chunks stand one behind the other. */
typedef struct merge_reader {
    const unsigned char *data;
    size_t at, left;       /* bytes of the chunk that are not read */
    int is_bad;
} merge_reader;

static uint32_t merge_little(const unsigned char *at, int bytes) {
    uint32_t value = 0;
    while (bytes-- > 0) value = value << 8 | at[bytes];
    return value;
}

static uint32_t merge_crc(uint32_t crc, const unsigned char *data, size_t size) {
    static uint32_t table[256];
    size_t i;
    if (!table[1]) {
        uint32_t n, bit, c;
        for (n = 256; n-- > 0;) {
            for (c = n, bit = 0; bit < 8; bit++) c = c & 1 ? 0xEDB88320 ^ c >> 1 : c >> 1;
            table[n] = c;
        }
    }
    crc = ~crc;
    for (i = 0; i < size; i++) crc = table[(crc ^ data[i]) & 255] ^ crc >> 8;
    return ~crc;
}

/* Where the part ends that begins at `at`, or 0: it is not whole. */
static size_t merge_part_end(const unsigned char *data, size_t size, size_t at) {
    uint32_t crc, length;
    if (size - at < 16 || memcmp(data + at, "BRST", 4) != 0) return 0;
    crc = merge_crc(0, data + at, 12);
    if (crc != merge_little(data + at + 12, 4)) return 0;
    at += 16;
    for (;;) {
        if (size - at < 2) return 0;
        length = merge_little(data + at, 2);
        if (length == 0) break;
        if (size - at < (size_t)length + 6) return 0;
        crc = merge_crc(crc, data + at, (size_t)length + 2);
        if (crc != merge_little(data + at + 2 + length, 4)) return 0;
        at += (size_t)length + 6;
    }
    if (size - at < 14) return 0;
    crc = merge_crc(crc, data + at, 10);
    return crc == merge_little(data + at + 10, 4) ? at + 14 : 0;
}

static void merge_begin(merge_reader *r, const unsigned char *data, size_t part) {
    r->data = data;
    r->at = part + 16;
    r->left = merge_little(data + r->at, 2);
    r->at += 2;
    r->is_bad = r->left == 0;
}

/* The next byte of the payload; behind the last one the reader is bad. The part
   is known to be whole, so that an end follows its chunks. */
static unsigned merge_byte(merge_reader *r) {
    if (r->left == 0 && !r->is_bad) {
        r->at += 4; /* a checksum */
        r->left = merge_little(r->data + r->at, 2);
        r->at += 2;
        r->is_bad = r->left == 0;
    }
    if (r->is_bad) return 0;
    r->left--;
    return r->data[r->at++];
}

static int merge_is_end(merge_reader *r) {
    return r->left == 0 && merge_little(r->data + r->at + 4, 2) == 0;
}

static uint64_t merge_number(merge_reader *r) {
    uint64_t value = 0;
    unsigned shift, byte = 128;
    for (shift = 0; byte & 128 && shift < 70; shift += 7) {
        byte = merge_byte(r);
        value |= (uint64_t)(byte & 127) << (shift < 64 ? shift : 0);
        if (shift == 63 && byte > 1) r->is_bad = 1;
    }
    return value;
}

/* Is the string that comes the name of our test? */
static int merge_is_test(merge_reader *r, const char *test) {
    uint64_t size = merge_number(r), i;
    int is_ours = test && strlen(test) == size;
    for (i = 0; i < size && !r->is_bad; i++) {
        unsigned byte = merge_byte(r);
        if (is_ours && (unsigned char)test[i] != byte) is_ours = 0;
    }
    return is_ours;
}

/* ---- one unit ---- */

/* Units of a rewritten file have one function, which stands for all of the file;
   those of arcs.c have many. Tables in the program itself, which EP_FUNC makes,
   are never merged. */
static int merge_can(const edgeprof_unit *unit) {
    uint32_t i;
    for (i = 0; i < unit->count; i++)
        if (!unit->functions[i] || unit->functions[i]->ends) return 0;
    return unit->count > 0;
}

/* Adds a value of an earlier run to a counter. */
static void merge_counter(const edgeprof_function *f, uint32_t i, uint64_t value) {
    uint8_t *marks = (uint8_t *)f->counters;
    if (f->bits == 1) marks[i / 8] |= (uint8_t)((value & 1) << i % 8);
    else if (f->bits == 8) marks[i] = marks[i] + value > 255 ? 255 : (uint8_t)(marks[i] + value);
    else if (f->bits == 16) ((uint16_t *)f->counters)[i] += (uint16_t)value;
    else if (f->bits == 32) ((uint32_t *)f->counters)[i] += (uint32_t)value;
    else ((uint64_t *)f->counters)[i] += value;
}

/* A mark says only whether an activation ended there, not how often. */
static void merge_exit(const edgeprof_function *f, uint32_t vertex, uint32_t early) {
    uint32_t *mine = &f->early[vertex];
    if (f->bits <= 8) {
        int ended = (*mine && *mine <= EDGEPROF_UNKNOWN) || (early && early <= EDGEPROF_UNKNOWN);
        *mine = (uint32_t)ended;
    } else if (*mine == EDGEPROF_UNKNOWN || early == EDGEPROF_UNKNOWN) {
        *mine = EDGEPROF_UNKNOWN;
    } else {
        uint32_t sum = *mine + early; /* signed; EDGEPROF_UNKNOWN is the bit of the sign */
        *mine = ~(*mine ^ early) & (*mine ^ sum) & EDGEPROF_UNKNOWN ? EDGEPROF_UNKNOWN : sum;
    }
}

/* Would the sum of both be too large for a counter? Then the run is appended,
   and the report adds up with 64 bits. */
static int merge_is_too_large(const edgeprof_function *f, uint32_t i, uint64_t value) {
    if (f->bits == 16) return value + ((const uint16_t *)f->counters)[i] > UINT16_MAX;
    if (f->bits == 32) return value + ((const uint32_t *)f->counters)[i] > UINT32_MAX;
    return f->bits == 64 && value + ((const uint64_t *)f->counters)[i] < value;
}

/* Reads one record behind its key: width, values and exits. does_add: 0 only
   looks whether they fit. */
static int merge_values(merge_reader *r, const edgeprof_function *f, int does_add) {
    uint64_t most = f->bits < 64 ? ((uint64_t)1 << f->bits) - 1 : UINT64_MAX, exits, before = 0;
    uint32_t i;
    if (merge_number(r) != f->bits || merge_number(r) != f->slots) return 0;
    for (i = 0; i < f->slots; i++) {
        uint64_t value = merge_number(r);
        if (r->is_bad || value > most || merge_is_too_large(f, i, value)) return 0;
        if (does_add) merge_counter(f, i, value);
    }
    for (exits = merge_number(r); exits > 0; exits--) {
        uint64_t vertex = merge_number(r), early = merge_number(r), again = merge_number(r);
        if (r->is_bad || again || early > UINT32_MAX || !f->early) return 0;
        if (vertex >= f->vertices || vertex + 1 <= before) return 0;
        before = vertex + 1;
        if (does_add) merge_exit(f, (uint32_t)vertex, (uint32_t)early);
    }
    return !r->is_bad;
}

static uint64_t merge_key(merge_reader *r) {
    uint64_t key = 0;
    int k;
    for (k = 0; k < 8; k++) key |= (uint64_t)merge_byte(r) << 8 * k;
    return key;
}

/* The records of a unit's functions, behind the first one's key; no others may
   be in the part. */
static int merge_records(merge_reader *r, const edgeprof_unit *unit, int does_add) {
    uint32_t i;
    for (i = 0; i < unit->count; i++) {
        if (i > 0 && (merge_number(r) != 2 || merge_key(r) != edgeprof_unit_key(unit->functions[i])))
            return 0;
        if (r->is_bad || !merge_values(r, unit->functions[i], does_add)) return 0;
    }
    return merge_is_end(r);
}

/* Looks at a part of kind 4. */
static void merge_look(merge_file *m, size_t at, size_t end) {
    merge_reader r;
    uint64_t tag, key;
    uint32_t i;
    int is_ours;
    merge_begin(&r, m->old, at);
    tag = merge_number(&r);
    is_ours = tag != 3 && !m->test;
    if (tag == 3) {
        is_ours = merge_is_test(&r, m->test);
        tag = merge_number(&r);
    }
    if (tag != 1 && tag != 2 && tag != 4) return;
    key = merge_key(&r);
    if (r.is_bad || !key) return;
    for (i = 0; i < m->count && (tag == 2 ? m->units[i].key : m->units[i].table) != key; i++) {
    }
    if (i == m->count) return;
    if (tag != 2) {
        m->units[i].is_known = 1;
        return;
    }
    if (!is_ours || m->units[i].end) return;
    if (!merge_records(&r, m->units[i].unit, 0)) return;
    m->units[i].at = at;
    m->units[i].end = end;
}

/* Looks at a part of kind 7. */
static void merge_look_at_end(merge_file *m, size_t at) {
    merge_reader r;
    merge_begin(&r, m->old, at);
    m->knows_cut |= merge_number(&r) == 2 && merge_number(&r) == EDGEPROF_UNIT_CUT;
}

/* Adds what was found of a unit to its counters. */
static void merge_add(const merge_file *m, const merge_unit *u) {
    merge_reader r;
    merge_begin(&r, m->old, u->at);
    if (merge_number(&r) == 3) {
        merge_is_test(&r, NULL);
        merge_number(&r);
    }
    merge_key(&r);
    merge_records(&r, u->unit, 1);
}

/* ---- the file ---- */

/* Units, and what the old file has of them. Returns how many can be merged. */
static uint32_t merge_open(merge_file *m, int file, off_t size, const char *test) {
    uint32_t found = 0, i;
    size_t at, end;
    memset(m, 0, sizeof *m);
    m->test = test;
    m->count = edgeprof_units_count();
    m->units_size = m->count * sizeof *m->units;
    m->units = (merge_unit *)mmap(NULL, m->units_size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m->units == (merge_unit *)MAP_FAILED) {
        m->units = NULL;
        return 0;
    }
    for (i = 0; i < m->count; i++) {
        const edgeprof_unit *unit = edgeprof_units_at(i);
        m->units[i].unit = unit;
        if (!merge_can(unit)) continue;
        m->units[i].key = edgeprof_unit_key(unit->functions[0]);
        m->units[i].table = edgeprof_unit_table(unit);
    }
    if (size <= 0 || (uint64_t)size > SIZE_MAX / 2) return 0;
    m->size = (size_t)size;
    m->old = (const unsigned char *)mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, file, 0);
    if (m->old == (const unsigned char *)MAP_FAILED) {
        m->old = NULL;
        return 0;
    }
    for (at = 0; at < m->size; at = end) {
        end = merge_part_end(m->old, m->size, at);
        if (!end) return 0;
        if (merge_little(m->old + at + 6, 2) == 4) merge_look(m, at, end);
        if (merge_little(m->old + at + 6, 2) == 7) merge_look_at_end(m, at);
    }
    for (i = 0; i < m->count; i++) found += m->units[i].end != 0;
    return found;
}

static void merge_close(merge_file *m) {
    if (m->old) munmap((void *)(uintptr_t)m->old, m->size);
    if (m->units) munmap(m->units, m->units_size);
}

static void merge_here(void) {}

/* Are the tables of this build? Parts begin with a key of one of our units; of
   an object of C++ that has no function of its own here there is none. */
static int merge_is_own(const merge_file *m, const tables *t) {
    enum { KEY = 16 + 2 + 1 }; /* behind the part's head, a chunk's length and a tag */
    size_t at, end;
    uint32_t i;
    if (!t->bytes) return 0;
    for (at = 0; at < t->size; at = end) {
        end = merge_part_end(t->bytes, t->size, at);
        if (!end || end - at < KEY + 8) return 0;
        if (merge_little(t->bytes + at + 6, 2) != 4) continue;
        for (i = 0; i < m->count; i++) {
            uint64_t key = m->units[i].table;
            if (key && (uint32_t)key == merge_little(t->bytes + at + KEY, 4) &&
                (uint32_t)(key >> 32) == merge_little(t->bytes + at + KEY + 4, 4)) return 1;
        }
    }
    return 0;
}

/* Writes tables that the file does not have, and then the counts of each unit. */
static int merge_write_own(const merge_file *m, append_file *to) {
    tables t;
    uint32_t i;
    int failed = 0, is_known = 1;
    for (i = 0; i < m->count; i++) is_known &= m->units[i].is_known || !m->units[i].key;
    if (!is_known) {
        tables_open(&t, (uintptr_t)merge_here);
        if (merge_is_own(m, &t)) failed = append_bytes(to, t.bytes, t.size);
        tables_close(&t);
    }
    edgeprof_units_running(1);
    for (i = 0; i < m->count && !failed; i++)
        failed = edgeprof_unit_write(m->units[i].unit, !m->units[i].is_known, m->test,
                                     append_bytes, to);
    edgeprof_units_running(-1);
    /* Once in a file is enough: thousands of runs may end so. */
    if (m->is_cut && !m->knows_cut && !failed) failed = edgeprof_units_write_cut(append_bytes, to);
    return failed;
}

/* Copies the old file without the parts that were merged. */
static int merge_copy_old(const merge_file *m, append_file *to) {
    size_t at = 0;
    while (at < m->size) {
        size_t next = m->size, behind = m->size;
        uint32_t i;
        for (i = 0; i < m->count; i++) {
            if (!m->units[i].end || m->units[i].at < at || m->units[i].at >= next) continue;
            next = m->units[i].at;
            behind = m->units[i].end;
        }
        if (next > at && append_bytes(to, m->old + at, next - at) != 0) return -1;
        at = behind;
    }
    return 0;
}

/* PATH.PID.new. Returns 0, or -1: it is too long. */
static int merge_name(char *name, size_t room) {
    const char *path = append_path();
    size_t used = strlen(path), k;
    unsigned long pid = (unsigned long)getpid();
    char digits[24];
    size_t count = 0;
    if (used + sizeof digits + 6 > room) return -1;
    memcpy(name, path, used);
    name[used++] = '.';
    do digits[count++] = (char)('0' + pid % 10);
    while (pid /= 10);
    for (k = count; k > 0; k--) name[used++] = digits[k - 1];
    memcpy(name + used, ".new", 5);
    return 0;
}

/* A file beside the old one, with its owner and rights; -1: the old one must
   stay where it is. */
static int merge_beside(int old, const char *name) {
    struct stat status, linked;
    int file;
    if (fstat(old, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1) return -1;
    if (lstat(append_path(), &linked) != 0 || !S_ISREG(linked.st_mode)) return -1;
    file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    if ((status.st_uid != geteuid() || status.st_gid != getegid()) &&
        fchown(file, status.st_uid, status.st_gid) != 0) goto no;
    if (fchmod(file, status.st_mode & 07777) != 0) goto no;
    return file;
no:
    close(file);
    unlink(name);
    return -1;
}

/* Writes the new file and puts it into the place of the old one. Returns 0; 1:
   nothing was done, and the run may be appended; -1 after a message. */
static int merge_replace(const merge_file *m, const append_file *old) {
    append_file to;
    char name[4200];
    uint32_t i;
    int failed;
    if (merge_name(name, sizeof name) != 0) return 1;
    to.file = merge_beside(old->file, name);
    to.used = 0;
    if (to.file < 0) return 1;
    for (i = 0; i < m->count; i++) {
        if (m->units[i].end) merge_add(m, &m->units[i]);
    }
    failed = merge_copy_old(m, &to) || merge_write_own(m, &to) ||
             append_all(to.file, to.buffer, to.used);
    if (close(to.file) != 0) failed = 1;
    if (!failed && rename(name, append_path()) == 0) return 0;
    append_say("cannot be written, and stays without this run: ", strerror(errno));
    unlink(name);
    return -1;
}

/* Adds this run to the file, which is open and locked. is_cut: see
   edgeprof_units_write_cut. Returns 0, or -1 after a
   message. */
static int merge_run(append_file *to, int is_cut) {
    const char *test = getenv("BURSTY_TEST");
    merge_file m;
    int done = 1, failed = 0;
    uint32_t found = merge_open(&m, to->file, to->before, test && *test ? test : NULL);
    m.is_cut = is_cut;
    if (found > 0)
        done = merge_replace(&m, to);
    if (done == 1) {
        failed = !m.units || merge_write_own(&m, to);
        append_close(to, failed);
    } else {
        close(to->file);
        append_free(to);
    }
    merge_close(&m);
    return failed || done < 0 ? -1 : 0;
}
#endif
