/* parser_cfg.h - the tables of parser.c for edgeprof.h: vertices with their lines, then edges.
   The first vertex is the entry, the last is EXIT. */

#define EP_CFG_parse_number(V, E, F) \
    V(F, entry, 28) V(F, error, 30) V(F, digit, 35) V(F, body, 37) V(F, result, 42) \
    V(F, done, 0) \
    E(F, 0, entry, error) E(F, 1, entry, digit) E(F, 2, error, done) E(F, 3, digit, body) \
    E(F, 4, body, digit) E(F, 5, digit, result) E(F, 6, result, done)

#define EP_CFG_parse_factor(V, E, F) \
    V(F, entry, 48) V(F, minus, 51) V(F, bracket, 56) V(F, number, 58) V(F, inside, 64) \
    V(F, closed, 67) V(F, open, 71) V(F, result, 75) V(F, done, 0) \
    E(F, 0, entry, minus) E(F, 1, entry, bracket) E(F, 2, minus, done) \
    E(F, 3, bracket, number) E(F, 4, bracket, inside) E(F, 5, number, done) \
    E(F, 6, inside, closed) E(F, 7, inside, open) E(F, 8, closed, result) \
    E(F, 9, open, result) E(F, 10, result, done)

#define EP_CFG_parse_product(V, E, F) \
    V(F, entry, 81) V(F, loop, 84) V(F, times, 87) V(F, slash, 92) V(F, result, 110) \
    V(F, divide, 98) V(F, zero, 101) V(F, quotient, 106) V(F, done, 0) \
    E(F, 0, entry, loop) E(F, 1, loop, times) E(F, 2, loop, slash) E(F, 3, times, loop) \
    E(F, 4, slash, result) E(F, 5, slash, divide) E(F, 6, divide, zero) \
    E(F, 7, divide, quotient) E(F, 8, zero, done) E(F, 9, quotient, loop) \
    E(F, 10, result, done)

#define EP_CFG_parse_sum(V, E, F) \
    V(F, entry, 116) V(F, loop, 118) V(F, minus, 118) V(F, more, 122) V(F, result, 127) \
    V(F, done, 0) \
    E(F, 0, entry, loop) E(F, 1, loop, more) E(F, 2, loop, minus) E(F, 3, minus, more) \
    E(F, 4, minus, result) E(F, 5, more, loop) E(F, 6, result, done)
