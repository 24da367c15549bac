/* pthread.h - as macOS has it; see stdio.h. */
#ifndef SYSTEM_PTHREAD_H
#define SYSTEM_PTHREAD_H
#ifdef __cplusplus
extern "C" {
#endif
typedef unsigned long pthread_key_t;
typedef struct pthread_once_t { long signature; char rest[8]; } pthread_once_t;
#define PTHREAD_ONCE_INIT { 0x30B1BCBA, { 0 } }
typedef struct pthread_mac *pthread_t;
typedef struct pthread_attr_t { long signature; char rest[56]; } pthread_attr_t;
pthread_t pthread_self(void);
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *user);
int pthread_join(pthread_t thread, void **value);
unsigned pthread_mach_thread_np(pthread_t thread);
int pthread_once(pthread_once_t *once, void (*function)(void));
int pthread_key_create(pthread_key_t *key, void (*end)(void *));
int pthread_key_delete(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);
int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void));
#ifdef __cplusplus
}
#endif
#endif
