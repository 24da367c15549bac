/* frames.h - how sure it is that slow frames do more of something than others. */
#ifndef MODEL_FRAMES_H
#define MODEL_FRAMES_H
#include "kinds/frames.h"

/* What a frame of each class has, on average, and the difference with its 95 % interval. has_range
   is 0 if fewer than two frames are of a class. */
typedef struct frames_difference {
    double slow, other, more, low, high;
    int has_range;
} frames_difference;

/* A frame has so much of something: sum and sum of squares over slow and over other frames, in a
   unit. */
frames_difference frames_differ(double slow_frames, const frames_ticks *slow, double other_frames,
                                const frames_ticks *other, double unit);
/* The duration in ns below which a part q of the frames lies, to a sixteenth of an octave. */
double frames_quantile(const frames_of_kind *kind, double q);
#endif
