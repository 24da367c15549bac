/* late.c - building the plugin of gcc, finding it, and saying what it shall do.

   A plugin fits one build of one compiler. Its name in the cache is a number of
   its text and of the compiler's own program, cc1, with size and time: a
   compiler that was replaced has none until it is built again. Who never built
   one does not pay for asking: the file `late-pass` beside them says that there
   is one. */
#include "cc/late.h"
#include "base/text.h"
#include "base/tool.h"
#include "cc/rewrite.h"
#include "cc/runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "gcc.cc", marker[] = "late-pass";

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

static char *in_cache(const char *name) {
    char *cache = cc_cache_folder(), *path = cache ? cc_join(cache, name) : NULL;
    free(cache);
    return path;
}

/* NULL if there is no cache, or cc1 is no file. */
static char *path_for(const char *cc1) {
    char name[48];
    unsigned long stamp = cc_file_stamp(cc1);
    uint64_t hash = cc_hash(cc1, strlen(cc1), cc_embedded_hash());
    if (*cc1 != '/' || !stamp) return NULL;
    hash = cc_hash(&stamp, sizeof stamp, hash);
    snprintf(name, sizeof name, "bursty_late_%08lx%08lx.so", (unsigned long)(hash >> 32),
             (unsigned long)(hash & 0xFFFFFFFF));
    return in_cache(name);
}

char *cc_late_find(const cc_line *line, const char *folder) {
    char *mark = in_cache(marker), *cc1 = NULL, *path = NULL;
    if (mark && is_file(mark)) cc1 = ask(line, folder, "-print-prog-name=cc1");
    if (cc1) path = path_for(cc1);
    if (path && !is_file(path)) {
        free(path);
        path = NULL;
    }
    free(cc1);
    free(mark);
    return path;
}

int cc_late_loads(const cc_line *line, const char *plugin) {
    cc_command c = {NULL, 0, 0};
    char *word = cc_join("-fplugin=", plugin);
    int status;
    cc_add_words(&c, line->compiler.words, line->compiler.count);
    cc_add_word(&c, word);
    cc_add_word(&c, "-fsyntax-only");
    cc_add_word(&c, "-x");
    cc_add_word(&c, "c");
    cc_add_word(&c, "/dev/null");
    status = cc_run(&c, CC_TO_NOWHERE, NULL);
    cc_command_free(&c);
    free(word);
    return status == 0;
}

int cc_late_can(const cc_choice *choice) { return !choice->dual && !choice->keep_events; }

/* ---- arguments ---- */

/* gcc takes the words apart at commas and equal signs. */
static void add_argument(cc_command *c, const char *plugin, const char *key, const char *value) {
    const char *slash = strrchr(plugin, '/'), *base = slash ? slash + 1 : plugin;
    text t = {NULL, 0, 0};
    char *word;
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

void cc_late_add(cc_command *c, const char *plugin, const cc_choice *choice) {
    static const char *const entries[] = {"safe", "all", "EL", "EN"};
    char *word = cc_join("-fplugin=", plugin), loops[16];
    const char *const *pattern;
    cc_add_word(c, word);
    free(word);
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

void cc_late_add_files(cc_command *c, const char *plugin, const char *chosen, const char *records) {
    add_argument(c, plugin, "chosen", chosen);
    if (records) add_argument(c, plugin, "records", records);
}

/* ---- building ---- */

static int missing(const cc_line *line, const char *folder, const char *what, const char *before,
                   const char *behind) {
    char *version = ask(line, folder, "-dumpversion");
    int size = version ? (int)strcspn(version, ".") : 0;
    tool_error("cc: --build-plugin: %s: %s: install %s%.*s%s",
               line->compiler.words[line->compiler.count - 1], what, before, size,
               version ? version : "", behind);
    free(version);
    return TOOL_FAILED;
}

static int compile(const cc_line *line, const char *headers, const char *folder,
                   const char *path) {
    static const char *const words[] = {"-x", "c++", "-w", "-O2", "-shared", "-fPIC", "-fno-rtti"};
    cc_command c = {NULL, 0, 0};
    char *slash = cc_join(folder, "/"), *text_path = cc_join(slash, source);
    size_t i;
    int status = cc_write_embedded(folder, source);
    cc_add_words(&c, line->compiler.words, line->compiler.count);
    for (i = 0; i < sizeof words / sizeof *words; i++) cc_add_word(&c, words[i]);
    cc_add_word(&c, "-I");
    cc_add_word(&c, headers);
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
static int build(const cc_line *line, const char *headers, const char *path, const char *folder) {
    char number[32], *part, *mark = in_cache(marker), *version;
    int status;
    snprintf(number, sizeof number, ".%lu.so", cc_process());
    part = cc_join(path, number);
    status = cc_write_file(part, "", 0);
    if (status == TOOL_OK && compile(line, headers, folder, part) != 0) {
        status = tool_error("cc: --build-plugin: the compiler refuses the plugin");
    }
    if (status == TOOL_OK && !cc_late_loads(line, part)) {
        status = tool_error("cc: --build-plugin: %s does not take plugins",
                            line->compiler.words[line->compiler.count - 1]);
    }
    if (status == TOOL_OK && rename(part, path) != 0) {
        tool_system_error(path);
        status = TOOL_FAILED;
    }
    if (status == TOOL_OK) status = cc_write_file(mark, "", 0);
    if (status == TOOL_OK) {
        version = ask(line, folder, "-dumpfullversion");
        printf("%s: built for gcc %s; bursty cc uses it from now on\n", path,
               version ? version : "");
        free(version);
    } else {
        remove(part);
    }
    free(part);
    free(mark);
    return status;
}

static int is_absolute(const char *path) { return path && *path == '/'; }

static int build_in(const cc_line *line, const char *folder) {
    const char *name = line->compiler.words[line->compiler.count - 1];
    char *cc1 = ask(line, folder, "-print-prog-name=cc1");
    char *cxx = ask(line, folder, "-print-prog-name=cc1plus");
    char *machine = ask(line, folder, "-dumpmachine");
    char *place = ask(line, folder, "-print-file-name=plugin");
    char *headers = cc_join(place ? place : "", "/include");
    char *header = cc_join(headers, "/gcc-plugin.h");
    char *path = is_absolute(cc1) ? path_for(cc1) : NULL;
    int status;
    if (!is_absolute(cc1) || !machine) {
        status = tool_error("cc: --build-plugin: %s: is no gcc", name);
    } else if (strncmp(machine, "x86_64", 6) != 0) {
        status = tool_error("cc: --build-plugin: %s: makes code for %s; the plugin is for x86_64",
                            name, machine);
    } else if (!is_absolute(place) || !is_file(header)) {
        status = missing(line, folder, "has no headers for plugins", "gcc-", "-plugin-dev");
    } else if (!is_absolute(cxx)) {
        status = missing(line, folder, "compiles no C++", "g++-", "");
    } else if (!path) {
        status = tool_error("cc: --build-plugin: there is no folder for it: set BURSTY_CACHE");
    } else {
        status = build(line, headers, path, folder);
    }
    free(path);
    free(header);
    free(headers);
    free(place);
    free(machine);
    free(cxx);
    free(cc1);
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
