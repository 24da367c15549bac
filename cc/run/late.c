/* late.c - building the plugin of gcc or clang, finding it, and saying what it
   shall do.

   A plugin fits one build of one compiler. Its name in the cache is a number of
   its text and of the compiler's own program, cc1 or clang, with size and time:
   a compiler that was replaced has none until it is built again. Who never
   built one does not pay for asking: the file `late-pass` beside them says that
   there is one. The name also says whose it is. */
#include "cc/run/late.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/tool.h"
#include "cc/put/rewrite.h"
#include "cc/run/answers.h"
#include "cc/run/cache.h"
#include "cc/run/runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char marker[] = "late-pass", of_gcc[] = "bursty_late_", of_clang[] = "bursty_clang_";

static int is_file(const char *path) {
    size_t size;
    return cc_regular_size(path, &size) == 0;
}

/* What the compiler answers to one question: a line, to be freed; NULL if it
   fails. */
static char *ask(const cc_line *line, const char *folder, const char *question) {
    cc_command c = {NULL, 0, 0};
    char *path = cc_join(folder, "/answer"), *answer = NULL;
    size_t size = 0;
    cc_add_words(&c, line->compiler.words, line->compiler.count);
    cc_add_word(&c, question);
    if (cc_run(&c, CC_ANSWER, path) == 0) answer = (char *)tool_read_file(path, NULL, &size);
    if (answer) {
        size_t end = 0;
        char *copy;
        while (end < size && answer[end] && answer[end] != '\n') end++;
        copy = (char *)tool_alloc(end + 1);
        memcpy(copy, answer, end);
        copy[end] = 0;
        free(answer);
        answer = copy;
    }
    cc_command_free(&c);
    free(path);
    return answer;
}

/* Where a clang and its LLVM stand: their root, of ROOT/lib/clang/VERSION. NULL
   for another compiler. To be freed. */
static char *clang_folder(const cc_line *line, const char *folder) {
    char *root = ask(line, folder, "-print-resource-dir"), *slash = NULL;
    int i;
    for (i = 0; i < 3 && root; i++) {
        slash = strrchr(root, '/');
        if (slash) *slash = 0;
    }
    if (slash && *root == '/') return root;
    free(root);
    return NULL;
}

static char *in_cache(const char *name) {
    char *cache = cc_cache_folder(), *path = cache ? cc_join(cache, name) : NULL;
    free(cache);
    return path;
}

static char *ask_for_program(const cc_line *line, const char *folder, const char **begin) {
    char *program = ask(line, folder, "-print-prog-name=cc1"), *root;
    *begin = of_gcc;
    if (program && *program == '/') return program;
    free(program);
    root = clang_folder(line, folder);
    program = root ? cc_join(root, "/bin/clang") : NULL;
    *begin = of_clang;
    free(root);
    return program;
}

/* The compiler's own program: cc1 of a gcc, or clang. *begin: how the name of
   its plugin begins. NULL: it is neither. */
static char *program_of(const cc_line *line, const char *folder, const char **begin) {
    cc_answer *kept = cc_answer_of(line, "program", NULL);
    char *program = cc_answer_read(kept);
    if (program && is_file(program)) {
        *begin = strcmp(tool_last_part(program), "clang") == 0 ? of_clang : of_gcc;
    } else {
        free(program);
        program = ask_for_program(line, folder, begin);
        if (program) cc_answer_keep(kept, program);
    }
    cc_answer_free(kept);
    return program;
}

/* NULL if there is no cache, or the program is no file. */
static char *path_for(const char *program, const char *begin) {
    char name[64];
    unsigned long stamp = cc_file_stamp(program);
    uint64_t hash = hash_fnv(program, strlen(program), cc_embedded_hash());
    if (!stamp) return NULL;
    hash = hash_fnv(&stamp, sizeof stamp, hash);
    snprintf(name, sizeof name, "%s%08lx%08lx.so", begin, (unsigned long)(hash >> 32),
             (unsigned long)(hash & 0xFFFFFFFF));
    return in_cache(name);
}

char *cc_late_find(const cc_line *line, const char *folder) {
    char *mark = in_cache(marker), *program = NULL, *path = NULL;
    const char *begin;
    if (mark && cc_cache_has(mark)) program = program_of(line, folder, &begin);
    if (program) path = path_for(program, begin);
    if (path && !cc_cache_has(path)) {
        free(path);
        path = NULL;
    }
    free(program);
    free(mark);
    return path;
}

int cc_late_is_clangs(const char *plugin) {
    return strncmp(tool_last_part(plugin), of_clang, strlen(of_clang)) == 0;
}

/* clang takes its options, which -mllvm brings, once the plugin is loaded. */
static void add_plugin(cc_command *c, const char *plugin) {
    char *word = cc_join("-fplugin=", plugin), *pass = cc_join("-fpass-plugin=", plugin);
    cc_add_word(c, word);
    if (cc_late_is_clangs(plugin)) cc_add_word(c, pass);
    free(word);
    free(pass);
}

static void add_clang_argument(cc_command *c, const char *key, const char *value) {
    text t = {NULL, 0, 0};
    char *word;
    text_add(&t, "-bursty=");
    text_add(&t, key);
    text_add(&t, "=");
    text_add(&t, value);
    word = text_take(&t);
    cc_add_word(c, "-mllvm");
    cc_add_word(c, word);
    free(word);
}

/* It writes no file: a compiler that a plugin brings down may remove what it
   was to write. clang knows the plugin's option if the plugin fits. */
int cc_late_loads(const cc_line *line, const char *plugin) {
    cc_command c = {NULL, 0, 0};
    int status;
    cc_add_words(&c, line->compiler.words, line->compiler.count);
    add_plugin(&c, plugin);
    if (cc_late_is_clangs(plugin)) add_clang_argument(&c, "entries", "safe");
    cc_add_word(&c, "-fsyntax-only");
    cc_add_word(&c, "-x");
    cc_add_word(&c, "c");
    cc_add_word(&c, "/dev/null");
    status = cc_run(&c, CC_TO_NOWHERE, NULL);
    cc_command_free(&c);
    return status == 0;
}

int cc_late_can(const cc_choice *choice) { return !choice->dual && !choice->keep_events; }

/* ---- arguments ---- */

/* gcc takes the words apart at commas and equal signs. */
static void add_argument(cc_command *c, const char *plugin, const char *key, const char *value) {
    const char *base = tool_last_part(plugin);
    text t = {NULL, 0, 0};
    char *word;
    if (cc_late_is_clangs(plugin)) {
        add_clang_argument(c, key, value);
        return;
    }
    text_add(&t, "-fplugin-arg-");
    text_bytes(&t, base, strcspn(base, "."));
    text_add(&t, "-");
    text_add(&t, key);
    text_add(&t, "=");
    for (; *value; value++) {
        unsigned char b = (unsigned char)*value;
        int is_plain = (b >= '0' && b <= '9') || (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') ||
                       strchr("_-./:~", b) != NULL;
        if (is_plain) text_bytes(&t, value, 1);
        else text_format(&t, "%%%02X", b);
    }
    word = text_take(&t);
    cc_add_word(c, word);
    free(word);
}

/* The optimizer of clang knows lines if there is debug information, or if it
   shall say what it does. Then nothing of them is in the object, and of a pass
   that does not exist there is nothing to say. */
void cc_late_lines(cc_command *c) {
    size_t i;
    for (i = 0; i < c->count; i++) {
        if (strncmp(c->words[i], "-Rpass", 6) == 0) return;
    }
    cc_add_word(c, "-Rpass=bursty-lines");
}

void cc_late_add(cc_command *c, const char *plugin, const cc_choice *choice) {
    static const char *const entries[] = {"safe", "all", "EL", "EN", "time"};
    char loops[16];
    const char *const *pattern;
    if (cc_late_is_clangs(plugin)) cc_late_lines(c);
    add_plugin(c, plugin);
    add_argument(c, plugin, "entries", entries[choice->entries]);
    if (choice->loops == CC_LOOPS_ALL) snprintf(loops, sizeof loops, "all");
    else if (choice->loops == CC_LOOPS_NONE) snprintf(loops, sizeof loops, "LN");
    else snprintf(loops, sizeof loops, "%d", choice->loops);
    add_argument(c, plugin, "loops", loops);
    if (choice->scope) add_argument(c, plugin, "form", "scope");
    if (choice->no_tls) add_argument(c, plugin, "no-tls", "1");
    for (pattern = choice->only; pattern && *pattern; pattern++)
        add_argument(c, plugin, "only", *pattern);
    for (pattern = choice->not_these; pattern && *pattern; pattern++)
        add_argument(c, plugin, "not", *pattern);
}

/* The user may want no jumps joined. */
static int has_no_jumps(const cc_line *line) {
    int none = 0;
    size_t i;
    for (i = 0; i < line->words.count; i++) {
        if (strcmp(line->words.words[i], "-fno-thread-jumps") == 0) none = 1;
        if (strcmp(line->words.words[i], "-fthread-jumps") == 0) none = 0;
    }
    return none;
}

void cc_late_add_join(cc_command *c, const char *plugin, const cc_line *line) {
    add_plugin(c, plugin);
    add_argument(c, plugin, "join", "1");
    if (!has_no_jumps(line))
        cc_add_word(c, "-fthread-jumps"); /* behind the counters; not before (leave_jumps) */
}

void cc_late_add_program(cc_command *c, const char *plugin) {
    if (!cc_late_is_clangs(plugin)) add_argument(c, plugin, "program", "1");
}

void cc_late_add_plan(cc_command *c, const char *plugin, const char *plan, uint64_t hash) {
    char digits[20];
    snprintf(digits, sizeof digits, "%08lx%08lx", (unsigned long)(hash >> 32),
             (unsigned long)(hash & 0xFFFFFFFF));
    add_argument(c, plugin, "plan", plan);
    add_argument(c, plugin, "plan-hash", digits);
}

/* ---- building ---- */

/* What a plugin is made of: the compiler's kind, its headers, its version. */
typedef struct recipe {
    const char *whose, *source, *standard;
    char *headers, *version;
} recipe;

static const char *name_of(const cc_line *line) {
    return line->compiler.words[line->compiler.count - 1];
}

static int missing(const cc_line *line, const char *folder, const char *what, const char *before,
                   const char *behind) {
    char *version = ask(line, folder, "-dumpversion");
    int size = version ? (int)strcspn(version, ".") : 0;
    tool_error("cc: --build-plugin: %s: %s: install %s%.*s%s", name_of(line), what, before, size,
               version ? version : "", behind);
    free(version);
    return TOOL_FAILED;
}

static int compile(const cc_line *line, const recipe *r, const char *folder, const char *path) {
    static const char *const words[] = {"-x", "c++", "-w", "-O2", "-shared", "-fPIC", "-fno-rtti"};
    cc_command c = {NULL, 0, 0};
    char *slash = cc_join(folder, "/"), *text_path = cc_join(slash, r->source);
    size_t i;
    int status = cc_write_embedded(folder, r->source);
    if (status == TOOL_OK) status = cc_write_embedded(folder, "common.h");
    if (status == TOOL_OK) status = cc_write_embedded(folder, "gcc_join.h");
    cc_add_words(&c, line->compiler.words, line->compiler.count);
    for (i = 0; i < sizeof words / sizeof *words; i++) cc_add_word(&c, words[i]);
    if (r->standard) cc_add_word(&c, r->standard);
    cc_add_word(&c, "-I");
    cc_add_word(&c, r->headers);
    cc_add_word(&c, text_path);
    cc_add_word(&c, "-o");
    cc_add_word(&c, path);
    cc_add_word(&c, "-lstdc++");
    if (status == TOOL_OK) status = cc_run(&c, CC_TO_USER, NULL);
    cc_command_free(&c);
    free(text_path);
    free(slash);
    return status;
}

/* Compiles it beside its place, tries it, and moves it there. */
static int build(const cc_line *line, const recipe *r, const char *path, const char *folder) {
    char *part = cc_cache_part(path), *mark = in_cache(marker);
    int status = part ? TOOL_OK : tool_system_error(path);
    if (status == TOOL_OK && compile(line, r, folder, part) != 0) {
        status = tool_error("cc: --build-plugin: the compiler refuses the plugin");
    }
    if (status == TOOL_OK && !cc_late_loads(line, part)) {
        status = tool_error("cc: --build-plugin: %s does not take plugins", name_of(line));
    }
    if (status == TOOL_OK) {
        if (cc_cache_settle(part, path) != 0) status = tool_system_error(path);
    } else if (part) {
        remove(part);
        free(part);
    }
    if (status == TOOL_OK && cc_cache_keep(mark, "", 0) != 0) status = tool_system_error(mark);
    if (status == TOOL_OK) {
        printf("%s: built for %s %s; bursty cc uses it from now on, for C (but with --no-late) and "
               "C++\n", path, r->whose,
               r->version ? r->version : "");
    }
    free(mark);
    return status;
}

static int is_absolute(const char *path) { return path && *path == '/'; }

/* The headers of gcc, or a message. */
static int prepare_gcc(recipe *r, const cc_line *line, const char *folder) {
    char *cxx = ask(line, folder, "-print-prog-name=cc1plus");
    char *place = ask(line, folder, "-print-file-name=plugin"), *header;
    int status = TOOL_OK;
    r->whose = "gcc";
    r->source = "gcc.cc";
    r->headers = cc_join(place ? place : "", "/include");
    r->version = ask(line, folder, "-dumpfullversion");
    header = cc_join(r->headers, "/gcc-plugin.h");
    if (!is_absolute(place) || !is_file(header)) {
        status = missing(line, folder, "has no headers for plugins", "gcc-", "-plugin-dev");
    } else if (!is_absolute(cxx)) {
        status = missing(line, folder, "compiles no C++", "g++-", "");
    }
    free(header);
    free(place);
    free(cxx);
    return status;
}

/* The headers of the LLVM that stands beside clang, or a message. */
static int prepare_clang(recipe *r, const cc_line *line, const char *folder) {
    char *root = clang_folder(line, folder), *config = cc_join(root, "/bin/llvm-config");
    char *version, *header;
    cc_line about;
    int status = TOOL_OK;
    cc_read_line(&about, 1, &config);
    r->whose = "clang";
    r->source = "clang.cc";
    r->standard = "-std=c++17";
    r->headers = ask(&about, folder, "--includedir");
    r->version = ask(line, folder, "-dumpversion");
    version = ask(&about, folder, "--version");
    header = cc_join(r->headers ? r->headers : "", "/llvm/Passes/PassPlugin.h");
    if (!r->headers || !is_file(header)) {
        status = missing(line, folder, "has no headers for plugins", "llvm-", "-dev");
    } else if (!version || !r->version || strcmp(version, r->version) != 0) {
        status = tool_error("cc: --build-plugin: %s: is version %s, and %s is of version %s",
                            name_of(line), r->version ? r->version : "?", config,
                            version ? version : "?");
    }
    cc_line_free(&about);
    free(header);
    free(version);
    free(config);
    free(root);
    return status;
}

/* Does the compiler start at all? */
static int starts(const cc_line *line, const char *folder) {
    enum { NOT_FOUND = 127 };
    cc_command c = {NULL, 0, 0};
    char *path = cc_join(folder, "/answer");
    int status;
    cc_add_words(&c, line->compiler.words, line->compiler.count);
    cc_add_word(&c, "-dumpmachine");
    status = cc_run(&c, CC_ANSWER, path);
    cc_command_free(&c);
    free(path);
    return status != NOT_FOUND;
}

static int build_in(const cc_line *line, const char *folder) {
    const char *begin;
    char *program = program_of(line, folder, &begin);
    char *machine = ask(line, folder, "-dumpmachine");
    char *path = program ? path_for(program, begin) : NULL;
    recipe r = {NULL, NULL, NULL, NULL, NULL};
    int status;
    if (!program || !machine) {
        status = tool_error("cc: --build-plugin: %s: %s", name_of(line),
                            starts(line, folder) ? "is no gcc and no clang"
                                                 : "there is no such program");
    } else if (strncmp(machine, "x86_64", 6) != 0) {
        status = tool_error("cc: --build-plugin: %s: makes code for %s; the plugin is for x86_64",
                            name_of(line), machine);
    } else {
        status = begin == of_gcc ? prepare_gcc(&r, line, folder) : prepare_clang(&r, line, folder);
    }
    if (status == TOOL_OK && !path) {
        status = tool_error("cc: --build-plugin: there is no folder for it that only you can "
                            "write: set BURSTY_CACHE");
    }
    if (status == TOOL_OK) status = build(line, &r, path, folder);
    free(r.headers);
    free(r.version);
    free(path);
    free(machine);
    free(program);
    return status;
}

int cc_late_build(int count, char **words) {
    static char standard[] = "gcc";
    char *gcc = standard, *folder;
    cc_line line;
    int status;
    if (!cc_can_run()) return tool_error("cc: this system cannot start a compiler from here");
    cc_read_line(&line, count > 0 ? count : 1, count > 0 ? words : &gcc);
    folder = cc_make_folder();
    status = folder ? build_in(&line, folder) : TOOL_FAILED;
    if (folder) cc_remove_folder(folder);
    free(folder);
    cc_line_free(&line);
    cc_obey_signal();
    return status;
}
