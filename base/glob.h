/* glob.h - patterns of names, as --only and --not take them everywhere.

   `*` stands for any characters, also none, and `?` for exactly one; every
   other character stands for itself, so that there are no [sets] and no
   escapes. On a mismatch the last `*` takes one character more, hence the time
   is at most the length of the pattern times that of the name.

   The tools include this, and so does the recorder that runs inside programs
   (record/inside/preload/patch.c): it takes no memory and calls nothing. */
#ifndef GLOB_H
#define GLOB_H
#include <stddef.h>

/* Does the pattern match all of name[0..size)? */
static inline int glob_matches(const char *pattern, const char *name, size_t size) {
    const char *star = NULL;
    size_t at = 0, retry = 0;
    while (at < size) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = at;
        } else if (*pattern && (*pattern == '?' || *pattern == name[at])) {
            pattern++;
            at++;
        } else if (star) {
            pattern = star;
            at = ++retry;
        } else {
            return 0;
        }
    }
    while (*pattern == '*') pattern++;
    return *pattern == 0;
}

/* Does one of the patterns match? The list is ended by NULL; an empty list and
   NULL match nothing. */
static inline int glob_any_matches(const char *const *patterns, const char *name, size_t size) {
    for (; patterns && *patterns; patterns++) {
        if (glob_matches(*patterns, name, size)) return 1;
    }
    return 0;
}

/* What --only and --not leave: a name that one of `only` matches (if there are
   any), and none of not_these. */
static inline int glob_wants(const char *const *only, const char *const *not_these,
                             const char *name, size_t size) {
    if (only && *only && !glob_any_matches(only, name, size)) return 0;
    return !glob_any_matches(not_these, name, size);
}
#endif
