/* test_bursty_sums_poll.c - the same with BURSTY_POLL: an opening is a
   burst. */
#include "test.h"
#include "report/kinds/sampled.h"
#define BURSTY_POLL
#include "test_bursty_sums.c"
