#!/bin/sh
# test_cc_dlopen.sh - libraries of `bursty cc` in each form that a plain program opens and closes: two
# at a time, again and again, with a thread that outlives them. Every one opens, and nothing that they
# counted is lost.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder cc_dlopen
shares_runtime
bursty() { "$build/bursty" "$@"; }
cat >lib.c <<'E'
static int inner(int x) {
    return (x * 13 + 5) & 511;
}
int STEP(int x) {
    int s = 0, i;
    for (i = 0; i < 3; i++)
        s += inner(x + i);
    return s;
}
int ALL(int n) {
    int s = 0, i;
    for (i = 0; i < n; i++)
        s ^= STEP(i);
    return s;
}
E
cat >opens.c <<'E'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int (*call[2])(int);
static pthread_barrier_t called, closed;
static void *other(void *p) {
    call[0](10);
    pthread_barrier_wait(&called);
    pthread_barrier_wait(&closed);
    return p;
}
int main(int n, char **v) {
    static const char *const names[][2] = {{"./liba.so", "a_all"}, {"./libb.so", "b_all"}};
    int round;
    if (n < 2) return 2;
    pthread_barrier_init(&called, NULL, 2);
    pthread_barrier_init(&closed, NULL, 2);
    for (round = atoi(v[1]); round > 0; round--) {
        void *library[2];
        pthread_t thread;
        int i;
        for (i = 0; i < 2; i++) {
            library[i] = dlopen(names[i][0], RTLD_NOW);
            if (!library[i]) return puts(dlerror()), 1;
            call[i] = (int (*)(int))dlsym(library[i], names[i][1]);
            call[i](100);
        }
        if (pthread_create(&thread, NULL, other, NULL) != 0) return 1;
        pthread_barrier_wait(&called);
        for (i = 0; i < 2; i++) dlclose(library[i]);
        pthread_barrier_wait(&closed);
        pthread_join(thread, NULL);
    }
    return 0;
}
E
$CC -w -pthread opens.c -o opens -ldl 2>log && $CC -shared -fPIC -DSTEP=a_step -DALL=a_all lib.c -o liba.so &&
    $CC -shared -fPIC -DSTEP=b_step -DALL=b_all lib.c -o libb.so && [ "$(uname)" = Linux ] && ./opens 1 ||
    leave 'no libraries that a program can open'

for form in --entries=all --form=scope --form=dual --ticks --no-tls --cover --cover=mcdc --trace; do
    rm -f ./*.so ./*.brst ./*.trace*
    for one in a b; do
        bursty cc $form -- $CC -O1 -fPIC -shared -DSTEP=${one}_step -DALL=${one}_all lib.c -o lib$one.so \
            2>>log || fail "$form: not built: $(cat log)"
    done
    BURSTY_EVERY=0 ./opens 5 >said 2>&1
    check "$form: opens and closes: $(head -n 2 said)" [ $? = 0 ]
    # The main thread calls each step 100 times a round, and a thread calls one of them 10 times.
    case $form in
    --entries=all | --form=scope)
        bursty report --csv liba.so.brst >said 2>&1
        check "$form: all rounds are in the file" grep -q "550,.*,a_step," said
        ;;
    --cover | --cover=mcdc)
        bursty report --lcov coverage.brst >said 2>&1
        case $form in --cover) wanted=550 ;; *) wanted=1 ;; esac
        check "$form: all rounds are counted" grep -q "^FNDA:$wanted,a_step" said
        ;;
    --trace)
        check "$form: a trace for each" [ "$(ls liba.so.trace* | wc -l)" = 5 ]
        for file in liba.so.trace*; do
            bursty report --lcov "$file" 2>>log | grep -q '^FNDA:110,a_step'
            ok $? "$form: $file"
        done
        ;;
    esac
done
# Several libraries that write to one file.
rm -f ./*.so
for one in a b; do
    bursty cc --entries=all -- $CC -O1 -fPIC -shared -DSTEP=${one}_step -DALL=${one}_all lib.c -o lib$one.so
done
for i in 1 2; do BURSTY_EVERY=0 BURSTY_FILE=both.brst ./opens 2; done
bursty report --csv both.brst >said 2>&1
check 'two libraries, one file, of the last run' sh -c 'grep -q "220,a_step," said &&
    grep -q "200,b_step," said'
finish
