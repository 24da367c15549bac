/* twice.h - calls that may return a second time. */
#ifndef CC_TWICE_H
#define CC_TWICE_H
#include "cc/read/token.h"

/* The name at token i if it is one of setjmp's kind, as in the list of twice.c,
   or else NULL. */
const char *cc_returns_twice(const cc_tokens *t, uint32_t i);

#endif
