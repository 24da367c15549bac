/* interval.h - how sure a share is that was estimated from samples. */
#ifndef MODEL_INTERVAL_H
#define MODEL_INTERVAL_H

/* A 95 % interval, or low < 0 where too little was seen to tell. */
typedef struct interval { double low, high; } interval;

/* Wilson's interval of a share p that was seen in n independent samples; n need
   not be whole. It stays inside 0..1, and it is right for small p, where p +- 2
   se is not. On the side that fewer than five samples are on it is Clopper and
   Pearson's. */
interval interval_wilson(double p, double n);
/* Looks may count differently, and a row that those met which count more is less
   sure than its share of all says. Its ticks and their sum of squares, of all:
   the part, at most 1, of the independent samples behind all that are behind
   the row. */
double interval_part_of_worth(double ticks, double squares, double all, double all_squares);
/* The interval of a share that none of n independent samples met: who has more
   would have been met with 97.7 %. */
interval interval_unmet(double n);
/* ---- few and unequal bursts: one rule for all that is seen in bursts ---- */

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
/* The interval of a share p that is as sure as in n independent samples, and
   was seen in bursts worth so many equal ones. Where there is no least, low < 0
   and the upper bound holds. */
interval interval_of_worth(double p, double n, double bursts);
/* The same for a count, which is a part of nothing: it may be more than all that
   could have been counted. */
interval interval_of_count(double count, double variance, double bursts);
/* A row's y is the sum of what bursts saw of it, and `over` its sum of squares of
   differences. A burst that no run has met yet may hold far more. Other rows show how
   large such a burst may be: `clump` is the sum of squares of all rows for each 1 that
   they have. So the row gets one burst more, of that size. Returns `over`, or more. */
double interval_with_unseen(double over, double y, double bursts, double clump);
/* A part p of a sum that was seen in m bursts, with something in bursts worth
   `seen` equal ones; over: the sum of squares that the bursts leave over, over
   the whole's square. */
interval interval_of_bursts(double p, double m, double seen, double over);

/* Is p surely another share than q? Both are shares of one whole that was seen
   in n independent samples. This asks more of the data than two intervals that
   do not meet: of two shares whose intervals overlap a little, one is usually
   larger all the same. */
int interval_differs(double p, double q, double n);
#endif
