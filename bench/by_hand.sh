#!/bin/sh
# by_hand.sh [TABLE...] - checks by hand in two programs that nobody tuned them for: ed (g/re/, s and
# searches in a file of 3000 lines) and picosat (a random formula). Puts BURST_DUAL, BURST_BODY and
# BURST_REF into the functions that walk ed's lines, and into picosat's propagation, as
# docs/by-hand.md says. TABLE is one of
#     counts     of 40 runs, how often an interval holds the count of a program that counts itself
#     cost       instructions at some rates (callgrind), beside equation 2 with docs/by-hand.md's costs
#     types      ed: accuracy and instructions by type of profile and frequency, as bench/types.sh
#                has them of `bursty record`; each function of ed has a BURST_SCOPE, too
#     figure7    hot data streams of bursts beside those of one burst that never ends
# Fetches ed and picosat by bench/setup.sh; wants valgrind.
set -e
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build} tables=${*:-counts cost types figure7}
src=$BUILD/bench/src dir=$BUILD/bench/by_hand
mkdir -p "$dir"
[ -d "$src/ed" ] && [ -d "$src/picosat" ] || sh bench/setup.sh ed picosat
dir=$(cd "$dir" && pwd) here=$PWD
make -s BUILD="$BUILD" "$BUILD/bursty"
bursty=$(cd "$BUILD" && pwd)/bursty

# ---- the checks ----

rm -rf "$dir/ed" "$dir/picosat"
mkdir "$dir/ed" "$dir/picosat"
cp "$src"/ed/*.[ch] "$dir/ed"
cp "$src"/picosat/*.[ch] "$dir/picosat"
printf '#define PICOSAT_CC ""\n#define PICOSAT_CFLAGS ""\n#define PICOSAT_VERSION ""\n' \
    >"$dir/picosat/config.h"
sed -i -e 's/^#include "ed.h"/&\n#include "by_hand.h"/' \
    -e 's/^line_t \* search_line_node( const int addr )$/BURST_DUAL(line_t *, search_line_node, (const int addr), (addr))/' \
    -e 's/\(while( o_addr [<>] addr )\) { \(.*\)\(lp = \(lp->q_[a-z]*\)\); }/\1 BURST_BODY({ \2BURST_REF(BURSTY_LOAD, \&\4); \3; })/' \
    -e 's/^char \* get_sbuf_line( const line_t \* const lp )$/BURST_DUAL(char *, get_sbuf_line, (const line_t * const lp), (lp))/' \
    -e 's/^  if( sfpos != lp->pos )$/  BURST_REF(BURSTY_LOAD, \&lp->pos);\n&/' \
    "$dir/ed/buffer.c"
for file in "$dir"/ed/[bgimrs]*.c; do # all but carg_parser.c
    sed -i '/^[a-z].*[a-z_0-9]*(.*)$/{N; s/\([a-z_0-9]*\)\((.*)\n  {\)/\1\2 BY_HAND_SCOPE("\1")/}' "$file"
    grep -q by_hand.h "$file" || sed -i 's/^#include "ed.h"/&\n#include "by_hand.h"/' "$file"
done
# Both functions have one block at the indentation of a loop.
sed -i -e 's/^#include "picosat.h"/&\n#include "by_hand.h"/' \
    -e '/^inline static void$/{N; s/^.*\n\(prop[2l]\) (PS \* ps, Lit \* this)$/static BURST_DUAL(void, \1, (PS * ps, Lit * this), (ps, this))/}' \
    "$dir/picosat/picosat.c"
sed -i -e '/^static BURST_DUAL/,/^}/{
        s/^    {$/    BURST_BODY({/
        s/^    }$/    })/
        s/^\([ \t]*\)other = c->lits\[0\];/\1BURST_REF(BURSTY_LOAD, \&c->lits[0]);\n&/
        s/^\([ \t]*\)tmp = other->val;/\1BURST_REF(BURSTY_LOAD, \&other->val);\n&/
        s/^\([ \t]*\)if (other->val == TRUE)/\1BURST_REF(BURSTY_LOAD, \&other->val);\n&/
        s/^\([ \t]*\)new_lit = \*l;/\1BURST_REF(BURSTY_LOAD, l);\n&/
    }' "$dir/picosat/picosat.c"

# ---- the programs and their input ----

cd "$dir"
seq 1 3000 | awk '{ print "line", $1, $1 * 7919 % 1009 }' >lines
{
    echo 'g/77/s/line/LINE/'
    for i in $(seq 1 150); do printf '%d\n/9%d/\n?1%d?\n' $((i * 97 % 3000 + 1)) $((i % 100)) $((i % 77)); done
    echo 'g/5/m0'
    echo Q
} >commands
awk 'BEGIN {
    seed = 5
    print "p cnf 190 807"
    for (i = 0; i < 807; i++) print literal(), literal(), literal(), 0
}
function below(n) {
    seed = seed * 16807 % 2147483647
    return int(seed / 3) % n
}
function literal() { return (below(2) ? "-" : "") below(190) + 1 }' >formula

build() { # NAME OPTIONS...
    name=$1
    shift
    gcc -O2 -w "-I$here" "-I$here/bench" "$@" -Dmain=ed_main '-DPROGVERSION=""' -c ed/*.c
    gcc -O2 -w "-I$here" "$@" -DPROGRAM=ed_main -o "ed.$name" "$here/bench/by_hand.c" ./*.o -lpthread
    rm ./*.o
    gcc -O2 -w -DNDEBUG "-I$here" "-I$here/bench" "$@" -c picosat/picosat.c picosat/app.c picosat/version.c
    gcc -O2 -w "-I$here" "$@" -DPROGRAM=picosat_main -o "picosat.$name" "$here/bench/by_hand.c" ./*.o -lpthread
    rm ./*.o
}
build plain -DBURSTY_OFF
build checked
build scopes -DSCOPES
build truth -DBURSTY_OFF -DTRUTH
run() { # PROGRAM FORM [COMMAND...]
    program=$1 form=$2
    shift 2
    case $program in
    ed) "$@" ./ed.$form -s lines <commands >"$program.out" ;;
    picosat) "$@" ./picosat.$form formula >"$program.out" || [ $? -lt 30 ] ;;
    esac
}
for program in ed picosat; do
    run $program truth 2>$program.ran
    mv $program.out $program.wanted
    run $program checked
    cmp $program.out $program.wanted
done

count() { # PROGRAM FORM [COMMAND...]: instructions
    program=$1 form=$2
    shift 2
    run "$program" "$form" "$@" valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        2>callgrind.said
    sed -n 's/.*Collected : //p' callgrind.said
}
for table in $tables; do
    case $table in
    counts)
        printf '| program | references, by place | intervals that hold the count |\n|---|---|---:|\n'
        for program in ed picosat; do
            held=0 asked=0
            for round in $(seq 1 40); do
                EVERY=990 BURST=10 DUMP=$program.brst run $program checked
                "$bursty" report --csv --min 0 $program.brst >$program.csv
                awk -F, '
                    FNR == NR { split($0, ran, " "); count[ran[1]] = ran[2]; next }
                    /^# / { loads = /loads/ }
                    loads && $13 in count && $6 != "" {
                        asked++
                        held += $6 <= count[$13] && count[$13] <= $7
                    }
                    END { print held + 0, asked + 0 }' $program.ran $program.csv >$program.held
                read -r more_held more_asked <$program.held
                held=$((held + more_held)) asked=$((asked + more_asked))
            done
            echo "| $program | $(awk '{ printf "%s%d", sep, $2; sep = ", " }' $program.ran) | $held of $asked |"
        done
        ;;
    cost)
        printf '| program | checks | events | checks that are off | nCheck0:nInstr0 | predicted | measured |\n'
        printf '|---|---:|---:|---:|---|---:|---:|\n'
        for program in ed picosat; do
            EVERY=1000000000 DUMP=$program.brst run $program checked
            checks=$("$bursty" report $program.brst | tr '\n' ' ' | sed 's/.*checks \([0-9 ]*\);.*/\1/; s/ //g')
            events=$(awk '{ sum += $2 } END { print sum }' $program.ran)
            plain=$(count $program plain)
            off=$(EVERY=1000000000 count $program checked)
            for rate in 1000:10 1000:50 5000:50; do
                on=$(EVERY=${rate%:*} BURST=${rate#*:} count $program checked)
                awk -v name=$program -v checks=$checks -v events=$events -v plain=$plain -v off=$off \
                    -v on=$on -v rate=$rate -v places=$(wc -l <$program.ran) 'BEGIN {
                    split(rate, part, ":")
                    bursts = checks / (part[1] + part[2])
                    summed = bursts < 1024 ? bursts : 1024 + (bursts - 1024) / 8
                    more = (82 * checks + 137 * events) * part[2] / (part[1] + part[2]) \
                        + 325 * bursts + (58 + 128 * places) * summed
                    printf "| %s | %d | %d | +%.1f %% | %s | +%.1f %% | +%.1f %% |\n", name, checks,
                        events, 100 * (off / plain - 1), rate, 100 * (more + off - plain) / plain,
                        100 * (on / plain - 1)
                }'
            done
        done
        ;;
    types)
        members() { # TABLE: of all calls and some
            awk -F, -v table="$1" -f "$here/bench/members.awk" ed.all.csv ed.some.csv
        }
        begun() { # FORM VARIABLE=VALUE...: instructions of start-up and end, with no line to edit
            form=$1
            shift
            echo Q | env "$@" valgrind --tool=callgrind --callgrind-out-file=/dev/null ./ed.$form -s \
                >/dev/null 2>callgrind.said
            sed -n 's/.*Collected : //p' callgrind.said
        }
        took() { # VARIABLE=VALUE...: instructions more than without checks; start-up is in neither
            count ed scopes env "$@" | awk -v plain="$plain" -v start="$start" '{
                printf "%.2f %%", 100 * (($1 - start) / plain - 1) }'
        }
        plain=$(($(count ed plain) - $(begun plain)))
        EVERY=0 DUMP=ed.all run ed scopes
        EVERY=0 STREAMS=ed.streams run ed scopes
        "$bursty" report --csv --min 0 ed.all >ed.all.csv
        echo '| type | frequency | overhead | methods | pairs | streams: exact, by windows |'
        echo '|---|--:|--:|--:|--:|--:|'
        for type in counts streams all; do
            burst=100 into="DUMP=ed.some STREAMS=ed.found"
            case $type in
            counts) burst=1 into=DUMP=ed.some ;;
            streams) into=STREAMS=ed.found ;;
            esac
            start=$(begun scopes $into EVERY=1000000000)
            echo "| $type | never | $(took $into EVERY=1000000000) | - | - | - |"
            for n in 100 1000 10000; do
                set -- $into "EVERY=$((burst * n - burst))" BURST=$burst SEED=1
                cost=$(took "$@") methods=- pairs=- found=-
                run ed scopes env "$@"
                case $type in counts | all)
                    "$bursty" report --csv --min 0 ed.some >ed.some.csv
                    methods=$(members 'functions: functions: calls')
                    pairs=$(members 'pairs: callers and callees: calls') ;;
                esac
                case $type in streams | all)
                    found=$("$bursty" overlap --json ed.streams ed.found |
                        awk -F '[:,]' '{ printf "%.1f, %.1f %%", $2, $6 }') ;;
                esac
                echo "| $type | 1/$n | $cost | $methods | $pairs | $found |"
            done
        done
        ;;
    figure7)
        printf '| nCheck0:nInstr0 | ed | picosat |\n|---|---|---|\n'
        for program in ed picosat; do EVERY=0 STREAMS=$program.all run $program checked; done
        for rate in 20:1 200:10 1000:50 100:1 1000:10 5000:50 10000:100; do
            printf '| %s |' $rate
            for program in ed picosat; do
                EVERY=${rate%:*} BURST=${rate#*:} STREAMS=$program.some run $program checked
                "$bursty" overlap --json $program.all $program.some >$program.json
                awk -F '[:,]' '{ printf " %.1f / %.1f / %.1f |", $2, $4, $6 }' $program.json
            done
            echo
        done
        ;;
    esac
done
