/* test_glob.c - patterns of --only and --not, beside a slow and obvious answer
   for every pattern of up to 5 characters and every name of up to 5. */
#include "test.h"
#include "base/glob.h"

/* By the definition: `*` is nothing, or one character and again `*`. */
static int slow(const char *pattern, const char *name) {
    if (!*pattern) return !*name;
    if (*pattern == '*') return slow(pattern + 1, name) || (*name && slow(pattern, name + 1));
    return *name && (*pattern == '?' || *pattern == *name) && slow(pattern + 1, name + 1);
}

static int is(const char *pattern, const char *name) {
    return glob_matches(pattern, name, strlen(name));
}

TEST(known_patterns) {
    CHECK(is("lua*_?", "luaV_x"));
    CHECK(is("*", ""));
    CHECK(is("", ""));
    CHECK(!is("", "a"));
    CHECK(!is("lua", "luaV"));
    CHECK(!is("luaV", "lua"));
    CHECK(is("*ab", "aab"));
    CHECK(!is("?", ""));
    CHECK(is("a**b", "ab"));
    CHECK(is("png_*_row?", "png_write_row_row2"));
}

/* What other globs know is a character like any other. */
TEST(no_sets_and_no_escapes) {
    CHECK(!is("[om]*", "one"));
    CHECK(is("[om]*", "[om]x"));
    CHECK(is("a\\*", "a\\b"));
    CHECK(!is("a\\*", "a*"));
}

/* The name need not be ended: what stands behind it does not count. */
TEST(part_of_a_text) {
    CHECK(glob_matches("m?in", "main(void)", 4));
    CHECK(!glob_matches("m?in", "main(void)", 5));
    CHECK(!glob_matches("a", "a", 0));
}

/* A name of source: its result and its parameters may be left out. */
TEST(functions) {
    const char *const sort = "void (anonymous namespace)::sort<int>(int*, bool (*)(int)) const [clone .cold]";
    CHECK(glob_matches_function(sort, sort));
    CHECK(glob_matches_function("(anonymous namespace)::sort<int>", sort));
    CHECK(glob_matches_function("void (anonymous namespace)::sort<int>", sort));
    CHECK(glob_matches_function("(anonymous*::sort<int>(*clone .cold]", sort));
    CHECK(!glob_matches_function("sort<int>", sort));
    CHECK(glob_matches_function("app::tick*", "int app::tick<int>(int)"));
    CHECK(glob_matches_function("app::tick", "app::tick(int) const"));
    CHECK(!glob_matches_function("app::tick", "app::tick_tock(int)"));
    CHECK(glob_matches_function("F::operator()", "bool F::operator()<char>(char)") == 0);
    CHECK(glob_matches_function("F::operator()<char>", "bool F::operator()<char>(char)"));
    CHECK(glob_matches_function("F::operator()", "F::operator()(char)"));
    CHECK(glob_matches_function("F::operator bool", "F::operator bool() const"));
    CHECK(glob_matches_function("std::map<int, char>::at", "std::map<int, char>::at(int)"));
    CHECK(glob_matches_function("main", "main"));
    CHECK(!glob_matches_function("", "main"));
    CHECK(glob_matches_function("(kernel)", "(kernel)"));
    CHECK(!glob_matches_function("main", "main(x"));
}

static void make_text(char *out, unsigned number, const char *letters, unsigned kinds) {
    for (; number; number = (number - 1) / kinds) *out++ = letters[(number - 1) % kinds];
    *out = 0;
}

TEST(all_short_patterns) {
    char pattern[8], name[8];
    unsigned p, n, differ = 0, matches = 0;
    for (p = 0; p < 1365; p++) {             /* 1 + 4 + 16 + ... + 4^5 */
        make_text(pattern, p, "ab*?", 4);
        for (n = 0; n < 63; n++) {           /* 1 + 2 + ... + 2^5 */
            int got;
            make_text(name, n, "ab", 2);
            got = is(pattern, name);
            differ += got != slow(pattern, name);
            matches += (unsigned)got;
        }
    }
    CHECK_EQ(differ, 0);
    CHECK(matches > 10000);
}

TEST(lists) {
    static const char *const none[] = {NULL}, *const png[] = {"png_*", "z?", NULL};
    static const char *const reads[] = {"*_read", NULL};
    CHECK(glob_wants(NULL, NULL, "a", 1));
    CHECK(glob_wants(none, none, "a", 1));
    CHECK(!glob_wants(png, NULL, "a", 1));
    CHECK(glob_wants(png, NULL, "zx", 2));
    CHECK(glob_wants(png, reads, "png_write", 9));
    CHECK(!glob_wants(png, reads, "png_read", 8));
    CHECK(!glob_wants(NULL, reads, "png_read", 8));
    CHECK(glob_wants(NULL, reads, "png_read_row", 12));
}
