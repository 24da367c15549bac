/* doom_host.h - stands in for what Doom's sources include of SDL and of their
   configure script: bench/setup.sh makes files of those names that include this
   one. */
#ifndef DOOM_HOST_H
#define DOOM_HOST_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PACKAGE_NAME "doom"
#define PACKAGE_TARNAME "doom"
#define PACKAGE_VERSION "0"
#define PACKAGE_STRING "doom 0"
#define PROGRAM_PREFIX ""
#define HAVE_DIRENT_H 1
#define HAVE_DECL_STRCASECMP 1
#define HAVE_DECL_STRNCASECMP 1

#define SDL_LIL_ENDIAN 1234
#define SDL_BIG_ENDIAN 4321
#define SDL_BYTEORDER SDL_LIL_ENDIAN
#define SDL_SwapLE16(x) ((uint16_t)(x))
#define SDL_SwapLE32(x) ((uint32_t)(x))
#define SDL_qsort qsort
#define SDL_free free
#define SDL_GetPrefPath(organization, program) strdup("./")
typedef struct SDL_Event SDL_Event;

#endif
