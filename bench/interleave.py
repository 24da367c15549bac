# interleave.py RUNS COMMAND COMMAND ... - CPU time of commands that take turns, in the order A B C, C B A, ...; prints for each the
# ratio of its sum to that of the first, and of medians.
import os, shlex, statistics, subprocess, sys
runs, commands = int(sys.argv[1]), [shlex.split(c) for c in sys.argv[2:]]
times = [[] for _ in commands]
for r in range(runs):
    for i in (range(len(commands)) if r % 2 == 0 else reversed(range(len(commands)))):
        child = subprocess.Popen(commands[i], stdout=subprocess.DEVNULL)
        usage = os.wait4(child.pid, 0)[2]
        times[i].append(usage.ru_utime + usage.ru_stime)
for i, t in enumerate(times):
    print('%.3f %.3f' % (sum(t) / sum(times[0]), statistics.median(t) / statistics.median(times[0])))
