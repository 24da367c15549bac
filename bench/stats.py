"""stats.py - the statistics of all benches, once: C programs and hyperfine deliver single times,
this makes figures of them."""
import json, math, os, shlex, statistics, subprocess, tempfile


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def ratio(times, base):
    """Sum over sum, and two standard errors of the ratios of pairs that ran next to one another."""
    each = [t / b for t, b in zip(times, base)]
    spread = 2 * statistics.stdev(each) / math.sqrt(len(each)) if len(each) > 1 else None
    return dict(ratio=sum(times) / sum(base), spread=spread)


def summary(samples):
    """Best and median of times taken in turn."""
    return dict(best=min(samples), median=statistics.median(samples))


def median_interval(samples):
    """(low, high): the median of what these are drawn from lies between, with 95 % and more. The lower
    end is the k-th of n samples in order, the upper one the k-th from above, and k is the largest for
    which fewer than k of n samples fall below the median with at most 2.5 %: a binomial distribution,
    whatever that of the samples is. None if fewer than six samples are there: then no k is."""
    found, n, below, k = sorted(samples), len(samples), 0, 0
    while below + math.comb(n, k) <= 0.025 * 2**n:
        below += math.comb(n, k)
        k += 1
    return (found[k - 1], found[n - k]) if k else None


def hyperfine(commands, cwd, env):
    """Runs every command once, in this order; returns user and system seconds of each.

    A command is a list of words. hyperfine starts it itself, without a shell, and times it."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'times.json')
        words = ['hyperfine', '-N', '--style', 'none', '-r', '1', '--export-json', out] + [
            shlex.join(c) for c in commands
        ]
        done = subprocess.run(
            words,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        if done.returncode != 0:
            raise SystemExit('hyperfine: ' + done.stderr.decode(errors='replace')[-2000:])
        with open(out) as file:
            return [r['user'] + r['system'] for r in json.load(file)['results']]
