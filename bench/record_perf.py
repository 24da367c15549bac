"""record_perf.py BURSTY NAME FILE PERF COMM - one row of bench/record_perf.sh and record_outside.sh: shares of
functions by `bursty record` (FILE, or another file of perf's) beside those of `perf record` (PERF). perf
knows few functions of stripped programs, so its addresses are looked up in the table of .eh_frame_hdr,
as bursty does. FAR=1 adds a column: shares that differ by more than twice both errors."""
import bisect
import json
import math
import os
import re
import struct
import subprocess
import sys

LEAST = 0.01  # of the time, by one of the two


def wilson(p, n):
    middle = (p + 2 / n) / (1 + 4 / n)
    half = 2 * math.sqrt(p * (1 - p) / n + 1 / (n * n)) / (1 + 4 / n)
    return middle - half, middle + half


class Module:
    """The functions of a file: starts, and names by start."""

    def __init__(self, path):
        self.base = os.path.basename(path)
        with open(path, "rb") as file:
            data = file.read()
        offset, size, count = struct.unpack_from("<Q14xHH", data, 32)
        kind = struct.unpack_from("<H", data, 16)[0]
        self.loads, self.starts, self.names = [], [], {}
        header = None
        for n in range(count):
            at = offset + n * size
            what, _, place, address, _, length = struct.unpack_from("<IIQQQQ", data, at)
            if what == 1:
                self.loads.append((place, place + length, address - place))
            if what == 0x6474E550:
                header = place, address
        assert kind in (2, 3)
        if header and data[header[0] + 1 : header[0] + 4] == b"\x1b\x03\x3b":
            entries = struct.unpack_from("<I", data, header[0] + 8)[0]
            for n in range(entries):
                self.starts.append(header[1] + struct.unpack_from("<i", data, header[0] + 12 + 8 * n)[0])
        sections = subprocess.run(["readelf", "-SnW", path], capture_output=True, text=True).stdout
        self.plt = [(int(a, 16), int(a, 16) + int(length, 16)) for a, length in
                    re.findall(r"\] \.plt\S* +PROGBITS +(\w+) \w+ (\w+)", sections)]
        build = re.search(r"Build ID: (\w\w)(\w+)", sections)
        debug = "/usr/lib/debug/.build-id/%s/%s.debug" % build.groups() if build else ""
        for option, source in (("-D", path), ("-a", path), ("-a", debug), ("-aC", path), ("-aC", debug)):
            lines = subprocess.run(["nm", option, source], capture_output=True, text=True).stdout
            for line in lines.splitlines():
                words = line.split(maxsplit=2)
                if len(words) == 3 and words[1] in "tTwWiIuU":
                    name = words[2] if "C" in option else words[2].split("@")[0]
                    self.names.setdefault(int(words[0], 16), set()).add(name)
        self.starts = sorted(set(self.starts) | set(self.names))    # assembly, Go's: not in that table

    def find(self, place):
        """The names that the function at a place of the file may have. None: it has no functions there,
        or a stub of the PLT, whose time is the caller's."""
        for low, high, add in self.loads:
            if low <= place < high:
                if any(a <= place + add < b for a, b in self.plt):
                    return None
                k = bisect.bisect_right(self.starts, place + add) - 1
                if k < 0:
                    break
                start = self.starts[k]
                return frozenset(self.names.get(start, set()) | {"%s+0x%x" % (self.base, start)})
        return None


def perf_samples(path, comm, kernel_apart):
    """How many samples each function has, and all of them."""
    script = subprocess.run(["perf", "script", "-i", path, "--comms", comm, "--no-inline", "-F", "ip,dso"],
                            capture_output=True, text=True).stdout
    modules, counts, total = {}, {}, 0
    for sample in re.split(r"\n\s*\n", script):
        frames = re.findall(r"^\s*([0-9a-f]+) \((.*)\)$", sample, re.M)       # the innermost first
        if any(os.path.basename(dso).startswith("bursty") for _, dso in frames):
            continue                    # the recorder is no part of the program
        names = None
        for address, dso in frames:
            if kernel_apart and dso.startswith("[kernel"):
                names = frozenset(["(kernel)"])
            elif dso.startswith("/"):
                if dso not in modules:
                    modules[dso] = Module(dso)
                names = modules[dso].find(int(address, 16))
            if names:
                total += 1
                counts[names] = counts.get(names, 0) + 1
                break
    return counts, total


def bursty_rows(bursty, file):
    """Share, its interval and ticks of each function. The kernel's are one row, as perf's are."""
    report = json.loads(subprocess.run([bursty, "report", "--json", "--min", "0", "--no-demangle", file],
                                       capture_output=True, check=True).stdout)
    table = report["ticks"]["tables"][0]
    rows = {}
    for k, function in enumerate(table["function"]):
        if table["self_share"][k] is not None:
            rows[function] = [table[c][k] for c in ("self_share", "self_low", "self_high", "self_ticks")]
    kernel = [f for f in rows if f.endswith("_[k]") or f in ("(kernel)", "(return to the program)")]
    if kernel:
        ticks_in = sum(rows.pop(f)[3] for f in kernel)
        ticks_all = ticks_in + sum(row[3] for row in rows.values())
        rows["(kernel)"] = [ticks_in / ticks_all, *wilson(ticks_in / ticks_all, ticks_all), ticks_in]
    return rows


def perf_rows(file, comm):
    counts, total = perf_samples(file, comm, True)
    return {"+".join(sorted(names)): [count / total, *wilson(count / total, total), count]
            for names, count in counts.items()}


def main():
    bursty, name, file, perf, comm = sys.argv[1:]
    other = file.endswith(".perf")
    rows = perf_rows(file, comm) if other else bursty_rows(bursty, file)
    all_ticks = sum(row[3] for row in rows.values())
    counts, total = perf_samples(perf, comm, other or "(kernel)" in rows)
    shares = {}
    for names, count in counts.items():
        mine = [n for n in names if n in rows]
        key = mine[0] if mine and not other else "+".join(sorted(names))
        shares[key] = shares.get(key, 0) + count / total
    inside = agree = far = seen = 0
    missed = []
    for function in set(rows) | set(shares):
        low, high = wilson(0, all_ticks)
        row = rows.get(function, [0, low, high, 0])
        p = shares.get(function, 0)
        if max(row[0], p) < LEAST:
            continue
        seen += 1
        a, b = wilson(p, total)
        inside += row[1] <= p <= row[2]
        off = abs(p - row[0]) / math.hypot((row[2] - row[1]) / 2, (b - a) / 2)
        fits = off <= 1
        agree += fits
        far += off > 2
        if not fits:
            missed.append("%s %.1f (%.1f to %.1f), perf %.1f" % (function, 100 * row[0], 100 * row[1], 100 * row[2], 100 * p))
    largest = sorted(rows, key=lambda f: -rows[f][0])[:3]
    words = ["%s %.1f (%.1f to %.1f), %.1f" % (f, *(100 * x for x in rows[f][:3]), 100 * shares.get(f, 0))
             for f in largest]
    row = [name, all_ticks, total, "%d of %d" % (inside, seen), agree] + ([far] if "FAR" in os.environ else [])
    print("| %s | %s |" % (" | ".join(map(str, row)), "; ".join(words)), flush=True)
    for line in missed:
        print("differs: " + line, file=sys.stderr)


main()
