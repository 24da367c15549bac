/* engine.h - what the three modules of the example share. Each of them is compiled with
   -DBURSTY_MODULES; engine.c alone has BURSTY_IMPLEMENTATION. */
#ifndef ENGINE_H
#define ENGINE_H
#include "bursty.h"

enum { ENGINE_WORKERS = 3 };

typedef int (*engine_game)(int frame, int worker);   /* the game's "game_tick" */

void engine_start(void);
void engine_use(engine_game tick);                   /* between two frames: after a reload */
int  engine_frame(int frame);                        /* all workers tick; the sum of results */
int  engine_stop(const char *path);                  /* ends the workers, and saves */
void engine_spin(unsigned microseconds);             /* of the thread's CPU time */
#endif
