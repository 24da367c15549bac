/* x86.h - the engine of `bursty record`: it patches the x86-64 code of the process
   that it runs in, as nobody compiled it, and samples it in bursts. x86.c is its
   one object; whoever includes this file plainly gets the declarations.

       flow_*.c    functions of a module, jump tables, loops, Equation 3, unwinding
       copy*.c     copies of a function, with checks and events
       patch_*.c   entries that lead to copies, bursts, stacks, switching

   The decoder is that of binpatch.h. These files stand in one object because
   their private functions call one another in no order of layers.

   A program that uses it (X86_IMPLEMENTATION in one file, and _GNU_SOURCE before
   the first include of that file):

       static void seen(void *user, const x86_event *e, size_t count, int ended);
       static x86_config config;
       config.action = seen;
       if (!x86_install(&config)) puts(x86_reason());

   1. x86_install finds the functions of the executable and its libraries by their
      unwind information, early in main or before it: no other thread may run
      then. It writes a jump over the entry of each that it fully understands.
   2. The jump leads through a slot, a word of data. A function is copied when it
      is first called: the checking copy has a check at its entry and at its
      back-edges, where the analysis says that one is needed (Equation 3 of
      bursty-tracing, section 4.1; k-boring loops, section 4.2).
   3. When a burst begins, an instrumented copy is made of the functions that it
      reaches. It writes events into a buffer of the thread, and the action gets
      them when the burst ends.
   4. x86_toggle(0) sends callers to the original code, x86_toggle(1) to the copies
      again. x86_uninstall also writes the original entries back.
   5. x86_flush hands over what the calling thread has recorded; x86_leave when a
      thread ends.

   What it promises. A program does what it did before: registers, flags, memory
   and the stack above its red zone are its own. What is not understood is not
   touched, and x86_get_function gives the reason. Nothing here calls malloc;
   memory comes from mmap. errno is not touched while the program runs. Code that
   reads its own instructions, or looks its return address up without a table of
   them in its data, sees other addresses. Where the processor checks returns they
   stay, and short bursts miss calls. A program that changes its own code says so
   before: x86_code_changes. Exceptions and backtraces go through copies if the
   process asks x86_find_frame: interpose _dl_find_object (glibc 2.35) and answer
   from it. x86_origin tells what the addresses are without copies.

   Threads. All may run patched code. An action runs on the thread whose events it
   gets, maybe in a signal handler: no locks and no malloc in it. Signals wait
   meanwhile. 16384 threads at a time have a buffer; more are not sampled. A fork
   shares the copies; each process has its own slots and samples. A body and a copy
   belong to one thread at a time.

   Everything compiles on every target. Without _GNU_SOURCE, on other systems than
   Linux on x86-64, and with -ffreestanding, x86_install returns 0 and x86_reason
   says why. X86FLOW_SUPPORTED is 1 where code can be read and copied, and
   X86_SUPPORTED where it can be patched. With X86_STATIC everything is static. */
#ifndef X86_H
#define X86_H
#ifdef X86_IMPLEMENTATION /* the decoder, too, for this file alone */
#define BINPATCH_STATIC
#define BINPATCH_IMPLEMENTATION
#endif
#include "../../binpatch.h"
#include <stddef.h>
#include <stdint.h>

#if defined(X86_STATIC) && (defined(__GNUC__) || defined(__TINYC__))
#define X86_API __attribute__((unused)) static
#elif defined(X86_STATIC)
#define X86_API static
#elif defined(__GNUC__) && !defined(_WIN32)
#define X86_API extern __attribute__((visibility("hidden")))
#else
#define X86_API extern
#endif

#if defined(__x86_64__) && defined(__LP64__) && defined(__GNUC__) && !defined(__TINYC__)           \
    && defined(__STDC_HOSTED__) && __STDC_HOSTED__
#define X86FLOW_SUPPORTED 1             /* code of this process can be read and copied */
#endif
#if defined(X86FLOW_SUPPORTED) && defined(__linux__)
#define X86_SUPPORTED 1                 /* and patched */
#endif

#include "patch.h"
#ifdef X86FLOW_SUPPORTED
#include "flow.h"
#include "copy.h"
#endif
#endif /* X86_H */

#if defined(X86_IMPLEMENTATION) && !defined(X86_IMPLEMENTED)
#define X86_IMPLEMENTED
#ifdef X86FLOW_SUPPORTED
#include <cpuid.h>
#include <string.h>
#include "../../base/x86effects.h"
#include "words.c"
#include "flow_body.c"
#include "flow_unwind.c"
#include "flow_bounds.c"
#include "flow_tables.c"
#include "flow_threads.c"
#include "flow_loops.c"
#include "flow_lookups.c"
#include "flow_module.c"
#include "flow_eliminate.c"
#include "copy_bytes.c"
#include "copy_events.c"
#include "copy_code.c"
#include "copy.c"
#include "copy_unwind.c"
#include "copy_stub.c"
#endif /* X86FLOW_SUPPORTED */

#if defined(X86_SUPPORTED) && defined(_GNU_SOURCE)
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "patch_state.c"
#include "patch_copies.c"
#define BASE_P_SLOW __attribute__((unused)) static   /* the chance that the products have, too */
#define BASE_P_DRAWS_SEED
#define BASE_P_ASKS_LINUX
#include "../../src/chance.c"
#include "../../src/seed.c"
#include "patch_sampler.c"
#include "patch_look.c"
#include "patch_stack.c"
#include "patch_modules.c"
#include "patch_room.c"
#include "patch_known.c"
#include "patch_labels.c"
#include "patch_entries.c"
#include "patch_names.c"
#include "patch_changes.c"
#include "patch_install.c"
#include "patch_unwind.c"
#include "patch_hooks.c"
#else
#include "patch_elsewhere.c"
#endif
#endif /* X86_IMPLEMENTATION */
