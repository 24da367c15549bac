// throws.cc - exceptions, cleanups, pthread_exit and cancellation through calls
// whose return is to be told, for tests/test_binpatch.sh.
#include "binpatch.h"
#include <pthread.h>
#include <stdio.h>
#include <string>
#include <unistd.h>

static uint64_t memory[4096];
static int told, returned, cleaned;
static void entered(void *, const binpatch_call *) { told++; }
static void left(void *, const binpatch_call *) { returned++; }

struct cleanup {
    ~cleanup() { cleaned++; }
};
typedef int work(int);
static int thrower(int n);
static int catches_within(int n);
static int ends_thread(int n);
static int jumps_to(int n);
static work *volatile call_thrower = thrower;
static work *volatile call_catches = catches_within;
static work *volatile call_ends = ends_thread;
static work *volatile call_jumps = jumps_to;

__attribute__((noinline)) static int thrower(int n) {
    cleanup c;
    std::string s(100, 'x');
    if (n == 0) throw std::string("thrown");
    return call_thrower(n - 1) + (int)s.size();
}
__attribute__((noinline)) static int catches_within(int n) {
    try {
        return call_thrower(n);
    } catch (const std::string &s) {
        return (int)s.size();
    }
}
__attribute__((noinline)) static int jumps_to(int n) { return call_thrower(n); }
__attribute__((noinline)) static int ends_thread(int n) {
    cleanup c;
    if (n == 0) {
        pthread_exit(nullptr);
    }
    return call_ends(n - 1) + 1;
}
static void *thread(void *) {
    cleanup c;
    call_ends(5);
    return nullptr;
}
static void *canceled(void *) {
    cleanup c;
    for (;;) usleep(1000);
    return nullptr;
}
static int bad;
static void want(int got, int wanted, const char *what) {
    if (got == wanted) return;
    printf("%s: %d, wanted %d\n", what, got, wanted);
    bad = 1;
}

int main() {
    binpatch_config config = binpatch_config();
    config.returns = 64;
    if (!binpatch_init(memory, sizeof memory, &config)) return 2;
    work *const all[] = {call_thrower, call_catches, call_ends, call_jumps};
    for (work *f : all) {
        binpatch_watch w = binpatch_watch();
        w.function = (uintptr_t)f;
        w.entered = entered;
        w.returned = left;
        int hook = binpatch_hook(&w);
        if (hook < 0) printf("refused: %s\n", binpatch_reason_text(hook));
        want(hook >= 0, 1, "hooked");
    }
    for (int n = 0; n < 100; n++) {
        int caught = 0;
        told = returned = cleaned = 0;
        try {
            call_thrower(9);
        } catch (const std::string &s) {
            caught = s == "thrown";
        }
        want(caught, 1, "caught");
        want(told, 10, "told");
        want(returned, 0, "returned");
        want(cleaned, 10, "cleaned");
        want(call_catches(3), 6, "caught within");
        want(told, 15, "told within");
        want(returned, 1, "returned within");
        try {
            call_jumps(2);
        } catch (const std::string &) {
            caught = 2;
        }
        want(caught, 2, "caught behind a jump");
    }
    for (int n = 0; n < 20; n++) {
        pthread_t t;
        cleaned = 0;
        if (pthread_create(&t, nullptr, thread, nullptr) || pthread_join(t, nullptr)) return 2;
        want(cleaned, 7, "cleaned when a thread ends");
    }
    pthread_t t;
    if (pthread_create(&t, nullptr, canceled, nullptr) || pthread_cancel(t)
        || pthread_join(t, nullptr)) {
        return 2;
    }
    binpatch_stats s;
    binpatch_get_stats(&s);
    want((int)s.missed, 0, "missed");
    printf("exceptions go through\n");
    return bad;
}
