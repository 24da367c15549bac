/* edges.c - edgeprof.h on a board: the parser of examples/parser runs its unit
   tests and writes LCOV, CSV and a dump without a C library. run.sh compares
   them with what the same tests write on the host. */
#include "../../cc/inside/edges.c"
#include "../../examples/parser/parser.c"
#include "board.h"

EDGEPROF_UNIT(EP_REF(parse_number), EP_REF(parse_factor), EP_REF(parse_product), EP_REF(parse_sum));

static uint64_t memory[200];

void board_tick(void) {}

static int to_file(void *user, const void *data, size_t size) {
    return board_write(*(int *)user, data, size);
}

static uint32_t evaluate(const char *text) {
    long value = 0;
    return parser_evaluate(text, &value) == 0 ? (uint32_t)value : UINT32_MAX;
}

int main(void) {
    static const edgeprof_function *const all[] = {
        EP_REF(parse_number),
        EP_REF(parse_factor),
        EP_REF(parse_product),
        EP_REF(parse_sum),
    };
    int file;
    board_equal("memory is enough", edgeprof_bytes(all, 4) <= sizeof memory, 1);
    board_equal("1+2*3", evaluate("1+2*3"), 7);
    board_equal("2*(3-4)*-5", evaluate("2*(3-4)*-5"), 10);
    board_equal("((((7))))", evaluate("((((7))))"), 7);
    board_equal("1/0", evaluate("1/0"), UINT32_MAX);
    board_equal("100/7/2", evaluate("100/7/2"), 7);
    board_equal("+", evaluate("+"), UINT32_MAX);
    file = board_open("edges.info");
    board_equal("LCOV",
                (uint32_t)edgeprof_write_lcov(all, 4, memory, sizeof memory, to_file, &file), 0);
    board_close(file);
    file = board_open("edges.brst");
    board_equal("units found in their section", edgeprof_units_count(), 1);
    board_equal("dump", (uint32_t)edgeprof_units_write(to_file, &file), 0);
    board_close(file);
    board_end();
    return 0;
}
