/* pager.c - standard output through a pager. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200112L
#endif
#include "base/pager.h"
#ifdef _WIN32

void pager_begin(const char *path) { (void)path; }
void pager_end(void) {}

#else
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t pager; /* 0: none */

/* Is there such a program in PATH? */
static int has_program(const char *name) {
    const char *path = getenv("PATH");
    int found = 0;
    while (path && *path && !found) {
        size_t size = strcspn(path, ":");
        text file = {NULL, 0, 0};
        text_bytes(&file, path, size);
        text_add(&file, "/");
        text_add(&file, name);
        text_bytes(&file, "", 1);
        found = access(file.data, X_OK) == 0;
        text_free(&file);
        path += size + (path[size] == ':');
    }
    return found;
}

/* A command for the shell, or NULL. */
static const char *pager_command(void) {
    const char *command = getenv("PAGER");
    if (!command) return has_program("less") ? "exec less" : NULL;
    return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

static void run_pager(const char *command, int from) {
    dup2(from, STDIN_FILENO);
    close(from);
    setenv("LESS", "FRX", 0); /* end if it fits; show colours; leave the screen as it is */
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

void pager_begin(const char *path) {
    const char *command;
    int ends[2];
    if ((path && strcmp(path, "-") != 0) || !isatty(STDOUT_FILENO)) return;
    command = pager_command();
    if (!command || pipe(ends) != 0) return;
    pager = fork();
    if (pager == 0) {
        close(ends[1]);
        run_pager(command, ends[0]);
    }
    close(ends[0]);
    if (pager > 0) dup2(ends[1], STDOUT_FILENO);
    else pager = 0;
    close(ends[1]);
}

void pager_end(void) {
    int nowhere;
    if (!pager) return;
    fflush(stdout);
    nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO); /* the pager sees the end */
    else close(STDOUT_FILENO);
    if (nowhere > STDOUT_FILENO) close(nowhere);
    while (waitpid(pager, NULL, 0) < 0 && errno == EINTR) {}
    pager = 0;
}

#endif
