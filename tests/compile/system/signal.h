/* signal.h - as macOS has it; see stdio.h. */
#ifndef SYSTEM_SIGNAL_H
#define SYSTEM_SIGNAL_H
#ifdef __cplusplus
extern "C" {
#endif
typedef unsigned sigset_t;
#define SIG_SETMASK 3
int sigfillset(sigset_t *set);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
#ifdef __cplusplus
}
#endif
#endif
