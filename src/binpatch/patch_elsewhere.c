/* ---- patching: on other systems ---- */

BINPATCH_API uint32_t binpatch_install(const binpatch_config *config) { return (void)config, 0; }
BINPATCH_API const char *binpatch_reason(void) {
#ifdef BINPATCH_SUPPORTED
    return "compiled without _GNU_SOURCE, which stands before the first include";
#else
    return "not supported on this system";
#endif
}
BINPATCH_API int binpatch_toggle(int on) { return (void)on, -1; }
BINPATCH_API int binpatch_arm(void) { return -1; }
BINPATCH_API int binpatch_uninstall(void) { return -1; }
BINPATCH_API int binpatch_code_changes(const void *address, size_t bytes) {
    (void)address, (void)bytes;
    return 0;
}
BINPATCH_API uint32_t binpatch_hook(const uint32_t *numbers, uint32_t count, binpatch_hook_fn hook,
                                    int *reasons) {
    (void)numbers, (void)hook;
    while (count--) reasons[count] = BINPATCH_NO_ROOM;
    return 0;
}
BINPATCH_API void binpatch_flush(void) {}
BINPATCH_API uint64_t binpatch_unread(void) { return 0; }
BINPATCH_API void binpatch_forbid_calls(void) {}
BINPATCH_API void binpatch_leave(void) {}
BINPATCH_API void binpatch_rejoin(void) {}
BINPATCH_API void binpatch_forked(uint32_t seed) { (void)seed; }
BINPATCH_API int binpatch_is_own(uint64_t pc) { return (void)pc, 0; }
BINPATCH_API void binpatch_get_stats(binpatch_stats *out) {
    static binpatch_stats none;
    *out = none;
}
BINPATCH_API int binpatch_get_function(uint32_t number, binpatch_function *out) {
    (void)number, (void)out;
    return -1;
}
BINPATCH_API uint32_t binpatch_find_function(uint32_t module, uint32_t place) {
    (void)module, (void)place;
    return UINT32_MAX;
}
BINPATCH_API int binpatch_get_module(uint32_t number, binpatch_module *out) {
    (void)number, (void)out;
    return -1;
}
BINPATCH_API uint32_t binpatch_stack(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t stack_end,
                                     binpatch_frame *frames, uint32_t max) {
    (void)pc, (void)rsp, (void)rbp, (void)stack_end, (void)frames, (void)max;
    return 0;
}
BINPATCH_API uint32_t binpatch_stack_folded(uint64_t pc, uint64_t rsp, uint64_t rbp,
                                            uint64_t stack_end, binpatch_frame *frames,
                                            uint32_t max, binpatch_seen *seen) {
    (void)pc, (void)rsp, (void)rbp, (void)stack_end, (void)frames, (void)max;
    seen->is_cut = seen->is_bare = 0;
    return 0;
}
BINPATCH_API const char *binpatch_reason_text(int reason) { return (void)reason, "unknown"; }
BINPATCH_API const void *binpatch_origin(const void *pc) { return pc; }
BINPATCH_API const void *binpatch_find_copy(const void *pc, const void **start, const void **end) {
    (void)pc, (void)start, (void)end;
    return NULL;
}
