/* inputs.h - what the inputs of a link have: checks, or none, and why. */
#ifndef CC_INPUTS_H
#define CC_INPUTS_H
#include "cc/run/arguments.h"

enum { CC_INPUT_IS_CXX = 1, CC_INPUT_FOR_LINK = 2 };

/* file: "h.o", or "libh.a(h.o)". what: CC_INPUT_IS_CXX, and CC_INPUT_FOR_LINK if
   the linker's step makes its code. */
typedef void cc_input_found(void *user, const char *file, unsigned what, const char *reason);

/* Gives out each object with code and without checks: of those on the command
   line, of the archives there, and of archives that -l finds in folders of -L.
   makes_later: the linker's step makes code, and gives checks to C++. */
void cc_inputs(const cc_line *line, int makes_later, cc_input_found *found, void *user);
#endif
