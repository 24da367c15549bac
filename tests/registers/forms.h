/* forms.h - what forms.c defines, for both of its prefixes. */
#define FORMS(NAME) \
    int NAME(six)(int a, int b, int c, int d, int e, int g); \
    int NAME(six_dual)(int a, int b, int c, int d, int e, int g); \
    int NAME(six_scope)(int a, int b, int c, int d, int e, int g); \
    int NAME(six_by_hand)(int a, int b, int c, int d, int e, int g); \
    int NAME(six_check)(int a, int b, int c, int d, int e, int g); \
    int NAME(six_point)(int a, int b, int c, int d, int e, int g); \
    int NAME(six_event)(int a, int b, int c, int d, int e, int g); \
    long NAME(loop_of_events)(const int *p, const int *end, long k); \
    void NAME(loop_of_stores)(const int *p, const int *end, int *out); \
    void NAME(loop_of_two_events)(const int *p, const int *end, int *out); \
    long NAME(behind_loop)(const int *p, const int *end, long k); \
    int NAME(behind_call)(int a, int b); \
    double NAME(doubles)(double a, double b, const double *p); \
    long NAME(loop)(const int *p, const int *end, long k); \
    double NAME(loop_of_doubles)(const double *p, long n, double k); \
    double NAME(unrolled)(const double *p, long n, double k); \
    int NAME(caller)(int a, int b, int c); \
    int NAME(early_exit)(int n); \
    int NAME(below)(int n);
#define PLAIN(name) plain_##name
#define CHECKED(name) checked_##name
FORMS(PLAIN)
FORMS(CHECKED)
int callee(int x);
extern const int numbers[];
