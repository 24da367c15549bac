/* runtime.c - compiling what a program with checks needs, once for each
   compiler and machine. */
#include "cc/run/runtime.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/tool.h"
#include "cc/put/rewrite.h"
#include "cc/run/cache.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int begins(const char *word, const char *with) {
    return strncmp(word, with, strlen(with)) == 0;
}

/* Options that decide which machine the code is for, and whether a shared
   object may hold it. */
static void add_machine(cc_command *c, const cc_line *line) {
    static const char *const with_value[] = {"-target", "--sysroot", "-isysroot", "-B", "-arch",
                                             "-specs", "-isystem"};
    size_t i, k;
    for (i = 0; i < line->words.count; i++) {
        const char *word = line->words.words[i];
        /* where the system's headers stand is part of the machine, as --sysroot
           is */
        if (line->role[i] != CC_OPTION && !begins(word, "-isystem")) continue;
        if (begins(word, "-m") || begins(word, "-fPI") || begins(word, "-fpi") ||
            begins(word, "-fno-pi") || begins(word, "--target=") || begins(word, "--sysroot=") ||
            begins(word, "-B") || begins(word, "-specs=") || begins(word, "--specs=") ||
            strcmp(word, "-pthread") == 0) {
            if (strcmp(word, "-mllvm") != 0) cc_add_word(c, word);
        }
        for (k = 0; k < sizeof with_value / sizeof *with_value; k++) {
            if (strcmp(word, with_value[k]) != 0 || i + 1 >= line->words.count) continue;
            if (strcmp(word, "-B") != 0) cc_add_word(c, word);
            cc_add_word(c, line->words.words[++i]);
        }
    }
    if (line->shared && !line->pic) cc_add_word(c, "-fPIC");
}

static int write_source(const char *folder, const cc_embedded *file) {
    text t = {NULL, 0, 0};
    char *slash = cc_join(folder, "/"), *path = cc_join(slash, file->name);
    const char *const *line;
    int status;
    for (line = file->lines; *line; line++) {
        text_add(&t, *line);
        text_add(&t, "\n");
    }
    status = cc_write_file(path, t.data, t.size);
    text_free(&t);
    free(path);
    free(slash);
    return status;
}

static int write_sources(const char *folder) {
    const cc_embedded *file;
    int status = TOOL_OK;
    for (file = cc_runtime; file->name && status == TOOL_OK; file++) {
        status = write_source(folder, file);
    }
    return status;
}

int cc_write_embedded(const char *folder, const char *name) {
    const cc_embedded *file = cc_runtime;
    while (strcmp(file->name, name) != 0) file++;
    return write_source(folder, file);
}

static uint64_t hash_words(const cc_command *c, uint64_t hash) {
    size_t i;
    for (i = 0; i < c->count; i++) hash = hash_fnv(c->words[i], strlen(c->words[i]) + 1, hash);
    return hash;
}

uint64_t cc_embedded_hash(void) {
    const cc_embedded *file;
    const char *const *line;
    uint64_t hash = 0;
    for (file = cc_runtime; file->name; file++) {
        for (line = file->lines; *line; line++) hash = hash_fnv(*line, strlen(*line) + 1, hash);
    }
    return hash;
}

/* Puts an object into the cache. */
static void keep(const char *object, const char *cached) {
    size_t size = 0;
    unsigned char *data = tool_read_file(object, NULL, &size);
    if (data) cc_cache_keep(cached, data, size);
    free(data);
}

/* Compiles one source of the runtime, or takes it from the cache. option: or
   NULL. */
static int add_object(cc_command *link, const cc_line *line, const char *source,
                      const char *option, const char *folder) {
    cc_command c = {NULL, 0, 0};
    char name[48];
    char *cache = cc_cache_folder(), *cached = NULL, *slash = cc_join(folder, "/"), *path, *object;
    int status = TOOL_OK;
    cc_add_words(&c, line->compiler.words, line->compiler.count);
    cc_add_word(&c, "-w");
    cc_add_word(&c, "-O2");
    add_machine(&c, line);
    cc_add_word(&c, "-std=gnu99");
    if (option) cc_add_word(&c, option);
    cc_add_word(&c, "-x");
    cc_add_word(&c, "c");
    cc_add_word(&c, "-c");
    path = cc_join(slash, source);
    object = cc_with_suffix(path, ".o");
    if (cache) {
        uint64_t hash = hash_fnv(source, strlen(source), hash_words(&c, cc_embedded_hash()));
        snprintf(name, sizeof name, "%08lx%08lx.o", (unsigned long)(hash >> 32),
                 (unsigned long)(hash & 0xFFFFFFFF));
        cached = cc_join(cache, name);
    }
    if (cached && cc_cache_has(cached)) {
        cc_add_word(link, cached);
    } else {
        status = write_sources(folder);
        cc_add_word(&c, "-I");
        cc_add_word(&c, folder);
        cc_add_word(&c, path);
        cc_add_word(&c, "-o");
        cc_add_word(&c, object);
        if (status == TOOL_OK) status = cc_run(&c, CC_TO_USER, NULL);
        if (status == TOOL_OK) {
            if (cached) keep(object, cached);
            cc_add_word(link, object);
        }
    }
    free(object);
    free(path);
    free(slash);
    free(cached);
    free(cache);
    cc_command_free(&c);
    return status;
}

/* The name of the dump and the rates, as an object of its own. */
static int add_naming(cc_command *link, const cc_line *line, const cc_naming *naming,
                      const char *folder) {
    const char *output = line->output ? line->output : "a.out", *slash = strrchr(output, '/');
    const char *name = slash ? slash + 1 : output, *p;
    char *path = cc_join(folder, "/bursty_name.c"), *object = cc_join(folder, "/bursty_name.o");
    text t = {NULL, 0, 0};
    cc_command c = {NULL, 0, 0};
    int status;
    text_add(&t, "const char bursty_cc_file[] = \"");
    for (p = naming->dump ? naming->dump : name; *p; p++) {
        if (*p == '"' || *p == '\\' || *p == '?') text_add(&t, "\\");
        text_bytes(&t, p, 1);
    }
    text_add(&t, naming->dump ? "\";\n" : naming->trace ? ".trace\";\n" : ".brst\";\n");
    text_format(&t, "const unsigned bursty_cc_rates[2] = {%u, %u};\n", naming->every,
                naming->burst);
    text_format(&t, "const int bursty_cc_ticks = %d;\n", naming->ticks);
    status = cc_write_file(path, t.data, t.size);
    text_free(&t);
    cc_add_words(&c, line->compiler.words, line->compiler.count);
    add_machine(&c, line);
    cc_add_word(&c, "-w");
    cc_add_word(&c, "-x");
    cc_add_word(&c, "c");
    cc_add_word(&c, "-c");
    cc_add_word(&c, path);
    cc_add_word(&c, "-o");
    cc_add_word(&c, object);
    if (status == TOOL_OK) status = cc_run(&c, CC_TO_USER, NULL);
    if (status == TOOL_OK) cc_add_word(link, object);
    cc_command_free(&c);
    free(path);
    free(object);
    return status;
}

/* Functions whose calls the linker leads to exits.c or trace.c. */
static void add_wraps(cc_command *link, const cc_naming *naming) {
    static const char *const of_both[] = {
        "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", "_exit", "_Exit", "abort",
        "__assert_fail", "execve", "execv", "execvp", NULL
    };
    static const char *const of_exits[] = {"pthread_exit", "daemon", "fexecve", "execvpe",
                                           "execl", "execlp", "execle", "swapcontext",
                                           "setcontext", NULL};
    static const char *const of_trace[] = {"sigaction", "signal", "bsd_signal", "__sysv_signal",
                                           "vfork", "swapcontext", "setcontext", NULL};
    const char *const *names[2];
    size_t i;
    names[0] = of_both;
    names[1] = naming->trace ? of_trace : of_exits;
    for (i = 0; i < 2; i++) {
        for (; *names[i]; names[i]++) {
            char *word = cc_join("-Wl,--wrap=", *names[i]);
            cc_add_word(link, word);
            free(word);
        }
    }
}

int cc_add_runtime(cc_command *link, const cc_line *line, const cc_naming *naming,
                   const char *folder) {
    const char *option = naming->exits ? "-DEDGEPROF_UNIT_EXITS" : NULL;
    int status;
    if (naming->trace) {
        add_wraps(link, naming);
        status = add_object(link, line, "trace.c", NULL, folder);
        return status == TOOL_OK ? add_naming(link, line, naming, folder) : status;
    }
    if (naming->cover) {
        status = add_object(link, line, "edges.c", NULL, folder);
        if (status == TOOL_OK) status = add_object(link, line, "edges_file.c", option, folder);
        if (status == TOOL_OK && naming->notes)
            status = add_object(link, line, "arcs.c", NULL, folder);
        if (status == TOOL_OK && naming->cxx)
            status = add_object(link, line, "terminate.c", NULL, folder);
        if (status == TOOL_OK && naming->exits) {
            add_wraps(link, naming);
            /* gcc leaves it out of static programs, which then forget their
               unwind tables before our dump is written. */
            cc_add_word(link, "-Wl,--eh-frame-hdr");
            status = add_object(link, line, "exits.c", NULL, folder);
        }
        return status;
    }
    status = add_object(link, line, "checks.c", naming->no_tls ? "-DBURSTY_NO_TLS" : NULL, folder);
    return status == TOOL_OK ? add_naming(link, line, naming, folder) : status;
}
