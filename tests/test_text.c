/* test_text.c - names on their way into JSON, HTML, stacks and terminals;
   numbers; UTF-8. */
#include "test.h"
#include "base/text.h"

static char *shown(void (*add)(text *, const char *), const char *name) {
    static char line[4096];
    text t = {NULL, 0, 0};
    add(&t, name);
    CHECK(t.size < sizeof line);
    memcpy(line, t.data ? t.data : "", t.size);
    line[t.size] = 0;
    text_free(&t);
    return line;
}

TEST(json_is_quoted_and_fit_for_a_script) {
    CHECK_STR(shown(text_json, ""), "\"\"");
    CHECK_STR(shown(text_json, "a\"b\\c/d"), "\"a\\\"b\\\\c/d\"");
    CHECK_STR(shown(text_json, "\n\t\x01\x7F"), "\"\\u000a\\u0009\\u0001\\u007f\"");
    CHECK_STR(shown(text_json, "</script>&"), "\"\\u003c/script\\u003e\\u0026\"");
    CHECK_STR(shown(text_json, "\xE2\x80\xA8|\xE2\x80\xA9|\xE2\x80\xA7|\xCE\xB1"),
              "\"\\u2028|\\u2029|\xE2\x80\xA7|\xCE\xB1\"");
}

TEST(html_has_no_markup_left) {
    CHECK_STR(shown(text_html, "<b a='1' c=\"2\">&amp;"),
              "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;");
    CHECK_STR(shown(text_html, "a\x01" "b\xC2\x85" "c\xC3\xA9"), "a\\x01b\\u0085c\xC3\xA9");
}

TEST(terminals_get_no_control_characters) {
    CHECK_STR(shown(text_plain, "\x1B[31m\r\n\x7F"), "\\x1b[31m\\x0d\\x0a\\x7f");
    CHECK_STR(shown(text_plain, "\xC2\x9B" "31m \xC2\xA0"), "\\u009b31m \xC2\xA0");
    CHECK_STR(shown(text_plain, "a\xE2\x80\xAE" "b\xE2\x81\xA9\xD8\x9C\xE2\x80\x93\xE2\x82\xAC"),
              "a\\u202eb\\u2069\\u061c\xE2\x80\x93\xE2\x82\xAC");
    CHECK_STR(shown(text_json, "a\xE2\x80\xAE"), "\"a\\u202e\"");
}

TEST(a_word_for_a_shell_stays_one_word) {
    CHECK_STR(shown(text_shell, "work"), "work");
    CHECK_STR(shown(text_shell, "ns::work.part.0"), "ns::work.part.0");
    CHECK_STR(shown(text_shell, ""), "''");
    CHECK_STR(shown(text_shell, "std::less<int>::operator()(int const&, int const&) const"),
              "'std::less<int>::operator()(int const&, int const&) const'");
    CHECK_STR(shown(text_shell, "a'b; rm *"), "'a'\\''b; rm *'");
    CHECK_STR(shown(text_shell, "a\n$b"), "'a\\x0a$b'");
}

TEST(a_frame_is_one_field_of_a_stack) {
    CHECK_STR(shown(text_frame, "a;b\nc"), "a:b\\x0ac");
    CHECK_STR(shown(text_frame, ""), "(no name)");
    CHECK_STR(shown(text_frame, "operator new 12"), "operator new 12");
}

static void cleans(const char *bytes, size_t size, const char *wanted) {
    char *clean = text_clean(bytes, size);
    CHECK_STR(clean, wanted);
    free(clean);
}

#define BAD "\xEF\xBF\xBD"

TEST(what_is_not_utf8_is_replaced) {
    cleans("", 0, "");
    cleans("plain", 5, "plain");
    cleans("a\0b", 3, "a" BAD "b");
    cleans("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8E\xAE", 9, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8E\xAE");
    cleans("\xF4\x8F\xBF\xBF", 4, "\xF4\x8F\xBF\xBF");                      /* U+10FFFF, the last */
    cleans("\xF4\x90\x80\x80", 4, BAD BAD BAD BAD);                         /* beyond */
    cleans("\xC0\xAF", 2, BAD BAD);                                         /* '/' in two bytes */
    cleans("\xE0\x9F\xBF", 3, BAD BAD BAD);                                 /* too long a form */
    cleans("\xED\xA0\x80", 3, BAD BAD BAD);                                 /* a surrogate */
    cleans("\xE2\x82", 2, BAD BAD);                                         /* cut */
    cleans("\xE2\x82(", 3, BAD BAD "(");
    cleans("\x80\xFF", 2, BAD BAD);
}

/* Whatever comes in, cleaning is final: the result is UTF-8, so cleaning it
   again changes nothing. */
TEST(cleaning_twice_is_cleaning_once) {
    uint64_t seed = 3;
    int round;
    for (round = 0; round < 20000; round++) {
        char bytes[12], *once, *twice;
        size_t i, size = (size_t)(test_random(&seed) % sizeof bytes);
        for (i = 0; i < size; i++)
            bytes[i] = (char)(test_random(&seed) % 3 ? 0x80 + test_random(&seed) % 128
                                                     : test_random(&seed) % 128);
        once = text_clean(bytes, size);
        twice = text_clean(once, strlen(once));
        CHECK(strcmp(once, twice) == 0);
        free(once);
        free(twice);
    }
}

TEST(numbers_and_columns) {
    text t = {NULL, 0, 0};
    text_number(&t, 0);
    text_add(&t, "|");
    text_number(&t, UINT64_MAX);
    text_add(&t, "|");
    text_count(&t, 999);
    text_add(&t, "|");
    text_count(&t, 1000);
    text_add(&t, "|");
    text_count(&t, UINT64_MAX);
    text_bytes(&t, "", 1);
    CHECK_STR(t.data, "0|18446744073709551615|999|1 000|18 446 744 073 709 551 615");
    t.size = 0;
    text_add(&t, "\xC3\xA9");
    text_pad(&t, 0, 4, 1);
    text_add(&t, "|ab");
    text_pad(&t, t.size - 2, 4, 0);
    text_add(&t, "|long");
    text_pad(&t, t.size - 4, 2, 1);
    text_bytes(&t, "", 1);
    CHECK_STR(t.data, "   \xC3\xA9|ab  |long");
    text_free(&t);
}

TEST(nouns_agree_with_their_number_and_large_counts_keep_their_digits) {
    text t = {NULL, 0, 0};
    text_counted(&t, 0, "call");
    text_add(&t, "|");
    text_counted(&t, 1, "call");
    text_add(&t, "|");
    text_counted(&t, 2, "call");
    text_add(&t, "|");
    text_counted(&t, 1, "access");
    text_add(&t, "|");
    text_counted(&t, 30, "access");
    text_bytes(&t, "", 1);
    CHECK_STR(t.data, "0 calls|1 call|2 calls|1 access|30 accesses");
    t.size = 0;
    text_real(&t, 1.0 / 3);
    text_add(&t, "|");
    text_real(&t, 123456789012.0);
    text_add(&t, "|");
    text_real(&t, 1e300);
    text_bytes(&t, "", 1);
    CHECK_STR(t.data, "0.333333333|123456789012|1e+300");
    text_free(&t);
}

TEST(long_names_keep_both_ends_and_stay_different) {
    char bytes[10000], *a, *b, *plain;
    text t = {NULL, 0, 0};
    memset(bytes, 'W', sizeof bytes);
    a = text_name(bytes, sizeof bytes);
    bytes[5000] = 'V';
    b = text_name(bytes, sizeof bytes);
    plain = text_name(bytes, TEXT_NAME_MOST);
    CHECK(strlen(a) <= TEXT_NAME_MOST);
    CHECK_EQ(strlen(a), strlen(b));
    CHECK(strcmp(a, b) != 0);
    CHECK(strncmp(a, "WWWW", 4) == 0);
    CHECK_STR(a + strlen(a) - 4, "WWWW");
    CHECK_EQ(strlen(plain), TEXT_NAME_MOST);
    text_short(&t, "\xC3\xA9" "bcdefghijklm\xC3\xA9", 9);
    text_bytes(&t, "", 1);
    CHECK_STR(t.data, "\xC3\xA9" "bc...lm\xC3\xA9");
    text_free(&t);
    free(a);
    free(b);
    free(plain);
}
