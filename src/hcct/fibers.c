/* ---- fibers ---- */

/* `run` is the running stack. Another one is saved in its hcct_fiber, the first
   one in `main`. */

HCCT_API void hcct_fiber_start(hcct *t, hcct_fiber *fiber, int here, uint32_t *returns,
                               uint32_t return_count) {
    hcct_p_zero(fiber, sizeof *fiber);
    hcct_p_sync(t);
    if (here) {
        *fiber = t->run;
        fiber->at.returns = 0;
    }
    fiber->returns = returns;
    fiber->return_max = returns ? return_count : 0;
    fiber->next = t->fibers;
    t->fibers = fiber;
    t->prunes_late = 1;
    hcct_p_mode(t);
}

HCCT_API void hcct_fiber_switch(hcct *t, hcct_fiber *fiber) {
    hcct_fiber *from = t->running ? t->running : &t->main, *to = fiber ? fiber : &t->main;
    hcct_fiber *next = from->next;
    if (from == to) return;
    hcct_p_sync(t);
    *from = t->run;
    from->next = next;
    t->run = *to;
    t->running = fiber;
    hcct_p_mode(t);
}

HCCT_API void hcct_fiber_end(hcct *t, hcct_fiber *fiber) {
    hcct_fiber **link = &t->fibers;
    hcct_p_sync(t);
    HCCT_ASSERT(fiber != t->running);
    if (fiber == t->running) hcct_fiber_switch(t, NULL);
    while (*link && *link != fiber) link = &(*link)->next;
    if (*link) *link = fiber->next;
    t->prunes_late = t->config.fold || t->fibers;
    hcct_p_mode(t);
    hcct_p_prune(t, fiber->at.cursor);
}
