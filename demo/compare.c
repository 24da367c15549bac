/* compare.c - runs demo/index plain and profiled in turn: what did profiling cost, what did it see

   compare [--pairs N] [--megabytes N] [--rounds N] [--rate C:I] [PATH...]     the demonstration, and its report
   compare --equation ...       the paper's equation 2, predicted and measured, as a Markdown table
   compare --overlap ...        sampled against full profiles, as a Markdown table

   Run by demo/run.sh, which has built all it needs in $BUILD (default: build) and below $BUILD/demo.
   Every run is a process of its own; its time is user plus system time, its output is compared byte by byte. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include "json.h"

enum { MAX_RUNS = 200, MAX_PATHS = 64, MAX_ARGS = MAX_PATHS + 8, PATH_BYTES = 1024 };

/* One way to run the program, and how long each run took. rate NULL: the plain program; dump: where to, in build. */
typedef struct variant { const char *label, *rate, *dump; double seconds[MAX_RUNS], total; } variant;

static const char *build = "build", *paths[MAX_PATHS];
static int         path_count, pairs = 12, rounds, runs;
static const char *megabytes = "24";
static char       *reference;                     /* what the first run printed */
static size_t      reference_size;

static void fail(const char *what, const char *which) {
    fprintf(stderr, "compare: %s%s%s\n", what, *which ? ": " : "", which);
    exit(1);
}

/* The path of a file below the build folder; eight may be in use at a time. */
static const char *in_build(const char *name) {
    static char path[8][PATH_BYTES];
    static int  next;
    next = (next + 1) % 8;
    if (snprintf(path[next], PATH_BYTES, "%s/%s", build, name) >= PATH_BYTES) fail("path too long", name);
    return path[next];
}

static char *read_all(const char *path, size_t *size) {
    FILE *in = fopen(path, "rb");
    if (!in) fail("cannot open", path);
    size_t room = 4096;
    char *text = malloc(room);
    *size = 0;
    while (text && (*size += fread(text + *size, 1, room - *size - 1, in)) == room - 1) text = realloc(text, room *= 2);
    if (!text) fail("out of memory", path);
    text[*size] = 0;
    fclose(in);
    return text;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* Runs a program to its end, standard output into a file. */
static void spawn(const char *const *args, const char *output, const variant *v, struct rusage *used) {
    int status = 0;
    pid_t child = fork();
    if (child < 0) fail("cannot start a process", args[0]);
    if (child == 0) {
        int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        setenv("INDEX_HOT", v && v->rate ? v->rate : "", 1);
        setenv("INDEX_DUMP", v && v->dump ? in_build(v->dump) : "", 1);
        if (out >= 0 && dup2(out, 1) == 1) execv(args[0], (char *const *)(uintptr_t)args);
        _exit(127);
    }
    if (wait4(child, &status, 0, used) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) fail("failed", args[0]);
}

/* One run. Returns user + system seconds; ends the comparison if it printed something else than the first. */
static double run(const variant *v, int times) {
    char number[16];
    const char *output = in_build("demo/output.txt");
    const char *args[MAX_ARGS] = { in_build(v->rate ? "demo/index" : "demo/index-plain"), "-b", megabytes, "-n", number };
    struct rusage used;
    size_t size;
    snprintf(number, sizeof number, "%d", times);
    for (int i = 0; i < path_count; i++) args[5 + i] = paths[i];
    spawn(args, output, v, &used);
    char *text = read_all(output, &size);
    if (!reference) reference = text, reference_size = size;
    else if (size != reference_size || memcmp(text, reference, size) != 0) fail("prints something else than the plain program", args[0]);
    if (text != reference) free(text);
    runs++;
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* All variants in turn, `count` times. Every round starts with another one and every second round goes backwards, so
   that none is always first or always behind the same other one. */
static void measure(variant *all, int variants, int count) {
    int shown = isatty(2);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < variants; k++) {
            int turn = i % 2 ? variants - 1 - k : k;
            variant *v = &all[(turn + i / 2) % variants];
            if (shown) fprintf(stderr, "\r\033[Krun %d of %d: %s", i * variants + k + 1, count * variants, v->label);
            v->seconds[i] = run(v, rounds);
            v->total += v->seconds[i];
        }
    }
    if (shown) fprintf(stderr, "\r\033[K");
}

/* So many rounds that a plain run takes about half a second, on a fast machine and with a small /usr/include too. */
static void choose_rounds(void) {
    static const variant plain = { .label = "plain" };
    if (rounds > 0) return;
    run(&plain, 1);                               /* reads the files into the page cache */
    double one = run(&plain, 1), round = (run(&plain, 9) - one) / 8;
    rounds = one < 0.45 && round > 0 ? 1 + (int)((0.45 - one) / round) : 1;
    if (rounds > 1000) rounds = 1000;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Time of v against base: the ratio of the sums, and the middle half of the ratios of single rounds. */
typedef struct ratio { double of_sums, low, high; } ratio;

static ratio against(const variant *v, const variant *base, int count) {
    double each[MAX_RUNS];
    for (int i = 0; i < count; i++) each[i] = v->seconds[i] / base->seconds[i];
    qsort(each, (size_t)count, sizeof *each, by_value);
    return (ratio){ v->total / base->total, each[count / 4], each[count - 1 - count / 4] };
}

/* ---- what `bursty report` says about a dump ---------------------------------------------------------------------- */

static json *report_of(const char *dump) {
    const char *args[] = { in_build("bursty"), "report", "--json", in_build(dump), NULL }, *output = in_build("demo/report.json");
    size_t size;
    spawn(args, output, NULL, &(struct rusage){ 0 });
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

/* ---- the demonstration ------------------------------------------------------------------------------------------- */

typedef struct hot { const json *item; double key; } hot;

static int by_heat(const void *a, const void *b) {
    double x = ((const hot *)a)->key, y = ((const hot *)b)->key;
    return (x < y) - (x > y);
}

/* The ten hottest functions or call pairs, by time or by number of calls. */
static void print_hot(const json *report, const char *list, const char *measure) {
    static hot all[1000];
    const json *items = json_get(json_get(report, "sampled"), list);
    size_t count = 0;
    double time = 0;
    for (const json *item = items ? items->first : NULL; item; item = item->next) {
        time += json_number(item, "time_ns");
        if (is_call(report, item) && count < 1000) all[count++] = (hot){ item, json_number(item, measure) };
    }
    qsort(all, count, sizeof *all, by_heat);
    for (size_t i = 0; i < count && i < 10; i++) {
        const json *item = all[i].item;
        printf("  %5.1f %%  %11.0f   ", time > 0 ? 100 * json_number(item, "time_ns") / time : 0, json_number(item, "estimated"));
        if (json_get(item, "caller")) printf("%s -> ", name_of(site_of(report, item, "caller")));
        printf("%s\n", name_of(site_of(report, item, "site")));
    }
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

/* The page, with what the dump cannot know. */
static void write_page(const char *page, char notes[][256], int count) {
    const char *args[32] = { in_build("bursty"), "report", "--html", page, "--title", "demo/index: an indexer of C files" };
    int used = 6;
    for (int i = 0; i < count; i++) args[used++] = "--note", args[used++] = notes[i];
    args[used++] = in_build("demo/index.brst");
    args[used] = NULL;
    spawn(args, "/dev/null", NULL, &(struct rusage){ 0 });
}

static void demonstrate(const char *rate) {
    enum { PLAIN, PROFILED, AGAIN, VARIANTS };
    static variant all[VARIANTS] = {
        { .label = "plain" }, { .label = "profiled", .dump = "demo/index.brst" }, { .label = "plain again" }
    };
    double check_count = atof(rate), burst_count = strchr(rate, ':') ? atof(strchr(rate, ':') + 1) : 10;
    all[PROFILED].rate = rate;
    measure(all, VARIANTS, pairs);

    const char *page = in_build("demo/report.html");
    ratio cost = against(&all[PROFILED], &all[PLAIN], pairs), noise = against(&all[AGAIN], &all[PLAIN], pairs);
    const json *report = report_of("demo/index.brst"), *thread = nth(json_get(json_get(report, "sampled"), "threads"), 0);
    const json *profile = nth(json_get(json_get(report, "sampled"), "profiles"), 0);
    double checks = json_number(thread, "checks"), in_bursts = json_number(profile, "bursts") * burst_count;
    double asked = 100 * burst_count / (check_count + burst_count), seen = checks > 0 ? 100 * in_bursts / checks : 0;

    printf("%.*s\n", (int)strcspn(reference, "\n"), reference);
    printf("\n%-24s %-8s  middle half of %d pairs\n", "time, user + system", "ratio", pairs);
    printf("%-24s %-8.3f  %.3f to %.3f\n", "profiled / plain", cost.of_sums, cost.low, cost.high);
    printf("%-24s %-8.3f  %.3f to %.3f\n", "plain / plain", noise.of_sums, noise.low, noise.high);
    printf("\nsampling rate: asked %.3f %%, seen %.3f %% of %.0f checks; %.0f events recorded, %.0f lost\n", asked, seen, checks,
           json_number(thread, "events"), json_number(thread, "lost"));
    printf("\n     time        calls   hot functions, by their own time\n");
    print_hot(report, "functions", "time_ns");
    printf("\n     time        calls   hot call pairs, by calls\n");
    print_hot(report, "pairs", "estimated");

    char notes[8][256], cpu[128];
    machine(cpu, sizeof cpu);
    snprintf(notes[0], 256, "overhead=%+.1f %%", 100 * (cost.of_sums - 1));
    snprintf(notes[1], 256, "middle half of %d pairs=%+.1f to %+.1f %%", pairs, 100 * (cost.low - 1), 100 * (cost.high - 1));
    snprintf(notes[2], 256, "noise, plain against plain=%+.1f %%", 100 * (noise.of_sums - 1));
    snprintf(notes[3], 256, "outputs=identical in %d runs", runs);
    snprintf(notes[4], 256, "input=%.*s", (int)strcspn(reference, ";"), reference);
    snprintf(notes[5], 256, "machine=%s", cpu);
    write_page(page, notes, 6);
    printf("\nThe profiled program printed byte for byte what the plain one did, in all %d runs, and took %+.1f %% more time\n"
           "(two plain ones differ by %+.1f %%). Open %s in a browser to see where it went.\n", runs, 100 * (cost.of_sums - 1),
           100 * (noise.of_sums - 1), page);
}

/* ---- equation 2 -------------------------------------------------------------------------------------------------- */

/* bursty-tracing, equation 2: t = (nCheck0 t_checking + nInstr0 t_instrumented) / (nCheck0 + nInstr0). The two times are
   measured with a period so long that nothing is sampled, and in a burst that never ends. What it leaves out is the cost
   of beginning and ending a burst: bursts of 10 show it, bursts of 100 hardly do. */
static void equation(void) {
    enum { PLAIN, AGAIN, CHECKING, INSTRUMENTED, FIRST_RATE, VARIANTS = FIRST_RATE + 6 };
    static variant all[VARIANTS] = {
        { .label = "plain" }, { .label = "plain again" },
        { .label = "checks only", .rate = "1073741824:1:-1" }, { .label = "always in a burst", .rate = "always" },
        { .label = "1/1000, bursts of 10", .rate = "9990:10" }, { .label = "1/1000, bursts of 100", .rate = "99900:100" },
        { .label = "1/100, bursts of 10", .rate = "990:10" }, { .label = "1/100, bursts of 100", .rate = "9900:100" },
        { .label = "1/10, bursts of 10", .rate = "90:10" }, { .label = "1/10, bursts of 100", .rate = "900:100" }
    };
    measure(all, VARIANTS, pairs);
    const variant *plain = &all[PLAIN];
    double checking = all[CHECKING].total / plain->total, instrumented = all[INSTRUMENTED].total / plain->total;
    printf("| demo/index, time over plain | predicted | measured | middle half of %d | difference, points |\n|---|--:|--:|--:|--:|\n", pairs);
    for (int i = AGAIN; i < VARIANTS; i++) {
        ratio r = against(&all[i], plain, pairs);
        if (i < FIRST_RATE) { printf("| %s | | %.3f | %.3f to %.3f | |\n", all[i].label, r.of_sums, r.low, r.high); continue; }
        double check_count = atof(all[i].rate), burst_count = atof(strchr(all[i].rate, ':') + 1);
        double predicted = (check_count * checking + burst_count * instrumented) / (check_count + burst_count);
        printf("| %s | %.3f | %.3f | %.3f to %.3f | %+.1f |\n", all[i].label, predicted, r.of_sums, r.low, r.high, 100 * (r.of_sums - predicted));
    }
}

/* ---- overlap ----------------------------------------------------------------------------------------------------- */

/* Shares of the calls by function, or by caller and function; each is told by name and line. */
typedef struct share { char name[128]; double part; } share;
typedef struct shares { share *all; int count; } shares;

static shares shares_of(const json *report, const char *list) {
    const json *items = json_get(json_get(report, "sampled"), list);
    shares s = { NULL, 0 };
    double total = 0;
    for (const json *item = items ? items->first : NULL; item; item = item->next) {
        if (!is_call(report, item)) continue;
        if ((s.all = realloc(s.all, (size_t)(s.count + 1) * sizeof *s.all)) == NULL) fail("out of memory", "");
        share *one = &s.all[s.count++];
        one->part = json_number(item, "estimated");
        const json *site = site_of(report, item, "site"), *caller = json_get(item, "caller") ? site_of(report, item, "caller") : NULL;
        snprintf(one->name, sizeof one->name, "%s:%.0f %s:%.0f", name_of(caller), json_number(caller, "line"), name_of(site), json_number(site, "line"));
        total += one->part;
    }
    for (int i = 0; i < s.count; i++) s.all[i].part /= total;
    return s;
}

/* The sum, over all names, of the smaller of the two shares: 1 if the profiles agree, 0 if they have nothing in common. */
static double overlap_of(shares a, shares b) {
    double sum = 0;
    for (int i = 0; i < a.count; i++)
        for (int k = 0; k < b.count; k++)
            if (strcmp(a.all[i].name, b.all[k].name) == 0) sum += a.all[i].part < b.all[k].part ? a.all[i].part : b.all[k].part;
    return sum;
}

static void overlap(void) {
    static const int periods[] = { 100, 500 }, bursts[] = { 1, 10, 50, 100 };
    variant v = { .label = "full", .rate = "always", .dump = "demo/overlap.brst" };
    run(&v, rounds);
    json *report = report_of(v.dump);
    shares methods = shares_of(report, "functions"), call_pairs = shares_of(report, "pairs");
    printf("| demo/index, overlap with the full profile in %% | events | methods | call pairs |\n|---|--:|--:|--:|\n");
    for (int jitter = 12; jitter >= -1; jitter -= 13)
        for (int p = 0; p < 2; p++)
            for (int b = 0; b < 4; b++) {
                char rate[64];
                snprintf(rate, sizeof rate, "%d:%d:%d", (periods[p] - 1) * bursts[b], bursts[b], jitter);
                v.rate = rate;
                run(&v, rounds);
                report = report_of(v.dump);
                printf("| 1/%d, bursts of %d%s | %.0f | %.2f | %.2f |\n", periods[p], bursts[b], jitter < 0 ? ", no jitter" : "",
                       json_number(nth(json_get(json_get(report, "sampled"), "threads"), 0), "events"),
                       100 * overlap_of(methods, shares_of(report, "functions")), 100 * overlap_of(call_pairs, shares_of(report, "pairs")));
                fflush(stdout);
            }
}

int main(int argc, char **argv) {
    const char *rate = "990:10", *mode = "";
    if (getenv("BUILD") && *getenv("BUILD")) build = getenv("BUILD");
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--equation") == 0 || strcmp(argv[i], "--overlap") == 0) mode = argv[i];
        else if (argv[i][0] != '-' && path_count < MAX_PATHS) paths[path_count++] = argv[i];
        else if (strcmp(argv[i], "--pairs") == 0) pairs = atoi(value), i++;
        else if (strcmp(argv[i], "--rounds") == 0) rounds = atoi(value), i++;
        else if (strcmp(argv[i], "--megabytes") == 0) megabytes = value, i++;
        else if (strcmp(argv[i], "--rate") == 0) rate = value, i++;
        else fail("usage: compare [--equation | --overlap] [--pairs N] [--rounds N] [--megabytes N] [--rate C:I] [PATH...]", "");
    }
    if (pairs < 1 || pairs > MAX_RUNS) fail("--pairs wants a number from 1 to 200", "");
    if (path_count == 0) paths[path_count++] = ".";
    choose_rounds();
    if (strcmp(mode, "--equation") == 0) equation();
    else if (strcmp(mode, "--overlap") == 0) overlap();
    else demonstrate(rate);
    return 0;
}
