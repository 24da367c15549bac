/* test_hotstream_grammar.c - the invariants of hotstream.h's grammar, on every
   short string and on many long ones. */
#define HOTSTREAM_STATIC
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
#define GRAMMAR_EXACT 1
#define GRAMMAR_LENGTH 8
#define GRAMMAR_ROUNDS 1200
#include "hotstream_grammar.inc"
