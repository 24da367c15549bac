/* append.h - what edges_file.c and sancov_file.c do at exit: append a dump to
   coverage.brst, or to the file that the environment names BURSTY_COVERAGE. A
   lock keeps programs that end at the same time apart. What could not be
   written whole is taken back, so that the file stays readable. While the file
   is ours, signals wait: a limit on the size of files makes a write fail, and
   the program ends as it would have. Only system calls are used, so that a
   signal's handler may do it too. */
#ifndef BURSTY_RECORD_APPEND_H
#define BURSTY_RECORD_APPEND_H
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#if defined(__unix__) || defined(__APPLE__)
#define APPEND_SIGNALS
#include <signal.h>
#endif

typedef struct append_file {
    int file;
    off_t before; /* its size */
#ifdef APPEND_SIGNALS
    sigset_t mask, due; /* before we began */
#endif
    size_t used;
    char buffer[4096];
} append_file;

static const char *append_path(void) {
    const char *path = getenv("BURSTY_COVERAGE");
    return path && *path ? path : "coverage.brst";
}

/* The file and what is wrong with it, as one line. */
static void append_say(const char *what, const char *why) {
    char line[600];
    size_t used = 0, i;
    const char *part[5];
    part[0] = append_path();
    part[1] = ": ";
    part[2] = what;
    part[3] = why;
    part[4] = "\n";
    for (i = 0; i < 5; i++) {
        size_t size = strlen(part[i]);
        if (size > sizeof line - used - 1) size = sizeof line - used - 1;
        memcpy(line + used, part[i], size);
        used += size;
    }
    line[used - 1] = '\n';
    if (write(2, line, used) < 0) return;
}

static int append_all(int file, const char *data, size_t size) {
    while (size > 0) {
        ssize_t got = write(file, data, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        data += got;
        size -= (size_t)got;
    }
    return 0;
}

/* An edgeprof_write_fn; user is an append_file. */
static int append_bytes(void *user, const void *data, size_t size) {
    append_file *to = (append_file *)user;
    if (size > sizeof to->buffer - to->used) {
        if (append_all(to->file, to->buffer, to->used) != 0) return -1;
        to->used = 0;
    }
    if (size > sizeof to->buffer) return append_all(to->file, (const char *)data, size);
    memcpy(to->buffer + to->used, data, size);
    to->used += size;
    return 0;
}

#ifdef APPEND_SIGNALS
/* Signals wait until append_free. */
static void append_hold(append_file *to) {
    sigset_t all;
    sigfillset(&all);
    sigpending(&to->due);
    sigprocmask(SIG_SETMASK, &all, &to->mask);
}

/* Signals come again, but for those that our own writes have caused. */
static void append_free(const append_file *to) {
    static const int own[] = {SIGXFSZ, SIGPIPE};
    sigset_t due, one;
    size_t i;
    int number;
    sigpending(&due);
    for (i = 0; i < sizeof own / sizeof *own; i++) {
        if (!sigismember(&due, own[i]) || sigismember(&to->due, own[i])) continue;
        sigemptyset(&one);
        sigaddset(&one, own[i]);
        sigwait(&one, &number);
    }
    sigprocmask(SIG_SETMASK, &to->mask, NULL);
}
#else
static void append_hold(append_file *to) { (void)to; }
static void append_free(const append_file *to) { (void)to; }
#endif

/* While this program waited for the lock, another one may have put a new file
   in its place. */
static int append_is_gone(int file) {
    struct stat mine, theirs;
    return fstat(file, &mine) == 0 && stat(append_path(), &theirs) == 0 &&
           (mine.st_ino != theirs.st_ino || mine.st_dev != theirs.st_dev);
}

/* Opens the file behind its end and waits for its lock. Returns -1 after a
   message; so it does for a file that is something else than a dump. */
static int append_open(append_file *to) {
    struct flock lock;
    char magic[4];
    to->used = 0;
    for (;;) {
        to->file = open(append_path(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (to->file < 0) {
            append_say("", strerror(errno));
            return -1;
        }
        memset(&lock, 0, sizeof lock);
        lock.l_type = F_WRLCK;
        lock.l_whence = SEEK_SET;
        while (fcntl(to->file, F_SETLKW, &lock) != 0 && errno == EINTR) {
        }
        if (!append_is_gone(to->file)) break;
        close(to->file);
    }
    to->before = lseek(to->file, 0, SEEK_END);
    if (to->before > 0 && (lseek(to->file, 0, SEEK_SET) != 0 ||
                           read(to->file, magic, sizeof magic) != (ssize_t)sizeof magic ||
                           memcmp(magic, "BRST", sizeof magic) != 0)) {
        append_say("is no .brst file; nothing is appended", "");
        close(to->file);
        return -1;
    }
    append_hold(to);
    return 0;
}

static int append_is_regular(int file) {
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

/* Closes the file, which gives the lock back. */
static void append_close(append_file *to, int failed) {
    errno = failed ? errno : 0;
    if (!failed && append_all(to->file, to->buffer, to->used) != 0) failed = 1;
    if (failed) {
        append_say("cannot be written: ", strerror(errno));
        if (append_is_regular(to->file) && ftruncate(to->file, to->before) != 0)
            append_say("is damaged now; delete it", "");
    }
    close(to->file);
    append_free(to);
}
#endif
