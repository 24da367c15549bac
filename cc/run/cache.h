/* cache.h - a folder of what `bursty cc` need not make twice: objects of the
   runtime, plugins, answers of compilers. It is $BURSTY_CACHE,
   $XDG_CACHE_HOME/bursty or ~/.cache/bursty.

   What lies there goes into compilers and programs. So nothing is taken that
   another user could have put there: the folder and the file belong to this
   user or to root, and nobody else may write them. Folders above it are the
   user's matter. */
#ifndef CC_CACHE_H
#define CC_CACHE_H
#include <stddef.h>

/* The folder and a '/', made if it is missing. NULL if there is none that is
   safe. To be freed. */
char *cc_cache_folder(void);
/* Says on stderr that the folder is not used because others could write there;
   nothing if it is used, or there is none. */
void cc_cache_warn(void);
/* Is it a regular file that can be read, and that nobody else could have written? */
int cc_cache_has(const char *path);
/* An empty new file beside path, for what shall get that name. NULL, without a
   message, if none can be made. To be freed. */
char *cc_cache_part(const char *path);
/* Gives it the name. Returns 0; or -1, and it is gone. Frees part. */
int cc_cache_settle(char *part, const char *path);
/* Keeps data there: complete, or not at all (-1, without a message). */
int cc_cache_keep(const char *path, const void *data, size_t size);
#endif
