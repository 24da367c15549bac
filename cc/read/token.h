/* token.h - the tokens of a preprocessed C file.

   The text stays as it is: a token is a place in it. Markers (`# 12 "file.h"
   3`) and pragmas are no tokens; they say of what file and line the tokens
   behind them are. */
#ifndef CC_TOKEN_H
#define CC_TOKEN_H
#include "base/text.h"
#include <stddef.h>
#include <stdint.h>

typedef enum cc_kind { CC_END, CC_NAME, CC_NUMBER, CC_STRING, CC_CHARACTER, CC_OPERATOR } cc_kind;

/* Keywords that the parser looks at. An operator's word is made of its
   characters: CC_OP2('&', '&') is &&. So no keyword is below CC_KEYWORDS. */
#define CC_OP2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)
#define CC_OP3(a, b, c) (CC_OP2(a, b) | (uint32_t)(c) << 16)
enum {
    CC_KEYWORDS = 1 << 24,
    CC_IF,
    CC_ELSE,
    CC_WHILE,
    CC_DO,
    CC_FOR,
    CC_SWITCH,
    CC_CASE,
    CC_DEFAULT,
    CC_GOTO,
    CC_BREAK,
    CC_CONTINUE,
    CC_RETURN,
    CC_STRUCT,        /* and union */
    CC_ENUM,
    CC_TYPEDEF,
    CC_STATIC,
    CC_EXTERN,
    CC_INLINE,
    CC_AUTO_TYPE,
    CC_TYPE,          /* int, const, register ... : a declaration begins so */
    CC_ATTRIBUTE,
    CC_DECLSPEC,
    CC_ASM,
    CC_TYPEOF,
    CC_ALIGNAS,
    CC_SIZEOF,        /* and _Alignof */
    CC_UNTOUCHED,     /* offsetof, _Generic, _Static_assert, __builtin_constant_p ... */
    CC_EXTENSION,
    CC_LOCAL_LABEL
};

typedef struct cc_token {
    uint32_t at, size;    /* its bytes in the text */
    uint32_t match;       /* of a bracket: the number of the token that is its other one */
    uint32_t line;
    uint32_t word;        /* of a keyword or an operator; 0 otherwise */
    uint16_t file;        /* index into files */
    uint8_t kind;         /* cc_kind */
    uint8_t skipped;      /* set by the parser: what stands here is never touched */
    uint8_t plain;        /* set by the parser: a name that is declared here, or that is called
                             directly. Any other use of a function takes its address */
} cc_token;

/* Names in `#pragma weak a = b` and `#pragma redefine_extname a b`: places in
   the text. */
typedef struct cc_pragma_name { uint32_t at, size; } cc_pragma_name;

typedef struct cc_file {
    char *name;
    int in_system;        /* its marker carries flag 3 */
} cc_file;

typedef struct cc_tokens {
    const char *text;
    size_t size;
    cc_token *list;       /* ended by one of kind CC_END */
    uint32_t count;       /* without that one */
    cc_file *files;
    uint32_t file_count;
    cc_pragma_name *renamed;
    uint32_t renamed_count;
    const char *reason;   /* after a refusal: why, and in what line of the text */
    uint32_t reason_line;
} cc_tokens;

/* Cuts text[0..size), which must stay, into tokens. Returns 0, or -1 with a
   reason: a bracket or a quote without its partner. */
int cc_tokenize(cc_tokens *t, const char *text, size_t size);
void cc_tokens_free(cc_tokens *t);

/* Is token i that operator or keyword? */
static inline int cc_is(const cc_tokens *t, uint32_t i, uint32_t word) {
    return t->list[i].word == word;
}
/* Is token i a name and no keyword? */
static inline int cc_is_name(const cc_tokens *t, uint32_t i) {
    return t->list[i].kind == CC_NAME && t->list[i].word == 0;
}
/* Is the rest of token i spelled so, if its first byte is? */
int cc_spells_all(const cc_tokens *t, uint32_t i, const char *word);
/* Does token i have this spelling? Asked of each token for many words: most
   differ at once. */
static inline int cc_spells(const cc_tokens *t, uint32_t i, const char *word) {
    const cc_token *token = &t->list[i];
    return token->size > 0 && t->text[token->at] == *word && cc_spells_all(t, i, word);
}
/* Appends a name as its author wrote it: gcc writes a letter that is not of
   ASCII as a number. */
void cc_spell(const cc_tokens *t, uint32_t i, text *out);
/* Are two tokens of one file? What a macro of a system header makes is still of
   the user's file. */
int cc_same_file(const cc_tokens *t, uint32_t a, uint32_t b);
/* Does token i's spelling begin like that? */
int cc_begins(const cc_tokens *t, uint32_t i, const char *word);
#endif
