/* main_bzip2.c - compresses the first argv[2] bytes of the file argv[1],
   decompresses them again, argv[3] times; prints the compressed size and a
   checksum of the compressed bytes, and fails if what came back differs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bzlib.h"

int main(int argc, char **argv) {
    FILE *file = argc > 3 ? fopen(argv[1], "rb") : NULL;
    if (!file) return fprintf(stderr, "usage: bzip2 FILE BYTES TIMES\n"), 1;
    size_t want = (size_t)atol(argv[2]);
    char *text = malloc(want), *packed = malloc(want + want / 100 + 600), *back = malloc(want + 1);
    if (!text || !packed || !back) return 1;
    unsigned size = (unsigned)fread(text, 1, want, file);
    fclose(file);
    for (int i = 0; i < atoi(argv[3]); i++) {
        unsigned packed_size = size + size / 100 + 600, back_size = size + 1, sum = 0;
        if (BZ2_bzBuffToBuffCompress(packed, &packed_size, text, size, 9, 0, 0) != BZ_OK) return 1;
        if (BZ2_bzBuffToBuffDecompress(back, &back_size, packed, packed_size, 0, 0) != BZ_OK) return 1;
        if (back_size != size || memcmp(back, text, size) != 0) return 1;
        for (unsigned k = 0; k < packed_size; k++) sum = sum * 31 + (unsigned char)packed[k];
        printf("%u bytes to %u, checksum %08x\n", size, packed_size, sum);
    }
    return 0;
}
