#!/bin/sh
# test_record_frames.sh - `bursty record --frames FUNCTION`: an unmodified program's calls are frames.
# Its slow requests are named; what cannot be a frame is refused, or counted and said.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_frames
needs_recorder
source=$top/tests/make_requests.c
shown=got.err
compile() { "$@" 2>log || { echo "$*"; cat log; exit 2; }; }
compile "$CC" -O2 -g -o program "$source" -pthread

record() { # OPTIONS... -- PROGRAM ...
    rm -f x.brst
    "$bursty" record -o x.brst "$@" >got 2>got.err
}
frames() { # how many are counted, of which kind
    "$bursty" report --csv x.brst | awk -F, '/^#/ { on = /^# frames:/ } on && $1 + 0 { print $1, $(NF - 1) }'
}
says() { grep -q "^bursty: .*$1" got.err; }

# 8 of 400 requests parse a body for some 30 ms: it is named, and all 8 are among the slowest.
record --frames handle_request --slow 4 --ticks 1000 -- ./program
ok $? "a program with frames"
[ "$(frames)" = "400 handle_request" ]
ok $? "400 frames: $(frames)"
grep -Eq '^[0-9]+ of 400 frames of handle_request are slow \(> 4 ms\): ' got.err
ok $? "the first lines on the terminal are about slow frames"
truth=$(cat got)
"$bursty" report --csv x.brst >x.csv
awk -F, -v body="$truth" '
    /^#/ { table = $0; next }
    table ~ /^# frames_more:/ && $10 == "parse_body" { low = $7; high = $8; all = 1 }
    table ~ /^# frames:/ && $1 + 0 { slow = $0 }
    END { exit !(all && low > 0 && high < 3 * body) }' x.csv
ok $? "parse_body ($truth ms a body) is in the table of slow frames"
[ "$("$bursty" report x.brst | sed -n '/^the slowest frames/,$p' | grep -c 'in parse_body')" = 8 ]
ok $? "8 of the slowest frames are in parse_body"
"$bursty" report --csv x.brst | grep -q 'main,.*handle_request$'
[ $? = 1 ]
ok $? "what calls the function is no row"
"$bursty" report x.brst | grep -q '^where does it run: time by ticks'
ok $? "time stands beside frames"
cp x.brst one.brst

# A function with a loop of its own spends its time in the copy that tells of its calls. That is the
# function's time, and no code that the program made itself.
cat >loop.c <<'P'
#include <time.h>
static volatile unsigned sink;
__attribute__((noinline)) void often(void) { unsigned i; for (i = 0; i < 30000; i++) sink += i * i; }
int main(void) {
    int i;
    while (clock() < CLOCKS_PER_SEC / 3) {
        for (i = 0; i < 500; i++) often();
    }
    return 0;
}
P
${CC:-cc} -O1 -o loop loop.c && "$bursty" record --frames often -o loop.brst ./loop >got 2>got.err
ok $? "a function with a loop"
"$bursty" report loop.brst >loop.txt && lacks loop.txt '^1 .* often$' memfd &&
    lacks got.err '^bursty: ' 'made itself'
ok $? "its time is its own: $(grep -m 2 'memfd\|often$' loop.txt) $(cat got.err)"

# Merged, as on several machines.
record --frames handle_request --slow 4 --ticks 1000 -- ./program
"$bursty" merge -o sum.brst one.brst x.brst >got 2>got.err && mv sum.brst x.brst
[ "$(frames)" = "800 handle_request" ]
ok $? "merged: $(frames)"

# Threads; recursion; a frame that longjmp leaves; a program that ends within its first frames.
record --frames handle_request -- ./program threads
[ "$(frames)" = "400 handle_request" ]
ok $? "frames of four threads: $(frames)"
record --frames handle_request -- ./program deep
says '1 calls within another frame belong to that one (calls of handle_request)'
ok $? "recursion is said"
[ "$(frames)" = "10 handle_request" ]
ok $? "recursion is no frame: $(frames)"
record --frames handle_request -- ./program jump
says '1 frames were left by longjmp or an exception'
ok $? "longjmp is said"
[ "$(frames)" = "10 handle_request" ]
ok $? "a frame that longjmp left: $(frames)"
record --frames handle_request -- ./program short
[ "$(frames)" = "10 handle_request" ]
ok $? "ten frames: $(frames)"

# What a hooked function does itself is its own time, and no code that the program made.
cat >busy.c <<'P'
#include <time.h>
static volatile unsigned long sum;
__attribute__((noinline)) static void handle(int n) {
    int i;
    for (i = 0; i < n; i++) sum += (unsigned long)i;
}
int main(void) {
    int k;
    while (clock() < CLOCKS_PER_SEC / 3) {
        for (k = 0; k < 40; k++) handle(1000000);
    }
    return 0;
}
P
compile "$CC" -O1 -o busy busy.c
record --frames handle --ticks 1000 -- ./busy
says 'code that it made itself'
[ $? = 1 ]
ok $? "a hooked function is the program's own"
"$bursty" report --csv x.brst | awk -F, '$9 == "handle" { share = $2 } END { exit !(share > .9) }'
ok $? "its time is its own: $("$bursty" report x.brst | sed -n 3,5p)"

# A frame that ends in a jump to another function.
cat >jumps.c <<'P'
static volatile unsigned long sum;
__attribute__((noinline)) static void other(int n) {
    int i;
    for (i = 0; i < n; i++) sum += (unsigned long)i;
}
__attribute__((noinline)) static void handle(int n) {
    int i;
    for (i = 0; i < n; i++) sum += 2;
    other(n + 1);
}
int main(void) {
    int k;
    for (k = 0; k < 7; k++) handle(1000 + k);
    return 0;
}
P
compile "$CC" -O2 -o jumps jumps.c
if objdump -d --no-show-raw-insn jumps 2>/dev/null | grep -q 'jmp .*<other>'; then
    record --frames handle -- ./jumps
    says '7 frames end where the function goes on into another one'
    ok $? "a jump to another function is said"
else skip "the compiler makes no jump of a last call"; fi

# Two functions; patterns.
record --frames 'parse_h*' --frames answer -- ./program short
[ "$(frames | sort | tr '\n' ' ')" = "10 answer 10 parse_h* " ]
ok $? "two kinds: $(frames)"
record --frames handle_request --frames answer -- ./program short
says '10 calls within another frame belong to that one (calls of answer)'
ok $? "one function within another"

# A pattern names a function that is too short for a hook: the rest has frames, and the report says
# first that one is left out. Alone it is refused.
cat >parts.c <<'P'
static volatile unsigned long sum;
void part_short(void), part_long(int n);
__asm__(".text\n.globl part_short\n.type part_short,@function\npart_short: .cfi_startproc\nret\n"
        ".cfi_endproc\n.size part_short,.-part_short\n.globl part_next\n.type part_next,@function\n"
        "part_next: .cfi_startproc\nmov %edi,%eax\nadd $3,%eax\nret\n.cfi_endproc\n"
        ".size part_next,.-part_next\n");
__attribute__((noinline)) void part_long(int n) {
    int i;
    for (i = 0; i < n; i++) sum += (unsigned long)i;
}
int main(void) {
    int k;
    for (k = 0; k < 7; k++) {
        part_short();
        part_long(1000 + k);
    }
    return 5;
}
P
compile "$CC" -O1 -o parts parts.c
record --frames 'part_*' -- ./parts
[ $? = 5 ] && [ "$(frames)" = '7 part_*' ] && says '--frames part_\*: part_short begins no frame, .*hooked: '
ok $? "a pattern with a function that cannot be hooked: $(frames)"
"$bursty" report x.brst | sed -n 2p | grep -q '^MISSING: functions of --frames that begin no frame: 1, 33.3 % of all'
ok $? "which is a loss: $("$bursty" report x.brst | sed -n 2p)"
record --frames part_short -- ./parts
[ $? = 2 ] && [ ! -e x.brst ] && says 'the function cannot be hooked: '
ok $? "a function alone that cannot be hooked"

# Names that stand in a separate file.
if command -v objcopy >/dev/null && cp program stripped && objcopy --only-keep-debug program stripped.debug 2>log &&
    objcopy --strip-all --add-gnu-debuglink=stripped.debug stripped 2>log; then
    record --frames handle_request -- ./stripped short
    [ "$(frames)" = "10 handle_request" ]
    ok $? "a stripped program with symbols beside it: $(frames)"
    rm -f stripped.debug
    mkfifo stripped.debug                   # nobody ever writes into it
    for options in '--frames handle_request' '--misses --every 0'; do
        # shellcheck disable=SC2086
        within 20 "$bursty" record --quiet $options -o x.brst -- ./stripped short >got 2>got.err
        [ $? -lt 3 ]
        ok $? "a FIFO where symbols should be, with $options"
    done
else skip "no objcopy"; fi

# C++ names as they stand in the source, with their parameters or without; near ones.
cat >game.cc <<'EOF'
#include <stdio.h>
#define KEPT __attribute__((noinline))
static volatile unsigned sum;
struct Game {
    void KEPT update(int n) const { for (int i = 0; i < n; i++) sum = sum + 1; }
    void KEPT update(char c) const { sum = sum + (unsigned)c; }
};
namespace { void KEPT hidden(const Game &g) { g.update(1000); sum = sum + 1; } }
template <class T> void KEPT run(T n) { Game g; for (T i = 0; i < n; i++) hidden(g); sum = sum + 1; }
int main() { Game g; g.update('c'); run<int>(20); return puts("done") < 0; }
EOF
if ${CXX:-c++} -O1 -g -o game game.cc 2>log; then
    named() { # FUNCTION FRAMES
        record --frames "$1" -- ./game
        [ "$(frames)" = "$2 $1" ]
        ok $? "frames of $1: $(frames)"
    }
    named 'Game::update(int) const' 20
    named '(anonymous namespace)::hidden' 20
    named 'run<int>' 1
    named 'Game::upd*' 21
    named Game::update 21
    says '2 functions begin frames of the name Game::update$'
    ok $? "two functions of one name are said"
else skip "no C++ compiler"; fi

# Rust's names of both manglings as the report shows them, by symbols that rustc would give.
cat >crab.c <<'EOF'
#include <stdio.h>
#define KEPT __attribute__((noinline))
static volatile unsigned sum;
static void spend(void) { int i; for (i = 0; i < 1000; i++) sum += (unsigned)i; }
KEPT void handle(int n) __asm__("_ZN3app6handle17h34a3e2be1b4db82dE");
KEPT void area(int n) __asm__("_ZN38_$LT$app..Ci$u20$as$u20$app..Shape$GT$4area17hcba1aacd7e787305E");
KEPT void parse(int n) __asm__("_RNvCs1234_3app5parse");
KEPT void hashless(int n) __asm__("_ZN3app6hidden16h34a3e2be1b4db82E");
void handle(int n) { spend(); sum += (unsigned)n; }
void area(int n) { spend(); sum -= (unsigned)n; }
void parse(int n) { spend(); sum ^= (unsigned)n; }
void hashless(int n) { spend(); sum |= (unsigned)n; }
int main(void) {
    int i;
    for (i = 0; i < 7; i++) handle(i);
    for (i = 0; i < 6; i++) area(i);
    for (i = 0; i < 5; i++) parse(i);
    for (i = 0; i < 4; i++) hashless(i);
    return puts("done") < 0;
}
EOF
crabs() { # PROGRAM
    while read -r count name; do
        record --frames "$name" -- "./$1"
        [ "$(frames)" = "$count $name" ]
        ok $? "$1: frames of $name: $(frames)"
    done <<'EOF'
7 app::handle
6 <app::Ci as app::Shape>::area
5 app::parse
5 app::p*
4 app::hidden::h34a3e2be1b4db82
EOF
}
if ${CC:-cc} -O1 -o crab crab.c 2>log; then
    crabs crab
    # Names that only a debug file has.
    if command -v objcopy >/dev/null && objcopy --only-keep-debug crab bare.debug 2>/dev/null; then
        objcopy --strip-all --add-gnu-debuglink=bare.debug crab bare && crabs bare
    fi
else skip "the assembler does not take such names"; fi

# What is refused: one line, status 2, and the program does not run.
refuse() { # PATTERN OPTIONS...
    pattern=$1
    shift
    record "$@"
    [ $? = 2 ] && [ "$(wc -l <got.err)" = 1 ] && says "$pattern" && [ ! -s got ] && [ ! -f x.brst ]
    ok $? "$*: $pattern"
}
refuse "program has no function of that name; did you mean handle_request?" --frames handle_requst ./program
refuse "did you mean parse_body or parse_header?" --frames parse_ ./program
if [ -x game ]; then
    refuse "did you mean Game::update?" --frames updte ./game
    refuse "did you mean Game::update?" --frames Game::updates ./game
fi
[ ! -x crab ] || refuse "did you mean app::handle?" --frames app::handel ./crab
refuse "has no function of that name$" --frames quite_something_else ./program
refuse '\-\-frames \*: .* functions have such a name' --frames '*' "$bursty" --help
refuse "goes with --time" --calls --frames handle_request ./program
refuse "goes with --time" --every 5 --frames handle_request ./program
refuse "leaves nothing to say" --ticks 0 --frames handle_request ./program
refuse "records time alone" -p 1 --frames handle_request
refuse "is about frames" --slow 4 ./program
refuse "not a number of milliseconds" --slow x --frames handle_request ./program
refuse "not a number of milliseconds" --slow 0 --frames handle_request ./program
refuse "wants a function" --frames '' ./program
"$bursty" record --frames >got 2>got.err
[ $? = 2 ]
ok $? "--frames without a function"
record --frames never_called -- ./program short
says 'no frame: nothing called never_called'
ok $? "a function that nothing calls"
finish
