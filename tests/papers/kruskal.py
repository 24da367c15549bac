"""kruskal.py - plans of bursty-lab edges on 300 random functions whose edges were counted by walking
them: a maximum spanning tree by Kruskal must leave as many updates, a minimum one as many, and each
block with several ways out must need the same bits. Prints what was compared."""
import json, random, subprocess, tempfile

random.seed(3)
lines, best, worst, bits, blocks = [], 0, 0, 0, 0


def tree(edges, vertices, heaviest):  # the sum of what is not in the tree
    parent, left = list(range(vertices)), 0
    def find(v):
        while parent[v] != v: v = parent[v]
        return v
    # X, from EXIT to the entry, is always in the tree: its count is wanted anyway
    for a, b, count in edges[-1:] + sorted(edges[:-1], key=lambda e: -e[2] if heaviest else e[2]):
        if find(a) == find(b): left += count
        parent[find(a)] = find(b)
    return left


for number in range(300):
    n = random.randrange(3, 25)  # block 0 is the entry, n is EXIT
    ways = {(v, v + 1) for v in range(n)}
    for _ in range(random.randrange(2 * n)):
        a, b = random.randrange(n), random.randrange(1, n + 1)
        if a != b: ways.add((a, b))
    ways = sorted(ways)
    out = {v: [w for w in ways if w[0] == v] for v in range(n)}
    counts, visits = dict.fromkeys(ways, 0), [0] * (n + 1)
    bias = {w: random.random() ** 3 + .01 for w in ways}
    runs = random.randrange(1, 20)
    for _ in range(runs):
        v = 0
        while v != n:
            visits[v] += 1
            way = random.choices(out[v], [bias[w] for w in out[v]])[0]
            counts[way] += 1
            v = way[1]
    lines.append('F %d f%d %d 0 %d' % (number, number, n + 1, n))
    lines += ['V %d f.c:%d' % (v, v + 1) for v in range(n + 1)]
    lines += ['E %d %d %d' % (a, b, counts[a, b]) for a, b in ways]
    edges = [(a, b, counts[a, b]) for a, b in ways] + [(n, 0, runs)]
    best += tree(edges, n + 1, True)
    worst += tree(edges, n + 1, False)
    bits += sum(visits[v] * (len(out[v]) - 1).bit_length() for v in range(n))
    blocks += sum(visits)
with tempfile.NamedTemporaryFile('w', suffix='.txt') as file:
    file.write('P random\n' + '\n'.join(lines) + '\n')
    file.flush()
    ask = lambda *words: json.loads(subprocess.check_output(['bursty-lab', 'edges', '--json', *words, file.name]))
    exact, least = ask('--weights', 'exact'), ask('--weights', 'exact', '--minimum')
    told = ask('--problem', 'bits')
print(exact['functions'], 'functions,', exact['exact_functions'], 'derived')
print('updates', exact['updates'], 'Kruskal', best, '- worst', least['updates'], 'Kruskal', worst)
print('bits a block %.4f here %.4f - blocks %d here %d' % (told['bits_per_block'], bits / blocks, told['blocks'], blocks))
good = (exact['updates'], least['updates'], told['blocks']) == (best, worst, blocks)
print('all equal' if good and abs(told['bits_per_block'] * blocks - bits) < 1 + blocks * 1e-6 else 'NOT equal')
