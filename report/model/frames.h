/* frames.h - how sure it is that slow frames do more of something than
   others. */
#ifndef MODEL_FRAMES_H
#define MODEL_FRAMES_H
#include "report/kinds/frames.h"

/* What a frame of each class has, on average, and the difference with its 95 %
   interval. chance: of so large a difference if there were none. has_range is 0
   if fewer than two frames, or fewer than two blocks of them, are of a class. */
typedef struct frames_difference {
    double slow, other, more, low, high, chance;
    int has_range;
} frames_difference;

/* What the frames of a class have of something, in ms: its sum and the sum of
   squares over frames. least: its sum of squared deviations is at least that;
   it is not 0 where so little was counted that frames do not tell. */
typedef struct frames_amount { double sum, squares, least; } frames_amount;
frames_difference frames_differ(double slow_frames, const frames_amount *slow, double other_frames,
                                const frames_amount *other);

/* What a tick stands for, in ms: the time between two ticks; or, where CPU time
   is known and there are enough ticks, what makes the ticks of a class, or of a
   stratum of it, as long as its CPU time. most: the largest of these that a
   class has. many: how many ticks come together. */
typedef struct frames_units {
    double ms[FRAMES_CLASSES], most[FRAMES_CLASSES], many[FRAMES_CLASSES];
    double stratum_ms[FRAMES_CLASSES][FRAMES_BUCKETS]; /* 0: as ms */
} frames_units;
frames_units frames_units_of(const frames_of_kind *kind);
/* By how many ms slow frames differ from others: in a function (self or total), in
   waiting, in all that a frame takes. */
frames_difference frames_differ_in(const frames_of_kind *kind, const frames_units *units,
                                   const frames_function *function, int which);
frames_difference frames_differ_waiting(const frames_of_kind *kind);
/* The duration in ns below which a part q of the frames lies, to a sixteenth of
   an octave. */
double frames_quantile(const frames_of_kind *kind, double q);
#endif
