/* origin.c - what the program asks about its own stack is answered as if there
   were no copies: their addresses are led back to the program's code.

       backtrace, backtrace_symbols    of the C library
       dladdr, dladdr1                 of any address
       _Unwind_Backtrace               libgcc's, of which Rust, Ada, D and C++23
                                       make theirs: its callback asks
       _Unwind_GetIP, _Unwind_GetIPInfo

   The last two are asked by whoever handles an exception, too, and there they
   tell of the copy, which has tables of its own. So only the callback of a walk
   gets other addresses, and only of the frame that it is called for. */
#define _GNU_SOURCE 1
#include "../../x86/x86.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unwind.h>

#define EXPORTED __attribute__((visibility("default")))

/* libgcc_s may come later than we, and only for who asked for it. */
static void find(void *to, const char *name) {
    void *real = dlsym(RTLD_NEXT, name), *library = NULL;
    if (!real) library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library) real = dlsym(library, name);
    memcpy(to, &real, sizeof real);
}
#define FIND(function) \
    do { \
        if (!(function)) find(&(function), __func__); \
    } while (0)

static void *origin(void *address) { return (void *)(uintptr_t)x86_origin(address); }

/* ---- the C library ---- */

/* Our own frame comes first, and is taken out. */
EXPORTED int backtrace(void **buffer, int size) {
    enum { MOST = 1024 };
    static int (*real)(void **, int);
    void *own[MOST + 1];
    int n, count;
    FIND(real);
    if (!real || size <= 0) return real ? real(buffer, size) : 0;
    count = real(own, size < MOST ? size + 1 : MOST + 1);
    for (n = 1; n < count; n++) buffer[n - 1] = origin(own[n]);
    return count > 0 ? count - 1 : count;
}

EXPORTED char **backtrace_symbols(void *const *buffer, int size) {
    enum { MOST = 1024 };
    static char **(*real)(void *const *, int);
    void *own[MOST];
    int n;
    FIND(real);
    if (!real) return NULL;
    if (size > MOST) return real(buffer, size);
    for (n = 0; n < size; n++) own[n] = origin(buffer[n]);
    return real(own, size);
}

EXPORTED void backtrace_symbols_fd(void *const *buffer, int size, int file) {
    static void (*real)(void *const *, int, int);
    int n;
    FIND(real);
    for (n = 0; real && n < size; n++) {
        void *own = origin(buffer[n]);
        real(&own, 1, file);
    }
}

EXPORTED int dladdr(const void *address, Dl_info *about) {
    static int (*real)(const void *, Dl_info *);
    FIND(real);
    return real ? real(x86_origin(address), about) : 0;
}

EXPORTED int dladdr1(const void *address, Dl_info *about, void **more, int flags) {
    static int (*real)(const void *, Dl_info *, void **, int);
    FIND(real);
    return real ? real(x86_origin(address), about, more, flags) : 0;
}

/* ---- libgcc ---- */

typedef struct walk {
    _Unwind_Trace_Fn told;
    void *user;
    int is_first;               /* our own frame comes first, and is not shown */
} walk;

/* The frame that a walk's callback is called for. */
static __thread struct _Unwind_Context *walked __attribute__((tls_model("initial-exec")));

typedef _Unwind_Ptr (*get_ip_info)(struct _Unwind_Context *, int *);
static get_ip_info real_ip_info(void) {
    static get_ip_info real;
    if (!real) find(&real, "_Unwind_GetIPInfo");
    return real;
}

static _Unwind_Reason_Code each_frame(struct _Unwind_Context *context, void *user) {
    walk *w = (walk *)user;
    struct _Unwind_Context *before = walked;
    _Unwind_Reason_Code answer;
    if (w->is_first) {
        w->is_first = 0;
        return _URC_NO_REASON;
    }
    walked = context;
    answer = w->told(context, w->user);
    walked = before;
    return answer;
}

EXPORTED _Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn told, void *user) {
    static _Unwind_Reason_Code (*real)(_Unwind_Trace_Fn, void *);
    walk w;
    w.told = told;
    w.user = user;
    w.is_first = 1;
    FIND(real);
    return real ? real(each_frame, &w) : _URC_END_OF_STACK;
}

EXPORTED _Unwind_Ptr _Unwind_GetIP(struct _Unwind_Context *context) {
    int is_before;
    get_ip_info ip = real_ip_info();
    _Unwind_Ptr at = ip ? ip(context, &is_before) : 0;
    return context == walked ? (_Unwind_Ptr)x86_origin((const void *)at) : at;
}

EXPORTED _Unwind_Ptr _Unwind_GetIPInfo(struct _Unwind_Context *context, int *is_before) {
    get_ip_info ip = real_ip_info();
    _Unwind_Ptr at = ip ? ip(context, is_before) : 0;
    return context == walked ? (_Unwind_Ptr)x86_origin((const void *)at) : at;
}
