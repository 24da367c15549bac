/* ---- counters and conditions choose events ---- */

/* The conditional control of hybrid-profiling-support, Figures 3 and 4: "show
   me what a request does, but only from its third attempt on" without a line in
   the code that is watched. A control has 8 counters, each with a flag "zero"
   and a flag "overflow". Rules say on which events (bits that you choose, such
   as classes), under which condition, which operations change the counters.

   In an action, for each event: judge your conditions first, with
   bursty_control_holds; then call bursty_control_step, which runs the rules;
   then act on the event if its condition held. So an operation takes effect
   from the next event on. With BURSTY_BEGIN among the profile's classes a rule
   can set counters when a burst begins. examples/conditional.c shows it. One
   control belongs to one thread. A condition takes some ten instructions, a
   step some ten for each rule. */

enum {
    BURSTY_CONTROL_INC = 1, /* adds 1; passing from the largest value to 0 sets overflow         */
    BURSTY_CONTROL_DEC,     /* subtracts 1; passing from 0 to the largest value sets overflow    */
    BURSTY_CONTROL_SET,     /* stores value and clears overflow                                  */
    BURSTY_CONTROL_UNTIL    /* stores minus value: overflow comes with INC number value; sets it */
                     /* at once for 0 and clears it otherwise */
};
typedef struct bursty_control_op {
    uint8_t op, counter; /* counter: 0 to 7 */
    uint32_t value;
} bursty_control_op;
typedef struct bursty_control_term {
    uint8_t zero, not_zero, overflow, not_overflow; /* bits of counters; all must hold  */
} bursty_control_term;
typedef struct bursty_control_when {
    bursty_control_term any[3];     /* one of the terms in use must hold; true if none is in use */
} bursty_control_when;
typedef struct bursty_control_rule {
    uint32_t kinds;          /* the events it runs on, as bits; 0: all                   */
    bursty_control_when when;
    bursty_control_op op[4];
    uint32_t op_count;       /* the first so many of op[]; 0: the rule does nothing      */
} bursty_control_rule;
typedef struct bursty_control_state {
    const bursty_control_rule *rules;
    uint32_t rule_count;
    uint32_t counter[8];     /* read them as you like */
    uint8_t zero, overflow;  /* one bit for each counter */
} bursty_control_state;

/* Makes all counters 0. rules[0..count) must stay valid. Returns 0, or -1 if a
   rule has more than 4 operations, an unknown one, or a counter above 7. */
BURSTY_API int bursty_control_init(bursty_control_state *c, const bursty_control_rule *rules,
                                   uint32_t count)
    BURSTY_P_OFF(return (void)c, (void)rules, (void)count, 0)

/* Returns 1 if the condition holds for the next event, else 0. */
BURSTY_API int bursty_control_holds(const bursty_control_state *c, const bursty_control_when *when)
    BURSTY_P_OFF(return (void)c, (void)when, 0)

/* An event of the given kind (bits): judges the conditions of all rules on the
   flags as they are, and then carries out the operations of those that held, in
   order. */
BURSTY_API void bursty_control_step(bursty_control_state *c, uint32_t kind)
    BURSTY_P_OFF((void)c, (void)kind)
