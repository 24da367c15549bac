/* board.h - what the firmware programs need from a board: text, an exit status,
   a file on the host and a timer interrupt. cortexm.c, rv32.c and avr.c
   implement it. There is no libc here but on AVR, whose avr-libc brings the
   vectors. */
#ifndef BOARD_H
#define BOARD_H
#include <stddef.h>
#include <stdint.h>

int  main(void);
void board_print(const char *text);
void board_exit(int status); /* ends the emulator; does not return */
int  board_open(const char *path); /* a file on the host, to write; -1: there is none */
int  board_write(int file, const void *data, size_t size); /* 0: all of it was written */
void board_close(int file);
void board_timer(int on); /* the timer interrupt then calls board_tick, which is the program's */
void board_tick(void);
uint32_t board_cycles(void); /* a free-running counter; always 0 where there is none */

static int board_passed, board_failed;

static inline void board_print_number(uint32_t number) {
    char text[11], *p = text + 10;
    *p = 0;
    do *--p = (char)('0' + number % 10u); while ((number /= 10u) != 0);
    board_print(p);
}

/* got and wanted are printed either way: on a board the numbers are the
   report. */
static inline void board_equal(const char *what, uint32_t got, uint32_t wanted) {
    board_print(got == wanted ? "    " : "    FAILED ");
    board_print(what);
    board_print(": ");
    board_print_number(got);
    if (got != wanted) board_print(", wanted "), board_print_number(wanted);
    board_print("\n");
    if (got == wanted) board_passed++; else board_failed++;
}

/* The last call of main. */
static inline void board_end(void) {
    board_print_number((uint32_t)board_passed);
    board_print(" passed, ");
    board_print_number((uint32_t)board_failed);
    board_print(" failed\n");
    board_exit(board_failed != 0);
}
#endif
