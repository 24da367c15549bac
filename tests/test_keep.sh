#!/bin/sh
# test_keep.sh - checks and scopes in assembly, in the ways of building that they must survive, with
# $CC and $CXX; with FULL=1, as the matrix has it, in all of them. The programs are in tests/keep/.
# With -DQUICK (tests/keep/whole.h) the implementation is compiled without an optimizer, and what has
# the checks is not: in a third of the time. Each program stands here without it, too, with -O2, and
# keep.c, which looks at what the implementation saves, always.
set -u
export BURSTY_SEED=1
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc} CXX=${CXX:-c++}
src=tests/keep out=${BUILD:-build}/keep
mkdir -p "$out" || exit 2
out=$(cd "$out" && pwd)
top=$PWD
shown=$out/log
has() { command -v "${1%% *}" >/dev/null 2>&1; }
run() { within 100 "$@" >>"$out/log" 2>&1; }
# The last part of a dump names the build.
but_build() { head -c "$(grep -abo BRST "$1" | tail -n 1 | cut -d : -f 1)" "$1"; }
same_but_build() {
    but_build "$1" >"$1.1" && but_build "$2" >"$2.1" && [ -s "$1.1" ] && cmp "$1.1" "$2.1"
}

# Does the compiler, with the options given, make checks in assembly?
makes() { # ON_OR_OFF LANGUAGE COMPILER OPTIONS...
    want=$1 language=$2
    shift 2
    : >"$out/log"
    printf '#include "bursty.h"\n' >"$out/ask.c"
    "$@" -I. -x "$language" -dM -E "$out/ask.c" >"$out/macros" 2>>"$out/log" || return 2
    if grep -q 'define BURSTY_CHECKS_ARE_ASSEMBLY' "$out/macros"; then got=on; else got=off; fi
    [ $got = "$want" ]
}
expect() { # ON_OR_OFF LANGUAGE COMPILER OPTIONS...
    makes "$@"
    case $? in 0) ok 0 ;; 1) ok 1 "checks in assembly are not $*" ;; *) ;; esac
}

# shellcheck disable=SC2086
if [ -n "${RUN:-}" ] || ! makes on c $CC ${CFLAGS:-}; then
    skip "$CC ${CFLAGS:-}: has no checks in assembly"
    finish
fi

# musl-gcc takes another C library's unwinder, which does not link.
cat >"$out/unwind.c" <<'END'
#include <stddef.h>
#include <unwind.h>
static _Unwind_Reason_Code frame(struct _Unwind_Context *context, void *user) {
    (void)context, (void)user;
    return _URC_NO_REASON;
}
int main(void) { return _Unwind_Backtrace(frame, NULL) == _URC_NO_REASON; }
END
# shellcheck disable=SC2086
if ! $CC ${LDFLAGS:-} -o "$out/unwind" "$out/unwind.c" 2>"$out/log"; then
    skip "$CC ${LDFLAGS:-}: has no unwinder to test with"
    finish
fi

# Registers, red zone, stack, backtrace, counts.
keep() { # FLAGS...
    : >"$out/log"
    (cd "$out" && $CC -g -w -I"$top" "$@" -o keep "$top/$src/keep.c" >>log 2>&1 && run ./keep)
    ok $? "keep.c $*"
}

# Inline functions, templates and members in two objects. LINK: exe or so.
shared() { # LINK FLAGS...
    link=$1
    shift
    : >"$out/log"
    for half in a b; do
        $CXX -std=c++11 -Wall -I. "$@" -c -o "$out/$half.o" $src/shared_$half.cc 2>>"$out/log"
    done
    echo 'extern "C" int keep_test(void);' >"$out/main.cc"
    echo 'int main() { return keep_test(); }' >>"$out/main.cc"
    if [ "$link" = so ]; then
        $CXX "$@" -shared -Wl,-z,defs,-z,text,--gc-sections -o "$out/lib.so" "$out/a.o" "$out/b.o" \
            2>>"$out/log" && $CXX "$@" -o "$out/shared" "$out/main.cc" "$out/lib.so" 2>>"$out/log"
    else
        $CXX "$@" -Wl,--gc-sections -o "$out/shared" "$out/main.cc" "$out/a.o" "$out/b.o" \
            2>>"$out/log"
    fi && run "$out/shared"
    ok $? "shared.hpp, $link: $*"
}

# A C++ exception out of an action, through C functions: with checks in C alone.
through() { # FLAGS...
    : >"$out/log"
    $CC -g -I. -DBURSTY_PORTABLE "$@" -c -o "$out/c.o" $src/through.c 2>>"$out/log" &&
        $CXX -std=c++11 -I. -DBURSTY_PORTABLE "$@" -o "$out/through" $src/through.cc "$out/c.o" 2>>"$out/log" &&
        run "$out/through"
    ok $? "through.c $*"
}

# The tests of bursty.h, whose entries and loops are then assembly.
whole() { # FLAGS...
    : >"$out/log"
    $CC -std=gnu99 -I. -Itests "$@" -o "$out/whole" tests/test_bursty.c -pthread -lm \
        2>>"$out/log" && run "$out/whole"
    ok $? "test_bursty.c $*"
}

# The same program with checks in assembly and in C leaves the same dump, byte for byte.
same_dump() { # FLAGS...
    : >"$out/log"
    for way in '' -DBURSTY_PORTABLE; do
        # shellcheck disable=SC2086
        $CC -std=gnu99 "$@" $way -I. -o "$out/dumps" $src/dumps.c 2>>"$out/log" &&
            run "$out/dumps" "$out/dump$way.brst"
    done
    [ -s "$out/dump.brst" ] && same_but_build "$out/dump.brst" "$out/dump-DBURSTY_PORTABLE.brst" >>"$out/log" 2>&1
    ok $? "dumps of checks in assembly and in C, $*"
}

# Programs with scopes that say what they have seen. C or C++, by the name.
same_events() { # PROGRAM FLAGS...
    program=$1 compiler="$CC -std=gnu99"
    case $program in *.cc) compiler="$CXX -std=c++11" ;; esac
    shift
    : >"$out/log"
    rm -f "$out/seen" "$out/seen-DBURSTY_PORTABLE"
    for way in '' -DBURSTY_PORTABLE; do
        # shellcheck disable=SC2086
        $compiler -w "$@" $way -I. -o "$out/scopes" "$src/$program" -pthread 2>>"$out/log" &&
            within 100 "$out/scopes" >"$out/seen$way" 2>>"$out/log" || echo failed >>"$out/log"
    done
    ! grep -q failed "$out/log" && [ -s "$out/seen" ] &&
        diff "$out/seen" "$out/seen-DBURSTY_PORTABLE" >>"$out/log" 2>&1
    ok $? "events of scopes in assembly and in C, $program $*"
}

# ---- where they are -----------------------------------------------------------------------------

expect on c $CC -O0
expect on c $CC -fPIC -DBURSTY_NO_TLS
expect on c $CC -fPIC '-DBURSTY_TLS_MODEL="initial-exec"'
expect on c $CC -fexceptions
expect on c++ $CXX -O2
expect on c++ $CXX -fno-exceptions
expect off c $CC -fPIC
expect off c $CC -fsanitize=address
expect off c $CC -fsanitize=thread
expect off c $CC -mcmodel=large
expect off c $CC -m32
expect off c $CC -mx32
for option in BURSTY_PORTABLE BURSTY_OFF BURSTY_POLL BURSTY_TINY BURSTY_STATIC; do
    expect off c $CC -D$option
done
expect off c++ $CXX -fno-exceptions -fPIC '-DBURSTY_TLS_MODEL="initial-exec"'

# Every form, with all warnings, as C and as C++, in assembly and where that is not possible.
. tests/compile/warnings.sh
# shellcheck disable=SC2086
forms() { # LANGUAGE STANDARD COMPILER FLAGS...
    language=$1 standard=$2 compiler=$3
    shift 3
    : >"$out/log"
    $compiler $(warnings_of "$compiler") -std=$standard -I. "$@" \
        -DFORMS_MAIN -x $language -o "$out/forms" tests/compile/forms.c -pthread -lm \
        2>>"$out/log" && run "$out/forms"
    ok $? "forms.c, $language $*"
}
forms c c99 "$CC" -O0
if [ -n "${FULL:-}" ]; then
    forms c c99 "$CC" -O2
    forms c c99 "$CC" -O2 -DBURSTY_OFF
    if has "$CXX"; then
        forms c++ c++11 "$CXX" -O1 -fno-exceptions
        forms c++ c++11 "$CXX" -O1
    fi
fi

level=-O1 # FULL=1: -O2, and the rest of each kind
[ -z "${FULL-}" ] || level=-O2

# ---- what they keep -----------------------------------------------------------------------------

keep -O0 -finstrument-functions -DHOOKS
keep $level -fPIC -mno-red-zone '-DBURSTY_TLS_MODEL="initial-exec"'
if [ -n "${FULL-}" ]; then
    keep $level -fsanitize-coverage=trace-pc -DHOOKS
    whole -O1
fi
whole -O0
same_dump $level
same_events scopes.c $level
if has "$CXX"; then
    shared exe $level -fno-exceptions -ffunction-sections
    [ -z "${FULL-}" ] || through $level
    same_events scopes.cc -O0
else skip "C++: no $CXX"; fi

# At each instruction of a function with a scope a tick finds that scope.
steps() { # FLAGS...
    : >"$out/log"
    $CC -std=gnu99 -w "$@" -I. -o "$out/steps" $src/steps.c 2>>"$out/log" && run "$out/steps"
    ok $? "a tick at each instruction: $*"
}
steps_shared() { # FLAGS...
    : >"$out/log"
    echo 'int steps_test(void); int main(void) { return steps_test(); }' >"$out/main.c"
    $CC -std=gnu99 -w "$@" -fPIC -shared '-DBURSTY_TLS_MODEL="initial-exec"' -DSTEPS_SHARED -I. \
        -o "$out/libsteps.so" $src/steps.c 2>>"$out/log" &&
        $CC -o "$out/steps" "$out/main.c" "$out/libsteps.so" "-Wl,-rpath,$out" 2>>"$out/log" &&
        run "$out/steps"
    ok $? "a tick at each instruction of a shared object: $*"
}
steps $level
if [ -n "${FULL:-}" ]; then
    for flags in -O0 -O1 -O2 -O3 -Os; do
        steps_shared $flags -DQUICK
        steps $flags -DQUICK
    done
    for flags in -fno-omit-frame-pointer '-fno-pie -no-pie' \
        '-fcf-protection=full -fstack-protector-all' -masm=intel; do
        # shellcheck disable=SC2086
        steps -O2 $flags -DQUICK
    done
fi

# The share of a function of 3 ns.
: >"$out/log"
if $CC -std=gnu99 -O2 -I. -o "$out/share" $src/share.c 2>>"$out/log"; then
    run "$out/share"
    status=$?
    if [ $status = 3 ]; then skip "nothing ticks here"
    else ok $status "the share of a small function"; fi
else ok 1 "share.c"; fi

# Intel's syntax, with a file of the user's own behind it that has assembly of its own in that syntax.
intel() { # FLAGS...
    : >"$out/log"
    cat >"$out/intel.c" <<'END'
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
int twice(int);
#if defined(__clang__) && __clang_major__ >= 19 /* bursty.h leaves the file's text in AT&T's syntax */
__asm__(".intel_syntax noprefix\n.text\n.globl twice\ntwice: lea eax, [rdi + rdi]\nret\n");
#elif !defined(__clang__)
__asm__(".text\n.globl twice\ntwice: lea eax, [rdi + rdi]\nret\n");
#else
int twice(int n) { return n + n; }
#endif
static int once(int n) { int r; BURST_SCOPE("once"); __asm__("mov %0, %1" : "=r"(r) : "r"(n)); return r; }
int main(void) {
    int i, sum = 0;
    bursty_stats stats;
    bursty_start(NULL);
    for (i = 0; i < 100000; i++) { BURST_LOOP(); BURST_ENTRY(); sum += once(twice(i % 3)); }
    bursty_get_stats(&stats);
    return sum != 199998 || stats.checks != 300000 || stats.events < 1000;
}
END
    # shellcheck disable=SC2086
    $CC -std=gnu99 -masm=intel "$@" -I. -o "$out/intel" "$out/intel.c" 2>>"$out/log" && run "$out/intel"
    ok $? "-masm=intel $*"
}
intel -O0
if [ -n "${FULL-}" ]; then
    intel $level
    intel $level -fno-pie -no-pie
fi
intel -O0 -fPIC '-DBURSTY_TLS_MODEL="initial-exec"'

# Nothing between the thunk and an action touches a vector register, and the short way calls no
# other function. No function but the two that the thunks call first saves what a call may change:
# gcc 12 has mixed that up. Those that are reached only on the way that keeps all registers are not listed.
short='bursty_p_kept_count bursty_p_kept_hit bursty_p_kept_return bursty_p_kept_leave
    bursty_note bursty_hit bursty_p_rest bursty_p_mix bursty_p_below bursty_p_draw_gap
    bursty_p_caller bursty_p_claim bursty_p_row_of bursty_p_tally bursty_p_send bursty_p_gap bursty_p_mean_gap bursty_p_spread
    bursty_p_weigh bursty_p_weigh_behind bursty_p_send_behind bursty_p_settle bursty_p_open_burst bursty_p_hibernate bursty_p_next_phase
    bursty_p_go_live bursty_p_keep_hit_any
    bursty_p_keep_look bursty_p_look bursty_p_deliver bursty_p_end bursty_p_fold_all
    bursty_p_fold bursty_p_add_product bursty_p_in_row'
apart='bursty_p_take_settings bursty_p_take_factor bursty_p_register bursty_p_pace bursty_p_begin_opening
    bursty_p_keep_hit_outside bursty_p_keep_leave_outside'
leaves_vectors_alone() { # FLAGS...
    : >"$out/log"
    $CC -I. -g -w "$@" -c -o "$out/keep.o" $src/keep.c 2>>"$out/log" &&
        objdump -dr --no-show-raw-insn "$out/keep.o" |
        awk -v short="$short" -v apart="$apart" '
            function base(name) { sub(/[.+@>-].*/, "", name); return name }
            BEGIN {
                split(short, s, /[ \n]+/); for (i in s) known[s[i]] = 1
                split(apart, a, /[ \n]+/); for (i in a) left[a[i]] = 1
            }
            /^[0-9a-f]+ <.*>:$/ {
                name = $2; gsub(/[<>:]/, "", name); name = base(name)
                on = name in known; functions += on
            }
            on && /[xyz]mm[0-9]|%st|%mm[0-7]|%k[0-7]/ { print name ": " $0; bad = 1 }
            /push +%r11/ && name !~ /thunk|kept_(count|return)|watcher_thread/ { print name ": " $0; bad = 1 }
            on && /\tcall/ && /</ {
                to = $0; sub(/.*</, "", to); to = base(to)
                if (to == name || to in known || to in left) next
                print name " calls " to
                bad = 1
            }
            on && /R_X86_64_P(LT|C)32/ && /\t(mem|str|__)/ { print name ": " $0; bad = 1 }
            END { exit bad || functions < 3 }' >>"$out/log"
    ok $? "the slow path leaves vector registers alone: $*"
}
if has objdump; then
    leaves_vectors_alone -O2
    if [ -n "${FULL-}" ]; then
        leaves_vectors_alone -O0
        leaves_vectors_alone -O3 -mavx2
    fi
else skip "no objdump"; fi

# bursty cc puts them in by itself, and leaves the same dump without them.
tool=${BUILD:-build}/bursty
rm -f "$out"/cc "$out"/cc*.o "$out"/cc*.brst
if [ -x "$tool" ]; then
    : >"$out/log"
    cat >"$out/cc.c" <<'END'
static int tree(int n) { return n < 2 ? n : tree(n - 1) + tree(n - 2); }
int main(void) {
    int i, sum = 0;
    for (i = 0; i < 300; i++) sum += tree(i % 12);
    return sum < 0;
}
END
    for way in '' -DBURSTY_PORTABLE; do
        # shellcheck disable=SC2086
        "$tool" cc --entries=all --loops=all -- $CC -O1 $way -c -o "$out/cc$way.o" "$out/cc.c" \
            2>>"$out/log"
        "$tool" cc -- $CC -o "$out/cc" "$out/cc$way.o" >>"$out/log" 2>&1 &&
            BURSTY_FILE="$out/cc$way.brst" run "$out/cc"
    done
    if has nm; then
        nm "$out/cc.o" | grep -q bursty_thunk && ! nm "$out/cc-DBURSTY_PORTABLE.o" | grep -q thunk
        ok $? "bursty cc puts checks in assembly in, and none with BURSTY_PORTABLE"
    fi
    [ -s "$out/cc.brst" ] && same_but_build "$out/cc.brst" "$out/cc-DBURSTY_PORTABLE.brst" >>"$out/log" 2>&1
    ok $? "dumps of bursty cc with checks in assembly and in C"
else fail "no $tool"; fi

if has gdb; then
    : >"$out/log"
    made=$out/keep.o # what was looked at above, if it was
    has objdump && [ -z "${FULL-}" ] && [ -s "$made" ] || made="-I. -O2 $src/keep.c"
    # shellcheck disable=SC2086
    $CC -g -w -o "$out/keep" $made >>"$out/log" 2>&1
    gdb -nx -q -batch -ex 'break trample if wants_frames' -ex run -ex bt "$out/keep" \
        >>"$out/log" 2>&1
    grep -A12 '^#0' "$out/log" | grep -o ' in [a-z_]*' | tr -d '\n' |
        grep -q 'bursty_thunk in inner in middle in outer in main'
    case $? in
    0) ok 0 ;;
    *) if grep -q '^#0' "$out/log"; then ok 1 "the debugger's backtrace"
       else skip "gdb runs no program here"; fi ;;
    esac
else skip "no gdb"; fi

# ---- everything else: the matrix ----------------------------------------------------------------

[ -n "${FULL:-}" ] || finish
case $($CC --version) in *clang*) family=clang ;; *) family=gcc ;; esac
# shellcheck disable=SC2086
lto() { # the options under which this compiler links with -flto, or nothing
    echo 'int main(void) { return 0; }' >"$out/lto.c"
    for options in '-flto' '-flto -fuse-ld=lld' "-flto -fuse-ld=lld-${CC##*-}"; do
        case $options,$CC in *=lld,clang-*) # which reads no newer compiler's code
            ld.lld --version 2>/dev/null | grep -q "LLD ${CC##*-}\." || continue ;;
        esac
        if $CC $options -o "$out/lto" "$out/lto.c" 2>/dev/null; then echo "$options"; return; fi
    done
}
lto=$(lto)
for flags in -O1 -O2 -Os '-O3 -mavx' '-O3 -march=native' '-O2 -fPIC' '-O2 -DBURSTY_NO_TLS' '-O2 -static' \
    '-O2 -fPIE -static-pie' '-O2 -fno-pie -no-pie' '-O2 -fno-omit-frame-pointer' \
    '-O2 -fcf-protection=full' '-O2 -mcmodel=medium' '-O2 -ffunction-sections -Wl,--gc-sections' \
    '-O2 -fstack-protector-all -fstack-clash-protection' '-O2 --coverage' \
    '-O2 -DBURSTY_PORTABLE' '-O1 -fsanitize=address,undefined' ${lto:+"-O2 $lto"}; do
    # shellcheck disable=SC2086
    keep $flags
done
if grep -q avx512f /proc/cpuinfo; then keep -O3 -mavx512f; else skip "no AVX-512 here"; fi
if has "$CXX"; then
    for level in -O0 -O2; do
        shared exe $level -fno-exceptions -DQUICK
        shared so $level -fno-exceptions -fPIC
        shared exe $level -DQUICK
        through $level
        through $level -fPIC '-DBURSTY_TLS_MODEL="initial-exec"'
    done
    shared so -O2 -fPIC -fno-exceptions '-DBURSTY_TLS_MODEL="initial-exec"' -DQUICK
    shared so -O2 -fPIC -fno-exceptions -fvisibility=hidden -fvisibility-inlines-hidden -DQUICK
    shared exe -O2 -fno-exceptions -static -DQUICK
    for sanitizer in address thread; do shared exe -O1 -fno-exceptions -fsanitize=$sanitizer -DQUICK; done
    # shellcheck disable=SC2086
    if [ -n "$lto" ]; then
        shared exe -O2 -fno-exceptions $lto
        shared so -O2 -fno-exceptions -fPIC $lto -DQUICK
        through -O2 -fexceptions $lto
    else skip "$CC -flto does not link here"; fi
fi
same_dump -O0
for flags in -O0 '-O3 -DQUICK' '-Os -DQUICK' '-O2 -fno-pie -no-pie -DQUICK' '-O3 -mavx2' \
    '-O2 -fcf-protection=full -fstack-protector-all -DQUICK' '-O2 -fexceptions -DQUICK' \
    '-O2 -DBURSTY_STACK=3 -DQUICK' '-O2 -DBURSTY_STACK=200 -DQUICK' ${lto:+"-O2 $lto"}; do
    # shellcheck disable=SC2086
    same_events scopes.c $flags
done
same_events scopes.c -O2 -fPIC '-DBURSTY_TLS_MODEL="initial-exec"' -DQUICK
if has "$CXX"; then
    for flags in -O2 '-O3 -DQUICK' '-Os -DQUICK' '-O2 -fno-pie -no-pie -DQUICK' ${lto:+"-O2 $lto -DQUICK"}; do
        # shellcheck disable=SC2086
        same_events scopes.cc $flags
    done
fi
if makes on c $CC -fzero-call-used-regs=all; then # clang 14 does not know it
    same_dump -O2 -fzero-call-used-regs=all
fi
same_dump -O3 -DBURSTY_NO_TLS
[ $family = clang ] || leaves_vectors_alone -O3 -march=native
finish
