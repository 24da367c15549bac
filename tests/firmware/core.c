/* core.c - the sampling core alone, as firmware links it: run.sh holds its size against the budget. */
#define BURSTY_TINY
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
