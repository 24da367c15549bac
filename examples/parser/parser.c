/* parser.c - a parser of numbers with + - * / and brackets, its edges counted by edgeprof.h.

   Each EP_ENTRY and EP_EDGE stands where its edge of the tables in parser_cfg.h is taken. Most of
   them vanish: parser_plan.h says which count. This file knows neither files nor a C library, so
   it also runs on a microcontroller (tests/firmware/edges.c). */
#include "parser.h"
#include "parser_cfg.h"
#include "edgeprof.h"
#ifndef EDGEPROF_CHECK
#include "parser_plan.h"
#endif

typedef struct parser {
    const char *at;
    int failed;
} parser;

EP_FUNC(parse_number);
EP_FUNC(parse_factor);
EP_FUNC(parse_product);
EP_FUNC(parse_sum);

static long parse_sum(parser *p);

static long parse_number(parser *p) {
    long number = 0;
    EP_ENTRY(parse_number);
    if (*p->at < '0' || *p->at > '9') {
        EP_EDGE(parse_number, 0);
        p->failed = 1;
        EP_EDGE(parse_number, 2);
        return 0;
    }
    EP_EDGE(parse_number, 1);
    while (*p->at >= '0' && *p->at <= '9') {
        EP_EDGE(parse_number, 3);
        number = (10 * number + (*p->at++ - '0')) % 1000000;
        EP_EDGE(parse_number, 4);
    }
    EP_EDGE(parse_number, 5);
    EP_EDGE(parse_number, 6);
    return number;
}

static long parse_factor(parser *p) {
    long value;
    EP_ENTRY(parse_factor);
    if (*p->at == '-') {
        EP_EDGE(parse_factor, 0);
        p->at++;
        value = -parse_factor(p);
        EP_EDGE(parse_factor, 2);
        return value;
    }
    EP_EDGE(parse_factor, 1);
    if (*p->at != '(') {
        EP_EDGE(parse_factor, 3);
        value = parse_number(p);
        EP_EDGE(parse_factor, 5);
        return value;
    }
    EP_EDGE(parse_factor, 4);
    p->at++;
    value = parse_sum(p);
    if (*p->at == ')') {
        EP_EDGE(parse_factor, 6);
        p->at++;
        EP_EDGE(parse_factor, 8);
    } else {
        EP_EDGE(parse_factor, 7);
        p->failed = 1;
        EP_EDGE(parse_factor, 9);
    }
    EP_EDGE(parse_factor, 10);
    return value;
}

static long parse_product(parser *p) {
    long value, right;
    EP_ENTRY(parse_product);
    value = parse_factor(p);
    EP_EDGE(parse_product, 0);
    for (;;) {
        if (*p->at == '*') {
            EP_EDGE(parse_product, 1);
            p->at++;
            value = value * parse_factor(p) % 1000000;
            EP_EDGE(parse_product, 3);
            continue;
        }
        EP_EDGE(parse_product, 2);
        if (*p->at != '/') {
            EP_EDGE(parse_product, 4);
            break;
        }
        EP_EDGE(parse_product, 5);
        p->at++;
        right = parse_factor(p);
        if (right == 0) {
            EP_EDGE(parse_product, 6);
            p->failed = 1;
            EP_EDGE(parse_product, 8);
            return 0;
        }
        EP_EDGE(parse_product, 7);
        value /= right;
        EP_EDGE(parse_product, 9);
    }
    EP_EDGE(parse_product, 10);
    return value;
}

static long parse_sum(parser *p) {
    long value;
    EP_ENTRY(parse_sum);
    value = parse_product(p);
    EP_EDGE(parse_sum, 0);
    while (*p->at == '+' || (EP_EDGE(parse_sum, 2), *p->at == '-')) {
        int minus = *p->at++ == '-';
        if (minus) EP_EDGE(parse_sum, 3);
        else EP_EDGE(parse_sum, 1);
        value += minus ? -parse_product(p) : parse_product(p);
        EP_EDGE(parse_sum, 5);
    }
    EP_EDGE(parse_sum, 4);
    EP_EDGE(parse_sum, 6);
    return value;
}

int parser_evaluate(const char *text, long *value) {
    parser p = {0, 0};
    p.at = text;
    *value = parse_sum(&p);
    return p.failed || *p.at ? -1 : 0;
}
