#!/bin/sh
# test_hcct_instrument.sh - hot contexts of a program that was only compiled with
# -finstrument-functions: threads, longjmp, inlined functions, alloca, PIE and not, optimised and
# not, stripped, C++ exceptions, threads that outlive main.
CC=${CC:-cc} CXX=${CXX:-c++} BUILD=${BUILD:-build}
dir=$BUILD/tests/hcct_instrument
mkdir -p "$dir"
. tests/check.sh

bursty=$BUILD/bursty
record="record/inside/hooks/instrument.c record/inside/hooks/ticks.c"
for file in settings calls threads names dump sampled; do
    record="$record record/inside/core/$file.c"
done
show() { "$bursty" report --collapsed "$@"; }

cat >"$dir/program.c" <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
static jmp_buf env;
static volatile int sink;
static inline int tiny(int x) { sink = sink + x; return x; }
static int leaf(int x) { return tiny(x) + 1; }
static void dive(int n) {
    char *p = __builtin_alloca((unsigned)n * 8 + 8);
    memset(p, n, 8);
    sink = p[0];
    if (n == 0) longjmp(env, 1);
    dive(n - 1);
    sink = 1;
}
static void guarded(void) { if (!setjmp(env)) dive(3); }
static int mid(int x) { return leaf(x) + leaf(x + 1); }
static void *work(void *p) { for (int i = 0; i < 1000; i++) mid(i); return p; }
static volatile int started;
static void *forever(void *p) { work(NULL); started = 1; for (;;) mid(1); return p; }
int main(int argc, char **argv) {
    pthread_t t[3];
    (void)argv;
    if (argc > 1) {
        pthread_create(&t[0], 0, forever, 0);
        work(NULL);
        while (!started) {}
        return 0;
    }
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 200; i++) { mid(i); if (i % 10 == 0) guarded(); }
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return 0;
}
END
cat >"$dir/wanted" <<'END'
main 1
main;guarded 20
main;guarded;dive 20
main;guarded;dive;dive 20
main;guarded;dive;dive;dive 20
main;guarded;dive;dive;dive;dive 20
main;mid 200
main;mid;leaf 400
main;mid;leaf;tiny 400
work 3
work;mid 3000
work;mid;leaf 6000
work;mid;leaf;tiny 6000
END
cat >"$dir/program.cc" <<'END'
#include <stdexcept>
static volatile int sink;
static void thrower(int n) { if (n == 0) throw std::runtime_error("x"); thrower(n - 1); sink = n; }
static void after() { /* a large frame */
    volatile char room[600];
    room[sink & 7] = 1;
    sink = room[0];
}
static void catcher() { try { thrower(2); } catch (const std::exception &) { after(); } }
int main() { for (int i = 0; i < 5; i++) catcher(); return 0; }
END

[ -r /proc/self/maps ] && [ -z "$RUN" ] || {
    leave "needs /proc and native programs"
}
if ! $CC -I. -pthread -o "$dir/t" -finstrument-functions "$dir/program.c" \
    -x c - <<'END' 2>/dev/null; then
#include <elf.h>
#include <sys/mman.h>
#define HOOK __attribute__((no_instrument_function))
HOOK void __cyg_profile_func_enter(void *f, void *s) { (void)f; (void)s; }
HOOK void __cyg_profile_func_exit(void *f, void *s) { (void)f; (void)s; }
END
    leave "$CC has no -finstrument-functions"
fi
# The recorder's files, each compiled with $1, into $dir/record.
compile_record() { # COMPILER FLAGS...
    rm -rf "$dir/record"
    mkdir -p "$dir/record"
    for file in $record; do
        "$@" -I. -c -o "$dir/record/$(basename "$file" .c).o" "$file" || return 1
    done
}

all=
[ -z "${FULL-}" ] || all=yes
for flags in ${all:+'-O2' '-O3 -fomit-frame-pointer' '-O2 -fno-pie' '-O1 -fPIE'} '-O1 -fno-pie' '-O0'; do
    # shellcheck disable=SC2086
    if compile_record $CC -std=c99 -Wall -Wextra -pedantic -Werror $flags &&
        $CC $flags -finstrument-functions -c -o "$dir/program.o" "$dir/program.c" &&
        case $flags in *no-pie*) pie=-no-pie ;; *PIE*) pie=-pie ;; *) pie= ;; esac &&
        $CC $pie -pthread -o "$dir/program" "$dir/program.o" "$dir"/record/*.o; then
        rm -f "$dir/a.brst"
        BURSTY_CONTEXTS=$dir/a.brst "$dir/program" && show "$dir/a.brst" | LC_ALL=C sort >"$dir/got"
        cmp -s "$dir/got" "$dir/wanted" && pass || {
            fail "$flags"
            diff "$dir/got" "$dir/wanted"
        }
    else
        fail "$flags: does not compile"
    fi
done

# A function that is called after a jump stands below the one that called setjmp, however large its
# frame is and those that the jump has left.
cat >"$dir/jump.c" <<'END'
#include <setjmp.h>
#include <string.h>
#define APART __attribute__((noinline))
static jmp_buf env;
static volatile int sink;
APART static void small(int n) { if (n == 0) longjmp(env, 1); small(n - 1); sink = 1; }
APART static void inner(void) { sink = 2; }
APART static void large(int n) {
    volatile char room[600];
    room[n] = 1;
    inner();
    sink = room[n];
}
APART static void tries(int n) { if (!setjmp(env)) small(n); large(n); inner(); sink = 3; }
int main(void) { for (int i = 0; i < 10; i++) tries(i % 3); return 0; }
END
if echo | $CC -dM -E - | grep -q '__x86_64__'; then
    for flags in '-O0' '-O2' '-O2 -fno-omit-frame-pointer'; do
        for every in 0 1; do
            # shellcheck disable=SC2086
            $CC -std=gnu99 $flags -finstrument-functions -c -o "$dir/jump.o" "$dir/jump.c" &&
                $CC -pthread -o "$dir/jump" "$dir/jump.o" "$dir"/record/*.o
            BURSTY_CONTEXTS_EVERY=$every BURSTY_CONTEXTS_BURST=2 BURSTY_CONTEXTS=$dir/j.brst \
                "$dir/jump" && show "$dir/j.brst" | sed 's/ [0-9]*$//' | LC_ALL=C sort >"$dir/got"
            printf '%s\n' main 'main;tries' 'main;tries;inner' 'main;tries;large' \
                'main;tries;large;inner' 'main;tries;small' 'main;tries;small;small' \
                'main;tries;small;small;small' >"$dir/wanted_jump"
            LC_ALL=C comm -23 "$dir/got" "$dir/wanted_jump" >"$dir/wrong"
            grep -qx 'main;tries;large' "$dir/got" && [ ! -s "$dir/wrong" ] && pass || {
                fail "after longjmp, $flags, $every calls between bursts"
                cat "$dir/got"
            }
        done
    done
fi

# What a jump has left is not open, whatever comes next: a function that the same place calls, one
# with a frame as large, a larger or a smaller one; and calls from one place of a function whose
# frame grows, and by two names. Every round counts each call once.
cat >"$dir/left.c" <<'END'
#include <setjmp.h>
#define APART __attribute__((noinline))
#define BY_HAND __attribute__((noinline, no_instrument_function))
BY_HAND void __cyg_profile_func_enter(void *function, void *site);
BY_HAND void __cyg_profile_func_exit(void *function, void *site);
static jmp_buf env;
static volatile int sink;
APART static void first(int n) { if (n) longjmp(env, 1); sink = n; }
APART static void second(int n) { if (n) longjmp(env, 1); sink = n + 1; }
APART static void third(int n) {
    volatile char room[300];
    room[sink & 1] = 1;
    if (n) longjmp(env, 1);
    sink = room[0];
}
static void (*const all[])(int) = {third, first, second, third, second, first};
APART static void same_place(void) {
    for (volatile int i = 0; i < 6; i++) if (!setjmp(env)) all[i](1);
}
APART static void other_place(void) {
    for (volatile int i = 0; i < 6; i++) {
        if (!setjmp(env)) all[i](1);
        first(0);
        if (!setjmp(env)) all[i](1);
        third(0);
        if (!setjmp(env)) all[i](1);
        second(0);
    }
}
APART static void one(void) { sink = 3; }
APART static void two(void) { sink = 4; }
BY_HAND static void around(void (*name)(void)) { /* and one of two that is inlined */
    void (*own)(void (*)(void)) = around;
    void *site = __builtin_return_address(0), *outer = *(void **)(void *)&own;
    void *inner = *(void **)(void *)&name;
    __cyg_profile_func_enter(outer, site);
    __cyg_profile_func_enter(inner, site);
    first(0);
    __cyg_profile_func_exit(inner, site);
    __cyg_profile_func_exit(outer, site);
    sink = 5;
}
BY_HAND static void grows(void (*name)(void), int n) {
    void *function = *(void **)(void *)&name;
    volatile char *room = __builtin_alloca((unsigned)n);
    for (int i = 0; i < n; i++) room[i] = 1; /* no return address is left there */
    __cyg_profile_func_enter(function, __builtin_return_address(0));
    first(0);
    __cyg_profile_func_exit(function, __builtin_return_address(0));
    sink = room[0];
}
APART static void names(void) {
    for (int i = 0; i < 6; i++) {
        grows(i & 1 ? one : two, 16);
        around(i & 1 ? two : one);
    }
}
APART static void frames(void) {
    for (volatile int i = 0; i < 6; i++) {
        if (!setjmp(env)) all[i](1);
        grows(i & 1 ? one : two, i & 2 ? 900 : 16);
        grows(i & 1 ? one : two, 16);
        if (!setjmp(env)) all[i](1);
        grows(i & 1 ? one : two, 900);
    }
}
int main(void) {
    for (int i = 0; i < 20; i++) { same_place(); other_place(); frames(); names(); }
    return 0;
}
END
if echo | $CC -dM -E - | grep -q '__x86_64__'; then
    printf '%s\n' 'main 1' 'main;frames 20' 'main;frames;first 80' 'main;frames;one 180' \
        'main;frames;one;first 180' 'main;frames;second 80' 'main;frames;third 80' \
        'main;frames;two 180' 'main;frames;two;first 180' 'main;names 20' \
        'main;names;around 120' 'main;names;around;one 60' 'main;names;around;one;first 60' \
        'main;names;around;two 60' 'main;names;around;two;first 60' 'main;names;one 60' \
        'main;names;one;first 60' 'main;names;two 60' 'main;names;two;first 60' \
        'main;other_place 20' \
        'main;other_place;first 240' 'main;other_place;second 240' 'main;other_place;third 240' \
        'main;same_place 20' 'main;same_place;first 40' 'main;same_place;second 40' \
        'main;same_place;third 40' >"$dir/wanted_left"
    for flags in '-O0' '-O2'; do
        # shellcheck disable=SC2086
        $CC -std=gnu99 $flags -finstrument-functions -c -o "$dir/left.o" "$dir/left.c" &&
            $CC -pthread -o "$dir/left" "$dir/left.o" "$dir"/record/*.o &&
            BURSTY_CONTEXTS=$dir/l.brst "$dir/left" && show "$dir/l.brst" | LC_ALL=C sort >"$dir/got"
        cmp -s "$dir/got" "$dir/wanted_left" && pass || {
            fail "what a jump has left, $flags"
            diff "$dir/got" "$dir/wanted_left"
        }
    done
fi

# Every call is counted, whatever a plain hook (recorder_plain.h) cannot take: stacks that are deeper
# than what the tree or frames[] keep, another stack, a place that two functions are called from,
# functions that were inlined, jumps out of a handler, and a timer's handler that comes in the
# middle of hooks. What it calls is counted below what it interrupts, which is counted as ever.
cat >"$dir/plain.c" <<'END'
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#define APART __attribute__((noinline))
static volatile int sink, ticks;
static sigjmp_buf env;
static ucontext_t first, second;
static inline int small(int n) { return sink = sink + n; }
APART static int leaf(int n) { return small(n) + small(n + 1); }
APART static int fall(int n) {
    int sum = leaf(n);
    if (n > 1) sum += fall(n - 1);
    return sum + leaf(n);
}
APART static void on_fiber(void) { for (int i = 0; i < 50; i++) { leaf(i); swapcontext(&second, &first); } }
APART static void fibers(void) {
    char *room = mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mprotect(room, 1 << 15, PROT_READ | PROT_WRITE) != 0) abort(); /* what is above faults */
    getcontext(&second);
    second.uc_stack.ss_sp = room;
    second.uc_stack.ss_size = 1 << 15;
    second.uc_link = &first;
    makecontext(&second, on_fiber, 0);
    for (int i = 0; i < 50; i++) swapcontext(&first, &second);
}
APART static void out(int n) { leaf(n); if (n & 1) siglongjmp(env, 1); }
APART static void jumper(int signal) { out(signal & 0 ? 0 : sink & 1); }
APART static void jumps(void) {
    signal(SIGUSR1, jumper);
    for (volatile int i = 0; i < 100; i++) {
        sink = i;
        if (!sigsetjmp(env, 1)) raise(SIGUSR1);
    }
}
static inline void thrown(int n) { leaf(n); if (n >= 0) siglongjmp(env, 1); }
APART static void again(void) {
    for (volatile int i = 0; i < 100; i++) if (!sigsetjmp(env, 0)) thrown(i);
}
APART static void handler(int signal) { (void)signal; ticks++; fall(40); }
APART static void step(int n) { leaf(n); }
APART static void storm(void) {
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 20000 || ticks < 200; i++) step(i);
    setitimer(ITIMER_REAL, &never, NULL);
}
APART static void steps(void) { for (int i = 0; i < 200; i++) step(i); }
int main(int argc, char **argv) {
    int depth = 0;
    for (char *at = argc > 1 ? argv[1] : ""; *at; at++) depth = 10 * depth + *at - '0';
    if (depth) for (int i = 0; i < 3; i++) { fall(depth); steps(); }
    else { fibers(); jumps(); again(); storm(); steps(); }
    return 0;
}
END
compile_record $CC -O2 -DRECORDER_DEPTH=256
for flags in '-O0' '-O2'; do
    # shellcheck disable=SC2086
    $CC -std=gnu99 $flags -finstrument-functions -c -o "$dir/plain.o" "$dir/plain.c" && $CC -pthread -o "$dir/plain" "$dir/plain.o" "$dir"/record/*.o
    ok $? "plain.c, $flags"
    for depth in 31 32 200 224 255 300 1000; do
        BURSTY_CONTEXTS=$dir/p.brst "$dir/plain" $depth 2>"$dir/err" &&
            show "$dir/p.brst" | LC_ALL=C sort >"$dir/got"
        awk -v depth=$depth 'BEGIN {
            print "main 1"
            print "main;steps 3"
            print "main;steps;step 600"
            print "main;steps;step;leaf 600"
            print "main;steps;step;leaf;small 1200"
            for (path = "main"; depth; depth--) {
                path = path ";fall"
                print path " 3"
                print path ";leaf 6"
                print path ";leaf;small 12"
            }
        }' | LC_ALL=C sort >"$dir/wanted_plain"
        cmp -s "$dir/got" "$dir/wanted_plain" && pass || {
            fail "$depth deep, $flags"
            diff "$dir/got" "$dir/wanted_plain" | head -n 5
        }
    done
    BURSTY_CONTEXTS=$dir/p.brst "$dir/plain" && show "$dir/p.brst" | LC_ALL=C sort >"$dir/got"
    ok $? "stacks and signals, $flags"
    for line in 'main 1' 'main;fibers 1' 'main;fibers;on_fiber 1' 'main;jumps 1' \
        'main;jumps;jumper 100' 'main;jumps;jumper;out 100' 'main;jumps;jumper;out;leaf 100' \
        'main;jumps;jumper;out;leaf;small 200' 'main;again;thrown 100' \
        'main;again;thrown;leaf;small 200' 'main;storm 1' 'main;steps 1' 'main;steps;step 200' \
        'main;steps;step;leaf 200' 'main;steps;step;leaf;small 400'; do
        grep -qx "$line" "$dir/got" && pass || fail "$flags: $line"
    done
    awk '{ n = $NF; sub(/ [0-9]*$/, "") }
        $0 == "main;storm;step" { steps = n }
        $0 == "main;storm;step;leaf" { leaves = n }
        $0 == "main;storm;step;leaf;small" { smalls = n }
        END { exit !(steps >= 20000 && leaves == steps && smalls == 2 * steps) }' "$dir/got" &&
        pass || fail "a handler takes calls away, $flags"
done

# A signal at each instruction, so within a hook, too, before and after each of its stores
# (recorder_none): what is interrupted is counted as ever, and what the handler calls there is left
# out. Elsewhere it is counted below the function that it interrupts.
cat >"$dir/trap.c" <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#define APART __attribute__((noinline))
#define BY_HAND __attribute__((noinline, no_instrument_function))
static volatile int sink;
static long traps;
BY_HAND static void each_instruction(int on) {
    long flags = on ? 0x100 : 0;
    __asm__ volatile("sub $128, %%rsp\n pushfq\n andq $~0x100, (%%rsp)\n orq %0, (%%rsp)\n popfq\n"
                     "add $128, %%rsp" : : "r"(flags) : "cc", "memory");
}
APART static void inner(void) { sink = 1; }
APART static void handler(int signal) { traps += signal != 0; inner(); }
APART static void leaf(int n) { sink = n; }
APART static void step(int n) { leaf(n); sink = n + 1; }
APART static void traced(int rounds) {
    for (int i = 0; i < 10; i++) step(i); /* so that all is known */
    each_instruction(1);
    for (int i = 0; i < rounds; i++) step(i);
    each_instruction(0);
    for (int i = 0; i < 10; i++) step(i);
}
int main(void) {
    signal(SIGTRAP, handler);
    handler(0);
    traced(50);
    printf("%ld\n", traps);
    return 0;
}
END
if echo | $CC -dM -E - | grep -q '__x86_64__'; then
    for flags in '-O0' '-O2'; do
        # shellcheck disable=SC2086
        $CC -std=gnu99 $flags -finstrument-functions -c -o "$dir/trap.o" "$dir/trap.c" &&
            $CC -pthread -o "$dir/trap" "$dir/trap.o" "$dir"/record/*.o &&
            BURSTY_CONTEXTS=$dir/t.brst "$dir/trap" >"$dir/traps" &&
            show "$dir/t.brst" | LC_ALL=C sort >"$dir/got"
        grep -v 'traced;.*handler\|traced;handler' "$dir/got" >"$dir/calls"
        printf '%s\n' 'main 1' 'main;handler 1' 'main;handler;inner 1' 'main;traced 1' \
            'main;traced;step 70' 'main;traced;step;leaf 70' >"$dir/wanted_calls"
        cmp -s "$dir/calls" "$dir/wanted_calls" && pass || {
            fail "calls with a signal at each instruction, $flags"
            diff "$dir/calls" "$dir/wanted_calls"
        }
        awk -v traps="$(cat "$dir/traps")" '/traced.*handler/ {
                n = $NF
                sub(/ [0-9]*$/, "")
                inner = sub(/;inner$/, "")
                if ($0 !~ /^main;traced(;step(;leaf)?)?;handler$/) wrong = wrong " " $0
                if (inner) inners[$0] = n
                else all += handlers[$0] = n
            }
            END {
                for (path in handlers) paths += handlers[path] >= 50 && handlers[path] == inners[path]
                if (wrong != "" || paths != 3 || all >= traps) {
                    print wrong, paths, all, traps
                    exit 1
                }
            }' "$dir/got" && pass || fail "a handler at each instruction, $flags"
    done
fi

# Random programs: recursion, calls by pointers, loops, tail calls, functions that the compiler
# inlines, and jumps. The truth is a tree that is kept by both hooks, and by the program where a
# jump arrives. Jumps beside inlined calls are left out: what a jump leaves of one frame, no hook
# sees.
cat >"$dir/random.awk" <<'END'
function draw(n) { return int(rand() * n) }
function start(i) { return kind[i] "int f" i "(int d)" }
BEGIN {
    srand(seed)
    n = 24
    split("static |static __attribute__((noinline)) |static inline |", kinds, "|")
    print "#include <setjmp.h>"
    print "#define BY_HAND __attribute__((no_instrument_function))"
    print "BY_HAND void *mark(void);\nBY_HAND void back(void *to);"
    print "static jmp_buf *env;\nstatic volatile unsigned sink, jumped;"
    print "static unsigned state = " seed ";\nstatic int fuel;"
    print "BY_HAND static unsigned draw(void) {"
    print "    return (state = state * 1103515245u + 12345u) >> 16;\n}"
    for (i = 0; i < n; i++) {
        kind[i] = kinds[1 + draw(4)]
        print start(i) ";"
    }
    printf "static int (*const table[])(int) = {"
    for (i = 0; i < n; i++) printf "f%d,", i
    print "};"
    for (i = 0; i < n; i++) {
        print start(i) " {\n    int s = " i ";"
        if (draw(3) == 0) {
            print "    volatile char room[" 16 * (1 + draw(20)) "];"
            print "    room[d & 7] = 1;\n    s += room[0];"
        }
        print "    if (d <= 0 || --fuel <= 0) return s;"
        for (calls = 1 + draw(4); calls > 0; calls--) {
            f = "f" draw(n) "(d - 1)"
            do way = draw(20); while (!jumps && way >= 13 && way < 17)
            if (way < 6) print "    s += " f ";"
            else if (way < 10) print "    if (draw() & 1) s += " f "; else sink = s;"
            else if (way < 13) print "    for (unsigned i = draw() % 4; i--;) s ^= " f ";"
            else if (way < 16) {
                print "    {\n        jmp_buf b, *volatile old = env; void *volatile here = mark();"
                print "        env = &b;\n        if (!setjmp(b)) s += " f "; else back(here);"
                print "        env = old;\n    }"
            } else if (way < 17) {
                print "    if (env && draw() % 8 == 0) {\n        jumped++;"
                print "        longjmp(*env, 1);\n    }"
            } else if (way < 19) print "    s += table[draw() % " n "](d - 1);"
            else print "    if (draw() % 8 == 0) return " f ";"
        }
        print "    return s;\n}"
    }
    print "int main(void) {\n    int s = 0;\n    for (int i = 0; i < 400; i++) {"
    print "        fuel = 300;\n        s += table[draw() % " n "](4) + f" draw(n) "(4);\n    }"
    print "    sink = s;\n    return jumped ? 0 : " (jumps > 0) ";\n}"
}
END
cat >"$dir/truth.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
typedef struct node { struct node *up, *child, *next; void *f; unsigned long count; } node;
static node root, *at = &root;
void __cyg_profile_func_enter(void *f, void *site);
void __cyg_profile_func_exit(void *f, void *site);
void *mark(void);
void back(void *to);
void __cyg_profile_func_enter(void *f, void *site) {
    node *c = at->child;
    (void)site;
    while (c && c->f != f) c = c->next;
    if (!c && (c = calloc(1, sizeof *c)) != NULL) {
        c->up = at;
        c->f = f;
        c->next = at->child;
        at->child = c;
    }
    if (!c) abort();
    c->count++;
    at = c;
}
void __cyg_profile_func_exit(void *f, void *site) {
    (void)site;
    if (at->f != f) abort();
    at = at->up;
}
void *mark(void) { return at; }
void back(void *to) { at = to; }
static void show(const node *x, char *path, char *end) {
    for (; x; x = x->next) {
        int n = sprintf(end, "%s%lx", end == path ? "" : ";", (unsigned long)x->f);
        printf("%s %lu\n", path, x->count);
        show(x->child, path, end + n);
        *end = 0;
    }
}
__attribute__((destructor)) static void done(void) {
    static char path[4096];
    show(root.child, path, path);
}
END
printf '%s\n' 'void *mark(void);' 'void back(void *to);' 'static int none;' \
    'void *mark(void) { return &none; }' 'void back(void *to) { (void)to; }' >"$dir/marks.c"
if echo | $CC -dM -E - | grep -q '__x86_64__'; then
    compile_record $CC -O2 -DRECORDER_CONTEXTS=200000 # room for all
    $CC -O2 -c -o "$dir/truth.o" "$dir/truth.c" && $CC -O2 -c -o "$dir/marks.o" "$dir/marks.c"
    for seed in 1 2 3; do
        for flags in '-O0' '-O2 -fno-inline' '-O2'; do
            jumps=$([ "$flags" = -O2 ] && echo 0 || echo 1)
            awk -v seed=$seed -v jumps="$jumps" -f "$dir/random.awk" >"$dir/random.c"
            # shellcheck disable=SC2086
            $CC -std=gnu99 -w -fno-pie $flags -finstrument-functions -c -o "$dir/random.o" \
                "$dir/random.c" &&
                $CC -no-pie -o "$dir/random_truth" "$dir/random.o" "$dir/truth.o" &&
                $CC -no-pie -pthread -o "$dir/random" "$dir/random.o" "$dir/marks.o" \
                    "$dir"/record/*.o &&
                "$dir/random_truth" >"$dir/addresses" && nm "$dir/random_truth" >"$dir/names" &&
                awk 'NR == FNR { sub(/^0*/, ""); names[$1] = $NF; next }
                    {
                        n = split($1, path, ";")
                        for (i = 1; i <= n; i++) printf "%s%s", names[path[i]], i < n ? ";" : " "
                        print $2
                    }' "$dir/names" "$dir/addresses" | LC_ALL=C sort >"$dir/wanted_random" &&
                BURSTY_CONTEXTS=$dir/r.brst "$dir/random" &&
                show "$dir/r.brst" | LC_ALL=C sort >"$dir/got"
            [ "$(wc -l <"$dir/got")" -gt 500 ] && cmp -s "$dir/got" "$dir/wanted_random" &&
                pass || {
                fail "random program $seed, $flags"
                diff "$dir/got" "$dir/wanted_random" | head -n 5
            }
        done
    done
fi

# Even the hooks' own file may be compiled with the flag.
if $CC -O1 -I. -finstrument-functions -pthread -o "$dir/program" "$dir/program.c" $record; then
    BURSTY_CONTEXTS=$dir/b.brst "$dir/program" && show "$dir/b.brst" | LC_ALL=C sort >"$dir/got"
    cmp -s "$dir/got" "$dir/wanted" && pass || {
        fail "all with the flag"
        diff "$dir/got" "$dir/wanted"
    }
fi
# Stripped: file and offset instead of names, same counts. %p is the process number.
strip -o "$dir/stripped" "$dir/program" 2>/dev/null || cp "$dir/program" "$dir/stripped"
rm -f "$dir"/c.*.brst
BURSTY_CONTEXTS=$dir/c.%p.brst "$dir/stripped"
set -- "$dir"/c.*.brst
show "$1" >"$dir/got"
at='stripped+0x[0-9a-f]*'
grep -q "^$at;$at;$at;$at 6000\$" "$dir/got" && pass || {
    fail "a stripped program"
    cat "$dir/got"
}
# A thread that never ends is in the dump too.
BURSTY_CONTEXTS=$dir/d.brst "$dir/program" forever && show "$dir/d.brst" >"$dir/got"
grep -q '^main;work;mid;leaf 2000$' "$dir/got" && pass || {
    fail "main beside a running thread"
    cat "$dir/got"
}
grep -q '^forever;.*mid;leaf [0-9]' "$dir/got" && pass || {
    fail "a running thread"
    cat "$dir/got"
}
# Threads that follow one another share a tree; threads at one time have one each.
[ "$(grep -c . <"$dir/wanted")" = "$("$bursty" report --collapsed "$dir/b.brst" | grep -c .)" ] &&
    pass || fail "trees are not joined"
# What cannot be written is said.
BURSTY_CONTEXTS=$dir/none/x.brst "$dir/program" 2>"$dir/err"
grep -q 'hcct: cannot write .*none/x.brst: No such file' "$dir/err" && pass || fail "no message"
if [ -w /dev/full ]; then
    BURSTY_CONTEXTS=/dev/full "$dir/program" 2>"$dir/err"
    grep -q 'hcct: cannot write /dev/full: ' "$dir/err" && pass || fail "a full disk: no message"
fi

# A dump waits for a hook that has its record, in whatever order stores are seen.
$CC -O1 -pthread -I. -o "$dir/order" tests/recorder_order.c && "$dir/order" && pass ||
    fail "a dump beside a hook: status $?"

# fork: a child writes a file of its own and keeps neither the parent's counts nor its threads'
# trees.
cat >"$dir/fork.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int stop, sink;
static int leaf(int n) { return sink = n + 1; }
static int only_child(int n) { return leaf(n); }
static int only_parent(int n) { return leaf(n); }
static int splitting(int n) {
    pid_t p = fork();
    if (p == 0) {
        for (int i = 0; i < 10; i++) only_child(i);
        exit(0);
    }
    waitpid(p, 0, 0);
    return n;
}
static void *work(void *p) { while (!stop) for (int i = 0; i < 100; i++) leaf(i); return p; }
static void *once(void *p) { leaf(1); return p; }
static void *many(void *p) {
    while (!stop) {
        pthread_t t;
        if (pthread_create(&t, 0, once, 0) == 0) pthread_join(t, 0);
    }
    return p;
}
int main(int argc, char **argv) {
    pthread_t t[4];
    int threads = argc > 1, children = threads ? atoi(argv[1]) : 1;
    for (int i = 0; i < 1000; i++) leaf(i);
    for (int i = 0; i < 4 * threads; i++) pthread_create(&t[i], 0, i < 2 ? work : many, 0);
    for (int i = 0; i < children; i++) splitting(i);
    stop = 1;
    for (int i = 0; i < 4 * threads; i++) pthread_join(t[i], 0);
    for (int i = 0; i < 20; i++) only_parent(i);
    return 0;
}
END
if compile_record $CC -O1 && $CC -O1 -finstrument-functions -c -o "$dir/program.o" "$dir/fork.c" &&
    $CC -pthread -o "$dir/fork" "$dir/program.o" "$dir"/record/*.o; then
    rm -f "$dir"/f.brst*
    BURSTY_CONTEXTS=$dir/f.brst "$dir/fork"
    show "$dir/f.brst" | LC_ALL=C sort >"$dir/got"
    printf '%s\n' 'main 1' 'main;leaf 1000' 'main;only_parent 20' 'main;only_parent;leaf 20' \
        'main;splitting 1' >"$dir/parent"
    cmp -s "$dir/got" "$dir/parent" && pass || {
        fail "the parent's file"
        cat "$dir/got"
    }
    show "$dir"/f.brst.* | LC_ALL=C sort >"$dir/got"
    printf '%s\n' 'main;splitting;only_child 10' 'main;splitting;only_child;leaf 10' >"$dir/child"
    cmp -s "$dir/got" "$dir/child" && pass || {
        fail "the child's file"
        cat "$dir/got"
    }
    rm -f "$dir"/g.brst*
    BURSTY_CONTEXTS=$dir/g.brst within 60 "$dir/fork" 40 && pass ||
        fail "forks beside threads: a child hangs"
    [ "$(ls "$dir"/g.brst.* | wc -l)" = 40 ] && pass || fail "forks beside threads: files are missing"
    for file in "$dir"/g.brst.*; do show "$file"; done | LC_ALL=C sort -u >"$dir/got"
    cmp -s "$dir/got" "$dir/child" && pass || {
        fail "the children's files"
        head "$dir/got"
    }
    rm -f "$dir"/g.brst*
else
    fail "fork.c does not compile"
fi

# Memory that runs out: the program goes on, and what is missing is said.
cat >"$dir/calloc.c" <<'END'
#include <stdlib.h>
static long left = -1;
__attribute__((no_instrument_function)) void *short_calloc(size_t count, size_t size);
__attribute__((no_instrument_function)) void *short_calloc(size_t count, size_t size) {
    if (left < 0) left = atol(getenv("CALLOCS"));
    return left-- > 0 ? calloc(count, size) : NULL;
}
END
if compile_record $CC -O1 -D_GNU_SOURCE -Dcalloc=short_calloc -include stdlib.h &&
    $CC -O1 -c -o "$dir/record/calloc.o" "$dir/calloc.c" &&
    $CC -O1 -finstrument-functions -c -o "$dir/program.o" "$dir/program.c" &&
    $CC -pthread -o "$dir/short" "$dir/program.o" "$dir"/record/*.o; then
    rm -f "$dir/h.brst"
    CALLOCS=0 BURSTY_CONTEXTS=$dir/h.brst "$dir/short" 2>"$dir/err" && pass ||
        fail "no memory at all: status $?"
    grep -q 'hcct: 4 threads are missing, for lack of memory' "$dir/err" && pass || {
        fail "no memory at all: no message"
        cat "$dir/err"
    }
    [ -e "$dir/h.brst" ] && fail "no memory at all: a file" || pass
    for some in 1 2 3 5 7; do
        CALLOCS=$some BURSTY_CONTEXTS=$dir/h.brst "$dir/short" 2>"$dir/err" && pass ||
            fail "$some allocations: status $?"
        show "$dir/h.brst" | LC_ALL=C sort >"$dir/got" && [ -s "$dir/got" ] && pass ||
            fail "$some allocations: no contexts"
        # Threads that run one behind the other need the memory of one.
        [ $some -gt 1 ] && cmp -s "$dir/got" "$dir/wanted" ||
            grep -q 'for lack of memory' "$dir/err" && pass || fail "$some allocations: no message"
    done
else
    fail "calloc.c does not compile"
fi

if command -v "${CXX%% *}" >/dev/null 2>&1 &&
    $CXX -O2 -finstrument-functions -c -o "$dir/program.o" "$dir/program.cc"; then
    compile_record $CXX -x c++ -std=c++11 -Wall -Wextra -O2 &&
        $CXX -pthread -o "$dir/program" "$dir/program.o" "$dir"/record/*.o
    ok $? "the recorder as C++"
    BURSTY_CONTEXTS=$dir/e.brst "$dir/program" && show "$dir/e.brst" >"$dir/got"
    # A tool that is linked statically has no C++ library to read names with.
    catcher='(catcher[(][)]|_ZL7catcherv)' after='(after[(][)]|_ZL5afterv)'
    grep -qE "^main;$catcher;$after 5\$" "$dir/got" && pass || {
        fail "after an exception"
        cat "$dir/got"
    }
    grep -qE "^main;$catcher 5\$" "$dir/got" && pass || fail "the catcher"
else
    skip "no C++ compiler"
fi
finish
