/* glob.h - patterns of names, as --only and --not take them everywhere.

   `*` stands for any characters, also none, and `?` for exactly one; every
   other character stands for itself, so that there are no [sets] and no
   escapes. On a mismatch the last `*` takes one character more, hence the time
   is at most the length of the pattern times that of the name.

   The tools include this, and so does the recorder that runs inside programs
   (record/inside/preload/patch.c): it takes no memory. */
#ifndef GLOB_H
#define GLOB_H
#include <stddef.h>
#include <string.h>

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

/* The function's name alone in a name as it stands in the source:
   "void (anonymous namespace)::sort<int>(int*) const [clone .cold]" has
   "(anonymous namespace)::sort<int>". Only templates begin with a result. */
static inline const char *glob_function(const char *name, size_t *size) {
    const char *clone = strstr(name, " [clone "), *end = clone ? clone : name + strlen(name);
    const char *at = end, *from = name;
    int open = 0;
    while (at > name && at[-1] != ')') at--;
    for (; at > name; at--) {
        if (at[-1] == ')') open++;
        if (at[-1] == '(' && --open == 0) break;
    }
    end = at > name ? at - 1 : name + strlen(name);
    for (open = 0, at = name; at < end; at++) {
        if (strchr("<([{", *at)) open++;
        if (strchr(">)]}", *at)) open--;
        if (*at != ' ' || open) continue;
        if (at - name >= 8 && !memcmp(at - 8, "operator", 8)) break;
        from = at + 1;
    }
    *size = (size_t)(end - from);
    return from;
}

/* Does the pattern match it, with or without its result and its parameters? */
static inline int glob_matches_function(const char *pattern, const char *name) {
    size_t size;
    const char *from = glob_function(name, &size);
    return glob_matches(pattern, name, strlen(name))
           || glob_matches(pattern, name, (size_t)(from - name) + size)
           || glob_matches(pattern, from, strlen(from)) || glob_matches(pattern, from, size);
}
#endif
