#!/bin/sh
# test_fibers_cpp.sh - the awaiter of bursty.h's manual, in C++20: scopes of a coroutine stay its own
# while it is suspended. And tasks of an RTOS, whose switch hook is docs/firmware.md's.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
out=${BUILD:-build}/tests/fibers_cpp
rm -rf "$out"
mkdir -p "$out" || exit 2
awk '/template <class A> struct on_fiber/ { on = 1 } on { print } on && /^         };/ { exit }' src/bursty/manual.txt >"$out/awaiter.h"
[ "$(wc -l <"$out/awaiter.h")" -gt 9 ]
ok $? "the manual has the awaiter"
cat >"$out/coroutines.cc" <<'END'
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <coroutine>
#include <cstdio>
#include <cstring>
#include "awaiter.h"

struct task {
    struct promise_type {
        bursty_fiber fiber{};
        bursty_fiber *caller = nullptr;
        template <class A> on_fiber<A> wrap(A a) { return {a, &fiber, caller}; }
        task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        auto initial_suspend() { return wrap_first(); }
        auto final_suspend() noexcept { return on_fiber<std::suspend_always>{{}, &fiber, caller}; }
        template <class A> auto await_transform(A a) { return wrap(a); }
        void return_void() {}
        void unhandled_exception() {}
        on_fiber<std::suspend_always> wrap_first() {
            fiber.name = "coroutine";
            return wrap(std::suspend_always{});
        }
    };
    std::coroutine_handle<promise_type> handle;
};

static int wrong;
static const char *outer, *inner;
static void see(void *, const bursty_event *e) {
    if (!(e->kind & BURSTY_USER)) return;
    outer = e->depth ? e->stack[0]->name : "";
    inner = e->depth ? e->stack[e->depth - 1]->name : "";
}
static void expect(const char *o, const char *i) {
    BURST_POINT(BURSTY_USER, "point", 0);
    if (std::strcmp(o, outer) || std::strcmp(i, inner)) wrong++, std::printf("%s %s, wanted %s %s\n", outer, inner, o, i);
}
static task work(const char *name) {
    for (int i = 0; i < 3; i++) {
        BURST_SCOPE("round");
        expect("coroutine", "round");
        co_await std::suspend_always{};
        expect("coroutine", "round");
    }
    expect("coroutine", "coroutine");
    (void)name;
}
int main() {
    bursty_config config = {};
    config.seed = 1;
    config.tick_hz = -1;
    config.profile.every = BURSTY_ALWAYS;
    config.profile.action = see;
    bursty_start(&config);
    task a = work("a"), b = work("b");
    {
        BURST_SCOPE("main");
        while (!a.handle.done() || !b.handle.done()) {
            if (!a.handle.done()) a.handle.resume();
            expect("main", "main");
            if (!b.handle.done()) b.handle.resume();
            expect("main", "main");
        }
    }
    a.handle.destroy();
    b.handle.destroy();
    {
        BURST_SCOPE("main");
        BURST_SCOPE("middle");
        BURST_SCOPE("innermost");
        task c = work("c"); /* destroyed in the middle of its round */
        c.handle.resume();
        const uint32_t depth = bursty_depth();
        c.handle.destroy();
        if (bursty_depth() == depth) wrong++, std::printf("its scopes end elsewhere\n");
        bursty_set_depth(depth);
        expect("main", "innermost");
    }
    return wrong || bursty_depth() != 0;
}
END
if echo 'int main() { return 0; }' >"$out/try.cc" && ${CXX:-c++} -std=c++20 -include coroutine -c -o "$out/try.o" "$out/try.cc" 2>/dev/null; then
    ${CXX:-c++} -std=c++20 -O1 -Wall -Wextra -I. -I"$out" -o "$out/coroutines" "$out/coroutines.cc" ${LDFLAGS-} -pthread >"$out/log" 2>&1 && [ ! -s "$out/log" ]
    ok $? "C++20 without warnings: $(head -5 "$out/log")"
    ${RUN-} "$out/coroutines" >"$out/log" 2>&1
    ok $? "scopes stay with their coroutine: $(head -5 "$out/log")"
else skip "no C++20 with coroutines"; fi

# Fibers that nobody told of: the first thing in a report, and no share has an interval.
cat >"$out/untold.c" <<'END'
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <ucontext.h>
static ucontext_t of_main, of_fiber;
static uint64_t stack[8192];
static void fiber(void) {
    BURST_SCOPE("fiber");
    for (;;) {
        for (volatile int i = 0; i < 20000; i++) { }
        swapcontext(&of_fiber, &of_main);
    }
}
int main(int argc, char **argv) {
    bursty_config config;
    bursty_stats stats;
    memset(&config, 0, sizeof config);
    config.seed = 1;
    config.tick_hz = 1000;
    bursty_start(&config);
    getcontext(&of_fiber);
    of_fiber.uc_stack.ss_sp = stack;
    of_fiber.uc_stack.ss_size = sizeof stack;
    makecontext(&of_fiber, fiber, 0);
    bursty_get_stats(&stats);
    while (stats.no_time == 0 && stats.ticks < 20) {
        swapcontext(&of_main, &of_fiber);
        bursty_get_stats(&stats);
    }
    return argc < 2 || bursty_save(argv[1]) || (stats.no_time ? 3 : 0);
}
END
if echo '#include <features.h>' | ${CC:-cc} -dM -E - 2>/dev/null | grep -q __GLIBC__ && [ -z "${RUN-}" ]; then
    ${CC:-cc} -O0 -I. -o "$out/untold" "$out/untold.c" ${LDFLAGS-} -pthread && "$out/untold" "$out/untold.brst"
    ok $? "fibers of which nobody tells run"
    "${BUILD:-build}/bursty" report "$out/untold.brst" >"$out/log" 2>&1
    sed -n 2p "$out/log" | grep -q '^MISSING: ticks on a stack that bursty was not told of' &&
        grep -q 'bursty_fiber_switch' "$out/log" && grep -q 'have no interval' "$out/log"
    ok $? "the report says it first: $(head -5 "$out/log")"
    "${BUILD:-build}/bursty" merge -o "$out/merged.brst" "$out/untold.brst" 2>"$out/log" &&
        "${BUILD:-build}/bursty" report --json "$out/merged.brst" | grep -q 'not told of'
    ok $? "JSON says it, behind merge, too: $(head -3 "$out/log")"
else skip "no ticks of glibc's threads"; fi
finish
