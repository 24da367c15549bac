#!/bin/sh
# world.sh - asks small programs whose answer is known, in ways that people
# build and run them.
#
#     world.sh         until all pairs of values were together in a situation
#     world.sh 100     the first 100 of these situations
#     world.sh gate    the gate's part: 60 that need no package and little time
#     world.sh one shape=busy question=calls linker=gold
#                      this situation, whose folder stays
#     world.sh list [N | gate]   only says which situations there are
#
# tests/world/axes is the table of values, tests/world/known are faults that
# wait for their cure. Each fault is one line with the command that repeats it.
# A value whose command is not on this machine gives way to the usual one.
# SEED=N draws others. BUILD, CC and CXX are those of make. docs/testing.md says
# more.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD world=$PWD/tests/world
build=${BUILD:-build} CC=${CC:-cc} CXX=${CXX:-c++} seed=${SEED:-1}
case $build in /*) ;; *) build=$top/$build ;; esac
bursty=$build/bursty work=$build/tests/world
AXES=${AXES:-$world/axes} KNOWN=${KNOWN:-$world/known}
export BURSTY_CACHE="$build/tests/cc_runtime" LC_ALL=C CC CXX BUILD="$build" AXES KNOWN
unset BURSTY_FILE BURSTY_TEST BURSTY_COVERAGE BURSTY_TRACE BURSTY_CC

# The table without comments and spaces, `axis|value|commands|how|not
# with|gate`.
table() { sed -e '/^#/d; /^ *$/d; s/ *| */|/g; s/ *$//' "$AXES"; }
answer_of() { sed -n '1{s|^/\* *||; s| *\*/$||; p; q;}' "$world/$1"; } # SOURCE
has() { case " | $answer" in *"| $1"*) true ;; *) false ;; esac; } # SECTION, of $answer

# ---- drawing ----

# What can be asked of a shape, by the sections of its answer.
questions_of() { # SOURCE
    answer=$(answer_of "$1") asked=
    if has hand; then echo hand; return; fi
    has time && asked="time lines"
    has refs && asked="$asked refs"
    has misses && asked="$asked misses"
    has calls && asked="$asked calls edges sampled"
    has calls && ! has children && ! has 'counts itself' && asked="$asked merged"
    has calls && ! has 'counts itself' && asked="$asked cover"
    case $1 in *.cc) echo "$asked"; return ;; esac
    has time && has calls && ! has library && asked="$asked ticks"
    has calls && ! has 'counts itself' && asked="$asked bits trace entries scope dual"
    echo "$asked"
}
# Values of an axis that only shapes with `axes NAME` in their answer have.
others_of() { # AXIS
    table | awk -F '|' -v a="$1" '$1 == a && n++ { printf "%s%s", (n > 2 ? "," : a "="), $2 }'
}
list() { # [N | gate]
    n=${1:-0} only=
    [ "$n" != gate ] || { n=60 only=gate; }
    no_threads=$(others_of threads) no_time=$(others_of time)
    table | { [ -z "$only" ] && cat || grep '|gate$'; } >"$work/table"
    while IFS='|' read -r axis value commands how never gate; do
        if [ "$axis" = shape ]; then
            answer=$(answer_of "${how%% *}")
            case $answer in *'| axes '*threads*) ;; *) never="$never $no_threads" ;; esac
            case $answer in *'| axes '*time*) ;; *) never="$never $no_time" ;; esac
        fi
        echo "$axis $value $never"
    done <"$work/table" >"$work/rows"
    sed -n 's/^shape|//p' "$work/table" | while IFS='|' read -r value commands how never gate; do
        echo "answers $value $(questions_of "${how%% *}")"
    done >>"$work/rows"
    awk -v n="$n" -v seed="$seed" -f "$world/draw.awk" "$work/rows"
}

# ---- one situation ----

# Sets what the values of a situation say: source, define, ask, flags, link, cc,
# start, unit, then, and `named`, the situation without usual values and without
# those whose commands are not here.
read_situation() { # AXIS=VALUE...
    source='' define='' ask='' flags='' cc='' start='' unit='' then='' named='' gone=''
    threads=1 plus='' language='' way=''
    table >"$folder/table"
    for word in "$@"; do
        row=$(awk -F '|' -v word="$word" '$1 "=" $2 == word { print; exit }' "$folder/table")
        [ -n "$row" ] || { echo "world.sh: there is no $word in tests/world/axes"; exit 2; }
        for axis in $(echo "$row" | cut -d '|' -f 3); do
            case $axis in c++) axis=$CXX ;; esac
            command -v "$axis" >/dev/null && continue
            gone="$gone $word"
            continue 2
        done
        named="$named $word"
        how=$(echo "$row" | cut -d '|' -f 4)
        for part in $how; do
            case $part in
            unit=*) unit=${part#unit=} && how= ;;
            then=*) then=${part#then=} ;;
            -D*) define="$define $part" ;;
            esac
        done
        case ${word%%=*} in
        shape) source=${how%% *} ;;
        question) question=${word#*=} ask=$how ;;
        threads) threads=${word#*=} ;;
        way) way=$how ;;
        language)
            [ "$word" = language=own ] || plus=yes
            language=$how
            ;;
        compiler) cc=$how ;;
        environment) start=$how ;;
        *) flags="$flags $(echo " $how" | sed 's/ then=[^ ]*//; s/ -D[^ ]*//g')" ;;
        esac
    done
    if [ -z "$source" ] && [ -n "$gone" ]; then return 1; fi
    [ -n "$source" ] && [ -n "$ask" ] || { echo "world.sh: it takes a shape and a question"; exit 2; }
    case " $* " in *" level="*) ;; *) flags="$flags -O1" ;; esac
    case " $* " in *" debug="*) ;; *) flags="$flags -g" ;; esac
    answer=$(answer_of "$source")
    case $source in *.cc) plus=yes ;; esac
    if [ -z "$plus" ]; then compiler=${cc:-$CC}
    else
        case $cc in '') compiler=$CXX ;; clang*) compiler=clang++${cc#clang} ;; esac
        [ -z "$cc" ] || compiler=clang++${cc#clang}
    fi
    link=$(echo "$answer" | sed -n 's/.*| link \([^|]*\).*/\1/p')
    has library && link=-ldl
    if has hand; then link="$link -lm"; fi
}

fault() { echo "$*" >>"$folder/faults"; }

# $before is empty or `bursty cc ...`; what it links beside the program is
# $beside.
compile() { # OUT [OPTION...]
    built=$1
    shift
    # shellcheck disable=SC2086
    (cd "$folder" && exec $before $compiler $flags $define "-DHERE=\"$folder\"" "-I$top" "$@" $language \
        "$world/$source" ${language:+-x none} $beside -o "$built" -pthread $link) >>"$folder/log" 2>&1
}
libraries() {
    for name in $(echo "$answer" | sed -n 's/.*| library \([^|]*\).*/\1/p'); do
        kept=$before kept_flags=$flags
        case $before in *--entries* | *--ticks*) before="$bursty $ask --dump=$dump.$name --" ;; esac
        flags=$(echo "$flags" | sed 's/-fno-pie -no-pie//; s/-fPIE -pie//; s/-static-pie -fPIE//')
        compile "lib$name.so" -shared -fPIC "-DLIBRARY_$name" || fault "the library $name is not built"
        before=$kept flags=$kept_flags
    done
}
# Runs a command in the environment of the situation, its output into
# $folder/NAME.out and NAME.err.
run() { # NAME COMMAND...
    name=$1
    shift
    { (
        cd "$folder" || exit 99
        case $start in
        'env -i')
            set -- env -i BURSTY_COVERAGE="$dump" BURSTY_TRACE="$dump" \
                BURSTY_CACHE="$BURSTY_CACHE" "$@"
            ;;
        'limit '*) ulimit ${start#limit } || exit 98 ;;
        closed) exec 0<&- ;;
        folder) cd /proc || exit 98 ;;
        nested*)
            # shellcheck disable=SC2086
            [ "$name" = plain ] || set -- "$bursty" record --follow ${start#nested} --quiet \
                -o "$folder/outer.brst" -- "$@"
            ;;
        esac
        exec timeout 60 "$@" >"$folder/$name.out" 2>"$folder/$name.err"
    ); got=$?; } 2>/dev/null # the shell says of each signal what it was
}

# The shapes with checks by hand share one object with the implementation.
by_hand() {
    beside=$work/hand.o
    [ -s "$beside" ] && [ "$beside" -nt bursty.h ] && [ "$beside" -nt hotstream.h ] && return
    printf '#define %s_IMPLEMENTATION\n#include "%s.h"\n' BURSTY bursty HOTSTREAM hotstream \
        >"$beside.$$.c"
    $CC -O1 -g -fPIE -I. -c -o "$beside.$$.o" "$beside.$$.c" && mv "$beside.$$.o" "$beside"
    rm -f "$beside.$$.c"
}

situation() { # AXIS=VALUE...
    id=$(echo "$*" | tr ' =' '__')
    folder=$work/$id
    rm -rf "$folder"
    mkdir -p "$folder"
    : >"$folder/faults"
    read_situation "$@" || return
    export BURSTY_COVERAGE="$folder/q.brst" BURSTY_TRACE="$folder/q.brst"

    # Plain: what it prints, and how it ends. With checks by hand, plain is what
    # BURSTY_OFF leaves.
    before='' beside='' off='' dump=$folder/q.brst
    has hand && off=-DBURSTY_OFF
    has hand && case $source in hand_streams.c) off=-DPLAIN && by_hand ;; esac
    compile plain $off || { fault "it does not compile plain: $(tail -n 1 "$folder/log")"; return; }
    libraries
    run plain "$folder/plain" 20
    status=$got
    wanted=$(echo "$answer" | sed -n 's/.*| status \([0-9]*\).*/\1/p')
    [ "$status" = "$wanted" ] || { fault "plain ends with status $status for $wanted"; return; }

    # As it is asked.
    times=1
    case $question in time | lines | ticks | hand) rounds=${unit:-2000} ;; *) rounds=20 ;; esac
    case $ask in
    record*)
        separate
        ask="$ask $way"
        has children && ask="$ask --follow"
        libraries
        if [ "$way" = -p ]; then
            # shellcheck disable=SC2086
            run asked sh "$world/running.sh" "$bursty" "$dump" $(echo " $ask" |
                sed 's/ record//; s/ --time//; s/ -p//') -- "$folder/plain" "$rounds"
        else run asked "$bursty" ${ask} --quiet -o "$dump" -- "$folder/plain" "$rounds"
        fi
        if [ "$question" = merged ]; then
            mv "$dump" "$folder/first.brst" 2>/dev/null
            run asked "$bursty" ${ask} --quiet -o "$folder/second.brst" -- "$folder/plain" "$rounds"
            "$bursty" merge -o "$dump" "$folder/first.brst" "$folder/second.brst" 2>>"$folder/log"
            times=2
        fi
        ;;
    cc*)
        case $question in
        cover | bits | trace)
            options= 
            case $threads,$question in 1,* | *short,* | 3-ms,* | *,trace) ;; *) options=--atomic ;; esac
            ;;
        *) options=--dump=$dump ;;
        esac
        before="$bursty $ask $options --"
        compile asked || fault "bursty cc does not build it: $(tail -n 1 "$folder/log")"
        [ -x "$folder/asked" ] || fault "bursty cc built no program"
        libraries
        run asked "$folder/asked" "$rounds"
        ;;
    hand)
        by_hand
        compile asked || fault "it does not compile by hand: $(tail -n 1 "$folder/log")"
        run asked "$folder/asked" "$rounds" "$dump"
        case $answer in *"axes runs"*)
            case $define in
            *FORKS*) ;;
            *)
                r=1
                while [ $r -lt 200 ]; do
                    "$folder/asked" "$rounds" "$dump.$r" >/dev/null
                    r=$((r + 1))
                done
                mv "$dump" "$dump.0"
                ;;
            esac
            (cd "$folder" && "$bursty" merge -o "$dump" q.brst.* 2>>log)
            ;;
        esac
        ;;
    esac
    [ "$got" = "$status" ] || fault "it ends with status $got for $status"
    cmp -s "$folder/plain.out" "$folder/asked.out" || fault "it prints something else"
    # What plain says on standard error is still said.
    grep -v '^answer: \|^streams: ' "$folder/plain.err" | grep -vxF -f "$folder/asked.err" >"$folder/unsaid" &&
        fault "it does not say: $(head -n 1 "$folder/unsaid")"

    # What the tool makes of it.
    if [ "$question" != merged ] && ! has 'axes runs'; then
        set -- $(ls "$dump" "$dump".* 2>/dev/null)
    else set -- "$dump"; fi
    if [ $# = 0 ] || [ ! -s "$1" ]; then
        # A loss that is said, with its true reason, is none.
        said='no memory|memory is limited'
        [ "$way" = -p ] && said="$said|may not be looked at"
        grep -Eq "^bursty: .*($said)" "$folder/asked.err" ||
            fault "no dump: $(tail -qn 1 "$folder/asked.err" "$folder/log" | tr '\n' ' ')"
        return
    fi
    case $question in
    cover | bits | trace) form=lcov ;;
    *) form=csv ;;
    esac
    for form in text json $form; do
        "$bursty" report --$form -o "$folder/$form" "$@" 2>>"$folder/log" ||
            fault "report --$form: $(tail -n 1 "$folder/log")"
    done
    for form in text json csv lcov; do : >>"$folder/$form"; done
    debug=1
    case " $named " in *" debug=none "*) debug=0 ;; esac
    echo "$answer" >"$folder/answer"
    awk -v question="$question" -v source="${source##*/}" -v debug=$debug -v by_compiler="$plus" \
        -v times=$times -v pool="$folder/pool" -f "$world/judge.awk" kind=answer "$folder/answer" \
        kind=errors "$folder/asked.err" kind=source "$world/$source" \
        kind=csv "$folder/csv" kind=json "$folder/json" kind=text "$folder/text" \
        kind=lcov "$folder/lcov" >>"$folder/faults" || fault "judge.awk failed"
}
# Debug information in a file of its own, beside the program.
separate() {
    [ "$then" = separate ] || return
    (cd "$folder" && objcopy --only-keep-debug plain plain.debug && strip plain &&
        objcopy --add-gnu-debuglink=plain.debug plain)
}

# Says what a situation comes to: one line for each fault, or that it is known,
# or nothing. To $folder/../ID.result goes passed, failed or known.
judge() { # AXIS=VALUE...
    situation "$@"
    if [ -z "$source" ]; then
        echo "skipped: not on this machine:$gone"
        echo skipped >"$work/$id.result"
        return
    fi
    awk -v situation="$named" -v known="$KNOWN" -v lines="$work/$id.lines" -f "$world/known.awk" \
        kind=table "$folder/table" kind=fault "$folder/faults" >"$folder/said"
    tail -n 1 "$folder/said" >"$work/$id.result"
    sed '$d' "$folder/said"
    [ -z "$gone" ] || echo "(not on this machine:$gone)" >"$work/$id.gone"
    [ ! -s "$folder/pool" ] || [ -s "$folder/faults" ] || cp "$folder/pool" "$work/$id.pool"
}

mkdir -p "$work"
case ${1-} in
list)
    shift
    list "$@"
    exit
    ;;
one)
    shift
    judge "$@"
    echo "in $folder: $(cat "$work/$id.result")$(cat "$work/$id.gone" 2>/dev/null)"
    ! grep -q failed "$work/$id.result"
    exit
    ;;
quietly) # for xargs: the words of one situation in one argument
    # shellcheck disable=SC2086
    judge $2
    grep -q 'failed' "$work/$id.result" || rm -rf "$folder"
    exit 0
    ;;
esac

rm -rf "$work"
mkdir -p "$work"
began=$(date +%s)
by_hand
list "$@" >"$work/drawn" 2>"$work/pairs" || exit 2
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
xargs -d '\n' -n 1 -P "$jobs" sh tests/world.sh quietly <"$work/drawn"

# All ticks together tell more than those of one situation. By Hoeffding, of n
# ticks more than t are too many or too few with a chance below 2 exp(-2 t t /
# n), which must not be below one in 10^9; .03 is for what the processor does.
# Of ticks that come k at once there are n / k, each k times as much.
cat "$work"/*.pool 2>/dev/null | awk '
    { got += $1; all += $2; right += $2 * $3; ranges += $2 * $4 }
    END {
        if (!all) exit
        allowed = sqrt(21.4 * ranges / 2) + .03 * all
        off = got > right ? got - right : right - got
        printf "%stime of all situations: %d of %d ticks for %.0f; %.0f more or less are allowed\n",
            (off > allowed ? "FAULT " : ""), got, all, right, allowed
        exit (off > allowed)
    }'
wrong=$?
# A line of the list whose fault was met nowhere, though it was drawn.
stale=$(cat "$work"/*.lines 2>/dev/null |
    awk '{ seen[$1] += $2 } END { for (l in seen) if (!seen[l]) print l }' | sort -n)
for line in $stale; do
    echo "FAULT nothing fails so any more: strike out line $line of tests/world/known: $(
        sed -n "${line}p" "$KNOWN")"
    wrong=$((wrong + 1))
done
cat "$work"/*.result 2>/dev/null | awk -v wrong=$wrong -v wanted="$(wc -l <"$work/drawn")" \
    -v pairs="$(cat "$work/pairs")" -v took=$(($(date +%s) - began)) '
    { count[$1]++ }
    END {
        failed = wanted - count["passed"] - count["known"] - count["skipped"] + wrong
        print pairs
        if (count["known"]) printf "%d situations fail as tests/world/known says\n", count["known"]
        printf "took %d s\n%d passed, %d failed", took, count["passed"], failed
        print count["skipped"] ? ", " count["skipped"] " skipped" : ""
        exit failed != 0 || !wanted
    }'
