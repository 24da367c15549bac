/* x86.c - the object of the engine: x86.h. */
#define _GNU_SOURCE 1
#define X86_IMPLEMENTATION
#include "x86.h"
