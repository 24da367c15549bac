/* interval.h - how sure a share is that was estimated from samples. */
#ifndef MODEL_INTERVAL_H
#define MODEL_INTERVAL_H

/* A 95 % interval, or low < 0 where too little was seen to tell. */
typedef struct interval { double low, high; } interval;

/* Wilson's interval of a share p that was seen in n independent samples; n need
   not be whole. It stays inside 0..1, and it is right for small p, where p +- 2
   se is not. */
interval interval_wilson(double p, double n);
/* The same for a row that so many bursts have seen. The variance between few
   bursts is itself uncertain, so they count for less. And a row is in a table
   because it was seen: of thousands of rare rows, those stand there that were
   overestimated. So the lower bound is put lower the fewer bursts have seen the
   row: at z = 2 + 2 / sqrt(bursts). Below 5 bursts there is none (low < 0), but
   the upper bound holds. */
interval interval_seen(double p, double n, double bursts);
/* Looks may count differently, and a row that those met which count more is less
   sure than its share of all says. Its ticks and their sum of squares, of all:
   the part, at most 1, of the independent samples behind all that are behind
   the row. */
double interval_part_of_worth(double ticks, double squares, double all, double all_squares);
/* The interval of a share that none of n independent samples met: who has more
   would have been met with 97.7 %. */
interval interval_unmet(double n);
/* A part p of a sum that was seen in m bursts, `seen` of them with something in
   it; over: the sum of squares that the bursts leave over, over the whole's
   square. Of fewer than 8 bursts with something in it there is none. */
interval interval_of_bursts(double p, double m, double seen, double over);
/* ---- few and unequal bursts: one rule ---- */

/* Bursts that saw y, with y2 the sum of squares, are worth so many equal ones:
   (sum y)^2 / sum y^2. */
double interval_worth_of_bursts(double y, double y2);
/* The number of standard errors, out of those `z` of a normal distribution, that
   so many equal bursts ask for: Student's. */
double interval_few(double z, double bursts);
/* Where one burst has more than a fifth of all, or fewer than five have any,
   nobody knows how rare such a burst is: what was seen tells how much there is
   at most, and no least. */
int interval_has_least(double bursts);

/* Is p surely another share than q? Both are shares of one whole that was seen
   in n independent samples. This asks more of the data than two intervals that
   do not meet: of two shares whose intervals overlap a little, one is usually
   larger all the same. */
int interval_differs(double p, double q, double n);
#endif
