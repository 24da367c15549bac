/* test_bursty_unstarted.c - without bursty_start a check is a check and nothing
   else. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include "test.h"
#include <errno.h>

static int count_bytes(void *user, const void *data, size_t size) {
    (void)data;
    *(size_t *)user += size;
    return 0;
}

TEST(nothing_runs_before_start) {
    bursty_stats stats;
    bursty_top_row row;
    size_t written = 0;
    uint32_t i, live = 0;
    for (i = 0; i < 200000; i++) {
        live += BURST_CHECK() != 0;
        BURST_ENTRY();
    }
    bursty_get_stats(&stats);
    CHECK_EQ(live, 0);
    CHECK_EQ(stats.checks, 0);
    CHECK_EQ(bursty_top(&row, 1), 0);
    CHECK_EQ(bursty_set_profile(0, NULL), -1);
    CHECK_EQ(bursty_write(count_bytes, &written), -1);
    CHECK_EQ(written, 0);
    bursty_clear();
    bursty_thread_end();
    bursty_thread_name("nobody");
}

static void reads(const char *path, const char *wanted) {
    char text[8] = "";
    size_t length = strlen(wanted);
    FILE *file = fopen(path, "rb");
    CHECK(file && fread(text, 1, length, file) == length);
    CHECK_STR(text, wanted);
    if (file) fclose(file);
}

TEST(a_failed_save_leaves_the_file_and_says_why) {
    const char *path = "test_bursty_unstarted.tmp";
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite("before", 1, 6, file) == 6);
    if (!file) return;
    fclose(file);
    errno = 0;
    CHECK_EQ(bursty_save(path), -1);
    CHECK_EQ(errno, EINVAL);
    reads(path, "before");
    CHECK(bursty_start(NULL) > 0);
    errno = 0;
    CHECK_EQ(bursty_save("no-such-folder/x.brst"), -1);
    CHECK_EQ(errno, ENOENT);
    reads(path, "before");
    CHECK_EQ(bursty_save(path), 0);
    reads(path, "BRST");
#ifdef __linux__
    if ((file = fopen("/dev/null", "rb")) != NULL) { /* a device stays one: nothing can be read */
        fclose(file);
        CHECK_EQ(bursty_save("/dev/null"), 0);
        file = fopen("/dev/null", "rb");
        CHECK(file && fgetc(file) == EOF);
        if (file) fclose(file);
    }
#endif
    remove(path);
}
