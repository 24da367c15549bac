/* stacks.h - what forms of whole stacks share: which trees they show, and how
   large they become. */
#ifndef STACKS_H
#define STACKS_H
#include "report/model/report.h"

/* Trees of whole stacks in one unit, or in all (NULL). */
typedef struct stacks { const report_tree **trees; size_t count; } stacks;

stacks stacks_of(const report *r, const char *unit);
void stacks_free(stacks *s);
/* In the trees of the report: has a writer something to show? */
int stacks_are_there(const report *r);

/* A stack for each node: its size grows with its depth, and all of them with
   the square of it. So a small file could fill a disk: a chain of 20 000 calls
   in 20 kB has 40 GB of stacks. More than 64 MiB and 1 KiB a node is refused,
   and --whole-stacks says to do it all the same. No stack is ever cut.
   frame_bytes: of each frame; 0: as long as the names. Returns a TOOL_ status,
   after a message. */
int stacks_refuse(const report *r, const stacks *s, const char *form, size_t frame_bytes);

/* Frames of each name of a tree, to be freed by stacks_free_names. */
char **stacks_names(const report_tree *tree);
void stacks_free_names(const report_tree *tree, char **names);
#endif
