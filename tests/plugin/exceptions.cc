// Exceptions through frames with checks: caught at once, far above, thrown again, in destructors'
// frames, in constructors, through noexcept.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

static int destroyed;
struct guard {
    std::string name;
    explicit guard(const char *n) : name(n) {}
    ~guard() { destroyed++; }
};
struct fails {
    guard first;
    guard second;
    explicit fails(int n) : first("first"), second("second") {
        if (n % 2) throw std::invalid_argument("odd");
    }
};

__attribute__((noinline)) int deep(int n, int stop) {
    guard g("deep");
    if (n == stop) throw n;
    return n < 1 ? 0 : deep(n - 1, stop) + 1;
}
__attribute__((noinline)) int again(int n) {
    try {
        return deep(n, n / 2);
    } catch (int &at) {
        at++;
        throw;
    }
}
__attribute__((noinline)) int quiet(int n) noexcept {
    try {
        return again(n);
    } catch (int at) {
        return at;
    }
}
__attribute__((noinline)) int build(int n) {
    try {
        fails f(n);
        return 1;
    } catch (const std::logic_error &e) {
        return (int)std::string(e.what()).size();
    }
}
__attribute__((noinline)) int behind(int n) { return n + destroyed % 2; }

int main(int argc, char **) {
    long sum = 0;
    for (int i = 0; i < 2000; i++) {
        sum += quiet(i % 20) + build(i);
        sum += behind(i);
    }
    printf("%ld %d\n", sum, destroyed);
    fflush(stdout);
    if (argc > 1) std::set_terminate([] {
        puts("terminated");
        exit(5);
    });
    if (argc > 1) deep(9, 3);
    return 0;
}
