/* test_record_wishes.c - what `bursty record` asks of its recorder comes over as
   it was said, and a text of another build is refused as a whole. */
#include "test.h"
#include "../record/options.h"

static record_wishes said, heard;
static char words[OPTIONS_ROOM];

static void fill(void) {
    size_t count, n;
    const options_field *fields = options_fields(&count);
    memset(&said, 0, sizeof said);
    for (n = 0; n < count; n++) {
        char *value = (char *)&said + fields[n].at;
        uint32_t number = n % 3 ? (uint32_t)n * 1000 : UINT32_MAX;
        if (fields[n].room) snprintf(value, fields[n].room, "%s\n\\n = a\\\nb", fields[n].name);
        else memcpy(value, &number, sizeof number);
    }
}

TEST(all_comes_over) {
    fill();
    CHECK_EQ(options_write(&said, words, sizeof words), 0);
    memset(&heard, 1, sizeof heard);
    CHECK_EQ(options_read(&heard, words), 0);
    CHECK(memcmp(&said, &heard, sizeof said) == 0);
    CHECK_EQ(heard.every, UINT32_MAX);
    CHECK_STR(heard.only, "only\n\\n = a\\\nb");
    memset(&said, 0, sizeof said);
    CHECK_EQ(options_write(&said, words, sizeof words), 0);
    CHECK_STR(words, "1\n");
    CHECK_EQ(options_read(&heard, words), 0);
    CHECK(memcmp(&said, &heard, sizeof said) == 0);
}

/* The largest that there can be has room; less is refused,
   and nothing is written behind it. */
TEST(room) {
    size_t count, n, size, room;
    const options_field *fields = options_fields(&count);
    memset(&said, 0, sizeof said);
    for (n = 0; n < count; n++) {
        char *value = (char *)&said + fields[n].at;
        if (fields[n].room) memset(value, '\n', fields[n].room - 1);
        else memset(value, 0xFF, sizeof(uint32_t));
    }
    CHECK_EQ(options_write(&said, words, sizeof words), 0);
    CHECK_EQ(options_read(&heard, words), 0);
    CHECK(memcmp(&said, &heard, sizeof said) == 0);
    fill();
    CHECK_EQ(options_write(&said, words, sizeof words), 0);
    size = strlen(words);
    for (room = 1; room <= size; room++) {
        words[room] = 'X';
        CHECK_EQ(options_write(&said, words, room), -1);
        CHECK_EQ(words[room], 'X');
    }
}

TEST(another_build) {
    static const char *const bad[]
        = {"",          "1",          "2\n",           "0\n",          "1\nevery",  "1\nevery=1",
           "1\n=1\n",   "1\nnew=1\n", "1\nevery=x\n",  "1\nevery=\n",  "1\n\n",     "1\nevery=-1\n",
           "x\n",       "1\neve=1\n", "1\nevery=4294967296\n", "1\nonly=\\x\n", "1\nonly=\\",
           "1\nevery=00000000000000000000001\n", "9900 100 12 3 1 4 1 0 0 77 0 0 - /tmp/x"};
    size_t n, size;
    for (n = 0; n < sizeof bad / sizeof *bad; n++) {
        if (options_read(&heard, bad[n]) != -1) fprintf(stderr, "'%s'\n", bad[n]);
        CHECK_EQ(options_read(&heard, bad[n]), -1);
    }
    fill();
    CHECK_EQ(options_write(&said, words, sizeof words), 0);
    size = strlen(words);
    while (size-- > 0) {                    /* a cut is at an end of a line, or refused */
        words[size] = 0;
        CHECK_EQ(options_read(&heard, words), size > 1 && words[size - 1] == '\n' ? 0 : -1);
    }
}
