/* hash.c - the hash table of the tool, and its hash function.

   The function is SipHash of Aumasson and Bernstein with one round for each
   eight bytes and three at the end, under a key of 128 bits. It was made for
   this: without the key nobody can find two inputs of one hash, nor many that
   share some of its bits. */
#ifdef _WIN32
#define _CRT_RAND_S 1
#endif
#include "base/hash.h"
#include "base/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the key ------------------------------------------------------------------------------ */

static int system_bytes(void *bytes, size_t size) {
#ifdef _WIN32
    unsigned char *at = (unsigned char *)bytes;
    for (; size; size--) {
        unsigned number;
        if (rand_s(&number) != 0) return -1;
        *at++ = (unsigned char)number;
    }
    return 0;
#else
    FILE *file = fopen("/dev/urandom", "rb");
    size_t got;
    if (!file) return -1;
    setvbuf(file, NULL, _IONBF, 0);
    got = fread(bytes, 1, size, file);
    fclose(file);
    return got == size ? 0 : -1;
#endif
}

/* Without random bytes from the system the time and two addresses must do: they
   are different in each run, and nobody who writes a file knows them. */
static const uint64_t *the_key(void) {
    static uint64_t key[2];
    static int is_known;
    if (is_known) return key;
    is_known = 1;
    if (system_bytes(key, sizeof key) != 0) {
        void *block = malloc(1);
        key[0] = (uint64_t)(uintptr_t)block << 32 ^ (uint64_t)time(NULL);
        key[1] = (uint64_t)(uintptr_t)&block << 16 ^ (uint64_t)clock();
        free(block);
    }
    return key;
}

/* ---- the function ------------------------------------------------------------------------- */

static uint64_t turn(uint64_t x, unsigned bits) { return x << bits | x >> (64 - bits); }

static void mix(uint64_t v[4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = turn(v[1], 13) ^ v[0];
    v[3] = turn(v[3], 16) ^ v[2];
    v[0] = turn(v[0], 32) + v[3];
    v[2] += v[1];
    v[1] = turn(v[1], 17) ^ v[2];
    v[3] = turn(v[3], 21) ^ v[0];
    v[2] = turn(v[2], 32);
}

static void start(uint64_t v[4]) {
    const uint64_t *key = the_key();
    v[0] = key[0] ^ UINT64_C(0x736F6D6570736575);
    v[1] = key[1] ^ UINT64_C(0x646F72616E646F6D);
    v[2] = key[0] ^ UINT64_C(0x6C7967656E657261);
    v[3] = key[1] ^ UINT64_C(0x7465646279746573);
}

static void take(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    mix(v);
    v[0] ^= word;
}

static uint64_t finish(uint64_t v[4]) {
    v[2] ^= 0xFF;
    mix(v);
    mix(v);
    mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t hash_bytes(const void *bytes, size_t size) {
    const unsigned char *at = (const unsigned char *)bytes;
    uint64_t v[4], word, last = (uint64_t)(size & 255) << 56;
    size_t i;
    start(v);
    for (; size >= 8; size -= 8, at += 8) {
        memcpy(&word, at, 8); /* the order of bytes does not matter: hashes stay in this run */
        take(v, word);
    }
    for (i = 0; i < size; i++) last |= (uint64_t)at[i] << 8 * i;
    take(v, last);
    return finish(v);
}

uint64_t hash_string(const char *string) { return hash_bytes(string, strlen(string)); }

uint64_t hash_numbers(uint64_t a, uint64_t b) {
    uint64_t v[4];
    start(v);
    take(v, a);
    take(v, b);
    return finish(v);
}

uint64_t hash_fnv(const void *bytes, size_t size, uint64_t before) {
    const unsigned char *at = (const unsigned char *)bytes;
    uint64_t hash = before ? before : UINT64_C(0xCBF29CE484222325);
    for (; size; size--, at++) hash = (hash ^ *at) * UINT64_C(0x100000001B3);
    return hash;
}

/* ---- the table ---------------------------------------------------------------------------- */

/* The item's slot, or the free one where it would stand. */
static hash_slot *seek(const hash_table *t, uint32_t hash, hash_is *is, const void *owner,
                       const void *key) {
    size_t at = hash & (t->room - 1);
    for (; t->slots[at].number; at = (at + 1) & (t->room - 1)) {
        if (t->slots[at].hash == hash && is(owner, t->slots[at].number, key)) break;
    }
    return &t->slots[at];
}

static void grow(hash_table *t) {
    hash_table old = *t;
    size_t i;
    t->room = old.room ? 2 * old.room : 8;
    t->slots = (hash_slot *)tool_alloc(t->room * sizeof *t->slots);
    for (i = 0; i < old.room; i++) {
        size_t at = old.slots[i].hash & (t->room - 1);
        if (!old.slots[i].number) continue;
        while (t->slots[at].number) at = (at + 1) & (t->room - 1);
        t->slots[at] = old.slots[i];
    }
    free(old.slots);
}

uint32_t hash_find(const hash_table *t, uint64_t hash, hash_is *is, const void *owner,
                   const void *key) {
    return t->room ? seek(t, (uint32_t)hash, is, owner, key)->number : 0;
}

uint32_t *hash_place(hash_table *t, uint64_t hash, hash_is *is, const void *owner,
                     const void *key) {
    hash_slot *slot;
    if (2 * t->used >= t->room) grow(t);
    slot = seek(t, (uint32_t)hash, is, owner, key);
    if (slot->number == 0) {
        slot->hash = (uint32_t)hash;
        t->used++;
    }
    return &slot->number;
}

void hash_empty(hash_table *t) {
    enum { LARGE = 1024 };
    if (t->room > LARGE) hash_free(t);
    if (t->room) memset(t->slots, 0, t->room * sizeof *t->slots);
    t->used = 0;
}

void hash_free(hash_table *t) {
    free(t->slots);
    memset(t, 0, sizeof *t);
}
