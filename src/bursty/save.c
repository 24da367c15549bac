/* ---- bursty_save ---- */

#ifndef BURSTY_BARE
static int bursty_p_to_file(void *user, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)user) != size;
}

/* Whether a file may take the place of what stands there: a device or a pipe
   must stay. */
static int bursty_p_is_replaceable(const char *path) {
#if defined(__unix__) || defined(__APPLE__)
    struct stat there;
    return stat(path, &there) != 0 || S_ISREG(there.st_mode);
#else
    return path != NULL;
#endif
}

static int bursty_p_failed(FILE *file, const char *path, int error) {
    if (file) (void)fclose(file);
    if (path) (void)remove(path);
    errno = error;
    return -1;
}

/* A name that is too long for its .new, and what is no regular file, such as a
   device, are written directly. The file gets its buffer from here: for one of
   malloc glibc puts all small blocks together that the program has freed, which
   at the end of Lua took ten times what the dump took. */
BURSTY_API int bursty_save(const char *path) {
    char fresh[4096], buffer[4096];
    size_t length = strlen(path);
    FILE *file = NULL;
    int is_new = 0;
    if (bursty_p_all.epoch == 0) return bursty_p_failed(NULL, NULL, EINVAL);
    if (length + 5 <= sizeof fresh && bursty_p_is_replaceable(path)) {
        memcpy(fresh, path, length);
        memcpy(fresh + length, ".new", 5);
        file = fopen(fresh, "wb");
        is_new = file != NULL;
    }
    if (!file) file = fopen(path, "wb");
    if (!file) return -1;
    (void)setvbuf(file, buffer, _IOFBF, sizeof buffer);
    errno = 0;
    if (bursty_write(bursty_p_to_file, file) != 0 || fflush(file) != 0)
        return bursty_p_failed(file, is_new ? fresh : NULL, errno ? errno : EIO);
    if (fclose(file) != 0) return bursty_p_failed(NULL, is_new ? fresh : NULL, errno);
    if (!is_new) return 0;
#ifdef _WIN32
    (void)remove(path); /* rename does not replace there */
#endif
    if (rename(fresh, path) == 0) return 0;
    return bursty_p_failed(NULL, fresh, errno);
}
#endif
