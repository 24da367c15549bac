/* control.h - v0.2.0 - counters and conditions choose events - MIT, text at end of file

   example:
       #include <stdio.h>
       #define CONTROL_IMPLEMENTATION
       #include "control.h"
       enum { REQUEST = 1, ATTEMPT = 2, SEND = 4 };
       int main(void) {
           static const control_rule rules[2] = {
               { REQUEST, { { { 0, 0, 0, 0 } } }, { { CONTROL_UNTIL, 0, 3 } }, 1 },
               { ATTEMPT, { { { 0, 0, 0, 0 } } }, { { CONTROL_INC, 0, 0 } }, 1 }
           };
           static const control_when third = { { { 0, 0, 1, 0 } } };
           static const uint32_t events[7] = {
               REQUEST, ATTEMPT, SEND, ATTEMPT, SEND, ATTEMPT, SEND
           };
           int i, held, at = -1;
           control_state c;
           if (control_init(&c, rules, 2) != 0) return 1;
           for (i = 0; i < 7; i++) {
               held = control_holds(&c, &third);
               control_step(&c, events[i]);
               if (held && at < 0) at = i;
           }
           printf("event %d is the first one after the third attempt\n", at);
           return at != 6;
       }
   end of example.

   This is the conditional control of hybrid-profiling-support, Figures 3 and 4: "show me what a
   request does, but only from its third attempt on" without a line in the code that is watched.

   STEP BY STEP
   1. In one C or C++ file define CONTROL_IMPLEMENTATION before the include. Everywhere else just
      include the header.
   2. A control has 8 counters, each with a flag "zero" and a flag "overflow". Write rules: on which
      events (bits that you choose, such as the classes of bursty.h), under which condition, which
      operations on counters.
   3. For each event judge your conditions first: control_holds. Then call control_step, which runs
      the rules. Then act on the events whose condition held. So an operation takes effect from the
      next event on. After CONTROL_UNTIL n, the n-th event that runs CONTROL_INC sets the overflow
      flag, and the first event that finds it set is the one after it.
   4. With bursty.h: call both in an action, with event->kind. Choose the classes in the profile;
      with BURSTY_BEGIN among them a rule can set the counters when a burst begins. An action may
      call bursty_set_profile to switch other profiles on and off. examples/conditional.c shows the
      counters beside each event.

   PROMISES
     - It calls nothing, allocates nothing and keeps nothing but the struct `control_state`.
     - A condition is judged on the flags alone, so its order among others does not matter.

   THREADS
     One control belongs to one thread, or to a lock of yours.

   OPTIONS
     CONTROL_STATIC          in every file: makes everything static, for a single file

   COST
     control_holds: some ten instructions. control_step: some ten for each rule, more for one that
     runs. Memory: 48 bytes for a control. */

#ifndef CONTROL_H
#define CONTROL_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__) || defined(__TINYC__)
#define CONTROL_P_UNUSED __attribute__((unused))
#else
#define CONTROL_P_UNUSED
#endif

#ifdef CONTROL_STATIC
#define CONTROL_API CONTROL_P_UNUSED static
#elif (defined(__GNUC__) || defined(__clang__)) && !defined(_WIN32)
#define CONTROL_API extern __attribute__((visibility("hidden")))
#else
#define CONTROL_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types ---------------------------------------------------------------------------------- */

enum {
    CONTROL_INC = 1, /* adds 1; passing from the largest value to 0 sets overflow         */
    CONTROL_DEC,     /* subtracts 1; passing from 0 to the largest value sets overflow    */
    CONTROL_SET,     /* stores value and clears overflow                                  */
    CONTROL_UNTIL    /* stores minus value: overflow comes with INC number value; sets it */
                     /* at once for 0 and clears it otherwise                             */
};
typedef struct control_op {
    uint8_t op, counter; /* counter: 0 to 7 */
    uint32_t value;
} control_op;
typedef struct control_term {
    uint8_t zero, not_zero, overflow, not_overflow; /* bits of counters; all must hold  */
} control_term;
typedef struct control_when {
    control_term any[3];     /* one of the terms in use must hold; true if none is in use */
} control_when;
typedef struct control_rule {
    uint32_t kinds;          /* the events it runs on, as bits; 0: all                   */
    control_when when;
    control_op op[4];
    uint32_t op_count;       /* the first so many of op[]; 0: the rule does nothing      */
} control_rule;
typedef struct control_state {
    const control_rule *rules;
    uint32_t rule_count;
    uint32_t counter[8];     /* read them as you like */
    uint8_t zero, overflow;  /* one bit for each counter */
} control_state;

/* ---- functions ------------------------------------------------------------------------------ */

/* Makes all counters 0. rules[0..count) must stay valid.
   Returns 0, or -1 if a rule has more than 4 operations, an unknown one, or a counter above 7. */
CONTROL_API int control_init(control_state *c, const control_rule *rules, uint32_t count);

/* Returns 1 if the condition holds for the next event, else 0. */
CONTROL_API int control_holds(const control_state *c, const control_when *when);

/* An event of the given kind (bits): judges the conditions of all rules on the flags as they are,
   and then carries out the operations of those that held, in order. */
CONTROL_API void control_step(control_state *c, uint32_t kind);

#ifdef __cplusplus
}
#endif
#endif /* CONTROL_H */

/* ---- implementation ------------------------------------------------------------------------- */

#if defined(CONTROL_IMPLEMENTATION) && !defined(CONTROL_IMPLEMENTED)
#define CONTROL_IMPLEMENTED

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

/* The paper's hardware matches all productions of an instruction in parallel, hence conditions
   before operations. For Figure 4's two counters, with nCheck0 4, nInstr0 2 and one INC per event
   (c1 UNTIL 3 while not sampling, c2 UNTIL 2 while sampling):

       event           1    2    3    4    5    6    7
       c1 before it   -3   -2   -1    0    0    0   -3       0: overflow_1 is set
       c2 before it   -2   -2   -2   -2   -1    0   -2
       condition       .    .    .    x    x    .    .       overflow_1 and not overflow_2
       operation     inc1 inc1 inc1 inc2 inc2 reset inc1 */

CONTROL_API int control_init(control_state *c, const control_rule *rules, uint32_t count) {
    uint32_t i, j;
    for (i = 0; i < count; i++) {
        if (rules[i].op_count > 4) return -1;
        for (j = 0; j < rules[i].op_count; j++) {
            const control_op *op = &rules[i].op[j];
            if (op->counter > 7 || op->op < CONTROL_INC || op->op > CONTROL_UNTIL) return -1;
        }
    }
    c->rules = rules;
    c->rule_count = count;
    for (i = 0; i < 8; i++) c->counter[i] = 0;
    c->zero = 255;
    c->overflow = 0;
    return 0;
}

static int control_p_judge(const control_when *when, uint32_t zero, uint32_t overflow) {
    int i, used = 0;
    for (i = 0; i < 3; i++) {
        const control_term *term = &when->any[i];
        int wrong_zero = (term->zero & ~zero) || (term->not_zero & zero);
        int wrong_overflow = (term->overflow & ~overflow) || (term->not_overflow & overflow);
        if (!(term->zero | term->not_zero | term->overflow | term->not_overflow)) continue;
        if (!wrong_zero && !wrong_overflow) return 1;
        used = 1;
    }
    return !used;
}

CONTROL_API int control_holds(const control_state *c, const control_when *when) {
    return control_p_judge(when, c->zero, c->overflow);
}

static void control_p_operate(control_state *c, const control_op *op) {
    uint32_t i = op->counter & 7u, bit = 1u << i, v = c->counter[i];
    uint32_t overflow = c->overflow & bit;
    switch (op->op) {
    case CONTROL_INC:
        if (++v == 0) overflow = bit;
        break;
    case CONTROL_DEC:
        if (v-- == 0) overflow = bit;
        break;
    case CONTROL_SET:
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

CONTROL_API void control_step(control_state *c, uint32_t kind) {
    uint32_t zero = c->zero, overflow = c->overflow, i, j;
    for (i = 0; i < c->rule_count; i++) {
        const control_rule *rule = &c->rules[i];
        if (rule->kinds && !(rule->kinds & kind)) continue;
        if (!control_p_judge(&rule->when, zero, overflow)) continue;
        for (j = 0; j < rule->op_count; j++) control_p_operate(c, &rule->op[j]);
    }
}

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif /* CONTROL_IMPLEMENTATION */

/* MIT License

   Copyright (c) 2026 the bursty authors

   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
   associated documentation files (the "Software"), to deal in the Software without restriction,
   including without limitation the rights to use, copy, modify, merge, publish, distribute,
   sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all copies or
   substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
   NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
   DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
