/* read_speedscope.c - reads speedscope's JSON and writes a profile of it as
   lines `outer;inner N`: read_speedscope FILE PROFILE [SCALE]. N is the weight
   times SCALE. It knows as much of JSON as is wanted for that; check_json.c
   says whether a file is JSON at all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *at;

static void fail(const char *why) {
    fprintf(stderr, "%s, at '%.20s'\n", why, at ? at : "");
    exit(1);
}

static void skip_blanks(void) { at += strspn(at, " \n\t\r"); }

static int take(char c) {
    skip_blanks();
    if (*at != c) return 0;
    at++;
    return 1;
}

/* A string. Of characters by number only ASCII occurs. */
static char *get_string(void) {
    char *start, *to;
    if (!take('"')) fail("no string");
    for (start = to = at; *at && *at != '"'; at++) {
        if (*at == '\\' && at[1] == 'u') {
            char digits[5] = {at[2], at[3], at[4], at[5], 0};
            *to++ = (char)strtol(digits, NULL, 16);
            at += 5;
            continue;
        }
        if (*at == '\\') at++;
        *to++ = *at;
    }
    if (!*at) fail("a string without an end");
    at++;
    *to = 0;
    return start;
}

static double get_number(void) {
    char *end;
    double number = strtod(at, &end);
    if (end == at) fail("no number");
    at = end;
    return number;
}

static void find(const char *words) {
    at = strstr(at, words);
    if (!at) {
        at = NULL;
        fail(words);
    }
    at += strlen(words);
}

enum { MOST = 400000 };
static char *frames[MOST];
static size_t *stacks[MOST], depths[MOST], frame_count, stack_count;

int main(int argc, char **argv) {
    FILE *file = argc > 2 ? fopen(argv[1], "rb") : NULL;
    double scale = argc > 3 ? atof(argv[3]) : 1, end_value, sum = 0;
    char *data = (char *)calloc(1, 1 << 28), unit[32];
    size_t size, i, k;
    int wanted;
    if (!file || !data) fail("no file");
    size = fread(data, 1, (1 << 28) - 1, file);
    if (!size) fail("an empty file");
    at = data;
    find("\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"");
    find("\"frames\":[");
    while (take('{')) {
        find("\"name\":");
        frames[frame_count++] = get_string();
        while (!take('}')) {
            if (!take(',')) fail("no comma");
            get_string();
            if (!take(':')) fail("no colon");
            skip_blanks();
            if (*at == '"') get_string();
            else get_number();
        }
        if (!take(',')) break;
    }
    find("\"profiles\":[");
    for (wanted = atoi(argv[2]); wanted >= 0; wanted--) find("{\"type\":\"sampled\",\"name\":");
    get_string();
    find("\"unit\":");
    snprintf(unit, sizeof unit, "%s", get_string());
    if (strcmp(unit, "none") != 0 && strcmp(unit, "milliseconds") != 0) fail("a unit that is none");
    find("\"endValue\":");
    end_value = get_number();
    find("\"samples\":[");
    while (take('[')) {
        stacks[stack_count] = (size_t *)malloc(30000 * sizeof(size_t));
        if (!stacks[stack_count]) fail("no memory");
        for (k = 0; !take(']'); k++) {
            skip_blanks();
            if (k >= 30000) fail("too deep");
            stacks[stack_count][k] = (size_t)get_number();
            if (stacks[stack_count][k] >= frame_count) fail("a frame that is not there");
            take(',');
        }
        depths[stack_count++] = k;
        if (!take(',')) break;
    }
    find("\"weights\":[");
    for (i = 0; i < stack_count; i++) {
        double weight = get_number();
        sum += weight;
        for (k = 0; k < depths[i]; k++)
            printf("%s%c", frames[stacks[i][k]], k + 1 < depths[i] ? ';' : ' ');
        printf("%.0f\n", weight * scale);
        if (!take(',') && i + 1 < stack_count) fail("fewer weights than stacks");
    }
    if (!take(']')) fail("more weights than stacks");
    if (sum > end_value * 1.000001 || sum < end_value * .999999) fail("endValue is not the sum");
    return 0;
}
