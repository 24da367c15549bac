"""members.py - HPS's accuracy of methods and call pairs (bursty-lab methods, pairs), computed again:
fixed periods, shares, and the heaviest members that hold 90 %. Prints what was compared."""
import json, random, struct, subprocess, tempfile
from collections import Counter

random.seed(2)
folder = tempfile.mkdtemp()
pairs, number = [], {}
events, depth = [], [0]
for _ in range(60000):  # a walk over 40 functions that call, loop and return
    what = random.random()
    if what < .3 and len(depth) < 12 or len(depth) == 1:
        pair = depth[-1], 1 + int(40 * random.random() ** 3)
        if pair not in number:
            number[pair] = len(pairs)
            pairs.append(pair)
        events.append((2, number[pair]))
        depth.append(pair[1])
    elif what < .6:
        events.append((7, 0))
        depth.pop()
    else: events.append((6, 0))
code = {2: 0x80000000, 6: 0xC0000000, 7: 0xE0000000}
open(folder + '/refs', 'wb').write(b''.join(struct.pack('<I', code[kind] | n) for kind, n in events))
open(folder + '/pairs', 'wb').write(b''.join(struct.pack('<QQ', *p) for p in pairs))


def profile(kind, every, burst):
    whole, some, stack = Counter(), Counter(), [0]
    for at, (what, n) in enumerate((w, n) for w, n in events):
        if what == 7:
            stack.pop()
            continue
        profile.check += 1
        if what == 2: stack.append(pairs[n][1])
        if kind == 'pairs' and what != 2: continue
        member = n if kind == 'pairs' else stack[-1]
        whole[member] += 1
        # the last `burst` of every `every + burst` checks, the one that begins them included
        if (profile.check - every) % (every + burst) < burst and profile.check >= every: some[member] += 1
    return whole, some


def overlap(p, q):
    return 100 * sum(min(p[m] / sum(p.values()), q[m] / sum(q.values())) for m in p) if q else 0


def heaviest(p):
    kept, total = Counter(), sum(p.values())
    for member, weight in sorted(p.items(), key=lambda item: -item[1]):
        if sum(kept.values()) >= .9 * total - 1e-9: break
        kept[member] = weight
    return kept


worst, compared, tops = 0, 0, 0
for kind in 'methods', 'pairs':
    for every, burst in (499, 1), (99, 1), (990, 10), (200, 50), (17, 3):
        profile.check = 0
        whole, some = profile(kind, every, burst)
        got = json.loads(subprocess.check_output(['bursty-lab', kind, '--json', '--every', str(every), '--burst',
                                                  str(burst), folder + '/refs', folder + '/pairs']))
        assert got['counted'] == sum(some.values()) and got['members'] == len(whole), (kind, every, got)
        worst = max(worst, abs(got['overlap'] - overlap(whole, some)))
        compared += 1
        # where the last of 90 % weighs as much as the next one, either of them may be kept
        kept = [heaviest(p) for p in (whole, some)]
        if any(set(k.values()) & {p[m] for m in p if m not in k} for k, p in zip(kept, (whole, some))): continue
        tops += 1
        worst = max(worst, abs(got['overlap_top_90'] - overlap(*kept)))
print(compared, 'profiles,', tops, 'of them by the heaviest 90 %,', 'all overlaps equal' if worst < 1e-3 else 'off by %g' % worst)
