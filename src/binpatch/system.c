/* ---- the system: calls, mappings ---- */

/* Calls of the kernel without the C library: its functions may be hooked, and
   errno belongs to the program. */
enum {
    BINPATCH_P_READ = 0,
    BINPATCH_P_OPEN = 2,
    BINPATCH_P_CLOSE = 3,
    BINPATCH_P_MMAP = 9,
    BINPATCH_P_MPROTECT = 10,
    BINPATCH_P_MUNMAP = 11,
    BINPATCH_P_SIGPROCMASK = 14,
    BINPATCH_P_YIELD = 24,
    BINPATCH_P_GETPID = 39,
    BINPATCH_P_ARCH_PRCTL = 158,
    BINPATCH_P_READ_PROCESS = 310
};
enum { BINPATCH_P_R = 1, BINPATCH_P_W = 2, BINPATCH_P_X = 4, BINPATCH_P_CODE = 5 }; /* as in mmap */

static long binpatch_p_call(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                            uint64_t e, uint64_t f) {
    register uint64_t r10 __asm__("r10") = d;
    register uint64_t r8 __asm__("r8") = e;
    register uint64_t r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static int binpatch_p_protect(uint64_t lo, uint64_t hi, unsigned protection) {
    lo &= ~UINT64_C(4095);
    hi = (hi + 4095) & ~UINT64_C(4095);
    return binpatch_p_call(BINPATCH_P_MPROTECT, lo, hi - lo, protection, 0, 0, 0) ? -1
                                                                                  : 0;
}

/* A file of /proc, read through a window. */
typedef struct binpatch_p_file {
    long fd, at, end;
    char text[1024];
} binpatch_p_file;

static int binpatch_p_open(binpatch_p_file *f, const char *path) {
    f->at = f->end = 0;
    f->fd = binpatch_p_call(BINPATCH_P_OPEN, (uint64_t)(uintptr_t)path,
                            0x80000 /* O_CLOEXEC */, 0, 0, 0, 0);
    return f->fd < 0 ? -1 : 0;
}

static void binpatch_p_close(binpatch_p_file *f) {
    (void)binpatch_p_call(BINPATCH_P_CLOSE, (uint64_t)f->fd, 0, 0, 0, 0, 0);
}

static int binpatch_p_next(binpatch_p_file *f) { /* -1: the end */
    if (f->at == f->end) {
        f->at = 0;
        f->end = binpatch_p_call(BINPATCH_P_READ, (uint64_t)f->fd,
                                 (uint64_t)(uintptr_t)f->text, sizeof f->text, 0, 0, 0);
        if (f->end <= 0) return (int)(f->end = 0) - 1;
    }
    return (unsigned char)f->text[f->at++];
}

typedef struct binpatch_p_mapping {
    uint64_t lo, hi, offset, device, inode;
    unsigned protection;
    int is_stack;
} binpatch_p_mapping;

static uint64_t binpatch_p_number(binpatch_p_file *f, unsigned base, int *end) {
    uint64_t value = 0;
    int c;
    for (;;) {
        c = binpatch_p_next(f);
        if (c >= '0' && c <= '9') value = value * base + (unsigned)(c - '0');
        else if (base == 16 && c >= 'a' && c <= 'f')
            value = value * 16 + (unsigned)(c - 'a' + 10);
        else break;
    }
    *end = c;
    return value;
}

/* lo-hi rwxp offset major:minor inode  path. Returns 1, or 0: there is no more. */
static int binpatch_p_next_mapping(binpatch_p_file *f, binpatch_p_mapping *m) {
    int c, n;
    m->lo = binpatch_p_number(f, 16, &c);
    if (c != '-') return 0;
    m->hi = binpatch_p_number(f, 16, &c);
    m->protection = 0;
    for (n = 0; n < 3; n++)
        if (binpatch_p_next(f) != '-') m->protection |= 1u << n;
    (void)binpatch_p_next(f);
    (void)binpatch_p_next(f);
    m->offset = binpatch_p_number(f, 16, &c);
    m->device = binpatch_p_number(f, 16, &c) << 32;
    m->device |= binpatch_p_number(f, 16, &c);
    m->inode = binpatch_p_number(f, 10, &c);
    m->is_stack = 0;
    while (c != '\n' && c >= 0) {
        if (c == '[' && (c = binpatch_p_next(f)) == 's') m->is_stack = 1;
        else if (c != '\n') c = binpatch_p_next(f);
    }
    return 1;
}

/* Has this process other threads? What cannot be read is answered with 1. */
static int binpatch_p_has_threads(void) {
    static const char word[] = "Threads:\t";
    binpatch_p_file f;
    unsigned matched = 0;
    int c;
    uint64_t count = 2;
    if (binpatch_p_open(&f, "/proc/self/status") != 0) return 1;
    while ((c = binpatch_p_next(&f)) >= 0) {
        matched = c == word[matched] ? matched + 1 : c == word[0];
        if (matched + 1 < sizeof word) continue;
        count = binpatch_p_number(&f, 10, &c);
        break;
    }
    binpatch_p_close(&f);
    return count != 1;
}
