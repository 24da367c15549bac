#!/bin/sh
# test_golden.sh - files of tests/golden are what the tool once wrote. In each of them there are numbers
# that this script counts itself, without the tool: from the tables of tests/make_dumps.c, which made
# the dumps, with the formulas of docs/intervals.md. A new file there wants a number here.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
golden=tests/golden source=tests/make_dumps.c
out=${BUILD:-build}/tests/golden
mkdir -p "$out" || exit 2
: >"$out/asked"

# What a number is, and where it stands: FILE has a line, or a part of one, that is TEXT.
holds() { # FILE TEXT WHAT
    echo "$1" >>"$out/asked"
    grep -qF -- "$2" "$golden/$1"
    ok $? "$1: $3: no '$2'"
}
# The sum of the last words of all lines.
sum_is() { # FILE SUM WHAT
    echo "$1" >>"$out/asked"
    sum=$(awk '{ n += $NF } END { print n }' "$golden/$1")
    [ "$sum" = "$2" ]
    ok $? "$1: $3: $sum, wanted $2"
}
# The rows of a table in make_dumps.c, one a line: words without braces, commas and quotes.
rows_of() { # PATTERN OF THE LINE BEFORE IT
    sed -n "/$1/,/};/p" "$source" | sed '1d;$d' | tr -d '\n' | sed 's/}, */\n/g' | tr -d '{}",'
}
awk_with() { # PROGRAM ARGUMENT...: Wilson's interval of a share p of n events, one that is 95 % wide
    program=$1
    shift
    awk 'function wilson(p, n, side, equal,  z, f) {
            z = 2
            f = equal - 1
            if (equal) z = sqrt(f * (exp(4 * (f - 1.5) / (f - 1) ^ 2) - 1))
            return (p + z * z / (2 * n) + side * z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n)
        }'"$program" "$@"
}

# ---- game: a caller of each row does not matter to a function's sum --------------------------------------

# Which sites are functions: those of kind 1 or 257, the last word. Their order is their number.
sed -n '/ sites\[\] = {/,/^};/p' "$source" | sed '1d;$d' | tr -d '\n' |
    sed 's/}, */\n/g' | awk '{ print NR - 1, $NF == 1 || $NF == 257 }' >"$out/kinds"
rows_of '^} rows\[\] = {' >"$out/game"
awk_with 'FNR == NR { is_function[$1] = $2; next }
    is_function[$2] { n += $4; time += $5; if ($2 == 4) { calls += $4; its += $5 } }
    END {
        p = calls / n
        printf "%.2f%%  %.2f%%  %.2f%%  %.2f%%\n", 100 * p, 100 * wilson(p, n, -1),
            100 * wilson(p, n, 1), 100 * its / time
        printf "%.0f\n%.0f\n\"time_share\":%.9f}\n", 100 * n, 100 * calls, its / time
    }' "$out/kinds" "$out/game" >"$out/counted"
holds game.txt "$(sed -n 1p "$out/counted")" "calls of collide_pair, their interval, its time"
sum_is game.collapsed "$(sed -n 2p "$out/counted")" "all calls, of which one in a hundred was seen"
holds game.collapsed "broad_phase;collide_pair $(sed -n 3p "$out/counted")" "its one caller"
holds game.json "$(sed -n 4p "$out/counted")" "its time"

# ---- bursts: rows with sums of squares -------------------------------------------------------------------

# A share is a quotient r of sums, over 200 bursts of 1000 estimated calls each; its variance is that of
# y - r x. It is worth as many independent events as have that variance. The bursts are worth so many equal
# ones that Student's distance takes the place of 2.
sed -n '/unsigned count, bursts, firsts, yy, ys, xy;/,/};/p' "$source" | grep '{"' | tr -d '{}",' >"$out/bursts"
awk_with '{ seen[$1] += $3; all += $3; yy[$1] += $6; xy[$1] += $8; pair[$2 ";" $1] = $3 }
    END {
        n = 200; x = 1000; all = n * 10
        r = seen["skip"] / all
        squares = yy["skip"] - 2 * r * xy["skip"] + r * r * n * x * x
        worth = r * (1 - r) / (n / (n - 1) * squares / (n * x) ^ 2)
        equal = (100 * seen["skip"]) ^ 2 / yy["skip"]
        printf "%.2f%%  %.2f%%  %.2f%%\n", 100 * r, 100 * wilson(r, worth, -1, equal), 100 * wilson(r, worth, 1, equal)
        printf "main;parse %d\n\"worth\":%.5f,\n", 100 * pair["main;parse"], worth
    }' "$out/bursts" >"$out/counted"
holds bursts.txt "$(sed -n 1p "$out/counted")" "calls of skip and their interval"
holds bursts.collapsed "$(sed -n 2p "$out/counted")" "one call in a hundred was seen"
holds bursts.json "$(sed -n 3p "$out/counted")" "what skip is worth"

# ---- hostile: seventeen rows of ten events ---------------------------------------------------------------

awk_with 'BEGIN {
        p = 1 / 17
        printf "%.2f%%  %.2f%%  %.2f%%\n", 100 * p, 100 * wilson(p, 170, -1), 100 * wilson(p, 170, 1)
        printf "\"share\":%.10f,\"share_low\":%.10f\n", p, wilson(p, 170, -1)
    }' >"$out/counted"
holds hostile.txt "$(sed -n 1p "$out/counted")" "the share of each"
holds hostile.json "$(sed -n 2p "$out/counted")" "the share of each"
sum_is hostile.collapsed 1700 "17 rows of 10 events, one of a hundred"

# ---- odd: 180 of 201 calls are eval's --------------------------------------------------------------------

awk_with 'BEGIN {
        p = (150 + 30) / (20 + 150 + 30 + 1)
        printf "%.2f%%  %.2f%%  %.2f%%\n", 100 * p, 100 * wilson(p, 201, -1), 100 * wilson(p, 201, 1)
        printf "\"share\":%.9f,\n", p
    }' >"$out/counted"
holds odd.txt "$(sed -n 1p "$out/counted")" "the share of eval"
holds odd.json "$(sed -n 2p "$out/counted")" "the share of eval"
sum_is odd.collapsed 20100 "one of a hundred of 201 calls was seen"

# ---- tree: counts of its nodes, less what may not be theirs ----------------------------------------------

sed -n '/unsigned climb, key, kind, count, error;/,/};/p' "$source" | sed '1,2d;$d' | tr -d '\n' |
    sed 's/}, */\n/g' | tr -d '{},' >"$out/tree"
awk '{ sum += $4 - $5; list = list "," $4 - $5 }
    END { print sum; print 100000 - sum " calls are in no row"; print "\"lower\":[0" list "]" }' \
    "$out/tree" >"$out/counted"
sum_is tree.collapsed "$(sed -n 1p "$out/counted")" "calls of all nodes"
holds tree.txt "$(sed -n 2p "$out/counted")" "the other ones"
holds tree.json "$(sed -n 3p "$out/counted")" "each node"

# ---- footprint: 200 accesses round and round 40 blocks ---------------------------------------------------

# So 40 of 200 are misses of each cache that holds them all, and a window of w accesses touches w blocks
# or 40.
holds footprint.txt "$(awk 'BEGIN { printf "2752   %.2f%%\n", 100 * 40 / 200 }')" "misses of 43 blocks of 64 bytes"
echo footprint.json >>"$out/asked"
sed -n 's/^"average":{"label":"average","x":\[\([^]]*\)\],"y":\[\([^]]*\)\].*/\1 \2/p' "$golden/footprint.json" |
    awk '{ n = split($1, x, ","); split($2, y, ","); for (i = 1; i <= n; i++) if (y[i] != (x[i] < 40 ? x[i] : 40)) bad = 1 }
        END { exit bad || n < 40 || x[n] != 200 }'
ok $? "footprint.json: blocks of each window"

sort -u "$out/asked" >"$out/names"
ls $golden | LC_ALL=C sort | diff - "$out/names" >"$out/left"
ok $? "files of which no number was counted, or that are gone: $(cat "$out/left")"
finish
