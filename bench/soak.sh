#!/bin/sh
# soak.sh [RUNS [SEED [WORDS]]] - runs installed programs under `bursty record` with random settings,
# and compares what they print and how they end with a plain run. RUNS: 500. WORDS: a pattern that
# programs' lines must have. Ends with "N passed, N failed"; a run that differs prints the command that
# shows it. tests/test_record.sh runs a few.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
runs=${1:-500}
seed=${2:-1}
words=${3:-.}
out=$build/soak
bursty=$build/bursty
mkdir -p "$out" && cd "$out" || exit 2

i=0
while [ $i -lt 1500 ]; do
    echo "line $i of $((i * 7919 % 1009)) words"
    i=$((i + 1))
done >text
head -c 60000 "$bursty" >data
cat >s.lua <<'P'
local t = {}
for i = 1, 3000 do t[i] = (i * 7919) % 1009 end
table.sort(t)
print(t[77], #t, pcall(error, "x"))
P
cat >s.pl <<'P'
my %h;
for my $i (1 .. 3000) { $h{$i % 97} .= chr(65 + $i % 26); }
print join(",", map { length $h{$_} } sort keys %h), "\n";
eval { die "oops\n" };
print $@;
P
cat >s.sh <<'P'
f() { if [ $1 -lt 2 ]; then echo 1; else echo $(( $(f $(( $1 - 1 ))) + $1 )); fi; }
f 4
trap "echo usr1" USR1
kill -USR1 $$
for i in 1 2 3 4 5 6 7 8 9; do a="$a$i"; done
echo ${a#12}
P
cat >s.py <<'P'
import json, re
d = {str(i): list(range(i % 17)) for i in range(200)}
s = json.dumps(d)
print(len(s), sum(map(len, json.loads(s).values())))
try:
    d["no such key"]
except KeyError as e:
    print(e)
P
cat >s.rb <<'P'
def fib(n) n < 2 ? n : fib(n - 1) + fib(n - 2) end
a = (1..3000).map { |i| (i * 7919) % 1009 }
h = Hash.new(0)
a.each { |x| h[x % 97] += x }
begin
  raise ArgumentError, "oops"
rescue => e
  puts e.message
end
puts fib(15), a.sort[77], h.values.sum, a.join(",").scan(/7\d9/).length
P
cat >s.php <<'P'
<?php
function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
function three() { foreach ([1, 2, 3] as $x) yield $x => $x * 2; }
$a = [];
for ($i = 0; $i < 3000; $i++) $a[$i % 97] = ($a[$i % 97] ?? '') . chr(65 + $i % 26);
try { throw new Exception("oops"); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
foreach (three() as $k => $v) echo $k, $v, "\n";
echo fib(15), " ", md5(json_encode($a)), " ", preg_match_all('/A.C/', implode($a)), "\n";
P
cat >s.ml <<'P'
exception Oops of int
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let () =
  let h = Hashtbl.create 10 in
  for i = 1 to 3000 do Hashtbl.replace h (i mod 97) (string_of_int i) done;
  (try raise (Oops (fib 16)) with Oops n -> Printf.printf "%d\n" n);
  Gc.compact ();
  Hashtbl.fold (fun k v a -> (k, v) :: a) h [] |> List.sort compare
  |> List.iter (fun (k, v) -> Printf.printf "%d %s\n" k v)
P
command -v ocamlc >/dev/null && ocamlc -o s.byte s.ml
cat >s.el <<'P'
(let ((sum 0) (i 0)) (while (< i 20000) (setq sum (+ sum (% i 7)) i (1+ i))) (princ sum))
P
cat >v.cc <<'P'
#include <algorithm>
#include <map>
#include <string>
#include <vector>
int main(int c, char **v) {
    std::map<std::string, std::vector<int>> m;
    for (int i = 0; i < c; i++) m[v[i]].push_back(i);
    return (int)std::max(m.size(), m.begin()->second.size());
}
P
cat >s.sql <<'P'
create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 500)
insert into t select x, hex(x * 7919) from c;
select a, b from t order by b limit 5;
P
cat >s.c <<'P'
int g(int n) {
    switch (n) {
    case 1: return 7;
    case 2: return 9;
    case 3: return n * n;
    case 4: return 5;
    case 5: return 1;
    default: return n;
    }
}
int f(int n) { int i, s = 0; for (i = 0; i < n; i++) s += g(i) * i; return s; }
P
cat >s.hs <<'P'
module Main where
import Control.Exception
main :: IO ()
main = do
  print (sum [i * 7919 `mod` 1009 | i <- [1 .. 3000 :: Int]])
  r <- try (evaluate (1 `div` (0 :: Int))) :: IO (Either ArithException Int)
  print r
P
cat >s.js <<'P'
const h = {};
for (let i = 1; i <= 3000; i++) h[i % 97] = (h[i % 97] || '') + String.fromCharCode(65 + i % 26);
try { null.x; } catch (e) { console.log(e.constructor.name); }
console.log(JSON.stringify(h).length, require('zlib').gzipSync('abc'.repeat(999)).length);
Promise.all([1, 2, 3].map(async n => n * 2)).then(a => console.log(a.join()));
P
cat >s.html <<'P'
<!doctype html><title>t</title><body><script>
let s = 0; for (let i = 0; i < 3000; i++) s += i * 7919 % 1009;
document.body.append('sum ' + s);
</script>
P
mkdir -p small/src
printf '[package]\nname = "small"\nversion = "0.1.0"\nedition = "2021"\n' >small/Cargo.toml
cat >small/src/main.rs <<'P'
use std::collections::BTreeMap;
fn main() {
    let mut m: BTreeMap<u32, u32> = BTreeMap::new();
    for i in 1..3000u32 { *m.entry(i % 97).or_default() += i; }
    println!("{}", m.values().sum::<u32>());
    println!("{}", std::panic::catch_unwind(|| panic!("oops {}", m.len())).is_err());
}
P
if command -v git >/dev/null && [ ! -d repo ]; then
    git init -q repo
    for file in s.c s.pl s.py text; do
        cp $file repo && git -C repo add $file
        GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z' \
            git -C repo -c user.name=a -c user.email=a commit -q -m "$file"
    done
fi
cc1=$(${CC:-cc} -print-prog-name=cc1)
cc1plus=$(${CC:-cc} -print-prog-name=cc1plus)
cargo=$(rustup which cargo 2>/dev/null || command -v cargo || echo cargo)
rustc=$(rustup which rustc 2>/dev/null || command -v rustc || echo rustc)
${CC:-cc} -g -O1 -c s.c -o s.o
printf 'int f(int);\nint main(void) { return f(7); }\n' >m.c
${CC:-cc} -g m.c s.o -o small.out

# One command a line, in the shell's words; those that are not installed are left out.
cat >all <<P
gzip -c data
bzip2 -c data
xz -c -T1 data
xz -c -T2 data
mawk '{ n[\$2] += \$4 } END { for (k in n) s += n[k]; print s, length(n) }' text
perl s.pl
bash s.sh
lua5.4 s.lua
sqlite3 :memory: '.read s.sql'
/usr/bin/python3 s.py
git --no-pager diff --no-index --stat s.pl s.py
git -C repo --no-pager log -p --stat
git -C repo --no-pager blame text
git -C repo fsck --full
$cc1 -quiet -O2 s.c -o -
$cc1plus -quiet -O1 s.c -o -
cmake --help-command-list
gdb -batch -nx -ex 'print 3*4'
gdb -batch -nx -ex 'break g' -ex run -ex bt ./small.out
sort -k4 text
grep -c 7.*9 text
sed s/line/row/ text
tar cf - --sort=name --mtime=@0 s.c s.py
diff s.pl s.py
find . -name 's.*'
objdump -d $bursty --stop-address=0x4000
ruby s.rb
php s.php
ocamlrun s.byte
node s.js
emacs --batch -Q -l s.el
emacs --batch -Q --eval '(progn (find-file "s.c") (c-mode) (indent-region 1 (point-max)) (princ (buffer-string)))'
octave-cli --norc --eval 'x = 0; for i = 1:2000, x = x + mod(i, 7); end, disp(x)'
octave-cli --norc --eval 'a = magic(9); [q, r] = qr(a); printf("%.3f\n", norm(q * r - a)); try, error("x"); catch e, disp(e.message), end'
ghc -v0 -fforce-recomp -outputdir gho -o gho.out s.hs
/usr/lib/ghc/bin/ghc -B/usr/lib/ghc -v0 -fforce-recomp -outputdir gho -o gho.out s.hs
/usr/lib/ghc/bin/ghc -B/usr/lib/ghc -v0 -e 'sum [1 .. 3000]'
$cargo build --offline -q --manifest-path small/Cargo.toml
$cargo metadata --offline --format-version 1 --manifest-path small/Cargo.toml
$rustc -O small/src/main.rs -o rust.out
/usr/lib/chromium/chromium --headless --no-sandbox --disable-gpu --user-data-dir=chromium --dump-dom s.html
guile -c '(display (let f ((n 20)) (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))))'
sbcl --non-interactive --no-userinit --eval '(print (loop for i below 3000 sum (mod (* i 7919) 1009)))'
swipl -g 'numlist(1,3000,L),sum_list(L,S),print(S),nl,halt'
erl -noshell -eval 'io:format("~p~n",[lists:sum(lists:seq(1,3000))]),halt().'
/usr/lib/R/bin/exec/R --vanilla -s -e 'x <- 0; for (i in 1:3000) x <- x + i %% 7; print(x)'
tcc -run m.c s.c
valgrind -q ./small.out
$cc1plus -quiet -O1 v.cc -o -
gawk '{ n[\$2] += \$4 } END { for (k in n) s += n[k]; print s, length(n) }' text
zstd -c -3 data
jq -n '[range(3000)|.*7919%1009]|sort|.[77]'
m4 -DN=3 s.sh
bc -q s.bc
openssl dgst -sha256 data
nm -D $bursty
readelf -Ws $bursty
awk '{ s += length(\$0) } END { print s }' text
cksum data
tr a-z A-Z
od -A d -t x1 s.sql
expr 7919 '*' 13
seq 1 3000
fold -w 40 text
nl text
uniq -c text
comm s.pl s.py
join s.pl s.pl
/usr/bin/python3 -c 'import re; print(re.sub("a.", "b", "abac" * 99))'
P
echo '2^200; for (i = 0; i < 99; i++) s += i * i; s' >s.bc; echo quit >>s.bc

# A library of octave's would start threads before main, and calls are not recorded then.
OPENBLAS_NUM_THREADS=1
R_HOME=/usr/lib/R
export OPENBLAS_NUM_THREADS R_HOME

passed=0
failed=0
random=$seed
next() { # MAX: a number from 0 to MAX - 1, in $n
    random=$(((random * 1103515245 + 12345) % 2147483648))
    n=$((random / 65536 % $1))
}
one() { # NUMBER OF THE PROGRAM
    eval "set -- $(sed -n "$1p" all)"
    command -v "$1" >/dev/null 2>&1 || return 1
    next 200
    options="--every $((n + 1))"
    next 40
    options="$options --burst $((n + 1))"
    next 8
    options="$options --boring $n"
    next 3
    [ $n = 0 ] && options="$options --ticks 3000"
    next 3
    options="$options --jitter $((n * 20)) --seed $random"
    next 6
    case $n in
    0) options="$options --profile hcct,footprint" ;;
    1) options="$options --profile pairs,streams --all-checks" ;;
    2) options="$options --events blocks" ;;
    3) options=--time ;;
    esac
    next 4 # a debugger may not be followed: docs/limits.md
    [ $n != 0 ] || [ "$1" = gdb ] || options="$options --follow"
    rm -rf gho small/target chromium
    "$@" >plain 2>plain.err <text
    status=$?
    rm -rf gho small/target chromium soak.brst*
    # shellcheck disable=SC2086
    timeout 300 "$bursty" record --quiet $options -o soak.brst -- "$@" >got 2>got.all <text
    got=$?
    LC_ALL=C grep -v '^bursty: ' got.all >got.err   # what is not recorded is said, quiet or not
    case $1 in */chromium) : >plain.err; : >got.err ;; esac # times and processes stand there
    if [ $got = $status ] && cmp -s plain got && cmp -s plain.err got.err; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED status $got for $status: bursty record $options -- $*"
    fi
}
grep -e "$words" all >some && mv some all
count=$(wc -l <all)
while [ "$((passed + failed))" -lt "$runs" ]; do
    next "$count"
    one $((n + 1))
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
