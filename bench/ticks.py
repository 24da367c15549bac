"""ticks.py OUT BURSTY [short|overhead] - the tables of bench/ticks.sh: shares by ticks, by a native sampler
and by callgrind's instructions; and the cost of ticks. ticks.sh has built the programs in OUT."""
import bisect
import json
import math
import os
import re
import resource
import statistics
import struct
import subprocess
import sys
import time

out, bursty = sys.argv[1], os.path.abspath(sys.argv[2])
part = sys.argv[3] if len(sys.argv) > 3 else ""
short = part == "short"
FRAMES = 200  # as in ticks_sampler.c

# Name, command for ticks and sampler, command for callgrind, environment that turns ticks on.
PROGRAMS = [
    ("40:60", ["forty", "60000"], ["forty", "100"], {}),
    ("demo/index", ["index", "-n", "600"], ["index", "-n", "8"], {"INDEX_TICKS": "1"}),
    ("Lua, work.lua", ["lua/lua", "@work.lua", "120"], ["lua/lua", "@work.lua", "1"], {}),
    ("C++, 4 threads", ["threads", "4000"], ["threads", "20"], {}),
]


def run(command, env, prefix=()):
    """Runs it; returns its user and system seconds."""
    words = [os.path.join(out, command[0])]
    for word in command[1:]:
        words.append("bench/real/" + word[1:] if word[0] == "@" else word)
    if command[0] == "index":
        words.append(".")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        list(prefix) + words, env=dict(os.environ, **env), stdout=subprocess.DEVNULL, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def wilson(p, n):
    if not n:
        return 0.0, 1.0
    middle = (p + 2 / n) / (1 + 4 / n)
    half = 2 * math.sqrt(p * (1 - p) / n + 1 / (n * n)) / (1 + 4 / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def plain_name(name):
    """A function's own name: no parameters, namespaces, clones."""
    name = re.sub(r"\(.*|\.(constprop|part|isra|cold).*", "", name)
    name = re.sub(r"'\d+$", "", name)
    return name.strip()


def symbols(path):
    lines = subprocess.run(["nm", "-C", path], capture_output=True, text=True, check=True).stdout
    table = []
    for line in lines.splitlines():
        parts = line.split(" ", 2)
        if len(parts) == 3 and parts[0] and parts[1] in "tTwWuiI":
            table.append((int(parts[0], 16), plain_name(parts[2])))
    table.sort()
    size = subprocess.run(["size", "-A", "-x", path], capture_output=True, text=True).stdout
    text = re.search(r"^\.text +(0x\w+) +(0x\w+)", size, re.M)
    start = int(text.group(2), 16)
    return table, start, start + int(text.group(1), 16)


def sampled(path, samples, timed):
    """Self and total samples of the functions that have a scope; all samples."""
    table, start, end = symbols(path)
    starts = [address for address, _ in table]
    own, total, count = {}, {}, 0
    with open(samples, "rb") as file:
        data = file.read()
    words = struct.unpack("<%dQ" % (len(data) // 8), data)
    for at in range(0, len(words) - FRAMES, 1 + FRAMES):
        if not words[at]:
            continue
        # The interrupted instruction, and return addresses, which may be those behind a function.
        stack = words[at + 1 : at + 1 + words[at]]
        stack = [address - (k > 0) for k, address in enumerate(stack)]
        stack = [table[bisect.bisect_right(starts, a) - 1][1] for a in stack if start <= a < end]
        known = [name for name in stack if name in timed]
        count += 1
        if known:
            own[known[0]] = own.get(known[0], 0) + 1
        for name in set(known):
            total[name] = total.get(name, 0) + 1
    return own, total, count


def callgrind(command, env, timed):
    """Shares of instructions: a function without a scope counts for its callers, in proportion."""
    file = os.path.join(out, "callgrind.out")
    run(command, env, ["valgrind", "-q", "--tool=callgrind", "--compress-strings=no",
                       "--compress-pos=no", "--callgrind-out-file=" + file])
    own, edges, current, callee, called = {}, {}, None, None, False
    with open(file, errors="replace") as lines:
        for line in lines:
            if line.startswith("fn="):
                current = plain_name(line[3:].strip())
            elif line.startswith("cfn="):
                callee = plain_name(line[4:].strip())
            elif line.startswith("calls="):
                called = True
            elif current and re.match(r"^(0x)?[0-9+*-]", line):
                cost = int(line.split()[1])
                if called:
                    edges[current, callee] = edges.get((current, callee), 0) + cost
                    called = False
                else:
                    own[current] = own.get(current, 0) + cost
    whole = sum(own.values())
    inclusive = dict(own)
    for (caller, called_name), cost in edges.items():
        if caller != called_name:
            inclusive[caller] = inclusive.get(caller, 0) + cost
    share_in_timed = {}  # of an untimed function's inclusive cost, what timed functions below take

    def below(name, seen=()):
        if name in share_in_timed:
            return share_in_timed[name]
        if name in seen:
            return 0.0
        taken = 0.0
        for (caller, other), cost in edges.items():
            if caller == name and other != name:
                taken += cost if other in timed else cost * below(other, seen + (name,))
        share_in_timed[name] = min(1.0, taken / inclusive[name]) if inclusive.get(name) else 0.0
        return share_in_timed[name]

    result = {}
    for name in timed:
        mine = own.get(name, 0)
        for (caller, other), cost in edges.items():
            if caller == name and other not in timed:
                mine += cost * (1 - below(other))
        recursive = any(a == name and b == name for a, b in edges)
        result[name] = mine / whole, None if recursive else min(1, inclusive.get(name, 0) / whole)
    return result


def ticks_of(command, env):
    dump = os.path.join(out, "ticks.brst")
    run(command, dict(env, TICKS_DUMP=dump, INDEX_DUMP=dump))
    report = json.loads(
        subprocess.run([bursty, "report", "--json", dump], capture_output=True, check=True).stdout
    )
    table = report["ticks"]["tables"][0]
    rows = {}
    for k, name in enumerate(table["function"]):
        if table["self_share"][k] is None or name.startswith("("):
            continue
        rows[name] = {key: table[key][k] for key in table if isinstance(table[key], list)}
    return rows, report["ticks"]["trees"][0]["effective"]


def percent(p):
    return "" if p is None else "%.1f" % (100 * p)


def compare(label, command, small, env):
    if short:
        command = command[:-1] + [str(max(1, int(command[-1]) // 10))]
    rows, effective = ticks_of(command, env)
    samples = os.path.join(out, "samples")
    off = dict(env, TICKS="off", PC_SAMPLES=samples, LD_PRELOAD=os.path.join(out, "sampler.so"))
    off.pop("INDEX_TICKS", None)
    if "INDEX_TICKS" in env:
        off["INDEX_HOT"] = "990:10"
    run(command, off)
    own, total, count = sampled(os.path.join(out, command[0]), samples, rows)
    instructions = callgrind(small, dict(env, TICKS="off"), rows)
    seen = {"sampler": [0, 0], "callgrind": [0, 0]}
    lines = []
    order = sorted(rows, key=lambda name: -rows[name]["self_share"])
    for name in order:
        row = rows[name]
        for kind in ("self", "total"):
            low, high = row[kind + "_low"], row[kind + "_high"]
            p = (own if kind == "self" else total).get(name, 0) / count
            if max(row[kind + "_share"], p) >= 0.01:
                # Both are samples: do they differ by more than both errors?
                a, b = wilson(p, count)
                error = math.hypot((high - low) / 2, (b - a) / 2)
                seen["sampler"][1] += 1
                seen["sampler"][0] += abs(p - row[kind + "_share"]) <= error
            exact = instructions[name][kind == "total"]
            if exact is not None and max(row[kind + "_share"], exact) >= 0.01:
                seen["callgrind"][1] += 1
                seen["callgrind"][0] += low <= exact <= high
        if len(lines) < 8 and max(row["self_share"], row["total_share"]) >= 0.01:
            exact = instructions[name]
            lines.append(
                "| %s | %s | %s (%s to %s) | %s | %s | %s (%s to %s) | %s | %s |"
                % (label, name, percent(row["self_share"]), percent(row["self_low"]),
                   percent(row["self_high"]), percent(own.get(name, 0) / count), percent(exact[0]),
                   percent(row["total_share"]), percent(row["total_low"]),
                   percent(row["total_high"]), percent(total.get(name, 0) / count),
                   percent(exact[1])))
    print("\n".join(lines), flush=True)
    return "| %s | %.0f | %d | %d of %d | %d of %d |" % (
        label, effective, count, *seen["sampler"], *seen["callgrind"])


def trimmed(values):
    """The mean without the lowest and the highest fifth, and its standard error."""
    values = sorted(values)
    n = len(values)
    cut = n // 5
    inner = values[cut : n - cut]
    pulled = [inner[0]] * cut + inner + [inner[-1]] * cut
    error = statistics.stdev(pulled) / (len(inner) / n * math.sqrt(n))
    return statistics.mean(inner), error


def handler_instructions():
    """Executed instructions of a tick's handler, and of the program for each of its frames."""
    file, frames = os.path.join(out, "callgrind.out"), 800
    command = ["valgrind", "-q", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no",
               "--callgrind-out-file=" + file, os.path.join(out, "overhead"), "0", str(frames)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    current, callee, called, cost, work, handled = "", "", False, 0, 0, 0
    with open(file, errors="replace") as lines:
        for line in lines:
            if line.startswith("fn="):
                current = line[3:].strip()
            elif line.startswith("cfn="):
                callee = line[4:].strip()
            elif line.startswith("calls="):
                called = True
                if current == "bursty_p_tick_handle" and callee == "bursty_p_tick_charge":
                    handled += int(line[6:].split()[0])
            elif re.match(r"^(0x)?[0-9+*-]", line):
                if current == "bursty_p_tick_handle":
                    cost += int(line.split()[1])
                elif current in ("forty", "sixty", "frame") and not called:
                    work += int(line.split()[1])
                called = False
    return cost / max(handled, 1), work / (3 * (frames + 1)), handled


def overhead(seconds, frames):
    """The rounds of ticks_overhead.c: what differs between runs of one round."""
    print("counting the handler's instructions", file=sys.stderr, flush=True)
    handler, work, counted = handler_instructions()
    command = [os.path.join(out, "overhead"), str(seconds), str(frames)]
    rounds, start, said = [], time.monotonic(), 0
    environment = {name: os.environ[name] for name in os.environ if name != "TICKS"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as program:
        for line in program.stdout:
            rounds.append([int(word) for word in line.split()])
            if time.monotonic() - start - said >= 10:
                said = time.monotonic() - start
                print("%.0f of %d s, %d rounds" % (said, seconds, len(rounds)), file=sys.stderr,
                      flush=True)
    if program.returncode or len(rounds) < 5:
        sys.exit("ticks.py: ticks_overhead ended with %d after %d rounds"
                 % (program.returncode, len(rounds)))
    again = [math.log(r[1] / r[0]) for r in rounds]
    ticking = [math.log(r[2]) - (math.log(r[0]) + math.log(r[1])) / 2 for r in rounds]
    print("| CPU time, against a run without ticks | rounds | difference | 95 % interval |\n"
          "|---|--:|--:|--:|")
    for name, values in (("without ticks again", again), ("with ticks", ticking)):
        mean, error = trimmed(values)
        print("| %s | %d | %+.2f %% | %+.2f to %+.2f %% |"
              % (name, len(values), 100 * mean, 100 * (mean - 1.96 * error),
                 100 * (mean + 1.96 * error)))
    ns = statistics.median(r[0] for r in rounds)
    rate = sum(r[3] for r in rounds) / sum(r[2] for r in rounds) * 1e9
    mean, error = trimmed(ticking)
    print("\n%.0f ticks in a second of CPU time; one takes %.1f us (%.1f to %.1f), most of it the "
          "kernel's. Its handler executes %.0f instructions (mean of %d ticks), %.3f %% of what the "
          "program executes."
          % (rate, mean / rate * 1e6, (mean - 1.96 * error) / rate * 1e6,
             (mean + 1.96 * error) / rate * 1e6, handler, counted,
             100 * handler * rate / (work * frames / (ns * 1e-9))))


if part == "overhead":
    overhead(150, 500)
    sys.exit(0)
print("| program | function | self %, by ticks | sampler | callgrind | total %, by ticks | sampler | "
      "callgrind |\n|---|---|--:|--:|--:|--:|--:|--:|")
summary = [compare(*program) for program in PROGRAMS]
print("\n| program | ticks | samples | agree with the sampler | callgrind's is in the interval |\n"
      "|---|--:|--:|--:|--:|")
print("\n".join(summary) + "\n", flush=True)
overhead(5 if short else 60, 500)
