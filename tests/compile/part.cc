/* part.cc - part.c as C++: linked with all.c compiled as C, it shows that extern "C" is complete. */
#include "part.c"
