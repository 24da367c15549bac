/* driver.c - preprocess, rewrite, compile, and look again.

   The rewritten text is compiled silently. If the compiler has said anything
   about it, or failed, the untouched command runs, too: its messages and its
   status are what the user sees, and only the object is the rewritten one. So
   nobody reads of columns or names that are not in the source. */
#include "cc/run/driver.h"
#include "base/hash.h"
#include "base/save.h"
#include "base/text.h"
#include "base/tool.h"
#include "cc/cxx/count_cxx.h"
#include "cc/put/cover.h"
#include "cc/run/answers.h"
#include "cc/run/cache.h"
#include "cc/run/inputs.h"
#include "cc/cxx/ir.h"
#include "cc/run/late.h"
#include "cc/run/section.h"
#include "cc/put/trained.h"
#include "cc/run/where.h"
#include <stdlib.h>
#include <string.h>

/* Can calls that may not return be marked (exits.h), and who is the
   compiler? */
enum { CC_EXITS_NOT, CC_EXITS_GCC, CC_EXITS_CLANG };

/* How C++ counts: not at all; by gcc's counters and notes (notes.h); by clang's
   text (ir.h), whose pointers may have types. */
enum { CC_CXX_NOT, CC_CXX_NOTES, CC_CXX_IR, CC_CXX_TYPED_IR };

/* C behind the optimizer: it cannot be; only if a plan was made for that; if no
   plan was made for checks in source; whatever a plan was made for. */
enum { CC_C_IN_SOURCE, CC_C_BY_PLAN, CC_C_LATE, CC_C_LATE_ALWAYS };

typedef struct job {
    cc_driver *d;
    cc_line line;
    char *folder;             /* of this run; NULL until it is needed */
    uint64_t plan_hash;
    cc_trained *trained; /* with --cover that is a run, and no plan of checks */
    int keeps;                /* CC_KEEPS_... */
    int twins;                /* the runtime finds second copies of other files */
    int exits;                /* CC_EXITS_... */
    int has_sections;         /* of ELF */
    int cover;                /* bits of a counter; 0: checks */
    int atomic;               /* counters that threads may share */
    char *late;               /* the compiler's plugin, or NULL */
    int in_place;             /* CC_IN_PLACE_... */
    int near, optimizes;      /* as in cc_request */
    int late_fits;            /* the plugin can make checks of C with these options */
    int late_c;               /* ... and C sources get their checks by it: CC_C_... */
    int cxx;                  /* CC_CXX_... */
} job;

typedef struct unit_job {     /* one source */
    const char *source;
    const char *language;     /* for -x, or NULL: its suffix and the compiler's name say it */
    char *object;             /* where the object goes */
    char *folder;             /* of this source, below the job's */
    char *preprocessed, *rewritten, *messages, *plain, *older;
    const char *left;         /* why all of it is left alone, or NULL; and where */
    uint32_t left_line;
} unit_job;

static void add_option(cc_command *c, const char *option, const char *value) {
    cc_add_word(c, option);
    cc_add_word(c, value);
}

/* The user's words but inputs and output; of the others, those for which
   `without` has no bit. */
static void add_user_words(cc_command *c, const cc_line *line, unsigned without) {
    size_t i;
    cc_add_words(c, line->compiler.words, line->compiler.count);
    for (i = 0; i < line->words.count; i++) {
        unsigned role = line->role[i];
        if (role >= CC_SOURCE && role <= CC_OBJECT) continue;
        if (role == CC_OUTPUT) continue;
        if (without >> role & 1) continue;
        cc_add_word(c, line->words.words[i]);
    }
}

static unsigned bit(cc_role role) { return 1u << role; }

/* ---- the steps ---- */

static void add_source(cc_command *c, const unit_job *u) {
    if (u->language) add_option(c, "-x", u->language);
    cc_add_word(c, u->source);
}

static int is_preprocessed(const unit_job *u) {
    return u->language && strcmp(u->language, "cpp-output") == 0;
}

/* What a dependency file speaks of: the object, or what is linked of it. */
static const char *output_of(const job *j, const unit_job *u) {
    return j->line.links && j->line.output ? j->line.output : u->object;
}

/* -Wp,-MD,file goes past the compiler's driver, so its target depends on how the compiler is
   called: -fsyntax-only with the user's output gives the same as compiling. */
static int write_dependencies_aside(const job *j, const unit_job *u) {
    cc_command c = {NULL, 0, 0};
    int status;
    add_user_words(&c, &j->line, bit(CC_LINKER) | bit(CC_LANGUAGE));
    cc_add_word(&c, "-fsyntax-only");
    add_source(&c, u);
    if (j->line.output || j->line.only_compile) add_option(&c, "-o", output_of(j, u));
    status = cc_run(&c, CC_TO_NOWHERE, NULL);
    cc_command_free(&c);
    return status;
}

static int preprocess(const job *j, const unit_job *u) {
    cc_command c = {NULL, 0, 0};
    int status;
    if (is_preprocessed(u)) return cc_copy_file(u->source, u->preprocessed);
    if (j->line.dependencies_aside && write_dependencies_aside(j, u) != 0) return 1;
    add_user_words(&c, &j->line, bit(CC_LINKER) | bit(CC_LANGUAGE) | bit(CC_DEPENDENCY_ASIDE));
    if (j->line.keep_comments) cc_add_word(&c, "-C");
    if (j->line.dependencies && !j->line.has_mf) {
        char *path = cc_with_suffix(output_of(j, u), ".d");
        add_option(&c, "-MF", path);
        free(path);
    }
    if (j->line.dependencies && !j->line.has_mt) add_option(&c, "-MQ", output_of(j, u));
    cc_add_word(&c, "-E");
    add_source(&c, u);
    add_option(&c, "-o", u->preprocessed);
    status = cc_run(&c, CC_TO_NOWHERE, NULL);
    cc_command_free(&c);
    return status;
}

static void add_exits_words(cc_command *c, const job *j);

/* quiet: without warnings, after a first try has failed. */
static int compile_rewritten(const job *j, const unit_job *u, int quiet) {
    cc_command c = {NULL, 0, 0};
    int status;
    add_user_words(&c, &j->line, bit(CC_LINKER) | bit(CC_LANGUAGE) | bit(CC_PREPROCESSOR) |
                                     bit(CC_DEPENDENCY) | bit(CC_DEPENDENCY_ASIDE));
    if (quiet) {
        cc_add_word(&c, "-w");
        cc_add_word(&c, "-Wno-error");
    }
    add_exits_words(&c, j);
    cc_add_word(&c, "-c");
    add_option(&c, "-x", "cpp-output");
    cc_add_word(&c, u->rewritten);
    add_option(&c, "-o", u->object);
    status = cc_run(&c, quiet ? CC_TO_NOWHERE : CC_TO_FILE, u->messages);
    cc_command_free(&c);
    return status;
}

/* What the compiler says of the untouched source without making code of it: all
   that the rewriting may have hidden is said by the parser. Returns 0 if that
   is nothing. */
static int look_quickly(const job *j, const unit_job *u) {
    cc_command c = {NULL, 0, 0};
    size_t said = 1;
    int status;
    add_user_words(&c, &j->line, bit(CC_LINKER) | bit(CC_LANGUAGE) | bit(CC_DEPENDENCY) |
                                     bit(CC_DEPENDENCY_ASIDE));
    cc_add_word(&c, "-fsyntax-only");
    add_source(&c, u);
    status = cc_run(&c, CC_TO_FILE, u->messages);
    cc_command_free(&c);
    if (status > 128) return status;
    return status == 0 && cc_file_size(u->messages, &said) == 0 && said == 0 ? 0 : 1;
}

/* The user's command for this source alone, with another output. more: words to
   add; NULL: silently, to see whether it works. */
static int compile_with(const job *j, const unit_job *u, const char *object,
                        const cc_command *more) {
    cc_command c = {NULL, 0, 0};
    int status;
    add_user_words(&c, &j->line, bit(CC_LINKER) | bit(CC_LANGUAGE) | bit(CC_DEPENDENCY) |
                                     bit(CC_DEPENDENCY_ASIDE));
    if (more) cc_add_words(&c, more->words, more->count);
    cc_add_word(&c, "-c");
    add_source(&c, u);
    add_option(&c, "-o", object);
    status = cc_run(&c, more ? CC_TO_USER : CC_TO_NOWHERE, NULL);
    cc_command_free(&c);
    return status;
}

static int compile_plain(const job *j, const unit_job *u, const char *object) {
    cc_command nothing = {NULL, 0, 0};
    return compile_with(j, u, object, &nothing);
}

/* ---- checks in assembly ---- */

/* Is the word in the text? said: may be NULL. */
static int says(const char *said, size_t size, const char *word) {
    size_t length = strlen(word), i;
    for (i = 0; said && i + length <= size; i++) {
        if (memcmp(said + i, word, length) == 0) return 1;
    }
    return 0;
}

/* Keeps which of the probe's words were said. */
static void keep_words(const cc_answer *kept, const char *said, size_t size) {
    static const char *const words[] = {"bursty_cc_elf", "bursty_cc_plugin", "bursty_cc_by_operand",
                                        "bursty_cc_by_address"};
    text t = {NULL, 0, 0};
    size_t i;
    for (i = 0; i < sizeof words / sizeof *words; i++) {
        if (says(said, size, words[i])) text_format(&t, " %s", words[i]);
    }
    text_bytes(&t, "", 1);
    cc_answer_keep(kept, t.data);
    text_free(&t);
}

/* bursty.h itself says where they are right: the compiler preprocesses it with
   the user's options. Returns CC_KEEPS_... A runtime that is not ours may lack
   the thunk. */
static void ask_for_keeping(job *j) {
    static const char probe[] = "#if defined(__ELF__) && defined(__GNUC__) && !defined(__TINYC__)\n"
                                "bursty_cc_elf\n#endif\n"
                                "#if defined(__ELF__) && defined(__x86_64__) && defined(__LP64__) && "
                                "!defined(__code_model_large__) && !defined(BURSTY_PORTABLE)\n"
                                "bursty_cc_plugin\n#endif\n"
                                "#include \"bursty.h\"\n"
                                "#if defined(BURSTY_CHECKS_ARE_ASSEMBLY) && (defined(BURSTY_NO_TLS) || "
                                "(defined(__PIC__) && !defined(__PIE__)))\nbursty_cc_by_operand\n"
                                "#elif defined(BURSTY_CHECKS_ARE_ASSEMBLY)\nbursty_cc_by_address\n#endif\n";
    cc_command c = {NULL, 0, 0};
    cc_answer *kept;
    char *path, *out, *said;
    size_t i, size = 0;
    int is_intel = 0;
    j->keeps = CC_KEEPS_NOT;
    if (j->d->no_runtime || j->d->cover) return;
    for (i = 0; i < j->line.words.count; i++)
        is_intel |= strcmp(j->line.words.words[i], "-masm=intel") == 0;
    if (is_intel && !j->d->choice.dual) return;
    path = cc_join(j->folder, "/keeps.c");
    out = cc_join(j->folder, "/keeps.i");
    add_user_words(&c, &j->line, bit(CC_LINKER) | bit(CC_LANGUAGE) | bit(CC_DEPENDENCY));
    if (j->d->choice.no_tls) cc_add_word(&c, "-DBURSTY_NO_TLS");
    kept = cc_answer_of(&j->line, probe, &c);
    said = cc_answer_read(kept);
    cc_add_word(&c, "-E");
    add_option(&c, "-x", "c");
    cc_add_word(&c, path);
    add_option(&c, "-o", out);
    if (said) size = strlen(said);
    else if (cc_write_embedded(j->folder, "bursty.h") == TOOL_OK &&
             cc_write_file(path, probe, sizeof probe - 1) == TOOL_OK &&
             cc_run(&c, CC_TO_NOWHERE, NULL) == 0 && cc_file_size(out, &size) == 0) {
        said = (char *)tool_read_file(out, NULL, &size);
        if (said && kept) keep_words(kept, said, size);
    }
    if (!is_intel && says(said, size, "bursty_cc_by_operand")) j->keeps = CC_KEEPS_BY_OPERAND;
    if (!is_intel && says(said, size, "bursty_cc_by_address")) j->keeps = CC_KEEPS_BY_ADDRESS;
    j->late_fits = !is_intel && says(said, size, "bursty_cc_plugin");
    j->twins = j->d->choice.dual && says(said, size, "bursty_cc_elf");
    cc_command_free(&c);
    cc_answer_free(kept);
    free(said);
    free(out);
    free(path);
}

/* Does the command ask for threads? Without such a word nobody knows of them, and
   --atomic must say it. */
static int has_threads(const cc_line *line) {
    static const char *const words[] = {"-pthread", "-pthreads", "-fopenmp", "-fopenacc",
                                        "-lpthread"};
    size_t i, k;
    for (i = 0; i < line->words.count; i++) {
        for (k = 0; k < sizeof words / sizeof *words; k++)
            if (strcmp(line->words.words[i], words[k]) == 0) return 1;
        if (strncmp(line->words.words[i], "-ftree-parallelize-loops=", 25) == 0) return 1;
        if (strncmp(line->words.words[i], "-fopenmp=", 9) == 0) return 1;
    }
    return 0;
}

/* Is it ELF? Is it an x86 whose assembly reaches a counter in every syntax?
   (clang's of 32 bits does not with -fPIC -masm=intel.) Markers need assembly
   for it, a stack that can be walked, and a compiler that knows asm inline. */
static void ask_for_cover(job *j) {
    static const char probe[] =
        "#if defined(__ELF__) && defined(__GNUC__) && !defined(__TINYC__)\nbursty_cc_elf\n#endif\n"
        "#if defined(__ELF__) && defined(__linux__) && \\\n"
        "    (defined(__x86_64__) || defined(__i386__) || defined(__aarch64__))\n"
        "#if defined(__clang__) && __clang_major__ >= 15\nbursty_cc_clang bursty_cc_ir\n"
        "#elif defined(__clang__) && __clang_major__ >= 13\nbursty_cc_clang bursty_cc_typed_ir\n"
        "#elif !defined(__clang__) && !defined(__TINYC__) && defined(__GNUC__) && __GNUC__ >= 9\n"
        "bursty_cc_gcc\n#endif\n#endif\n"
        "#if defined(_WIN64) || (defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ >= 8)\n"
        "bursty_cc_wide\n#endif\n"
        "#if defined(__x86_64__) || (defined(__i386__) && !defined(__clang__))\nbursty_cc_x86\n#endif\n"
        "#if defined(__ELF__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \\\n"
        "    !defined(__TINYC__) && __GNUC__ >= 11 && __GNUC__ <= 14\nbursty_cc_notes\n#endif\n"
        "#ifdef __OPTIMIZE__\nbursty_cc_optimizes\n#endif\n"
        "#if defined(__OPTIMIZE__) && (defined(__thumb__) || defined(__riscv)) && \\\n"
        "    defined(__GNUC__) && !defined(__TINYC__)\nbursty_cc_near\n#endif\n";
    cc_command c = {NULL, 0, 0};
    char *path, *out, *said = NULL;
    size_t size = 0;
    if (!j->d->cover) return;
    path = cc_join(j->folder, "/exits.c");
    out = cc_join(j->folder, "/exits.i");
    add_user_words(&c, &j->line, bit(CC_LINKER) | bit(CC_LANGUAGE) | bit(CC_DEPENDENCY) |
                                     bit(CC_DEPENDENCY_ASIDE));
    cc_add_word(&c, "-E");
    cc_add_word(&c, path);
    add_option(&c, "-o", out);
    if (cc_write_file(path, probe, sizeof probe - 1) == TOOL_OK &&
        cc_run(&c, CC_TO_NOWHERE, NULL) == 0 && cc_file_size(out, &size) == 0) {
        said = (char *)tool_read_file(out, NULL, &size);
    }
    j->cover = j->d->cover;
    if (j->cover == CC_COVER_WORD) j->cover = says(said, size, "bursty_cc_wide") ? 64 : 32;
    /* A machine may lack an atomic addition to what is wider than its words. */
    j->atomic = j->d->atomic || (has_threads(&j->line) &&
                                 (j->cover < 64 || says(said, size, "bursty_cc_wide")));
    if (says(said, size, "bursty_cc_x86") && (j->cover < 64 || says(said, size, "bursty_cc_wide"))) {
        if (says(said, size, "bursty_cc_gcc")) j->in_place = CC_IN_PLACE_GCC;
        if (says(said, size, "bursty_cc_clang")) j->in_place = CC_IN_PLACE_CLANG;
    }
    j->near = says(said, size, "bursty_cc_near");
    j->optimizes = says(said, size, "bursty_cc_optimizes");
    j->has_sections = says(said, size, "bursty_cc_elf");
    if (says(said, size, "bursty_cc_notes")) j->cxx = CC_CXX_NOTES;
    if (says(said, size, "bursty_cc_ir")) j->cxx = CC_CXX_IR;
    if (says(said, size, "bursty_cc_typed_ir")) j->cxx = CC_CXX_TYPED_IR;
    if (cc_counts_itself(&j->line) || j->d->trace) j->cxx = CC_CXX_NOT;
    if (!j->d->no_exits && says(said, size, "bursty_cc_gcc")) j->exits = CC_EXITS_GCC;
    if (!j->d->no_exits && says(said, size, "bursty_cc_clang")) j->exits = CC_EXITS_CLANG;
    cc_command_free(&c);
    free(said);
    free(out);
    free(path);
}

/* Each frame must be found, and each call must have an address of its own: two
   calls that are merged, or one that is the last thing a function does and
   becomes a jump, would be taken for another. */
static void add_exits_words(cc_command *c, const job *j) {
    static const char *const of_gcc[] = {"-fno-crossjumping", "-fno-tree-tail-merge",
                                         "-fno-partial-inlining", NULL};
    static const char *const of_clang[] = {"-mllvm", "-enable-tail-merge=false", "-mllvm",
                                           "-simplifycfg-sink-common=false", NULL};
    const char *const *word = j->exits == CC_EXITS_GCC ? of_gcc : of_clang;
    if (j->exits == CC_EXITS_NOT) return;
    cc_add_word(c, "-fasynchronous-unwind-tables");
    cc_add_word(c, "-fno-optimize-sibling-calls");
    for (; *word; word++) cc_add_word(c, *word);
}

/* ---- lists ---- */

/* Says at once that lines could not be appended. */
static int open_list(const char *path) {
    FILE *list;
    if (!path) return TOOL_OK;
    list = fopen(path, "ab");
    if (!list) return tool_system_error(path);
    fclose(list);
    return TOOL_OK;
}

static void list_line(const job *j, const char *file, uint32_t line, const char *what,
                      const char *how, const char *reason) {
    FILE *list;
    if (!j->d->list) return;
    list = fopen(j->d->list, "ab");
    if (!list) {
        tool_system_error(j->d->list);
        return;
    }
    fprintf(list, "%s:%lu: %s: %s: %s\n", file, (unsigned long)line, what, how, reason);
    fclose(list);
}

static void say_way(const job *j, const char *file, const char *way) {
    if (j->d->verbose) fprintf(stderr, "bursty: cc: %s: %s\n", file, way);
}

/* A file that is left alone, in the list and in its object: what has no counters
   is not measured, and the report says so. */
static void tell_left(const job *j, const unit_job *u, const char *reason) {
    cc_request request;
    text part = {NULL, 0, 0}, out = {NULL, 0, 0};
    unsigned char *object;
    size_t size = 0;
    list_line(j, u->source, u->left_line ? u->left_line : 1, "the file", "left alone", reason);
    if (!j->d->cover || cc_file_size(u->object, &size) != 0) return;
    memset(&request, 0, sizeof request);
    request.where = cc_where;
    request.where_of = &j->line;
    cc_cover_left_file(&request, u->source, reason, &part);
    object = tool_read_file(u->object, NULL, &size);
    if (object && cc_section_add(object, size, &part, &out) == 0)
        cc_write_file(u->object, out.data, out.size);
    text_free(&part);
    text_free(&out);
    free(object);
}

/* ---- rewriting ---- */

static int write_side(const unit_job *u, const cc_result *r) {
    char *path = cc_join(u->object, ".burstycg");
    int status = cc_write_file(path, r->records.data, r->records.size);
    free(path);
    return status;
}

/* Objects of one program that have one text must not share names: their names
   on the command line differ. Whole paths do not count, so that a build in
   another folder gives the same object. */
static uint64_t number_of(const job *j, const unit_job *u) {
    const char *object = j->line.only_compile && *u->object != '/' ? u->object : "";
    const char *slash = strrchr(u->source, '/');
    const char *source = *u->source == '/' && slash ? slash + 1 : u->source;
    uint64_t hash = hash_fnv(object, strlen(object) + 1, 0);
    return hash_fnv(source, strlen(source), hash);
}

/* Functions that are left alone because the compiler refuses them when they are
   rewritten. */
typedef struct spared {
    unsigned char *list;
    uint32_t count, tries;
} spared;

/* Says of each function that was left alone why; of spared ones, if
   `only_spared`. */
static void list_left(const job *j, const unit_job *u, const cc_result *r, int only_spared) {
    uint32_t i;
    if (r->missed && r->functions > 0 && !only_spared) {
        list_line(j, u->source, 1, "the file", "without a plan", r->missed);
    }
    for (i = 0; i < r->left_count; i++) {
        if (only_spared && r->left[i].reason != cc_refused_text) continue;
        list_line(j, r->left[i].file, r->left[i].line, r->left[i].name, r->left[i].how,
                  r->left[i].reason);
    }
}

/* s: NULL at first. Returns 0, or -1: this file is compiled as it is. */
static int rewrite(const job *j, unit_job *u, int *look_again, spared *s, int say) {
    cc_request request;
    cc_result result;
    size_t size;
    unsigned char *source = tool_read_file(u->preprocessed, NULL, &size);
    int status = -1;
    memset(&request, 0, sizeof request);
    request.file = u->source;
    request.where = cc_where;
    request.where_of = &j->line;
    request.choice = j->d->choice;
    request.choice.keeps = j->keeps;
    request.choice.twins = j->twins;
    if (!j->line.pic && !j->line.shared) request.choice.tls_model = "local-exec";
    request.unit = number_of(j, u);
    if (s) {
        request.spared = s->list;
        request.spared_count = s->count;
    }
    request.command = j->d->options;
    request.plan = j->plan_hash;
    request.no_section = j->d->side;
    request.cover = j->cover;
    /* gcc names the file in a comment beside assembly, and does not escape it. */
    request.in_place = strpbrk(u->source, "\"\n") ? 0 : j->in_place;
    request.near = j->near;
    request.optimizes = j->optimizes;
    request.atomic = j->atomic;
    request.mcdc = j->d->mcdc;
    request.trace = j->d->trace;
    request.trained = j->trained;
    request.warns = j->line.warns;
    request.has_sections = j->has_sections;
    request.exits = j->exits != CC_EXITS_NOT;
    request.backwards = j->exits == CC_EXITS_GCC;
    if (!source) return -1;
    if (cc_rewrite((const char *)source, size, &request, &result) != 0) {
        u->left = result.reason;
        u->left_line = result.reason_line;
    } else {
        status = cc_write_file(u->rewritten, result.out.data, result.out.size) == TOOL_OK ? 0 : -1;
        if (status == 0 && j->d->side && !j->d->cover) {
            status = write_side(u, &result) == TOOL_OK ? 0 : -1;
        }
        if (say) list_left(j, u, &result, s != NULL);
        *look_again = result.look_again;
    }
    if (s && !s->list) {
        s->count = result.bodies;
        s->list = (unsigned char *)tool_alloc(s->count + 1);
        memset(s->list, 1, s->count + 1);
    }
    cc_result_free(&result);
    free(source);
    return status;
}

/* ---- one source ---- */

/* After an error gcc removes an older object and clang keeps it: as the
   compiler did with the copy, so it is done with the object. */
static void put_back(const unit_job *u, int had_object) {
    size_t size;
    if (!had_object || cc_file_size(u->plain, &size) != 0) cc_remove_output(u->object);
    else cc_copy_with_time(u->older, u->object);
}

enum { MOST_TRIES = 200 };

static int compiles(const job *j, unit_job *u, spared *s) {
    int look_again;
    return s->tries++ < MOST_TRIES && rewrite(j, u, &look_again, s, 0) == 0 &&
           compile_rewritten(j, u, 1) == 0;
}

/* Functions first .. last - 1 are spared. This rewrites those that the compiler takes:
   all of them at once or, if that fails, those of each half. */
static void admit(const job *j, unit_job *u, spared *s, uint32_t first, uint32_t last) {
    if (first == last) return;
    memset(s->list + first, 0, last - first);
    if (compiles(j, u, s)) return;
    memset(s->list + first, 1, last - first);
    if (last - first == 1) return;
    admit(j, u, s, first, first + (last - first) / 2);
    admit(j, u, s, first + (last - first) / 2, last);
}

/* What the compiler refuses of a file costs the functions it is in, and not the
   file. */
static int compile_without_some(const job *j, unit_job *u) {
    spared s = {NULL, 0, 0};
    int look_again, status = -1;
    if (rewrite(j, u, &look_again, &s, 0) == 0 && compiles(j, u, &s)) {
        admit(j, u, &s, 0, s.count);
        status = rewrite(j, u, &look_again, &s, 1) == 0 ? compile_rewritten(j, u, 1) : -1;
    }
    free(s.list);
    return status;
}

static int finish(const job *j, unit_job *u, int look_again) {
    size_t said = 0;
    int had_object = cc_copy_with_time(u->object, u->older) == 0;
    int status = compile_rewritten(j, u, 0), plain;
    if (cc_file_size(u->messages, &said) != 0) said = 1;
    if (status == 0 && said == 0) {
        int said_more = look_again == CC_LOOK_QUICKLY ? look_quickly(j, u) : look_again;
        if (said_more == 0) return TOOL_OK;
        if (said_more > 128) status = said_more;
    }
    if (status > 128) {                    /* the compiler was killed: not for its input */
        cc_remove_output(u->object);
        return status;
    }
    if (had_object) cc_copy_file(u->older, u->plain);
    plain = compile_plain(j, u, u->plain);
    if (plain != 0) {
        put_back(u, had_object);
        return plain;
    }
    if (status == 0 || compile_rewritten(j, u, 1) == 0) return TOOL_OK;
    if (compile_without_some(j, u) == 0) return TOOL_OK;
    plain = cc_copy_file(u->plain, u->object);
    tell_left(j, u, "the compiler refuses the rewritten text");
    return plain;
}

/* A source with an error fails at both steps, and the compiler has said why. A
   command that compiles and does not preprocess (a wrapper that knows no -E)
   would go without a word. */
static int compile_unread(const job *j, const unit_job *u) {
    int status = compile_plain(j, u, u->object);
    if (status != TOOL_OK) return status;
    tool_error("cc: %s: compiled without %s: the compiler's command fails with -E", u->source,
               j->d->cover ? "counters" : "checks");
    tell_left(j, u, "the compiler's command fails with -E");
    return TOOL_OK;
}

/* What the plan says of some files, in a file for the plugin. */
static int add_plan(const job *j, const char *const *files, size_t count, const char *folder,
                    cc_command *c) {
    text lines = {NULL, 0, 0};
    char *path;
    size_t i;
    int status;
    if (!j->d->choice.plan) return TOOL_OK;
    for (i = 0; i < count; i++) {
        const char *missed = NULL;
        cc_plan_of_unit(j->d->choice.plan, j->d->choice.plan_size, files[i], &lines, &missed);
        if (missed) list_line(j, files[i], 1, "the file", "without a plan", missed);
    }
    path = cc_join(folder, "/plan");
    status = cc_write_file(path, lines.data ? lines.data : "", lines.size);
    if (status == TOOL_OK) cc_late_add_plan(c, j->late, path, j->plan_hash);
    text_free(&lines);
    free(path);
    return status;
}

/* The untouched source, with the plugin: it says what the compiler says. Returns
   -1 if the plugin fails and the compiler alone does not. */
static int compile_late(const job *j, const unit_job *u) {
    cc_command c = {NULL, 0, 0};
    int status;
    cc_late_add(&c, j->late, &j->d->choice);
    status = add_plan(j, &u->source, 1, u->folder, &c);
    if (status == TOOL_OK) status = compile_with(j, u, u->object, &c);
    cc_command_free(&c);
    if (status == 0 || status > 128) return status;
    return compile_with(j, u, u->plain, NULL) == 0 ? -1 : status;
}

/* ---- C behind the optimizer ---- */

/* With link-time optimization the linker's step makes the code. */
static int makes_code_later(const job *j) {
    size_t i;
    for (i = 0; i < j->line.words.count; i++) {
        if (strncmp(j->line.words.words[i], "-flto", 5) == 0) return 1;
    }
    return 0;
}

/* With link-time optimization C has its checks in source, and if the graph shall
   stand beside the object. */
static int may_be_late_c(const job *j) {
    return j->d->late >= 0 && !j->d->cover && cc_late_can(&j->d->choice) && !j->d->side &&
           !j->line.pass && j->line.sources > 0 && !j->line.links_cxx && !makes_code_later(j);
}

/* Where each function is asked for, one that was inlined would be missed: it has
   no entry any more. In a shared object the plugin makes no scope. */
static int way_of_c(const job *j) {
    const cc_choice *c = &j->d->choice;
    if (!j->late || !may_be_late_c(j)) return CC_C_IN_SOURCE;
    if (j->d->late > 0) return CC_C_LATE_ALWAYS;
    if (!j->late_fits) return CC_C_IN_SOURCE;
    if (c->scope && (j->line.pic || j->line.shared || c->no_tls)) return CC_C_IN_SOURCE;
    if (c->scope || (c->entries != CC_ENTRIES_SAFE && c->entries != CC_ENTRIES_NONE))
        return CC_C_BY_PLAN;
    return CC_C_LATE;
}

/* Does the author ask for checks or forbid them (decide.c)? Only the text says so. */
static int has_authors_word(const unit_job *u) {
    size_t size = 0;
    unsigned char *source = tool_read_file(u->preprocessed, NULL, &size);
    int has = source && (says((const char *)source, size, "bursty_check") ||
                         says((const char *)source, size, "bursty_no_check"));
    free(source);
    return has;
}

/* Does this source get its checks behind the optimizer? Without a word from the
   user it goes the way for which its plan was made. A plan for the other way is
   of no use, for it is one of another graph: the checks are then those that one
   file alone gets. */
static int goes_late(const job *j, const unit_job *u) {
    cc_plan_way way = CC_PLAN_UNKNOWN;
    int late = j->late_c >= CC_C_LATE;
    if (j->d->choice.plan && !j->d->cover)
        way = cc_way_of_plan(j->d->choice.plan, j->d->choice.plan_size, u->source);
    if (way == CC_PLAN_LATE) late = j->late_c != CC_C_IN_SOURCE;
    if (way == CC_PLAN_SOURCE) late = j->late_c == CC_C_LATE_ALWAYS;
    if (late && has_authors_word(u)) late = 0;
    if (way != CC_PLAN_UNKNOWN && late != (way == CC_PLAN_LATE)) {
        const char *reason = late ? "the plan is one for checks in source"
                                  : "the plan is one for checks behind the optimizer";
        tool_error("cc: %s: %s and is not obeyed: checks stand %s; %smake a new plan of this build",
                   u->source, reason, late ? "behind it" : "in source",
                   may_be_late_c(j) && !j->late
                       ? "build the plugin (bursty cc --build-plugin), or " : "");
        list_line(j, u->source, 1, "the file", "without a plan", reason);
    }
    return late;
}

/* What the plugin cannot do is done in source. */
static int compile_source(const job *j, unit_job *u) {
    int look_again = 0;
    if (preprocess(j, u) != 0) return compile_unread(j, u);
    if (goes_late(j, u)) {
        int status = compile_late(j, u);
        if (status == 0) say_way(j, u->source, "checks behind the optimizer");
        if (status != -1) return status;
        tool_error("cc: %s: fails on %s, which has its checks in source: bursty cc --build-plugin",
                   j->late, u->source);
    }
    if (rewrite(j, u, &look_again, NULL, 1) != 0) {
        int status = compile_plain(j, u, u->object);
        if (!u->left) return status;
        if (status == TOOL_OK) tell_left(j, u, u->left);
        else list_line(j, u->source, u->left_line, "the file", "left alone", u->left);
        return status;
    }
    say_way(j, u->source, j->d->cover ? "counters in source" : "checks in source");
    return finish(j, u, look_again);
}

static char *below(const char *folder, const char *name, const char *suffix) {
    char *slash = cc_join(folder, "/"), *path = cc_join(slash, name), *all = cc_join(path, suffix);
    free(slash);
    free(path);
    return all;
}

static int start_source(job *j, unit_job *u, size_t word, size_t number) {
    const char *source = j->line.words.words[word];
    char digits[32], *base = cc_base_name(source), *inner;
    memset(u, 0, sizeof *u);
    u->source = source;
    u->language = j->line.language[word];
    if (!u->language && j->line.role[word] == CC_SOURCE)
        u->language = cc_is_preprocessed(source) ? "cpp-output" : "c";
    snprintf(digits, sizeof digits, "%lu", (unsigned long)number);
    u->folder = below(j->folder, digits, "");
    inner = below(u->folder, "r", "");
    u->preprocessed = below(u->folder, base, ".i");
    u->rewritten = below(inner, base, ".i");
    u->messages = below(u->folder, "messages", "");
    u->plain = below(u->folder, "plain", ".o");
    u->older = below(u->folder, "older", ".o");
    if (!j->line.only_compile) u->object = below(u->folder, base, ".o");
    else if (j->line.output) u->object = cc_join(j->line.output, "");
    else u->object = cc_join(base, ".o");
    number = (size_t)(cc_make_directory(u->folder) == 0 && cc_make_directory(inner) == 0);
    free(inner);
    free(base);
    if (number == 1) return TOOL_OK;
    tool_system_error(u->folder);
    return TOOL_FAILED;
}

static void end_source(unit_job *u) {
    free(u->object);
    free(u->folder);
    free(u->preprocessed);
    free(u->rewritten);
    free(u->messages);
    free(u->plain);
    free(u->older);
}

/* ---- the whole command ---- */

static int wants_runtime(const job *j) {
    size_t i;
    if (j->d->no_runtime) return 0;
    for (i = 0; i < j->line.words.count; i++) {
        const char *word = j->line.words.words[i];
        if (strcmp(word, "-r") == 0 || strcmp(word, "-nostdlib") == 0 ||
            strcmp(word, "-Wl,-r") == 0) return 0;
    }
    return 1;
}

/* Is this a name under which configure, cmake or meson tries a compiler? They take
   whatever a trial prints for a failure. */
static int is_trial(const char *output) {
    const char *slash = output ? strrchr(output, '/') : NULL;
    const char *name = slash ? slash + 1 : output ? output : "a.out";
    return strncmp(name, "conftest", 8) == 0 || strncmp(name, "cmTC_", 5) == 0 ||
           strncmp(name, "CMakeC", 6) == 0 || strncmp(name, "sanitycheck", 11) == 0 ||
           strcmp(name, "output.exe") == 0;
}

static int add_runtime(const job *j, cc_command *link) {
    cc_naming *naming = &j->d->naming;
    naming->exits = j->exits != CC_EXITS_NOT;
    naming->cxx = j->cxx != CC_CXX_NOT;
    naming->notes = j->cxx == CC_CXX_NOTES;
    naming->no_tls = j->d->choice.no_tls;
    if (!is_trial(j->line.output)) cc_cache_warn();
    return cc_add_runtime(link, &j->line, naming, j->folder);
}

/* ---- C++ ---- */

static int is_cxx_input(const job *j, size_t i) { return j->line.role[i] == CC_CXX_SOURCE; }

/* The word about files of C++, in the list and for --verbose. */
static void say_cxx(const job *j, const char *reason) {
    size_t i;
    for (i = 0; i < j->line.words.count; i++) {
        if (!is_cxx_input(j, i)) continue;
        if (reason) list_line(j, j->line.words.words[i], 1, "the file", "left alone", reason);
        say_way(j, j->line.words.words[i], reason ? reason : "checks behind the optimizer");
    }
}

/* Does the command compile C++ to code? */
static int makes_cxx(const job *j) {
    const char *pass = j->line.pass;
    if (!j->line.cxx_sources) return 0;
    if (!pass) return 1;
    return j->line.makes_code && j->line.only_compile && strcmp(pass, "no C file") == 0;
}

/* To code that gets checks? */
static int compiles_cxx(const job *j) {
    return !j->d->cover && cc_late_can(&j->d->choice) && makes_cxx(j);
}

/* To code that counts? */
static int counts_cxx(const job *j) { return j->cxx != CC_CXX_NOT && makes_cxx(j); }

/* Adds the plan for all C++ files of the command. */
static int add_cxx_plan(const job *j, cc_command *c) {
    const char **files = (const char **)tool_alloc((j->line.words.count + 1) * sizeof *files);
    size_t count = 0, i;
    int status;
    for (i = 0; i < j->line.words.count; i++) {
        if (is_cxx_input(j, i)) files[count++] = j->line.words.words[i];
    }
    status = add_plan(j, files, count, j->folder, c);
    free(files);
    return status;
}

/* Runs a command with the plugin. When it fails and does not without the
   plugin, that is ours to answer for: the files go without checks. */
static int run_late(const job *j, const cc_command *plain) {
    cc_command c = {NULL, 0, 0};
    int status, again;
    cc_add_words(&c, plain->words, plain->count);
    cc_late_add(&c, j->late, &j->d->choice);
    if (j->line.links && !j->line.shared && makes_code_later(j))
        cc_late_add_program(&c, j->late);
    status = add_cxx_plan(j, &c);
    if (status == TOOL_OK) status = cc_run(&c, CC_TO_USER, NULL);
    cc_command_free(&c);
    if (status == 0) say_cxx(j, NULL);
    if (status == 0 || status > 128) return status;
    if (!cc_late_loads(&j->line, j->late)) {
        tool_error("cc: %s: the compiler refuses it, and C++ goes without checks: bursty cc "
                   "--build-plugin", j->late);
        say_cxx(j, "C++, the compiler refuses the plugin");
        return cc_run(plain, CC_TO_USER, NULL);
    }
    again = cc_run(plain, CC_TO_NOWHERE, NULL);
    if (again != 0) return status;
    tool_error("cc: %s: fails on this; compiled without checks", j->late);
    say_cxx(j, "C++, the plugin fails");
    return TOOL_OK;
}

/* ---- what is linked without checks ---- */

enum { SHOWN = 6 };

typedef struct bare_files {      /* files of C++ that have none */
    const job *j;
    text names;
    size_t count;
    int for_link;             /* all of them are code of the linker's step */
} bare_files;

static void note_without(void *user, const char *file, unsigned what, const char *reason) {
    bare_files *w = (bare_files *)user;
    if (!cc_is_cxx(file)) list_line(w->j, file, 1, "the file", "left alone", reason);
    say_way(w->j, file, reason);
    if (!(what & CC_INPUT_IS_CXX)) return;
    if (w->count == SHOWN) text_add(&w->names, " ...");
    if (w->count++ >= SHOWN) return;
    text_add(&w->names, w->count == 1 ? "" : ", ");
    text_add(&w->names, file);
    w->for_link &= (what & CC_INPUT_FOR_LINK) != 0;
}

/* Files of C++ in the command that links. list_cxx has put them into the
   list. */
static void note_sources(bare_files *w) {
    const job *j = w->j;
    size_t i;
    if (j->late && compiles_cxx(j)) return;
    for (i = 0; i < j->line.words.count; i++) {
        const char *word = j->line.words.words[i];
        if (is_cxx_input(j, i))
            note_without(w, word, CC_INPUT_IS_CXX, "C++, compiled without the plugin");
    }
}

static void add_advice(text *out, const bare_files *w) {
    const job *j = w->j;
    char *plugin;
    if (w->for_link) {
        text_add(out, "with -flto at the link the plugin gives it some");
        return;
    }
    plugin = j->late ? NULL : cc_late_find(&j->line, j->folder);
    free(plugin);
    if (j->late || plugin) text_add(out, "compile it again with bursty cc");
    else
        text_format(out, "`bursty cc --build-plugin -- %s` gives it some",
                    j->line.compiler.words[j->line.compiler.count - 1]);
}

/* The word at link, on what the inputs really have. */
static void say_left_alone(const job *j) {
    bare_files w = {j, {NULL, 0, 0}, 0, 1};
    if (j->d->cover || !wants_runtime(j) || is_trial(j->line.output)) return;
    note_sources(&w);
    cc_inputs(&j->line, j->late && makes_code_later(j), note_without, &w);
    if (w.count && cc_late_can(&j->d->choice)) {
        text_add(&w.names, "; ");
        add_advice(&w.names, &w);
        text_bytes(&w.names, "", 1);
        fprintf(stderr, "bursty: cc: %s: %lu %s of C++ without checks: %s\n",
                j->line.output ? j->line.output : "a.out", (unsigned long)w.count,
                w.count == 1 ? "file" : "files", w.names.data);
    }
    text_free(&w.names);
}

/* The user's command for one source of C++, and more words. quiet: once more,
   for the object alone. */
static int compile_cxx(const job *j, const unit_job *u, const cc_command *more, int quiet) {
    unsigned dropped = bit(CC_LINKER) | bit(CC_LANGUAGE);
    cc_command c = {NULL, 0, 0};
    int status;
    if (quiet) dropped |= bit(CC_DEPENDENCY) | bit(CC_DEPENDENCY_ASIDE);
    add_user_words(&c, &j->line, dropped);
    if (more) cc_add_words(&c, more->words, more->count);
    if (quiet) cc_add_word(&c, "-w");
    cc_add_word(&c, "-c");
    add_source(&c, u);
    add_option(&c, "-o", u->object);
    status = cc_run(&c, quiet ? CC_TO_NOWHERE : CC_TO_USER, NULL);
    cc_command_free(&c);
    return status;
}

static void add_dependencies(cc_command *c, const job *j, const unit_job *u) {
    if (j->line.dependencies && !j->line.has_mf) {
        char *path = cc_with_suffix(output_of(j, u), ".d");
        add_option(c, "-MF", path);
        free(path);
    }
    if (j->line.dependencies && !j->line.has_mt) add_option(c, "-MQ", output_of(j, u));
}

static int leave_uncounted(const job *j, const unit_job *u, const char *reason) {
    int status;
    tool_error("cc: %s: compiled without counters: %s", u->source, reason);
    status = compile_cxx(j, u, NULL, 1);
    tell_left(j, u, reason);
    return status;
}

/* A trial of configure takes each word for a failure. */
static void say_uncounted(const job *j, const char *file, const char *reason) {
    if (!is_trial(j->line.output))
        tool_error("cc: %s: compiled without counters: %s", file, reason);
}

/* A source that nothing here can count. */
static int compile_uncounted(const job *j, const unit_job *u, const char *reason) {
    cc_command words = {NULL, 0, 0};
    int status;
    add_dependencies(&words, j, u);
    status = compile_cxx(j, u, &words, 0);
    cc_command_free(&words);
    if (status != 0) return status;
    say_uncounted(j, u->source, reason);
    tell_left(j, u, reason);
    return status;
}

/* gcc's plugin joins counters behind inlining. NULL: there is none, or nothing
   for it to do. */
static char *joining_plugin(const job *j) {
    const char *level = "0";
    char *plugin = NULL;
    size_t i;
    for (i = 0; i < j->line.words.count; i++) {
        const char *word = j->line.words.words[i];
        if (word[0] == '-' && word[1] == 'O') level = word + 2;
    }
    if (strcmp(level, "0") != 0 && !j->atomic && !makes_code_later(j))
        plugin = cc_late_find(&j->line, j->folder);
    if (plugin && !cc_late_is_clangs(plugin)) return plugin;
    free(plugin);
    return NULL;
}

/* With the plugin; without it, if the compiler cannot load it. */
static int compile_and_join(const job *j, const unit_job *u, const cc_command *words) {
    cc_command all = {NULL, 0, 0};
    char *plugin = joining_plugin(j);
    int status;
    cc_add_words(&all, words->words, words->count);
    if (plugin) cc_late_add_join(&all, plugin, &j->line);
    status = compile_cxx(j, u, &all, 0);
    if (status != 0 && status <= 128 && plugin && !cc_late_loads(&j->line, plugin)) {
        tool_error("cc: %s: the compiler refuses it: bursty cc --build-plugin", plugin);
        status = compile_cxx(j, u, words, 0);
    }
    cc_command_free(&all);
    free(plugin);
    return status;
}

/* A source of C++ that counts by gcc itself. What gcc writes about it becomes
   tables in the object. */
static int compile_by_notes(const job *j, const unit_job *u) {
    const char *reason;
    cc_count_cxx count;
    cc_command words = {NULL, 0, 0};
    int status;
    cc_count_begin(&count, &j->line, u->folder);
    if (j->atomic) cc_add_word(&words, "-fprofile-update=atomic");
    add_dependencies(&words, j, u);
    cc_add_words(&words, count.words.words, count.words.count);
    status = compile_and_join(j, u, &words);
    cc_command_free(&words);
    if (status == 0 && makes_code_later(j)) {
        reason = cc_count_again(&count, &j->d->choice);
        if (j->atomic) cc_add_word(&count.words, "-fprofile-update=atomic");
        if (!reason && compile_cxx(j, u, &count.words, 1) != 0) reason = "gcc refuses its tables";
    } else if (status == 0) {
        reason = cc_count_end(&count, &j->d->choice, u->object);
    } else {
        reason = NULL;
    }
    cc_count_free(&count);
    if (status == 0 && !reason) say_way(j, u->source, "counters by the compiler");
    if (status != 0 || !reason) return status;
    return leave_uncounted(j, u, reason);
}

/* The text that clang makes of a source of C++, before any optimization, with
   lines but without what a debugger reads of them. */
static int make_ir(const job *j, const unit_job *u, const char *path) {
    cc_command c = {NULL, 0, 0};
    int status;
    if (j->line.dependencies_aside && write_dependencies_aside(j, u) != 0) return 1;
    add_user_words(&c, &j->line, bit(CC_LINKER) | bit(CC_LANGUAGE) | bit(CC_DEPENDENCY_ASIDE));
    add_dependencies(&c, j, u);
    cc_late_lines(&c);
    add_option(&c, "-Xclang", "-disable-llvm-passes");
    /* Otherwise a destructor with nothing in it is that of its base class, and never runs. */
    add_option(&c, "-Xclang", "-mno-constructor-aliases");
    cc_add_word(&c, "-fno-discard-value-names");
    cc_add_word(&c, "-emit-llvm");
    cc_add_word(&c, "-S");
    add_source(&c, u);
    add_option(&c, "-o", path);
    status = cc_run(&c, CC_TO_USER, NULL);
    cc_command_free(&c);
    return status;
}

static int compile_ir(const job *j, const unit_job *u, const char *path) {
    cc_command c = {NULL, 0, 0};
    int status;
    add_user_words(&c, &j->line, bit(CC_LINKER) | bit(CC_LANGUAGE) | bit(CC_PREPROCESSOR) |
                                     bit(CC_DEPENDENCY) | bit(CC_DEPENDENCY_ASIDE));
    cc_add_word(&c, "-w");
    cc_add_word(&c, "-Qunused-arguments");
    cc_add_word(&c, "-c");
    add_option(&c, "-x", "ir");
    cc_add_word(&c, path);
    add_option(&c, "-o", u->object);
    status = cc_run(&c, CC_TO_NOWHERE, NULL);
    cc_command_free(&c);
    return status;
}

/* Writes the text with counters. Returns why there are none, or NULL; *counts:
   whether there is something to count. */
static const char *count_ir(const job *j, const unit_job *u, const char *path,
                            const char *counted, int *counts) {
    cc_notes_files files;
    cc_request request;
    cc_ir_result result;
    const char *reason = NULL;
    size_t size;
    uint32_t i;
    unsigned char *data = tool_read_file(path, NULL, &size);
    if (!data) return "clang's text cannot be read";
    memset(&request, 0, sizeof request);
    request.file = u->source;
    request.where = cc_where;
    request.where_of = &j->line;
    request.unit = hash_fnv(data, size, number_of(j, u));
    request.cover = 64;
    request.atomic = j->atomic;
    request.has_sections = request.no_early = 1;
    request.typed_pointers = j->cxx == CC_CXX_TYPED_IR;
    cc_count_files(&files, &j->line, &j->d->choice);
    if (cc_ir((const char *)data, size, &request, &files, &result, &reason) == 0) {
        *counts = result.out.size > 0;
        if (*counts && cc_write_file(counted, result.out.data, result.out.size) != TOOL_OK)
            reason = "the text with counters cannot be written";
        for (i = 0; i < result.left_count; i++)
            list_line(j, result.left[i].file, result.left[i].line, result.left[i].name,
                      result.left[i].how, result.left[i].reason);
    }
    cc_ir_free(&result);
    free(data);
    return reason;
}

/* A source of C++ that counts by clang's text. */
static int compile_by_ir(const job *j, const unit_job *u) {
    char *path = cc_join(u->folder, "/plain.ll"), *counted = cc_join(u->folder, "/counted.ll");
    const char *reason = NULL;
    int counts = 0, status = make_ir(j, u, path);
    if (status == 0) reason = count_ir(j, u, path, counted, &counts);
    if (status == 0 && !reason && counts && compile_ir(j, u, counted) != 0)
        reason = "clang refuses its counters";
    if (status == 0 && !reason)
        say_way(j, u->source, counts ? "counters in clang's text" : "nothing to count");
    free(path);
    free(counted);
    if (status != 0) return status;
    if (!reason && counts) return status;
    return reason ? leave_uncounted(j, u, reason) : compile_cxx(j, u, NULL, 1);
}

static int compile_counted(const job *j, const unit_job *u) {
    if (j->d->mcdc) list_line(j, u->source, 1, "the file", "without MC/DC", "C++");
    return j->cxx == CC_CXX_NOTES ? compile_by_notes(j, u) : compile_by_ir(j, u);
}

/* What --cover cannot count of input i, or NULL. */
static const char *reason_uncounted(const job *j, size_t i) {
    if (!j->d->cover || j->d->trace) return NULL;
    if (j->line.pass && strcmp(j->line.pass, "no C file") != 0) return j->line.pass;
    if (is_cxx_input(j, i) && !counts_cxx(j))
        return cc_counts_itself(&j->line) ? "C++ that counts for the compiler's own coverage"
                                          : "C++, which is not counted with this compiler";
    return cc_is_foreign(&j->line, i) ? "its language is not counted" : NULL;
}

/* An input that this step does not make an object of, in its language. */
static void add_input(cc_command *c, const job *j, size_t i) {
    const char *language = j->line.language[i];
    if (language) add_option(c, "-x", language);
    cc_add_word(c, j->line.words.words[i]);
    if (language) add_option(c, "-x", "none");
}

/* Sources become objects; then one linker's step with everything in its
   place. */
static int run_all(job *j) {
    cc_command link = {NULL, 0, 0};
    size_t i, number = 0, inputs_left = 0;
    int status = TOOL_OK;
    cc_add_words(&link, j->line.compiler.words, j->line.compiler.count);
    for (i = 0; i < j->line.words.count && status == TOOL_OK; i++) {
        int is_counted = counts_cxx(j) && is_cxx_input(j, i);
        unit_job u;
        const char *reason = reason_uncounted(j, i);
        if (j->line.role[i] != CC_SOURCE && !is_counted && !reason) {
            if (j->line.role[i] == CC_OBJECT || is_cxx_input(j, i)) {
                inputs_left++;
                add_input(&link, j, i);
            } else if (j->line.role[i] != CC_LANGUAGE) {
                cc_add_word(&link, j->line.words.words[i]);
            }
            continue;
        }
        status = start_source(j, &u, i, number++);
        if (status != TOOL_OK) {
        } else if (reason) {
            status = compile_uncounted(j, &u, reason);
        } else {
            status = is_counted ? compile_counted(j, &u) : compile_source(j, &u);
        }
        if (j->line.links) cc_add_word(&link, u.object);
        end_source(&u);
    }
    if (status == TOOL_OK && j->line.links) {
        if (wants_runtime(j)) {
            status = add_runtime(j, &link);
        }
        say_left_alone(j);
        if (status == TOOL_OK && j->late &&
            (compiles_cxx(j) || (makes_code_later(j) && !cc_late_is_clangs(j->late))))
            status = run_late(j, &link);
        else if (status == TOOL_OK) status = cc_run(&link, CC_TO_USER, NULL);
    } else if (status == TOOL_OK && inputs_left) {
        status = j->late && compiles_cxx(j) ? run_late(j, &link) : cc_run(&link, CC_TO_USER, NULL);
    }
    cc_command_free(&link);
    return status;
}

enum { LARGEST_PLAN = 256 << 20 };

static int read_plan(job *j, char **plan) {
    size_t size = 0;
    uint32_t line = 0;
    int found = j->d->plan ? cc_regular_size(j->d->plan, &size) : -1;
    if (found == -1) return TOOL_OK;
    if (found != 0) return tool_error("%s: is no regular file", j->d->plan);
    if (j->d->cover) {
        j->trained = cc_trained_read(j->d->plan);
        return j->trained ? TOOL_OK : TOOL_BAD_INPUT;
    }
    if (size > LARGEST_PLAN) return tool_error("%s: is larger than any plan", j->d->plan);
    *plan = (char *)tool_read_file(j->d->plan, NULL, &size);
    if (!*plan) return TOOL_BAD_INPUT;
    if (cc_plan_check(*plan, size, &line) != 0) {
        return tool_error("%s:%lu: no line of a plan", j->d->plan, (unsigned long)line);
    }
    j->plan_hash = hash_fnv(*plan, size, 0);
    j->d->choice.plan = *plan;
    j->d->choice.plan_size = size;
    return TOOL_OK;
}

/* A command that makes code of C, but not ours. */
static void list_pass(const job *j) {
    size_t i;
    if (!j->line.pass || !j->line.makes_code) return;
    for (i = 0; i < j->line.words.count; i++) {
        const char *word = j->line.words.words[i];
        if (j->line.role[i] == CC_SOURCE || strcmp(word, "-") == 0) {
            list_line(j, word, 1, "the file", "left alone", j->line.pass);
        }
    }
}

/* Files of C++ are compiled as they are, in whatever command they stand. */
static void list_cxx(const job *j) {
    size_t i;
    if (j->line.pass && !j->line.makes_code) return;
    if ((j->late && compiles_cxx(j)) || counts_cxx(j)) return;
    for (i = 0; i < j->line.words.count; i++) {
        const char *word = j->line.words.words[i];
        if (!is_cxx_input(j, i) || reason_uncounted(j, i)) continue;
        list_line(j, word, 1, "the file", "left alone", "C++");
    }
}

static int pass_through(int count, char **words) {
    cc_command c = {NULL, 0, 0};
    int status;
    cc_add_words(&c, words, (size_t)count);
    status = cc_exec(&c);
    cc_command_free(&c);
    return status;
}

/* Does the command make code of an input that --cover would count? */
static int is_measured(const job *j, size_t i) {
    return j->line.role[i] == CC_SOURCE || is_cxx_input(j, i) || cc_is_foreign(&j->line, i);
}

/* An object without code for the word on a file that the command makes into no
   object. */
static void make_bearer(const job *j, const unit_job *u) {
    unit_job bearer = *u;
    char *path = cc_join(j->folder, "/bearer.c");
    bearer.source = path;
    bearer.language = "c";
    if (cc_write_file(path, "extern int bursty_bearer;\n", 26) == TOOL_OK)
        compile_cxx(j, &bearer, NULL, 1);
    free(path);
}

/* The command makes code without counters. The word on each file stands in its
   object, and where it is linked at once, in an object beside. Assembly and
   clang's text cannot hold it. */
static int pass_uncounted(job *j, int count, char **words) {
    const char *pass = j->line.pass;
    int is_text = strcmp(pass, "-S") == 0 || strcmp(pass, "-emit-llvm") == 0;
    int links = !j->line.only_compile && !is_text, status = TOOL_OK;
    cc_command c = {NULL, 0, 0};
    size_t i, number = 0;
    cc_add_words(&c, words, (size_t)count);
    if (links) add_option(&c, "-x", "none");
    else status = cc_run(&c, CC_TO_USER, NULL);
    for (i = 0; i < j->line.words.count && status == TOOL_OK; i++) {
        const char *reason = reason_uncounted(j, i);
        unit_job u;
        if (!reason || !is_measured(j, i)) continue;
        say_uncounted(j, j->line.words.words[i], reason);
        status = start_source(j, &u, i, number++);
        if (links) make_bearer(j, &u);
        if (!is_text) tell_left(j, &u, reason);
        else list_line(j, u.source, 1, "the file", "left alone", reason);
        if (links) cc_add_word(&c, u.object);
        end_source(&u);
    }
    if (status == TOOL_OK && links && wants_runtime(j)) status = add_runtime(j, &c);
    if (status == TOOL_OK && links) status = cc_run(&c, CC_TO_USER, NULL);
    cc_command_free(&c);
    return status;
}

/* A command that --cover passes on, although it makes code of sources. */
static int passes_uncounted(const job *j) {
    size_t i;
    if (!j->d->cover || j->d->trace || !j->line.pass || !j->line.makes_code) return 0;
    for (i = 0; i < j->line.words.count; i++) {
        if (is_measured(j, i)) return 1;
    }
    return 0;
}

/* The compiler refuses that, but it never sees source and output in one command
   of ours. The value of an option may well be the output's name: -MT x.o -o
   x.o. */
static int overwrites_input(const cc_line *line) {
    size_t i;
    for (i = 0; line->output && i < line->words.count; i++) {
        const char *word = line->words.words[i];
        if (line->role[i] < CC_SOURCE || line->role[i] > CC_OBJECT) continue;
        if (word != line->output && *word != '-' && save_is_same(word, line->output)) return 1;
    }
    return 0;
}

int cc_drive(cc_driver *d, int count, char **words) {
    job j;
    char *plan = NULL;
    int status = TOOL_OK;
    if (!cc_can_run()) return tool_error("cc: this system cannot start a compiler from here");
    memset(&j, 0, sizeof j);
    j.d = d;
    if (cc_read_line(&j.line, count, words) != 0) return tool_error("cc: no compiler");
    if (open_list(d->list) != TOOL_OK) {
        cc_line_free(&j.line);
        return TOOL_BAD_INPUT;
    }
    if (!j.line.pass && overwrites_input(&j.line)) j.line.pass = "the output is an input";
    if (compiles_cxx(&j) || (j.line.links && makes_code_later(&j) && !d->cover) ||
        may_be_late_c(&j)) {
        j.folder = cc_make_folder();
        if (j.folder) j.late = cc_late_find(&j.line, j.folder);
    }
    if (d->cover && makes_cxx(&j)) {
        if (!j.folder) j.folder = cc_make_folder();
        if (j.folder) ask_for_cover(&j);
    }
    list_cxx(&j);
    if (!(j.late && compiles_cxx(&j)) && !counts_cxx(&j) &&
        (j.line.pass || (j.line.sources == 0 && !wants_runtime(&j)))) {
        int is_uncounted = passes_uncounted(&j);
        if (is_uncounted && !j.folder) j.folder = cc_make_folder();
        if (is_uncounted && !j.cover) ask_for_cover(&j);
        if (!is_uncounted) list_pass(&j);
        else status = j.folder ? pass_uncounted(&j, count, words) : TOOL_FAILED;
        if (j.folder) cc_remove_folder(j.folder);
        if (!is_uncounted) status = pass_through(count, words);
        free(j.folder);
        free(j.late);
        cc_line_free(&j.line);
        return status;
    }
    status = read_plan(&j, &plan);
    if (status == TOOL_OK) {
        if (!j.folder) j.folder = cc_make_folder();
        if (j.folder && j.line.sources > 0) ask_for_keeping(&j);
        j.late_c = way_of_c(&j);
        if (j.folder && !j.cover) ask_for_cover(&j);
        status = j.folder ? TOOL_OK : TOOL_FAILED;
        if (status == TOOL_OK && d->trace && j.exits == CC_EXITS_NOT)
            status = tool_error("cc: --trace: wants Linux on x86 or arm64, and gcc from 9 or clang "
                                "from 13 on");
        if (status == TOOL_OK) status = run_all(&j);
    }
    if (j.folder) cc_remove_folder(j.folder);
    free(j.folder);
    free(j.late);
    free(plan);
    cc_trained_free(j.trained);
    cc_line_free(&j.line);
    cc_obey_signal();
    return status;
}
