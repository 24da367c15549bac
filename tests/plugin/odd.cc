// Ways to go round without a loop's word: goto, computed goto, setjmp, switch into a loop, tail calls,
// recursion of three, variadic, variable arrays, names that must be escaped.
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstring>

static jmp_buf there;
extern "C" int plain_c(int n) { return n + 1; }
int strange(int n) __asm__("strange$name");
__attribute__((noinline)) int strange(int n) { return plain_c(n) * 2; }
struct number {
    int n;
    number operator+(const number &o) const { return number{n + o.n + strange(1)}; }
    bool operator<(const number &o) const { return n < o.n; }
    operator int() const { return n; }
};
__attribute__((noinline)) int is_odd(unsigned n);
__attribute__((noinline)) int is_even(unsigned n) { return n ? is_odd(n - 1) : 1; }
int is_odd(unsigned n) { return n ? is_even(n - 1) : 0; }
__attribute__((noinline)) int machine(const char *p) {
    static void *const steps[] = {&&add, &&drop, &&stop};
    int n = 0;
    goto *steps[*p++ - '0'];
add:
    n += strange(n);
    goto *steps[*p++ - '0'];
drop:
    n--;
    goto *steps[*p++ - '0'];
stop:
    return n;
}
__attribute__((noinline)) void copy(char *to, const char *from, int count) {
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}
__attribute__((noinline)) int sum(int count, ...) {
    va_list list;
    int all = 0;
    va_start(list, count);
    while (count-- > 0) all += va_arg(list, int);
    va_end(list);
    return all;
}
__attribute__((noinline)) int jumps(int n) {
    volatile int tries = 0;
    int code = setjmp(there);
    tries++;
    if (code < n) longjmp(there, code + 1);
    return tries;
}
int main() {
    char to[40], from[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    int k = 0;
    memset(to, 0, sizeof to);
    copy(to, from, 30);
again:
    if (strange(k) < 100) {
        k++;
        goto again;
    }
    printf("%d %d %d %s %d %d %d\n", is_even(100000), k, machine("0010102"), to, sum(4, 1, 2, 3, 4),
           jumps(50), (int)(number{1} + number{2}));
}
