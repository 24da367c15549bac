// What runs in front of main and behind it, and threads.
#include <atomic>
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <vector>

__attribute__((noinline)) int early(int n) { return n < 2 ? n : early(n - 1) + early(n - 2); }
static int at_start = early(12);
static std::map<std::string, int> table = [] {
    std::map<std::string, int> m;
    for (int i = 0; i < 100; i++) m[std::to_string(i)] = i;
    return m;
}();
__attribute__((noinline)) int late(int n) { return n ? late(n - 1) + 1 : 0; }
struct at_end {
    ~at_end() { printf("end %d\n", late(30)); }
} end;
static thread_local int mine;
static std::atomic<long> total;

__attribute__((noinline)) long work(long n) {
    long sum = 0;
    for (long i = 0; i < n; i++) {
        mine++;
        sum += early((int)(i % 6));
    }
    return sum;
}
static int &once() {
    static int value = early(8);
    return value;
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) threads.emplace_back([i] {
        total += work(1000 + i) + mine + once();
    });
    for (auto &t : threads) t.join();
    printf("%d %zu %ld\n", at_start, table.size(), total.load());
}
