"""failing.py BURSTY FOLDER PROGRAM:COUNT,... - seeded faults in programs, and where `bursty report --failing`
ranks the line of each.

A fault is one change in one line, drawn by a fixed seed from all that CHANGES can do to lines that the
tests run. The tests are inputs; one fails if the program says something else than it said without the
fault. A fault counts if at least one test fails and at least as many pass. COUNT of them are drawn for
each program.

For each fault: is its line in one of the first five rows that --failing shows, and is its place among
all lines, ranked by Ochiai's and by Tarantula's coefficient alone, at most five? Lines of one
coefficient have the mean of their places. Prints a row for each program, and a line for each fault."""
import csv
import io
import os
import random
import re
import subprocess
import sys

bursty, folder, sources = sys.argv[1:4]
CHANGES = [(r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "),
           (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "), (r" \+ ", " - "), (r" - ", " + "),
           (r"\+\+", "--"), (r" \+= ", " -= "), (r" = 0;", " = 1;"), (r" = 1;", " = 0;"),
           (r"return 0;", "return 1;"), (r"if \(!", "if (")]


def run(words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, **more)


def spec_examples(path):
    text = open(path, encoding="utf-8").read()
    found = re.findall(r"^`{32} example\n(.*?)^\.\n", text, re.M | re.S)
    return [("e%d" % i, one.replace("\u2192", "\t").encode()) for i, one in enumerate(found)]


def pattern_blocks(path):
    blocks = re.split(rb"\n\n+", open(path, "rb").read())
    return [("p%d" % i, b + b"\n\n") for i, b in enumerate(blocks) if b.lstrip().startswith(b"/")]


def json_inputs(path):
    found = []
    for at, _, names in sorted(os.walk(path)):
        if "input" in names:
            found.append(("j%d" % len(found), open(os.path.join(at, "input"), "rb").read()))
    return found


# The program, its files, options, what the tests are, which files get faults.
PROGRAMS = {
    "jansson": (["test/bin/json_process.c"], "src/", ["-Isrc", "-I.", "-DHAVE_CONFIG_H=1"],
                ["--env"], lambda at: json_inputs(at + "/test/suites"),
                ["src/load.c", "src/dump.c", "src/strbuffer.c", "src/utf.c", "src/value.c"]),
    "cmark": ([], "src/", ["-Isrc", "-I."], [],
              lambda at: spec_examples(at + "/test/spec.txt"),
              ["src/blocks.c", "src/inlines.c", "src/scanners.c", "src/html.c", "src/references.c"]),
    "pcre2": ([], "src/", ["-Isrc", "-I.", "-DHAVE_CONFIG_H=1", "-DPCRE2_CODE_UNIT_WIDTH=8", "-DSUPPORT_PCRE2_8=1", "-DSUPPORT_UNICODE=1", "-DHAVE_STRERROR=1"], ["-q"],
              lambda at: pattern_blocks(at + "/testdata/testinput1"),
              ["src/pcre2_compile.c", "src/pcre2_match.c", "src/pcre2_auto_possess.c"]),
}
MOST_TESTS = 100


class Program:
    def __init__(self, name):
        main, _, self.flags, self.words, tests, self.faulty = PROGRAMS[name]
        self.at = os.path.join(folder, name)
        self.units = open(os.path.join(self.at, "units")).read().split() + main
        self.tests = tests(self.at)
        random.Random(1).shuffle(self.tests)
        self.tests = sorted(self.tests[:MOST_TESTS])
        self.objects = {u: u.replace("/", "_") + ".o" for u in self.units}

    def compile(self, unit):
        return run([bursty, "cc", "--cover", "--", "gcc", "-O0", "-w", *self.flags, "-c", unit, "-o",
                    self.objects[unit]], cwd=self.at).returncode

    def link(self):
        return run([bursty, "cc", "--cover", "--", "gcc", "-o", "tested", *self.objects.values(), "-lm"],
                   cwd=self.at).returncode

    def said(self):
        """What each test says, and coverage.brst of all."""
        if os.path.exists(self.at + "/coverage.brst"):
            os.remove(self.at + "/coverage.brst")
        result = {}
        for name, given in self.tests:
            around = dict(os.environ, BURSTY_TEST=name, BURSTY_COVERAGE=self.at + "/coverage.brst",
                          BURSTY_COVERAGE_SIGNALS="1")
            try:
                one = run(["./tested", *self.words], cwd=self.at, input=given, env=around, timeout=20)
                result[name] = (one.returncode, one.stdout)
            except subprocess.TimeoutExpired:
                result[name] = None
        return result

    def report(self, *words):
        return run([bursty, "report", *words, "coverage.brst"], cwd=self.at).stdout.decode()


def lines_by_test(lcov, at):
    tests, name, test = {}, None, None
    for text in lcov.splitlines():
        kind, _, rest = text.partition(":")
        if kind == "TN":
            test = rest
        elif kind == "SF":
            name = os.path.relpath(rest, at)
        elif kind == "DA" and test:
            line, hits = rest.split(",")[:2]
            if int(hits):
                tests.setdefault(test, set()).add((name, int(line)))
    return tests


def places(ran, failed, line):
    """The mean place of the line by Ochiai and by Tarantula."""
    passed = set(ran) - failed
    hits = {}
    for test, lines in ran.items():
        for one in lines:
            f, p = hits.get(one, (0, 0))
            hits[one] = (f + (test in failed), p + (test not in failed))

    def ochiai(f, p):
        return f / (len(failed) * (f + p)) ** .5

    def tarantula(f, p):
        return f / len(failed) / (f / len(failed) + p / max(1, len(passed)))

    result = []
    for score in ochiai, tarantula:
        if line not in hits:
            result.append(None)
            continue
        mine = score(*hits[line])
        more = sum(score(*h) > mine + 1e-12 for h in hits.values())
        same = sum(abs(score(*h) - mine) <= 1e-12 for h in hits.values())
        result.append(more + (same + 1) / 2)
    return result


def row_of(table, line):
    """Of the rows of --failing, which is the first that has the line, and how many lines stand in front."""
    before = 0
    for i, row in enumerate(table, 1):
        name, _, range_ = row["place"].rpartition(":")
        first, _, last = range_.partition("-")
        if row["what"] == "line" and name == line[0] and int(first) <= line[1] <= int(last or first):
            return i, before + line[1] - int(first) + 1
        before += int(last or first) - int(first) + 1 if row["what"] == "line" else 1
    return None, None


def one_program(name, count):
    p = Program(name)
    if any(p.compile(u) for u in p.units) or p.link():
        sys.exit("%s does not compile" % name)
    right = p.said()
    ran = set().union(*lines_by_test(p.report("--lcov"), p.at).values())
    draw = random.Random(20)
    choices = []
    for unit in p.faulty:
        for number, text in enumerate(open(p.at + "/" + unit, errors="surrogateescape"), 1):
            if (unit, number) in ran and not text.lstrip().startswith(("*", "/*", "#")):
                choices += [(unit, number, old, new) for old, new in CHANGES if re.search(old, text)]
    draw.shuffle(choices)
    found = []
    for unit, number, old, new in choices:
        if len(found) == count:
            break
        whole = open(p.at + "/" + unit, errors="surrogateescape").read()
        lines = whole.split("\n")
        lines[number - 1] = re.sub(old, new, lines[number - 1], count=1)
        open(p.at + "/" + unit, "w", errors="surrogateescape").write("\n".join(lines))
        if p.compile(unit) == 0 and p.link() == 0:
            now = p.said()
            failed = {t for t in now if now[t] != right[t]}
            if 0 < len(failed) <= len(now) / 2 and None not in now.values():
                csv_text = p.report("--csv", "--only", "failing", "--failing", ",".join(sorted(failed)))
                table = list(csv.DictReader(io.StringIO(csv_text[csv_text.find("ochiai,"):])))
                row, read = row_of(table, (unit, number))
                plain = places(lines_by_test(p.report("--lcov"), p.at), failed, (unit, number))
                found.append((row, read, *plain))
                print("    %s %s:%d: %s; %d of %d fail; row %s, line %s; Ochiai %s, Tarantula %s" % (
                    name, unit, number, lines[number - 1].strip()[:60], len(failed), len(now), row, read,
                    *plain), flush=True)
        open(p.at + "/" + unit, "w", errors="surrogateescape").write(whole)
        p.compile(unit)
    return found


all_of = []


def put(name, found):
    def first(k, most=5):
        return sum(1 for f in found if f[k] is not None and f[k] <= most)
    print("| %s | %d | %d | %d | %d | %d |" % (name, len(found), first(0), first(1), first(2), first(3)),
          flush=True)


for program, number in (words.split(":") for words in sources.split(",")):
    one = one_program(program, int(number))
    all_of += one
    put(program, one)
put("all", all_of)
sys.exit(0 if all_of else 1)
