/* part.c - a second translation unit: declarations alone, and a use of each header, so that the link is a real one. */
#include "bursty.h"
#include "hcct.h"
#include "footprint.h"

int main(void) {
    static hcct tree;
    static footprint window;
    BURST_ENTRY();
    return bursty_start(NULL) != 0 && hcct_init(&tree, NULL, 0, NULL) == 0 && footprint_init(&window, NULL, 0, NULL) == 0 ? 0 : 1;
}
