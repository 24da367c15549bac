/* demangle.h - names of C++, Rust and D as they stand in the source. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

/* The name in readable form, to be freed; NULL if it is no mangled name, or
   cannot be read here. For C++ the machine's library does the work, if there is
   one: the tool is not linked with it. */
char *demangle(const char *name);

/* The same for Rust alone, without hashes. */
char *demangle_rust(const char *name);

/* The same for D alone: without what a function returns. */
char *demangle_d(const char *name);
#endif
