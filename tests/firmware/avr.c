/* avr.c - ATmega1284P (simavr): text over the UART, timer 0 as the second
   context, timer 1 as cycle counter. Sleeping with interrupts off ends simavr;
   there is no exit status, the closing line carries the result. */
#include "board.h"
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

void board_print(const char *text) {
    while (*text) {
        while (!(UCSR0A & (1 << UDRE0))) {}
        UDR0 = (uint8_t)*text++;
    }
}

void board_exit(int status) {
    if (status) board_print("FAILED\n");
    while (!(UCSR0A & (1 << UDRE0))) {}
    cli();
    sleep_enable();
    for (;;) sleep_cpu();
}

int  board_open(const char *path) {
    (void)path;
    return -1;
}
int  board_write(int file, const void *data, size_t size) {
    (void)file;
    (void)data;
    (void)size;
    return 1;
}
void board_close(int file) { (void)file; }

ISR(TIMER0_COMPA_vect) { board_tick(); }

void board_timer(int on) {
    TCCR0A = 1 << WGM01;                        /* clear on compare match */
    OCR0A = 125;                                /* every 126 * 8 cycles   */
    TIMSK0 = on ? 1 << OCIE0A : 0;
    TCCR0B = on ? 1 << CS01 : 0;
    if (on) sei(); else cli();
}

/* 16 bits wide: only for short stretches. */
uint32_t board_cycles(void) {
    TCCR1B = 1 << CS10;
    return TCNT1;
}
