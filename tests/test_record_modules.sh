#!/bin/sh
# test_record_modules.sh - whose code it was, where files and libraries come and go while a program
# runs: plugins that take turns at one address, a library that is replaced or removed, a program that
# is. Time belongs to what ran, and no line is shown that never ran.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_modules
needs_recorder
unset COLUMNS
shown=err

# The plugins are alike but for their names, so that each is mapped where the last one was.
for n in spin spun; do
    echo "unsigned $n(unsigned n) { unsigned x = 1; for (unsigned i = 0; i < n; i++) x = x * 1664525 + 1013904223; return x; }" >$n.c
    $CC -O1 -g -shared -fPIC $n.c -o $n.so || exit 2
done
cat >host.c <<'P'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* host LAST: opens and closes the plugins in turn, but does not close the one of that number.
   host 99 TO: all are "plug.so", which becomes the other one each time. */
int main(int count, char **word) {
    int i, last = atoi(word[1]);
    unsigned s = 0;
    for (i = 0; i < 20; i++) {
        const char *name = i & 1 ? "spun" : "spin";
        char path[64], command[128];
        void *h, *f;
        unsigned (*run)(unsigned);
        snprintf(path, sizeof path, "./%s.so", count > 2 ? "plug" : name);
        snprintf(command, sizeof command, "cp %s.so plug.new && mv plug.new plug.so", name);
        if (count > 2 && system(command)) return 2;
        h = dlopen(path, RTLD_NOW);
        f = h ? dlsym(h, name) : NULL;
        if (!f) return 2;
        memcpy(&run, &f, sizeof run);
        s += run(i & 1 ? 12000000 : 6000000);
        if (i != last) dlclose(h);
    }
    return s == 7;
}
P
$CC -O1 -g host.c -o host -ldl || exit 2

# share FUNCTION: its own time in percent, 0 if it is not there. A third and two thirds are true; of
# some 60 looks fewer than 8 % in a third, or more than 70, are not by chance.
share() { awk -v f="$1" '/^rank/ { reads = 1 } reads && $9 == f { print int($2); exit }' text; }
within_parts() { # SHARE: of a third
    [ "${1:-0}" -ge 8 ] && [ "$1" -le 70 ]
}
has() { [ "$(share "$1" | grep . || echo 0)" -ge 8 ]; }
is_third() { within_parts "$(share "$1")"; }
is_rest() { within_parts $((100 - $(share "$1" | grep . || echo 0))); }

for way in '' --inside; do
    for of in 99 19 18; do
        # shellcheck disable=SC2086
        "$bursty" record --lines $way -o x.brst ./host $of >got 2>err
        "$bursty" report --min 0 x.brst >text
        check "last $of $way: spin" is_third spin
        check "last $of $way: spun" is_rest spun
        check "last $of $way: spin's place" grep -q ' spin  *spin\.c:1$' text
        check "last $of $way: spun's place" grep -q ' spun  *spun\.c:1$' text
        check "last $of $way: lines of spin" grep -q '% .* spin\.c:1  *spin$' text
        check "last $of $way: no lines of the other one" \
            [ "$(grep -c 'spin\.c:1  *spun$\|spun\.c:1  *spin$' text)" = 0 ]
    done
    # shellcheck disable=SC2086
    "$bursty" record --lines $way -o x.brst ./host 99 plug >got 2>err
    "$bursty" report --min 0 x.brst >text
    file=$(share '(plug.so)')
    if [ -n "$way" ]; then
        # The names of dynamic symbols are in memory.
        check "one name $way: spin" is_third spin
    else
        # From outside a file may be gone before anybody could open it. Then it has a row, and no
        # other one's name.
        check "one name: spin, or the file" within_parts $((${file:-0} + $(share spin | grep . || echo 0)))
    fi
    check "one name $way: spun" is_rest spun
    check "one name $way: lines of what is there" grep -q '% .* spun\.c:1  *spun$' text
    check "one name $way: none of the other's" \
        [ "$(grep -c 'spin\.c:1  *spun$\|spun\.c:1  *spin$' text)" = 0 ]
done

# A library that is replaced: what `replace` does, while its function runs.
cat >v1.c <<'P'
static unsigned inside(unsigned n) { unsigned x = n; for (int i = 0; i < 50000000; i++) x = x * 1664525 + 1013904223; return x; }
unsigned (*volatile hidden)(unsigned) = inside;
unsigned old(unsigned n) { unsigned x = n; for (int i = 0; i < 50000000; i++) x = x * 1664525 + 1013904223; return x + hidden(n); }
P
sed 's/old/young/; s/inside/within/' v1.c >v2.c
cat >m.c <<'P'
#include <stdlib.h>
unsigned old(unsigned);
int main(int count, char **word) { unsigned s = old(1); return system(word[count - 1]) || s == 7; }
P
for id in sha1 none; do
    $CC -O1 -g -shared -fPIC -Wl,--build-id=$id v1.c -o first.so || exit 2
    $CC -O1 -g -shared -fPIC -Wl,--build-id=$id v2.c -o second.so || exit 2
    cp first.so libx.so
    $CC -O1 -g m.c -o m -L. -lx -Wl,-rpath,"$PWD" || exit 2
    # From outside the file is opened while it is there. A recorder inside writes places, and names come
    # when the program has ended.
    for how in 'cp second.so new; mv new libx.so' 'rm libx.so' 'cp first.so new; mv new libx.so' true; do
        cp first.so libx.so
        "$bursty" record --lines --inside -o x.brst ./m "$how" >got 2>err
        "$bursty" report --min 0 x.brst >text
        check "$id, $how: the name" has old
        check "$id, $how: no line that never ran" [ "$(grep -c 'v2\.c\|young\|within\|deleted' text)" = 0 ]
        case $id$how in
            *true | sha1cp\ first*)
                check "$id, $how: lines" grep -q '% .* v1\.c:1  *inside$' text
                check "$id, $how: nothing is said" [ "$(grep -c replaced err)" = 0 ] ;;
            *)
                check "$id, $how: a number" grep -q '% .* libx\.so+0x[0-9a-f]*$' text
                check "$id, $how: the reason" grep -q '^bursty: libx\.so was replaced or removed' err ;;
        esac
        may_look . stacks || continue
        cp first.so libx.so
        "$bursty" record --lines -o x.brst ./m "$how" >got 2>err
        "$bursty" report --min 0 x.brst >text
        check "$id, $how: from outside" has old
        check "$id, $how: from outside, without a symbol in memory" has inside
        check "$id, $how: from outside, no line that never ran" [ "$(grep -c 'v2\.c\|young\|within\|deleted' text)" = 0 ]
    done
done

# A file that is cut, or that gets other bytes, when its code has run: nobody reads names out of it.
cat >cut.c <<'P'
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char **word) {
    void *h = dlopen("./p.so", RTLD_NOW), *f = h ? dlsym(h, "spin") : NULL;
    unsigned (*run)(unsigned), s;
    if (!f) return 2;
    memcpy(&run, &f, sizeof run);
    s = run(60000000);
    dlclose(h);
    return system(word[count - 1]) || s == 7;
}
P
$CC -O1 -g cut.c -o cut -ldl || exit 2
for way in '' --inside; do
    for how in ': >p.so' 'head -c 5000 spin.so >p.so' 'cat spun.so >p.so' 'tr "\000-\377" "\001-\377\000" <spin.so >p.so'; do
        rm -f p.so
        cp spin.so p.so
        # shellcheck disable=SC2086
        "$bursty" record --lines $way -o x.brst ./cut "$how" >got 2>err
        check "$how $way: the program ends as it does" [ $? = 0 ]
        "$bursty" report --min 0 x.brst >text
        check "$how $way: its time" [ $(($(share spin | grep . || echo 0) + $(share '(p.so)' | grep . || echo 0))) -ge 50 ]
        check "$how $way: it is said" grep -q '^MISSING: files that were replaced or removed .*(p\.so)' text
        check "$how $way: no name of other code" [ "$(grep -c 'spun' text)" = 0 ]
    done
done

# A program that is removed has its names from the kernel.
cat >self.c <<'P'
#include <unistd.h>
__attribute__((noinline)) static unsigned hot(unsigned n) { unsigned x = n; for (int i = 0; i < 60000000; i++) x = x * 1664525 + 1013904223; return x; }
int main(int count, char **word) { return unlink(word[0]) || hot((unsigned)count) == 7; }
P
$CC -O1 -g self.c -o self || exit 2
"$bursty" record -o x.brst "$PWD/self" >got 2>err
"$bursty" report --min 0 x.brst >text
check "a program that is removed" has hot
check "its name" [ "$(head -n 1 text)" = self ]
finish
