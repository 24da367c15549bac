/* calls child_work 3 leaf 30000 start_child 3 | also main | children | status 0
   Three children, by fork or by vfork (which becomes another program), and what
   each of them did. */
#include "world.h"
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned sum;
KEEP void leaf(unsigned n);
KEEP void child_work(unsigned n);
KEEP void start_child(const char *self);

KEEP void leaf(unsigned n) {
    sum += n; /* runs 30000 */
}
KEEP void child_work(unsigned n) {
    unsigned i;
    for (i = 0; i < n; i++) leaf(i);
}
KEEP void start_child(const char *self) {
    int status = 0;
#ifdef VFORK
    pid_t child = vfork();
    if (child == 0) {
        execl(self, self, "20", "child", (char *)NULL);
        _exit(1); /* runs 0 */
    }
#else
    pid_t child = fork();
    if (child == 0) {
        child_work(10000);
        exit(0);
    }
#endif
    waitpid(child, &status, 0); /* runs 3 */
    if (status) printf("%s: status %d\n", self, status); /* runs 3 */
}
int main(int argc, char **argv) {
    int i;
    if (argc > 2) {
        child_work(10000);
        return 0;
    }
    for (i = 0; i < 3; i++) start_child(argv[0]);
    puts("three");
    return 0;
}
