/* daemon.c - a program that becomes a daemon: the C library's daemon(3) ends the
   first process in a way that nobody sees. So it is ours: the same, and the
   first process writes its file and says that its child goes on. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int daemon(int keeps_folder, int keeps_files) {
    const dev_t null_device = makedev(1, 3);
    struct stat s;
    int n, file;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child > 0) _exit(0);            /* ours, which writes: patch.c */
    if (setsid() < 0) return -1;
    if (!keeps_folder) (void)!chdir("/");
    if (keeps_files) return 0;
    file = open("/dev/null", O_RDWR);
    if (file < 0 || fstat(file, &s) != 0) return -1;
    if (!S_ISCHR(s.st_mode) || s.st_rdev != null_device) {
        close(file);
        errno = ENODEV;
        return -1;
    }
    for (n = 0; n <= 2; n++) dup2(file, n);
    if (file > 2) close(file);
    return 0;
}
