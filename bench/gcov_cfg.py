#!/usr/bin/env python3
"""gcov_cfg.py NAME FILE.gcno ... - control flow graphs and counts out of gcc 12's own notes (.gcno)
and data (.gcda), as a cfg file of kind G (docs/formats.md). Counts of arcs without a counter are
derived as gcov does, from gcov's own tree."""
import os, struct, sys

FUNCTION, BLOCKS, ARCS, LINES, COUNTERS = 0x01000000, 0x01410000, 0x01430000, 0x01450000, 0x01a10000


def records(path, magic):
    data = open(path, 'rb').read()
    if data[:4] != magic:
        sys.exit(f'{path}: not made by gcc for this machine')
    at = 16                                             # magic, version, stamp, checksum
    if magic == b'oncg':                                # working folder, and whether blocks without code are marked
        size, = struct.unpack_from('<I', data, at)
        at += 4 + size + 4
    while at + 8 <= len(data):
        tag, size = struct.unpack_from('<Ii', data, at)
        at += 8
        if tag == 0:
            break
        yield tag, data[at:at + max(size, 0)], size
        at += max(size, 0)


def string(data, at):
    size, = struct.unpack_from('<I', data, at)
    return data[at + 4:at + 4 + size].rstrip(b'\0').decode(errors='replace'), at + 4 + size


def read_notes(path):
    functions, f = [], None
    for tag, data, _ in records(path, b'oncg'):
        if tag == FUNCTION:
            ident, = struct.unpack_from('<I', data)
            name, _ = string(data, 12)
            f = {'id': ident, 'name': name, 'arcs': [], 'lines': {}}
            functions.append(f)
        elif tag == BLOCKS:
            f['blocks'], = struct.unpack_from('<I', data)
        elif tag == ARCS:
            source, = struct.unpack_from('<I', data)
            for at in range(4, len(data) - 7, 8):
                f['arcs'].append([source, *struct.unpack_from('<II', data, at)])
        elif tag == LINES:
            block, = struct.unpack_from('<I', data)
            at, found = 4, []
            while at + 4 <= len(data):
                line, = struct.unpack_from('<I', data, at)
                at += 4
                if line:
                    found.append(line)
                    continue
                name, at = string(data, at)
                if not name:
                    break
                file = name
            if found:
                f['lines'][block] = f'{file.rsplit("/", 1)[-1].replace(" ", "_")}:' + ','.join(map(str, found))
    return functions


def read_counts(path):
    counts, ident = {}, None
    if not os.path.exists(path):                        # a file without functions, or one that never ran
        return counts
    for tag, data, size in records(path, b'adcg'):
        if tag == FUNCTION and len(data) >= 4:
            ident, = struct.unpack_from('<I', data)
        elif tag == COUNTERS:                           # a negative size: so many bytes of zeros were left out
            counts[ident] = list(struct.unpack(f'<{size // 8}q', data)) if size >= 0 else [0] * (-size // 8)
    return counts


def solve(f, counters):
    """Counts of all arcs: those off gcov's tree (no flag 1) are counted, in order; EXIT -> ENTRY closes the flow."""
    arcs = [(s, d) for s, d, _ in f['arcs']] + [(1, 0)]
    known = iter(counters)
    count = [None if flags & 1 else next(known) for _, _, flags in f['arcs']] + [None]
    balance, left, which = [0] * f['blocks'], [0] * f['blocks'], [0] * f['blocks']

    def settle(e):
        s, d = arcs[e]
        balance[s] -= count[e]
        balance[d] += count[e]

    for e, (s, d) in enumerate(arcs):
        if count[e] is not None:
            settle(e)
            continue
        for v in (s, d):
            left[v] += 1
            which[v] ^= e
    queue = [v for v in range(f['blocks']) if left[v] == 1]
    while queue:
        v = queue.pop()
        if left[v] != 1:
            continue
        e = which[v]
        s, d = arcs[e]
        count[e] = balance[v] if s == v else -balance[v]
        settle(e)
        for w in (s, d):
            left[w] -= 1
            which[w] ^= e
            if left[w] == 1:
                queue.append(w)
    if None in count:
        sys.exit(f'{f["name"]}: gcov\'s counters do not fit its graph')
    return count


def main():
    print('P', sys.argv[1])
    number = 0
    for path in sys.argv[2:]:
        counts = read_counts(path[:-2] + 'da')
        for f in read_notes(path):
            counted = sum(1 for _, _, flags in f['arcs'] if not flags & 1)
            counters = counts.get(f['id'], [0] * counted)
            if len(counters) != counted:
                sys.exit(f'{path}: {f["name"]}: other counters than arcs')
            count = solve(f, counters)
            if min(count) < 0:                          # setjmp: gcc does not count what comes back by longjmp
                print(f'note: {f["name"]} is left out: gcov\'s counts are wrong there', file=sys.stderr)
                continue
            print('F', number, f['name'].replace(' ', '_'), f['blocks'], count[-1], counted, sum(counters))
            number += 1
            for block in sorted(f['lines']):
                if block > 1:
                    print('B', block, f['lines'][block])
            for (s, d, flags), n in zip(f['arcs'], count):
                print('A', s, d, flags & 7, n)


main()
