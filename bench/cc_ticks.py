"""cc_ticks.py PROGRAM PERF REPORT - see cc_ticks.sh."""
import json
import re
import sys

PROGRAM = sys.argv[1]
perf = {}
for line in open(sys.argv[2]):
    row = re.match(r'\s+([0-9.]+)%\s+(\S+)\s+\[\.\]\s+(\S+)', line)
    if row and row[2] == PROGRAM and not row[3].startswith('bursty_'):
        name = row[3].split('.')[0]
        perf[name] = perf.get(name, 0) + float(row[1])
whole = sum(perf.values())
table = json.load(open(sys.argv[3]))['ticks']['tables'][0]
ours = dict(zip(table['function'], zip(table['self_share'], table['self_low'], table['self_high'])))
for name, samples in sorted(perf.items(), key=lambda row: -row[1]):
    share = 100 * samples / whole
    if share < 2:
        break
    mean, low, high = (100 * x for x in ours.get(name, (0, 0, 0)))
    print('| %s | %s | %.1f | %.1f | %.1f to %.1f | %s |'
          % (PROGRAM, name, share, mean, low, high, 'yes' if low <= share <= high else 'no'))
