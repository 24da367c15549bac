/* hot_streams.c - bursty.h decides when to look, hotstream.h says which fields a program uses one
   after the other: what to lay out together. Writes hot_streams.brst beside it: `bursty report
   --dot hot_streams.brst` draws the fields' affinity. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
#include <stdio.h>
#include <string.h>

/* A monster is looked at every frame, but its name and story are not. */
typedef struct monster {
    char name[48];
    int x;
    char story[120];
    int speed;
    struct monster *next;
    int health;
} monster;

static BURST_DUAL(int, update, (monster * first), (first)) {
    monster *m;
    int alive = 0;
    for (m = first; m; m = m->next)
        BURST_BODY({
            BURST_REF(BURSTY_LOAD, &m->health);
            if (m->health > 0) {
                BURST_REF(BURSTY_LOAD, &m->speed);
                BURST_REF(BURSTY_STORE, &m->x);
                m->x += m->speed;
                alive++;
            }
            BURST_REF(BURSTY_LOAD, &m->next);
        })
    return alive;
}

static int out(void *file, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)file) != size;
}

int main(void) {
    static monster monsters[40];
    static uint64_t memory[32768];
    static hotstream streams;
    static char name[HOTSTREAM_NAME_BYTES];
    hotstream_stream top[3];
    hotstream_stats stats;
    bursty_profile profile;
    size_t count, i, k;
    int frame, alive = 0;
    FILE *file;
    for (i = 0; i < 40; i++) {
        monsters[i].next = i < 39 ? &monsters[i + 1] : NULL;
        monsters[i].health = 100;
        monsters[i].speed = 1;
    }
    memset(&profile, 0, sizeof profile);
    profile.every = 5000; /* long bursts, rarely: sequences want length */
    profile.burst = 200;
    if (hotstream_init(&streams, memory, sizeof memory, NULL) == 0) return 1;
    hotstream_attach(&streams, &profile);
    bursty_start(NULL);
    bursty_set_profile(0, &profile);
    for (frame = 0; frame < 20000; frame++) alive += update(monsters);

    count = hotstream_top(&streams, top, 3);
    hotstream_get_stats(&streams, &stats);
    printf("%lu references in %lu bursts, %lu hot streams\n", (unsigned long)stats.references,
           (unsigned long)stats.bursts + 1, (unsigned long)count);
    for (i = 0; i < count && i < 3; i++) {
        printf("%lu times:", (unsigned long)top[i].frequency);
        for (k = 0; k < 8; k++) {
            hotstream_site_name(name,
                                top[i].items[k].site); /* "&m->health", a tab, file and line */
            printf(" %.*s", (int)strcspn(name, "\t"), name);
        }
        printf(" ...\n");
    }
    file = fopen("hot_streams.brst", "wb");
    if (!file) return 1;
    k = (size_t)hotstream_write(&streams, "monsters", hotstream_site_name, name, out, file);
    if (fclose(file) != 0 || k != 0 || alive == 0) return 1;
#ifdef BURSTY_OFF
    return count != 0; /* nothing was recorded */
#else
    return count == 0;
#endif
}
