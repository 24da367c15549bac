"""cc_dual.py TOOL SOURCES FOLDER PROGRAM SET... - see cc_dual.sh.

The full profile is that of a build with all checks in one burst that does not end. A cell is the
overlap (equation 5, percent) of the shares of calls or of loop trips with it, of RUNS runs whose bursts
begin elsewhere, since a run with one rate is always the same: the median, its interval of 95 %, and the
lowest in brackets."""
import glob
import json
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stats import median_interval

TOOL, SOURCES, FOLDER, PROGRAM = sys.argv[1:5]
HERE = os.path.dirname(os.path.abspath(__file__))
ALL = ['--entries=all', '--loops=all']
ENV = dict(os.environ, LC_ALL='C', BURSTY_CACHE=os.path.join(FOLDER, 'cache'))
LOSSES = int(os.environ.get('LOSSES', 0))  # so many places at either end of each list
RUNS = int(os.environ.get('RUNS', 20))
CALL = 1  # the kind of an event

if PROGRAM == 'lua':
    FILES = [f for f in glob.glob(SOURCES + '/lua/src/*.c') if not f.endswith('/luac.c')]
    FLAGS = ['-I' + SOURCES + '/lua/src', '-I' + SOURCES + '/include', '-DLUA_USE_LINUX']
    FLAGS += ['-Dluai_makeseed(L)=1u', '-DLUA_USE_JUMPTABLE=0']
    LIBRARIES, WORDS = ['-lm', '-ldl'], [HERE + '/real/work.lua', '1']
else:
    FILES = glob.glob(SOURCES + '/lz4/lib/*.c') + glob.glob(SOURCES + '/lz4/programs/*.c')
    FLAGS, LIBRARIES = ['-I' + SOURCES + '/lz4/lib', '-DXXH_NAMESPACE=LZ4_'], []
    WORDS = ['-q', '-9', '-f', FOLDER + '/input', FOLDER + '/output']


def build(name, options):
    place = os.path.join(FOLDER, name)
    os.makedirs(place, exist_ok=True)
    objects = []
    for file in sorted(FILES):
        objects.append(os.path.join(place, os.path.basename(file)[:-2] + '.o'))
        command = [TOOL, 'cc'] + options + ['--', 'gcc', '-O1', '-w'] + FLAGS
        subprocess.run(command + ['-c', file, '-o', objects[-1]], env=ENV, check=True)
    command = [TOOL, 'cc'] + options + ['--', 'gcc', '-o', place + '/program']
    subprocess.run(command + objects + LIBRARIES, env=ENV, check=True)
    return place + '/program'


def profile(program, every, burst):
    """(calls, loop trips) by place."""
    dump = program + '.brst'
    if os.path.exists(dump):
        os.remove(dump)
    rates = dict(BURSTY_FILE=dump, BURSTY_EVERY=str(every), BURSTY_BURST=str(burst))
    subprocess.run(
        [program] + WORDS, env=dict(ENV, **rates), stdout=subprocess.DEVNULL, check=True
    )
    said = subprocess.run(
        [TOOL, 'report', '--json', '--min', '0', dump], stdout=subprocess.PIPE, check=True
    ).stdout
    sampled = json.loads(said)['sampled']
    if sampled['programs'][0]['lost']:
        sys.exit('cc_dual.py: %s: events were lost' % program)
    calls, trips = {}, {}
    for row in sampled['functions']:
        site = sampled['sites'][row['site']]
        to = calls if site['kind'] & CALL else trips
        key = os.path.basename(site['file']), site['line'], site['name']
        to[key] = to.get(key, 0) + row['estimated']
    return calls, trips


def overlap(full, part):
    """Equation 5: the sum of the smaller of both shares."""
    whole, seen = sum(full.values()) or 1, sum(part.values()) or 1
    return 100 * sum(min(v / seen, full.get(key, 0) / whole) for key, v in part.items())


def cell(found):
    low_high = median_interval(found)
    interval = ', %.1f to %.1f' % low_high if low_high else ''
    return '%.1f%s (%.1f)' % (statistics.median(found), interval, found[0])


def losses(full, parts):
    """Places whose mean estimate differs most from the truth, as words: the mean, its standard error
    and the truth, in percent of all that happened."""
    whole = sum(full.values()) or 1
    rows = []
    for key in set(full).union(*parts):
        seen = [100 * part.get(key, 0) / whole for part in parts]
        error = statistics.stdev(seen) / len(seen) ** .5 if len(seen) > 1 else float('nan')
        rows.append((statistics.mean(seen), error, 100 * full.get(key, 0) / whole, key))
    rows.sort(key=lambda row: row[0] - row[2])
    return ', '.join('%s %s:%s %.2f +- %.2f for %.2f' % (k[2], k[0], k[1], s, e, t)
                     for s, e, t, k in rows[:LOSSES] + rows[-LOSSES:])


full = build('full', ALL)
truth = profile(full, 1, 1 << 30)
print('| %s | calls 1000:50 | loop trips | calls 990:10 | loop trips |' % PROGRAM)
print('|---|---|---|---|---|', flush=True)
for name in sys.argv[5:]:
    options = ALL
    if name != 'orig':
        plan = os.path.join(FOLDER, name + '.plan')
        # Status 1 is that of EN: functions may run for ever without a check, as asked for.
        subprocess.run([TOOL, 'place', '--set', name, '-o', plan, full], stdout=subprocess.DEVNULL)
        options = ['--plan=' + plan]
    program = build('dual-' + name, ['--form=dual'] + options)
    row = []
    for every, burst in ((1000, 50), (990, 10)):
        runs = [profile(program, every + 7 * k, burst) for k in range(RUNS)]
        for what in range(2):
            found = sorted(overlap(truth[what], run[what]) for run in runs)
            row.append(cell(found))
        if LOSSES:
            for k, what in enumerate(('calls', 'loop trips')):
                words = losses(truth[k], [run[k] for run in runs])
                print('%s %d:%d %s: %s' % (name, every, burst, what, words))
    print('| %s | %s |' % (name, ' | '.join(row)), flush=True)
