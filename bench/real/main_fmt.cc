// main_fmt.cc - formats numbers and texts in several ways.
#include "fmt/format.h"
#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char **argv) {
    int i, rounds = argc > 1 ? std::atoi(argv[1]) : 1;
    unsigned long size = 0;
    for (i = 0; i < rounds; i++) {
        size += fmt::format("{} {:>8} {:#x} {:08.3f} {}", i, "word", i, i / 3.0, i * 0.1).size();
        size += fmt::format(fmt::runtime("{0:*^{1}}|{2:e}|{3}"), i, 20, i * 1e10, 'c').size();
    }
    std::printf("%lu\n", size);
    return 0;
}
