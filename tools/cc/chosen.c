/* chosen.c - what a unit's functions and loops got, for the plugin of gcc, which
   puts the checks behind the optimizer:

       F name c                the function gets a check if it still calls something
              e                it gets one, though it calls nothing in the source
              -                it gets none; n: the source was not understood
       L first last c          a loop of it, from line to line, that gets one, or -

   Lines are those of the markers, as the compiler has them. */
#include "cc/points.h"

static uint32_t line_of(const cc_unit *u, uint32_t token) { return u->tokens.list[token].line; }

static void add_loop(const cc_unit *u, const cc_function *f, const cc_loop *loop, text *out) {
    const cc_node *n = &u->nodes[loop->node];
    uint32_t first = line_of(u, n->first), last = line_of(u, n->last);
    if (loop->kind == 'g') last = line_of(u, f->close);     /* who jumps back stands behind */
    if (loop->line < first) first = loop->line;
    text_add(out, "L ");
    text_number(out, first);
    text_add(out, " ");
    text_number(out, last);
    text_add(out, loop->checked ? " c\n" : " -\n");
}

uint32_t cc_chosen(const cc_unit *u, const cc_flow *flows, text *out) {
    uint32_t i, k, count = 0;
    for (i = 0; i < u->function_count; i++) {
        const cc_function *f = &u->functions[i];
        text_add(out, "F ");
        cc_spell(&u->tokens, f->name, out);
        text_add(out, f->reason ? " n\n"
                      : !flows[i].checked ? " -\n"
                      : flows[i].calls ? " c\n" : " e\n");
        count += flows[i].checked;
        for (k = 0; k < flows[i].loop_count; k++) {
            add_loop(u, f, &flows[i].loops[k], out);
            count += flows[i].loops[k].checked;
        }
    }
    return count;
}
