/* x86decode_objdump.c - objdump -d -w --insn-width=15 FILE | x86decode_objdump:
   does the decoder agree with objdump? Prints the first mismatches and a
   closing line; the exit status is 1 if there was one. With the argument
   "sample" it prints the bytes of one instruction for each opcode that it meets:
   that is how tests/x86decode_code.inc was made. */
#include "x86decode_text.inc"

static unsigned char seen[4][7][256][4];

/* Is this the first line with this coding, map, opcode and form of operand? Which form
   memory has is read in one place for all opcodes: beyond the first map all are one. But
   each opcode of EVEX has a scale of its own for displacements of a byte. */
static int is_new(const char *line) {
    unsigned char bytes[16];
    unsigned count = bytes_of(line, bytes, sizeof bytes), form;
    x86decode_insn i;
    if (strstr(line, "(bad)")) return 0;
    if (!count || x86decode(bytes, count, &i) != count || i.map > 6) return 0;
    form = !i.memory ? 0 : i.base == X86DECODE_RIP ? 1 : i.index < 0 ? 2 : 3;
    if (form && i.map && i.coding != X86DECODE_EVEX) form = 1;
    if (seen[i.coding][i.map][i.opcode][form]) return 0;
    return seen[i.coding][i.map][i.opcode][form] = 1;
}

static void print_bytes(const char *line) {
    static unsigned printed;
    unsigned char bytes[16];
    unsigned count = bytes_of(line, bytes, sizeof bytes), n;
    for (n = 0; n < count; n++, printed++)
        printf("%s%02x", printed % 40 ? "" : printed ? "\",\n\"" : "\"", bytes[n]);
}

int main(int argc, char **argv) {
    static char line[4096];
    unsigned long bad = 0;
    int n, sample = argc > 1 && !strcmp(argv[1], "sample");
    while (fgets(line, sizeof line, stdin)) {
        if (sample && is_new(line)) print_bytes(line);
        if (!sample) compare(line);
    }
    if (sample) return puts("\",") == EOF;
    for (n = 0; n < 5; n++) bad += mismatches[n];
    printf("%lu instructions, %lu lines left out; refused %lu, length %lu, kind %lu, target %lu, operand %lu\n",
           instructions, skipped, mismatches[0], mismatches[1], mismatches[2], mismatches[3],
           mismatches[4]);
    return bad != 0 || instructions == 0;
}
