/* file_name.h - where a program's dump goes: to the file that a variable of the
   environment names, or to `otherwise`. In the name %p stands for the process.
   A child of fork has a file of its own: its number follows a name that
   has no %p. */
#ifndef BURSTY_RECORD_FILE_NAME_H
#define BURSTY_RECORD_FILE_NAME_H
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef FILE_NAME_HOOK
#define FILE_NAME_HOOK
#endif

/* A name that has no room, of which 64 bytes are for numbers, is cut. */
FILE_NAME_HOOK static void file_name(char *path, size_t room, const char *variable,
                                     const char *otherwise, int is_child) {
    const char *wanted = getenv(variable);
    size_t n = 0;
    int numbered = 0;
    if (!wanted || !*wanted) wanted = otherwise;
    for (; *wanted && n < room - 64; wanted++) {
        if (wanted[0] == '%' && wanted[1] == 'p') {
            n += (size_t)snprintf(path + n, 32, "%ld", (long)getpid());
            numbered = 1;
            wanted++;
        } else {
            path[n++] = *wanted;
        }
    }
    path[n] = 0;
    if (is_child && !numbered) snprintf(path + n, 32, ".%ld", (long)getpid());
}

#endif
