/* unit.c - a file's declarations, names and functions.

   At file level a chunk runs from behind a ';' or a body to the next one. A '{'
   opens a function's body if its chunk holds a bracket that is not that of an
   attribute, has no '=', and the '{' does not belong to a struct or an enum. In
   the old style of parameters, `int f(a) int a; {`, the bracket stands in an
   earlier chunk. */
#include "cc/read/tree.h"
#include "base/hash.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

uint32_t cc_new(cc_unit *u, cc_node_kind kind, uint32_t first, uint32_t last) {
    cc_node *node;
    TOOL_ROOM(cc_node, u->nodes, u->node_count, u->node_room);
    node = &u->nodes[u->node_count];
    memset(node, 0, sizeof *node);
    node->kind = (uint8_t)kind;
    node->first = first;
    node->last = last;
    return u->node_count++;
}

void cc_give_up(cc_unit *u, uint32_t token, const char *reason) {
    if (u->reason) return;
    u->reason = reason;
    u->reason_token = token;
}

void cc_skip(cc_unit *u, uint32_t first, uint32_t last) {
    uint32_t i;
    for (i = first; i <= last && i < u->tokens.count; i++) u->tokens.list[i].skipped = 1;
}

/* ---- names ---- */

static uint64_t hash_token(const cc_unit *u, uint64_t hash, uint32_t token) {
    const cc_token *t = &u->tokens.list[token];
    return hash_fnv(u->tokens.text + t->at, t->size, hash);
}

static int same(const cc_unit *u, uint32_t a, uint32_t b) {
    const cc_token *s = &u->tokens.list[a], *t = &u->tokens.list[b];
    return s->size == t->size &&
           memcmp(u->tokens.text + s->at, u->tokens.text + t->at, s->size) == 0;
}

static cc_name *name_place(cc_unit *u, uint32_t token) {
    uint32_t i = (uint32_t)hash_token(u, 0, token) & (u->name_room - 1);
    while (u->names[i].token && !same(u, u->names[i].token - 1, token)) {
        i = (i + 1) & (u->name_room - 1);
    }
    return &u->names[i];
}

static void grow_names(cc_unit *u) {
    cc_name *old = u->names;
    uint32_t room = u->name_room, i;
    u->name_room = room ? room * 2 : 4096;
    u->names = (cc_name *)tool_alloc(u->name_room * sizeof *u->names);
    memset(u->names, 0, u->name_room * sizeof *u->names);
    for (i = 0; i < room; i++) {
        if (old[i].token) *name_place(u, old[i].token - 1) = old[i];
    }
    free(old);
}

/* token + 1 is stored, so that 0 is a free place. */
cc_name *cc_find(cc_unit *u, uint32_t token, int make) {
    cc_name *place;
    if (u->name_count * 2 >= u->name_room) grow_names(u);
    place = name_place(u, token);
    if (place->token) return place;
    if (!make) return NULL;
    place->token = token + 1;
    u->name_count++;
    return place;
}

cc_meaning cc_meaning_of(cc_unit *u, uint32_t token) {
    const cc_name *name = cc_find(u, token, 0);
    if (name && u->current && name->local == u->current) return CC_VARIABLE;
    return name ? (cc_meaning)name->meaning : CC_UNKNOWN;
}

/* ---- types and attributes ---- */

uint32_t cc_behind_attributes(cc_unit *u, uint32_t i, uint32_t end) {
    const cc_tokens *t = &u->tokens;
    while (i < end && t->list[i].kind == CC_NAME) {
        uint32_t word = t->list[i].word, first = i;
        if (word != CC_ATTRIBUTE && word != CC_ASM && word != CC_DECLSPEC && word != CC_ALIGNAS) {
            break;
        }
        for (i++; i < end && t->list[i].kind == CC_NAME && !cc_is(t, i, CC_ATTRIBUTE); i++) {
        }
        if (i >= end || !cc_is(t, i, '(')) return first + 1;
        i = t->list[i].match + 1;
        cc_skip(u, first, i - 1);
    }
    return i;
}

int cc_begins_type(cc_unit *u, uint32_t i) {
    const cc_tokens *t = &u->tokens;
    while (cc_is(t, i, CC_EXTENSION)) i++;
    if (cc_is(t, i, CC_ATTRIBUTE) && cc_is(t, i + 1, '(')) i = t->list[i + 1].match + 1;
    switch (t->list[i].word) {
    case CC_STRUCT: case CC_ENUM: case CC_TYPE: case CC_TYPEOF: case CC_AUTO_TYPE:
        return 1;
    default:
        return cc_is_name(t, i) && cc_meaning_of(u, i) == CC_TYPE_NAME;
    }
}

/* ---- functions ---- */

typedef struct chunk {
    uint32_t first;           /* token */
    uint32_t group;           /* the '(' of the parameters; 0: none */
    uint32_t name;
    int has_equals;
} chunk;

/* The name before the parameters in first .. end, and the '(' of these: f(..),
   (f)(..) or (*f(..))(..). Returns 0 if no function is declared there. */
static uint32_t function_name(cc_unit *u, uint32_t first, uint32_t end, uint32_t *group) {
    const cc_tokens *t = &u->tokens;
    uint32_t i = first;
    while (i < end) {
        uint32_t behind = cc_behind_attributes(u, i, end), close, name;
        if (behind > i) {
            i = behind;
            continue;
        }
        if (cc_is(t, i, CC_TYPEOF) && cc_is(t, i + 1, '(')) {
            i = t->list[i + 1].match + 1;
            continue;
        }
        if (cc_is(t, i, '[') || cc_is(t, i, '{')) {
            i = t->list[i].match + 1;
            continue;
        }
        if (!cc_is(t, i, '(')) {
            i++;
            continue;
        }
        close = t->list[i].match;
        if (close + 1 < end && cc_is(t, close + 1, '(')) {
            uint32_t inner = cc_behind_attributes(u, i + 1, close);
            if (cc_is_name(t, inner) && inner + 1 == close) {
                *group = close + 1;
                return inner;                          /* (f)(..) */
            }
            if (cc_is(t, inner, '(')) {                /* ((f))(..) */
                name = function_name(u, inner, close + 2, group);
                *group = close + 1;
                return name;
            }
            return function_name(u, i + 1, close, group);
        }
        if (i > first && cc_is_name(t, i - 1)) {
            *group = i;
            return i - 1;
        }
        if (close + 1 < end && cc_is(t, close + 1, '[')) {
            return function_name(u, i + 1, close, group);
        }
        i = close + 1;
    }
    return 0;
}

static int spelled_between(const cc_unit *u, uint32_t first, uint32_t end, const char *word) {
    uint32_t i;
    for (i = first; i < end; i++) {
        if (cc_spells(&u->tokens, i, word)) return 1;
    }
    return 0;
}

/* The names of parameters hide functions; so do those that an old-style list
   declares. */
static void read_parameters(cc_unit *u, cc_function *f) {
    const cc_tokens *t = &u->tokens;
    uint32_t close = t->list[f->parameters].match, i = f->parameters + 1, name = 0;
    f->variadic = close == i || close + 1 != f->open;
    while (i <= close) {
        if (cc_is(t, i, ',') || i == close) {
            if (name) cc_find(u, name, 1)->local = u->current;
            f->parameter_count += name != 0 || i > f->parameters + 1;
            name = 0;
        } else if (cc_is(t, i, CC_OP3('.', '.', '.'))) {
            f->variadic = 1;
        } else if (cc_is_name(t, i)) {
            name = i;
        } else if (cc_is(t, i, '(') && t->list[i].match < close) {
            uint32_t k;
            int of_pointer = cc_is(t, i - 1, ')');            /* (*name)(its parameters) */
            for (k = i + 1; !of_pointer && k < t->list[i].match && !cc_is(t, k, '('); k++) {
                if (cc_is_name(t, k)) name = k;
            }
            i = t->list[i].match;
        } else if (cc_is(t, i, '[')) {
            i = t->list[i].match;
        }
        i++;
    }
    if (f->parameter_count == 1 && close == f->parameters + 2 &&
        cc_spells(t, f->parameters + 1, "void")) {
        f->parameter_count = 0;
    }
    /* Attributes may follow the parameters: then the body does not follow
       at once. */
    if (close != f->parameters + 1 && cc_behind_attributes(u, close + 1, f->open) == f->open) {
        f->variadic = 0;
        for (i = f->parameters + 1; i < close; i++) {
            if (t->list[i].match > i) i = t->list[i].match;    /* parameters of a parameter */
            if (cc_is(t, i, CC_OP3('.', '.', '.'))) f->variadic = 1;
        }
    }
}

static uint64_t hash_of(const cc_unit *u, uint32_t first, uint32_t last) {
    uint64_t hash = 0;
    uint32_t i;
    for (i = first; i <= last; i++) hash = hash_fnv(" ", 1, hash_token(u, hash, i));
    return hash;
}

static void parse_body(cc_unit *u, cc_function *f) {
    uint32_t root;
    u->reason = NULL;
    u->depth = 0;
    cc_refuse_bounds(u, f->parameters, f->open);
    root = cc_block(u, f->open);
    f = &u->functions[u->current - 1];
    f->root = root;
    if (!u->reason) cc_census(u, f);
    f->reason = u->reason;
    if (u->reason) f->reason_line = u->tokens.list[u->reason_token].line;
    u->reason = NULL;
}

static void add_function(cc_unit *u, const chunk *c, uint32_t open) {
    cc_tokens *t = &u->tokens;
    cc_function *f;
    cc_name *name;
    TOOL_ROOM(cc_function, u->functions, u->function_count, u->function_room);
    f = &u->functions[u->function_count++];
    memset(f, 0, sizeof *f);
    u->current = u->function_count;
    f->start = c->first;
    f->name = c->name;
    f->parameters = c->group;
    f->open = open;
    f->close = t->list[open].match;
    f->in_system = (uint8_t)t->files[t->list[open].file].in_system;
    f->hash = hash_of(u, f->start, f->close);
    t->list[c->name].plain = 1;
    name = cc_find(u, c->name, 1);
    f->flags = name->flags;
    name->function = u->current;
    f->gnu_inline = spelled_between(u, f->start, f->parameters, "gnu_inline") ||
                    spelled_between(u, f->start, f->parameters, "__gnu_inline__");
    f->naked = spelled_between(u, f->start, f->open, "naked") ||
               spelled_between(u, f->start, f->open, "__naked__");
    read_parameters(u, f);
    cc_types_parameters(u, f);
    if (!f->in_system) parse_body(u, f);
    u->current = 0;
}

/* ---- chunks ---- */

/* The '{' at i belongs to the struct, union or enum whose keyword stands before
   it. */
static int is_struct_body(const cc_unit *u, uint32_t i, uint32_t first) {
    const cc_tokens *t = &u->tokens;
    while (i > first) {
        i--;
        if (cc_is(t, i, CC_STRUCT) || cc_is(t, i, CC_ENUM)) return 1;
        if (cc_is(t, i, ')')) {
            uint32_t open = t->list[i].match;
            if (open <= first) return 0;
            i = open;
            if (!cc_is(t, i - 1, CC_ATTRIBUTE) && !cc_is(t, i - 1, CC_DECLSPEC) &&
                !cc_is(t, i - 1, CC_ALIGNAS)) {
                return 0;
            }
            i--;
            continue;
        }
        if (t->list[i].kind != CC_NAME) return 0;
        if (!cc_is_name(t, i) && !cc_is(t, i, CC_TYPE)) return 0;
    }
    return 0;
}

static void end_chunk(cc_unit *u, chunk *c, uint32_t end) {
    if (end > c->first) cc_declaration(u, c->first, end, 0);
}

/* The function whose body opens at `open`: in this chunk, or in an earlier one
   of which only declarations of its parameters lie between. */
static int find_head(cc_unit *u, chunk *c, const chunk *before, uint32_t open) {
    c->name = function_name(u, c->first, open, &c->group);
    if (c->name) return 1;
    if (open == c->first && before->name && !before->has_equals) {
        *c = *before;
        return 1;
    }
    return 0;
}

/* Open brackets around a token, and whether their content is behind a cast:
   (T)(x ? f : g). */
typedef struct around {
    uint8_t *converted;
    size_t depth, room;
} around;

static void follow_brackets(const cc_unit *u, around *a, uint32_t i) {
    const cc_tokens *t = &u->tokens;
    if (cc_is(t, i, '(') || cc_is(t, i, '[') || cc_is(t, i, '{')) {
        int inherited = a->depth && a->converted[a->depth - 1];
        if (a->depth == a->room) {
            a->room = a->room ? 2 * a->room : 64;
            a->converted = (uint8_t *)tool_grow(a->converted, a->room);
        }
        a->converted[a->depth++] = (uint8_t)(cc_is(t, i, '(') &&
                                             (inherited || (i > 0 && cc_is(t, i - 1, ')'))));
    } else if ((cc_is(t, i, ')') || cc_is(t, i, ']') || cc_is(t, i, '}')) && a->depth) {
        a->depth--;
    }
}

/* Does a cast to we do not know what change the type of the function at token
   i? (T)f, (T)&f, or in a bracket behind one. A cast to another type of
   function is noted. */
static int is_converted(cc_unit *u, const around *a, uint32_t i) {
    uint32_t name = i;
    if (a->depth && a->converted[a->depth - 1]) return 1;
    while (i > 0 && (cc_is(&u->tokens, i - 1, '&') || cc_is(&u->tokens, i - 1, '*'))) i--;
    if (i == 0 || !cc_is(&u->tokens, i - 1, ')')) return 0;
    i = u->tokens.list[i - 1].match;
    if (i > 0 && cc_is(&u->tokens, i - 1, ')')) return 1;                   /* (T)(U)f */
    return cc_types_cast(u, i, name) != 0;
}

enum { MOST_STEPS = 100000000 };                /* then it is believed */

/* Is the variable whose name is token i a pointer to a function? Its
   declaration in the function decides, if there is one; else what is known of
   all objects of that name. */
static int is_function_pointer(cc_unit *u, const cc_function *f, uint32_t i, size_t *steps) {
    const cc_tokens *t = &u->tokens;
    const cc_name *name = cc_find(u, i, 0), *type;
    uint32_t k, found = 0;
    if (!name || !name->object_row) return 0;
    for (k = f->parameters; k < f->close; k++) {
        if (++*steps > MOST_STEPS) return 1;
        if (!t->list[k].plain || !same(u, k, i)) continue;
        if (cc_is(t, k - 1, '*') && cc_is(t, k + 1, ')') && cc_is(t, k + 2, '(')) return 1;
        type = cc_is_name(t, k - 1) ? cc_find(u, k - 1, 0) : NULL;
        if (type && cc_leads_to_function(u, type->alias)) return 1;
        found = 1;
    }
    return !found && strcmp(cc_row(u, name->object_row), "?") != 0;
}

/* A pointer to a function that is copied as bytes, memcpy(q, &p, sizeof p), may
   be called by any type. */
static int copies_pointers(cc_unit *u) {
    static const char *const copies[] = {"memcpy", "memmove", "mempcpy", "bcopy",
                                         "__builtin_memcpy", "__builtin_memmove"};
    const cc_tokens *t = &u->tokens;
    uint32_t f, i, at;
    size_t k, steps = 0;
    for (f = 0; f < u->function_count; f++) {
        const cc_function *one = &u->functions[f];
        for (i = one->open; i < one->close && !one->in_system; i++) {
            if (!cc_is_name(t, i) || !cc_is(t, i + 1, '(')) continue;
            for (k = 0; k < sizeof copies / sizeof *copies && !cc_spells(t, i, copies[k]); k++) {
            }
            if (k == sizeof copies / sizeof *copies) continue;
            for (at = i + 2; at < t->list[i + 1].match; at++) {
                if (cc_is(t, at, '&') && cc_is_name(t, at + 1) &&
                    is_function_pointer(u, one, at + 1, &steps)) return 1;
            }
        }
    }
    return 0;
}

static void convert_all(cc_unit *u) {
    uint32_t i;
    for (i = 0; i < u->name_room; i++) {
        if (u->names[i].taken) u->names[i].taken |= CC_CONVERTED;
    }
}

/* Taken: a function's name that is not plain, which is to say neither declared
   where it stands nor called directly there (expression.c). Where no body was
   parsed, a name in front of a bracket is believed to be called; behind a '.'
   it is a member, behind `struct` a tag. */
static void find_taken(cc_unit *u) {
    const cc_tokens *t = &u->tokens;
    around a = {NULL, 0, 0};
    uint32_t i, f = 0;
    for (i = 0; i < t->count; i++) {
        cc_name *name;
        int is_parsed;
        if (cc_is(t, i, CC_ATTRIBUTE) && cc_is(t, i + 1, '(')) {
            i = t->list[i + 1].match;
            continue;
        }
        follow_brackets(u, &a, i);
        if (!cc_is_name(t, i) || t->list[i].plain) continue;
        if (i > 0 && (cc_is(t, i - 1, '.') || cc_is(t, i - 1, CC_OP2('-', '>')) ||
                      cc_is(t, i - 1, CC_STRUCT) || cc_is(t, i - 1, CC_ENUM))) continue;
        while (f < u->function_count && u->functions[f].close < i) f++;
        is_parsed = f < u->function_count && u->functions[f].open < i &&
                    !u->functions[f].in_system && !u->functions[f].reason;
        if (!is_parsed && cc_is(t, i + 1, '(')) continue;
        name = cc_find(u, i, 0);
        if (!name || name->meaning != CC_FUNCTION) continue;
        name->taken |= (uint8_t)(is_converted(u, &a, i) ? CC_TAKEN | CC_CONVERTED : CC_TAKEN);
    }
    free(a.converted);
    if (copies_pointers(u)) convert_all(u);
}

/* ---- symbols that no expression names ---- */

static int is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '$' || (unsigned char)c >= 128;
}

/* A word is kept for the record, since another file may define it, and if it is
   a function here it may be called by whatever. */
static void take_word(cc_unit *u, const char *word, size_t size) {
    uint32_t at = (uint32_t)hash_fnv(word, size, 0) & (u->name_room - 1);
    text_bytes(&u->symbols, word, size);
    text_bytes(&u->symbols, "", 1);
    for (; u->names[at].token; at = (at + 1) & (u->name_room - 1)) {
        const cc_token *other = &u->tokens.list[u->names[at].token - 1];
        if (other->size != size || memcmp(u->tokens.text + other->at, word, size) != 0) continue;
        if (u->names[at].meaning == CC_FUNCTION) u->names[at].taken = CC_TAKEN | CC_CONVERTED;
        return;
    }
}

/* What strings among first .. last say: neighbours are one string, an escape
   ends a word. */
static void add_strings(const cc_unit *u, uint32_t first, uint32_t last, text *out) {
    const cc_tokens *t = &u->tokens;
    uint32_t i, k;
    for (i = first; i < last; i++) {
        const char *s = t->text + t->list[i].at;
        if (t->list[i].kind != CC_STRING) {
            text_add(out, " ");
            continue;
        }
        for (k = 0; s[k] != '"'; k++) {
        }
        for (k++; k + 1 < t->list[i].size; k++) {
            text_bytes(out, s[k] == '\\' ? " " : s + k, 1);
            if (s[k] == '\\') k++;
        }
    }
}

static void take_from_strings(cc_unit *u, uint32_t first, uint32_t last) {
    text said = {NULL, 0, 0};
    size_t k, from;
    add_strings(u, first, last, &said);
    for (k = 0; k < said.size; k = from + 1) {
        for (from = k; from < said.size && is_word(said.data[from]); from++) {
        }
        if (from > k && !(said.data[k] >= '0' && said.data[k] <= '9'))
            take_word(u, said.data + k, from - k);
    }
    text_free(&said);
}

static int is_one_of(const char *word, size_t size, const char *const *list, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) {
        if (strlen(list[i]) == size && memcmp(word, list[i], size) == 0) return 1;
    }
    return 0;
}

/* Is it an instruction that goes elsewhere, on a machine that gcc knows? On
   most a branch is a short word with b in front (beq, bl, cbnz); what is no
   branch of these is listed. */
static int is_jump(const char *word, size_t size) {
    static const char *const jumps[] = {"call", "calll", "callq", "loop", "loope", "loopne", "ret",
                                        "retq", "xbegin", "rcall", "jalr", "bctrl"};
    static const char *const others[] = {
        "bswap", "bsf",  "bsfl", "bsfq", "bsr", "bsrl", "bsrq", "bt",    "btl", "btq",
        "btc",   "btr",  "bts",  "btsl", "btsq", "btrl", "bic",  "bics",  "bfi", "bfc",
        "bfm",   "bfxil", "bit", "byte", "blsr", "blsi", "bextr", "bzhi"};
    if (is_one_of(word, size, jumps, sizeof jumps / sizeof *jumps)) return 1;
    if (size == 0 || size > 5 || is_one_of(word, size, others, sizeof others / sizeof *others))
        return 0;
    return *word == 'j' || *word == 'b' ||
           (size > 2 && (memcmp(word, "cb", 2) == 0 || memcmp(word, "tb", 2) == 0));
}

int cc_assembly_jumps(const cc_unit *u, uint32_t first, uint32_t last) {
    text said = {NULL, 0, 0};
    uint32_t stop = first;
    size_t k, from;
    int found = 0;
    while (stop < last && !cc_is(&u->tokens, stop, ':')) stop++;    /* operands follow it */
    add_strings(u, first, stop, &said);
    for (k = 0; k < said.size && !found; k = from + 1) {
        for (from = k; from < said.size && is_word(said.data[from]); from++) {
        }
        found = is_jump(said.data + k, from - k);
    }
    text_free(&said);
    return found;
}

static void find_taken_in_strings(cc_unit *u) {
    static const char *const renaming[] = {"alias", "__alias__", "ifunc", "__ifunc__", "weakref",
                                           "__weakref__", "cleanup", "__cleanup__"};
    const cc_tokens *t = &u->tokens;
    uint32_t i, k;
    size_t n;
    for (i = 0; i < t->count; i++) {
        if (cc_is(t, i, CC_ASM)) {
            for (k = i + 1; k < t->count && t->list[k].kind == CC_NAME; k++) {
            }
            if (!cc_is(t, k, '(') || t->files[t->list[i].file].in_system) continue;
            take_from_strings(u, k, t->list[k].match);
            continue;
        }
        for (n = 0; n < sizeof renaming / sizeof *renaming; n++) {
            if (!cc_spells(t, i, renaming[n]) || !cc_is(t, i + 1, '(')) continue;
            take_from_strings(u, i + 2, t->list[i + 1].match);
            for (k = i + 2; k < t->list[i + 1].match; k++) {
                cc_name *name = cc_is_name(t, k) ? cc_find(u, k, 0) : NULL;
                if (name && name->meaning == CC_FUNCTION) name->taken = CC_TAKEN | CC_CONVERTED;
            }
        }
    }
    for (i = 0; i < t->renamed_count; i++)
        take_word(u, t->text + t->renamed[i].at, t->renamed[i].size);
}

/* Flags may stand in a declaration behind the definition. */
static void settle_flags(cc_unit *u) {
    uint32_t i;
    for (i = 0; i < u->function_count; i++) {
        cc_function *f = &u->functions[i];
        f->flags = (uint16_t)(f->flags | cc_find(u, f->name, 1)->flags);
    }
}

static void parse_file(cc_unit *u) {
    const cc_tokens *t = &u->tokens;
    chunk c = {0, 0, 0, 0}, before = {0, 0, 0, 0};
    uint32_t i = 0;
    while (i < t->count) {
        uint32_t word = t->list[i].word;
        if (word == ';') {
            chunk ended = c;
            end_chunk(u, &c, i);
            ended.name = function_name(u, ended.first, i, &ended.group);
            if (ended.name && ended.name > ended.first) before = ended;
            else if (ended.name) before = ended;       /* f(a) int a; { */
            c.first = ++i;
            c.has_equals = 0;
            continue;
        }
        if (word == '=') c.has_equals = 1;
        if (word == '{' && !c.has_equals && !is_struct_body(u, i, c.first) &&
            find_head(u, &c, &before, i)) {
            uint32_t close = t->list[i].match;
            if (c.group + 1 < i && i > c.first) cc_declaration(u, c.first, i, 0);
            add_function(u, &c, i);
            memset(&before, 0, sizeof before);
            i = c.first = close + 1;
            c.has_equals = 0;
            continue;
        }
        i = t->list[i].match > i ? t->list[i].match + 1 : i + 1;
    }
}

int cc_parse(cc_unit *u, const char *source, size_t size) {
    memset(u, 0, sizeof *u);
    if (cc_tokenize(&u->tokens, source, size) != 0) return -1;
    grow_names(u);
    cc_new(u, CC_NONE, 0, 0);
    parse_file(u);
    cc_types_members(u);
    find_taken(u);
    find_taken_in_strings(u);
    settle_flags(u);
    return 0;
}

void cc_unit_free(cc_unit *u) {
    cc_tokens_free(&u->tokens);
    free(u->nodes);
    free(u->functions);
    free(u->names);
    text_free(&u->symbols);
    cc_types_free(u);
    memset(u, 0, sizeof *u);
}
