/* isr.h - the interrupt's context: isr.c. */
#ifndef ISR_H
#define ISR_H
#include <stdint.h>

enum { ISR_CHECKS = 3 };                        /* checks per interrupt */
extern volatile uint32_t isr_ticks, isr_events, isr_value_sum;
void isr_start(uint32_t every, uint32_t burst);
#endif
