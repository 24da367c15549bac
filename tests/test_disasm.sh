#!/bin/sh
# test_disasm.sh - reads what $CC makes of a check. On x86-64 its fast path must be two
# instructions, a decrement of memory and a jump, with TLS and without; on Cortex-M3 at most five
# instructions and twelve bytes. Each form stands in a function beside the same function without it;
# the difference is counted along the path that a check takes when nothing happens.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc}
out=${BUILD:-build}/disasm
mkdir -p "$out" || exit 2
has() { command -v "$1" >/dev/null 2>&1; }

cat >"$out/forms.c" <<'END'
#include "bursty.h"
void work(void);
#define WITH(name, form) void name(void); void name(void) { form; work(); work(); }
WITH(plain, (void)0)
WITH(point, BURST_POINT(BURSTY_USER, "point", 7))
WITH(entry, BURST_ENTRY())
WITH(loop, BURST_LOOP())
WITH(check, if (BURST_CHECK()) work())
WITH(body, BURST_BODY({ }))
BURST_DUAL(void, dual, (void), ()) { work(); work(); }
END

# "instructions bytes instructions-as-text" from a function's entry to its return or tail call.
# Conditional jumps that go on a negative result (or a raised flag) are the cold way and not taken,
# those on its opposite are taken; alignment is no instruction. A jump with a relocation leaves the
# function.
fast_path() { # OBJDUMP OBJECT FUNCTION
    "$1" -dr --no-show-raw-insn "$2" | awk -v want="<$3>:" '
        function hex(s,  i, v) { v = 0; for (i = 1; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return v }
        $2 == want { on = 1; next }
        on && NF == 0 { exit }
        on && $2 ~ /^R_/ { away[n] = 1; next }
        on && $1 ~ /^[0-9a-f]+:$/ {
            at = $1; sub(/:/, "", at)
            place[at] = ++n; address[n] = hex(at); name[n] = $2; target[n] = $3
            text[n] = $2; for (i = 3; i <= NF && $i !~ /^([#@;]$|<)/; i++) text[n] = text[n] " " $i
        }
        END {
            address[n + 1] = address[n] + 4
            for (i = 1; i <= n && steps++ < 200; ) {
                if (text[i] ~ /nop/) { i++; continue }
                count++; bytes += address[i + 1] - address[i]; path = path " | " text[i]
                if (name[i] ~ /^(ret|retq|bx)$/ || text[i] ~ /^(pop|ldmia).*pc/) break
                if (name[i] ~ /^(jmp|b|b\.n|b\.w)$/) { if (away[i] || !(target[i] in place)) break; i = place[target[i]]; continue }
                if (name[i] ~ /^(jns|jge|je|bge|bge\.n|bpl|bpl\.n)$/) { i = place[target[i]]; continue }
                i++
            }
            print count + 0, bytes + 0, path
        }'
}

limits() { # COMPILER OBJDUMP MOST_INSTRUCTIONS MOST_BYTES VARIANT OPTIONS...
    compiler=$1 objdump=$2 most=$3 most_bytes=$4 variant=$5
    shift 5
    if ! "$compiler" -std=c99 "$@" -I. -c -o "$out/forms.o" "$out/forms.c"; then
        fail "$compiler $*: does not compile"; return
    fi
    # shellcheck disable=SC2046
    set -- $(fast_path "$objdump" "$out/forms.o" plain)
    plain=$1 plain_bytes=$2
    for form in point entry loop check body dual; do
        path=$(fast_path "$objdump" "$out/forms.o" $form)
        # shellcheck disable=SC2086
        set -- $path
        count=$(($1 - plain)) bytes=$(($2 - plain_bytes))
        if [ "$plain" -ge 3 ] && [ $count -ge 2 ] && [ $count -le "$most" ] && [ $bytes -le "$most_bytes" ]; then
            pass
            echo "$compiler, $variant: $form takes $count instructions, $bytes bytes"
        else fail "$compiler, $variant: $form takes $count instructions, $bytes bytes: ${path#* * }"; fi
    done
}

if ! has "$CC"; then skip "no $CC"
elif ! has objdump || ! "$CC" -dM -E -x c /dev/null | grep -q '__x86_64__ 1'; then
    skip "$CC: needs objdump and a compiler for x86-64"
else
    limits "$CC" objdump 2 99 "TLS" -O2
    limits "$CC" objdump 2 99 "TLS, no PIE" -O2 -fno-pie
    limits "$CC" objdump 2 99 "global" -O2 -DBURSTY_NO_TLS
    limits "$CC" objdump 3 99 "poll" -O2 -DBURSTY_POLL        # gcc loads a volatile byte before it compares it
fi
if has arm-none-eabi-gcc && has arm-none-eabi-objdump; then
    limits arm-none-eabi-gcc arm-none-eabi-objdump 5 12 "Cortex-M3 -Os, tiny" -mcpu=cortex-m3 -mthumb -Os -ffreestanding -DBURSTY_TINY
    limits arm-none-eabi-gcc arm-none-eabi-objdump 5 12 "Cortex-M3 -Os, global" -mcpu=cortex-m3 -mthumb -Os -ffreestanding -DBURSTY_NO_TLS
    limits arm-none-eabi-gcc arm-none-eabi-objdump 5 12 "Cortex-M3 -O2, tiny" -mcpu=cortex-m3 -mthumb -O2 -ffreestanding -DBURSTY_TINY
else skip "Cortex-M3: no arm-none-eabi-gcc"; fi
finish
