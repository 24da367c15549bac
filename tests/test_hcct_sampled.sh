#!/bin/sh
# test_hcct_sampled.sh - the recorder of -finstrument-functions in bursts: contexts, totals,
# threads, fork, exit, deep recursion; libraries that are unloaded; functions, callers and callees.
CC=${CC:-cc} BUILD=${BUILD:-build}
dir=$BUILD/tests/hcct_sampled
. tests/recorder.sh
record="instrument settings calls threads names dump ticks sampled"
objects="instrument.o settings.o calls.o threads.o names.o dump.o ticks.o sampled.o"

cat >"$dir/hooks.c" <<'END_OF_FILE'
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#define HOOK __attribute__((no_instrument_function))
HOOK void __cyg_profile_func_enter(void *f, void *s) { (void)f, (void)s; }
HOOK void __cyg_profile_func_exit(void *f, void *s) { (void)f, (void)s; }
END_OF_FILE
cat >"$dir/program.c" <<'END_OF_FILE'
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static jmp_buf env;
static volatile int sink;
static inline int tiny(int x) {
    sink = sink + x;
    return x;
}
static int leaf(int x) { return tiny(x) + 1; }
static int mid(int x) { return leaf(x) + leaf(x + 1); }
static void dive(int n) {
    char *p = (char *)__builtin_alloca((unsigned)n * 8 + 8);
    memset(p, n, 8);
    sink = p[0];
    if (n == 0) longjmp(env, 1);
    dive(n - 1);
    sink = 1;
}
static void guarded(void) {
    if (!setjmp(env)) dive(3);
}
static void deep(int n) {
    if (n) deep(n - 1);
    sink = n;
}
static void *work(void *p) {
    int i;
    for (i = 0; i < 20000; i++) mid(i);
    return p;
}
static void *leaver(void *p) {
    mid(1);
    exit(*(int *)p);
}
static int only_child(int n) { return leaf(n); }
int main(int argc, char **argv) {
    pthread_t t[3];
    int i, status = 7;
    switch (argc > 1 ? argv[1][0] : 'w') {
    case 'd': /* deeper than the recorder keeps */
        for (i = 0; i < 200; i++) {
            deep(100);
            mid(i);
        }
        break;
    case 't': /* threads */
        for (i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
        for (i = 0; i < 3; i++) pthread_join(t[i], 0);
        work(0);
        break;
    case 'e': /* a thread ends the program */
        work(0);
        pthread_create(&t[0], 0, leaver, &status);
        pthread_join(t[0], 0);
        break;
    case 'f': /* fork */
        work(0);
        if (fork() == 0) {
            for (i = 0; i < 5000; i++) only_child(i);
            exit(0);
        }
        wait(&status);
        break;
    default:
        for (i = 0; i < 10000; i++) {
            mid(i);
            if (i % 5 == 0) guarded();
        }
    }
    return 0;
}
END_OF_FILE
$CC -O1 -pthread -finstrument-functions -o "$dir/t" "$dir/hooks.c" "$dir/program.c" \
    2>/dev/null || {
    leave "$CC has no -finstrument-functions"
}

recorder() { # [FLAG]
    for file in $record; do $CC "$@" -O1 -I. -c -o "$dir/$file.o" record/inside/[ch]o*/"$file.c" || return 1; done
}
build() { # OUT FLAGS: the program with the recorder
    # shellcheck disable=SC2086
    $CC $2 -finstrument-functions -c -o "$dir/program.o" "$dir/program.c" || return 1
    (cd "$dir" && $CC -pthread -o "$1" program.o $objects)
}
stacks() { "$bursty" report --collapsed --min 0 "$@" | sed 's/ [0-9]*$//' | LC_ALL=C sort; }
total() { "$bursty" report "$@" | sed -n 's/^\([0-9]*\) calls.*/\1/p'; }
calls() { # FILE FUNCTION: the column calls of the table of functions
    "$bursty" report "$1" | awk -v name="$2" '/^callers/ { exit } $5 == name { print $2 }'
}
near() { # GOT WANTED: within 10 %
    [ -n "$1" ] && [ "$1" -ge $(($2 - $2 / 10)) ] && [ "$1" -le $(($2 + $2 / 10)) ]
}

# Bursts see no context that is not one, whatever longjmp and inlining do, and count all calls.
recorder
ok $? "the recorder compiles"
for flags in '-O0' '-O2' '-O3 -fomit-frame-pointer'; do
    build program "$flags"
    ok $? "$flags: compiles"
    BURSTY_CONTEXTS=$dir/full.brst "$dir/program"
    BURSTY_CONTEXTS=$dir/a.brst BURSTY_CONTEXTS_EVERY=191 BURSTY_CONTEXTS_BURST=20 "$dir/program"
    stacks "$dir/full.brst" >"$dir/full"
    stacks "$dir/a.brst" >"$dir/got"
    LC_ALL=C comm -13 "$dir/full" "$dir/got" >"$dir/wrong"
    [ -s "$dir/got" ] && [ ! -s "$dir/wrong" ]
    ok $? "$flags: contexts that do not exist: $(head -n 3 "$dir/wrong")"
    [ "$(total "$dir/full.brst")" = 60001 ] && [ "$(total "$dir/a.brst")" = 60001 ]
    ok $? "$flags: totals $(total "$dir/full.brst") and $(total "$dir/a.brst"), not 60001"
    for row in mid:10000 leaf:20000 tiny:20000 dive:8000 guarded:2000; do
        near "$(calls "$dir/a.brst" ${row%:*})" ${row#*:}
        ok $? "$flags: ${row%:*} has $(calls "$dir/a.brst" ${row%:*}) calls, not ${row#*:}"
    done
done
"$bursty" report "$dir/a.brst" |
    grep -q '^60001 calls. Counts are estimates: [0-9]* calls, in bursts'
ok $? "the report does not say that counts are estimates"
in_bursts=$("$bursty" report "$dir/a.brst" | sed -n 's/.*estimates: \([0-9]*\) calls, in bursts.*/\1/p')
near "$in_bursts" 5687
ok $? "191 calls between bursts of 20: $in_bursts of 60001 calls were in bursts, not 5687"

"$bursty" report "$dir/a.brst" | tr '\n' ' ' >"$dir/text"
lacks "$dir/text" 'in bursts' 'adaptive bursts'
ok $? "bursts were left out though no setting says so: $(cut -c 1-300 "$dir/text")"

# Adaptive bursts: once in 4 a known stack has one, whose calls are 4; and none.
export BURSTY_CONTEXTS_EVERY=191 BURSTY_CONTEXTS_BURST=20
BURSTY_CONTEXTS=$dir/four.brst BURSTY_CONTEXTS_REENABLE=4 "$dir/program"
BURSTY_CONTEXTS=$dir/none.brst BURSTY_CONTEXTS_REENABLE=0 "$dir/program"
unset BURSTY_CONTEXTS_EVERY BURSTY_CONTEXTS_BURST
for file in four none; do
    stacks "$dir/$file.brst" >"$dir/got"
    LC_ALL=C comm -13 "$dir/full" "$dir/got" >"$dir/wrong"
    [ -s "$dir/got" ] && [ ! -s "$dir/wrong" ] && [ "$(total "$dir/$file.brst")" = 60001 ]
    ok $? "adaptive bursts, $file: $(total "$dir/$file.brst") calls, $(head -n 3 "$dir/wrong")"
    "$bursty" report "$dir/$file.brst" | tr '\n' ' ' >"$dir/$file.text"
done
for row in mid:10000 leaf:20000 tiny:20000 dive:8000; do
    near "$(calls "$dir/four.brst" ${row%:*})" ${row#*:}
    ok $? "adaptive bursts: ${row%:*} has $(calls "$dir/four.brst" ${row%:*}) calls, not ${row#*:}"
done
grep -q 'adaptive bursts [0-9]* of 28[0-9] were left out.* counts as 4;' "$dir/four.text" &&
    lacks "$dir/four.text" 'adaptive bursts' 'MISSING'
ok $? "adaptive bursts are not told: $(cut -c 1-300 "$dir/four.text")"
grep -q 'MISSING: bursts left out, at stacks that had one before: 2[78][0-9], 9' "$dir/none.text"
ok $? "counts that are too small are not told: $(cut -c 1-300 "$dir/none.text")"

# Functions, callers and callees of a whole tree. dive is below itself: its calls count once.
"$bursty" report "$dir/full.brst" | tr -s ' ' >"$dir/text"
for row in ' 33.33% 20000 66.67% 40000 leaf' ' 13.33% 8000 13.33% 8000 dive' \
    ' 0.00% 1 100.00% 60001 main' \
    ' 33.33% 20000 mid leaf' ' 3.33% 2000 guarded dive' ' 10.00% 6000 dive dive'; do
    grep -qxF -e "$row" -e "${row# }" "$dir/text"
    ok $? "no row '$row'"
done

# Every thread, the end of the program in a thread, a fork.
BURSTY_CONTEXTS=$dir/t.brst BURSTY_CONTEXTS_EVERY=900 "$dir/program" threads
[ "$(total "$dir/t.brst")" = 400005 ]
ok $? "threads: $(total "$dir/t.brst") calls, not 400005"
near "$(calls "$dir/t.brst" leaf)" 160000
ok $? "threads: leaf has $(calls "$dir/t.brst" leaf) calls, not 160000"
BURSTY_CONTEXTS=$dir/e.brst BURSTY_CONTEXTS_EVERY=900 "$dir/program" exit
[ $? = 7 ] && [ "$(total "$dir/e.brst")" = 100008 ]
ok $? "exit in a thread: $(total "$dir/e.brst") calls, not 100008"
rm -f "$dir"/f.brst*
BURSTY_CONTEXTS=$dir/f.brst BURSTY_CONTEXTS_EVERY=900 "$dir/program" fork
[ "$(total "$dir/f.brst")" = 100002 ] && [ "$(total "$dir"/f.brst.*)" = 15000 ]
ok $? "fork: $(total "$dir/f.brst") and $(total "$dir"/f.brst.*) calls, not 100002 and 15000"
stacks "$dir"/f.brst.* | grep -qv '^main;only_child'
[ $? = 1 ] && stacks "$dir"/f.brst.* | grep -q '^main;only_child;leaf;tiny$'
ok $? "fork: the child's contexts: $(stacks "$dir"/f.brst.* | head -n 3)"

# What is not valid is said, and every call is recorded.
for setting in EVERY=x EVERY=1.5 EVERY=-1 EVERY=99999999999; do
    env BURSTY_CONTEXTS="$dir/b.brst" "BURSTY_CONTEXTS_$setting" "$dir/program" 2>"$dir/err"
    grep -q '^hcct: .*is not valid: a number from 0 to 1073741824 is wanted$' "$dir/err" &&
        "$bursty" report "$dir/b.brst" | grep -q '^60001 calls counted by'
    ok $? "$setting: $(cat "$dir/err")"
done

# Recursion deeper than the recorder keeps.
recorder -DRECORDER_DEPTH=50 && build small '-O1 -fno-optimize-sibling-calls'
ok $? "a small recorder compiles"
BURSTY_CONTEXTS=$dir/full.brst "$dir/small" deep 2>/dev/null
export BURSTY_CONTEXTS_EVERY=191 BURSTY_CONTEXTS_BURST=20
BURSTY_CONTEXTS=$dir/d.brst "$dir/small" deep 2>"$dir/err"
unset BURSTY_CONTEXTS_EVERY BURSTY_CONTEXTS_BURST
[ "$(total "$dir/full.brst")" = 21201 ] && [ "$(total "$dir/d.brst")" = 21201 ]
ok $? "deep: totals $(total "$dir/full.brst") and $(total "$dir/d.brst"), not 21201"
stacks "$dir/full.brst" >"$dir/full"
stacks "$dir/d.brst" >"$dir/got"
LC_ALL=C comm -13 "$dir/full" "$dir/got" >"$dir/wrong"
[ -s "$dir/got" ] && [ ! -s "$dir/wrong" ]
ok $? "deep: contexts that do not exist: $(head -n 3 "$dir/wrong" | cut -c 1-300)"
grep -q 'calls were deeper than RECORDER_DEPTH (50)' "$dir/err"
ok $? "deep: no message"

# Two libraries, one after the other, at one place in memory.
cat >"$dir/host.c" <<'END_OF_FILE'
#include <dlfcn.h>
#include <stdio.h>
static int run(const char *path, int times) {
    void *library = dlopen(path, RTLD_NOW);
    int (*call)(int);
    if (!library) return 1;
    *(void **)&call = dlsym(library, "entry");
    while (times--) call(times);
    return dlclose(library);
}
int main(int argc, char **argv) { return argc < 3 || run(argv[1], 100) || run(argv[2], 300); }
END_OF_FILE
cat >"$dir/plug.c" <<'END_OF_FILE'
int entry(int x);
static volatile int sink;
__attribute__((noinline)) static int NAME(int x) { return sink = x; }
int entry(int x) { return NAME(x) + 1; }
END_OF_FILE
export BURSTY_CONTEXTS=$dir/l.brst
if (cd "$dir" && for name in first other; do
    $CC -O1 -fPIC -shared -DNAME=$name -o lib$name.so plug.c || exit 1
done && $CC -o host host.c -ldl && ./host ./libfirst.so ./libother.so) 2>/dev/null; then
    recorder && (cd "$dir" && for name in first other; do
        $CC -O1 -fPIC -shared -finstrument-functions -DNAME=$name -o lib$name.so plug.c || exit 1
    done && $CC -O1 -finstrument-functions -c host.c &&
        $CC -rdynamic -pthread -o host host.o $objects -ldl) &&
        "$dir/host" "$dir/libfirst.so" "$dir/libother.so" 2>/dev/null
    ok $? "dlclose: the program"
    "$bursty" report --collapsed --min 0 "$dir/l.brst" | sed 's/ #2//' | LC_ALL=C sort >"$dir/got"
    printf '%s\n' 'main 1' 'main;run 2' 'main;run;entry 100' 'main;run;entry 300' \
        'main;run;entry;first 100' 'main;run;entry;other 300' >"$dir/wanted"
    cmp -s "$dir/got" "$dir/wanted"
    ok $? "dlclose: $(cat "$dir/got")"
else
    skip "$CC makes no libraries to load"
fi

# Handlers that make bursts begin at any instruction of the hooks.
cat >"$dir/handler.c" <<'END_OF_FILE'
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
static volatile int sink, handled;
__attribute__((noinline)) static void inner(void) { sink = sink + 1; }
__attribute__((noinline)) static void leaf(int n) { sink = n; }
__attribute__((no_instrument_function)) static void handler(int number) {
    int i;
    for (i = 0; i < 20; i++) inner();
    handled = handled + (number == SIGALRM);
}
__attribute__((no_instrument_function)) int main(void) {
    struct itimerval every = {{0, 100}, {0, 100}};
    struct sigaction action;
    int n = 0;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    while (handled < 3000) leaf(n++);
    memset(&every, 0, sizeof every);
    setitimer(ITIMER_REAL, &every, NULL);
    puts("done");
    return 0;
}
END_OF_FILE
export BURSTY_CONTEXTS=$dir/h.brst
(cd "$dir" && $CC -O1 -finstrument-functions -c handler.c &&
    $CC -pthread -o handler handler.o $objects -ldl)
ok $? "handlers do not compile"
for bursts in '180 20' '9900 100'; do
    rm -f "$dir/h.brst"
    got=$(BURSTY_CONTEXTS_EVERY=${bursts% *} BURSTY_CONTEXTS_BURST=${bursts#* } "$dir/handler")
    status=$?
    "$bursty" report --collapsed --min 0 "$dir/h.brst" >"$dir/got"
    [ $status = 0 ] && [ "$got" = done ] && grep -q '^leaf [1-9]' "$dir/got" &&
        ! grep -q 'leaf;leaf' "$dir/got"
    ok $? "handlers, $bursts: status $status, $(cat "$dir/got")"
done

# The recorder copies stacks itself: a filter that kills who asks the system to do it kills nobody.
cat >"$dir/filter.c" <<'END_OF_FILE'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define HOOK __attribute__((no_instrument_function))
static volatile int sink;
__attribute__((noinline)) static int leaf(int n) { return sink = n; }
__attribute__((noinline)) static int middle(int n) { return leaf(n) + leaf(n + 1); }
HOOK int main(void) {
    struct sock_filter kills[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter;
    int n;
    filter.len = sizeof kills / sizeof *kills;
    filter.filter = kills;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 77;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 77;
    for (n = 0; n < 20000; n++) middle(n);
    puts("done");
    return 0;
}
END_OF_FILE
$CC -w -c -o "$dir/filter.o" "$dir/filter.c" 2>/dev/null || leave "no seccomp"
(cd "$dir" && $CC -O1 -finstrument-functions -c filter.c &&
    $CC -pthread -o filter filter.o $objects -ldl)
ok $? "the filter does not compile"
rm -f "$dir/h.brst"
got=$(BURSTY_CONTEXTS_EVERY=180 BURSTY_CONTEXTS_BURST=20 BURSTY_CONTEXTS_TICKS=1000 "$dir/filter")
status=$?
"$bursty" report --collapsed --by calls --min 0 "$dir/h.brst" >"$dir/got"
if [ $status = 77 ]; then
    skip "no seccomp"
else
    [ $status = 0 ] && [ "$got" = done ] && grep -q '^middle;leaf [1-9]' "$dir/got"
    ok $? "a filter that kills: status $status, $(cat "$dir/got")"
fi
finish
