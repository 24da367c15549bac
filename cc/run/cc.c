/* cc.c - bursty cc: a compiler that puts checks or counters into what it
   compiles. */
#include "base/save.h"
#include "base/hash.h"
#include "base/tool.h"
#include "cc/run/driver.h"
#include "cc/run/late.h"
#include "cc/run/masquerade.h"
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bursty cc [OPTIONS] -- COMPILER ARGUMENTS       CC=\"bursty cc -- gcc\" make\n"
    "       bursty cc --build-plugin [-- COMPILER]\n"
    "\n"
    "  Compiles C with a check in functions and loops, so that the program samples itself: it\n"
    "  leaves PROGRAM.brst, which bursty report shows. Messages, status and debug information are\n"
    "  those of the compiler alone. What cannot be rewritten is compiled as it is.\n"
    "\n"
    "  --build-plugin    builds a plugin for gcc, or for COMPILER, a gcc or clang, into the cache\n"
    "                    (BURSTY_CACHE, or ~/.cache/bursty). From then on C gets its checks behind\n"
    "                    the optimizer, and C++ gets checks, too: CXX=\"bursty cc -- g++\" make. Needs\n"
    "                    gcc-VERSION-plugin-dev of Debian, or llvm-VERSION-dev\n"
    "  --late            C gets its checks by the plugin, if it is built for the compiler, also with\n"
    "                    --entries=all or EL, --form=scope and --ticks, where a function that was\n"
    "                    inlined would be missed, and whatever the plan was made for\n"
    "  --no-late         C has its checks in source\n"
    "  --verbose         says of each file on standard error how it gets its checks\n"
    "  --cover[=FORM]    counts what runs instead: count (the default: 64 bits where\n"
    "                    pointers have them, else 32), count16, count32, count64, bytes or\n"
    "                    bits (marks), mcdc or mcdc-bits (a mark for each run of a decision:\n"
    "                    MC/DC, too). Each run is added to coverage.brst, or to the file that\n"
    "                    BURSTY_COVERAGE names; bursty report --lcov shows it. C++ is counted\n"
    "                    with 64 bits, by gcc 11 to 14 itself or in the text of clang from 13 on;\n"
    "                    it has no MC/DC\n"
    "  --trace           writes the path that runs instead: PROGRAM.trace, or what BURSTY_TRACE names,\n"
    "                    of at most 64 MiB, or BURSTY_TRACE_LIMIT; the last part of each thread is\n"
    "                    kept. bursty report PROGRAM.trace shows what ran last and hot paths. C on\n"
    "                    Linux by gcc or clang; C++ is left alone\n"
    "  --atomic          counters that threads may share, as with -pthread or -fopenmp; marks in\n"
    "                    bytes may be shared anyway\n"
    "  --no-exits        leaves out what finds calls that do not return (exit, longjmp, exec): code\n"
    "                    is as it was, and functions that are left so are refused by the report\n"
    "  --plan=FILE       what bursty place wrote for the whole program; a file that does not\n"
    "                    exist yet is no plan. With --cover: the coverage.brst of a run;\n"
    "                    counters of C then stand where that run passed least\n"
    "  --entries=SET     functions that get a check without a plan: safe or EC (the default:\n"
    "                    those that other files or pointers can reach, and recursion), all, EL\n"
    "                    (all that call something), EN (none)\n"
    "  --loops=SET       L4 (the default: loops that call something or hold more than 4\n"
    "                    back-edges), L10, LK for any number K, all, LN (none)\n"
    "  --form=FORM       point (the default): a check. scope: entry and return of functions, too.\n"
    "                    dual: functions and loops in two copies, of which the second records\n"
    "                    functions and loops without a check, too\n"
    "  --ticks           time, too: the report begins with it. --form=scope, since a tick is charged\n"
    "                    to the innermost function with a check. Without --plan and --entries\n"
    "                    each function that calls something or has a loop gets one\n"
    "  --keep-events     an entry without a check is still recorded inside of bursts (point,\n"
    "                    scope)\n"
    "  --only=PATTERN    only functions with such names (* and ?); may stand several times\n"
    "  --not=PATTERN     no functions with such names; may stand several times\n"
    "  --list=FILE       appends a line for each function that was left alone, and why, and for\n"
    "                    each file, as of C++; bursty place counts its files\n"
    "  --side            the call graph goes into OBJECT.burstycg and not into the object\n";
static const char more_help[] =
    "  --no-tls          one word for all threads, for targets without thread-local variables\n"
    "  --no-runtime      links nothing into the program\n"
    "  --dump=FILE       the name of the dump; at run time BURSTY_FILE names another\n"
    "  --every=N         checks between bursts (990)\n"
    "  --burst=N         checks of a burst (10)\n"
    "\n"
    "  A link to bursty that is named bursty-cc is `bursty cc --`. One that is named gcc-bursty, or\n"
    "  gcc in a folder in front of PATH, is `bursty cc -- gcc`; so it is with other compilers. The\n"
    "  environment variable BURSTY_CC then holds the options.\n"
    "\n"
    "  With --cover and --trace these are refused: --entries, --loops, --form, --ticks,\n"
    "  --keep-events, --side, --no-tls, --dump, --every, --burst. No option but --only and --not may stand twice.\n";

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

static int set_cover(cc_driver *d, const char *value) {
    static const struct {
        const char *name;
        int bits, mcdc;
    } forms[] = {{"count", CC_COVER_WORD, 0}, {"count16", 16, 0}, {"count32", 32, 0},
                 {"count64", 64, 0}, {"bytes", 8, 0}, {"bits", 1, 0}, {"mcdc", 8, 1},
                 {"mcdc-bits", 1, 1}};
    size_t i;
    for (i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!value || strcmp(value, forms[i].name) == 0) {
            d->cover = forms[i].bits;
            d->mcdc = forms[i].mcdc;
            d->naming.cover = 1;
            return TOOL_OK;
        }
    }
    return tool_error("cc: --cover=%s: count, count16, count32, count64, bytes, bits, mcdc or "
                      "mcdc-bits", value);
}

/* ---- options ---- */

enum { FOR_ALL, FOR_CHECKS, FOR_COVER, FOR_TRACE };

enum { BUILD_PLUGIN, LATE, NO_LATE, VERBOSE, TRACE, COVER, ATOMIC, NO_EXITS, PLAN, ENTRIES, LOOPS, FORM, TICKS, KEEP_EVENTS,
       ONLY, NOT_THESE, LIST, SIDE, NO_TLS, NO_RUNTIME, DUMP, EVERY, BURST, OPTIONS };

static const struct {
    const char *name;
    int is_for, with_value, many;
} rules[OPTIONS] = {
    {"build-plugin", FOR_ALL, 0, 0}, {"late", FOR_CHECKS, 0, 0},
    {"no-late", FOR_CHECKS, 0, 0}, {"verbose", FOR_ALL, 0, 0},
    {"trace", FOR_TRACE, 0, 0},
    {"cover", FOR_COVER, 0, 0},    {"atomic", FOR_COVER, 0, 0},
    {"no-exits", FOR_COVER, 0, 0},
    {"plan", FOR_ALL, 1, 0},       {"entries", FOR_CHECKS, 1, 0},
    {"loops", FOR_CHECKS, 1, 0},   {"form", FOR_CHECKS, 1, 0},
    {"ticks", FOR_CHECKS, 0, 0},
    {"keep-events", FOR_CHECKS, 0, 0}, {"only", FOR_ALL, 1, 1},
    {"not", FOR_ALL, 1, 1},        {"list", FOR_ALL, 1, 0},
    {"side", FOR_CHECKS, 0, 0},    {"no-tls", FOR_CHECKS, 0, 0},
    {"no-runtime", FOR_ALL, 0, 0}, {"dump", FOR_CHECKS, 1, 0},
    {"every", FOR_CHECKS, 1, 0},   {"burst", FOR_CHECKS, 1, 0},
};

typedef struct command_line {
    cc_driver *driver;
    patterns only, not_these;
    int given[OPTIONS];
} command_line;

static int has_pattern(const patterns *p, const char *pattern) {
    size_t i;
    for (i = 0; i < p->count; i++) {
        if (strcmp(p->list[i], pattern) == 0) return 1;
    }
    return 0;
}

static int set_pattern(command_line *l, int option, const char *pattern) {
    patterns *mine = option == ONLY ? &l->only : &l->not_these;
    const patterns *other = option == ONLY ? &l->not_these : &l->only;
    if (!*pattern)
        return tool_error("cc: --%s=: the name of a function is wanted", rules[option].name);
    if (has_pattern(mine, pattern))
        return tool_error("cc: --%s=%s is given twice", rules[option].name, pattern);
    if (has_pattern(other, pattern))
        return tool_error("cc: --only=%s and --not=%s contradict each other", pattern, pattern);
    add_pattern(mine, pattern);
    return TOOL_OK;
}

static int set_option(command_line *l, int option, const char *value) {
    cc_driver *d = l->driver;
    switch (option) {
    case BUILD_PLUGIN: break;
    case LATE: d->late = 1; break;
    case NO_LATE: d->late = -1; break;
    case VERBOSE: d->verbose = 1; break;
    case TRACE:
        d->trace = d->naming.trace = 1;
        d->cover = 64;
        break;
    case COVER: return set_cover(d, value);
    case ATOMIC: d->atomic = 1; break;
    case NO_EXITS: d->no_exits = 1; break;
    case PLAN: d->plan = value; return check_name("--plan", value);
    case ENTRIES: return set_entries(&d->choice, value);
    case LOOPS: return set_loops(&d->choice, value);
    case FORM: return set_form(&d->choice, value);
    case TICKS: d->naming.ticks = 1; break;
    case KEEP_EVENTS: d->choice.keep_events = 1; break;
    case LIST: d->list = value; return check_name("--list", value);
    case SIDE: d->side = 1; break;
    case NO_TLS: d->choice.no_tls = 1; break;
    case NO_RUNTIME: d->no_runtime = 1; break;
    case DUMP: d->naming.dump = value; return check_name("--dump", value);
    case EVERY: return set_rate(&d->naming.every, "--every", value);
    case BURST: return set_rate(&d->naming.burst, "--burst", value);
    default: return set_pattern(l, option, value);
    }
    return TOOL_OK;
}

static int read_option(command_line *l, tool_option *o) {
    int option = 0;
    while (option < OPTIONS && !tool_is(o, "--", rules[option].name)) option++;
    if (option == OPTIONS) return tool_no_option(o, "cc");
    if (rules[option].with_value && !tool_value(o)) return TOOL_BAD_INPUT;
    if (!rules[option].with_value && o->value && option != COVER)
        return tool_error("cc: --%s takes no value", rules[option].name);
    if (l->given[option]++ && !rules[option].many)
        return tool_error("cc: --%s is given twice", rules[option].name);
    return set_option(l, option, o->value);
}

/* Options that would change nothing beside the others. */
static int check_together(const command_line *l) {
    const cc_driver *d = l->driver;
    int i;
    for (i = 0; i < OPTIONS; i++) {
        if (!l->given[i]) continue;
        if (l->given[BUILD_PLUGIN] && i != BUILD_PLUGIN)
            return tool_error("cc: --%s changes nothing with --build-plugin", rules[i].name);
        if (rules[i].is_for == FOR_COVER && d->trace)
            return tool_error("cc: --%s changes nothing with --trace", rules[i].name);
        if (rules[i].is_for == FOR_CHECKS && d->cover)
            return tool_error("cc: --%s changes nothing with --%s", rules[i].name,
                              d->trace ? "trace" : "cover");
        if (rules[i].is_for == FOR_COVER && !d->cover)
            return tool_error("cc: --%s changes nothing without --cover", rules[i].name);
        if (i >= DUMP && d->no_runtime)
            return tool_error("cc: --%s changes nothing with --no-runtime", rules[i].name);
    }
    if (l->given[PLAN] && d->cover && (d->trace || d->mcdc || (d->cover > 0 && d->cover <= 8)))
        return tool_error("cc: --plan changes nothing with marks and traces");
    if (d->atomic && d->cover == 8)
        return tool_error("cc: --atomic changes nothing here: each mark is a byte of its own");
    if (l->given[LATE] && l->given[NO_LATE])
        return tool_error("cc: --late and --no-late contradict each other");
    if (d->late && (d->choice.dual || d->choice.keep_events))
        return tool_error("cc: --%s changes nothing with --form=dual or --keep-events",
                          d->late > 0 ? "late" : "no-late");
    if (l->given[TICKS] && l->given[FORM] && !d->choice.scope)
        return tool_error("cc: --ticks wants --form=scope");
    if (l->given[TICKS] && d->no_runtime)
        return tool_error("cc: --ticks changes nothing with --no-runtime");
    if (d->choice.keep_events && d->choice.dual)
        return tool_error("cc: --keep-events changes nothing with --form=dual");
    return TOOL_OK;
}

static int read_options(int argc, char **argv, command_line *l) {
    tool_option option;
    int status = TOOL_OK;
    tool_options(&option, argc, argv);
    while (status == TOOL_OK && tool_next(&option)) status = read_option(l, &option);
    if (status == TOOL_OK && option.files > 0) {
        status = tool_error("cc: %s: write the compiler after --", argv[0]);
    }
    return status == TOOL_OK ? check_together(l) : status;
}

static int run(int argc, char **argv) {
    cc_driver d;
    command_line line;
    int i, status;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        fputs(more_help, stdout);
        return TOOL_OK;
    }
    memset(&d, 0, sizeof d);
    memset(&line, 0, sizeof line);
    line.driver = &d;
    d.choice.loops = 4;
    for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    }
    for (status = 1; status < i; status++) {
        d.options = hash_fnv(argv[status], strlen(argv[status]) + 1, d.options);
    }
    status = read_options(i, argv, &line);
    if (d.naming.ticks) {
        d.choice.scope = d.choice.ticks = 1;
        if (!line.given[ENTRIES]) d.choice.entries = CC_ENTRIES_TIME;
    }
    d.choice.only = line.only.list;
    d.choice.not_these = line.not_these.list;
    if (status == TOOL_OK) {
        if (line.given[BUILD_PLUGIN]) {
            if (i + 1 < argc) cc_leave_masquerade(argv[i + 1]);
            status = cc_late_build(argc - i - 1, argv + i + 1);
        } else if (i + 1 >= argc) status = tool_error("cc: no compiler: bursty cc -- gcc ...");
        else {
            cc_leave_masquerade(argv[i + 1]);
            status = cc_drive(&d, argc - i - 1, argv + i + 1);
        }
    }
    free((void *)line.only.list);
    free((void *)line.not_these.list);
    return status;
}

const tool_command command_cc = {"cc", "a compiler that puts checks or counters into C and C++", run};
