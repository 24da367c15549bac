/* gcc_join.h - `bursty cc --cover` of C++ at -O1 and above: fewer counters behind
   inlining.

   gcc counts a function before it is inlined, so that no call and no line is
   lost. Where small functions were inlined, one block adds to a counter of each
   of them:

       before                      after                 table
       ++f[0]; ++g[0]; ++g[1];     ++x;                  x: f[0] g[0] g[1]

   A *stretch* is a piece of a block that is left only at its end. A call that
   may not come back ends one. What counts in a stretch becomes one counter of
   its own, x, and the runtime (cc/inside/arcs.c) adds x to each counter that its
   row of the table names, before anybody reads them. The sums are the same.

   Stretches hand on what they count, if that saves an addition on each path and
   costs none:

       same   A always leads to B, without a loop or a call that may leave, and
              nothing else leads there: what B counts, A counts.
       down   every way out of A leads to a stretch that counts and is reached
              from A alone: what A counts, each of them counts.
       up     every way into B comes from a stretch that counts and leads to B
              alone: what B counts, each of them counts.

   Counters that threads share (-fprofile-update=atomic) are calls, and stay. */
#include <algorithm>
#include <map>
#include <vector>

namespace join {

struct counter {
    tree variable;
    unsigned HOST_WIDE_INT at;
    bool operator<(const counter &other) const {
        if (variable != other.variable) return DECL_UID(variable) < DECL_UID(other.variable);
        return at < other.at;
    }
    bool operator==(const counter &other) const {
        return variable == other.variable && at == other.at;
    }
};
typedef std::vector<counter> counters;

/* Each list of counters has one counter of this unit: it and what it has already
   added (arcs.c). */
static std::map<counters, tree> made;
static tree own_type;

static tree own_counter(counters &list) {
    std::sort(list.begin(), list.end());
    tree &own = made[list];
    if (own) return own;
    char name[40];
    snprintf(name, sizeof name, "bursty_joined.%u", (unsigned)made.size());
    if (!own_type) own_type = build_array_type_nelts(long_long_integer_type_node, 2);
    own = build_decl(BUILTINS_LOCATION, VAR_DECL, get_identifier(name), own_type);
    SET_DECL_ASSEMBLER_NAME(own, get_identifier(name));
    TREE_STATIC(own) = TREE_ADDRESSABLE(own) = TREE_USED(own) = 1;
    DECL_ARTIFICIAL(own) = DECL_IGNORED_P(own) = DECL_NONALIASED(own) = 1;
    DECL_PRESERVE_P(own) = 1;
    varpool_node::finalize_decl(own);
    /* The table is assembly, which gcc does not read. */
    for (const counter &one : list) varpool_node::get_create(one.variable)->force_output = 1;
    return own;
}

static bool is_counter(tree place, counter *c) {
    tree variable = TREE_CODE(place) == ARRAY_REF ? TREE_OPERAND(place, 0) : NULL_TREE;
    if (!variable || TREE_CODE(variable) != VAR_DECL || !DECL_NAME(variable)) return false;
    if (strncmp(IDENTIFIER_POINTER(DECL_NAME(variable)), "__gcov0.", 8) != 0) return false;
    if (!tree_fits_uhwi_p(TREE_OPERAND(place, 1))) return false;
    c->variable = variable;
    c->at = tree_to_uhwi(TREE_OPERAND(place, 1));
    return true;
}

/* a = counter; b = a + 1; counter = b, in one block. */
struct increment {
    gimple *steps[3];
    counter of;
};

static gimple *step_before(gimple *statement, tree operand) {
    if (TREE_CODE(operand) != SSA_NAME || !has_single_use(operand)) return NULL;
    gimple *before = SSA_NAME_DEF_STMT(operand);
    return is_gimple_assign(before) && gimple_bb(before) == gimple_bb(statement) ? before : NULL;
}

static bool is_increment(gimple *store, increment *i) {
    counter from;
    if (!gimple_assign_single_p(store) || !is_counter(gimple_assign_lhs(store), &i->of)) return false;
    gimple *add = step_before(store, gimple_assign_rhs1(store));
    if (!add || gimple_assign_rhs_code(add) != PLUS_EXPR) return false;
    if (!integer_onep(gimple_assign_rhs2(add))) return false;
    gimple *load = step_before(add, gimple_assign_rhs1(add));
    if (!load || !gimple_assign_single_p(load)) return false;
    if (!is_counter(gimple_assign_rhs1(load), &from) || !(from == i->of)) return false;
    i->steps[0] = store;
    i->steps[1] = add;
    i->steps[2] = load;
    return true;
}

/* May what follows the statement not run? Calls of what the compiler
   itself knows, such as memcpy, come back. */
static bool may_leave(function *f, gimple *statement) {
    if (stmt_could_throw_p(f, statement)) return true;
    if (gimple_code(statement) == GIMPLE_ASM) return gimple_asm_volatile_p(as_a<gasm *>(statement));
    if (!is_gimple_call(statement) || gimple_call_internal_p(statement)) return false;
    tree target = gimple_call_fndecl(statement);
    int flags = gimple_call_flags(statement);
    if (target && fndecl_built_in_p(target, BUILT_IN_NORMAL)) return !(flags & ECF_LEAF);
    return !(flags & (ECF_CONST | ECF_PURE)) || (flags & ECF_LOOPING_CONST_OR_PURE);
}

struct stretch {
    basic_block block;
    counters of;
    std::vector<increment> from;
};

enum { MOST_COUNTERS = 64, MOST_BLOCKS = 64 };

struct body {
    function *f;
    std::vector<stretch> all;
    std::vector<int> first, last;           /* the stretches of a block: the same if none leaves */

    explicit body(function *of)
        : f(of), first(last_basic_block_for_fn(of), -1), last(last_basic_block_for_fn(of), -1) {}

    void find() {
        basic_block block;
        increment i;
        FOR_EACH_BB_FN(block, f) {
            all.push_back({block, {}, {}});
            first[block->index] = (int)all.size() - 1;
            for (gimple_stmt_iterator j = gsi_start_bb(block); !gsi_end_p(j); gsi_next(&j)) {
                gimple *statement = gsi_stmt(j);
                if (is_increment(statement, &i)) {
                    all.back().of.push_back(i.of);
                    all.back().from.push_back(i);
                } else if (may_leave(f, statement)) {
                    all.push_back({block, {}, {}});
                }
            }
            last[block->index] = (int)all.size() - 1;
        }
    }

    bool is_body(basic_block block) const {
        return block != ENTRY_BLOCK_PTR_FOR_FN(f) && block != EXIT_BLOCK_PTR_FOR_FN(f);
    }
    bool leaves(basic_block block) const { return first[block->index] != last[block->index]; }
    stretch &head(basic_block block) { return all[first[block->index]]; }
    stretch &tail(basic_block block) { return all[last[block->index]]; }

    static bool is_plain(edge e) { return !(e->flags & (EDGE_ABNORMAL | EDGE_EH)); }

    static void hand(const counters &from, stretch *to) {
        to->of.insert(to->of.end(), from.begin(), from.end());
    }

    /* Each path from block comes to `to`, without a loop and without leaving.
       on: 1 while a block is on the path, 2 when all behind it is known. */
    bool comes_to(basic_block block, basic_block to, std::map<basic_block, int> *on) {
        edge e;
        edge_iterator i;
        if (on->size() > MOST_BLOCKS || EDGE_COUNT(block->succs) == 0) return false;
        (*on)[block] = 1;
        FOR_EACH_EDGE(e, i, block->succs) {
            basic_block next = e->dest;
            if (!is_plain(e) || !is_body(next)) return false;
            if (next == to) continue;
            std::map<basic_block, int>::iterator known = on->find(next);
            if (known != on->end() && known->second == 1) return false;
            if (known != on->end()) continue;
            if (leaves(next) || !comes_to(next, to, on)) return false;
        }
        (*on)[block] = 2;
        return true;
    }

    /* Nothing else than `from` leads into the blocks on the way, or to `to`. */
    static bool is_closed(basic_block from, basic_block to, const std::map<basic_block, int> &on) {
        edge e;
        edge_iterator i;
        FOR_EACH_EDGE(e, i, to->preds)
            if (!on.count(e->src)) return false;
        for (const std::pair<const basic_block, int> &one : on) {
            if (one.first == from) continue;
            FOR_EACH_EDGE(e, i, one.first->preds)
                if (!on.count(e->src)) return false;
        }
        return true;
    }

    void same(basic_block block) {
        basic_block from = block, to;
        while ((to = get_immediate_dominator(CDI_POST_DOMINATORS, from)) != NULL && is_body(to)) {
            std::map<basic_block, int> on;
            stretch &mine = tail(block), &other = head(to);
            if (!comes_to(from, to, &on) || !is_closed(from, to, on)) return;
            if (!other.of.empty() && mine.of.size() + other.of.size() <= MOST_COUNTERS) {
                hand(other.of, &mine);
                other.of.clear();
            }
            if (leaves(to)) return;
            from = to;
        }
    }

    bool down(basic_block block) {
        stretch &mine = tail(block);
        edge e;
        edge_iterator i;
        if (mine.of.empty() || EDGE_COUNT(block->succs) == 0) return false;
        FOR_EACH_EDGE(e, i, block->succs) {
            if (!is_plain(e) || !is_body(e->dest) || !single_pred_p(e->dest)) return false;
            size_t size = head(e->dest).of.size();
            if (size == 0 || size + mine.of.size() > MOST_COUNTERS) return false;
            if (e->dest == block) return false;
        }
        FOR_EACH_EDGE(e, i, block->succs) hand(mine.of, &head(e->dest));
        mine.of.clear();
        return true;
    }

    bool up(basic_block block) {
        stretch &mine = head(block);
        edge e;
        edge_iterator i;
        if (mine.of.empty() || EDGE_COUNT(block->preds) == 0) return false;
        FOR_EACH_EDGE(e, i, block->preds) {
            if (!is_plain(e) || !is_body(e->src) || !single_succ_p(e->src)) return false;
            size_t size = tail(e->src).of.size();
            if (size == 0 || size + mine.of.size() > MOST_COUNTERS) return false;
            if (e->src == block) return false;
        }
        FOR_EACH_EDGE(e, i, block->preds) hand(mine.of, &tail(e->src));
        mine.of.clear();
        return true;
    }

    void hand_on() {
        basic_block block;
        bool again = true;
        calculate_dominance_info(CDI_POST_DOMINATORS);
        FOR_EACH_BB_FN(block, f) {
            if (!tail(block).of.empty()) same(block);
        }
        free_dominance_info(CDI_POST_DOMINATORS);
        for (int round = 0; again && round < MOST_BLOCKS; round++) {
            again = false;
            FOR_EACH_BB_FN(block, f) again |= down(block) || up(block);
        }
    }

    static void remove(gimple *statement) {
        gimple_stmt_iterator at = gsi_for_stmt(statement);
        unlink_stmt_vdef(statement);
        gsi_remove(&at, true);
        release_defs(statement);
    }

    /* What the stretch counts stands where its first counter stood. */
    void write(stretch *s) {
        if (s->from.size() <= 1 && s->of.size() == s->from.size() &&
            (s->of.empty() || s->of[0] == s->from[0].of)) return;
        if (!s->of.empty()) {
            tree type = long_long_integer_type_node, own = own_counter(s->of);
            tree a = make_ssa_name(type), b = make_ssa_name(type);
            tree place = build4(ARRAY_REF, type, own, size_zero_node, NULL_TREE, NULL_TREE);
            gimple_stmt_iterator at = gsi_for_stmt(s->from[0].steps[0]);
            gsi_insert_before(&at, gimple_build_assign(a, place), GSI_SAME_STMT);
            gsi_insert_before(&at, gimple_build_assign(b, PLUS_EXPR, a, build_one_cst(type)),
                              GSI_SAME_STMT);
            gsi_insert_before(&at, gimple_build_assign(unshare_expr(place), b), GSI_SAME_STMT);
        }
        for (increment &i : s->from)
            for (gimple *step : i.steps) remove(step);
    }
};

static const pass_data data = {GIMPLE_PASS, "bursty_join", OPTGROUP_NONE, TV_NONE,
                               PROP_cfg | PROP_ssa, 0, 0, 0, TODO_update_ssa_only_virtuals};

struct pass : gimple_opt_pass {
    pass() : gimple_opt_pass(data, g) {}
    bool gate(function *) final override { return !in_lto_p; }
    unsigned execute(function *f) final override {
        body b(f);
        b.find();
        b.hand_on();
        for (stretch &s : b.all) b.write(&s);
        return 0;
    }
};

static void put_name(tree variable) {
    assemble_name(asm_out_file, IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(variable)));
}

/* A row: where the counter is, from here; how many others; where they are. The
   linker keeps it (R), for nothing else leads to it. */
static void write_table(void *, void *) {
    if (made.empty()) return;
    fprintf(asm_out_file, "\t.section\tbursty_joined,\"a%s\"\n\t.balign 4\n",
            SUPPORTS_SHF_GNU_RETAIN ? "R" : "");
    for (const std::pair<const counters, tree> &one : made) {
        fputs("\t.long\t", asm_out_file);
        put_name(one.second);
        fprintf(asm_out_file, " - ., %u\n", (unsigned)one.first.size());
        for (const counter &c : one.first) {
            fputs("\t.long\t", asm_out_file);
            put_name(c.variable);
            fprintf(asm_out_file, "+%u - .\n", (unsigned)c.at * 8);
        }
    }
}

/* Before it counts gcc joins a jump with a later condition that it decides: that
   condition would have no count on this way, and its line 0. The pass that does so
   is left out, as by -fno-thread-jumps. Those behind the counters join jumps. */
static void leave_jumps(void *gate, void *) {
    if (strcmp(current_pass->name, "ethread") == 0) *static_cast<bool *>(gate) = false;
}

} // namespace join
