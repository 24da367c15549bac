/* check.c - the text of one check, of one event, and of its place in the table. */
#include "cc/put/dual.h"
#include <stdlib.h>

static void add_string(text *out, const char *bytes, size_t size) {
    size_t i;
    text_add(out, "\"");
    for (i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '"' || c == '\\' || c < 32 || c == '?') text_format(out, "\\%03o", c);
        else text_bytes(out, bytes + i, 1);
    }
    text_add(out, "\"");
}

uint32_t cc_add_site(cc_writer *p, uint32_t name, uint32_t token, int kind) {
    const cc_tokens *t = &p->u->tokens;
    const char *file = t->files[t->list[token].file].name;
    size_t size = 0;
    text spelled = {NULL, 0, 0};
    while (file[size]) size++;
    text_add(&p->sites, "{");
    cc_spell(t, name, &spelled);
    add_string(&p->sites, spelled.data, spelled.size);
    text_free(&spelled);
    text_add(&p->sites, ",");
    add_string(&p->sites, file, size);
    text_format(&p->sites, ",%luu,%du},\n", (unsigned long)t->list[token].line,
                kind | CC_PLACED);
    return p->count++;
}

const char *cc_word(const cc_writer *p) {
    return p->choice->scope ? "bursty_cc_here.n" : "bursty_cc_word";
}

/* The assembly of bursty.h, "checks and scopes that keep registers". It changes no
   memory that the program knows, so it has no clobber of memory: with one, gcc would
   read every variable that is not local again after each check. It is volatile, so gcc
   does not move it, and does not take a function that has it for a pure one, of whose
   calls with the same arguments it would make one. Where C code near it reads the
   thread's word, it has the clobber. */
static void keeping_expression(const cc_writer *p, text *out, uint32_t site) {
    const cc_choice *c = p->choice;
    int by_address = c->keeps == CC_KEEPS_BY_ADDRESS;
    text_add(out, "__extension__({__asm__ __inline __volatile__(\"decl\\t");
    text_add(out, by_address ? "%%fs:bursty_here_tls_64@tpoff" : "%[word]");
    text_add(out, "\\n\\tjs\\t771f\\n772:\\t.subsection 1\\n771:\\t"
                  ".byte 0x48, 0x83, 0xc4, 0x80\\n\\tcall\\tbursty_thunk\\n\\t"
                  ".byte 0xe9\\n\\t.long 772b - . - 4\\n\\t.long %c[site] - .\\n\\t"
                  ".previous\":");
    if (!by_address) text_format(out, "[word]\"+m\"(%s)", cc_word(p));
    text_format(out, ":[site]\"i\"(&%s[%lu]):\"cc\"%s);})", p->table, (unsigned long)site,
                c->scope || c->dual || c->keep_events ? ",\"memory\"" : "");
}

void cc_check_expression(const cc_writer *p, text *out, uint32_t site) {
    if (p->choice->keeps != CC_KEEPS_NOT) {
        keeping_expression(p, out, site);
        return;
    }
    text_format(out, "(__builtin_expect((int)--%s<0,0)?(void)bursty_cc_hit(&%s[%lu],0ul):(void)0)",
                cc_word(p), p->table, (unsigned long)site);
}

/* Only in a burst: a test that counts nothing. In a second copy it says behind
   which check it stands, also when the burst has ended. */
void cc_event_expression(const cc_writer *p, text *out, uint32_t site, int kind, int second) {
    if (second) {
        text_format(out, "(bursty_at?bursty_cc_since(&%s[%lu],0ul,%du,bursty_at):(void)0)",
                    p->table, (unsigned long)site, kind);
        return;
    }
    text_format(out, "(__builtin_expect((int)%s<0,0)?bursty_cc_event(&%s[%lu],0ul,%du):(void)0)",
                cc_word(p), p->table, (unsigned long)site, kind);
}


char *cc_as_declaration(text *expression, uint32_t site) {
    text t = {NULL, 0, 0};
    text_format(&t, "__attribute__((unused)) char bursty_%lu=(", (unsigned long)site);
    text_bytes(&t, expression->data, expression->size);
    text_add(&t, ",0);");
    text_free(expression);
    return text_take(&t);
}

char *cc_check_declaration(const cc_writer *p, uint32_t site) {
    text t = {NULL, 0, 0};
    cc_check_expression(p, &t, site);
    return cc_as_declaration(&t, site);
}

char *cc_event_declaration(const cc_writer *p, uint32_t site, int kind, int second) {
    text t = {NULL, 0, 0};
    cc_event_expression(p, &t, site, kind, second);
    return cc_as_declaration(&t, site);
}
