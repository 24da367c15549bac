/* game.c - the game, a shared object that the program loads, changes and loads again. */
#include "engine.h"

int game_tick(int frame, int worker);
int game_tick(int frame, int worker) {
    BURST_SCOPE("game_tick");
    engine_spin(worker == 0 ? 900 : 300);
    BURST_LEAVE();
    return frame + worker;
}
