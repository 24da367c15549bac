#!/usr/bin/python3
"""before_after.py BUILD/bench COMMIT build|TRACE... - measures what before_after.sh says and prints
its page; "build" only builds. "before" is the tree in BUILD/bench/before_after/tree, built with
before_after.h for what it lacks; "after" is this one. Everything is measured in turns."""
import concurrent.futures
import os
import re
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(HERE, 'real')]
import stats
from builds import ALL, JOBS, Build, Workshop
from measure import ALWAYS, IDLE, OFF, RATES, Row, Runner, rate
from programs import PROGRAMS, Program

BENCH, COMMIT, TRACES = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
WORK = os.path.join(BENCH, 'before_after')
TREE, SHIM = os.path.join(WORK, 'tree'), os.path.join(WORK, 'shim')
SIDES = ('before', 'after')
FIVE = ('lua', 'bzip2', 'cjson', 'sqlite', 'chipmunk')  # that version 0.1.0 was measured with
INCLUDE = {
    'before': ['-I' + TREE, '-I' + SHIM, '-I' + HERE, '-I' + os.path.join(TOP, 'tools')],
    'after': ['-I' + TOP, '-I' + HERE, '-I' + os.path.join(TOP, 'tools')],
}
PASSES = 8
SHIFTS = 4
CALLS = 16000000  # of a call trace, at most
PLAIN, ORIG = Build('plain'), Build('orig', options=ALL)
CHECKS, DUAL = Build('EC+L4', 'EC+L4'), Build('EC+L4 dual', 'EC+L4', options=('--form=dual',))
MUJS = Program(
    'mujs',
    ['@/mujs/main.c', '@/mujs/js*.c', '@/mujs/regexp.c', '@/mujs/utf.c'],
    ['-I@/mujs'],
    ['-lm'],
    ('%/work.js 1',) * 3,
)
table = []


def say(text):
    print('before_after: ' + text, file=sys.stderr, flush=True)


def call(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    if done.returncode != 0:
        sys.exit('%s\n%s' % (' '.join(command), done.stderr.decode(errors='replace')[-3000:]))
    return done.stdout.decode()


# ---- the table


def add(what, unit, goal, before, after, digits=3, more_is_better=False):
    """One row. goal, before and after are lists of numbers; None was not measured."""

    def text(numbers):
        if numbers is None:
            return 'not measured'
        return ' / '.join('%.*f' % (digits, n) for n in numbers)

    verdict = ''
    if after is not None:
        pairs = [(round(a, digits), g) for a, g in zip(after, goal)]
        met = all(a >= g if more_is_better else a <= g for a, g in pairs)
        verdict = 'met' if met else '**missed**'
    goal = ' / '.join('%g' % g for g in goal)
    table.append((what, unit, goal, text(before), text(after), verdict))


def mean_and_worst(ratios):
    return [stats.geomean(ratios), max(ratios)]


# ---- real programs


class Before:
    """Programs with checks as the old bench put them in: copies that its place.py wrote."""

    def __init__(self, shop):
        self.shop, self.real = shop, os.path.join(TREE, 'bench', 'real')

    def folder(self, program, form):
        return os.path.join(WORK, 'real', program.name, form)

    def make(self, program, form):
        out = self.folder(program, form)
        done = os.path.join(out, 'program.%d' % (SHIFTS - 1))
        newest = max(os.path.getmtime(f) for f in program.files + [self.real + '/place.py'])
        if os.path.exists(done) and os.path.getmtime(done) > newest:
            return
        os.makedirs(out, exist_ok=True)
        builtin = call(['clang-19', '-print-resource-dir']).strip() + '/include'
        copies = os.path.join(out, 'copies')
        place = ['/usr/bin/python3', self.real + '/place.py', form, copies, '-I' + builtin]
        call(place + program.flags + ['--'] + program.files)
        files = [os.path.join(copies, os.path.basename(f)) for f in program.files]
        files = [self.real + '/profile.c'] + files
        flags = ['-O2', '-w'] + program.flags + ['-I' + TREE, '-I' + self.real]
        flags += ['-ftrack-macro-expansion=0'] if form == 'dual' else []
        objects = [os.path.join(out, os.path.basename(f)[:-2] + '.o') for f in files]
        jobs = [['gcc'] + flags + ['-c', f, '-o', o] for f, o in zip(files, objects)]
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            list(pool.map(call, jobs))
        for shift in range(SHIFTS):
            binary = os.path.join(out, 'program.%d' % shift)
            call(['gcc', self.shop.pad(shift)] + objects + ['-o', binary] + program.libs)

    def text_size(self, program, form):
        names = [os.path.basename(f)[:-2] + '.o' for f in program.files]
        objects = [os.path.join(self.folder(program, form), n) for n in names]
        lines = call(['size', '-A'] + objects).splitlines()
        return sum(int(l.split()[1]) for l in lines if l.startswith('.text'))


ONE = rate(99, 1)  # bursts of one check: what a burst costs
# name: the row of this tree, or the rate of the old bench
ROWS = {
    'plain': Row('plain', PLAIN),
    'plain again': Row('plain', PLAIN),
    'before, off': None,
    'before, 1 %': '990:10',
    'before, always': '4294967295:1',
    'after, off': Row('off', CHECKS, OFF),
    'after, idle': Row('idle', CHECKS, IDLE),
    'after, 0.1 %': Row('0.1 %', CHECKS, RATES['0.1 %']),
    'after, 1 %': Row('1 %', CHECKS, RATES['1 %']),
    'after, one': Row('one', CHECKS, ONE),
    'after, always': Row('always', CHECKS, ALWAYS),
}


def foretold(known, wanted):
    """What a run spends by its (spent, events, bursts): spent = base + events e + bursts E, with
    base, e and E from three other runs. All of them write a dump of about the same rows."""
    (t0, n0, b0), (t1, n1, b1), (t2, n2, b2) = known
    n1, b1, t1, n2, b2, t2 = n1 - n0, b1 - b0, t1 - t0, n2 - n0, b2 - b0, t2 - t0
    below = n1 * b2 - n2 * b1
    e, E = (t1 * b2 - t2 * b1) / below, (n1 * t2 - n2 * t1) / below
    return t0 + (wanted[1] - n0) * e + (wanted[2] - b0) * E


class Real:
    def __init__(self):
        tool = os.path.join(os.path.dirname(BENCH), 'bursty')
        self.shop = Workshop(os.path.join(BENCH, 'real-O2'), tool, '-O2', SHIFTS)
        self.old = Before(self.shop)
        found = [p.find(os.path.join(BENCH, 'src')) for p in [p for p in PROGRAMS if p.name in FIVE] + [MUJS]]
        for program in found:
            if program.missing():
                sys.exit('before_after.py: %s is not there' % program.missing())
        self.five, self.mujs = found[:-1], found[-1]

    def build(self):
        wanted = [(p, b) for p in self.five for b in (PLAIN, ORIG, CHECKS, DUAL)]
        self.shop.make(wanted + [(self.mujs, b) for b in (PLAIN, ORIG, CHECKS)])
        for program in self.five:
            self.old.make(program, 'few')
            self.old.make(program, 'dual')
        self.old.make(self.mujs, 'few')
        self.runner = Runner(self.shop)

    def command(self, name, program, which, shift=0):
        words, row = program.arguments(which), ROWS[name]
        if isinstance(row, Row):
            return self.runner.command(row, program, shift, words)
        binary = os.path.join(self.old.folder(program, 'few'), 'program.%d' % shift)
        return ['env'] + (['BENCH_RATE=' + row] if row else []) + [binary] + words

    def instructions(self, name, program):
        log = os.path.join(WORK, 'log-%s-%s' % (program.name, re.sub(r'\W', '', name)))
        command = self.command(name, program, 2)
        at = next(i for i, w in enumerate(command) if '/program.' in w and '=' not in w)
        qemu = ['qemu-x86_64', '-plugin', self.runner.plugin, '-d', 'plugin', '-D', log]
        said = call(command[:at] + qemu + command[at:], env=self.runner.env)
        with open(log) as file:
            return said, int(re.search(r'instructions (\d+)', file.read()).group(1))

    def count(self):
        """{(program, row): instructions}; all print the same."""
        jobs = [(n, p) for p in self.five for n in ROWS if n != 'plain again']
        jobs += [(n, self.mujs) for n in ('plain', 'before, off', 'after, off')]
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            results = list(pool.map(lambda j: self.instructions(*j), jobs))
        out, printed = {}, {}
        for (name, program), (said, instructions) in zip(jobs, results):
            if printed.setdefault(program.name, said) != said:
                sys.exit('before_after.py: %s, %s: another result' % (program.name, name))
            out[program.name, name] = instructions
        return out

    def time(self):
        """{(program, row): seconds}, sums of all passes."""
        out = {}
        for program in self.five:
            names = list(ROWS)
            for k in range(PASSES):
                order = names[::-1] if k % 2 else names
                commands = [self.command(n, program, 0, k // 2 % SHIFTS) for n in order]
                for name, s in zip(order, stats.hyperfine(commands, WORK, self.runner.env)):
                    out[program.name, name] = out.get((program.name, name), 0) + s
        return out

    def events(self, name, program, which):
        """(events, bursts) of a row of this tree."""
        seen = self.runner.profile(ROWS[name], program, program.arguments(which))
        return seen['profiles'][0]['events'], seen['profiles'][0]['bursts']

    def prediction(self, spent, which):
        """Points between predicted and measured overhead at 1 %, the worst program: by equation 2,
        and extended by e for an event and E for a burst."""
        before, after = [], []
        for program in self.five:
            get = lambda row: spent[program.name, row]
            plain = get('plain')
            off, always = get('before, off'), get('before, always')
            guess = off + 0.01 * (always - off)
            before.append(abs(guess - get('before, 1 %')) / plain)
            runs = []
            for row in ('after, 0.1 %', 'after, one', 'after, always', 'after, 1 %'):
                runs.append((get(row),) + self.events(row, program, which))
            guess = foretold(runs[:3], runs[3])
            after.append(abs(guess - get('after, 1 %')) / plain)
        return 100 * max(before), 100 * max(after)

    def rows(self):
        say('real programs: instructions')
        counts = self.count()
        say('real programs: times')
        times = self.time()
        names = [p.name for p in self.five]

        def ratios(spent, row, over='plain', programs=names):
            return [spent[p, row] / spent[p, over] for p in programs]

        what = 'basic overhead, points, EC+L4, five programs'
        for spent, unit, goal in (
            (counts, 'instructions', [1.025, 1.045]),
            (times, 'time', [1.015, 1.035]),
        ):
            pair = [mean_and_worst(ratios(spent, s + ', off')) for s in SIDES]
            add(what, unit + ', geomean / worst', goal, *pair)
        again = mean_and_worst(ratios(times, 'plain again'))
        self.again = 'A/A, plain beside plain: %.3f / %.3f.' % tuple(again)
        pair = [ratios(counts, s + ', off', programs=['mujs']) for s in SIDES]
        add('mujs, points, EC+L4', 'instructions', [1.07], *pair)
        pair = [
            [max(ratios(counts, s + ', 1 %', s + base))]
            for s, base in zip(SIDES, (', off', ', idle'))
        ]
        add('sampling at 1 % over off, worst program', 'instructions', [1.025], *pair)
        pairs = [self.prediction(counts, 2), self.prediction(times, 0)]
        add(
            'predicted overhead at 1 % against measured, worst program',
            'points of instructions / time',
            [0.1, 1],
            *zip(*pairs),
            digits=2
        )
        for form, build, goal in (('few', CHECKS, 1.07), ('dual', DUAL, 1.9)):
            plain = [self.shop.text_size(PLAIN, p) for p in self.five]
            old = [self.old.text_size(p, form) / n for p, n in zip(self.five, plain)]
            new = [self.shop.text_size(build, p) / n for p, n in zip(self.five, plain)]
            name = 'points' if form == 'few' else 'dual'
            pair = [[stats.geomean(old)], [stats.geomean(new)]]
            add('text growth, ' + name, 'geomean', [goal], *pair)


# ---- checks in functions, fib, events


def registers():
    """What a check adds to functions: tests/registers, which test_registers.sh counts."""
    source = os.path.join(TOP, 'tests', 'registers')
    out = {}
    for side in SIDES:
        keeps = ['-include', 'keepregs.h'] if side == 'after' else []
        for cc in ('gcc', 'clang-19', 'clang-14'):
            flags = [cc, '-std=gnu99', '-O2', '-w'] + INCLUDE[side] + keeps
            objects = []
            for prefix, off in (('plain', ['-DBURSTY_OFF']), ('checked', [])):
                objects.append(os.path.join(WORK, prefix + '.o'))
                name = '-DNAME(f)=%s_##f' % prefix
                call(flags + off + [name, '-c', source + '/forms.c', '-o', objects[-1]])
            count = os.path.join(WORK, 'count')
            call(flags + ['-DNAME(f)=x_##f', source + '/count.c'] + objects + ['-o', count])
            for line in call([count]).splitlines():
                form, plain, checked = line.split('\t')
                cost = float(checked) - float(plain)
                family = cc[:5]
                old = out.get((side, family, form), 0)
                out[side, family, form] = max(old, cost)  # the worse of both clangs
    for form, what in (
        ('six live arguments', 'extra instructions of a check, six live arguments'),
        ('loop with four live values, an iteration', 'the same, a loop with four live values'),
    ):
        pair = [[out[s, cc, form] for cc in ('gcc', 'clang')] for s in SIDES]
        add(what, 'instructions, gcc / clang', [2, 2], *pair, digits=0)


def forms():
    """fib and recorded events, by gcc: the medians of eight alignments."""
    seen = {}
    for pad in range(8):
        path = os.path.join(WORK, 'pad.o')
        text = '.text\n.p2align 4\n.skip %d\n.section .note.GNU-stack,"",@progbits\n'
        call(['gcc', '-c', '-x', 'assembler', '-', '-o', path], input=(text % (16 * pad)).encode())
        for side in SIDES[:: 1 if pad % 2 else -1]:
            keeps = ['-include', 'keepregs.h'] if side == 'after' else []
            flags = ['gcc', '-std=gnu11', '-w', '-O2', '-falign-loops=32'] + INCLUDE[side] + keeps
            call(flags + [path, HERE + '/before_after.c', '-o', WORK + '/forms'])
            for line in call([WORK + '/forms', '7']).splitlines():
                _, group, rival, *ns = line.split('\t')
                seen.setdefault((side, rival), []).append(statistics.median(map(float, ns)))
    middle = {key: statistics.median(values) for key, values in seen.items()}
    over = {
        s: {f: middle[s, f] / middle[s, 'plain'] for f in ('dual', 'entry', 'below')} for s in SIDES
    }
    goal = [1.15] * 3
    pair = [[over[s][f] for f in ('dual', 'entry', 'below')] for s in SIDES]
    add('recursive fib: BURST_DUAL / entry / entry below the exit', 'time', goal, *pair, digits=2)
    pair = [[middle[s, f] for f in ('point', 'scope')] for s in SIDES]
    add('a recorded event, point / scope', 'ns', [5, 7], *pair, digits=1)


# ---- hcct, footprint, interleave


def built(source, side):
    out = os.path.join(WORK, '%s-%s' % (source[:-2], side))
    flags = ['gcc', '-std=c99', '-w', '-O2'] + INCLUDE[side]
    call(flags + [os.path.join(HERE, source), '-o', out, '-lm', '-pthread'])
    return out


def in_turns(source, words, rounds=3):
    """The least of the last words that both sides print."""
    best = dict.fromkeys(SIDES, 1e9)
    for k in range(rounds):
        for side in SIDES[:: 1 if k % 2 else -1]:
            said = call([os.path.join(WORK, '%s-%s' % (source, side))] + words)
            best[side] = min(best[side], float(said.split()[-1]))
    return best


def callgrind(source, side, function, words):
    """Instructions inside of the function."""
    command = ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null']
    command += ['--toggle-collect=' + function, os.path.join(WORK, '%s-%s' % (source, side))]
    done = subprocess.run(command + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return int(re.search(rb'Collected : (\d+)', done.stderr).group(1))


def kinds():
    """(call traces, block traces) among the arguments."""
    calls, blocks = [], []
    for path in TRACES:
        with open(path, 'rb') as file:
            (calls if file.read(4) == b'\xfe\xca\xad\xab' else blocks).append(path)
    return calls, blocks


def short(path):
    return os.path.basename(path).split('.trace')[0]


def contexts(paths):
    say('hcct.h')
    for side in SIDES:
        built('bench_hcct.c', side)
    saving, full = {s: [] for s in SIDES}, {s: [] for s in SIDES}
    for path in paths:
        for way, to in (('batch', saving), ('full', full)):
            best = in_turns('bench_hcct', ['one', way, path, str(CALLS)], 2)
            for side in SIDES:
                to[side].append(best[side])
    names = ', '.join(short(p) for p in paths)
    for what, to, goal in (
        ('hcct, Space-Saving, time that is left', saving, [0.77]),
        ('hcct, full tree, time that is left', full, [0.85]),
    ):
        ratios = [a / b for b, a in zip(to['before'], to['after'])]
        add('%s: %s' % (what, names), 'time, geomean', goal, [1], [stats.geomean(ratios)], digits=2)
    over = {s: [a / b for a, b in zip(saving[s], full[s])] for s in SIDES}
    pair = [[stats.geomean(over[s])] for s in SIDES]
    add('hcct, cost over our full tree: ' + names, 'time, geomean', [1.25], *pair, digits=2)
    path = next((p for p in paths if short(p).startswith('lua')), paths[0])
    words, calls, pair = ['one', 'batch', path, '1000000'], 3e6, []  # it runs three times
    for side in SIDES:
        inside = callgrind('bench_hcct', side, 'run_ours*', words)
        pair.append([(inside - callgrind('bench_hcct', side, 'run_empty*', words)) / calls])
    what = 'hcct, a call of the trace ' + short(path)
    add(what, 'instructions', [80], *pair, digits=0)


def footprints(paths):
    say('footprint.h, interleave.h')
    for side in SIDES:
        built('bench_footprint.c', side)
        built('footprint_versions.c', side)
    data = paths[0] if paths else None
    if data:
        ways, most = ('c=.9', 'c=1'), '500000'
        pair = [
            [callgrind('bench_footprint', s, 'way_run', ['one', w, data, most]) / 5e5 for w in ways]
            for s in SIDES
        ]
        what = 'footprint, %s, first 500 000 accesses, c = .9 / 1' % short(data)
        add(what, 'instructions an access', [106, 155], *pair, digits=0)
    over = []
    for path in paths:
        best = in_turns('footprint_versions', [path, '.9'])
        over.append(best['after'] / best['before'])
    if over:
        what = 'footprint, time that is left: ' + ', '.join(map(short, paths))
        add(what, 'time, geomean', [0.6], [1], [stats.geomean(over)], digits=2)
    for path in paths:
        is_code = path.endswith('.i')
        words = [path, '4000000']
        best = in_turns('bench_footprint', ['one', 'c=.9'] + words)
        splay = in_turns('bench_footprint', ['one', 'olken-splay'] + words, 2)
        pair = [[min(splay.values()) / best[s]] for s in SIDES]
        what = 'footprint, c = .9, against the splay tree of bench_footprint.c: ' + short(path)
        add(what, 'times faster', [8 if is_code else 4.5], *pair, digits=1, more_is_better=True)
        if is_code:
            continue
        best = in_turns('bench_footprint', ['one', 'average-only'] + words, 5)
        alias = in_turns('bench_footprint', ['one', 'aliasing-table'] + words, 5)
        pair = [[best[s] / min(alias.values())] for s in SIDES]
        add('average only, over an aliasing table: ' + short(path), 'time', [1.4], *pair, digits=2)
    best = in_turns('footprint_versions', ['random-1e6'])
    add('footprint, random, m = 1e6', 'ns', [130], *[[best[s]] for s in SIDES], digits=0)
    turns = [in_turns('footprint_versions', ['turns-' + c]) for c in ('.9', '1')]
    pair = [[t[s] for t in turns] for s in SIDES]
    add('interleaving, strict alternation, c = .9 / 1', 'ns', [60, 250], *pair, digits=0)
    if not paths:
        table.append(('rows of data accesses', '', '', 'no block trace was given', '', ''))


# ---- the page


def machine():
    with open('/proc/cpuinfo') as file:
        cpu = re.search(r'model name\s*: (.*)', file.read()).group(1)
    gcc = call(['gcc', '--version']).splitlines()[0]
    load = 'load %.1f over the last 15 minutes' % os.getloadavg()[2]
    system = 'Linux ' + os.uname().release
    return '; '.join([cpu, '%d processors' % (os.cpu_count() or 1), system, gcc, load])


PAGE = """# Before and after

Written by `sh bench/before_after.sh TRACE ...` on %s. *Before* is version 0.1.0 (%s),
*after* is the tree that holds this page. Both were measured in one run, in turns. In real programs
*before* has checks where the bench of that version put them by macros; *after* has those of `bursty
cc`, with keepregs.h. Instructions are counted by qemu-x86_64 and callgrind. Times are user and
system time. %s

The code of the paper's authors and libCacheSim are in no package, so no script here builds them.
Rows that were to be set beside the authors' code say how much of the time of *before* is left; the
goal is the share of the authors' time that was asked, over that which *before* took. docs/hcct.md
and docs/footprint.md tell what runs by hand beside both showed.
"""


def main():
    os.makedirs(WORK, exist_ok=True)
    real = Real()
    say('real programs: building')
    real.build()
    if TRACES == ['build']:
        return
    calls, blocks = kinds()
    real.rows()
    say('checks, fib, events')
    registers()
    forms()
    contexts(calls)
    footprints(blocks)
    print(PAGE % (time.strftime('%Y-%m-%d'), COMMIT, real.again))
    print(machine() + '.\n')
    print('| what | unit | goal | before | after | |\n|---|---|---:|---:|---:|---|')
    for row in table:
        print('| ' + ' | '.join(row) + ' |')


main()
