#!/bin/sh
# test_cc_options.sh - the options of bursty cc and bursty place: one that changes nothing, stands
# twice, lacks its value, has junk in it or contradicts another is refused in one line that says so,
# before anything is read or run; the help names all that are taken, and no other.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
BUILD=${BUILD:-build}
dir=$BUILD/tests/cc_options
rm -rf "$dir"
mkdir -p "$dir" || exit 2
bursty() { ${RUN-} "$BUILD/bursty" "$@"; }
figure=tests/place/figure5.burstycg

# ---- what is refused ----

# Rows: the tool, its options with blanks between them, the message.
refuses() {
    tool=$1 wanted=$3 behind=$figure
    [ "$tool" = cc ] && behind="-- touch $dir/ran"
    # shellcheck disable=SC2086
    bursty "$tool" $2 $behind >"$dir/out" 2>"$dir/err"
    status=$?
    if [ $status = 2 ] && [ "$(cat "$dir/err")" = "bursty: $wanted" ] && [ ! -s "$dir/out" ] &&
        [ ! -e "$dir/ran" ] && [ ! -e "$dir/new" ]; then pass
    else fail "$tool $2: status $status: $(cat "$dir/err")"; fi
}
while IFS='|' read -r tool options message; do refuses "$tool" "$options" "$message"; done <<END
cc|--cover --cover|cc: --cover is given twice
cc|--cover=bits --cover=count|cc: --cover is given twice
cc|--cover=|cc: --cover=: count, count16, count32, count64, bytes, bits, mcdc or mcdc-bits
cc|--cover=counts|cc: --cover=counts: count, count16, count32, count64, bytes, bits, mcdc or mcdc-bits
cc|--cover --atomic --atomic|cc: --atomic is given twice
cc|--cover --atomic=1|cc: --atomic takes no value
cc|--atomic|cc: --atomic changes nothing without --cover
cc|--no-exits|cc: --no-exits changes nothing without --cover
cc|--trace --trace|cc: --trace is given twice
cc|--trace=1|cc: --trace takes no value
cc|--trace --atomic|cc: --atomic changes nothing with --trace
cc|--trace --cover|cc: --cover changes nothing with --trace
cc|--trace --plan=a|cc: --plan changes nothing with marks and traces
cc|--cover=bytes --atomic|cc: --atomic changes nothing here: each mark is a byte of its own
cc|--cover=mcdc --atomic|cc: --atomic changes nothing here: each mark is a byte of its own
cc|--plan=a --plan=b|cc: --plan is given twice
cc|--plan=|cc: --plan=: the name of a file is wanted
cc|--plan=a/|cc: --plan=a/: the name of a file is wanted
cc|--plan|--plan wants a value; --help tells more
cc|--cover=bits --plan=a|cc: --plan changes nothing with marks and traces
cc|--cover=mcdc --plan=a|cc: --plan changes nothing with marks and traces
cc|--entries=all --entries=all|cc: --entries is given twice
cc|--entries=|cc: --entries=: safe, all, EL or EN
cc|--entries=EL4|cc: --entries=EL4: safe, all, EL or EN
cc|--entries|--entries wants a value; --help tells more
cc|--cover --entries=all|cc: --entries changes nothing with --cover
cc|--loops=L4 --loops=L10|cc: --loops is given twice
cc|--loops=L|cc: --loops=L: all, LN, or L and a number
cc|--loops=L4x|cc: --loops=L4x: all, LN, or L and a number
cc|--loops=L-1|cc: --loops=L-1: all, LN, or L and a number
cc|--loops=L1234567890|cc: --loops=L1234567890: all, LN, or L and a number
cc|--loops|--loops wants a value; --help tells more
cc|--cover --loops=all|cc: --loops changes nothing with --cover
cc|--ticks --ticks|cc: --ticks is given twice
cc|--ticks=1|cc: --ticks takes no value
cc|--cover --ticks|cc: --ticks changes nothing with --cover
cc|--ticks --form=dual|cc: --ticks wants --form=scope
cc|--form=point --ticks|cc: --ticks wants --form=scope
cc|--ticks --no-runtime|cc: --ticks changes nothing with --no-runtime
cc|--form=dual --form=point|cc: --form is given twice
cc|--form=|cc: --form=: point, scope or dual
cc|--form=scopes|cc: --form=scopes: point, scope or dual
cc|--form|--form wants a value; --help tells more
cc|--cover --form=point|cc: --form changes nothing with --cover
cc|--keep-events --keep-events|cc: --keep-events is given twice
cc|--keep-events=yes|cc: --keep-events takes no value
cc|--cover --keep-events|cc: --keep-events changes nothing with --cover
cc|--form=dual --keep-events|cc: --keep-events changes nothing with --form=dual
cc|--only=f --only=f|cc: --only=f is given twice
cc|--only=|cc: --only=: the name of a function is wanted
cc|--only|--only wants a value; --help tells more
cc|--not=f --not=f|cc: --not=f is given twice
cc|--not=|cc: --not=: the name of a function is wanted
cc|--only=f --not=f|cc: --only=f and --not=f contradict each other
cc|--list=a --list=b|cc: --list is given twice
cc|--list=|cc: --list=: the name of a file is wanted
cc|--list|--list wants a value; --help tells more
cc|--side --side|cc: --side is given twice
cc|--side=x|cc: --side takes no value
cc|--cover --side|cc: --side changes nothing with --cover
cc|--no-tls --no-tls|cc: --no-tls is given twice
cc|--no-tls=1|cc: --no-tls takes no value
cc|--cover --no-tls|cc: --no-tls changes nothing with --cover
cc|--no-runtime --no-runtime|cc: --no-runtime is given twice
cc|--no-runtime=0|cc: --no-runtime takes no value
cc|--dump=a --dump=a|cc: --dump is given twice
cc|--dump=|cc: --dump=: the name of a file is wanted
cc|--no-runtime --dump=a|cc: --dump changes nothing with --no-runtime
cc|--cover --dump=a|cc: --dump changes nothing with --cover
cc|--every=9 --every=9|cc: --every is given twice
cc|--every=|cc: --every=: a number from 1 to 999999999
cc|--every=0|cc: --every=0: a number from 1 to 999999999
cc|--every=9x|cc: --every=9x: a number from 1 to 999999999
cc|--every=+9|cc: --every=+9: a number from 1 to 999999999
cc|--every=1e3|cc: --every=1e3: a number from 1 to 999999999
cc|--every=1000000000|cc: --every=1000000000: a number from 1 to 999999999
cc|--no-runtime --every=9|cc: --every changes nothing with --no-runtime
cc|--cover --every=9|cc: --every changes nothing with --cover
cc|--burst=9 --burst=8|cc: --burst is given twice
cc|--burst=-9|cc: --burst=-9: a number from 1 to 999999999
cc|--burst|--burst wants a value; --help tells more
cc|--no-runtime --burst=9|cc: --burst changes nothing with --no-runtime
cc|--cover --burst=9|cc: --burst changes nothing with --cover
cc|--build-plugin=x|cc: --build-plugin takes no value
cc|--build-plugin --verbose|cc: --verbose changes nothing with --build-plugin
cc|--build-plugin -- no-such-cc|cc: --build-plugin: no-such-cc: there is no such program
cc|--late --late|cc: --late is given twice
cc|--late=x|cc: --late takes no value
cc|--late --form=dual|cc: --late changes nothing with --form=dual or --keep-events
cc|--cover --late|cc: --late changes nothing with --cover
cc|--no-late --no-late|cc: --no-late is given twice
cc|--no-late=x|cc: --no-late takes no value
cc|--no-late --keep-events|cc: --no-late changes nothing with --form=dual or --keep-events
cc|--trace --no-late|cc: --no-late changes nothing with --trace
cc|--late --no-late|cc: --late and --no-late contradict each other
cc|--verbose --verbose|cc: --verbose is given twice
cc|--colour|cc: no option '--colour'; bursty cc --help lists them
cc|-o x|cc: no option '-o'; bursty cc --help lists them
cc|gcc|cc: gcc: write the compiler after --
place|-o $dir/new -o $dir/new|place: -o is given twice
place|--list --list|place: --list is given twice
place|--list=all|place: --list takes no value
place|--json --json|place: --json is given twice
place|--json=1|place: --json takes no value
place|--dot=x|place: --dot takes no value
place|--built --built|place: --built is given twice
place|--built=1|place: --built takes no value
place|--built -o $dir/new|place: --built makes no plan
place|--set EC --set EC|place: --set is given twice
place|--set=|place: --set: the value is empty
place|--set EC+EL|place: --set: 'EC+EL' is not valid, or says something twice
place|--set EC+EC|place: --set: 'EC+EC' is not valid, or says something twice
place|--set L4+L10|place: --set: 'L4+L10' is not valid, or says something twice
place|--set Q+always|place: --set: 'Q+always' is not valid, or says something twice
place|--set all+L4|place: --set: 'all+L4' is not valid, or says something twice
place|--set LN+bounded|place: --set: 'LN+bounded' is not valid, or says something twice
place|--set L4x|place: --set: 'L4x' is not valid, or says something twice
place|--not= --list|place: --not: the value is empty
place|--not main --not main|place: --not main is given twice
place|--not nobody*|place: --not: no function is called nobody*
place|--why main --why check|place: --why is given twice
place|--why=|place: --why: the value is empty
place|--diff a --diff a|place: --diff is given twice
place|--list --json|place: one of --list, --why, --json, --dot and --diff at a time
place|-o - --list|place: -o - writes the plan where --list, --why, --json, --dot and --diff write
place|$figure|place: $figure is given twice
place|--colour|place: no option '--colour'; bursty place --help lists them
END
for option in -o --set --not --why --diff; do       # its value would stand behind
    bursty place $figure $option >"$dir/out" 2>"$dir/err"
    if [ $? = 2 ] && [ "$(cat "$dir/err")" = "bursty: $option wants a value; --help tells more" ]; then pass
    else fail "$option at the end: $(cat "$dir/err")"; fi
done

# ---- the help ----

of_help() { bursty "$1" --help | tr ';' '\n' | grep -o '^  *-[-a-z]*' | tr -d ' ' | sort -u; }
of_help cc >"$dir/help"
printf '%s\n' --cover --atomic --no-exits --plan --entries --loops --form --ticks --keep-events --only --not --list \
    --side --no-tls --no-runtime --dump --every --burst --verbose --build-plugin --late --no-late --trace | sort >"$dir/wanted"
if cmp -s "$dir/help" "$dir/wanted"; then pass; else fail "cc --help: $(diff "$dir/help" "$dir/wanted")"; fi
of_help place >"$dir/help"
printf '%s\n' -o --set --not --list --why --json --dot --diff --built --prove --within \
    --counts --least --instructions --rate | sort >"$dir/wanted"
if cmp -s "$dir/help" "$dir/wanted"; then pass; else fail "place --help: $(diff "$dir/help" "$dir/wanted")"; fi

# ---- what is taken ----

takes() { # bursty cc OPTION...: the command behind -- runs
    if bursty cc "$@" -- true >"$dir/out" 2>"$dir/err" && [ ! -s "$dir/err" ]; then pass
    else fail "cc $*: $(cat "$dir/err")"; fi
}
for form in count count16 count64 bits mcdc-bits; do takes --cover=$form --atomic; done
takes --cover --only='a*' --only b --not 'ab?' --list="$dir/left" --no-runtime
takes --plan "$dir/none" --entries=EC --loops=L0 --form=scope --ticks --keep-events --side --no-tls --every=9 --burst 1
takes --no-late
takes --late
for set in safe EC all EL EN; do takes --entries=$set; done
for set in all L0 L999999999 LN; do takes --loops $set; done
for set in all EL EC+L4+bounded+always always+EC L9999 EN+LN Q; do
    if bursty place --set $set $figure >"$dir/out" 2>"$dir/err"; then pass; else fail "$set: $(cat "$dir/err")"; fi
done
finish
