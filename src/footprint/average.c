/* ---- averages alone ---- */

/* Lays everything out from base on: tables of gaps, groups, the table of
   blocks. If base is NULL it only returns how many bytes that takes. The table
   is never more than three quarters full. */
static uint64_t footprint_p_average_layout(footprint_average *av, unsigned char *base,
                                           uint32_t buckets) {
    uint64_t at = 0, fixed, columns = av->columns;
    av->buckets = buckets;
    av->cap = buckets - buckets / 4;
    av->gap = (footprint_p_gap *)footprint_p_take(base, &at, columns + 1, sizeof *av->gap);
    av->scratch = (footprint_p_gap *)footprint_p_take(base, &at, columns + 1, sizeof *av->gap);
    at = footprint_p_layout_bursts(&av->bursts, base, at, av->flags, 1, av->columns);
    fixed = at;
    av->table = (footprint_entry *)footprint_p_take(base, &at, buckets + UINT64_C(1),
                                                    sizeof *av->table);
    av->table_bytes = (size_t)(at - fixed);
    av->bytes = (size_t)at;
    return at;
}

static void footprint_p_average_configure(footprint_average *av, const footprint_config *config) {
    footprint_p_zero(av, sizeof *av);
    av->end = footprint_p_settings(&av->config, config, &av->columns);
    av->flags = av->config.flags & FOOTPRINT_BURSTS;
    av->sample_log2 = av->config.sample_log2;
    av->is_followed = 1;
}

FOOTPRINT_API size_t footprint_average_bytes(const footprint_config *config, uint32_t blocks) {
    footprint_average av;
    uint64_t bytes;
    footprint_p_average_configure(&av, config);
    bytes = footprint_p_average_layout(&av, NULL, footprint_p_slots(&av.config, blocks)) + 15;
    return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}

FOOTPRINT_API uint32_t footprint_average_init(footprint_average *av, void *memory, size_t bytes,
                                              const footprint_config *config) {
    unsigned char *base = (unsigned char *)memory;
    size_t skip = (size_t)(0 - (uintptr_t)memory) & 15, room, least;
    uint32_t most;
    footprint_p_average_configure(av, config);
    av->config.alloc = NULL;
    least = (size_t)footprint_p_average_layout(av, NULL, 64);
    room = memory != NULL && bytes > skip ? bytes - skip : 0;
    if (least > room) {
        footprint_p_zero(av, sizeof *av);
        return 0;
    }
    most = footprint_p_slots(&av->config, UINT64_MAX);
    room = (room - least) / sizeof(footprint_entry);
    footprint_p_average_layout(av, base + skip, room < most - 64 ? 64 + (uint32_t)room : most);
    footprint_p_zero(base + skip, av->bytes);
    return av->cap;
}

FOOTPRINT_API uint32_t footprint_average_open(footprint_average *av,
                                              const footprint_config *config) {
    footprint_p_average_configure(av, config);
    footprint_p_average_layout(av, NULL, footprint_p_slots(&av->config, FOOTPRINT_P_FIRST));
    if (av->config.alloc) av->memory = av->config.alloc(av->config.user, av->bytes);
    if (!av->memory) {
        footprint_p_zero(av, sizeof *av);
        return 0;
    }
    footprint_p_average_layout(av, (unsigned char *)av->memory, av->buckets);
    footprint_p_zero(av->memory, av->bytes);
    return av->cap;
}

/* A closed footprint_average, like one whose init failed, counts nothing: all
   accesses are lost. */
FOOTPRINT_API void footprint_average_close(footprint_average *av) {
    if (av->memory && av->config.release) av->config.release(av->config.user, av->memory);
    footprint_p_zero(av, sizeof *av);
}

/* Returns the bucket of a block, or the empty one where it belongs. */
static uint32_t footprint_p_average_find(const footprint_average *av, uint64_t block) {
    const footprint_entry *table = av->table, *end = table + av->buckets;
    const footprint_entry *entry = table + (footprint_p_hash(block) * av->buckets >> 32);
    while (entry->time && entry->block != block) {
        if (++entry == end) entry = table;
    }
    return (uint32_t)(entry - table);
}

/* Moves everything to larger memory. Returns 1, or 0 if there is none; then
   nothing has changed. */
static int footprint_p_average_grow(footprint_average *av) {
    footprint_average old = *av;
    uint64_t most = footprint_p_slots(&av->config, UINT64_MAX);
    uint64_t buckets = av->buckets + (uint64_t)av->buckets / 2;
    uint32_t i;
    if (buckets > most) buckets = most;
    if (buckets <= av->buckets || !av->config.alloc || av->flags & FOOTPRINT_FULL) return 0;
    footprint_p_average_layout(av, NULL, (uint32_t)buckets);
    av->memory = av->config.alloc(av->config.user, av->bytes);
    if (!av->memory) {
        *av = old;
        return 0;
    }
    footprint_p_average_layout(av, (unsigned char *)av->memory, (uint32_t)buckets);
    footprint_p_copy(av->memory, old.memory, av->bytes - av->table_bytes);
    footprint_p_zero(av->table, av->table_bytes);
    for (i = 0; i < old.buckets; i++) {
        uint32_t bucket;
        if (old.table[i].time == 0) continue;
        bucket = footprint_p_average_find(av, old.table[i].block);
        av->table[bucket] = old.table[i];
        if (i == old.newest) av->newest = bucket;
        if (i == old.second) av->second = bucket;
    }
    if (av->config.release) av->config.release(av->config.user, old.memory);
    return 1;
}

/* An access is one look-up of the block's latest time, and one addition to a
   gap ("averages, from gaps"). The two latest blocks stand at `newest` and
   `second`. Invariant: outside footprint_p_average_each their times are right;
   inside, they are kept in registers. */

/* Adds the gaps that are open at n + 1, of all blocks that are followed. */
static void footprint_p_average_open_gaps(const footprint_average *av, footprint_p_gap *gap,
                                          uint64_t weight) {
    uint32_t i;
    for (i = 0; i < av->buckets; i++) {
        const footprint_entry *entry = &av->table[i];
        if (entry->time)
            footprint_p_gap_sum(gap, av->columns, av->now + 2 - entry->time, weight);
    }
}

/* Adds all that the burst under way has beside its reuses. */
static void footprint_p_average_close_gaps(const footprint_average *av, footprint_p_gap *open) {
    uint64_t origin = av->bursts.origin;
    footprint_p_average_open_gaps(av, open, UINT64_C(1) << av->sample_log2);
    footprint_p_followed_gap(open, av->columns, av->now - origin, av->start - origin,
                             av->followed);
}

FOOTPRINT_API void footprint_average_burst(footprint_average *av) {
    footprint_bursts *bursts = &av->bursts;
    uint64_t n = av->now - bursts->origin;
    if (n == 0) return;
    footprint_p_average_close_gaps(av, bursts->open);
    footprint_p_zero(av->table, av->table_bytes);
    av->tracked = av->newest = av->second = 0;
    av->followed = 0;
    av->start = av->now;
    av->flags |= FOOTPRINT_BURSTS;
    if (!footprint_p_end_burst(bursts, av->columns, n, av->first)) return;
    footprint_p_sum_gaps(av->gap, bursts->open, bursts->length, av->columns, 0,
                         footprint_p_group_total(bursts, av->columns));
    bursts->group = (bursts->group + 1) % FOOTPRINT_GROUPS;
    bursts->turned = av->now;
    footprint_p_sum_gaps(av->gap, bursts->open, bursts->length, av->columns, 1,
                         footprint_p_group_total(bursts, av->columns));
}

/* Keeps only the blocks that are still followed. What lies behind a removed
   entry is put in anew; to cut no run of entries in two, this starts behind an
   empty one. */
static void footprint_p_average_drop(footprint_average *av) {
    uint32_t empty = 0, i;
    av->tracked = 0;
    while (av->table[empty].time) empty++;
    for (i = 1; i <= av->buckets; i++) {
        footprint_entry *entry = &av->table[(empty + i) % av->buckets], kept = *entry;
        entry->time = 0;
        if (kept.time == 0 || footprint_p_left_out(av->sample_log2, kept.block)) continue;
        av->table[footprint_p_average_find(av, kept.block)] = kept;
        av->tracked++;
    }
}

/* The table is full: halves the sampling ratio until the blocks fit. */
static void footprint_p_average_thin(footprint_average *av) {
    av->flags |= FOOTPRINT_FULL;
    footprint_p_average_close_gaps(av, av->bursts.open);
    do {
        av->sample_log2++;
        footprint_p_average_drop(av);
    } while (av->tracked >= av->cap && av->sample_log2 < 63);
    av->start = av->now;
    av->followed = (uint64_t)av->tracked << av->sample_log2;
    footprint_p_average_open_gaps(av, av->bursts.open, 0 - (UINT64_C(1) << av->sample_log2));
}

/* The latest access is to a block that is not followed yet. */
static void footprint_p_average_new_block(footprint_average *av) {
    uint64_t weight = UINT64_C(1) << av->sample_log2;
    footprint_p_first_gap(av->bursts.open, av->columns, av->now - av->bursts.origin,
                          av->start - av->bursts.origin, av->sample_log2);
    av->first += weight;
    av->followed += weight;
    av->tracked++;
}

/* Any access: the block may be new, or not be followed. */
static FOOTPRINT_P_APART void footprint_p_average_access(footprint_average *av, uint64_t block) {
    uint64_t now = ++av->now;
    uint32_t bucket;
    av->is_followed = !footprint_p_left_out(av->sample_log2, block);
    if (!av->is_followed) return;
    bucket = footprint_p_average_find(av, block);
    if (av->table[bucket].time == 0) {
        if (av->tracked >= av->cap) {
            if (!footprint_p_average_grow(av)) {
                av->now--;                                  /* up to the access before this one */
                footprint_p_average_thin(av);
                av->now++;
                av->is_followed = !footprint_p_left_out(av->sample_log2, block);
                if (!av->is_followed) return;
            }
            bucket = footprint_p_average_find(av, block);
        }
        av->table[bucket].block = block;
        footprint_p_average_new_block(av);
    } else {
        footprint_p_gap_far(av->gap, av->columns, now - av->table[bucket].time + 1,
                            av->sample_log2);
    }
    av->table[bucket].time = now;
    if (bucket != av->newest) av->second = av->tracked == 1 ? bucket : av->newest;
    av->newest = bucket;
}

/* blocks[0..count), all of them followed, after a first access. The two latest
   blocks and the time of the second stay in registers. Returns how many
   accesses were counted: fewer if sampling began. */
static FOOTPRINT_P_ALWAYS size_t footprint_p_average_each(footprint_average *av,
                                                          const uint64_t *blocks, size_t count,
                                                          int ahead) {
    footprint_entry *table = av->table, *one = table + av->newest, *two = table + av->second;
    footprint_entry *last = table + av->buckets, *entry;
    footprint_p_gap *gap = av->gap;
    uint64_t first = one->block, second = two->block, time = two->time;
    uint64_t now = av->now, start = now, end = now + count;
    uint64_t columns = av->columns, buckets = av->buckets;
    for (; now < end; now++) {
        const uint64_t *at = blocks + (size_t)(now - start);
        uint64_t block = *at;
        if (ahead && end - now > FOOTPRINT_P_AHEAD) {
            uint64_t later = footprint_p_hash(at[FOOTPRINT_P_AHEAD]);
            FOOTPRINT_P_PREFETCH(table + (later * buckets >> 32));
        }
        if (block == first) continue;
        if (block == second) {
            footprint_p_gap_far(gap, columns, now - time + 2, 0);
            entry = two;
        } else {
            two->time = time;
            one->time = now;
            entry = table + (footprint_p_hash(block) * buckets >> 32);
            while (entry->block != block && entry->time) {
                if (++entry == last) entry = table;
            }
            if (FOOTPRINT_P_UNLIKELY(entry->time == 0)) {
                av->newest = (uint32_t)(one - table);
                av->second = (uint32_t)(two - table);
                av->now = now;
                footprint_p_average_access(av, block);
                if (av->sample_log2) return (size_t)(now + 1 - start);
                table = av->table;
                gap = av->gap;
                buckets = av->buckets;
                last = table + buckets;
                one = table + av->newest;
                two = table + av->second;
                first = block;
                second = two->block;
                time = two->time;
                continue;
            }
            footprint_p_gap_far(gap, columns, now - entry->time + 2, 0);
        }
        two = one;
        one = entry;
        second = first;
        first = block;
        time = now;
    }
    two->time = time;
    one->time = now;
    av->newest = (uint32_t)(one - table);
    av->second = (uint32_t)(two - table);
    av->now = now;
    return count;
}

static FOOTPRINT_P_APART size_t footprint_p_average_plain(footprint_average *av,
                                                          const uint64_t *blocks, size_t count) {
    return footprint_p_average_each(av, blocks, count, 0);
}

static FOOTPRINT_P_APART size_t footprint_p_average_ahead(footprint_average *av,
                                                          const uint64_t *blocks, size_t count) {
    return footprint_p_average_each(av, blocks, count, 1);
}

FOOTPRINT_API void footprint_average_access(footprint_average *av, uint64_t block) {
    if (av->now < av->end) {
        footprint_p_average_access(av, block);
        return;
    }
    av->lost = footprint_p_sat_add(av->lost, 1);
    av->flags |= FOOTPRINT_ENDED;
}

FOOTPRINT_API void footprint_average_access_many(footprint_average *av, const uint64_t *blocks,
                                                 size_t count) {
    const uint64_t *end = blocks + count;
    FOOTPRINT_ASSERT(blocks != NULL || count == 0);
    while (blocks < end) {
        size_t most = (size_t)(end - blocks) < 1024 ? (size_t)(end - blocks) : 1024;
        if (av->sample_log2 || av->now == av->bursts.origin || av->now >= av->end) {
            footprint_average_access(av, *blocks++);
            continue;
        }
        if (most > av->end - av->now) most = (size_t)(av->end - av->now);
        blocks += av->table_bytes > FOOTPRINT_P_LARGE ? footprint_p_average_ahead(av, blocks, most)
                                                : footprint_p_average_plain(av, blocks, most);
    }
}

FOOTPRINT_API void footprint_average_access_repeat(footprint_average *av, uint64_t count) {
    uint64_t most = av->end - av->now;
    if (av->now == av->bursts.origin) return;
    if (count > most) {
        av->flags |= FOOTPRINT_ENDED;
        av->lost = footprint_p_sat_add(av->lost, count - most);
        count = most;
    }
    av->now += count;
    if (av->is_followed) av->table[av->newest].time = av->now;
}

FOOTPRINT_API void footprint_average_reference(footprint_average *av, const void *address,
                                               size_t bytes) {
    uint64_t block = (uint64_t)(uintptr_t)address >> av->config.block_log2;
    uint64_t last = footprint_p_last_block(address, bytes, av->config.block_log2);
    for (; block < last; block++) footprint_average_access(av, block);
    footprint_average_access(av, last);
}

FOOTPRINT_API void footprint_average_get_stats(const footprint_average *av, footprint_stats *out) {
    out->accesses = av->now;
    out->lost = av->lost;
    out->accesses_max = av->end;
    out->blocks = footprint_p_blocks(av->first, av->now);
    out->forgotten = 0;
    out->memory_bytes = av->bytes;
    out->blocks_bytes = av->table_bytes;
    out->flags = av->flags;
    out->sample_log2 = av->sample_log2;
}



FOOTPRINT_API size_t footprint_average_snapshot_bytes(const footprint_average *av) {
    return footprint_profile_bytes(1, av->columns, av->bursts.total ? FOOTPRINT_BURSTS : 0);
}

FOOTPRINT_API int footprint_average_snapshot(const footprint_average *av,
                                             footprint_profile *profile, void *memory,
                                             size_t bytes) {
    footprint_bursts bursts = av->bursts;
    uint64_t n = av->now - bursts.origin;
    uint32_t b;
    if (footprint_profile_init(profile, 1, av->columns, bursts.total ? FOOTPRINT_BURSTS : 0,
                               memory, bytes)) return -1;
    profile->accesses = av->now;
    profile->blocks = footprint_p_blocks(av->first, av->now);
    profile->flags = av->flags | FOOTPRINT_AVERAGE;
    profile->sample_log2 = av->sample_log2;
    profile->block_log2 = av->config.block_log2;
    if (av->now == 0) return 0;
    if (av->flags & FOOTPRINT_BURSTS) profile->bursts = bursts.count + (n > 0);
    else if (av->now <= av->config.window_max) {
        profile->last_window = av->now;
        profile->last_blocks = profile->blocks;
    }
    footprint_p_copy(av->scratch, bursts.open, (av->columns + 1) * sizeof *av->scratch);
    footprint_p_average_close_gaps(av, av->scratch);
    if (n) footprint_p_gap_sum(bursts.length, av->columns, n + 2, 1);
    footprint_p_sum_gaps(av->gap, av->scratch, bursts.length, av->columns, 0, profile->total);
    footprint_p_copy_groups(&bursts, profile);
    if (profile->groups)
        footprint_p_sum_gaps(av->gap, av->scratch, bursts.length, av->columns, 0,
                             profile->group_total + bursts.group * (size_t)av->columns);
    if (n) footprint_p_gap_sum(bursts.length, av->columns, n + 2, UINT64_MAX);
    for (b = 0; b <= av->columns; b++) profile->reuse[b] = av->gap[b].count;
    for (b = 1; b < av->columns && av->sample_log2; b++)
        footprint_p_bound_total(&profile->total[b], footprint_bin_high(b), profile->blocks);
    return 0;
}
