/* callers.c - see callers.h. */
#include "cc/read/callers.h"
#include "base/tool.h"
#include "cc/read/twice.h"
#include <stdlib.h>
#include <string.h>

/* Counts the names of functions that stand in a body and that no walk passed as a
   call: in functions that are left alone, in sizeof, after ?:. */
static void count_mentions(cc_unit *u, uint32_t *unseen) {
    const cc_tokens *t = &u->tokens;
    uint32_t f, i;
    for (f = 0; f < u->function_count; f++) {
        for (i = u->functions[f].open; i < u->functions[f].close; i++) {
            const cc_name *name = cc_is_name(t, i) ? cc_find(u, i, 0) : NULL;
            if (name && name->function) unseen[name->function - 1]++;
        }
    }
}

/* Calls in front of which their expression may have been left: the count of the
   vertex is not theirs. A call around another one is made behind it. */
static void drop_unsure(const cc_cfg *g, uint8_t *known) {
    uint32_t *first = (uint32_t *)tool_alloc(((size_t)g->vertices + 1) * sizeof *first);
    uint32_t *next = (uint32_t *)tool_alloc(((size_t)g->site_count + 1) * sizeof *next);
    uint32_t i, k;
    for (i = 0; i < g->vertices; i++) first[i] = CC_NOWHERE;
    for (i = 0; i < g->site_count; i++) {
        const cc_site *s = &g->sites[i];
        if (!s->leaves || s->vertex == CC_NOWHERE) continue;
        next[i] = first[s->vertex];
        first[s->vertex] = i;
    }
    for (i = 0; i < g->site_count; i++) {
        const cc_site *s = &g->sites[i];
        if (s->callee == CC_NOWHERE || s->vertex == CC_NOWHERE) continue;
        for (k = first[s->vertex]; k != CC_NOWHERE; k = next[k]) {
            const cc_site *other = &g->sites[k];
            if (other->full == s->full && (other->first > s->first || other->last < s->last))
                known[s->callee] = 0;
        }
    }
    free(first);
    free(next);
}

/* Attributes and linkers may have it called from elsewhere. */
static int is_called_here(cc_unit *u, const cc_function *f) {
    const cc_name *name = cc_find(u, f->name, 0);
    if (f->naked || !name || name->taken) return 0;
    return (f->flags & CC_IS_STATIC) &&
           !(f->flags & (CC_IS_USED | CC_IS_SPECIAL | CC_IS_WEAK));
}

uint8_t *cc_callers_known(cc_unit *u, const cc_cfg *graphs) {
    uint8_t *known = (uint8_t *)tool_alloc((size_t)u->function_count + 1);
    uint32_t *unseen = (uint32_t *)tool_alloc(((size_t)u->function_count + 1) * sizeof *unseen);
    uint32_t f, i;
    memset(unseen, 0, ((size_t)u->function_count + 1) * sizeof *unseen);
    memset(known, 0, (size_t)u->function_count + 1);
    count_mentions(u, unseen);
    for (f = 0; f < u->function_count; f++) {
        for (i = 0; !graphs[f].reason && i < graphs[f].site_count; i++) {
            const cc_site *s = &graphs[f].sites[i];
            if (s->callee == CC_NOWHERE) continue;
            unseen[s->callee]--;
            known[s->callee] = 1;
        }
    }
    for (f = 0; f < u->function_count; f++) {
        known[f] = known[f] && unseen[f] == 0 && !graphs[f].reason &&
                   u->functions[f].returns && is_called_here(u, &u->functions[f]);
    }
    for (f = 0; f < u->function_count; f++) {
        if (!graphs[f].reason) drop_unsure(&graphs[f], known);
    }
    free(unseen);
    return known;
}

/* Is no other call in the vertex of the site? One behind it would have no marker
   of its own. */
static int is_alone(const cc_cfg *g, const cc_site *s) {
    uint32_t i, count = 0;
    for (i = 0; i < g->site_count; i++) count += g->sites[i].vertex == s->vertex;
    return count == 1 && s->vertex != CC_NOWHERE && g->number &&
           g->number[s->vertex] != CC_NOWHERE;
}

/* A place that a call comes back to is one of the frame it was noted in. */
static int returns_twice(const cc_unit *u, const cc_function *f) {
    uint32_t i;
    for (i = f->open; i < f->close; i++) {
        if (cc_returns_twice(&u->tokens, i)) return 1;
    }
    return 0;
}

void cc_callers_only(cc_unit *u, const cc_cfg *graphs, uint8_t *only) {
    uint32_t *unseen = (uint32_t *)tool_alloc(((size_t)u->function_count + 1) * sizeof *unseen);
    uint32_t f, i;
    memset(unseen, 0, ((size_t)u->function_count + 1) * sizeof *unseen);
    memset(only, 0, (size_t)u->function_count + 1);
    count_mentions(u, unseen);
    for (f = 0; f < u->function_count; f++) {
        for (i = 0; !graphs[f].reason && i < graphs[f].site_count; i++) {
            const cc_site *s = &graphs[f].sites[i];
            if (s->callee == CC_NOWHERE || s->callee == f || unseen[s->callee] != 1) continue;
            only[s->callee] = (uint8_t)is_alone(&graphs[f], s);
        }
    }
    for (f = 0; f < u->function_count; f++) {
        only[f] = only[f] && !graphs[f].reason && !u->functions[f].returns &&
                  is_called_here(u, &u->functions[f]) && !returns_twice(u, &u->functions[f]);
    }
    free(unseen);
}
