/* hcct_record.c - hooks of -finstrument-functions that record raw16
   (docs/formats.md) into the file $HCCT_RAW names, at most $HCCT_RAW_EVENTS
   events. One thread. For lab/paper/hcct.sh. Compile the program with
   -fno-inline, for an inlined call has no frame of its own, and
   -fno-omit-frame-pointer, so that its frames can be found; this file without
   instrumentation. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *raw;
static unsigned long left;
static int tried;

static void record(uint32_t kind, const void *function, const void *site, const void *frame) {
    uint32_t words[4], i;
    unsigned char bytes[16];
    if (!tried) {
        const char *path = getenv("HCCT_RAW"), *events = getenv("HCCT_RAW_EVENTS");
        tried = 1;
        raw = path ? fopen(path, "wb") : NULL;
        left = events ? strtoul(events, NULL, 10) : 10000000;
    }
    if (!raw || left == 0) return;
    words[0] = kind;
    words[1] = (uint32_t)(uintptr_t)function;
    words[2] = (uint32_t)(uintptr_t)site;
    words[3] = (uint32_t)(uintptr_t)frame;
    for (i = 0; i < 16; i++) bytes[i] = (unsigned char)(words[i / 4] >> 8 * (i % 4));
    fwrite(bytes, 1, 16, raw);
    if (--left == 0) {
        fclose(raw);
        raw = NULL;
    }
}

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);
void __cyg_profile_func_enter(void *function, void *site) {
    record(0, function, site, __builtin_frame_address(1));
}
void __cyg_profile_func_exit(void *function, void *site) {
    record(1, function, site, __builtin_frame_address(1));
}
