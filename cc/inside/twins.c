/* twins.c - the second copies of functions that other files, or pointers, enter:
   a part of checks.c.

   With `bursty cc --form=dual` a function without a check has a second copy,
   which records and which second copies of its own file call. Who does not see
   it looks for it here. The linker joins what the files say:

       bursty_twins    | f, twin_f | g, twin_g | ...     sorted by the first at the start

   twin_of gives twin_f for f, and what has none stays what it is: an outside
   function, one with a check, one of another shared object. The mark of the
   caller (src/bursty/since.c) is left in a variable, where twin_f takes it.
   Cost: a binary search for each such call, in second copies alone. */
#ifdef __ELF__

typedef struct twin {
    void (*first)(void), (*second)(void);
} twin;

#define HIDDEN __attribute__((visibility("hidden")))
extern twin __start_bursty_twins[] __attribute__((weak)) HIDDEN;
extern twin __stop_bursty_twins[] __attribute__((weak)) HIDDEN;

#ifdef BURSTY_NO_TLS
static unsigned passed_mark;
#else
static __thread unsigned passed_mark;
#endif
static int are_sorted;

static int compare_twins(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)((const twin *)a)->first, y = (uintptr_t)((const twin *)b)->first;
    return x < y ? -1 : x > y;
}

static void sort_twins(void) {
    size_t bytes = (size_t)((uintptr_t)__stop_bursty_twins - (uintptr_t)__start_bursty_twins);
    if (bytes > sizeof(twin))
        qsort(__start_bursty_twins, bytes / sizeof(twin), sizeof(twin), compare_twins);
    are_sorted = 1;
}

HIDDEN void (*bursty_twin_of(void (*function)(void), unsigned mark))(void);
HIDDEN void (*bursty_twin_of(void (*function)(void), unsigned mark))(void) {
    const twin *low = __start_bursty_twins, *high = __stop_bursty_twins;
    if (!are_sorted) return function;
    while (low < high) {
        const twin *middle = low + (high - low) / 2;
        if (middle->first == function) {
            passed_mark = mark;
            return middle->second;
        }
        if ((uintptr_t)middle->first < (uintptr_t)function) low = middle + 1;
        else high = middle;
    }
    return function;
}

HIDDEN unsigned bursty_twin_mark(void);
HIDDEN unsigned bursty_twin_mark(void) { return passed_mark; }

/* When a second copy is left. */
HIDDEN void bursty_twin_keep(unsigned *kept);
HIDDEN void bursty_twin_keep(unsigned *kept) { passed_mark = *kept; }

#else
static void sort_twins(void) {}
#endif
