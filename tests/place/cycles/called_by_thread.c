/* holds, checked: each thread starts the next one */
#include <pthread.h>
static void *next(void *p) {
    pthread_t thread;
    if (pthread_create(&thread, 0, next, p) == 0) pthread_join(thread, 0);
    return p;
}
int main(void) { return next(0) != 0; }
