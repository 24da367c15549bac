/* dualpath.h - v0.2.0 - code in two copies, the second records - MIT, text at end of file

   example:
       #include <stdio.h>
       static int recording, seen;
       #define DUALPATH_CHECK() recording
       #include "dualpath.h"
       static BURST_DUAL(int, sum, (const int *p, int n), (p, n)) {
           int i, s = 0;
           for (i = 0; i < n; i++) BURST_BODY({ BURST_IF_RECORDING(seen++); s += p[i]; })
           return s;
       }
       int main(void) {
           static const int primes[4] = { 2, 3, 5, 7 };
           int first = sum(primes, 4);
           recording = 1;
           printf("%d %d, %d iterations seen\n", first, sum(primes, 4), seen);
           return first != 17;
       }
   end of example.

   STEP BY STEP
   1. Include bursty.h and then this header, in every file that uses a macro below. A burst of
      bursty.h then decides which copy runs. Or define DUALPATH_CHECK() before the include, as
      above.
   2. Write the functions and loops whose data you want to see like this. Nothing of the recording
      is in the plain copy.
         BURST_DUAL(int, f, (int a, int b), (a, b)) { body }   a function; its entry check chooses
         BURST_DUAL(void, g, (void), ()) { body }              without result and parameters
         BURST_DUAL_LEAF(int, h, (int a), (a)) { body }        without a check: small functions
         BURST_SAME(h, (a))                                    calls h in the caller's copy
         for (...) BURST_BODY({ body })                        a loop with a check per iteration
         BURST_FOR(int, i, 0, n, { body })                     a counted loop whose checks are taken
                                                               many at a time; do not assign to i
         BURST_REF(BURSTY_LOAD, pointer);                      records a reference (bursty.h)
         BURST_IF_RECORDING(statements);                       runs them only while recording
   3. Give every loop that runs long a check. A dual-path function chooses its copy only at a check.
      If it loops without one, it misses a burst that starts during the loop and stays in the
      instrumented copy after a burst ends.

   PROMISES
     - It needs no implementation, and includes stddef.h and stdint.h alone. What it expands to
       calls bursty.h or your condition. With bursty.h each use has one constant of site data.
     - The plain copy of a dual-path function costs the check at its entry. An iteration of
       BURST_FOR costs nothing, and one of BURST_BODY a check.
     - Off, every macro is the plain code.

   THREADS
     It keeps nothing between two calls, so threads do not meet here.

   OPTIONS in every file that includes it:
     DUALPATH_CHECK()      a condition in the place of bursty.h's check: any expression without a
                           side effect, such as a flag. BURST_FOR asks once in 4096 iterations.
     DUALPATH_OFF          every macro becomes the plain code. BURSTY_OFF does so, too, unless
                           DUALPATH_CHECK is defined.

   COST
     The text of a dual-path function and of a loop grows by 90 %. The macros have limits:
     - BURST_BODY and BURST_FOR compile a macro argument twice. Debuggers and gcov see it as one
       line, a label in it is defined twice (an error), and a static variable in it becomes two. For
       more than a few lines call a function from it.
     - BURST_FOR takes the checks of many iterations in advance, so another check inside its body
       happens out of turn: use BURST_BODY there.
     - BURST_DUAL cannot hold setjmp or computed gotos, and it records no return: there use
       BURST_SCOPE. */

#ifndef DUALPATH_H
#define DUALPATH_H
#include <stddef.h>
#include <stdint.h>

/* ---- off: the plain code -------------------------------------------------------------------- */

#if defined(DUALPATH_OFF) || (defined(BURSTY_OFF) && !defined(DUALPATH_CHECK))

#ifdef __cplusplus
#define DUALPATH_P_UNSEEN(value_) ((void)sizeof(uintptr_t(value_)))
#else
#define DUALPATH_P_UNSEEN(value_) ((void)sizeof((uintptr_t)(value_)))
#endif
#define BURST_DUAL(ret_, name_, params_, args_) ret_ name_ params_; ret_ name_ params_
#define BURST_DUAL_LEAF(ret_, name_, params_, args_) ret_ name_ params_; ret_ name_ params_
#define BURST_SAME(name_, args_) (name_ args_)
#define BURST_BODY(...) { __VA_ARGS__ }
#define BURST_FOR(T_, i_, lo_, hi_, ...) \
    { \
        T_ i_ = (lo_); \
        const T_ dualpath_p_hi_##i_ = (hi_); \
        for (; i_ < dualpath_p_hi_##i_; i_++) { __VA_ARGS__ } \
    }
#define BURST_REF(class_, p_) do { DUALPATH_P_UNSEEN(p_); } while (0)
#define BURST_IF_RECORDING(...) do { if (0) { __VA_ARGS__; } } while (0)

#else

/* ---- the check ------------------------------------------------------------------------------ */

#if defined(__GNUC__) || defined(__clang__)
#define DUALPATH_P_GNU
#define DUALPATH_P_UNLIKELY(x) __builtin_expect((x), 0)
#define DUALPATH_P_INLINE static inline __attribute__((always_inline))
#define DUALPATH_P_COLD __attribute__((cold, noinline))
#else
#define DUALPATH_P_UNLIKELY(x) (x)
#define DUALPATH_P_INLINE static inline
#define DUALPATH_P_COLD
#endif
#if defined(DUALPATH_P_GNU) || defined(__TINYC__)
#define DUALPATH_P_UNUSED __attribute__((unused))
#else
#define DUALPATH_P_UNUSED
#endif
#ifdef __cplusplus /* -Wold-style-cast */
#define DUALPATH_P_TO(type, x) type(x)
#define DUALPATH_P_CAST(type, x) static_cast<type>(x)
#else
#define DUALPATH_P_TO(type, x) ((type)(x))
#define DUALPATH_P_CAST(type, x) ((type)(x))
#endif

/* FIRE takes a check and says whether HIT must look closer. HIT says whether a burst is live; if it
   is not, PLAIN undoes the check. LIVE takes no check. TAKE takes up to `left` checks that have the
   same answer, and GIVE_BACK returns those that were not used. All are expanded where a macro below
   is used. */
#ifdef DUALPATH_CHECK
DUALPATH_P_INLINE void dualpath_p_give_back(uint32_t count, uint32_t live) {
    (void)count;
    (void)live;
}
#define DUALPATH_P_FIRE() DUALPATH_P_UNLIKELY((DUALPATH_CHECK()) != 0)
#define DUALPATH_P_HIT(site_) 1
#define DUALPATH_P_LIVE() DUALPATH_P_FIRE()
#define DUALPATH_P_TAKE(left_, live_) \
    (*(live_) = (DUALPATH_CHECK()) != 0, (left_) < 4096 ? DUALPATH_P_TO(uint32_t, left_) : 4096u)
#define DUALPATH_P_GIVE_BACK dualpath_p_give_back
#define DUALPATH_P_SITE(name_) enum { dualpath_p_no_site }
#else
#define DUALPATH_P_FIRE() BURSTY_P_FIRE()
#define DUALPATH_P_HIT(site_) bursty_p_hit(site_, 0)
#define DUALPATH_P_LIVE() BURSTY_P_LIVE()
#define DUALPATH_P_TAKE(left_, live_) dualpath_p_take(left_, live_)
#define DUALPATH_P_GIVE_BACK bursty_p_give_back
#define DUALPATH_P_SITE(name_) \
    static const bursty_site dualpath_p_site = { name_, __FILE__, __LINE__, BURSTY_CALL }
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(BURSTY_H) && !defined(DUALPATH_CHECK)
/* Takes up to `left` checks that have the same answer, which goes to *live. */
DUALPATH_P_INLINE uint32_t dualpath_p_take(uint64_t left, uint32_t *live) {
    uint32_t room = BURSTY_P_POLLS ? 4096 : BURSTY_P_HERE.n;
    if (BURSTY_P_POLLS ? BURSTY_P_OPEN() : DUALPATH_P_TO(int32_t, room) <= 0) {
        return bursty_p_take(left, live);
    }
    if (left < room) room = DUALPATH_P_TO(uint32_t, left);
    if (!BURSTY_P_POLLS) BURSTY_P_HERE.n -= room;
    *live = 0;
    return room;
}
#endif

/* ---- which copy of the code is this --------------------------------------------------------- */

/* BURST_REF, BURST_IF_RECORDING and BURST_SAME act where two things hold: this copy of the code is
   the instrumented one, and a burst is live. The first is a constant. BURST_BODY and BURST_FOR
   announce their copy by a struct tag in the block (its size is 2 in the instrumented copy, 1 in
   the plain one). BURST_DUAL and BURST_DUAL_LEAF announce it by their parameter burst_on, which
   hides the function burst_on below. In ordinary code the answer is yes. (A local variable instead
   of a tag would do the same, with a warning of -Wshadow in every nesting.) */

#if defined(__GNUC__) && !defined(__clang__) && defined(__cplusplus) /* g++: a tag shadows, too */
#define DUALPATH_P_QUIET \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#define DUALPATH_P_LOUD _Pragma("GCC diagnostic pop")
#else
#define DUALPATH_P_QUIET
#define DUALPATH_P_LOUD
#endif

struct burst_copy {
    char c[3];
};
DUALPATH_P_INLINE int burst_on(void) { return 1; }

#define DUALPATH_P_TAG(size_) \
    DUALPATH_P_QUIET struct burst_copy { char c[size_]; }; DUALPATH_P_LOUD
#define DUALPATH_P_OUTER_TAG() \
    DUALPATH_P_QUIET struct burst_outer { char c[sizeof(struct burst_copy)]; }; DUALPATH_P_LOUD
#define DUALPATH_P_IN_COPY() \
    (sizeof(struct burst_copy) == 2 \
     || (sizeof(struct burst_copy) == 3 && DUALPATH_P_TO(uintptr_t, burst_on) != 0))
#define DUALPATH_P_RECORDING() (DUALPATH_P_IN_COPY() && DUALPATH_P_LIVE())

#define BURST_IF_RECORDING(...) do { if (DUALPATH_P_RECORDING()) { __VA_ARGS__; } } while (0)
#define BURST_REF(class_, p_) \
    do { \
        static const bursty_site dualpath_p_site = { #p_, __FILE__, __LINE__, class_ }; \
        if (DUALPATH_P_RECORDING()) { \
            bursty_p_event(&dualpath_p_site, DUALPATH_P_TO(uintptr_t, p_), dualpath_p_site.kind); \
        } \
    } while (0)

/* ---- dual-path functions (bursty-tracing Figure 2) ------------------------------------------ */

/* The body stands once in the source and twice in the code. The user's braces follow the header of
   an always-inline function with one more parameter, burst_on, a constant in each of its two uses:

       f(a)        a check; plain: body(0, a)   fires: cold_f(a), a jump
       cold_f(a)   in a burst: body(1, a)   otherwise: gives its check back and calls f, whose own
                                            check takes it again (no third copy of the body) */

/* MORE(args, list): ", a, b" for the list (a, b), or nothing if args is (). Whether a function has
   parameters is read from its arguments, because a macro cannot tell (void) from (void *p). */
#define DUALPATH_P_MORE(args_, list_) \
    DUALPATH_P_SECOND(DUALPATH_P_HEAD args_, DUALPATH_P_SOME_MORE, 0)(list_)
#define DUALPATH_P_HEAD(...) DUALPATH_P_HEAD_OF(__VA_ARGS__, 0)
#define DUALPATH_P_HEAD_OF(head_, ...) DUALPATH_P_EMPTY_##head_
#define DUALPATH_P_EMPTY_ 0, DUALPATH_P_NO_MORE
#define DUALPATH_P_SECOND(...) DUALPATH_P_SECOND_OF(__VA_ARGS__)
#define DUALPATH_P_SECOND_OF(first_, second_, ...) second_
#define DUALPATH_P_NO_MORE(list_)
#define DUALPATH_P_SOME_MORE(list_) , DUALPATH_P_STRIP list_
#define DUALPATH_P_STRIP(...) __VA_ARGS__

#if defined(DUALPATH_P_GNU) && !defined(__cplusplus) /* "return f();" where f returns void */
#define DUALPATH_P_VOID \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpedantic\"")
#define DUALPATH_P_VOID_END _Pragma("GCC diagnostic pop")
#else
#define DUALPATH_P_VOID
#define DUALPATH_P_VOID_END
#endif

#if defined(BURSTY_POLL) || defined(DUALPATH_CHECK)
#define DUALPATH_P_PLAIN(name_, args_) \
    return dualpath_p_body_##name_(0 DUALPATH_P_MORE(args_, args_))
#else
#define DUALPATH_P_PLAIN(name_, args_) BURSTY_P_HERE.n++; return name_ args_
#endif

#define DUALPATH_P_HEADER(ret_, name_, params_, args_) \
    DUALPATH_P_INLINE ret_ dualpath_p_body_##name_( \
        const int burst_on DUALPATH_P_UNUSED DUALPATH_P_MORE(args_, params_))
#define BURST_DUAL(ret_, name_, params_, args_) \
    ret_ name_ params_; \
    DUALPATH_P_HEADER(ret_, name_, params_, args_); \
    DUALPATH_P_VOID \
    static DUALPATH_P_COLD ret_ dualpath_p_cold_##name_ params_ { \
        DUALPATH_P_SITE(#name_); \
        if (DUALPATH_P_HIT(&dualpath_p_site)) { \
            return dualpath_p_body_##name_(1 DUALPATH_P_MORE(args_, args_)); \
        } else { \
            DUALPATH_P_PLAIN(name_, args_); \
        } \
    } \
    ret_ name_ params_ { \
        if (DUALPATH_P_FIRE()) { \
            return dualpath_p_cold_##name_ args_; \
        } else { \
            return dualpath_p_body_##name_(0 DUALPATH_P_MORE(args_, args_)); \
        } \
    } \
    DUALPATH_P_VOID_END \
    DUALPATH_P_HEADER(ret_, name_, params_, args_)
#define BURST_DUAL_LEAF(ret_, name_, params_, args_) \
    ret_ name_ params_; \
    DUALPATH_P_HEADER(ret_, name_, params_, args_); \
    DUALPATH_P_VOID \
    DUALPATH_P_UNUSED static DUALPATH_P_COLD ret_ dualpath_p_on_##name_ params_ { \
        return dualpath_p_body_##name_(1 DUALPATH_P_MORE(args_, args_)); \
    } \
    ret_ name_ params_ { \
        return dualpath_p_body_##name_(0 DUALPATH_P_MORE(args_, args_)); \
    } \
    DUALPATH_P_VOID_END \
    DUALPATH_P_HEADER(ret_, name_, params_, args_)
#define BURST_SAME(name_, args_) \
    (DUALPATH_P_RECORDING() ? dualpath_p_on_##name_ args_ : name_ args_)

/* ---- dual-path loops ------------------------------------------------------------------------ */

#define BURST_BODY(...) \
    { \
        DUALPATH_P_OUTER_TAG() \
        if (DUALPATH_P_FIRE() && DUALPATH_P_HIT(NULL) && sizeof(struct burst_outer) != 2) { \
            DUALPATH_P_TAG(2) __VA_ARGS__ \
        } else { \
            DUALPATH_P_TAG(sizeof(struct burst_outer) == 2 ? 2 : 1) __VA_ARGS__ \
        } \
    }

/* BURST_FOR runs a counted loop in strips: the iterations of a strip get the same answer, and their
   checks are taken at once, so that nothing is left per iteration. If the body leaves by break,
   return, goto or an exception, the guard gives back the checks of the iterations that did not run.
   It reads i through a pointer to a type that may alias any other. */
#ifdef DUALPATH_P_GNU
#define DUALPATH_P_ALIAS __attribute__((may_alias))
#else
#define DUALPATH_P_ALIAS
#endif
typedef uint8_t DUALPATH_P_ALIAS dualpath_p_any8;
typedef uint16_t DUALPATH_P_ALIAS dualpath_p_any16;
typedef uint32_t DUALPATH_P_ALIAS dualpath_p_any32;
typedef uint64_t DUALPATH_P_ALIAS dualpath_p_any64;

typedef struct dualpath_p_guard {
    const void *i; /* NULL: the strip was run to its end */
    uint64_t stop;
    uint32_t size, live;
    void (*give_back)(uint32_t count, uint32_t live);
} dualpath_p_guard;

DUALPATH_P_INLINE void dualpath_p_unguard(dualpath_p_guard *guard) {
    uint64_t i = 0, mask = UINT64_MAX;
    if (!guard->i) return;
    if (guard->size == 1) i = *DUALPATH_P_CAST(const dualpath_p_any8 *, guard->i);
    if (guard->size == 2) i = *DUALPATH_P_CAST(const dualpath_p_any16 *, guard->i);
    if (guard->size == 4) i = *DUALPATH_P_CAST(const dualpath_p_any32 *, guard->i);
    if (guard->size == 8) i = *DUALPATH_P_CAST(const dualpath_p_any64 *, guard->i);
    mask >>= 64 - 8 * guard->size;
    guard->give_back(DUALPATH_P_TO(uint32_t, (guard->stop - i - 1) & mask), guard->live);
}

#if defined(DUALPATH_P_GNU)
#define DUALPATH_P_GUARD(guard_) \
    dualpath_p_guard guard_ __attribute__((cleanup(dualpath_p_unguard)))
#define DUALPATH_P_BROKE(guard_) break
#elif defined(__cplusplus)
} /* extern "C" */
struct dualpath_p_guarded : dualpath_p_guard {
    ~dualpath_p_guarded() { dualpath_p_unguard(this); }
};
extern "C" {
#define DUALPATH_P_GUARD(guard_) dualpath_p_guarded guard_
#define DUALPATH_P_BROKE(guard_) break
#else
#define DUALPATH_P_GUARD(guard_) dualpath_p_guard guard_
#define DUALPATH_P_BROKE(guard_) dualpath_p_unguard(&guard_); break
#endif

#define BURST_FOR(T_, i_, lo_, hi_, ...) \
    { \
        T_ i_ = (lo_); \
        const T_ dualpath_p_hi_##i_ = (hi_); \
        DUALPATH_P_OUTER_TAG() \
        while (i_ < dualpath_p_hi_##i_) { \
            const uint64_t dualpath_p_at_##i_ = DUALPATH_P_TO(uint64_t, i_); \
            uint32_t dualpath_p_live_##i_; \
            const uint32_t dualpath_p_count_##i_ = DUALPATH_P_TAKE( \
                DUALPATH_P_TO(uint64_t, dualpath_p_hi_##i_) - dualpath_p_at_##i_, \
                &dualpath_p_live_##i_); \
            const T_ dualpath_p_stop_##i_ = \
                DUALPATH_P_CAST(T_, dualpath_p_at_##i_ + dualpath_p_count_##i_); \
            DUALPATH_P_GUARD(dualpath_p_guard_##i_); \
            dualpath_p_guard_##i_.i = &i_; \
            dualpath_p_guard_##i_.size = DUALPATH_P_TO(uint32_t, sizeof i_); \
            dualpath_p_guard_##i_.stop = DUALPATH_P_TO(uint64_t, dualpath_p_stop_##i_); \
            dualpath_p_guard_##i_.live = dualpath_p_live_##i_; \
            dualpath_p_guard_##i_.give_back = DUALPATH_P_GIVE_BACK; \
            if (dualpath_p_live_##i_ && sizeof(struct burst_outer) != 2) { \
                DUALPATH_P_TAG(2) \
                for (; i_ < dualpath_p_stop_##i_; i_++) { __VA_ARGS__ } \
            } else { \
                DUALPATH_P_TAG(sizeof(struct burst_outer) == 2 ? 2 : 1) \
                for (; i_ < dualpath_p_stop_##i_; i_++) { __VA_ARGS__ } \
            } \
            if (i_ < dualpath_p_stop_##i_) { DUALPATH_P_BROKE(dualpath_p_guard_##i_); } \
            dualpath_p_guard_##i_.i = NULL; \
        } \
    }

#ifdef __cplusplus
}
#endif

#endif /* DUALPATH_OFF */
#endif /* DUALPATH_H */

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
