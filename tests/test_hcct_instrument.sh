#!/bin/sh
# test_hcct_instrument.sh - hot contexts of a program that was only compiled with -finstrument-functions: threads, longjmp,
# inlined functions, alloca, PIE and not, optimised and not, stripped, C++ exceptions, threads that outlive main.
CC=${CC:-cc} CXX=${CXX:-c++} BUILD=${BUILD:-build}
dir=$BUILD/tests/hcct_instrument
mkdir -p "$dir"
passed=0 failed=0 skipped=0
ok() { passed=$((passed + 1)); }
no() { failed=$((failed + 1)); echo "failed: $*"; }
skip() { skipped=$((skipped + 1)); echo "skipped: $*"; }

cat >"$dir/hooks.c" <<'END'
#define HCCT_INSTRUMENT_FUNCTIONS
#define HCCT_IMPLEMENTATION
#include "hcct.h"
END
cat >"$dir/program.c" <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
static jmp_buf env;
static volatile int sink;
static inline int tiny(int x) { sink = sink + x; return x; }
static int leaf(int x) { return tiny(x) + 1; }
static void dive(int n) { char *p = __builtin_alloca((unsigned)n * 8 + 8); memset(p, n, 8); sink = p[0]; if (n == 0) longjmp(env, 1); dive(n - 1); sink = 1; }
static void guarded(void) { if (!setjmp(env)) dive(3); }
static int mid(int x) { return leaf(x) + leaf(x + 1); }
static void *work(void *p) { for (int i = 0; i < 1000; i++) mid(i); return p; }
static volatile int started;
static void *forever(void *p) { work(NULL); started = 1; for (;;) mid(1); return p; }
int main(int argc, char **argv) {
    pthread_t t[3];
    (void)argv;
    if (argc > 1) { pthread_create(&t[0], 0, forever, 0); work(NULL); while (!started) {} return 0; }
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
repaired 80 unmatched 0
work 3
work;mid 3000
work;mid;leaf 6000
work;mid;leaf;tiny 6000
END
cat >"$dir/program.cc" <<'END'
#include <stdexcept>
static volatile int sink;
static void thrower(int n) { if (n == 0) throw std::runtime_error("x"); thrower(n - 1); sink = n; }
static void after() { sink = 2; }
static void catcher() { try { thrower(2); } catch (const std::exception &) { after(); } }
int main() { for (int i = 0; i < 5; i++) catcher(); return 0; }
END
cat >"$dir/show.c" <<'END'
#define HCCT_STATIC
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char *names[100000];
static void seen(void *user, uint32_t key, const char *name, size_t length) { (void)user; names[key] = (char *)calloc(1, length + 1); memcpy(names[key], name, length); }
static const char *name_of(void *user, uint32_t key) { (void)user; return names[key]; }
static int out(void *file, const void *data, size_t size) { return fwrite(data, 1, size, (FILE *)file) != size; }
int main(int argc, char **argv) {
    static unsigned char data[1 << 20];
    FILE *file = fopen(argv[argc - 1], "rb");
    size_t size = file ? fread(data, 1, sizeof data, file) : 0, used, bytes = hcct_load_bytes(data, size);
    hcct_reader reader = {seen, 0, 0};
    hcct_stats s;
    hcct t;
    const char *error = hcct_load(&t, malloc(bytes), bytes, data, size, &reader, &used);
    if (error) { puts(error); return 1; }
    hcct_write_collapsed(&t, name_of, 0, out, stdout);
    hcct_get_stats(&t, &s);
    printf("repaired %lu unmatched %lu\n", (unsigned long)s.repaired, (unsigned long)s.unmatched);
    return 0;
}
END
finish() { if [ $skipped = 0 ]; then echo "$passed passed, $failed failed"; else echo "$passed passed, $failed failed, $skipped skipped"; fi; [ "$failed" = 0 ]; exit; }

[ -r /proc/self/maps ] && [ -z "$RUN" ] || { skip "needs /proc and native programs"; finish; }
if ! $CC -I. -pthread -o "$dir/t" -finstrument-functions "$dir/program.c" -x c - <<'END' 2>/dev/null
#include <elf.h>
#include <sys/mman.h>
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *f, void *s) { (void)f; (void)s; }
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *f, void *s) { (void)f; (void)s; }
END
then skip "$CC has no -finstrument-functions"; finish; fi
$CC -O1 -I. -o "$dir/show" "$dir/show.c" || { no "show.c does not compile"; finish; }

for flags in '-O0' '-O2' '-O2 -fno-pie' '-O3 -fomit-frame-pointer' '-O1 -fPIE'; do
    # shellcheck disable=SC2086
    if $CC -std=c99 -Wall -Wextra -pedantic -Werror $flags -I. -c -o "$dir/hooks.o" "$dir/hooks.c" &&
        $CC $flags -finstrument-functions -c -o "$dir/program.o" "$dir/program.c" &&
        case $flags in *no-pie*) pie=-no-pie ;; *PIE*) pie=-pie ;; *) pie= ;; esac && $CC $pie -pthread -o "$dir/program" "$dir/program.o" "$dir/hooks.o"; then
        rm -f "$dir/a.brst"
        HCCT_FILE=$dir/a.brst "$dir/program" && "$dir/show" "$dir/a.brst" | LC_ALL=C sort >"$dir/got"
        cmp -s "$dir/got" "$dir/wanted" && ok || { no "$flags"; diff "$dir/got" "$dir/wanted"; }
    else no "$flags: does not compile"; fi
done

# Even the hooks' own file may be compiled with the flag.
if $CC -O1 -I. -finstrument-functions -pthread -o "$dir/program" "$dir/program.c" "$dir/hooks.c"; then
    HCCT_FILE=$dir/b.brst "$dir/program" && "$dir/show" "$dir/b.brst" | LC_ALL=C sort >"$dir/got"
    cmp -s "$dir/got" "$dir/wanted" && ok || { no "all with the flag"; diff "$dir/got" "$dir/wanted"; }
fi
# Stripped: file and offset instead of names, same counts. %p is the process number.
strip -o "$dir/stripped" "$dir/program" 2>/dev/null || cp "$dir/program" "$dir/stripped"
rm -f "$dir"/c.*.brst
HCCT_FILE=$dir/c.%p.brst "$dir/stripped"
set -- "$dir"/c.*.brst
"$dir/show" "$1" >"$dir/got"
grep -q '^stripped+0x[0-9a-f]*;stripped+0x[0-9a-f]*;stripped+0x[0-9a-f]*;stripped+0x[0-9a-f]* 6000$' "$dir/got" && ok || { no stripped; cat "$dir/got"; }
# A thread that never ends is in the dump too.
HCCT_FILE=$dir/d.brst "$dir/program" forever && "$dir/show" "$dir/d.brst" >"$dir/got"
grep -q '^main;work;mid;leaf 2000$' "$dir/got" && ok || { no "main beside a running thread"; cat "$dir/got"; }
grep -q '^forever;.*mid;leaf [0-9]' "$dir/got" && ok || { no "a running thread"; cat "$dir/got"; }
# What cannot be written is said.
HCCT_FILE=$dir/none/x.brst "$dir/program" 2>"$dir/err"
grep -q 'hcct: cannot write' "$dir/err" && ok || no "no message"

if command -v "${CXX%% *}" >/dev/null 2>&1 && $CXX -O2 -finstrument-functions -c -o "$dir/program.o" "$dir/program.cc" &&
    $CXX -x c++ -std=c++11 -Wall -Wextra -O2 -I. -c -o "$dir/hooks.o" "$dir/hooks.c" && $CXX -pthread -o "$dir/program" "$dir/program.o" "$dir/hooks.o"; then
    HCCT_FILE=$dir/e.brst "$dir/program" && "$dir/show" "$dir/e.brst" >"$dir/got"
    grep -q '^main;_ZL7catcherv;_ZL5afterv 5$' "$dir/got" && ok || { no "after an exception"; cat "$dir/got"; }
    grep -q '^main;_ZL7catcherv 5$' "$dir/got" && ok || no "the catcher"
    grep -q ' unmatched 0$' "$dir/got" && ok || { no "unmatched"; cat "$dir/got"; }
else skip "no C++ compiler"; fi
finish
