/* process.c - running compilers in a folder of one's own. */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#endif
#include "cc/run/process.h"
#include "base/tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void cc_add_word(cc_command *c, const char *word) {
    size_t size = word ? strlen(word) + 1 : 0;
    TOOL_ROOM(char *, c->words, c->count + 1, c->room);
    if (!word) return;
    c->words[c->count] = (char *)tool_alloc(size);
    memcpy(c->words[c->count++], word, size);
    c->words[c->count] = NULL;
}

void cc_add_words(cc_command *c, char *const *words, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) cc_add_word(c, words[i]);
}

void cc_command_free(cc_command *c) {
    size_t i;
    for (i = 0; i < c->count; i++) free(c->words[i]);
    free(c->words);
    memset(c, 0, sizeof *c);
}

char *cc_join(const char *a, const char *b) {
    size_t m = strlen(a), n = strlen(b);
    char *joined = (char *)tool_alloc(m + n + 1);
    memcpy(joined, a, m);
    memcpy(joined + m, b, n + 1);
    return joined;
}

int cc_write_file(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    int failed;
    if (!file) {
        tool_system_error(path);
        return TOOL_FAILED;
    }
    failed = fwrite(data, 1, size, file) != size;
    if (fclose(file) != 0) failed = 1;
    if (failed) tool_system_error(path);
    return failed ? TOOL_FAILED : TOOL_OK;
}

int cc_copy_file(const char *from, const char *to) {
    size_t size;
    unsigned char *data = tool_read_file(from, NULL, &size);
    int status;
    if (!data) return TOOL_FAILED;
    status = cc_write_file(to, data, size);
    free(data);
    return status;
}

int cc_file_size(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    long end = -1;
    if (!file) return -1;
    if (fseek(file, 0, SEEK_END) == 0) end = ftell(file);
    fclose(file);
    if (end < 0) return -1;
    *size = (size_t)end;
    return 0;
}

#if defined(_WIN32)

int cc_can_run(void) { return 0; }
int cc_exec(const cc_command *c) {
    (void)c;
    return 127;
}
int cc_run(const cc_command *c, cc_messages messages, const char *path) {
    (void)c;
    (void)messages;
    (void)path;
    return 127;
}
char *cc_make_folder(void) { return NULL; }
void cc_remove_folder(const char *folder) { (void)folder; }
void cc_obey_signal(void) {}
int cc_regular_size(const char *path, size_t *size) { return cc_file_size(path, size); }
unsigned long cc_file_stamp(const char *path) {
    (void)path;
    return 0;
}
int cc_copy_with_time(const char *from, const char *to) {
    (void)from;
    (void)to;
    return -1;
}
void cc_remove_output(const char *path) { remove(path); }
int cc_make_directory(const char *path) {
    (void)path;
    return -1;
}
char *cc_here(void) { return cc_join("", ""); }
unsigned long cc_process(void) { return 0; }

#else
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t child, caught;
static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
enum { ENDING = sizeof ending / sizeof *ending };

int cc_can_run(void) { return 1; }

int cc_exec(const cc_command *c) {
    fflush(NULL);
    execvp(c->words[0], c->words);
    tool_system_error(c->words[0]);
    return 127;
}

static void redirect(cc_messages messages, const char *path) {
    int to = -1;
    if (messages == CC_ANSWER) {
        to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (to >= 0) dup2(to, 1);
        if (to >= 0) close(to);
        messages = CC_TO_NOWHERE;
    }
    if (messages == CC_TO_NOWHERE) to = open("/dev/null", O_WRONLY);
    if (messages == CC_TO_FILE) to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (to < 0) return;
    dup2(to, 2);
    close(to);
}

/* Sends the compiler what this program got. The rest happens outside of the
   handler: cc_run returns, nothing more is started, and the caller cleans up
   and calls cc_obey_signal. */
static void on_signal(int number) {
    int before = errno;
    caught = number;
    if (child > 0) kill((pid_t)child, number);
    errno = before;
}

/* A signal that is ignored, as under nohup, stays so. */
static void catch_signals(void) {
    struct sigaction action, now;
    size_t i;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    for (i = 0; i < ENDING; i++) {
        if (sigaction(ending[i], NULL, &now) != 0 || now.sa_handler == SIG_IGN) continue;
        sigaction(ending[i], &action, NULL);
    }
}

static void stop_catching(void) {
    struct sigaction action, now;
    size_t i;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    for (i = 0; i < ENDING; i++) {
        if (sigaction(ending[i], NULL, &now) != 0 || now.sa_handler == SIG_IGN) continue;
        sigaction(ending[i], &action, NULL);
    }
}

void cc_obey_signal(void) {
    int number = (int)caught;
    if (!number) return;
    stop_catching();
    raise(number);
}

int cc_run(const cc_command *c, cc_messages messages, const char *path) {
    int status = 0;
    pid_t process;
    fflush(NULL);
    if (caught) return 128 + (int)caught;
    process = fork();
    if (process == 0) {
        stop_catching();
        redirect(messages, path);
        execvp(c->words[0], c->words);
        tool_system_error(c->words[0]);
        _exit(127);
    }
    if (process < 0) {
        tool_system_error(c->words[0]);
        return 127;
    }
    child = (sig_atomic_t)process;
    if (caught) kill(process, (int)caught);
    while (waitpid(process, &status, 0) < 0) {
        if (errno != EINTR) return 127;
    }
    child = 0;
    if (caught) return 128 + (int)caught;
    if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    return WEXITSTATUS(status);
}

/* Removes what is in the folder: files, and folders of files. */
static void remove_tree(const char *folder, int depth) {
    DIR *directory = opendir(folder);
    struct dirent *entry;
    if (directory) {
        while ((entry = readdir(directory)) != NULL) {
            char *slash, *path;
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
            slash = cc_join(folder, "/");
            path = cc_join(slash, entry->d_name);
            if (unlink(path) != 0 && depth < 4) remove_tree(path, depth + 1);
            free(path);
            free(slash);
        }
        closedir(directory);
    }
    rmdir(folder);
}

void cc_remove_folder(const char *folder) { remove_tree(folder, 0); }

static int is_device(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

void cc_remove_output(const char *path) {
    if (!is_device(path)) remove(path);
}

int cc_regular_size(const char *path, size_t *size) {
    struct stat status;
    if (stat(path, &status) != 0) return -1;
    if (!S_ISREG(status.st_mode)) return -2;
    *size = (size_t)status.st_size;
    return 0;
}

unsigned long cc_file_stamp(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
    return (unsigned long)status.st_mtime * 31 + (unsigned long)status.st_size;
}

int cc_copy_with_time(const char *from, const char *to) {
    struct stat status;
    struct timespec times[2];
    if (stat(from, &status) != 0 || !S_ISREG(status.st_mode)) return -1;
    if (cc_copy_file(from, to) != TOOL_OK) return -1;
    times[0] = status.st_atim;
    times[1] = status.st_mtim;
    return utimensat(AT_FDCWD, to, times, 0);
}

char *cc_make_folder(void) {
    const char *base = getenv("TMPDIR");
    char *folder = cc_join(base && *base ? base : "/tmp", "/bursty-cc-XXXXXX");
    catch_signals();
    if (mkdtemp(folder)) return folder;
    free(folder);
    folder = cc_join("/tmp", "/bursty-cc-XXXXXX");
    if (mkdtemp(folder)) return folder;
    tool_system_error(folder);
    free(folder);
    return NULL;
}

int cc_make_directory(const char *path) {
    return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : -1;
}

char *cc_here(void) {
    char path[4096];
    return cc_join(getcwd(path, sizeof path) ? path : "", "");
}

unsigned long cc_process(void) { return (unsigned long)getpid(); }
#endif
