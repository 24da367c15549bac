/* count_cxx.c - see count_cxx.h.

   gcc writes into each object the name of the file that libgcov would write for
   it. In its place stands a name of ours, which after compiling becomes a hash
   of the notes and of the sources: so counts are known by what they count, a
   build of the same text has the same object, and one of another text has other
   counts.

   With link-time optimization an object has no such name yet, and the linker
   looks at nothing else in it. So the source is compiled twice: the first time
   for its notes, the second time with the right name and with the tables as
   assembly, which the linker keeps. */
#include "cc/cxx/count_cxx.h"
#include "base/hash.h"
#include "base/demangle.h"
#include "base/glob.h"
#include "base/source.h"
#include "base/tool.h"
#include "cc/put/cover.h"
#include "cc/cxx/notes.h"
#include "cc/put/rewrite.h"
#include "cc/run/section.h"
#include "cc/run/where.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cc_counts_itself(const cc_line *line) {
    static const char *const words[] = {"--coverage", "-coverage", "-fprofile-arcs",
                                        "-ftest-coverage", "-fauto-profile", "-lgcov"};
    size_t i, k;
    for (i = 0; i < line->words.count; i++) {
        const char *word = line->words.words[i];
        for (k = 0; k < sizeof words / sizeof *words; k++)
            if (strcmp(word, words[k]) == 0) return 1;
        if (strncmp(word, "-fprofile-generate", 18) == 0 || strncmp(word, "-fprofile-use", 13) == 0)
            return 1;
    }
    return 0;
}

static void number_name(char *name, size_t room, uint64_t number) {
    snprintf(name, room, "bursty-%08lx%08lx", (unsigned long)(number >> 32),
             (unsigned long)(number & 0xFFFFFFFF));
}

static void add_joined(cc_command *c, const char *option, const char *value) {
    char *word = cc_join(option, value);
    cc_add_word(c, word);
    free(word);
}

/* gcc measures a function with its counters, and the growth of a file from the
   size that it has before anything is inlined. By its usual limits what it had
   inlined early without counters would stay a call. A limit that the user gives
   holds. */
static void add_limits(cc_count_cxx *c) {
    static const char *const limits[] = {"--param=max-inline-insns-single=400",
                                         "--param=inline-unit-growth=100"};
    size_t i, k;
    for (i = 0; i < sizeof limits / sizeof *limits; i++) {
        const char *name = limits[i] + strlen("--param=");
        size_t size = strcspn(name, "=");
        for (k = 0; k < c->line->words.count; k++) {
            const char *word = c->line->words.words[k];
            if (strncmp(word, "--param=", 8) == 0) word += 8;
            if (strncmp(word, name, size) == 0 || strncmp(word, "-finline-limit", 14) == 0) break;
        }
        if (k == c->line->words.count) cc_add_word(&c->words, limits[i]);
    }
}

static void add_words(cc_count_cxx *c) {
    static const char *const leaving[] = {"fork", "execl", "execlp", "execle",
                                          "execv", "execvp", "execve"};
    size_t i;
    cc_add_word(&c->words, "-fprofile-arcs");
    cc_add_word(&c->words, "-ftest-coverage");
    /* What gcc inlines before it counts loses calls with known arguments, and lines. */
    cc_add_word(&c->words, "-fno-early-inlining");
    /* A condition that another one decides would be joined with that, and not be counted. */
    cc_add_word(&c->words, "-fno-thread-jumps");
    add_limits(c);
    /* No report shows functions of the system's headers (is_of_system). */
    cc_add_word(&c->words, "-fprofile-exclude-files=^/usr/(include|lib|local/include|local/lib)/");
    /* And what it drops before: calls of functions that change nothing, whose result nobody
       uses, such as empty destructors. With counters in them they change something. */
    cc_add_word(&c->words, "-fno-ipa-pure-const");
    cc_add_word(&c->words, "-fno-ipa-modref");
    add_joined(&c->words, "-fprofile-dir=", c->name);
    add_joined(&c->words, "-fprofile-note=", c->notes);
    cc_add_word(&c->words, "-frandom-seed=bursty"); /* for a stamp that is not the time */
    /* Debug information would name these files, which are others each time. */
    cc_add_word(&c->words, "-gno-record-gcc-switches");
    /* With -O1 and -g the marks of where a statement begins move into the next block, where
       the line would count what that one does. */
    cc_add_word(&c->words, "-gno-statement-frontiers");
    /* gcc takes these for calls that return, and leads them to libgcov. */
    for (i = 0; i < sizeof leaving / sizeof *leaving; i++)
        add_joined(&c->words, "-fno-builtin-", leaving[i]);
}

void cc_count_begin(cc_count_cxx *c, const cc_line *line, const char *folder) {
    unsigned long process = cc_process();
    uint64_t number = hash_fnv(folder, strlen(folder), hash_fnv(&process, sizeof process, 0));
    memset(c, 0, sizeof *c);
    c->line = line;
    c->notes = cc_join(folder, "/notes.gcno");
    c->tables = cc_join(folder, "/tables.h");
    number_name(c->name, sizeof c->name, number);
    add_words(c);
}

void cc_count_free(cc_count_cxx *c) {
    cc_command_free(&c->words);
    free(c->notes);
    free(c->tables);
}

/* ---- files ---- */

static int is_below(const char *folder, const char *name) {
    size_t size = strlen(folder);
    while (size > 0 && folder[size - 1] == '/') size--;
    return strncmp(folder, name, size) == 0 && name[size] == '/';
}

/* The folders of the system, and those that -isystem names. */
static int is_of_system(const cc_line *line, const char *name) {
    static const char option[] = "-isystem";
    size_t i;
    if (is_below("/usr", name) && !is_below("/usr/src", name) && !is_below("/usr/local/src", name))
        return 1;
    for (i = 0; i < line->words.count; i++) {
        const char *word = line->words.words[i];
        char *folder;
        int is_in;
        if (strncmp(word, option, sizeof option - 1) != 0) continue;
        word += sizeof option - 1;
        if (!*word && ++i < line->words.count) word = line->words.words[i];
        folder = cc_where(line, word);
        is_in = *folder == '/' && is_below(folder, name);
        free(folder);
        if (is_in) return 1;
    }
    return 0;
}

static char *name_file(void *user, const char *file) {
    const cc_line *line = (const cc_line *)user;
    char *name = *file && *file != '<' ? cc_where(line, file) : NULL;
    if (name && is_of_system(line, name)) {
        free(name);
        name = NULL;
    }
    return name;
}

static int hash_file(void *user, const char *file, uint64_t *hash) {
    unsigned char *data;
    size_t size;
    (void)user;
    if (cc_regular_size(file, &size) != 0 || size > SOURCE_MOST) return -1;
    data = tool_read_file(file, NULL, &size);
    if (!data) return -1;
    *hash = hash_fnv(data, size, 0);
    free(data);
    return 0;
}

/* ---- functions ---- */

/* A pattern is of the whole name, `shop::pay(int)`, or of what stands in front
   of its arguments. */
static int matches(const char *const *patterns, const char *name) {
    size_t size = strlen(name), plain = strcspn(name, "(");
    return glob_any_matches(patterns, name, size) || glob_any_matches(patterns, name, plain);
}

static int is_wanted(const cc_choice *choice, const char *name) {
    if (choice->only && !matches(choice->only, name)) return 0;
    return !choice->not_these || !matches(choice->not_these, name);
}

enum { LONGEST_NAME = 1000 };

/* As the source says it, if that is not longer than a page. */
static char *name_function(void *user, const char *name) {
    char *plain = demangle(name);
    if (!plain || strlen(plain) > LONGEST_NAME) {
        free(plain);
        plain = text_name(name, strlen(name));
    }
    if (is_wanted((const cc_choice *)user, plain)) return plain;
    free(plain);
    return NULL;
}

/* ---- tables ---- */

void cc_count_files(cc_notes_files *files, const cc_line *line, const cc_choice *choice) {
    files->name = name_file;
    files->hash = hash_file;
    files->function = name_function;
    files->user = (void *)(uintptr_t)line;
    files->choice = (void *)(uintptr_t)choice;
}

typedef struct written {
    unsigned char *data;
    size_t size;
} written;

/* Reads the notes, and makes a name of them and of the sources, of which the
   notes know nothing but names. */
static const char *read_notes(const cc_count_cxx *c, const cc_notes_files *files, written *notes,
                              char *unit, size_t room) {
    text tables = {NULL, 0, 0};
    dump_fault fault;
    uint64_t hash;
    int failed;
    notes->data = NULL;
    if (cc_file_size(c->notes, &notes->size) != 0) return "gcc has written no notes";
    notes->data = tool_read_file(c->notes, NULL, &notes->size);
    if (!notes->data) return "gcc's notes cannot be read";
    failed = cc_notes_hash(notes->data, notes->size, &hash, &fault) != 0 ||
             cc_notes_read(notes->data, notes->size, "", files, &tables, &fault) != 0;
    if (!failed) number_name(unit, room, hash_fnv(tables.data, tables.size, hash));
    text_free(&tables);
    if (failed) {
        static char reason[160];
        snprintf(reason, sizeof reason, "gcc's notes, offset %lu: %s", (unsigned long)fault.offset,
                 fault.reason);
        return reason;
    }
    return NULL;
}

static void make_tables(const written *notes, const char *unit, const cc_notes_files *files,
                        text *tables) {
    dump_fault fault;
    cc_notes_read(notes->data, notes->size, unit, files, tables, &fault);
}

const char *cc_count_end(const cc_count_cxx *c, const cc_choice *choice, const char *path) {
    cc_notes_files files;
    written notes, object = {NULL, 0};
    text tables = {NULL, 0, 0}, out = {NULL, 0, 0};
    char unit[32];
    const char *reason;
    cc_count_files(&files, c->line, choice);
    reason = read_notes(c, &files, &notes, unit, sizeof unit);
    if (!reason && cc_notes_are_empty(notes.data, notes.size)) {
        free(notes.data);
        return NULL;
    }
    if (!reason) {
        object.data = tool_read_file(path, NULL, &object.size);
        if (!object.data || cc_section_rename(object.data, object.size, c->name, unit) != 0)
            reason = "its object has no name for counters";
    }
    if (!reason) {
        make_tables(&notes, unit, &files, &tables);
        if (cc_section_add(object.data, object.size, &tables, &out) != 0)
            reason = "its object cannot hold tables";
        else if (cc_write_file(path, out.data, out.size) != TOOL_OK)
            reason = "its object cannot be written";
    }
    text_free(&out);
    text_free(&tables);
    free(object.data);
    free(notes.data);
    return reason;
}

const char *cc_count_again(cc_count_cxx *c, const cc_choice *choice) {
    cc_notes_files files;
    written notes;
    text tables = {NULL, 0, 0}, header = {NULL, 0, 0};
    const char *reason;
    cc_count_files(&files, c->line, choice);
    reason = read_notes(c, &files, &notes, c->name, sizeof c->name);
    if (!reason) {
        make_tables(&notes, c->name, &files, &tables);
        cc_cover_section(&header, &tables);
        if (cc_write_file(c->tables, header.data, header.size) != TOOL_OK)
            reason = "its tables cannot be written";
        cc_command_free(&c->words);
        add_words(c);
        cc_add_word(&c->words, "-include");
        cc_add_word(&c->words, c->tables);
    }
    text_free(&header);
    text_free(&tables);
    free(notes.data);
    return reason;
}
