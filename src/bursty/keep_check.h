/* ---- the check that keeps registers ---- */

/* The rest of a check stands in a stub behind the code of its own section, so that it goes where a
   COMDAT or a section that is dropped goes:

             decl word                     771: add  $-128, %rsp        over the red zone
             js   771f                          call bursty_p_thunk     returns with `ret $128`
       772:  ...                                jmp  772b               in its long form
                                                .long site - .

   The thunk finds the site behind its return address. Returning there and not to 772 keeps the
   processor's prediction of returns, and a shadow stack, right.

   In an executable the word's address is a constant. It is written out, since gcc would keep the
   base of an operand in a register. */
#ifdef BURSTY_P_KEEP_CHECKS
#define BURSTY_P_KEEP_TEXT2(x) #x
#define BURSTY_P_KEEP_TEXT(x) BURSTY_P_KEEP_TEXT2(x)
#if defined(BURSTY_NO_TLS) || defined(BURSTY_P_SHARED)
#define BURSTY_P_KEEP_WORD "%[word]"
#define BURSTY_P_KEEP_OPERAND [word] "+m"(BURSTY_P_HERE.n)
#else
#define BURSTY_P_KEEP_WORD "%%fs:" BURSTY_P_KEEP_TEXT(BURSTY_P_HERE) "@tpoff"
#define BURSTY_P_KEEP_OPERAND
#endif
#define BURSTY_P_KEEP_CHECK(class_, name_) \
    do { \
        static const bursty_site bursty_p_site = { name_, __FILE__, __LINE__, class_ }; \
        BURSTY_P_KEEP_ASM("decl\t" BURSTY_P_KEEP_WORD "\n\tjs\t771f\n772:\t.subsection 1\n771:\t" \
                       ".byte 0x48, 0x83, 0xc4, 0x80\n\tcall\tbursty_p_thunk\n\t" \
                       ".byte 0xe9\n\t.long 772b - . - 4\n\t.long %c[site] - .\n\t.previous" \
                       : BURSTY_P_KEEP_OPERAND \
                       : [site] "i"(&bursty_p_site) \
                       : "cc", "memory"); \
    } while (0)
#define BURST_ENTRY() BURSTY_P_KEEP_CHECK(BURSTY_CALL, __func__)
#define BURST_LOOP() BURSTY_P_KEEP_CHECK(BURSTY_BACKEDGE, __func__)
#else
#define BURST_ENTRY() BURST_POINT(BURSTY_CALL, __func__, 0)
#define BURST_LOOP() BURST_POINT(BURSTY_BACKEDGE, __func__, 0)
#endif
