/* misses.c - bursty-lab misses: which functions and data of a recorded trace
   miss in caches of a few sizes; every access, or bursts. It is what
   `bursty record --misses` does, on a trace that can be looked at again. */
#include "record/inside/core/caches.c"
#include "record/inside/core/misses.c"
#include "base/save.h"
#include "base/tool.h"
#include "lab/sampler.h"
#include "lab/trace_refs.h"
#include "report/model/report.h"
#include "report/write/writers.h"
#include <stdlib.h>

static const char help[] =
    "usage: bursty-lab misses [OPTIONS] REFS [TABLE]         REFS may be -, standard input\n"
    "\n"
    "  --caches LIST      sizes, up to 4: 48k,2m\n"
    "  --symbols FILE     what `nm -S PROG` prints: names of functions and data\n"
    "  --base HEX         where PROG was loaded: 0 (RUN.base, for a recording of refs.c)\n"
    "  --lackey           REFS is what valgrind --tool=lackey --trace-mem=yes printed; it needs\n"
    "                     no TABLE\n"
    "  --every N          look only at bursts: N checks pass between two of them\n"
    "  --burst N          checks of a burst: a ninth of --every\n"
    "  --jitter PERCENT   vary --every by so much either way: 0\n"
    "  --seed N           of jitter: 1\n"
    "  --csv              all tables, comma-separated\n"
    "  --dump FILE        also write a .brst file for bursty report and merge\n"
    "\n"
    "  TABLE names the code and the address of each reference (docs/formats.md).\n";

typedef struct options {
    const char *refs, *table, *symbols, *dump;
    uint64_t base, every, burst, jitter, seed, sizes[CACHES_SIZES];
    int count, lackey, csv;
} options;

/* ---- symbols ---- */

typedef struct symbol {
    uint64_t low, bytes;
    const char *name;
} symbol;
typedef struct symbols {
    symbol *at;                     /* sorted by address */
    size_t count, room;
    unsigned char *text;            /* of the file */
} symbols;

static int by_address(const void *left, const void *right) {
    const symbol *a = (const symbol *)left, *b = (const symbol *)right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* A line is `address size letter name`; lines without a size are passed
   over. */
static int read_symbols(symbols *s, const char *path, uint64_t base) {
    size_t size, at = 0, line = 0;
    unsigned char *data = tool_read_file(path, NULL, &size);
    if (!data) return TOOL_BAD_INPUT;
    s->text = (unsigned char *)tool_alloc(size + 1);
    memcpy(s->text, data, size);
    s->text[size] = 0;
    free(data);
    while (at < size) {
        char *start = (char *)s->text + at, *end = strchr(start, '\n'), *rest, *name;
        symbol found;
        line++;
        if (end) *end = 0;
        at += strlen(start) + 1;
        found.low = base + strtoull(start, &rest, 16);
        if (!*start || *start == ' ') continue;
        if (rest == start || *rest != ' ')
            return tool_error("%s: line %llu: not a line of nm -S", path, (unsigned long long)line);
        found.bytes = strtoull(rest, &name, 16);
        if (*name != ' ' || !name[1] || name[2] != ' ' || !name[3] || !found.bytes) continue;
        found.name = name + 3;
        TOOL_ROOM(symbol, s->at, s->count, s->room);
        s->at[s->count++] = found;
    }
    if (s->count) qsort(s->at, s->count, sizeof *s->at, by_address);
    return TOOL_OK;
}

/* 1 + the number of the symbol that holds an address, or 0. */
static uint64_t symbol_at(const symbols *s, uint64_t address) {
    size_t lo = 0, hi = s->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (s->at[mid].low <= address) lo = mid + 1;
        else hi = mid;
    }
    return lo && address - s->at[lo - 1].low < s->at[lo - 1].bytes ? lo : 0;
}

static void charge_symbols(void *user, uint64_t site, uint64_t address, uint64_t *function,
                           uint64_t *object) {
    const symbols *s = (const symbols *)user;
    *function = symbol_at(s, site);
    *object = symbol_at(s, address);
}

static const char *name_of(void *user, uint32_t what, uint64_t number) {
    static char words[400];
    const symbols *s = (const symbols *)user;
    uint64_t in = number;
    if (what != MISSES_SITE) {
        if (number) return s->at[number - 1].name;
        return what == MISSES_OBJECT ? "(other memory)" : "(no symbol)";
    }
    in = symbol_at(s, number);
    if (in) snprintf(words, sizeof words, "%.300s+0x%llx", s->at[in - 1].name,
                     (unsigned long long)(number - s->at[in - 1].low));
    else snprintf(words, sizeof words, "0x%llx", (unsigned long long)number);
    return words;
}

/* ---- options ---- */

static int take_number(tool_option *option, int radix, uint64_t *out) {
    char *end;
    if (!tool_value(option)) return TOOL_BAD_INPUT;
    *out = strtoull(option->value, &end, radix);
    if (end == option->value || *end || *option->value == '-')
        return tool_error("%.*s: '%s' is not valid; bursty-lab misses --help tells more",
                          (int)option->name_size, option->name, option->value);
    return TOOL_OK;
}

static int take_option(options *o, tool_option *option) {
    if (tool_is(option, "--", "caches")) {
        if (!tool_value(option)) return TOOL_BAD_INPUT;
        o->count = tool_sizes("caches", option->value, o->sizes, CACHES_SIZES);
        return o->count ? TOOL_OK : TOOL_BAD_INPUT;
    }
    if (tool_is(option, "--", "symbols"))
        return (o->symbols = tool_value(option)) ? TOOL_OK : TOOL_BAD_INPUT;
    if (tool_is(option, "--", "dump"))
        return (o->dump = tool_value(option)) ? TOOL_OK : TOOL_BAD_INPUT;
    if (tool_is(option, "--", "base")) return take_number(option, 16, &o->base);
    if (tool_is(option, "--", "every")) return take_number(option, 10, &o->every);
    if (tool_is(option, "--", "burst")) return take_number(option, 10, &o->burst);
    if (tool_is(option, "--", "jitter")) return take_number(option, 10, &o->jitter);
    if (tool_is(option, "--", "seed")) return take_number(option, 10, &o->seed);
    if (tool_is(option, "--", "lackey")) o->lackey = 1;
    else if (tool_is(option, "--", "csv")) o->csv = 1;
    else return tool_no_option(option, "misses");
    return TOOL_OK;
}

static int parse(int argc, char **argv, options *o) {
    tool_option option;
    int status = TOOL_OK;
    memset(o, 0, sizeof *o);
    o->count = 2;
    o->sizes[0] = 48 << 10;
    o->sizes[1] = 2 << 20;
    o->seed = 1;
    tool_options_once(&option, argc, argv, "");
    while (status == TOOL_OK && tool_next(&option)) status = take_option(o, &option);
    if (status != TOOL_OK) return status;
    if (option.files == 0) return tool_no_input("misses", "REFS");
    if (option.files > 2)
        return tool_error("'%s': one trace and one table at a time", option.argv[2]);
    o->refs = option.argv[0];
    o->table = option.files == 2 ? option.argv[1] : NULL;
    if (!o->lackey && !o->table)
        return tool_error("%s: a TABLE is wanted, which has the addresses", o->refs);
    if (o->lackey && o->table) return tool_error("lackey's output has no table");
    if (!o->every && (o->burst || o->jitter))
        return tool_error("--%s needs --every", o->burst ? "burst" : "jitter");
    if (o->jitter > 100) return tool_error("--jitter: at most 100 percent");
    if (o->every > UINT32_MAX || o->burst > UINT32_MAX)
        return tool_error("--every and --burst: at most %lu", (unsigned long)UINT32_MAX);
    if (!o->burst) o->burst = o->every < 18 ? 1 : o->every / 9;
    return TOOL_OK;
}

/* ---- the trace ---- */

static int read_trace(const options *o, trace_refs *t, misses *m) {
    sampler s;
    int kind, on = 0, fresh = 0, status;
    uint32_t number = 0;
    sampler_start(&s, o->every, o->burst, (uint32_t)o->jitter, o->seed);
    for (;;) {
        status = trace_refs_next(t, &kind, &number);
        if (status != TOOL_OK || kind == TRACE_END) return status;
        if (o->every && (kind == TRACE_CALL || kind == TRACE_BACKEDGE)) {
            int was = on;
            on = sampler_check(&s, &fresh);
            if ((was && !on) || fresh) misses_burst(m);
            if (on && s.left == (o->burst > 1 ? o->burst / 2 : 1)) misses_middle(m);
        }
        if (kind != TRACE_REFERENCE || (o->every && !on)) continue;
        misses_access(m, t->rows[number].pc, t->rows[number].address, 1);
    }
}

static int append(void *user, const void *data, size_t size) {
    text_bytes((text *)user, data, size);
    return 0;
}

static int show(const options *o, const text *part) {
    text out = {NULL, 0, 0};
    input in;
    report told;
    int status;
    memset(&in, 0, sizeof in);
    memset(&told, 0, sizeof told);
    status = input_take(&in, "the misses", part);
    if (status != TOOL_OK) return status;
    input_settle(&in);
    told.title = text_clean(o->refs, strlen(o->refs));
    report_make(&told, &in);
    (o->csv ? &writer_csv : &writer_text)->write(&told, &out);
    report_free(&told);
    input_free(&in);
    status = text_save(&out, NULL, NULL, 0, 0);
    text_free(&out);
    return status;
}

static int run(int argc, char **argv) {
    options o;
    trace_refs trace;
    symbols known = {NULL, 0, 0, NULL};
    misses_about about;
    misses *m = NULL;
    text part = {NULL, 0, 0};
    const char *inputs[3];
    size_t bytes;
    int status;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    if ((status = parse(argc, argv, &o)) != TOOL_OK) return status;
    inputs[0] = o.refs;
    inputs[1] = o.table;
    inputs[2] = o.symbols;
    if ((status = save_check(NULL, o.dump, inputs, 3)) != TOOL_OK) return status;
    if (o.symbols) status = read_symbols(&known, o.symbols, o.base);
    if (status == TOOL_OK) status = trace_refs_open(&trace, o.refs, o.table, o.lackey);
    if (status == TOOL_OK) {
        bytes = misses_bytes(o.sizes, (uint32_t)o.count);
        m = misses_init(memset(tool_alloc(bytes), 0, bytes), o.sizes, (uint32_t)o.count,
                        o.every ? 0 : MISSES_WHOLE, charge_symbols, &known);
        status = read_trace(&o, &trace, m);
        if (o.every && m->at) misses_burst(m);
        trace_refs_close(&trace);
    }
    if (status == TOOL_OK) {
        memset(&about, 0, sizeof about);
        about.program = o.refs;
        about.every = (uint32_t)o.every;
        about.burst = o.every ? (uint32_t)o.burst : 0;
        about.name = name_of;
        about.user = &known;
        (void)misses_write(m, &about, append, &part);
        (void)misses_write_phases(m, &about, append, &part);
        status = show(&o, &part);
    }
    if (status == TOOL_OK && o.dump) status = text_save(&part, o.dump, inputs, 3, 1);
    text_free(&part);
    free(m);
    free(known.at);
    free(known.text);
    return status;
}

const tool_command lab_misses = {
    "misses", "which functions and data of recorded references miss in caches", run};
