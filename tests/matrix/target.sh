#!/bin/sh
# target.sh NAME - runs one row of tests/matrix/targets; its output goes to build/matrix/NAME.log,
# and one line with passed, failed and seconds to standard output. build/matrix/NAME.result keeps
# "passed failed skipped".
set -u
cd "$(dirname "$0")/../.." || exit 2
name=$1
build=build/matrix/$name
host=build # of the tool as `make` makes it, which reads what targets write
log=build/matrix/$name.log
mkdir -p "$build"
warn='-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -pedantic -Werror'

field() { awk -F '|' -v n="$name" -v f="$1" '{ k = $1; gsub(/ /, "", k) } k == n { print $f }' tests/matrix/targets; }
programs_of() { for name_ in $1; do echo "tests/test_$name_.c"; done; }

# ---- which tests a target runs: those whose answer it can change ----

of_tool='^.include "(base|report|lab|cc)/'
all_programs()    { ls tests/test_*.c; }
header_programs() { grep -LE "$of_tool" tests/test_*.c; }     # not linked with the host tool
file_programs()   { all_programs | grep -v -e cc_parse -e test_mcdc; } # all but those that read C

# Each script is of one kind.
scripts_of() { # KIND...
    for script in tests/test_*.sh; do
        case ${script#tests/test_} in
        headers.sh | readme.sh | shared.sh | gate.sh | golden.sh) kind=sources ;;  # the same everywhere
        private_names.sh | bench_list.sh | world.sh) kind=sources ;;
        comments.sh | compile.sh | disasm.sh | examples.sh | keep.sh) kind=headers ;;
        binpatch.sh | bursty_cpp.sh | demo.sh | registers.sh | edgeprof.sh | hand.sh | fiber_pools.sh) kind=headers ;;
        hcct_*.sh | record.sh | record_*.sh | ticks_*.sh | layout.sh) kind=recorded ;;  # programs of $CC, and what we link to them
        cc*.sh | coverage.sh | cover_c*.sh | mcdc*.sh | place*.sh | prove.sh | trace.sh) kind=rewritten ;;  # the tool as a compiler
        hostile.sh) kind=hostile ;;
        *) kind=tool ;;                                                     # what the tool says of files
        esac
        case " $* " in *" $kind "*) echo "$script" ;; esac
    done
}
# Those of which `make test` runs a part, and those that want a compiler which it does not ask for.
longer_scripts() { grep -l '[{]FULL' $(scripts_of headers recorded hostile); ls tests/test_disasm.sh tests/test_mcdc_m3.sh; }
# Without the two that are longest when FULL=1, and that gcc-c99 has whole, and clang-14 as `make test` has them.
recorded_scripts() { scripts_of recorded | grep -v -e /test_record.sh -e /test_record_proof.sh; }

# All that a compiler can change, whole: for one compiler. What the tool says of files is asked of tools by gcc:
# with its sanitizers, with 32 bits, with another C library.
everything() { FULL=1 tests "$(all_programs)" "$(scripts_of headers rewritten) $(recorded_scripts)" "$@"; }
# What `make test` leaves out, by the compiler that it has used and with the tool that it has made.
longer()     { build=$host; FULL=1 tests '' "$(longer_scripts)" "$@"; }
# What another compiler can change: the headers, what they become, and programs that it compiles. As
# much of that as `make test` runs: the newer clang has all of it, and alone what is long and asks less
# of the compiler than of what it compiles. It has the tool with -O2, too.
compiled()   {
    make -s -k BUILD="$build" WARN="$warn" "$@" CFLAGS='-O0 -g1' tools
    tests "$(header_programs)" "$(scripts_of headers rewritten recorded |
        grep -v -e examples -e comments -e keep -e demo -e hcct_ -e place_)" "$@"
}
# The host tool where its own words or its C library are others.
tool_tests() { tests "$(all_programs)" "$(scripts_of rewritten tool | grep -v place_cycles)" "$@"; }
library()    { tests "$(all_programs)" "$(scripts_of recorded tool)" "$@"; }
programs()   { tests "$(all_programs)" '' "$@"; }
headers()    { tests "$(header_programs)" '' "$@"; }
files()      { tests "$(file_programs)" '' "$@"; }
firmware()   { BUILD=$host sh tests/firmware/run.sh "$1"; }

# ---- the gate's rows ----

# The scripts that `make test` leaves to the row NAME.
left_to() { awk -v row="$1" '!/^#/ && $2 == row { print "tests/" $1 }' tests/order; }
left() { JOBS=2 BUILD=$host CC=cc CXX=c++ sh tests/run.sh $(left_to "$1"); }

# What reads files that strangers wrote, with the tool that does it.
strangers='dump parts elf symbols demangle cfg deflate lines unwind text glob ranges
    edges_part edgetrace footprint_files hcct_files hotstream_files record_sums x86decode'
strangers_bytes() { # MAKE'S VARIABLES...
    ASAN_OPTIONS=detect_leaks=0 tests "$(programs_of "$strangers")" \
        'tests/test_merge.sh tests/test_report.sh' RECORDER= "$@"
}

# One of each product, and what writes and reads bytes.
big_endian='bursty dump edgeprof_own_threads footprint_files hcct_files hotstream_files'
threaded='bursty_threads bursty_ticks edgeprof_threads bursty_frames_threads'
some_programs() { # NAMES MAKE'S VARIABLES...
    names=$1
    shift
    tests "$(programs_of "$names")" '' "$@"
}

# Every header in every form, and every source of the tool, is read for warnings; one program is run.
warnings() { # CC CXX OPTIONS...
    cc=$1 cxx=$2
    shift 2
    . tests/compile/warnings.sh
    forms='-DON -DBURSTY_OFF -DBURSTY_POLL -DBURSTY_NO_TLS -DBURSTY_STATIC -DBURSTY_TINY -DBURSTY_STACK=0
        -DBURSTY_PORTABLE -DBURSTY_BARE'
    for source in all static part off; do
        check "$source.c" read_by "$cc" "$@" -std=c99 "tests/compile/$source.c"
    done
    check "bare.c" read_by "$cc" "$@" -std=c99 -ffreestanding tests/compile/bare.c
    for form in $forms; do
        check "forms.c $form" read_by "$cc" "$@" -std=c99 $form tests/compile/forms.c
    done
    if [ "$cxx" ]; then
        check "all.cc" read_by "$cxx" "$@" -std=c++11 tests/compile/all.cc
        for form in $forms; do
            check "forms.c $form, C++" read_by "$cxx" "$@" -std=c++11 -x c++ $form tests/compile/forms.c
        done
    fi
    make -s "$build/report/page.c" "$build/cc/runtime.c" BUILD="$build"
    for source in base/*.c report/*.c report/*/*.c cc/[!i]*/*.c record/tool/*.c lab/*.c \
        "$build/report/page.c" "$build/cc/runtime.c"; do
        check "$source" "$cc" $warn "$@" -std=c99 -D_FILE_OFFSET_BITS=64 -I. -fsyntax-only "$source"
    done
    case " $* " in *' -m32 '*) ;; *)
        for source in record/inside/*/*.c; do
            case $source in record/inside/hooks/*) continue ;; esac
            check "$source" "$cc" $warn "$@" -std=c99 -I. -fPIC -fsyntax-only "$source"
        done
        check "test_bursty.c compiles" "$cc" $warn -std=c99 -O2 -I. -Itests -pthread \
            -o "$build/test_bursty" tests/test_bursty.c -lm
        check "test_bursty.c runs" "$build/test_bursty" ;;
    esac
    echo "$passed passed, $failed failed"
}
read_by() { # COMPILER OPTIONS...
    compiler=$1
    shift
    "$compiler" $(warnings_of "$compiler") -I. -Itests -fsyntax-only "$@"
}

# As `make test`, but what does not compile fails by itself.
tests() { # PROGRAMS SCRIPTS MAKE'S VARIABLES...
    sources=$1 scripts=$2 programs=
    shift 2
    for variable in "$@"; do
        case $variable in CC=*|CXX=*|CFLAGS=*|RUN=*) export "${variable?}" ;; esac
    done
    for source in $(echo "$sources" | sort -u); do programs="$programs $build/tests/$(basename "$source" .c)"; done
    # shellcheck disable=SC2086
    make -s -k -j2 BUILD="$build" WARN="$warn" "$@" $programs ${scripts:+tools}
    # shellcheck disable=SC2086
    JOBS=1 BUILD=$build sh tests/run.sh $programs $scripts
}

# Some kernels run no programs of 32 bits. There qemu does, slowly, and the tool is a script that starts
# it: a few scripts, and programs that use the tool's readers. The row mips has those of headers. In
# qemu's i386 threads and children break.
words_of_32() { # MAKE'S VARIABLES...
    echo 'int main(void) { return 0; }' >"$build/probe.c"
    gcc-12 -m32 -isystem /usr/include/x86_64-linux-gnu -o "$build/probe" "$build/probe.c" || return 1
    "$build/probe" 2>/dev/null && { tool_tests "$@"; return; }
    echo "this kernel runs no programs of 32 bits: qemu-i386 does"
    printf '%s\n' '#!/bin/sh' 'case $(od -An -tu1 -j 4 -N 1 "$1") in *1) exec qemu-i386 "$@" ;; esac' \
        'exec "$@"' >"$build/run"
    make -s -k BUILD="$build" WARN="$warn" "$@" tools || return 1
    for tool in bursty bursty-lab; do
        [ "$(head -c 2 "$build/$tool")" = '#!' ] && continue
        mv "$build/$tool" "$build/$tool.elf"
        printf '#!/bin/sh\nexec qemu-i386 "%s" "$@"\n' "$PWD/$build/$tool.elf" >"$build/$tool"
        chmod +x "$build/$tool"
    done
    tests "$(grep -lE "$of_tool" $(grep -LE 'pthread_create|_threads.inc|fork\(' $(all_programs)))" \
        "$(ls tests/test_report.sh tests/test_report_base.sh tests/test_merge.sh tests/test_lab_*.sh)" \
        RUN="sh $PWD/$build/run" "$@"
}

# ThreadSanitizer of gcc 12 wants the address layout of older kernels: setarch -R.
tsan() {
    tests "$(grep -lE 'pthread_create|_threads.inc' tests/test_*.c)" '' \
        CC=gcc-12 RUN='setarch -R' CFLAGS='-O1 -g -fsanitize=thread -DTEST_SCALE=4'
}

# The prefix is 700 MB of Windows folders: made for this run, removed behind it.
begin_wine() {
    WINEPREFIX=$(mktemp -d "${TMPDIR:-/tmp}/bursty-wine.XXXXXX") || return 1
    export WINEPREFIX WINEDEBUG=-all WINEDLLOVERRIDES='mscoree=;mshtml=;winemenubuilder.exe=' LC_ALL=C
    wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
    /usr/lib/wine/wineserver -p >/dev/null 2>&1 # stays until -k: none ends while a program begins
    timeout 300 "$wine" cmd /c exit >/dev/null 2>&1
}
end_wine() {
    /usr/lib/wine/wineserver -k >/dev/null 2>&1
    /usr/lib/wine/wineserver -w >/dev/null 2>&1
    rm -rf "$WINEPREFIX"
}

windows() {
    begin_wine || return 1
    programs CC=x86_64-w64-mingw32-gcc LDFLAGS=-static RUN="sh tests/matrix/wine.sh $wine" \
        CFLAGS='-O1 -D__USE_MINGW_ANSI_STDIO=1 -DTEST_SCALE=4'
    code=$?
    end_wine
    return $code
}

# ---- systems that are not here: clang compiles for them, against headers of our own ----

passed=0 failed=0
check() { # WHAT COMMAND...
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $what: $*"
    fi
}
# -Wno-unused...: the compiler that is asked for has no mark for what may be unused, and no such
# warning below its highest level.
clang_for() { # SYSTEM OPTIONS...
    system=$1
    shift
    case " $* " in *' -U__clang__ '*) set -- "$@" -Wno-unused-parameter -Wno-unused-function ;; esac
    case "$system $*" in # warnings come without code; code is made once for each processor
    x86_64*all.c | arm64*all.c | x86_64*msvc*forms.c) set -- "$@" "${level:--O0}" -c -o "$build/x.obj" ;;
    *) set -- "$@" -fsyntax-only ;;
    esac
    clang-19 --target="$system" $warn -Wno-pedantic -I. "$@"
}
level= # of the code, -O0
hosted='-nostdlibinc -isystem tests/compile/system'

# As Microsoft's compiler sees it. With -U__clang__ nothing says that this is another compiler: so
# these are the paths of its own, with its thread-local variables and interlocked functions.
# shellcheck disable=SC2086
msvc() {
    for language in 'c -std=c99' 'c++ -std=c++14'; do
        for source in 'all.c' 'forms.c' 'forms.c -DBURSTY_OFF' 'forms.c -DBURSTY_POLL' \
                      'forms.c -DBURSTY_NO_TLS' 'forms.c -DBURSTY_STATIC' 'forms.c -DBURSTY_TINY'; do
            for bits in x86_64 i686; do
                for as in '' -U__clang__; do
                    for libc in "$hosted" "-ffreestanding -DBURSTY_STACK=64"; do
                        check "$bits $libc" clang_for $bits-pc-windows-msvc $libc $as \
                            -fms-compatibility-version=19.30 -x $language tests/compile/$source
                    done
                done
            done
        done
    done
    begin_wine || return 1
    for gcc in gcc g++; do
        case $gcc in gcc) language='c -std=c99' ;; *) language='c++ -std=c++14 -fexceptions' ;; esac
        run=$build/run-$gcc
        rm -f "$run.brst"
        check "bursty_msvc.c with mingw's headers" clang-19 --target=x86_64-w64-windows-gnu \
            -fms-extensions -include tests/compile/as_msvc.h -I. -O1 $warn -Wno-pedantic \
            -Wno-builtin-macro-redefined -Wno-#warnings -x $language -c -o "$run.o" \
            tests/compile/bursty_msvc.c
        check "links" x86_64-w64-mingw32-$gcc -static -o "$run.exe" "$run.o"
        check "runs" sh tests/matrix/wine.sh "$wine" "$run" "$run.brst"
        "$host/bursty" report "$run.brst" >"$run.txt"
        for line in 'ticks 8 010,' 'threads 9; events lost 0' '^100.00%.* outer > inner' \
                    ' worker (ended)' 'hot calling contexts' ' 8010  *8010  inner '; do
            check "the report says: $line" grep -q "$line" "$run.txt"
        done
    done
    end_wine
    echo "$passed passed, $failed failed"
}

# macOS: POSIX threads and clocks, no timers, a watcher. Nothing is linked or run.
# shellcheck disable=SC2086
macos() {
    for processor in x86_64 arm64; do
        for language in 'c -std=c99' 'c++ -std=c++11'; do
            for source in 'all.c' 'static.c' 'static.c -DSTATIC_OTHER' 'part.c' 'off.c' 'forms.c' \
                          'forms.c -DBURSTY_OFF' 'forms.c -DBURSTY_POLL' 'forms.c -DBURSTY_BARE' \
                          'forms.c -DBURSTY_PORTABLE' 'forms.c -DBURSTY_TINY'; do
                check "$processor" clang_for $processor-apple-macos12 $hosted -x $language \
                    tests/compile/$source
            done
        done
        # A thread that ends is noticed, there is a clock, and there is a watcher.
        rm -f "$build/x.obj"
        level=-O1 # what can never be called is gone
        clang_for $processor-apple-macos12 $hosted -x c -std=c99 tests/compile/all.c
        level=
        for symbol in _pthread_key_create _pthread_atfork _clock_gettime _pthread_create _thread_info; do
            check "all.c uses $symbol" grep -q "$symbol" "$build/x.obj"
        done
    done
    echo "$passed passed, $failed failed"
}

# The recorder works in a stranger's process, which has no library of the sanitizer's: it traps.
recorder_that_traps() { # CC CXX
    make -s -k -j2 BUILD="$build" CC="$1 -fsanitize=undefined -fsanitize-undefined-trap-on-error" tools
    JOBS=1 BUILD=$build CC=$1 CXX=$2 \
        sh tests/run.sh tests/test_record_guest.sh tests/test_record_steps.sh tests/test_record_traps.sh
}

# The same inputs every time.
fuzz() { BUILD=$build sh fuzz/run.sh same; }

# Report pages in a browser.
page() { BUILD=$host sh tests/page.sh; }

start=$(date +%s)
eval "$(field 4)" >"$log" 2>&1
code=$?
line=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -n 1)
passed=0 failed=1 skipped=0
if [ -n "$line" ]; then
    passed=${line%% *} failed=${line#*, } failed=${failed%% *}
    case $line in *skipped) skipped=${line##*, } skipped=${skipped%% *} ;; esac
    [ "$failed" = 0 ] && [ $code != 0 ] && failed=1
    [ "$passed$failed" != 00 ] || failed=1 # it asked nothing
fi
echo "$passed $failed $skipped" >"build/matrix/$name.result"
times >"$log.times"
cpu=$(tail -n 1 "$log.times" | tr 'ms' '  ' | awk '{ printf "%.0f", 60 * ($1 + $3) + $2 + $4 }')
echo "$cpu" >"build/matrix/$name.took"
rm -f "$log.times"
printf '%-14s %5s passed, %s failed%s  %ss, processor %ss\n' "$name" "$passed" "$failed" \
    "$([ "$skipped" = 0 ] || echo ", $skipped skipped")" $(($(date +%s) - start)) "$cpu"
