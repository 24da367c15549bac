/* compare.c - runs demo/index plain and profiled in turn: what did profiling cost, what did it see

   compare [--pairs N] [--megabytes N] [--rounds N] [--rate C:I] [PATH...]
                                the demonstration, and its report
   compare --equation ...       the paper's equation 2, predicted and measured, as a Markdown table
   compare --overlap ...        sampled against full profiles, as a Markdown table

   Run by demo/run.sh, which has built all it needs in $BUILD (default: build) and below
   $BUILD/demo. Every run is a process of its own; its time is user plus system time, its output is
   compared byte by byte. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "json.h"

enum { MAX_RUNS = 200, MAX_PATHS = 64, MAX_ARGS = MAX_PATHS + 8, PATH_BYTES = 1024 };

/* One way to run the program (demo/profile.c has the meaning of the rates; none: the plain program;
   dump: where to, in build) and how long each run took. */
typedef struct variant {
    const char *label, *hot, *contexts, *ticks, *references, *dump;
    double seconds[MAX_RUNS], total;
} variant;

static const char *build = "build", *paths[MAX_PATHS];
static int path_count, pairs = 12, rounds, runs;
static const char *megabytes = "24";
static char *reference; /* what the first run printed */
static size_t reference_size;

static void fail(const char *what, const char *which) {
    fprintf(stderr, "compare: %s%s%s\n", what, *which ? ": " : "", which);
    exit(1);
}

/* The path of a file below the build folder; eight may be in use at a time. */
static const char *in_build(const char *name) {
    static char path[8][PATH_BYTES];
    static int next;
    next = (next + 1) % 8;
    if (snprintf(path[next], PATH_BYTES, "%s/%s", build, name) >= PATH_BYTES)
        fail("path too long", name);
    return path[next];
}

static char *read_all(const char *path, size_t *size) {
    FILE *in = fopen(path, "rb");
    if (!in) fail("cannot open", path);
    size_t room = 4096;
    char *text = malloc(room);
    *size = 0;
    while (text && (*size += fread(text + *size, 1, room - *size - 1, in)) == room - 1)
        text = realloc(text, room *= 2);
    if (!text) fail("out of memory", path);
    text[*size] = 0;
    fclose(in);
    return text;
}

/* ---- running --------------------------------------------------------------------------------- */

static void set(const char *variable, const char *value) {
    if (value) setenv(variable, value, 1);
    else unsetenv(variable);
}

/* Runs a program to its end, standard output into a file. Returns user + system seconds. */
static double spawn(const char *const *args, const char *output, const variant *v) {
    struct rusage used;
    int status = 0;
    pid_t child = fork();
    if (child < 0) fail("cannot start a process", args[0]);
    if (child == 0) {
        int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        set("INDEX_HOT", v ? v->hot : NULL);
        set("INDEX_CONTEXTS", v ? v->contexts : NULL);
        set("INDEX_TICKS", v ? v->ticks : NULL);
        set("INDEX_REFERENCES", v ? v->references : NULL);
        set("INDEX_DUMP", v && v->dump ? in_build(v->dump) : NULL);
        if (out >= 0 && dup2(out, 1) == 1) execv(args[0], (char *const *)(uintptr_t)args);
        _exit(127);
    }
    if (wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("failed", args[0]);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* One run, timed; ends the comparison if it printed something else than the first. */
static double run(const variant *v, int times) {
    char number[16];
    const char *output = in_build("demo/output.txt");
    const int is_profiled = v->hot || v->contexts || v->ticks || v->references;
    const char *program = in_build(is_profiled ? "demo/index" : "demo/index-plain");
    const char *args[MAX_ARGS] = { program, "-b", megabytes, "-n", number };
    size_t size;
    snprintf(number, sizeof number, "%d", times);
    for (int i = 0; i < path_count; i++) args[5 + i] = paths[i];
    double seconds = spawn(args, output, v);
    char *text = read_all(output, &size);
    if (!reference) reference = text, reference_size = size;
    else if (size != reference_size || memcmp(text, reference, size) != 0)
        fail("prints something else than the plain program", args[0]);
    if (text != reference) free(text);
    runs++;
    return seconds;
}

/* All variants in turn, `count` times. Every round starts with another one and every second round
   goes backwards, so that none is always first or always behind the same other one. */
static void measure(variant *all, int variants, int count) {
    int shown = isatty(2);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < variants; k++) {
            int turn = i % 2 ? variants - 1 - k : k;
            variant *v = &all[(turn + i / 2) % variants];
            if (shown)
                fprintf(stderr, "\r\033[Krun %d of %d: %s", i * variants + k + 1, count * variants,
                    v->label);
            v->seconds[i] = run(v, rounds);
            v->total += v->seconds[i];
        }
    }
    if (shown) fprintf(stderr, "\r\033[K");
}

/* So many rounds that a plain run takes long enough, on a fast machine and with a small
   /usr/include too. */
static void choose_rounds(void) {
    const double seconds = 0.4;
    static const variant plain = { .label = "plain" };
    if (rounds > 0) return;
    run(&plain, 1); /* reads the files into the page cache */
    double one = run(&plain, 1), round = (run(&plain, 9) - one) / 8;
    rounds = one < seconds && round > 0 ? 1 + (int)((seconds - one) / round) : 1;
    if (rounds > 1000) rounds = 1000;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Time of v against base: the ratio of the sums, and the middle half of the ratios of single
   rounds. */
typedef struct ratio {
    double of_sums, low, high;
} ratio;

static ratio against(const variant *v, const variant *base, int count) {
    double each[MAX_RUNS];
    for (int i = 0; i < count; i++) each[i] = v->seconds[i] / base->seconds[i];
    qsort(each, (size_t)count, sizeof *each, by_value);
    return (ratio){ v->total / base->total, each[count / 4], each[count - 1 - count / 4] };
}

/* ---- what `bursty report` says about a dump -------------------------------------------------- */

static json *report_of(const char *dump) {
    const char *args[] = { in_build("bursty"), "report", "--json", in_build(dump), NULL },
               *output = in_build("demo/report.json");
    size_t size;
    spawn(args, output, NULL);
    char *text = read_all(output, &size), *at = text;
    json *report = json_read(&at);
    if (!report) fail("cannot read", output);
    return report;
}

static const json *nth(const json *list, double index) {
    const json *item = list ? list->first : NULL;
    while (item && index-- >= 1) item = item->next;
    return item;
}

/* The site that an item names: "site" or "caller". */
static const json *site_of(const json *report, const json *item, const char *which) {
    return nth(json_get(json_get(report, "sampled"), "sites"), json_number(item, which));
}

static const char *name_of(const json *site) {
    const json *name = json_get(site, "name");
    return name ? name->text : "";
}

static int is_call(const json *report, const json *item) {
    return (int)json_number(site_of(report, item, "site"), "kind") & 1;
}

/* ---- the demonstration ----------------------------------------------------------------------- */

static const char *percent(double share) {
    static char text[4][16];
    static int next;
    next = (next + 1) % 4;
    snprintf(text[next], sizeof text[next], "%.2f %%", 100 * share);
    return text[next];
}

/* Something and its heat: a row of the table, or a node of the tree. */
typedef struct hot {
    const json *item;
    double heat;
    uint32_t node;
} hot;

static int by_heat(const void *a, const void *b) {
    double x = ((const hot *)a)->heat, y = ((const hot *)b)->heat;
    return (x < y) - (x > y);
}

/* The ten functions that the program spends most time in; of those that are timed. */
/* The finding, in one line: the function in which most of the time passes. */
static void print_finding(const json *report) {
    const json *time = nth(json_get(json_get(report, "ticks"), "tables"), 0);
    const json *name = nth(json_get(time, "function"), 0);
    const json *share = nth(json_get(time, "self_share"), 0);
    const json *low = nth(json_get(time, "self_low"), 0), *high = nth(json_get(time, "self_high"), 0);
    if (!name || !share || !low || !high || share->kind != '0' || low->kind != '0') {
        printf("No ticks came here, so only calls are known (docs/ticks.md).\n");
        return;
    }
    printf("%s takes %s of the time, between %s and %s.\n", name->text, percent(share->number),
           percent(low->number), percent(high->number));
}

static void print_time(const json *report) {
    const json *time = nth(json_get(json_get(report, "ticks"), "tables"), 0);
    const json *names = json_get(time, "function"), *share = json_get(time, "self_share");
    static const char *const columns[] = {
        "self_share", "self_low", "self_high", "total_share", "total_low", "total_high" };
    printf("\n%9s %21s %9s %21s   where it runs, by ticks\n", "self", "95 % interval", "total",
        "95 % interval");
    if (!names) printf("   (no ticks here: see docs/ticks.md)\n");
    for (int i = 0; i < 10 && nth(share, i) && nth(share, i)->kind == '0'; i++) {
        double v[6];
        for (int k = 0; k < 6; k++) v[k] = nth(json_get(time, columns[k]), i)->number;
        for (int k = 0; k < 6; k += 3)
            printf("%9s %9s to %8s ", percent(v[k]), percent(v[k + 1]), percent(v[k + 2]));
        printf("  %s\n", nth(names, i)->text);
    }
}

static void print_interval(const json *low, const json *high) {
    if (low && high && low->kind == '0' && high->kind == '0')
        printf("%9s to %8s   ", percent(low->number), percent(high->number));
    else printf("%21s   ", "not known");
}

/* The ten functions or call pairs with most calls. */
static void print_hot(const json *report, const char *list, const char *heading) {
    static hot all[1000];
    const json *items = json_get(json_get(report, "sampled"), list);
    size_t count = 0;
    for (const json *item = items ? items->first : NULL; item && count < 1000; item = item->next)
        if (is_call(report, item)) all[count++] = (hot){ item, json_number(item, "estimated"), 0 };
    qsort(all, count, sizeof *all, by_heat);
    printf("\n%9s %20s    %s\n", "calls", "95 % interval", heading);
    for (size_t i = 0; i < count && i < 10; i++) {
        const json *item = all[i].item;
        printf("%9s ", percent(json_number(item, "share")));
        print_interval(json_get(item, "share_low"), json_get(item, "share_high"));
        if (json_get(item, "caller")) printf("%s -> ", name_of(site_of(report, item, "caller")));
        printf("%s\n", name_of(site_of(report, item, "site")));
    }
}

/* A context's callers, then its own name. */
static void print_path(const json *tree, double node) {
    double caller = nth(json_get(tree, "parent"), node)->number;
    if (caller > 0) {
        print_path(tree, caller);
        printf(" > ");
    }
    printf("%s", nth(json_get(tree, "names"), nth(json_get(tree, "name"), node)->number)->text);
}

/* The ten calling contexts that were entered most. */
static void print_contexts(const json *report) {
    static hot all[10000];
    const json *tree = nth(json_get(report, "contexts"), 0), *lower = json_get(tree, "lower"),
               *item = lower ? lower->first : NULL;
    uint32_t count = 0;
    for (; item && count < 10000; item = item->next, count++)
        all[count] = (hot){ item, item->number, count };
    qsort(all, count, sizeof *all, by_heat);
    printf("\n%9s %20s    hot calling contexts\n", "calls", "95 % interval");
    for (uint32_t i = 0; i < count && i < 10 && all[i].heat > 0; i++) {
        printf("%9s ", percent(all[i].heat / json_number(tree, "total")));
        print_interval(nth(json_get(tree, "share_low"), all[i].node),
            nth(json_get(tree, "share_high"), all[i].node));
        print_path(tree, all[i].node);
        printf("\n");
    }
}

/* The value of a curve at x, linear between its points; past its end the last one. */
static double curve_at(const json *curve, double x) {
    const json *xs = json_get(curve, "x"), *ys = json_get(curve, "y"), *px = xs ? xs->first : NULL,
               *py = ys ? ys->first : NULL;
    double from = 0, low = 0;
    for (; px && py; px = px->next, py = py->next) {
        if (px->number >= x) return low + (py->number - low) * (x - from) / (px->number - from);
        from = px->number;
        low = py->number;
    }
    return low;
}

/* Footprints of windows and miss ratios of caches. Bursts tell the truth about windows shorter than
   they are. Every burst begins with nothing seen, so longer windows, and miss ratios, come from the
   recording of every reference alone. */
static void print_footprints(const json *all, const json *bursts) {
    static const double windows[] = { 10, 50, 200, 1000 }, kilobytes[] = { 32, 256, 2048, 16384 };
    const json *full = nth(json_get(all, "footprints"), 0),
               *sampled = nth(json_get(bursts, "footprints"), 0);
    printf("\n%-44s", "references in a window");
    for (int i = 0; i < 4; i++) printf("%9.0f", windows[i]);
    printf("\n%-44s", "blocks of 64 bytes that it touches, average");
    for (int i = 0; i < 4; i++) printf("%9.1f", curve_at(json_get(full, "average"), windows[i]));
    printf("\n%-44s", "the same from 1 % of them, bursts of 1000");
    for (int i = 0; i < 4; i++) printf("%9.1f", curve_at(json_get(sampled, "average"), windows[i]));
    printf("\n%-44s", "kB of LRU cache");
    for (int i = 0; i < 4; i++) printf("%9.0f", kilobytes[i]);
    printf("\n%-44s", "references that miss it");
    for (int i = 0; i < 4; i++)
        printf("%9s", percent(curve_at(json_get(full, "miss_ratio"), kilobytes[i] * 1024 / 64)));
    printf("\nA burst sees no window longer than itself and begins with an empty cache: the misses "
           "are those of every reference,\n"
           "recorded in a run that is not timed.\n");
}

/* The processor's name where Linux tells it, else the kind of machine. */
static void machine(char *text, size_t size) {
    struct utsname about;
    FILE *in = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(text, size, "%s", uname(&about) == 0 ? about.machine : "unknown");
    while (in && fgets(line, sizeof line, in)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (in) fclose(in);
}

/* The page, with what the dumps cannot know. */
static void write_page(const char *page, char notes[][256], int count, const char *const *dumps) {
    const char *args[40] = { in_build("bursty"), "report", "--html", page, "--title",
        "demo/index: an indexer of C files" };
    int used = 6;
    for (int i = 0; i < count; i++) args[used++] = "--note", args[used++] = notes[i];
    while (*dumps) args[used++] = in_build(*dumps++);
    args[used] = NULL;
    spawn(args, "/dev/null", NULL);
}

/* A ratio in thousandths, as it is printed. */
static int thousandths(double ratio) {
    return (int)(1000 * ratio + 0.5);
}

/* Did the plain program beside itself take the same time, so that an overhead means something?
   Whoever reads the two figures comes to the same answer. */
static int is_quiet(ratio again) {
    return thousandths(again.low) > 970 && thousandths(again.high) < 1030;
}

/* An overhead stands with what half of the pairs of runs said. */
static void note_cost(char *note, const char *name, ratio r) {
    snprintf(note, 256, "%s=%+.1f %% (middle half: %+.1f to %+.1f %%)", name, 100 * (r.of_sums - 1),
        100 * (r.low - 1), 100 * (r.high - 1));
}

/* Four profiled programs against the plain one: ticks; hot functions at a tenth of the rate and at
   the rate; and with calling contexts besides. Three more runs are not timed: a longer one for what
   is shown, and two that record references. */
static void demonstrate(uint32_t every, uint32_t burst) {
    enum { PLAIN, TICKS, RARE, USUAL, CONTEXTS, AGAIN, VARIANTS };
    char rare[32], usual[32], labels[3][64], notes[9][256], cpu[128];
    double period = (double)every + burst, asked = burst / period;
    snprintf(rare, sizeof rare, "%.0f:%" PRIu32, 10 * period - burst, burst);
    snprintf(usual, sizeof usual, "%" PRIu32 ":%" PRIu32, every, burst);
    snprintf(labels[0], sizeof labels[0], "hot functions at %.3g %%", 10 * asked);
    snprintf(labels[1], sizeof labels[1], "hot functions at %.3g %%", 100 * asked);
    snprintf(labels[2], sizeof labels[2], "and calling contexts at %.3g %%", 100 * asked);
    static variant all[VARIANTS];
    all[PLAIN] = (variant){ .label = "plain" };
    all[TICKS] = (variant){ .label = "time by ticks", .ticks = "1" };
    all[RARE] = (variant){ .label = labels[0], .hot = rare };
    all[USUAL] = (variant){ .label = labels[1], .hot = usual };
    all[CONTEXTS] =
        (variant){ .label = labels[2], .hot = usual, .contexts = usual };
    all[AGAIN] = (variant){ .label = "plain again" };
    const variant whole = {
        .ticks = "1", .hot = usual, .contexts = usual, .dump = "demo/index.brst" };
    const variant full = { .references = "always", .dump = "demo/every.brst" };
    const variant bursts = { .references = "99000:1000", .dump = "demo/bursts.brst" };
    measure(all, VARIANTS, pairs);
    run(&whole, 10 * rounds); /* some hundreds of ticks */
    run(&full, 2);
    run(&bursts, 2);

    const json *report = report_of("demo/index.brst"), *sampled = json_get(report, "sampled");
    const json *thread = nth(json_get(sampled, "threads"), 0);
    double checks = json_number(thread, "checks");
    double seen =
        json_number(nth(json_get(sampled, "profiles"), 0), "bursts") * burst / checks;
    ratio cost[VARIANTS];
    print_finding(report);
    printf("demo/index indexed %.*s.\n", (int)strcspn(reference, ";"), reference);
    printf("\nsampling rate: asked %s, seen %s of %.0f checks; %.0f events lost\n", percent(asked),
        percent(seen), checks, json_number(thread, "lost"));
    print_time(report);
    print_hot(report, "functions", "hot functions");
    print_hot(report, "pairs", "hot call pairs");
    print_contexts(report);
    print_footprints(report_of(full.dump), report_of(bursts.dump));

    for (int i = TICKS; i < VARIANTS; i++) cost[i] = against(&all[i], &all[PLAIN], pairs);
    int quiet = is_quiet(cost[AGAIN]), used = 0;
    printf(
        "\n%-36s %s   middle half of %d pairs\n", "user + system time, over plain", "ratio", pairs);
    for (int i = quiet ? TICKS : AGAIN; i < VARIANTS; i++)
        printf("%-36s %.3f   %.3f to %.3f\n", all[i].label, cost[i].of_sums, cost[i].low,
            cost[i].high);
    if (!quiet)
        printf("The overhead is not shown: the plain program beside itself differs by too much,\n"
               "as when other programs run. docs/costs.md has it in instructions.\n");

    const char *page = in_build("demo/report.html"),
               *dumps[] = { "demo/index.brst", "demo/every.brst", NULL };
    machine(cpu, sizeof cpu);
    if (quiet) {
        note_cost(notes[used++], "overhead, hot functions", cost[USUAL]);
        note_cost(notes[used++], "at a tenth of the rate", cost[RARE]);
        note_cost(notes[used++], "with calling contexts", cost[CONTEXTS]);
        note_cost(notes[used++], "overhead, time by ticks", cost[TICKS]);
    } else {
        snprintf(notes[used++], 256, "overhead=not shown, for other programs ran");
    }
    note_cost(notes[used++], "plain against plain", cost[AGAIN]);
    snprintf(notes[used++], 256, "pairs of runs=%d", pairs);
    snprintf(notes[used++], 256, "outputs=identical in %d runs", runs);
    snprintf(notes[used++], 256, "input=%.*s", (int)strcspn(reference, ";"), reference);
    snprintf(notes[used++], 256, "machine=%s", cpu);
    write_page(page, notes, used, dumps);
    printf("\nIn %d runs the profiled program printed byte for byte what the plain one did.\n"
           "Now look at %s\n",
        runs, page);
}

/* ---- equation 2 ------------------------------------------------------------------------------ */

/* bursty-tracing, equation 2: t = (nCheck0 t_checking + nInstr0 t_instrumented) / (nCheck0 +
   nInstr0). The two times are measured with a period so long that nothing is sampled, and in a
   burst that never ends. The equation leaves out what it costs to begin and to end a burst. So a
   second prediction adds it: t = t_checking + events e + bursts E. Here e comes from the burst that
   never ends, and E from bursts of one check, every fourth. */
enum { PLAIN, AGAIN, CHECKING, INSTRUMENTED, SHORTEST, FIRST_RATE, VARIANTS = FIRST_RATE + 6 };

typedef struct recorded {
    double events, bursts;
} recorded;

/* One more run, which leaves a dump. Sampling is deterministic, so all runs recorded as much. */
static recorded counts_of(const variant *measured) {
    variant v = *measured;
    recorded sum = { 0, 0 };
    v.dump = "demo/equation.brst";
    run(&v, rounds);
    const json *profiles = json_get(json_get(report_of(v.dump), "sampled"), "profiles");
    for (const json *p = profiles ? profiles->first : NULL; p; p = p->next) {
        sum.events += json_number(p, "events");
        sum.bursts += json_number(p, "bursts");
    }
    return sum;
}

static void equation(void) {
    static variant all[VARIANTS] = {
        { .label = "plain" },
        { .label = "plain again" },
        { .label = "checks only", .hot = "1073741824:1:-1" },
        { .label = "always in a burst", .hot = "always" },
        { .label = "1/4, bursts of 1", .hot = "3:1:-1" },
        { .label = "1/1000, bursts of 10", .hot = "9990:10" },
        { .label = "1/1000, bursts of 100", .hot = "99900:100" },
        { .label = "1/100, bursts of 10", .hot = "990:10" },
        { .label = "1/100, bursts of 100", .hot = "9900:100" },
        { .label = "1/10, bursts of 10", .hot = "90:10" },
        { .label = "1/10, bursts of 100", .hot = "900:100" },
    };
    measure(all, VARIANTS, pairs);
    const variant *plain = &all[PLAIN];
    double checking = all[CHECKING].total / plain->total;
    double instrumented = all[INSTRUMENTED].total / plain->total;
    recorded always = counts_of(&all[INSTRUMENTED]), shortest = counts_of(&all[SHORTEST]);
    double e = (instrumented - checking) / always.events; /* parts of the plain program's time */
    double begin_end = all[SHORTEST].total / plain->total - checking - shortest.events * e;
    double E = shortest.bursts > 0 ? begin_end / shortest.bursts : 0;
    double plain_ns = 1e9 * plain->total / pairs;
    printf("An event costs e = %.1f ns here, a burst E = %.1f ns.\n\n", e * plain_ns, E * plain_ns);
    printf("| demo/index, time over plain | equation 2 | with e and E | measured | middle half of %d "
           "| difference, points |\n|---|--:|--:|--:|--:|--:|\n",
        pairs);
    for (int i = AGAIN; i < VARIANTS; i++) {
        ratio r = against(&all[i], plain, pairs);
        if (i < FIRST_RATE) {
            printf("| %s | | | %.3f | %.3f to %.3f | |\n", all[i].label, r.of_sums, r.low, r.high);
            continue;
        }
        double every = atof(all[i].hot), burst = atof(strchr(all[i].hot, ':') + 1);
        double paper =
            (every * checking + burst * instrumented) / (every + burst);
        recorded seen = counts_of(&all[i]);
        double extended = checking + seen.events * e + seen.bursts * E;
        printf("| %s | %.3f | %.3f | %.3f | %.3f to %.3f | %+.1f, %+.1f |\n", all[i].label, paper,
            extended, r.of_sums, r.low, r.high, 100 * (r.of_sums - paper),
            100 * (r.of_sums - extended));
    }
}

/* ---- overlap --------------------------------------------------------------------------------- */

/* Shares of the calls by function, or by caller and function; each is told by name and line. */
typedef struct share {
    char name[128];
    double part;
} share;
typedef struct shares {
    share *all;
    int count;
} shares;

static shares shares_of(const json *report, const char *list) {
    const json *items = json_get(json_get(report, "sampled"), list);
    shares s = { NULL, 0 };
    double total = 0;
    for (const json *item = items ? items->first : NULL; item; item = item->next) {
        if (!is_call(report, item)) continue;
        if ((s.all = realloc(s.all, (size_t)(s.count + 1) * sizeof *s.all)) == NULL)
            fail("out of memory", "");
        share *one = &s.all[s.count++];
        one->part = json_number(item, "estimated");
        const json *site = site_of(report, item, "site"),
                   *caller = json_get(item, "caller") ? site_of(report, item, "caller") : NULL;
        snprintf(one->name, sizeof one->name, "%s:%.0f %s:%.0f", name_of(caller),
            json_number(caller, "line"), name_of(site), json_number(site, "line"));
        total += one->part;
    }
    for (int i = 0; i < s.count; i++) s.all[i].part /= total;
    return s;
}

/* The sum, over all names, of the smaller of the two shares: 1 if the profiles agree, 0 if they
   have nothing in common. */
static double overlap_of(shares a, shares b) {
    double sum = 0;
    for (int i = 0; i < a.count; i++)
        for (int k = 0; k < b.count; k++)
            if (strcmp(a.all[i].name, b.all[k].name) == 0)
                sum += a.all[i].part < b.all[k].part ? a.all[i].part : b.all[k].part;
    return sum;
}

static void overlap(void) {
    static const int periods[] = { 100, 500 }, bursts[] = { 1, 10, 50, 100 };
    variant v = { .label = "full", .hot = "always", .dump = "demo/overlap.brst" };
    run(&v, rounds);
    json *report = report_of(v.dump);
    shares methods = shares_of(report, "functions"), call_pairs = shares_of(report, "pairs");
    printf("| demo/index, overlap with the full profile in %% | events | methods | call pairs "
           "|\n|---|--:|--:|--:|\n");
    for (int jitter = 12; jitter >= -1; jitter -= 13)
        for (int p = 0; p < 2; p++)
            for (int b = 0; b < 4; b++) {
                char rate[64];
                snprintf(
                    rate, sizeof rate, "%d:%d:%d", (periods[p] - 1) * bursts[b], bursts[b], jitter);
                v.hot = rate;
                run(&v, rounds);
                report = report_of(v.dump);
                printf("| 1/%d, bursts of %d%s | %.0f | %.2f | %.2f |\n", periods[p], bursts[b],
                    jitter < 0 ? ", no jitter" : "",
                    json_number(nth(json_get(json_get(report, "sampled"), "threads"), 0), "events"),
                    100 * overlap_of(methods, shares_of(report, "functions")),
                    100 * overlap_of(call_pairs, shares_of(report, "pairs")));
                fflush(stdout);
            }
}

int main(int argc, char **argv) {
    const char *mode = "";
    uint32_t every = 990, burst = 10; /* bursty.h's defaults */
    if (getenv("BUILD") && *getenv("BUILD")) build = getenv("BUILD");
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--equation") == 0 || strcmp(argv[i], "--overlap") == 0) mode = argv[i];
        else if (argv[i][0] != '-' && path_count < MAX_PATHS) paths[path_count++] = argv[i];
        else if (strcmp(argv[i], "--pairs") == 0) pairs = atoi(value), i++;
        else if (strcmp(argv[i], "--rounds") == 0) rounds = atoi(value), i++;
        else if (strcmp(argv[i], "--megabytes") == 0) megabytes = value, i++;
        else if (strcmp(argv[i], "--rate") == 0 &&
                 sscanf(value, "%" SCNu32 ":%" SCNu32, &every, &burst) == 2)
            i++;
        else
            fail("usage: compare [--equation | --overlap] [--pairs N] [--rounds N] [--megabytes N] "
                 "[--rate C:I] [PATH...]",
                "");
    }
    if (pairs < 1 || pairs > MAX_RUNS) fail("--pairs wants a number from 1 to 200", "");
    if (path_count == 0) paths[path_count++] = ".";
    choose_rounds();
    if (strcmp(mode, "--equation") == 0) equation();
    else if (strcmp(mode, "--overlap") == 0) overlap();
    else demonstrate(every, burst);
    return 0;
}
