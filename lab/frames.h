/* frames.h - how often the intervals of slow frames hold the truth, in a game
   whose truth is known. */
#ifndef LAB_FRAMES_H
#define LAB_FRAMES_H
#include <stdint.h>

enum { GAME_UPDATE, GAME_DRAW, GAME_COLLECT, GAME_LOAD, GAME_WAITING, GAME_CAUSES };

typedef struct game_options {
    uint32_t frames;    /* of a run; at 60 a second */
    uint32_t tick_us;   /* CPU time between two ticks */
    int is_regular;     /* each tick comes after that time, and hitches after so many frames; else
                           ticks come after a half to one and a half, and hitches at random */
    int is_busy;        /* others want the processor, too, and ticks come when the system looks */
    uint32_t divisor;   /* of all durations; above 1 no frame waits for the display */
} game_options;

/* One cause of slow frames: how many ms more it takes in them, and what the runs said
   about it. */
typedef struct game_cause {
    const char *name;
    double truth, sum, sum_of_halves; /* sum of estimates, and of half widths */
    uint32_t held;      /* runs whose interval holds the truth */
    uint32_t told;      /* runs whose interval does not hold zero */
} game_cause;

/* Plays the game with seeds 1 to `runs` and fills causes. Returns 0, or -1 if a
   dump is refused. */
int game_play(const game_options *o, uint32_t runs, game_cause causes[GAME_CAUSES]);
#endif
