/* verdicts.c - see verdicts.h. */
#include "report/model/verdicts.h"
#include "base/text.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void verdicts_free(verdicts *v) {
    size_t i;
    for (i = 0; i < v->count; i++) {
        free(v->list[i].name);
        free(v->list[i].group);
    }
    free(v->list);
    memset(v, 0, sizeof *v);
}

static verdict *add(verdicts *v, const char *name, size_t size) {
    verdict *one;
    TOOL_ROOM(verdict, v->list, v->count, v->room);
    one = &v->list[v->count++];
    memset(one, 0, sizeof *one);
    one->name = text_clean(name, size);
    return one;
}

/* ---- JUnit's XML ---- */

enum { DEEPEST = 64 };

typedef struct xml {
    const char *path, *data;
    size_t size, at;
    struct { const char *name; size_t size; } open[DEEPEST];
    size_t depth;
} xml;

static int blame(const xml *x, const char *reason) {
    size_t i, line = 1;
    for (i = 0; i < x->at && i < x->size; i++) line += x->data[i] == '\n';
    return tool_error("--failing %s: line %lu: %s", x->path, (unsigned long)line, reason);
}

static int begins(const xml *x, const char *with) {
    return x->size - x->at >= strlen(with) && memcmp(x->data + x->at, with, strlen(with)) == 0;
}

/* Goes behind the next `with`. Returns 0, or -1: there is none. */
static int skip(xml *x, const char *with) {
    for (; x->at < x->size; x->at++) {
        if (!begins(x, with)) continue;
        x->at += strlen(with);
        return 0;
    }
    return -1;
}

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static int is_name(char c) { return c && !is_space(c) && !strchr("=/<>\"'", c); }

/* "&#39;", "&#x27;": how long it is, or 0. Only ASCII is written so. */
static size_t decode_number(text *to, const char *from, size_t size) {
    char digits[8], *end, byte;
    size_t i;
    unsigned long code;
    for (i = 0; i < sizeof digits - 1 && i + 2 < size && from[i + 2] != ';'; i++)
        digits[i] = (char)(from[i + 2] == 'X' ? 'x' : from[i + 2]);
    digits[i] = 0;
    if (size < 4 || from[1] != '#' || i + 2 == size || from[i + 2] != ';') return 0;
    code = strtoul(digits + (*digits == 'x'), &end, *digits == 'x' ? 16 : 10);
    if (*end || code == 0 || code > 127) return 0;
    byte = (char)code;
    text_bytes(to, &byte, 1);
    return i + 3;
}

static void decode(text *to, const char *from, size_t size) {
    static const struct { const char *name; char is; } known[] = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    size_t i, k;
    for (i = 0; i < size; i++) {
        char c = from[i];
        size_t number = c == '&' ? decode_number(to, from + i, size - i) : 0;
        if (number) {
            i += number - 1;
            continue;
        }
        for (k = 0; c == '&' && k < sizeof known / sizeof *known; k++) {
            size_t length = strlen(known[k].name);
            if (size - i < length || memcmp(from + i, known[k].name, length) != 0) continue;
            c = known[k].is;
            i += length - 1;
            break;
        }
        text_bytes(to, &c, 1);
    }
}

/* The attributes of an element. The names of a test case are kept. Returns
   1 if it has no content, 0 if it has some, or -1 after a message. */
static int read_attributes(xml *x, verdict *of) {
    for (;;) {
        size_t name, name_size, value;
        text plain = {NULL, 0, 0};
        char quote, **to;
        while (x->at < x->size && is_space(x->data[x->at])) x->at++;
        if (x->at == x->size) return blame(x, "ends within an element"), -1;
        if (begins(x, "/>")) return x->at += 2, 1;
        if (x->data[x->at] == '>') return x->at++, 0;
        name = x->at;
        while (x->at < x->size && is_name(x->data[x->at])) x->at++;
        name_size = x->at - name;
        while (x->at < x->size && is_space(x->data[x->at])) x->at++;
        if (name_size == 0 || x->at == x->size || x->data[x->at] != '=')
            return blame(x, "an element is not well-formed"), -1;
        x->at++;
        while (x->at < x->size && is_space(x->data[x->at])) x->at++;
        quote = x->at < x->size ? x->data[x->at] : 0;
        if (quote != '"' && quote != '\'') return blame(x, "a value without quotes"), -1;
        value = ++x->at;
        while (x->at < x->size && x->data[x->at] != quote) x->at++;
        if (x->at == x->size) return blame(x, "ends within a value"), -1;
        to = !of ? NULL : name_size == 4 && !memcmp(x->data + name, "name", 4) ? &of->name
             : name_size == 9 && !memcmp(x->data + name, "classname", 9) ? &of->group : NULL;
        if (to) {
            decode(&plain, x->data + value, x->at - value);
            free(*to);
            *to = text_clean(plain.size ? plain.data : "", plain.size);
            text_free(&plain);
        }
        x->at++;
    }
}

static int is_element(const xml *x, size_t at, size_t size, const char *name) {
    return size == strlen(name) && memcmp(x->data + at, name, size) == 0;
}

static int read_end(xml *x) {
    size_t name = x->at += 2;
    while (x->at < x->size && is_name(x->data[x->at])) x->at++;
    if (x->depth == 0 || x->open[x->depth - 1].size != x->at - name ||
        memcmp(x->open[x->depth - 1].name, x->data + name, x->at - name) != 0)
        return blame(x, "ends an element that did not begin");
    x->depth--;
    return skip(x, ">") == 0 ? TOOL_OK : blame(x, "ends within an element");
}

/* Comments and the like. Returns NULL if there is none, "" behind one, or why it
   is broken. */
static const char *pass_over(xml *x) {
    static const struct {
        const char *begin, *end, *reason;
    } known[] = {
        {"<!--", "-->", "a comment has no end"},
        {"<![CDATA[", "]]>", "CDATA has no end"},
        {"<?", ">", "ends within a declaration"},
        {"<!", ">", "ends within a declaration"},
    };
    size_t i;
    for (i = 0; i < sizeof known / sizeof *known; i++)
        if (begins(x, known[i].begin)) return skip(x, known[i].end) == 0 ? "" : known[i].reason;
    return NULL;
}

static int read_junit(verdicts *v, const char *path, const char *data, size_t size) {
    xml x;
    int status = TOOL_OK;
    size_t test = 0;           /* the open test case, + 1; and how deep it is */
    size_t depth = 0, suites = 0;
    memset(&x, 0, sizeof x);
    x.path = path;
    x.data = data;
    x.size = size;
    v->is_whole = 1;
    while (status == TOOL_OK && skip(&x, "<") == 0) {
        size_t name = x.at--, name_size;
        const char *reason;
        int is_empty, is_test;
        reason = pass_over(&x);
        if (reason && !*reason) continue;
        if (reason) return blame(&x, reason);
        if (begins(&x, "</")) {
            status = read_end(&x);
            if (x.depth < depth) test = depth = 0;
            continue;
        }
        x.at = name;
        while (x.at < x.size && is_name(x.data[x.at])) x.at++;
        name_size = x.at - name;
        if (name_size == 0) return blame(&x, "an element has no name");
        if (x.depth == DEEPEST) return blame(&x, "elements are more than 64 deep");
        if (is_element(&x, name, name_size, "testsuite")) suites++;
        if (is_element(&x, name, name_size, "testsuites")) suites++;
        if (!suites) return blame(&x, "is no JUnit report: it does not begin with testsuite");
        is_test = is_element(&x, name, name_size, "testcase");
        if (is_test) {
            add(v, "", 0);
            test = v->count;
        } else if (test && (is_element(&x, name, name_size, "failure") ||
                            is_element(&x, name, name_size, "error"))) {
            v->list[test - 1].has_failed = 1;
        } else if (test && is_element(&x, name, name_size, "skipped")) {
            v->list[test - 1].is_skipped = 1;
        }
        is_empty = read_attributes(&x, is_test ? &v->list[test - 1] : NULL);
        if (is_empty < 0) return TOOL_BAD_INPUT;
        if (is_test && !*v->list[test - 1].name) return blame(&x, "a test case has no name");
        if (is_empty) {
            if (is_test) test = depth = 0;
            continue;
        }
        x.open[x.depth].name = data + name;
        x.open[x.depth++].size = name_size;
        if (is_test) depth = x.depth;
    }
    if (status == TOOL_OK && x.depth) return blame(&x, "ends before its elements do");
    if (status == TOOL_OK && !suites) return blame(&x, "is no JUnit report");
    return status;
}

/* ---- ctest ---- */

/* "12:name", as LastTestsFailed.log has it, or "  3 - name (Failed)". */
static int read_ctest(verdicts *v, const char *path, const char *data, size_t size) {
    size_t at = 0, end, i;
    while (at < size) {
        for (end = at; end < size && data[end] != '\n'; end++) {
        }
        for (i = at; i < end && (is_space(data[i]) || (data[i] >= '0' && data[i] <= '9')); i++) {
        }
        if (i > at && i < end && data[i] == ':' && data[i - 1] != ' ') {
            size_t last = end;
            while (last > i && is_space(data[last - 1])) last--;
            if (last > i + 1) add(v, data + i + 1, last - i - 1)->has_failed = 1;
        } else if (i > at && end - i > 2 && data[i] == '-' && data[i + 1] == ' ') {
            size_t last = end;
            while (last > i && data[last - 1] != '(') last--;
            if (last > i + 4) add(v, data + i + 2, last - i - 4)->has_failed = 1;
        }
        at = end + 1;
    }
    if (v->count) return TOOL_OK;
    return tool_error("--failing %s: is no JUnit report, and no log of ctest that names a test",
                      path);
}

/* ---- all ---- */

int verdicts_parse(verdicts *v, const char *path, const char *data, size_t size) {
    size_t at = 0;
    while (at < size && (is_space(data[at]) || (unsigned char)data[at] > 127)) at++;
    if (at < size && data[at] == '<') return read_junit(v, path, data, size);
    return read_ctest(v, path, data, size);
}

static int read_file(verdicts *v, const char *path) {
    size_t size = 0;
    char *data = (char *)tool_read_file(path, NULL, &size);
    int status = data ? verdicts_parse(v, path, data, size) : TOOL_BAD_INPUT;
    free(data);
    return status;
}

int verdicts_read(verdicts *v, const char *value) {
    struct stat status;
    const char *at = value;
    v->given = value;
    if (stat(value, &status) == 0 && !S_ISDIR(status.st_mode)) return read_file(v, value);
    v->is_typed = 1;
    for (;;) {
        size_t size = strcspn(at, ",");
        if (size == 0)
            return tool_error("--failing %s: names of tests are wanted, with commas", value);
        add(v, at, size)->has_failed = 1;
        if (!at[size]) return TOOL_OK;
        at += size + 1;
    }
}

/* "name", "group.name", "group/name". */
static int is_of(const verdict *one, const char *test) {
    size_t size = one->group ? strlen(one->group) : 0;
    if (strcmp(one->name, test) == 0) return 1;
    return size && strncmp(test, one->group, size) == 0 &&
           (test[size] == '.' || test[size] == '/') && strcmp(test + size + 1, one->name) == 0;
}

int verdicts_of(verdicts *v, const char *test) {
    int result = v->is_whole ? VERDICT_UNKNOWN : VERDICT_PASSED;
    size_t i;
    for (i = 0; i < v->count; i++) {
        if (v->list[i].is_skipped || !is_of(&v->list[i], test)) continue;
        v->list[i].is_used = 1;
        if (v->list[i].has_failed) result = VERDICT_FAILED;
        else if (result != VERDICT_FAILED) result = VERDICT_PASSED;
    }
    return result;
}

int verdicts_differ(const verdicts *v, const char *test) {
    int fates = 0;
    size_t i;
    for (i = 0; i < v->count && v->is_whole; i++)
        if (!v->list[i].is_skipped && is_of(&v->list[i], test)) fates |= 1 << v->list[i].has_failed;
    return fates == 3;
}

int verdicts_check(const verdicts *v, const char *what, const char *cure, size_t left_out,
                   const char *ambiguous) {
    const char *first = NULL;
    size_t i, unknown = 0, failed = 0, used = 0;
    for (i = 0; i < v->count; i++) {
        if (!v->list[i].has_failed || v->list[i].is_skipped) continue;
        failed++;
        used += v->list[i].is_used != 0;
        if (v->list[i].is_used) continue;
        if (!first) first = v->list[i].name;
        unknown++;
    }
    if (!failed) return tool_error("--failing %s: no test in it has failed", v->given);
    if (unknown && (v->is_typed || !used))
        return tool_error("--failing %s: no %s %s%s", v->given, what, first, cure);
    if (unknown)
        tool_error("note: --failing %s: %lu of %lu failing tests have no run of their name, as %s%s",
                   v->given, (unsigned long)unknown, (unsigned long)failed, first, cure);
    if (left_out)
        tool_error("note: --failing %s: %lu tests that it does not name are left out", v->given,
                   (unsigned long)left_out);
    if (ambiguous)
        tool_error("note: --failing %s: several tests have the name %s; one of them failed, and "
                   "that counts", v->given, ambiguous);
    return TOOL_OK;
}
