"""instrument.py OUT BURSTY [short] - the tables of bench/instrument.sh, which has built the
programs in OUT."""
import bisect
import json
import math
import os
import random
import re
import resource
import statistics
import struct
import subprocess
import sys

out, bursty = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
short = len(sys.argv) > 3
TOP, FRAMES = 256, 200  # as in ticks_sampler.c
SAMPLE = 2 + TOP + FRAMES
DUMP = os.path.join(out, "hcct.brst")
PROGRAM = """{ n[$1]++
    for (i = 1; i <= NF; i++) { s += length($i); if ($i ~ /w1.*2/) m++; sub(/w2/, "x", $i) }
    t = t + length($0)
} END { print s, m, t }"""
MODES = [  # name, program, environment
    ("no hooks", "mawk-plain", {}),
    ("hooks that do nothing", "mawk-empty", {}),
    ("ticks", "mawk-record", {"TICKS": "100"}),
    ("bursts, one call in 10 000", "mawk-record", {"EVERY": "10000"}),
    ("both", "mawk-record", {"TICKS": "100", "EVERY": "10000"}),
    ("every call", "mawk-record", {}),
]


def text(lines):
    """A file of so many lines of words, the same ones each time."""
    path = os.path.join(out, "text%d" % lines)
    draw = random.Random(3)
    with open(path, "w") as file:
        for _ in range(lines):
            words = ["w%d" % (draw.random() * draw.random() * 3000)
                     for _ in range(3 + int(draw.random() * 9))]
            file.write(" ".join(words) + "\n")
    return path


def run(command, settings, env=(), prefix=()):
    """Runs it; returns its user seconds and what it wrote to stderr."""
    variables = {"BURSTY_CONTEXTS_" + name: value for name, value in settings.items()}
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        list(prefix) + [os.path.join(out, command[0])] + command[1:], check=True,
        env=dict(os.environ, BURSTY_CONTEXTS=DUMP, **variables, **dict(env)),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, done.stderr


def instructions(program, settings, path):
    if "TICKS" in settings:  # the timer counts valgrind's time: hooks alone, without ticks
        settings = dict(settings, TICKS="1")
    prefix = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    errors = run([program, PROGRAM, path], settings, (), prefix)[1]
    return int(re.search(r"Collected : (\d+)", errors).group(1))


def cost():
    small, large = text(1000), text(3000)
    counts = [instructions(p, s, large) - instructions(p, s, small) for _, p, s in MODES]
    big, rounds = text(60000 if short else 300000), 3 if short else 9
    ratios = [[] for _ in MODES]
    for _ in range(rounds):
        times = [run([p, PROGRAM, big], s)[0] for _, p, s in MODES]
        for k, seconds in enumerate(times):
            ratios[k].append(seconds / times[0])
    print("| mawk | instructions | time |\n|---|--:|--:|")
    for k, (name, _, _) in enumerate(MODES):
        print("| %s | %.2f | %.2f |" % (name, counts[k] / counts[0],
                                        statistics.median(ratios[k])), flush=True)


def symbols(path):
    lines = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    table = []
    for line in lines.splitlines():
        parts = line.split()
        if len(parts) == 3 and parts[1] in "tTwW" and not parts[2].startswith("__st"):
            table.append((int(parts[0], 16), re.sub(r"\.(part|cold|constprop).*", "", parts[2])))
    table.sort()
    return table


def sections_of(path):
    """Code: start, end, bytes of each section but the table of jumps to libraries."""
    found = []
    lines = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout
    with open(path, "rb") as file:
        for m in re.finditer(r"(\.text|recorder_hooks) +PROGBITS +(\w+) (\w+) (\w+)", lines):
            start, at, size = (int(m.group(k), 16) for k in (2, 3, 4))
            file.seek(at)
            found.append((start, start + size, file.read(size)))
    return found


def sampled(path, samples, own_functions):
    """Samples of each function. Code of a library counts for who called it, and the recorder's
    for nobody."""
    table, sections = symbols(path), sections_of(path)
    starts = [address for address, _ in table]

    def symbol(address):
        for start, end, _ in sections:
            if start <= address < end:
                return table[bisect.bisect_right(starts, address) - 1][1]
        return None

    def calls_library(address):
        """Whether a call that leaves this code stands before a return address."""
        for start, end, code in sections:
            if start + 7 <= address < end:
                at = address - start
                if code[at - 5] == 0xE8:
                    target = address + struct.unpack("<i", code[at - 4 : at])[0]
                    return symbol(target) is None
                return any(code[at - n] == 0xFF and code[at - n + 1] & 0x38 == 0x10
                           for n in (2, 3, 6, 7))
        return False

    with open(samples, "rb") as file:
        data = file.read()
    words = struct.unpack("<%dQ" % (len(data) // 8), data)
    own, count = {}, 0
    for at in range(0, len(words) - SAMPLE + 1, SAMPLE):
        if not words[at]:
            continue
        name = symbol(words[at])
        if name is None:
            callers = (symbol(a - 1) for a in words[at + 1 : at + 1 + TOP] if calls_library(a))
            name = next(callers, None)
        if name in own_functions:
            own[name] = own.get(name, 0) + 1
            count += 1
    return own, count


def wilson(p, n):
    middle = (p + 2 / n) / (1 + 4 / n)
    half = 2 * math.sqrt(p * (1 - p) / n + 1 / (n * n)) / (1 + 4 / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def shares(label, command, rows):
    """Self shares of functions, without the recorder's own time, by ticks and by the sampler."""
    run(command, {"TICKS": "250"})
    shown = subprocess.run([bursty, "report", "--json", "--min", "0", DUMP], capture_output=True,
                           check=True).stdout
    ticks = json.loads(shown)["ticks"]
    table, effective = ticks["tables"][0], ticks["trees"][0]["effective"]
    by_ticks = {n: table["self_share"][k] for k, n in enumerate(table["function"])}
    recording = [t["share"][0] for t in ticks["tables"] if t["key"] == "recorder_time"]
    recorder = {name for file in os.listdir(os.path.join(out, "record"))
                for _, name in symbols(os.path.join(out, "record", file))}
    path = os.path.join(out, command[0])
    functions = {name for _, name in symbols(path)} - recorder
    samples = os.path.join(out, "samples")
    run(command, {"TICKS": "1"},
        {"PC_SAMPLES": samples, "LD_PRELOAD": os.path.join(out, "sampler.so")})
    own, count = sampled(path, samples, functions)
    agree = compared = 0
    for name in sorted(set(by_ticks) | set(own), key=lambda name: -own.get(name, 0)):
        a, b = by_ticks.get(name, 0), own.get(name, 0) / count
        if max(a, b) < 0.01:
            continue
        low, high = wilson(a, effective)
        other = wilson(b, count)
        compared += 1
        agree += abs(a - b) <= math.hypot((high - low) / 2, (other[1] - other[0]) / 2)
        if compared <= rows:
            print("| %s | %s | %.1f (%.1f to %.1f) | %.1f (%.1f to %.1f) |"
                  % (label, name, 100 * a, 100 * low, 100 * high, 100 * b, 100 * other[0],
                     100 * other[1]), flush=True)
    return ("%s: %.0f ticks, beside which %.0f %% of all were the recorder's, and %d samples; %d of "
            "%d shares of 1 %% and more agree." % (label, effective, 100 * sum(recording), count,
                                                   agree, compared))


cost()
print("\n| program | function | self %, by ticks | by the sampler |\n|---|---|--:|--:|")
times = 1 if short else 8
notes = [
    shares("mawk", ["mawk-shares", PROGRAM] + [text(300000)] * times, 8),
    shares("demo/index", ["index-shares", "-n", str(60 * times), "."], 6),
]
print("\n" + "\n".join(notes))
