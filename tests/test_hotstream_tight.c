/* test_hotstream_tight.c - the same with all that can be tight made tight: a
   single digram may wait, the cursor descends one rule, hashes have five bits,
   one free node is the reserve. Looks are left out then, but nothing is ever
   wrong. */
#define HOTSTREAM_STATIC
#define HOTSTREAM_PENDING 1
#define HOTSTREAM_P_DEPTH 1
#define HOTSTREAM_P_HASH_BITS 5
#define HOTSTREAM_P_RESERVE 1
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
#define GRAMMAR_EXACT 0
#define GRAMMAR_LENGTH 6
#define GRAMMAR_ROUNDS 400
#include "hotstream_grammar.inc"
