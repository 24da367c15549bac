/* walk.c - LINES ROUNDS [BIG [m]]: goes through a block of memory of so many
   lines, ROUNDS times; with BIG, one round in four, at random, goes through BIG
   lines instead. The block comes from malloc, with a fourth word from mmap. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

__attribute__((noinline)) static unsigned walk(volatile unsigned char *p, unsigned lines) {
    unsigned i, sum = 0;
    for (i = 0; i < lines; i++) sum += p[(size_t)i * 64]++;
    return sum;
}

int main(int argc, char **argv) {
    unsigned lines = (unsigned)atoi(argv[1]), rounds = (unsigned)atoi(argv[2]), sum = 0;
    unsigned big = argc > 3 ? (unsigned)atoi(argv[3]) : lines;
    size_t bytes = (size_t)(big > lines ? big : lines) * 64;
    uint64_t x = 1;
    unsigned char *p;
    if (argc > 4)
        p = (unsigned char *)mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    else p = (unsigned char *)malloc(bytes);
    while (rounds--) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += walk(p, argc > 3 && x >> 40 & 3 ? lines : big);
    }
    printf("%u\n", sum);
    return 0;
}
