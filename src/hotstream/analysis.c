/* ---- analysis ---- */
/* Linear in the grammar, in the memory of the table of digrams:

     walk   Depth first from S, with a stack of frames. A finished rule gets the highest number
            left: 0 is S, and every rule comes before all that it uses. When a rule is finished, its
            length is known, and its uses stand, as numbers, in one flat array.
     pass   In the order of numbers. cold(k) is how often a walk of the parse tree that does not
            enter hot streams meets rule k. cold(S) = 1, and a rule that is not hot passes its cold
            on to each of its uses. Rule k is hot if it is not S, its length is within the limits,
            and its heat, length * cold, reaches the threshold. So the sum of heats is at most the
            symbols fed, and each heat is at most length times the occurrences without overlap.

   A rule that is too long hides the heat of parts that are too short. So its
   body is cut in *segments*, runs of neighbours within the length limits, which
   are streams of frequency cold(k) themselves.

   Example: abaabcabcabcabc, heat 8, lengths 2 to 7. S = AaCC, C = BB, B = Ac, A
   = ab.

       rule    length   cold   heat
       S         15       1            not a stream
       C          6       2     12     hot: passes nothing on
       B          3       0      0
       A          2       1      2     from S; below 8

   Walk and pass run in small steps, so that they can stop when a budget is used
   up. */

enum { HOTSTREAM_P_IDLE, HOTSTREAM_P_WALK, HOTSTREAM_P_PASS, HOTSTREAM_P_EMPTY };

typedef struct hotstream_p_frame {
    uint32_t rule, node, items, length;
} hotstream_p_frame;

/* The number of the rule that a use stands for. */
static uint32_t hotstream_p_rule_of(hotstream *h, uint32_t use) {
    return *hotstream_p_uses(h, use) - HOTSTREAM_P_NUMBERED;
}

/* The walk enters a rule. */
static void hotstream_p_walk_into(hotstream *h, uint32_t rule) {
    hotstream_p_frame *top = &h->walk[h->walk_depth++];
    top->rule = rule;
    top->node = h->nodes[rule].next;
    top->items = h->items_at;
    top->length = 0;
}

static void hotstream_p_walk_begin(hotstream *h) {
    void *memory = h->table, *end = h->table + h->slots;
    uint32_t rules;
    hotstream_p_flush(h);
    rules = h->rules + 1;
    h->stale = 1;
    h->rule_count = rules;
    h->finished = rules;
    h->cold = (uint64_t *)memory;                       /* half of it; the walk has both halves */
    h->walk = (hotstream_p_frame *)memory;
    h->rule_guard = (uint32_t *)(void *)(h->walk + rules);
    h->rule_length = h->rule_guard + rules;
    h->rule_start = h->rule_length + rules;
    h->flat = h->rule_start + rules;
    h->flat_used = 0;
    h->items_at = (uint32_t)((uint32_t *)end - h->flat);
    h->walk_depth = 0;
    hotstream_p_walk_into(h, HOTSTREAM_P_START);
}

/* The uses that the walk has met and whose rule is not finished stand at the
   end of `flat`, as the rules' guards, last met first; those of finished rules
   at its beginning, as numbers. */
static void hotstream_p_finish_rule(hotstream *h, const hotstream_p_frame *top) {
    uint32_t k = --h->finished, length = top->length, i;
    h->rule_guard[k] = top->rule;
    h->rule_start[k] = h->flat_used;
    for (i = top->items; i-- > h->items_at; ) {
        uint32_t child = h->nodes[h->flat[i]].symbol - HOTSTREAM_P_NUMBERED;
        h->flat[h->flat_used++] = child;
        length += h->rule_length[child];
        if (length < h->rule_length[child]) length = UINT32_MAX - HOTSTREAM_P_MOST;
    }
    h->items_at = top->items;
    h->rule_length[k] = length;
    h->nodes[top->rule].symbol = HOTSTREAM_P_NUMBERED + k;
}

/* Returns 1 when all rules are numbered. */
static int hotstream_p_walk_on(hotstream *h, uint64_t *steps) {
    const hotstream_p_node *n = h->nodes;
    while (h->walk_depth) {
        hotstream_p_frame *top = &h->walk[h->walk_depth - 1];
        uint32_t i = top->node, child = 0;
        while (!child && i != top->rule) {
            uint32_t symbol = n[i].symbol;
            if (*steps == 0) {
                top->node = i;
                return 0;
            }
            --*steps;
            if (hotstream_p_is_use(symbol)) {
                child = symbol - HOTSTREAM_P_USE;
                h->flat[--h->items_at] = child;
                if (n[child].symbol >= HOTSTREAM_P_NUMBERED) child = 0;
            } else {
                top->length += symbol != HOTSTREAM_P_SEPARATOR;
            }
            i = n[i].next;
        }
        top->node = i;
        if (!child) {
            hotstream_p_finish_rule(h, top);
            h->walk_depth--;
            continue;
        }
        if (h->walk_depth == h->rule_count) return 1;   /* a broken grammar */
        hotstream_p_walk_into(h, child);
    }
    return 1;
}

static void hotstream_p_pass_begin(hotstream *h) {
    h->rule = 0;
    h->flat_at = HOTSTREAM_P_NONE;
    h->covered = 0;
    hotstream_p_zero(h->cold, h->rule_count * sizeof *h->cold);
    h->cold[0] = 1;
}

/* Spells nodes first .. last into `spelled`. A stream of length L nests less
   than L deep. */
static void hotstream_p_spell(hotstream *h, uint32_t first, uint32_t last) {
    const hotstream_p_node *n = h->nodes;
    uint32_t depth = 0, i = first, length = 0;
    for (;;) {
        uint32_t symbol = n[i].symbol;
        if (hotstream_p_is_use(symbol) && depth < h->config.max_length) {
            h->spell_stack[depth++] = i;
            i = n[symbol - HOTSTREAM_P_USE].next;
            continue;
        }
        if (length < h->config.max_length) {
            hotstream_item *item = &h->spelled[length++];
            item->site = symbol;
            item->address = 0;
            if (h->references) *item = h->references[symbol];
            else if (h->config.item) *item = h->config.item(h->config.user, symbol);
        }
        while (depth && hotstream_p_is_guard(n[n[i].next].symbol)) i = h->spell_stack[--depth];
        if (depth == 0 && i == last) break;
        i = n[i].next;
    }
}

static uint64_t hotstream_p_signature(const hotstream_item *items, uint32_t length) {
    uint64_t s = length;
    uint32_t i;
    for (i = 0; i < length; i++) {
        s = (s ^ items[i].site) * UINT64_C(0x9E3779B97F4A7C15);
        s = (s ^ s >> 32) * UINT64_C(0xD6E8FEB86659FD93);
        s ^= s >> 29;
    }
    return s ? s : 1;
}

static void hotstream_p_report(hotstream *h, uint32_t first, uint32_t last, uint32_t length,
                               uint64_t frequency) {
    hotstream_stream stream;
    h->covered += length * frequency;
    if (!h->found) return;
    hotstream_p_spell(h, first, last);
    stream.items = h->spelled;
    stream.length = length;
    stream.frequency = frequency;
    stream.heat = length * frequency;
    stream.signature = hotstream_p_signature(h->spelled, length);
    h->found(h->found_user, &stream);
}

static void hotstream_p_segments(hotstream *h, uint32_t k) {
    const hotstream_p_node *n = h->nodes;
    const uint32_t least = h->config.min_length, most = h->config.max_length;
    uint32_t g = h->rule_guard[k], i = n[g].next, first = 0, last = 0, length = 0;
    for (;; i = n[i].next) {
        uint32_t symbol = n[i].symbol, c = 1;
        int ends;
        if (hotstream_p_is_use(symbol)) c = h->rule_length[hotstream_p_rule_of(h, symbol)];
        ends = i == g || c >= least;                        /* a long child speaks for itself */
        if (ends || length + c > most) {
            if (length >= least && length * h->cold[k] >= h->threshold) {
                uint32_t s = first;
                hotstream_p_report(h, first, last, length, h->cold[k]);
                for (;; s = n[s].next) {
                    if (hotstream_p_is_use(n[s].symbol)) {
                        h->cold[hotstream_p_rule_of(h, n[s].symbol)] -= h->cold[k];
                    }
                    if (s == last) break;
                }
            }
            first = 0;
            length = 0;
        }
        if (i == g) break;
        if (ends) continue;
        if (!first) first = i;
        last = i;
        length += c;
    }
}

/* Returns 1 when all streams are found. */
static int hotstream_p_pass_on(hotstream *h, uint64_t *steps) {
    for (; h->rule < h->rule_count; h->rule++, h->flat_at = HOTSTREAM_P_NONE) {
        uint32_t k = h->rule, end = k ? h->rule_start[k - 1] : h->flat_used, at;
        uint32_t length = h->rule_length[k], g = h->rule_guard[k];
        uint64_t cold = h->cold[k];
        if (h->flat_at == HOTSTREAM_P_NONE) {
            h->flat_at = h->rule_start[k];
            if (k && length >= h->config.min_length && length <= h->config.max_length && cold &&
                length * cold >= h->threshold) {
                hotstream_p_report(h, h->nodes[g].next, h->nodes[g].prev, length, cold);
                *steps -= *steps < length ? *steps : length;
                h->flat_at = end;
            }
            if (!cold) h->flat_at = end;
        }
        at = h->flat_at;
        while (at < end && *steps) {
            h->cold[h->flat[at++]] += cold;
            --*steps;
        }
        h->flat_at = at;
        if (at < end || *steps == 0) return 0;
        --*steps;
        if (h->segments && k && length > h->config.max_length && cold >= 2) {
            hotstream_p_segments(h, k);
        }
    }
    return 1;
}

/* After an analysis: makes the grammar as it was before, and the table anew. */
static void hotstream_p_rebuild(hotstream *h) {
    hotstream_p_node *n = h->nodes;
    uint32_t i;
    h->stale = 0;
    hotstream_p_zero(h->table, h->slots * sizeof *h->table);
    for (i = 1; i <= h->used; i++) {
        if (n[i].symbol != HOTSTREAM_P_FREE && n[i].symbol >= HOTSTREAM_P_GUARD) {
            n[i].symbol = HOTSTREAM_P_GUARD + (i == HOTSTREAM_P_START);
        }
    }
    for (i = 1; i <= h->used; i++) {
        uint32_t a = n[i].symbol, b, hash;
        hotstream_p_slot *slot;
        if (a >= HOTSTREAM_P_GUARD) continue;
        hotstream_p_count_use(h, a);
        b = n[n[i].next].symbol;
        if (!hotstream_p_pairable(a, b)) continue;
        hash = hotstream_p_hash(a, b);
        slot = hotstream_p_find(h, a, b, hash);
        if (slot->node && slot->node != n[i].next) continue;
        slot->hash = hash;
        slot->node = i;                                 /* of aaa the left: appending wants it */
    }
}

/* Begins anew in memory that is all zero where it must be. */
static void hotstream_p_empty(hotstream *h) {
    uint32_t in_use = h->capacity - h->free_count;
    if (in_use > h->peak) h->peak = in_use;
    h->used = 0;
    h->free_list = 0;
    h->free_count = h->capacity;
    h->rules = 0;
    h->pending_count = 0;
    h->at = 0;
    h->owed = 0;
    h->stale = 0;
    h->count = 0;
    h->hash = 0;
    h->reference_count = 0;
    h->nodes[0].symbol = HOTSTREAM_P_FREE;      /* equal to no symbol that comes; not pairable */
    h->nodes[0].next = 0;
    hotstream_p_take(h, HOTSTREAM_P_GUARD + 1);
    hotstream_p_link(h->nodes, HOTSTREAM_P_START, HOTSTREAM_P_START);
}

static uint32_t hotstream_p_reference_places(const hotstream *h) {
    return h->config.references_max + h->config.references_max / 2;
}

/* Empties the table of digrams, and that of references, which follows it; in
   steps of 512 bytes. Returns 1 when both are empty. */
static int hotstream_p_clear_on(hotstream *h, uint64_t *steps) {
    unsigned char *table = (unsigned char *)h->table;
    while (h->cleared < h->clear_bytes && *steps) {
        size_t left = h->clear_bytes - h->cleared, now = left < 512 ? left : 512;
        hotstream_p_zero(table + h->cleared, now);
        h->cleared += now;
        --*steps;
    }
    if (h->cleared < h->clear_bytes) return 0;
    h->taken += h->count;
    h->digests++;
    hotstream_p_empty(h);
    return 1;
}

static void hotstream_p_keep(void *user, const hotstream_stream *stream);

/* Goes on with a digest. Returns 1 when it is done. */
static int hotstream_p_digest_on(hotstream *h, uint64_t *steps) {
    if (h->phase == HOTSTREAM_P_WALK && hotstream_p_walk_on(h, steps)) {
        h->threshold = h->config.heat_min;
        h->segments = !h->config.whole_rules;
        h->found = hotstream_p_keep;
        h->found_user = h;
        hotstream_p_pass_begin(h);
        h->phase = HOTSTREAM_P_PASS;
    }
    if (h->phase == HOTSTREAM_P_PASS && hotstream_p_pass_on(h, steps)) {
        h->cleared = 0;
        h->phase = HOTSTREAM_P_EMPTY;
    }
    if (h->phase == HOTSTREAM_P_EMPTY && hotstream_p_clear_on(h, steps)) {
        h->phase = HOTSTREAM_P_IDLE;
    }
    return h->phase == HOTSTREAM_P_IDLE;
}

/* Ends what hotstream_work has begun, so that the grammar stands. */
static void hotstream_p_stand(hotstream *h) {
    uint64_t steps = UINT64_MAX;
    if (h->phase != HOTSTREAM_P_IDLE) hotstream_p_digest_on(h, &steps);
    if (h->buffer) hotstream_work(h, 0);
    hotstream_p_flush(h);
    if (h->stale) hotstream_p_rebuild(h);
}

static void hotstream_p_begin_analysis(hotstream *h) {
    uint64_t steps = UINT64_MAX;
    hotstream_p_stand(h);
    hotstream_p_walk_begin(h);
    hotstream_p_walk_on(h, &steps);
}

static uint64_t hotstream_p_covered(hotstream *h, uint64_t heat) {
    uint64_t steps = UINT64_MAX;
    h->threshold = heat;
    hotstream_p_pass_begin(h);
    hotstream_p_pass_on(h, &steps);
    return h->covered;
}

HOTSTREAM_API uint64_t hotstream_analyse(hotstream *h, uint64_t heat, int segments,
                                         hotstream_found_fn found, void *user) {
    hotstream_p_begin_analysis(h);
    h->segments = segments != 0;
    h->found = found;
    h->found_user = user;
    return hotstream_p_covered(h, heat);
}

HOTSTREAM_API uint64_t hotstream_threshold(hotstream *h, double coverage, int segments) {
    uint64_t low = 2 * (uint64_t)h->config.min_length, high, middle, wanted;
    hotstream_p_begin_analysis(h);
    high = h->count + 1;
    wanted = (uint64_t)(coverage * (double)h->count);
    h->segments = segments != 0;
    h->found = NULL;
    if (hotstream_p_covered(h, low) < wanted) return low;
    while (high > low + 1) {
        middle = low + (high - low) / 2;
        if (hotstream_p_covered(h, middle) >= wanted) low = middle;
        else high = middle;
    }
    return low;
}
