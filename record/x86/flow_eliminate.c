/* ---- functions: which entries need a check (equation 3) ---- */
/* Equation 3: an entry is checked if the function is a root and no leaf, has its
   address taken, or closes a cycle of calls: somebody of its own strongly
   connected component calls it who is not nearer to the roots. So every cycle of
   calls has a check. Who calls a function directly passes the check only in the
   last of these cases (`direct`): a cycle without one goes through a pointer
   somewhere, and there it passes a check. The paper takes all leaves out. Here
   one whose address is taken stays in: a burst would not see calls that come
   through a pointer or from another module, such as those of virtual functions. */
X86_API size_t x86flow_eliminate_bytes(const x86flow_module *m, const x86flow_graph *g) {
    return ((size_t)m->count * 9 + g->count + 2) * sizeof(uint32_t);
}

X86_API void x86flow_eliminate(const x86flow_module *m, const x86flow_graph *g, void *memory) {
    uint32_t count = m->count, n, e, top = 0, order = 0, components = 0, head, tail, seed;
    uint32_t *first = (uint32_t *)memory, *to, *number, *low, *component, *stack, *walk, *next,
             *distance, *queue;
    to = first + count + 1;
    number = to + g->count;
    low = number + count;
    component = low + count;
    stack = component + count;
    walk = stack + count;
    next = walk + count;
    distance = next + count;
    queue = number; /* numbers are not needed any more by then */
    for (e = 0; e < g->count; e++) first[g->from[e] + 1]++;
    for (n = 0; n < count; n++) first[n + 1] += first[n];
    for (n = 0; n < count; n++) next[n] = first[n];
    for (e = 0; e < g->count; e++) to[next[g->from[e]]++] = g->to[e];
    for (seed = 0; seed < count; seed++) { /* Tarjan, with a stack of its own */
        uint32_t depth = 0;
        if (number[seed]) continue;
        walk[depth++] = seed;
        number[seed] = low[seed] = ++order;
        next[seed] = first[seed];
        stack[top++] = seed;
        while (depth) {
            uint32_t v = walk[depth - 1];
            if (next[v] < first[v + 1]) {
                uint32_t w = to[next[v]++];
                if (!number[w]) {
                    number[w] = low[w] = ++order;
                    next[w] = first[w];
                    stack[top++] = w;
                    walk[depth++] = w;
                } else if (!component[w] && number[w] < low[v])
                    low[v] = number[w];
                continue;
            }
            depth--;
            if (depth && low[v] < low[walk[depth - 1]]) low[walk[depth - 1]] = low[v];
            if (low[v] == number[v]) {
                components++;
                while (top && !component[v]) component[stack[--top]] = components;
            }
        }
    }
    for (n = 0; n < count; n++) {
        m->functions[n].flags |= X86FLOW_ROOT;
        distance[n] = ~0u;
    }
    for (e = 0; e < g->count; e++) {
        if (g->from[e] != g->to[e]) m->functions[g->to[e]].flags &= (uint8_t)~X86FLOW_ROOT;
    }
    head = tail = 0;
    for (n = 0; n < count; n++) {
        if (m->functions[n].flags & (X86FLOW_ROOT | X86FLOW_TAKEN)) {
            distance[n] = 0;
            queue[tail++] = n;
        }
    }
    for (seed = 0;;) { /* breadth first; cycles that nobody enters one by one */
        while (head < tail) {
            uint32_t v = queue[head++];
            for (e = first[v]; e < first[v + 1]; e++) {
                if (distance[to[e]] != ~0u) continue;
                distance[to[e]] = distance[v] + 1;
                queue[tail++] = to[e];
            }
        }
        while (seed < count && distance[seed] != ~0u) seed++;
        if (seed == count) break;
        distance[seed] = 0;
        queue[tail++] = seed;
    }
    for (n = 0; n < count; n++) {
        x86flow_function *f = &m->functions[n];
        if (f->flags & X86FLOW_TAKEN || (f->flags & (X86FLOW_LEAF | X86FLOW_ROOT)) == X86FLOW_ROOT)
            f->flags |= X86FLOW_CHECK;
    }
    for (e = 0; e < g->count; e++) {
        if (component[g->from[e]] == component[g->to[e]]
            && distance[g->from[e]] >= distance[g->to[e]]) {
            m->functions[g->to[e]].flags |= X86FLOW_CHECK;
            m->functions[g->to[e]].direct = 1;
        }
    }
}
