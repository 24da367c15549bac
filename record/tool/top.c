/* top.c - bursty top: where the CPU time of running processes goes now, once a
   second. live.c looks at them from outside; here their ticks are counted by
   function, and shown on the whole screen of a terminal, or as one table below
   the other where the output is no terminal. */
#ifndef _WIN32
#define _DEFAULT_SOURCE 1
#endif
#include "base/demangle.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/tool.h"
#include "record/tool/live.h"
#include "report/model/interval.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bursty top NAME [OPTIONS]\n"
    "usage: bursty top -p PID [-p PID ...] [OPTIONS]\n"
    "\n"
    "  Shows where the CPU time of running processes goes: the functions by their own time in\n"
    "  the last second and since bursty looks, with 95 % intervals. They are neither stopped\n"
    "  nor changed. Time in the kernel is a row, (kernel). On a terminal the table stays in its\n"
    "  place: q ends it, s sorts by the other time. Elsewhere a table follows each second. It\n"
    "  ends with the last process, too. NAME means all processes of that name, and those that\n"
    "  come, in one table.\n"
    "\n"
    "  -p PID       that process; of several one table\n"
    "  --seconds N  ends after so long\n"
    "  --count N    ends after so many tables, which are plain text\n"
    "  --once       the same as --count 1\n"
    "  --rows N     rows of a plain table: 10; 0: all. On a screen, as many as it has\n"
    "  --ticks HZ   looks in a second of CPU time: 1000\n";

#if defined(__linux__)
#include <errno.h>
#include <poll.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

typedef struct top_options {
    const char *name;
    long *pids;
    size_t pid_count, pid_room;
    unsigned seconds, count, rows, ticks;
} top_options;

typedef struct row {
    double now, all;                /* CPU time (ns) in this interval; since the start */
    char *name;                     /* for people; NULL: not asked for yet */
    uint32_t key;
} row;

static struct {
    top_options o;
    row *rows;                      /* by key - 1 */
    size_t count, room;
    row **order;                    /* of those that are shown, the first ones first */
    double now, all;
    double now_squares, all_squares; /* of the looks' times */
    double children_ns, children_now;
    int by_all;                     /* sorted by the time since the start */
    double start, last, passed;     /* when all began, the last interval ended; how long it was */
    struct termios before;
    int is_screen, has_keys;
} top;

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- counts ---- */

static void add_look(void *user, uint32_t key, double ns) {
    (void)user;
    if (key > top.room) {
        size_t room = 2 * (size_t)key + 64;
        top.rows = (row *)tool_grow(top.rows, room * sizeof *top.rows);
        memset(top.rows + top.room, 0, (room - top.room) * sizeof *top.rows);
        top.room = room;
    }
    if (key > top.count) top.count = key;
    top.rows[key - 1].key = key;
    top.rows[key - 1].now += ns;
    top.rows[key - 1].all += ns;
    top.now += ns;
    top.all += ns;
}

static int compare_rows(const void *left, const void *right) {
    const row *a = *(const row *const *)left, *b = *(const row *const *)right;
    double first_a = top.by_all ? a->all : a->now, first_b = top.by_all ? b->all : b->now;
    if (first_a != first_b) return first_a > first_b ? -1 : 1;
    if (a->all != b->all) return a->all > b->all ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* Returns how many rows there are. */
static size_t sort_rows(void) {
    size_t n, count = 0;
    top.order = (row **)tool_grow(top.order, (top.count + 1) * sizeof *top.order);
    for (n = 0; n < top.count; n++) {
        if (top.rows[n].all > 0) top.order[count++] = &top.rows[n];
    }
    if (count) qsort(top.order, count, sizeof *top.order, compare_rows);
    return count;
}

/* An interval ends: its looks are those of now, until the next one ends. */
static void take_interval(double now) {
    size_t n;
    live_state s;
    for (n = 0; n < top.count; n++) top.rows[n].now = 0;
    top.now = 0;
    top.now_squares = live_take(add_look, NULL);
    top.all_squares += top.now_squares;
    live_about(&s);
    top.children_now = s.children_ns - top.children_ns;
    top.children_ns = s.children_ns;
    top.passed = now - top.last;
    top.last = now;
}

/* ---- what is shown ---- */

static const char *name_of(row *r) {
    const char *raw = live_name(r->key);
    if (!r->name) r->name = demangle(raw);
    if (!r->name) r->name = text_clean(raw, strlen(raw));
    return r->name;
}

/* Looks that stand for different times are as good as fewer equal ones. */
static void add_share(text *out, double ns, double of, double squares) {
    interval range;
    double share, looks;
    if (of <= 0) {
        text_add(out, "      -       -       -");
        return;
    }
    share = ns / of;
    looks = of * of / squares;
    range = ns > 0 ? interval_wilson(share, looks) : interval_unmet(looks);
    text_format(out, "%6.2f%% %6.2f%% %6.2f%%", 100 * share, 100 * range.low, 100 * range.high);
}

static double cpus(double ns, double seconds) { return seconds > 0 ? ns / 1e9 / seconds : 0; }

static void add_head(text *out) {
    double all = top.last - top.start;
    live_state s;
    live_about(&s);
    text_plain(out, s.program);
    if (!top.o.name && top.o.pid_count == 1) text_format(out, " (%ld)", top.o.pids[0]);
    else {
        text_add(out, ", ");
        text_counted(out, s.processes, "process");
    }
    text_format(out, ": %.2f CPUs now, %.2f in all %.0f seconds", cpus(top.now, top.passed),
                cpus(top.all, all), all);
    if (top.children_now > 0)
        text_format(out, "; %.2f of other programs that they started, not shown",
                    cpus(top.children_now, top.passed));
    if (s.refused)
        text_format(out, "; %lu not looked at (%s)", (unsigned long)s.refused,
                    strerror(s.why_refused));
    if (s.lost) text_format(out, "; %llu looks lost", (unsigned long long)s.lost);
    if (!s.has_kernel) text_add(out, "; time in the kernel is not seen");
}

static void end_line(text *out) { text_add(out, top.is_screen ? "\033[K\n" : "\n"); }

/* most: rows; width: columns, 0: as many as the names need. */
static void add_table(text *out, size_t most, size_t width) {
    enum { INDENT = 50 };
    size_t n, count = sort_rows();
    text head = {NULL, 0, 0};
    add_head(&head);
    text_bytes(&head, "", 1);
    if (width && head.size > width + 1) text_short(out, head.data, width);
    else text_add(out, head.data);
    text_free(&head);
    end_line(out);
    text_format(out, "%7s %7s %7s  %7s %7s %7s  function", top.by_all ? "now" : "NOW", "from", "to",
                top.by_all ? "ALL" : "all", "from", "to");
    end_line(out);
    for (n = 0; n < count && n < most; n++) {
        add_share(out, top.order[n]->now, top.now, top.now_squares);
        text_add(out, "  ");
        add_share(out, top.order[n]->all, top.all, top.all_squares);
        text_add(out, "  ");
        if (width) /* a screen has no room for a line more */
            text_plain_short(out, name_of(top.order[n]), width > INDENT + 8 ? width - INDENT : 8);
        else text_plain(out, name_of(top.order[n]));
        end_line(out);
    }
    if (!top.is_screen && count > most)
        text_format(out, "(%lu more rows)\n", (unsigned long)(count - most));
}

static int put(text *out) {
    size_t written = fwrite(out->data, 1, out->size, stdout);
    int status = written == out->size && fflush(stdout) == 0 ? 0 : -1;
    text_free(out);
    return status;
}

static int show(void) {
    text out = {NULL, 0, 0};
    size_t columns, lines;
    if (!top.is_screen) {
        add_table(&out, top.o.rows ? top.o.rows : SIZE_MAX, 0);
        text_add(&out, "\n");
        return put(&out);
    }
    terminal_size(&columns, &lines);
    text_add(&out, "\033[H");
    add_table(&out, lines > 4 ? lines - 3 : 1, columns - 1);
    text_add(&out, top.has_keys ? "q ends, s sorts by the other time\033[K\033[J" : "\033[J");
    return put(&out);
}

/* ---- the terminal ---- */

static void open_screen(void) {
    struct termios set;
    text out = {NULL, 0, 0};
    top.has_keys = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &top.before) == 0;
    if (top.has_keys) {
        set = top.before;
        set.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        set.c_cc[VMIN] = 0;
        set.c_cc[VTIME] = 0;
        set.c_cc[VSUSP] = set.c_cc[VQUIT] = _POSIX_VDISABLE; /* the screen would stay as it is */
        top.has_keys = tcsetattr(STDIN_FILENO, TCSADRAIN, &set) == 0;
    }
    text_add(&out, "\033[?1049h\033[?25l\033[2J");
    (void)put(&out);
}

static void close_screen(void) {
    text out = {NULL, 0, 0};
    text_add(&out, "\033[?25h\033[?1049l");
    (void)put(&out);
    if (top.has_keys) tcsetattr(STDIN_FILENO, TCSADRAIN, &top.before);
    top.is_screen = top.has_keys = 0;
}

/* Returns a key, or 0. */
static int take_key(void) {
    struct pollfd keys;
    unsigned char key = 0;
    ssize_t got;
    keys.fd = top.has_keys ? STDIN_FILENO : -1;
    keys.events = POLLIN;
    if (poll(&keys, 1, 0) <= 0) return 0;
    got = read(STDIN_FILENO, &key, 1);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return 'q'; /* nobody is there */
    return got == 1 ? key : 0;
}

/* ---- all of it ---- */

static void watch(void) {
    unsigned shown = 0;
    double next;
    int ends = 0, failed = 0;
    top.start = top.last = seconds_now();
    next = top.start + 1;
    if (top.is_screen) {
        open_screen();
        failed = show();
    }
    while (!ends && !failed) {
        int alive = live_poll(), key = take_key();
        double now = seconds_now();
        ends = !alive || key == 'q' || (top.o.seconds && now >= top.start + top.o.seconds);
        if (now < next && !ends) {
            if (key != 's') continue;
            top.by_all = !top.by_all;
            failed = show();
            continue;
        }
        take_interval(now);
        if (!ends || (!top.is_screen && (top.now > 0 || !shown))) failed = show();
        if (++shown == top.o.count) ends = 1;
        next = next + 1 > now ? next + 1 : now + 1;
    }
    if (!top.is_screen) return;
    close_screen();
    top.by_all = 1;                                /* what stays is of the whole time */
    (void)show();
}

static int number(const char *said, unsigned least, unsigned most, const char *option,
                  unsigned *out) {
    char *end;
    unsigned long value;
    if (!said) return TOOL_BAD_INPUT;
    value = strtoul(said, &end, 10);
    if (*said < '0' || *said > '9' || *end || value < least || value > most)
        return tool_error("top: %s: '%s' is not valid: a number from %u to %u is wanted", option,
                          said, least, most);
    *out = (unsigned)value;
    return TOOL_OK;
}

static int read_options(top_options *o, int argc, char **argv) {
    tool_option option;
    int bad = 0;
    memset(o, 0, sizeof *o);
    o->rows = 10;
    o->ticks = 1000;
    tool_options_once(&option, argc, argv, "-p");
    while (!bad && tool_next(&option)) {
        if (tool_is(&option, "-", "p")) {
            unsigned pid = 0;
            bad = number(tool_value(&option), 1, INT_MAX, "-p", &pid);
            TOOL_ROOM(long, o->pids, o->pid_count, o->pid_room);
            o->pids[o->pid_count++] = (long)pid;
        } else if (tool_is(&option, "--", "seconds"))
            bad = number(tool_value(&option), 1, 1000000, "--seconds", &o->seconds);
        else if (tool_is(&option, "--", "count"))
            bad = number(tool_value(&option), 1, 1000000, "--count", &o->count);
        else if (tool_is(&option, "--", "once")) o->count = 1;
        else if (tool_is(&option, "--", "rows"))
            bad = number(tool_value(&option), 0, 1000000, "--rows", &o->rows);
        else if (tool_is(&option, "--", "ticks"))
            bad = number(tool_value(&option), 1, 10000, "--ticks", &o->ticks);
        else bad = tool_no_option(&option, "top");
    }
    if (bad) return bad;
    if (option.files > 1 || (option.files && o->pid_count))
        return tool_error("top: %s: one NAME, or -p PID; bursty record runs a program",
                          argv[option.files > 1]);
    if (option.files) o->name = argv[0];
    return o->name || o->pid_count ? TOOL_OK
                                   : tool_error("top: no process: bursty top -p PID, or NAME");
}

static int run(int argc, char **argv) {
    int status;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    if ((status = read_options(&top.o, argc, argv)) != TOOL_OK) return status;
    status = live_open(top.o.pids, top.o.pid_count, top.o.name, top.o.ticks);
    if (status != TOOL_OK) return status;
    top.is_screen = isatty(STDOUT_FILENO) && !top.o.count;
    watch();
    return TOOL_OK;
}
#else
static int run(int argc, char **argv) {
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    return tool_error("bursty top runs on Linux on x86-64 only");
}
#endif

const tool_command command_top = {"top", "where a running process spends its time now", run};
