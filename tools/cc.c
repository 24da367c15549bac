/* cc.c - bursty cc: a compiler that puts checks or counters into what it compiles. */
#include "base/save.h"
#include "base/tool.h"
#include "cc/driver.h"
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bursty cc [OPTIONS] -- COMPILER ARGUMENTS       CC=\"bursty cc -- gcc\" make\n"
    "\n"
    "  Compiles C with a check in functions and loops, so that the program samples itself: it\n"
    "  leaves PROGRAM.brst, which bursty report shows. Messages, status and debug information are\n"
    "  those of the compiler alone. What cannot be rewritten is compiled as it is.\n"
    "\n"
    "  --cover[=FORM]    counts what runs instead: count (the default, 32 bits), count16,\n"
    "                    count64, bytes or bits (marks), mcdc or mcdc-bits (a mark for each run\n"
    "                    of a decision: MC/DC, too). The program appends to coverage.brst, or\n"
    "                    to the file that BURSTY_COVERAGE names; bursty report --lcov shows it\n"
    "  --atomic          counters that threads may share\n"
    "  --plan=FILE       what bursty place wrote for the whole program; a file that does not\n"
    "                    exist yet is no plan\n"
    "  --entries=SET     functions that get a check without a plan: safe (the default: those that\n"
    "                    other files or pointers can reach, and recursion), all, EL (all that\n"
    "                    call something), EN (none)\n"
    "  --loops=SET       L4 (the default: loops that call something or hold more than 4\n"
    "                    back-edges), L10, LK for any number K, all, LN (none)\n"
    "  --form=FORM       point (the default): a check. scope: entry and return of functions, too.\n"
    "                    dual: functions and loops in two copies, of which the second records\n"
    "                    functions and loops without a check, too\n"
    "  --keep-events     an entry without a check is still recorded inside of bursts\n"
    "  --only=PATTERN    only functions with such names (* and ?); may stand several times\n"
    "  --not=PATTERN     no functions with such names; may stand several times\n"
    "  --list=FILE       appends a line for each function that was left alone, and why, and for\n"
    "                    each file: all of C++ is left alone, and bursty place counts its files\n"
    "  --side            the call graph goes into OBJECT.burstycg and not into the object\n"
    "  --no-tls          one word for all threads, for targets without thread-local variables\n"
    "  --no-runtime      links nothing into the program\n"
    "  --dump=FILE       the name of the dump; at run time BURSTY_FILE names another\n"
    "  --every=N         checks between bursts (990); --burst=N  checks of a burst (10)\n";

typedef struct patterns {
    const char **list;
    size_t count;
} patterns;

static void add_pattern(patterns *p, const char *pattern) {
    p->list = (const char **)tool_grow((void *)p->list, (p->count + 2) * sizeof *p->list);
    p->list[p->count++] = pattern;
    p->list[p->count] = NULL;
}

/* A number of at most nine digits, or -1. */
static long number_of(const char *word) {
    long number = 0;
    size_t i;
    for (i = 0; word[i]; i++) {
        if (word[i] < '0' || word[i] > '9' || i == 9) return -1;
        number = number * 10 + (word[i] - '0');
    }
    return i ? number : -1;
}

static int set_entries(cc_choice *c, const char *value) {
    if (strcmp(value, "safe") == 0 || strcmp(value, "EC") == 0) c->entries = CC_ENTRIES_SAFE;
    else if (strcmp(value, "all") == 0) c->entries = CC_ENTRIES_ALL;
    else if (strcmp(value, "EL") == 0) c->entries = CC_ENTRIES_LEAF;
    else if (strcmp(value, "EN") == 0) c->entries = CC_ENTRIES_NONE;
    else return tool_error("cc: --entries=%s: safe, all, EL or EN", value);
    return TOOL_OK;
}

static int set_loops(cc_choice *c, const char *value) {
    long k = value[0] == 'L' ? number_of(value + 1) : -1;
    if (strcmp(value, "all") == 0) c->loops = CC_LOOPS_ALL;
    else if (strcmp(value, "LN") == 0) c->loops = CC_LOOPS_NONE;
    else if (k >= 0) c->loops = (int)k;
    else return tool_error("cc: --loops=%s: all, LN, or L and a number", value);
    return TOOL_OK;
}

static int set_rate(unsigned *rate, const char *name, const char *value) {
    long number = number_of(value);
    if (number < 1) return tool_error("cc: %s=%s: a number from 1 to 999999999", name, value);
    *rate = (unsigned)number;
    return TOOL_OK;
}

static int set_form(cc_choice *c, const char *value) {
    c->scope = strcmp(value, "scope") == 0;
    c->dual = strcmp(value, "dual") == 0;
    if (c->scope || c->dual || strcmp(value, "point") == 0) return TOOL_OK;
    return tool_error("cc: --form=%s: point, scope or dual", value);
}

static int check_name(const char *option, const char *value) {
    size_t i, size = strlen(value);
    for (i = 0; i < size && (unsigned char)value[i] >= 32; i++) {
    }
    if (size > 0 && i == size && value[size - 1] != '/') return TOOL_OK;
    return tool_error("cc: %s=%s: the name of a file is wanted", option, value);
}

static int read_value(tool_option *o, cc_driver *d, patterns *only, patterns *not_these) {
    static const char *const names[] = {"plan", "entries", "loops", "form", "only", "not",
                                        "list", "dump", "every", "burst"};
    const char *value;
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names && !tool_is(o, "--", names[i]); i++) {
    }
    if (i == sizeof names / sizeof *names) return tool_no_option(o, "cc");
    value = tool_value(o);
    if (!value) return TOOL_BAD_INPUT;
    switch (i) {
    case 0: d->plan = value; break;
    case 1: return set_entries(&d->choice, value);
    case 2: return set_loops(&d->choice, value);
    case 3: return set_form(&d->choice, value);
    case 4: add_pattern(only, value); break;
    case 5: add_pattern(not_these, value); break;
    case 6: d->list = value; return check_name("--list", value);
    case 7: d->naming.dump = value; return check_name("--dump", value);
    case 8: return set_rate(&d->naming.every, "--every", value);
    default: return set_rate(&d->naming.burst, "--burst", value);
    }
    return TOOL_OK;
}

static int set_cover(cc_driver *d, const char *value) {
    static const struct {
        const char *name;
        int bits, mcdc;
    } forms[] = {{"count", 32, 0}, {"count16", 16, 0}, {"count64", 64, 0}, {"bytes", 8, 0},
                 {"bits", 1, 0}, {"mcdc", 8, 1}, {"mcdc-bits", 1, 1}};
    size_t i;
    for (i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!value || strcmp(value, forms[i].name) == 0) {
            d->cover = forms[i].bits;
            d->mcdc = forms[i].mcdc;
            d->naming.cover = 1;
            return TOOL_OK;
        }
    }
    return tool_error("cc: --cover=%s: count, count16, count64, bytes, bits, mcdc or mcdc-bits",
                      value);
}

static int read_options(int argc, char **argv, cc_driver *d, patterns *only, patterns *not_these) {
    tool_option option;
    int status = TOOL_OK;
    tool_options(&option, argc, argv);
    while (status == TOOL_OK && tool_next(&option)) {
        if (tool_is(&option, "--", "cover")) status = set_cover(d, option.value);
        else if (tool_is(&option, "--", "atomic")) d->atomic = 1;
        else if (tool_is(&option, "--", "side")) d->side = 1;
        else if (tool_is(&option, "--", "no-tls")) d->choice.no_tls = 1;
        else if (tool_is(&option, "--", "no-runtime")) d->no_runtime = 1;
        else if (tool_is(&option, "--", "keep-events")) d->choice.keep_events = 1;
        else status = read_value(&option, d, only, not_these);
    }
    if (status == TOOL_OK && option.files > 0) {
        status = tool_error("cc: %s: the compiler stands behind --", argv[0]);
    }
    return status;
}

static int run(int argc, char **argv) {
    cc_driver d;
    patterns only = {NULL, 0}, not_these = {NULL, 0};
    int i, status;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    memset(&d, 0, sizeof d);
    d.choice.loops = 4;
    for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    }
    for (status = 1; status < i; status++) {
        d.options = cc_hash(argv[status], strlen(argv[status]) + 1, d.options);
    }
    status = read_options(i, argv, &d, &only, &not_these);
    d.choice.only = only.list;
    d.choice.not_these = not_these.list;
    if (status == TOOL_OK) {
        if (i + 1 >= argc) status = tool_error("cc: no compiler: bursty cc -- gcc ...");
        else status = cc_drive(&d, argc - i - 1, argv + i + 1);
    }
    free((void *)only.list);
    free((void *)not_these.list);
    return status;
}

const tool_command command_cc = {"cc", "a compiler that puts checks or counters into C", run};
