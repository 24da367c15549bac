/* rtt.h - bytes for a debug probe, which reads them out of the memory of a running program. The
   layout is that of SEGGER's Real Time Transfer, which J-Link, OpenOCD, probe-rs and pyOCD read.
   An example for docs/firmware.md; a project that has RTT already calls its own writer.

       struct in RAM           who writes it
       "SEGGER RTT"            rtt_start; a probe searches the RAM for these 16 bytes
       1 buffer up, 0 down     rtt_start
       name                    rtt_start; a text
       bytes  ---> ring        the program
       size                    rtt_start
       written                 the program alone: where its next byte goes
       read                    the probe alone: where its next byte comes from
       flags = 2               rtt_start; when the ring is full, the program waits

   The bytes from `read` to `written`, around the end of the ring, are the probe's, and the others
   are the program's. written == read says that the ring is empty, so one byte always stays free.
   Each side stores its own offset last, and needs no lock. One context may send: what interrupts
   it may not. Cost: a store and a comparison for each byte, and the time that the probe needs. */
#ifndef BOARD_RTT_H
#define BOARD_RTT_H
#include <stddef.h>
#include <stdint.h>

#ifndef RTT_BYTES
#define RTT_BYTES 256           /* of the ring; a dump may be larger */
#endif
#ifndef RTT_PATIENCE
#define RTT_PATIENCE 10000000u  /* looks at a full ring, before nobody is taken to read it */
#endif

typedef struct rtt_ring {
    const char *name;
    unsigned char *bytes;
    uint32_t size;
    volatile uint32_t written, read;
    uint32_t flags;
} rtt_ring;

typedef struct rtt_block {
    volatile char id[16];
    uint32_t up_count, down_count;
    rtt_ring up;
} rtt_block;

static rtt_block rtt;
static unsigned char rtt_bytes[RTT_BYTES];

#define RTT_BARRIER() __asm__ volatile("dmb" ::: "memory")

/* The words come last: whoever finds them finds all the rest. They are put together here, so that
   no copy of them stands in memory beside the block. */
static void rtt_start(void) {
    static const char first[] = "SEGGER", second[] = "RTT";
    uint32_t i;
    rtt.up.name = "bursty";
    rtt.up.bytes = rtt_bytes;
    rtt.up.size = sizeof rtt_bytes;
    rtt.up.flags = 2;
    rtt.up_count = 1;
    RTT_BARRIER();
    for (i = 0; i < sizeof second - 1; i++) rtt.id[7 + i] = second[i];
    rtt.id[6] = ' ';
    RTT_BARRIER();
    for (i = 0; i < sizeof first - 1; i++) rtt.id[i] = first[i];
}

/* One look at a ring that is full, or not yet empty. rtt.gdb stops here and reads. */
static __attribute__((noinline)) void rtt_wait(void) { __asm__ volatile("nop" ::: "memory"); }

/* 0, or 1 if nobody reads. */
static int rtt_put(unsigned char byte) {
    uint32_t at = rtt.up.written, next = at + 1 < rtt.up.size ? at + 1 : 0, looks = 0;
    while (next == rtt.up.read) {
        if (looks++ == RTT_PATIENCE) return 1;
        rtt_wait();
    }
    rtt_bytes[at] = byte;
    RTT_BARRIER();
    rtt.up.written = next;
    return 0;
}

/* For bursty_write. */
static int rtt_send(void *user, const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    (void)user;
    while (size-- > 0) {
        if (rtt_put(*byte++) != 0) return 1;
    }
    return 0;
}

/* Until the last byte has been read. 0, or 1 if nobody reads. */
static int rtt_flush(void) {
    uint32_t looks = 0;
    while (rtt.up.written != rtt.up.read) {
        if (looks++ == RTT_PATIENCE) return 1;
        rtt_wait();
    }
    return 0;
}
#endif
