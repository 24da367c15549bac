/* check_json.c - reads standard input; status 0 if it is one JSON value (RFC
   8259), else says at which byte it is not. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *at, *start;

static void bad(const char *what) {
    fprintf(stderr, "byte %ld: %s\n", (long)(at - start), what);
    exit(1);
}

static void blanks(void) { while (*at && strchr(" \t\r\n", *at)) at++; }

static void expect(char c) {
    if (*at != c) bad("another character is due");
    at++;
}

static void string(void) {
    expect('"');
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20) bad("a control character in a string");
        if (*at != '\\') continue;
        at++;
        if (*at == 'u') {
            int i;
            for (i = 0; i < 4; i++)
                if (!isxdigit((unsigned char)*++at)) bad("four hex digits are due");
        } else if (!*at || !strchr("\"\\/bfnrt", *at)) bad("no such escape");
    }
    at++;
}

static void digits(void) {
    if (!isdigit((unsigned char)*at)) bad("a digit is due");
    while (isdigit((unsigned char)*at)) at++;
}

static void number(void) {
    if (*at == '-') at++;
    if (*at == '0') at++; else digits();
    if (*at == '.') {
        at++;
        digits();
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        if (*at == '+' || *at == '-') at++;
        digits();
    }
}

static void value(int depth) {
    char close = *at == '{' ? '}' : ']';
    if (depth > 64) bad("too deep");
    if (*at == '"') string();
    else if (*at == '-' || isdigit((unsigned char)*at)) number();
    else if (strncmp(at, "true", 4) == 0 || strncmp(at, "null", 4) == 0) at += 4;
    else if (strncmp(at, "false", 5) == 0) at += 5;
    else if (*at == '{' || *at == '[') {
        at++;
        blanks();
        if (*at == close) {
            at++;
            return;
        }
        for (;;) {
            blanks();
            if (close == '}') {
                string();
                blanks();
                expect(':');
                blanks();
            }
            value(depth + 1);
            blanks();
            if (*at != ',') break;
            at++;
        }
        expect(close);
    } else bad("no value");
}

int main(void) {
    size_t size = 0, room = 1 << 16;
    start = (char *)malloc(room);
    while (start) {
        size += fread(start + size, 1, room - size - 1, stdin);
        if (size < room - 1) break;
        start = (char *)realloc(start, room *= 2);
    }
    if (!start) return 1;
    start[size] = 0;
    at = start;
    blanks();
    value(0);
    blanks();
    if (at != start + size) bad("something behind the value");
    return 0;
}
