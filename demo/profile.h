/* profile.h - what demo/index and demo/profile.c have in common */
#ifndef DEMO_PROFILE_H
#define DEMO_PROFILE_H
void profile_start(void);
/* 0, or 1: the dump could not be written. */
int  profile_end(void);
#endif
