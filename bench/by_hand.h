/* by_hand.h - bursty.h for the programs of by_hand.sh. With -DTRUTH nothing is sampled: each
   BURST_REF counts itself by its line. */
#ifndef BY_HAND_H
#define BY_HAND_H
#include "bursty.h"
#ifdef SCOPES /* in each function of ed, too, for hot methods and call pairs */
#define BY_HAND_SCOPE(name_) BURST_SCOPE(name_);
#else
#define BY_HAND_SCOPE(name_)
#endif
#ifdef TRUTH
extern unsigned long by_hand_ran[16384];
#undef BURST_REF
#define BURST_REF(class_, p_) ((void)(by_hand_ran[__LINE__]++, (p_)))
#endif
#endif
