/* expression.c - what decides and what calls in an expression.

   C's grammar is not needed for that, only its order of binding: commas split
   first, then the first assignment or `?`, then the last `||`, then the last
   `&&`. What is left is a row of operands in which brackets are parsed in the
   same way, and a '(' behind a name or a bracket is a call. */
#include "cc/read/tree.h"
#include <string.h>

/* Parts of a list in the order in which they run. */
typedef struct chain {
    uint32_t first, last;
} chain;

static void append(cc_unit *u, chain *c, uint32_t node) {
    if (!node) return;
    if (c->last) u->nodes[c->last].next = node;
    else c->first = node;
    c->last = node;
}

static uint32_t parse_assignment(cc_unit *u, uint32_t first, uint32_t end);

static int is_assignment(uint32_t word) {
    if (word == '=') return 1;
    if (word == CC_OP3('<', '<', '=') || word == CC_OP3('>', '>', '=')) return 1;
    if (word >> 16 || word >> 8 != '=') return 0;
    return (word & 255) != '=' && (word & 255) != '!' && (word & 255) != '<' && (word & 255) != '>';
}

static uint32_t after_bracket(const cc_unit *u, uint32_t i) {
    return u->tokens.list[i].match > i ? u->tokens.list[i].match + 1 : i + 1;
}

/* The ':' of the '?' at token i, or end. */
static uint32_t colon_of(const cc_unit *u, uint32_t i, uint32_t end) {
    uint32_t open = 0;
    for (; i < end; i = after_bracket(u, i)) {
        if (cc_is(&u->tokens, i, '?')) open++;
        if (cc_is(&u->tokens, i, ':') && --open == 0) return i;
    }
    return end;
}

/* Is the && at token i an operator between two operands? It is unary (the
   address of a label) behind an operator and behind a cast to a pointer. What
   looks like a cast behind sizeof is its operand. */
static int is_binary(const cc_unit *u, uint32_t i, uint32_t first) {
    const cc_tokens *t = &u->tokens;
    const cc_token *before = &t->list[i - 1];
    if (i == first) return 0;
    if (before->kind == CC_NAME) return before->word != CC_RETURN;
    if (before->kind != CC_OPERATOR) return 1;
    if (before->word == ')') {
        uint32_t open = before->match;
        if (open > first && cc_is(t, open - 1, CC_SIZEOF)) return 1;
        return !(cc_is(t, i - 2, '*') && t->list[i + 1].kind == CC_NAME);
    }
    return before->word == ']' || before->word == '}' || before->word == CC_OP2('+', '+') ||
           before->word == CC_OP2('-', '-');
}

/* ---- operands ---- */

/* The token behind the operand of sizeof, which starts at i. */
static uint32_t behind_operand(const cc_unit *u, uint32_t i, uint32_t end) {
    const cc_tokens *t = &u->tokens;
    while (i < end && t->list[i].kind == CC_OPERATOR && strchr("*&!~+-", (int)t->list[i].word & 255)
           && t->list[i].word < 128) {
        i++;
    }
    if (i < end && cc_is(t, i, CC_SIZEOF)) return behind_operand(u, i + 1, end);
    if (i < end) i = after_bracket(u, i);
    for (; i < end; i = after_bracket(u, i)) {
        if (cc_is(t, i, '[') || cc_is(t, i, '(') || cc_is(t, i, '{')) continue;
        if (cc_is(t, i, '.') || cc_is(t, i, CC_OP2('-', '>'))) {
            i++;
            continue;
        }
        break;
    }
    return i < end ? i : end;
}

static uint32_t count_arguments(const cc_unit *u, uint32_t open) {
    uint32_t close = u->tokens.list[open].match, i, count = 1;
    if (close == open + 1) return 0;
    for (i = open + 1; i < close; i = after_bracket(u, i)) {
        if (cc_is(&u->tokens, i, ',')) count++;
    }
    return count;
}

/* The name that the bracket at open holds alone, as in (f)(x) or (*f)(x); 0 if
   it is not so. */
static uint32_t name_in_bracket(const cc_unit *u, uint32_t open) {
    const cc_tokens *t = &u->tokens;
    uint32_t close = t->list[open].match, i = open + 1;
    while (i < close && (cc_is(t, i, '*') || cc_is(t, i, '&'))) i++;
    if (cc_is(t, i, '(') && t->list[i].match + 1 == close) return name_in_bracket(u, i);
    return i + 1 == close && cc_is_name(t, i) ? i : 0;
}

static int is_function(cc_unit *u, uint32_t token) {
    const cc_name *name = cc_find(u, token, 0);
    if (name && name->local == u->current && u->current) return 0;
    return !name || name->meaning == CC_FUNCTION || name->meaning == CC_UNKNOWN;
}

/* Is the bracket at open a cast, so that a '(' behind it is no call? */
static int is_cast(cc_unit *u, uint32_t open) { return cc_begins_type(u, open + 1); }

/* Builtins of the compiler that run code of the program. */
static int builtin_calls(const cc_unit *u, uint32_t token) {
    return cc_spells(&u->tokens, token, "__builtin_apply") ||
           cc_spells(&u->tokens, token, "__builtin_setjmp");
}

/* Is the bracket at `open` the last part of a longer operand: get(f), (get)(f),
   table[0](f)? A cast in front of it is none: (T)(f). */
static int continues_operand(cc_unit *u, uint32_t open, uint32_t first) {
    const cc_tokens *t = &u->tokens;
    if (open == first) return 0;
    if (cc_is(t, open - 1, ')')) return !is_cast(u, t->list[open - 1].match);
    return cc_is_name(t, open - 1) || cc_is(t, open - 1, ']') || cc_is(t, open - 1, '}');
}

/* The first token of the operand that ends in front of `open`: p->f, (*f),
   table[i].f, get(f). */
static uint32_t operand_start(cc_unit *u, uint32_t open, uint32_t first) {
    const cc_tokens *t = &u->tokens;
    uint32_t i = open - 1;
    for (;;) {
        if (cc_is(t, i, ')') || cc_is(t, i, ']') || cc_is(t, i, '}')) {
            int is_bracket = cc_is(t, i, ')');
            i = t->list[i].match;
            if (i <= first || (is_bracket && !continues_operand(u, i, first))) return i;
            i--;
        } else if (i > first + 1 && (cc_is(t, i - 1, '.') ||
                                     cc_is(t, i - 1, CC_OP2('-', '>')))) {
            i -= 2;
        } else {
            return i;
        }
    }
}

/* A call whose arguments open at `open`; the callee stands before it. Returns
   its node, or 0 if it is no call. The arguments are parsed by the caller. This
   alone decides which name is called directly: it becomes plain, and whatever
   other name of a function is left has its address taken (unit.c). */
static uint32_t make_call(cc_unit *u, uint32_t open, uint32_t first) {
    cc_tokens *t = &u->tokens;
    uint32_t callee = open - 1, close = t->list[open].match, node;
    if (open == first) return 0;
    if (cc_is_name(t, callee)) {
        if (callee > first && (cc_is(t, callee - 1, '.') ||
                               cc_is(t, callee - 1, CC_OP2('-', '>')))) {
            callee = 0;
        } else if ((cc_begins(t, callee, "__builtin_") && !builtin_calls(u, callee)) ||
                   cc_begins(t, callee, "__sync_") || cc_begins(t, callee, "__atomic_")) {
            return 0;
        }
    } else if (cc_is(t, callee, ')')) {
        uint32_t bracket = t->list[callee].match;
        if (is_cast(u, bracket)) return 0;
        callee = continues_operand(u, bracket, first) ? 0 : name_in_bracket(u, bracket);
    } else if (cc_is(t, callee, ']') || cc_is(t, callee, '}')) {
        callee = 0;
    } else {
        return 0;
    }
    if (callee && is_function(u, callee)) {
        node = cc_new(u, CC_N_CALL, callee, close);
        t->list[callee].plain = 1;
    } else {
        node = cc_new(u, CC_N_INDIRECT, callee ? callee : open, close);
    }
    u->nodes[node].a = count_arguments(u, open);
    u->nodes[node].b = operand_start(u, open, first);
    return node;
}

/* Does a statement expression begin at the bracket i? */
static int is_body(const cc_unit *u, uint32_t i) {
    return cc_is(&u->tokens, i, '(') && cc_is(&u->tokens, i + 1, '{') &&
           u->tokens.list[i + 1].match + 1 == u->tokens.list[i].match;
}

static uint32_t parse_bracket(cc_unit *u, uint32_t i, uint32_t first) {
    cc_tokens *t = &u->tokens;
    uint32_t close = t->list[i].match, node;
    if (is_body(u, i)) {
        uint32_t block = cc_block(u, i + 1);
        node = cc_new(u, CC_N_BODY, i, close);
        u->nodes[node].kid[0] = block;
        return node;
    }
    if (cc_is(t, i, '{')) return cc_initialiser(u, i + 1, close);
    if (cc_is(t, i, '(') && is_cast(u, i) && !(i > first && cc_is_name(t, i - 1))) {
        cc_refuse_bounds(u, i, close);
        cc_skip(u, i, close);
        return 0;
    }
    return cc_expression(u, i + 1, close);
}

/* A row of operands and operators that decide nothing. */
static uint32_t parse_operands(cc_unit *u, uint32_t first, uint32_t end) {
    cc_tokens *t = &u->tokens;
    chain c = {0, 0};
    uint32_t i = first, list;
    while (i < end) {
        uint32_t word = t->list[i].word;
        if (word == CC_SIZEOF) {
            uint32_t behind = behind_operand(u, i + 1, end);
            cc_refuse_bounds(u, i, behind - 1);
            cc_skip(u, i, behind - 1);
            i = behind;
        } else if (word == CC_UNTOUCHED || word == CC_ATTRIBUTE || word == CC_TYPEOF ||
                   word == CC_ASM || word == CC_ALIGNAS || word == CC_DECLSPEC) {
            uint32_t behind = i + 1 < end && cc_is(t, i + 1, '(') ? after_bracket(u, i + 1) : i + 1;
            cc_skip(u, i, behind - 1);
            i = behind;
        } else if (word == CC_STRUCT || word == CC_ENUM) {
            for (i++; i < end && t->list[i].kind == CC_NAME; i++) {
            }
            if (i < end && cc_is(t, i, '{')) {
                cc_skip(u, i, t->list[i].match);
                i = after_bracket(u, i);
            }
        } else if (word == '(' || word == '[' || word == '{') {
            uint32_t call = word == '(' ? make_call(u, i, first) : 0;
            append(u, &c, parse_bracket(u, i, first));
            append(u, &c, call);
            i = after_bracket(u, i);
        } else {
            i++;
        }
    }
    if (!c.first) return 0;
    if (!u->nodes[c.first].next && u->nodes[c.first].kind == CC_N_LIST) return c.first;
    list = cc_new(u, CC_N_LIST, first, end - 1);
    u->nodes[list].kid[0] = c.first;
    return list;
}

/* ---- && || ---- */

/* Operands of && or ||: a list node over all of them, even if nothing is in
   it. */
static uint32_t whole(cc_unit *u, uint32_t first, uint32_t end, uint32_t node) {
    uint32_t list = cc_new(u, CC_N_LIST, first, end - 1);
    u->nodes[list].kid[0] = node;
    return list;
}

static uint32_t parse_logic(cc_unit *u, uint32_t first, uint32_t end, int is_or) {
    cc_tokens *t = &u->tokens;
    uint32_t word = is_or ? CC_OP2('|', '|') : CC_OP2('&', '&');
    uint32_t i, at = first, left = 0, operator_at = 0, count = 0;
    for (i = first; i <= end; i = i < end ? after_bracket(u, i) : end + 1) {
        uint32_t operand, node;
        if (i < end && !(cc_is(t, i, word) && (is_or || is_binary(u, i, first)))) continue;
        if (i == end && !operator_at) break;
        if (i == at || ++count > CC_DEEPEST) {       /* left operands hold one another */
            cc_give_up(u, at, i == at ? "operand-missing" : "too-deep");
            return 0;
        }
        operand = is_or ? parse_logic(u, at, i, 0) : parse_operands(u, at, i);
        operand = whole(u, at, i, operand);
        if (operator_at) {
            node = cc_new(u, is_or ? CC_N_OR : CC_N_AND, first, i - 1);
            u->nodes[node].kid[0] = left;
            u->nodes[node].kid[1] = operand;
            u->nodes[node].a = operator_at;
            left = i < end ? whole(u, first, i, node) : node;
        } else {
            left = operand;
        }
        operator_at = i;
        at = i + 1;
    }
    if (operator_at) return left;
    return is_or ? parse_logic(u, first, end, 0) : parse_operands(u, first, end);
}

/* ---- assignments, ?:, commas ---- */

static uint32_t parse_choice(cc_unit *u, uint32_t first, uint32_t mark, uint32_t end) {
    uint32_t colon = colon_of(u, mark, end), condition, second = 0, third, node;
    int elvis = colon == mark + 1;
    if (colon >= end || mark == first || colon + 1 >= end) {
        cc_give_up(u, mark, "choice-without-colon");
        return 0;
    }
    condition = whole(u, first, mark, parse_logic(u, first, mark, 1));
    if (!elvis) second = whole(u, mark + 1, colon, cc_expression(u, mark + 1, colon));
    third = whole(u, colon + 1, end, parse_assignment(u, colon + 1, end));
    node = cc_new(u, elvis ? CC_N_ELVIS : CC_N_CHOICE, first, end - 1);
    u->nodes[node].kid[0] = condition;
    u->nodes[node].kid[1] = elvis ? third : second;
    u->nodes[node].kid[2] = elvis ? 0 : third;
    u->nodes[node].a = mark;
    u->nodes[node].b = colon;
    return node;
}

static uint32_t pair(cc_unit *u, uint32_t first, uint32_t end, uint32_t a, uint32_t b) {
    chain c = {0, 0};
    if (!a || !b) return a ? a : b;
    append(u, &c, a);
    append(u, &c, b);
    return whole(u, first, end, c.first);
}

static uint32_t parse_assignment(cc_unit *u, uint32_t first, uint32_t end) {
    uint32_t i, node = 0, left, right;
    if (first >= end) return 0;
    if (u->depth >= CC_DEEPEST) {
        cc_give_up(u, first, "too-deep");
        return 0;
    }
    u->depth++;
    for (i = first; i < end; i = after_bracket(u, i)) {
        if (is_assignment(u->tokens.list[i].word) || cc_is(&u->tokens, i, '?')) break;
    }
    if (i >= end) {
        node = parse_logic(u, first, end, 1);
    } else if (cc_is(&u->tokens, i, '?')) {
        node = parse_choice(u, first, i, end);
    } else {
        left = parse_operands(u, first, i);
        right = parse_assignment(u, i + 1, end);
        node = pair(u, first, end, left, right);
    }
    u->depth--;
    return node;
}

/* Where the operand of a comma operator ends that begins at i: at the first comma that
   is not between ? and :, or at end. */
static uint32_t part_end(const cc_unit *u, uint32_t i, uint32_t end) {
    uint32_t open = 0;
    for (; i < end; i = after_bracket(u, i)) {
        if (cc_is(&u->tokens, i, '?')) open++;
        else if (cc_is(&u->tokens, i, ':') && open > 0) open--;
        else if (cc_is(&u->tokens, i, ',') && open == 0) return i;
    }
    return end;
}

static uint32_t parse_parts(cc_unit *u, uint32_t first, uint32_t end, int initialiser) {
    chain c = {0, 0};
    uint32_t i = first, stop, list;
    for (; i < end; i = stop + 1) {
        uint32_t from = i;
        stop = part_end(u, i, end);
        if (initialiser) {
            while (from < stop && (cc_is(&u->tokens, from, '[') || cc_is(&u->tokens, from, '.'))) {
                uint32_t behind = after_bracket(u, from);
                if (cc_is(&u->tokens, from, '.')) behind = from + 2;
                cc_skip(u, from, behind - 1);
                from = behind;
            }
            if (from > i && from < stop && cc_is(&u->tokens, from, '=')) from++;
            if (from + 1 < stop && cc_is_name(&u->tokens, from) && cc_is(&u->tokens, from + 1, ':'))
                from += 2;
        }
        if (from < stop) append(u, &c, parse_assignment(u, from, stop));
    }
    if (!c.first || !u->nodes[c.first].next) return c.first;
    list = cc_new(u, CC_N_LIST, first, end - 1);
    u->nodes[list].kid[0] = c.first;
    return list;
}

static uint32_t nested(cc_unit *u, uint32_t first, uint32_t end, int initialiser) {
    uint32_t node;
    if (u->depth >= CC_DEEPEST) {
        cc_give_up(u, first, "too-deep");
        return 0;
    }
    u->depth++;
    node = parse_parts(u, first, end, initialiser);
    u->depth--;
    return node;
}

uint32_t cc_expression(cc_unit *u, uint32_t first, uint32_t end) {
    return nested(u, first, end, 0);
}

uint32_t cc_initialiser(cc_unit *u, uint32_t first, uint32_t end) {
    return nested(u, first, end, 1);
}
