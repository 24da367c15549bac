#!/bin/sh
# hcct_python.sh [TIMES [REPEAT]] - what contexts of every call cost in a program of 400 000 lines:
# the interpreter of Debian's source package python3.11, compiled with -finstrument-functions, as
# docs/hcct.md has it. It runs a program in Python that compiles and walks eight files of its own
# library TIMES (2) times, about 440 million calls. Times are user and system time, the least of
# REPEAT (3) interleaved runs.
#
#   plain     without the flag
#   hooks     with hooks that do nothing
#   tree      record/ with room for 20 000 contexts, its default
#   100000    record/ with room for 100 000
#   bursts    record/ with one call in 10 000 recorded, in bursts of 100
#
# TIMES may be `instructions`: valgrind counts them, for argparse.py or $FILE.py of the library, and
# nothing is timed.
#
# PEERS=FILES links further hooks: object files that define both __cyg_profile_func_, between
# quotes. Building takes ten minutes on two cores.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build} CC=${CC:-gcc} times=${1:-2} repeat=${2:-3} peers=${PEERS:-}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
top=$PWD out=$BUILD/bench/hcct_python python=$BUILD/bench/src/python3.11
[ -d "$python" ] || BUILD=$BUILD sh bench/setup.sh python3.11
make -s BUILD="$BUILD" "$BUILD/bursty"
mkdir -p "$out/plain" "$out/hooks" "$out/tree" "$out/100000"
$CC -O2 -c -o "$out/empty.o" bench/peers_hooks.c
for file in instrument settings calls threads names dump ticks sampled; do
    $CC -O2 -I. -c -o "$out/tree/$file.o" record/inside/[ch]o*/"$file.c"
    $CC -O2 -I. -DRECORDER_CONTEXTS=100000 -c -o "$out/100000/$file.o" record/inside/[ch]o*/"$file.c"
done

built() { # NAME FLAGS [OBJECT]: the interpreter alone, in a folder of its own
    cd "$out/$1"
    if ! [ -x python ]; then
        "$python/configure" --without-ensurepip --disable-test-modules CFLAGS="-O2 -w $2" \
            LIBS="${3:-}" >configure.log 2>&1
        make -j2 python >make.log 2>&1
    fi
    cd "$top"
}
built plain ''
built hooks -finstrument-functions "$out/empty.o"

linked() { # NAME OBJECTS: the same objects, with other hooks
    link=$(grep -e '-o python Programs/python.o' "$out/hooks/make.log" | tail -n 1 |
        sed "s|-o python |-o python.$1 |; s|$out/empty.o|$2 -pthread|")
    (cd "$out/hooks" && eval "$link")
}
linked tree "$out/tree/*.o"
linked 100000 "$out/100000/*.o"
[ -z "$peers" ] || linked peers "$peers"

cat >"$out/work.py" <<'END'
import sys, _ast
def walk(node, seen):
    name = type(node).__name__
    seen[name] = seen.get(name, 0) + 1
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, _ast.AST):
            walk(value, seen)
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, _ast.AST):
                    walk(item, seen)
total = {}
for path in sys.argv[2:]:
    text = open(path, encoding='utf-8').read()
    for _ in range(int(sys.argv[1])):
        walk(compile(text, path, 'exec', 0x400), total)
        compile(text, path, 'exec')
        words = {}
        for word in text.split():
            words[word] = words.get(word, 0) + len(word)
        ' '.join(sorted(words, key=lambda w: (-words[w], w)))
print(sum(total.values()), len(total))
END
files=
for file in argparse typing ast datetime inspect doctest tarfile pickle; do
    files="$files $python/Lib/$file.py"
done

calls() { # that tree.brst holds
    "$BUILD/bursty" report --json "$out/tree.brst" |
        tr ',' '\n' | sed -n 's/.*"total": *\([0-9]*\).*/\1/p' | head -n 1
}

counted() { # NAME INTERPRETER FILE: instructions
    (cd "$out/plain" && BURSTY_CONTEXTS=$out/$1.brst valgrind --tool=callgrind \
        --callgrind-out-file=/dev/null "$2" -S -E ../work.py 1 "$python/Lib/$3.py" 2>&1) |
        sed -n 's/.*refs: *//p' | tr -d ,
}
if [ "$times" = instructions ]; then
    file=${FILE:-argparse}
    hooks=$(counted hooks "$out/hooks/python" "$file")
    echo '| hooks | instructions a call, hooks not counted |'
    echo '|---|---:|'
    for name in tree peers; do
        [ -x "$out/hooks/python.$name" ] || continue
        all=$(counted $name "$out/hooks/python.$name" "$file")
        awk -v name=$name -v all="$all" -v hooks="$hooks" -v calls="$(calls)" \
            'BEGIN { printf "| %s | %.0f |\n", name, (all - hooks) / calls }'
    done
    exit
fi

once() { # NAME INTERPRETER
    # shellcheck disable=SC2086
    (cd "$out/plain" && BURSTY_CONTEXTS=$out/$1.brst /usr/bin/time -o "$out/took" -f '%U %S %M' \
        "$2" -S -E ../work.py "$times" $files >"$out/$1.said")
    cmp -s "$out/plain.said" "$out/$1.said" || echo "$1: another result" >&2
    tail -n 1 "$out/took" | awk -v w="$1" '{ print w, $1 + $2, $3 / 1024 }' >>"$out/times"
}
: >"$out/times"
round=0
while [ "$round" -lt "$repeat" ]; do
    once plain "$out/plain/python"
    once hooks "$out/hooks/python"
    once tree "$out/hooks/python.tree"
    once 100000 "$out/hooks/python.100000"
    BURSTY_CONTEXTS_EVERY=9900 once bursts "$out/hooks/python.tree"
    [ -z "$peers" ] || once peers "$out/hooks/python.peers"
    round=$((round + 1))
done
echo "$(calls) calls"
echo '| hooks | s | ns a call, hooks not counted | MB |'
echo '|---|---:|---:|---:|'
awk -v calls="$(calls)" '
    !($1 in least) { name[++names] = $1 }
    !($1 in least) || $2 < least[$1] { least[$1] = $2 }
    { memory[$1] = $3 }
    END {
        for (k = 1; k <= names; k++) {
            w = name[k]
            printf "| %s | %.2f | %.1f | %.1f |\n", w, least[w],
                1e9 * (least[w] - least["hooks"]) / calls, memory[w]
        }
    }' "$out/times"
