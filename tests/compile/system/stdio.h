/* stdio.h - what the headers need of a hosted system that is not here; to
   compile against, not to run. One of each in this folder: Microsoft's compiler
   and macOS. */
#ifndef SYSTEM_STDIO_H
#define SYSTEM_STDIO_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct FILE FILE;
FILE *fopen(const char *path, const char *mode);
int fclose(FILE *file);
int fflush(FILE *file);
int setvbuf(FILE *file, char *buffer, int mode, size_t size);
#define _IOFBF 0
size_t fwrite(const void *data, size_t size, size_t count, FILE *file);
int remove(const char *path);
int rename(const char *from, const char *to);
#ifdef __cplusplus
}
#endif
#endif
