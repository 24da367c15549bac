/* caches.c - LRU caches of several sizes in one list, with marks. */
#include "caches.h"
#include <string.h>

enum { BLOCKS_MOST = 1 << 26 };

static uint32_t blocks_of(uint64_t bytes) {
    return bytes >> CACHES_BLOCK_LOG2 > BLOCKS_MOST ? 0 : (uint32_t)(bytes >> CACHES_BLOCK_LOG2);
}

static uint32_t log2_of(uint32_t most) {
    uint32_t log2 = 4;
    while (log2 < 31 && UINT32_C(1) << log2 < most) log2++;
    return log2;
}

size_t caches_bytes(const uint64_t *bytes, uint32_t count) {
    uint32_t n, before = 0;
    if (count == 0 || count > CACHES_SIZES) return 0;
    for (n = 0; n < count; n++) {
        if (blocks_of(bytes[n]) <= before) return 0;
        before = blocks_of(bytes[n]);
    }
    return sizeof(uint32_t) * ((size_t)1 << log2_of(before))
           + sizeof(caches_node) * ((size_t)before + 1);
}

void caches_init(caches *c, void *memory, const uint64_t *bytes, uint32_t count) {
    uint32_t n;
    memset(c, 0, sizeof *c);
    c->count = count;
    for (n = 0; n < count; n++) c->blocks[n] = blocks_of(bytes[n]);
    c->hash_log2 = log2_of(c->blocks[count - 1]);
    c->nodes = (caches_node *)memory;
    c->heads = (uint32_t *)(void *)(c->nodes + c->blocks[count - 1] + 1);
}

static uint32_t *head_of(const caches *c, uint64_t block) {
    return &c->heads[(block * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - c->hash_log2)];
}

static void put_first(caches *c, uint32_t number) {
    caches_node *node = &c->nodes[number];
    node->newer = 0;
    node->older = c->first;
    node->zone = 0;
    if (c->first) c->nodes[c->first].newer = number;
    else c->last = number;
    c->first = number;
}

static void take_out(caches *c, uint32_t number) {
    const caches_node *node = &c->nodes[number];
    if (node->newer) c->nodes[node->newer].older = node->older;
    else c->first = node->older;
    if (node->older) c->nodes[node->older].newer = node->newer;
    else c->last = node->newer;
}

/* The block at this mark is one deeper now. */
static void push_mark(caches *c, uint32_t n) {
    caches_node *node = &c->nodes[c->mark[n]];
    node->zone = n + 1;
    c->mark[n] = node->newer;
}

static void forget_last(caches *c) {
    uint32_t number = c->last, *at = head_of(c, c->nodes[number].block);
    while (*at != number) at = &c->nodes[*at].chained;
    *at = c->nodes[number].chained;
    take_out(c, number);
}

static uint32_t access_new(caches *c, uint64_t block, uint32_t *head) {
    uint32_t most = c->blocks[c->count - 1], before = c->used, number, n, missed = 0;
    uint32_t is_full = before == most;
    if (is_full) {
        number = c->last;
        c->mark[c->count - 1] = c->nodes[number].newer;
        forget_last(c);
    } else number = ++c->used;
    c->nodes[number].block = block;
    c->nodes[number].chained = *head;
    *head = number;
    put_first(c, number);
    if (is_full && most == 1) c->mark[c->count - 1] = number;
    for (n = 0; n < c->count; n++) {
        if (before >= c->blocks[n]) {
            missed++;
            if (!is_full || n + 1 < c->count) push_mark(c, n);
        } else if (c->used == c->blocks[n]) c->mark[n] = c->last;
    }
    return missed | CACHES_FIRST;
}

uint32_t caches_access(caches *c, uint64_t block) {
    uint32_t *head = head_of(c, block), number = *head, zone, n;
    caches_node *node;
    while (number && c->nodes[number].block != block) number = c->nodes[number].chained;
    if (!number) return access_new(c, block, head);
    if (number == c->first) return 0;
    node = &c->nodes[number];
    zone = node->zone;
    if (zone < c->count && c->mark[zone] == number) c->mark[zone] = node->newer;
    take_out(c, number);
    put_first(c, number);
    for (n = 0; n < zone; n++) push_mark(c, n);
    return zone;
}

void caches_empty(caches *c) {
    uint32_t number;
    for (number = 1; number <= c->used; number++) *head_of(c, c->nodes[number].block) = 0;
    memset(c->mark, 0, sizeof c->mark);
    c->used = c->first = c->last = 0;
}
