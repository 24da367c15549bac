/* fuzz_place.c - libFuzzer target: objects, archives and call graphs from
   strangers. Whatever can be read is planned, checked, written and shown; no
   cycle of calls or loops may be left open. */
#include "cc/place/place.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const sets[] = {"Q", "EC+L4+bounded+always", "EL+L10", "all"};
    text out = {NULL, 0, 0};
    place_rules rules;
    graph g;
    size_t i;
    memset(&g, 0, sizeof g);
    if (graph_take(&g, "fuzz", data, size, 0) == TOOL_OK) {
        graph_join(&g);
        for (i = 0; i < sizeof sets / sizeof *sets; i++) {
            placement p;
            place_proof proof;
            place_set(&rules, sets[i]);
            place_choose(&p, &g, &rules);
            place_check(&proof, &g, p.entry, p.loop, &rules);
            if (proof.open_nodes || proof.open_loops) abort();
            plan_write(&g, &p, &out);
            show_summary(&g, &p, &proof, 0, &out);
            show_list(&g, &p, &out);
            show_json(&g, &p, &proof, &out);
            show_dot(&g, &p, &out);
            if (g.node_count) show_why(&g, &p, g.names[g.nodes[0].name], &out);
            out.size = 0;
            place_proof_free(&proof);
            place_free(&p);
        }
    }
    text_free(&out);
    graph_free(&g);
    return 0;
}
