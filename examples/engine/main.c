/* main.c - an executable, an engine and a game that is reloaded, in one report by thread:

       cc="cc -I../.. -DBURSTY_MODULES -g -O2 -pthread"
       $cc -fPIC -shared -o libengine.so engine.c
       $cc -fPIC -shared -o game.so game.c -L. -lengine -Wl,-z,nodelete
       $cc -o main main.c -L. -lengine -ldl -Wl,-rpath,'$ORIGIN'
       ./main && bursty report engine.brst

   One start, one save: the state is the engine's, and the others use it. The game's names are
   needed when the dump is written, so nodelete keeps a game that dlclose has closed in memory.
   The new one is another file, as each reload needs: main loads copies of game.so. */
#define _POSIX_C_SOURCE 200809L
#include "engine.h"
#include <dlfcn.h>
#include <stdio.h>

enum { RELOADS = 3, FRAMES = 60 };

static int copy(const char *from, const char *to) {
    char bytes[4096];
    size_t size;
    FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;
    if (!out) {
        if (in) (void)fclose(in);
        return -1;
    }
    while ((size = fread(bytes, 1, sizeof bytes, in)) > 0) (void)fwrite(bytes, 1, size, out);
    (void)fclose(in);
    return fclose(out);
}

/* The game as it is now. NULL after a message. */
static void *load(int number) {
    char name[32];
    void *game, *tick;
    (void)snprintf(name, sizeof name, "./game.%d.so", number);
    game = copy("./game.so", name) == 0 ? dlopen(name, RTLD_NOW) : NULL;
    (void)remove(name);
    tick = game ? dlsym(game, "game_tick") : NULL;
    if (!tick) {
        fprintf(stderr, "%s: no game\n", name);
        return NULL;
    }
    engine_use(*(engine_game *)(void *)&tick);
    return game;
}

static void draw(void) {
    BURST_SCOPE("draw");
    engine_spin(300);
    BURST_LEAVE();
}

int main(void) {
    static bursty_config config;
    int reload, frame;
    config.program = "engine";
    config.tick_hz = 1000; /* the run is short */
    if (!bursty_start(&config)) return 1;
    bursty_thread_name("main");
    engine_start();
    for (reload = 0; reload < RELOADS; reload++) {
        void *game = load(reload);
        if (!game) return 1;
        for (frame = 0; frame < FRAMES; frame++) {
            BURST_SCOPE("frame");
            (void)engine_frame(frame);
            draw();
            BURST_LEAVE();
        }
        (void)dlclose(game);
    }
    return engine_stop("engine.brst") != 0;
}
