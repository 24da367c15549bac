/* poll.c - one frame in sixty, seen whole. With BURSTY_POLL a check reads a flag instead of
   counting. The frame loop opens the flag at the start of a frame and closes it at the end, so that
   an action sees all that the frame does, in order. A timer or a signal handler may call
   bursty_poll as well. */
#define BURSTY_POLL
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
#include <string.h>

typedef struct frame_log {
    unsigned frames, calls, deepest, unbalanced;
    int open_scopes;
} frame_log;

static void on_event(void *user, const bursty_event *e) {
    frame_log *log = (frame_log *)user;
    if (e->kind & BURSTY_BEGIN) {
        log->frames++;
        log->open_scopes = 0;
    } else if (e->kind & BURSTY_CALL) {
        log->calls++;
        log->open_scopes++;
        if (e->depth > log->deepest) log->deepest = e->depth;
    } else if (e->kind & BURSTY_RETURN) {
        log->open_scopes--;
    } else if (e->kind & BURSTY_END) {
        log->unbalanced += log->open_scopes != 0;
    }
}

static unsigned work;

static void particle(void) {
    BURST_SCOPE("particle");
    work++;
    BURST_LEAVE();
}

static void emitter(int left) {
    BURST_SCOPE("emitter");
    particle();
    if (left > 0) emitter(left - 1);
    BURST_LEAVE();
}

static void frame(int number) {
    BURST_SCOPE("frame");
    emitter(number % 4);
    BURST_LEAVE();
}

int main(void) {
    bursty_config config;
    frame_log log;
    int i;
    memset(&config, 0, sizeof config);
    memset(&log, 0, sizeof log);
    config.profile.burst = 1000000; /* no frame makes more checks than that */
    config.profile.classes = BURSTY_ANY | BURSTY_BEGIN | BURSTY_END;
    config.profile.action = on_event;
    config.profile.user = &log;
    if (bursty_start(&config) == 0) return 1;
    for (i = 0; i < 600; i++) {
        if (i % 60 == 0) bursty_poll(1);
        frame(i);
        bursty_poll(0);
    }
    bursty_thread_end(); /* the last END */
    printf("%u frames seen of 600: %u calls, %u scopes deep, %u frames seen in part\n", log.frames,
           log.calls, log.deepest + 1, log.unbalanced);
#ifdef BURSTY_OFF
    return work == 0 || log.frames != 0;
#else
    return work == 0 || log.frames != 10 || log.calls != 30 || log.unbalanced != 0;
#endif
}
