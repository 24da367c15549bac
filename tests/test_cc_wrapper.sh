#!/bin/sh
# test_cc_wrapper.sh - bursty cc in front of command lines and sources as others write them: no file
# and no function goes without checks in silence, and a build that the compiler manages does not fail.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder cc_wrapper
shares_runtime
mkdir -p include
with() { "$build/bursty" cc "$@" >log 2>&1; }
cat >main.c <<'END_OF'
#include <stdio.h>
static int deep(int n) { return n < 1 ? 0 : deep(n - 1) + 1; }
int main(void) { printf("%d\n", deep(9)); return 0; }
END_OF
needs_programs .
has_graph() { grep -q 'F deep s ' "$1"; }       # the section's lines are plain text

# A library beside -c is for nothing, as to the compiler; makefiles keep -lm in CFLAGS.
rm -f lib.o
with -- $CC -lm -O1 -c main.c -o lib.o && has_graph lib.o && pass || fail "-lm with -c and -o"
rm -f lib.o
with -- $CC -O1 -l m -c main.c -o lib.o && has_graph lib.o && pass || fail "-l m with -c and -o"

# ---- options whose value is the next word ----

# The file is rewritten, and nothing is listed.
rewrites() { # COMPILER OPTION...
    rm -f main.o list
    if with --list=list -- "$@" -c -o main.o main.c && has_graph main.o && empty list; then pass
    else fail "$*: $(head -n 2 log) $(cat list 2>/dev/null)"; fi
}
echo '#define FROM_INCLUDE 1' >include/part.h
for option in '-iwithprefix include' '-iwithprefixbefore include' '-imultilib .' '-isystem-after include' \
    '--include-directory include' '--define-macro X=1' '-idirafter include' '--include include/part.h'; do
    # shellcheck disable=SC2086
    if $CC $option -c -o plain.o main.c >plain.log 2>&1; then rewrites $CC $option
    else skip "$CC $option: $(head -n 1 plain.log)"; fi
done
if command -v clang >/dev/null 2>&1; then
    echo 'int from_header;' >pre.h
    clang -x c-header -o pre.pch pre.h
    rewrites clang -include-pch pre.pch
    rewrites clang -resource-dir "$(clang -print-resource-dir)"
    rewrites clang -working-directory "$out"
    rewrites clang --serialize-diagnostics main.dia
    rewrites clang -MJ main.json
    if grep -q '"file": "main.c"' main.json; then pass; else fail "-MJ: $(cat main.json)"; fi
    rewrites clang -isystem-after include
else
    skip "no clang"
fi

# ---- programs in front of the compiler ----

for before in env 'env X=1' 'env -u X' nice 'nice -n 3' 'nice env X=1 nice' nohup; do
    # shellcheck disable=SC2086
    rewrites $before $CC
done
with -- env X=1 $CC -o linked main.c && [ "$(BURSTY_OFF=1 ./linked)" = 9 ] && pass || fail "env: a link: $(cat log)"

# ---- position independent code ----

cat >part.c <<'END_OF'
int walk(int n);
int walk(int n) { return n < 1 ? 0 : walk(n - 1) + 1; }
END_OF
for option in -fno-plt -fno-printf-return-value -fno-pcc-struct-return -fno-prefetch-loop-arrays; do
    $CC -fPIC $option -w -c -o part.o part.c 2>/dev/null || continue
    if with -- $CC -fPIC $option -c -o part.o part.c && with -- $CC -shared -o part.so part.o; then pass
    else fail "-fPIC $option: $(head -n 2 log)"; fi
done

# ---- headers ----

for command in 'pre.h -o pre.h.gch' '-c pre.h' 'pre.h'; do
    echo 'int from_header;' >pre.h
    rm -f pre.h.gch pre.h.pch
    # shellcheck disable=SC2086
    $CC $command
    made=$(echo pre.h.*ch)                         # gcc's is pre.h.gch, clang 19's pre.h.pch
    rm -f "$made"
    # shellcheck disable=SC2086
    if with -- $CC $command && [ -f "$made" ]; then pass; else fail "$command: $(head -n 2 log)"; fi
done
rm -f pre.h.gch pre.h.pch
# Beside a header the compiler makes no program of a source, but it is not left out in silence.
rm -f list
echo 'int from_header;' >pre.h
with --list=list -- $CC -c main.c pre.h
grep -q '^main.c:1: the file: left alone: a header$' list && pass || fail "a source beside a header: $(cat list log)"
rm -f pre.h.gch pre.h.pch

# ---- sources ----

# The list names what is left alone; wanted: a pattern, or empty.
source_() { # WANTED STATUS OPTIONS
    rm -f list a.out
    # shellcheck disable=SC2086
    with --list=list $3 -- $CC ${flags-} -o a.out trap.c || { fail "$3: $(head -n 3 log): $(cat trap.c)"; return; }
    BURSTY_OFF=1 ./a.out >out
    if [ $? = "$2" ] && { [ -z "$1" ] && empty list || grep -q "$1" list; }; then pass
    else fail "$3: $(cat list 2>/dev/null): $(cat trap.c)"; fi
}
flags='-g -O2'
for form in point scope dual; do
    one='--entries=all --loops=all --form='$form
    cat >trap.c <<'END_OF'
static int f(int n) { __label__ out, in; in: if (n > 3) goto out; n++; goto in; out: return n; }
int main(void) { for (int i = 0; i < 3; i++) { __label__ x; if (i) goto x; x:; } return f(0) - 4; }
END_OF
    case $form in dual) source_ 'f: one copy: local-label' 0 "$one" ;; *) source_ '' 0 "$one" ;; esac
    cat >trap.c <<'END_OF'
static int f(int f) { return f < 1 ? 0 : f - 1; }
static int g(int n, int (*g)(int)) { return n < 1 ? 0 : g(n); }
int main(void) { return g(3, f) - 2; }
END_OF
    case $form in dual) source_ 'f: one copy: parameter-of-its-name' 0 "$one" ;; *) source_ '' 0 "$one" ;; esac
    cat >trap.c <<'END_OF'
static int größe(int näme) { return näme < 1 ? 0 : größe(näme - 1) + 1; }
int main(void) { return größe(3) - 3; }
END_OF
    if $CC -o plain trap.c 2>/dev/null; then source_ '' 0 "$one"; else skip "$CC has no such names"; fi
done
cat >trap.c <<'END_OF'
static int größe(int näme) { return näme < 1 ? 0 : größe(näme - 1) + 1; }
int main(void) { return größe(3) - 3; }
END_OF
if $CC -o plain trap.c 2>/dev/null; then
    with --only=größe --entries=all -- $CC -o a.out trap.c
    "$build/bursty" place --set Q -o plan a.out >out 2>&1
    grep -q ' größe [0-9a-f]* 1 ' plan && pass || fail "names in a plan: $(cat plan)"
    with --plan=plan -- $CC -o a.out trap.c
    "$build/bursty" place --built --set Q --list a.out | grep -q 'größe.* check ' && pass || fail "a plan of names"
    if grep -q größe a.out; then pass; else fail "the report's name"; fi
fi

# What the compiler refuses of the rewritten text costs one function. A compiler that refuses what has
# a check and a certain word stands in for a fault of ours.
cat >refusing <<'END_OF'
#!/bin/sh
for word in "$@"; do
    case $word in *.i) grep refuse_me "$word" | grep -q 'bursty_cc_hit\|bursty_thunk' && exit 1 ;; esac
done
exec $REAL_CC "$@"
END_OF
chmod +x refusing
export REAL_CC="$CC"
{
    for i in 1 2 3 4 5 6 7 8 9; do echo "int f$i(int n); int f$i(int n) { return n ? f$i(n - 1) : $i; }"; done
    echo 'int bad(int n); int bad(int n) { int refuse_me = n; return n ? bad(n - 1) : refuse_me; }'
    echo 'int main(void) { return f1(3) + f9(2) + bad(1) - 10; }'
} >trap.c
rm -f list
if with --list=list -- ./refusing -o a.out trap.c && BURSTY_OFF=1 ./a.out &&
    [ "$(cat list)" = 'trap.c:10: bad: left alone: refused-when-rewritten' ] &&
    [ "$("$build/bursty" place --built --list a.out 2>/dev/null | grep -c '^f[0-9].* check ')" = 9 ]; then pass
else fail "one function that is refused: $(cat list log)"; fi

# ---- the same object in whatever folder; two of one name in a program ----

mkdir -p one two
cp part.c one/part.c
cp part.c two/part.c
for d in one two; do (cd $d && "$build/bursty" cc -- $CC -c -o part.o part.c); done
if cmp -s one/part.o two/part.o; then pass; else fail "objects of two folders differ"; fi
for d in one two; do
    printf 'static int walk(int n) { return n ? walk(n - 1) : 1; }\nint %s(void) { return walk(3); }\n' $d >$d/same.c
done
echo 'int one(void), two(void); int main(void) { return one() + two() - 2; }' >both.c
if with -- $CC -o both both.c one/same.c two/same.c && BURSTY_OFF=1 ./both; then pass
else fail "two files of one name: $(cat log)"; fi
if (cd one && with -- $CC -c -o same.o same.c) && (cd two && with -- $CC -c -o same.o same.c) &&
    with -- $CC -o both both.c one/same.o two/same.o && BURSTY_OFF=1 ./both; then pass
else fail "two objects of one name: $(cat log)"; fi

# ---- what a link's inputs have ----

# For the linker a file of C++ may as well be C. Without a plugin the objects alone tell.
echo 'int plus(int n); int plus(int n) { return n ? plus(n - 1) : 0; }' >plus.cpp
echo 'int plus(int n); int main(void) { return plus(3); }' >uses.c
$CC -x c -c -o plus.o plus.cpp && $CC -c -o bare.o uses.c && with -- $CC -c -o uses.o uses.c || fail "objects to link"
if readelf -s plus.o 2>/dev/null | grep -q 'FILE .*plus.cpp'; then
    word='bursty: cc: linked: 1 file of C++ without checks: WHAT; `bursty cc --build-plugin -- COMPILER` gives it some'
    links() { # NAME INPUT...: one word, which has the name
        want=$(echo "$word" | sed "s|WHAT|$1|")
        shift
        with -- $CC -o linked "$@" && [ "$(sed 's/plugin -- [^`]*`/plugin -- COMPILER`/' log)" = "$want" ] && pass || fail "link of $*: $(cat log)"
    }
    links plus.o plus.o uses.o
    rm -f libplus.a libthin.a && ar rc libplus.a plus.o && links 'libplus.a(plus.o)' uses.o libplus.a
    links './libplus.a(plus.o)' uses.o -L. -lplus
    ar rcT libthin.a plus.o 2>/dev/null && links 'libthin.a(plus.o)' uses.o libthin.a
    with -- $CC -o conftest plus.o uses.o && [ ! -s log ] && pass || fail "a trial: $(cat log)"
    rm -f list
    with --verbose --list=list -- $CC -o linked plus.o bare.o && [ "$(cat list)" = "plus.o:1: the file: left alone: \
C++, compiled without the plugin
bare.o:1: the file: left alone: was not compiled by bursty cc" ] &&
        grep -q '^bursty: cc: bare.o: was not compiled by bursty cc$' log && pass || fail "a link's list: $(cat list log)"
else skip "objects do not name their source, or nothing reads it"; fi
rm -f list
with --verbose --list=list -- $CC -o linked both.c one/same.o two/same.o && empty list && lacks log '^bursty: cc: both.c: ' 'same.o' &&
    pass || fail "objects with checks are named: $(cat list log)"
printf '!<arch>\nplus.o          0           0     0     644     99999     `\n' >cut.a
with -- $CC -o linked uses.o cut.a; [ $? != 0 ] && lacks log 'cut.a' '^bursty' && pass || fail "a damaged archive is the linker's: $(cat log)"

# ---- a debugger shows the user's variables ----

if command -v readelf >/dev/null 2>&1; then
    with -- $CC -g -c -o main.o main.c
    readelf --debug-dump=info main.o >info 2>/dev/null
    lacks info 'DW_AT_name' ': bursty_[0-9]' && pass || fail "a debugger shows a variable of ours"
else skip "no readelf"; fi

# ---- cmake's launchers ----

if command -v cmake >/dev/null 2>&1 && command -v make >/dev/null 2>&1; then
    mkdir -p cmake
    cp main.c cmake/
    printf 'cmake_minimum_required(VERSION 3.21)\nproject(p C)\nadd_executable(p main.c)\n' >cmake/CMakeLists.txt
    if cmake -S cmake -B cmake/build -G 'Unix Makefiles' -DCMAKE_C_COMPILER=$CC \
        "-DCMAKE_C_COMPILER_LAUNCHER=$build/bursty;cc;--" \
        "-DCMAKE_C_LINKER_LAUNCHER=$build/bursty;cc;--" >log 2>&1 &&
        cmake --build cmake/build >>log 2>&1 && has_graph cmake/build/p &&
        [ "$(BURSTY_OFF=1 cmake/build/p)" = 9 ]; then pass
    else fail "cmake: $(tail -n 3 log)"; fi
else skip "no cmake"; fi

# ---- what the compiler answered is kept ----

# xgcc counts how often it is started. It is a program, and no script.
cat >xgcc.c <<'END_OF'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    FILE *starts = fopen(getenv("STARTS"), "a");
    (void)argc;
    if (!starts || fputs("x\n", starts) < 0 || fclose(starts) != 0) return 1;
    argv[0] = getenv("REAL");
    execvp(argv[0], argv);
    return 1;
}
END_OF
started() { # TIMES WHAT COMPILER...: and the object is the same each time
    times=$1 what=$2
    shift 2
    : >starts
    rm -f main.o
    BURSTY_CACHE=$out/kept STARTS=starts REAL=$CC with --no-late -- "$@" -c main.c -o main.o
    if [ "$(wc -l <starts)" -eq "$times" ] && has_graph main.o; then pass
    else fail "$what: $(wc -l <starts) starts, not $times: $(head -n 3 log)"; fi
}
rm -rf kept
if $CC -o xgcc xgcc.c 2>log; then
    printf '#!/bin/sh\nexec ./xgcc "$@"\n' >ygcc
    chmod +x ygcc
    : >starts
    STARTS=starts REAL=$CC with --no-late -- ./ygcc -O1 -c main.c -o main.o
    all=$(wc -l <starts)
    started $all 'a script' ./ygcc -O1
    started $all 'a script again' ./ygcc -O1
    started $all 'first' ./xgcc -O1
    cp main.o first.o
    started $((all - 1)) 'again' ./xgcc -O1
    if cmp -s main.o first.o; then pass; else fail 'a kept answer gives another object'; fi
    started $all 'other words' ./xgcc -O1 -fPIC
    started $((all - 1)) 'other words again' ./xgcc -O1 -fPIC
    CPATH=include started $all 'other environment' ./xgcc -O1
    started $all 'words from a file' ./xgcc -O1 -include include/part.h
    started $all 'words from a file again' ./xgcc -O1 -include include/part.h
    PATH=$PWD:$PATH started $all 'through PATH' xgcc -O1
    PATH=$PWD:$PATH started $((all - 1)) 'through PATH again' xgcc -O1
    for kept in kept/answer_*; do
        size=$(wc -c <"$kept")
        head -c $((size - 1)) "$kept" >part
        cp part "$kept"
    done
    started $all 'a truncated answer' ./xgcc -O1
    started $((all - 1)) 'mended' ./xgcc -O1
    for kept in kept/answer_*; do
        LC_ALL=C tr 'y' '\n' <"$kept" >part
        cp part "$kept"
    done
    started $all 'a broken answer' ./xgcc -O1
    for kept in kept/answer_*; do
        sed '1s/2 ................/2 0123456789abcdef/' "$kept" >part
        cp part "$kept"
    done
    started $all 'an answer of another question' ./xgcc -O1
    for kept in kept/answer_*; do
        LC_ALL=C sed '2s/_elf/_alf/' "$kept" >part
        cp part "$kept"
    done
    started $all 'an answer with another byte' ./xgcc -O1
    started $((all - 1)) 'mended' ./xgcc -O1
    touch -d '2001-02-03 04:05:06' xgcc
    started $all 'another compiler of the name' ./xgcc -O1
    mkdir dead && cp xgcc dead/xgcc && chmod a-x dead/xgcc # PATH passes it by
    PATH=$PWD/dead:$PWD:$PATH started $all 'behind what cannot run' xgcc -O1
    touch -d '2001-02-03 04:05:07' xgcc
    PATH=$PWD/dead:$PWD:$PATH started $all 'another one behind it' xgcc -O1
    started $all 'another one by its path' ./xgcc -O1
    started $((all - 1)) 'the same again' ./xgcc -O1
    cp -p xgcc same
    cat same >xgcc
    touch -r same xgcc
    started $all 'one of the same size and time' ./xgcc -O1
    mkdir -p first
    echo nothing >first/xgcc
    PATH=$PWD/first:$PWD:$PATH started $all 'PATH with no program first' xgcc -O1
    touch -d '2001-02-03 04:05:07' xgcc
    PATH=$PWD/first:$PWD:$PATH started $all 'another behind it' xgcc -O1
    # The user's macros ask nothing else, so a macro for each file keeps no file more.
    started $all 'other words' ./xgcc -O1
    ls kept >before
    for macro in -DA -DB=2 -UC; do started $((all - 1)) "$macro" ./xgcc -O1 $macro; done
    ls kept >after
    if cmp -s before after; then pass; else fail "a macro for each file: $(diff before after)"; fi
    for macro in -D_A -DBURSTY_A -DBURSTY_B=C '-DBURSTY_B=C -DC=1'; do
        # shellcheck disable=SC2086
        started $all "$macro" ./xgcc -O1 $macro
    done
    # There are 1024 files. Then the oldest goes.
    rm kept/answer_*
    started $all 'the first of many' ./xgcc -O1
    (cd kept && i=1 && while [ $i -lt 1024 ]; do
        echo answer_$i
        i=$((i + 1))
    done | xargs touch -d 2001-02-03 && touch -d 2001-02-02 answer_7)
    started $all 'one more' ./xgcc -O1 -D_W
    ls kept | grep -c answer_ >count
    if grep -qx 1024 count && [ ! -e kept/answer_7 ] && [ -e kept/answer_8 ]; then pass
    else fail "$(cat count) files: $(ls kept | head -n 20)"; fi
    started $((all - 1)) 'the newest' ./xgcc -O1 -D_W
    started $((all - 1)) 'the first is not the oldest' ./xgcc -O1
    rm kept/answer_[1-9] kept/answer_[1-9][0-9] kept/answer_[1-9][0-9][0-9] kept/answer_10[0-9][0-9]
    started $all 'a macro by -Wp' ./xgcc -O1 -Wp,-D_W
    started $((all - 1)) 'a macro by -Wp again' ./xgcc -O1 -Wp,-D_W
    started $all 'a file by -Wp' ./xgcc -O1 -Wp,-include,include/part.h
    started $all 'a file by -Wp again' ./xgcc -O1 -Wp,-include,include/part.h
    # clang takes options from files beside it and in the user's folder.
    mkdir -p beside config/clang
    cp xgcc beside/xclang
    XDG_CONFIG_HOME=$out/config started $all 'clang' ./beside/xclang -O1
    XDG_CONFIG_HOME=$out/config started $((all - 1)) 'clang again' ./beside/xclang -O1
    echo '-DX' >beside/clang.cfg
    XDG_CONFIG_HOME=$out/config started $all 'options beside clang' ./beside/xclang -O1
    echo '-DX' >config/clang/clang.cfg
    XDG_CONFIG_HOME=$out/config started $all "the user's options" ./beside/xclang -O1
    echo '-DXY' >config/clang/clang.cfg
    XDG_CONFIG_HOME=$out/config started $all "the user's options changed" ./beside/xclang -O1
    XDG_CONFIG_HOME=$out/config started $((all - 1)) 'the same options' ./beside/xclang -O1
    # Nothing is taken that another user could have written.
    started $((all - 1)) 'before' ./xgcc -O1
    for mode in g o; do
        chmod $mode+w kept/answer_*
        started $all "answers with $mode+w" ./xgcc -O1
        started $((all - 1)) "answers with $mode+w, made again" ./xgcc -O1
        chmod $mode+w kept
        started $all "a folder with $mode+w" ./xgcc -O1
        warned() { # OUTPUT: how often a link says it
            BURSTY_CACHE=$out/kept with -- $CC -o "$1" main.c
            grep -c "the cache .*kept/ is not used, for others can write there (chmod go-w" log
        }
        [ "$(warned linked)" = 1 ] && pass || fail "a link with such a cache: $(cat log)"
        [ "$(warned conftest)" = 0 ] && pass || fail "a trial with such a cache: $(cat log)"
        chmod +t kept
        started $((all - 1)) "a folder like /tmp" ./xgcc -O1
        [ "$(warned linked)" = 0 ] && pass || fail "a link with a cache like /tmp: $(cat log)"
        chmod go-w,-t kept
    done
    [ "$(warned linked)" = 0 ] && empty log && pass || fail "a link: $(cat log)"
    for object in kept/*.o; do
        echo nothing >"$object"
        chmod o+w "$object"
    done
    [ "$(warned linked)" = 0 ] && [ "$(BURSTY_OFF=1 ./linked)" = 9 ] && pass ||
        fail "objects of somebody else: $(cat log)"
    if find kept -name '*.o' -perm /022 | grep -q .; then fail "others can write: $(ls -l kept)"; else pass; fi
    (umask 0 && BURSTY_CACHE=$out/open with -- $CC -o linked main.c)
    if find open -perm /022 | grep -q .; then fail "umask 0: $(ls -ld open open/*)"; else pass; fi
    if ls kept open | grep '[.].*[.]\|answer_.*[.]'; then fail 'half written files'; else pass; fi
    if [ "$(id -u)" = 0 ]; then
        chown 65534 kept/answer_*
        started $all 'answers of another user' ./xgcc -O1
        started $((all - 1)) 'made again' ./xgcc -O1
        chown 65534 kept
        started $all "another user's folder" ./xgcc -O1
        BURSTY_CACHE=$out/kept with -- $CC -o linked main.c
        grep -q "kept/ is not used, .* another user's" log && pass || fail "another user's folder: $(cat log)"
        chown 0 kept
    else skip 'only root makes files of another user'; fi
    # No place for it: everything works, and nothing is said.
    : >afile
    for place in /proc /proc/none /dev/null "$out/afile"; do
        BURSTY_CACHE=$place with -- $CC -o linked main.c && empty log && pass || fail "$place: $(cat log)"
    done
    (unset BURSTY_CACHE XDG_CACHE_HOME HOME; with -- $CC -o linked main.c) && empty log && pass ||
        fail "no HOME: $(cat log)"
    (unset BURSTY_CACHE XDG_CACHE_HOME; HOME=/proc; export HOME; with -- $CC -o linked main.c) &&
        empty log && pass || fail "HOME that cannot be written: $(cat log)"
    started $((all - 1)) 'still the same' ./xgcc -O1
    # A plugin was built for some compiler: each is asked for its program, once.
    : >kept/late-pass
    asked() { # TIMES
        : >starts
        BURSTY_CACHE=$out/kept STARTS=starts REAL=$CC with -- ./xgcc -O1 -c main.c -o main.o
        [ "$(wc -l <starts)" -eq "$1" ] && pass || fail "a plugin: $(wc -l <starts) starts, not $1"
    }
    case $($CC -print-prog-name=cc1) in
    /*)
        asked $all
        asked $((all - 1))
        rm kept/answer_*
        chmod o+w kept/late-pass
        asked $all                      # for how checks look, and not for its program
        rm kept/answer_*
        chmod o-w kept/late-pass
        asked $((all + 1))
        ;;
    *) skip "$CC is no gcc: its program is asked for otherwise" ;;
    esac
else skip "$CC makes no program here: $(head -n 1 log)"; fi
finish
