/* difference.h - what has changed between two groups of runs, and how sure that
   is.

   A row (a function's time, say) has one value in each run. Two things make a
   value uncertain, and each gives an interval of the difference:

       sampling     a run's value was estimated from samples. Each run has limits
                    (Poisson's or Wilson's), and limits of several runs are put
                    together by their squares.
       runs         runs differ from one another. If one side has two runs or
                    more, Welch's interval of the difference of two means follows
                    from how much they differ.

   The interval of the difference holds both intervals. Two runs alone cannot
   tell how runs differ; then the interval is of sampling alone, and tables that
   show it say so.

   Limits of a difference d = b - f a, with limits al..ah of a and bl..bh of b:

       low  = d - sqrt((b - bl)^2 + f^2 (ah - a)^2)
       high = d + sqrt((bh - b)^2 + f^2 (a - al)^2)

   (Zou and Donner 2008, "method of variance estimates recovery".) They stay
   right for small counts, where d +- 2 se is not, and f need not be 1: b grew
   by more than 5 % if the limits for f = 1.05 are above 0. */
#ifndef MODEL_DIFFERENCE_H
#define MODEL_DIFFERENCE_H
#include <stddef.h>

typedef enum difference_noise {
    DIFFERENCE_UNKNOWN, /* nobody can tell how sure the value is */
    DIFFERENCE_EXACT,
    DIFFERENCE_EVENTS, /* value / unit independent events were seen */
    DIFFERENCE_PART,   /* the part value / unit of a whole, seen in `worth` independent samples */
    DIFFERENCE_NORMAL  /* the standard error is `worth` */
} difference_noise;

/* What one run says of one row. */
typedef struct difference_run {
    double value;
    double unit, worth; /* as the noise says */
    double bursts;      /* equal ones that it was seen in; 0: more than enough */
    double above;       /* the value may be so much more for sure reasons: a bound's width */
    difference_noise noise;
} difference_run;

typedef struct difference_side {
    const difference_run *runs;
    size_t count; /* 1 or more */
} difference_side;

typedef struct difference {
    double base, now; /* means of the runs */
    /* The 95 % interval of now - base, and of now / base. NAN: there is none;
       the factor's high end is HUGE_VAL where base may be 0. */
    double low, high, factor_low, factor_high;
    double chance; /* of so large a difference if there were none: a two-sided test; NAN */
} difference;

/* The chance by which a 95 % interval misses the truth: two standard errors, as
   everywhere. */
#define DIFFERENCE_LEVEL 0.0455

difference difference_make(const difference_side *base, const difference_side *now);

/* Is now > factor * base + more? 1: surely; -1: surely not; 0: the data cannot
   tell. Each answer is wrong with a chance of at most `level` / 2. */
int difference_exceeds(const difference_side *base, const difference_side *now, double factor,
                       double more, double level);

/* Were so few events seen on both sides together that no difference could be
   sure? Then a row is no test, and does not count among the many. How many were
   seen does not depend on how they fell to the two sides if there is no
   difference, so that leaving rows out makes no luck. */
int difference_is_hopeless(const difference_side *base, const difference_side *now);

/* Holm's correction of many tests: sets is_sure[i] for the differences that are
   no luck. The chance that any of them is luck is at most DIFFERENCE_LEVEL,
   whatever the rows have in common. A chance that is NAN was no test. Cost: n
   log n. */
void difference_judge(const double *chances, size_t count, unsigned char *is_sure);

/* Student's t: the chance of |t| or more; and its inverse. */
double difference_t_chance(double t, double degrees);
double difference_t_quantile(double chance, double degrees);
#endif
