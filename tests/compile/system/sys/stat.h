/* stat.h - as macOS has it; see ../stdio.h. */
#ifndef SYSTEM_SYS_STAT_H
#define SYSTEM_SYS_STAT_H
#ifdef __cplusplus
extern "C" {
#endif
struct stat { int st_dev; unsigned short st_mode; };
#define S_ISREG(mode) (((mode) & 0170000) == 0100000)
int stat(const char *path, struct stat *there);
#ifdef __cplusplus
}
#endif
#endif
