/* left.c - functions that are left alone. */
#include "cc/put/rewrite.h"
#include "base/tool.h"
#include <stdlib.h>

void cc_left_add(cc_left **list, uint32_t *count, const cc_left *one) {
    *list = (cc_left *)tool_grow(*list, (*count + 1) * sizeof **list);
    (*list)[(*count)++] = *one;
}

void cc_left_free(cc_left *list, uint32_t count) {
    uint32_t i;
    for (i = 0; i < count; i++) {
        free(list[i].name);
        free(list[i].file);
    }
    free(list);
}
