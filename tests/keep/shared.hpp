// shared.hpp - points in inline functions, templates and members, for two objects of one program.
#include "bursty.h"
#include <string>

struct counted {
    static int alive;
    counted() { alive++; }
    counted(const counted &) { alive++; }
    ~counted() { alive--; }
};

inline int inline_one(int n) { BURST_ENTRY(); return n + 1; }
template <class T> T plus(T a, T b) {
    BURST_ENTRY();
    T s = a;
    for (int i = 0; i < 3; i++) { BURST_LOOP(); s += b; }
    return s;
}
struct widget {
    std::string name;
    int twice(int n) {
        BURST_ENTRY();
        std::string copy = name + "!";
        return n * 2 + int(copy.size());
    }
    virtual int thrice(int n) { counted c; BURST_ENTRY(); return n * 3; }
    virtual ~widget() {}
};
int other_file(int n);
