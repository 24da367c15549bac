/* gcov.c - see gcov.h. What gcc 12 and 13 put into an object, from how gcov
   reads it back:

       a constructor that calls __gcov_init with a gcov_info, and a destructor that calls
       __gcov_exit

       in the gcov_info: version, stamp and checksum of the .gcno, the .gcda's name, a function to
       merge each kind of counter (only that of arcs is there with --coverage), and the functions
       with their counters

   A .gcda is the words "gcda", version, stamp, checksum, and records { tag,
   bytes, data }: a summary of the object, then for each function its identity
   and its counters. */
#include "gcov.h"

enum { KINDS = 8, TAG_FUNCTION = 0x01000000, TAG_ARCS = 0x01A10000 };
#define TAG_SUMMARY UINT32_C(0xA1000000)

typedef struct gcov_counters {
    uint32_t count;
    int64_t *value;
} gcov_counters;

typedef struct gcov_function {
    /* An inline function may have several copies. The one that was linked says to
       which file it belongs. */
    const struct gcov_info *key;
    uint32_t ident, line_checksum, graph_checksum;
    gcov_counters arcs;
} gcov_function;

typedef struct gcov_info {
    uint32_t version;
    struct gcov_info *next;
    uint32_t stamp, checksum;
    const char *file;
    void (*merge[KINDS])(int64_t *, uint32_t);
    uint32_t function_count;
    const gcov_function *const *functions;
} gcov_info;

static gcov_info *first;

/* What the objects call. The merging is libgcov's business with old files,
   which there are none of here. */
void __gcov_init(gcov_info *info);
void __gcov_exit(void);
void __gcov_merge_add(int64_t *counters, uint32_t count);

void __gcov_init(gcov_info *info) {
    if (info->next || info == first) return;
    info->next = first;
    first = info;
}

void __gcov_exit(void) {}

void __gcov_merge_add(int64_t *counters, uint32_t count) {
    (void)counters;
    (void)count;
}

void gcov_add(void *info) { __gcov_init((gcov_info *)info); }

typedef struct gcov_out {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int failed;
} gcov_out;

/* In the byte order of this machine, as libgcov writes it. */
static void put(gcov_out *out, uint32_t word) {
    if (!out->failed) out->failed = out->write(out->user, &word, sizeof word);
}

static int64_t largest(const gcov_info *info) {
    int64_t most = 0;
    uint32_t i, k;
    for (i = 0; i < info->function_count; i++) {
        const gcov_function *f = info->functions[i];
        for (k = 0; f && f->key == info && k < f->arcs.count; k++)
            if (f->arcs.value[k] > most) most = f->arcs.value[k];
    }
    return most;
}

static void put_object(gcov_out *out, const gcov_info *info) {
    int64_t most = largest(info);
    uint32_t i, k;
    put(out, UINT32_C(0x67636461));
    put(out, info->version);
    put(out, info->stamp);
    put(out, info->checksum);
    put(out, TAG_SUMMARY);
    put(out, 8);
    put(out, 1); /* runs */
    put(out, most > INT32_MAX ? INT32_MAX : (uint32_t)most);
    for (i = 0; i < info->function_count; i++) {
        const gcov_function *f = info->functions[i];
        put(out, TAG_FUNCTION);
        if (!f || f->key != info) {
            put(out, 0);
            continue;
        }
        put(out, 12);
        put(out, f->ident);
        put(out, f->line_checksum);
        put(out, f->graph_checksum);
        put(out, TAG_ARCS);
        put(out, 8 * f->arcs.count);
        for (k = 0; k < f->arcs.count; k++) {
            put(out, (uint32_t)f->arcs.value[k]);
            put(out, (uint32_t)((uint64_t)f->arcs.value[k] >> 32));
        }
    }
    put(out, 0);
}

/* "B2" and "B3", then any digit, then '*' or 'R': gcc 12 and 13. */
static int is_known(const gcov_info *info) {
    uint32_t major = info->version >> 16;
    return major == 0x4232 || major == 0x4233;
}

int gcov_dump(int (*name)(void *user, const char *file),
              int (*write)(void *user, const void *data, size_t size), void *user) {
    gcov_out out;
    const gcov_info *info;
    int kind;
    out.write = write;
    out.user = user;
    out.failed = 0;
    for (info = first; info && !out.failed; info = info->next) {
        if (!is_known(info)) return -1;
        for (kind = 1; kind < KINDS; kind++)
            if (info->merge[kind]) return -1;
        out.failed = name(user, info->file);
        if (!out.failed) put_object(&out, info);
    }
    return out.failed ? -1 : 0;
}

void gcov_reset(void) {
    const gcov_info *info;
    uint32_t i, k;
    for (info = first; info; info = info->next)
        for (i = 0; i < info->function_count; i++) {
            const gcov_function *f = info->functions[i];
            for (k = 0; f && f->key == info && k < f->arcs.count; k++) f->arcs.value[k] = 0;
        }
}
