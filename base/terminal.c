/* terminal.c - what the user's terminal can show. */
#ifndef _WIN32
#define _DEFAULT_SOURCE 1
#endif
#include "base/terminal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <io.h>
#else
#include <sys/ioctl.h>
#include <unistd.h>
#endif

static int is_terminal(const char *path) {
    if (path && strcmp(path, "-") != 0) return 0;
#ifdef _WIN32
    return _isatty(_fileno(stdout)) != 0;
#else
    return isatty(STDOUT_FILENO) != 0;
#endif
}

int terminal_is_watched(void) {
#ifdef _WIN32
    return _isatty(_fileno(stderr)) != 0;
#else
    return isatty(STDERR_FILENO) != 0;
#endif
}

enum { LEAST_WIDTH = 20 };

/* COLUMNS counts if it is a number from 1 on; 0 and other words stand for
   nothing. */
size_t terminal_width(const char *path) {
    const char *columns = getenv("COLUMNS");
    if (columns && *columns) {
        char *end;
        unsigned long width = strtoul(columns, &end, 10);
        if (*columns != '-' && !*end && width > 0 && width < 100000)
            return width < LEAST_WIDTH ? LEAST_WIDTH : (size_t)width;
    }
    if (!is_terminal(path)) return 0;
#ifdef TIOCGWINSZ
    {
        struct winsize size;
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= LEAST_WIDTH) return size.ws_col;
    }
#endif
    return 80;
}

void terminal_size(size_t *columns, size_t *lines) {
    *columns = 80;
    *lines = 24;
#ifdef TIOCGWINSZ
    {
        struct winsize size;
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return;
        if (size.ws_col >= LEAST_WIDTH) *columns = size.ws_col;
        if (size.ws_row > 0) *lines = size.ws_row;
    }
#endif
}

int terminal_has_colour(const char *path) {
    const char *no = getenv("NO_COLOR"), *kind = getenv("TERM");
    if ((no && *no) || (kind && strcmp(kind, "dumb") == 0)) return 0;
    return is_terminal(path);
}
