/* missed.c - misses by calling context. Nothing is done at calls: at a miss the
   tree goes from the path of the last miss to the one of now. That costs as many
   steps as the two have calls. */
#include "missed.h"

size_t missed_bytes(void) { return sizeof(missed_tree) + hcct_bytes(NULL, RECORDER_CONTEXTS); }

missed_tree *missed_init(void *memory, contexts *sums) {
    missed_tree *m = (missed_tree *)memory;
    hcct_init(&m->tree, m + 1, missed_bytes() - sizeof *m, NULL);
    m->sums = sums;
    return m;
}

/* The calls are those of functions with checks. Where the innermost of them is
   another function than the one that missed, that one stands below it: so the
   contexts of a function have all of its misses. */
void missed_add(missed_tree *m, const recorder_frame *frames, uint32_t count, uint32_t function) {
    uint32_t same = 0, n;
    if (count && frames[count - 1].key == function) count--;
    while (same < count && same < m->depth && m->keys[same] == frames[same].key) same++;
    if (same == count && m->depth > same && m->keys[same] == function) same++;
    for (n = m->depth; n > same; n--) hcct_leave(&m->tree);
    for (n = same; n <= count; n++) {
        m->keys[n] = n < count ? frames[n].key : function;
        hcct_enter(&m->tree, m->keys[n], 0);
    }
    m->depth = count + 1;
    hcct_add(&m->tree, 1);
    if (m->sums) contexts_count(m->sums, &m->tree, function, 1);
}

int missed_write(const missed_tree *m, hcct_write_fn write, void *user) {
    static hcct tree;                       /* the thread may go on with its own */
    tree = m->tree;
    if (!tree.stats.total) return 0;
    tree.config.unit = "misses";
    tree.config.sums = m->sums ? contexts_numbers : NULL;
    tree.config.sums_user = m->sums;
    return hcct_write(&tree, recorder_name, NULL, write, user);
}
