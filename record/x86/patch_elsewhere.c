/* ---- patching: on other systems ---- */

X86_API uint32_t x86_install(const x86_config *config) { return (void)config, 0; }
X86_API const char *x86_reason(void) {
#ifdef X86_SUPPORTED
    return "compiled without _GNU_SOURCE, which stands before the first include";
#else
    return "not supported on this system";
#endif
}
X86_API int x86_toggle(int on) { return (void)on, -1; }
X86_API int x86_arm(void) { return -1; }
X86_API int x86_uninstall(void) { return -1; }
X86_API int x86_code_changes(const void *address, size_t bytes) {
    (void)address, (void)bytes;
    return 0;
}
X86_API uint32_t x86_hook(const uint32_t *numbers, uint32_t count, x86_hook_fn hook,
                                    int *reasons) {
    (void)numbers, (void)hook;
    while (count--) reasons[count] = X86_NO_ROOM;
    return 0;
}
X86_API void x86_flush(void) {}
X86_API uint64_t x86_unread(void) { return 0; }
X86_API void x86_forbid_calls(void) {}
X86_API void x86_leave(void) {}
X86_API void x86_rejoin(void) {}
X86_API void x86_forked(uint32_t seed) { (void)seed; }
X86_API int x86_is_own(uint64_t pc) { return (void)pc, 0; }
X86_API void x86_get_stats(x86_stats *out) {
    static x86_stats none;
    *out = none;
}
X86_API int x86_get_function(uint32_t number, x86_function *out) {
    (void)number, (void)out;
    return -1;
}
X86_API uint32_t x86_find_function(uint32_t module, uint32_t place) {
    (void)module, (void)place;
    return UINT32_MAX;
}
X86_API int x86_get_module(uint32_t number, x86_module *out) {
    (void)number, (void)out;
    return -1;
}
X86_API uint32_t x86_stack(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t stack_end,
                                     x86_frame *frames, uint32_t max) {
    (void)pc, (void)rsp, (void)rbp, (void)stack_end, (void)frames, (void)max;
    return 0;
}
X86_API uint32_t x86_stack_folded(uint64_t pc, uint64_t rsp, uint64_t rbp,
                                            uint64_t stack_end, x86_frame *frames,
                                            uint32_t max, x86_seen *seen) {
    (void)pc, (void)rsp, (void)rbp, (void)stack_end, (void)frames, (void)max;
    seen->is_cut = seen->is_bare = 0;
    return 0;
}
X86_API const char *x86_reason_text(int reason) { return (void)reason, "unknown"; }
X86_API const void *x86_origin(const void *pc) { return pc; }
X86_API const void *x86_find_copy(const void *pc, const void **start, const void **end) {
    (void)pc, (void)start, (void)end;
    return NULL;
}
X86_API const void *x86_find_frame(const void *pc, const void **start, const void **end) {
    return x86_find_copy(pc, start, end);
}
