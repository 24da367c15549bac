/* off.c - BURSTY_OFF: the object file of this must be empty. */
#define BURSTY_OFF
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
typedef int off_is_not_an_empty_file;
