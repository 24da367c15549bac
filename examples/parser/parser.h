/* parser.h - the example of edgeprof.h: a parser of numbers with + - * / and brackets, small enough
   to be read at once. */
#ifndef PARSER_H
#define PARSER_H

/* Evaluates text. Returns 0 and the value, or -1: it is no expression, or divides by zero. */
int parser_evaluate(const char *text, long *value);
#endif
