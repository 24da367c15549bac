/* static.c - NAME_STATIC: linked twice over with itself, nothing clashes and nothing of ours is visible outside. */
#define BURSTY_STATIC
#define HCCT_STATIC
#define FOOTPRINT_STATIC
#define BURSTY_IMPLEMENTATION
#define HCCT_IMPLEMENTATION
#define FOOTPRINT_IMPLEMENTATION
#include "bursty.h"
#include "hcct.h"
#include "footprint.h"

#ifdef STATIC_OTHER
int static_other(void);
int static_other(void) { BURST_ENTRY(); return bursty_start(NULL) != 0; }
#else
int static_other(void);
int main(void) { BURST_ENTRY(); return bursty_start(NULL) != 0 && static_other() ? 0 : 1; }
#endif
