/* keepregs.h - v0.2.0 - bursty.h's checks without a register, on x86-64 - MIT, text at end of file

   example:
       #define BURSTY_IMPLEMENTATION
       #define BURSTY_STDIO
       #include "keepregs.h"
       #include "bursty.h"
       static int sum(int n) { BURST_ENTRY(); return n > 0 ? sum(n - 1) + n : 0; }
       int main(void) {
           int i, total = 0;
           bursty_start(NULL);
           for (i = 0; i < 10000; i++) { BURST_LOOP(); total += sum(i % 50); }
           return bursty_save("sums.brst") != 0 || total == 0;
       }
   end of example.

   STEP BY STEP
   1. Include this header before bursty.h in every file, or compile every file with
      "-include keepregs.h". That is all: write checks as bursty.h says. `bursty cc` does it by
      itself.
   2. A check in C holds a call in its branch that is rarely taken. So a compiler keeps the values
      that live across the check in registers that a call preserves, and saves those registers
      whenever the function runs. With this header BURST_ENTRY and BURST_LOOP are assembly, which
      changes nothing but the flags. In small functions that is most of a check's cost.
      In a function that often leaves at once, as `if (n < 2) return n;`, put the check below that
      exit: recursive fib then takes 1.05 of its time without a check, and 1.15 with the check
      first. Such calls are not seen, with this header or without.
   3. BURST_POINT, BURST_CHECK, BURST_SCOPE and dualpath.h stay as they are. So does everything
      where the assembly is not proven right. That is: other processors and systems, gcc before 12
      and clang before 14, C++ with exceptions (gcc and clang both spare work where no throw can
      come from), C++ for a shared object, sanitizers, POLL, TINY and STATIC builds of bursty.h, a
      shared object without BURSTY_TLS_MODEL, the large code model, and code for AMX or APX.

   PROMISES
     - A check keeps every general, vector, mask and x87 register and the red zone. Counts, events
       and dumps are the same as without this header, byte for byte.
     - A debugger and an exception find their way from an action to the function that checks. (With
       -flto compile C code that an exception passes with -fexceptions. It then checks in C.)
     - It includes stddef.h and stdint.h alone. Off, or not included, nothing of it remains.

   THREADS
     It keeps nothing between two calls but whether the processor has xsave.

   OPTIONS in every file:
     KEEPREGS_OFF          the checks of bursty.h. Needed with -masm=intel, and if an action leaves
                           by longjmp into the very function that checks.
   "undefined reference to keepregs_thunk": the file with BURSTY_IMPLEMENTATION includes bursty.h
   without this header, or was compiled with KEEPREGS_OFF.

   COST
     Two instructions for a check. In a burst an event takes about 40 instructions more. If a
     profile has an action, or burstclock.h a budget, each call of the slow path saves all vector
     registers, which takes 150 ns and 3 KB of stack. An action must not use AMX tiles, and what it
     changes in the rounding mode is undone. */

#ifndef KEEPREGS_H
#define KEEPREGS_H
#include <stddef.h>
#include <stdint.h>
#ifdef BURSTY_H
#error "keepregs.h must be included before bursty.h"
#endif

/* ---- where ---------------------------------------------------------------------------------- */

#if defined(__has_feature)
#define KEEPREGS_P_HAS(sanitizer) __has_feature(sanitizer)
#else
#define KEEPREGS_P_HAS(sanitizer) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    defined(__SANITIZE_HWADDRESS__) || KEEPREGS_P_HAS(address_sanitizer) || \
    KEEPREGS_P_HAS(thread_sanitizer) || KEEPREGS_P_HAS(memory_sanitizer) || \
    KEEPREGS_P_HAS(hwaddress_sanitizer) || KEEPREGS_P_HAS(dataflow_sanitizer)
#define KEEPREGS_P_SANITIZED
#endif
#if defined(__PIC__) && !defined(__PIE__)
#define KEEPREGS_P_SHARED
#endif
#if defined(KEEPREGS_P_SHARED) && !defined(BURSTY_NO_TLS) && !defined(BURSTY_TLS_MODEL)
#define KEEPREGS_P_CALL_FOR_TLS /* the compiler finds the thread's word by a call */
#endif

/* Files whose checks are in C may be linked with others, so the implementation of bursty.h has the
   way in for assembly (IN_BURSTY) in more cases than a file has such checks (CHECKS). */
#if defined(__x86_64__) && defined(__LP64__) && defined(__ELF__) && !defined(KEEPREGS_OFF) && \
    !defined(BURSTY_OFF) && !defined(BURSTY_POLL) && !defined(BURSTY_TINY) && \
    !defined(BURSTY_STATIC) && !defined(__INTEL_COMPILER) && !defined(__NVCOMPILER)
#if defined(__clang__) && __clang_major__ >= 14
#define KEEPREGS_P_ASM __asm__ __volatile__
#define KEEPREGS_P_USED used
#define KEEPREGS_P_UNSEEN xray_never_instrument, no_sanitize("coverage")
#if __clang_major__ >= 15
#define KEEPREGS_P_SAVES __attribute__((no_caller_saved_registers, zero_call_used_regs("skip")))
#else
#define KEEPREGS_P_SAVES __attribute__((no_caller_saved_registers))
#endif
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define KEEPREGS_P_ASM __asm__ __inline __volatile__ /* one instruction to gcc, when it inlines */
#define KEEPREGS_P_USED used, externally_visible
#define KEEPREGS_P_UNSEEN no_sanitize_coverage
#define KEEPREGS_P_SAVES __attribute__((no_caller_saved_registers, zero_call_used_regs("skip")))
#endif
#endif
#if defined(KEEPREGS_P_ASM) && !defined(__EXCEPTIONS) && !defined(KEEPREGS_P_SANITIZED) && \
    !defined(KEEPREGS_P_CALL_FOR_TLS) && !defined(__code_model_large__) && \
    !defined(__AMX_TILE__) && !defined(__APX_F__) && \
    !(defined(__cplusplus) && defined(KEEPREGS_P_SHARED))
#define KEEPREGS_P_CHECKS
#endif

/* ---- the check ------------------------------------------------------------------------------ */

/* The rest of a check stands in a stub behind the code of its own section, so that it goes where a
   COMDAT or a section that is dropped goes:

             decl word                     771: add  $-128, %rsp        over the red zone
             js   771f                          call keepregs_thunk     returns with `ret $128`
       772:  ...                                jmp  772b               in its long form
                                                .long site - .

   The thunk finds the site behind its return address. Returning there and not to 772 keeps the
   processor's prediction of returns, and a shadow stack, right.

   In an executable the word's address is a constant. It is written out, since gcc would keep the
   base of an operand in a register. */
#ifdef KEEPREGS_P_CHECKS
#define KEEPREGS_P_TEXT2(x) #x
#define KEEPREGS_P_TEXT(x) KEEPREGS_P_TEXT2(x)
#if defined(BURSTY_NO_TLS) || defined(KEEPREGS_P_SHARED)
#define KEEPREGS_P_WORD "%[word]"
#define KEEPREGS_P_OPERAND [word] "+m"(BURSTY_P_HERE.n)
#else
#define KEEPREGS_P_WORD "%%fs:" KEEPREGS_P_TEXT(BURSTY_P_HERE) "@tpoff"
#define KEEPREGS_P_OPERAND
#endif
#define KEEPREGS_P_CHECK(class_, name_) \
    do { \
        static const bursty_site bursty_p_site = { name_, __FILE__, __LINE__, class_ }; \
        KEEPREGS_P_ASM("decl\t" KEEPREGS_P_WORD "\n\tjs\t771f\n772:\t.subsection 1\n771:\t" \
                       ".byte 0x48, 0x83, 0xc4, 0x80\n\tcall\tkeepregs_thunk\n\t" \
                       ".byte 0xe9\n\t.long 772b - . - 4\n\t.long %c[site] - .\n\t.previous" \
                       : KEEPREGS_P_OPERAND \
                       : [site] "i"(&bursty_p_site) \
                       : "cc", "memory"); \
    } while (0)
#define BURST_ENTRY() KEEPREGS_P_CHECK(BURSTY_CALL, __func__)
#define BURST_LOOP() KEEPREGS_P_CHECK(BURSTY_BACKEDGE, __func__)
#elif !defined(BURSTY_OFF)
#define BURST_ENTRY() BURST_POINT(BURSTY_CALL, __func__, 0)
#define BURST_LOOP() BURST_POINT(BURSTY_BACKEDGE, __func__, 0)
#endif

/* ---- the way to the slow path --------------------------------------------------------------- */

#ifdef KEEPREGS_P_ASM

/* Of all functions between the thunk and an action: they use general registers alone, and the
   compiler puts no call into them that might use others, such as a hook of -finstrument-functions.
   So while nothing outside bursty.h is called, the thunk's registers are all that must be kept. */
#define KEEPREGS_P_SLOW \
    __attribute__((target("general-regs-only"), no_instrument_function, \
                   no_profile_instrument_function, KEEPREGS_P_UNSEEN))
#define KEEPREGS_P_INLINE static inline __attribute__((always_inline)) KEEPREGS_P_SLOW
#define KEEPREGS_P_NOINLINE static __attribute__((noinline)) KEEPREGS_P_SLOW

/* Adds to a counter that saturates. Compilers would take 4 instructions. */
#define KEEPREGS_P_ADDS(c, v) keepregs_p_add((c), (v))
KEEPREGS_P_INLINE int keepregs_p_add(uint64_t *count, uint64_t more) {
    int over;
    __asm__("addq\t%2, %0" : "+m"(*count), "=@ccc"(over) : "er"(more));
    if (__builtin_expect(over, 0)) __atomic_store_n(count, UINT64_MAX, __ATOMIC_RELAXED);
    return 1;
}

/* Does the thread run profile 0 alone, which does no more than count? Then keepregs_hit looks at
   the schedule by itself: as bursty_p_look, in a quarter of the instructions. */
#define KEEPREGS_P_PLAIN(t) \
    ((t)->active == 1 && !((t)->framed | (t)->acting) && !bursty_p_all.config.pace \
     && (t)->sampler[0].set.classes == BURSTY_ANY && !(t)->sampler[0].set.awake_count \
     && (t)->sampler[0].set.check_count != BURSTY_ALWAYS)

#if defined(KEEPREGS_P_SANITIZED) || defined(KEEPREGS_P_CALL_FOR_TLS)
#define KEEPREGS_P_ALWAYS 1 /* the compiler's own calls are outside */
#else
#define KEEPREGS_P_ALWAYS 0
#endif

/* Vector, mask and x87 registers: xsave's components 0, 1, 2, 5, 6 and 7, in 64 + 2688 bytes. No
   processor's layout of them is larger. */
#define KEEPREGS_P_PARTS 0xe7
#define KEEPREGS_P_ROOM (2752 / 8)

/* 0: not asked yet; 1: fxsave does it; 2: xsave does. */
KEEPREGS_P_INLINE uint32_t keepregs_p_ask(uint32_t *known) {
    uint32_t has = __atomic_load_n(known, __ATOMIC_RELAXED), a = 1, b, c = 0, d;
    if (has != 0) return has;
    __asm__ __volatile__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    has = 1 + (c >> 27 & 1);
    __atomic_store_n(known, has, __ATOMIC_RELAXED);
    return has;
}

/* Afterwards the x87 registers are free; x87's and SSE's control words stay. */
KEEPREGS_P_INLINE uint64_t *keepregs_p_save(uint64_t *room, uint32_t has) {
    uint64_t *area = room + ((0 - (uintptr_t)room) & 63) / 8;
    uint32_t i;
    for (i = 64; i < 72; i++) *(volatile uint64_t *)&area[i] = 0; /* xrstor wants zeros there */
    if (has == 1) {
        __asm__ __volatile__("fxsave64 %0" : "=m"(*area) : : "memory");
    } else {
        __asm__ __volatile__("xsave64 %0"
                             : "+m"(*area) : "a"(KEEPREGS_P_PARTS), "d"(0) : "memory");
    }
    __asm__ __volatile__("emms" : : : "memory");
    return area;
}

KEEPREGS_P_INLINE void keepregs_p_restore(const uint64_t *area, uint32_t has) {
    if (has == 1) {
        __asm__ __volatile__("fxrstor64 %0" : : "m"(*area) : "memory");
    } else {
        __asm__ __volatile__("xrstor64 %0"
                             : : "m"(*area), "a"(KEEPREGS_P_PARTS), "d"(0) : "memory");
    }
}

/* The thunk finds the site and calls keepregs_count, which keeps all registers but rax and rdi. If
   the event is an unusual one, the thunk keeps the other general registers and calls keepregs_hit.
   It returns over the red zone.

   To an unwinder it looks as if the function that checks had called it right behind the js: the
   stack pointer there is 136 above the one at the thunk's entry, and the return address is the
   target of the stub's jmp: p + 5 + *(int32_t *)(p + 1), where p = *(CFA - 136). */
#define KEEPREGS_P_SITE(at) \
    "\tmov\t" at ", %rdi\n\tmovslq\t5(%rdi), %rax\n\tlea\t5(%rdi,%rax), %rdi\n"
#if KEEPREGS_P_ALWAYS
#define KEEPREGS_P_TRY ""
#else
#define KEEPREGS_P_TRY KEEPREGS_P_SITE("16(%rsp)") KEEPREGS_P_ASK "\ttest\t%rax, %rax\n\tje\t1f\n"
#endif
#ifdef __clang__ /* which, at -O0, makes a function that keeps all registers keep rax, too */
#define KEEPREGS_P_ASK \
    "\tpush\t%rdi\n\tmov\t%rsp, %rdi\n\tcall\tkeepregs_count\n\tpop\t%rax\n"
#define KEEPREGS_P_COUNT \
    KEEPREGS_P_ENTRY KEEPREGS_P_SAVES void keepregs_count(uint64_t *place); \
    void keepregs_count(uint64_t *place) { \
        *place = keepregs_p_count((const bursty_site *)(uintptr_t)*place); \
    }
#else
#define KEEPREGS_P_ASK "\tcall\tkeepregs_count\n"
#define KEEPREGS_P_COUNT \
    KEEPREGS_P_ENTRY KEEPREGS_P_SAVES uint64_t keepregs_count(const bursty_site *site); \
    uint64_t keepregs_count(const bursty_site *site) { return keepregs_p_count(site); }
#endif
#define KEEPREGS_P_FIRST_PUSH(r, at) \
    "\tpush\t%" r "\n\t.cfi_adjust_cfa_offset 8\n\t.cfi_offset " r ", -" at "\n"
#define KEEPREGS_P_PUSH(r, at) "\tpush\t%" r "\n\t.cfi_offset " r ", -" at "\n"
#define KEEPREGS_P_THUNK \
    ".pushsection .text.keepregs_thunk, \"ax\", @progbits\n" \
    "\t.globl\tkeepregs_thunk\n\t.hidden\tkeepregs_thunk\n" \
    "\t.type\tkeepregs_thunk, @function\n\t.p2align 4\nkeepregs_thunk:\n" \
    "\t.cfi_startproc\n\t.cfi_def_cfa rsp, 136\n" \
    "\t.cfi_escape 0x16, 0x10, 25, 0x0b, 0x78, 0xff, 0x22, 0x06, 0x23, 1, 0x12, 0x94, 4, " \
    "0x0c, 0, 0, 0, 0x80, 0x27, 0x0c, 0, 0, 0, 0x80, 0x1c, 0x22, 0x23, 4\n" \
    KEEPREGS_P_FIRST_PUSH("rax", "144") KEEPREGS_P_FIRST_PUSH("rdi", "152") \
    KEEPREGS_P_TRY "\t.cfi_remember_state\n" \
    KEEPREGS_P_FIRST_PUSH("rbp", "160") \
    "\tmov\t%rsp, %rbp\n\t.cfi_def_cfa_register rbp\n" \
    KEEPREGS_P_PUSH("rcx", "168") KEEPREGS_P_PUSH("rdx", "176") KEEPREGS_P_PUSH("rsi", "184") \
    KEEPREGS_P_PUSH("r8", "192") KEEPREGS_P_PUSH("r9", "200") KEEPREGS_P_PUSH("r10", "208") \
    KEEPREGS_P_PUSH("r11", "216") \
    "\tmov\t%eax, %esi\n" KEEPREGS_P_SITE("24(%rbp)") \
    "\tand\t$-16, %rsp\n\tcall\tkeepregs_hit\n\tlea\t-56(%rbp), %rsp\n" \
    "\tpop\t%r11\n\tpop\t%r10\n\tpop\t%r9\n\tpop\t%r8\n" \
    "\tpop\t%rsi\n\tpop\t%rdx\n\tpop\t%rcx\n\tpop\t%rbp\n\t.cfi_restore_state\n" \
    "1:\tpop\t%rdi\n\t.cfi_adjust_cfa_offset -8\n\t.cfi_restore rdi\n" \
    "\tpop\t%rax\n\t.cfi_adjust_cfa_offset -8\n\t.cfi_restore rax\n\tret\t$128\n" \
    "\t.cfi_endproc\n\t.size\tkeepregs_thunk, . - keepregs_thunk\n\t.popsection\n"

/* The implementation of bursty.h expands this behind bursty_p_hit. keepregs_count takes the word
   out and counts the usual event, without a call. Its answer is 0; or, if it does not count, 2^32
   plus the word, and keepregs_hit goes on from there. In a plain thread without new settings it
   takes the short look. Else it is keepregs_p_hit_any, which calls nothing outside bursty.h if no
   profile has an action, there is no budget, and a look leaves new settings to the next check
   (same_settings). In a burst that was another profile's, too, `only` may still be NULL. */
#ifdef __cplusplus
#define KEEPREGS_P_ENTRY \
    extern "C" __attribute__((KEEPREGS_P_USED, visibility("hidden"))) KEEPREGS_P_SLOW
#else
#define KEEPREGS_P_ENTRY __attribute__((KEEPREGS_P_USED, visibility("hidden"))) KEEPREGS_P_SLOW
#endif
#define KEEPREGS_P_QUIET
#define KEEPREGS_P_LOUD
#if defined(__has_warning)
#if __has_warning("-Wexcessive-regsave") /* it takes what is inlined there for calls */
#undef KEEPREGS_P_QUIET
#undef KEEPREGS_P_LOUD
#define KEEPREGS_P_QUIET \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wexcessive-regsave\"")
#define KEEPREGS_P_LOUD _Pragma("clang diagnostic pop")
#endif
#endif
#if KEEPREGS_P_ALWAYS
#define KEEPREGS_P_IN_BURSTY \
    __asm__(KEEPREGS_P_THUNK); \
    KEEPREGS_P_ENTRY void keepregs_hit(const bursty_site *site); \
    void keepregs_hit(const bursty_site *site) { \
        static uint32_t has_xsave; \
        uint64_t room[KEEPREGS_P_ROOM], *area; \
        uint32_t has = keepregs_p_ask(&has_xsave); \
        area = keepregs_p_save(room, has); \
        (void)bursty_p_hit(site, 0); \
        keepregs_p_restore(area, has); \
    }
#else
#define KEEPREGS_P_IN_BURSTY \
    __asm__(KEEPREGS_P_THUNK); \
    KEEPREGS_P_QUIET \
    KEEPREGS_P_INLINE uint64_t keepregs_p_count(const bursty_site *site) { \
        uint32_t n = bursty_p_hold(); \
        if (BURSTY_P_UNLIKELY(!bursty_p_count_recent(site, n))) return (uint64_t)1 << 32 | n; \
        BURSTY_P_HERE.n = n; \
        return 0; \
    } \
    KEEPREGS_P_COUNT \
    KEEPREGS_P_LOUD \
    BURSTY_P_COLD static void keepregs_p_hit_outside(const bursty_site *site, uint32_t n) { \
        static uint32_t has_xsave; \
        uint64_t room[KEEPREGS_P_ROOM], *area; \
        uint32_t has = keepregs_p_ask(&has_xsave); \
        area = keepregs_p_save(room, has); \
        (void)bursty_p_rest(site, 0, n + 1); \
        keepregs_p_restore(area, has); \
    } \
    KEEPREGS_P_NOINLINE void keepregs_p_hit_any(const bursty_site *site, uint32_t n) { \
        bursty_p_thread *t = bursty_p_registered(); \
        uint32_t outer = t ? t->same_settings : 0; \
        if (t) t->same_settings = 1; \
        BURSTY_P_FENCE(); /* a signal handler may set a profile from here on */ \
        if (t && !t->acting && !bursty_p_all.config.pace \
            && t->generation == BURSTY_P_GET(&bursty_p_all.generation)) { \
            (void)bursty_p_hit_of(t, site, 0, n + 1); \
            t->same_settings = outer; \
            return; \
        } \
        if (t) t->same_settings = outer; \
        keepregs_p_hit_outside(site, n); \
    } \
    KEEPREGS_P_INLINE uint32_t keepregs_p_look(bursty_p_thread *t) { \
        bursty_p_sampler *s = t->sampler; \
        uint32_t span = t->span, live = s->in_burst; \
        uint64_t left = s->left - span; \
        bursty_p_count_up(&t->checks, span); \
        if (t->live) bursty_p_count_up(&t->burst_checks, span); \
        if (left == 0) { \
            s->in_burst = live = !live; \
            left = live ? s->set.burst_count : bursty_p_gap(t, s); \
        } \
        s->left = left; \
        if (t->live != live) { \
            if (bursty_p_mine.touched) bursty_p_fold(t, s); \
            t->live = live; \
            bursty_p_mine.summing = 0; \
            bursty_p_mine.only = live ? t->events : NULL; \
            bursty_p_mine.weight_256 = s->weight_256; \
            if (live) bursty_p_number(t, s, 0); \
        } \
        t->span = span = left < BURSTY_P_SPAN ? (uint32_t)left : BURSTY_P_SPAN; \
        bursty_p_mine.room = bursty_p_mine.only ? span : 0; \
        return live ? 0 : span; \
    } \
    KEEPREGS_P_ENTRY void keepregs_hit(const bursty_site *site, uint32_t n); \
    void keepregs_hit(const bursty_site *site, uint32_t n) { \
        bursty_p_thread *t = bursty_p_registered(); \
        uint32_t passed = t ? (t->live ? 0 : t->span) - (n + 1) : 0; \
        if (!t || !t->plain || t->generation != BURSTY_P_GET(&bursty_p_all.generation)) { \
            keepregs_p_hit_any(site, n); \
            return; \
        } \
        if (passed >= t->span) n = keepregs_p_look(t) - 1; \
        if (t->live && !(bursty_p_mine.only && bursty_p_count_known(site))) { \
            bursty_p_deliver(t, site, 0, site->kind, n); \
        } \
        BURSTY_P_HERE.n = n; \
    }
#endif

#else
#define KEEPREGS_P_SLOW
#define KEEPREGS_P_ADDS(c, v) 0
#define KEEPREGS_P_PLAIN(t) 0
#define KEEPREGS_P_IN_BURSTY
#endif /* KEEPREGS_P_ASM */
#endif /* KEEPREGS_H */

/* MIT License

   Copyright (c) 2026 the bursty authors

   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
   associated documentation files (the "Software"), to deal in the Software without restriction,
   including without limitation the rights to use, copy, modify, merge, publish, distribute,
   sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all copies or
   substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
   NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
   DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
