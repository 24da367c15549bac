/* test_demangle.c - names of Rust in both manglings and of D, as other demanglers
   have them; and what is no name is left alone. */
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

static void same_d(const char *name, const char *wanted) {
    char *got = demangle_d(name), *any = demangle(name);
    CHECK_STR(got ? got : "(nothing)", wanted ? wanted : "(nothing)");
    CHECK_STR(any ? any : "(nothing)", wanted ? wanted : "(nothing)");
    free(got);
    free(any);
}

/* By `c++filt -s dlang`, which has the same names for the 14 055 functions of the
   two libraries of D. */
TEST(names_of_d) {
    same_d("_Dmain", "D main");
    same_d("_D1d3hotFkZk", "d.hot(uint)");
    same_d("_D1d1S4warmMxFkZk", "d.S.warm(uint) const");
    same_d("_D1d__T3genTkZQhFNaNbNiNfkZk", "d.gen!(uint).gen(uint)");
    same_d("_D1d3hotFkZk.part.0", "d.hot(uint).part.0");
    same_d("_D1a1fFG4iHlAxaPFNaNbiZvDFNiZkZv",
           "a.f(int[4], const(char)[][long], void(int) pure nothrow function, uint() @nogc delegate)");
    same_d("_D1a1SMOxFZv", "a.S() shared const");
    same_d("_D1a1fUiYv", "a.f(int, ...)");
    same_d("_D1a4mainFZ4__S21gMFZv", "a.main().g()");
    same_d("_D1a__T1fVHiAyaA1i1a1_41Z1fFZv", "a.f!([1:\"A\"]).f()");
    same_d("_D1a__T1fS3std4moreZ1fFZv", "a.f!(std.more).f()");
    same_d("_D1a__T1fX3abcZ1fFZv", "a.f!(abc).f()");
    same_d("_D1a1S6__ctorMFNcZS1a1S", "a.S.this()");
    same_d("_D1a1S6__dtorMFZv", "a.S.~this()");
    same_d("_D1a1S10__postblitMFZv", "a.S.this(this)");
    same_d("_D1a1fFzizkqrcpojZv",
           "a.f(cent, ucent, cfloat, cdouble, creal, idouble, ifloat, ireal)");
    same_d("_D1a1fFNnZv", "a.f(typeof(*null))");
    same_d("_D1a__T1fVcc0P1cA8P3Z1fFZv", "a.f!(0x0.p1+0xA.8p3i).f()");
    same_d("_D1a__T1fVwi128512Vui1234Vai9Vuw2_0a41Z1fFZv",
           "a.f!('\\U0001f600', '\\u04d2', '\\x09', \"\\nA\"w).f()");
    same_d("_D1a__T1fVdeNINFVfeINFVeeNANZ1fFZv", "a.f!(-Inf, Inf, NaN).f()");
    same_d("_D1a__T1fVli7Vmi8Vki9Vbi1Vbi0Z1gFZv", "a.f!(7L, 8uL, 9u, true, false).g()");
    same_d("_D1a__T1fVPvnVAiA2i1N2Z1gFZv", "a.f!(null, [1, -2]).g()");
    same_d("_D1a__T1fVS1b1SS2i1i2Z1gFZv", "a.f!(b.S(1, 2)).g()");
    same_d("_D1a1fFNgxAiIKiNkKiMKiZv",
           "a.f(inout(const(int[])), in ref int, return ref int, scope ref int)");
    same_d("_D1a1fFB2idNhG4fZv", "a.f(Tuple!(int, double), __vector(float[4]))");
    same_d("_D1a8__T1fTiZ1gFZv", "a.f!(int).g()");
    same_d("_D1a9__T1fTiZ1gFZv", NULL);
    same_d("_D1a7__T1fTiZ1gFZv", NULL);
    same_d("_D1a1fFMDFZvZv", "a.f(scope void() delegate)");
    same_d("_D1a1fFDxFZvZv", "a.f(void() delegate const)");
    same_d("_D1a001fFZv", "a.f()");
    same_d("_D3std3utf__T11decodeFrontVEQBa8typecons__T4FlagVAyaa19_7573655265706c6163656d656e7444"
           "63686172ZQCai0TAaZQDnFNaNeMKQnJmZw",
           "std.utf.decodeFront!(0, char[]).decodeFront(scope ref char[], out ulong)");
    same_d("_D3std11concurrency__T8initOnceS_DQBgQBf12registryLockFNdZ4implC4core4sync5mutex5Mutex"
           "ZQCnFNcLQBfOCQBjQBhQBfQBcZ4flagOb",
           "std.concurrency.initOnce!(std.concurrency.registryLock().impl).initOnce("
           "lazy core.sync.mutex.Mutex, shared(core.sync.mutex.Mutex)).flag");
    same_d("_D1a__T1fTDQoZQkFNcZi", NULL);
    same_d("_D1a1fFC1a1CE1a1EI1a1IXv", NULL);
    same_d("_D", NULL);
    same_d("_D1", NULL);
    same_d("_D2a", NULL);
    same_d("_D1aQbZ", NULL);
    same_d("_D1aFAQbZv", NULL);
    same_d("_D99999999999999999999aZ", NULL);
    same_d("_D1a1fFB999999999Zv", NULL);
    same_d("_Dmain2", NULL);
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
           "_ZN32_$LT$r..A$u20$as$u20$r..Work$GT$2go17h8f1bfc916c0481dfE",
           "_D3std3utf__T1fVEQn8typecons__T4FlagVAyaa4_75736552ZQtiTAaZQqFNaNeMKQnJmZw",
           "_D1a__T1fVHiAyaA1i1a1_41Vde8P1Z1fMxFG4iHlAxaPFNaiZvDFNiZkB2idSQeQcZv"};
    static const char letters[] = "_0129abcdehnsuBCNIMXYTRSAFDKLEGZ$QVPHJ";
    uint64_t z = 5;
    size_t i, n, k;
    for (i = 0; i < sizeof good / sizeof *good; i++) {
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
            free(demangle_d(name));
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

/* The same in D: each type is an array whose key and value are the one before. */
TEST(a_name_of_d_that_explodes) {
    char name[1000];
    size_t n, before;
    strcpy(name, "_D1a1fFAi");
    before = strlen(name) - 2;
    for (n = 0; n < 40; n++) {
        size_t at = strlen(name), far, k;
        char back[16];
        strcat(name, "H");
        for (k = 0; k < 2; k++) {
            far = strlen(name) - before;
            if (far < 26) snprintf(back, sizeof back, "Q%c", (int)('a' + far));
            else snprintf(back, sizeof back, "Q%c%c", (int)('A' + far / 26), (int)('a' + far % 26));
            strcat(name, back);
        }
        before = at;
    }
    strcat(name, "Zv");
    same_d(name, NULL);
}

/* Parts that may be a function's parameters or a type: each is tried as both, and
   so is each within it. */
TEST(a_name_of_d_with_two_ways) {
    char name[1000];
    size_t n;
    strcpy(name, "_D1a1f");
    for (n = 0; n < 60; n++) strcat(name, "FC1b");
    same_d(name, NULL);
}

/* Ten times a name of 600 letters. */
TEST(a_name_of_d_that_is_long) {
    char name[1000], *at = name;
    size_t n;
    at += sprintf(at, "_D1a1fFS600");
    for (n = 0; n < 600; n++) *at++ = 'x';
    *at = 0;
    for (n = 0; n < 9; n++) {
        size_t far = strlen(name) - 7;  /* to the S */
        sprintf(name + strlen(name), "Q%c%c", (int)('A' + far / 26), (int)('a' + far % 26));
    }
    strcat(name, "Zv");
    same_d(name, NULL);
}
