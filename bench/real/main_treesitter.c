/* main_treesitter.c - what an editor does: parses the first argv[2] bytes of
   the JavaScript file argv[1], walks the tree, asks a query for all functions,
   then argv[3] times types a letter somewhere and parses again from the old
   tree. Prints how many nodes of what kind there were. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tree_sitter/api.h"

const TSLanguage *tree_sitter_javascript(void);

enum { KINDS = 1024 };
static const char question[] =
    "[(function_declaration name: (identifier) @name)"
    " (call_expression function: (member_expression property: (property_identifier) @called))]";

static char *read_start(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *text = malloc(*size + 1);
    if (!file || !text) return NULL;
    *size = fread(text, 1, *size, file);
    fclose(file);
    return text;
}

/* Counts nodes by kind and adds up where they stand; returns the sum. */
static unsigned walk(TSTree *tree, unsigned *counts) {
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
    unsigned sum = 0;
    for (;;) {
        TSNode node = ts_tree_cursor_current_node(&cursor);
        counts[ts_node_symbol(node) % KINDS]++;
        sum = sum * 31 + ts_node_start_byte(node);
        if (ts_tree_cursor_goto_first_child(&cursor)) continue;
        while (!ts_tree_cursor_goto_next_sibling(&cursor))
            if (!ts_tree_cursor_goto_parent(&cursor)) {
                ts_tree_cursor_delete(&cursor);
                return sum;
            }
    }
}

static unsigned ask(TSTree *tree, TSQuery *query) {
    TSQueryCursor *cursor = ts_query_cursor_new();
    TSQueryMatch match;
    unsigned found = 0;
    ts_query_cursor_exec(cursor, query, ts_tree_root_node(tree));
    while (ts_query_cursor_next_match(cursor, &match)) found++;
    ts_query_cursor_delete(cursor);
    return found;
}

/* Puts another letter where a word begins behind at. Rows do not change. */
static TSTree *edit(TSParser *parser, TSTree *tree, char *text, size_t size, size_t at) {
    while (at + 1 < size && !(text[at] == ' ' && text[at + 1] >= 'a' && text[at + 1] <= 'z')) at++;
    if (at + 1 >= size) return tree;
    text[at + 1] = (char)('a' + (text[at + 1] - 'a' + 1) % 26);
    TSNode node = ts_node_descendant_for_byte_range(
        ts_tree_root_node(tree), (uint32_t)at + 1, (uint32_t)at + 2);
    TSPoint from = ts_node_start_point(node);
    from.column += (uint32_t)at + 1 - ts_node_start_byte(node);
    TSPoint to = from;
    to.column++;
    TSInputEdit change = {(uint32_t)at + 1, (uint32_t)at + 2, (uint32_t)at + 2, from, to, to};
    ts_tree_edit(tree, &change);
    TSTree *next = ts_parser_parse_string(parser, tree, text, (uint32_t)size);
    ts_tree_delete(tree);
    return next;
}

int main(int argc, char **argv) {
    if (argc < 4) return fprintf(stderr, "usage: treesitter FILE.js BYTES EDITS\n"), 1;
    size_t size = strtoul(argv[2], NULL, 10);
    int edits = atoi(argv[3]);
    char *text = read_start(argv[1], &size);
    const TSLanguage *language = tree_sitter_javascript();
    TSParser *parser = ts_parser_new();
    uint32_t offset;
    TSQueryError error;
    TSQuery *query =
        ts_query_new(language, question, (uint32_t)strlen(question), &offset, &error);
    if (!text || !query || !ts_parser_set_language(parser, language)) return 1;
    TSTree *tree = ts_parser_parse_string(parser, NULL, text, (uint32_t)size);
    for (int i = 0; i <= edits && tree; i++) {
        static unsigned counts[KINDS];
        if (i) tree = edit(parser, tree, text, size, (size_t)i * 7919 % size);
        if (!tree) return 1;
        if (i % 16) continue;
        memset(counts, 0, sizeof counts);
        unsigned sum = walk(tree, counts);
        printf("edit %d: %08x, %u found\n", i, sum, ask(tree, query));
        for (unsigned k = 0; k < KINDS && i == 0; k++)
            if (counts[k]) printf("%6u %s\n", counts[k], ts_language_symbol_name(language, (TSSymbol)k));
    }
    ts_tree_delete(tree);
    ts_query_delete(query);
    ts_parser_delete(parser);
    free(text);
    return 0;
}
