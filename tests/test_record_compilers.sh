#!/bin/sh
# test_record_compilers.sh - g++ and clang++ make the same object under `bursty record --follow` as
# alone, in four settings. A compiler is the program with the most jump tables that a machine has,
# and a table that was copied too short ends in an internal compiler error.
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
export BURSTY=${BUILD:-build}/bursty
case $BURSTY in /*) ;; *) BURSTY=$PWD/$BURSTY ;; esac
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
needs_recorder
cd "$scratch" || exit 2
cat >source.cc <<'END_OF_FILE'
#include <vector>
int main(int argc, char **) {
    std::vector<int> v;
    switch (argc) {
    case 1: v.push_back(7); break;
    case 2: v.resize(9); break;
    case 3: v.assign(3, 1); break;
    case 4: v.reserve(5); break;
    case 5: throw 6;
    default: v.clear();
    }
    return v.empty() ? 0 : v[0];
}
END_OF_FILE
settings='--every,0 --ticks,200' # FULL=1: four
[ -z "${FULL-}" ] || settings="--every,9900 $settings --off"
for compiler in g++ clang++; do
    "$compiler" -O1 -c -o plain.o source.cc 2>/dev/null || {
        skip "no $compiler with a C++ library"
        continue
    }
    for options in $settings; do
        options=$(echo "$options" | tr , ' ')
        rm -f recorded.o
        # shellcheck disable=SC2086
        timeout 300 "$BURSTY" record --quiet --follow $options -o out.brst -- \
            "$compiler" -O1 -c -o recorded.o source.cc >said 2>&1
        status=$?
        if [ $status = 0 ] && cmp -s plain.o recorded.o && [ -s out.brst ]; then
            pass
        else
            fail "$compiler, record $options: status $status, or another object"
            head -n 5 said | sed 's/^/    /'
        fi
        rm -f out.brst*
    done
done
finish
