/* tree_json.h - the columns of a tree as JSON: as lists, or packed where there
   are very many. */
#ifndef MODEL_TREE_JSON_H
#define MODEL_TREE_JSON_H
#include "report/model/report.h"

/* Adds `"parent":[..],"name":[..],"lower":[..],"upper":[..]` without a comma
   before it; with ranges share_low and share_high behind; with threads,
   `"threads":{..}`. low, high: of each node, above 1: none; or NULL. If
   r->options.packs_trees, a tree of very many nodes becomes `"packed":{..}`
   (docs/formats.md) with its nodes in another order: the hottest child
   first. */
void report_tree_json(const report *r, const report_tree *tree, const double *low, const double *high,
                      text *out);
/* Adds `"places":[..],` and a line's end: where each name stands in the source,
   "FILE:LINE", or nothing. Nothing of a tree without files. */
void report_tree_places(const report_tree *tree, text *out);
#endif
