"""thin.py - which checks `bursty-lab streams --thin` leaves of a program that is compiled and
recorded here, by rules 4.1 and 4.2 of Bursty Tracing once more: iterations are cut out of each
call's own list of events, and components come from reachability. Prints what was compared."""
import json, os, struct, subprocess, tempfile
from collections import defaultdict

folder = tempfile.mkdtemp()
run = lambda *words, **more: subprocess.check_output(words, **more)
run('gcc', '-O2', '-c', '-o', folder + '/refs.o', 'record/inside/hooks/refs.c')
run('gcc', '-g', '-O1', '-fno-inline', '-w', '-fsanitize=thread', '-fsanitize-coverage=trace-pc', '-c', '-o',
    folder + '/calls.o', 'tests/papers/calls.c')
run('gcc', '-o', folder + '/calls', folder + '/calls.o', folder + '/refs.o')
run(folder + '/calls', env=dict(os.environ, BURSTY_REFS=folder + '/run'))
words = lambda part, form: list(struct.iter_unpack(form, open(folder + '/run.' + part, 'rb').read()))
events, table = [e for e, in words('refs', '<I')], words('table', '<QQ')
pairs, loops = words('pairs', '<QQ'), words('loops', '<QQ')

calls, stack = [], [[]]  # of each call: its own events
for e in events:
    stack[-1].append(e)
    if e >> 29 == 7: calls.append(stack.pop())
    elif e >> 30 == 2: stack.append([])
calls += stack
bodies, whole = defaultdict(set), defaultdict(int)
for own in calls:
    places = [i for i, e in enumerate(own) if e >> 29 == 6]
    for at, i in enumerate(places):
        n, head = own[i] & 0x1FFFFFFF, loops[own[i] & 0x1FFFFFFF][1]
        for k in places[at + 1:]:
            other = own[k] & 0x1FFFFFFF
            if loops[other][1] > head: continue
            if other == n:
                whole[n] += 1
                bodies[n] |= {('ref', table[e][0]) if e < 1 << 31 else ('call', e) for e in own[i + 1:k]
                              if e < 1 << 31 or e >> 30 == 2}
            break
graph = defaultdict(set)
for a, b in pairs:
    if a: graph[a].add(b)
functions = {f for p in pairs for f in p if f}
def reach(f):
    seen, rest = set(), [f]
    while rest:
        new = graph[rest.pop()] - seen
        seen |= new
        rest += new
    return seen
below = {f: reach(f) for f in functions}
roots = {b for a, b in pairs if not a} | {f for f in functions if not any(f in graph[a] for a in functions - {f})}
distance, ring = {f: 0 for f in roots}, roots
while ring:
    ring = {g for f in ring for g in graph[f]} - set(distance)
    distance.update({g: 1 + min(distance[f] for f in functions if g in graph[f] and f in distance) for g in ring})
leaf = {f for f in functions if not graph[f]}
recursion = {g for f in functions for g in graph[f] if f in below[g] and distance[f] >= distance[g]}
boring = lambda k: {n for n in whole if len(bodies[n]) <= k and all(kind == 'ref' for kind, _ in bodies[n])}
everything, same = set(range(len(loops))), 0
for rules, entries, left in [('all', functions, everything), ('EL', functions - leaf, everything),
        ('EC', (roots | recursion) - leaf, everything), ('EN', set(), everything),
        ('L4', functions, everything - boring(4)), ('L10', functions, everything - boring(10)),
        ('LN', functions, set()), ('EC+L4', (roots | recursion) - leaf, everything - boring(4))]:
    checks = sum(pairs[e & 0x3FFFFFFF][1] in entries if e >> 30 == 2 else e & 0x1FFFFFFF in left
                 for e in events if e >> 29 in (4, 5, 6))
    got = json.loads(run('bursty-lab', 'streams', '--json', '--top', '0', '--every', '1000', '--burst', '50', '--thin',
                         rules, folder + '/run.refs', folder + '/run.table'))
    same += (got['checks'], got['entries'], got['loops']) == (checks, len(entries), len(left))
    print('%s: %d checks of %d functions and %d loops' % (rules, checks, len(entries), len(left)))
print(same, 'of 8 sets are equal')
