/* main_cjson.c - writes a document of argv[1] records as JSON text, then
   argv[2] times parses it, edits it, and prints it pretty and packed; prints
   sizes and checksums. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cJSON.h"

static unsigned seed = 12345;
static unsigned next(unsigned n) {
    seed = seed * 1103515245u + 12345u;
    return seed / 65536 % n;
}

static unsigned checksum(const char *s) {
    unsigned sum = 0;
    while (*s) sum = sum * 31 + (unsigned char)*s++;
    return sum;
}

static char *document(int records) {
    size_t room = (size_t)records * 400 + 3;
    char *text = malloc(room), *p = text;
    if (!text) exit(1);
    p += sprintf(p, "[");
    for (int i = 0; i < records; i++) {
        p += sprintf(p,
            "%s\n  {\"id\": %d, \"name\": \"record \\u00e9 %u\", \"active\": %s, \"score\": "
            "%u.%03ue-2, \"tags\": [",
            i ? "," : "", i, next(100000), next(2) ? "true" : "false", next(1000), next(1000));
        for (unsigned k = 0, n = next(6); k < n; k++)
            p += sprintf(p, "%s\"tag\\t%u\"", k ? ", " : "", next(50));
        p += sprintf(p,
            "], \"position\": {\"x\": -%u.5, \"y\": %u, \"path\": [%u, %u, null, [%u]]}}",
            next(500), next(500), next(10), next(10), next(10));
    }
    sprintf(p, "\n]\n");
    return text;
}

int main(int argc, char **argv) {
    if (argc < 3) return fprintf(stderr, "usage: cjson RECORDS TIMES\n"), 1;
    char *text = document(atoi(argv[1]));
    for (int i = 0; i < atoi(argv[2]); i++) {
        cJSON *root = cJSON_Parse(text), *record;
        if (!root) return 1;
        double total = 0;
        cJSON_ArrayForEach(record, root) {
            cJSON *score = cJSON_GetObjectItemCaseSensitive(record, "score");
            total += score->valuedouble;
            cJSON_SetNumberValue(score, score->valuedouble + 1);
            cJSON_AddItemToObject(record, "seen", cJSON_CreateNumber(i));
        }
        char *pretty = cJSON_Print(root), *packed = cJSON_PrintUnformatted(root);
        if (!pretty || !packed) return 1;
        printf("%.3f %zu %08x %zu %08x\n", total, strlen(pretty), checksum(pretty), strlen(packed),
            checksum(packed));
        free(pretty), free(packed);
        cJSON_Delete(root);
    }
    free(text);
    return 0;
}
