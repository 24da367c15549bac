#!/bin/sh
# hcct_calls.sh [PROGRAM...] - what recording every call by -finstrument-functions takes: for a call
# and its return, instructions of the process less those with empty hooks, over the calls that the
# file has. Debian's sources of lua5.4 and cjson, -O2. OLD=FOLDER counts the recorder of
# another copy of this tree, too. Wants gcc and valgrind. Prints the table of docs/hcct.md.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build} old=${OLD:-}
case $build in /*) ;; *) build=$PWD/$build ;; esac
top=$PWD src=$build/bench/src out=$build/bench/hcct_calls
[ $# -gt 0 ] || set -- lua cjson
make -s BUILD="$build" "$build/bursty" >/dev/null
mkdir -p "$out"
cat >"$out/work.lua" <<'END'
local words, sum = {}, 0
for i = 1, 3000 do words[i] = tostring(i) .. ("x"):rep(i % 7) end
table.sort(words)
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
for _, word in ipairs(words) do word:gsub("%d", function() sum = sum + 1 end) end
print(fib(16), sum)
END
cat >"$out/empty.c" <<'END'
void __cyg_profile_func_enter(void *function, void *site) { (void)function, (void)site; }
void __cyg_profile_func_exit(void *function, void *site) { (void)function, (void)site; }
END
gcc -O2 -c -o "$out/empty.obj" "$out/empty.c"

counted() { # PROGRAM HOOKS COMMAND...: instructions
    name=$1.$2
    shift 2
    (cd "$out" && BURSTY_CONTEXTS=$name.brst valgrind --tool=callgrind \
        --callgrind-out-file=/dev/null "./$name" "$@" 2>&1 >"$name.out") |
        sed -n 's/.*Collected : //p'
}

echo '| program | calls | instructions for each |'
echo '|---|---:|---:|'
for program in "$@"; do
    [ -d "$src/$program" ] || BUILD=$build sh bench/setup.sh "$program" >/dev/null
    objects=$out/$program
    rm -rf "$objects" && mkdir "$objects"
    case $program in
    lua)
        files=$(ls "$src"/lua/src/*.c | grep -v /luac.c)
        : >"$objects/lua5.4-deb-multiarch.h"
        flags="-I$objects -I$src/lua/src -DDEB_HOST_MULTIARCH=\"x\"" work=$out/work.lua
        ;;
    cjson)
        files="$src/cjson/cJSON.c bench/real/main_cjson.c" flags=-I$src/cjson work="300 3"
        ;;
    *) echo "hcct_calls.sh: no program $program" >&2 && exit 2 ;;
    esac
    for file in $files; do
        # shellcheck disable=SC2086
        gcc -O2 -w -finstrument-functions $flags -c -o "$objects/$(basename "$file" .c).o" "$file"
    done
    gcc -w -o "$out/$program.empty" "$objects"/*.o "$out/empty.obj" -lm 2>/dev/null
    # shellcheck disable=SC2086
    empty=$(counted "$program" empty $work)
    for tree in ${old:+"$old"} "$top"; do
        hooks=$([ "$tree" = "$top" ] && echo new || echo old)
        rm -rf "$out/$hooks" && mkdir "$out/$hooks"
        for file in instrument settings calls threads names dump ticks sampled; do
            (cd "$tree" && set -- record/inside/[ch]o*/"$file.c" &&
                { [ ! -f "$1" ] || gcc -O2 -I. -c -o "$out/$hooks/$file.o" "$1"; })
        done
        gcc -w -o "$out/$program.$hooks" "$objects"/*.o "$out/$hooks"/*.o -lm -pthread 2>/dev/null
        # shellcheck disable=SC2086
        all=$(counted "$program" $hooks $work)
        cmp "$out/$program.empty.out" "$out/$program.$hooks.out"
        calls=$("$build/bursty" report --json "$out/$program.$hooks.brst" | tr ',' '\n' |
            sed -n 's/.*"total": *\([0-9]*\).*/\1/p' | head -n 1)
        awk -v name="$program" -v hooks=$hooks -v all="$all" -v empty="$empty" -v calls="$calls" \
            'BEGIN { printf "| %s, %s hooks | %d | %.0f |\n", name, hooks, calls, (all - empty) / calls }'
    done
done
