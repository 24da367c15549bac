/* whole.h - bursty.h with its implementation. With QUICK the implementation is
   compiled without an optimizer: where one program is compiled again and again
   with other options, for what they make of the checks in its functions. */
#include "bursty.h"
#if defined(QUICK) && defined(__clang__)
#pragma clang optimize off
#elif defined(QUICK)
#pragma GCC push_options
#pragma GCC optimize("O0")
#endif
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#if defined(QUICK) && defined(__clang__)
#pragma clang optimize on
#elif defined(QUICK)
#pragma GCC pop_options
#endif
