/* outside.c - functions of the C library and of POSIX that call nothing of the
   program.

   What is not in the list may call back whatever is exported or has its address
   taken. raise, kill and the like do not stand in it: a handler may raise its
   own signal. Nor do atexit, fork and pthread_create: what runs at an end may ask
   for another end, what runs at a fork may fork, and a thread may start the next
   one. exit and signal stand in it, for each handler of exit was given to atexit
   anew.

   Two things make even these call back. A program may define a function of such
   a name, malloc or write, and the library then calls that one. And functions
   of the program may be behind a stream (fopencookie) or new. join.c
   asks for both. */
#include "cc/place/graph.h"
#include <string.h>

/* In the order of strcmp. */
static const char *const silent[] = {
    "_Exit", "__assert", "__assert_fail", "__ctype_b_loc", "__ctype_get_mb_cur_max",
    "__ctype_tolower_loc", "__ctype_toupper_loc", "__errno", "__errno_location", "__fgets_chk",
    "__finite", "__fpclassify", "__fpclassifyf", "__fpending", "__fprintf_chk", "__fpurge",
    "__fread_chk", "__fxstat", "__h_errno_location", "__isinf", "__isinff", "__isinfl", "__isnan",
    "__isnanf", "__isnanl", "__isoc23_fscanf", "__isoc23_scanf", "__isoc23_sscanf",
    "__isoc23_strtol", "__isoc23_strtoll", "__isoc23_strtoul", "__isoc23_strtoull",
    "__isoc99_fscanf", "__isoc99_scanf", "__isoc99_sscanf", "__libc_current_sigrtmax",
    "__libc_current_sigrtmin", "__lxstat", "__memcpy_chk", "__memmove_chk", "__memset_chk",
    "__overflow", "__printf_chk", "__read_chk", "__round", "__sched_cpucount", "__signbit",
    "__signbitf", "__sigsetjmp", "__snprintf_chk", "__sprintf_chk", "__stack_chk_fail",
    "__stpcpy_chk", "__strcat_chk", "__strcpy_chk", "__strncat_chk", "__strncpy_chk",
    "__sysv_signal", "__uflow", "__vfprintf_chk", "__vsnprintf_chk", "__vsprintf_chk",
    "__xpg_basename", "__xpg_strerror_r", "__xstat", "_exit", "_longjmp", "_setjmp", "a64l",
    "abort", "abs", "accept", "accept4", "access", "acct", "acos", "acosf", "acosh", "acoshf",
    "acoshl", "acosl", "adjtime", "alarm", "aligned_alloc", "asctime", "asctime_r", "asin",
    "asinf", "asinh", "asinhf", "asinhl", "asinl", "asprintf", "atan", "atan2",
    "atan2f", "atan2l", "atanf", "atanh", "atanhf", "atanhl", "atanl", "atof", "atoi",
    "atol", "atoll", "basename", "bcmp", "bcopy", "bind", "brk", "bsd_signal", "btowc", "bzero",
    "cabs", "calloc", "cbrt", "cbrtf", "cbrtl", "ceil", "ceilf", "ceill", "cfgetispeed",
    "cfgetospeed", "cfsetispeed", "cfsetospeed", "chdir", "chmod", "chown", "chroot", "clearenv",
    "clearerr", "clock", "clock_getcpuclockid", "clock_getres", "clock_gettime", "clock_nanosleep",
    "clock_settime", "close", "close_range", "closedir", "connect", "copysign", "copysignf",
    "copysignl", "cos", "cosf", "cosh", "coshf", "coshl", "cosl", "creat", "creat64", "crypt",
    "ctermid", "ctime", "ctime_r", "cuserid", "difftime", "dirname", "div", "dlclose",
    "dlerror", "dlopen", "dlsym", "dprintf", "drand48", "drem", "dremf", "dreml", "dup", "dup2",
    "duplocale", "eaccess", "ecvt", "endgrent", "endpwent", "epoll_create", "epoll_create1",
    "epoll_ctl", "epoll_pwait", "epoll_wait", "erand48", "erf", "erfc", "erfcf", "erfcl", "erff",
    "erfl", "euidaccess", "eventfd", "execl", "execle", "execlp", "execv", "execve", "execvp",
    "execvpe", "exit", "exp", "exp10", "exp10f", "exp10l", "exp2", "exp2f", "exp2l", "expf",
    "expl", "expm1", "expm1f", "expm1l", "fabs", "fabsf", "fabsl", "faccessat", "fallocate",
    "fallocate64", "fchdir", "fchmod", "fchmodat", "fchown", "fchownat", "fclose", "fcntl",
    "fcntl64", "fcvt", "fdatasync", "fdim", "fdimf", "fdiml", "fdopen", "fdopendir", "feof",
    "feof_unlocked", "ferror", "ferror_unlocked", "fexecve", "fflush", "fflush_unlocked", "ffs",
    "ffsl", "ffsll", "fgetc", "fgetc_unlocked", "fgetpos", "fgetpos64", "fgets", "fgets_unlocked",
    "fgetwc", "fgetwc_unlocked", "fgetws", "fileno", "fileno_unlocked", "finite", "finitef",
    "finitel", "flock", "flockfile", "floor", "floorf", "floorl", "fma", "fmaf", "fmal", "fmax",
    "fmaxf", "fmaxl", "fmin", "fminf", "fminl", "fmod", "fmodf", "fmodl", "fnmatch", "fopen",
    "fopen64", "fpathconf", "fprintf", "fpurge", "fputc", "fputc_unlocked", "fputs",
    "fputs_unlocked", "fputwc", "fputws", "fread", "fread_unlocked", "free", "freeaddrinfo",
    "freelocale", "freopen", "freopen64", "frexp", "frexpf", "frexpl", "fscanf", "fseek", "fseeko",
    "fseeko64", "fsetpos", "fsetpos64", "fstat", "fstat64", "fstatat", "fstatat64", "fstatfs",
    "fstatfs64", "fstatvfs", "fstatvfs64", "fsync", "ftell", "ftello", "ftello64", "ftime",
    "ftruncate", "ftruncate64", "funlockfile", "futimens", "futimes", "futimesat", "fwide",
    "fwprintf", "fwrite", "fwrite_unlocked", "gai_strerror", "gamma", "gammaf", "gammal", "gcvt",
    "get_avphys_pages", "get_nprocs", "get_nprocs_conf", "get_phys_pages", "getaddrinfo",
    "getauxval", "getc", "getc_unlocked", "getchar", "getchar_unlocked", "getcwd", "getdelim",
    "getdomainname", "getegid", "getenv", "geteuid", "getgid", "getgrgid", "getgrnam",
    "getgrouplist", "getgroups", "gethostbyaddr", "gethostbyname", "gethostid", "gethostname",
    "getitimer", "getline", "getloadavg", "getlogin", "getmntent", "getnameinfo", "getopt",
    "getopt_long", "getpagesize", "getpass", "getpeername", "getpgid", "getpgrp", "getpid",
    "getppid", "getpriority", "getprotobyname", "getpwent", "getpwnam", "getpwuid", "getrandom",
    "getresgid", "getresuid", "getrlimit", "getrlimit64", "getrusage", "gets", "getservbyname",
    "getservbyport", "getsid", "getsockname", "getsockopt", "getspnam", "gettext", "gettimeofday",
    "getuid", "getw", "getwc", "getwchar", "getwline", "gmtime", "gmtime_r", "herror",
    "hstrerror", "htonl", "htons", "hypot", "hypotf", "hypotl", "iconv", "iconv_close",
    "iconv_open", "if_indextoname", "if_nametoindex", "ilogb", "ilogbl", "imaxabs", "index",
    "inet_addr", "inet_aton", "inet_network", "inet_ntoa", "inet_ntop", "inet_pton", "initgroups",
    "initstate", "inotify_add_watch", "inotify_init", "inotify_rm_watch", "ioctl", "isalnum",
    "isalpha", "isascii", "isatty", "isblank", "iscntrl", "isdigit", "isgraph", "isinf", "isinff",
    "isinfl", "islower", "isnan", "isnanf", "isnanl", "isprint", "ispunct", "isspace", "isupper",
    "iswalnum", "iswalpha", "iswctype", "iswdigit", "iswprint", "iswspace", "isxdigit", "j0",
    "j0f", "j0l", "j1", "j1f", "j1l", "jn", "jnf", "jnl", "jrand48", "l64a",
    "labs", "lchown", "lcong48", "ldexp", "ldexpf", "ldexpl", "ldiv", "lgamma", "lgamma_r",
    "lgammaf", "lgammaf_r", "lgammal", "lgammal_r", "link", "linkat", "listen", "llabs", "lldiv",
    "llrint", "llrintf", "llrintl", "llround", "llroundf", "llroundl", "localeconv", "localtime",
    "localtime_r", "lockf", "lockf64", "log", "log10", "log10f", "log10l", "log1p", "log1pf",
    "log1pl", "log2", "log2f", "log2l", "logb", "logbf", "logbl", "logf", "logl", "longjmp",
    "lrand48", "lrint", "lrintf", "lrintl", "lround", "lroundf", "lroundl", "lseek", "lseek64",
    "lstat", "lstat64", "lutimes", "madvise", "malloc", "malloc_usable_size", "mblen", "mbrlen",
    "mbrtowc", "mbsinit", "mbsnrtowcs", "mbsrtowcs", "mbstowcs", "mbtowc", "memccpy", "memchr",
    "memcmp", "memcpy", "memfd_create", "memfrob", "memmem", "memmove", "mempcpy", "memrchr",
    "memset", "mincore", "mkdir", "mkdirat", "mkdtemp", "mkfifo", "mkfifoat", "mknod", "mknodat",
    "mkostemp", "mkostemp64", "mkostemps", "mkostemps64", "mkstemp", "mkstemp64", "mkstemps",
    "mkstemps64", "mktemp", "mktime", "mlock", "mlock2", "mlockall", "mmap", "mmap64", "modf",
    "modff", "modfl", "mount", "mprotect", "mrand48", "mremap", "msync", "munlock", "munlockall",
    "munmap", "nan", "nanf", "nanl", "nanosleep", "nearbyint", "nearbyintf", "nearbyintl",
    "newlocale", "nextafter", "nextafterf", "nextafterl", "nexttoward", "nexttowardf",
    "nexttowardl", "nice", "nl_langinfo", "nl_langinfo_l", "nrand48", "ntohl", "ntohs", "open",
    "open64", "openat", "openat64", "opendir", "openlog", "pathconf", "pause", "pclose", "perror",
    "pipe", "pipe2", "pivot_root", "poll", "popen", "posix_fadvise", "posix_fadvise64",
    "posix_fallocate", "posix_fallocate64", "posix_madvise", "posix_memalign", "pow", "pow10",
    "powf", "powl", "ppoll", "pread", "pread64", "preadv", "preadv64", "printf", "pselect",
    "psignal",
    "pthread_attr_destroy", "pthread_attr_getstack", "pthread_attr_getstacksize",
    "pthread_attr_init", "pthread_attr_setdetachstate", "pthread_attr_setstacksize",
    "pthread_barrier_destroy", "pthread_barrier_init", "pthread_barrier_wait", "pthread_cancel",
    "pthread_cond_broadcast", "pthread_cond_destroy", "pthread_cond_init", "pthread_cond_signal",
    "pthread_cond_timedwait", "pthread_cond_wait", "pthread_condattr_destroy",
    "pthread_condattr_init", "pthread_condattr_setclock", "pthread_detach",
    "pthread_equal", "pthread_getaffinity_np", "pthread_getattr_np", "pthread_getname_np",
    "pthread_getspecific", "pthread_join", "pthread_key_create", "pthread_key_delete",
    "pthread_mutex_consistent", "pthread_mutex_destroy", "pthread_mutex_init",
    "pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_mutex_trylock",
    "pthread_mutex_unlock", "pthread_mutexattr_destroy", "pthread_mutexattr_getrobust",
    "pthread_mutexattr_init", "pthread_mutexattr_setprotocol", "pthread_mutexattr_setpshared",
    "pthread_mutexattr_setrobust", "pthread_mutexattr_settype", "pthread_rwlock_destroy",
    "pthread_rwlock_init", "pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock", "pthread_rwlock_unlock", "pthread_rwlock_wrlock", "pthread_self",
    "pthread_setaffinity_np", "pthread_setname_np", "pthread_setspecific", "pthread_sigmask",
    "pthread_spin_destroy", "pthread_spin_init", "pthread_spin_lock", "pthread_spin_trylock",
    "pthread_spin_unlock", "pthread_testcancel", "putc", "putc_unlocked", "putchar",
    "putchar_unlocked", "putenv", "puts", "putw", "putwc", "putwchar", "pwrite", "pwrite64",
    "pwritev", "pwritev64", "rand", "rand_r", "random", "random_r", "rawmemchr", "read",
    "readahead", "readdir", "readdir64", "readdir_r", "readlink", "readlinkat", "readv", "realloc",
    "reallocarray", "realpath", "recv", "recvfrom", "recvmsg", "remainder", "remainderf",
    "remainderl", "remove", "remquo", "remquof", "remquol", "rename", "renameat", "renameat2",
    "rewind", "rewinddir", "rindex", "rint", "rintf", "rintl", "rmdir", "round", "roundeven",
    "roundf", "roundl", "sbrk", "scalb", "scalbf", "scalbl", "scalbln", "scalblnf", "scalblnl",
    "scalbn", "scalbnf", "scalbnl", "scanf", "sched_getaffinity", "sched_yield", "secure_getenv",
    "seed48", "seekdir", "select", "sem_close", "sem_destroy", "sem_getvalue", "sem_init",
    "sem_open", "sem_post", "sem_timedwait", "sem_trywait", "sem_unlink", "sem_wait", "send",
    "sendfile", "sendfile64", "sendmsg", "sendto", "setbuf", "setbuffer", "setegid", "setenv",
    "seteuid", "setgid", "setgrent", "setgroups", "sethostname", "setitimer", "setjmp",
    "setlinebuf", "setlocale", "setlogmask", "setpgid", "setpriority", "setpwent", "setregid",
    "setresgid", "setresuid", "setreuid", "setrlimit", "setrlimit64", "setsid", "setsockopt",
    "setstate", "setuid", "setvbuf", "shm_open", "shm_unlink", "shmat", "shmctl", "shmdt",
    "shmget", "shutdown", "sigaction", "sigaddset", "sigaltstack", "sigdelset", "sigemptyset",
    "sigfillset", "sighold", "sigignore", "siginterrupt", "sigismember", "siglongjmp", "signal",
    "signalfd", "signbit", "significand", "significandf", "significandl", "sigpause", "sigpending",
    "sigprocmask", "sigrelse", "sigset", "sigsetjmp", "sigsuspend", "sigtimedwait",
    "sigwait", "sigwaitinfo", "sin", "sincos", "sincosf", "sincosl", "sinf", "sinh", "sinhf",
    "sinhl", "sinl", "sleep", "snprintf", "sockatmark", "socket", "socketatmark", "socketpair",
    "splice", "sprintf", "sqrt", "sqrtf", "sqrtl", "srand", "srand48", "srandom", "srandom_r",
    "sscanf", "ssignal", "stat", "stat64", "statfs", "statfs64", "statvfs", "statvfs64", "statx",
    "stime", "stpcpy", "stpncpy", "strcasecmp", "strcasestr", "strcat", "strchr", "strchrnul",
    "strcmp", "strcoll", "strcpy", "strcspn", "strdup", "strerror", "strerror_r", "strfry",
    "strftime", "strftime_l", "strlcat", "strlcpy", "strlen", "strncasecmp", "strncat", "strncmp",
    "strncpy", "strndup", "strnlen", "strpbrk", "strptime", "strrchr", "strsep", "strsignal",
    "strspn", "strstr", "strtod", "strtof", "strtoimax", "strtok", "strtok_r", "strtol", "strtold",
    "strtoll", "strtoq", "strtoul", "strtoull", "strtoumax", "strtouq", "strverscmp", "strxfrm",
    "swab", "swprintf", "symlink", "symlinkat", "sync", "sync_file_range", "syncfs", "sysconf",
    "sysinfo", "syslog", "system", "sysv_signal", "tan", "tanf", "tanh", "tanhf", "tanl",
    "tcflush", "tcgetattr", "tcgetpgrp", "tcsetattr", "tcsetpgrp", "tee", "telldir", "tempnam",
    "textdomain", "tgamma", "tgammaf", "tgammal", "time", "timegm", "timer_delete",
    "timer_gettime", "timer_settime", "timerfd_create", "timerfd_settime", "times", "timespec_get",
    "tmpfile", "tmpfile64", "tmpnam", "tmpnam_r", "toascii", "tolower", "toupper", "towlower",
    "towupper", "trunc", "truncate", "truncate64", "truncf", "truncl", "ttyname", "tzset", "umask",
    "umount", "umount2", "uname", "ungetc", "ungetwc", "unlink", "unlinkat", "unsetenv",
    "uselocale", "usleep", "utime", "utimensat", "utimes", "vasprintf", "vdprintf", "vfork",
    "vfprintf", "vfscanf", "vmsplice", "vprintf", "vscanf", "vsnprintf", "vsprintf", "vsscanf",
    "wait", "wait3", "wait4", "waitpid", "wcrtomb", "wcscasecmp", "wcscat", "wcschr", "wcscmp",
    "wcscpy", "wcscspn", "wcsdup", "wcsftime", "wcslen", "wcsncasecmp", "wcsncat", "wcsncmp",
    "wcsncpy", "wcsnrtombs", "wcspbrk", "wcsrchr", "wcsspn", "wcsstr", "wcstod", "wcstok",
    "wcstol", "wcstombs", "wcstoul", "wctob", "wctomb", "wctype", "wmemchr", "wmemcmp", "wmemcpy",
    "wmemmove", "wmemset", "write", "writev", "y0", "y0f", "y0l", "y1", "y1f", "y1l", "yn", "ynf",
    "ynl",
};

/* Functions of the C++ library, by how their names begin: memory, exceptions that
   are thrown, strings, the nodes of trees, lists and tables. The end of a catch is
   not one of them, for it calls the exception's destructor. */
static const char *const silent_cxx[] = {
    "_Zna", "_Znw", "_Zda", "_Zdl", "_Unwind_Resume", "__cxa_allocate_exception",
    "__cxa_begin_catch", "__cxa_free_exception", "__cxa_guard_", "__cxa_rethrow", "__cxa_throw",
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
    "_ZSt18_Rb_tree_", "_ZSt28_Rb_tree_", "_ZSt29_Rb_tree_", "_ZNSt8__detail15_List_node_base",
    "_ZNKSt8__detail20_Prime_rehash_policy", "_ZSt11_Hash_bytes", "_ZSt16__throw_", "_ZSt17__throw_",
    "_ZSt18__throw_", "_ZSt19__throw_", "_ZSt20__throw_", "_ZSt21__throw_", "_ZSt24__throw_",
    "_ZSt25__throw_", "_ZSt28__throw_",
};

int graph_calls_back(const char *name) {
    size_t low = 0, high = sizeof silent / sizeof *silent, i;
    for (i = 0; *name == '_' && i < sizeof silent_cxx / sizeof *silent_cxx; i++) {
        if (strncmp(name, silent_cxx[i], strlen(silent_cxx[i])) == 0) return 0;
    }
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, silent[middle]);
        if (order == 0) return 0;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return 1;
}

/* Does a function of this name put functions of the program behind what the C
   library does? */
int graph_hooks_library(const char *name) {
    static const char *const hooks[] = {
        "_ZSt13set_terminatePFvvE", "_ZSt14set_unexpectedPFvvE", "_ZSt15set_new_handlerPFvvE",
        "fopencookie", "funopen", "register_printf_function", "register_printf_modifier",
        "register_printf_specifier", "register_printf_type"};
    size_t i;
    for (i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        if (strcmp(name, hooks[i]) == 0) return 1;
    }
    return 0;
}

/* May another function, longjmp or setcontext, make a call of this one return
   again? */
int graph_returns_again(const char *name) {
    static const char *const names[] = {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp",
                                        "__builtin_setjmp", "getcontext", "swapcontext"};
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) return 1;
    }
    return 0;
}
