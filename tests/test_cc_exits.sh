#!/bin/sh
# test_cc_exits.sh - bursty cc --cover of programs whose functions do not return: exit, _exit, abort,
# quick_exit, longjmp, fork, exec, pthread_exit, signals, threads that still run. Random programs of
# make_exits.c count their lines themselves.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder cc_exits
shares_runtime
bursty() { "$build/bursty" "$@"; }
counts() { # lcov and got, or no got
    rm -f got
    bursty report --lcov "$@" coverage.brst >lcov && lines_of lcov >got
}
lines_of() { sed -n 's/^DA:\([0-9]*\),\([0-9]*\)$/\1 \2/p' "$1"; }

# A figure behind a line is its count.
cat >ends.c <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf outer;
static void stop(const char *why) {                    /* = 1 */
    printf("%s\n", why);                               /* = 1 */
    exit(0);                                           /* = 1 */
}
static void jump(int n) {                              /* = 4 */
    longjmp(outer, n + 1);                             /* = 4 */
}
static int adds(int n) {                               /* = 8 */
    int i, sum = 0;                                    /* = 8 */
    for (i = 0; i < n; i++) {                          /* = 24 */
        sum += i;                                      /* = 19 */
        if (sum > 8) jump(sum);                        /* = 19 */
        sum++;                                         /* = 16 */
    }
    return sum;                                        /* = 5 */
}
static int compare(const void *a, const void *b) {     /* = 1 */
    (void)a;                                           /* = 1 */
    (void)b;                                           /* = 1 */
    jump(0);                                           /* = 1 */
    return 0;                                          /* = 0 */
}
static int last(int n) {                               /* = 1 */
    if (n > 0) {                                       /* = 1 */
        stop("end");                                   /* = 1 */
        n++;                                           /* = 0 */
    } else {
        n--;                                           /* = 0 */
    }
    n += 2;                                            /* = 0 */
    return n;                                          /* = 0 */
}
int main(void) {                                       /* = 1 */
    volatile int k;
    int two[2] = {2, 1};                               /* = 1 */
    for (k = 0; k < 7; k++) {                          /* = 8 */
        if (setjmp(outer) == 0) adds(k);               /* = 7 */
        else puts("caught");                           /* = 3 */
    }
    adds(1);                                           /* = 1 */
    if (setjmp(outer) == 0) qsort(two, 2, sizeof *two, compare);       /* = 1 */
    else puts("sorted");                               /* = 1 */
    last(1);                                           /* = 1 */
    puts("never");                                     /* = 0 */
    return 0;                                          /* = 0 */
}
END
$CC -w -o plain ends.c 2>/dev/null && ./plain >plain.out || leave "$CC makes no programs that run here"
marks_calls || leave "$CC has no markers here"
bursty cc --cover -- $CC -w -o own ends.c || fail "not compiled"
grep -q bursty_calls own; ok $? "no markers"
sed -n 's/.*\/\* = \([0-9]*\) \*\/$/\1/p;t
s/.*/?/p' ends.c | awk '$1 != "?" { print NR, $1 }' >wanted
differ() { # FORM: got against wanted
    [ -s got ] || { echo "nothing was counted"; return 0; }
    awk -v form="$1" 'FILENAME == "got" { got[$1] = $2; next }
        { w = $2; if (form !~ /^count/) w = w > 0 }
        got[$1] != w { print "line " $1 ": " got[$1] ", wanted " w; bad = 1 }
        END { exit !bad }' got wanted
}
for form in count count16 count64 bytes bits mcdc mcdc-bits; do
    for words in -O0 '-g -O2 -Wall -Wextra' '-O1 -std=c90 -pedantic-errors -Wno-long-long'; do
        rm -f coverage.brst left
        # shellcheck disable=SC2086
        bursty cc --cover=$form --list=left -- $CC $words -o own ends.c >log 2>&1
        [ -s log ] && { fail "$form $words: messages"; head -n 4 log; }
        empty left || { fail "$form $words: left alone"; cat left; }
        ./own >own.out
        cmp -s plain.out own.out && pass || fail "$form $words: output"
        counts
        differ "$form" >log && fail "$form $words: $(head -n 4 log)" || pass
    done
done
# Runs add up, before and after a merge, though each ended in another place.
./own >/dev/null
bursty merge -o one.brst coverage.brst && bursty report --lcov one.brst >merged
bursty report --lcov coverage.brst >lcov
cmp -s lcov merged && pass || fail "merge"

# Linkers and what they drop.
try() { # WHAT WORDS...
    what=$1
    shift
    rm -f coverage.brst
    if ! $CC -w "$@" -o plain2 ends.c >/dev/null 2>&1 || ! ./plain2 >/dev/null; then
        skip "$what"
        return
    fi
    bursty cc --cover -- $CC -w "$@" -o own ends.c >log 2>&1 || fail "$what: $(head -n 3 log)"
    rm -f got lcov
    ./own >/dev/null || fail "$what: status $?"
    counts
    differ count >log && fail "$what: $(head -n 4 log)" || pass
}
try "gc-sections" -O1 -ffunction-sections -Wl,--gc-sections
try "lld" -O1 -fuse-ld=lld
try "lld, gc-sections" -O1 -fuse-ld=lld -ffunction-sections -Wl,--gc-sections
try "gold, gc-sections" -O1 -fuse-ld=gold -Wl,--gc-sections
try static -O1 -static
try no-pie -O2 -no-pie
try lto -O2 -flto
try fortify -O2 -D_FORTIFY_SOURCE=2
try "no unwind tables" -O1 -fno-asynchronous-unwind-tables

# Functions of which all calls are known have no counter for them: leaf, twice, odd, early, inner,
# known and before. Of the others not all calls are seen, something in front of one may have left, or
# there is a loop.
cat >called.c <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
static volatile int calls;
static int leaf(int n) { return n + 1; }                    /* = 8 */
static int twice(int n) { return leaf(leaf(n)) - n; }       /* = 3 */
static int odd(int n) { if (n & 1) return 1; else return 0; } /* = 12 */
static int early(int n) { return n; }                       /* = 1 */
static int inner(int n) { return n; }                       /* = 2 */
static int behind(int n) { return n; }                      /* = 2 */
static int taken(const void *a, const void *b) {            /* = 2 */
    return *(const int *)a - *(const int *)b;               /* = 2 */
}
static int sized(int n) { return n; }                       /* = 1 */
static int instead(int n) { return n; }                     /* = 2 */
static int given(int n) { return n; }                       /* = 2 */
static int before(int n) { return n; }                      /* = 1 */
static int in_table(int n) { return n; }                    /* = 2 */
static int (*const table[])(int) = {in_table};
static int never(int n) { return n; }                       /* = 0 */
static int again(int n) { return n > 0 ? again(n - 1) : 0; } /* = 4 */
static int waits(int n) { while (n > 0) n--; return n; }    /* = 7 */
static int known(int n) { return n; }                       /* = 5 */
static __attribute__((constructor)) void first(void) { calls = 3; } /* = 2 */
static int jump(int n) {                                    /* = 4 */
    if (n > 2) longjmp(back, n);                            /* = 4 */
    return n;                                               /* = 2 */
}
static int alone(int n) { n += given(n); return n ?: (given(n) && n > 9); }
static int more(int n) {                                    /* = 4 */
    int i, sum = 0;                                         /* = 4 */
    for (i = 0; i < known(n); i++) {                        /* = 5 */
        sum += i;                                           /* = 1 */
    }
    return sum;                                             /* = 4 */
}
int main(void) {                                            /* = 1 */
    volatile int k = 0;                                     /* = 1 */
    int two[2] = {2, 1};                                    /* = 1 */
    int i, sum = 0;                                         /* = 1 */
    for (i = 0; i < 3; i++) sum += twice(i);                /* = 4 */
    sum += leaf(0) + (leaf(1) > 5 && leaf(2));              /* = 1 */
    for (i = 0; i < 12; i++) sum += odd(i);                 /* = 13 */
    if (!setjmp(back)) sum += jump(3) + behind(1);          /* = 1 */
    if (!setjmp(back)) sum += jump(inner(4));               /* = 1 */
    sum += jump(inner(1)) + behind(2) + jump(2) + behind(1); /* = 1 */
    qsort(two, 2, sizeof *two, taken);                      /* = 1 */
    sum += (int)sizeof(sized(1)) + sized(2);                /* = 1 */
    sum += k ?: instead(1);                                 /* = 1 */
    sum += alone(1);                                        /* = 1 */
    sum += given(2);                                        /* = 1 */
    sum += instead(2);                                      /* = 1 */
    sum += before(1);                                       /* = 1 */
    sum += again(3);                                        /* = 1 */
    sum += waits(2) + waits(3);                             /* = 1 */
    sum += taken(two, two + 1);                             /* = 1 */
    sum += in_table(1);                                     /* = 1 */
    sum += table[0](1);                                     /* = 1 */
    first();                                                /* = 1 */
    for (i = -1; i < 3; i++) sum += more(i > 1);            /* = 5 */
    if (sum < 0) return never(sum);                         /* = 1 */
    printf("%d %d\n", sum, calls);                          /* = 1 */
    exit(early(0));                                         /* = 1 */
}
END
sed -n 's/.*\/\* = \([0-9]*\) \*\/$/\1/p;t
s/.*/?/p' called.c | awk '$1 != "?" { print NR, $1 }' >wanted
for words in 'count -O2' 'count16 -O0' 'bytes -O2' 'mcdc -O0' 'count32 -O1'; do
    rm -f coverage.brst left
    # shellcheck disable=SC2086
    bursty cc --cover=${words% *} --list=left -- $CC -w ${words#* } -o own called.c
    [ "$(cat left)" = "called.c:30: alone: left alone: elvis" ] && pass || fail "calls: $(cat left)"
    ./own >own.out && ./own >own.out
    bursty report --lcov coverage.brst >lcov && lines_of lcov |
        awk -v form="${words% *}" '{ print $1, form ~ /^count/ ? $2 / 2 : $2 }' >got
    differ "${words% *}" >log && fail "calls, $words: $(head -n 4 log)" || pass
done
# 26 counters of 4 bytes
if command -v nm >/dev/null; then
    nm -S own | grep -q '^[0-9a-f]* 0*68 . _*bursty_c_[0-9a-f]*$' && pass || { fail "calls: counters"; nm -S own | grep bursty_c_; }
else skip "no nm"; fi

# A child of vfork has its parent's memory, and its stack until it leaves it.
cat >vfork.c <<'END'
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static void child(const char *what) {                                  /* = 5 */
    execl(what, "true", (char *)0);                                    /* = 5 */
    if (errno != ENOENT)                                               /* = 2 */
        _exit(7);                                                      /* = 0 */
    execlp("false", "false", (char *)0);                               /* = 2 */
    _exit(1);                                                          /* = 0 */
}
static int run(const char *what, int leaves) {                         /* = 7 */
    int st;
    pid_t p = vfork();                                                 /* = 7 */
    if (p == 0) {                                                      /* = 14 */
        if (leaves)                                                    /* = 7 */
            _exit(3);                                                  /* = 2 */
        child(what);                                                   /* = 5 */
    }
    waitpid(p, &st, 0);                                                /* = 7 */
    return WEXITSTATUS(st);                                            /* = 7 */
}
int main(void) {                                                       /* = 1 */
    int i, s = 0;                                                      /* = 1 */
    for (i = 0; i < 3; i++) s += run("/bin/true", 0);                  /* = 4 */
    for (i = 0; i < 2; i++) s += run("/no/such", 0);                   /* = 3 */
    for (i = 0; i < 2; i++) s += run("/no/such", 1);                   /* = 3 */
    printf("%d\n", s);                                                 /* = 1 */
    return 0;                                                          /* = 1 */
}
END
awk '/ = [0-9]+ \*\/$/ { print NR, $(NF - 1) }' vfork.c >wanted
for words in 'count -O0' 'count -O2' 'bytes -O1'; do
    rm -f coverage.brst
    # shellcheck disable=SC2086
    bursty cc --cover=${words% *} -- $CC -w ${words#* } -o own vfork.c && ./own >log 2>&1
    bursty report --lcov coverage.brst >lcov && lines_of lcov >got
    case $words in bytes*) awk '{ print $1, ($2 > 0) }' wanted >marks && mv marks wanted ;; esac
    differ "${words% *}" >log && fail "vfork, $words: $(head -n 4 log)" || pass
done
# One that nobody sees is refused, by name.
sed 's/pid_t p = vfork();/pid_t (*volatile v)(void) = vfork; pid_t p = v();/' vfork.c >own.c
rm -f coverage.brst
bursty cc --cover -- $CC -w -o own own.c && ./own >log 2>&1
bursty report coverage.brst | grep -q '^run  *own.c  *12  *it was left, nobody knows where: .*vfork' && pass || fail "vfork by a pointer"

# Processes. Each mode is run alone; a line's figure is for its mode: mode=count.
cat >modes.c <<'END'
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static void note(void) { write(1, "", 0); }   /* fork=3 forks=3 _exit=1 quick=1 abort=1 assert=1 exec=1 execle=1 forkexec=1 failed=1 daemon=2 threads=1 asleep=1 */
static void at_end(void) { note(); }          /* quick=0 */
static void *leaves(void *p) {
    if (p) pthread_exit(p);                   /* threads=3 */
    return p;                                 /* threads=0 */
}
static pthread_barrier_t barrier;
static sem_t here;                            /* a thread is in the line of its pause */
static void sleeps(void) {
    pthread_barrier_wait(&barrier);           /* asleep=2 */
    for (;;) sem_post(&here), pause();        /* asleep=2 */
}
static void *thread(void *p) {
    sleeps();                                 /* asleep=2 */
    return p;                                 /* asleep=0 */
}
static void is(const char *mode) {
    int i, status;
    pthread_t id[3];
    if (!strcmp(mode, "fork")) {
        for (i = 0; i < 3; i++) {
            if (fork() == 0) {                /* fork=3 */
                note();                       /* fork=3 */
                exit(0);                      /* fork=3 */
            }
        }
        while (wait(&status) > 0) continue;
        return;                               /* fork=1 */
    }
    if (!strcmp(mode, "forks")) {
        for (i = 0; i < 3; i++) if (fork() == 0) { note(); _exit(0); }       /* forks=4 */
        while (wait(&status) > 0) continue;
        return;                               /* forks=1 */
    }
    if (!strcmp(mode, "_exit")) {             /* _exit=1 */
        note();                               /* _exit=1 */
        _exit(0);                             /* _exit=1 */
    }
    if (!strcmp(mode, "quick")) { note(); quick_exit(0); }                   /* quick=1 */
    if (!strcmp(mode, "abort")) { note(); abort(); }                         /* abort=1 */
    if (!strcmp(mode, "assert")) { note(); assert(mode == NULL); }           /* assert=1 */
    if (!strcmp(mode, "exec")) { note(); execlp("true", "true", (char *)NULL); }
    if (!strcmp(mode, "execle")) { note(); execle("/bin/sh", "sh", "-c", "exit $x", (char *)NULL, environ); }
    if (!strcmp(mode, "forkexec")) {
        note();                               /* forkexec=1 */
        if (fork() == 0) {
            execl("/bin/sh", "sh", "-c", ":", (char *)NULL);                 /* forkexec=1 */
        }
        wait(&status);                        /* forkexec=1 */
    }
    if (!strcmp(mode, "failed")) {
        note();                               /* failed=1 */
        execl("/nothing/here", "nothing", (char *)NULL);                     /* failed=1 */
        status = 0;                           /* failed=1 */
        return;                               /* failed=1 */
    }
    if (!strcmp(mode, "daemon")) {
        note();                               /* daemon=1 */
        if (daemon(1, 1) == 0) note();        /* daemon=1 */
    }
    if (!strcmp(mode, "threads")) {
        note();                               /* threads=1 */
        for (i = 0; i < 3; i++) pthread_create(&id[i], NULL, leaves, &id[i]);
        for (i = 0; i < 3; i++) pthread_join(id[i], NULL);
    }
    if (!strcmp(mode, "asleep")) {
        note();                               /* asleep=1 */
        pthread_barrier_init(&barrier, NULL, 3);
        for (i = 0; i < 2; i++) pthread_create(&id[i], NULL, thread, NULL);
        pthread_barrier_wait(&barrier);
        for (i = 0; i < 2; i++) sem_wait(&here);
    }
    if (!strcmp(mode, "term")) raise(SIGTERM);                               /* term=1 */
    if (!strcmp(mode, "fault")) *(volatile int *)0 = 1;                      /* where? */
    if (!strcmp(mode, "nothing")) note();     /* exec=0 _exit=0 abort=0 */
}
int main(int argc, char **argv) {
    if (argc > 2) atexit(at_end);
    is(argv[1]);                              /* fork=1 forks=1 _exit=1 exec=1 execle=1 forkexec=1 failed=1 threads=1 asleep=1 term=1 */
    return 0;                                 /* fork=1 forks=1 _exit=0 exec=0 forkexec=1 failed=1 daemon=1 threads=1 asleep=1 term=0 */
}
END
for level in -O0 -O2; do
    bursty cc --cover -- $CC -w $level -pthread -o modes modes.c >log 2>&1 || fail "modes: $(cat log)"
    for mode in fork forks _exit quick abort assert exec execle forkexec failed daemon threads \
        asleep term fault; do
        rm -f coverage.brst
        signals=
        case $mode in term | fault) signals=1 ;; esac
        # The pipe ends with the last of its processes, a daemon, too.
        sh -c "BURSTY_COVERAGE_SIGNALS=$signals ./modes $mode; :" 2>/dev/null | cat >/dev/null
        counts 2>log || fail "$mode: no dump"
        awk -v mode=" $mode=" 'FILENAME == "got" { got[$1] = $2; next }
            (at = index($0, mode)) {
                want = substr($0, at + length(mode)) + 0
                if (got[FNR] + 0 != want) print "line " FNR ": " got[FNR] + 0 ", wanted " want
            }' got modes.c >log
        [ -s log ] && fail "$level $mode: $(head -n 4 log)" || pass
        [ $mode != fault ] && continue
        bursty report coverage.brst | grep -q 'is *modes.c .* by a signal in its middle' && pass ||
            fail "$level: the function that a signal hit is not refused"
    done
done

# Marks have the lines up to a fault, also where the function calls nothing.
cat >leaf.c <<'END'
static int leaf(int n, int *p) {
    int s = 0;                                                                  /* = 1 */
    while (n > 0) s += n--;
    if (s > 5)                                                                  /* = 1 */
        *(volatile int *)p = s;                                                 /* = 1 */
    return s;
}
int main(void) {
    leaf(9, 0);                                                                 /* = 1 */
    return 0;                                                                   /* = 0 */
}
END
sed -n 's/.*\/\* = \([0-9]*\) \*\/$/\1/p;t
s/.*/?/p' leaf.c | awk '$1 != "?" { print NR, $1 }' >wanted
for level in -O0 -O2; do
    rm -f coverage.brst
    bursty cc --cover=bytes -- $CC -w $level -o leaf leaf.c >log 2>&1 || fail "leaf: $(cat log)"
    sh -c 'BURSTY_COVERAGE_SIGNALS=1 ./leaf; :' >log 2>&1
    counts
    differ bytes >log && fail "$level, a fault in a leaf: $(head -n 4 log)" || pass
done

# Counts do not. The file says so, once, if the signal came to code that is counted.
cut='^MISSING: files with runs that a signal ended in the middle of a function: 1[.]'
cuts() { bursty report coverage.brst | grep -c "$cut"; }
cat >spins.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
extern void bursty_cover_reset(void);
static volatile int is_inside, is_over;
static void handle(int number) {
    (void)number;
    if (!is_inside) return;
    bursty_cover_reset();
    is_over = 1;
}
static void spin(void) {
    is_inside = 1;
    while (!is_over) continue;
}
int main(int argc, char **argv) {
    struct itimerval often = {{0, 1000}, {0, 1000}};
    if (argc > 1 && strcmp(argv[1], "raise") == 0) raise(SIGTERM);
    if (argc > 1) abort();
    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &often, NULL);
    spin();
    return 0;
}
END
echo 'int main(void) { return *(volatile int *)0; }' >alone.c
for level in -O0 -O2; do
    for program in leaf alone; do
        rm -f coverage.brst
        bursty cc --cover -- $CC -w $level -o $program $program.c >log 2>&1 || fail "$program: $(cat log)"
        for turn in 1 2; do
            sh -c "BURSTY_COVERAGE_SIGNALS=1 ./$program; :" >log 2>&1
            [ "$(cuts)" = 1 ] && pass ||
                fail "$level, $program, turn $turn: $(bursty report coverage.brst | head -n 3)"
        done
        ln -sf coverage.brst link.brst
        sh -c "BURSTY_COVERAGE=link.brst BURSTY_COVERAGE_SIGNALS=1 ./$program; :" >log 2>&1
        [ "$(cuts)" = 1 ] && pass || fail "$level, $program, appended: $(cat log)"
        bursty report --json coverage.brst | grep -q 'ended in the middle of a function' &&
            pass || fail "$level, $program: nothing in JSON"
        bursty merge -o both.brst coverage.brst coverage.brst
        bursty report both.brst | grep -q 'MISSING: files with runs .*: 2[.]' && pass ||
            fail "$level, $program: $(bursty report both.brst | head -n 3)"
        rm -f coverage.brst
        bursty cc --cover=bytes -- $CC -w $level -o $program $program.c >log 2>&1
        sh -c "BURSTY_COVERAGE_SIGNALS=1 ./$program; :" >log 2>&1
        waits=0 # with optimization marks of a loop may wait for its end
        [ $level = -O2 ] && waits=1
        [ -s coverage.brst ] && [ "$(cuts)" = $waits ] && pass || fail "$level, $program: marks"
    done
    bursty cc --cover -- $CC -w $level -o spins spins.c >log 2>&1 || fail "spins: $(cat log)"
    for how in raise abort ''; do   # in the C library; and where the program goes on
        rm -f coverage.brst
        sh -c "BURSTY_COVERAGE_SIGNALS=1 ./spins $how; :" >log 2>&1
        [ -s coverage.brst ] && [ "$(cuts)" = 0 ] && pass ||
            fail "$level, spins $how: $(bursty report coverage.brst | head -n 3)"
    done
done

# A program may ask for its counts, and begin anew; it goes on in between.
cat >asks.c <<'END'
extern int bursty_cover_write(void);
extern void bursty_cover_reset(void);
static void work(int n) {
    volatile int k = n;
    k++;                            /* = 6 */
}
static void ask(int n) {
    if (n == 0) bursty_cover_write();
    if (n == 1) bursty_cover_reset();
    work(n);
}
int main(void) {
    int i;
    for (i = 0; i < 5; i++) work(i);
    ask(0);                         /* = 1 */
    return 0;                       /* = 1 */
}
END
rm -f coverage.brst
bursty cc --cover -- $CC -w -o asks asks.c && ./asks
counts
sed -n 's/.*\/\* = \([0-9]*\) \*\/$/\1/p;t
s/.*/?/p' asks.c | awk '$1 != "?" { print NR, $1 }' >wanted
differ count >log && fail "a dump on request: $(cat log)" || pass
sed 's/ask(0)/ask(1)/' asks.c >again.c
rm -f coverage.brst
bursty cc --cover -- $CC -w -o asks again.c && ./asks
bursty report --lcov coverage.brst | grep -q '^DA:5,1$' && pass || fail "begun anew"

# What nobody can follow is refused by name, and none of its counts is printed.
cat >copied.c <<'END'
#include <setjmp.h>
#include <string.h>
static jmp_buf first, second;
static void jumps(int n) {
    if (n) longjmp(second, 1);
}
static int lands(void) {
    volatile int n = 0;
    if (setjmp(first)) return 7;
    memcpy(second, first, sizeof first);
    n++;
    jumps(n);
    return n;
}
static int other(int n) { return n + 1; }
int main(void) { return lands() + other(0) - 8; }
END
rm -f coverage.brst
bursty cc --cover -- $CC -w -o copied copied.c && ./copied && pass || fail "copied: does not run"
bursty report --lcov coverage.brst >lcov 2>log
grep -q 'copied.c:4: jumps is left out: it was left, nobody knows where' log && pass || fail "refused: $(cat log)"
lacks lcov '^FN:.*,other' '^FN:.*,lands\|^FN:.*,jumps\|,[0-9]\{9\}' && pass || fail "a refused function is shown"
grep -q '^FNDA:1,other$' lcov && pass || fail "others stay"
bursty report coverage.brst | grep -q '^functions that are refused: 3' && pass || fail "refused, report"
bursty merge -o twice.brst coverage.brst coverage.brst && bursty report twice.brst >log
grep -q '^functions that are refused: 3' log && pass || fail "two unknowns are no known one"
# Without markers, functions that are left early have more entries than exits. (Those that end in
# exit or longjmp themselves are right.)
rm -f coverage.brst own
bursty cc --cover --no-exits -- $CC -w -o own ends.c && ./own >/dev/null
lacks own ELF bursty_calls && pass || fail "--no-exits has markers"
bursty report --lcov coverage.brst >lcov 2>log
for name in adds compare last main; do
    grep -q "ends.c:[0-9]*: $name is left out: " log && pass || fail "not refused: $name: $(cat log)"
done
lacks lcov '^DA:' ',[0-9]\{9\}' && pass || fail "an impossible count is printed"

# Where a part of an expression is left, and where behind it: it is an argument, an index, an
# initializer, or void; and a function has the name of one of the C library that always returns.
cat >values.c <<'END'
#include <setjmp.h>
#include <stdio.h>
static jmp_buf back;
static int one(int n) { return n; }
static int (*pick)(int) = one;
static int (*picks[2])(int) = {one, one};
static int log(int n) {                                /* = 17 */
    if (n) longjmp(back, 1);                           /* = 17 */
    return n;                                          /* = 11 */
}
static void leave(int n) {                             /* = 8 */
    if (n) longjmp(back, 1);                           /* = 8 */
}
static int by_pointer(int n) {                         /* = 2 */
    (*pick)(!n || log(0)),                             /* = 2 */
        log(n);                                        /* = 2 */
    return 1;                                          /* = 1 */
}
static int from_table(int n) {                         /* = 2 */
    picks[0](!n || log(0)),                            /* = 2 */
        log(n);                                        /* = 2 */
    return 1;                                          /* = 1 */
}
static int in_index(int n) {                           /* = 2 */
    picks[n && log(0)],                                /* = 2 */
        log(n);                                        /* = 2 */
    return 1;                                          /* = 1 */
}
static int behind_brackets(int n) {                    /* = 2 */
    one(1), n ? leave(0) : leave(0),                   /* = 2 */
        leave(n);                                      /* = 2 */
    return 1;                                          /* = 1 */
}
static int nested(int n) {                             /* = 2 */
    n > 0 ? (n > 4 ? leave(0) : leave(0)) : (n ? leave(1) : leave(0)),
        leave(n);                                      /* = 2 */
    return 1;                                          /* = 1 */
}
static int listed(int n) {                             /* = 2 */
    int k[] = {n && log(0),                            /* = 2 */
               log(n)};                                /* = 2 */
    return k[0];                                       /* = 1 */
}
static int literal(int n) {                            /* = 2 */
    return one((int){(n && log(0))                     /* = 2 */
                     + log(n)});                       /* = 2 */
}
static int own_name(int n) {                           /* = 2 */
    int k = n;                                         /* = 2 */
    k += log(n);                                       /* = 2 */
    k++;                                               /* = 1 */
    return k;                                          /* = 1 */
}
int main(void) {
    static int (*const all[])(int) = {by_pointer, from_table, in_index, behind_brackets, nested, listed,
                                       literal, own_name};
    volatile unsigned i;
    volatile int n;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        for (n = 0; n < 2; n++) {
            if (setjmp(back) == 0) printf("%d\n", all[i](n));
            else puts("left");
        }
    }
    return 0;
}
END
sed -n 's/.*\/\* = \([0-9]*\) \*\/$/\1/p;t
s/.*/?/p' values.c | awk '$1 != "?" { print NR, $1 }' >wanted
for words in 'count -O0' 'count -O2' 'bytes -O1' 'mcdc -O0'; do
    rm -f coverage.brst left got
    # shellcheck disable=SC2086
    bursty cc --cover=${words% *} --list=left -- $CC -w ${words#* } -o own values.c
    empty left || { fail "values, $words: left alone"; cat left; }
    ./own >/dev/null
    counts
    differ "${words% *}" >log && fail "values, $words: $(head -n 4 log)" || pass
done

# A function that calls nothing may still run when the program ends; one that is not static may be
# another function when it runs.
cat >last.c <<'END'
#include <pthread.h>
#include <unistd.h>
static volatile int here, there;
static void by_goto(void) {
top:
    here = 1;
    goto top;
}
static void by_assembly(void) {
    there = 1;
    __asm__ __volatile__("1: jmp 1b");
}
static void *first(void *p) {                          /* = 1 */
    by_goto();                                         /* = 1 */
    return p;                                          /* = 0 */
}
static void *second(void *p) {                         /* = 1 */
    by_assembly();                                     /* = 1 */
    return p;                                          /* = 0 */
}
int main(void) {                                       /* = 1 */
    pthread_t id;
    pthread_create(&id, NULL, first, NULL);            /* = 1 */
    while (!here) usleep(1000);
    pthread_create(&id, NULL, second, NULL);           /* = 1 */
    while (!there) usleep(1000);
    return 0;                                          /* = 1 */
}
END
cat >replaced.c <<'END'
int other(int n) { return n; }
int calls(int n) {                                     /* = 1 */
    int k = other(n);                                  /* = 1 */
    k++;                                               /* = 0 */
    return k;                                          /* = 0 */
}
END
cat >replaces.c <<'END'
#include <stdlib.h>
int other(int n) { exit(n); }
int calls(int n);
int main(void) { return calls(0); }
END
bursty cc --cover -- $CC -w -O0 -fPIC -shared -o libreplaced.so replaced.c
bursty cc --cover -- $CC -w -O0 -o replaced replaces.c -L. -lreplaced -Wl,-rpath,"$out" -rdynamic
bursty cc --cover -- $CC -w -O0 -pthread -o last last.c
for name in replaced last; do
    [ $name = last ] && case $($CC -dM -E - </dev/null | grep -c '__x86_64__ 1\|__i386__ 1') in
    0) skip "another assembly"; continue ;;
    esac
    sed -n 's/.*\/\* = \([0-9]*\) \*\/$/\1/p;t
    s/.*/?/p' $name.c | awk '$1 != "?" { print NR, $1 }' >wanted
    rm -f coverage.brst got
    ./$name && counts --filter "*$name.c"
    differ count >log && fail "$name: $(head -n 4 log)" || pass
done

# Other stacks, which are left until somebody comes back to them.
cat >stacks.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
static ucontext_t mine, other;
static char stack[1 << 16];
static void body(void) {                               /* = 1 */
    int i;
    for (i = 0; i < 3; i++) {                          /* = 2 */
        swapcontext(&other, &mine);                    /* = 2 */
        puts("on");                                    /* = 2 */
        if (i == 1) exit(0);                           /* = 2 */
        putchar('.');                                  /* = 1 */
    }
}
static int calls(int n) {                              /* = 3 */
    int s = n;                                         /* = 3 */
    swapcontext(&mine, &other);                        /* = 3 */
    s++;                                               /* = 2 */
    return s;                                          /* = 2 */
}
int main(void) {                                       /* = 1 */
    int i, sum = 0;                                    /* = 1 */
    getcontext(&other);                                /* = 1 */
    other.uc_stack.ss_sp = stack;                      /* = 1 */
    other.uc_stack.ss_size = sizeof stack;             /* = 1 */
    makecontext(&other, body, 0);                      /* = 1 */
    for (i = 0; i < 5; i++) {                          /* = 3 */
        sum += calls(i);                               /* = 3 */
        sum++;                                         /* = 2 */
    }
    return sum;                                        /* = 0 */
}
END
if $CC -w -o plain3 stacks.c 2>/dev/null && ./plain3 >plain3.out; then
    sed -n 's/.*\/\* = \([0-9]*\) \*\/$/\1/p;t
    s/.*/?/p' stacks.c | awk '$1 != "?" { print NR, $1 }' >wanted
    for words in 'count -O0' 'count -O2' 'bytes -O0' 'mcdc -O2'; do
        rm -f coverage.brst lcov got
        # shellcheck disable=SC2086
        bursty cc --cover=${words% *} -- $CC -w ${words#* } -o own stacks.c
        ./own | cmp -s - plain3.out && pass || fail "stacks, $words: output"
        counts
        differ "${words% *}" >log && fail "stacks, $words: $(head -n 4 log)" || pass
    done
else skip "no contexts"; fi

# Below code without unwind tables, as this that is made by hand, frames are not known: those that
# wait there are refused by name, and all others right. Marks are right in all of them.
cat >made.c <<'END'
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static jmp_buf back;
static void leaves(int how) {
    if (how == 1) exit(0);
    if (how == 2) longjmp(back, 1);
}
static void (*made)(int);
static int calls(int n) {
    int s = n;
    made(n);
    s++;
    return s;
}
static int runs(int n) {
    int r = 5;
    if (setjmp(back) == 0) r = calls(n);
    else r = 9;
    r++;
    return r;
}
static int fine(int n) { return n + 1; }
int main(int argc, char **argv) {
    unsigned char code[] = {0x53, 0x48, 0x83, 0xec, 0x20, 0x48, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0,
                            0xff, 0xd3, 0x48, 0x83, 0xc4, 0x20, 0x5b, 0xc3};
    void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void (*f)(int) = leaves;
    int sum = fine(1) + fine(2) + fine(3);
    memcpy(code + 7, &f, sizeof f);
    memcpy(p, code, sizeof code);
    memcpy(&made, &p, sizeof p);
    sum += runs(0);
    sum += runs(argc > 1 ? atoi(argv[1]) : 0);
    exit(sum < 0);
}
END
case $($CC -dM -E - </dev/null | grep -c -e '__x86_64__ 1' -e '__SIZEOF_POINTER__ 8') in
2)
    for words in 'count -O0' 'count -O2' 'bytes -O2' 'mcdc -O0'; do
        # shellcheck disable=SC2086
        bursty cc --cover=${words% *} -- $CC -w ${words#* } -o own made.c
        rm -f coverage.brst && ./own 1 && bursty report --lcov coverage.brst 2>log >exit.lcov
        rm -f coverage.brst && ./own 2 && bursty report --lcov coverage.brst 2>log2 >jump.lcov
        case $words in
        count*)
            [ "$(sed 's/.*made.c:[0-9]*: //; s/ .*//' log | tr '\n' ' ')" = "calls runs fine main " ] &&
                [ "$(sed 's/.*made.c:[0-9]*: //; s/ .*//' log2 | tr '\n' ' ')" = "calls runs " ] &&
                grep -q 'left, nobody knows where: .* below code without unwind tables' log && pass ||
                { fail "made, $words: not refused"; cat log log2; }
            for lcov in exit.lcov jump.lcov; do
                lacks $lcov '^FNDA:' '^FNDA:[1-9]*,calls\|^FNDA:[1-9]*,runs\|,[0-9]\{9\}' && pass ||
                    fail "made, $words: a refused function is shown"
            done
            [ "$(lines_of exit.lcov | tr '\n' ' ')" = "6 2 7 2 8 1 " ] && pass ||
                fail "made, $words: $(lines_of exit.lcov)"
            [ "$(lines_of jump.lcov | sed -n '/^6 /,/^8 /p;/^24 /p;/^36/p' | tr '\n' ' ')" = \
                "6 2 7 2 8 2 24 3 36 1 " ] && pass || fail "made, $words: $(lines_of jump.lcov)"
            ;;
        *)
            [ -s log ] && fail "made, $words: $(cat log)" || pass
            [ "$(grep '^DA:\(8\|13\|14\|19\|21\|35\|36\),' exit.lcov | tr '\n' ' ')" = \
                "DA:8,1 DA:13,1 DA:14,1 DA:19,1 DA:21,1 DA:35,1 DA:36,0 " ] && pass ||
                { fail "made, $words: marks"; grep ^DA exit.lcov | tr '\n' ' '; }
            ;;
        esac
    done
    ;;
*) skip "no code of another machine is made by hand" ;;
esac

# Random programs.
$CC -w -o make_exits "$top/tests/make_exits.c" || fail make_exits
for seed in 2 3 5; do
    ./make_exits $seed >random.c
    rm -f truth
    $CC -w -O0 -DTRUTH -o truthful random.c || fail "seed $seed"
    for run in '0 1' "2 $seed" '9 3'; do
        # shellcheck disable=SC2086
        ./truthful $run >"truthful.${run%% *}"
    done
    grep -n HIT random.c | sed 's/:.*//' | awk '$1 > 22' >places
    for form in 'count -O0' 'count -O2' 'count64 -O1' 'bytes -O1' 'bits -O0' 'mcdc -g -O2'; do
        rm -f coverage.brst
        # shellcheck disable=SC2086
        bursty cc --cover=${form%% *} -- $CC -w ${form#* } -o own random.c || fail "seed $seed $form"
        for run in '0 1' "2 $seed" '9 3'; do
            # shellcheck disable=SC2086
            ./own $run >own.out
            cmp -s own.out "truthful.${run%% *}" || fail "seed $seed $form: output"
        done
        counts 2>log || fail "seed $seed $form: no dump"
        [ -s log ] && fail "seed $seed $form: $(cat log)"
        awk -v form="$form" '
            FILENAME == "truth" { truth[$1] += $2; next }
            FILENAME == "got" { got[$1] = $2; next }
            { t = truth[$1] + 0; g = got[$1] + 0; if (form !~ /^count/) { t = t > 0; g = g > 0 } }
            t != g { print "line " $1 ": " g ", truth " t }' truth got places >log
        [ -s log ] && fail "seed $seed $form: $(head -n 4 log)" || pass
    done
done

# A function with one call may be inlined: a place in it implies that call.
cat >inlined.c <<'END'
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf back;
volatile int zero;
__attribute__((noinline)) void away(int n);
__attribute__((noinline)) void away(int n) {
    if (n == 7) longjmp(back, 1);      /* = 6 */
    if (n == 9) exit(0);               /* = 5 */
}
static void inner(int n) {             /* = 6 */
    away(n);                           /* = 6 */
    zero++;                            /* = 4 */
}
static void middle(int n) {            /* = 9 */
    zero++;                            /* = 9 */
    if (n > 2) {                       /* = 9 */
        inner(n);                      /* = 6 */
    }
    zero++;                            /* = 7 */
}
void outer(int n);
void outer(int n) {                    /* = 9 */
    if (n >= 0)                        /* = 9 */
        middle(n);                     /* = 9 */
    zero++;                            /* = 7 */
}
int main(void) {                       /* = 1 */
    int i;
    for (i = 0; i < 12; i++) {         /* = 9 */
        if (setjmp(back) == 0)         /* = 9 */
            outer(i);                  /* = 9 */
        else
            i = 8;                     /* = 1 */
    }
    return 0;                          /* = 0 */
}
END
sed -n 's/.*\/\* = \([0-9]*\) \*\/$/\1/p;t
s/.*/?/p' inlined.c | awk '$1 != "?" { print NR, $1 }' >wanted
for words in 'count -O0' 'count -O2' 'count -O3' 'bytes -O2'; do
    rm -f coverage.brst
    # shellcheck disable=SC2086
    bursty cc --cover=${words% *} -- $CC ${words#* } -o own inlined.c && ./own
    counts
    differ "${words% *}" >log && fail "inlined, $words: $(head -n 4 log)" || pass
    case $words in *2)
        nm own 2>/dev/null | grep -q ' t \(inner\|middle\)$' && fail "inlined, $words: it is not"
        ;;
    esac
done
finish
