/* errno.h - see stdio.h. */
#ifndef SYSTEM_ERRNO_H
#define SYSTEM_ERRNO_H
#define EIO 5
#define EINVAL 22
#ifdef __cplusplus
extern "C"
#endif
int *system_errno(void);
#define errno (*system_errno())
#endif
