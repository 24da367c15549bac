/* unistd.h - as macOS has it; see stdio.h. */
#ifndef SYSTEM_UNISTD_H
#define SYSTEM_UNISTD_H
#ifdef __cplusplus
extern "C" {
#endif
typedef int pid_t;
pid_t getpid(void);
#ifdef __cplusplus
}
#endif
#endif
