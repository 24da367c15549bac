/* ---- options ---- */

#ifdef EDGEPROF_WIDE
typedef uint32_t edgeprof_index;
#else
typedef uint16_t edgeprof_index;
#endif
