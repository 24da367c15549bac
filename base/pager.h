/* pager.h - a long text on a terminal goes through the user's pager.

   PAGER names it; without PAGER it is less, which ends at once if all fits the
   screen. An empty PAGER or `cat` is none. */
#ifndef PAGER_H
#define PAGER_H

/* Sends standard output through a pager if path (NULL or "-") means that, if it
   is a terminal, and if there is a pager. Call it before anything was
   printed. */
void pager_begin(const char *path);
/* Waits until the user has read all. */
void pager_end(void);
#endif
