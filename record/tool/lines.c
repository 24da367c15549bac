/* lines.c - the writer of ticks by their place in the code, which the recorder
   has, too. */
#include "record/inside/core/lines.c"
