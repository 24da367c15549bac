/* ---- settings ---- */

/*  generation ---> | version | buffer |
                                |
    buffer 0   buffer 1   buffer 2   ...      each: a stamp, and all profiles
    (free)     (written)  (published)

   All settings are one value, which is never changed where it stands. A writer
   copies the published buffer, changes its copy, puts it into a free buffer and
   publishes that one by a compare-and-swap of `generation`. If somebody else has
   published in between, it begins again. So bursty_set_profile may be called by
   a signal handler that interrupts bursty_set_profile, or a reader, at any
   instruction: nobody waits for anybody.

   A reader copies a buffer and then looks at its stamp, which is the generation
   under which the buffer was published, or 0 while somebody writes it. If the
   stamp is another one, the buffer was used again, so something newer has been
   published: it reads that. Each word is released and acquired: whoever has read
   a word of a later writer also reads what that writer made of the stamp before.
   (Fences would do too, but ThreadSanitizer does not know them.)

   Invariant: the published buffer is whole; `busy` belongs to one writer, who
   checks after taking it that the buffer is not the published one. Versions
   never come back within 2^29 changes. Cost: 500 bytes are copied for a change,
   and by each thread when it takes it over. */
typedef struct bursty_p_slot {
    bursty_profile set;
    uint32_t stamp, used;
} bursty_p_slot;

typedef struct bursty_p_settings {
    bursty_p_slot slot[BURSTY_PROFILES];
    uint32_t paused;
} bursty_p_settings;

enum { BURSTY_P_WORDS = (sizeof(bursty_p_settings) + 3) / 4 };
#ifdef BURSTY_NO_TLS
enum { BURSTY_P_BUFFERS = 1 }; /* one context: changed where it stands */
#else
enum { BURSTY_P_BUFFERS = 8 };
#endif

static struct {
    uint32_t stamp, busy, word[BURSTY_P_WORDS];
} bursty_p_buffer[BURSTY_P_BUFFERS];

/* Copies the published settings. Returns their generation. */
static uint32_t bursty_p_read_settings(bursty_p_settings *out) {
    uint32_t word[BURSTY_P_WORDS], generation, at, i;
    unsigned char *to = (unsigned char *)out;
    const unsigned char *from = (const unsigned char *)word;
    do {
        generation = BURSTY_P_ACQUIRE(&bursty_p_all.generation);
        at = generation % BURSTY_P_BUFFERS;
        for (i = 0; i < BURSTY_P_WORDS; i++) word[i] = BURSTY_P_ACQUIRE(&bursty_p_buffer[at].word[i]);
    } while (BURSTY_P_GET(&bursty_p_buffer[at].stamp) != generation);
    for (i = 0; i < sizeof *out; i++) to[i] = from[i];
    return generation;
}

/* The settings of this stamp go into a buffer that this caller holds. */
static void bursty_p_fill(uint32_t at, const bursty_p_settings *settings, uint32_t stamp) {
    uint32_t word[BURSTY_P_WORDS], i;
    unsigned char *to = (unsigned char *)word;
    const unsigned char *from = (const unsigned char *)settings;
    word[BURSTY_P_WORDS - 1] = 0;
    for (i = 0; i < sizeof *settings; i++) to[i] = from[i];
    BURSTY_P_PUT(&bursty_p_buffer[at].stamp, 0);
    for (i = 0; i < BURSTY_P_WORDS; i++) BURSTY_P_RELEASE(&bursty_p_buffer[at].word[i], word[i]);
    BURSTY_P_RELEASE(&bursty_p_buffer[at].stamp, stamp);
}

/* Publishes settings that were made of those of generation `old`. Returns 0 if
   others have come in between, or if all buffers are busy for the moment. */
static int bursty_p_publish(const bursty_p_settings *settings, uint32_t old) {
#ifdef BURSTY_NO_TLS
    uint32_t next = old + 1 ? old + 1 : 1;
    bursty_p_fill(0, settings, next);
    bursty_p_all.generation = next;
    return 1;
#else
    uint32_t at = old % BURSTY_P_BUFFERS, next, tries;
    int done;
    for (tries = 1; tries < BURSTY_P_BUFFERS; tries++) {
        at = (at + 1) % BURSTY_P_BUFFERS;
        if (!bursty_p_cas(&bursty_p_buffer[at].busy, 0, 1)) continue;
        if (BURSTY_P_ACQUIRE(&bursty_p_all.generation) == old) break;
        BURSTY_P_RELEASE(&bursty_p_buffer[at].busy, 0);
        return 0;
    }
    if (tries == BURSTY_P_BUFFERS) return 0;
    next = (old / BURSTY_P_BUFFERS + 1) * BURSTY_P_BUFFERS;
    if (next == 0) next = BURSTY_P_BUFFERS; /* 0 is no generation */
    next += at;
    bursty_p_fill(at, settings, next);
    done = bursty_p_cas(&bursty_p_all.generation, old, next);
    BURSTY_P_RELEASE(&bursty_p_buffer[at].busy, 0);
    return done;
#endif
}
