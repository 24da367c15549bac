// Templates, lambdas, virtual functions, algorithms of the library.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct shape {
    virtual ~shape() {}
    virtual double area() const = 0;
};
struct square : shape {
    double side;
    explicit square(double s) : side(s) {}
    double area() const override { return side * side; }
};
struct circle : shape {
    double r;
    explicit circle(double x) : r(x) {}
    double area() const override { return 3 * r * r; }
};

template <class T> struct tree {
    std::unique_ptr<tree> left, right;
    T value;
    explicit tree(const T &v) : value(v) {}
    void insert(const T &v) {
        std::unique_ptr<tree> &side = v < value ? left : right;
        if (side) side->insert(v);
        else side.reset(new tree(v));
    }
    template <class F> void each(const F &f) const {
        if (left) left->each(f);
        f(value);
        if (right) right->each(f);
    }
};

template <unsigned N> struct power {
    static unsigned of(unsigned x) { return x * power<N - 1>::of(x); }
};
template <> struct power<0> {
    static unsigned of(unsigned) { return 1; }
};

template <class... A> int count(A... a) {
    int sizes[] = {int(sizeof a)...}, sum = 0;
    for (int s : sizes) sum += s;
    return sum;
}

int main() {
    std::vector<std::unique_ptr<shape>> shapes;
    double area = 0;
    for (int i = 0; i < 500; i++) {
        if (i % 3) shapes.emplace_back(new square(i));
        else shapes.emplace_back(new circle(i));
    }
    for (auto &s : shapes) area += s->area();
    tree<std::string> words("m");
    for (int i = 0; i < 300; i++) words.insert(std::to_string(i * 7919 % 1000));
    std::string all;
    words.each([&all](const std::string &s) { all += s[0]; });
    std::map<int, int> seen;
    std::vector<int> v;
    for (int i = 0; i < 2000; i++) v.push_back(i * 31 % 997);
    std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
    for (int x : v) seen[x % 10]++;
    std::function<int(int)> fib = [&fib](int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); };
    printf("%.0f %s %d %d %u %d\n", area, all.substr(0, 20).c_str(), seen[3], fib(15),
           power<6>::of(3), count(1, 2.0, 'c'));
    return 3;
}
