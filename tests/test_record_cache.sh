#!/bin/sh
# test_record_cache.sh - what an earlier run found out about a program is believed only if it is of the
# same file, whole and ours; and the folder stays small. A signal that bursty gets reaches the program.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_cache
needs_recorder
XDG_CACHE_HOME=$out/cache
export XDG_CACHE_HOME
folder=$XDG_CACHE_HOME/bursty

cat >prog.c <<'P'
#include <stdio.h>
#ifndef MORE
#define MORE 0
#endif
__attribute__((noinline)) int leaf(int n) { __asm__(""); return n + 1 + MORE; }
__attribute__((noinline)) int step(int n) {
    int i, s = 0;
    for (i = 0; i < n; i++) s += leaf(i);
    switch (n) {
    case 1: s += leaf(3); break;
    case 2: s -= 5; break;
    case 3: s *= leaf(n); break;
    case 4: s += 11; break;
    case 5: s ^= 9; break;
    default: break;
    }
    return s + (MORE ? leaf(n) : 0);
}
int main(void) {
    int i, s = 0;
    for (i = 0; i < 40; i++) s += step(i);
    printf("%d\n", s);
    return s & 15;
}
P
$CC -O1 -o prog prog.c || exit 2
program=prog
./prog >plain
plain=$?

# One run of $program: its output and status are those of the program, and its calls are `calls`. $known: how many
# modules an earlier run knew.
run() { # [OPTION...]
    "$bursty" record --stats --every 0 --calls "$@" -o x.brst ./$program >got 2>err
    status=$?
    known=$(sed -n 's/.*earlier run \([0-9]*\) of.*/\1/p' err)
    "$bursty" report --csv x.brst 2>/dev/null | grep -v '^#' >calls.now
    [ -f calls ] || cp calls.now calls
    [ $status = $plain ] && cmp -s got plain && [ -s calls ] && cmp -s calls calls.now
}
check "the first run" run
check "the first run knows nothing" [ "$known" = 0 ]
check "the second run" run
check "the second run knows the program" [ "$known" -ge 1 ]
file=$(ls -S "$folder" | head -n 1)
[ "$(ls "$folder" | wc -l)" = 1 ] || fail "one module, and these files: $(ls "$folder")"
check "a run without" run --no-cache
check "a run without knows nothing" [ "$known" = 0 ]
check "a run with patterns" "$bursty" record --quiet --only 'step' --calls -o y.brst sh -c 'exit 0' 2>err

# ---- what must not be believed ---------------------------------------------------------------------
cp "$folder/$file" whole
size=$(wc -c <whole)
for at in 0 8 24 40 64 72 $((size / 2)) $((size - 1)); do
    cp whole "$folder/$file"
    byte=$(od -An -tu1 -j "$at" -N 1 whole)
    # shellcheck disable=SC2059
    printf "\\$(printf %o $(((byte + 1) % 256)))" | dd of="$folder/$file" bs=1 seek="$at" conv=notrunc 2>/dev/null
    check "damage at $at" run
    check "damage at $at is not believed" [ "$known" = 0 ]
    check "and is mended" cmp -s whole "$folder/$file"
done
for bytes in 0 10 72 $((size - 4)); do
    head -c "$bytes" whole >"$folder/$file"
    check "cut at $bytes" run
    check "cut at $bytes is not believed" [ "$known" = 0 ]
done
cat whole whole >"$folder/$file"
check "too long" run
check "too long is not believed" [ "$known" = 0 ]
cp whole "$folder/$file"
chmod 666 "$folder/$file"
check "others may write it" run
check "what others may write is not believed" [ "$known" = 0 ]
rm -f "$folder/$file"
ln -s "$out/whole" "$folder/$file"
check "a link" run
check "a link is not believed" [ "$known" = 0 ]
rm -f "$folder/$file"
mkfifo "$folder/$file"
check "a FIFO in its place" run
rm -f "$folder/$file"
if [ "$(id -u)" = 0 ]; then
    cp whole "$folder/$file"
    chown 65534 "$folder/$file"
    check "somebody else's file" run
    check "somebody else's file is not believed" [ "$known" = 0 ]
    chown 65534 "$folder"
    check "somebody else's folder" run
    check "somebody else's folder is not used" [ "$known" = 0 ]
    chown 0 "$folder"
fi
rm -rf "${folder:?}/$file"
mkdir "$folder/$file"
check "a folder in its place" run
rmdir "$folder/$file"
check "written again" run
chmod 777 "$folder"
check "a folder of everybody's" run
check "a folder of everybody's is not used" [ "$known" = 0 ]
chmod 700 "$folder"
check "it is used again" run
check "it knows the program again" [ "$known" = 1 ]

# The same name, size and times, and another program.
touch -r prog before
$CC -O1 -DMORE=1 -o prog prog.c || exit 2
touch -r before prog
./prog >plain
plain=$?
rm -f calls
check "another program" run
check "another program is not known" [ "$known" = 0 ]
check "another program, known" run
check "another program is known now" [ "$known" = 1 ]
rm -f calls
check "other settings" run --boring 0
check "other settings are not known" [ "$known" = 0 ]

# Code that differs from its file: a library changes it before the recorder starts.
cat >changer.c <<'P'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
__attribute__((constructor)) static void change(void) {
    const char *how = getenv("CHANGE");
    uintptr_t at = (uintptr_t)dlsym(RTLD_DEFAULT, "number"), page = at & ~(uintptr_t)4095;
    unsigned char *p = (unsigned char *)at;
    int n;
    if (!how) return;
    if (*how == '2') {
        if (rename("libother.so", "libchanger.so") != 0) exit(7);
        return;
    }
    if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) exit(9);
    for (n = 0; n < 16 && memcmp(p + n, "\xb8\x11\x11\x11\x11", 5); n++) { }
    if (n == 16) exit(8);
    memcpy(p + n, *how == '1' ? "\xb8\x22\x22\x22\x22" : "\xb8\x11\x11\x11\x11", 5);
    mprotect((void *)page, 8192, PROT_READ | PROT_EXEC);
}
#ifdef OTHER
int before(int n) { return n + 1; }
#endif
int changer(void) { return 1; }
P
cat >changed.c <<'P'
#include <stdio.h>
int changer(void);
__attribute__((noinline)) int number(void) { return 0x11111111; }
int (*volatile asked)(void) = number; /* not the constant that the compiler sees */
int main(void) { printf("%x %d\n", asked(), changer()); return 0; }
P
rm -rf "$folder"
$CC -O1 -fPIC -shared -o libchanger.so changer.c -ldl || exit 2
$CC -O1 -fPIC -shared -DOTHER -o libother.so changer.c -ldl || exit 2
$CC -O1 -fno-inline -rdynamic -o changed changed.c -L. -lchanger -Wl,-rpath,"$PWD" || exit 2
knows() { # WORDS KNOWN [NAME=VALUE]: what the program prints, and how many modules were known
    env ${3:-NONE=1} "$bursty" record --stats --calls --every 0 -o x.brst ./changed >got 2>err
    [ "$(cat got)" = "$1 1" ] && grep -q "earlier run $2 of 2" err
}
check "code that is the file's: the first run" knows 11111111 0
check "it is known" knows 11111111 2
check "code that was changed is not known: $(cat err)" knows 22222222 1 CHANGE=1
check "it is known when it was changed in the same way" knows 22222222 2 CHANGE=1
check "the file's is not known then: $(cat err)" knows 11111111 1
check "and known again" knows 11111111 2
check "a page that was written to as it was is read" knows 11111111 1 CHANGE=0
check "and known by its sum" knows 11111111 2 CHANGE=0
check "the program as it is" knows 11111111 1
check "a library whose file another one replaced is read" knows 11111111 1 CHANGE=2
check "what was found of the old one is not said of the new one: $(cat err)" knows 11111111 1
check "the new one is known" knows 11111111 2

# Switched off, each call from outside runs what the jump displaced, from the known start too.
cat >displaced.c <<'P'
#include <pthread.h>
#include <stdio.h>
__attribute__((noinline)) int leaf(int n) { __asm__(""); return n * 3 + 1; }
__attribute__((noinline)) int step(int n) {
    int i, s = 0;
    for (i = 0; i < n; i++) s += leaf(i) ^ leaf(s & 7);
    return s;
}
static void *work(void *to) { *(int *)to = step(40); return NULL; }
int main(void) {
    pthread_t thread;
    int got = 0;
    if (pthread_create(&thread, NULL, work, &got) != 0) return 2;
    pthread_join(thread, NULL);
    printf("%d %d\n", got, step(20));
    return 0;
}
P
$CC -O1 -o displaced displaced.c -lpthread || exit 2
./displaced >plain.off
for known in 0 1; do
    "$bursty" record --stats --calls --off --signal 10 -o x.brst ./displaced >got 2>err
    check "switched off, known $known: $(cat got)" cmp -s plain.off got
    check "that many are known" grep -q "earlier run $known of 1" err
done

# ---- no place, no room -----------------------------------------------------------------------------
rm -rf "$XDG_CACHE_HOME"
rm -f calls
(
    ulimit -f 129
    "$bursty" record --quiet --calls -o /dev/null "$bursty" cc --help >got 2>err
    echo $? >status
)
check "no room for the file" [ "$(cat status)" = 0 ]
check "the program runs" grep -q '^usage: ' got
check "nothing half written" [ "$(find "$XDG_CACHE_HOME" -type f -size +64k | wc -l)" = 0 ]
nowhere() { (unset XDG_CACHE_HOME HOME; "$bursty" record --quiet --calls -o x.brst ./prog >got 2>err; [ $? = $plain ]); }
check "no home" nowhere
: >notafolder
no_folder() { (XDG_CACHE_HOME=$out/notafolder; "$bursty" record --quiet --calls -o x.brst ./prog >got; [ $? = $plain ]); }
check "a file instead of a folder" no_folder

# A program that may write no files, or has no memory for tables, runs as it does alone; and what is
# not there is said.
limited() { # LIMIT OPTIONS... ; the program's status and words are its own
    limit=$1
    shift
    rm -f x.brst
    (ulimit $limit; "$bursty" record --no-cache "$@" -o x.brst ./prog 2>&1; echo "status $?") | cat >got
    grep -qx "status $plain" got && grep -qxF "$(cat plain)" got
}
said() { grep -q "^bursty: .*$1" got; }
for options in --inside '--frames step' '--footprint --every 0' '--misses --every 0'; do
    # shellcheck disable=SC2086
    check "$options where no file may be written" limited '-f 0' $options
    check "$options: no file is said: $(cat got)" said 'nothing was recorded: there was no room'
done
# From outside nothing is in the way of the program, and who writes the file says why it cannot.
if may_look . stacks; then
    check "--time where no file may be written" limited '-f 0' --time
    check "--time: no file is said: $(cat got)" said 'File too large'
fi
check "--footprint where files may have 512 bytes" limited '-f 1' --footprint --every 0
check "a file that may not grow is said: $(cat got)" said 'nothing was recorded: there was no room'
check "--footprint where files may have 100 KiB" limited '-f 200' --footprint --every 0
check "that is enough: $(cat got)" "$bursty" report x.brst >log
for limit in 300000 60000; do
    check "--misses with $limit kB of memory" limited "-v $limit" --misses --caches 48k,2m,512m --every 0
    check "little memory is said: $(cat got)" said 'nothing is recorded, and the program runs as it is: its memory is limited'
    check "one line says it: $(cat got)" [ "$(grep -c '^bursty' got)" = 1 ]
done

# The oldest goes first.
check "a run" run
truncate -s 60M "$folder/0123456789abcdef"
truncate -s 20M "$folder/fedcba9876543210"
touch -d 2001-01-01 "$folder/0123456789abcdef"
: >"$folder/keep.me"
check "a run that tidies up" run
check "the oldest is gone" [ ! -e "$folder/0123456789abcdef" ]
check "the others stay" [ -e "$folder/fedcba9876543210" -a -e "$folder/keep.me" ]
rm -f "$folder/fedcba9876543210"

# Labels of an interpreter are kept as well: their number is the fourth word behind the heading.
awk 'BEGIN {
    print "#include <stdio.h>"
    print "__attribute__((noinline)) static int leaf(int n) { return n * 7 ^ 3; }"
    print "__attribute__((noinline)) static int interpret(const int *ops, int n) {"
    print "    static void *const to[] = {"
    for (i = 0; i < 24; i++) printf "&&op%d, ", i
    print "&&ends};\n    void *code[64], **pc = code;\n    int i;"
    print "    for (i = 0; (code[i] = to[ops[i]]) != &&ends; i++) { }\n    goto *(*pc++);"
    for (i = 0; i < 24; i++)
        printf "op%d: n = leaf(n + %d) & 0x%xffff; goto *(*pc++);\n", i, 100000 + i, i + 1
    print "ends: return n;\n}\nint main(void) {\n    int ops[40], i, k, sum = 0;"
    print "    for (i = 0; i < 300; i++) {"
    print "        for (k = 0; k < 39; k++) ops[k] = (i * 7 + k * k) % 24;"
    print "        ops[39] = 24;\n        sum ^= interpret(ops, i);\n    }"
    print "    printf(\"%d\\n\", sum);\n    return sum & 15;\n}"
}' >threaded.c
$CC -O2 -w -o threaded threaded.c || exit 2
program=threaded
./threaded >plain
plain=$?
rm -rf calls "${folder:?}"/*
check "an interpreter" run
labels=$(od -A n -t u4 -j 84 -N 4 "$(ls -S "$folder"/* | head -n 1)" | tr -d ' ')
check "an interpreter: the second run" run
if [ "$labels" -ge 16 ]; then check "an interpreter: its $labels labels are known" [ "$known" -ge 1 ]
else skip "$CC makes no interpreter"; fi

# ---- signals ---------------------------------------------------------------------------------------
cat >asked.c <<'P'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile sig_atomic_t got;
static void on(int n) { got = n; }
int main(void) {
    int all[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}, i;
    for (i = 0; i < 6; i++) signal(all[i], on);
    puts("ready");
    fflush(stdout);
    alarm(300);
    while (!got) pause();
    return got;
}
P
$CC -o asked asked.c || exit 2
for asked in INT=2 QUIT=3 TERM=15 HUP=1 USR1=10 USR2=12; do
    name=${asked%=*}
    rm -f ready
    "$bursty" record --quiet -o x.brst ./asked >ready &        # in the background INT is ignored
    pid=$!
    wait_for [ -s ready ]
    kill -$name $pid
    wait $pid
    check "SIG$name reaches the program" [ $? = "${asked#*=}" ]
done
finish
