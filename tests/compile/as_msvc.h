/* as_msvc.h - makes clang look like Microsoft's compiler to what comes behind
   it: included first, by
   -include. The headers of the system stand in front, since mingw's know their own compiler
   alone. */
#include <errno.h>
#include <intrin.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#define __INTRIN_H /* they are here */
#undef __GNUC__
#undef __clang__
#undef _MSC_VER
#define _MSC_VER 1930
#undef _ReadWriteBarrier /* mingw's is a statement, Microsoft's is a function */
#ifdef __cplusplus
extern "C"
#endif
void _ReadWriteBarrier(void);
