#!/bin/sh
# test_record_right.sh - `bursty record` does not change a program, or it refuses and says why: return
# addresses that are looked up, code that patches itself, system calls that are forbidden by an
# instruction of the program's own, programs of sanitizers, processes that become other programs.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_right
needs_recorder
traps=$top/tests/traps
shown=got.err
compile() { # COMMAND...
    "$@" 2>log || { echo "$*"; cat log; exit 2; }
}
settings='--every 5 --burst 5 --profile hcct,footprint
--calls --ticks 500
--every 0 --all-checks
--calls --off --ticks 500'

# PROGRAM prints and returns the same in four settings, and TEXT is among what record says.
same() { # PROGRAM [TEXT]
    ./"$1" >plain 2>plain.err
    status=$?
    echo "$settings" | while read -r options; do
        rm -f x.brst
        # shellcheck disable=SC2086
        within 60 $bursty record $options -o x.brst -- ./"$1" >got 2>got.err
        got=$?
        if [ $got != $status ] || ! cmp -s plain got; then
            echo "FAILED $1 $options: status $got instead of $status"
            sed 's/^/    /' got.err
        elif [ -n "${2-}" ] && ! grep -q "$2" got.err; then
            echo "FAILED $1 $options: nothing of $2"
            sed 's/^/    /' got.err
        else echo passed; fi
    done >answers
    passed=$((passed + $(grep -c '^passed$' answers)))
    failed=$((failed + $(grep -c '^FAILED' answers)))
    grep -v '^passed$' answers
}

# ---- return addresses that are looked up -------------------------------------------------------

for pie in -no-pie -pie; do
    compile $CC -O2 $pie -fPIE -o lookups "$traps/lookups.c"
    same lookups 'looks return addresses up'
    $bursty record --calls --stats -o x.brst -- ./lookups >got 2>got.err
    if grep -q '^ *6 the program looks its return addresses up' got.err; then pass
    else fail "lookups $pie: six functions are left as they are"; fi
done

# ---- code that changes itself, and system calls that are forbidden ------------------------------

for pie in -no-pie -pie; do
    compile $CC -O2 $pie -fPIE -o changes "$traps/changes.c"
    same changes 'the program made their code writable'
    compile $CC -O2 $pie -fPIE -o filter "$traps/filter.c"
    if ./filter >plain; [ $? = 3 ]; then
        same filter 'forbid system calls by an instruction of its own'
        calls=$settings
        settings='--time --inside'
        same filter 'forbid system calls by an instruction of its own'
        settings=$calls
        filters=yes
    else skip "no filters of system calls here"; fi
done

# ---- programs of sanitizers --------------------------------------------------------------------

printf '#include <stdio.h>\nint main(void) { puts("ran"); return 4; }\n' >plain.c
for compiler in gcc clang; do
    for kind in address thread undefined; do
        "$compiler" -O1 -pthread -fsanitize=$kind -o sanitized plain.c 2>log && ./sanitized >got
        if [ $? != 4 ]; then
            skip "$compiler has no -fsanitize=$kind that works here"
            continue
        fi
        within 60 $bursty record --calls -o x.brst -- ./sanitized >got 2>got.err
        status=$?
        if [ $kind = undefined ]; then
            if [ $status = 4 ] && grep -qx ran got; then pass
            else fail "$compiler -fsanitize=$kind: status $status"; fi
        elif [ $status = 2 ] && [ ! -s got ] && [ "$(wc -l <got.err)" = 1 ] \
             && grep -q "sanitized: it was compiled with -fsanitize=$kind" got.err; then pass
        else fail "$compiler -fsanitize=$kind is not refused: status $status"; fi
    done
done

# ---- a process that becomes other programs -----------------------------------------------------

# Each program that it was has its file; one that could not be started leaves none.
cat >images.c <<'END_OF_FILE'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int hot(int n);
__attribute__((noinline)) int hot(int n) { return n < 2 ? n : hot(n - 1) + hot(n - 2); }
int main(int argc, char **argv) {
    char less[16], *none[] = {NULL};
    int n = atoi(argv[1]);
    (void)argc;
    printf("%d %d\n", n, hot(18));
    fflush(stdout);
    if (n == 0) return 7;
    snprintf(less, sizeof less, "%d", n - 1);
    execl("/no/such/program", "program", (char *)NULL);
    if (n == 100) execle("/proc/self/exe", argv[0], "0", (char *)NULL, none);
    execl("/proc/self/exe", argv[0], less, (char *)NULL);
    return 1;
}
END_OF_FILE
compile $CC -O1 -o images images.c
./images 50 >plain
rm -f x.brst*
$bursty record --calls --follow -o x.brst -- ./images 50 >got 2>got.err
status=$?
files=$(ls x.brst.*.* 2>/dev/null | wc -l)
bad=0
for file in x.brst x.brst.*.*; do $bursty report --min 0 "$file" 2>&1 | grep -q hot || bad=1; done
if [ $status = 7 ] && cmp -s plain got && [ "$files" = 50 ] && [ $bad = 0 ] \
   && grep -q 'became another program 50 times; what it was before is in .*x.brst.*1 to .*50$' got.err
then pass; else fail "50 programs of one process: status $status, $files files"; fi
rm -f x.brst*
$bursty record --calls --follow -o x.brst -- ./images 100 >got 2>got.err
if [ $? = 7 ] && [ "$(ls x.brst*)" = x.brst ] && $bursty report --min 0 x.brst | grep -q hot \
   && grep -q 'with an environment of its own: from there on nothing is recorded' got.err; then pass
else fail "an environment of its own"; fi

# ---- what is not covered is said ---------------------------------------------------------------

# A function of four bytes with another one behind it has no room for a jump: no number has its
# calls, and the report says so before the first one. A library that comes later is named, also if
# it is gone at the end.
cat >small.c <<'END_OF_FILE'
#include <dlfcn.h>
#include <stdio.h>
int tiny(int n);
int next(int n);
int hot(int n);
__asm__(".text\n.globl tiny, next\n.type tiny,@function\n.type next,@function\n"
        "tiny: .cfi_startproc\nlea 1(%rdi),%eax\nret\n.cfi_endproc\n.size tiny,.-tiny\n"
        "next: .cfi_startproc\nlea 2(%rdi),%eax\nnop\nnop\nret\n.cfi_endproc\n"
        ".size next,.-next\n");
__attribute__((noinline)) int hot(int n) { return n < 2 ? tiny(n) : next(hot(n - 1)) + hot(n - 2); }
int main(int argc, char **argv) {
    int (*later)(int) = NULL;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library) *(void **)&later = dlsym(library, "later");
    printf("%d %d\n", hot(18), later ? later(3) : 0);
    if (library) dlclose(library);
    return 0;
}
END_OF_FILE
echo 'int later(int n); int later(int n) { return n * 7; }' >later.c
compile $CC -O1 -fcf-protection=none -o small small.c -ldl
compile $CC -O1 -shared -fPIC -o libcomes.so later.c
./small ./libcomes.so >plain
$bursty record --calls --every 0 --quiet -o x.brst -- ./small ./libcomes.so >got 2>got.err
$bursty report --min 0 x.brst >text
first=$(grep -n 'hot' text | head -n 1 | cut -d: -f1)
said=$(grep -n 'MISSING: functions without counts: 1, ' text | cut -d: -f1)
if cmp -s plain got && [ -n "$said" ] && [ "$said" -lt "$first" ] && lacks text ' hot$' ' tiny$'; then pass
else fail "a function without room is not counted, and that is said first"; cat text; fi
check "the library that came later is named" grep -q 'MISSING: libraries .* later (libcomes.so): 1\.' text
$bursty merge -o twice.brst x.brst x.brst
$bursty report --min 0 twice.brst >text
check "two runs do not miss twice as many functions" grep -q 'functions without counts: 1, ' text
check "nor libraries" grep -q 'later (libcomes.so): 1\.' text
$bursty record --calls --every 0 --quiet -o x.brst -- ./small >got 2>got.err
$bursty report --min 0 x.brst >text
if lacks text hot 'loaded later'; then pass; else fail "no library came"; fi
LD_PRELOAD=$PWD/libcomes.so $bursty record --calls --every 0 --quiet -o x.brst -- ./small ./libcomes.so >got 2>got.err
$bursty report --min 0 x.brst >text
if cmp -s plain got && ! grep -q 'loaded later' text && grep -q ' later$' text; then pass
else fail "the cure for a library that comes later"; cat text; fi
$bursty record --time --quiet -o x.brst -- ./small ./libcomes.so >got 2>got.err
if $bursty report --min 0 x.brst | grep -q 'without counts\|loaded later'; then fail "time misses nothing of it"; else pass; fi

# Who is called through pointers has a check, also where the linker packs their relocations.
cat >packed.c <<'END_OF_FILE'
#include <stdio.h>
static int twice(int n);
static int other(int n);
static int (*volatile const table[])(int) = {other, twice};
__attribute__((noinline)) static int leaf(int n) { return n * 3; }
__attribute__((noinline)) static int other(int n) { return leaf(n) + 1; }
__attribute__((noinline)) static int twice(int n) { return leaf(n) + leaf(n + 1); }
__attribute__((noinline)) static int once(int n) { return twice(n) ^ other(n); }
int main(void) {
    unsigned i, sum = (unsigned)once(3);
    for (i = 0; i < 20000; i++) sum += (unsigned)table[i & 1]((int)i);
    printf("%u\n", sum);
    return 0;
}
END_OF_FILE
checks_of() { $bursty record --calls --stats --quiet -o x.brst "$@" 2>&1 >got | sed -n 's/^.*checks \([0-9]*\),.*/\1/p'; }
compile $CC -O1 -fPIE -pie -o unpacked packed.c
if $CC -O1 -fPIE -pie -Wl,-z,pack-relative-relocs -o packed packed.c 2>log && ./packed >packed.out \
   && readelf -d packed | grep -q RELRENT; then
    packed=$(checks_of ./packed)
    unpacked=$(checks_of ./unpacked)
    if [ -n "$packed" ] && [ "$packed" = "$unpacked" ] && cmp -s packed.out got; then pass
    else fail "packed relocations: $packed checks instead of $unpacked"; fi
else skip "no packed relocations here"; fi

# A leaf that is called through a pointer, or from another module, is in the counts, also with
# checks eliminated: a burst without an end counts each call.
cat >leaves.c <<'END_OF_FILE'
int far_leaf(int n);
int far_leaf(int n) { return n * 5 + 1; }
END_OF_FILE
cat >virtual.c <<'END_OF_FILE'
#include <stdio.h>
int far_leaf(int n);
__attribute__((noinline)) static int square(int n) { return n * n + 1; }
__attribute__((noinline)) static int loop(int n) {
    int i, sum = 0;
    for (i = 0; i < (n & 3); i++) sum ^= n >> i;
    return sum;
}
static int (*volatile const table[])(int) = {square, loop};
int main(void) {
    unsigned i, sum = 0;
    for (i = 0; i < 3000; i++) sum += (unsigned)table[i % 3 == 0]((int)i);
    for (i = 0; i < 700; i++) sum += (unsigned)far_leaf((int)i);
    printf("%u\n", sum);
    return 0;
}
END_OF_FILE
compile $CC -O1 -shared -fPIC -o libleaves.so leaves.c
compile $CC -O1 -o virtual virtual.c ./libleaves.so
./virtual >plain.virtual
$bursty record --calls --every 0 --boring 4 --quiet -o x.brst -- ./virtual >got 2>got.err
$bursty report --min 0 --only context_functions --csv x.brst >text
if cmp -s plain.virtual got \
   && awk -F, '$NF == "function" { for (k = 1; k <= NF; k++) if ($k == "calls") c = k }
               $NF == "square" && $c == 2000 || $NF == "loop" && $c == 1000 || $NF == "far_leaf" && $c == 700 { n++ }
               END { exit n != 3 }' text; then pass
else fail "leaves that are called through pointers"; cat text got.err; fi

# The tool and the recorder work on a small stack.
for options in --time --calls '--calls --every 0' --refs --edges; do
    (
        ulimit -s 64 || exit 9
        # shellcheck disable=SC2086
        $bursty record --quiet $options -o x.brst -- ./small ./libcomes.so >got 2>got.err \
            && $bursty report --min 0 x.brst >text && $bursty report --html x.html x.brst
    )
    if [ $? = 0 ] && cmp -s plain got; then pass; else fail "a stack of 64 KB: $options"; cat got.err; fi
done

cat >quiet.c <<'END_OF_FILE'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int hot(int n);
__attribute__((noinline)) int hot(int n) { return n < 2 ? n : hot(n - 1) + hot(n - 2); }
static void *in_thread(void *out) {
    int old;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    *(int *)out = hot(32);
    return NULL;
}
int main(int argc, char **argv) {
    pthread_t thread;
    int sum = 0, old;
    if (argc > 1 && fork() == 0) {
        fclose(stdout);
        sleep(1);
        return hot(20) == 0;
    }
    if (argc > 1) return 0;
    (void)argv;
    pthread_create(&thread, NULL, in_thread, &sum);
    pthread_join(thread, NULL);
    sum += hot(20);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    sum += hot(35);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old);
    printf("%d\n", sum + hot(20));
    return 0;
}
END_OF_FILE
compile $CC -O1 -pthread -o quiet quiet.c
./quiet >plain
$bursty record --calls -o x.brst -- ./quiet >got 2>got.err
share=$(sed -n 's/.*calls were not sampled in \([0-9]*\) % of the CPU time: 2 threads.*/\1/p' got.err)
if cmp -s plain got && [ "${share:-0}" -ge 60 ] && grep -q 'ticks shows where that time' got.err; then pass
else fail "threads that may be cancelled at any instruction: ${share:-nothing} %"; fi
$bursty merge -o merged.brst x.brst
for file in x.brst merged.brst; do
    $bursty report "$file" >got.err
    told=$(tr '\n' ' ' <got.err \
           | sed -n 's/.*calls were not sampled: [0-9]*, \([0-9]*\)[.0-9]* % of all.*/\1/p')
    if [ "${told:-0}" -ge "$((share - 5))" ] && [ "$told" -le "$((share + 5))" ]; then pass
    else fail "and the report of $file: ${told:-nothing} for $share %"; fi
done
$bursty record -o x.brst -- ./quiet daemon >got 2>got.err
if grep -q 'a child of the program goes on, and it is not recorded: --follow' got.err; then pass
else fail "a child that goes on"; fi

# Many libraries: 256 modules are recorded, and those beyond are counted.
printf 'int some_work(int n);\nint some_work(int n) { return n < 2 ? n : some_work(n - 1) + 1; }\n' >some.c
printf 'int last_work(int n);\nint last_work(int n) { return n < 2 ? n : last_work(n - 1) + last_work(n - 2); }\n' >last.c
printf 'int last_work(int n);\nint main(void) { return last_work(20) & 31; }\n' >many.c
compile $CC -O1 -shared -fPIC -o some.so some.c
compile $CC -O1 -shared -fPIC -o liblast.so last.c
for count in 100 300; do
    libraries= n=0
    while [ $n -lt $count ]; do
        cp some.so libmany$n.so
        libraries="$libraries -lmany$n"
        n=$((n + 1))
    done
    last=-llast
    [ $count = 100 ] || { libraries="-llast $libraries" last=; }
    # shellcheck disable=SC2086
    compile $CC -O1 -o many many.c -L. -Wl,-rpath,"$out" -Wl,--no-as-needed $libraries $last
    ./many
    status=$?
    $bursty record --every 5 --burst 5 -o x.brst -- ./many >got 2>got.err
    if [ $? = $status ] && $bursty report --min 0 x.brst 2>&1 | grep -q last_work; then pass
    else fail "$count libraries"; fi
    grep -q 'libraries were not recorded: there is room for 256 modules' got.err
    if [ $? = $([ $count = 100 ]; echo $((! $?))) ]; then pass; else fail "$count libraries: the word"; fi
done

# A cycle of calls inside a library whose calls go by way of its GOT: copies take the short way, and
# still pass a check. Half of the checks are in bursts then, of which there are thousands.
printf 'int even(int n);\nint odd(int n);\nint even(int n) { return n < 2 ? n : odd(n - 1) + odd(n - 2); }\n' >even.c
printf 'int even(int n);\nint odd(int n);\nint odd(int n) { return n < 2 ? n : even(n - 1) + even(n - 2); }\n' >odd.c
printf 'int even(int n);\nint main(void) { return even(20) & 31; }\n' >cycle.c
for way in -fplt -fno-plt; do
    compile $CC -O1 -fPIC $way -c even.c
    compile $CC -O1 -fPIC $way -c odd.c
    compile $CC -shared -o libcycle.so even.o odd.o
    compile $CC -O1 -o cycle cycle.c -L. -Wl,-rpath,"$out" -lcycle
    $bursty record --stats --every 5 --burst 5 -o x.brst -- ./cycle >got 2>got.err
    bursts=$(sed -n 's/^bursts \([0-9]*\),.*/\1/p' got.err)
    if [ "${bursts:-0}" -gt 1000 ]; then pass; else fail "a cycle $way: ${bursts:-no} bursts"; fi
done

# Nobody calls _start, and bursts that begin later do not see it: it is in no context.
$bursty record --every 0 --profile hcct,methods,pairs -o x.brst -- ./cycle >got 2>got.err
if $bursty report --min 0 x.brst >got.err 2>&1 && ! grep -q _start got.err && grep -q 'main' got.err; then pass
else fail "_start is a function like others"; fi

# Another program on the same processor cuts turns off, and the timer ticks where they end: the report
# says so before its first number. Few ticks are not worth that word.
cat >turns.c <<'END_OF_FILE'
#include <stdlib.h>
#include <time.h>
static volatile unsigned sum;
int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    while ((double)clock() / CLOCKS_PER_SEC < seconds) {
        int i;
        for (i = 0; i < 100000; i++) sum = sum * 1664525u + 1013904223u;
    }
    return 0;
}
END_OF_FILE
compile $CC -O1 -o turns turns.c
if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then
    taskset -c 0 ./turns 60 &
    other=$!
    taskset -c 0 $bursty record --inside -o x.brst -- ./turns .6 >got 2>got.err
    kill $other
    wait $other 2>/dev/null
    $bursty report x.brst >text
    said=$(grep -n '^MISSING: turns on the processor that other programs cut short, in [0-9]* ticks: ' text | cut -d: -f1)
    first=$(grep -n ' main$' text | head -n 1 | cut -d: -f1)
    if [ "${said:-99}" -lt "${first:-0}" ]; then pass; else fail "turns are cut off"; cat text; fi
    check "the terminal is told, too" grep -q '^MISSING: turns' got.err
    # shellcheck disable=SC2046
    set -- $(sed -n 's/^MISSING: turns.* in \([0-9]*\) ticks: \([0-9]*\)\..*/\1 \2/p' text)
    check "not more turns than ticks, and at least a quarter" \
        [ "${2:-0}" -le "${1:-0}" -a "$((4 * ${2:-0}))" -ge "${1:-1}" ]
    taskset -c 0 ./turns 60 &
    other=$!
    taskset -c 0 $bursty record --inside --ticks 40 -o x.brst -- ./turns .6 >got 2>got.err
    kill $other
    wait $other 2>/dev/null
    $bursty report x.brst >text
    if grep -q ' main$' text && ! grep -q 'MISSING: turns' text; then pass
    else fail "few ticks"; cat text; fi
else
    skip "no taskset"
fi

# How much of the CPU time was in the kernel, against what the kernel says to the program itself: of a
# part in which it reads zeros, and a part in which it counts. The parent of `child` does the first.
# `filter` forbids itself system calls behind it. `killed` prints before it goes on until it is killed.
cat >kernel.c <<'END_OF_FILE'
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned sum;
static char room[1 << 20];
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void read_zeros(double seconds) {
    int zero = open("/dev/zero", O_RDONLY);
    double from = now();
    while (now() < from + seconds && read(zero, room, sizeof room) > 0) {
    }
    close(zero);
}
static void count(double seconds) {
    double from = now();
    while (now() < from + seconds) {
        int i;
        for (i = 0; i < 100000; i++) sum = sum * 1664525u + 1013904223u;
    }
}
struct usage {
    double kernel, all;
};
static struct usage used(void) {
    struct rusage r;
    struct usage u;
    getrusage(RUSAGE_SELF, &r);
    u.kernel = (double)r.ru_stime.tv_sec + 1e-6 * (double)r.ru_stime.tv_usec;
    u.all = u.kernel + (double)r.ru_utime.tv_sec + 1e-6 * (double)r.ru_utime.tv_usec;
    return u;
}
static void say(struct usage before) {
    struct usage u = used();
    printf("%.1f\n", 100 * (u.kernel - before.kernel) / (u.all - before.all));
    fflush(stdout);
}
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    struct usage before = used();
    read_zeros(.5);
    if (strcmp(what, "child") == 0) {
        pid_t child = fork();
        if (child == 0) {
            before = used();
            count(.4);
            say(before);
            return 0;
        }
        waitpid(child, NULL, 0);
    }
    if (strcmp(what, "filter") != 0) count(.4);
    say(before);
    while (strcmp(what, "killed") == 0) {
        count(.01);
        if (access("go", F_OK) == 0) kill(getpid(), SIGKILL);
    }
    if (strcmp(what, "filter") == 0) {
        struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),      /* the number of the system call */
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
        };
        struct sock_fprog filter = {4, code};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
            return 77;
    }
    return 0;
}
END_OF_FILE
compile $CC -O1 -o kernel kernel.c
in_kernel() { sed -n 's/^in the kernel: \([0-9.]*\) .*/\1/p' "$@"; }
# SHARES WANTED, in percent, one in a line and each near its own. Both sides ask the kernel, and so its
# luck is the same on both; they begin and end some milliseconds of .4 s apart. Ticks that were found
# behind a system call may say that it was more: Hoeffding's bound for half of the ticks, 10^-6.
near() {
    ticks=$($bursty report x.brst 2>/dev/null | sed -n 's/^ticks \([0-9]*\),.*/\1/p')
    paste "$1" "$2" | awk -v ticks="${ticks:-0}" '
        BEGIN { more = ticks ? 100 * sqrt(log(2000000) / ticks) : 0; if (more < 5) more = 5 }
        { d = $1 - $2 }
        NF != 2 || d > more || d < -5 { bad = 1 }
        END { exit bad || !NR }'
}
record_kernel() { # OPTIONS... -- PROGRAM...: fills got, got.err, shares
    $bursty record -o x.brst "$@" >got 2>got.err
    code=$?
    in_kernel got.err >shares
}
says_kernel() { record_kernel "$@" && near shares got; }
for options in --inside '--calls --time' '--calls --off --ticks 500'; do
    # shellcheck disable=SC2086
    check "the kernel's part, $options: the terminal has it" says_kernel $options -- ./kernel
    $bursty report x.brst >text
    said=$(grep -n '^in the kernel: ' text | cut -d: -f1)
    first=$(grep -n ' main$' text | head -n 1 | cut -d: -f1)
    if [ "${said:-9999}" -lt "${first:-0}" ]; then pass; else fail "the kernel's part comes first"; cat text; fi
    said=$(grep -n '^time: of code with checks in it: ' text | cut -d: -f1)
    case $options in
    '--calls --time')
        if [ "${said:-9999}" -lt "${first:-0}" ]; then pass; else fail "nothing of checks"; cat text; fi
        check "the terminal is told of checks" grep -q '^time: of code with checks in it: ' got.err
        $bursty merge -o both.brst x.brst x.brst && $bursty report both.brst >text
        check "a merged file tells of checks" grep -q '^time: of code with checks in it: ' text
        ;;
    *) if [ "$first" ] && [ -z "$said" ]; then pass; else fail "checks with $options"; fi ;;
    esac
done
record_kernel --inside -- ./kernel filter
if [ $code = 77 ]; then skip "no seccomp"
else
    check "the kernel's part before a filter: $(cat shares got)" near shares got
fi
. "$top/tests/kept.sh"
rm -f go
TMPDIR=$out/keep $bursty record --inside -o x.brst -- ./kernel killed >got 2>got.err &
job=$!
if wait_for [ -s got ] && wait_for_half && wait_for_half; then
    : >go
    { wait $job; } 2>/dev/null
    in_kernel got.err >shares
    check "what is kept of a killed program has its part: $(cat got.err)" [ -s shares ]
else
    kill $job
    { wait $job; } 2>/dev/null
    if [ $keeps = no ]; then skip "this kernel cannot keep what is recorded"
    else fail "nothing was kept"; fi
fi
rm -f x.brst*
$bursty record --inside --follow -o x.brst -- ./kernel child >got 2>got.err
for file in x.brst*; do $bursty report "$file" 2>&1 | in_kernel; done | sort -n >shares
sort -n got >wanted
check "a child has its own part: $(tr '\n' ' ' <shares)for $(tr '\n' ' ' <wanted)" near shares wanted
check "a child that counts" [ "$(head -n 1 wanted | cut -d. -f1)" -lt 40 ]

# A program that becomes a daemon: its first process writes, and says that a child goes on; with
# --follow the child has a file. A child that gave up its user cannot write everywhere: that is said.
cat >leaves.c <<'END_OF_FILE'
#define _GNU_SOURCE 1
#include <grp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int hot(int n);
__attribute__((noinline)) int hot(int n) { return n < 2 ? n : hot(n - 1) + hot(n - 2); }
int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "daemon")) {
        if (daemon(1, 0) != 0 || write(1, "x", 1) != 1) return 1;   /* to /dev/null */
        alarm(300);
        while (access("go", F_OK) != 0) usleep(1000);   /* the first process and bursty have ended */
        return hot(27) & 1;
    }
    if (fork() == 0) {
        if (setgroups(0, NULL) || setgid(65534) || setuid(65534)) _exit(9);
        _exit(hot(20) == 6765 ? 0 : 8);
    }
    wait(&argc);
    return WEXITSTATUS(argc);
}
END_OF_FILE
compile $CC -O1 -o leaves leaves.c
files_of() { ls | grep -x 'x\.brst\.[0-9]*'; }
for follow in '' --follow; do
    rm -f x.brst* go
    # shellcheck disable=SC2086
    $bursty record --calls --every 5 --burst 5 $follow -o x.brst -- ./leaves daemon >got 2>got.err
    check "a daemon $follow: status and output of the first process" [ "$? $(wc -c <got)" = '0 0' ]
    : >go
    [ -z "$follow" ] || wait_for files_of >log
    grep -q 'a child of the program goes on, and it is not recorded' got.err
    check "a daemon $follow: a word where it is not recorded" [ $? = "$([ -z "$follow" ]; echo $?)" ]
    check "a daemon $follow: the file of the first process" [ -f x.brst ]
    [ -z "$follow" ] ||
        { $bursty report --min 0 "$(files_of)" >text; check "a daemon's own file" grep -q ' hot$' text; }
done
if [ "$(id -u)" = 0 ]; then
    mkdir -p closed open
    chmod 755 closed
    chmod 1777 open
    for folder in closed open; do
        rm -f $folder/*
        $bursty record --quiet --calls --every 5 --burst 5 --follow -o $folder/x.brst -- ./leaves >got 2>got.err
        check "another user, $folder folder: status" [ $? = 0 ]
        grep -q '^bursty: 1 processes of the program could not write their files' got.err
        said=$?
        set -- $folder/x.brst.[0-9]*
        [ -e "$1" ]
        check "another user, $folder folder: a file or a word" [ $((said + $?)) = 1 ]
    done
    check "where each user may write there is a file" [ $said = 1 ]
else
    skip "another user: not root"
fi

finish
