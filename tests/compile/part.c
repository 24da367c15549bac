/* part.c - a second translation unit: declarations alone, and a use of each header, so that the link is a real one. */
#include "bursty.h"
#include "hcct.h"
#include "footprint.h"
#include "hotstream.h"

int main(void) {
    static hcct tree;
    static footprint window;
    static hotstream streams;
    BURST_ENTRY();
    return bursty_start(NULL) != 0 && hcct_init(&tree, NULL, 0, NULL) == 0 && footprint_init(&window, NULL, 0, NULL) == 0 &&
           hotstream_init(&streams, NULL, 0, NULL) == 0 ? 0 : 1;
}
