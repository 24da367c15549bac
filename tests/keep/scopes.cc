// scopes.cc - as scopes.c, for C++: exceptions that the program throws run the ends of the scopes
// that they leave, in templates, constructors, destructors, members and lambdas.
#include "whole.h"
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

static uint64_t hash, events;
static void mix(uint64_t v) {
    hash = (hash ^ v) * UINT64_C(0x100000001B3);
    hash ^= hash >> 29;
}
static void mix_text(const char *s) {
    while (*s) mix(static_cast<unsigned char>(*s++));
}

static volatile double spoil;
static void action(void *, const bursty_event *event) {
    const bool is_deep = (event->kind & BURSTY_RETURN) && event->depth >= BURSTY_STACK;
    spoil = spoil * 1.5 + 3;
    events++;
    mix(event->kind);
    mix(event->depth);
    mix(event->weight_256);
    mix_text(is_deep ? "(deep)" : event->site->name);
    for (uint32_t i = 0; i < event->depth && i < BURSTY_STACK; i++)
        mix_text(event->stack[i]->name);
}

#define APART __attribute__((noinline))
static int live;
struct counted {
    counted() { live++; }
    ~counted() { live--; }
};
APART static int may_throw(int n) {
    BURST_SCOPE("may throw");
    counted c;
    if (n % 3 == 0) throw n;
    return n + 1;
}
APART static int between(int n) {
    BURST_SCOPE("between");
    std::string s(static_cast<size_t>(n % 40), 'x');
    return may_throw(n) + static_cast<int>(s.size());
}
template <class T> T twice(T x) {
    BURST_SCOPE("twice");
    return x * 2;
}
struct widget {
    int v;
    explicit widget(int n) : v(n) {
        BURST_SCOPE("widget");
        if (n == 7) throw std::runtime_error("seven");
    }
    ~widget() {
        BURST_SCOPE("~widget");
        v = 0;
    }
    int get() const {
        BURST_SCOPE("get");
        BURST_ENTRY();
        return v;
    }
};
APART static int deep(int n) {
    BURST_SCOPE("deep");
    if (n == 0) throw 1;
    return deep(n - 1) + 1;
}

static uint64_t result;
static void add(int64_t v) { result = result * 31 + static_cast<uint64_t>(v); }
static void work(int n) {
    for (int i = 0; i < n; i++) {
        BURST_SCOPE("work");
        try {
            add(between(i));
        } catch (int code) {
            add(code);
        }
        add(twice(i));
        add(static_cast<int64_t>(twice(i * 0.5)));
        add(static_cast<int64_t>(twice(3.5L)));
        try {
            widget w(i % 9);
            add(w.get());
        } catch (std::exception &) {
            add(5);
        }
        if (i % 20 == 0) {
            try {
                deep(i % 150);
            } catch (int) {
                add(bursty_depth());
            }
        }
        auto sum = [&](int k) {
            BURST_SCOPE("lambda");
            return k + i;
        };
        add(sum(2));
    }
}

int main() {
    static const uint32_t rates[][2] = { { 990, 10 }, { 100, 100 }, { 7, 3 }, { BURSTY_ALWAYS, 0 } };
    for (auto &rate : rates) {
        bursty_config config = bursty_config();
        bursty_stats stats;
        config.profile.every = rate[0];
        config.profile.burst = rate[1];
        config.profile.action = action;
        config.seed = 5;
        config.tick_hz = -1;
        hash = events = result = 0;
        if (!bursty_start(&config)) return 2;
        work(3000);
        bursty_get_stats(&stats);
        std::printf("%u/%u: %016llx depth %u checks %llu events %llu %016llx live %d\n", rate[0],
                    rate[1], static_cast<unsigned long long>(result), bursty_depth(),
                    static_cast<unsigned long long>(stats.checks),
                    static_cast<unsigned long long>(stats.events),
                    static_cast<unsigned long long>(hash), live);
    }
    return live != 0;
}
