/* arguments.c - what a compiler's command line asks for.

   It is not understood in full, and need not be: an unknown option goes to
   every step. What matters is which words are inputs, so all options whose
   value is the next word are known. */
#include "cc/run/arguments.h"
#include "cc/put/rewrite.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

typedef struct option_rule {
    const char *name;
    cc_role role;
    int with_value;           /* the value is the next word, if it does not follow at once */
} option_rule;

static const option_rule rules[] = {
    {"-o", CC_OUTPUT, 1}, {"-I", CC_PREPROCESSOR, 1}, {"-D", CC_PREPROCESSOR, 1},
    {"-U", CC_PREPROCESSOR, 1}, {"-include", CC_PREPROCESSOR, 1},
    {"-imacros", CC_PREPROCESSOR, 1}, {"-isystem", CC_PREPROCESSOR, 1},
    {"-iquote", CC_PREPROCESSOR, 1}, {"-idirafter", CC_PREPROCESSOR, 1},
    {"-iprefix", CC_PREPROCESSOR, 1}, {"-isysroot", CC_OPTION, 1}, {"-A", CC_PREPROCESSOR, 1},
    {"-Xpreprocessor", CC_PREPROCESSOR, 1},
    {"-L", CC_LINKER, 1}, {"-l", CC_LINKER, 1}, {"-T", CC_LINKER, 1}, {"-u", CC_LINKER, 1},
    {"-z", CC_LINKER, 1}, {"-e", CC_LINKER, 1}, {"-Xlinker", CC_LINKER, 1},
    {"-MF", CC_DEPENDENCY, 1}, {"-MT", CC_DEPENDENCY, 1}, {"-MQ", CC_DEPENDENCY, 1},
    {"-x", CC_LANGUAGE, 1},
    {"-Xassembler", CC_OPTION, 1}, {"-Xclang", CC_OPTION, 1}, {"-aux-info", CC_OPTION, 1},
    {"--param", CC_OPTION, 1}, {"-arch", CC_OPTION, 1}, {"-target", CC_OPTION, 1},
    {"-specs", CC_OPTION, 1}, {"-B", CC_OPTION, 1}, {"-dumpbase", CC_OPTION, 1},
    {"-dumpdir", CC_OPTION, 1}, {"-dumpbase-ext", CC_OPTION, 1}, {"-mllvm", CC_OPTION, 1},
    {"-framework", CC_LINKER, 1}, {"--sysroot", CC_OPTION, 1}, {"-wrapper", CC_OPTION, 1},
    {"-include-pch", CC_PREPROCESSOR, 1}, {"-isystem-after", CC_PREPROCESSOR, 1},
    {"-iwithprefix", CC_PREPROCESSOR, 1}, {"-iwithprefixbefore", CC_PREPROCESSOR, 1},
    {"-iwithsysroot", CC_PREPROCESSOR, 1}, {"-iframework", CC_PREPROCESSOR, 1},
    {"-iframeworkwithsysroot", CC_PREPROCESSOR, 1}, {"-imultilib", CC_PREPROCESSOR, 1},
    {"-imultiarch", CC_PREPROCESSOR, 1}, {"-ivfsoverlay", CC_OPTION, 1},
    {"-F", CC_PREPROCESSOR, 1}, {"-resource-dir", CC_OPTION, 1},
    {"-working-directory", CC_OPTION, 1}, {"-gcc-toolchain", CC_OPTION, 1},
    {"--serialize-diagnostics", CC_OPTION, 1}, {"-serialize-diagnostics", CC_OPTION, 1},
    {"-MJ", CC_DEPENDENCY_ASIDE, 1}, {"-dependency-file", CC_DEPENDENCY, 1},
    {"-Xanalyzer", CC_OPTION, 1}, {"-Xopenmp-target", CC_OPTION, 1},
    {"-Xarch_host", CC_OPTION, 1}, {"-Xarch_device", CC_OPTION, 1}, {"-G", CC_OPTION, 1},
    {"-rpath", CC_LINKER, 1}, {"-weak_framework", CC_LINKER, 1},
    {"-install_name", CC_LINKER, 1}, {"-current_version", CC_LINKER, 1},
    {"-compatibility_version", CC_LINKER, 1}, {"-exported_symbols_list", CC_LINKER, 1},
    {"-undefined", CC_LINKER, 1}, {"-force_load", CC_LINKER, 1},
    {"--output", CC_OUTPUT, 1}, {"--include", CC_PREPROCESSOR, 1},
    {"--imacros", CC_PREPROCESSOR, 1}, {"--include-directory", CC_PREPROCESSOR, 1},
    {"--include-directory-after", CC_PREPROCESSOR, 1}, {"--define-macro", CC_PREPROCESSOR, 1},
    {"--undefine-macro", CC_PREPROCESSOR, 1}, {"--library-directory", CC_LINKER, 1},
    {"--language", CC_LANGUAGE, 1}, {"--for-linker", CC_LINKER, 1},
    {"--for-assembler", CC_OPTION, 1}, {"--prefix", CC_OPTION, 1}, {"--entry", CC_LINKER, 1},
    {"--force-link", CC_LINKER, 1}, {"--std", CC_OPTION, 1}, {"--specs", CC_OPTION, 1},
};

/* Options of which only the whole word counts: -L may be followed by its value
   at once, -e not. */
static int only_whole(const char *name) {
    return strlen(name) > 2 || strcmp(name, "-e") == 0 || strcmp(name, "-z") == 0 ||
           strcmp(name, "-u") == 0;
}

static int begins(const char *word, const char *with) {
    return strncmp(word, with, strlen(with)) == 0;
}

static int ends(const char *word, const char *with) {
    size_t n = strlen(word), m = strlen(with);
    return n >= m && strcmp(word + n - m, with) == 0;
}

int cc_is_preprocessed(const char *path) { return ends(path, ".i"); }

int cc_is_cxx(const char *path) {
    static const char *const suffixes[] = {".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".cp",
                                           ".ii"};
    size_t i;
    for (i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (ends(path, suffixes[i])) return 1;
    }
    return 0;
}

char *cc_base_name(const char *path) {
    const char *slash = strrchr(path, '/'), *dot;
    char *base = cc_join(slash ? slash + 1 : path, "");
    dot = strrchr(base, '.');
    if (dot && dot != base) base[dot - base] = 0;
    return base;
}

char *cc_with_suffix(const char *path, const char *suffix) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    char *name = cc_join(path, ""), *joined;
    if (dot && (!slash || dot > slash + 1) && dot != path) name[dot - path] = 0;
    joined = cc_join(name, suffix);
    free(name);
    return joined;
}

/* ---- @file ---- */

static void add_expanded(cc_command *out, const char *word, int depth);

/* As gcc reads them: words between white space, quotes of both kinds,
   backslashes. */
static void add_from_file(cc_command *out, const char *data, size_t size, int depth) {
    size_t i = 0;
    char *word = (char *)tool_alloc(size + 1);
    while (i < size) {
        size_t length = 0;
        char quote = 0;
        int any = 0;
        while (i < size && strchr(" \t\r\n\f\v", data[i]) && data[i]) i++;
        for (; i < size; i++) {
            char c = data[i];
            if (!quote && c && strchr(" \t\r\n\f\v", c)) break;
            any = 1;
            if (c == '\\' && i + 1 < size) {
                word[length++] = data[++i];
            } else if (quote ? c == quote : c == '"' || c == '\'') {
                quote = quote ? 0 : c;
            } else {
                word[length++] = c;
            }
        }
        word[length] = 0;
        if (any) add_expanded(out, word, depth + 1);
    }
    free(word);
}

static void add_expanded(cc_command *out, const char *word, int depth) {
    FILE *file = word[0] == '@' && depth < 20 ? fopen(word + 1, "rb") : NULL;
    if (file) {
        size_t size;
        unsigned char *data;
        fclose(file);
        data = tool_read_file(word + 1, NULL, &size);
        if (data) {
            add_from_file(out, (const char *)data, size, depth);
            free(data);
            return;
        }
    }
    cc_add_word(out, word);
}

/* ---- reading ---- */

/* A word that makes no code wins over one that does. */
static void pass_on(cc_line *line, const char *reason, int makes_code) {
    if (line->pass && !line->makes_code) return;
    if (line->pass && makes_code) return;
    line->pass = reason;
    line->makes_code = makes_code;
}

/* How many words of the command belong to a program that starts another one:
   its name, its options, and what env puts into the environment. 0: the first
   word is the compiler. */
static int launcher_words(int count, char **words) {
    static const char *const launchers[] = {"ccache", "sccache", "distcc", "icecc",
                                            "env",    "nice",    "nohup"};
    const char *slash = strrchr(words[0], '/'), *name = slash ? slash + 1 : words[0];
    size_t i, which = sizeof launchers / sizeof *launchers;
    int at = 1;
    for (i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (strcmp(name, launchers[i]) == 0) which = i;
    }
    if (which == sizeof launchers / sizeof *launchers) return 0;
    for (; at < count; at++) {
        const char *word = words[at];
        int has_value = which == 4 ? strcmp(word, "-u") == 0 || strcmp(word, "-C") == 0
                                   : which == 5 && strcmp(word, "-n") == 0;
        if (which >= 4 && word[0] == '-') at += has_value;
        else if (which != 4 || !strchr(word, '=')) break;
    }
    return at < count && words[at][0] != '-' ? at : 0;
}

/* Words with which the compiler does something else than compiling, or does it
   in a way that would not survive a rewritten file. */
static void find_pass_word(cc_line *line, const char *word) {
    static const char *const without_code[] = {
        "-E", "-M", "-MM", "-MG", "-fsyntax-only", "-###", "--version", "--help", "-cc1", "-cc1as",
        "-emit-ast", "--analyze", "-V"};
    static const char *const with_code[] = {"-S", "-fdirectives-only", "-traditional-cpp",
                                            "-emit-llvm", "-fpreprocessed", "-fmodules"};
    size_t i;
    for (i = 0; i < sizeof without_code / sizeof *without_code; i++) {
        if (strcmp(word, without_code[i]) == 0) pass_on(line, without_code[i], 0);
    }
    for (i = 0; i < sizeof with_code / sizeof *with_code; i++) {
        if (strcmp(word, with_code[i]) == 0) pass_on(line, with_code[i], 1);
    }
    if (begins(word, "-dump") && !begins(word, "-dumpbase") && !begins(word, "-dumpdir")) {
        pass_on(line, "-dump", 0);
    }
    if (begins(word, "-print") || begins(word, "--print")) pass_on(line, "-print", 0);
    if (begins(word, "--help=")) pass_on(line, "--help", 0);
}

static const option_rule *rule_of(const char *word) {
    size_t i;
    for (i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strcmp(word, rules[i].name) == 0) return &rules[i];
    }
    for (i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!only_whole(rules[i].name) && begins(word, rules[i].name)) return &rules[i];
    }
    return NULL;
}

static void read_option(cc_line *line, size_t i, const char *word) {
    find_pass_word(line, word);
    if (strcmp(word, "-c") == 0) {
        line->only_compile = 1;
        line->role[i] = CC_OUTPUT;
    } else if (strcmp(word, "-MD") == 0 || strcmp(word, "-MMD") == 0) {
        line->dependencies = 1;
        line->role[i] = CC_DEPENDENCY;
    } else if (begins(word, "-Wp,-M")) {
        line->dependencies_aside = 1;
        line->role[i] = CC_DEPENDENCY_ASIDE;
    } else if (strcmp(word, "-P") == 0) {           /* would hide what lines come from */
        line->role[i] = CC_OUTPUT;
    } else if (strcmp(word, "-MP") == 0) {
        line->role[i] = CC_DEPENDENCY;
    } else if (begins(word, "-Wp,")) {
        line->role[i] = CC_PREPROCESSOR;
    } else if (begins(word, "-Wl,") || strcmp(word, "-rdynamic") == 0 ||
               strcmp(word, "-static") == 0 || strcmp(word, "-nostdlib") == 0 ||
               strcmp(word, "-nostartfiles") == 0) {
        line->role[i] = CC_LINKER;
    } else if (strcmp(word, "-shared") == 0) {
        line->role[i] = CC_LINKER;
        line->shared = 1;
    }
    if (strcmp(word, "-fPIC") == 0 || strcmp(word, "-fpic") == 0) line->pic = 1;
    if (strcmp(word, "-fno-pic") == 0 || strcmp(word, "-fno-PIC") == 0 ||
        strcmp(word, "-fno-pie") == 0 || strcmp(word, "-fno-PIE") == 0 ||
        strcmp(word, "-fPIE") == 0 || strcmp(word, "-fpie") == 0) {
        line->pic = 0;
    }
    if (begins(word, "-W") && !begins(word, "-Wno-") && word[1] && word[2] && word[3] != ',') {
        line->warns |= CC_WARNS;
    }
    if (strcmp(word, "-Wextra") == 0 || strcmp(word, "-W") == 0 ||
        begins(word, "-Wimplicit-fallthrough")) {
        line->keep_comments = 1;
        line->warns |= CC_WARNS | CC_WARNS_OF_FALLING;
    }
    if (strcmp(word, "-Weverything") == 0) line->warns |= CC_WARNS_OF_FALLING;
    if (begins(word, "-Wlogical-op") || begins(word, "-Wduplicated-")) {
        line->warns |= CC_WARNS_OF_LOGIC;
    }
    if (strcmp(word, "-w") == 0) line->warns |= CC_WARNS_NEVER;
}

static int is_one_of(const char *word, const char *const *list) {
    for (; *list; list++) {
        if (strcmp(word, *list) == 0) return 1;
    }
    return 0;
}

static void read_value(cc_line *line, const char *option, const char *value) {
    if (strcmp(option, "-o") == 0 || strcmp(option, "--output") == 0) line->output = value;
    if (strcmp(option, "-MJ") == 0) line->dependencies_aside = 1;
    if (strcmp(option, "-MF") == 0) line->has_mf = 1;
    if (strcmp(option, "-MT") == 0 || strcmp(option, "-MQ") == 0) line->has_mt = 1;
}

/* If word i is -x, the language that it sets for the files after it; "": their
   suffixes say it. NULL: the word is not -x. */
static const char *language_at(const cc_line *line, size_t i) {
    const char *word = line->words.words[i];
    const char *rest = begins(word, "-x") ? word + 2 : begins(word, "--language") ? word + 10 : NULL;
    if (!rest || (word[1] == '-' && *rest && *rest != '=')) return NULL;
    if (word[1] == '-' && *rest == '=') return rest + 1;
    if (*rest) return rest;
    return i + 1 < line->words.count && line->words.words[i + 1] ? line->words.words[i + 1] : "";
}

/* Without -x the compiler makes a precompiled header of it, whatever else
   stands there. */
static int is_header(const char *path) {
    static const char *const suffixes[] = {".h", ".hh", ".hpp", ".hxx", ".h++", ".H", ".hp", ".HPP",
                                           ".tcc"};
    size_t i;
    for (i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (ends(path, suffixes[i])) return 1;
    }
    return 0;
}

int cc_is_foreign(const cc_line *line, size_t i) {
    static const char *const suffixes[] = {
        ".m", ".mm", ".M", ".mi", ".mii", ".f", ".for", ".ftn", ".F", ".f90", ".f95", ".f03",
        ".f08", ".F90", ".F95", ".F03", ".F08", ".adb", ".ads", ".d", ".go", ".cu", ".mod", NULL};
    static const char *const known[] = {"assembler", "assembler-with-cpp", "ir", NULL};
    const char *word = line->words.words[i], *dot = strrchr(word, '.');
    if (line->role[i] != CC_OBJECT) return 0;
    if (line->language[i])
        return !is_one_of(line->language[i], known) && !strstr(line->language[i], "header");
    return dot && is_one_of(dot, suffixes);
}

/* What the language in force, or without one the suffix and the compiler's
   name, makes of an input. */
static cc_role role_of_input(const cc_line *line, const char *word, const char *language) {
    static const char *const of_c[] = {"c", "cpp-output", NULL};
    static const char *const of_cxx[] = {"c++", "c++-cpp-output", NULL};
    if (language && is_one_of(language, of_c)) return CC_SOURCE;
    if (language) return is_one_of(language, of_cxx) ? CC_CXX_SOURCE : CC_OBJECT;
    if (ends(word, ".c") || cc_is_preprocessed(word))
        return line->links_cxx ? CC_CXX_SOURCE : CC_SOURCE;
    return cc_is_cxx(word) ? CC_CXX_SOURCE : CC_OBJECT;
}

static void read_input(cc_line *line, size_t i, const char *word, const char *language) {
    if (strcmp(word, "-") == 0) pass_on(line, "standard input", 1);
    if (language && !*language) language = NULL;
    if (language ? strstr(language, "header") != NULL : is_header(word))
        pass_on(line, "a header", 1);
    line->language[i] = language;
    line->role[i] = (unsigned char)role_of_input(line, word, language);
    if (line->role[i] == CC_SOURCE) line->sources++;
    else if (line->role[i] == CC_CXX_SOURCE) line->cxx_sources++;
    else line->objects++;
}

/* Returns how many words the option at i takes. */
static size_t read_word(cc_line *line, size_t i) {
    const char *word = line->words.words[i];
    const option_rule *rule;
    rule = rule_of(word);
    if (!rule || (!only_whole(rule->name) && begins(word, "-MD"))) {
        read_option(line, i, word);
        return 1;
    }
    line->role[i] = (unsigned char)rule->role;
    if (strlen(word) > strlen(rule->name)) {
        read_value(line, rule->name, word + strlen(rule->name));
        if (rule->role == CC_LINKER && strcmp(rule->name, "-l") == 0) line->libraries++;
        return 1;
    }
    if (i + 1 < line->words.count) {
        line->role[i + 1] = (unsigned char)rule->role;
        read_value(line, rule->name, line->words.words[i + 1]);
    }
    return 2;
}

/* g++, clang++-19: they take x.c for C++. */
static int is_cxx_driver(const char *path) {
    const char *slash = strrchr(path, '/'), *plus = strstr(slash ? slash + 1 : path, "++");
    return plus && plus[2 + strspn(plus + 2, "-.0123456789")] == 0;
}

int cc_read_line(cc_line *line, int count, char **words) {
    int at = 0;
    size_t i;
    size_t inputs;
    const char *driver, *language = NULL;
    memset(line, 0, sizeof *line);
    if (count < 1) return -1;
    for (i = 1; i > 0; at += (int)i) {
        i = (size_t)launcher_words(count - at, words + at);
        cc_add_words(&line->compiler, words + at, i);
    }
    cc_add_word(&line->compiler, words[at++]);
    for (; at < count; at++) add_expanded(&line->words, words[at], 0);
    cc_add_word(&line->words, NULL);
    line->role = (unsigned char *)tool_alloc(line->words.count + 1);
    memset(line->role, 0, line->words.count + 1);
    line->language = (const char **)tool_alloc((line->words.count + 1) * sizeof *line->language);
    memset((void *)line->language, 0, (line->words.count + 1) * sizeof *line->language);
    driver = line->compiler.words[line->compiler.count - 1];
    line->links_cxx = is_cxx_driver(driver);
    for (i = 0; i < line->words.count;) {
        const char *word = line->words.words[i], *in_force = language_at(line, i);
        size_t first = i;
        if (word[0] != '-' || !word[1]) read_input(line, i++, word, language);
        else i += read_word(line, i);
        if (!in_force) continue;
        line->role[first] = CC_LANGUAGE;
        language = strcmp(in_force, "none") == 0 ? "" : in_force;
    }
    inputs = line->sources + line->cxx_sources + line->objects;
    line->links = !line->only_compile && !line->pass && inputs + line->libraries > 0;
    if (line->sources == 0 && !line->links && !line->pass)
        pass_on(line, "no C file", line->only_compile);
    if (line->only_compile && line->output && inputs > 1) {
        pass_on(line, "-o with several files", 0);
    }
    if (line->output && begins(line->output, "/dev/")) pass_on(line, "no object is kept", 0);
    /* gcc and clang do not agree on the name of the dependency file. */
    if (line->dependencies && line->links && !line->output && !line->has_mf) {
        pass_on(line, "dependencies while linking, without -o or -MF", 1);
    }
    return 0;
}

void cc_line_free(cc_line *line) {
    cc_command_free(&line->compiler);
    cc_command_free(&line->words);
    free(line->role);
    free((void *)line->language);
    memset(line, 0, sizeof *line);
}
