#!/usr/bin/python3
"""results.py full|quick|smoke BUILD_DIR RESULTS.md COSTS.md README.md - what the benches measured, as
tables, beside what was aimed at; the figures of docs/costs.md, between its two marks; and README's
sentences of programs that nobody tuned. Every single time stays in BUILD_DIR.

Times stand there only if the run was quiet: QUIET says when. After another run the page keeps the
last times that were good, with their date, or says that there are none."""
import json, os, platform, re, subprocess, sys, textwrap, time
from readme import with_figures
from stats import geomean

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'real'))
from programs import PROGRAMS, UNTUNED

MODE, BUILD, MD, COSTS, README = sys.argv[1:]
BEST = 'EC+L4'  # the paper's choice
QUIET = dict(passes=20, seconds=2, geomean=0.01, worst=0.02)  # of A/A: how far from 1
TIMES = '<!-- times -->\n', '<!-- end of times -->\n'
FIGURES = '<!-- overhead -->\n', '<!-- end of overhead -->\n'


def load(name):
    path = os.path.join(BUILD, name)
    return json.load(open(path)) if os.path.exists(path) else None


def output(*command):
    try:
        return (
            subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
            .stdout.decode()
            .splitlines()[0]
        )
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def table(head, rows, left=1):
    lines = [
        '| ' + ' | '.join(head) + ' |',
        '|' + '|'.join(['---'] * left + ['---:'] * (len(head) - left)) + '|',
    ]
    return '\n'.join(lines + ['| ' + ' | '.join(str(c) for c in r) + ' |' for r in rows]) + '\n'


def number(x, digits=3):
    return '' if x is None else '%.*f' % (digits, x)


def machine():
    model = next(
        (l.split(':')[1].strip() for l in open('/proc/cpuinfo') if l.startswith('model name')),
        platform.processor(),
    )
    compilers = [
        v
        for v in (
            output(c, '--version') for c in ('gcc', 'clang-14', 'clang-19', 'arm-none-eabi-gcc')
        )
        if v
    ]
    return dict(
        cpu=model,
        cores=os.cpu_count(),
        kernel=platform.release(),
        compilers=compilers,
        date=time.strftime('%Y-%m-%d', time.gmtime()),
        load=os.getloadavg()[2],
    )


def geomean_and_worst(ratios, programs):
    """(geomean, worst, its program) of those of these programs that have a ratio; None if none has."""
    i = {p: ratios[p] for p in programs if ratios.get(p)}
    if not i:
        return None
    worst = max(i, key=i.get)
    short = '; of %d' % len(i) if len(i) < len(programs) else ''
    return geomean(i.values()), i[worst], worst + short


class Real:
    """Rows of real.json by program and name."""

    def __init__(self, data):
        self.data, self.rows = data, {(r['program'], r['row']): r for r in data['rows']}
        self.programs = [p['program'] for p in data['programs']]
        self.why_no_times = self.not_quiet()
        if self.why_no_times:
            for row in data['rows'] + data['peers']:
                row['ratio'] = None

    def ratios(self, name, over='plain', what='ratio'):
        """By program, for those that have the row: a smoke test leaves out some."""
        out = {}
        for p in self.programs:
            a, b = self.rows.get((p, name)), self.rows.get((p, over))
            if a and b and a[what] is not None and b[what] is not None:
                out[p] = a[what] / b[what]
        return out

    def noise(self):
        """(geomean, worst) of A/A, as distances from 1; None if nothing was timed."""
        again = self.ratios('A/A').values()
        if not again:
            return None
        return abs(geomean(again) - 1), max(abs(r - 1) for r in again)

    def not_quiet(self):
        """Why the times of this run are not shown, or None."""
        noise, passes = self.noise(), self.data['passes']
        if not noise:
            return 'this run counted instructions alone'
        shortest = min(self.rows[p, 'plain']['seconds'] for p in self.programs)
        for bad, why in (
            (passes < QUIET['passes'], '%d runs of each' % passes),
            (shortest < QUIET['seconds'], 'a run of %.1f s' % shortest),
            (noise[0] >= QUIET['geomean'], 'A/A is off by %.3f (geomean)' % noise[0]),
            (noise[1] >= QUIET['worst'], 'A/A is off by %.3f at worst' % noise[1]),
        ):
            if bad:
                return why
        return None

    def set(self, program, name):
        """What is known about a set of checks, or None."""
        about = next(p for p in self.data['programs'] if p['program'] == program)
        return next((s for s in about['sets'] if s['set'] == name), None)

    def summary(self, name, over='plain', what='instructions', programs=None):
        """(geomean, worst, its program), or None."""
        i = self.ratios(name, over, what)
        return geomean_and_worst(i, programs or self.programs)


def goals(micro, real):
    rows = []

    def add(figure, goal, measured, met):
        rows.append(
            [
                figure,
                goal,
                measured or 'not measured',
                '' if not measured else 'met' if met else '**missed**',
            ]
        )

    fast = {f['target']: f for f in micro['fast']}
    hosted = [f for n, f in fast.items() if not n.startswith('Cortex')]
    add(
        'fast path, x86-64: ' + ', '.join(n for n in fast if not n.startswith('Cortex')),
        '2 instructions',
        ', '.join(str(f['instructions']) for f in hosted),
        all(f['instructions'] == 2 for f in hosted),
    )
    thumb = next((f for n, f in fast.items() if n.startswith('Cortex')), None)
    add(
        'fast path, Thumb-2 (Cortex-M3)',
        '<= 5 instructions, <= 12 bytes',
        thumb and '%d instructions, %d bytes' % (thumb['instructions'], thumb['bytes']),
        thumb and thumb['instructions'] <= 5 and thumb['bytes'] <= 12,
    )
    counts = register_counts()
    for figure in ('six live arguments', 'loop with four live values, an iteration'):
        for portable in (False, True):
            more = {c: m for c, m in counts[figure].items() if c.endswith('BURSTY_PORTABLE') == portable}
            add(
                'check in a whole function, %s: %s' % (figure, '; '.join(more)),
                '2 more instructions',
                ', '.join(more.values()),
                all(float(m) <= 2 for m in more.values()),
            )
    for figure, name, over, goal in (
        ('basic overhead, points, EC+L4', BEST, 'plain', (1.02, 1.04)),
        ('rule Q, points', 'Q', 'plain', (1.02, 1.045)),
        ('behind the optimizer, points, EC+L4', BEST + ' late', 'plain', (1.02, 1.04)),
        ('behind the optimizer, points, rule Q', 'Q late', 'plain', (1.015, 1.03)),
        ('dual paths, EC+L4', 'dual', 'plain', (1.02, 1.05)),
        ('poll mode, closed, EC+L4', 'poll', 'plain', (1.01, None)),
        ('sampling at 1 %, over not sampling', BEST + ', 1 %', BEST, (1.03, None)),
        ('sampling at 0.1 %, over not sampling', BEST + ', 0.1 %', BEST, (1.01, None)),
    ):
        for what, unit in (('instructions', 'instructions'), ('ratio', 'time')):
            got = real.summary(name, over, what)
            if not got and what == 'ratio':
                continue
            add(
                '%s: %s (geomean / worst)' % (figure, unit),
                '%g' % goal[0] + (' / %g' % goal[1] if goal[1] else ''),
                got and '%.3f / %.3f (%s)' % got,
                got and all(g is None or rounds_to(r, g) for r, g in zip(got, goal)),
            )
    by = {(r['build'], r['group'], r['rival']): r for r in micro['rows']}
    for build in ('gcc', 'gcc -O3', 'clang-19') if by else ():
        loops = [(g, by[build, g, 'BURST_FOR_LEAF']['ratio']) for g in ('sum', 'hash', 'compare')]
        add(
            'BURST_FOR_LEAF over the plain loop, %s' % build,
            '<= 1.02',
            ', '.join('%s %.2f' % l for l in loops),
            all(r < 1.025 for g, r in loops),
        )
    for form in ('BURST_DUAL', 'BURST_ENTRY') if by else ():
        fib = [by[b, 'fib', form]['ratio'] for b in ('gcc', 'clang-19')]
        add(
            'recursive fib, %s over plain: gcc, clang-19' % form,
            '<= 1.15',
            ', '.join('%.2f' % r for r in fib),
            max(fib) <= 1.155,
        )
    at = [o for o in real.data['overlap'] if o['rate'] == '499:1']
    methods, pairs = min(at, key=lambda o: o['methods']), min(at, key=lambda o: o['pairs'])
    add(
        'overlap with the full profile at 499 : 1, jittered, worst program: methods / call pairs',
        '98.5 / 97 %',
        '%.1f (%s) / %.1f %% (%s)'
        % (100 * methods['methods'], methods['program'], 100 * pairs['pairs'], pairs['program']),
        methods['methods'] >= 0.985 and pairs['pairs'] >= 0.97,
    )
    for what, unit, most in (('instructions', 'instructions', 0.001), ('ratio', 'time', 0.01)):
        for figure, predict in (('equation 4', equation_4), ('equation 4 and what a burst costs', with_bursts)):
            if real.summary('A/A', what='ratio') or what == 'instructions':
                add(
                    'overhead predicted by %s, worst of programs at 1 %% and 0.1 %%: %s' % (figure, unit),
                    'within %g point%s' % (100 * most, '' if most == 0.01 else 's'),
                    *worst_prediction(real, predict, what, most)
                )
    for figure, name, most in (('points', BEST, 1.08), ('dual paths', 'dual', 1.9)):
        sets = [real.set(p, name) for p in real.programs]
        sizes = [s['text'] for s in sets if s]
        add(
            'text growth, %s, EC+L4 (geomean / worst)' % figure,
            '<= %g' % most,
            '%.3f / %.3f' % (geomean(sizes), max(sizes)) if sizes else None,
            sizes and geomean(sizes) < most + 0.005,
        )
    return table(['figure', 'goal', 'measured', ''], rows, 4)


def rounds_to(ratio, goal):
    """Is it no more than the goal, with as many digits as the goal has?"""
    digits = len(('%g' % goal).partition('.')[2])
    return round(ratio, digits) <= goal


CYCLES = {'1 %': (990, 10), '0.1 %': (9990, 10)}
OFTEN = 90, 10  # the run that tells what a burst costs


def measured(real, program, rate, what):
    return real.rows[program, BEST + ', ' + rate][what] - 1


def equation_4(real, program, rate, what='ratio'):
    """Predicted overhead over plain: that of checks that never start a burst, and r times what a
    run that records every event costs more. Times, or instructions."""
    check, burst = CYCLES[rate]
    basic, every = (real.rows[program, BEST + name][what] for name in (', idle', ', always'))
    return basic - 1 + burst / (check + burst) * (every - basic)


def summed(bursts):
    """The part of bursts that bursty.h adds to its sums for intervals: 1024, then one of 8."""
    return 1 if bursts <= 1024 else (1024 + (bursts - 1024) / 8) / bursts


def burst_costs(real, program, what):
    """(e, E, x) in units of the plain run: what an event of each check would cost; what a burst of
    10 at each check would cost beside its events; and the same of adding a burst to the sums for
    intervals. e comes from the run that records every event, E from one with a burst in 100 checks.
    With instructions x comes from a run with few bursts, each of which is summed; in time it is
    part of E."""
    basic, every, often = (
        real.rows[program, BEST + name][what] for name in (', idle', ', always', ', often')
    )
    e = every - basic
    check, burst = OFTEN
    both = (often - basic) * (check + burst) - burst * e
    if what != 'instructions':
        return e, both, 0
    about = next(p for p in real.data['programs'] if p['program'] == program)
    checks, few = about['counted_checks'], about['few_bursts']
    plain = real.rows[program, 'plain']['executed']
    alone = (about['few_executed'] / plain - basic) * checks / few - burst * e
    part = summed(checks / (check + burst))
    x = (alone - both) / (1 - part) if part < 0.9 else 0
    return e, both - part * x, x


def with_bursts(real, program, rate, what='ratio'):
    """Predicted overhead over plain: equation 4, and what bursts cost beside their events."""
    check, burst = CYCLES[rate]
    about = next(p for p in real.data['programs'] if p['program'] == program)
    e, each, x = burst_costs(real, program, what)
    part = summed(about['counted_checks'] / (check + burst))
    return (
        real.rows[program, BEST + ', idle'][what]
        - 1
        + (burst * e + each + part * x) / (check + burst)
    )


def worst_prediction(real, predict, what, most):
    """What the worst prediction is off by, as text, and whether that is little enough."""
    off = [
        (abs(predict(real, p, r, what) - measured(real, p, r, what)), p, r)
        for p in real.programs
        for r in CYCLES
    ]
    digits = 1 if most >= 0.01 else 2
    return '%.*f points (%s at %s)' % (digits, 100 * max(off)[0], *max(off)[1:]), max(off)[0] < most


def burst_table(real, what):
    """e and E of this machine."""
    rows = []
    for about in real.data['programs']:
        p = about['program']
        plain = real.rows[p, 'plain']
        if what == 'ratio':
            unit, digits = 1e9 * plain['seconds'] / about['checks'], 1
        else:
            unit, digits = plain['executed'] / about['counted_checks'], 0
        rows.append([p] + ['%.*f' % (digits, unit * n) for n in burst_costs(real, p, what)])
    if what == 'ratio':
        return table(['program', 'e, ns', 'E, ns'], [row[:3] for row in rows])
    return table(['program', 'e', 'E', 'sums'], rows)


def with_spread(row):
    return '%.3f' % row['ratio'] + ('' if row['spread'] is None else ' ± %.3f' % row['spread'])


HIDDEN = [BEST + ', ' + n for n in ('idle', 'often', 'always')]


def in_order(lists):
    """All names, as they stand in the longest list: BENCH_FEW made the others of it."""
    return list(dict.fromkeys(n for names in sorted(lists, key=len, reverse=True) for n in names))


def row_names(real):
    lists = [[n for p, n in real.rows if p == program] for program in real.programs]
    return [n for n in in_order(lists) if n != 'plain']


def real_times(real):
    rows = []
    for n in row_names(real):
        t = real.ratios(n)
        if n not in HIDDEN:
            rows.append(
                [n]
                + [with_spread(real.rows[p, n]) if p in t else '' for p in real.programs]
                + [number(geomean(t.values())), number(max(t.values()))]
            )
    text = [
        'Time, user and system, over plain (%d runs of each by hyperfine, order reversed every '
        'time; ± two standard errors). A/A is plain beside plain: claim nothing below it.\n'
        % real.data['passes'],
        table(['checks'] + real.programs + ['geomean', 'worst'], rows),
    ]
    rows = []
    for p in real.data['programs']:
        seconds = real.rows[p['program'], 'plain']['seconds']
        rows.append(
            [
                '%s `%s`' % (p['program'], p['arguments']),
                number(seconds, 2),
                '%.0f' % (p['checks'] / seconds / 1e6),
            ]
        )
    text += [
        'What was run, plain; then %s: checks a second of plain.\n' % BEST,
        table(['program', 'seconds', 'million checks a second'], rows),
    ]
    text += [
        'An event costs e and a burst E beside its events.\n',
        burst_table(real, 'ratio'),
        predictions(real, 'ratio', 'time'),
    ]
    return '\n'.join(text)


def predictions(real, what, unit):
    rows = [
        [p]
        + [
            ', '.join(
                '%.2f' % (100 * f(real, p, rate, what)) for f in (equation_4, with_bursts, measured)
            )
            for rate in CYCLES
        ]
        for p in real.programs
    ]
    head = ['%s, %s: equation 4, with bursts, measured' % (unit, rate) for rate in CYCLES]
    return table(['program'] + head, rows)


def real_tables(real):
    rows = []
    for n in row_names(real):
        i = real.ratios(n, what='instructions')
        if i and n != 'A/A':
            cells = [number(i.get(p)) for p in real.programs]
            rows.append([n] + cells + [number(geomean(i.values())), number(max(i.values()))])
    text = [
        'Executed instructions over plain; *always* records every event,\n*often* one of 10 in '
        'bursts of 10, *idle* samples, but no burst ever comes; all write a dump at exit, which '
        'takes a million instructions:\n',
        table(['checks'] + real.programs + ['geomean', 'worst'], rows),
    ]
    names = in_order([s['set'] for s in p['sets']] for p in real.data['programs'])
    names.remove('plain')
    rows = []
    for n in names:
        sets = [real.set(p, n) for p in real.programs]
        cells = [
            s
            and ('%d + %d, ' % (s['entries'], s['loops']) if 'entries' in s else '')
            + '%.2f' % s['text']
            for s in sets
        ]
        rows.append([n] + [c or '' for c in cells])
    text += [
        'Entry checks + loop checks of a set, and text of the program\'s own objects over plain '
        '(*kept*: entries that '
        'lost their check are\nrecorded inside of bursts):\n',
        table(['checks'] + real.programs, rows),
    ]
    text += [
        'Overhead over plain in percent of instructions with %s: predicted by equation 4 from the '
        'run that records every event, predicted with what a burst costs, too, and measured.\n'
        % BEST,
        predictions(real, 'instructions', 'instructions'),
        'Equation 4 leaves out the ends of bursts. Here overhead = basic + events x e + bursts x '
        'E: an event costs e, '
        'by the run that records\nevery event; a burst of 10 costs E beside its events, by a run '
        'with a burst in 100 checks. '
        'Neither run is one of those predicted.\nOf the first 1024 bursts each goes into the '
        'sums for intervals, later one of 8: '
        'that is counted for itself (from a run of %d bursts). Instructions:\n'
        % real.data['programs'][0]['few_bursts'],
        burst_table(real, 'instructions'),
    ]
    rates = list(dict.fromkeys(o['rate'] for o in real.data['overlap']))
    at = {(o['program'], o['rate']): o for o in real.data['overlap']}
    rows = []
    for p in real.data['programs']:
        seen = [at.get((p['program'], r)) for r in rates]
        rows.append(
            ['%s `%s`' % (p['program'], p['arguments'])]
            + ['%.2f %%' % (100 * p['events'] / p['checks']) if p['checks'] else 'none']
            + ['%.1f, %.1f' % (100 * o['methods'], 100 * o['pairs']) if o else '' for o in seen]
        )
    text += [
        'What was recorded when 1 % was asked for; then the overlap of sampled with full profiles, '
        'in percent: methods, call pairs\n(scopes at every function entry, jitter 12 %, one '
        'run).\n',
        table(['program', 'asked 1 %'] + ['overlap at ' + r.replace(':', ' : ') for r in rates], rows),
    ]
    return '\n'.join(text + elimination(real))


COMPILE = """Processor time to compile, over the plain build of the same compiler. Each file was
compiled once, on a machine that may have done other work: ratios below 1 show
how much of a row can be noise."""


def compile_table(real):
    """What a build costs whoever waits for it."""
    about = real.data['programs']
    rows = []
    for name in in_order(p['compile'] for p in about):
        ratios = [p['compile'].get(name) for p in about]
        there = [r for r in ratios if r]
        title = name if name.split()[0] in ('gcc', 'clang') else 'gcc ' + name
        rows.append([title] + [number(r, 2) for r in ratios] + [number(geomean(there), 2)])
    return table(['row'] + real.programs + ['geomean'], rows)


def elimination(real):
    """Figure 8's question."""
    lost = {(e['program'], e['set']): e['methods'] for e in real.data['elimination']}
    if not lost:
        return []
    names = list(dict.fromkeys(e['set'] for e in real.data['elimination']))
    return [
        'Figure 8\'s question: what a profile loses with its checks. Overlap, in percent, of '
        'shares of function '
        'entries sampled at 1000 : 50 with those of\nevery entry. A function whose check went is '
        'not seen where the check is '
        'the event; *kept* records it inside of bursts (`--keep-events`).\n',
        table(
            ['checks'] + real.programs,
            [[n] + ['%.1f' % (100 * lost[p, n]) for p in real.programs] for n in names],
        ),
    ]


class Peers:
    """Rows of peers over the plain row of their own compiler or their own way of counting: the
    first words of their names are the same."""

    def __init__(self, real):
        self.rows = {(r['program'], r['row']): r for r in real.data['peers']}
        self.programs = list(dict.fromkeys(p for p, n in self.rows))
        lists = [[n for p, n in self.rows if p == program] for program in self.programs]
        self.names = [n for n in in_order(lists) if n != 'A/A']

    def over(self, program, name, what):
        mine = self.rows.get((program, name))
        if not mine:
            return None
        plain = self.rows.get((program, name.split()[0] + ' plain'))
        if what == 'ratio' and name.startswith('run'):  # times compare with any plain run
            plain = self.rows[program, 'gcc plain']
        return plain and mine[what] and mine[what] / plain[what]

    def why_not(self, program, name):
        """What stands where a ratio would: nothing if the row was left out."""
        row = self.rows.get((program, name))
        return row['uncounted'] or '' if row else ''

    def summary(self, name, programs):
        """(geomean, worst, its program) of instructions, or None."""
        return geomean_and_worst(
            {p: self.over(p, name, 'instructions') for p in self.programs}, programs
        )

    def table(self):
        """Instructions, of all programs."""
        rows = []
        for n in self.names:
            if n.endswith(' plain'):
                continue
            ratios = [self.over(p, n, 'instructions') for p in self.programs]
            counted = [r for r in ratios if r]
            if not counted:
                row = next(self.rows[p, n] for p in self.programs if (p, n) in self.rows)
                why = row['uncounted'] or 'not counted'
                rows.append([n] + ['' for p in self.programs] + [why])
            else:
                each = zip(self.programs, ratios)
                cells = [number(r, 2) if r else self.why_not(p, n) for p, r in each]
                rows.append([n] + cells + [number(geomean(counted), 3)])
        return table(['row'] + self.programs + ['geomean'], rows) if rows else ''

    def times(self):
        """Of the program that was timed."""
        p = next(p for p in self.programs if self.rows[p, 'gcc plain']['ratio'])
        rows = [
            [n, with_spread(dict(self.rows[p, n], ratio=self.over(p, n, 'ratio')))]
            for n in self.names
            if not n.endswith(' plain') and (p, n) in self.rows
        ]
        return '%s, each over the plain build of the same compiler:\n\n%s' % (
            p,
            table(['row', 'time'], rows),
        )


def form_peers(micro):
    text = []
    by = {(r['build'], r['group'], r['rival']): r for r in micro['rows']}
    names = [
        (
            'bursty, BURST_DUAL and BURST_FOR_LEAF: gcc',
            'gcc',
            ('BURST_DUAL', 'BURST_FOR_LEAF', 'BURST_FOR_LEAF', 'BURST_FOR_LEAF'),
        ),
        (
            'bursty, BURST_ENTRY and BURST_LOOP: gcc',
            'gcc',
            ('BURST_ENTRY', 'BURST_LOOP', 'BURST_LOOP', 'BURST_LOOP'),
        ),
        (
            'bursty, BURST_DUAL and BURST_FOR_LEAF: clang-19',
            'clang-19',
            ('BURST_DUAL', 'BURST_FOR_LEAF', 'BURST_FOR_LEAF', 'BURST_FOR_LEAF'),
        ),
        (
            'bursty, BURST_ENTRY and BURST_LOOP: clang-19',
            'clang-19',
            ('BURST_ENTRY', 'BURST_LOOP', 'BURST_LOOP', 'BURST_LOOP'),
        ),
    ]
    names += [
        (n, n, ('plain',) * 4)
        for n in dict.fromkeys(r['build'] for r in micro['rows'] if r['peer'])
    ]
    rows = [
        [title]
        + [
            number(by[build, g, rival]['ratio'], 2)
            for g, rival in zip(('fib', 'sum', 'hash', 'compare'), rivals)
        ]
        for title, build, rivals in names
    ]
    text += [
        'fib and three loops, each over the plain one of the same compiler at -O2:\n',
        table(['', 'fib', 'sum', 'hash', 'compare'], rows),
    ]
    return '\n'.join(text)


def micro_tables(micro):
    mine = [r for r in micro['rows'] if not r['peer']]
    builds = list(dict.fromkeys(r['build'] for r in mine))
    by = {(r['group'], r['rival'], r['build']): r for r in mine}
    rows = []
    for group, rival in dict.fromkeys((r['group'], r['rival']) for r in mine):
        cells = [by.get((group, rival, b)) for b in builds]
        rows.append(
            [group, rival]
            + ['%.2f (%.2f)' % (c['median_ns'], c['ratio']) if c else '' for c in cells]
        )
    text = [
        'Median nanoseconds, and in brackets the ratio to the first row of the group:\n',
        table(['group', 'rival'] + builds, rows, 2),
    ]
    whats = list(dict.fromkeys(v['what'] for v in micro['values']))
    shown = [
        '%s %s' % (w, ', '.join('%g' % v['value'] for v in micro['values'] if v['what'] == w))
        for w in whats
    ]
    names = ', '.join(dict.fromkeys(v['build'] for v in micro['values']))
    text.append('Counted, by %s: %s.\n' % (names, '; '.join(shown)))
    return '\n'.join(text)


def register_counts():
    """What tests/test_registers.sh counted: extra executed instructions of whole functions, by
    function and compiler."""
    counts = {}
    for line in open(os.path.join(BUILD, 'registers.txt')):
        found = re.match(r'(\S+) (-\S.*?)?: (.*): (\d+) instructions, (-?[\d.]+) more', line)
        if found:
            form = {None: '', '-fno-pie -no-pie': ', fixed address'}
            flags = found.group(2)
            compiler = found.group(1) + form.get(flags, ', ' + (flags or '')[2:])
            counts.setdefault(found.group(3), {})[compiler] = found.group(5)
    return counts


def register_table():
    counts = register_counts()
    compilers = list(dict.fromkeys(c for row in counts.values() for c in row))
    return table(
        ['function'] + compilers,
        [[f] + [row.get(c, '') for c in compilers] for f, row in counts.items()],
    )


def other(name):
    path = os.path.join(BUILD, name + '.txt')
    if not os.path.exists(path):
        return ''
    body = open(path).read().strip('\n')
    if not re.search(r'^\|', body, re.M):
        body = '```\n' + body + '\n```'
    return '## %s.h\n\n%s\n' % (name, body)


def part(path, marks):
    """What stands between the marks of a page; empty without."""
    text = open(path).read() if os.path.exists(path) else ''
    return text.split(marks[0])[1].split(marks[1])[0] if marks[0] in text else ''


def times_section(micro, real, host):
    """The times of this run if it was quiet, else those that stand there."""
    why = real.why_no_times
    if not why:
        text = ['Measured on %(date)s at %(commit)s, load %(load).1f.\n' % host, real_times(real)]
        text += [Peers(real).times(), form_peers(micro), '### Forms\n']
        text += [
            'In-process, rivals in turn; times of one operation; "leaf call" has the empty loop\'s '
            'time taken off. A word in memory that every check decrements makes a chain of some 5 '
            'cycles, which the processor can sometimes skip: in loops of a few cycles times jump '
            'accordingly.\n',
            micro_tables(micro),
            other('hcct'),
            other('footprint'),
        ]
        return '\n'.join(text).rstrip('\n') + '\n'
    kept = part(MD, TIMES)
    if 'Measured on' not in kept:
        kept = 'No run was quiet enough yet.\n'
    said = 'The last run was not quiet enough for times (%s).' % why
    rest = kept[kept.index('Measured on') :] if 'Measured on' in kept else kept
    return said + ' These are of an earlier one.\n\n' + rest if 'Measured on' in kept else said + ' ' + rest


def cost_figures(real, host):
    """The block of docs/costs.md."""
    tuned = [p for p in real.programs if p not in UNTUNED]
    untuned = [p for p in real.programs if p in UNTUNED]
    peers, rows = Peers(real), []
    late = BEST + ' late'
    for what, name, over in (
        ('points in source, EC+L4', BEST, 'plain'),
        ('points in source, rule Q', 'Q', 'plain'),
        ('points behind the optimizer, EC+L4', late, 'plain'),
        ('points behind the optimizer, rule Q', 'Q late', 'plain'),
        ('dual paths, EC+L4', 'dual', 'plain'),
        ('poll mode, closed, EC+L4', 'poll', 'plain'),
        ('sampling at 1 %, over not sampling', BEST + ', 1 %', BEST),
        ('sampling at 0.1 %, over not sampling', BEST + ', 0.1 %', BEST),
        ('the same behind the optimizer, at 1 %', late + ', 1 %', late),
        ('clang, points in source, EC+L4', 'clang ' + BEST, None),
        ('clang, points in source, rule Q', 'clang Q', None),
        ('clang, points behind the optimizer, EC+L4', 'clang ' + late, None),
        ('clang, points behind the optimizer, rule Q', 'clang Q late', None),
        ('clang, dual paths, EC+L4', 'clang dual', None),
    ):
        cells = [
            real.summary(name, over, programs=p) if over else peers.summary(name, p)
            for p in (tuned, untuned)
        ]
        rows.append([what] + ['%.3f / %.3f (%s)' % c if c else '' for c in cells])
    text = textwrap.fill(
        '`%s` on %s at %s: %s, %d cores, Linux %s, load %.1f over the last 15 minutes.'
        % (command(real), host['date'], host['commit'], host['cpu'], host['cores'], host['kernel'], host['load']),
        80,
        break_on_hyphens=False,
    ) + '\n\n'
    absent = [p.name for p in PROGRAMS if p.name not in real.programs]
    if absent:
        text += 'Not measured in this run: %s.\n\n' % ', '.join(absent)
    head = [
        'instructions, ratio to the plain program: geomean / worst',
        'programs that we know: ' + ', '.join(tuned),
        'that nobody tuned: ' + ', '.join(untuned),
    ]
    text += table(head, rows, 3)
    why = real.why_no_times
    text += '\n' + (
        'Times are left out: %s.\n' % why
        if why
        else 'Times: A/A, plain beside plain, is off by %.3f (geomean) and %.3f at worst.\n'
        % real.noise()
    )
    beside = peers.table()
    if beside:
        text += '\nInstructions over the plain build of the same compiler; beside us'
        text += left_out(real) + ':\n\n' + beside
        text += '\n%s\n\n%s' % (COMPILE, compile_table(real))
    return '\n' + text + '\n'


def readme(real, text):
    untuned = [p for p in real.programs if p in UNTUNED]
    if not untuned:
        return text
    basic, worst, _ = real.summary(BEST, programs=untuned)
    sampled, _, _ = real.summary(BEST + ', 1 %', BEST, programs=untuned)
    return with_figures(text, len(untuned), basic, worst, sampled)


def command(real):
    """What measures this again."""
    only = 'BENCH_ONLY="%s" ' % ' '.join(real.programs)
    if len(real.programs) == len(PROGRAMS):
        only = ''
    if real.data['few']:
        only += 'BENCH_FEW="%s" ' % ' '.join(real.data['few'])
    return only + 'make bench' + ('' if MODE == 'full' else '-' + MODE)


def left_out(real):
    """What empty cells mean, as the end of a sentence."""
    if not real.data['few']:
        return ''
    return ' (empty: left out\nby BENCH_FEW, and of the geometric mean, too)'


def holes(real):
    """The builds that were not proved, as the end of a sentence."""
    found = ['%s of %s' % (n, p['program']) for p in real.data['programs'] for n in p['not_proved']]
    return ', but for ' + ', '.join(found) if found else ''


def main():
    micro, real_data, host = load('micro.json'), load('real.json'), machine()
    host['commit'] = real_data['commit']
    real = Real(real_data)
    if real.why_no_times:
        micro['rows'] = []
    text = '''# What the benches measured

Written by `%s` on %s, at commit %s; run it to make your own. %s, %d cores, Linux %s, load
%.1f over the last 15 minutes;
%s.
qemu-x86_64 counts instructions exactly, whatever else the machine does. Programs that nobody tuned:
%s.

## Goals

%s
Figure 3 (0 mismatches), strip-mined against naive event streams (0 differences) and the
Cortex-M0's flash and RAM are not timings: `make test` and `make matrix` check them.

## Real programs

Figure 6 of Bursty Tracing with today's programs, built by `bursty cc` and plans of `bursty place`
(docs/place.md). *orig* has a check at every entry and in every loop; EL, EC and EN leave out
entries, L4, L10 and LN loops; EC+L4 is the paper's choice; *default* is what `bursty place` does
without --set; *Q* is its rule Q; *scopes* is orig with a scope at each entry; *dual* is EC+L4
with two copies of functions and loops; *poll* is EC+L4 with checks that read a flag that nothing
sets (`bursty cc` has no such form; the bench makes it of what `bursty cc` writes). Their checks are
put into the source; those of *orig late*, *EC+L4 late* and *Q late* come from a plugin of gcc,
behind its optimizer. Nothing samples unless a rate is given. All outputs were equal, byte for byte, and all plans but EN and LN
were proved on what was built%s. Lua is built with its switch instead of its jump table; its hash
seed is fixed.

Which form is for which question:

- How often do functions and loops run, and who calls whom? *dual*, with any set: second copies
  count what has no check, too.
- What stands on the stack, with callers of callers? *scopes*.
- How long do things take, at the least cost or in the least text? Points, with EC+L4 or Q. A
  function without a check is not in the profile; `bursty place --counts` says which these are and
  keeps those with 1 %% of calls or ticks.
- What may run how long without a look? Points with `bursty place --within`.
- Is it off nearly always? *poll*, by hand (bursty.h).

%s
## Beside other ways of looking

[docs/costs.md](../docs/costs.md) has the instructions and the processor time to compile,
over the plain build of the same compiler: whole runs on small inputs, start and end included.
-finstrument-functions has empty hooks. XRay is clang's, with its default threshold or at
every function (*of all*): asleep, or patched and writing in its basic or its flight-data mode.
The rows *run* start the plain program (uftrace that of -pg) by another one; callgrind counts them,
and only in the process that is looked at. perf record works in the kernel, and callgrind runs the
program in its own processor: both are timed only. *fails*: it cannot run that program, which
the geometric mean leaves out. Neither Debian nor npm has Tracy's client or
spall.h.

## What a check costs a whole function

Executed instructions that a check adds to a function, registers saved and moved for its sake
included; a loop per iteration. `make test` counts them too and fails when there are more
(tests/test_registers.sh). What a point adds to an empty function, its cold part left out: %s.

%s
## Times

Times stand here if %d runs of each, of at least %d s, were taken with A/A, plain beside plain,
within %g (geomean) and %g (worst) of 1.

%s%s%s''' % (
        command(real),
        host['date'],
        host['commit'],
        host['cpu'],
        host['cores'],
        host['kernel'],
        host['load'],
        '; '.join(host['compilers']),
        ', '.join(p for p in real.programs if p in UNTUNED),
        goals(micro, real),
        holes(real),
        real_tables(real),
        '; '.join(
            '%s %d instructions, %d bytes' % (f['target'], f['instructions'], f['bytes'])
            for f in micro['fast']
        ),
        register_table(),
        QUIET['passes'],
        QUIET['seconds'],
        QUIET['geomean'],
        QUIET['worst'],
        TIMES[0],
        times_section(micro, real, host),
        TIMES[1],
    )
    figures = cost_figures(real, host)
    first = readme(real, open(README).read())
    page = open(COSTS).read()
    before, after = page.split(FIGURES[0])[0], page.split(FIGURES[1])[1]
    open(MD, 'w').write(text.rstrip('\n') + '\n')
    open(COSTS, 'w').write(before + FIGURES[0] + figures + FIGURES[1] + after)
    open(README, 'w').write(first)


main()
