/* endings.cc HOW - ends in that way, behind some work. test_record_guest.sh
   wants the same status and the same last words when it is recorded. */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <exception>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdexcept>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline))

static volatile int zero;
APART static int leaf(int n) { return n * 3 + 1 + zero; }
APART static int work(int n) {
    int sum = 0;
    while (n-- > 0) sum += leaf(n);
    return sum;
}

APART static void throws(int depth) {
    if (work(10) == zero) return;
    if (depth == 0) throw std::runtime_error("thrown");
    throws(depth - 1);
    work(1);
}

static void caught_first() {
    for (int n = 0; n < 50; n++) {
        try { throws(n % 7); } catch (std::exception &) { work(2); }
    }
}

static void says_so() noexcept {
    fprintf(stderr, "terminated: %d\n", std::current_exception() != nullptr);
    abort();
}

struct ends_by_throw {
    ~ends_by_throw() noexcept(false) { throw 7; }
};

APART static void never_throws() noexcept { throws(3); }

static char stack_of_handler[65536];
static void overflown(int) {
    static const char text[] = "the stack is full\n";
    if (write(2, text, sizeof text - 1) < 0) _exit(1);
    _exit(9);
}
APART static int deeper(int n) {
    volatile char room[512];
    if (n < zero) return 0;
    room[0] = (char)n;
    return deeper(n + 1) + leaf(room[0]);
}

static void leaves(int) { _exit(work(5) == zero ? 1 : 3); }

static void *cancelled(void *) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    for (;;) work(100);
    return nullptr;
}
struct guard {
    ~guard() { puts("unwound"); }
};
static void *cancelled_in_call(void *) {
    guard g;
    for (;;) { work(100); usleep(1); }
    return nullptr;
}
static void *exits_with_frames(void *) {
    guard g;
    work(200);
    pthread_exit((void *)&zero);
}
static void *throws_in_thread(void *) {
    throws(2);
    return nullptr;
}

static int ends(const char *how, char **arguments) {
    pthread_t t;
    void *result;
    if (!strcmp(how, "returns")) return 5;
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "assert")) assert(zero == 1);
    if (!strcmp(how, "terminate")) std::terminate();
    if (!strcmp(how, "handler")) { std::set_terminate(says_so); throws(3); }
    if (!strcmp(how, "uncaught")) throws(5);
    if (!strcmp(how, "number")) throw 42;
    if (!strcmp(how, "noexcept")) never_throws();
    if (!strcmp(how, "destructor")) try { ends_by_throw a; throws(2); } catch (...) { }
    if (!strcmp(how, "rethrow")) try { throws(2); } catch (...) { throw; }
    if (!strcmp(how, "nested"))
        try { try { throws(2); } catch (...) { std::throw_with_nested(std::logic_error("outer")); } }
        catch (std::logic_error &e) { puts(e.what()); throw; }
    if (!strcmp(how, "thread")) {
        pthread_create(&t, nullptr, throws_in_thread, nullptr);
        pthread_join(t, nullptr);
    }
    if (!strcmp(how, "at-exit")) {
        atexit([] { throws(1); });
        exit(4);
    }
    if (!strcmp(how, "overflow")) {
        stack_t s = {};
        struct sigaction a = {};
        struct rlimit small = {1 << 20, 1 << 20};
        s.ss_sp = stack_of_handler;
        s.ss_size = sizeof stack_of_handler;
        a.sa_handler = overflown;
        a.sa_flags = SA_ONSTACK;
        setrlimit(RLIMIT_STACK, &small);
        sigaltstack(&s, nullptr);
        sigaction(SIGSEGV, &a, nullptr);
        return deeper(0);
    }
    if (!strcmp(how, "cancel") || !strcmp(how, "cancel-in-call")) {
        pthread_create(&t, nullptr, how[6] ? cancelled_in_call : cancelled, nullptr);
        usleep(20000);
        pthread_cancel(t);
        pthread_join(t, &result);
        printf("cancelled: %d\n", result == PTHREAD_CANCELED);
        return 6;
    }
    if (!strcmp(how, "thread-exit")) {
        pthread_create(&t, nullptr, exits_with_frames, nullptr);
        pthread_join(t, &result);
        printf("its result: %d\n", result == (void *)&zero);
        pthread_exit(nullptr);
    }
    if (!strcmp(how, "quick-exit")) {
        at_quick_exit([] { fputs("quick\n", stderr); });
        quick_exit(7);
    }
    if (!strcmp(how, "exit-in-handler")) {
        signal(SIGALRM, leaves);
        ualarm(5000, 0);
        for (;;) work(100);
    }
    if (!strcmp(how, "exec-fails")) {
        char *nothing[] = {arguments[0], nullptr};
        execv("/nonexistent/program", nothing);
        perror("execv");
        work(100);
        return 8;
    }
    if (!strcmp(how, "killed")) raise(SIGKILL);
    if (!strcmp(how, "segv")) *(volatile int *)(size_t)zero = 1;
    if (!strcmp(how, "term")) raise(SIGTERM);
    if (!strcmp(how, "child")) {
        int status;
        pid_t child = fork();
        if (child == 0) throws(1);
        if (waitpid(child, &status, 0) == child) printf("its end: %x\n", status);
        return 2;
    }
    return 77;
}

int main(int count, char **arguments) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (count < 2) return 77;
    caught_first();
    work(3000);
    printf("worked\n");
    fflush(stdout);
    return ends(arguments[1], arguments);
}
