/* main_doom.c - a whole game without a screen: plays the demo argv[2] of the
   game data argv[1] for at most argv[3] frames and prints a checksum of the
   picture once a second of the game. It stands in for the parts of Chocolate
   Doom that speak to SDL: picture, sound, input, clock. The clock goes by the
   frames that were drawn, so that every run is the same. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "d_event.h"
#include "i_endoom.h"
#include "i_input.h"
#include "i_joystick.h"
#include "i_sound.h"
#include "i_system.h"
#include "i_timer.h"
#include "i_video.h"
#include "m_argv.h"
#include "net_dedicated.h"
#include "net_gui.h"
#include "net_sdl.h"

void D_DoomMain(void);

static pixel_t screen[SCREENWIDTH * SCREENHEIGHT];
static byte gamma_palette[256 * 3];
static int frames, last_frame, milliseconds;

pixel_t *I_VideoBuffer = screen;
boolean screensaver_mode, screenvisible = true;
int usegamma, usemouse, vanilla_keyboard_mapping, mouse_threshold, snd_musicdevice, snd_pitchshift;
unsigned joywait;
float mouse_acceleration;
net_module_t net_sdl_module;

/* ---- system ---- */

/* The end of a timed demo is an "error" that begins with "timed". */
void I_Error(const char *error, ...) {
    va_list list;
    va_start(list, error);
    vprintf(error, list);
    va_end(list);
    printf("\n%d frames\n", frames);
    exit(strncmp(error, "timed", 5) != 0);
}

void I_Quit(void) { exit(0); }
void I_AtExit(atexit_func_t func, boolean run_if_error) { (void)func, (void)run_if_error; }
boolean I_ConsoleStdout(void) { return true; }
void I_Tactile(int on, int off, int total) { (void)on, (void)off, (void)total; }
void I_PrintStartupBanner(const char *text) { puts(text); }
void I_PrintBanner(const char *text) { puts(text); }
void I_PrintDivider(void) {}
void I_Endoom(byte *data) { (void)data; }

byte *I_ZoneBase(int *size) {
    static byte zone[32 << 20];
    *size = sizeof zone;
    return zone;
}

void *I_Realloc(void *old, size_t size) {
    void *p = realloc(old, size);
    if (!p && size) I_Error("no memory");
    return p;
}

boolean I_GetMemoryValue(unsigned offset, void *value, int size) {
    (void)offset;
    memset(value, 0, (size_t)size);
    return true;
}

/* ---- clock ---- */

int I_GetTimeMS(void) { return milliseconds; }
int I_GetTime(void) { return milliseconds * TICRATE / 1000; }
void I_Sleep(int ms) { milliseconds += ms; }
void I_WaitVBL(int count) { milliseconds += count * 1000 / 70; }
void I_InitTimer(void) {}

/* ---- picture ---- */

void I_FinishUpdate(void) {
    unsigned sum = 0;
    milliseconds += 1000 / TICRATE;
    if (++frames % TICRATE == 0) {
        for (size_t i = 0; i < sizeof screen; i++) sum = sum * 31 + screen[i];
        printf("%d %08x\n", frames, sum);
    }
    if (frames == last_frame) exit(0);
}

void I_ReadScreen(pixel_t *out) { memcpy(out, screen, sizeof screen); }
void I_SetPalette(byte *palette) { memcpy(gamma_palette, palette, sizeof gamma_palette); }

int I_GetPaletteIndex(int r, int g, int b) {
    int best = 0, least = 1 << 30;
    for (int i = 0; i < 256; i++) {
        const byte *p = gamma_palette + 3 * i;
        int off = (r - p[0]) * (r - p[0]) + (g - p[1]) * (g - p[1]) + (b - p[2]) * (b - p[2]);
        if (off < least) least = off, best = i;
    }
    return best;
}

void I_InitGraphics(void) {}
void I_GraphicsCheckCommandLine(void) {}
void I_UpdateNoBlit(void) {}
void I_SetWindowTitle(const char *title) { (void)title; }
void I_CheckIsScreensaver(void) {}
void I_SetGrabMouseCallback(grabmouse_callback_t func) { (void)func; }
void I_DisplayFPSDots(boolean on) { (void)on; }
void I_BindVideoVariables(void) {}
void I_RegisterWindowIcon(const unsigned *icon, int w, int h) { (void)icon, (void)w, (void)h; }
void I_StartFrame(void) {}
void I_StartTic(void) {}

/* ---- input, sound, network: none ---- */

void I_BindInputVariables(void) {}
void I_BindJoystickVariables(void) {}
void I_InitJoystick(void) {}
void I_StartTextInput(int x1, int y1, int x2, int y2) { (void)x1, (void)y1, (void)x2, (void)y2; }
void I_StopTextInput(void) {}

void I_BindSoundVariables(void) {}
void I_InitSound(boolean prefix) { (void)prefix; }
void I_ShutdownSound(void) {}
int I_GetSfxLumpNum(sfxinfo_t *sound) { (void)sound; return 0; }
void I_UpdateSound(void) {}
void I_UpdateSoundParams(int channel, int vol, int sep) { (void)channel, (void)vol, (void)sep; }
int I_StartSound(sfxinfo_t *sound, int channel, int vol, int sep, int pitch) {
    (void)sound, (void)channel, (void)vol, (void)sep, (void)pitch;
    return -1;
}
void I_StopSound(int channel) { (void)channel; }
boolean I_SoundIsPlaying(int channel) { (void)channel; return false; }
void I_PrecacheSounds(sfxinfo_t *sounds, int count) { (void)sounds, (void)count; }
void I_InitMusic(void) {}
void I_ShutdownMusic(void) {}
void I_SetMusicVolume(int volume) { (void)volume; }
void I_PauseSong(void) {}
void I_ResumeSong(void) {}
void *I_RegisterSong(void *data, int size) { (void)size; return data; }
void I_UnRegisterSong(void *song) { (void)song; }
void I_PlaySong(void *song, boolean looping) { (void)song, (void)looping; }
void I_StopSong(void) {}
boolean I_MusicIsPlaying(void) { return false; }
void I_SetOPLDriverVer(opl_driver_ver_t version) { (void)version; }
void I_OPL_DevMessages(char *out, size_t size) { if (size) *out = 0; }

void NET_WaitForLaunch(void) {}
void NET_DedicatedServer(void) {}

int main(int argc, char **argv) {
    if (argc < 4) return fprintf(stderr, "usage: doom WAD DEMO FRAMES\n"), 1;
    char *words[] = {argv[0], "-iwad", argv[1], "-timedemo", argv[2], "-nogui", "-nosound", NULL};
    last_frame = atoi(argv[3]);
    myargc = 7;
    myargv = words;
    M_SetExeDir();
    D_DoomMain();
    return 0;
}
