#!/bin/sh
# test_record_proof.sh - what binpatch.h records is what happened: effective addresses equal those of
# valgrind's lackey, in order; counts of calls equal those of callgrind. FULL=1, as the matrix has it:
# at every level of optimisation.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc}
out=${BUILD:-build}/record_proof
rm -rf "$out"
mkdir -p "$out" || exit 2

needs_recorder
command -v valgrind >/dev/null 2>&1 || leave "no valgrind"

levels=-O2
[ -z "${FULL-}" ] || levels='-O0 -O1 -O2 -O3 -Os'
for level in $levels; do
    program=$out/references$level
    $CC -std=gnu99 $level -fno-pie -no-pie -I. -o "$program" tests/proof/references.c -ldl \
        2>"$out/log" || { fail "to compile with $level"; cat "$out/log"; continue; }

    $CC -std=gnu99 $level -DPLAIN -o "$program-plain" tests/proof/references.c

    # References to `world`, in order.
    "$program" record >"$out/region" 2>"$out/recorded" || { fail "$level: $(cat "$out/region")"; continue; }
    grep -v '^call' "$out/recorded" >"$out/ours"
    valgrind --tool=lackey --trace-mem=yes "$program" 2>"$out/lackey" >"$out/region2"
    cmp -s "$out/region" "$out/region2" || fail "$level: world stands elsewhere"
    read -r lo hi <"$out/region"
    # Addresses are hexadecimal numbers of 8 digits; strings of equal length compare as numbers do.
    awk -v lo="$lo" -v hi="$hi" '
        BEGIN { while (length(lo) < 8) lo = "0" lo; while (length(hi) < 8) hi = "0" hi }
        /^ [LSM] / { split($2, part, ","); a = part[1]; if (length(a) == 8 && a "" >= lo "" && a "" < hi "") print }
    ' "$out/lackey" >"$out/theirs"
    if [ "$(wc -l <"$out/ours")" -gt 3000 ] && cmp -s "$out/ours" "$out/theirs"; then pass
    else
        fail "$level: addresses"
        diff "$out/ours" "$out/theirs" | head -n 20
    fi

    # Calls of each function.
    valgrind --tool=callgrind --callgrind-out-file="$out/callgrind" --compress-strings=no \
        --compress-pos=no "$program-plain" >/dev/null 2>"$out/log"
    awk '/^cfn=work_/ && !/[.]cold/ { name = substr($0, 5); getline; if ($0 !~ /^calls=/) getline
                        split($0, part, /[= ]/); n[name] += part[2] }
         END { for (k in n) print n[k], k }' "$out/callgrind" | sort >"$out/theirs"
    sed -n 's/^call //p' "$out/recorded" | sort | uniq -c | awk '{ print $1, $2 }' | sort >"$out/ours"
    if [ -s "$out/ours" ] && cmp -s "$out/ours" "$out/theirs"; then pass
    else
        fail "$level: calls"
        diff "$out/ours" "$out/theirs"
    fi
done
finish
