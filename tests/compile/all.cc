/* all.cc - all.c as C++. */
#include "all.c"
