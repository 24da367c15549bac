"""cc_tests.py PROGRAM WHAT BUILD OWN EXPLAINED PAGE - in the folder that cc_tests.sh made for a program:
OWN.info, the LCOV of `bursty report`, beside gcov.json, what gcov says of each object, one JSON a
line. Prints one row of a table, which begins with WHAT, and puts it into PAGE, in the place of the
row of that program. Lines and functions that one has as run and the other has not go to run-or-not,
and so do functions that one alone knows (gcov knows no always_inline function that nobody calls
otherwise, and none that gcc drops). With a BUILD the row has that word, too, and branches in the
place of sizes: a line that has as many branches for both, of which they have not taken as many, goes
to run-or-not as "PLACE:branches". The status is 1 if one of them is not in EXPLAINED, whose lines are
"PROGRAM PLACE REASON"."""
import json
import os
import sys

LONGEST = 1000  # characters of a name; bursty keeps a longer one mangled
program, what, build, own, explained_path, page = sys.argv[1:7]
here = os.getcwd()


def place(name, root, folder=""):
    """The name of a source below the program's folder, or None if it is elsewhere."""
    whole = os.path.realpath(os.path.join(folder, name))
    root = os.path.realpath(root) + "/"
    return whole[len(root):] if whole.startswith(root) else None


def ways_of(branches):
    """Without the way of an exception out of a call, and the other way of that call."""
    ways = []
    for way in branches:
        if not way["throw"]:
            ways.append(way)
        elif ways and ways[-1]["fallthrough"]:
            ways.pop()
    return [way["count"] for way in ways]


def of_gcov():
    lines, functions, objects = {}, {}, {}
    for text in open("gcov.json", errors="replace"):
        data = json.loads(text)
        for f in data["files"]:
            name = place(f["file"], "gcov", data["current_working_directory"])
            if name is None:
                continue
            for line in f["lines"]:
                at = name, line["line_number"]
                lines[at] = max(lines.get(at, 0), line["count"])
                ways = ways_of(line["branches"])
                known = objects.setdefault(at, {}).setdefault(line.get("function_name"), {})
                if ways:
                    known[len(ways)] = [a or b for a, b in zip(ways, known.get(len(ways), ways))]
            for one in f["functions"]:
                at = name, one["demangled_name"]
                functions[at] = max(functions.get(at, 0), one["execution_count"])
    branches = {}
    for at, of_functions in objects.items():
        known = [ways for ways in of_functions.values() if ways]
        if known and all(len(ways) == 1 for ways in known):
            branches[at] = [way for ways in known for way in next(iter(ways.values()))]
    return lines, functions, branches


def of_bursty():
    lines, functions, branches, name = {}, {}, {}, None
    for text in open(own + ".info", errors="replace"):
        kind, _, rest = text.rstrip("\n").partition(":")
        if kind == "SF":
            name = place(rest, own)
        elif name and kind == "DA":
            number, count = rest.split(",")[:2]
            lines[name, int(number)] = int(count)
        elif name and kind == "FNDA":
            count, function = rest.split(",", 1)
            functions[name, function] = max(functions.get((name, function), 0), int(count))
        elif name and kind == "BRDA":
            number, _, _, count = rest.split(",")
            branches.setdefault((name, int(number)), []).append(int(count.replace("-", "0")))
    return lines, functions, branches


def size_of(folder, endings):
    total = 0
    for at, _, names in os.walk(folder):
        total += sum(os.path.getsize(os.path.join(at, n)) for n in names if n.endswith(endings))
    return total


gcov_lines, gcov_functions, gcov_branches = of_gcov()
own_lines, own_functions, own_branches = of_bursty()
explained = set()
if os.path.exists(explained_path):
    for text in open(explained_path):
        words = text.split()
        if len(words) > 2 and words[0] == program:
            explained.add(words[1])
known = sorted(set(gcov_lines) & set(own_lines))
called = sorted(set(gcov_functions) & set(own_functions))
other = [at for at in known if gcov_lines[at] != own_lines[at]]
differs = [at for at in other if not gcov_lines[at] or not own_lines[at]]
not_called = [at for at in called if (gcov_functions[at] == 0) != (own_functions[at] == 0)]
branchy = sorted(set(gcov_branches) & set(own_branches))
other_number = [at for at in branchy if len(gcov_branches[at]) != len(own_branches[at])]
not_taken = [at for at in branchy if at not in set(other_number) and
             sum(map(bool, gcov_branches[at])) != sum(map(bool, own_branches[at]))]
unknown = []
with open("run-or-not", "w") as out, open("another-count", "w") as counts:
    for at in other:
        print("%s:%d gcov %d, bursty %d" % (*at, gcov_lines[at], own_lines[at]), file=counts)
    for at in differs + not_called:
        a, b = (gcov_lines, own_lines) if at in gcov_lines else (gcov_functions, own_functions)
        text = "%s:%s" % at
        print("%s gcov %d, bursty %d" % (text, a[at], b[at]), file=out)
        if text not in explained:
            unknown.append("%s %s: gcov %d, bursty %d" % (program, text, a[at], b[at]))
    for at in not_taken if build else []:
        text = "%s:%d:branches" % at
        words = "gcov %s, bursty %s" % (gcov_branches[at], own_branches[at])
        print(text, words, file=out)
        if text not in explained:
            unknown.append("%s %s: %s" % (program, text, words))
    for who, one, other_one in (
            ("gcov", gcov_functions, own_functions), ("bursty", own_functions, gcov_functions)):
        for at in sorted(set(one) - set(other_one)):
            text = "%s:%s" % at
            print("only %s knows the function %s: %d" % (who, text, one[at]), file=out)
            if one[at] and who == "gcov" and text not in explained and len(at[1]) <= LONGEST:
                unknown.append("%s %s: only %s knows it" % (program, text, who))
if build:
    what = "%s, %s" % (what, build)
    row = "| %s | %d | %d | %d | %d | %d | %d | %d | %d |" % (
        what, len(known), len(other), len(differs), len(called), len(not_called),
        len(branchy), len(other_number), len(not_taken))
else:
    row = "| %s | %d | %d | %d | %d | %d | %.1f kB | %.1f + %.1f kB |" % (
        what, len(known), len(other), len(differs), len(called), len(not_called),
        os.path.getsize(own + ".brst") / 1000,
        size_of("gcov", ".gcno") / 1000, size_of("gcov", ".gcda") / 1000)
print(row)
first = "| %s " % what.split()[0]
rows = open(page).read().splitlines()
for i, text in enumerate(rows):
    if text.startswith(first) and build in text and text.count("|") == row.count("|"):
        rows[i] = row
open(page, "w").write("\n".join(rows) + "\n")
for text in unknown:
    print("    not explained: " + text)
sys.exit(1 if unknown or not known else 0)
