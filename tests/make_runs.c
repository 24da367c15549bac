/* make_runs.c - writes a dump that lines on standard input describe: make_runs
   OUT

       tick US                    ticks come every so many microseconds; 0: by hand
       cpu US                     CPU time of the process while it ticked
       kernel US                  so much of it was in the kernel,
       look US                    which looks each so many microseconds (0: it knows)
       run N                      the program is called run N
       exact                      every call was counted; else 990 checks between bursts of 10
       checks N
       calls NAME@FILE:LINE N     so many calls
       ticks NAME@FILE:LINE;... N ticks of a stack, outermost first

   A function without @FILE:LINE has no place. */
#include "brst.inc"
#include <stdio.h>

enum { LINES = 20000, FRAMES = 64 };

typedef struct line { char *words; unsigned long long number; } line;
static line calls[LINES], ticks[LINES];
static size_t call_count, tick_count;

static void put_site(brst *b, const char *frame, size_t size) {
    size_t at = size;
    unsigned long long number = 0;
    while (at && frame[at - 1] != '@') at--;
    brst_number(b, 1);
    if (!at) {
        brst_bytes(b, frame, size);
        brst_string(b, "");
    } else {
        size_t colon = size;
        while (colon > at && frame[colon - 1] != ':') colon--;
        brst_bytes(b, frame, at - 1);
        brst_bytes(b, frame + at, colon - 1 - at);
        number = strtoull(frame + colon, NULL, 10);
    }
    BRST(b, number, 257);
}

/* Each path once, its parents in front of it. Stacks may come in any order. */
static void put_paths(brst *b) {
    static char *known[LINES];
    size_t count = 0, i, k, at, size;
    for (i = 0; i < tick_count; i++) {
        char *stack = ticks[i].words;
        size_t length = strlen(stack), parent = 0, start = 0;
        for (at = 0; at <= length; at++) {
            if (stack[at] && stack[at] != ';') continue;
            for (k = 0; k < count; k++)
                if (strlen(known[k]) == at && memcmp(known[k], stack, at) == 0) break;
            if (k == count && count < LINES) {
                unsigned long long own = 0;
                known[count] = (char *)calloc(1, at + 1);
                if (!known[count]) abort();
                memcpy(known[count++], stack, at);
                for (size = 0; size < tick_count; size++)
                    if (strcmp(ticks[size].words, known[k]) == 0) own += ticks[size].number;
                brst_number(b, 6);
                put_site(b, stack + start, at - start);
                BRST(b, parent ? k + 1 - parent : 0, own, 0, own);
            }
            parent = k + 1;
            start = at + 1;
        }
    }
}

int main(int argc, char **argv) {
    static char words[65536];
    unsigned long long tick = 1000, cpu = 0, checks = 100000, number;
    unsigned long long kernel = 0, look = 0;
    char program[32] = "run";
    int exact = 0;
    size_t i;
    brst b;
    FILE *file;
    memset(&b, 0, sizeof b);
    while (argc > 1 && fgets(words, sizeof words, stdin)) {
        char *at = words + strcspn(words, "\n"), *name;
        *at = 0;
        if (strcmp(words, "exact") == 0) exact = 1;
        while (at > words && at[-1] != ' ') at--;
        if (at == words) continue;
        number = strtoull(at, NULL, 10);
        at[-1] = 0;
        name = strchr(words, ' ');
        if (strcmp(words, "tick") == 0) tick = number;
        else if (strcmp(words, "cpu") == 0) cpu = number;
        else if (strcmp(words, "kernel") == 0) kernel = number;
        else if (strcmp(words, "look") == 0) look = number;
        else if (strcmp(words, "run") == 0) snprintf(program, sizeof program, "run %llu", number);
        else if (strcmp(words, "checks") == 0) checks = number;
        else if (name) {
            line *to = *words == 'c' ? &calls[call_count++] : &ticks[tick_count++];
            to->words = (char *)calloc(1, strlen(name));
            if (!to->words) abort();
            strcpy(to->words, name + 1);
            to->number = number;
        }
    }
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, program, checks, checks / 100, 0);
    if (call_count) {
        BRST(&b, 2, 0, exact ? UINT32_MAX : 990, 10, 80, 63, 2, checks / 1000, checks / 100);
    }
    if (tick_count) {
        BRST(&b, 5, tick);
        for (i = 0; i < 3; i++) brst_number(&b, 0);
        if (cpu) {
            BRST(&b, 11, cpu);
        }
        if (kernel) {
            brst_number(&b, 14);
            brst_counts(&b, cpu, kernel, look);
        }
    }
    brst_thread(&b, 0, 0, "main", checks, checks / 100, checks / 100, 0);
    for (i = 0; i < call_count; i++) {
        unsigned long long seen = exact ? calls[i].number : calls[i].number / 100;
        brst_number(&b, 4);
        put_site(&b, calls[i].words, strlen(calls[i].words));
        brst_number(&b, 0);
        brst_counts(&b, seen, (uint64_t)seen * (exact ? 256 : 25600), 0);
    }
    put_paths(&b);
    brst_end(&b);
    file = argc > 1 ? fopen(argv[1], "wb") : NULL;
    if (!file || fwrite(b.data, 1, b.size, file) != b.size || fclose(file) != 0) return 1;
    return 0;
}
