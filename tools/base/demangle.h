/* demangle.h - C++ names as they stand in the source. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

/* The name in readable form, to be freed; NULL if it is no mangled name, or
   cannot be read here. The machine's C++ library does the work, if there is
   one: the tool is not linked with it. */
char *demangle(const char *name);
#endif
