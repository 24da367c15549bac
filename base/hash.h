/* hash.h - the tool's one hash table: finds the number of an item by the item's
   key.

   Items stand in a list of their owner. The table holds numbers of them, and
   the hash of each, so that it can grow without asking the owner:

       slots:  | free | hash, 3 | hash, 1 | free | hash, 2 | free | free | free |

   An item stands in the slot that its hash names, or in the next free one
   behind it. At most half of the slots are taken. Finding an item looks at two
   slots on average, and calls the owner only where the hashes are equal.

   The hash has a seed, which is new in every run. So nobody can write a file
   whose keys all want one slot. Numbers are given by the owner, in the order in
   which items come; so the output does not depend on the seed. */
#ifndef HASH_H
#define HASH_H
#include <stddef.h>
#include <stdint.h>

typedef struct hash_slot { uint32_t hash, number; } hash_slot;    /* number 0: free */
typedef struct hash_table {                       /* all zero: empty */
    hash_slot *slots;
    size_t room, used;                            /* room: a power of two, or 0 */
} hash_table;

/* Whether the item of that number has that key. */
typedef int hash_is(const void *owner, uint32_t number, const void *key);

uint64_t hash_bytes(const void *bytes, size_t size);
uint64_t hash_string(const char *string);
uint64_t hash_numbers(uint64_t a, uint64_t b);
/* FNV-1a, without that key: the same in each run and on each machine. before: 0,
   or the hash of what stands in front. */
uint64_t hash_fnv(const void *bytes, size_t size, uint64_t before);

/* The number of the item with that key; 0 if there is none. */
uint32_t hash_find(const hash_table *t, uint64_t hash, hash_is *is, const void *owner,
                   const void *key);
/* The place of that number. It is 0 if the item is new: then the caller must
   put its number there, before the next call. */
uint32_t *hash_place(hash_table *t, uint64_t hash, hash_is *is, const void *owner,
                     const void *key);
/* Forgets all items. A large table is freed, so that emptying it again does not
   cost its size. */
void hash_empty(hash_table *t);
void hash_free(hash_table *t);
#endif
