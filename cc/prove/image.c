/* image.c - bytes of a file, and the nodes of its code, by their address. */
#include "base/tool.h"
#include "cc/prove/prove.h"
#include <string.h>

const unsigned char *prove_at(const prove_image *im, uint64_t address, uint64_t bytes) {
    uint32_t i;
    for (i = 0; i < im->segment_count; i++) {
        const prove_segment *s = &im->segments[i];
        if (address < s->address || address - s->address > s->size) continue;
        if (bytes > s->size - (address - s->address)) continue;
        return im->data + s->offset + (address - s->address);
    }
    return NULL;
}

uint32_t prove_node_at(prove_code *c, uint64_t address) {
    uint32_t *number;
    prove_node *n;
    if (address < c->im->text_lo || address >= c->im->text_hi) return PROVE_NONE;
    number = &c->node_of[address - c->im->text_lo];
    if (*number) return *number - 1;
    TOOL_ROOM(prove_node, c->nodes, c->count, c->room);
    n = &c->nodes[c->count++];
    memset(n, 0, sizeof *n);
    n->address = address;
    n->to = n->next = n->import = PROVE_NONE;
    n->kind = CODE_UNREAD;
    *number = (uint32_t)c->count;
    return *number - 1;
}

unsigned prove_instruction_of(const prove_code *c, uint32_t node, prove_insn *out) {
    uint64_t address = c->nodes[node].address, left = c->im->text_hi - address;
    uint64_t size = left < 15 ? left : 15;
    const unsigned char *p = NULL;
    for (; size > 0 && !p; size--) p = prove_at(c->im, address, size);
    if (!p || !prove_instruction(p, (size_t)size + 1, out)) return 0;
    if (c->nodes[node].keeps) out->writes = 0;
    return out->length;
}

void prove_add_edge(prove_code *c, uint32_t from, uint32_t to) {
    if (from == PROVE_NONE || to == PROVE_NONE) return;
    TOOL_ROOM(prove_edge, c->extra, c->extra_count, c->extra_room);
    c->extra[c->extra_count].from = from;
    c->extra[c->extra_count++].to = to;
}
