/* holds, checked: what fork calls forks */
#include <pthread.h>
#include <unistd.h>
static void again(void) { _exit(fork() == -1); }
int main(void) {
    pthread_atfork(again, 0, 0);
    again();
    return 0;
}
