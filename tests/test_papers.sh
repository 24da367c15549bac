#!/bin/sh
# test_papers.sh - tests/papers.sh itself, on pages whose commands are known: it notices each figure
# that is not what the page says, and goes on where it was broken off. And each bench that
# docs/papers.md names has its figures there.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
out=${BUILD:-build}/tests/papers
case $out in /*) ;; *) out=$PWD/$out ;; esac
rm -rf "$out"
mkdir -p "$out" || exit 2
shown=$out/said left=
compared() { # PASSED FAILED: what papers.sh says of the page on standard input
    cat >"$out/page"
    PAPERS_PAGE=$out/page PAPERS_KEEP=$out/keep PAPERS_SECONDS=${seconds-60} \
        sh tests/papers.sh ${words-} >"$out/said" 2>&1
    grep -qE "^$1 passed, $2 failed$left" "$out/said"
    ok $? "not $1 passed and $2 failed$left"
}

compared 2 0 <<'EOT'
    $ printf 'a   12 %%\nother\nb 3.5 2\n'
    a 12 %
    b 3.5 2

    $ printf 'x 18.4 rest of it\ny 7%%\n'
    x 18.0+-0.5 ...
    y 8+-1%
EOT
# One line each of which is not so.
while read -r line; do
    compared 0 1 <<EOT
    \$ printf 'a 12 %%\nb 18.4 7%%\n'
    $line
EOT
done <<'EOT'
a 13 %
a 12
a 12 % more
a 1 ...
b 17.8+-0.5 7%
b 18.4 7+-1
b 18.4+-0.1x 7%
c ...
EOT
compared 0 1 <<'EOT'
    $ printf 'a\nb\n'
    b
    a
EOT
compared 0 1 <<'EOT'
    $ echo a; exit 3
    a
EOT
# A long line goes on in the next one.
compared 1 0 <<'EOT'
    $ printf '%s 2\n' \
      1
    1 \
        2
EOT
compared 0 1 <<'EOT'
    $ echo 1 2
    1 \
        3
EOT
# A test of a list only has to end well; a bench must say what it gave.
ends=${out#"$PWD/"}/ends
printf '#!/bin/sh\nexit ${1:-0}\n' >"$out/ends"
chmod +x "$out/ends"
compared 1 0 <<EOT
Of the text \`sh not.sh\` is none.

- what
  \`build/../$ends\`

And \`sh not.sh\` is none.
EOT
compared 0 1 <<EOT
- what: \`build/../$ends 1\`
EOT
compared 0 1 <<'EOT'
- what: `sh bench/none`
EOT
compared 1 0 <<'EOT'
- what: `sh bench/none; echo 4`

    $ sh bench/none; echo 4
    4
EOT
PAPERS_LIMIT=1 compared 0 1 <<'EOT'
    $ echo 4; sleep 60
    4
EOT
grep -q 'took more than 1 s$' "$out/said"
ok $? "a command has no limit"

# ---- what has passed is not run again, until the page changes; nor is what there is no time for
runs() { # RUNS: so often the command has been run
    [ "$(wc -l <"$out/ran")" = "$1" ]
    ok $? "ran $(wc -l <"$out/ran") times, not $1"
}
: >"$out/ran"
for wanted in 1 1; do
    compared 1 0 <<EOT
    \$ echo once | tee -a $out/ran
    once
EOT
    runs $wanted
done
compared 1 0 <<EOT
    \$ echo once | tee -a $out/ran
    *
EOT
runs 2
# One part alone, though it has passed.
words=once
compared 1 0 <<EOT
    \$ echo once | tee -a $out/ran
    *

    \$ echo other | tee -a $out/ran; exit 1
    other
EOT
runs 3
words=none
compared 0 1 <<EOT
    \$ echo once | tee -a $out/ran
    once
EOT
runs 3
words= seconds=0 left=', 1 skipped'
compared 0 0 <<EOT
    \$ echo other | tee -a $out/ran
    other
EOT
runs 3

# ---- the page itself
shown=
PAPERS_KEEP=$out/listed sh tests/papers.sh list >"$out/said"
while read -r command; do
    case $command in
    'sh tests/run.sh '* | build/* | *'sh bench/'* | 'python3 tests/papers/'* | bursty*) pass ;;
    *) fail "no command of this project: $command" ;;
    esac
done <"$out/said"
for part in "$out/listed"/*.part; do
    [ "$(sed -n 2p "$part")" != '?' ]
    ok $? "docs/papers.md does not say what this gave: $(head -n 1 "$part")"
    case $(head -n 1 "$part") in *tests/run.sh* | build/*) continue ;; esac
    [ "$(wc -l <"$part")" -gt 1 ]
    ok $? "docs/papers.md says nothing of what this prints: $(head -n 1 "$part")"
done
finish
