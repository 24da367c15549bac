/* ticks_lua.c - starts ticks in Lua, before its main. For bench/ticks.sh. */
#include "ticks_start.h"
__attribute__((constructor)) static void begin(void) { ticks_bench_start(); }
