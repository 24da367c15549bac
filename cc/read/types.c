/* types.c - the types of functions and of pointers to them, from declarations
   alone.

   A call through a pointer of one type reaches no function of an incompatible
   type. What the graph needs of a type is little, so a function's type is kept
   as a row of classes, its result first:

       v       void                                 p      a pointer, nobody knows to what
       i       an integer, a bool or an enum        pv pi pf pp pF    a pointer to void, an
       f       a floating type                             integer, floating, pointer, function
       s:tag   a struct                             p:tag  a pointer to a struct or union
       ?       not known: it may be any

   The row ends where nothing more is known; what follows may be anything.
   Qualifiers, sizes and signs are not looked at: that makes classes larger,
   never smaller.

   A name has one row for all objects and members of that name in the file,
   whatever struct or block they stand in: where their types differ, the class
   is "?". So a call needs no scopes. An object whose type is not understood
   makes the row of its name "?". */
#include "cc/read/tree.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

/* Numbers of types. From FIRST on they are pointers, structs and functions of
   the list. */
enum { NO_TYPE, ANY, VOID, INTEGER, FLOATING, FIRST };
enum { POINTER, STRUCT, UNION, FUNCTION };
enum { DEEPEST = 40, MOST_CLASSES = 24 };

static uint32_t declarator(cc_unit *u, uint32_t i, uint32_t end, uint32_t base, uint32_t *name,
                           uint32_t depth);

static uint32_t add_type(cc_unit *u, int kind, uint32_t what) {
    cc_types *t = &u->types;
    TOOL_ROOM(cc_type, t->list, t->count, t->room);
    t->list[t->count].kind = (uint32_t)kind;
    t->list[t->count].what = what;
    t->list[t->count].params = CC_ANY_PARAMS;
    return FIRST + t->count++;
}

static const cc_type *type_at(const cc_unit *u, uint32_t type) {
    return type >= FIRST ? &u->types.list[type - FIRST] : NULL;
}

static int is_kind(const cc_unit *u, uint32_t type, uint32_t kind) {
    return type >= FIRST && type_at(u, type)->kind == kind;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* A row's number is its place in the pool, + 1. */
static uint32_t add_row(cc_unit *u, const char *row, size_t size) {
    uint32_t at = (uint32_t)u->types.rows.size + 1;
    text_bytes(&u->types.rows, row, size);
    text_bytes(&u->types.rows, "", 1);
    return at;
}

const char *cc_row(const cc_unit *u, uint32_t row) { return u->types.rows.data + row - 1; }

static size_t class_size(const char *at) { return strcspn(at, ","); }

/* What both rows say. */
static uint32_t join_rows(cc_unit *u, uint32_t a, uint32_t b) {
    const char *left, *right;
    text t = {NULL, 0, 0};
    uint32_t row;
    if (!a || !b || strcmp(cc_row(u, a), cc_row(u, b)) == 0) return a ? a : b;
    for (left = cc_row(u, a), right = cc_row(u, b);; left++, right++) {
        size_t n = class_size(left), m = class_size(right);
        if (t.size) text_add(&t, ",");
        if (n == m && memcmp(left, right, n) == 0) text_bytes(&t, left, n);
        else text_add(&t, *left == 'p' && *right == 'p' ? "p" : "?");
        left += n;
        right += m;
        if (!*left || !*right) break;
    }
    row = add_row(u, t.data, t.size);
    text_free(&t);
    return row;
}

static void add_tag(const cc_unit *u, uint32_t token, text *out) {
    text_add(out, ":");
    text_bytes(out, u->tokens.text + u->tokens.list[token].at, u->tokens.list[token].size);
}

static void add_pointed(const cc_unit *u, uint32_t type, text *out) {
    static const char *const letters[FIRST] = {"", "", "v", "i", "f"};
    const cc_type *t = type_at(u, type);
    if (!t) text_add(out, letters[type]);
    else if (t->kind == POINTER) text_add(out, "p");
    else if (t->kind == FUNCTION) text_add(out, "F");
    else if (t->what) add_tag(u, t->what, out);
}

static void add_class(const cc_unit *u, uint32_t type, text *out) {
    static const char *const letters[FIRST] = {"?", "?", "v", "i", "f"};
    const cc_type *t = type_at(u, type);
    if (!t) {
        text_add(out, letters[type]);
    } else if (t->kind == POINTER) {
        text_add(out, "p");
        add_pointed(u, t->what, out);
    } else if (t->kind == FUNCTION) {
        text_add(out, "pF");
    } else if (t->kind == STRUCT && t->what) {
        text_add(out, "s");
        add_tag(u, t->what, out);
    } else {
        text_add(out, "?");
    }
}

/* ---- specifiers ---------------------------------------------------------------------------- */

static int is_aside(uint32_t word) {
    return word == CC_ATTRIBUTE || word == CC_ASM || word == CC_DECLSPEC || word == CC_ALIGNAS;
}

/* Behind attributes and the like at i. */
static uint32_t behind_asides(const cc_unit *u, uint32_t i, uint32_t end) {
    const cc_tokens *t = &u->tokens;
    while (i < end && (is_aside(t->list[i].word) || cc_is(t, i, CC_EXTENSION))) {
        for (i++; i < end && t->list[i].kind == CC_NAME && !cc_is(t, i, CC_EXTENSION) &&
                  cc_is(t, i - 1, CC_ASM); i++) {
        }
        if (i < end && cc_is(t, i, '(')) i = t->list[i].match + 1;
    }
    return i;
}

/* What a word like `int` says, and what was known before it. */
static uint32_t add_word(const cc_unit *u, uint32_t i, uint32_t type) {
    static const char *const silent[] = {
        "const", "volatile", "restrict", "register", "auto", "_Noreturn", "_Thread_local",
        "__thread", "__const", "__const__", "__volatile", "__volatile__", "__restrict",
        "__restrict__", "_Atomic"};
    static const char *const odd[] = {"_Complex", "__complex__", "_Imaginary",
                                      "__builtin_va_list"};
    const cc_tokens *t = &u->tokens;
    size_t k;
    for (k = 0; k < sizeof silent / sizeof *silent; k++) {
        if (cc_spells(t, i, silent[k])) return type;
    }
    for (k = 0; k < sizeof odd / sizeof *odd; k++) {
        if (cc_spells(t, i, odd[k])) return ANY;
    }
    if (type == ANY) return ANY;
    if (cc_spells(t, i, "void")) return VOID;
    if (cc_spells(t, i, "float") || cc_spells(t, i, "double") || cc_begins(t, i, "_Float") ||
        cc_begins(t, i, "__float") || cc_begins(t, i, "_Decimal")) return FLOATING;
    return type == FLOATING ? FLOATING : INTEGER;
}

static uint32_t struct_type(cc_unit *u, uint32_t *at, uint32_t end) {
    const cc_tokens *t = &u->tokens;
    int is_union = cc_spells(t, *at, "union"), is_enum = cc_is(t, *at, CC_ENUM);
    uint32_t i = behind_asides(u, *at + 1, end), tag = 0;
    if (i < end && cc_is_name(t, i)) tag = i++;
    i = behind_asides(u, i, end);
    if (is_enum && i + 1 < end && cc_is(t, i, ':')) {          /* enum e : int, of newer C */
        for (i++; i < end && t->list[i].kind == CC_NAME; i++) {
        }
    }
    if (i < end && cc_is(t, i, '{')) i = t->list[i].match + 1;
    *at = i;
    if (is_enum) return INTEGER;
    return add_type(u, is_union ? UNION : STRUCT, tag);
}

/* The type in front of the declarators; *at goes after it. */
static uint32_t specifiers(cc_unit *u, uint32_t *at, uint32_t end, int *is_typedef) {
    const cc_tokens *t = &u->tokens;
    uint32_t type = NO_TYPE, i = *at;
    while ((i = behind_asides(u, i, end)) < end) {
        uint32_t word = t->list[i].word;
        if (word == CC_STRUCT || word == CC_ENUM) {
            type = struct_type(u, &i, end);
        } else if (word == CC_TYPEOF || word == CC_AUTO_TYPE ||
                   (word == CC_TYPE && i + 1 < end && cc_is(t, i + 1, '(') &&
                    cc_spells(t, i, "_Atomic"))) {
            type = ANY;
            i++;
            if (i < end && cc_is(t, i, '(')) i = t->list[i].match + 1;
        } else if (word == CC_TYPEDEF || word == CC_STATIC || word == CC_EXTERN ||
                   word == CC_INLINE) {
            if (word == CC_TYPEDEF) *is_typedef = 1;
            i++;
        } else if (word == CC_TYPE) {
            type = add_word(u, i++, type);
        } else if (type == NO_TYPE && cc_is_name(t, i)) {
            const cc_name *name = cc_find(u, i, 0);
            if (name && name->alias) type = name->alias;
            else if (i + 1 < end && (cc_is_name(t, i + 1) || cc_is(t, i + 1, '*') ||
                                     cc_is(t, i + 1, CC_TYPE))) type = ANY;
            else break;                            /* static x = 1: implicit int */
            i++;
        } else {
            break;
        }
    }
    *at = i;
    return type == NO_TYPE ? (uint32_t)INTEGER : type;
}

/* ---- declarators --------------------------------------------------------------------------- */

static uint32_t part_end(const cc_unit *u, uint32_t i, uint32_t end) {
    const cc_tokens *t = &u->tokens;
    for (; i < end && !cc_is(t, i, ','); i = t->list[i].match > i ? t->list[i].match + 1 : i + 1) {
    }
    return i;
}

/* The type of a function whose parameters open at `open`, with that result. */
static uint32_t function_type(cc_unit *u, uint32_t open, uint32_t result, uint32_t depth) {
    const cc_tokens *t = &u->tokens;
    uint32_t close = t->list[open].match, i, stop, count = 0, row, type_made;
    int is_known = close > open + 1;
    text classes = {NULL, 0, 0};
    add_class(u, result, &classes);
    for (i = open + 1; i < close; i = stop + 1, count++) {
        uint32_t at = i, type, name = 0;
        const cc_name *known = cc_is_name(t, i) ? cc_find(u, i, 0) : NULL;
        int is_typedef = 0;
        stop = part_end(u, i, close);
        if (cc_is(t, i, CC_OP3('.', '.', '.'))) is_known = 0;
        if (cc_is_name(t, i) && stop == i + 1 && !(known && known->alias)) is_known = 0;
        if (!is_known) break;                                  /* f(int, ...), f(a, b) */
        type = specifiers(u, &at, stop, &is_typedef);
        if (type == VOID && at == stop) break;                 /* f(void) */
        type = declarator(u, at, stop, type, &name, depth + 1);
        if (name) u->tokens.list[name].plain = 1;
        if (count >= MOST_CLASSES) continue;
        text_add(&classes, ",");
        add_class(u, type, &classes);
    }
    row = add_row(u, classes.data, classes.size);
    text_free(&classes);
    type_made = add_type(u, FUNCTION, row);
    if (is_known) u->types.list[type_made - FIRST].params = count;
    return type_made;
}

/* Does the bracket at i hold a declarator, and no parameters? */
static int holds_declarator(cc_unit *u, uint32_t i, uint32_t end) {
    const cc_tokens *t = &u->tokens;
    const cc_name *name;
    i = behind_asides(u, i + 1, end);
    if (cc_is(t, i, '*') || cc_is(t, i, '^') || cc_is(t, i, '(') || cc_is(t, i, '[')) return 1;
    if (!cc_is_name(t, i)) return 0;
    name = cc_find(u, i, 0);
    return !(name && name->alias);
}

/* The type that the declarator i .. end makes of base, and its name, if it has
   one. */
static uint32_t declarator(cc_unit *u, uint32_t i, uint32_t end, uint32_t base, uint32_t *name,
                           uint32_t depth) {
    const cc_tokens *t = &u->tokens;
    uint32_t inner = 0;
    if (depth > DEEPEST) {
        u->types.is_lost = 1;
        return ANY;
    }
    while ((i = behind_asides(u, i, end)) < end) {
        if (cc_is(t, i, '*')) base = add_type(u, POINTER, base);
        else if (cc_is(t, i, '^')) base = ANY;
        else if (!cc_is(t, i, CC_TYPE) && !(cc_is_name(t, i) && i + 1 < end &&
                                            cc_is_name(t, i + 1))) break;
        i++;
    }
    if (i < end && cc_is_name(t, i)) {
        *name = i++;
    } else if (i < end && cc_is(t, i, '(') && holds_declarator(u, i, t->list[i].match)) {
        inner = i;
        i = t->list[i].match + 1;
    }
    while ((i = behind_asides(u, i, end)) < end) {
        if (cc_is(t, i, '[')) base = add_type(u, POINTER, base);
        else if (cc_is(t, i, '(')) base = function_type(u, i, base, depth);
        else break;
        i = t->list[i].match + 1;
    }
    if (!inner) return base;
    return declarator(u, inner + 1, t->list[inner].match, base, name, depth + 1);
}

/* ---- what a name means --------------------------------------------------------------------- */

static int same_spelling(const cc_unit *u, uint32_t a, uint32_t b) {
    const cc_token *s = &u->tokens.list[a], *t = &u->tokens.list[b];
    return a == b || (s->size == t->size &&
                      memcmp(u->tokens.text + s->at, u->tokens.text + t->at, s->size) == 0);
}

static int same_type(const cc_unit *u, uint32_t a, uint32_t b) {
    const cc_type *s, *t;
    while (is_kind(u, a, POINTER) && is_kind(u, b, POINTER)) {
        a = type_at(u, a)->what;
        b = type_at(u, b)->what;
    }
    s = type_at(u, a);
    t = type_at(u, b);
    if (!s || !t) return a == b;
    if (s->kind != t->kind) return 0;
    if (s->kind == FUNCTION) return strcmp(cc_row(u, s->what), cc_row(u, t->what)) == 0;
    return s->what && t->what && same_spelling(u, s->what, t->what);
}

static uint32_t unknown_row(cc_unit *u) { return add_row(u, "?", 1); }

/* The row of the function that an object of this type leads to; 0: it leads to
   none. */
static uint32_t row_behind(cc_unit *u, uint32_t type) {
    while (is_kind(u, type, POINTER)) type = type_at(u, type)->what;
    if (is_kind(u, type, FUNCTION)) return type_at(u, type)->what;
    return type == ANY ? unknown_row(u) : 0;
}

int cc_leads_to_function(const cc_unit *u, uint32_t type) {
    while (is_kind(u, type, POINTER)) type = type_at(u, type)->what;
    return is_kind(u, type, FUNCTION);
}

static void declare(cc_unit *u, uint32_t token, uint32_t type, int is_typedef, int is_parameter) {
    cc_name *name;
    uint32_t row = row_behind(u, type);
    if (token) u->tokens.list[token].plain = 1;
    if (!token || (!row && !is_typedef)) return;
    name = cc_find(u, token, 1);
    if (is_typedef) name->alias = !name->alias || same_type(u, name->alias, type) ? type : ANY;
    else if (is_kind(u, type, FUNCTION) && !is_parameter)
        name->function_row = join_rows(u, name->function_row, row);
    else name->object_row = join_rows(u, name->object_row, row);
}

/* One declaration, with all its declarators. */
static void read_declaration(cc_unit *u, uint32_t first, uint32_t end, int is_parameter) {
    const cc_tokens *t = &u->tokens;
    int is_typedef = 0;
    uint32_t i = first, stop, type = specifiers(u, &i, end, &is_typedef);
    for (; i < end; i = stop + 1) {
        uint32_t name = 0, one;
        stop = part_end(u, i, end);
        if (cc_is(t, i, '=')) continue;
        one = declarator(u, i, stop, type, &name, 0);
        declare(u, name, one, is_typedef, is_parameter);
    }
}

void cc_types_declare(cc_unit *u, uint32_t first, uint32_t end) {
    read_declaration(u, first, end, 0);
}

/* Also those of the old style, which are declared between the bracket and the
   body. */
void cc_types_parameters(cc_unit *u, const cc_function *f) {
    const cc_tokens *t = &u->tokens;
    uint32_t close = t->list[f->parameters].match, i, stop;
    for (i = f->parameters + 1; i < close; i = stop + 1) {
        stop = part_end(u, i, close);
        read_declaration(u, i, stop, 1);
    }
    for (i = close + 1; i < f->open; i = stop + 1) {
        for (stop = i; stop < f->open && !cc_is(t, stop, ';'); stop++) {
        }
        if (stop < f->open) read_declaration(u, i, stop, 1);
    }
}

/* Members of all structs and unions of the file, wherever they stand. */
void cc_types_members(cc_unit *u) {
    const cc_tokens *t = &u->tokens;
    uint32_t i, at, close, stop;
    for (i = 0; i < t->count; i++) {
        if (!cc_is(t, i, CC_STRUCT)) continue;
        at = behind_asides(u, i + 1, t->count);
        if (at < t->count && cc_is_name(t, at)) at++;
        at = behind_asides(u, at, t->count);
        if (at >= t->count || !cc_is(t, at, '{')) continue;
        close = t->list[at].match;
        for (at++; at < close; at = stop + 1) {
            for (stop = at; stop < close && !cc_is(t, stop, ';');) {
                stop = t->list[stop].match > stop ? t->list[stop].match + 1 : stop + 1;
            }
            read_declaration(u, at, stop, 0);
        }
    }
}

/* ---- the type of a call -------------------------------------------------------------------- */

/* Are tokens first .. last one chain of names, members, indices and * behind at
   most one cast, so that what it leads to is of the type of the cast or of the
   last name? */
static int is_chain(const cc_unit *u, uint32_t first, uint32_t last) {
    const cc_tokens *t = &u->tokens;
    uint32_t i;
    for (i = first; i <= last; i = t->list[i].match > i ? t->list[i].match + 1 : i + 1) {
        uint32_t word = t->list[i].word;
        if (!cc_is_name(t, i) && word != '*' && word != '&' && word != '.' && word != '(' &&
            word != '[' && word != CC_OP2('-', '>')) return 0;
        if (word == '(' && i > first) {
            uint32_t close = t->list[i].match;
            if (cc_is_name(t, i - 1) || cc_is(t, i - 1, ']') || cc_is(t, i - 1, ')')) return 0;
            if (close < last && !cc_is(t, close + 1, '.') && !cc_is(t, close + 1, '[') &&
                !cc_is(t, close + 1, CC_OP2('-', '>'))) return 0;
        }
    }
    return 1;
}

/* The type of a cast, whose bracket opens at `open`. */
static uint32_t type_of_cast(cc_unit *u, uint32_t open) {
    uint32_t close = u->tokens.list[open].match, i = open + 1, name = 0, type;
    int is_typedef = 0;
    type = specifiers(u, &i, close, &is_typedef);
    return declarator(u, i, close, type, &name, 0);
}

int cc_types_cast(cc_unit *u, uint32_t open, uint32_t name) {
    cc_types *t = &u->types;
    uint32_t type;
    if (!cc_begins_type(u, open + 1)) return -1;
    type = type_of_cast(u, open);
    if (is_kind(u, type, POINTER)) type = type_at(u, type)->what;
    if (!is_kind(u, type, FUNCTION)) return -1;
    TOOL_ROOM(cc_cast, t->casts, t->cast_count, t->cast_room);
    t->casts[t->cast_count].name = name;
    t->casts[t->cast_count].row = type_at(u, type)->what;
    t->casts[t->cast_count++].params = type_at(u, type)->params;
    return 0;
}

static uint32_t row_of(cc_unit *u, uint32_t first, uint32_t last, uint32_t depth);

/* What the bracket first .. last holds is called. */
static uint32_t row_in_bracket(cc_unit *u, uint32_t open, uint32_t depth) {
    const cc_tokens *t = &u->tokens;
    uint32_t first = open + 1, last = t->list[open].match - 1;
    while (first < last && cc_is(t, first, '*')) first++;
    if (first >= last) return row_of(u, first, last, depth);
    if (!is_chain(u, first, last)) return 0;
    if (cc_is(t, first, '(') && t->list[first].match < last) {
        uint32_t behind = t->list[first].match + 1;
        if (cc_begins_type(u, first + 1)) return row_behind(u, type_of_cast(u, first));
        if (cc_is_name(t, behind) || cc_is(t, behind, '(') || cc_is(t, behind, '*') ||
            cc_is(t, behind, '&')) return 0;
    }
    return row_of(u, first, last, depth);
}

/* The row of the expression that ends with token last; 0: not known. */
static uint32_t row_of(cc_unit *u, uint32_t first, uint32_t last, uint32_t depth) {
    const cc_tokens *t = &u->tokens;
    const cc_name *name;
    while (last > first && cc_is(t, last, ']')) last = t->list[last].match - 1;
    if (last < first || depth > DEEPEST) return 0;
    if (cc_is(t, last, ')')) {
        uint32_t open = t->list[last].match;
        if (open > first && (t->list[open - 1].kind == CC_NAME || cc_is(t, open - 1, ')') ||
                             cc_is(t, open - 1, ']')) &&
            !cc_is(t, open - 1, CC_RETURN)) return 0;         /* f(x)(y) */
        return row_in_bracket(u, open, depth + 1);
    }
    if (!cc_is_name(t, last)) return 0;
    name = cc_find(u, last, 0);
    return name ? name->object_row : 0;
}

uint32_t cc_call_row(cc_unit *u, const cc_function *f, const cc_node *call) {
    if (u->types.is_lost) return 0;
    if (cc_is(&u->tokens, call->first, '(')) return row_of(u, f->open, call->first - 1, 0);
    return row_of(u, call->first, call->first, 0);
}

void cc_types_free(cc_unit *u) {
    free(u->types.list);
    free(u->types.casts);
    text_free(&u->types.rows);
}
