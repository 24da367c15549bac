/* records.c - the call graph as an object carries it: docs/formats.md describes
   the lines. */
#include "cc/read/graph.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

static void add_name(const cc_unit *u, uint32_t token, text *out) {
    cc_spell(&u->tokens, token, out);
}

void cc_graph_file(text *out, const char *file) {
    for (; *file; file++) {
        unsigned char c = (unsigned char)*file;
        if (c <= 32 || c >= 127 || c == '%' || c == '"' || c == '\\') {
            text_format(out, "%%%02X", c);
        } else {
            text_bytes(out, file, 1);
        }
    }
}

static const char *linkage_of(const cc_function *f) {
    if (f->flags & CC_IS_STATIC) return "s";
    if (f->flags & CC_IS_INLINE || f->gnu_inline) return "i";
    return f->flags & CC_IS_WEAK ? "w" : "g";
}

static void add_flags(const cc_function *f, const cc_flow *flow, text *out) {
    size_t before = out->size;
    if (f->flags & CC_IS_SPECIAL) text_add(out, "k");
    if (f->flags & CC_IS_USED) text_add(out, "u");
    if (f->flags & CC_IS_HIDDEN) text_add(out, "h");
    if (f->flags & CC_IS_NORETURN) text_add(out, "r");
    if (flow->checked) text_add(out, "c");
    if (f->reason) text_add(out, "n");
    if (out->size == before) text_add(out, "-");
}

/* At -O2 an operator and a statement that jumps are about an instruction each;
   brackets, commas, names and types are none. */
static uint32_t instructions(const cc_unit *u, uint32_t first, uint32_t last) {
    const cc_tokens *t = &u->tokens;
    uint32_t i, count = 1;
    for (i = first; i <= last && i < t->count; i++) {
        uint32_t word = t->list[i].word;
        if (!word || (word < CC_KEYWORDS && word < 256 && strchr("(){}],;:.", (int)word))) continue;
        if (word > CC_KEYWORDS && !(word >= CC_IF && word <= CC_RETURN)) continue;
        count++;
    }
    return count;
}

/* A loop by goto may reach to the end of its function. */
static void add_loop(const cc_unit *u, const cc_function *f, const cc_loop *loop, text *out) {
    const cc_node *n = &u->nodes[loop->node];
    uint32_t last = loop->kind == 'g' ? f->close : n->last;
    char kind[2] = {loop->kind, 0};
    text_add(out, "L ");
    text_add(out, kind);
    text_add(out, " ");
    text_number(out, loop->line);
    text_add(out, " ");
    if (loop->parent == CC_NOBODY) text_add(out, "-");
    else text_number(out, loop->parent);
    text_add(out, " ");
    text_number(out, loop->events);
    text_add(out, " ");
    text_number(out, loop->bound);
    text_add(out, loop->checked ? " c " : " - ");
    text_number(out, instructions(u, n->first, last));
    text_add(out, "\n");
}

static void add_function(cc_unit *u, const cc_function *f, const cc_flow *flow, text *out) {
    const cc_token *name = &u->tokens.list[f->name];
    uint32_t i, row = cc_find(u, f->name, 1)->function_row;
    text_add(out, "F ");
    add_name(u, f->name, out);
    text_add(out, " ");
    text_add(out, linkage_of(f));
    text_add(out, " ");
    text_number(out, name->line);
    text_format(out, " %08lx%08lx ", (unsigned long)(f->hash >> 32),
                (unsigned long)(f->hash & 0xFFFFFFFF));
    add_flags(f, flow, out);
    if (f->variadic) text_add(out, " *");
    else text_format(out, " %lu", (unsigned long)f->parameter_count);
    if (row && !u->types.is_lost) {
        text_add(out, "<");
        text_add(out, cc_row(u, row));
        text_add(out, ">");
    }
    text_add(out, " ");
    cc_graph_file(out, u->tokens.files[name->file].name);
    text_add(out, " ");
    text_number(out, instructions(u, f->open, f->close));
    text_add(out, "\n");
    for (i = 0; i < flow->callee_count; i++) {
        text_add(out, "C ");
        if (flow->callees[i].is_assembly) text_add(out, "(assembly)");
        else add_name(u, flow->callees[i].name, out);
        text_add(out, flow->callees[i].with_pointer ? " p\n" : " -\n");
    }
    for (i = 0; i < flow->loop_count; i++) add_loop(u, f, &flow->loops[i], out);
    if (f->reason) {
        text_add(out, "N ");
        text_add(out, f->reason);
    } else {
        text_add(out, "B ");
        text_bytes(out, flow->skeleton.data ? flow->skeleton.data : "", flow->skeleton.size);
        if (!flow->skeleton.size) text_add(out, "-");
    }
    text_add(out, "\n");
}

static void add_params(uint32_t count, const char *row, text *out) {
    if (count == CC_ANY_PARAMS) text_add(out, "*");
    else text_number(out, count);
    text_add(out, "<");
    text_add(out, row);
    text_add(out, ">");
}

static void add_cast(const cc_unit *u, const cc_cast *cast, text *out) {
    text_add(out, "A ");
    add_name(u, cast->name, out);
    text_add(out, " ");
    add_params(cast->params, cc_row(u, cast->row), out);
    text_add(out, "\n");
}

/* Each word once. */
static void add_symbols(const cc_unit *u, text *out) {
    const char **words, *at = u->symbols.data, *end = at + u->symbols.size;
    size_t count = 0, i;
    if (!u->symbols.size) return;
    words = (const char **)tool_alloc(u->symbols.size * sizeof *words);
    for (; at < end; at += strlen(at) + 1) words[count++] = at;
    qsort(words, count, sizeof *words, tool_by_string);
    for (i = 0; i < count; i++) {
        if (i && strcmp(words[i], words[i - 1]) == 0) continue;
        text_add(out, "A ");
        text_add(out, words[i]);
        text_add(out, " s\n");
    }
    free((void *)words);
}

void cc_graph_write(cc_unit *u, const cc_flow *flows, const char *file, uint64_t command,
                    uint64_t plan, text *out) {
    uint32_t i;
    text_format(out, "U 2 %08lx%08lx ", (unsigned long)(command >> 32),
                (unsigned long)(command & 0xFFFFFFFF));
    text_format(out, "%08lx%08lx ", (unsigned long)(plan >> 32),
                (unsigned long)(plan & 0xFFFFFFFF));
    cc_graph_file(out, file);
    text_add(out, "\n");
    for (i = 0; i < u->function_count; i++) {
        if (!u->functions[i].in_system) add_function(u, &u->functions[i], &flows[i], out);
    }
    for (i = 0; i < u->name_room; i++) {
        if (!u->names[i].token || !u->names[i].taken) continue;
        text_add(out, "A ");
        add_name(u, u->names[i].token - 1, out);
        text_add(out, u->names[i].taken & CC_CONVERTED ? " c\n" : "\n");
    }
    for (i = 0; i < u->types.cast_count; i++) add_cast(u, &u->types.casts[i], out);
    add_symbols(u, out);
}

/* Lines of a few kilobytes: some assemblers read a whole statement into a
   buffer. */
void cc_graph_as_asm(const text *records, text *out) {
    size_t i = 0, stop;
    text_add(out, "__asm__(\".pushsection .bursty.cg,\\\"\\\",%progbits\\n\"\n");
    while (i < records->size) {
        for (stop = i; stop < records->size && records->data[stop] != '\n' && stop - i < 2000;) {
            stop++;
        }
        text_add(out, "\".ascii \\\"");
        text_bytes(out, records->data + i, stop - i);
        if (stop < records->size && records->data[stop] == '\n') {
            text_add(out, "\\\\n");
            stop++;
        }
        text_add(out, "\\\"\\n\"\n");
        i = stop;
    }
    text_add(out, "\".popsection\");\n");
}
