/* gcc.cc - checks behind the optimizer: a plugin for gcc on x86-64.

   `bursty cc` rewrites C before it is compiled, so a check stands in the way of
   inlining and scheduling, and C++ is out of its reach. This pass runs on what
   has become of a function, right before it is made machine code:

       front end -> inlining, loops, ... -> THIS PASS -> registers, scheduling -> assembly

   It puts the check of bursty.h into functions and loops that are left then.
   The check is assembly of two instructions (src/bursty/keep_check.h), and the
   runtime that `bursty cc` links is the same: cc/inside/checks.c.

       decl %fs:word                   771: add  $-128, %rsp     in subsection 1
       js   771f                            call bursty_thunk
  772: ...                                  jmp  772b
                                            .long site - .

   Which functions and loops: as cc/put/decide.c says of one file alone, on
   the calls that are left. A function gets a check if it calls something and
   may be entered from elsewhere: by another file, through a pointer, by the
   start or the end of the program. Of functions that only this file calls, one
   of each cycle gets a check. A loop gets one if it calls something or holds
   more than k loops, itself included. A loop is a target of an edge that leads
   back in a depth-first search, so each cycle of a function has one, also with
   gotos into its middle.

   With form=scope an entry puts its site onto the thread's stack of bursty.h,
   and each return takes it off. An exception skips returns: where it lands, the
   depth is set to what the landing function has. So a function in which
   exceptions land gets a scope, whatever the choice is.

   A plan knows the whole program. The object carries the graph of what is left
   of each function (common.h), `bursty place` makes a plan of it, and the next
   build puts checks where the plan has them: the pass changes nothing before it,
   so the graph is then the same. A function whose graph is another one than the
   plan knows has the choice for one file alone.

   Arguments (-fplugin-arg-NAME-KEY=VALUE, bytes that gcc would take for its own
   as %XX): entries=safe|all|EL|EN, loops=K|all|LN, form=point|scope,
   only=PATTERN, not=PATTERN, no-tls=1, plan=FILE, plan-hash=DIGITS,
   program=1; or join=1, for coverage (gcc_join.h). */
#include "common.h"
#include "gcc-plugin.h"
#include "plugin-version.h"
#include "backend.h"
#include "tree.h"
#include "gimple.h"
#include "tree-pass.h"
#include "ssa.h"
#include "calls.h"
#include "cgraph.h"
#include "cfganal.h"
#include "cfgloop.h"
#include "context.h"
#include "diagnostic-core.h"
#include "fold-const.h"
#include "gimple-iterator.h"
#include "stor-layout.h"
#include "stringpool.h"
#include "attribs.h"
#include "target.h"
#include "tm.h"
#include "tree-cfg.h"
#include "tree-eh.h"
#include "except.h"
#include "varasm.h"
#include "output.h"
#include "opts.h"
#include "options.h"
#include "toplev.h"
#include "gimplify.h"
#include "gcc_join.h"

extern "C" char *cplus_demangle_v3(const char *mangled, int options);
int plugin_is_GPL_compatible;               /* MIT is */

/* ---- arguments ---- */

static arguments asked;

static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* %XX becomes the byte again. */
static std::string plain(const char *value) {
    std::string copy;
    for (; *value; value++) {
        if (value[0] == '%' && digit(value[1]) >= 0 && digit(value[2]) >= 0) {
            copy += (char)(digit(value[1]) * 16 + digit(value[2]));
            value += 2;
        } else {
            copy += *value;
        }
    }
    return copy;
}

/* ---- names ---- */

static tree origin_of(tree decl) {
    tree origin = DECL_ABSTRACT_ORIGIN(decl);
    while (origin && origin != decl && TREE_CODE(origin) == FUNCTION_DECL) {
        decl = origin;
        origin = DECL_ABSTRACT_ORIGIN(decl);
    }
    return decl;
}

/* What c++filt makes of the assembler's name: the same in cc1plus and in lto1.
   A copy that gcc has made for constant arguments has the name of what it is a
   copy of. The part of a function that was not inlined with the rest is
   another thing, and keeps ".part". */
static const char *name_of(tree decl) {
    enum { PARAMETERS_AND_CONST = 3 };      /* DMGL_PARAMS | DMGL_ANSI */
    tree origin = origin_of(decl);
    const char *symbol = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
    const char *is_part = strstr(symbol, ".part."), *name;
    char *demangled = NULL;
    symbol = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(origin));
    if (*symbol == '*') symbol++;
    name = DECL_NAME(origin) ? IDENTIFIER_POINTER(DECL_NAME(origin)) : symbol;
    if (strncmp(symbol, "_Z", 2) == 0 || strncmp(symbol, "_GLOBAL_", 8) == 0) {
        demangled = cplus_demangle_v3(symbol, PARAMETERS_AND_CONST);
        name = demangled ? demangled : symbol;
    }
    return is_part ? concat(name, " [part]", NULL) : name;
}

static bool is_wanted(tree decl) { return is_asked_for(asked, name_of(decl)); }

/* ---- the text of checks ---- */

static tree site_type, fields[4], word_decl;
static unsigned sites;

static tree outside_variable(const char *name, tree type) {
    tree decl = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(name), type);
    TREE_PUBLIC(decl) = 1;
    DECL_EXTERNAL(decl) = 1;
    DECL_ARTIFICIAL(decl) = 1;
    TREE_USED(decl) = 1;
    DECL_VISIBILITY(decl) = VISIBILITY_HIDDEN;
    DECL_VISIBILITY_SPECIFIED(decl) = 1;
    return decl;
}

static void make_types(void) {
    static const char *const names[] = {"name", "file", "line", "kind"};
    tree chars = build_pointer_type(build_qualified_type(char_type_node, TYPE_QUAL_CONST));
    int i;
    site_type = make_node(RECORD_TYPE);
    for (i = 0; i < 4; i++) {
        fields[i] = build_decl(UNKNOWN_LOCATION, FIELD_DECL, get_identifier(names[i]),
                               i < 2 ? chars : unsigned_type_node);
        DECL_CHAIN(fields[i]) = i > 0 ? fields[i - 1] : NULL_TREE; /* turned round by gcc */
    }
    finish_builtin_struct(site_type, "bursty_site", fields[3], NULL_TREE);
    word_decl = outside_variable(asked.no_tls ? "bursty_here_global_64" : "bursty_here_tls_64",
                                 unsigned_type_node);
    if (!asked.no_tls) set_decl_tls_model(word_decl, decl_default_tls_model(word_decl));
}

static tree address_of_text(const char *bytes) {
    tree text = build_string(strlen(bytes) + 1, bytes), index;
    tree type = build_qualified_type(char_type_node, TYPE_QUAL_CONST);
    index = build_index_type(size_int(strlen(bytes)));
    TREE_TYPE(text) = build_array_type(type, index);
    TREE_CONSTANT(text) = TREE_READONLY(text) = TREE_STATIC(text) = 1;
    return build1(ADDR_EXPR, build_pointer_type(TREE_TYPE(text)), text);
}

/* A static variable of its own: so one that nothing refers to can go. */
static tree address_of_site(const char *name, location_t at, unsigned kind) {
    expanded_location place = expand_location(at);
    vec<constructor_elt, va_gc> *values = NULL;
    char symbol[48];
    tree site, value;
    CONSTRUCTOR_APPEND_ELT(values, fields[0],
                           fold_convert(TREE_TYPE(fields[0]), address_of_text(name)));
    CONSTRUCTOR_APPEND_ELT(values, fields[1],
                           fold_convert(TREE_TYPE(fields[1]),
                                        address_of_text(place.file ? place.file : "")));
    CONSTRUCTOR_APPEND_ELT(values, fields[2],
                           build_int_cst(unsigned_type_node, place.line));
    CONSTRUCTOR_APPEND_ELT(values, fields[3], build_int_cst(unsigned_type_node, kind | IS_PLACED));
    value = build_constructor(site_type, values);
    TREE_CONSTANT(value) = TREE_STATIC(value) = 1;
    snprintf(symbol, sizeof symbol, "bursty_site.%u", sites++);
    site = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(symbol), site_type);
    TREE_STATIC(site) = TREE_READONLY(site) = TREE_ADDRESSABLE(site) = TREE_USED(site) = 1;
    DECL_ARTIFICIAL(site) = DECL_IGNORED_P(site) = 1;
    DECL_INITIAL(site) = value;
    varpool_node::finalize_decl(site);
    return build1(ADDR_EXPR, build_pointer_type(site_type), site);
}

static tree operand(const char *constraint, tree value) {
    tree words = build_string(strlen(constraint) + 1, constraint);
    return build_tree_list(build_tree_list(NULL_TREE, words), value);
}

/* Is the thread's word at an address that the linker of a program fills in? The
   last step of link-time optimization is told -fPIC for programs, too. */
static bool is_at_fixed_place(void) {
    return !asked.no_tls && (!flag_pic || flag_pie || (in_lto_p && asked.program));
}

/* The operands of one piece of assembly. Their numbers are in the text: so it
   is filled in the order in which gcc counts them. */
struct assembly {
    vec<tree, va_gc> *out, *in, *clobbered;
};

/* It changes nothing of the program's memory, so none is named. */
static gasm *finish(const char *text, assembly *a) {
    gasm *statement;
    statement = gimple_build_asm_vec(ggc_strdup(text), a->in, a->out, a->clobbered, NULL);
    gimple_asm_set_volatile(statement, true);
    return statement;
}

#define FS "%%fs:bursty_here_tls_64@tpoff"
#define FS_INTEL "fs:bursty_here_tls_64@tpoff"
static gasm *check(tree site) {
    assembly a = {NULL, NULL, NULL};
    char text[400];
    bool fixed = is_at_fixed_place();
    if (!fixed) {
        vec_safe_push(a.out, operand("=m", word_decl));
        vec_safe_push(a.in, operand("m", word_decl));
    }
    vec_safe_push(a.in, operand("i", site));
    snprintf(text, sizeof text,
             "%s\n\tjs\t771f\n772:\t.subsection 1\n771:\t" BURSTY_STUB("bursty_thunk", "772b")
             ".long %%c%d - .\n\t.previous",
             fixed ? "{decl\t" FS "|dec\tDWORD PTR " FS_INTEL "}" : "{decl\t%0|dec\t%0}",
             fixed ? 0 : 2);
    return finish(text, &a);
}

/* As BURST_SCOPE of bursty.h: the check, then the site goes onto the stack.
   *depth: what it was, until the scope ends. */
static gasm *enter(tree site, tree *depth) {
    assembly a = {NULL, NULL, NULL};
    gasm *statement;
    tree at = make_ssa_name(long_unsigned_type_node);
    *depth = make_ssa_name(unsigned_type_node);
    vec_safe_push(a.out, operand("=&r", *depth));
    vec_safe_push(a.out, operand("=&r", at));
    vec_safe_push(a.in, operand("i", site));
    statement = finish("{decl\t" FS "|dec\tDWORD PTR " FS_INTEL "}\n\tjs\t771f\n772:\t"
                       "{movl\t" FS "+4, %k0|mov\t%k0, DWORD PTR " FS_INTEL "+4}\n\t"
                       "{cmpl\t$64, %k0|cmp\t%k0, 64}\n\tjae\t774f\n\t"
                       "{leaq\t%c2(%%rip), %1|lea\t%1, %c2[rip]}\n\t"
                       "{movq\t%1, " FS "+8(,%q0,8)|mov\tQWORD PTR " FS_INTEL "+8[0+%q0*8], %1}\n"
                       "774:\t{incl\t" FS "+4|inc\tDWORD PTR " FS_INTEL "+4}\n\t"
                       ".subsection 1\n771:\t" BURSTY_STUB("bursty_thunk", "772b")
                       ".long %c2 - .\n\t.previous", &a);
    SSA_NAME_DEF_STMT(*depth) = statement;
    SSA_NAME_DEF_STMT(at) = statement;
    return statement;
}

static gasm *leave(tree depth) {
    assembly a = {NULL, NULL, NULL};
    vec_safe_push(a.in, operand("r", depth));
    return finish("{movl\t%k0, " FS "+4|mov\tDWORD PTR " FS_INTEL "+4, %k0}\n\t"
                  "{cmpl\t$0, " FS "|cmp\tDWORD PTR " FS_INTEL ", 0}\n\tjs\t775f\n776:\t"
                  ".subsection 1\n775:\t" BURSTY_STUB("bursty_leave_thunk", "776b") ".previous", &a);
}

/* Where an exception lands: the scopes that it has skipped are gone. */
static gasm *land(tree depth) {
    assembly a = {NULL, NULL, NULL};
    gasm *statement;
    tree own = make_ssa_name(unsigned_type_node);
    vec_safe_push(a.out, operand("=r", own));
    vec_safe_push(a.in, operand("r", depth));
    statement = finish("{leal\t1(%q1), %k0|lea\t%k0, [%q1+1]}\n\t"
                       "{movl\t%k0, " FS "+4|mov\tDWORD PTR " FS_INTEL "+4, %k0}", &a);
    SSA_NAME_DEF_STMT(own) = statement;
    return statement;
}

/* ---- who calls whom, once for the file ---- */

/* Does the statement call something that may be an event, or that may call
   back? Not what the compiler itself may make a call of, such as memcpy. */
static bool is_call(const gimple *statement) {
    tree target;
    if (!is_gimple_call(statement) || gimple_call_internal_p(statement)) return false;
    target = gimple_call_fndecl(statement);
    if (!target || !fndecl_built_in_p(target)) return true;
    return !(flags_from_decl_or_type(target) & ECF_LEAF) || DECL_IS_REPLACEABLE_OPERATOR(target);
}

static hash_set<tree> *entered;             /* functions that other code can enter, or recursions */

static bool may_be_entered(cgraph_node *node) {
    return node->externally_visible || node->address_taken || TREE_PUBLIC(node->decl) ||
           DECL_STATIC_CONSTRUCTOR(node->decl) || DECL_STATIC_DESTRUCTOR(node->decl) ||
           DECL_PRESERVE_P(node->decl) || node->has_aliases_p();
}

static cgraph_node *real_target(cgraph_edge *e) {
    cgraph_node *to = e->callee->ultimate_alias_target();
    while (to && to->thunk && to->callees) to = to->callees->callee->ultimate_alias_target();
    return to;
}

/* All calls of a function, those of what is inlined in it included. */
static void collect(cgraph_node *node, vec<cgraph_node *> *out) {
    for (cgraph_edge *e = node->callees; e; e = e->next_callee) {
        if (!e->inline_failed) collect(e->callee, out);
        else out->safe_push(real_target(e));
    }
}

struct visit {
    cgraph_node *node;
    vec<cgraph_node *> callees;
    unsigned next;
};

/* A depth-first search over functions that nothing else enters. A call that
   leads back onto the stack closes a cycle: its target counts as entered. */
static void break_cycles(cgraph_node *start, hash_map<cgraph_node *, int> *state) {
    auto_vec<visit> stack;
    visit first = {start, vNULL, 0};
    collect(start, &first.callees);
    stack.safe_push(first);
    state->put(start, 1);
    while (!stack.is_empty()) {
        visit *top = &stack.last();
        if (top->next == top->callees.length()) {
            state->put(top->node, 2);
            top->callees.release();
            stack.pop();
            continue;
        }
        cgraph_node *to = top->callees[top->next++];
        if (!to || !to->definition || entered->contains(to->decl)) continue;
        int *known = state->get(to);
        if (known && *known == 1) entered->add(to->decl);
        if (known) continue;
        visit more = {to, vNULL, 0};
        collect(to, &more.callees);
        state->put(to, 1);
        stack.safe_push(more);
    }
}

static void look_at_file(void) {
    cgraph_node *node;
    hash_map<cgraph_node *, int> state;
    entered = new hash_set<tree>;
    FOR_EACH_DEFINED_FUNCTION(node) {
        if (may_be_entered(node)) entered->add(node->ultimate_alias_target()->decl);
    }
    FOR_EACH_DEFINED_FUNCTION(node) {
        if (!node->inlined_to && !entered->contains(node->decl) && !state.get(node))
            break_cycles(node, &state);
    }
}

/* ---- the graph ---- */

static std::string records, taken;

static const char *symbol_of(tree decl) {
    const char *symbol = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(decl));
    return *symbol == '*' ? symbol + 1 : symbol;
}

static char linkage_of(tree decl) {
    if (!TREE_PUBLIC(decl)) return 's';
    return DECL_COMDAT(decl) ? 'i' : DECL_WEAK(decl) ? 'w' : 'g';
}

/* Functions whose address is taken, other names of functions, and thunks. It is
   asked before the first function becomes machine code. */
static void note_names(void) {
    cgraph_node *node;
    FOR_EACH_FUNCTION(node) {
        ipa_ref *ref = NULL;
        bool is_taken = node->address_taken;
        for (int i = 0; !is_taken && node->iterate_referring(i, ref); i++)
            is_taken = ref->use == IPA_REF_ADDR;
        if (is_taken) taken += record_of_taken(symbol_of(node->decl));
        if (node->inlined_to || !node->definition) continue;
        if (node->alias) {
            cgraph_node *to = node->ultimate_alias_target();
            if (to && to != node)
                taken += record_of_other_name(symbol_of(node->decl), linkage_of(node->decl),
                                              symbol_of(to->decl));
        } else if (node->thunk && node->callees) {
            taken += record_of_other_name(symbol_of(node->decl), linkage_of(node->decl),
                                          symbol_of(node->callees->callee->decl));
        }
    }
}

/* What is passed, coarsely: programs cast functions from pointers to other
   pointers, and the optimizer drops such casts. */
static const char *class_of(const_tree type) {
    if (POINTER_TYPE_P(type) || TREE_CODE(type) == NULLPTR_TYPE) return "p";
    if (INTEGRAL_TYPE_P(type)) return "i";
    return SCALAR_FLOAT_TYPE_P(type) ? "f" : "?";
}

/* The row of a function's type, and how many parameters it has: "*" if that is
   not known. */
static std::string row_of(const_tree type, std::string *count) {
    std::string row = "?";
    unsigned n = 0;
    bool ends = false;
    for (tree one = TYPE_ARG_TYPES(type); one; one = TREE_CHAIN(one)) {
        ends = VOID_TYPE_P(TREE_VALUE(one));
        if (ends) break;
        row += std::string(",") + class_of(TREE_VALUE(one));
        n++;
    }
    *count = ends ? std::to_string(n) : "*";
    return row;
}

static std::string flags_of(tree decl) {
    std::string flags;
    if (DECL_STATIC_CONSTRUCTOR(decl) || DECL_STATIC_DESTRUCTOR(decl)) flags += "k";
    if (DECL_PRESERVE_P(decl)) flags += "u";
    if (TREE_PUBLIC(decl) && DECL_VISIBILITY(decl) == VISIBILITY_HIDDEN) flags += "h";
    if (TREE_THIS_VOLATILE(decl)) flags += "r";
    return flags;
}

/* Assembly that jumps or calls may lead anywhere. */
static bool jumps(const gasm *assembly) {
    const char *text = gimple_asm_string(assembly);
    return gimple_asm_nlabels(assembly) > 0 || strstr(text, "call") || strstr(text, "jmp");
}

static void add_events(function_graph *graph, unsigned number, function *f, basic_block block) {
    for (gimple_stmt_iterator i = gsi_start_bb(block); !gsi_end_p(i); gsi_next(&i)) {
        gimple *statement = gsi_stmt(i);
        bool leaves = is_gimple_call(statement) && stmt_can_throw_external(f, statement);
        if (const gasm *assembly = dyn_cast<gasm *>(statement)) {
            if (jumps(assembly)) graph->add_call(number, "(assembly)", false);
        }
        tree target = is_gimple_call(statement) && !gimple_call_internal_p(statement)
                          ? gimple_call_fndecl(statement) : NULL_TREE;
        if (!is_call(statement)) {
            if (target) graph->add_library_call(number, symbol_of(target));
            continue;
        }
        if (target) {
            cgraph_node *node = cgraph_node::get(target);
            if (node && node->alias) target = node->ultimate_alias_target()->decl;
            graph->add_call(number, symbol_of(target), leaves);
            continue;
        }
        std::string count, row = row_of(gimple_call_fntype(statement), &count);
        graph->add_indirect(number, gimple_call_num_args(statement), row, leaves);
    }
}

/* The blocks of a function, by the numbers that the graph has for them. */
struct numbered {
    auto_vec<basic_block> blocks;
    std::vector<std::vector<unsigned>> edges;
    std::vector<char> returns;

    explicit numbered(function *f) {
        basic_block first = single_succ(ENTRY_BLOCK_PTR_FOR_FN(f)), block;
        std::map<int, unsigned> of;
        edge e;
        edge_iterator i;
        blocks.safe_push(first);
        FOR_EACH_BB_FN(block, f) {
            if (block != first) blocks.safe_push(block);
        }
        for (unsigned k = 0; k < blocks.length(); k++) of[blocks[k]->index] = k;
        edges.resize(blocks.length());
        returns.resize(blocks.length());
        for (unsigned k = 0; k < blocks.length(); k++) {
            FOR_EACH_EDGE(e, i, blocks[k]->succs) {
                if (e->dest == EXIT_BLOCK_PTR_FOR_FN(f)) returns[k] = 1;
                else edges[k].push_back(of[e->dest->index]);
            }
        }
    }
};

static void fill(function_graph *graph, function *f, const numbered &by) {
    expanded_location at = expand_location(DECL_SOURCE_LOCATION(f->decl));
    std::string count, row = row_of(TREE_TYPE(f->decl), &count);
    graph->symbol = symbol_of(f->decl);
    graph->flags = flags_of(f->decl);
    graph->parameters = count + "<" + row + ">";
    graph->file = at.file ? at.file : "";
    graph->line = (unsigned)at.line;
    graph->linkage = linkage_of(f->decl);
    graph->returns = by.returns;
    for (unsigned k = 0; k < by.blocks.length(); k++) {
        gimple *last = last_stmt(by.blocks[k]);
        add_events(graph, k, f, by.blocks[k]);
        graph->jumps[k] = last && computed_goto_p(last);
    }
}

static std::string file_of_unit(void) { return main_input_filename ? main_input_filename : ""; }

static void write_records(void *, void *) {
    std::string text = records_as_assembly(records.empty() ? records : records + taken);
    if (text.empty() || !asm_out_file) return;
    fputs("\t.section\t.bursty.cg,\"\",@progbits\n", asm_out_file);
    fputs(text.c_str(), asm_out_file);
}

/* ---- a plan ---- */

static plan_of_unit plan;

static void read_plan(void) {
    if (!asked.plan.empty() && !plan.read(asked.plan, file_of_unit()))
        error("bursty: %s: cannot be read", asked.plan.c_str());
}

/* ---- the pass ---- */

/* The program's start runs a resolver before threads have their words. */
static bool is_resolver(cgraph_node *node) {
    ipa_ref *ref;
    FOR_EACH_ALIAS(node, ref) {
        if (dyn_cast<cgraph_node *>(ref->referring)->ifunc_resolver) return true;
    }
    return node->ifunc_resolver;
}

static bool is_landing_pad(basic_block block) {
    for (gimple_stmt_iterator i = gsi_start_bb(block); !gsi_end_p(i); gsi_next(&i)) {
        glabel *label = dyn_cast<glabel *>(gsi_stmt(i));
        if (!label) return false;
        if (EH_LANDING_PAD_NR(gimple_label_label(label)) != 0) return true;
    }
    return false;
}

static bool exceptions_land(function *f) {
    basic_block block;
    FOR_EACH_BB_FN(block, f) {
        if (is_landing_pad(block)) return true;
    }
    return false;
}

/* The line of a loop: that of a test that leaves it, else of its first
   statement. */
static location_t place_of_loop(function *f, const numbered &by, const function_graph &graph,
                                const function_graph::loop &loop) {
    location_t at = UNKNOWN_LOCATION, first = UNKNOWN_LOCATION;
    for (unsigned k : loop.blocks) {
        gimple *last = last_stmt(by.blocks[k]);
        if (!last || gimple_code(last) != GIMPLE_COND || !gimple_has_location(last)) continue;
        for (unsigned to : graph.of.next[k]) {
            if (std::binary_search(loop.blocks.begin(), loop.blocks.end(), to)) continue;
            if (at == UNKNOWN_LOCATION || LOCATION_LINE(gimple_location(last)) < LOCATION_LINE(at))
                at = gimple_location(last);
        }
    }
    if (at != UNKNOWN_LOCATION) return at;
    basic_block head = by.blocks[loop.head];
    for (gimple_stmt_iterator j = gsi_start_bb(head); !gsi_end_p(j); gsi_next(&j)) {
        if (first == UNKNOWN_LOCATION) first = gimple_location(gsi_stmt(j));
    }
    return first != UNKNOWN_LOCATION ? first : DECL_SOURCE_LOCATION(f->decl);
}

/* The function in whose source the place stands: an inlined one, or decl. */
static tree function_of(tree decl, location_t at) {
    tree block;
    for (block = LOCATION_BLOCK(at); block && TREE_CODE(block) == BLOCK;
         block = BLOCK_SUPERCONTEXT(block)) {
        if (inlined_function_outer_scope_p(block)) {
            tree origin = block_ultimate_origin(block);
            if (origin && TREE_CODE(origin) == FUNCTION_DECL) return origin;
        }
    }
    return decl;
}

/* Behind the labels. */
static void put_first(basic_block block, gimple *statement) {
    gimple_stmt_iterator i = gsi_after_labels(block);
    gsi_insert_before(&i, statement, GSI_SAME_STMT);
}

/* The places of all loops, and which of them have a check if there is no
   plan. */
static std::vector<location_t> choose_loops(function *f, const numbered &by, function_graph *graph) {
    std::vector<location_t> places;
    for (function_graph::loop &loop : graph->loops) {
        places.push_back(place_of_loop(f, by, *graph, loop));
        loop.line = (unsigned)LOCATION_LINE(places.back());
    }
    graph->choose_loops(asked);
    return places;
}

static bool choose_entry(function *f, bool calls, bool loops, bool lands) {
    switch (asked.entries) {
    case ENTRIES_ALL: return true;
    case ENTRIES_LEAF: return calls;
    case ENTRIES_TIME: return calls || loops;
    case ENTRIES_NONE: return false;
    default: return calls && (entered->contains(f->decl) || lands);
    }
}

static void put_entry(function *f, bool scope) {
    location_t at = DECL_SOURCE_LOCATION(origin_of(f->decl));
    tree site = address_of_site(name_of(f->decl), at, scope ? IS_CALL | HAS_FRAME : IS_CALL), depth;
    edge into = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(f)), e;
    edge_iterator i;
    basic_block block;
    if (!scope) {
        gsi_insert_on_edge_immediate(into, check(site));
        return;
    }
    gsi_insert_on_edge_immediate(into, enter(site, &depth));
    FOR_EACH_BB_FN(block, f) {
        if (is_landing_pad(block)) put_first(block, land(depth));
        for (gimple_stmt_iterator j = gsi_start_bb(block); !gsi_end_p(j); gsi_next(&j)) {
            gcall *call = dyn_cast<gcall *>(gsi_stmt(j));
            if (call) gimple_call_set_tail(call, false);
        }
    }
    FOR_EACH_EDGE(e, i, EXIT_BLOCK_PTR_FOR_FN(f)->preds) {
        gimple_stmt_iterator j = gsi_last_bb(e->src);
        if (gsi_end_p(j) || gimple_code(gsi_stmt(j)) != GIMPLE_RETURN) continue;
        gsi_insert_before(&j, leave(depth), GSI_SAME_STMT);
    }
}

/* When the linker's step makes the code, C is there, too, which `bursty cc` has
   given its checks in source. */
static bool is_of_lto_and_c(function *f) {
    const_tree unit = in_lto_p ? get_ultimate_context(f->decl) : NULL_TREE;
    const char *language = unit ? TRANSLATION_UNIT_LANGUAGE(unit) : NULL;
    return in_lto_p && (!language || strncmp(language, "GNU C++", 7) != 0);
}

static bool is_able(function *f) {
    return !is_of_lto_and_c(f) && !lookup_attribute("naked", DECL_ATTRIBUTES(f->decl)) &&
           !is_resolver(cgraph_node::get(f->decl));
}

static const pass_data late_data = {GIMPLE_PASS, "bursty", OPTGROUP_NONE, TV_NONE,
                                    PROP_cfg | PROP_ssa, 0, 0, 0, TODO_update_ssa_only_virtuals};

struct late_pass : gimple_opt_pass {
    late_pass() : gimple_opt_pass(late_data, g) {}
    bool gate(function *f) final override {
        return TARGET_64BIT && TARGET_LP64 && ix86_cmodel != CM_LARGE &&
               ix86_cmodel != CM_LARGE_PIC && is_able(f);
    }
    unsigned execute(function *f) final override {
        bool scope = asked.scope && is_at_fixed_place(), lands = scope && exceptions_land(f);
        bool wanted = is_wanted(f->decl), entry;
        numbered by(f);
        function_graph graph(by.edges);
        if (!site_type) make_types();
        if (!entered) {
            look_at_file();
            note_names();
            read_plan();
        }
        fill(&graph, f, by);
        std::vector<location_t> places = choose_loops(f, by, &graph);
        entry = choose_entry(f, graph.has_calls(), !graph.loops.empty(), lands);
        if (plan.obey(&graph, &entry)) entry |= lands;
        entry &= wanted;
        for (function_graph::loop &loop : graph.loops) loop.checked &= wanted;
        if (records.empty()) records = record_of_unit(asked, file_of_unit());
        records += graph.records(entry);
        if (in_lto_p) records += record_of_end;
        for (size_t i = 0; i < places.size(); i++) {
            if (!graph.loops[i].checked) continue;
            tree in = function_of(f->decl, places[i]);
            put_first(by.blocks[graph.loops[i].head],
                      check(address_of_site(name_of(in), places[i], IS_BACKEDGE)));
        }
        if (entry) put_entry(f, scope);
        return 0;
    }
};

/* Debug information names the options of the compiler. An object shall not
   depend on where the plugin and the plan lie. */
static void hide_options(void) {
    unsigned kept = 0;
    for (unsigned i = 0; i < save_decoded_options_count; i++) {
        size_t which = save_decoded_options[i].opt_index;
        if (which == OPT_fplugin_ || which == OPT_fplugin_arg_) continue;
        save_decoded_options[kept++] = save_decoded_options[i];
    }
    save_decoded_options_count = kept;
}

int plugin_init(plugin_name_args *info, plugin_gcc_version *version) {
    register_pass_info pass;
    int i;
    if (!plugin_default_version_check(version, &gcc_version)) return 1;
    for (i = 0; i < info->argc; i++) {
        const char *value = info->argv[i].value;
        if (!value || !take(&asked, info->argv[i].key, plain(value))) {
            error("bursty: %<%s%> is no argument of this plugin", info->argv[i].key);
            return 1;
        }
    }
    hide_options();
    if (asked.join) {
        pass.pass = new join::pass();
        pass.reference_pass_name = "phiprop";
        pass.ref_pass_instance_number = 1;
        pass.pos_op = PASS_POS_INSERT_BEFORE;
        register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass);
        register_callback(info->base_name, PLUGIN_OVERRIDE_GATE, join::leave_jumps, NULL);
        register_callback(info->base_name, PLUGIN_FINISH_UNIT, join::write_table, NULL);
        return 0;
    }
    pass.pass = new late_pass();
    pass.reference_pass_name = "optimized";
    pass.ref_pass_instance_number = 1;
    pass.pos_op = PASS_POS_INSERT_BEFORE;
    register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass);
    register_callback(info->base_name, PLUGIN_FINISH_UNIT, write_records, NULL);
    return 0;
}
