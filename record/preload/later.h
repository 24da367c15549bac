/* later.h - libraries that the program loaded by dlopen, behind our start: for
   patch.c and patch_file.c. */
#ifndef LATER_H
#define LATER_H
#include <stdint.h>

/* All that is there now was there from the start. */
void later_start(void);
/* Notes what is mapped now and was not there at the start. */
void later_look(void);
/* How many there were, and the file of one; NULL: there is no room for its
   name. */
uint32_t later_count(void);
const char *later_name(uint32_t number);
#endif
