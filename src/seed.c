/* ---- a seed for this process ---- */

/* Seed 0 draws one for the process, for runs that have one seed are one sample,
   however many they are. It is written into the dump (docs/formats.md, kind
   24): given as a seed it makes the same sample again. Where there is no
   operating system nothing is drawn, and the dump says that none was given. */
enum { BASE_P_NO_SEED, BASE_P_SEED_GIVEN, BASE_P_SEED_DRAWN };

#ifdef BASE_P_DRAWS_SEED
#ifdef _WIN32
__declspec(dllimport) unsigned long __stdcall GetCurrentProcessId(void);
#endif
BASE_P_SLOW uint32_t base_p_process(void) {
#if defined(_WIN32)
    return (uint32_t)GetCurrentProcessId();
#elif defined(__unix__) || defined(__APPLE__)
    return (uint32_t)getpid();
#else
    return 0;
#endif
}

BASE_P_SLOW uint32_t base_p_draw_seed(void) {
    uint32_t seed = 0;
    uintptr_t place = (uintptr_t)&seed; /* where the system puts a stack */
#ifdef BASE_P_ASKS_LINUX
    struct { long s, ns; } now = { 0, 0 };
    const unsigned char *random = (const unsigned char *)(uintptr_t)getauxval(AT_RANDOM);
    int i;
    for (i = 0; random && i < 16; i++) seed = base_p_mix(seed, random[i]);
    (void)syscall(SYS_clock_gettime, 0L, &now);
    seed = base_p_mix(base_p_mix(seed, (uint32_t)now.s), (uint32_t)now.ns);
#else
    seed = base_p_mix(base_p_mix(seed, (uint32_t)time(NULL)), (uint32_t)clock());
#endif
    seed = base_p_mix(base_p_mix(seed, base_p_process()), (uint32_t)place);
    return seed ? seed : 1;
}
#endif
