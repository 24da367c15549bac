/* where.c - a program is compiled in several folders: a/util.c and b/util.c may
   both be named "util.c", and src/list.h "../src/list.h". In a report of the
   whole program each has one name. */
#include "cc/run/where.h"
#include "base/text.h"
#include "base/tool.h"
#include "base/save.h"
#include "cc/run/arguments.h"
#include <stdlib.h>
#include <string.h>

/* Takes "." and ".." out of an absolute name, in place. */
static void shorten(char *name) {
    char *from = name, *to = name;
    while (*from) {
        size_t size = strcspn(from + 1, "/");       /* *from is a slash */
        if (size == 2 && memcmp(from, "/..", 3) == 0) {
            while (to > name && *--to != '/') {}
        } else if (size > 0 && !(size == 1 && from[1] == '.')) {
            memmove(to, from, size + 1);
            to += size + 1;
        }
        from += size + 1;
    }
    *to = 0;
}

/* The last of the options whose OLD the name begins with decides, as in gcc and
   clang. NULL: none. */
static char *mapped(const cc_line *line, const char *name) {
    static const char *const options[] = {"-ffile-prefix-map=", "-fprofile-prefix-map=",
                                          "-fcoverage-prefix-map="};
    text out = {NULL, 0, 0};
    size_t i = line->words.count, k;
    while (i-- > 0) {
        const char *word = line->words.words[i], *equal;
        size_t size;
        for (k = 0; k < sizeof options / sizeof *options; k++) {
            if (strncmp(word, options[k], strlen(options[k])) == 0) break;
        }
        if (k == sizeof options / sizeof *options) continue;
        word += strlen(options[k]);
        equal = strrchr(word, '=');
        size = equal ? (size_t)(equal - word) : 0;
        if (!equal || strncmp(name, word, size) != 0) continue;
        text_add(&out, equal + 1);
        text_add(&out, name + size);
        return text_take(&out);
    }
    return NULL;
}

/* The absolute name. */
static char *absolute(const char *here, const char *name) {
    char *folder = cc_join(here, "/"), *whole = cc_join(*name != '/' ? folder : "", name), *plain;
    size_t size;
    free(folder);
    plain = cc_join(whole, "");
    shorten(plain);
    /* Behind a link to a folder, ".." is somewhere else. */
    if (cc_regular_size(whole, &size) == 0 && !save_is_same(plain, whole)) {
        free(plain);
        return whole;
    }
    free(whole);
    return plain;
}

/* What the compiler maps is the name as it was given; who maps the folder means
   the absolute one. */
char *cc_where(const void *command, const char *name) {
    const cc_line *line = (const cc_line *)command;
    char *here = cc_here(), *other = mapped(line, name), *whole;
    if (!other && *name && *name != '<' && *here == '/') {
        whole = absolute(here, name);
        other = mapped(line, whole);
        if (!other) other = whole;
        else free(whole);
    }
    free(here);
    return other ? other : cc_join(name, "");
}
