/* ---- memory layout ---- */

/* memory, aligned to 8:   history | cache | hash | nodes

   The nodes come last, so that only they move when the memory grows. */

/* Sets sizes and places for so many contexts. Returns the bytes from t->memory
   on. */
static uint64_t hcct_p_layout(hcct *t, uint32_t contexts) {
    const hcct_config *wanted = &t->config;
    uint64_t nodes = (uint64_t)contexts + 1, hash = nodes + nodes / 3 + 2, cache = 2, m, at[3];
    uint64_t slots = wanted->cache_slots ? wanted->cache_slots : nodes / 4;
    if (!wanted->cache_slots && nodes >= 65536) slots = 16384;
    while (cache < slots) cache *= 2;
    if (wanted->cache_slots == 1) cache = 1;
    m = wanted->monitored ? wanted->monitored : contexts / 4 * 3 + contexts % 4;
    if (m > HCCT_P_LINK) m = HCCT_P_LINK; /* so many never fit, and no file may say more */
    at[0] = (uint64_t)wanted->history * 8;
    at[1] = at[0] + (cache * 4 + 7) / 8 * 8;
    at[2] = at[1] + (hash * 4 + 7) / 8 * 8;
    if (t->memory) {
        unsigned char *base = (unsigned char *)t->memory;
        t->history = (uint64_t *)(void *)base;
        t->cache = (uint32_t *)(void *)(base + at[0]);
        t->hash = (uint32_t *)(void *)(base + at[1]);
        t->words = (uint32_t *)(void *)(base + at[2]);
        t->cache_mask = (uint32_t)cache - 1;
        t->hash_slots = (uint32_t)hash;
        t->stats.capacity = contexts;
        t->stats.monitored_max = m ? (uint32_t)m : 1;
    }
    return at[2] + nodes * t->stride * 4;
}

static void hcct_p_defaults(hcct *t, const hcct_config *config) {
    hcct_p_zero(t, sizeof *t);
    if (config) t->config = *config;
    t->algorithm = t->config.algorithm;
    t->stride = t->algorithm == HCCT_FULL ? HCCT_P_STRIDE_FULL : HCCT_P_STRIDE;
}

/* The contexts of the largest layout that fits; 0 if there is none. */
static uint32_t hcct_p_fit(const hcct_config *config, uint64_t bytes) {
    uint32_t low = 0, high = HCCT_P_LINK / 2;
    hcct probe;
    hcct_p_defaults(&probe, config);
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (hcct_p_layout(&probe, middle) <= bytes) low = middle;
        else high = middle - 1;
    }
    return low;
}

static void hcct_p_clear_lookup(hcct *t) {
    hcct_p_zero(t->cache, ((size_t)t->cache_mask + 1) * 4);
    hcct_p_zero(t->hash, (size_t)t->hash_slots * 4);
    t->hash_fill = 0;
}

HCCT_API size_t hcct_bytes(const hcct_config *config, uint32_t contexts) {
    hcct probe;
    hcct_p_defaults(&probe, config);
    return (size_t)hcct_p_layout(&probe, contexts) + 7;
}

HCCT_API uint32_t hcct_init(hcct *t, void *memory, size_t bytes, const hcct_config *config) {
    size_t pad = (size_t)(8 - ((uintptr_t)memory & 7)) & 7;
    const hcct_config *c = &t->config;
    uint32_t contexts;
    hcct_p_defaults(t, config);
    if (t->algorithm > HCCT_FULL || !(HCCT_P_COMPILED >> t->algorithm & 1)) return 0;
    contexts = memory && bytes >= pad ? hcct_p_fit(&t->config, bytes - pad) : 0;
    if (contexts == 0) return 0;
    t->memory = (unsigned char *)memory + pad;
    t->padded = pad != 0;
    hcct_p_layout(t, contexts);
    hcct_p_clear_lookup(t);
    hcct_p_zero(t->history, (size_t)t->config.history * 8);
    hcct_p_zero(t->words, (size_t)t->stride * 4);
    t->words[HCCT_P_PARENT] = HCCT_P_FREE;
    if (!hcct_p_full(t)) {
        *hcct_p_count(t, 0) = HCCT_P_NONE;
        t->words[HCCT_P_CHILDREN] = HCCT_P_BIT;
    }
    t->used = 1;
    t->depth_limit = c->depth_limit ? c->depth_limit : UINT32_MAX;
    t->prunes_late = c->fold != 0;
    t->seed = c->seed;
    t->width = c->one_over_epsilon ? c->one_over_epsilon : t->stats.monitored_max;
    t->one_over_phi = c->one_over_phi ? c->one_over_phi : t->width / 5 + 1;
    t->one_over_delta = c->one_over_delta ? c->one_over_delta : 100;
    t->boundary = HCCT_P_HAS(t, HCCT_LOSSY) ? t->width : UINT64_MAX;
    if (HCCT_P_HAS(t, HCCT_STICKY)) t->boundary = hcct_p_rate_end(t);
    t->run.returns = c->returns;
    t->run.return_max = c->returns ? c->return_count : 0;
    hcct_p_mode(t);
    return contexts;
}

HCCT_API uint32_t hcct_grow(hcct *t, void *memory, size_t bytes) {
    size_t nodes = (size_t)((unsigned char *)t->words - (unsigned char *)t->memory), i;
    const unsigned char *from = (const unsigned char *)memory + nodes;
    uint32_t contexts;
    if (((uintptr_t)memory & 7) != 0 || t->padded) return 0;
    contexts = hcct_p_fit(&t->config, bytes);
    if (contexts < t->stats.capacity) return 0;
    t->memory = memory;
    hcct_p_layout(t, contexts);
    for (i = (size_t)t->used * t->stride * 4; i; i--) { /* backwards: the nodes move up */
        ((unsigned char *)t->words)[i - 1] = from[i - 1];
    }
    hcct_p_clear_lookup(t);
    for (i = 0; i < t->used; i++) hcct_p_at(t, (uint32_t)i)[HCCT_P_CHILD] &= HCCT_P_LINK;
    return contexts;
}
