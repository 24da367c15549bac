/* holds, checked: a handler raises its own signal. */
#include <signal.h>
static void again(int number) { raise(number); }
int main(void) {
    struct sigaction action = {.sa_handler = again, .sa_flags = SA_NODEFER};
    sigaction(SIGUSR1, &action, 0);
    return raise(SIGUSR1);
}
