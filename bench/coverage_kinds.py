# coverage_kinds.py KIND PROGRAM { TRUTH REPORT }... - how often intervals hold what a program of
# bench/coverage_kinds.c says of itself. TRUTH has rows "table,name,share,count"; of a difference
# the two truths are joined by "+", the older one first. REPORT is `bursty report --csv --min 0`.
# Prints a row of the table of bench/coverage_kinds.sh: the part of rows with both bounds that hold
# the truth, how wide they are beside four standard deviations of the errors (the median over
# rows), and the part of upper bounds alone that hold.
import csv
import sys
from collections import defaultdict

# table of the report, its columns of a name, its value and bounds, table of the truth, is it a count
CALLED = 'functions: functions: calls'
COUNT = ('estimated', 'estimated_low', 'estimated_high')
SHARE = ('share', 'share_low', 'share_high')
KINDS = {
    'functions': (CALLED, 'function', *SHARE, 'functions', 0),
    'counts': (CALLED, 'function', *COUNT, 'functions', 1),
    'trips': ('functions: functions: loop trips', 'function', *SHARE, 'trips', 0),
    'pairs': ('pairs: callers and callees: calls', 'caller>function', *SHARE, 'pairs', 0),
    'contexts': ('contexts: ', 'context', *SHARE, 'contexts', 0),
    'time': ('time: ', 'function', 'self_share', 'self_low', 'self_high', 'time', 0),
    'scopes': ('time: ', 'function', 'total_share', 'total_low', 'total_high', 'scopes', 0),
    'kernel': ('time: ', 'function', 'total_share', 'total_low', 'total_high', 'kernel', 0),
    'lines': ('lines: ', 'place', *SHARE, 'lines', 0),
    'running': ('waiting: ', 'function', 'run_share', 'run_low', 'run_high', 'runs', 0),
    'waiting': ('waiting: ', 'function', 'wait_share', 'wait_low', 'wait_high', 'waits', 0),
    'footprints': ('windows: ', 'window_accesses', 'average', 'average_low', 'average_high', 'windows', 0),
    'cache misses': ('misses: ', 'cache_bytes', 'miss_ratio', 'miss_low', 'miss_high', 'misses', 0),
    'differences': ('call_changes: ', 'function', 'change', 'change_low', 'change_high', 'functions', 1),
}


def truth_of(path, table, is_count):
    return {row[1]: float(row[3 if is_count else 2])
            for row in csv.reader(open(path, newline='')) if row[0] == table}


def rows_of(path, heading, key, names):
    columns = here = None
    for row in csv.reader(open(path, newline='')):
        if row and row[0].startswith('# '):
            here, columns = ','.join(row)[2:].startswith(heading), None
        elif row and here and columns is None:
            columns = row
        elif row and here:
            cell = dict(zip(columns, row))
            yield '>'.join(cell[k] for k in key.split('>')), *[float(cell[n]) if cell.get(n) else None for n in names]


def main():
    kind, program, *files = sys.argv[1:]
    heading, key, value, low_name, high_name, table, is_count = KINDS[kind]
    both = held = alone = below = none = 0
    errors, widths = defaultdict(list), defaultdict(list)
    for truth_path, report in zip(files[::2], files[1::2]):
        parts = [truth_of(p, table, is_count) for p in truth_path.split('+')]
        truth = {name: parts[-1][name] - (parts[0][name] if len(parts) > 1 else 0) for name in parts[-1]}
        rows = list(rows_of(report, heading, key, (value, low_name, high_name)))
        if kind == 'lines': # of the time outside of the kernel, whose part the program does not know
            known = sum(row[1] for row in rows if row[0] in truth)
            truth = {name: true * known for name, true in truth.items()}
        for name, middle, low, high in rows:
            true = truth.get(name)
            if true is None or middle is None:
                continue
            if high is None:
                none += 1
            elif low is None:
                alone += 1
                below += true <= high
            else:
                both += 1
                held += low <= true <= high
                errors[name].append(middle - true)
                widths[name].append(high - low)
    ratios = []
    for name, some in errors.items():
        spread = (sum(e * e for e in some) / len(some)) ** .5
        if len(some) > 4 and spread > 0:
            ratios.append(sum(widths[name]) / len(some) / (4 * spread))
    ratios.sort()
    print('| %s | %s | %s | %s | %s | %s |' % (
        kind, program, '%.1f %% of %d' % (100 * held / both, both) if both else '',
        '%.2f' % ratios[len(ratios) // 2] if ratios else '',
        '%.1f %% of %d' % (100 * below / alone, alone) if alone else '', none or ''))


main()
