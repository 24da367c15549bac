/* keys.c - the key of a function or place of a module (recorder_key): what rooms
   count by. */
#include "patch.h"

/* A module that came later (record.looks) is not in the list of the start. */
static uint64_t record_bias(uint32_t module) {
    x86_module m;
    if (module < record.modules) return record.bias[module];
    return x86_get_module(module, &m) == 0 ? m.bias : 0;
}

uint32_t record_key(uint32_t module, uint32_t place) {
    return recorder_key((void *)(uintptr_t)(record_bias(module) + place));
}
