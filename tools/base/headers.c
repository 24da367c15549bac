/* headers.c - the implementations of the headers, compiled once for the whole tool. */
#define HCCT_IMPLEMENTATION
#include "hcct.h"
