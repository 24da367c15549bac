/* record.c - bursty record: runs a program with the recorder preloaded
   (record/inside/preload/patch.c). */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "base/dump.h"
#include "base/save.h"
#include "base/tool.h"
#include "report/kinds/ends.h"
#include "report/kinds/timeline.h"
#include "record/tool/places.h"
#include <string.h>

/* One screen. */
static const char help[]
    = "usage: bursty record [OPTIONS] [--] PROG [ARG ...]\n"
      "       bursty record -p PID [--seconds N] [--ticks HZ] [-o FILE]\n"
      "\n"
      "  Runs PROG, an x86-64 program as it is installed, and says where its time went. Its\n"
      "  output, exit status and signals are its own. `bursty report FILE` shows all.\n"
      "\n"
      "What is recorded, several together if you like; time if nothing else is asked for:\n"
      "  --time             CPU time. Alone it changes nothing of the program: looks come from outside\n"
      "  --lines            time by source line, and of what was inlined there\n"
      "  --calls, --edges   calls in their contexts; callers with what they call (samples)\n"
      "  --footprint        how much data a window of the run touches (samples)\n"
      "  --refs             data references that come back in the same order (samples)\n"
      "  --misses           which functions and data miss in the caches (samples); with --calls which\n"
      "                     contexts, too\n"
      "  --sharing          which data threads take from one another: false sharing (samples)\n"
      "  --interleave       how the accesses of threads follow one another (all of them)\n"
      "  --profile LIST     the same by name: hcct, methods, pairs, footprint, streams, misses,\n"
      "                     sharing, interleave\n"
      "\n"
      "  --frames FUNCTION  beside the time: its calls are frames, or requests, and the report\n"
      "                     says what slow ones do more (up to 8 times)\n"
      "  --slow MS          what takes longer is slow; else the slowest 5 %\n"
      "\n"
      "  -o FILE            where to write: bursty.brst\n"
      "  -p PID, --seconds N   time of a process that runs, for so long: 10. It is not changed\n"
      "  --outside, --inside   time alone: by the kernel's events, or not at all; by a timer of a\n"
      "                     recorder in the program. Else the first where the system lets us\n"
      "  --follow           children too, each into FILE.PID\n"
      "  --only PATTERN, --not PATTERN   functions by name (* and ?), up to 16 times each,\n"
      "                     as the report shows it or as the linker has it\n"
      "  --ticks HZ         looks in a second of CPU time: 1000 from outside, 250 inside\n"
      "  --timeline N       so many ticks at most have their moment, for --from and --to of\n"
      "                     `bursty report`: 65536; 0: none\n"
      "  --every N, --burst N   checks between two bursts: 9900 (0: no gaps); of a burst: 100\n"
      "  --jitter PERCENT, --seed N   by how much --every varies: 80;\n"
    "      N makes a run's sample again (the report has its seed); else each run draws one\n"
      "  --caches LIST      sizes for --misses, up to 4, as in 48k,2m,32m: this machine's caches\n"
      "  --streams N        room for so many streams of --refs in each thread: 512\n"
      "  --per-second N     so many bursts a second in each thread; --every is the first gap\n"
      "  --reenable K       of --calls: a stack that had a burst has one in K, which counts\n"
      "                     as K; 0: none\n"
      "  --events KIND      calls, refs or blocks beside what the profiles need\n"
      "  --boring K         no checks in loops with at most K operands: 4; 0: in none\n"
      "  --all-checks       eliminate no check\n"
      "  --off, --signal N  start switched off; this signal switches on and off\n"
      "  --no-keep          keep nothing for the case that the program is killed\n"
      "  --no-cache         find all out anew: nothing of ~/.cache/bursty (start-up of --calls)\n"
      "  --quiet, --stats   faults alone; what was patched, what was refused and why\n";

#if defined(__linux__) && defined(__x86_64__)
#include "../x86/x86.h"
#include "record/options.h"
#include "record/inside/preload/keep.h"
#include "attach.h"
#include "base/cache.h"
#include "base/debugfile.h"
#include "base/demangle.h"
#include "base/elf.h"
#include "base/glob.h"
#include "base/symbols.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

extern const tool_command command_report;

typedef struct record_options {
    record_wishes w;                /* what the recorder is told */
    unsigned pid, seconds;          /* of -p; 0: a program is started */
    int way;                        /* of time alone: WAY_..., as it was asked for */
    int tries;                      /* looks from outside come first */
    unsigned outside_ticks;         /* in a second, by them */
    unsigned timeline;              /* of them, so many with their moment; 0: none */
    int timeline_said;
    const char *not_outside;        /* why the system forbids them */
    const char *inside_for;         /* what needs a recorder in the program; NULL: nothing does */
    int no_cache;
    const char *name;               /* of the output, as it was given */
    int stats, quiet;
    ino_t inode;                    /* of FILE.new */
    time_t began;
    const char *program;
    int file;                       /* the program, which may be gone in the end */
} record_options;

enum { WAY_ANY, WAY_OUTSIDE, WAY_INSIDE };

enum {
    DEFAULT_TICKS = 250, OUTSIDE_TICKS = 1000, MISSES_EVERY = 2450000, MISSES_BURST = 50000,
    SHARING_EVERY = 490000, SHARING_BURST = 10000,
    CACHE_BYTES = 1 << 26,          /* the folder of --calls' start */
    TIMELINE_LEAST = 100, TIMELINE_MOST_OPTION = 1 << 22
};

/* The file that a shell would start, or NULL after a message. */
static const char *find_program(const char *name, char *path, size_t size) {
    const char *list = getenv("PATH");
    struct stat s;
    if (strchr(name, '/')) return name;
    for (list = list ? list : "/usr/bin:/bin"; *list;) {
        size_t n = strcspn(list, ":");
        if (n + strlen(name) + 2 < size) {
            sprintf(path, "%.*s%s%s", (int)n, list, n ? "/" : "", name);
            if (stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0) return path;
        }
        list += n + (list[n] == ':');
    }
    if (stat(name, &s) == 0 && S_ISREG(s.st_mode))
        tool_error("%s: there is no such program in PATH; did you mean ./%s?", name, name);
    else tool_error("%s: there is no such program", name);
    return NULL;
}

/* Splits the first line of a script, as the system does, into the interpreter
   and what is handed to it as one argument, "" if there is none. Changes the
   line. */
static char *split_script(char *line, char **argument) {
    char *name = line + 2, *end;
    name[strcspn(name, "\n")] = 0;
    name += strspn(name, " \t");
    end = name + strcspn(name, " \t");
    *argument = end + strspn(end, " \t");
    *end = 0;
    end = *argument + strlen(*argument);
    while (end > *argument && (end[-1] == ' ' || end[-1] == '\t')) *--end = 0;
    return name;
}

/* `#!/usr/bin/env NAME` becomes NAME, and the recorder would be gone. Is it
   that? */
static int is_env(const char *name, const char *argument) {
    const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    return !strcmp(base, "env") && *argument && *argument != '-' && !strpbrk(argument, "= \t");
}

/* A file that may not be executed. Of a script the interpreter can be recorded
   all the same. */
static int refuse_access(const char *path, unsigned char *head, size_t got) {
    char *argument, *name;
    int why = errno;
    head[got] = 0;
    if (head[0] == '#' && head[1] == '!') {
        name = split_script((char *)head, &argument);
        if (*name)
            return tool_error("%s: it may not be executed; record its interpreter: -- %s %s", path,
                              is_env(name, argument) ? argument : name, path);
    }
    errno = why;
    return tool_system_error(path);
}

/* The runtimes of sanitizers. Those of -fsanitize=address, thread, memory and
   hwaddress want to be the first library, and lay out memory by rules of their
   own. The one of -fsanitize=leak is a library of gcc's, which may come later;
   clang puts it into the program, and it waits for ever for the recorder's
   timers. Returns what the program was compiled with, or NULL. */
static const char *sanitizer_of(elf_file *e) {
    static const struct { const char *symbol, *name; int only_inside; } all[]
        = {{"__asan_init", "address", 0},
           {"__tsan_init", "thread", 0},
           {"__msan_init", "memory", 0},
           {"__hwasan_init", "hwaddress", 0},
           {"__lsan_init", "leak", 1}};
    elf_section table, names;
    dump_fault fault;
    uint64_t n, k, w;
    if (elf_find_sections(e, &fault) != 0) return NULL;
    for (n = 0; n < e->section_count; n++) {
        if (elf_get_section(e, n, &table, &fault) != 0) return NULL;
        if (table.type != ELF_DYNAMIC_SYMBOLS) continue;
        if (elf_get_section(e, table.link, &names, &fault) != 0) return NULL;
        if (!elf_holds(e, table.offset, table.size)) return NULL;
        for (k = 0; k + 24 <= table.size; k += 24) {
            size_t at = (size_t)(table.offset + k);
            uint64_t name = elf_number(e, at, 4);
            for (w = 0; w < sizeof all / sizeof *all; w++) {
                if (all[w].only_inside && !elf_number(e, at + 6, 2)) continue;
                if (elf_name_is(e, &names, name, all[w].symbol)) return all[w].name;
            }
        }
    }
    return NULL;
}

/* The whole of an ELF file is there, in the file's pages. */
static int check_elf(const char *path, const unsigned char *data, size_t size, int depth,
                     int outside) {
    elf_file e;
    elf_segment p;
    dump_fault fault;
    const char *sanitizer;
    uint64_t n;
    if (!elf_is(data, size) || elf_begin(&e, data, size, &fault) != 0)
        return tool_error("%s: this is not an ELF program; a script without #! wants its "
                          "interpreter before it, such as -- /bin/sh %s",
                          path, path);
    if (!e.is_64 || e.machine != ELF_X86_64)
        return tool_error("%s: this is not an x86-64 program of 64 bits", path);
    for (n = 0; elf_get_segment(&e, n, &p) == 0; n++) {
        if (p.type == ELF_LOAD && !elf_holds(&e, p.offset, p.size))
            return tool_error("%s: the file is cut short", path);
    }
    if (outside) return TOOL_OK;
    sanitizer = sanitizer_of(&e);
    if (sanitizer)
        return tool_error("%s: it was compiled with -fsanitize=%s, whose runtime wants to come "
                          "before all other libraries: record a build without it",
                          path, sanitizer);
    for (n = 0; elf_get_segment(&e, n, &p) == 0; n++) {
        char loader[256];
        if (p.type != ELF_INTERPRETER || p.size >= sizeof loader) continue;
        if (!elf_holds(&e, p.offset, p.size)) break;
        memset(loader, 0, sizeof loader);
        memcpy(loader, data + p.offset, (size_t)p.size);
        return strstr(loader, "ld-linux-x86-64")
                   ? TOOL_OK
                   : tool_error("%s: its loader is %s, not glibc's", path, loader);
    }
    return tool_error("%s: it is statically linked, so that nothing can be preloaded; %s", path,
                      depth ? "record the script with another interpreter: -- INTERPRETER SCRIPT"
                            : "--outside records its time; for the rest "
                              "link it without -static, or compile it with one of the recorders "
                              "of docs/hcct.md");
}

/* Says why this file cannot be recorded. 0: it can. A script is judged by its
   interpreter. */
static int check_program(const char *path, int depth, int outside) {
    unsigned char head[4096];
    struct stat s;
    int file = open(path, O_RDONLY | O_CLOEXEC), status;
    ssize_t got;
    if (file < 0) return tool_system_error(path);
    got = fstat(file, &s) == 0 && S_ISREG(s.st_mode) ? pread(file, head, sizeof head - 1, 0) : -1;
    if (got < 2) status = tool_error("%s: this is not a program", path);
    else if (access(path, X_OK) != 0) status = refuse_access(path, head, (size_t)got);
    else if (s.st_mode & (S_ISUID | S_ISGID) || getxattr(path, "security.capability", NULL, 0) > 0)
        status = tool_error("%s: it runs with other rights (setuid, setgid or capabilities), which "
                            "a recorder would lose",
                            path);
    else if (head[0] == '#' && head[1] == '!' && depth < 4) {
        char *argument, *name = (head[got] = 0, split_script((char *)head, &argument));
        char found[4200];
        const char *judged = is_env(name, argument) ? find_program(argument, found, sizeof found)
                                                    : name;
        status = judged ? check_program(judged, depth + 1, outside) : TOOL_BAD_INPUT;
    } else {
        size_t size = (size_t)s.st_size;
        void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        status = data == MAP_FAILED ? tool_system_error(path)
                                    : check_elf(path, (const unsigned char *)data, size, depth,
                                                outside);
        if (data != MAP_FAILED) munmap(data, size);
    }
    close(file);
    return status;
}

static int number(const char *said, unsigned long max, unsigned *out) {
    char *end;
    unsigned long value;
    if (!said) return TOOL_BAD_INPUT;
    value = strtoul(said, &end, 10);
    if (!*said || *end || *said == '-' || value > max)
        return tool_error("%s is not a number from 0 to %lu", said, max);
    *out = (unsigned)value;
    return 0;
}

/* The programs that we link read the same variable. */
static int seed_of_environment(unsigned *out) {
    const char *said = getenv("BURSTY_SEED");
    if (!said || !*said) return 0;
    return number(said, 0xFFFFFFFF, out) == 0 ? 0 : tool_error("it is BURSTY_SEED");
}

/* With a fraction, from a microsecond to an hour. */
static int milliseconds(const char *said, unsigned *us) {
    char *end;
    double value;
    if (!said) return TOOL_BAD_INPUT;
    value = strtod(said, &end);
    if (!*said || *end || !(value >= .001 && value <= 3600000))
        return tool_error("--slow %s: this is not a number of milliseconds from 0.001 to 3600000",
                          said);
    *us = (unsigned)(value * 1000 + .5);
    return 0;
}

static int words(const char *said, const char *const *names, const unsigned *bits, unsigned *out) {
    unsigned n;
    size_t size;
    for (*out = 0; said && *said; said += size + (said[size] == ',')) {
        size = strcspn(said, ",");
        for (n = 0; names[n] && (strlen(names[n]) != size || strncmp(names[n], said, size) != 0);
             n++) {
        }
        if (!names[n])
            return tool_error("there is no %.*s; bursty record --help lists what there is",
                              (int)size, said);
        *out |= bits[n];
    }
    if (said && !*out)
        return tool_error("an empty list says nothing; bursty record --help lists what there is");
    return said ? 0 : TOOL_BAD_INPUT;
}

/* A signal that a program can catch and does not get by its own fault. */
static int toggle_signal(const char *said, uint32_t *signal_to) {
    unsigned signal_number = 0;
    if (number(said, 64, &signal_number) != 0) return TOOL_BAD_INPUT;
    switch (signal_number) {
    case SIGKILL:
    case SIGSTOP:
    case 32:                                              /* glibc's own */
    case 33: return tool_error("signal %u cannot be caught", signal_number);
    case SIGILL:
    case SIGTRAP:
    case SIGBUS:
    case SIGFPE:
    case SIGSEGV:
        return tool_error("signal %u is a fault of the program: take another one, such as %d",
                          signal_number, SIGUSR2);
    default: break;
    }
    *signal_to = signal_number;
    return 0;
}

static int take_pattern(char *list, const char *option, const char *pattern, unsigned most) {
    enum { ROOM = sizeof ((record_wishes *)0)->only };
    size_t i, lines = 0, size = strlen(list);
    if (!pattern) return TOOL_BAD_INPUT;
    if (!*pattern || strchr(pattern, '\n'))
        return tool_error("--%s wants a %s", option, most == 16 ? "pattern" : "function");
    for (i = 0; i < size; i++) lines += list[i] == '\n';
    if (lines == most) return tool_error("--%s stands more than %u times", option, most);
    if (size + strlen(pattern) > 1000)
        return tool_error("--%s: the patterns are longer than 1000 characters", option);
    snprintf(list + size, ROOM - size, "%.1000s\n", pattern);
    return 0;
}

/* ---- caches ---- */

enum { SIZES_MOST = 4 };

static void add_cache(char *list, uint64_t bytes, const char *label) {
    enum { ROOM = sizeof ((record_wishes *)0)->caches };
    size_t size = strlen(list);
    snprintf(list + size, ROOM - size, "%llu=%.7s ", (unsigned long long)bytes, label);
}

static int take_caches(char *list, const char *said) {
    uint64_t sizes[SIZES_MOST];
    int count = said ? tool_sizes("caches", said, sizes, SIZES_MOST) : 0, n;
    *list = 0;
    for (n = 0; n < count; n++) add_cache(list, sizes[n], "-");
    return count ? 0 : TOOL_BAD_INPUT;
}

/* The first word of a file of the system. */
static int read_word(int index, const char *name, char *word, size_t size) {
    char path[128];
    FILE *file;
    int got;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name);
    file = fopen(path, "r");
    if (!file) return 0;
    got = fgets(word, (int)size, file) != NULL;
    fclose(file);
    word[got ? strcspn(word, "\n") : 0] = 0;
    return got;
}

/* Data caches of the first processor, or sizes that are usual. */
static void find_caches(char *list) {
    char word[32], label[16];
    uint64_t before = 0;
    int index, count = 0, level;
    for (level = 1; level <= SIZES_MOST; level++) {
        for (index = 0; index < 16; index++) {
            char *unit;
            uint64_t bytes;
            if (!read_word(index, "level", word, sizeof word)) break;
            if (atoi(word) != level || !read_word(index, "type", word, sizeof word)
                || word[0] == 'I' || !read_word(index, "size", word, sizeof word))
                continue;
            bytes = strtoul(word, &unit, 10);
            if (*unit == 'K') bytes <<= 10;
            if (*unit == 'M') bytes <<= 20;
            if (bytes / 64 <= before / 64 || bytes > UINT64_C(1) << 32) continue;
            snprintf(label, sizeof label, level == 1 ? "L%dd" : "L%d", level);
            add_cache(list, bytes, label);
            before = bytes;
            count++;
        }
    }
    if (count) return;
    add_cache(list, 32 << 10, "-");
    add_cache(list, 1 << 20, "-");
    add_cache(list, 32 << 20, "-");
}

/* An option that only bursts have a use for asks for --calls, if nothing else
   is asked for. */
static int shapes_bursts(const tool_option *option) {
    static const char *const names[] = {"every",  "burst", "jitter", "per-second", "events",
                                        "boring", "seed",  "signal", "all-checks",
                                        "reenable", NULL};
    int n;
    for (n = 0; names[n]; n++) {
        if (tool_is(option, "--", names[n])) return 1;
    }
    return 0;
}

/* Which option needs a recorder in the program; NULL if time alone is recorded. */
static const char *what_is_inside(const record_options *o) {
    if (*o->w.frames) return "--frames";
    if (*o->w.only) return "--only";
    if (*o->w.not_these) return "--not";
    if (o->w.off) return "--off";
    if (o->stats) return "--stats";
    return o->w.all_checks ? "--all-checks" : NULL;
}

static int read_options(record_options *o, int argc, char **argv) {
    static const char *const profile_names[]
        = {"hcct", "footprint", "methods", "pairs", "streams", "misses", "sharing",
           "interleave", NULL};
    static const unsigned profile_bits[]
        = {PROFILE_HCCT,  PROFILE_FOOTPRINT, PROFILE_METHODS,
           PROFILE_PAIRS, PROFILE_STREAMS,   PROFILE_MISSES,
           PROFILE_SHARING, PROFILE_INTERLEAVE};
    static const char *const event_names[] = {"calls", "refs", "blocks", NULL};
    static const unsigned event_bits[] = {X86_ENTRY | X86_EXIT, X86_LOAD | X86_STORE, X86_BLOCK};
    tool_option option;
    const char *value;
    unsigned profiles = 0;
    int bad = 0, boring_said = 0, ticks_said = 0, time_said = 0, shaped = 0;
    int every_said = 0, seconds_said = 0;
    memset(o, 0, sizeof *o);
    o->w.every = 9900;
    o->w.burst = 100;
    o->w.jitter = 80; /* else loops keep step with bursts */
    o->w.boring = 4;
    o->seconds = 10;
    o->timeline = TIMELINE_MOST;
    o->name = "bursty.brst";
    bad = seed_of_environment(&o->w.seed);
    tool_options(&option, argc, argv);
    while (!bad && tool_next(&option)) {
        shaped |= shapes_bursts(&option);
        if (tool_is(&option, "--", "stats")) o->stats = 1;
        else if (tool_is(&option, "--", "time")) time_said = 1;
        else if (tool_is(&option, "--", "lines")) o->w.lines = 1;
        else if (tool_is(&option, "--", "calls")) profiles |= PROFILE_HCCT;
        else if (tool_is(&option, "--", "edges")) profiles |= PROFILE_PAIRS;
        else if (tool_is(&option, "--", "refs")) profiles |= PROFILE_STREAMS;
        else if (tool_is(&option, "--", "misses")) profiles |= PROFILE_MISSES;
        else if (tool_is(&option, "--", "sharing")) profiles |= PROFILE_SHARING;
        else if (tool_is(&option, "--", "interleave")) profiles |= PROFILE_INTERLEAVE;
        else if (tool_is(&option, "--", "caches")) {
            bad = take_caches(o->w.caches, tool_value(&option));
            profiles |= PROFILE_MISSES;
        }
        else if (tool_is(&option, "--", "streams")) {
            bad = number(tool_value(&option), OPTIONS_STREAMS_MOST, &o->w.streams);
            if (!bad && !o->w.streams) bad = tool_error("--streams wants at least 1");
            profiles |= PROFILE_STREAMS;
        }
        else if (tool_is(&option, "--", "footprint")) profiles |= PROFILE_FOOTPRINT;
        else if (tool_is(&option, "--", "quiet")) o->quiet = 1;
        else if (tool_is(&option, "--", "outside")) o->way = WAY_OUTSIDE;
        else if (tool_is(&option, "--", "inside")) o->way = WAY_INSIDE;
        else if (tool_is(&option, "--", "follow")) o->w.follow = 1;
        else if (tool_is(&option, "--", "off")) o->w.off = 1;
        else if (tool_is(&option, "--", "all-checks")) o->w.all_checks = 1;
        else if (tool_is(&option, "--", "no-keep")) o->w.no_keep = 1;
        else if (tool_is(&option, "--", "no-cache")) o->no_cache = 1;
        else if (tool_is(&option, "--", "every")) {
            bad = number(tool_value(&option), 1u << 29, &o->w.every);
            every_said = 1;
        } else if (tool_is(&option, "--", "burst")) {
            bad = number(tool_value(&option), 1u << 29, &o->w.burst);
            every_said = 1;
        }
        else if (tool_is(&option, "--", "jitter"))
            bad = number(tool_value(&option), 100, &o->w.jitter);
        else if (tool_is(&option, "--", "boring")) {
            bad = number(tool_value(&option), 1000, &o->w.boring);
            boring_said = 1;
        } else if (tool_is(&option, "--", "ticks")) {
            bad = number(tool_value(&option), 10000, &o->w.ticks);
            ticks_said = 1;
        } else if (tool_is(&option, "--", "timeline")) {
            bad = number(tool_value(&option), TIMELINE_MOST_OPTION, &o->timeline);
            if (!bad && o->timeline && o->timeline < TIMELINE_LEAST)
                bad = tool_error("--timeline wants 0, or at least %d", TIMELINE_LEAST);
            o->timeline_said = 1;
        } else if (tool_is(&option, "--", "per-second"))
            bad = number(tool_value(&option), 1000000, &o->w.per_second);
        else if (tool_is(&option, "--", "reenable")) {
            bad = number(tool_value(&option), 1u << 20, &o->w.reenable);
            o->w.reenable++;
        } else if (tool_is(&option, "--", "seed"))
            bad = number(tool_value(&option), 0xFFFFFFFF, &o->w.seed);
        else if (tool_is(&option, "--", "profile"))
            bad = words(tool_value(&option), profile_names, profile_bits, &o->w.profiles);
        else if (tool_is(&option, "--", "events"))
            bad = words(tool_value(&option), event_names, event_bits, &o->w.events);
        else if (tool_is(&option, "--", "only"))
            bad = take_pattern(o->w.only, "only", tool_value(&option), 16);
        else if (tool_is(&option, "--", "not"))
            bad = take_pattern(o->w.not_these, "not", tool_value(&option), 16);
        else if (tool_is(&option, "--", "frames"))
            bad = take_pattern(o->w.frames, "frames", tool_value(&option), 8);
        else if (tool_is(&option, "--", "slow"))
            bad = milliseconds(tool_value(&option), &o->w.slow_us);
        else if (tool_is(&option, "--", "signal"))
            bad = toggle_signal(tool_value(&option), &o->w.signal);
        else if (tool_is(&option, "-", "p")) {
            bad = number(tool_value(&option), INT_MAX, &o->pid);
            if (!bad && !o->pid) bad = tool_error("-p wants the number of a process");
        } else if (tool_is(&option, "--", "seconds")) {
            bad = number(tool_value(&option), 1000000, &o->seconds);
            seconds_said = 1;
            if (!bad && !o->seconds) bad = tool_error("--seconds wants at least 1");
        } else if (tool_is(&option, "-", "o")) {
            value = tool_value(&option);
            bad = !value;
            if (value && (strlen(value) >= sizeof o->w.output - 64 || !*value))
                bad = tool_error("the name of the output is too long or empty");
            else if (value) o->name = value;
        } else bad = tool_no_option(&option, "record");
    }
    if (!bad && option.files)
        bad = tool_error("record: an option is not understood; bursty record --help lists them");
    if (!bad && seconds_said && !o->pid)
        bad = tool_error("--seconds says how long -p looks at a process; a program runs to its end");
    if (!bad && o->pid && o->way) bad = tool_error("-p looks from outside always");
    o->inside_for = profiles || o->w.profiles || shaped || (ticks_said && !o->w.ticks)
                        ? "what is recorded"
                        : what_is_inside(o);
    if (!bad && o->pid
        && (o->inside_for || o->w.follow || o->w.no_keep || o->no_cache))
        bad = tool_error("-p records time alone, with --seconds, --ticks, --lines, -o and --quiet: "
                         "for the rest the program must be started by bursty record");
    if (!bad && o->way == WAY_OUTSIDE && o->inside_for)
        bad = tool_error("--outside records time alone, with --lines, --follow, --ticks, -o and "
                         "--quiet: for the rest something must be preloaded, so leave it out");
    if (!bad && o->w.lines && ticks_said && !o->w.ticks)
        bad = tool_error("--ticks 0 leaves no time to --lines");
    if (!bad && o->w.lines
        && (profiles || o->w.profiles || shaped || *o->w.only || *o->w.not_these))
        bad = tool_error("--lines goes with --time, --ticks and --frames alone: code that is changed "
                         "to count runs at other places, so record calls, edges and references in "
                         "a run of their own");
    if (!bad && !o->w.burst) bad = tool_error("--burst wants at least 1");
    o->w.profiles |= profiles;
    if (o->w.profiles & PROFILE_INTERLEAVE) {
        if (!bad && every_said && o->w.every)
            bad = tool_error("--interleave wants every access of all threads: leave --every out");
        o->w.every = 0;
        every_said = 1;
    }
    if (o->w.profiles & PROFILE_OBJECTS) {
        /* A burst that fills a cache; loops without a check would fill the buffer. */
        if (!every_said) {
            o->w.every = o->w.profiles & PROFILE_MISSES ? MISSES_EVERY : SHARING_EVERY;
            o->w.burst = o->w.profiles & PROFILE_MISSES ? MISSES_BURST : SHARING_BURST;
        }
        if (!boring_said) o->w.all_checks = 1;
        if (o->w.profiles & PROFILE_MISSES && !*o->w.caches) find_caches(o->w.caches);
    }
    if (!o->w.every) {
        o->w.every = 0xFFFFFFFF;
        if (!boring_said) o->w.all_checks = 1;
    }
    if (!bad && time_said && ticks_said && !o->w.ticks)
        bad = tool_error("--ticks 0 leaves no time to --time");
    if (!bad && o->w.slow_us && !*o->w.frames)
        bad = tool_error("--slow is about frames: --frames FUNCTION says which");
    if (!bad && *o->w.frames && ticks_said && !o->w.ticks)
        bad = tool_error("--ticks 0 leaves nothing to say of what --frames finds slow");
    if (!bad && *o->w.frames && (o->w.profiles || shaped))
        bad = tool_error("--frames goes with --time, --ticks, --only and --not alone: record "
                         "calls, edges and references in a run of their own");
    if (!o->w.profiles && (shaped || (ticks_said && !o->w.ticks))) o->w.profiles = PROFILE_HCCT;
    if (!o->w.profiles) {
        o->w.off = o->w.looks = 1;
        o->w.seed = 0;                  /* it would say of two runs that they are one sample */
    }
    if (!o->w.profiles && !o->inside_for && o->way == WAY_ANY) o->tries = 1;
    if (o->way == WAY_OUTSIDE) o->tries = 1;
    if (!ticks_said && (time_said || !o->w.profiles)) {
        o->w.ticks = DEFAULT_TICKS;
        o->outside_ticks = o->pid ? DEFAULT_TICKS : OUTSIDE_TICKS;
    } else o->outside_ticks = o->w.ticks;
    if (!bad && o->w.reenable && o->w.profiles != PROFILE_HCCT)
        bad = tool_error("--reenable goes with --calls alone: other tables take the bursts that "
                         "they see for a sample of all");
    if (!bad && o->w.reenable && o->w.every == 0xFFFFFFFF)
        bad = tool_error("--reenable leaves out bursts, and with --every 0 there is one");
    if (!bad && o->timeline_said && o->timeline && !o->w.ticks)
        bad = tool_error("--timeline is about ticks, and none are taken: --time takes them");
    o->w.timeline = o->w.ticks ? o->timeline : 0;
    if (o->w.profiles & PROFILE_CALLS) 
        o->w.events |= X86_ENTRY | X86_EXIT;
    if (o->w.profiles & PROFILE_REFERENCES) o->w.events |= X86_LOAD | X86_STORE;
    return bad ? TOOL_BAD_INPUT : TOOL_OK;
}

/* The library to preload stands beside this program, or where `make install`
   puts it. */
static int find_library(const char *name, char *path, size_t size) {
    static const char *const places[] = {"", "../lib/bursty/"};
    char folder[4096];
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    size_t i;
    if (n <= 0) return tool_system_error("/proc/self/exe");
    folder[n] = 0;
    *(strrchr(folder, '/') + 1) = 0;
    for (i = 0; i < 2; i++) {
        if ((size_t)snprintf(path, size, "%s%s%s", folder, places[i], name) >= size) break;
        if (access(path, R_OK) == 0) return TOOL_OK;
    }
    return tool_error("record: the recorder, %s, is neither in %s nor in "
                      "%s../lib/bursty/; `make` builds it beside the tool, `make install` puts "
                      "both in place", name, folder, folder);
}

/* The recorder writes FILE.new and gives it its name when it is whole, so that
   an earlier FILE stays until then. What is no regular file is written as it
   is. */
static int open_output(record_options *o) {
    struct stat s;
    char path[4200];
    int file;
    strcpy(o->w.output, o->name);
    file = save_check_dump(o->w.output);
    if (file != TOOL_OK) return file;
    if (o->w.output[0] != '/') {                          /* the program may change its directory */
        char here[4096], name[4096];
        strcpy(name, o->w.output);
        if (!getcwd(here, sizeof here) || strlen(here) > 1990 || strlen(name) > 1990)
            return tool_system_error(".");
        snprintf(o->w.output, sizeof o->w.output, "%.2000s/%.2000s", here, name);
    }
    o->w.direct = stat(o->w.output, &s) == 0 && !S_ISREG(s.st_mode);
    if (!o->w.direct && access(o->w.output, F_OK) == 0 && access(o->w.output, W_OK) != 0)
        return tool_system_error(o->w.output);
    snprintf(path, sizeof path, "%s%s", o->w.output, o->w.direct ? "" : ".new");
    file = open(path, O_WRONLY | O_CREAT | (o->w.direct ? 0 : O_TRUNC) | O_CLOEXEC, 0666);
    if (file < 0) return tool_system_error(o->w.direct ? o->w.output : path);
    o->inode = fstat(file, &s) == 0 ? s.st_ino : 0;
    close(file);
    return TOOL_OK;
}

/* It was opened to see whether that can be. */
static void close_output(const record_options *o) {
    char path[4200];
    snprintf(path, sizeof path, "%s.new", o->w.output);
    if (!o->w.direct) remove(path);
}

/* A file that the recorder maps, and in which it says how it went: text, and
   zeros behind it. Without one the program runs all the same. */
static void open_report(record_options *o) {
    static const char *const where[] = {NULL, "/tmp", "/dev/shm"};
    static const char zeros[1 << 16];                      /* HANDOVER_REPORT */
    const char *folder;
    int n, file;
    for (n = 0; n < 3; n++) {
        folder = n ? where[n] : getenv("TMPDIR");
        if (!folder || folder[0] != '/' || strlen(folder) > sizeof o->w.report - 16) continue;
        snprintf(o->w.report, sizeof o->w.report, "%s/bursty-XXXXXX", folder);
        if (strchr(o->w.report, ' ')) continue;
        file = mkstemp(o->w.report);
        if (file >= 0) {
            int is_whole = write(file, zeros, sizeof zeros) == (ssize_t)sizeof zeros;
            close(file);
            if (is_whole) return;
            remove(o->w.report);
        }
    }
    strcpy(o->w.report, "-");
}

/* What LD_PRELOAD is without a bursty: one that runs around us says it. */
static const char *preload_before(void) {
    static record_wishes outer;
    const char *around = getenv(OPTIONS_VARIABLE);
    if (around && options_read(&outer, around) == 0) return outer.preload;
    return getenv("LD_PRELOAD");
}

/* With LD_AUDIT ld.so gives memory to threads before it knows of the recorder,
   whose part of it must then come out of a small reserve, or nothing starts. */
static void make_reserve(record_wishes *w) {
    const char *audit = getenv("LD_AUDIT"), *before = getenv("GLIBC_TUNABLES");
    char value[sizeof w->tunables + 64];
    if (!audit || !*audit || (before && strlen(before) + 2 > sizeof w->tunables)) return;
    snprintf(w->tunables, sizeof w->tunables, "%s%s", before ? "=" : "-", before ? before : "");
    snprintf(value, sizeof value, "%s%sglibc.rtld.optional_static_tls=16384", before ? before : "",
             before ? ":" : "");
    setenv("GLIBC_TUNABLES", value, 1);
}

/* The runtime of -fsanitize=address ends a program before main if another library
   comes first, and ours has to. Returns a status. */
static int refuse_preloaded(void) {
    static const char *const names[] = {"libasan.so", "libclang_rt.asan", "libhwasan.so",
                                        "libclang_rt.hwasan"};
    const char *at = preload_before();
    size_t size, n;
    for (; at && *at; at += size + (at[size] != 0)) {
        const char *base = at;
        size = strcspn(at, " :");
        while (memchr(base, '/', (size_t)(at + size - base))) base = strchr(base, '/') + 1;
        for (n = 0; n < sizeof names / sizeof *names; n++) {
            if (!strncmp(base, names[n], strlen(names[n])))
                return tool_error("LD_PRELOAD names %.*s, which wants to come before all other "
                                  "libraries: record without it; --outside needs nothing preloaded",
                                  (int)size, at);
        }
    }
    return TOOL_OK;
}

/* In the child. If the program cannot be started, the parent gets errno through
   `failed`. */
static void become(record_options *o, const char *library, char **argv, const char *path,
                   int failed) {
    static char value[OPTIONS_ROOM];
    const char *before = preload_before();
    size_t size = before ? strlen(before) : 0;
    o->w.owner = (uint32_t)getpid();
    make_reserve(&o->w);
    errno = E2BIG;
    if (size < sizeof o->w.preload) {
        memcpy(o->w.preload, before ? before : "", size);
        if (options_write(&o->w, value, sizeof value) == 0) {
            setenv(OPTIONS_VARIABLE, value, 1);
            snprintf(value, sizeof value, "%s%s%s", library, size ? ":" : "", o->w.preload);
            setenv("LD_PRELOAD", value, 1);
            execv(path, argv);
        }
    }
    (void)!write(failed, &errno, sizeof errno);
    _exit(127);
}

/* FILE.new has so many bytes, and the recorder could not name it itself. */
static int give_name(const record_options *o, const char *bytes) {
    char path[4200];
    snprintf(path, sizeof path, "%s.new", o->w.output);
    if (truncate(path, (off_t)strtoul(bytes, NULL, 10)) == 0 && rename(path, o->w.output) == 0) return 0;
    (void)tool_system_error(o->w.output);
    return 1;
}

/* What the recorder said: faults begin with !, hints with ?, the size of a file
   that needs its name with =, the file of an earlier program of the process
   with +; the other lines are for --stats. Returns whether there was a
   fault. */
static int show_report(const record_options *o) {
    char line[8192], first[4200] = "", last[4200] = "";
    unsigned images = 0;
    uint32_t failed = 0;
    int said = 0;
    FILE *file = fopen(o->w.report, "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file) && line[0]) {
        if (line[0] == '=') said |= give_name(o, line + 1);
        else if (line[0] == '+') {
            if (!images++) snprintf(first, sizeof first, "%.4100s", line + 1);
            snprintf(last, sizeof last, "%.4100s", line + 1);
        } else if (line[0] == '!') {
            fprintf(stderr, "bursty: %s", line + 1);
            said = 1;
        } else if (line[0] == '?') {
            if (!o->quiet) fprintf(stderr, "bursty: %s", line + 1);
        } else if (o->stats) fputs(line, stderr);
    }
    if (fseek(file, (1 << 16) - 4, SEEK_SET) == 0          /* HANDOVER_FAILED */
        && fread(&failed, sizeof failed, 1, file) == 1 && failed) {
        fprintf(stderr, "bursty: %lu processes of the program could not write their files: another "
                        "user may not do so there. With -o name a folder where each user may write\n",
                (unsigned long)failed);
        said = 1;
    }
    fclose(file);
    first[strcspn(first, "\n")] = last[strcspn(last, "\n")] = 0;
    if (images && !o->quiet)
        fprintf(stderr, "bursty: the process became another program %u times; what it was before "
                        "is in %s%s%s\n",
                images, first, images > 1 ? " to " : "", images > 1 ? last : "");
    return said;
}

/* What the recorder kept before the program was killed: a file that is whole
   and checked, or NULL.
   *ns: when it was made. */
static unsigned char *read_kept(const record_options *o, size_t *size, uint64_t *ns) {
    keep_head head;
    dump d;
    dump_fault fault;
    unsigned char *bytes = NULL;
    unsigned half;
    FILE *file = fopen(o->w.report, "rb");
    if (!file) return NULL;
    if (fseek(file, KEEP_AT, SEEK_SET) == 0 && fread(&head, sizeof head, 1, file) == 1
        && (head.whole == 1 || head.whole == 2) && head.bytes[head.whole - 1] <= KEEP_HALF) {
        half = head.whole - 1;
        *size = (size_t)head.bytes[half];
        *ns = head.time_ns[half];
        bytes = (unsigned char *)tool_alloc(*size + 1);
        if (fseek(file, KEEP_AT + KEEP_HEAD + (long)half * KEEP_HALF, SEEK_SET) != 0
            || fread(bytes, 1, *size, file) != *size || dump_read(&d, bytes, *size, &fault) != 0) {
            free(bytes);
            bytes = NULL;
        } else dump_free(&d);
    }
    fclose(file);
    return bytes;
}

/* Gives FILE what was kept. Returns whether there was something. */
static int give_kept(const record_options *o, int status) {
    char path[4200], real[PATH_MAX];
    char program[256];
    struct timespec now;
    size_t size;
    uint64_t ns, passed;
    unsigned char *bytes = read_kept(o, &size, &ns);
    FILE *file;
    missing_end end;
    text part = {NULL, 0, 0};
    int is_written;
    if (!bytes) return 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    passed = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - ns;
    snprintf(path, sizeof path, "%s.new", o->w.output);
    file = fopen(path, "wb");
    if (!realpath(o->program, real)) snprintf(real, sizeof real, "%.4000s", o->program);
    snprintf(program, sizeof program, "%.255s",
             strrchr(real, '/') ? strrchr(real, '/') + 1 : real);
    end.program = program;
    end.why = WIFSIGNALED(status) ? END_KILLED : END_LEFT;
    end.of = 0;
    end.missing = (passed + 500000) / 1000000;
    ends_write(&end, &part);
    is_written = file && fwrite(bytes, 1, size, file) == size
                 && fwrite(part.data, 1, part.size, file) == part.size;
    text_free(&part);
    if (file && fclose(file) != 0) is_written = 0;
    free(bytes);
    if (!is_written || rename(path, o->w.output) != 0) {
        (void)tool_system_error(o->w.output);
        remove(path);
        return 1;
    }
    fprintf(stderr, "bursty: the program %s; what is shown ends %.1f seconds before that\n",
            WIFSIGNALED(status) ? "was killed"
                                : "ended without the C library, or as another program "
                                  "(see --follow)",
            (double)passed / 1e9);
    return 1;
}

/* What to ask next: commands that work as they stand. */
static void say_next(const record_options *o) {
    dump d;
    size_t i, size;
    int has_moments = 0;
    text file = {NULL, 0, 0}, line = {NULL, 0, 0};
    unsigned char *data = tool_read_file(o->w.output, NULL, &size);
    dump_fault fault;
    if (!data) return;
    if (dump_read(&d, data, size, &fault) == 0) {
        for (i = 0; i < d.part_count; i++) has_moments |= d.parts[i].kind == kind_timeline.number;
        dump_free(&d);
    }
    free(data);
    text_shell(&file, o->name);
    text_bytes(&file, "", 1);
    text_add(&line, "next: ");
    if (has_moments) {
        text_add(&line, "`bursty report --timeline ");
        text_add(&line, file.data);
        text_add(&line, "` says when, and who waited; ");
    }
    text_add(&line, "`bursty report --html page.html ");
    text_add(&line, file.data);
    text_add(&line, "` makes a page with all callers");
    text_bytes(&line, "", 1);
    tool_error("%s", line.data);
    text_free(&file);
    text_free(&line);
}

static void say_wrote(const record_options *o, const char *way) {
    text file = {NULL, 0, 0};
    text_shell(&file, o->name);
    text_bytes(&file, "", 1);
    tool_error("wrote %s%s; `bursty report %s` shows it", o->name, way, file.data);
    text_free(&file);
}

/* The lines of `bursty report --brief`, on standard error. A process of its own
   makes them, so that nothing of it touches how the program ended. */
static void show_brief(const record_options *o) {
    char form[] = "--brief", name[] = "report", here[4200], *arguments[4];
    int status;
    pid_t child;
    fflush(NULL);
    snprintf(here, sizeof here, "%s", o->w.output);
    arguments[0] = name;
    arguments[1] = form;
    arguments[2] = here;
    arguments[3] = NULL;
    child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_IGN);
        if (dup2(2, 1) < 0) _exit(1);
        status = command_report.run(3, arguments);
        fflush(NULL);
        _exit(status);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) { }
    say_next(o);
}

/* A file says where functions and instructions stand in ELF files, and gets names
   and lines. It has its name all the time; if it cannot be written again, it
   stays as it is, and who reads it names them. Returns the new file's number, or
   0. */
static ino_t name_places_of(const char *name, const char *program, places_facts *facts) {
    char path[4300];
    struct stat s;
    text out = {NULL, 0, 0};
    size_t size;
    unsigned char *data = tool_read_file(name, NULL, &size);
    ino_t made = 0;
    FILE *file;
    int is_whole;
    if (data && places_name(data, size, program, facts, &out) == 0) {
        snprintf(path, sizeof path, "%s.new", name);
        file = fopen(path, "wb");
        is_whole = file && fwrite(out.data, 1, out.size, file) == out.size;
        if (file && fclose(file) != 0) is_whole = 0;
        if (is_whole && stat(path, &s) == 0 && rename(path, name) == 0) made = s.st_ino;
        else if (file) remove(path);
    }
    text_free(&out);
    free(data);
    return made;
}

/* Names the places in the files of children, FILE.PID, if this run wrote them. */
static void name_places_of_children(const record_options *o) {
    char folder[4096], name[8400];
    const char *base = strrchr(o->w.output, '/') + 1;
    size_t length = strlen(base);
    const struct dirent *e;
    struct stat s;
    DIR *all;
    snprintf(folder, sizeof folder, "%.*s", (int)(base - o->w.output), o->w.output);
    all = opendir(folder);
    while (all && (e = readdir(all)) != NULL) {
        const char *number = e->d_name + length + 1;
        if (strncmp(e->d_name, base, length) != 0 || e->d_name[length] != '.') continue;
        if (!*number || number[strspn(number, "0123456789.")]) continue;
        snprintf(name, sizeof name, "%s%s", folder, e->d_name);
        if (lstat(name, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size == 0) continue;
        if (s.st_uid == geteuid() && s.st_mtime >= o->began) (void)name_places_of(name, NULL, NULL);
    }
    if (all) closedir(all);
}

/* Names that are missing, and what would help. */
static void say_names(const places_facts *p) {
    enum { FEW = 20, WORTH = 5, PART = 4 };       /* ticks; percent; one of so many has a name */
    const named_facts *of = &p->of;
    static const char cure[] = "Its debug symbols, or a build without strip, would name them";
    if (p->ticks >= FEW && p->unnamed * 100 >= p->ticks * WORTH)
        fprintf(stderr,
                "bursty: %s has no symbols for functions that have %lu %% of the CPU time: they "
                "show as numbers. %s\n",
                p->module, (unsigned long)(p->unnamed * 100 / p->ticks), cure);
    else if (p->ticks < FEW && (of->functions - of->unnamed) * PART < of->functions)
        fprintf(stderr, "bursty: %s has no symbols: its functions show as numbers. %s\n",
                of->program, cure);
    if (*of->replaced)
        fprintf(stderr,
                "bursty: %s was replaced or removed while the program ran: what is not in its "
                "dynamic symbols shows as numbers, and has no lines\n",
                of->replaced);
    if (of->without_map)
        fprintf(stderr,
                "bursty: the program runs code that it made itself, and no /tmp/perf-%lu.map names "
                "it: node --perf-basic-prof, or an agent of java's, writes one\n",
                of->process);
}

static void name_places(record_options *o) {
    struct stat s;
    places_facts facts;
    char program[64];
    ino_t made;
    if (o->w.direct) return;
    if (o->w.follow) name_places_of_children(o);
    if (stat(o->w.output, &s) != 0 || s.st_ino != o->inode || s.st_size == 0) return;
    snprintf(program, sizeof program, "/proc/self/fd/%d", o->file);
    made = name_places_of(o->w.output, program, &facts);
    if (!made) return;
    o->inode = made;
    if (!o->quiet) say_names(&facts);
}

/* Which way time alone went, if it is not the usual one. */
static void way_of(const record_options *o, char *out, size_t size) {
    *out = 0;
    if (o->w.profiles) return;
    if (o->not_outside)
        snprintf(out, size, ", by a timer in the program, for %s", o->not_outside);
    else if (o->inside_for)
        snprintf(out, size, ", by a timer in the program, for %s needs a recorder there",
                 o->inside_for);
}

/* Is FILE the one that this run has written? */
static void say_file(const record_options *o, int said) {
    char way[256];
    struct stat s;
    if (o->quiet || o->w.direct || stat(o->w.output, &s) != 0 || s.st_ino != o->inode) return;
    if (s.st_size == 0 && said) return;
    if (s.st_size == 0) {
        tool_error("%s is empty: the program ended before the first burst; a smaller --every "
                   "samples more often", o->name);
        return;
    }
    show_brief(o);
    way_of(o, way, sizeof way);
    say_wrote(o, way);
}

/* The recorder had no room to say why there is no file. */
static void say_nothing(const record_options *o) {
    struct stat s;
    if (o->w.direct || (stat(o->w.output, &s) == 0 && s.st_ino == o->inode)) return;
    tool_error("nothing was recorded: there was no room to write %s", o->name);
}

/* The name FILE.new is left if the recorder did not come to its end. */
static void look_at_output(const record_options *o, int said, int status) {
    char path[4200];
    struct stat s;
    int earlier;
    if (o->w.direct) return;
    snprintf(path, sizeof path, "%s.new", o->w.output);
    if (stat(path, &s) != 0) {
        if (!said) say_nothing(o);
        return;
    }
    if (!said && give_kept(o, status)) return;
    remove(path);
    earlier = stat(o->w.output, &s) == 0;
    if (said) return;
    fprintf(stderr,
            "bursty: nothing was recorded: the program was killed, or ended without the C library, "
            "or as another program (see --follow)%s%s\n",
            earlier ? "; this file is as it was before: " : "", earlier ? o->w.output : "");
}

/* A script that env is to start is started without env: its interpreter is
   found here, and *argv becomes interpreter, script, arguments. What runs is
   the same, but it is recorded. Returns the program to start, which is path if
   this is another case. */
static const char *pass_by_env(const char *path, char ***argv, char *found, size_t size) {
    char head[4096], *argument, *name, **all;
    FILE *file = fopen(path, "rb");
    const char *program = path;
    size_t got = file ? fread(head, 1, sizeof head - 1, file) : 0, n = 0;
    if (file) fclose(file);
    head[got] = 0;
    if (got < 2 || head[0] != '#' || head[1] != '!') return path;
    name = split_script(head, &argument);
    if (!is_env(name, argument)) return path;
    program = find_program(argument, found, size);
    while ((*argv)[n]) n++;
    all = (char **)tool_alloc((n + 2) * sizeof *all);
    memcpy(all + 1, *argv, (n + 1) * sizeof *all);
    all[0] = strcpy((char *)tool_alloc(strlen(argument) + 1), argument);
    all[1] = strcpy((char *)tool_alloc(strlen(path) + 1), path);
    *argv = all;
    return program;
}

/* Where the options end: at --, or at the first word that is none. */
static int find_split(int argc, char **argv) {
    static const char *const alone[]
        = {"--stats",   "--quiet", "--follow", "--off",   "--all-checks", "--no-keep", "--no-cache",
           "--help",    "-h",      "--time",   "--calls", "--edges",      "--refs",    "--footprint",
           "--misses",  "--sharing", "--lines", "--outside", "--inside", "--interleave"};
    int at = 1;
    while (at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0) {
        size_t n = 0, count = sizeof alone / sizeof *alone;
        while (n < count && strcmp(argv[at], alone[n]) != 0) n++;
        at += n < count || strchr(argv[at], '=') ? 1 : 2;
    }
    return at < argc ? at : argc;
}

/* Who asks this process to end means the program. It may end in its own way,
   and then FILE is written and the report's file goes. The terminal asks the
   program itself, if it is of our group. A signal that nohup or a shell's & has
   had ignored is ignored by the program, too, unless it wants it. */
static volatile sig_atomic_t asked_child;

static void pass_on(int number, siginfo_t *info, void *context) {
    pid_t child = asked_child;
    int saved = errno;
    (void)context;
    if (child > 0 && (info->si_code != SI_KERNEL || getpgid(child) != getpgrp()))
        kill(child, number);
    errno = saved;
}

static const int asking[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, 0};

/* From here on they wait until there is a program to pass them on to. */
static void hold_asking(sigset_t *before) {
    sigset_t held;
    int n;
    sigemptyset(&held);
    for (n = 0; asking[n]; n++) sigaddset(&held, asking[n]);
    sigprocmask(SIG_BLOCK, &held, before);
}


static void pass_asking_on(pid_t child, const sigset_t *before) {
    struct sigaction action;
    int n;
    asked_child = child;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (n = 0; asking[n]; n++) (void)sigaction(asking[n], &action, NULL);
    sigprocmask(SIG_SETMASK, before, NULL);
}

/* The process that a number is of: a thread that is not its first one has a
   number of its own. */
static long process_of(long pid) {
    char path[64], line[256];
    long process = pid;
    FILE *file;
    snprintf(path, sizeof path, "/proc/%ld/status", pid);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (!strncmp(line, "Tgid:", 5)) process = strtol(line + 5, NULL, 10);
    }
    if (file) fclose(file);
    return process;
}

/* Records a process that runs already. */
static int attach(record_options *o, int has_program) {
    attach_options a;
    long process;
    int status;
    if (has_program)
        return tool_error("-p looks at a process that runs: there is no program to start");
    process = process_of((long)o->pid);
    if (process != (long)o->pid)
        return tool_error("%u is a thread of process %ld: -p looks at the process as a whole",
                          o->pid, process);
    memset(&a, 0, sizeof a);
    a.pid = (long)o->pid;
    a.seconds = o->seconds;
    a.ticks = o->outside_ticks;
    a.lines = (int)o->w.lines;
    a.timeline = o->timeline;
    a.quiet = o->quiet;
    a.out = o->name;
    status = save_check_dump(o->name);
    if (status == TOOL_OK) status = attach_run(&a);
    if (status == TOOL_OK) (void)name_places_of(o->name, NULL, NULL);
    if (status != TOOL_OK || o->quiet) return status;
    snprintf(o->w.output, sizeof o->w.output, "%s", o->name);
    show_brief(o);
    say_wrote(o, "");
    return TOOL_OK;
}

/* As the program did, without a second core. */
static int end_as(int status) {
    struct rlimit none = {0, 0};
    if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

typedef struct outside_files {
    const char *first, *last;       /* of what the process was before; NULL: nothing else */
    unsigned images;
    long pid;
    int direct;                     /* the output is no regular file */
} outside_files;

static void wrote_file(void *user, const char *file, uint32_t pid, int is_main) {
    outside_files *f = (outside_files *)user;
    if (!f->direct) (void)name_places_of(file, NULL, NULL);
    if (is_main || pid != (uint32_t)f->pid) return;
    f->last = strcpy((char *)tool_alloc(strlen(file) + 1), file);
    if (!f->images++) f->first = f->last;
}

/* The program waits until the kernel's events are there; they begin with its
   exec. Nothing else of it is touched. Returns 0 and how it ended in *status, or
   -1: that cannot be, and *why says it. */
static int run_outside(record_options *o, const char *path, char **arguments, int *status,
                       const char **why) {
    static char real[PATH_MAX];
    static outside_files files;
    attach_options a;
    sigset_t before;
    int go[2], failed[2], number, result;
    pid_t child;
    *status = open_output(o);
    if (*status != TOOL_OK) return 0;
    close_output(o);
    if (!realpath(path, real)) snprintf(real, sizeof real, "%s", path);
    if (pipe2(go, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0) {
        *status = tool_system_error("pipe");
        return 0;
    }
    signal(SIGXFSZ, SIG_IGN);               /* what may not grow is an error, and no signal */
    fflush(NULL);
    hold_asking(&before);
    child = fork();
    if (child < 0) {
        *status = tool_system_error("fork");
        return 0;
    }
    if (child == 0) {
        char word;
        close(go[1]);
        if (read(go[0], &word, 1) != 1) _exit(127);
        signal(SIGXFSZ, SIG_DFL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        execv(path, arguments);
        (void)!write(failed[1], &errno, sizeof errno);
        _exit(127);
    }
    close(go[0]);
    close(failed[1]);
    memset(&a, 0, sizeof a);
    a.pid = files.pid = (long)child;
    a.ticks = o->outside_ticks;
    a.quiet = o->quiet;
    a.lines = (int)o->w.lines;
    a.timeline = o->timeline;
    a.follow = (int)o->w.follow;
    a.out = o->name;
    a.wrote = wrote_file;
    a.user = &files;
    files.direct = (int)o->w.direct;
    *why = attach_begin(&a);
    if (!*why) (void)!write(go[1], "", 1);
    close(go[1]);
    if (*why || read(failed[0], &number, sizeof number) == (ssize_t)sizeof number) {
        waitpid(child, NULL, 0);
        close(failed[0]);
        sigprocmask(SIG_SETMASK, &before, NULL);
        if (*why) return -1;
        errno = number;
        *status = tool_system_error(path);
        return 0;
    }
    close(failed[0]);
    pass_asking_on(child, &before);
    result = attach_wait(&a);
    asked_child = 0;
    if (attach_end(&a, strrchr(real, '/') ? strrchr(real, '/') + 1 : real) == TOOL_OK && !o->quiet) {
        if (files.images)
            tool_error("the process became another program %u times; what it was before is in %s%s%s",
                       files.images, files.first, files.images > 1 ? " to " : "",
                       files.images > 1 ? files.last : "");
        if (!o->w.direct) show_brief(o);
        say_wrote(o, ", by looks from outside, nothing was preloaded");
    }
    *status = end_as(result);
    return 0;
}

/* What the recorder maps counts against the limits of the program's memory, and
   nobody knows how near to them it comes. So it takes a quarter of one at most,
   or the program runs as it is. The recorder's own tables are 216 MB at most, and
   the room for copies is 48 times the code. */
static void run_plain_if_limited(const char *path, char **arguments) {
    enum { OWN = 256, CODE = 48, PART = 4 };
    static const char *const names[] = {"ulimit -v", "ulimit -d"};
    uint64_t wanted = (uint64_t)OWN << 20;
    struct stat s;
    size_t n;
    if (stat(path, &s) == 0) wanted += CODE * (uint64_t)s.st_size;
    for (n = 0; n < 2; n++) {
        struct rlimit limit;
        int unknown = n == 0 ? getrlimit(RLIMIT_AS, &limit) : getrlimit(RLIMIT_DATA, &limit);
        if (unknown || limit.rlim_cur == RLIM_INFINITY
            || limit.rlim_cur / PART >= wanted)
            continue;
        tool_error("nothing is recorded, and the program runs as it is: its memory is limited to "
                   "%llu MB (%s), and the recorder wants a limit of %llu MB, or none",
                   (unsigned long long)(limit.rlim_cur >> 20), names[n],
                   (unsigned long long)(PART * (wanted >> 20)));
        execv(path, arguments);
        exit(tool_system_error(path));
    }
}

/* The longest piece of a pattern without * and ?. */
static void take_literal(const char *pattern, size_t size, char *out, size_t room) {
    size_t n, at, best = 0, length = 0;
    for (n = 0; n < size; n += at + 1) {
        for (at = 0; n + at < size && pattern[n + at] != '*' && pattern[n + at] != '?'; at++) { }
        if (at > length) {
            best = n;
            length = at;
        }
    }
    snprintf(out, room, "%.*s", (int)length, pattern + best);
}

/* May one of the patterns of --frames mean that function? The recorder knows
   exactly. */
static int may_be_meant(const char *patterns, const char *name) {
    char piece[1024];
    char *readable = demangle(name);
    size_t size;
    int is = 0;
    for (; *patterns && !is; patterns += size + 1) {
        size = strcspn(patterns, "\n");
        take_literal(patterns, size, piece, sizeof piece);
        is = strstr(name, piece) || (readable && strstr(readable, piece));
    }
    free(readable);
    return is;
}

/* Finds symbols for the recorder. It does not know the names of functions in a
   stripped program, and it does not read Rust's names. */
static void find_symbols(record_options *o) {
    static char path[PATH_MAX];
    size_t size, n, at = 0;
    const unsigned char *data = debugfile_map(o->program, &size);
    elf_file e;
    dump_fault fault;
    symbols s;
    memset(&s, 0, sizeof s);
    if (!data || !realpath(o->program, path) || !elf_is(data, size)
        || elf_begin(&e, data, size, &fault) != 0)
        return;
    symbols_read(&s, &e, path, "");
    for (n = 0; n < s.functions.count; n++) {
        const symbol *f = &s.functions.at[n];
        char *rust;
        int length;
        if (!f->name || !may_be_meant(o->w.frames, f->name)) continue;
        rust = demangle_rust(f->name);
        length = rust ? (int)strlen(rust) : (int)symbols_length(&s, f);
        if ((rust || !s.is_whole) && at + (size_t)length + 32 <= sizeof o->w.symbols)
            at += (size_t)sprintf(o->w.symbols + at, "%llx %.*s\n", (unsigned long long)f->start,
                                  length, rust ? rust : f->name);
        free(rust);
    }
    symbols_free(&s);
}

/* Does the pattern match what the report shows of a function? */
static int is_shown_as(const char *pattern, const char *linker_name) {
    char *readable = demangle(linker_name);
    int is = readable && glob_matches_function(pattern, readable);
    free(readable);
    return is;
}

enum { PATTERNS_MOST = 16, PATTERNS_ROOM = 1000 };

/* The recorder compares patterns with the linker's names. A pattern that fits none
   of the program's, but some that the report shows, becomes the linker's names of
   these. Returns a TOOL_ status. */
static int take_shown(const symbols *s, const char *option, char *list) {
    char out[PATTERNS_ROOM + 1], pattern[PATTERNS_ROOM + 1], name[1024], first[1024];
    size_t n, k, same, used = 0, lines = 0;
    const char *at, *end;
    for (at = list; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        unsigned count = 0;
        size_t begin = used;
        int fits = 1;
        snprintf(pattern, sizeof pattern, "%.*s", (int)(end - at), at);
        out[used] = 0;
        for (n = 0; n < s->functions.count; n++) {
            const symbol *f = &s->functions.at[n];
            if (f->name && glob_matches(pattern, f->name, symbols_length(s, f))) break;
        }
        for (k = same = 0; n == s->functions.count && k < n; k++) {
            const symbol *f = &s->functions.at[k];
            if (!f->name) continue;
            snprintf(name, sizeof name, "%.*s", (int)symbols_length(s, f), f->name);
            if (!is_shown_as(pattern, name)) continue;
            if (!count++) same = strlen(strcpy(first, name));
            while (strncmp(first, name, same) != 0) same--;
            fits = fits && lines < PATTERNS_MOST && used + strlen(name) + 1 < sizeof out;
            if (!fits) continue;
            used += (size_t)snprintf(out + used, sizeof out - used, "%s\n", name);
            lines++;
        }
        if (count && !fits)
            return tool_error("record: --%s %s: these are %u functions, more than it has room for. "
                              "The linker's names of all begin with %.*s: --%s '%.*s*' takes what "
                              "does",
                              option, pattern, count, (int)same, first, option, (int)same, first);
        if (count) continue;
        used = begin;
        if (lines++ == PATTERNS_MOST || used + strlen(pattern) + 1 >= sizeof out)
            return tool_error("record: --%s: these are too many functions", option);
        used += (size_t)snprintf(out + used, sizeof out - used, "%s\n", pattern);
    }
    memcpy(list, out, used);
    list[used] = 0;
    return TOOL_OK;
}

static int find_shown(record_options *o) {
    size_t size;
    const unsigned char *data = debugfile_map(o->program, &size);
    elf_file e;
    dump_fault fault;
    symbols s;
    int status;
    memset(&s, 0, sizeof s);
    if (!data || !elf_is(data, size) || elf_begin(&e, data, size, &fault) != 0) return TOOL_OK;
    symbols_read(&s, &e, o->program, "");
    status = take_shown(&s, "only", o->w.only);
    if (status == TOOL_OK) status = take_shown(&s, "not", o->w.not_these);
    symbols_free(&s);
    return status;
}

/* Large things are static: the stack may be small (`ulimit -s 64`). */
static int run(int argc, char **argv) {
    static record_options o;
    static char library[8448], recorder[4200], heap[4200], found[4200], interpreter[4200];
    sigset_t before;
    char **arguments;
    const char *path, *why = NULL;
    int split, program, status, said, started[2];
    struct sigaction ignored, too_large;
    pid_t child;
    split = find_split(argc, argv);
    program = split < argc && !strcmp(argv[split], "--") ? split + 1 : split;
    if (tool_wants_help(split, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    if ((status = read_options(&o, split, argv)) != TOOL_OK) return status;
    if (o.pid) return attach(&o, program < argc);
    if (program >= argc) return tool_error("record: no program: bursty record [OPTIONS] -- PROG");
    path = find_program(argv[program], found, sizeof found);
    if (!path) return TOOL_BAD_INPUT;
    if ((status = check_program(path, 0, o.tries)) != 0) return status;
    arguments = argv + program;
    path = pass_by_env(path, &arguments, interpreter, sizeof interpreter);
    o.program = path;
    o.file = open(path, O_RDONLY | O_CLOEXEC);
    if (*o.w.frames) find_symbols(&o);
    if ((*o.w.only || *o.w.not_these) && (status = find_shown(&o)) != TOOL_OK) return status;
    if (o.tries && run_outside(&o, path, arguments, &status, &why) == 0) return status;
    if (o.way == WAY_OUTSIDE)
        return tool_error("a program may not be looked at from outside, for %s; without --outside a "
                          "recorder is preloaded", why);
    if (!o.inside_for) o.not_outside = why;
    if (o.tries && (status = check_program(path, 0, 0)) != 0) return status;
    if ((status = refuse_preloaded()) != TOOL_OK) return status;
    run_plain_if_limited(path, arguments);
    hold_asking(&before);
    if ((status = find_library("bursty-record.so", recorder, sizeof recorder)) != 0) return status;
    snprintf(library, sizeof library, "%s", recorder);
    if (o.w.profiles & (PROFILE_OBJECTS | PROFILE_STREAMS)) { /* whose malloc comes first */
        if ((status = find_library("bursty-heap.so", heap, sizeof heap)) != 0) return status;
        snprintf(library, sizeof library, "%s:%s", heap, recorder);
    }
    if ((status = open_output(&o)) != 0) return status;
    memset(&ignored, 0, sizeof ignored);
    ignored.sa_handler = SIG_IGN;           /* what may not grow is an error, and no signal */
    (void)sigaction(SIGXFSZ, &ignored, &too_large);
    open_report(&o);
    if (!o.no_cache && !(o.w.looks) && cache_folder(o.w.cache, sizeof o.w.cache) != 0)
        o.w.cache[0] = 0;
    fflush(NULL);
    if (pipe2(started, O_CLOEXEC) != 0) return tool_system_error("pipe");
    o.began = time(NULL);
    child = fork();
    if (child == 0) {
        (void)sigaction(SIGXFSZ, &too_large, NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        become(&o, library, arguments, path, started[1]);
    }
    status = errno;
    close(started[1]);
    if (child < 0 || read(started[0], &status, sizeof status) == (ssize_t)sizeof status) {
        if (child > 0) waitpid(child, NULL, 0);
        look_at_output(&o, 1, 0);
        remove(o.w.report);
        errno = status;
        return tool_system_error(child < 0 ? "fork" : path);
    }
    close(started[0]);
    pass_asking_on(child, &before);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) { }
    asked_child = 0;
    said = show_report(&o);
    look_at_output(&o, said, status);
    name_places(&o);
    if (o.w.cache[0]) cache_trim(o.w.cache, CACHE_BYTES);
    say_file(&o, said);
    remove(o.w.report);
    return end_as(status);
}

#else
static int run(int argc, char **argv) {
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    return tool_error("bursty record runs on Linux on x86-64 only");
}
#endif

const tool_command command_record
    = {"record", "profile a program that nobody compiled for it", run};
