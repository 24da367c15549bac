/* part.c - a second translation unit: declarations alone, and a use of each
   header, so that the link is a real one. */
#include "bursty.h"
#include "hcct.h"
#include "footprint.h"
#include "hotstream.h"
#include "edgeprof.h"
#include "binpatch.h"

int main(void) {
    static hcct tree;
    static footprint window;
    static hotstream streams;
    static edgeplan plan;
    static const uint32_t ends[] = {0, 1};
    static const edgeplan_graph graph = {2, 1, 0, 1, 0, 0, ends};
    static edgetrace_reader reader;
    BURST_ENTRY();
    if (edgeplan_init(&plan, NULL, 0, &graph) != 0 || edgeprof_bytes(NULL, 0) != 0) return 1;
    if (edgetrace_reader_init(&reader, NULL, 0, NULL, 0) != 0) return 1;
    if (hcct_init(&tree, NULL, 0, NULL) != 0 || hotstream_init(&streams, NULL, 0, NULL) != 0)
        return 1;
    if (callpaths_tree(0) != NULL) return 1;
    return bursty_start(NULL) != 0 && footprint_init(&window, NULL, 0, NULL) == 0 ? 0 : 1;
}
