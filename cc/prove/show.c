/* show.c - what the proof says: one sentence, then the names of what is
   left. */
#include "cc/prove/prove.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20, STEPS_SHOWN = 12 };

typedef struct speaker {
    const prove_code *c;
    const prove_result *r;
    dwarf_lines *lines;
    text *out;
} speaker;

static void say_address(const speaker *s, uint64_t address) {
    const prove_symbol *symbol = prove_symbol_at(s->c->im, address);
    uint32_t line = 0;
    const char *file = dwarf_line_of(s->lines, address, &line);
    text_plain(s->out, symbol ? symbol->name : "?");
    text_format(s->out, " 0x%llx", (unsigned long long)address);
    if (!file) return;
    text_add(s->out, " (");
    text_plain(s->out, file);
    text_format(s->out, ":%lu)", (unsigned long)line);
}

static void say_vertex(const speaker *s, uint32_t v) {
    if (v == s->r->any) text_add(s->out, "through a pointer");
    else if (v == s->r->outside) text_add(s->out, "by code outside");
    else say_address(s, s->c->nodes[v].address);
}

/* Is a step of a cycle worth a word? A call, the first of a function, or what
   is no node. */
static int is_turn(const speaker *s, const prove_cycle *cycle, size_t i) {
    uint32_t v = cycle->path[i], next = cycle->path[(i + 1) % cycle->count];
    const prove_symbol *here, *there;
    if (v >= s->c->count) return 1;
    if (next >= s->c->count) return 1;
    here = prove_symbol_at(s->c->im, s->c->nodes[v].address);
    there = prove_symbol_at(s->c->im, s->c->nodes[next].address);
    return here != there || s->c->nodes[v].to == next ? here != there ||
           s->c->nodes[v].kind == CODE_CALL : 0;
}

static void say_cycle(const speaker *s, const prove_cycle *cycle, const char *what) {
    uint32_t low = cycle->path[0];
    size_t i, shown = 0;
    for (i = 1; i < cycle->count; i++) {
        uint32_t v = cycle->path[i];
        if (v < s->c->count &&
            (low >= s->c->count || s->c->nodes[v].address < s->c->nodes[low].address))
            low = v;
    }
    text_format(s->out, "  %s: ", cycle->is_recursion ? "recursion" : what);
    if (!cycle->is_recursion) {
        say_vertex(s, low);
        text_add(s->out, ", ");
        text_counted(s->out, cycle->instructions, "instruction");
    } else {
        for (i = 0; i < cycle->count && shown < STEPS_SHOWN; i++) {
            if (!is_turn(s, cycle, i)) continue;
            if (shown++) text_add(s->out, ", then ");
            say_vertex(s, cycle->path[i]);
        }
        if (!shown) say_vertex(s, low);
        if (shown == STEPS_SHOWN) text_add(s->out, " ...");
    }
    text_add(s->out, "\n");
}

static void say_cycles(const speaker *s, const prove_cycle *list, size_t count, const char *what) {
    size_t i;
    for (i = 0; i < count && i < SHOWN; i++) say_cycle(s, &list[i], what);
    if (count > SHOWN) text_add(s->out, "  ...\n");
}

static void say_places(const speaker *s, const prove_list *list, const char *one,
                       const char *many) {
    size_t i;
    if (!list->count) return;
    text_add(s->out, "  ");
    text_count(s->out, list->count);
    text_add(s->out, list->count == 1 ? one : many);
    for (i = 0; i < list->count && i < 6; i++) {
        text_add(s->out, i ? ", " : ": ");
        say_address(s, list->list[i]);
    }
    text_add(s->out, list->count > 6 ? " ...\n" : "\n");
}

static void say_excused(const speaker *s) {
    const prove_result *r = s->r;
    text_add(s->out, ", except ");
    text_count(s->out, r->boring);
    text_add(s->out, " boring, ");
    text_count(s->out, r->counted);
    text_add(s->out, " counted and ");
    text_count(s->out, r->quiet);
    text_add(s->out, " quiet loops, which have none on purpose\n");
    if (r->longest) {
        text_add(s->out, "  the longest boring loop has ");
        text_counted(s->out, r->longest, "instruction");
        text_add(s->out, "\n");
    }
    if (r->most_rounds) {
        text_add(s->out, "  a counted loop makes at most ");
        text_counted(s->out, r->most_rounds, "round");
        text_add(s->out, "\n");
    }
}

/* Answers --within: says the bound that was found, or what breaks it. */
static void say_runs(const speaker *s, uint32_t within) {
    const prove_runs *r = &s->r->runs;
    text *out = s->out;
    int holds = !r->endless_count && r->longest <= within;
    text_add(out, holds ? "within " : "NOT within ");
    text_count(out, within);
    text_add(out, " instructions: ");
    if (r->endless_count) {
        text_count(out, r->endless_count);
        text_add(out, r->endless_count == 1 ? " loop has no end that can be seen; outside of it at most "
                                            : " loops have no end that can be seen; outside of them at most ");
    } else text_add(out, "at most ");
    text_count(out, r->longest);
    text_add(out, " run between two checks");
    if (r->from != PROVE_NONE) {
        text_add(out, ", from ");
        say_vertex(s, r->from);
    }
    if (r->to != PROVE_NONE) {
        text_add(out, " to ");
        say_vertex(s, r->to);
    }
    text_add(out, "\n");
    if (r->strips) {
        text_add(out, "  ");
        text_count(out, r->strips);
        text_add(out, r->strips == 1 ? " loop has a check in every so many rounds: at most "
                                     : " loops have a check in every so many rounds: at most ");
        text_count(out, r->loop);
        text_add(out, " instructions run in one of them\n");
    }
    say_cycles(s, r->endless, r->endless_count, "loop");
    if (r->unwinding) {
        text_add(out, "  ");
        text_count(out, r->unwinding);
        text_add(out, r->unwinding == 1 ? " function that calls itself comes back through its levels "
                                          "without a check: not counted, at most "
                                        : " functions that call themselves come back through their levels "
                                          "without a check: not counted, at most ");
        text_count(out, r->level);
        text_add(out, " instructions a level\n");
    }
    if (r->outside_calls) {
        text_add(out, "  ");
        text_count(out, r->outside_calls);
        text_add(out, r->outside_calls == 1 ? " call of an outside function counts as one instruction\n"
                                            : " calls of outside functions count as one instruction each\n");
    }
}

void prove_show(const prove_code *c, const prove_result *r, uint32_t within, text *out) {
    size_t named = r->other_count + r->larger + r->returning.count + r->unread.count +
                   r->undecoded.count;
    dwarf_file file = {c->im->elf, NULL};
    speaker s;
    s.c = c;
    s.r = r;
    s.out = out;
    s.lines = dwarf_lines_read(&file);
    if (r->open_count) {
        text_add(out, "NOT proved on the machine code: ");
        text_count(out, r->open_count);
        text_add(out, r->open_count == 1 ? " cycle may run for ever without a check"
                                         : " cycles may run for ever without a check");
    } else {
        text_add(out, named ? "proved on the machine code, but for what is named below: "
                            : "proved on the machine code: ");
        text_add(out, "every cycle passes a check");
    }
    say_excused(&s);
    text_add(out, "  ");
    text_counted(out, r->functions, "function");
    text_add(out, ", ");
    text_counted(out, r->instructions, "instruction");
    text_add(out, ", ");
    text_counted(out, r->checks, "check");
    text_add(out, " can be reached\n");
    say_cycles(&s, r->open, r->open_count, "loop");
    if (within) say_runs(&s, within);
    if (r->larger) {
        text_add(out, "  ");
        text_count(out, r->larger);
        text_add(out, r->larger == 1 ? " loop calls nothing, and holds more loops than asked\n"
                                     : " loops call nothing, and hold more loops than asked\n");
        say_cycles(&s, r->larger_ones, r->larger, "loop");
    }
    if (r->other_count) {
        text_add(out, "  ");
        text_count(out, r->other_count);
        text_add(out, r->other_count == 1 ? " cycle in code that bursty cc did not make\n"
                                          : " cycles in code that bursty cc did not make\n");
        say_cycles(&s, r->other, r->other_count, "loop");
    }
    say_places(&s, &r->returning, " call to which longjmp or setcontext may come back",
               " calls to which longjmp or setcontext may come back");
    say_places(&s, &r->unread, " indirect jump is not understood",
               " indirect jumps are not understood");
    say_places(&s, &r->undecoded, " place is no machine code that is known",
               " places are no machine code that is known");
    text_add(out, "not seen: signal handlers, other threads, and loops inside of outside "
                  "functions\n");
    dwarf_lines_free(s.lines);
    dwarf_free(&file);
}
