/* process.h - running other programs, and a folder of one's own. Where there is
   no fork, cc_can_run is 0 and the others fail. */
#ifndef CC_PROCESS_H
#define CC_PROCESS_H
#include <stddef.h>

/* A command: words that it owns, ended by NULL. */
typedef struct cc_command {
    char **words;
    size_t count, room;
} cc_command;

void cc_add_word(cc_command *c, const char *word);
void cc_add_words(cc_command *c, char *const *words, size_t count);
void cc_command_free(cc_command *c);

/* Where a program's messages go. */
typedef enum cc_messages { CC_TO_USER, CC_TO_NOWHERE, CC_TO_FILE,
                           CC_ANSWER /* the file gets what it prints, messages go nowhere */
} cc_messages;

int cc_can_run(void);
/* Replaces this program. Returns only if it fails, with a message and a
   status. */
int cc_exec(const cc_command *c);
/* Runs it and waits. path: for CC_TO_FILE and CC_ANSWER. Returns its status; 127 after a
   message if it cannot be started; 128 + n if signal n ended it or has come to
   this program, which then starts nothing. */
int cc_run(const cc_command *c, cc_messages messages, const char *path);

/* Makes a folder under TMPDIR, or under /tmp if that is none. From then on
   signals that would end this program end its compiler and are remembered;
   cc_obey_signal ends the program by them. NULL after a message. To be
   freed. */
char *cc_make_folder(void);
void cc_remove_folder(const char *folder);
void cc_obey_signal(void);
/* Removes what a compiler left, unless it is a device such as /dev/null. */
void cc_remove_output(const char *path);

int cc_make_directory(const char *path);
/* A new string: a and b joined. */
char *cc_join(const char *a, const char *b);
/* 0, or a status after a message. */
int cc_write_file(const char *path, const void *data, size_t size);
int cc_copy_file(const char *from, const char *to);
int cc_file_size(const char *path, size_t *size);
/* The size of a regular file. -1: there is nothing of that name. -2: it is
   something else. */
int cc_regular_size(const char *path, size_t *size);
/* The same as long as the file is: size, time of the last change. 0: there is
   no such file. */
unsigned long cc_file_stamp(const char *path);
/* A copy of a regular file with its time; -1 if there is none, silently. */
int cc_copy_with_time(const char *from, const char *to);
/* The current directory, or "". To be freed. */
char *cc_here(void);
/* Number of this process. */
unsigned long cc_process(void);
#endif
