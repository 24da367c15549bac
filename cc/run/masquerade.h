/* masquerade.h - `bursty cc` under the names of compilers: a link to the tool
   that is called bursty-cc, gcc-bursty or, in a folder of its own in front of
   PATH, gcc. */
#ifndef CC_MASQUERADE_H
#define CC_MASQUERADE_H

/* What a link's name asks for, as the command line of bursty cc:
     bursty-cc gcc -c x.c        cc OPTIONS -- gcc -c x.c
     gcc-bursty -c x.c           cc OPTIONS -- gcc -c x.c
     FOLDER/gcc -c x.c           cc OPTIONS -- gcc -c x.c, and not the gcc of FOLDER
   OPTIONS are the words of BURSTY_CC.
   Returns 1 if *count and *words are such a line, 0 if the tool was called by a name of its own,
   and -1 after a message. */
int cc_masquerade(int argc, char **argv, int *count, char ***words);

/* Takes folders out of PATH in which `compiler` or cc is this tool: the
   compiler that it starts, and what that starts, shall be others. Does nothing
   if compiler is a path. */
void cc_leave_masquerade(const char *compiler);
#endif
