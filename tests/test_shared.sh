#!/bin/sh
# test_shared.sh - tests/shared.sh finds copies that drift apart, and finds none in the headers.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
out=${BUILD:-build}/shared
mkdir -p "$out" || exit 2
accepts() {
    if sh tests/shared.sh "$@" >"$out/log" 2>&1; then
        pass
    else
        fail "to accept $*"
        cat "$out/log"
    fi
}
refuses() { # PATTERN FILE...
    pattern=$1
    shift
    if ! sh tests/shared.sh "$@" >"$out/log" 2>&1 && grep -q "$pattern" "$out/log"; then
        pass
    else
        fail "to refuse $*"
        cat "$out/log"
    fi
}

piece() { # PREFIX BODY
    upper=$(echo "$1" | tr a-z A-Z)
    printf '#define A 1\n/* [shared: add] */\n'
    printf 'static int %s_p_add(int a) { return a + %s_P_ONE; }\n' "$1" "$upper"
    printf '%s\n/* [end shared] */\nint %s_x;\n' "$2" "$1"
}
piece left '' >"$out/left.h"
piece right '' >"$out/right.h"
piece other 'int more;' >"$out/other.h"
sed 's/a + /a - /' "$out/right.h" >"$out/wrong.h"
sed 's/right/wrong/; s/RIGHT/WRONG/' "$out/wrong.h" >"$out/x" && mv "$out/x" "$out/wrong.h"
grep -v 'end shared' "$out/left.h" >"$out/open.h"
grep -v 'shared: ' "$out/left.h" >"$out/end.h"
printf '/* [shared: mul] */\n/* [end shared] */\n' >"$out/mul.h"

accepts "$out/left.h" "$out/right.h"
accepts "$out/left.h" "$out/mul.h"
refuses 'wrong.h:5: .shared: add. differs from .*left.h:2' "$out/left.h" "$out/right.h" \
    "$out/wrong.h"
refuses 'other.h:5: .shared: add. differs' "$out/left.h" "$out/other.h"
refuses 'open.h: .shared: add. is not ended' "$out/open.h"
refuses 'open.h: .shared: add. is not ended' "$out/open.h" "$out/right.h"
refuses 'end.h:4: ends nothing' "$out/end.h"
accepts *.h
cat "$out/log"
finish
