/* string.h - see stdio.h. */
#ifndef SYSTEM_STRING_H
#define SYSTEM_STRING_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *left, const void *right, size_t size);
int strcmp(const char *left, const char *right);
size_t strlen(const char *text);
#ifdef __cplusplus
}
#endif
#endif
