"""averages.py - bursty-lab averages by brute force: each window's footprint is counted, misses come
from an LRU list, and the differential equation is stepped through. Prints what was compared."""
import json, random, subprocess, tempfile


def write_trace(blocks, path):
    out, last = bytearray(), 0
    for block in blocks:
        z = (block - last) << 1 if block >= last else ((last - block) << 1) - 1
        last = block
        while z > 127:
            out.append(z & 127 | 128)
            z >>= 7
        out.append(z)
    open(path, 'wb').write(out)


def brute(blocks, windows):
    n, stack, misses = len(blocks), [], [0] * (len(set(blocks)) + 1)
    times, last = [], {}
    for now, block in enumerate(blocks):
        depth = stack.index(block) if block in last else len(misses)
        for size in range(min(depth, len(misses) - 1) + 1): misses[size] += 1
        if block in last:
            times.append(now - last[block])
            stack.remove(block)
        stack.insert(0, block)
        last[block] = now

    def miss(f):
        low = min(int(f), len(misses) - 1)
        high = min(low + 1, len(misses) - 1)
        return (misses[low] + (f - low) * (misses[high] - misses[low])) / n

    answers, chandra, suh, shen, at = {}, 0., 0., 0., 0
    for w in range(1, max(windows) + 1):
        chandra += miss(chandra)
        for _ in range(200):  # Heun's steps
            k = miss(suh)
            suh += (k + miss(suh + k / 200)) / 400
        shen += sum(t > w for t in times) / len(times)
        if w in windows:
            exact = sum(len(set(blocks[i:i + w])) for i in range(n - w + 1)) / (n - w + 1)
            answers[w] = exact, chandra, suh, shen * len(last) / (len(last) - 1)
    return answers


random.seed(1)
compared, worst = 0, 0
for kind in range(6):
    blocks = [random.randrange(1, 4 + 20 * kind) + i // 300 * (kind % 2) * 50 for i in range(1200)]
    with tempfile.NamedTemporaryFile() as trace:
        write_trace(blocks, trace.name)
        rows = json.loads(subprocess.check_output(['bursty-lab', 'averages', '--json', trace.name]))['windows']
    rows = [row for row in rows if row['window'] <= 256]
    truth = brute(blocks, {row['window'] for row in rows})
    for row in rows:
        for key, value in zip(('exact', 'chandra', 'suh', 'shen'), truth[row['window']]):
            compared += 1
            worst = max(worst, abs(row[key] / value - 1) / (1e-4 if key == 'suh' else 1e-7))
print(compared, 'averages,', 'all equal' if worst < 1 else 'off by %g' % worst)
