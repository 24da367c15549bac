/* holds, checked: a macro clears it by its address. */
static volatile int n;
#define CLEAR(x) __builtin_memset(&(x), 0, sizeof(x))
int main(void) {
    for (int i = 0; i < 3; i++) CLEAR(i);
    return n;
}
