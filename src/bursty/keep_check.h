/* ---- checks and scopes that keep registers ---- */

/* A call makes a compiler save and move what stands in registers, although it
   hardly ever happens. So where the compiler and the target are known
   (keep_where.h), the rare way is assembly that changes no register. It stands
   in a stub behind the code of its own section, and goes where a COMDAT or a
   section that is dropped goes:

             decl word                     771: add  $-128, %rsp        over the red zone
             js   771f                          call bursty_thunk     returns with `ret $128`
       772:  ...                                jmp  772b               in its long form
                                                .long site - .

   The thunk finds the site behind its return address. Returning there and not
   to 772 keeps the processor's prediction of returns, and a shadow stack,
   right.

   A scope goes on at 772. %d and %s are registers of the compiler's choice. %d
   is kept until the scope ends, which repairs the depth if a longjmp has
   skipped scopes in it:

       772:  movl %fs:depth, %d                 movl %d, %fs:depth
             cmpl $64, %d                       cmpl $0, %fs:word
             jae  774f                          js   775f               775: as 771, without a site,
             leaq site(%rip), %s          776:                               to bursty_leave_thunk
             movq %s, %fs:stack(,%d,8)
       774:  incl %fs:depth                These are 11 instructions, and 10 at a fixed address,
                                           where one movq stores the site. In C they were 27 to 33.

   The end does not name its site. The thunk takes it from the slot that was
   just left. Ticks know these sequences, so each is of one piece and always the
   same: keep_ticks.c.

   Invariant: the site is in its slot before the depth counts it. It is
   suspended for whoever is interrupted between the two and opens scopes in a
   signal handler: the slot then has a wrong name until the scope ends. The
   depth is never wrong.

   In an executable the word's address is a constant. It is written out, since
   gcc would keep the base of an operand in a register. To gcc the assembly is
   not volatile, for around volatile ones gcc copies arguments out of their
   registers. Instead it says that it changes bursty_p_order, a variable that is
   nowhere: so it is neither moved out of a loop nor dropped. */
#ifdef BURSTY_CHECKS_ARE_ASSEMBLY
#define BURSTY_P_KEEP_TEXT2(x) #x
#define BURSTY_P_KEEP_TEXT(x) BURSTY_P_KEEP_TEXT2(x)
#define BURSTY_P_KEEP_NAME BURSTY_P_KEEP_TEXT(BURSTY_P_HERE)
extern __attribute__((visibility("hidden"))) uint32_t bursty_p_order;
#define BURSTY_P_KEEP_ORDERED BURSTY_P_KEEP_ORDER([order] "+m"(bursty_p_order))
#if defined(BURSTY_NO_TLS) || defined(BURSTY_P_SHARED)
#define BURSTY_P_KEEP_WORD "{|" BURSTY_P_KEEP_SIZE("DWORD") "}%[word]"
#define BURSTY_P_KEEP_OPERANDS [word] "+m"(BURSTY_P_HERE.n) BURSTY_P_KEEP_ORDER(, BURSTY_P_KEEP_ORDERED)
#else
#define BURSTY_P_KEEP_WORD \
    "{%%fs:" BURSTY_P_KEEP_NAME "@tpoff|DWORD PTR fs:" BURSTY_P_KEEP_NAME "@tpoff}"
#define BURSTY_P_KEEP_OPERANDS BURSTY_P_KEEP_ORDERED
#endif
#define BURSTY_P_KEEP_STUB(thunk_, back_) \
    ".byte 0x48, 0x83, 0xc4, 0x80\n\tcall\t" thunk_ "\n\t.byte 0xe9\n\t.long " back_ " - . - 4\n\t"
#define BURSTY_P_KEEP_RARE \
    ".subsection 1\n771:\t" BURSTY_P_KEEP_STUB("bursty_thunk", "772b") \
    ".long %c[site] - .\n\t.previous"
#define BURSTY_P_KEEP_CHECK(class_, name_) \
    do { \
        struct bursty_p_here { BURSTY_P_NOT_IN_LEAF; }; \
        static const bursty_site bursty_p_site = { name_, __FILE__, __LINE__, class_ }; \
        BURSTY_P_KEEP_ASM("{decl|dec}\t" BURSTY_P_KEEP_WORD "\n\tjs\t771f\n772:\t" \
                          BURSTY_P_KEEP_RARE \
                          : BURSTY_P_KEEP_OPERANDS \
                          : [site] "i"(&bursty_p_site) \
                          : "cc", "memory"); \
    } while (0)
#define BURST_ENTRY() BURSTY_P_KEEP_CHECK(BURSTY_CALL, __func__)
#define BURST_LOOP() BURSTY_P_KEEP_CHECK(BURSTY_BACKEDGE, __func__)

/* Checks by hand and events test the word in C, so that a compiler which knows
   the answer tests nothing. The rare way alone is assembly, in a cold block: a
   stub as above, and the value in rax. */
#define BURSTY_P_KEEP_CALL(thunk_, site_, ...) \
    __asm__ __volatile__(BURSTY_P_KEEP_STUB(thunk_, "772f") site_ "772:" : : __VA_ARGS__ : "cc", "memory")
#define BURSTY_P_KEEP_EVENT(thunk_, site_, value_) \
    BURSTY_P_KEEP_CALL(thunk_, ".long\t%c[site] - .\n", [site] "i"(&site_), "a"(value_))
#define BURSTY_P_HIT(site_, value_) BURSTY_P_KEEP_EVENT("bursty_point_thunk", site_, value_)
#define BURSTY_P_NOTE(site_, value_) BURSTY_P_KEEP_EVENT("bursty_event_thunk", site_, value_)
BURSTY_P_INLINE int bursty_p_check(void) {
#ifdef __clang__ /* in a loop it would keep the word in a register, too */
    __asm__("" : "+m"(BURSTY_P_HERE.n));
#endif
    if (!BURSTY_P_FIRE()) return 0;
    BURSTY_P_KEEP_CALL("bursty_check_thunk", "", "m"(BURSTY_P_HERE.n));
    return BURSTY_P_TO(int32_t, BURSTY_P_HERE.n) < 0;
}
#else
#define BURST_ENTRY() BURST_POINT(BURSTY_CALL, __func__, 0)
#define BURST_LOOP() BURST_POINT(BURSTY_BACKEDGE, __func__, 0)
#define BURSTY_P_HIT(site_, value_) bursty_hit(&site_, value_)
#define BURSTY_P_NOTE(site_, value_) bursty_note(&site_, value_, site_.kind)
BURSTY_P_INLINE int bursty_p_check(void) {
    return BURSTY_P_FIRE() ? bursty_hit(NULL, 0) != 0 : 0;
}
#endif
