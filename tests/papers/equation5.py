"""equation5.py - equation 5 of Bursty Tracing and the other overlaps of `bursty overlap`, from the lists
of streams that two profiles have in JSON. Prints what was compared."""
import json, random, struct, subprocess, tempfile
from collections import Counter

folder = tempfile.mkdtemp()
run = lambda *words: subprocess.check_output(words)


def record(name, seed):  # planted streams between fresh references
    random.seed(seed)
    plants = [[p * 40 + k for k in range(10 + p)] for p in range(14)]
    out, fresh = [], 2000
    for _ in range(900):
        out += plants[min(int(14 * random.random() ** (1 + seed / 3)), 13)]
        for _ in range(random.randrange(6)):
            out.append(fresh)
            fresh += 1
    open(folder + '/' + name, 'wb').write(b''.join(struct.pack('<I', n) for n in out))
    return json.loads(run('bursty-lab', 'streams', '--json', '--top', '1000000', '--nodes', '60000', '--title', 'x',
                          '--dump', folder + '/' + name + '.brst', folder + '/' + name))['profile']


def shares(p, total, window=0):  # of whole streams, or of the windows in them
    weights = Counter()
    for s in p['list']:
        sites = tuple(p['sites'][i] for i in s['sites'])
        if not window: weights[sites] += s['heat']
        for i in range(len(sites) - window + 1 if window else 0):
            weights[sites[i:i + window]] += s['heat'] / len(sites)
    return {key: weight / (total or sum(weights.values())) for key, weight in weights.items()}


overlap = lambda a, b: 100 * sum(min(a[s], b.get(s, 0)) for s in a)
worst, profiles = 0, [record('p%d' % seed, seed) for seed in range(4)]
for i, p in enumerate(profiles):
    for k, q in enumerate(profiles):
        got = json.loads(run('bursty', 'overlap', '--json', folder + '/p%d.brst' % i, folder + '/p%d.brst' % k))
        exact = overlap(shares(p, p['references']), shares(q, q['references']))
        worst = max(worst, abs(got['overlap_exact'] - exact),
                    abs(got['overlap_shares'] - overlap(shares(p, 0), shares(q, 0))),
                    abs(got['overlap_windows'] - overlap(shares(p, 0, 10), shares(q, 0, 10))))
print(len(profiles) ** 2, 'pairs of profiles,', 'all overlaps equal' if worst < 1e-3 else 'off by %g' % worst)
