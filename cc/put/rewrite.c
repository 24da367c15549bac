/* rewrite.c - a preprocessed file with checks.

   Declarations stand between the markers of the file's head and its first token,
   under a marker of their own that makes them a system header: they cause no
   warning, and debug information names the file as before. */
#include "cc/put/rewrite.h"
#include "base/hash.h"
#include "base/tool.h"
#include "cc/put/cover.h"
#include <stdlib.h>
#include <string.h>

static char *copy(const char *bytes, size_t size) {
    char *name = (char *)tool_alloc(size + 1);
    memcpy(name, bytes, size);
    name[size] = 0;
    return name;
}

static void add_left(const cc_unit *u, cc_result *r, uint32_t token, uint32_t line,
                     const char *how, const char *reason) {
    const cc_token *name = &u->tokens.list[token];
    const char *file = u->tokens.files[name->file].name;
    cc_left left;
    text spelled = {NULL, 0, 0};
    cc_spell(&u->tokens, token, &spelled);
    left.name = text_take(&spelled);
    left.file = copy(file, strlen(file));
    left.line = line;
    left.how = how;
    left.reason = reason;
    cc_left_add(&r->left, &r->left_count, &left);
}

static void list_left(const cc_unit *u, const cc_refusals *refused, cc_result *r) {
    uint32_t i;
    for (i = 0; i < u->function_count; i++) {
        const cc_function *f = &u->functions[i];
        if (f->in_system) continue;
        r->functions++;
        if (f->reason) add_left(u, r, f->name, f->reason_line, "left alone", f->reason);
    }
    for (i = 0; i < refused->count; i++) {
        const cc_refusal *one = &refused->list[i];
        add_left(u, r, one->name, u->tokens.list[one->token].line,
                 one->token == one->name ? "one copy" : "a loop in one copy", one->reason);
    }
}

/* The marker behind the declarations: the place of the first token, as it
   was. */
static void close_front(const cc_unit *u, text *front) {
    const cc_token *first = &u->tokens.list[0];
    const cc_file *file = &u->tokens.files[first->file];
    const char *c;
    text_add(front, "# ");
    text_number(front, first->line);
    text_add(front, " \"");
    for (c = file->name; *c; c++) {
        if (*c == '"' || *c == '\\') text_add(front, "\\");
        text_bytes(front, c, 1);
    }
    text_add(front, file->in_system ? "\" 3\n" : "\"\n");
}

const char cc_refused_text[] = "refused-when-rewritten";

static void spare(cc_unit *u, const cc_request *request) {
    uint32_t i;
    for (i = 0; i < u->function_count && i < request->spared_count; i++) {
        cc_function *f = &u->functions[i];
        if (!request->spared[i] || f->reason || f->in_system) continue;
        f->reason = cc_refused_text;
        f->reason_line = u->tokens.list[f->name].line;
    }
}

/* A number for names that no other object of a program may have: of the text,
   so that the same text gives the same object in whatever folder. */
static uint64_t number_of(const cc_unit *u, uint64_t hash) {
    uint32_t i;
    for (i = 0; i < u->tokens.count; i++) {
        const cc_token *t = &u->tokens.list[i];
        hash = hash_fnv(u->tokens.text + t->at, t->size, hash);
    }
    return hash;
}

int cc_rewrite(const char *source, size_t size, const cc_request *request, cc_result *result) {
    cc_unit u;
    cc_flow *flows = NULL;
    cc_edits edits;
    text front = {NULL, 0, 0};
    cc_refusals refused = {NULL, 0};
    memset(result, 0, sizeof *result);
    if (cc_parse(&u, source, size) != 0) {
        result->reason = u.tokens.reason;
        result->reason_line = u.tokens.reason_line;
        cc_unit_free(&u);
        return -1;
    }
    result->bodies = u.function_count;
    spare(&u, request);
    result->look_again = cc_warnings_lost(&u, request);
    cc_edit_init(&edits, source, size);
    text_add(&front, "\n# 1 \"<bursty>\" 3\n");
    if (request->cover) {
        cc_request own = *request;
        own.unit = number_of(&u, request->unit);
        cc_cover(&u, &own, &edits, &front, result);
    } else {
        flows = cc_flows(&u);
        cc_decide(&u, flows, request->file, &request->choice, &result->missed);
        result->checks = cc_points(&u, flows, &request->choice, number_of(&u, request->unit),
                                   &edits, &front, &refused);
        cc_graph_write(&u, flows, request->file, request->command, request->plan,
                       &result->records);
        if (!request->no_section) cc_graph_as_asm(&result->records, &front);
    }
    list_left(&u, &refused, result);
    free(refused.list);
    if (u.tokens.count > 0) close_front(&u, &front);
    else front.size = 0;
    text_bytes(&front, "", 1);
    cc_edit_apply(&edits, &result->out, front.data,
                  u.tokens.count > 0 ? u.tokens.list[0].at : size);
    cc_edit_free(&edits);
    text_free(&front);
    if (flows) cc_flows_free(&u, flows);
    cc_unit_free(&u);
    return 0;
}

void cc_result_free(cc_result *result) {
    cc_left_free(result->left, result->left_count);
    text_free(&result->out);
    text_free(&result->records);
}
