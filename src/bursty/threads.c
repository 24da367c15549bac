/* ---- threads ---- */

static void bursty_p_seed(bursty_p_thread *t) {
    t->random = bursty_p_state_of(bursty_p_all.config.seed, t->number, t->reuses);
}

/* bursty_p_notice_end arranges that bursty_thread_end is called when the
   calling thread ends, and returns whether it will be. In a shared object the
   key goes when the object is closed, for the C library would call code that is
   gone. */
#if defined(BURSTY_P_POSIX)
static pthread_key_t bursty_p_key;
static pthread_once_t bursty_p_once = PTHREAD_ONCE_INIT;
static uint32_t bursty_p_has_key;
static void bursty_p_ended(void *value) {
    (void)value;
    bursty_thread_end();
}
static void bursty_p_before_fork(void) { (void)BURSTY_P_ADD(&bursty_p_all.forks, 1); }
static void bursty_p_behind_fork(void) { BURSTY_P_PUT(&bursty_p_all.forks_known, BURSTY_P_GET(&bursty_p_all.forks)); }
static void bursty_p_make_key(void) {
    if (pthread_key_create(&bursty_p_key, bursty_p_ended) != 0) return;
    bursty_p_has_key = 1;
    (void)pthread_atfork(bursty_p_before_fork, bursty_p_behind_fork, bursty_forked);
}
static int bursty_p_notice_end(void) {
    (void)pthread_once(&bursty_p_once, bursty_p_make_key);
    return bursty_p_has_key && pthread_setspecific(bursty_p_key, &bursty_p_mine) == 0;
}
#ifdef BURSTY_P_SHARED
__attribute__((destructor)) static void bursty_p_closed(void) {
    bursty_stop();
    if (bursty_p_has_key) (void)pthread_key_delete(bursty_p_key);
    bursty_p_has_key = 0;
}
#endif
#elif defined(__cplusplus) && !defined(BURSTY_NO_TLS) && !defined(BURSTY_BARE)
struct bursty_p_at_end {
    int registered;
    ~bursty_p_at_end() { if (registered) bursty_thread_end(); }
};
static int bursty_p_notice_end(void) {
    static thread_local bursty_p_at_end end;
    return end.registered = 1;
}
#elif defined(_WIN32) && !defined(BURSTY_NO_TLS) && !defined(BURSTY_BARE)
/* A fiber-local value has a callback at a thread's end, in C, too. Windows.h is
   not included: it defines min, max and more in the file of the user. */
__declspec(dllimport) unsigned long __stdcall FlsAlloc(void(__stdcall *callback)(void *));
__declspec(dllimport) int __stdcall FlsSetValue(unsigned long index, void *value);
static uint32_t bursty_p_fls; /* 1 + the index */
static void __stdcall bursty_p_ended(void *value) {
    if (value) bursty_thread_end();
}
static int bursty_p_notice_end(void) {
    if (BURSTY_P_ACQUIRE(&bursty_p_fls) == 0) {
        uint32_t made = (uint32_t)FlsAlloc(bursty_p_ended) + 1; /* one too many in a race is kept */
        (void)bursty_p_cas(&bursty_p_fls, 0, made);
    }
    return BURSTY_P_ACQUIRE(&bursty_p_fls)
           && FlsSetValue(BURSTY_P_ACQUIRE(&bursty_p_fls) - 1, &bursty_p_mine);
}
#else
static int bursty_p_notice_end(void) { return 0; }
#endif

/* time.c; is_noticed: on BURSTY_THREAD_BEGINS, whether its end will be told */
static void bursty_p_time_on_thread(int what, bursty_p_thread *t, int is_noticed);

static void bursty_p_tell(int what, bursty_p_thread *t, int is_noticed) {
    bursty_p_time_on_thread(what, t, is_noticed);
    if (bursty_p_all.companion.on_thread) bursty_p_all.companion.on_thread(what, t->number);
}

/* Names are copied byte by byte, since a dump may read one while it is
   written. */
static void bursty_p_put_name(bursty_p_thread *t, const char *name) {
    uint32_t i;
    for (i = 0; i + 1 < BURSTY_P_NAME && name && name[i]; i++) BURSTY_P_PUT(&t->name[i], name[i]);
    for (; i < BURSTY_P_NAME; i++) BURSTY_P_PUT(&t->name[i], (char)0);
}

/* The record of a thread that has ended, or a fresh one, or NULL. */
static bursty_p_thread *bursty_p_take_record(void) {
    uint32_t count = bursty_p_threads(), i;
    bursty_p_thread *t;
    for (t = bursty_p_all.threads; t < bursty_p_all.threads + count; t++) {
        if (bursty_p_cas(&t->state, BURSTY_P_ENDED, BURSTY_P_USED)) return t;
    }
    if (count >= bursty_p_all.thread_room) return NULL;
    i = BURSTY_P_ADD(&bursty_p_all.thread_count, 1);
    if (i >= bursty_p_all.thread_room) return NULL;
    t = &bursty_p_all.threads[i];
    t->number = i;
    BURSTY_P_RELEASE(&t->state, BURSTY_P_USED);
    return t;
}

static bursty_p_thread *bursty_p_register(void) {
    uint32_t epoch = BURSTY_P_ACQUIRE(&bursty_p_all.epoch);
    bursty_p_thread *t;
    if (epoch == 0 || (bursty_p_mine.epoch == epoch && bursty_p_mine.ended)) return NULL;
    t = bursty_p_take_record();
    if (!t && bursty_p_mine.epoch != epoch) (void)BURSTY_P_ADD(&bursty_p_all.lost_threads, 1);
    bursty_p_zero(&bursty_p_mine, sizeof bursty_p_mine);
    bursty_p_mine.thread = t;
    BURSTY_P_FENCE(); /* for a signal handler */
    bursty_p_mine.epoch = epoch;
    if (!t) return NULL;
    bursty_p_put_name(t, NULL);
    bursty_p_zero(&t->random, sizeof *t - offsetof(bursty_p_thread, random));
    bursty_p_seed(t);
    t->reuses++;
    t->opening = BURSTY_P_GET(&bursty_p_all.opening) - 1;
    bursty_p_tell(BURSTY_THREAD_BEGINS, t, bursty_p_notice_end());
    return t;
}

/* The calling thread's record of this start, or NULL. */
BURSTY_P_STEP bursty_p_thread *bursty_p_registered(void) {
    return bursty_p_mine.epoch == BURSTY_P_GET(&bursty_p_all.epoch) ? bursty_p_mine.thread : NULL;
}

BURSTY_P_STEP bursty_p_thread *bursty_p_me(void) {
    bursty_p_thread *t = bursty_p_registered();
    return t ? t : bursty_p_register();
}
