#!/bin/sh
# test_record_titles.sh - a program that writes a title over its arguments, and gives its process another
# name, as servers do for each connection: no dump has anything of the title, and the name of the
# program is that of its file.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_titles
needs_recorder
. "$top/tests/attached.sh"
cat >title.c <<'P'
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
static volatile sig_atomic_t stop;
static void end(int number) { stop = number; }
__attribute__((noinline)) void work(void) { int i; for (i = 0; i < 6000; i++) __asm__ volatile(""); }
int main(int argc, char **argv) {
    const int runs_on = strcmp(argv[1], "on") == 0;
    char *last = argv[argc - 1] + strlen(argv[argc - 1]);
    signal(SIGTERM, end);
    memset(argv[0], 0, (size_t)(last - argv[0]));
    memcpy(argv[0], "at: 127.0.0.1 customer", 22);
    if (runs_on) prctl(PR_SET_NAME, "customer", 0, 0, 0);
    puts("ready");
    fflush(stdout);
    while (!stop && (runs_on || clock() < CLOCKS_PER_SEC / 5)) work();
    return last - argv[0] < 30;
}
P
$CC -O1 -g -o server title.c || exit 2
room=a-password-that-leaves-room-for-a-title

keeps() { # FILE: the name of the program, and nothing of the title
    [ -s "$1" ] && "$bursty" report --json "$1" | grep -q '"server"' &&
        ! grep -q -a -e customer -e 127.0 -e password "$1"
}
check "time" "$bursty" record --quiet -o time.brst ./server short $room
check "time keeps the name" keeps time.brst
check "contexts" "$bursty" record --quiet --calls -o calls.brst ./server short $room
check "contexts keep the name" keeps calls.brst
check "both" "$bursty" record --quiet --time --calls -o both.brst ./server short $room
check "both keep the name" keeps both.brst
if may_look .; then
    ./server on $room >ready &
    pid=$!
    wait_for [ -s ready ]
    "$bursty" record --quiet -p $pid --seconds 600 -o attached.brst &
    tool=$!
    is_seen $tool $pid 20
    kill $pid
    wait $tool
    check "attached" [ $? = 0 ]
    check "attached keeps the name" keeps attached.brst
    # Once it has ended, and nobody has asked for its status, its file is not to be had.
    cat >zombie.sh <<'P'
./server on "$1" >soon &
echo $! >pid
exec sleep 600
P
    sh ./zombie.sh $room &
    parent=$!
    wait_for [ -s pid ]
    pid=$(cat pid)
    wait_for [ -s soon ]
    "$bursty" record --quiet -p $pid --seconds 600 -o zombie.brst &
    tool=$!
    is_seen $tool $pid 20
    kill -STOP $tool
    kill $pid
    wait_for state_is Z $pid
    kill -CONT $tool
    wait $tool
    check "a zombie" [ $? = 0 ]
    check "a zombie keeps the name" keeps zombie.brst
    kill $parent
else
    skip "this system does not allow it"
fi
finish
