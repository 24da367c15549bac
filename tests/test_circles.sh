#!/bin/sh
# test_circles.sh - which object files use one another in a circle: A uses a name that B
# defines, and B uses one of A, at once or over others. Who wants to read one of a circle
# must read all. tests/circles lists the circles that are as they should be, and why. No
# other one may be there, and none of the list may be gone. They are those of the tool
# (base/, report/, cc/ and record/tool/ together, without what is made of all of them), of
# lab/ and of the recorder, by nm. What the recorder's library exports (dlclose, raise) is
# no use of its own file: who calls it means the C library's. And a name that only its
# own file uses is static.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
build=${BUILD:-build} out=${BUILD:-build}/tests/circles
rm -rf "$out"
mkdir -p "$out" || exit 2
shown=$out/log

circles() { # [NAMES]: reads what `nm -A` prints; a line for each circle: its objects, in order
    LC_ALL=C awk -v root="$build/" -v not="${1-}" '
        # Tarjan: `low` is the earliest object on the stack that one reaches.
        function visit(o,  n, i, to, list, from, member) {
            order[o] = low[o] = ++last
            stack[++height] = o
            on[o] = 1
            n = split(used[o], list, " ")
            for (i = 1; i <= n; i++) {
                to = home[list[i]]
                if (to == "" || to == o) continue
                if (!(to in order)) visit(to)
                if (on[to] && low[to] < low[o]) low[o] = low[to]
            }
            if (low[o] < order[o]) return
            for (from = height; stack[from] != o; from--) ;
            n = height - from + 1
            for (i = from; i <= height; i++) {
                on[stack[i]] = 0
                member[i - from + 1] = stack[i]
            }
            height = from - 1
            if (n == 1) return
            for (i = 2; i <= n; i++)
                for (from = i; from > 1 && member[from] < member[from - 1]; from--) {
                    to = member[from]
                    member[from] = member[from - 1]
                    member[from - 1] = to
                }
            to = member[1]
            for (i = 2; i <= n; i++) to = to " " member[i]
            print to
        }
        BEGIN { for (n = split(not, list, " "); n; n--) skip[list[n]] = 1 }
        $NF in skip { next }
        {
            o = $1
            sub(/:.*/, "", o)
            if (index(o, root) == 1) o = substr(o, length(root) + 1)
            sub(/\.o$/, "", o)
            if (!(o in used)) { used[o] = ""; name[++objects] = o }
            if ($(NF - 1) ~ /^[TDBRCGSVW]$/) home[$NF] = o
            else if ($(NF - 1) ~ /(^|:)U$/) used[o] = used[o] " " $NF
        }
        END { for (i = 1; i <= objects; i++) if (!(name[i] in order)) visit(name[i]) }'
}
listed() { # LIST CIRCLES: says what one has and the other has not
    LC_ALL=C awk '
        list { if (!/^#/ && split($0, half, ": ") == 2) listed[half[1]] = 1; next }
        { if ($0 in listed) delete listed[$0]; else { print "a circle: " $0; bad = 1 } }
        END { for (c in listed) { print "no circle any more: " c; bad = 1 } exit bad }' \
        list=1 "$1" list=0 "$2" >"$out/log"
}

if ! command -v nm >/dev/null; then
    skip "no nm"
    finish
fi

# ---- what it finds in five files: a uses b, b uses c, c uses b and d, and d_ itself
i=0
for text in 'int b(void); int a(void) { return b(); }' \
    'int c(void); int b(void) { return c(); }' \
    'extern int d; int b(void); int c(void) { return b() + d; }' 'int d;' \
    'int d_(int n) { return n ? d_(n - 1) : 0; }'; do
    i=$((i + 1))
    echo "$text" >"$out/$i.c"
    # shellcheck disable=SC2086
    ${CC:-cc} ${CFLAGS-} -c -o "$out/$i.o" "$out/$i.c" || fail "to compile $i.c"
done
nm -A "$out"/[1-5].o | circles >"$out/own"
[ "$(cat "$out/own")" = "tests/circles/2 tests/circles/3" ]
ok $? "b and c are the circle: $(cat "$out/own")"
nm -A "$out"/[1-5].o | circles 'a c' >"$out/own"
[ ! -s "$out/own" ]
ok $? "c is exported, and there is no circle: $(cat "$out/own")"
echo "tests/circles/2 tests/circles/3" >"$out/own"
echo '# a remark' >"$out/none"
! listed "$out/none" "$out/own" &&
    grep -q '^a circle: tests/circles/2 tests/circles/3$' "$out/log"
ok $? "one that is not listed"
echo 'tests/circles/2 tests/circles/3: these are one idea.' >"$out/list"
listed "$out/list" "$out/own"
ok $? "one that is listed"
echo 'tests/circles/1 tests/circles/3: they were one idea.' >>"$out/list"
! listed "$out/list" "$out/own" &&
    [ "$(cat "$out/log")" = 'no circle any more: tests/circles/1 tests/circles/3' ]
ok $? "one that is listed and gone"

# ---- the project
of() { # FOLDER...: the objects of those sources that are compiled here
    find "$@" -name '*.c' | sed "s|^|$build/|; s|c$|o|" | while read -r object; do
        [ ! -f "$object" ] || echo "$object"
    done
}
of base report cc record/tool | grep -v -e /base/bursty.o -e /cc/inside/ >"$out/tool"
of lab | grep -v /lab/lab.o >"$out/lab"
of record/inside/core record/inside/preload record/x86 >"$out/recorder"
[ "$(grep -c '' "$out/tool")" -gt 200 ] && [ "$(grep -c '' "$out/lab")" -gt 10 ]
ok $? "the objects are there"
for program in tool lab recorder; do
    # shellcheck disable=SC2046
    [ ! -s "$out/$program" ] || nm -A $(cat "$out/$program") >"$out/$program.nm"
    exported=
    [ $program != recorder ] ||
        exported=$(nm -D --defined-only "$build/bursty-record.so" 2>/dev/null |
            sed 's/.* //' | tr '\n' ' ')
    [ ! -s "$out/$program" ] || circles "$exported" <"$out/$program.nm"
done >"$out/found"
cp tests/circles "$out/wanted" || exit 2
[ -s "$out/recorder" ] || grep -v '^record/inside' tests/circles >"$out/wanted"
listed "$out/wanted" "$out/found"
ok $? "the circles of the project"

# ---- base/ uses nothing of the wings
LC_ALL=C awk '{ o = $1; sub(/:.*/, "", o); is_base = o ~ /\/base\// }
    $(NF - 1) ~ /^[TDBRC]$/ && !is_base { wing[$NF] = o }
    $(NF - 1) ~ /(^|:)U$/ && is_base { user[$NF] = o }
    END { for (name in user) if (name in wing) print user[name], name, wing[name] }
    ' "$out/tool.nm" >"$out/log"
[ -s "$out/tool.nm" ] && [ ! -s "$out/log" ]
ok $? "base/ uses what stands above it"

# ---- a name that only its own object uses, and no test, is static
lonely() { # reads what `nm -A` prints
    LC_ALL=C awk '{ o = $1; sub(/:.*/, "", o) }
        $(NF - 1) ~ /^[TDBRC]$/ { home[$NF] = o }
        $(NF - 1) ~ /(^|:)U$/ { is_used[$NF] = 1 }
        END { for (name in home) if (!(name in is_used)) print name, home[name] }'
}
nm -A "$out"/[1-5].o | lonely | cut -d ' ' -f 1 | LC_ALL=C sort | tr '\n' ' ' >"$out/own"
[ "$(cat "$out/own")" = 'a d_ ' ]
ok $? "nobody uses a and d_: $(cat "$out/own")"
# headers.o has the products, sampled.o and lines.o have code of the recorder. Names that
# begin with an underscore are the compiler's.
(cd "$build" && nm -A base/bursty.o base/lists.o lab/lab.o lab/lists.o) |
    cat - "$out/tool.nm" "$out/lab.nm" | lonely |
    grep -v -e '^_' -e '^main ' -e base/headers.o -e record/tool/sampled.o \
    -e record/tool/lines.o >"$out/names"
cut -d ' ' -f 1 "$out/names" >"$out/words"
grep -ohwFf "$out/words" tests/*.c tests/*.inc fuzz/*.c | LC_ALL=C sort -u >"$out/asked"
echo '(no name)' >>"$out/asked"
! grep -vwFf "$out/asked" "$out/names" >"$out/log"
ok $? "names that should be static"
finish
