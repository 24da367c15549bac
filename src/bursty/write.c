/* ---- bursty_write ---- */

/* The image begins with an ELF header, and the linker names it. */
#if defined(__ELF__) && defined(BURSTY_P_GNU) && !defined(BURSTY_BARE)
extern const unsigned char bursty_p_head[] __asm__("__ehdr_start")
    __attribute__((weak, visibility("hidden")));
#define BURSTY_P_BUILD bursty_p_build_of(bursty_p_head)
#else
#define BURSTY_P_BUILD bursty_p_build_of(NULL)
#endif

/* Writes all parts: the counts, the ticks, the frames, the axis, the children,
   turns that were cut off, the companion's, the seed. */
BURSTY_API int bursty_write(bursty_write_fn write, void *user) {
    bursty_p_dump d;
    bursty_stats stats;
    uint32_t rows, i;
    if (bursty_p_all.epoch == 0) return -1;
    bursty_get_stats(&stats);
    rows = BURSTY_P_ACQUIRE(&bursty_p_all.row_count);
    d.sites = 0;
    bursty_p_put_begin(&d.out, 1, write, user);
    bursty_p_put_varint(&d.out, 1);
    bursty_p_put_varint(&d.out, 0);
    bursty_p_put_string(&d, bursty_p_all.config.program);
    const uint64_t totals[3] = { stats.checks, stats.events, stats.lost };
    bursty_p_put_all(&d, totals, 3);
    if (stats.lost_threads || stats.no_time > BURSTY_NO_TIME_ASKED) {
        const uint64_t missing[3] = { 10, stats.lost_threads, (uint32_t)stats.no_time };
        bursty_p_put_all(&d, missing, 3);
    }
    for (i = 0; i < BURSTY_PROFILES; i++) bursty_p_put_profile(&d, i);
    for (i = 0; i < stats.threads; i++) bursty_p_put_thread(&d, i, rows);
    if (bursty_p_put_end(&d.out)) return -1;
#if BURSTY_P_TICKS
    if (bursty_p_ticks.row_room && bursty_p_write_time(&d, write, user)) return -1;
#if BURSTY_FRAMES > 0
    if (bursty_p_write_frames(&d, write, user)) return -1;
#endif
#ifdef BURSTY_P_AXIS
    if (bursty_p_write_axis(&d, write, user)) return -1;
#endif
#endif
    if (bursty_p_write_children(&d, write, user)) return -1;
    if (bursty_p_write_turns(&d, write, user)) return -1;
    if (bursty_p_write_fibers(&d, write, user)) return -1;
    const uint32_t sample[3] = { bursty_p_all.config.seed, bursty_p_all.seed_is, bursty_p_all.cleared };
    if (bursty_p_all.companion.write && bursty_p_all.companion.write(write, user)) return -1;
    if (!bursty_p_write_sample(sample, BURSTY_P_BUILD, bursty_p_all.config.program, write, user)) return 0;
    return -1;
}
