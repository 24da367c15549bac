/* trace.c - see trace.h. */
#include "cc/put/trace.h"
#include "cc/put/exits.h"
#include "base/dump.h"
#include "base/tool.h"
#include "report/kinds/traced.h"
#include <stdlib.h>
#include <string.h>

void cc_trace_plan(const cc_cfg *g, const uint32_t *edge_of, const uint32_t *vertex_of,
                   uint32_t edges, edgeplan *plan) {
    uint8_t *calls = (uint8_t *)tool_alloc((size_t)plan->vertices + 1);
    uint8_t *none = (uint8_t *)tool_alloc((size_t)plan->edges + 1);
    edgeplan_order order = {NULL, 0, NULL};
    uint32_t e, v;
    memset(calls, 0, (size_t)plan->vertices + 1);
    memset(none, 1, (size_t)plan->edges + 1);
    for (v = 0; v < g->vertices && v < g->call_room; v++) {
        if (g->call[v] && vertex_of[v] != CC_NOWHERE) calls[vertex_of[v]] = EDGEPLAN_CALL_TOLD;
    }
    for (e = 0; e < edges; e++) none[e] = g->edges[edge_of[e]].forced == CC_FORCED;
    order.uncountable = none;
    edgeplan_weigh(plan, NULL);
    edgeplan_witnesses(plan, calls, &order);
    free(none);
    free(calls);
}

uint32_t cc_trace_keep(cc_traced *t, const cc_cfg *g, const uint32_t *vertex_of) {
    uint32_t v;
    if (t->count + 2 > t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->call_at = (uint32_t *)tool_grow(t->call_at, t->room * sizeof *t->call_at);
    }
    t->call_at[t->count] = t->calls;
    for (v = 0; v < g->vertices && v < g->call_room; v++) {
        if (!g->call[v] || vertex_of[v] == CC_NOWHERE) continue;
        TOOL_ROOM(uint32_t, t->call, t->calls, t->call_room);
        t->call[t->calls++] = vertex_of[v];
    }
    t->call_at[t->count + 1] = t->calls;
    return t->count++;
}

void cc_trace_part(const cc_traced *t, uint64_t key, text *part) {
    dump_writer w;
    uint32_t i, k;
    dump_begin(&w, part, TRACED_KIND);
    dump_put(&w, TRACED_VERSION);
    traced_put_unit(&w, key, t->count);
    for (i = 0; i < t->count; i++) {
        dump_put(&w, t->call_at[i + 1] - t->call_at[i]);
        for (k = t->call_at[i]; k < t->call_at[i + 1]; k++) dump_put(&w, t->call[k]);
    }
    dump_end(&w);
}

void cc_trace_free(cc_traced *t) {
    free(t->call_at);
    free(t->call);
}

/* ---- text ---- */

/* A token of one byte or two stands in front of the end, so that room for it is
   asked for once:

       (at >= end ? more(e + 5) : (void)0), *at++ = 17          witness 16 of function 5
       (at >= end ? more(e + 5) : (void)0), memcpy(at, e + 5, 2), at += 2        its entry */
static void add_room(text *out, const char *table, uint32_t function) {
    text_format(out, "(bursty_tr.at>=bursty_tr.end?bursty_tr_more(%s_e+%lu):(void)0),", table,
                (unsigned long)function);
}

void cc_trace_enter(text *out, const char *table, uint32_t function) {
    add_room(out, table, function);
    text_format(out, "(void)__builtin_memcpy(bursty_tr.at,%s_e+%lu,2),(void)(bursty_tr.at+=2)",
                table, (unsigned long)function);
}

void cc_trace_witness(text *out, const char *table, uint32_t function, uint32_t witness) {
    add_room(out, table, function);
    if (witness < TRACED_SHORT) {
        text_format(out, "(void)(*bursty_tr.at++=%u)", (unsigned)witness + 1);
        return;
    }
    witness -= TRACED_SHORT;
    text_format(out, "(void)(*bursty_tr.at++=%u),(void)(*bursty_tr.at++=%u)",
                (unsigned)(TRACED_LONG + (witness >> 8)), (unsigned)(witness & 255));
}

void cc_trace_front(text *front, const char *table, const cc_request *request, uint64_t key,
                    uint32_t functions, uint32_t vertices) {
    const char *model = request->choice.tls_model ? request->choice.tls_model : "initial-exec";
    text_format(front,
                "extern __thread struct bursty_tr_place{unsigned char *at,*end;} bursty_tr "
                "__attribute__((visibility(\"hidden\"),tls_model(\"%s\")));\n"
                "extern void bursty_tr_more(const unsigned short *) "
                "__attribute__((visibility(\"hidden\"),cold));\n"
                "__attribute__((visibility(\"hidden\"))) unsigned short %s_e[%lu];\n",
                model, table, (unsigned long)functions);
    if (request->exits) {
        cc_exits_front(front, table, vertices);
    } else {
        text_add(front, "extern void *bursty_landing(void *, const void *) "
                        "__attribute__((visibility(\"hidden\")));\n");
    }
    text_format(front,
                "struct bursty_tr_unit{unsigned key[2],functions,vertices;unsigned short *enter;"
                "unsigned *places;};\n"
                "static const struct bursty_tr_unit bursty_tr_u={{%luu,%luu},%luu,%luu,%s_e,%s%s};\n"
                "static const struct bursty_tr_unit *const bursty_tr_r __attribute__((used,retain,"
                "section(\"bursty_traced\")))=&bursty_tr_u;\n",
                (unsigned long)(key & 0xFFFFFFFF), (unsigned long)(key >> 32),
                (unsigned long)functions, (unsigned long)vertices, table,
                request->exits ? table : "0", request->exits ? "_x" : "");
}
