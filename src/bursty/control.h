/* ---- productions: counters and conditions choose events ---- */

/* The productions of hybrid-profiling-support, Figures 3 and 4: "show me what a
   request does, but only from its third attempt on" without a line in the code
   that is watched. A control has 8 counters, each with a flag "zero" and a flag
   "overflow". A rule is a production: a pattern of events, a condition on the
   flags, operations that change counters, and an action of its own.

   bursty_control_step is the action of a profile, and the control its user. For
   each event it finds the rules whose pattern fits and whose condition holds.
   It judges all of them on the flags as they were before the event. Then it
   carries them out in the order of rules[]: the action of a rule first, then
   its operations. With BURSTY_BEGIN among the profile's classes a rule can set
   counters when a burst begins. docs/productions.md explains it, and
   examples/conditional.c shows it. One control belongs to one thread. A step
   takes some ten instructions for each rule, and reads the names of patterns
   whose class fits. */

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
typedef struct bursty_control_rule { /* a zero in the pattern fits each event               */
    uint32_t kinds;          /* pattern: event classes, as bits                             */
    const char *name;        /* pattern: the name of the event's site                       */
    const char *function;    /* pattern: the function that a CALL, RETURN or BACKEDGE names;
                                of other events the innermost scope around them             */
    const char *file;        /* pattern: the end of the path of the site's file             */
    uint32_t line;           /* pattern: the site's line                                    */
    const bursty_control_term *any; /* condition: one of any[0..any_count) must hold        */
    uint32_t any_count;      /* 0: there is no condition                                    */
    bursty_control_op op[4];
    uint32_t op_count;       /* the first so many of op[]                                   */
    bursty_action action;    /* gets the event, with `user`; or NULL                        */
    void *user;
} bursty_control_rule;
typedef struct bursty_control_state {
    const bursty_control_rule *rules;
    uint32_t rule_count;
    uint32_t counter[8];     /* read them as you like */
    uint8_t zero, overflow;  /* one bit for each counter */
} bursty_control_state;

/* Makes all counters 0. rules[0..count) and what they point at must stay valid.
   Returns 0, or -1 if a rule has more than 4 operations, an unknown one, a
   counter above 7, or a count of terms and no terms. */
BURSTY_API int bursty_control_init(bursty_control_state *c, const bursty_control_rule *rules,
                                   uint32_t count)
    BURSTY_P_OFF(return (void)c, (void)rules, (void)count, 0)

/* One event. The action of a profile whose user is a bursty_control_state. */
BURSTY_API void bursty_control_step(void *control, const bursty_event *event)
    BURSTY_P_OFF((void)control, (void)event)
