/* paths.h - stacks as text for tables: `main > run > (12 more) > parse >
   next`. */
#ifndef MODEL_PATHS_H
#define MODEL_PATHS_H
#include "report/model/report.h"

/* The stacks of count rows of a table, by nodes of the tree, which must outlive
   the table. Text is made when it is wanted, so that a deep tree takes little
   memory; two rows never have the same text. Cost: n log n. Free it with the
   table: report_table.paths. */
report_paths *report_paths_make(const report_tree *tree, const uint32_t *nodes, size_t count);
/* Adds the text of one of these rows. */
void report_path(const report_paths *paths, uint32_t node, text *out);
/* The same with fewer frames, so that it has at most so many columns, if it
   can: no name is cut. Two rows may get the same text. */
void report_path_fit(const report_paths *paths, uint32_t node, size_t most, text *out);
/* Does the pattern match one of its frames, shown or not? */
int report_path_matches(const report_paths *paths, uint32_t node, const char *pattern);
/* Adds the name of a function of a tree, with its place or number if others
   have that name. */
void report_path_name(const report_tree *tree, uint32_t name, text *out);
/* The same in full. To be freed by the caller. */
char *report_frame(const report_tree *tree, uint32_t name);
/* May be NULL. */
void report_paths_free(report_paths *paths);
#endif
