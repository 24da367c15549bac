/* test_verdicts.c - which tests failed, by a JUnit report, a log of ctest or
   names: what is read, one line for what is broken, and inputs that were cut,
   changed in each bit and mixed. */
#include "report/model/verdicts.h"
#include "base/tool.h"
#include "test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the reader says goes to a file, until it is heard. */
static char said[4096];
static FILE *said_file;
static int real_stderr = -1;

static void listen(void) {
    fflush(stderr);
    if (!said_file) said_file = tmpfile();
    if (real_stderr < 0) real_stderr = dup(2);
    if (!said_file || ftruncate(fileno(said_file), 0) != 0) abort();
    rewind(said_file);
    dup2(fileno(said_file), 2);
}

/* Returns how many lines were said since `listen`; the text is in `said`. */
static int heard(void) {
    size_t size, i;
    int lines = 0;
    fflush(stderr);
    dup2(real_stderr, 2);
    rewind(said_file);
    size = fread(said, 1, sizeof said - 1, said_file);
    said[size] = 0;
    for (i = 0; i < size; i++) lines += said[i] == '\n';
    return lines;
}

/* "t1+ g.t2- t3~": failed, passed, skipped. Or what is said, without its path. */
static const char *parsed_bytes(const char *data, size_t size) {
    static char text[4096];
    verdicts v;
    size_t i, used = 0;
    int status, lines;
    char *own = (char *)malloc(size ? size : 1); /* so that a read behind it is found */
    if (size) memcpy(own, data, size);
    memset(&v, 0, sizeof v);
    listen();
    v.given = "f";
    status = verdicts_parse(&v, "f", own, size);
    lines = heard();
    text[0] = 0;
    for (i = 0; i < v.count && status == TOOL_OK && used < sizeof text - 300; i++) {
        const verdict *one = &v.list[i];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.99s%s%.99s%s", i ? " " : "",
                                 one->group ? one->group : "", one->group ? "." : "", one->name,
                                 one->is_skipped ? "~" : one->has_failed ? "+" : "-");
    }
    if (status != TOOL_OK) {
        const char *from = strstr(said, "--failing f: ");
        said[strcspn(said, "\n")] = 0;
        snprintf(text, sizeof text, "%s", from ? from + 13 : "no message");
    }
    if (lines != (status != TOOL_OK)) snprintf(text, sizeof text, "%d lines", lines);
    verdicts_free(&v);
    free(own);
    return text;
}
static const char *parsed(const char *data) { return parsed_bytes(data, strlen(data)); }

TEST(reports_of_junit) {
    CHECK_STR(parsed("<testsuite><testcase name='a'/></testsuite>"), "a-");
    CHECK_STR(parsed("<?xml version='1.0'?>\n<!DOCTYPE x>\n<!-- < --><testsuites ><testsuite name=\"s\">"
                     "<testcase name=\"a\" classname = 's'><failure message='x'>1 &lt; 2</failure>"
                     "</testcase><testcase name='b' time='1'><error/></testcase>\n"
                     "<testcase name='c'><system-out><![CDATA[</testcase><failure>]]></system-out>"
                     "</testcase><testcase name='d'><skipped/></testcase></testsuite></testsuites>"),
              "s.a+ b+ c- d~");
    CHECK_STR(parsed("\xEF\xBB\xBF<testsuite><testcase name='&lt;a&amp;&#39;&#x27;&quot;&apos;&gt;'/>"
                     "</testsuite>"), "<a&''\"'>-");
    CHECK_STR(parsed("<testsuite><testcase name='&#xe9;&#0;&#;&nbsp;&'/></testsuite>"),
              "&#xe9;&#0;&#;&nbsp;&-");
    /* What fails outside of a test case is nobody's. */
    CHECK_STR(parsed("<testsuite><failure/><testcase name='a'></testcase><error/>"
                     "<testcase name='b'/><failure/></testsuite>"), "a- b-");
    CHECK_STR(parsed("<testsuite><testcase name='a'><p><q><failure/></q></p></testcase></testsuite>"),
              "a+");
    CHECK_STR(parsed("<testsuite></testsuite>"), "");
}

TEST(logs_of_ctest) {
    CHECK_STR(parsed("3:parse\r\n12:a b:c  \n"), "parse+ a b:c+");
    CHECK_STR(parsed("The following tests FAILED:\n\t  3 - parse (Failed)\n\t 12 - a (b) (Timeout)\n"
                     "Errors while running CTest\n"), "parse+ a (b)+");
    CHECK_STR(parsed("4 - x (Failed)"), "x+");
    CHECK_STR(parsed("5:y"), "y+");
    CHECK_STR(parsed("5:\n6: \n7 - (Failed)\n8:z\n"), "z+");
}

#define NO_LOG "is no JUnit report, and no log of ctest that names a test"
TEST(what_is_broken_is_said_in_one_line) {
    CHECK_STR(parsed(""), NO_LOG);
    CHECK_STR(parsed("all passed\n"), NO_LOG);
    CHECK_STR(parsed("5:\n"), NO_LOG);
    CHECK_STR(parsed("5 - (Failed)\n"), NO_LOG);
    CHECK_STR(parsed("<html></html>"),
              "line 1: is no JUnit report: it does not begin with testsuite");
    CHECK_STR(parsed("<!-- -->"), "line 1: is no JUnit report");
    CHECK_STR(parsed("<!-- >"), "line 1: a comment has no end");
    CHECK_STR(parsed("\n<?xml"), "line 2: ends within a declaration");
    CHECK_STR(parsed("<!DOC"), "line 1: ends within a declaration");
    CHECK_STR(parsed("<testsuite>\n<![CDATA[]>"), "line 2: CDATA has no end");
    CHECK_STR(parsed("<testsuite>\n"), "line 2: ends before its elements do");
    CHECK_STR(parsed("<testsuite"), "line 1: ends within an element");
    CHECK_STR(parsed("<testsuite a='1"), "line 1: ends within a value");
    CHECK_STR(parsed("<testsuite a>"), "line 1: an element is not well-formed");
    CHECK_STR(parsed("<testsuite ='1'>"), "line 1: an element is not well-formed");
    CHECK_STR(parsed("<testsuite a=1>"), "line 1: a value without quotes");
    CHECK_STR(parsed("<testsuite></testcase>"), "line 1: ends an element that did not begin");
    CHECK_STR(parsed("<testsuites></testsuite>"), "line 1: ends an element that did not begin");
    CHECK_STR(parsed("<testsuite></testsuites>"), "line 1: ends an element that did not begin");
    CHECK_STR(parsed("<testsuite></testsuite"), "line 1: ends within an element");
    CHECK_STR(parsed("<testsuite></testsuite></testsuite>"),
              "line 1: ends an element that did not begin");
    CHECK_STR(parsed("<testsuite>< a/></testsuite>"), "line 1: an element has no name");
    CHECK_STR(parsed("<testsuite>\n\n<testcase classname='a'/></testsuite>"),
              "line 3: a test case has no name");
    CHECK_STR(parsed("<testsuite><testcase name=''/></testsuite>"),
              "line 1: a test case has no name");
}

TEST(depth_is_bounded) {
    enum { FITS = 64 };
    char text[(FITS + 1) * 20 + 1];
    int i, deep;
    for (deep = FITS; deep <= FITS + 1; deep++) {
        char *to = text;
        to += sprintf(to, "<testsuite>");
        for (i = 1; i < deep; i++) to += sprintf(to, "<a>");
        for (i = 1; i < deep; i++) to += sprintf(to, "</a>");
        sprintf(to, "</testsuite>");
        CHECK_STR(parsed(text), deep == FITS ? "" : "line 1: elements are more than 64 deep");
    }
}

static verdicts reads(const char *data) {
    verdicts v;
    memset(&v, 0, sizeof v);
    v.given = "f";
    CHECK(verdicts_parse(&v, "f", data, strlen(data)) == TOOL_OK);
    return v;
}

TEST(names_meet) {
    verdicts v = reads("<testsuite><testcase name='a' classname='g'><failure/></testcase>"
                       "<testcase name='b'/><testcase name='c'><failure/><skipped/></testcase>"
                       "<testcase name='b' classname='h'><error/></testcase></testsuite>");
    CHECK(verdicts_of(&v, "x") == VERDICT_UNKNOWN);
    CHECK(verdicts_of(&v, "c") == VERDICT_UNKNOWN);
    CHECK(verdicts_of(&v, "g.a") == VERDICT_FAILED);
    CHECK(verdicts_of(&v, "g/a") == VERDICT_FAILED);
    CHECK(verdicts_of(&v, "g-a") == VERDICT_UNKNOWN);
    CHECK(verdicts_of(&v, "g.ab") == VERDICT_UNKNOWN);
    CHECK(!verdicts_differ(&v, "g.a"));
    listen();
    CHECK(verdicts_check(&v, "run is", "; cure", 0, NULL) == TOOL_OK);
    CHECK(heard() == 1); /* h.b */
    CHECK_STR(strstr(said, "1 of 2"), "1 of 2 failing tests have no run of their name, as b; cure\n");
    CHECK(verdicts_of(&v, "b") == VERDICT_FAILED);
    CHECK(verdicts_of(&v, "h.b") == VERDICT_FAILED);
    CHECK(verdicts_differ(&v, "b"));
    CHECK(!verdicts_differ(&v, "h.b"));
    listen();
    CHECK(verdicts_check(&v, "run is", "; cure", 0, NULL) == TOOL_OK && heard() == 0);
    listen();
    CHECK(verdicts_check(&v, "run is", "; cure", 3, "b") == TOOL_OK && heard() == 2);
    CHECK(strstr(said, "3 tests that it does not name are left out") != NULL);
    CHECK(strstr(said, "several tests have the name b; one of them failed") != NULL);
    verdicts_free(&v);
    v = reads("<testsuite><testcase name='a'/><testcase name='b'><skipped/><failure/></testcase>"
              "</testsuite>");
    CHECK(verdicts_of(&v, "a") == VERDICT_PASSED);
    listen();
    CHECK(verdicts_check(&v, "run is", "; cure", 0, NULL) != TOOL_OK && heard() == 1);
    CHECK(strstr(said, "no test in it has failed") != NULL);
    verdicts_free(&v);
}

TEST(names_in_words) {
    verdicts v = reads("1:a\n2:b\n");
    CHECK(v.count == 2 && !v.is_whole && verdicts_of(&v, "a") == VERDICT_FAILED);
    listen();
    CHECK(verdicts_check(&v, "run is", "; cure", 0, NULL) == TOOL_OK && heard() == 1);
    CHECK_STR(strstr(said, "1 of 2"), "1 of 2 failing tests have no run of their name, as b; cure\n");
    verdicts_free(&v);
    v = reads("1:a\n");
    listen();
    CHECK(verdicts_check(&v, "run is", "; cure", 0, NULL) != TOOL_OK && heard() == 1);
    CHECK(strstr(said, "no run is a; cure\n") != NULL);
    verdicts_free(&v);
    memset(&v, 0, sizeof v);
    CHECK(verdicts_read(&v, "no/such,b") == TOOL_OK && v.count == 2 && !v.is_whole);
    CHECK(verdicts_of(&v, "b") == VERDICT_FAILED && verdicts_of(&v, "x") == VERDICT_PASSED);
    listen();
    CHECK(verdicts_check(&v, "run is", "; cure", 0, NULL) != TOOL_OK && heard() == 1);
    CHECK(strstr(said, "--failing no/such,b: no run is no/such; cure\n") != NULL);
    verdicts_free(&v);
    listen();
    CHECK(verdicts_read(&v, "a,,b") != TOOL_OK && heard() == 1);
    verdicts_free(&v);
    listen();
    CHECK(verdicts_read(&v, "") != TOOL_OK && heard() == 1);
    verdicts_free(&v);
    /* A folder's name may be that of a test. */
    listen();
    CHECK(verdicts_read(&v, ".") == TOOL_OK && v.count == 1 && heard() == 0);
    verdicts_free(&v);
}

static uint64_t state = 88172645463325252u;
static size_t luck(size_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 11) % below;
}

static const char *const seeds[] = {
    "<?xml version='1.0'?><testsuites><!-- c --><testsuite a=\"1\"><testcase name='a' classname=\"g\">"
    "<failure message='&lt;&#65;'><![CDATA[x]]></failure></testcase><testcase name='b'><skipped/>"
    "</testcase><testcase name='c'/></testsuite></testsuites>\n",
    "3:parse\r\n12:a b:c\n\t  3 - parse (Failed)\n 12 - a (b) (Timeout)\n",
};

/* Whatever comes, it is read, or one line says why not (parsed_bytes). */
static void try_bytes(const char *data, size_t size) {
    const char *text = parsed_bytes(data, size);
    CHECK(strstr(text, " lines") != text + 1 && strcmp(text, "no message") != 0);
}

TEST(cut_changed_and_mixed) {
    char text[700], *own;
    size_t k, size, i, bit, n;
    for (k = 0; k < sizeof seeds / sizeof *seeds; k++) {
        size = strlen(seeds[k]);
        for (i = 0; i <= size; i++) try_bytes(seeds[k], i);
        own = (char *)malloc(size);
        memcpy(own, seeds[k], size);
        for (i = 0; i < size; i++) {
            for (bit = 0; bit < 8; bit++) {
                own[i] = (char)(seeds[k][i] ^ 1 << bit);
                try_bytes(own, size);
            }
            own[i] = seeds[k][i];
        }
        free(own);
    }
    for (n = 0; n < 4000; n++) {
        for (size = 0; size < 500 && (size == 0 || luck(8)); size += i) {
            const char *from = seeds[luck(2)];
            size_t all = strlen(from), at = luck(all);
            i = 1 + luck(luck(2) ? 8 : 90);
            if (i > all - at) i = all - at;
            memcpy(text + size, from + at, i);
        }
        if (size && luck(3) == 0) text[luck(size)] = (char)luck(256);
        try_bytes(text, size);
    }
}
