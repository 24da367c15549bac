/* ---- off: the same lists; no symbol, no variable, no section ---- */

#define BURSTY_P_UNSEEN(value_) ((void)sizeof(BURSTY_P_TO(uintptr_t, value_)))
/* As a statement it warns nowhere; clang must not see that it is always 0. */
#if defined(BURSTY_P_GNU) && !defined(__cplusplus) && !defined(__clang__)
#define BURST_CHECK() __extension__({ 0; })
#else
BURSTY_API int bursty_p_unchecked(void) { return 0; }
#define BURST_CHECK() bursty_p_unchecked()
#endif
#define BURST_POINT(class_, name_, value_) BURSTY_P_UNSEEN(value_)
#define BURST_ENTRY() do { } while (0)
#define BURST_LOOP() do { } while (0)
#define BURST_SCOPE(name_) enum { BURSTY_P_CAT(bursty_p_scope_, BURSTY_P_UNIQUE) }
#define BURST_LEAVE() do { } while (0)
#define BURST_DUAL(ret_, name_, params_, args_) ret_ name_ params_; ret_ name_ params_
#define BURST_DUAL_LEAF(ret_, name_, params_, args_) ret_ name_ params_; ret_ name_ params_
#define BURST_SAME(name_, args_) (name_ args_)
#define BURST_BODY(...) { __VA_ARGS__ }
#define BURST_FOR(T_, i_, lo_, hi_, ...) \
    { \
        T_ i_ = (lo_); \
        const T_ bursty_p_dual_hi_##i_ = (hi_); \
        for (; i_ < bursty_p_dual_hi_##i_; i_++) { __VA_ARGS__ } \
    }
#define BURST_FOR_LEAF(T_, i_, lo_, hi_, ...) BURST_FOR(T_, i_, lo_, hi_, __VA_ARGS__)
#define BURST_REF(class_, p_) do { BURSTY_P_UNSEEN(p_); } while (0)
#define BURST_IF_RECORDING(...) do { if (0) { __VA_ARGS__; } } while (0)
