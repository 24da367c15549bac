/* statement.c - statements and declarations in a function's body.

   A statement is recognised by its first token; what no keyword begins runs to
   its ';'. Each function takes the number of a token, and *at is moved behind
   what it has parsed. */
#include "cc/read/tree.h"
#include <string.h>

static uint32_t statement(cc_unit *u, uint32_t *at, uint32_t end);

static uint32_t behind_bracket(const cc_unit *u, uint32_t i) {
    return u->tokens.list[i].match > i ? u->tokens.list[i].match + 1 : i + 1;
}

/* The first ';' at or behind i that stands in no bracket. */
static uint32_t semicolon(cc_unit *u, uint32_t i, uint32_t end) {
    uint32_t first = i;
    for (; i < end; i = behind_bracket(u, i)) {
        if (cc_is(&u->tokens, i, ';')) return i;
    }
    cc_give_up(u, first, "semicolon-missing");
    return end;
}

/* The ':' that ends the label at i: in no bracket, and not that of a '?'. */
static uint32_t label_end(cc_unit *u, uint32_t i, uint32_t end) {
    uint32_t open = 0, first = i;
    for (; i < end; i = behind_bracket(u, i)) {
        if (cc_is(&u->tokens, i, '?')) open++;
        if (!cc_is(&u->tokens, i, ':')) continue;
        if (open == 0) return i;
        open--;
    }
    cc_give_up(u, first, "colon-missing");
    return first;
}

/* The bracket that must open at *at; *at goes after it. Returns the token of
   its '('. */
static uint32_t bracket(cc_unit *u, uint32_t *at, uint32_t end) {
    uint32_t open = *at;
    if (open >= end || !cc_is(&u->tokens, open, '(')) {
        cc_give_up(u, open < end ? open : end - 1, "bracket-missing");
        return 0;
    }
    *at = behind_bracket(u, open);
    return open;
}

static uint32_t condition(cc_unit *u, uint32_t *at, uint32_t end) {
    uint32_t open = bracket(u, at, end), close, inner, list;
    if (!open) return 0;
    close = u->tokens.list[open].match;
    if (close == open + 1) {
        cc_give_up(u, open, "condition-missing");
        return 0;
    }
    inner = cc_expression(u, open + 1, close);
    list = cc_new(u, CC_N_LIST, open + 1, close - 1);
    u->nodes[list].kid[0] = inner;
    return list;
}

/* ---- declarations ---- */

static int is_declaration(cc_unit *u, uint32_t i, uint32_t end) {
    const cc_tokens *t = &u->tokens;
    while (i < end && (cc_is(t, i, CC_EXTENSION) || cc_is(t, i, CC_ATTRIBUTE))) {
        i = cc_is(t, i, CC_ATTRIBUTE) && cc_is(t, i + 1, '(') ? behind_bracket(u, i + 1) : i + 1;
    }
    switch (t->list[i].word) {
    case CC_TYPEDEF: case CC_STATIC: case CC_EXTERN: case CC_INLINE: case CC_STRUCT: case CC_ENUM:
    case CC_TYPE: case CC_AUTO_TYPE: case CC_TYPEOF: case CC_ALIGNAS: case CC_DECLSPEC:
        return 1;
    case CC_UNTOUCHED:
        return cc_spells(t, i, "_Static_assert");
    default:
        break;
    }
    if (!cc_is_name(t, i) || i + 1 >= end) return 0;
    if (cc_is_name(t, i + 1) || t->list[i + 1].word == CC_TYPE) return 1;
    if (t->list[i + 1].word == CC_STATIC || t->list[i + 1].word == CC_ATTRIBUTE) return 1;
    return cc_begins_type(u, i) && !cc_is(t, i + 1, ':');
}

/* Does a function's body stand among the tokens of a declaration? */
static int holds_function(const cc_unit *u, uint32_t first, uint32_t end) {
    const cc_tokens *t = &u->tokens;
    uint32_t i;
    for (i = first; i < end && !cc_is(t, i, ';') && !cc_is(t, i, '='); i = behind_bracket(u, i)) {
        uint32_t open;
        if (!cc_is(t, i, '{') || i == first || !cc_is(t, i - 1, ')')) continue;
        open = t->list[i - 1].match;
        if (open > first && cc_is_name(t, open - 1)) return 1;
    }
    return 0;
}

/* The first token of a call among first .. last, the bracket of a bound, or 0. */
static uint32_t call_in_bound(cc_unit *u, uint32_t first, uint32_t last) {
    const cc_tokens *t = &u->tokens;
    uint32_t i;
    for (i = first; i < last; i++) {
        if (!cc_is(t, i + 1, '(')) continue;
        if (cc_is_name(t, i) ? cc_begins(t, i, "__builtin_") || cc_meaning_of(u, i) == CC_TYPE_NAME
                             : !cc_is(t, i, ']') &&
                                   !(cc_is(t, i, ')') && !cc_begins_type(u, t->list[i].match + 1)))
            continue;
        return i;
    }
    return 0;
}

void cc_refuse_bounds(cc_unit *u, uint32_t first, uint32_t last) {
    uint32_t i;
    for (i = first; i <= last && i < u->tokens.count; i++) {
        uint32_t call;
        if (!cc_is(&u->tokens, i, '[')) continue;
        call = call_in_bound(u, i, u->tokens.list[i].match);
        if (call) cc_give_up(u, call, "call-in-bound");
        i = u->tokens.list[i].match;
    }
}

/* A name of a function in cleanup(..) among the tokens of an attribute. */
static uint32_t cleanup_in(cc_unit *u, uint32_t first, uint32_t last) {
    const cc_tokens *t = &u->tokens;
    uint32_t i;
    for (i = first; i + 3 <= last; i++) {
        if ((cc_spells(t, i, "cleanup") || cc_spells(t, i, "__cleanup__")) &&
            cc_is(t, i + 1, '(') && cc_is_name(t, i + 2)) return i + 2;
    }
    return 0;
}

/* Attributes of a declaration may call functions at the end of its scope. These calls
   stand in front of those of the declaration itself: next leads from there to
   `list`. */
static uint32_t add_cleanups(cc_unit *u, uint32_t first, uint32_t end, uint32_t list) {
    const cc_tokens *t = &u->tokens;
    uint32_t i, name, node;
    for (i = first; i + 1 < end; i++) {
        if (cc_is(t, i, '{')) {
            i = t->list[i].match;
            continue;
        }
        if (!(cc_is(t, i, CC_ATTRIBUTE) && cc_is(t, i + 1, '(')) &&
            !(cc_is(t, i, '[') && cc_is(t, i + 1, '['))) continue;
        name = cleanup_in(u, i, t->list[i + 1].match);
        i = t->list[i + 1].match;
        if (!name) continue;
        node = cc_new(u, CC_N_CLEANUP, name, name);
        u->nodes[node].next = list;
        list = node;
    }
    return list;
}

/* The name that the declarator first .. end declares, 0 if it has none. What is
   in its brackets is never touched, but bounds that call something
   (add_bounds). *is_function: its name is followed by
   parameters. */
static uint32_t declarator(cc_unit *u, uint32_t first, uint32_t end, int *is_function) {
    const cc_tokens *t = &u->tokens;
    uint32_t i = first, name = 0;
    while (i < end) {
        uint32_t behind = cc_behind_attributes(u, i, end);
        if (behind > i) {
            i = behind;
            continue;
        }
        if (cc_is_name(t, i)) name = i;
        if (cc_is(t, i, ':')) {                    /* a bit-field */
            cc_skip(u, i, end - 1);
            return name;
        }
        if (cc_is(t, i, '(') || cc_is(t, i, '[') || cc_is(t, i, '{')) {
            uint32_t close = t->list[i].match;
            int again = close + 1 < end && cc_is(t, close + 1, '(');
            if (!cc_is(t, i, '[') || !call_in_bound(u, i, close)) cc_skip(u, i, close);
            if (cc_is(t, i, '(') && (again || (close + 1 < end && cc_is(t, close + 1, '[')) ||
                                     (!name && i > first))) {
                uint32_t inner = i + 1, pointers = 0;
                while (inner < close && t->list[inner].kind == CC_OPERATOR &&
                       !cc_is(t, inner, '(')) {
                    pointers++;
                    inner++;
                }
                if (again && name && !cc_is(t, inner, '(') && pointers == 0 &&
                    !cc_is_name(t, inner)) {
                    *is_function = 1;
                    return name;
                }
                name = declarator(u, i + 1, close, is_function);
                if (again && pointers == 0 && name) *is_function = 1;
                return name;
            }
            if (cc_is(t, i, '(') && name) {
                *is_function = name + 1 == i;
                return name;
            }
            i = close + 1;
            continue;
        }
        i++;
    }
    return name;
}

static void declare(cc_unit *u, uint32_t name, cc_meaning meaning, int local) {
    cc_name *entry;
    if (!name) return;
    entry = cc_find(u, name, 1);
    if (local && meaning != CC_FUNCTION && meaning != CC_TYPE_NAME) {
        entry->local = u->current;
        return;
    }
    if (entry->meaning == CC_UNKNOWN || !local) entry->meaning = (uint8_t)meaning;
}

static void add_flags(cc_unit *u, uint32_t name, uint32_t first, uint32_t end);

/* Behind the struct or enum at i, with its body, which is never touched. */
static uint32_t behind_struct(cc_unit *u, uint32_t i, uint32_t end) {
    const cc_tokens *t = &u->tokens;
    i = cc_behind_attributes(u, i + 1, end);
    if (i < end && cc_is_name(t, i)) i++;
    i = cc_behind_attributes(u, i, end);
    if (i < end && cc_is(t, i, '{')) {
        cc_skip(u, i, t->list[i].match);
        i = behind_bracket(u, i);
    }
    return i;
}

/* The first token that belongs to a declarator and not to the type in front. */
static uint32_t behind_specifiers(cc_unit *u, uint32_t i, uint32_t end, uint32_t *storage) {
    const cc_tokens *t = &u->tokens;
    int typed = 0;
    while (i < end) {
        uint32_t word = t->list[i].word, behind = cc_behind_attributes(u, i, end);
        if (behind > i) {
            i = behind;
        } else if (word == CC_STRUCT || word == CC_ENUM) {
            i = behind_struct(u, i, end);
            typed = 1;
        } else if (word == CC_TYPEOF || (word == CC_TYPE && i + 1 < end && cc_is(t, i + 1, '(') &&
                                         cc_spells(t, i, "_Atomic"))) {
            uint32_t close = i + 1 < end ? t->list[i + 1].match : 0;
            if (close <= i) return i + 1;
            cc_refuse_bounds(u, i, close); /* nothing else in it runs */
            cc_skip(u, i, close);
            i = close + 1;
            typed = 1;
        } else if (word == CC_TYPEDEF || word == CC_STATIC || word == CC_EXTERN) {
            *storage = word;
            i++;
        } else if (word == CC_INLINE || word == CC_EXTENSION) {
            i++;
        } else if (word == CC_TYPE || word == CC_AUTO_TYPE) {
            if (word == CC_AUTO_TYPE || !(cc_spells(t, i, "const") || cc_spells(t, i, "volatile") ||
                                          cc_spells(t, i, "register") || cc_spells(t, i, "auto")))
                typed = 1;
            i++;
        } else if (!typed && cc_is_name(t, i)) {
            if (i + 1 >= end || cc_is(t, i + 1, '=') || cc_is(t, i + 1, ',') ||
                cc_is(t, i + 1, '[')) {
                return i;                          /* static x = 1: implicit int */
            }
            if (cc_is(t, i + 1, '(') && !cc_begins_type(u, i)) return i;
            i++;
            typed = 1;
        } else {
            break;
        }
    }
    return i;
}

/* `fn f;` with a typedef of a function declares a function. What `typeof(g) f;`
   declares is not known: as a function, its calls may go to one of that name or
   to any outside. */
static int declares_function(cc_unit *u, uint32_t name, uint32_t first, uint32_t start) {
    const cc_name *entry = cc_find(u, name, 0);
    uint32_t i;
    if (entry && entry->function_row) return 1;
    for (i = first; i < start && !cc_is(&u->tokens, i, CC_TYPEOF); i++) {
    }
    return i < start && cc_is(&u->tokens, start, '*') == 0 && start == name;
}

/* What a declaration runs, in its order. */
typedef struct parts {
    uint32_t first, last;
} parts;

static void add_part(cc_unit *u, parts *p, uint32_t part) {
    if (!part) return;
    if (p->first) u->nodes[p->last].next = part;
    else p->first = part;
    p->last = part;
}

/* Bounds that call something, `char text[length(s) + 1]`, run as an initialiser
   does. Other ones may have to be constants, and are never touched. A bound
   within brackets, as in `int (*p)[g()]`, is not followed. */
static void add_bounds(cc_unit *u, uint32_t first, uint32_t end, parts *p) {
    const cc_tokens *t = &u->tokens;
    uint32_t i;
    for (i = first; i < end; i = behind_bracket(u, i)) {
        uint32_t close = t->list[i].match;
        if (!cc_is(t, i, '[')) {
            if (cc_is(t, i, '(')) {
                cc_refuse_bounds(u, i, end - 1);
                return;
            }
        } else if (call_in_bound(u, i, close)) {
            uint32_t list = cc_new(u, CC_N_LIST, i + 1, close - 1);
            uint32_t inner = cc_expression(u, i + 1, close);
            u->nodes[list].kid[0] = inner;
            add_part(u, p, list);
        }
    }
}

uint32_t cc_declaration(cc_unit *u, uint32_t first, uint32_t end, int local) {
    const cc_tokens *t = &u->tokens;
    parts run = {0, 0};
    uint32_t storage = 0, list, i, stop;
    uint32_t start = behind_specifiers(u, first, end, &storage);
    if (first < end && cc_is(t, first, CC_UNTOUCHED)) {
        cc_skip(u, first, end - 1);
        return 0;
    }
    cc_types_declare(u, first, end);
    for (i = start; i < end; i = stop + 1) {
        uint32_t equals = end, name;
        int is_function = 0;
        for (stop = i; stop < end && !cc_is(t, stop, ','); stop = behind_bracket(u, stop)) {
            if (equals == end && cc_is(t, stop, '=')) equals = stop;
        }
        if (equals > stop) equals = stop;
        if (local && storage) cc_refuse_bounds(u, i, equals);
        else if (local) add_bounds(u, i, equals, &run);
        name = declarator(u, i, equals, &is_function);
        if (name && storage != CC_TYPEDEF && !is_function && (!local || storage == CC_EXTERN))
            is_function = declares_function(u, name, first, start);
        declare(u, name, storage == CC_TYPEDEF ? CC_TYPE_NAME
                         : is_function ? CC_FUNCTION : CC_VARIABLE, local);
        if (!local || is_function) add_flags(u, name, first, end);
        if (equals >= stop) continue;
        if (!local || storage) {
            cc_skip(u, equals, stop - 1);
        } else {
            add_part(u, &run, cc_initialiser(u, equals + 1, stop));
        }
    }
    if (!run.first) return 0;
    list = cc_new(u, CC_N_LIST, start, end - 1);
    u->nodes[list].kid[0] = run.first;
    return list;
}

/* What the declaration first .. end says about a function or variable. */
static void add_flags(cc_unit *u, uint32_t name, uint32_t first, uint32_t end) {
    static const struct {
        const char *word;
        uint8_t flag;
    } words[] = {
        {"used", CC_IS_USED}, {"__used__", CC_IS_USED}, {"section", CC_IS_USED},
        {"__section__", CC_IS_USED}, {"noreturn", CC_IS_NORETURN},
        {"__noreturn__", CC_IS_NORETURN}, {"_Noreturn", CC_IS_NORETURN}, {"weak", CC_IS_WEAK},
        {"__weak__", CC_IS_WEAK}, {"constructor", CC_IS_SPECIAL},
        {"__constructor__", CC_IS_SPECIAL}, {"destructor", CC_IS_SPECIAL},
        {"__destructor__", CC_IS_SPECIAL}, {"interrupt", CC_IS_SPECIAL},
        {"__interrupt__", CC_IS_SPECIAL}, {"signal", CC_IS_SPECIAL},
        {"\"hidden\"", CC_IS_HIDDEN}, {"\"internal\"", CC_IS_HIDDEN},
    };
    const cc_tokens *t = &u->tokens;
    cc_name *entry = name ? cc_find(u, name, 0) : NULL;
    uint32_t i, k;
    int inside = 0;
    if (!entry) return;
    for (i = first; i < end; i++) {
        uint32_t word = t->list[i].word;
        if (word == CC_STATIC) entry->flags |= CC_IS_STATIC;
        if (word == CC_INLINE) entry->flags |= CC_IS_INLINE;
        if (word == CC_EXTERN) entry->flags |= CC_IS_EXTERN;
        if (word == CC_ATTRIBUTE) inside = 1;
        if (cc_is(t, i, '{') || cc_is(t, i, '=')) break;
        if (!inside && word != CC_TYPE) {
            if (cc_is(t, i, '(')) i = t->list[i].match;
            continue;
        }
        for (k = 0; k < sizeof words / sizeof *words; k++) {
            if (cc_spells(t, i, words[k].word)) entry->flags |= words[k].flag;
        }
    }
}

/* ---- statements ---- */

/* Behind a label may stand a '}' in newer C, or the end of what holds it. */
static uint32_t labelled(cc_unit *u, uint32_t *at, uint32_t end) {
    return *at < end ? statement(u, at, end) : 0;
}

static uint32_t finish(cc_unit *u, uint32_t node, uint32_t at) {
    u->nodes[node].last = at - 1;
    return node;
}

static uint32_t parse_if(cc_unit *u, uint32_t *at, uint32_t end) {
    uint32_t node = cc_new(u, CC_N_IF, *at, *at), kid;
    (*at)++;
    kid = condition(u, at, end);
    u->nodes[node].kid[0] = kid;
    kid = statement(u, at, end);
    u->nodes[node].kid[1] = kid;
    if (*at < end && cc_is(&u->tokens, *at, CC_ELSE)) {
        u->nodes[node].a = (*at)++;
        kid = statement(u, at, end);
        u->nodes[node].kid[2] = kid;
    }
    return finish(u, node, *at);
}

static uint32_t parse_head(cc_unit *u, uint32_t *at, uint32_t end, cc_node_kind kind) {
    uint32_t node = cc_new(u, kind, *at, *at), kid;
    (*at)++;
    kid = condition(u, at, end);
    u->nodes[node].kid[0] = kid;
    kid = statement(u, at, end);
    u->nodes[node].kid[1] = kid;
    return finish(u, node, *at);
}

static uint32_t parse_do(cc_unit *u, uint32_t *at, uint32_t end) {
    uint32_t node = cc_new(u, CC_N_DO, *at, *at), kid;
    (*at)++;
    kid = statement(u, at, end);
    u->nodes[node].kid[1] = kid;
    if (*at >= end || !cc_is(&u->tokens, *at, CC_WHILE)) {
        cc_give_up(u, *at, "while-missing");
        return node;
    }
    u->nodes[node].a = (*at)++;
    kid = condition(u, at, end);
    u->nodes[node].kid[0] = kid;
    *at = semicolon(u, *at, end) + 1;
    return finish(u, node, *at);
}

static uint32_t parse_for(cc_unit *u, uint32_t *at, uint32_t end) {
    uint32_t node = cc_new(u, CC_N_FOR, *at, *at), open, close, one, two, kid;
    (*at)++;
    open = bracket(u, at, end);
    if (!open) return node;
    close = u->tokens.list[open].match;
    one = semicolon(u, open + 1, close);
    two = one < close ? semicolon(u, one + 1, close) : close;
    if (two >= close) return node;
    u->nodes[node].a = one;
    u->nodes[node].b = two;
    if (is_declaration(u, open + 1, one)) kid = cc_declaration(u, open + 1, one, 1);
    else kid = cc_expression(u, open + 1, one);
    kid = add_cleanups(u, open + 1, one, kid);
    u->nodes[node].kid[2] = kid;
    if (two > one + 1) {
        uint32_t inner = cc_expression(u, one + 1, two);
        kid = cc_new(u, CC_N_LIST, one + 1, two - 1);
        u->nodes[kid].kid[0] = inner;
        u->nodes[node].kid[0] = kid;
    }
    kid = cc_expression(u, two + 1, close);
    u->nodes[node].kid[3] = kid;
    kid = statement(u, at, end);
    u->nodes[node].kid[1] = kid;
    return finish(u, node, *at);
}

static uint32_t parse_label(cc_unit *u, uint32_t *at, uint32_t end, cc_node_kind kind) {
    uint32_t node = cc_new(u, kind, *at, *at), kid;
    uint32_t colon = label_end(u, *at, end);
    if (kind != CC_N_LABEL && colon > *at + 1) cc_skip(u, *at + 1, colon - 1);
    u->nodes[node].a = colon;
    *at = colon + 1;
    while (kind == CC_N_LABEL && *at + 1 < end && cc_is(&u->tokens, *at, CC_ATTRIBUTE) &&
           cc_is(&u->tokens, *at + 1, '(')) {
        uint32_t behind = behind_bracket(u, *at + 1);
        if (behind < end && cc_is(&u->tokens, behind, ';')) break;
        cc_skip(u, *at, behind - 1);
        *at = behind;
        u->nodes[node].a = behind - 1;
    }
    kid = labelled(u, at, end);
    u->nodes[node].kid[1] = kid;
    return finish(u, node, *at);
}

static uint32_t parse_jump(cc_unit *u, uint32_t *at, uint32_t end) {
    const cc_tokens *t = &u->tokens;
    uint32_t first = *at, stop = semicolon(u, first, end), node, kid;
    *at = stop + 1;
    switch (t->list[first].word) {
    case CC_BREAK: return cc_new(u, CC_N_BREAK, first, stop);
    case CC_CONTINUE: return cc_new(u, CC_N_CONTINUE, first, stop);
    case CC_GOTO:
        if (cc_is(t, first + 1, '*')) {
            kid = cc_expression(u, first + 2, stop);
            node = cc_new(u, CC_N_GOTO_STAR, first, stop);
            u->functions[u->current - 1].hard = 1;
            u->nodes[node].kid[0] = kid;
            return node;
        }
        node = cc_new(u, CC_N_GOTO, first, stop);
        u->nodes[node].a = first + 1;
        if (!cc_is_name(t, first + 1)) cc_give_up(u, first, "goto-without-label");
        return node;
    default:
        kid = cc_expression(u, first + 1, stop);
        node = cc_new(u, CC_N_RETURN, first, stop);
        u->nodes[node].kid[0] = kid;
        return node;
    }
}

static uint32_t parse_asm(cc_unit *u, uint32_t *at, uint32_t end) {
    uint32_t first = *at, stop = semicolon(u, first, end), i, node;
    node = cc_new(u, CC_N_ASM, first, stop);
    for (i = first; i < stop && !cc_is(&u->tokens, i, '('); i++) {
        if (cc_is(&u->tokens, i, CC_GOTO)) u->nodes[node].a = 1;
    }
    if (u->nodes[node].a) u->functions[u->current - 1].hard = 1;
    if (stop > first) cc_skip(u, first, stop - 1);
    *at = stop + 1;
    return node;
}

/* A declaration or an expression, up to its ';'. */
static uint32_t parse_simple(cc_unit *u, uint32_t *at, uint32_t end) {
    const cc_tokens *t = &u->tokens;
    uint32_t first = *at, stop, node, kid;
    int is_one = is_declaration(u, first, end);
    if (is_one && holds_function(u, first, end)) {
        cc_give_up(u, first, "nested-function");
        *at = end;
        return 0;
    }
    stop = semicolon(u, first, end);
    *at = stop + 1;
    if (cc_is(t, first, CC_ATTRIBUTE) && cc_is(t, first + 1, '(') &&
        behind_bracket(u, first + 1) == stop) {
        cc_skip(u, first, stop - 1);
        return cc_new(u, CC_N_FALLTHROUGH, first, stop);
    }
    if (cc_is(t, first, CC_LOCAL_LABEL)) {
        u->functions[u->current - 1].hard = 1;
        cc_skip(u, first, stop - 1);
        return cc_new(u, CC_N_DECLARATION, first, stop);
    }
    kid = is_one ? cc_declaration(u, first, stop, 1) : cc_expression(u, first, stop);
    kid = add_cleanups(u, first, stop, kid);
    node = cc_new(u, is_one ? CC_N_DECLARATION : CC_N_SIMPLE, first, stop);
    u->nodes[node].kid[0] = kid;
    return node;
}

static uint32_t dispatch(cc_unit *u, uint32_t *at, uint32_t end) {
    const cc_tokens *t = &u->tokens;
    uint32_t first = *at, node;
    switch (t->list[first].word) {
    case '{':
        node = cc_block(u, first);
        *at = behind_bracket(u, first);
        return node;
    case ';':
        (*at)++;
        return cc_new(u, CC_N_EMPTY, first, first);
    case CC_IF: return parse_if(u, at, end);
    case CC_WHILE: return parse_head(u, at, end, CC_N_WHILE);
    case CC_SWITCH: return parse_head(u, at, end, CC_N_SWITCH);
    case CC_DO: return parse_do(u, at, end);
    case CC_FOR: return parse_for(u, at, end);
    case CC_CASE: return parse_label(u, at, end, CC_N_CASE);
    case CC_DEFAULT: return parse_label(u, at, end, CC_N_DEFAULT);
    case CC_BREAK: case CC_CONTINUE: case CC_GOTO: case CC_RETURN:
        return parse_jump(u, at, end);
    case CC_ASM: return parse_asm(u, at, end);
    case CC_ELSE:
        cc_give_up(u, first, "else-without-if");
        *at = end;
        return 0;
    default:
        break;
    }
    if (cc_is_name(t, first) && first + 1 < end && cc_is(t, first + 1, ':')) {
        return parse_label(u, at, end, CC_N_LABEL);
    }
    return parse_simple(u, at, end);
}

static uint32_t statement(cc_unit *u, uint32_t *at, uint32_t end) {
    uint32_t node = 0;
    if (*at >= end) {
        cc_give_up(u, end, "statement-missing");
        return 0;
    }
    if (u->reason) {
        *at = end;
        return 0;
    }
    if (u->depth >= CC_DEEPEST) {
        cc_give_up(u, *at, "too-deep");
        *at = end;
        return 0;
    }
    u->depth++;
    node = dispatch(u, at, end);
    u->depth--;
    return node;
}

uint32_t cc_block(cc_unit *u, uint32_t open) {
    uint32_t end = u->tokens.list[open].match, at = open + 1, last = 0, kid;
    uint32_t node = cc_new(u, CC_N_BLOCK, open, end);
    while (at < end && !u->reason) {
        kid = statement(u, &at, end);
        if (!kid) continue;
        if (last) u->nodes[last].next = kid;
        else u->nodes[node].kid[0] = kid;
        last = kid;
    }
    return node;
}
