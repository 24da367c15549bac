# coverage_table.py KIND TITLE { -- PROGRAM TRUTH SAMPLE... } - reads tables of `bursty report --csv
# --min 0`: those of a run in which all was seen, and those of sampled runs. Where TRUTH is "-" a row's
# truth is its mean over all samples. Prints one row of bench/coverage_table.sh over all programs: the
# part of rows with both bounds that hold the truth, the program with the least such part, how wide the
# intervals are beside four standard deviations of the estimates (the median over rows that half of a
# program's samples show), and the part of upper bounds that stand alone and hold.
import csv
import sys
from collections import defaultdict

# table, columns that name a row, the share and its bounds
KINDS = {
    'functions': [('functions', ('function', 'place'), 'share', 'share_low', 'share_high')],
    'counts': [('functions', ('function', 'place'), 'estimated', 'estimated_low', 'estimated_high')],
    'pairs': [('pairs', ('caller', 'function'), 'share', 'share_low', 'share_high')],
    'contexts': [('contexts', ('context',), 'share', 'share_low', 'share_high')],
    'contexts by function': [('context_functions', ('function',), 'share', 'share_low', 'share_high')],
    'with callees': [('context_functions', ('function',), 'total_share', 'total_low', 'total_high')],
    'contexts by pair': [('context_pairs', ('caller', 'callee'), 'share', 'share_low', 'share_high')],
    'time': [('time', ('function', 'place'), 'self_share', 'self_low', 'self_high')],
    'time with callees': [('time', ('function', 'place'), 'total_share', 'total_low', 'total_high')],
    'stacks of time': [('stack_time', ('stack',), 'share', 'share_low', 'share_high')],
    'callers of time': [('pair_time', ('caller', 'callee'), 'share', 'share_low', 'share_high')],
    'misses by function': [('miss_functions', ('name',), 'share', 'share_low', 'share_high')],
    'misses by object': [('miss_objects', ('name',), 'share', 'share_low', 'share_high')],
}


def rows_of(path, kind):
    """(table and names, share, low or None, high or None) of each row."""
    wanted = {entry[0]: entry for entry in KINDS[kind]}
    table = columns = heading = None
    for row in csv.reader(open(path, newline='')):
        if row and row[0].startswith('# '):
            heading, columns = ','.join(row)[2:], None
            table = heading.split(':')[0]
        elif not row or table not in wanted:
            continue
        elif columns is None:
            columns = row
        else:
            _, names, share, low, high = wanted[table]
            cell = dict(zip(columns, row))
            if not cell.get(share):
                continue
            # A table for each cache, and for calls and loop trips: the heading tells them apart.
            key = (heading,) + tuple(cell.get(name, '') for name in names)
            bounds = [float(cell[b]) if cell.get(b) else None for b in (low, high)]
            yield key, float(cell[share]), bounds[0], bounds[1]


class Held:
    """How many rows hold the truth, of those with both bounds and of upper bounds alone."""

    def __init__(self):
        self.both = self.held = self.alone = self.below = self.bare = 0

    def take(self, low, high, true):
        slack = 1e-8 * (1 + true)
        if high is None:
            self.bare += 1
        elif low is None:
            self.alone += 1
            self.below += true <= high + slack
        else:
            self.both += 1
            self.held += low - slack <= true <= high + slack

    def part(self):
        return self.held / self.both if self.both else 1


def measure(kind, whole, samples, total, ratios):
    """Adds a program to the total and to the ratios of widths; returns its own part."""
    own = Held()
    seen = [list(rows_of(path, kind)) for path in samples]
    estimates, widths = defaultdict(list), defaultdict(list)
    for rows in seen:
        for key, share, low, high in rows:
            estimates[key].append(share)
            if low is not None and high is not None:
                widths[key].append(high - low)
    n = len(samples)
    if whole == '-':
        truth = {key: sum(values) / n for key, values in estimates.items()}
    else:
        truth = {key: share for key, share, _, _ in rows_of(whole, kind)}
    for rows in seen:
        for key, share, low, high in rows:
            # Tables of contexts have the hottest of their run: what only a sample lists is no row.
            if kind == 'contexts' and key not in truth:
                continue
            if share == 0 and high is None:
                continue  # a function that was only on the way to others
            own.take(low, high, truth.get(key, 0))
            total.take(low, high, truth.get(key, 0))
    for key, some in widths.items():
        values = estimates[key] + [0] * (n - len(estimates[key]))
        mean = sum(values) / n
        spread = (sum((v - mean) ** 2 for v in values) / (n - 1)) ** .5 if n > 1 else 0
        if spread > 0 and 2 * len(some) >= n:
            ratios.append(sum(some) / len(some) / (4 * spread))
    return own


def main():
    kind, title, groups = sys.argv[1], sys.argv[2], []
    for argument in sys.argv[3:]:
        if argument == '--':
            groups.append([])
        else:
            groups[-1].append(argument)
    total, ratios, parts = Held(), [], []
    for program, whole, *samples in groups:
        own = measure(kind, whole, samples, total, ratios)
        if own.both >= 50:
            parts.append((own.part(), program))
    ratios.sort()
    worst = '%s %.1f %%' % (min(parts)[1], 100 * min(parts)[0]) if parts else ''
    print('| %s | %s | %s | %s | %s | %s | %s |' % (
        kind, title, '%.1f %% of %d' % (100 * total.part(), total.both) if total.both else '', worst,
        '%.2f' % ratios[len(ratios) // 2] if ratios else '',
        '%.1f %% of %d' % (100 * total.below / total.alone, total.alone) if total.alone else '',
        total.bare or ''))


main()
