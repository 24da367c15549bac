/* test_demangle.c - names of Rust in both manglings, as other demanglers have
   them; and what is no name is left alone. */
#include "test.h"
#include "base/demangle.h"
#include <stdlib.h>
#include <string.h>

static void same(const char *name, const char *wanted) {
    char *got = demangle_rust(name);
    if (wanted) CHECK_STR(got ? got : "(nothing)", wanted);
    else if (got) CHECK_STR(name, got);
    free(got);
}

TEST(the_old_way) {
    same("_ZN1r6lowest17h5a9be11c3cce71a8E", "r::lowest");
    same("_ZN33_$LT$r..A$u20$as$u20$r..Work$GT$2go17h8f1bfc916c0481dfE", NULL);
    same("_ZN32_$LT$r..A$u20$as$u20$r..Work$GT$2go17h8f1bfc916c0481dfE", "<r::A as r::Work>::go");
    same("_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17ha86af84d9cc65291E",
         "std::rt::lang_start::{{closure}}");
    same("_ZN4core3ptr28drop_in_place$LT$$RF$str$GT$17h0123456789abcdefE.llvm.123",
         "core::ptr::drop_in_place<&str>");
    same("_ZN3foo3bar17h0123456789abcdefE.cold", "foo::bar.cold");
    same("_ZN3foo3barE", NULL);                           /* C++ */
    same("_ZN3foo3bar17h0123456789abcdexE", NULL);
    same("_ZN3foo3bar17h0123456789abcdef", NULL);
    same("_ZN17h0123456789abcdefE", NULL);
}

TEST(the_new_way) {
    same("_RNvCs6GmmlP4bgsG_1r6lowest", "r::lowest");
    same("_RNvNtCsjrHSEGnQ3l9_3std2rt19lang_start_internal", "std::rt::lang_start_internal");
    same("_RNvXCs6GmmlP4bgsG_1rNtB2_1ANtB2_4Work2go", "<r::A as r::Work>::go");
    same("_RINvCs6GmmlP4bgsG_1r7genericyEB2_", "r::generic::<u64>");
    same("_RNCINvNtCsjrHSEGnQ3l9_3std2rt10lang_startuE0Cs6GmmlP4bgsG_1r",
         "std::rt::lang_start::<()>::{closure#0}");
    same("_RNCNvC1a4mains_0", "a::main::{closure#1}");
    same("_RNvMC1aNtB2_1T3new", "<a::T>::new");
    same("_RINvC1a1fRSmQTbcEPAhj10_E", "a::f::<&[u32], &mut (bool, char), *const [u8; 16]>");
    same("_RINvC1a1fFUKCmEuE", "a::f::<unsafe extern \"C\" fn(u32)>");
    same("_RINvC1a1fFKmyEmE", NULL);
    same("_RINvC1a1fFG_RL0_hEhE", "a::f::<for<'a> fn(&'a u8) -> u8>");
    same("_RINvC1a1fDNtC1b1TEL_E", "a::f::<dyn b::T>");
    same("_RINvC1a1fDINtC1b1TmEp4ItemhEL_E", "a::f::<dyn b::T<u32, Item = u8>>");
    same("_RINvC1a1fKj2a_Kln5_Kb1_Kc41_KpE", "a::f::<42, -5, true, 'A', _>");
    same("_RNvC1au9gdel_tda7", "a::gdel");
    same("_RNvC1a1f.llvm.9", "a::f");
    same("_RNvC1a1f.cold", "a::f.cold");
}

TEST(what_is_none) {
    static const char *const none[]
        = {"", "_", "_R", "_RC", "_RN", "_RNv", "_RNvC", "_RNvC1", "_RNvC1a", "_RNvC1a9f", "_RB_",
           "_RNvB_1a", "_RINvC1a1fB_", "_RNvC1a1fxx", "_Rust", "main", "_RYmB_", "_RINvC1a1fKz_E",
           "_RNvC1a99999999999999999999f", "_RNvCs99999999999999999_1a1f"};
    size_t n;
    for (n = 0; n < sizeof none / sizeof *none; n++) same(none[n], NULL);
}

/* Cut, changed, and pointing at themselves: each ends, and reads nothing behind
   its end. */
TEST(any_bytes) {
    static const char *const good[]
        = {"_RNCINvNtCsjrHSEGnQ3l9_3std2rt10lang_startuE0Cs6GmmlP4bgsG_1r",
           "_RINvC1a1fDINtC1b1TmEp4ItemhEL_FG_RL0_hEhKj2a_TB3_B3_B3_EB9_E",
           "_ZN32_$LT$r..A$u20$as$u20$r..Work$GT$2go17h8f1bfc916c0481dfE"};
    static const char letters[] = "_0129abcdehnsuBCNIMXYTRSAFDKLEGZ$";
    uint64_t z = 5;
    size_t i, n, k;
    for (i = 0; i < 3; i++) {
        size_t size = strlen(good[i]);
        for (n = 0; n < 6000; n++) {
            char *name = (char *)malloc(size + 1);
            memcpy(name, good[i], size + 1);
            for (k = 0; k < 1 + n % 4; k++) {
                z = z * UINT64_C(6364136223846793005) + 1442695040888963407u;
                name[2 + (z >> 40) % (size - 2)] = letters[(z >> 20) % (sizeof letters - 1)];
            }
            if (n <= size) name[n] = 0;
            free(demangle_rust(name));
            free(name);
        }
    }
}

/* Thirty parts of which each is two of the one before. */
TEST(a_name_that_explodes) {
    char name[1000];
    size_t at, before, n;
    strcpy(name, "_RINvC1a1f");
    before = strlen(name) - 2;
    strcat(name, "TmmE");
    for (n = 0; n < 30; n++) {
        static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        char back[8];
        at = strlen(name) - 2;
        if (before == 0) strcpy(back, "B_");
        else if (before <= 62) snprintf(back, sizeof back, "B%c_", digits[before - 1]);
        else snprintf(back, sizeof back, "B%c%c_", digits[(before - 1) / 62], digits[(before - 1) % 62]);
        strcat(name, "T");
        strcat(name, back);
        strcat(name, back);
        strcat(name, "E");
        before = at;
    }
    strcat(name, "E");
    same(name, NULL);
}
