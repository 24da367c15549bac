/* ---- productions ---- */

/* The paper's hardware matches all productions of an instruction in parallel,
   hence conditions before operations. For Figure 4's two counters, with nCheck0
   4, nInstr0 2 and one INC per event (c1 UNTIL 3 while not sampling, c2 UNTIL 2
   while sampling):

       event           1    2    3    4    5    6    7
       c1 before it   -3   -2   -1    0    0    0   -3       0: overflow_1 is set
       c2 before it   -2   -2   -2   -2   -1    0   -2
       condition       .    .    .    x    x    .    .       overflow_1 and not overflow_2
       operation     inc1 inc1 inc1 inc2 inc2 reset inc1 */

BURSTY_API int bursty_control_init(bursty_control_state *c, const bursty_control_rule *rules,
                                   uint32_t count) {
    uint32_t i, j;
    for (i = 0; i < count; i++) {
        if (rules[i].op_count > 4 || (rules[i].any_count && !rules[i].any)) return -1;
        for (j = 0; j < rules[i].op_count; j++) {
            const bursty_control_op *op = &rules[i].op[j];
            if (op->counter > 7 || op->op < BURSTY_CONTROL_INC) return -1;
            if (op->op > BURSTY_CONTROL_UNTIL) return -1;
        }
    }
    c->rules = rules;
    c->rule_count = count;
    for (i = 0; i < 8; i++) c->counter[i] = 0;
    c->zero = 255;
    c->overflow = 0;
    return 0;
}

static int bursty_p_control_same(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* Returns whether path is end, or ends with "/end". */
static int bursty_p_control_ends(const char *path, const char *end) {
    const char *at;
    if (bursty_p_control_same(path, end)) return 1;
    for (at = path; *at; at++) {
        int is_name = *at == '/' || *at == '\\';
        if (is_name && bursty_p_control_same(at + 1, end)) return 1;
    }
    return 0;
}

static int bursty_p_control_is_in(const bursty_event *e, const char *function) {
    const uint32_t names = BURSTY_CALL | BURSTY_RETURN | BURSTY_BACKEDGE;
    if (e->kind & names) return bursty_p_control_same(e->site->name, function);
    if (!e->stack || e->depth == 0 || e->depth > BURSTY_STACK) return 0;
    return bursty_p_control_same(e->stack[e->depth - 1]->name, function);
}

static int bursty_p_control_fits(const bursty_control_rule *rule, const bursty_event *e) {
    if (rule->kinds && !(rule->kinds & e->kind)) return 0;
    if (rule->line && rule->line != e->site->line) return 0;
    if (rule->name && !bursty_p_control_same(e->site->name, rule->name)) return 0;
    if (rule->function && !bursty_p_control_is_in(e, rule->function)) return 0;
    return !rule->file || bursty_p_control_ends(e->site->file, rule->file);
}

static int bursty_p_control_holds(const bursty_control_rule *rule, uint32_t zero,
                                  uint32_t overflow) {
    uint32_t i;
    for (i = 0; i < rule->any_count; i++) {
        const bursty_control_term *term = &rule->any[i];
        int wrong_zero = (term->zero & ~zero) || (term->not_zero & zero);
        int wrong_overflow = (term->overflow & ~overflow) || (term->not_overflow & overflow);
        if (!wrong_zero && !wrong_overflow) return 1;
    }
    return !rule->any_count;
}

static void bursty_p_control_operate(bursty_control_state *c, const bursty_control_op *op) {
    uint32_t i = op->counter & 7u, bit = 1u << i, v = c->counter[i];
    uint32_t overflow = c->overflow & bit;
    switch (op->op) {
    case BURSTY_CONTROL_INC:
        if (++v == 0) overflow = bit;
        break;
    case BURSTY_CONTROL_DEC:
        if (v-- == 0) overflow = bit;
        break;
    case BURSTY_CONTROL_SET:
        v = op->value;
        overflow = 0;
        break;
    default:
        v = 0 - op->value;
        overflow = v == 0 ? bit : 0;
        break;
    }
    c->counter[i] = v;
    c->overflow = (uint8_t)((c->overflow & ~bit) | overflow);
    c->zero = (uint8_t)((c->zero & ~bit) | (v == 0 ? bit : 0));
}

BURSTY_API void bursty_control_step(void *control, const bursty_event *event) {
    bursty_control_state *c = (bursty_control_state *)control;
    uint32_t zero = c->zero, overflow = c->overflow, i, j;
    for (i = 0; i < c->rule_count; i++) {
        const bursty_control_rule *rule = &c->rules[i];
        if (!bursty_p_control_holds(rule, zero, overflow)) continue;
        if (!bursty_p_control_fits(rule, event)) continue;
        if (rule->action) rule->action(rule->user, event);
        for (j = 0; j < rule->op_count; j++) bursty_p_control_operate(c, &rule->op[j]);
    }
}
