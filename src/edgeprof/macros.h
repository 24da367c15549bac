/* ---- macros ---- */

/* EP_FUNC(f)           once, at file level: counters and tables of the function whose table is
                        EP_CFG_f
   EP_FUNC_EXITS(f)     the same for a function that uses EP_FRAME
   EP_DECLARE(f)        in another file, before EP_REF(f)
   EP_REF(f)            const edgeprof_function *, or NULL with EDGEPROF_OFF
   EP_ENTRY(f)          first in the function
   EP_EDGE(f, number)   where this edge is taken
   EP_JOIN(f)           EDGEPROF_THREAD: adds this thread's counters to the common ones

   Activations that end inside of a block, by longjmp or exit, break the flow
   law, so they must be counted. Define EDGEPROF_CHAIN as a variable of type
   edgeprof_chain that each thread has for itself. Then:

   EP_FRAME(f);         behind EP_ENTRY
   EP_AT(f, vertex)     before a call that may not come back
   EP_LEAVE(f)          before each return
   EP_BACK(f, vertex)   where setjmp has returned something else than 0; vertex is the block
                        behind setjmp
   edgeprof_running(&(EDGEPROF_CHAIN), 1)   before exit and around a dump

   f, edge numbers and vertex names must not be macros. How EP_EDGE(tok, 3)
   comes to nothing: it becomes EP_P_DO(tok, 3, EP_L_tok_3). The plan header
   replaces the last argument by 0 or 1. One level further that digit picks
   EP_P_DO_0, which is ((void)0), or EP_P_DO_1, which increments. */

#if defined(EDGEPROF_CHECK) && defined(EDGEPROF_COVER)
#error "EDGEPROF_CHECK counts; build without EDGEPROF_COVER"
#endif
#if defined(EDGEPROF_COVER) && EDGEPROF_COVER != 1 && EDGEPROF_COVER != 8
#error "EDGEPROF_COVER must be 1 or 8"
#endif

#ifndef EDGEPROF_BITS
#define EDGEPROF_BITS 32
#endif
#if defined(EDGEPROF_COVER)
typedef uint8_t edgeprof_counter;
#elif EDGEPROF_BITS == 16
typedef uint16_t edgeprof_counter;
#elif EDGEPROF_BITS == 32
typedef uint32_t edgeprof_counter;
#elif EDGEPROF_BITS == 64
typedef uint64_t edgeprof_counter;
#else
#error "EDGEPROF_BITS must be 16, 32 or 64"
#endif

/* What one counter does. Without gcc or clang, EDGEPROF_ATOMIC needs your own
   EDGEPROF_ADD(counter). Marks are atomic with gcc and clang, whatever adds. */
#if defined(EDGEPROF_ATOMIC) && defined(__GNUC__)
#ifndef EDGEPROF_ADD
#define EDGEPROF_ADD(counter) ((void)__atomic_fetch_add(&(counter), 1, __ATOMIC_RELAXED))
#endif
#define EP_P_MARK(byte) (__atomic_store_n(&(byte), 1, __ATOMIC_RELAXED))
#define EP_P_SET_BIT(byte, mask) \
    ((void)__atomic_fetch_or(&(byte), (uint8_t)(mask), __ATOMIC_RELAXED))
#elif defined(EDGEPROF_ATOMIC) && !defined(EDGEPROF_ADD)
#error "EDGEPROF_ATOMIC: define EDGEPROF_ADD(counter), which adds 1 to it"
#endif
#ifndef EDGEPROF_ADD
#define EDGEPROF_ADD(counter) ((void)++(counter))
#endif
#ifndef EP_P_MARK
#define EP_P_MARK(byte) ((void)((byte) = 1))
#endif
#ifndef EP_P_SET_BIT
#define EP_P_SET_BIT(byte, mask) ((void)((byte) = (uint8_t)((byte) | (mask))))
#endif

#define EP_P_DO(F, id, is) EP_P_DO_IS(F, id, is)
#define EP_P_DO_IS(F, id, is) EP_P_DO_##is(F, id)
#define EP_P_DO_0(F, id) ((void)0)

#ifdef EDGEPROF_THREAD
#define EP_P_MINE(F) ep_own_##F
#define EP_P_OWN(F, size) static EDGEPROF_THREAD edgeprof_counter ep_own_##F[size];
#else
#define EP_P_MINE(F) ep_counters_##F
#define EP_P_OWN(F, size)
#endif

#if defined(EDGEPROF_OFF)
#define EP_EDGE(F, id) ((void)0)
#elif defined(EDGEPROF_CHECK)
#define EP_EDGE(F, id) EDGEPROF_ADD(EP_P_MINE(F)[EP_I_##F##_##id])
#define EP_P_SLOTS(F) (EP_I_##F##_X + 1)
#define EP_P_ARRAY(F) EP_P_SLOTS(F)
#define EP_P_HASH(F) 0
#define EP_P_STAY_ENDS(F)
#define EP_P_STAYS(F) 0
#define EP_P_X(F) 1
#define EP_P_PLAN(F, id, from, to)
#define EP_P_PLAN_OF(F) NULL
#define EP_P_PLAN_ARRAY(F)
#define EP_P_KIND EDGEPROF_BITS
#define EP_P_FRESH(F)
#else
#define EP_P_STAY_ENDS(F) EP_STAYS_##F
#define EP_P_STAYS(F) EP_NS_##F
#define EP_P_HASH(F) EP_HASH_##F
#define EP_P_PLAN_OF(F) ep_plan_##F
#define EP_P_PLAN_ARRAY(F) \
    static const uint8_t ep_plan_##F[] = {EP_CFG_##F(EP_P_NO_V, EP_P_PLAN, F)};
#define EP_P_FRESH(F) \
    typedef char ep_plan_is_stale_make_it_again_##F \
        [(UINT32_C(0) EP_CFG_##F(EP_P_NO_V, EP_P_SUM, F)) == EP_SUM_##F && \
         EP_I_##F##_X == EP_NE_##F ? 1 : -1];
#ifdef EDGEPROF_COVER
#define EP_EDGE(F, id) EP_P_DO(F, id, EP_C_##F##_##id)
#define EP_P_SLOTS(F) EP_NB_##F
#define EP_P_X(F) EP_C_##F##_X
#define EP_P_PLAN(F, id, from, to) EP_C_##F##_##id,
#define EP_P_KIND EDGEPROF_COVER
#if EDGEPROF_COVER == 1
#define EP_P_ARRAY(F) ((EP_NB_##F + 7) / 8)
#define EP_P_DO_1(F, id) \
    EP_P_SET_BIT(EP_P_MINE(F)[EP_B_##F##_##id >> 3], 1u << (EP_B_##F##_##id & 7))
#else
#define EP_P_ARRAY(F) EP_NB_##F
#define EP_P_DO_1(F, id) EP_P_MARK(EP_P_MINE(F)[EP_B_##F##_##id])
#endif
#else
#define EP_EDGE(F, id) EP_P_DO(F, id, EP_L_##F##_##id)
#define EP_P_SLOTS(F) EP_NC_##F
#define EP_P_ARRAY(F) (EP_NC_##F + (EP_NC_##F == 0))
#define EP_P_X(F) EP_L_##F##_X
#define EP_P_PLAN(F, id, from, to) EP_L_##F##_##id,
#define EP_P_KIND EDGEPROF_BITS
#define EP_P_DO_1(F, id) EDGEPROF_ADD(EP_P_MINE(F)[EP_S_##F##_##id])
#endif
#endif
#define EP_ENTRY(F) EP_EDGE(F, X)

#ifdef EDGEPROF_OFF
#define EP_FUNC(F) typedef int ep_off_##F
#define EP_FUNC_EXITS(F) typedef int ep_off_##F
#define EP_DECLARE(F) typedef int ep_declared_##F
#define EP_REF(F) ((const edgeprof_function *)0)
#else
/* What becomes of the two kinds of rows of a table. */
#define EP_P_NO_V(F, name, line)
#define EP_P_NO_E(F, id, from, to)
#define EP_P_VERTEX(F, name, line) EP_V_##F##_##name,
#define EP_P_LINE(F, name, line) line,
#define EP_P_NAME(F, name, line) #name,
#define EP_P_ID(F, id, from, to) EP_I_##F##_##id,
#define EP_P_IN_ORDER(F, id, from, to) && EP_I_##F##_##id == (id)
#define EP_P_ENDS(F, id, from, to) EP_V_##F##_##from, EP_V_##F##_##to,
#define EP_P_SUM(F, id, from, to) \
    + ((uint32_t)EP_I_##F##_##id + UINT32_C(1)) * \
      (UINT32_C(97) * (uint32_t)EP_V_##F##_##from + (uint32_t)EP_V_##F##_##to + UINT32_C(1))

#define EP_P_NUMBERS(F) \
    enum { EP_CFG_##F(EP_P_VERTEX, EP_P_NO_E, F) EP_NV_##F }; \
    enum { EP_CFG_##F(EP_P_NO_V, EP_P_ID, F) EP_I_##F##_X }; \
    typedef char ep_edges_are_numbered_in_order_##F \
        [1 EP_CFG_##F(EP_P_NO_V, EP_P_IN_ORDER, F) ? 1 : -1]; \
    EP_P_FRESH(F) \
    static edgeprof_counter ep_counters_##F[EP_P_ARRAY(F)]; \
    EP_P_OWN(F, EP_P_ARRAY(F))

#ifdef EDGEPROF_CHECK
#define EP_P_NAMES(F) \
    static const char *const ep_names_##F[] = {EP_CFG_##F(EP_P_NAME, EP_P_NO_E, F)};
#define EP_P_NAMES_OF(F) ep_names_##F
#else
#define EP_P_NAMES(F)
#define EP_P_NAMES_OF(F) NULL
#endif

#define EP_P_TABLES(F) \
    static const edgeprof_index ep_ends_##F[] = { \
        EP_CFG_##F(EP_P_NO_V, EP_P_ENDS, F) EP_P_STAY_ENDS(F) EP_NV_##F - 1, 0}; \
    static const uint32_t ep_lines_##F[] = {EP_CFG_##F(EP_P_LINE, EP_P_NO_E, F)}; \
    EP_P_PLAN_ARRAY(F) \
    EP_P_NAMES(F)
#define EP_P_TABLES_OF(F) #F, __FILE__, ep_ends_##F, ep_lines_##F, EP_P_PLAN_OF(F), EP_P_NAMES_OF(F)

#define EP_P_FUNCTION(F, early, reentry) \
    EP_P_TABLES(F) \
    EP_DECLARE(F); \
    const edgeprof_function ep_##F = { \
        EP_P_TABLES_OF(F), ep_counters_##F, early, reentry, EP_NV_##F, \
        EP_I_##F##_X + EP_P_STAYS(F), EP_P_STAYS(F), EP_P_SLOTS(F), EP_P_HASH(F), EP_P_KIND, \
        EP_P_X(F)}

#define EP_DECLARE(F) extern const edgeprof_function ep_##F
#define EP_REF(F) (&ep_##F)
#define EP_FUNC(F) EP_P_NUMBERS(F) EP_P_FUNCTION(F, NULL, NULL)
#define EP_FUNC_EXITS(F) \
    EP_P_NUMBERS(F) \
    static uint32_t ep_early_##F[EP_NV_##F]; \
    static uint32_t ep_reentry_##F[EP_NV_##F]; \
    EP_P_FUNCTION(F, ep_early_##F, ep_reentry_##F)
#endif

#if defined(EDGEPROF_THREAD) && !defined(EDGEPROF_OFF)
#define EP_JOIN(F) edgeprof_join(&ep_##F, ep_own_##F)
#else
#define EP_JOIN(F) ((void)0)
#endif

#if defined(EDGEPROF_CHAIN) && !defined(EDGEPROF_OFF)
#define EP_FRAME(F) uint32_t ep_frame = edgeprof_enter(&(EDGEPROF_CHAIN), &ep_##F)
#define EP_AT(F, where) edgeprof_at(&(EDGEPROF_CHAIN), ep_frame, EP_V_##F##_##where)
#define EP_LEAVE(F) ((void)((EDGEPROF_CHAIN).count = ep_frame))
#define EP_BACK(F, where) edgeprof_come_back(&(EDGEPROF_CHAIN), ep_frame, EP_V_##F##_##where)
#else
#define EP_FRAME(F) ((void)0)
#define EP_AT(F, where) ((void)0)
#define EP_LEAVE(F) ((void)0)
#define EP_BACK(F, where) ((void)0)
#endif
