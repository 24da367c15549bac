/* arguments.h - what a compiler's command line asks for. */
#ifndef CC_ARGUMENTS_H
#define CC_ARGUMENTS_H
#include "cc/run/process.h"

typedef enum cc_role {
    CC_OPTION,                /* goes to every step */
    CC_VALUE,                 /* the value of the option before it */
    CC_SOURCE,                /* a source of C */
    CC_CXX_SOURCE,            /* one of C++: by -x, by its name, or by the compiler's */
    CC_OBJECT,                /* another input: objects, archives, sources of other languages */
    CC_LINKER,                /* -l, -L, -Wl: only for the linker */
    CC_PREPROCESSOR,          /* -D, -I, -include: only for the preprocessor */
    CC_DEPENDENCY,            /* -MD, -MF ...: the dependency file */
    CC_DEPENDENCY_ASIDE,      /* -Wp,-MD,file: the same, past the compiler's driver */
    CC_OUTPUT,                /* -o, -c, -P */
    CC_LANGUAGE               /* -x c */
} cc_role;

typedef struct cc_line {
    cc_command compiler;      /* one word, or several, as `nice -n 5 ccache gcc` */
    cc_command words;         /* the arguments, with @files in place */
    unsigned char *role;      /* of each word: cc_role */
    const char **language;    /* of each input: the value of -x that is in force, or NULL */
    const char *pass;         /* why the command must run as it is; NULL: it need not */
    int makes_code;           /* passed on, it makes code all the same: worth a line in the list */
    const char *output;       /* of -o, or NULL */
    int only_compile;         /* -c */
    int links, shared;        /* there is a linker's step; -shared */
    int dependencies;         /* -MD or -MMD */
    int dependencies_aside;   /* -Wp,-MD,file */
    int has_mf, has_mt;
    int links_cxx;            /* the compiler's name ends in ++ */
    int keep_comments;        /* a warning looks at comments */
    unsigned warns;           /* CC_WARNS_... of rewrite.h */
    int pic;                  /* the code may be part of a shared object */
    size_t sources, cxx_sources, objects, libraries;
} cc_line;

/* Takes the words behind `--`. Returns 0, or -1 if there is no compiler. */
int cc_read_line(cc_line *line, int count, char **words);
void cc_line_free(cc_line *line);
/* Is it a preprocessed file, x.i? */
int cc_is_preprocessed(const char *path);
/* Is input i a source of which nothing here reads the language? Assembly is none:
   nobody counts it. */
int cc_is_foreign(const cc_line *line, size_t i);
/* Is it a C++ file, by its suffix? */
int cc_is_cxx(const char *path);
/* x.c -> x: the last part of the path, without its suffix. To be freed. */
char *cc_base_name(const char *path);
/* The path with its suffix replaced. To be freed. */
char *cc_with_suffix(const char *path, const char *suffix);
#endif
