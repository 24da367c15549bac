/* ---- ticks in step ---- */

/* The kernel looks at timers of CPU time when its clock ticks, every 4 ms. A
   program that wakes at moments of the same clock meets these ticks at the same
   place of its work, each time, and whatever stands there gets all of them:

       clock     |       |       |       |       |       |       |       |
       wakes       uuudddd                                 uuudddd
       a tick              ^                                       ^

   So the numbers of the clock's ticks that interrupted it leave the same
   remainder by some r: here by 5. Each signal is counted by its remainder for
   all r. Signals that no sleep came before are left out: a thread that runs on is
   interrupted in a regular way, too, and loses nothing by it.

   Cost: the coarse clock, which needs no system call, and 24 divisions. */
enum { BASE_P_STEPS = 25 };
typedef struct base_p_steps {
    uint64_t clock_ns, from_ns; /* between two ticks of the clock; 0: not known */
    uint32_t count;
    uint32_t at[BASE_P_STEPS * (BASE_P_STEPS + 1) / 2]; /* of r from r (r - 1) / 2 on */
} base_p_steps;

static uint64_t base_p_coarse_ns(int is_length) {
    enum { MONOTONIC_COARSE = 6 }; /* the kernel's number */
    struct timespec t;
    if ((is_length ? clock_getres(MONOTONIC_COARSE, &t) : clock_gettime(MONOTONIC_COARSE, &t)) != 0) return 0;
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Ticks may come meanwhile, but not at the first time. */
static void base_p_begin_steps(base_p_steps *s) {
    uint32_t i;
    for (i = 0; i < sizeof s->at / sizeof *s->at; i++) __atomic_store_n(&s->at[i], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&s->count, 0, __ATOMIC_RELAXED);
    if (s->clock_ns) return;
    s->from_ns = base_p_coarse_ns(0);
    s->clock_ns = base_p_coarse_ns(1);
}

/* A signal that stands for so much CPU time. last_ns: of the thread, 0 at
   first. */
static void base_p_step(base_p_steps *s, uint64_t *last_ns, uint64_t ran_us) {
    const uint64_t now = base_p_coarse_ns(0), went = now - *last_ns;
    const int is_first = *last_ns == 0;
    uint64_t tick;
    uint32_t r;
    *last_ns = now;
    if (is_first || s->clock_ns == 0 || now < s->from_ns) return;
    if (went <= 1500 * ran_us + s->clock_ns) return; /* it ran on */
    tick = (now - s->from_ns + s->clock_ns / 2) / s->clock_ns;
    for (r = 2; r <= BASE_P_STEPS; r++)
        (void)__atomic_fetch_add(&s->at[r * (r - 1) / 2 + (uint32_t)(tick % r)], 1, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&s->count, 1, __ATOMIC_RELAXED);
}

/* Finds the r that stands out most. Returns how many of `count` left its most frequent
   remainder. More than 1 / r + 1 / 4 of them and 45 % stand out. */
static uint32_t base_p_worst_step(const base_p_steps *s, uint32_t *worst) {
    const int64_t count = (int64_t)__atomic_load_n(&s->count, __ATOMIC_RELAXED);
    int64_t most = INT64_MIN;
    uint32_t r, k, found = 0;
    *worst = 2;
    for (r = 2; r <= BASE_P_STEPS; r++) {
        const int64_t expected = r < 5 ? 100 / (int64_t)r + 25 : 45;
        uint32_t top = 0;
        for (k = 0; k < r; k++) {
            const uint32_t n = __atomic_load_n(&s->at[r * (r - 1) / 2 + k], __ATOMIC_RELAXED);
            if (n > top) top = n;
        }
        if (100 * (int64_t)top - expected * count <= most) continue;
        most = 100 * (int64_t)top - expected * count;
        found = top;
        *worst = r;
    }
    return found;
}
