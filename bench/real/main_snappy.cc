// main_snappy.cc - compresses a file, takes it apart again and compares.
#include "snappy.h"
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char **argv) {
    std::ifstream file(argc > 1 ? argv[1] : "", std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::string small, again;
    for (int i = 0; i < 4; i++) {
        snappy::Compress(text.data(), text.size(), &small);
        if (!snappy::Uncompress(small.data(), small.size(), &again) || again != text) return 1;
    }
    std::printf("%lu %lu\n", (unsigned long)text.size(), (unsigned long)small.size());
    return 0;
}
