/* place.c - bursty place: reads the call graph that objects carry, chooses the
   checks, writes the plan for the next build, and explains it. */
#include "cc/place/place.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/save.h"
#include "base/tool.h"
#include "cc/prove/prove.h"
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bursty place [OPTIONS] FILE ...\n"
    "\n"
    "  FILE is a program, an object, an archive, or a .burstycg file, made by bursty cc. Chooses\n"
    "  the functions and loops that get a check, tests that every cycle of that graph passes one,\n"
    "  and prints counts.\n"
    "\n"
    "  -o PLAN         writes the plan that the next build with bursty cc uses\n"
    "  --set SET       all, or some of these with + between them (EC+L4+bounded+always):\n"
    "                    EL  entries of functions that call something; EC  equation 3; EN  none\n"
    "                    Lk  no loop without calls and at most k back-edges (L4); LN  none\n"
    "                    bounded  no loop of at most 16 iterations\n"
    "                    always   no loop that passes another check in each iteration\n"
    "                    Q   EC+L4+bounded+always, and fewer by rule Q (docs/place.md)\n"
    "  --not PATTERN   no check in functions with such names (* and ?); may stand several times\n"
    "  --within N      adds checks, in loops one for many rounds, so that about N instructions at\n"
    "                  most run between two; with --prove: tells how many may run\n"
    "  --counts RUN    a dump of this program, built with --entries=all --loops=all: functions with\n"
    "                  1 % of its calls or ticks keep their check; tells what is no longer seen\n"
    "                  and predicts how many checks will run\n"
    "  --least P       P %, not 1; 100: no function is kept for its counts\n"
    "  --instructions N  of that run without checks: predicts what the checks cost\n"
    "  --rate E:B      with bursts of B checks, E checks apart; without it 990:10\n"
    "  --list          every function and loop, and why it has a check or none\n"
    "  --why NAME      the same for one function, with its callers and the cycle that needs it\n"
    "  --json          all of it for programs\n"
    "  --dot           the picture of the graph\n"
    "  --diff OLD      what differs from the plan OLD\n"
    "  --built         tests the checks that the files have, not those of a plan; SET then tells\n"
    "                  which loops may go without one\n"
    "  --prove         reads the machine code of a program or shared object for x86-64, and proves\n"
    "                  that every cycle in it passes a check; SET tells which loops may go without\n"
    "\n"
    "  Exit status 1: some function or loop may run for ever without a check, and a plan could help;\n"
    "  with --built and --prove always.\n";

typedef struct options {
    const char *set, *plan, *why, *old, *within, *counts, *least, *instructions, *rate;
    const char **without;
    int without_count, list, json, dot, built, prove;
} options;

static int choose_one(const options *o) {
    return (o->list != 0) + (o->why != NULL) + (o->json != 0) + (o->dot != 0) + (o->old != NULL);
}

static int take_flag(const tool_option *option, int *flag) {
    const char *name = option->name;
    int size = (int)option->name_size;
    if (option->value) return tool_error("place: %.*s takes no value", size, name);
    if (*flag) return tool_error("place: %.*s is given twice", size, name);
    *flag = 1;
    return TOOL_OK;
}

static int take_value(tool_option *option, const char **value) {
    const char *name = option->name;
    int size = (int)option->name_size;
    if (*value) return tool_error("place: %.*s is given twice", size, name);
    *value = tool_value(option);
    if (!*value) return TOOL_BAD_INPUT;
    return **value ? TOOL_OK : tool_error("place: %.*s: the value is empty", size, name);
}

static int take_without(options *o, tool_option *option) {
    const char *pattern = NULL;
    int i, status = take_value(option, &pattern);
    if (status != TOOL_OK) return status;
    for (i = 0; i < o->without_count; i++) {
        if (strcmp(o->without[i], pattern) == 0)
            return tool_error("place: --not %s is given twice", pattern);
    }
    o->without[o->without_count++] = pattern;
    return TOOL_OK;
}

static int take(options *o, tool_option *option) {
    if (tool_is(option, "-", "o")) return take_value(option, &o->plan);
    if (tool_is(option, "--", "set")) return take_value(option, &o->set);
    if (tool_is(option, "--", "within")) return take_value(option, &o->within);
    if (tool_is(option, "--", "counts")) return take_value(option, &o->counts);
    if (tool_is(option, "--", "least")) return take_value(option, &o->least);
    if (tool_is(option, "--", "instructions")) return take_value(option, &o->instructions);
    if (tool_is(option, "--", "rate")) return take_value(option, &o->rate);
    if (tool_is(option, "--", "why")) return take_value(option, &o->why);
    if (tool_is(option, "--", "diff")) return take_value(option, &o->old);
    if (tool_is(option, "--", "not")) return take_without(o, option);
    if (tool_is(option, "--", "list")) return take_flag(option, &o->list);
    if (tool_is(option, "--", "json")) return take_flag(option, &o->json);
    if (tool_is(option, "--", "dot")) return take_flag(option, &o->dot);
    if (tool_is(option, "--", "built")) return take_flag(option, &o->built);
    if (tool_is(option, "--", "prove")) return take_flag(option, &o->prove);
    return tool_no_option(option, "place");
}

/* A function would be there twice. */
static int check_files(char **files, int count) {
    int i, k;
    for (i = 0; i < count; i++) {
        for (k = 0; k < i; k++) {
            if (strcmp(files[i], files[k]) == 0)
                return tool_error("place: %s is given twice", files[i]);
        }
    }
    return TOOL_OK;
}

static int parse(options *o, tool_option *option, int argc, char **argv) {
    int status = TOOL_OK;
    tool_options(option, argc, argv);
    while (status == TOOL_OK && tool_next(option)) status = take(o, option);
    if (status != TOOL_OK) return status;
    if (!option->files) return tool_no_input("place", "FILE");
    if (choose_one(o) > 1)
        return tool_error("place: one of --list, --why, --json, --dot and --diff at a time");
    if (o->built && o->plan) return tool_error("place: --built makes no plan");
    if (o->prove && o->counts) return tool_error("place: --counts goes with a plan");
    if (o->prove && (o->plan || o->built || choose_one(o) || o->without_count))
        return tool_error("place: --prove goes with --set and --within alone");
    if (o->counts && (o->built || o->prove))
        return tool_error("place: --counts goes with a plan");
    if (!o->counts && (o->least || o->instructions))
        return tool_error("place: --least and --instructions go with --counts");
    if (!o->instructions && o->rate)
        return tool_error("place: --rate goes with --instructions");
    if (o->built && o->within) return tool_error("place: --within goes with a plan or --prove");
    if (o->prove && option->files != 1) return tool_error("place: --prove takes one FILE");
    if (o->plan && strcmp(o->plan, "-") == 0 && choose_one(o))
        return tool_error("place: -o - writes the plan where --list, --why, --json, --dot and "
                          "--diff write");
    return check_files(argv, option->files);
}

static void take_one(uint8_t *has, uint8_t *why, int is_built) {
    if (*has != is_built) *why = is_built ? WHY_BUILT : WHY_NOT_BUILT;
    *has = (uint8_t)is_built;
}

/* What the objects have: an entry only if all copies have one. */
static void take_built(placement *p, const graph *g) {
    size_t i;
    uint32_t n;
    uint8_t *entry = (uint8_t *)tool_alloc((size_t)g->node_count + 1);
    memset(entry, 1, g->node_count);
    for (i = 0; i < g->function_count; i++) {
        const graph_function *f = &g->functions[i];
        if (!(f->flags & GRAPH_HAS_CHECK)) entry[f->node] = 0;
        for (n = 0; n < f->loops; n++) {
            size_t at = f->first_loop + n;
            take_one(&p->loop[at], &p->loop_why[at], g->loops[at].has_check);
        }
    }
    for (n = 0; n < g->node_count; n++) take_one(&p->entry[n], &p->entry_why[n], entry[n]);
    free(entry);
}

/* No plan speaks of what the compiler's plugin has compiled. */
static int is_planned(const graph *g, const graph_unit *unit) {
    uint32_t i;
    for (i = 0; i < unit->functions; i++) {
        if (!(g->functions[unit->first_function + i].flags & GRAPH_LATE)) return 1;
    }
    return unit->functions == 0;
}

static void print_stale(const graph *g, const text *plan) {
    uint64_t hash = hash_fnv(plan->data, plan->size, 0);
    size_t i, without = 0, other = 0, planned = 0;
    for (i = 0; i < g->unit_count; i++) {
        if (!is_planned(g, &g->units[i])) continue;
        planned++;
        if (g->units[i].plan == 0) without++;
        else other += g->units[i].plan != hash;
    }
    if (other) {
        printf("%lu of %lu units built with another plan: build again\n", (unsigned long)other,
               (unsigned long)planned);
    }
    if (without) {
        printf("%lu of %lu units built without a plan: build again with this one\n",
               (unsigned long)without, (unsigned long)planned);
    }
}

/* A number above 0, or -1. */
static double number_of(const char *word) {
    char *end;
    double number = strtod(word, &end);
    return *word >= '0' && *word <= '9' && !*end && number > 0 && number < 1e19 ? number : -1;
}

static double instructions_of(const options *o) {
    return o->instructions ? number_of(o->instructions) : 0;
}

/* rate: of bursty cc's default, unless the words say another one. */
static int read_rate(const char *words, place_rate *rate) {
    char *end, *last;
    const double most = 4294967295.;
    rate->every = 990;
    rate->burst = 10;
    if (!words) return 0;
    rate->every = strtod(words, &end);
    if (*words < '0' || *words > '9' || *end != ':' || end[1] < '0' || end[1] > '9') return -1;
    rate->burst = strtod(end + 1, &last);
    return *last || rate->every < 1 || rate->burst < 1 || rate->every > most || rate->burst > most;
}

static int print(const options *o, const graph *g, const place_rules *rules, const placement *p,
                 const place_proof *proof) {
    text out = {NULL, 0, 0};
    place_rate rate;
    int status = TOOL_OK;
    (void)read_rate(o->rate, &rate); /* place() has refused others */
    if (o->list) show_list(g, p, &out);
    else if (o->json) show_json(g, p, proof, &out);
    else if (o->dot) show_dot(g, p, &out);
    else if (o->old) status = plan_compare(g, p, o->old, &out);
    else if (!o->why) {
        show_summary(g, p, proof, o->built || o->prove, &out);
        if (rules->counts) place_counts_show(rules->counts, g, p, instructions_of(o), &rate, &out);
    }
    else if (!show_why(g, p, o->why, &out))
        status = tool_error("place: no function is called %s", o->why);
    if (status == TOOL_OK) status = text_save(&out, NULL, NULL, 0, 0);
    text_free(&out);
    return status;
}

static int finish(const options *o, const graph *g, const place_rules *rules, placement *p,
                  const place_proof *proof) {
    size_t open = proof->open_nodes + proof->open_loops + (o->built || o->prove ? proof->open_gotos : 0);
    int asked = rules->entries == ENTRIES_EN || rules->loops == LOOPS_NONE;
    text plan = {NULL, 0, 0};
    int status = TOOL_OK, to_stdout = o->plan && strcmp(o->plan, "-") == 0;
    plan_write(g, p, &plan);
    if (!to_stdout) status = print(o, g, rules, p, proof);         /* --diff may name the file of -o */
    if (status == TOOL_OK && o->plan) status = plan_save(&plan, o->plan);
    if (status == TOOL_OK && !choose_one(o) && !to_stdout && !o->built && !o->prove) print_stale(g, &plan);
    text_free(&plan);
    if (status == TOOL_OK && open && (o->built || o->prove || !asked)) {
        tool_error("place: %lu functions and loops may run for ever without a check",
                   (unsigned long)open);
        status = TOOL_FAILED;
    }
    return status;
}

/* A name that no function has changes nothing. */
static int check_without(const options *o, const graph *g) {
    int k;
    for (k = 0; k < o->without_count; k++) {
        size_t i = 0;
        for (; i < g->function_count; i++) {
            const char *name = g->names[g->functions[i].name];
            if (glob_matches(o->without[k], name, strlen(name))) break;
        }
        if (i == g->function_count)
            return tool_error("place: --not: no function is called %s", o->without[k]);
    }
    return TOOL_OK;
}

enum { LEAST_WITHIN = 1000, MOST_WITHIN = 1000000000 };

static int read_within(const char *word, uint32_t *value) {
    char *end;
    unsigned long number = strtoul(word, &end, 10);
    if (*word < '0' || *word > '9' || *end || strlen(word) > 10) return -1;
    if (number < LEAST_WITHIN || number > MOST_WITHIN) return -1;
    *value = (uint32_t)number;
    return 0;
}

static int place(const options *o, int files, char **argv) {
    place_rules rules;
    place_proof proof;
    placement p;
    graph g;
    place_counts *counts = NULL;
    place_rate rate;
    int i, status = TOOL_OK;
    if (place_set(&rules, o->set ? o->set : "EC+L4+bounded+always") != 0)
        return tool_error("place: --set: '%s' is not valid, or says something twice", o->set);
    rules.inside = 1;
    rules.without = o->without;
    if (o->within && read_within(o->within, &rules.within) != 0)
        return tool_error("place: --within: '%s' is not valid: a number from %lu to %lu is wanted",
                          o->within, (unsigned long)LEAST_WITHIN, (unsigned long)MOST_WITHIN);
    rules.without_count = o->without_count;
    rules.least = o->least ? number_of(o->least) / 100 : .01;
    if (rules.least < 0 || rules.least > 1)
        return tool_error("place: --least: '%s' is not valid: a percentage above 0 is wanted",
                          o->least);
    if (o->instructions && number_of(o->instructions) < 1)
        return tool_error("place: --instructions: '%s' is not valid: a number is wanted",
                          o->instructions);
    if (read_rate(o->rate, &rate) != 0)
        return tool_error("place: --rate: '%s' is not valid: two numbers, as 990:10", o->rate);
    if (o->prove) {
        char why[128];
        status = prove_file(argv[0], &rules, why, sizeof why);
        if (status >= 0) return status;
        tool_error("%s: %s: its machine code is not read, only the graph", argv[0], why);
        status = TOOL_OK;
    }
    if (o->plan) status = save_check(o->plan, NULL, (const char *const *)argv, files);
    if (o->plan && status == TOOL_OK) status = plan_check(o->plan);
    memset(&g, 0, sizeof g);
    for (i = 0; i < files && status == TOOL_OK; i++) status = graph_open(&g, argv[i], (uint32_t)i);
    if (status == TOOL_OK && !g.function_count) {
        status = tool_error(g.cxx_count ? "%s: no call graph: bursty cc leaves C++ as it is"
                                        : "%s: no call graph: was it built with bursty cc?",
                            argv[0]);
    }
    if (status == TOOL_OK) status = check_without(o, &g);
    if (status == TOOL_OK) {
        graph_join(&g);
        if (o->counts) {
            counts = place_counts_open(o->counts, &g);
            if (!counts) status = TOOL_BAD_INPUT;
            rules.counts = counts;
        }
    }
    if (status == TOOL_OK) {
        place_choose(&p, &g, &rules);
        if (o->built || o->prove) take_built(&p, &g);
        place_check(&proof, &g, p.entry, p.loop, &rules);
        status = finish(o, &g, &rules, &p, &proof);
        place_proof_free(&proof);
        place_free(&p);
    }
    if (counts) place_counts_free(counts);
    graph_free(&g);
    return status;
}

static int run(int argc, char **argv) {
    tool_option option;
    options o;
    int status;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    memset(&o, 0, sizeof o);
    o.without = (const char **)tool_alloc(((size_t)argc + 1) * sizeof *o.without);
    status = parse(&o, &option, argc, argv);
    if (status == TOOL_OK) status = place(&o, option.files, argv);
    free(o.without);
    return status;
}

const tool_command command_place = {"place", "which functions and loops get a check", run};
