// ticks_threads.cc - four threads that divide their time differently between three functions. For
// bench/ticks.sh.
#include "ticks_start.h"
#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <vector>

static unsigned next_random(unsigned &state) { return state = state * 1664525u + 1013904223u; }

static int sort_numbers(unsigned &state) {
    BURST_SCOPE("sort_numbers");
    std::vector<unsigned> numbers(3000);
    for (unsigned &n : numbers) n = next_random(state);
    std::sort(numbers.begin(), numbers.end());
    return (int)numbers[17];
}

static int count_words(unsigned &state) {
    BURST_SCOPE("count_words");
    std::map<std::string, int> words;
    for (int i = 0; i < 600; i++) words["word" + std::to_string(next_random(state) >> 24)]++;
    return (int)words.size();
}

static int multiply(unsigned &state) {
    BURST_SCOPE("multiply");
    static thread_local double a[40][40], b[40][40], c[40][40];
    a[1][1] = next_random(state);
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 40; k++)
            for (int j = 0; j < 40; j++) c[i][j] += a[i][k] * b[k][j];
    return (int)c[1][1];
}

static int work(unsigned &state, int number) {
    BURST_SCOPE("work");
    int sum = sort_numbers(state);
    for (int i = 0; i < number; i++) sum += count_words(state);
    for (int i = number; i < 4; i++) sum += multiply(state);
    return sum;
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    static int results[4];
    std::vector<std::thread> threads;
    ticks_bench_start();
    for (int t = 0; t < 4; t++)
        threads.emplace_back([t, rounds] {
            unsigned state = (unsigned)t + 1;
            for (int i = 0; i < rounds; i++) results[t] += work(state, t);
            bursty_thread_end();
        });
    for (std::thread &thread : threads) thread.join();
    return results[0] + results[1] + results[2] + results[3] == 1;
}
