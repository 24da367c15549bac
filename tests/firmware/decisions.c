/* decisions.c - a board with a source of --cover=mcdc: runs it and writes its
   marks. */
#include "board.h"
#include "cc/inside/edges.h"

unsigned valve_all(void);

void board_tick(void) {}

static int to_file(void *user, const void *data, size_t size) {
    return board_write(*(int *)user, data, size);
}

int main(void) {
    int file;
    board_print_number(valve_all());
    board_print("\n");
    file = board_open("board.brst");
    board_equal("a unit", edgeprof_units_count(), 1);
    board_equal("dump", (uint32_t)edgeprof_units_write(to_file, &file), 0);
    board_close(file);
    board_end();
    return 0;
}
