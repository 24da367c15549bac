/* outside.c - functions of the C library and of POSIX that call nothing of the program.

   What is not in the list may call back whatever is exported or has its address taken. Standard
   input and output stand in it: streams with functions of the program behind them (fopencookie,
   funopen, register_printf_function) do call back, and are named in docs/place.md as not seen.
   exit, atexit, signal and pthread_create stand in it as well: what they start does not run inside
   the call in a way that could repeat without end. */
#include "place/graph.h"
#include <string.h>

/* In the order of strcmp. */
static const char *const silent[] = {
    "_Exit", "__assert", "__assert_fail", "__ctype_b_loc", "__ctype_get_mb_cur_max",
    "__ctype_tolower_loc", "__ctype_toupper_loc", "__errno", "__errno_location", "__fgets_chk",
    "__finite", "__fpclassify", "__fpclassifyf", "__fprintf_chk", "__fread_chk", "__fxstat",
    "__h_errno_location", "__isinf", "__isinff", "__isinfl", "__isnan", "__isnanf", "__isnanl",
    "__isoc23_fscanf", "__isoc23_scanf", "__isoc23_sscanf", "__isoc23_strtol", "__isoc23_strtoll",
    "__isoc23_strtoul", "__isoc23_strtoull", "__isoc99_fscanf", "__isoc99_scanf",
    "__isoc99_sscanf", "__libc_current_sigrtmax", "__libc_current_sigrtmin", "__lxstat",
    "__memcpy_chk", "__memmove_chk", "__memset_chk", "__overflow", "__printf_chk", "__read_chk",
    "__sched_cpucount", "__signbit", "__signbitf", "__sigsetjmp", "__snprintf_chk",
    "__sprintf_chk", "__stack_chk_fail", "__stpcpy_chk", "__strcat_chk", "__strcpy_chk",
    "__strncat_chk", "__strncpy_chk", "__uflow", "__vfprintf_chk", "__vsnprintf_chk",
    "__vsprintf_chk", "__xpg_basename", "__xpg_strerror_r", "__xstat", "_exit", "_longjmp",
    "_setjmp", "abort", "abs", "accept", "accept4", "access", "acct", "acos", "acosf", "acosh",
    "acoshf", "acosl", "alarm", "aligned_alloc", "asctime", "asctime_r", "asin", "asinf", "asinh",
    "asinhf", "asinl", "asprintf", "at_quick_exit", "atan", "atan2", "atan2f", "atan2l", "atanf",
    "atanh", "atanhf", "atanl", "atexit", "atof", "atoi", "atol", "atoll", "basename", "bcmp",
    "bcopy", "bind", "bzero", "cabs", "calloc", "cbrt", "cbrtf", "ceil", "ceilf", "ceill",
    "cfgetispeed", "cfgetospeed", "cfsetispeed", "cfsetospeed", "chdir", "chmod", "chown",
    "clearerr", "clock", "clock_getres", "clock_gettime", "clock_nanosleep", "clock_settime",
    "close", "close_range", "closedir", "connect", "copysign", "copysignf", "copysignl", "cos",
    "cosf", "cosh", "coshf", "coshl", "cosl", "creat", "crypt", "ctime", "ctime_r", "difftime",
    "dirname", "div", "dlclose", "dlerror", "dlopen", "dlsym", "dup", "dup2", "endgrent",
    "endpwent", "epoll_create1", "epoll_ctl", "epoll_wait", "erf", "erfc", "erff", "eventfd",
    "execl", "execlp", "execv", "execve", "execvp", "exit", "exp", "exp2", "exp2f", "expf",
    "expl", "expm1", "fabs", "fabsf", "fabsl", "fallocate", "fchdir", "fchmod", "fchown",
    "fclose", "fcntl", "fdatasync", "fdim", "fdopen", "fdopendir", "feof", "feof_unlocked",
    "ferror", "ferror_unlocked", "fflush", "fflush_unlocked", "fgetc", "fgetpos", "fgets",
    "fgetwc", "fgetws", "fileno", "fileno_unlocked", "finite", "flock", "flockfile", "floor",
    "floorf", "floorl", "fma", "fmax", "fmaxf", "fmin", "fminf", "fmod", "fmodf", "fmodl",
    "fnmatch", "fopen", "fork", "fpathconf", "fprintf", "fputc", "fputs", "fputs_unlocked",
    "fputwc", "fputws", "fread", "fread_unlocked", "free", "freeaddrinfo", "freopen", "frexp",
    "frexpf", "frexpl", "fscanf", "fseek", "fseeko", "fsetpos", "fstat", "fstatat", "fstatfs",
    "fsync", "ftell", "ftello", "ftime", "ftruncate", "funlockfile", "futimens", "futimes",
    "fwide", "fwprintf", "fwrite", "fwrite_unlocked", "gai_strerror", "getaddrinfo", "getc",
    "getc_unlocked", "getchar", "getchar_unlocked", "getcwd", "getdelim", "getegid", "getenv",
    "geteuid", "getgid", "getgrgid", "getgrnam", "getgroups", "gethostbyname", "gethostname",
    "getitimer", "getline", "getlogin", "getnameinfo", "getopt", "getopt_long", "getpagesize",
    "getpeername", "getpgrp", "getpid", "getppid", "getpriority", "getpwnam", "getpwuid",
    "getrandom", "getrlimit", "getrusage", "gets", "getservbyname", "getsockname", "getsockopt",
    "gettext", "gettimeofday", "getuid", "getwc", "getwchar", "gmtime", "gmtime_r", "htonl",
    "htons", "hypot", "hypotf", "ilogb", "imaxabs", "index", "inet_addr", "inet_ntoa",
    "inet_ntop", "inet_pton", "ioctl", "isalnum", "isalpha", "isatty", "isblank", "iscntrl",
    "isdigit", "isgraph", "isinf", "islower", "isnan", "isprint", "ispunct", "isspace", "isupper",
    "iswalnum", "iswalpha", "iswdigit", "iswprint", "iswspace", "isxdigit", "kill", "labs",
    "lchown", "ldexp", "ldexpf", "ldexpl", "ldiv", "lgamma", "link", "listen", "llabs", "lldiv",
    "llrint", "llround", "localeconv", "localtime", "localtime_r", "lockf", "log", "log10",
    "log10f", "log10l", "log1p", "log2", "log2f", "log2l", "logf", "logl", "longjmp", "lrint",
    "lround", "lseek", "lstat", "madvise", "malloc", "malloc_usable_size", "mblen", "mbrlen",
    "mbrtowc", "mbsinit", "mbsrtowcs", "mbstowcs", "mbtowc", "memccpy", "memchr", "memcmp",
    "memcpy", "memmem", "memmove", "mempcpy", "memrchr", "memset", "mkdir", "mkdtemp", "mkfifo",
    "mknod", "mkstemp", "mktemp", "mktime", "mlock", "mmap", "modf", "modff", "modfl", "mprotect",
    "mremap", "msync", "munlock", "munmap", "nan", "nanosleep", "nearbyint", "nextafter",
    "nextafterf", "nice", "nl_langinfo", "ntohl", "ntohs", "open", "openat", "opendir", "openlog",
    "pathconf", "pause", "pclose", "perror", "pipe", "pipe2", "poll", "popen", "posix_fadvise",
    "posix_fallocate", "posix_memalign", "pow", "powf", "powl", "pread", "pread64", "pselect",
    "pthread_attr_destroy", "pthread_attr_init", "pthread_attr_setdetachstate",
    "pthread_attr_setstacksize", "pthread_cond_broadcast", "pthread_cond_destroy",
    "pthread_cond_init", "pthread_cond_signal", "pthread_cond_timedwait", "pthread_cond_wait",
    "pthread_create", "pthread_detach", "pthread_equal", "pthread_getspecific", "pthread_join",
    "pthread_key_create", "pthread_key_delete", "pthread_kill", "pthread_mutex_destroy",
    "pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock",
    "pthread_mutexattr_destroy", "pthread_mutexattr_init", "pthread_mutexattr_settype",
    "pthread_rwlock_destroy", "pthread_rwlock_init", "pthread_rwlock_rdlock",
    "pthread_rwlock_unlock", "pthread_rwlock_wrlock", "pthread_self", "pthread_setspecific",
    "pthread_sigmask", "putc", "putc_unlocked", "putchar", "putchar_unlocked", "putenv", "puts",
    "putwc", "putwchar", "pwrite", "pwrite64", "raise", "rand", "rand_r", "random", "read",
    "readdir", "readdir_r", "readlink", "readv", "realloc", "reallocarray", "realpath", "recv",
    "recvfrom", "recvmsg", "remainder", "remove", "rename", "rewind", "rewinddir", "rindex",
    "rint", "rintf", "rmdir", "round", "roundf", "roundl", "sbrk", "scalbn", "scanf",
    "sched_getaffinity", "sched_yield", "seekdir", "select", "sem_destroy", "sem_init",
    "sem_post", "sem_wait", "send", "sendfile", "sendmsg", "sendto", "setbuf", "setegid",
    "setenv", "seteuid", "setgid", "setgrent", "setgroups", "setitimer", "setjmp", "setlocale",
    "setlogmask", "setpgid", "setpriority", "setpwent", "setrlimit", "setsid", "setsockopt",
    "setuid", "setvbuf", "shutdown", "sigaction", "sigaddset", "sigdelset", "sigemptyset",
    "sigfillset", "sigismember", "siglongjmp", "signal", "signbit", "sigprocmask", "sigsetjmp",
    "sigsuspend", "sigwait", "sin", "sinf", "sinh", "sinhf", "sinl", "sleep", "snprintf",
    "socket", "socketpair", "sprintf", "sqrt", "sqrtf", "sqrtl", "srand", "srandom", "sscanf",
    "stat", "statfs", "statvfs", "stpcpy", "stpncpy", "strcasecmp", "strcasestr", "strcat",
    "strchr", "strchrnul", "strcmp", "strcoll", "strcpy", "strcspn", "strdup", "strerror",
    "strerror_r", "strftime", "strlcat", "strlcpy", "strlen", "strncasecmp", "strncat", "strncmp",
    "strncpy", "strndup", "strnlen", "strpbrk", "strptime", "strrchr", "strsep", "strsignal",
    "strspn", "strstr", "strtod", "strtof", "strtoimax", "strtok", "strtok_r", "strtol",
    "strtold", "strtoll", "strtoul", "strtoull", "strtoumax", "strxfrm", "swprintf", "symlink",
    "sync", "sysconf", "sysinfo", "syslog", "system", "tan", "tanf", "tanh", "tanhf", "tanl",
    "tcflush", "tcgetattr", "tcgetpgrp", "tcsetattr", "tcsetpgrp", "telldir", "tempnam",
    "textdomain", "tgamma", "time", "timegm", "times", "tmpfile", "tmpnam", "tolower", "toupper",
    "towlower", "towupper", "trunc", "truncate", "truncf", "ttyname", "tzset", "umask", "uname",
    "ungetc", "ungetwc", "unlink", "unlinkat", "unsetenv", "usleep", "utime", "utimensat",
    "utimes", "vasprintf", "vfork", "vfprintf", "vfscanf", "vprintf", "vscanf", "vsnprintf",
    "vsprintf", "vsscanf", "wait", "wait3", "wait4", "waitpid", "wcrtomb", "wcscat", "wcschr",
    "wcscmp", "wcscpy", "wcslen", "wcsncmp", "wcsncpy", "wcsrchr", "wcsstr", "wcstombs", "wctomb",
    "wmemcpy", "wmemset", "write", "writev",
};

int graph_calls_back(const char *name) {
    size_t low = 0, high = sizeof silent / sizeof *silent;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, silent[middle]);
        if (order == 0) return 0;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return 1;
}
