#!/bin/sh
# test_cc_cover.sh - bursty cc --cover: a program's output stays, and the counts are what each line and branch did.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder cc_cover
shares_runtime
bursty() { "$build/bursty" "$@"; }

# The figures behind a line are the counts of that line; a ? stands for a line that nothing runs in.
cat >paths.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static int twice(int n) __attribute__((const));
static int twice(int n) { return 2 * n; }                          /* = 4 */
static int kind(int n) {                                           /* = 9 */
    switch (n) {                                                   /* = 9 */
    case 0:
    case 1: return 1;                                              /* = 2 */
    case 2: n++;                                                   /* = 1 */
        __attribute__((fallthrough));
    case 3:
        n += 2;                                                    /* = 2 */
        break;                                                     /* = 2 */
    case 4 ... 5: n = 7; break;                                    /* = 2 */
    }
    return n;                                                      /* = 7 */
}
static int loops(int n) {                                          /* = 2 */
    int i, s = 0;                                                  /* = 2 */
    for (i = 0; i < n; i++) {                                      /* = 14 */
        if (i == 2) continue;                                      /* = 13 */
        if (i == 7)                                                /* = 11 */
            break;                                                 /* = 1 */
        s += i;                                                    /* = 10 */
    }
    while (s > 0)                                                  /* = 12 */
        s -= 3;                                                    /* = 10 */
    do s++;                                                        /* = 7 */
    while (s < 2);                                                 /* = 7 */
    for (;;) {
        if (s++ > 5) goto out;                                     /* = 10 */
    }
out:
    return s;                                                      /* = 2 */
}
static int choose(int a, int b) {                                  /* = 4 */
    int r = a && b ? 1                                             /* = 4 */
                   : a || b ? 2 : 3;
    if (a || (b && r > 2)) r++;                                    /* = 4 */
    else if (!a)                                                   /* = 2 */
        r--;                                                       /* = 2 */
    return r + ({ int k = 0; if (b) k = 1; k; });                  /* = 4 */
}
static int ends(int n) {                                           /* = 2 */
    if ((n & 1)                                                    /* = 2 */
        != 1) return 1;                                            /* = 2 */
    if (!(n > 0                                                    /* = 2 */
          || n < -5)) return 1;                                    /* = 0 */
    return 0;                                                      /* = 2 */
}
static int again(int n) {                                          /* = 1 */
    int s = 0;                                                     /* = 1 */
top:
    if (n-- > 0) { s += n; goto top; }                             /* = 5 */
    return s;                                                      /* = 1 */
}
static int machine(const char *p) {                                /* = 1 */
    static const void *const at[] = {&&add, &&end};
    int s = 0;                                                     /* = 1 */
    goto *at[*p++ - '0'];                                          /* = 1 */
add:
    s++;                                                           /* = 3 */
    goto *at[*p++ - '0'];                                          /* = 3 */
end:
    return s;                                                      /* = 1 */
}
static void never(void) {                                          /* = 0 */
    puts("never");                                                 /* = 0 */
}
int main(int argc, char **argv) {                                  /* = 1 */
    int i, s = 0;                                                  /* = 1 */
    for (i = 0; i < 9; i++) s += kind(i);                          /* = 10 */
    s += twice(1) + twice(1) + twice(1) + twice(1);                /* = 1 */
    s += loops(5) + loops(9) + choose(0, 0) + choose(1, 0);        /* = 1 */
    s += choose(0, 1) + choose(1, 1) + again(4) + machine("0001"); /* = 1 */
    switch (n_of(argc)) { default: s++; }                          /* = 1 */
    printf("%d\n", s + ends(1) + ends(3));                         /* = 1 */
    if (argc > 5) never();                                         /* = 1 */
    (void)argv;                                                    /* = 1 */
    exit(s > 3 ? 0 : 1);                                           /* = 1 */
}
END
sed 's/n_of(argc)/argc/' paths.c >paths.tmp && mv paths.tmp paths.c
if ! $CC -o plain paths.c 2>/dev/null || ! ./plain >plain.out 2>&1; then leave "$CC makes no programs that run here"; fi
case $(uname -s) in Linux) ;; *) leave "not Linux" ;; esac
sed -n 's/.*\/\* = \([0-9]*\) \*\/$/\1/p;t
s/.*/?/p' paths.c | awk '{ print NR, $1 }' | grep -v '?' >wanted.count
awk '{ print $1, ($2 > 0) }' wanted.count >wanted.marks

for form in count count16 count32 bytes bits; do
    for words in "-g -O2 -Wall" "-O0 -std=gnu99 -Wextra -Wno-unused-parameter"; do
        for atomic in '' --atomic; do
            [ "$form$atomic" = bytes--atomic ] && continue
            rm -f coverage.brst left
            # shellcheck disable=SC2086
            bursty cc --cover=$form $atomic --list=left -- $CC $words -o own paths.c >log 2>&1 || fail "$form $words: not compiled"
            [ -s log ] && { fail "$form $words: messages"; head -n 4 log; }
            empty left || { fail "$form: left alone"; cat left; }
            ./own >own.out
            cmp -s plain.out own.out && pass || fail "$form $words $atomic: output"
            bursty report --lcov coverage.brst >lcov || fail "$form: no report"
            case $form in count*) wanted=wanted.count ;; *) wanted=wanted.marks ;; esac
            sed -n 's/^DA:\([0-9]*\),\([0-9]*\)$/\1 \2/p' lcov | sort -n >got
            awk 'FILENAME == "got" { got[$1] = $2; next } got[$1] != $2 { print "line " $1 ": " got[$1] ", wanted " $2; bad = 1 } END { exit bad }' got $wanted && pass ||
                fail "$form $words $atomic: counts"
        done
    done
done
# Runs add up; the name of the file.
./own >/dev/null; BURSTY_COVERAGE=other.brst ./own >/dev/null
[ -f other.brst ] && pass || fail BURSTY_COVERAGE
rm -f coverage.brst
bursty cc --cover -- $CC -o own paths.c && ./own >/dev/null && ./own >/dev/null
bursty report --lcov coverage.brst | grep -q '^DA:4,8$' && pass || fail "two runs do not add up"
# Files of one name in several folders are several files; a header has one name, however it is included.
mkdir -p names/a names/b names/link
ln -sfn ../b names/link/b
printf 'static inline int h(int n) {\n    return n > 3 ? n : 1;\n}\n' >names/a/h.h
echo 'int f(int n) { return n ? 1 : 2; }' >names/a/util.c
printf '#include "../a/h.h"\nint g(int n) { return h(n); }\n' >names/b/util.c
printf '#include "a/h.h"\nint f(int), g(int), k(int);\nint main(void) { return f(1) + g(2) + k(3) + h(4) > 99; }\n' >names/main.c
echo 'int k(int n) { return n + 1; }' >names/b/k.c
echo 'int h2(int n) { return n + 2; }' >names/a/h2.c
(cd names/a && bursty cc --cover -- $CC -c util.c)
(cd names/b && bursty cc --cover -- $CC -MT util.o -MD -MF util.d -c util.c -o util.o)
(cd names && bursty cc --cover -- $CC -ffile-prefix-map="$PWD=/mapped" -c link/../b/k.c -o k.o
 cd a && bursty cc --cover -- $CC -ffile-prefix-map=../a/=given/ -c ../a/h2.c -o ../h2.o; cd ..
 bursty cc --cover -- $CC -o own main.c a/util.o b/util.o k.o h2.o && BURSTY_COVERAGE=../names.brst ./own)
echo "$PWD/names/a/h.h $PWD/names/a/util.c $PWD/names/b/util.c $PWD/names/main.c /mapped/b/k.c given/h2.c" | tr ' ' '\n' | sort >wanted
bursty report --lcov names.brst | sed -n 's/^SF://p' | sort >got
cmp -s wanted got && pass || { fail "names of files"; cat got; }
(cd names && bursty report ../names.brst >../got)
grep -q "^a/h.h " got && grep -q "^main.c " got && grep -q "^/mapped/b/k.c " got && pass || { fail "names from here"; cat got; }
# Marks: those of c tell that a and b held, and that the function was entered.
if command -v nm >/dev/null; then
    echo 'int f(int a, int b, int c) { return a && b && c ? 7 : 9; }' >few.c
    bursty cc --cover=bytes -- $CC -c -o few.o few.c
    nm -S few.o | grep -q '^[0-9a-f]* 0*4 . _*bursty_c_[0-9a-f]*$' && pass || { fail "marks that others tell of"; nm -S few.o; }
else skip "no nm"; fi
# Branches: both outcomes of each operand.
bursty report --lcov coverage.brst | grep "^BRDA:$(grep -n 'int r = a' paths.c | cut -d: -f1)," >got
[ "$(awk -F, '{ s += $4 } END { print NR, s }' got)" = "4 12" ] && pass || { fail "branches of an operand"; cat got; }
# A branch of a block that never ran was not taken 0 times: it was not reached.
printf 'static int never(int n) {\n    return n ? 1 : 2;\n}\nstatic int once(int n) {\n    return n ? 1 : 2;\n}\n' >reached.c
echo 'int main(int argc, char **argv) { (void)argv; return argc > 5 ? never(1) : once(1) - 1; }' >>reached.c
bursty cc --cover -- $CC -o own reached.c && BURSTY_COVERAGE=reached.brst ./own
bursty report --lcov reached.brst | sed -n 's/^BRDA:\([25]\),.*,/\1 /p' | sort >got
printf '2 -\n2 -\n5 0\n5 1\n' | cmp -s - got && pass || { fail "branches that were not reached"; cat got; }
# Another build's data are refused or stand apart, never added.
sed 's/n--/--n/' paths.c >changed.c
bursty cc --cover=count16 -- $CC -o own2 paths.c && ./own2 >/dev/null
bursty report --lcov coverage.brst >lcov && pass || fail "two builds"
mkdir -p later && sed 's/if (argc > 5) never();/if (argc > 5) { never(); }/;s/^static void never/\n&/' paths.c >later/paths.c
cp paths.c first.c; cp later/paths.c paths.c; bursty cc --cover -- $CC -o own2 paths.c && ./own2 >/dev/null; cp first.c paths.c
(cd tmp && bursty report ../coverage.brst) | grep -q 'other versions of functions: 2: counts of several builds' && pass || fail "two builds are not told apart"
# Where the source can be read, only builds of the text that is there are told of.
bursty report coverage.brst >got
grep -q 'functions of other texts of sources' got && ! grep -q 'other versions of functions' got && pass || { fail "the build of another text is told"; cat got; }
# A warning about what is rewritten must not be lost, nor one invented.
cat >warn.c <<'END'
enum e { A, B };
int f(int a, enum e b) { if (a = 1) return 1; switch (b) { case A: return 2; } return 3; }
END
LC_ALL=C $CC -Wall -c -o plain.o warn.c >plain.log 2>&1
LC_ALL=C bursty cc --cover -- $CC -Wall -c -o own.o warn.c >own.log 2>&1
cmp -s plain.log own.log && pass || { fail "warnings"; diff plain.log own.log; }
LC_ALL=C bursty cc --cover=bytes -- $CC -Wall -c -o own.o warn.c >own.log 2>&1
cmp -s plain.log own.log && pass || { fail "warnings, marks"; diff plain.log own.log; }
# Nor one about how a statement is written, which braces and counters hide. Each stands alone: any other message would do.
hidden() { # OPTION TEXT [FORM]
    printf '%b' "int g(int);\n$2" >hidden.c
    LC_ALL=C $CC "$1" -c -o plain.o hidden.c >plain.log 2>&1
    LC_ALL=C bursty cc "${3:---cover}" -- $CC "$1" -c -o own.o hidden.c >own.log 2>&1
    cmp -s plain.log own.log && pass || { fail "$1: $2"; diff plain.log own.log; }
}
hidden -Wempty-body 'int f(int a) { if (a); return 1; }\n'
hidden -Wempty-body 'int f(int a) { while (a);\n { a = g(a); } return a; }\n' --entries=all
hidden -Wall 'int f(int a) { if (a) if (a > 1) g(1); else g(2); return 0; }\n'
hidden -Wall 'int f(int a) {\n    if (a)\n        g(1);\n        g(2);\n    return 0;\n}\n'
hidden -Wall 'int f(int a) { if (a)\n        g(1);\n        g(2);\n    return 0;\n}\n' --entries=all
hidden -Wextra 'int f(int a) {\n switch (a) {\n case 1: g(1);\n default: return 2;\n }\n}\n'
hidden -Wlogical-op 'int f(int a) { if (a && a) return 1; return 2; }\n'
hidden -Wduplicated-cond 'int f(int a) { if (a == 1) return 1; else if (a == 1) return 2; return 3; }\n'
hidden -O1 'enum e { A, B }; int f(enum e a) { switch (a) { case A: return 1; } return 2; }\n'
hidden -w 'int f(int a) { if (a); return 1; }\n'
# A line that a macro of a system header begins is the user's line.
cat >macro.c <<'END'
#include <ctype.h>
#include <errno.h>
int main(int argc, char **argv) {
    errno = 0;
    if (isdigit(argv[0][0]) && tolower(argv[0][0]) == 'c') argc++;
    return errno + argc - 1;
}
END
rm -f coverage.brst
bursty cc --cover=mcdc -- $CC -O1 -o own macro.c && ./own && pass || fail "macros: does not run"
bursty report --lcov coverage.brst | grep -q '^DA:4,1$' && pass || fail "macros: a line is missing"
bursty report --json coverage.brst >json
lacks json '"function":"main"' '"function":"main","line":0' && pass || fail "macros: a decision without a line"
bursty cc --cover=x -- $CC -c paths.c 2>log; [ $? = 2 ] && pass || fail "--cover=x"
# Lines of another file in a function, as those of a grammar, are lines of that file, with their branches.
cat >g.c <<'END'
#include <stdio.h>
static int f(int n) {
    int s = 0;
    switch (n) {
    case 1:
#line 10 "g.y"
        s = 4;
        if (n > 5) s++;
        break;
#line 9 "g.c"
    case 2:
#line 20 "g.y"
        s = 5;
#line 13 "g.c"
        break;
    }
    return s;
}
int main(void) { return f(1) + f(1) - 8 + 0 * printf("%d\n", f(3)); }
END
rm -f coverage.brst
bursty cc --cover -- $CC -w -o own g.c && ./own >/dev/null
bursty report --lcov coverage.brst 2>/dev/null | sed -n 's/^SF:.*\/g/g/p;/^DA:/p;s/^\(BRDA:[0-9]*\),[0-9]*/\1/p' |
    tr '\n' ' ' >got
[ "$(cat got)" = "g.c BRDA:4,0,2 BRDA:4,1,0 BRDA:4,2,1 DA:2,3 DA:3,3 DA:4,3 DA:13,0 DA:15,3 DA:17,1 \
g.y BRDA:11,0,0 BRDA:11,1,2 DA:10,2 DA:11,2 DA:12,2 DA:20,0 " ] && pass || { fail "lines of a grammar"; cat got; }
# Labels that a goto and a computed one lead to, labels of one block, assembly that jumps. The figures
# are gcov's.
cat >jumps.c <<'END'
static int machine(const char *s) {                                /* = 2 */
    static void *const next[] = {&&start, &&digit, &&other, &&end};
    int n = 0;                                                     /* = 2 */
start:
    goto *next[!*s ? 3 : *s <= '9' ? 1 : 2];                       /* = 11 */
digit:
    n += *s++ - '0';                                               /* = 3 */
    goto start;                                                    /* = 3 */
other:
    n += 100;                                                      /* = 7 */
    if (n > 500)                                                   /* = 7 */
        goto end;                                                  /* = 1 */
    s++;                                                           /* = 6 */
    goto *next[0];                                                 /* = 6 */
end:
    return n;                                                      /* = 2 */
}
#define FIND(a, n, x) ({ __label__ found; int i_, r_ = -1; for (i_ = 0; i_ < (n); i_++) \
        if ((a)[i_] == (x)) { r_ = i_; goto found; } found: r_; })
static int find(int x, int y) {                                    /* = 20 */
    static const int a[] = {1, 2, 3, 4};
    int first = FIND(a, 4, x);                                     /* = 90 */
    int second = FIND(a, 4, y);                                    /* = 40 */
    if (first < 0)                                                 /* = 20 */
        return -100;                                               /* = 16 */
    return first + second;                                         /* = 4 */
}
static int local(int n) {                                          /* = 20 */
    __label__ out;
    if (n > 3)                                                     /* = 20 */
        goto out;                                                  /* = 16 */
    n += 10;                                                       /* = 4 */
out:
    return n;                                                      /* = 20 */
}
#if defined(__x86_64__) || defined(__i386__)
static int assembly(int n) {                                       /* = 20 */
    int k = 0;                                                     /* = 20 */
again:
    k++;                                                           /* = 32 */
    __asm__ goto("cmpl $3, %0\n\tjle %l[small]\n\tcmpl $10, %0\n\tjge %l[large]"
                 : : "r"(n) : "cc" : small, large);
    n -= 2;                                                        /* = 12 */
    if (n > 100)                                                   /* = 12 */
        goto large;                                                /* = 0 */
    goto again;                                                    /* = 12 */
small:
    return k;                                                      /* = 10 */
large:
    return -1;                                                     /* = 10 */
}
static int twice(int n) {                                          /* = 20 */
    __asm__ goto("cmpl $3, %0\n\tjle %l[small]" : : "r"(n) : "cc" : small);
    n -= 9;                                                        /* = 16 */
    __asm__ goto("cmpl $3, %0\n\tjle %l[small]" : : "r"(n) : "cc" : small);
    return n;                                                      /* = 7 */
small:
    return 0;                                                      /* = 13 */
}
#else
static int assembly(int n) { return n; }
static int twice(int n) { return n; }
#endif
int main(void) {                                                   /* = 1 */
    int i, s = 0;                                                  /* = 1 */
    for (i = 0; i < 20; i++)                                       /* = 21 */
        s += assembly(i) + twice(i) + local(i) + find(i, 2);       /* = 20 */
    s += machine("12a3") + machine("aaaaaaaa");                    /* = 1 */
    return s == 0;                                                 /* = 1 */
}
END
awk '/ = [0-9]+ \*\/$/ { print NR, $(NF - 1) }' jumps.c >wanted
case $($CC -dM -E - </dev/null) in
*__x86_64__*|*__i386__*) ;;
*) awk '$1 < 37 || $1 > 63' wanted >some && mv some wanted ;;
esac
for words in 'count -O0' 'count -O2' 'bytes -O1' 'mcdc -O0'; do
    rm -f coverage.brst left
    # shellcheck disable=SC2086
    bursty cc --cover=${words% *} --list=left -- $CC -w ${words#* } -o own jumps.c && ./own
    bursty report --lcov coverage.brst 2>said | sed -n 's/^DA:\([0-9]*\),/\1 /p' |
        awk 'NR == FNR { wanted[$1]; next } $1 in wanted' wanted - >got
    # Of two that jump to one label nobody can mark which one did: twice has no bytes.
    case ${words% *} in
    count) [ ! -s left ] && cp got some ;;
    *) for file in got wanted; do awk '$1 < 52 || $1 > 62 { print $1, ($2 > 0) }' $file >$file.marks; done
        cp got.marks some && cp wanted wanted.count && cp wanted.marks wanted ;;
    esac
    cmp -s wanted some && pass || { fail "jumps, $words: $(cat left)"; diff wanted some; }
    case ${words% *} in count) ;; *) mv wanted.count wanted ;; esac
done
# A choice whose value comes from && || ?: or a body has its own ways behind theirs; all of them
# stand on its line. The figures are gcov's, by hand.
cat >choices.c <<'END'
static int same(int x) { return x; }
static int f(int a, int b, int c) {
    int n = 0;
    if ((a ? b : c) > n)                                           /* ways 1 1 2 0 */
        n++;
    if (same(a ? b : c))                                           /* ways 1 1 2 0 */
        n++;
    while ((a ? b : c) > n)                                        /* ways 1 2 1 2 */
        n++;
    n = (a ? b : c) > n ? 1 : 2;                                   /* ways 1 1 0 2 */
    if ((a && b) == c)                                             /* ways 1 1 0 2 1 0 */
        n++;
    if ((a ? b : c) > n && b)                                      /* ways 1 1 1 0 1 1 */
        n++;
    for (; b > (a && c) + n;)                                      /* ways 1 1 0 2 1 0 */
        n++;
    do n += 2; while (((a > b) ? a : b) > n);                      /* ways 0 2 0 2 */
    if (({ int x = a ? b : c; x - 1; }) > n)                       /* ways 1 1 0 2 */
        n++;
    if ((a || b) + (b && c))                                       /* ways 1 1 2 0 1 0 2 0 2 0 */
        n++;
    if (!(a && b == 2))                                            /* ways 1 1 1 0 */
        n++;
    if (__builtin_expect(!!(a || b == 2), 1))                      /* ways 1 1 1 0 */
        n++;
    switch (a ? b : c) {                                           /* ways 1 1 0 1 1 */
    case 1: n++; break;
    case 2: n--;
    }
    return n;
}
int main(void) { return f(1, 2, 3) + f(0, 2, 3) == 0; }
END
grep -n ways choices.c | sed 's/:.*ways \(.*\) .*/ \1/' >wanted
for words in 'count -O0' 'count -O2' 'bytes -O1' 'mcdc -O0'; do
    rm -f coverage.brst
    # shellcheck disable=SC2086
    bursty cc --cover=${words% *} -- $CC -w ${words#* } -o own choices.c && ./own
    bursty report --lcov coverage.brst 2>said | awk -F '[:,]' '/^BRDA/ { ways[$2] = ways[$2] " " $5 }
        END { for (i = 1; i < 30; i++) if (ways[i]) print i ways[i] }' >got
    case ${words% *} in
    count) cp wanted right ;;
    *) sed 's/ [1-9]/ 1/g' wanted >right ;;
    esac
    cmp -s right got && pass || { fail "choices, $words"; diff right got; }
done
# What cannot be counted is left alone, and said.
cat >left.c <<'END'
int g(int *p, int *q, int a) { return *(p ?: (a && q) ? p : q); }
int main(void) { return 0; }
END
bursty cc --cover --list=left -- $CC -w -o own left.c && ./own && pass || fail "left alone: does not run"
grep -q 'g: left alone: elvis' left && pass || fail "left alone: elvis"
# What is extern inline to GNU C is code only where it is inlined.
cat >copies.c <<'END'
extern inline __attribute__((gnu_inline)) int copy(int n) { return n > 5 ? 7 : n; }
int main(int argc, char **argv) { (void)argv; return copy(argc) == 9; }
END
echo 'int copy(int n) { return n; }' >copied.c
rm -f coverage.brst left
bursty cc --cover --list=left -- $CC -O2 copies.c copied.c -o own && ./own && pass || fail 'extern inline'
grep -q 'copies.c:1: copy: left alone' left && pass || fail 'extern inline: the list'
bursty report --fail-under 10 coverage.brst >said 2>&1
[ $? = 3 ] && grep -q 'copy of .*not measured\|not measured, as copy of' said && pass || fail 'extern inline: a gate'
rm -f left
bursty cc --cover --list=left --not=copy -- $CC copies.c copied.c -o own && [ ! -s left ] && pass ||
    fail 'extern inline: nobody asked for it'
# Filters by name hold for counters, too.
printf 'static int one(void) { return 1; }\nstatic int two(void) { return 2; }\nint main(void) { return one() + two() - 3; }\n' >two.c
for filter in --not=two --only='[om]*' '--only=one --only=main'; do
    case $filter in *'['*) wanted= ;; *) wanted='main one ' ;; esac
    rm -f coverage.brst
    # shellcheck disable=SC2086
    bursty cc --cover $filter -- $CC -o own two.c && ./own
    got=$([ -f coverage.brst ] && bursty report --lcov coverage.brst | sed -n 's/^FN:.*,//p' | sort | tr '\n' ' ')
    [ "$got" = "$wanted" ] && pass || fail "$filter: $got"
done
# On x86 a counter costs one instruction, without optimisation and in a loop, whichever syntax the
# assembly has; and it counts what C would.
cat >back.c <<'END'
#include <stdio.h>
static unsigned back(const char *p, const char *low, int c) {
    const char *s = p;
    while (p > low) {
        if (p[-1] != c) break;
        p--;                                                       /* = 39 */
    }
    return (unsigned)(s - p);                                      /* = 2 */
}
int main(void) {
    char t[50];
    int i;
    for (i = 0; i < 50; i++) t[i] = i < 20 ? 'a' : 'b';
    printf("%u %u\n", back(t + 50, t, 'b'), back(t + 20, t + 11, 'a'));
    return 0;
}
END
case $($CC -dM -E - </dev/null | grep -c -e '__x86_64__ 1' -e '__SIZEOF_POINTER__ 8') in
2) syntaxes='-O0 -O2 -O2,-masm=intel' ;;
*) syntaxes= ;;
esac
for syntax in $syntaxes; do
    option=$(echo "$syntax" | tr , ' ')
    for form in count count16 count32 bits; do
        rm -f coverage.brst left
        bursty cc --cover=$form --list=left -- $CC -w $option -o own back.c && ./own >/dev/null
        got=$(bursty report --lcov coverage.brst | sed -n 's/^DA:\(6\|8\),//p' | tr '\n' ' ')
        case $form in bits) wanted='1 1 ' ;; *) wanted='39 2 ' ;; esac
        [ "$got" = "$wanted" ] && empty left && pass || { fail "$option $form in place: $got"; cat left; }
    done
    # Nothing but these instructions names a counter: none is loaded or stored. Threads may share
    # those that lock it.
    for form in count count16 bits 'count --atomic' 'bits --atomic'; do
        # shellcheck disable=SC2086
        bursty cc --cover=$form -- $CC -w $option -c -o back.o back.c
        objdump -dr --no-show-raw-insn back.o |
            awk '/R_X86_64.*bursty_c_/ { print before; next } { before = $0 }' >named
        case $form in
        # clang reads, and tries to exchange, what is not optimized.
        *--atomic) grep -v -e '[[:space:]]lock ' -e '[[:space:]]mov  *0x0(%rip),%[a-d]l' named >other ;;
        bits) grep -v '[[:space:]]\(or\|lea\)' named >other ;;
        *) grep -v '[[:space:]]add' named >other ;;
        esac
        [ "$(grep -c : named)" -gt 3 ] && [ ! -s other ] && pass ||
            { fail "$option $form: a counter takes more than one instruction"; cat other; }
    done
done
# What asks for threads asks for counters that they may share.
for words in -pthread -fopenmp; do
    $CC $words -c -o back.o back.c 2>/dev/null || continue
    bursty cc --cover -- $CC $words -c -o back.o back.c && mv back.o plain.o
    bursty cc --cover --atomic -- $CC $words -c -o back.o back.c
    cmp -s plain.o back.o && pass || fail "$words: threads lose counts"
done
bursty cc --cover -- $CC -c -o back.o back.c
cmp -s plain.o back.o && fail "without threads a counter is locked" || pass
# Loops that count in a variable: whatever ends a round, and however two loops share a line.
cat >counted.c <<'END'
#include <stdio.h>
#include <string.h>
static int a[64], hits;
static void fill(int n, int value) {                               /* = 3 */
    int i;
    for (i = 0; i < n; i++)                                        /* = 76 */
        a[i] = value;                                              /* = 73 */
}
static int skip(int n) {                                           /* = 2 */
    int i, s = 0;                                                  /* = 2 */
    for (i = 0; i < n; i += 2) {                                   /* = 12 */
        if (i == 4) continue;                                      /* = 10 */
        s += a[i];                                                 /* = 8 */
    }
    while (n--)                                                    /* = 22 */
        if (n & 1)                                                 /* = 20 */
            continue;                                              /* = 10 */
        else
            s++;                                                   /* = 10 */
    do
        s--;                                                       /* = 6 */
    while (++n < 2);                                               /* = 6 */
    return s;                                                      /* = 2 */
}
static int nest(int n) {                                           /* = 1 */
    int i, j, k, s = 0;                                            /* = 1 */
    for (i = 0; i < n; ++i) {                                      /* = 6 */
        for (j = i; j > 0; --j) {                                  /* = 15 */
            switch (j) {                                           /* = 10 */
            case 2: continue;                                      /* = 3 */
            case 3: break;                                         /* = 2 */
            default: s++;                                          /* = 5 */
            }
            memset(a, 0, sizeof a[0]);                             /* = 7 */
        }
        for (k = 0; k < 3; k++) if (k == i) break;                 /* = 14 */
    }
    return s;                                                      /* = 1 */
}
static int leaves(int n) {                                         /* = 3 */
    int i, s = 0;                                                  /* = 3 */
    for (i = 0; i < n; i++) {                                      /* = 10 */
        if (i == 3) goto out;                                      /* = 9 */
        if (i == 2 && n == 3) return 1;                            /* = 8 */
        s += i;                                                    /* = 7 */
    }
out:
    if (n > 60)                                                    /* = 2 */
here:
        for (i = 0; i < 2; i++) s++;                               /* = 6 */
    else for (i = 0; i < 2; i++) s--;                              /* = 3 */
    if (s < 0) goto here;                                          /* = 3 */
    return s;                                                      /* = 2 */
}
static int find(int n) {                                           /* = 2 */
    int i;
    for (i = 0; i < 64; i++)                                       /* = 9 */
        if (i == n) return i;                                      /* = 9 */
    return -1;                                                     /* = 0 */
}
static void clear(int n) {                                         /* = 1 */
    while (n-- > 0)                                                /* = 6 */
        a[n] = 0;                                                  /* = 5 */
}
static void idle(int n) {                                          /* = 1 */
    for (n++; n < 1; n++)                                          /* = 1 */
        a[n] = 0;                                                  /* = 0 */
}
static int device(int n, int next) {                               /* = 1 */
    int s = 0;                                                     /* = 1 */
    for (;;) {
        switch (n & 3) {                                           /* = 2 */
        case 0: do { s++;                                          /* = 3 */
        case 3:      s++;                                          /* = 3 */
        case 2:      s++;                                          /* = 4 */
                } while ((n -= 4) > 0);                            /* = 4 */
        }
        if (!next) return s;                                       /* = 2 */
        n = next;                                                  /* = 1 */
        next = 0;                                                  /* = 1 */
    }
}
int main(int argc, char **argv) {                                  /* = 1 */
    int i, n = argc + 6;                                           /* = 1 */
    fill(64, n);                                                   /* = 1 */
    fill(9, n);                                                    /* = 1 */
    fill(0, n);                                                    /* = 1 */
    clear(5);                                                      /* = 1 */
    idle(0);                                                       /* = 1 */
    hits = skip(10) + skip(10) + nest(5) + find(3) + find(4);      /* = 1 */
    hits += leaves(2) + leaves(3) + leaves(64) + device(8, 6);     /* = 1 */
    for (i = 0; i < 3; i++)                                        /* = 4 */
        printf("%d %s\n", hits + i, argv[0] ? "" : "-");           /* = 3 */
    return 0;                                                      /* = 1 */
}
END
sed -n 's/.*\/\* = \([0-9]*\) \*\/$/\1/p;t
s/.*/?/p' counted.c | awk '{ print NR, $1 }' | grep -v '?' >wanted.count
awk '{ print $1, ($2 > 0) }' wanted.count >wanted.marks
$CC -o plain counted.c && ./plain >plain.out
for words in 'count -O0' 'count -O1' 'count -O2 -ftree-vectorize' 'count -O2 --atomic' 'count16 -O2' 'bytes -O1' 'bytes -O2' \
    'bits -O2' 'bits -O2 --atomic' 'mcdc -O2'; do
    # shellcheck disable=SC2086
    set -- $words
    form=$1
    shift
    option=
    case $words in *--atomic) option=--atomic; set -- "$1" ;; esac
    rm -f coverage.brst
    # shellcheck disable=SC2086
    bursty cc --cover="$form" $option -- $CC "$@" -o own counted.c && ./own >own.out
    sed 's/ .*//' plain.out >first; sed 's/ .*//' own.out | cmp -s first - && pass || fail "loops, $words: output"
    bursty report --lcov coverage.brst | sed -n 's/^DA:\([0-9]*\),\([0-9]*\)$/\1 \2/p' | sort -n >got
    case $form in count*) wanted=wanted.count ;; *) wanted=wanted.marks ;; esac
    awk 'FILENAME == "got" { got[$1] = $2; next } got[$1] != $2 { print "line " $1 ": " got[$1] ", wanted " $2; bad = 1 } END { exit bad }' got $wanted && pass ||
        fail "loops, $words: counts"
done
# The counter of such a loop stands behind it, and a pragma in front of a loop stays there.
printf 'int a[64];\nvoid fill(int n) { int i; for (i = 0; i < n; i++) a[i] = n; }\n' >fill.c
bursty cc --cover -- $CC -O2 -c -o fill.o fill.c
if objdump -f fill.o 2>/dev/null | grep -q x86-64; then
    objdump -d --no-show-raw-insn fill.o | grep -q 'add *%r' && pass || { fail "a loop counts each round"; objdump -d fill.o; }
fi
printf 'int a[64];\nvoid fill(int n) {\n    int i;\n#pragma GCC ivdep\n    for (i = 0; i < n; i++) a[i] = n;\n}\n' >pragma.c
bursty cc --cover=bytes --list=left -- $CC -O2 -c -o pragma.o pragma.c >log 2>&1
[ -f pragma.o ] && empty log && ! grep -q pragma.c left && pass || { fail "a loop behind a pragma"; cat log left; }

# ---- a run's counts as weights: other counters, and the same counts come out
cat >trained.c <<'END'
static int odd(int n) {
    int s = 0;
    if (n % 100) s = n;
    else s = -n;
    return s;
}
static int rare(int n) {
    int s = 0;
    if (n % 100 == 0) s = n;
    else s = -n;
    return s;
}
int main(void) {
    int i, s = 0;
    for (i = 0; i < 1000; i++) s += odd(i) + rare(i);
    return s != 0;
}
END
lines_of() { bursty report --lcov "$@" 2>/dev/null | grep -e ^DA -e ^BRDA; } # FILE...
rm -f coverage.brst
bursty cc --cover --plan=none.yet -- $CC -o first trained.c && ./first && lines_of coverage.brst ./first >wanted
mv coverage.brst training.brst
bursty cc --cover --plan=training.brst -- $CC -o second trained.c && ./second && lines_of coverage.brst ./second >got
[ -s wanted ] && cmp -s wanted got
ok $? "another plan has other counts"
unlike training.brst coverage.brst
ok $? "the plan is the same"
bursty cc --cover --plan=trained.c -- $CC -o third trained.c 2>log
[ $? = 2 ] && [ "$(wc -l <log)" = 1 ]
ok $? "--plan=trained.c: $(cat log)"
finish
