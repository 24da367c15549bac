/* frames.h - how sure it is that slow frames do more of something than
   others. */
#ifndef MODEL_FRAMES_H
#define MODEL_FRAMES_H
#include "kinds/frames.h"

/* What a frame of each class has, on average, and the difference with its 95 %
   interval. has_range is 0 if fewer than two frames are of a class. */
typedef struct frames_difference {
    double slow, other, more, low, high;
    int has_range;
} frames_difference;

/* A frame has so much of something: sum and sum of squares over slow and over
   other frames, each with the unit that it is counted in. */
frames_difference frames_differ(double slow_frames, const frames_ticks *slow, double slow_unit,
                                double other_frames, const frames_ticks *other, double other_unit);

/* What a tick stands for in the frames of a class, in ms: the time between two
   ticks, or, where the CPU time of frames is known and there are enough ticks,
   what makes them as long as that. */
typedef struct frames_units { double ms[FRAMES_CLASSES]; } frames_units;
frames_units frames_units_of(const frames_of_kind *kind);
/* Of a function, self or total; of waiting; of all that a frame takes. In
   ms. */
frames_difference frames_differ_in(const frames_of_kind *kind, const frames_units *units,
                                   const frames_function *function, int which);
frames_difference frames_differ_waiting(const frames_of_kind *kind);
frames_difference frames_differ_length(const frames_of_kind *kind);
/* The duration in ns below which a part q of the frames lies, to a sixteenth of
   an octave. */
double frames_quantile(const frames_of_kind *kind, double q);
#endif
