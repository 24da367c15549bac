/* ---- the bridge from bursty.h ---- */
#ifdef BURSTY_H

/* The action of a profile. The thread whose burst began first has h until that
   burst ends; events of other threads meanwhile are left out. (With
   BURSTY_STACK 0 only one thread may check.) */
HOTSTREAM_P_UNUSED static inline void hotstream_p_event(void *user, const bursty_event *event) {
    hotstream *h = (hotstream *)user;
    uint32_t me = (uint32_t)((uintptr_t)event->stack >> 3) | 1, nobody = 0;
    if (event->kind & (uint32_t)BURSTY_BEGIN) {
        int is_mine = HOTSTREAM_P_READ(h->owner) == me; /* a longjmp has left its burst */
        if (is_mine || HOTSTREAM_P_CLAIM(h->owner, nobody, me)) hotstream_burst(h);
    } else if (HOTSTREAM_P_READ(h->owner) == me) {
        uint32_t is_reference = event->kind & ((uint32_t)BURSTY_LOAD | (uint32_t)BURSTY_STORE);
        if (event->kind & (uint32_t)BURSTY_END) HOTSTREAM_P_PUBLISH(h->owner, 0);
        else if (event->kind & (uint32_t)BURSTY_GAP) hotstream_burst(h);
        else hotstream_record(h, (uintptr_t)event->site, is_reference ? event->value : 0);
    }
}

/* Makes h the receiver of a profile's events. classes 0: loads and stores. */
HOTSTREAM_P_UNUSED static inline void hotstream_attach(hotstream *h, bursty_profile *profile) {
    if (!profile->classes) profile->classes = (uint32_t)BURSTY_LOAD | (uint32_t)BURSTY_STORE;
    profile->classes |= (uint32_t)BURSTY_BEGIN | (uint32_t)BURSTY_END | (uint32_t)BURSTY_GAP;
    profile->action = hotstream_p_event;
    profile->user = h;
}

/* A hotstream_name_fn for what was recorded that way. buffer:
   char[HOTSTREAM_NAME_BYTES]. */
#define HOTSTREAM_NAME_BYTES 256
HOTSTREAM_P_UNUSED static inline const char *hotstream_site_name(void *buffer, uint64_t site) {
    const bursty_site *s = (const bursty_site *)(uintptr_t)site;
    char *out = (char *)buffer, *end = out + HOTSTREAM_NAME_BYTES - 16;
    const char *name = s->name, *file = s->file;
    uint32_t power = 1;
    while (*name && out < end) *out++ = *name++;
    *out++ = '\t';
    while (*file && out < end) *out++ = *file++;
    *out++ = ':';
    while (s->line / power > 9) power *= 10;
    for (; power; power /= 10) *out++ = (char)('0' + s->line / power % 10);
    *out = 0;
    return (const char *)buffer;
}
#endif /* BURSTY_H */
