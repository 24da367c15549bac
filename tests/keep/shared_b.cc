// shared_b.cc - the other half: the same inline functions and templates again.
#include "shared.hpp"
int other_file(int n) {
    widget w;
    w.name = "other widget of a long name that is on the heap";
    counted c;
    BURST_ENTRY();
    return inline_one(n) + plus(n, 3) + int(plus(2.5, 0.5)) + w.twice(n) + w.thrice(n);
}
