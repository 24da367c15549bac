#!/usr/bin/python3
"""results.py quick|full|smoke BUILD_DIR RESULTS.md - what the benches measured, as tables, beside
what was aimed at. Every single time stays in BUILD_DIR."""
import json, os, platform, re, subprocess, sys, time
from stats import geomean

MODE, BUILD, MD = sys.argv[1:]
BEST = 'EC+L4'  # the paper's choice


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
        mode=MODE,
        load=os.getloadavg()[2],
    )


class Real:
    """Rows of real.json by program and name."""

    def __init__(self, data):
        self.data, self.rows = data, {(r['program'], r['row']): r for r in data['rows']}
        self.programs = [p['program'] for p in data['programs']]

    def ratios(self, name, over='plain', what='ratio'):
        """By program, for those that have the row: a smoke test leaves out some."""
        out = {}
        for p in self.programs:
            a, b = self.rows.get((p, name)), self.rows.get((p, over))
            if a and b and a[what] is not None and b[what] is not None:
                out[p] = a[what] / b[what]
        return out

    def set(self, program, name):
        """What is known about a set of checks, or None."""
        about = next(p for p in self.data['programs'] if p['program'] == program)
        return next((s for s in about['sets'] if s['set'] == name), None)

    def summary(self, name, over='plain'):
        """'geomean / worst' of times, and of instructions."""
        t, i = self.ratios(name, over), self.ratios(name, over, 'instructions')
        if not t:
            return None, None
        worst = max(t, key=t.get)
        return (geomean(t.values()), t[worst]), '%.3f / %.3f (%s); instructions %s' % (
            geomean(t.values()),
            t[worst],
            worst,
            '%.3f / %.3f' % (geomean(i.values()), max(i.values())) if i else 'not counted',
        )


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
    programs = ', '.join(real.programs)
    for figure, name, over, goal in (
        ('basic overhead, points, EC+L4: ' + programs, BEST, 'plain', (1.02, 1.04)),
        ('rule Q, points: ' + programs, 'Q', 'plain', (1.02, 1.045)),
        ('dual paths, EC+L4', 'dual', 'plain', (1.02, 1.05)),
        ('poll mode, closed, EC+L4', 'poll', 'plain', (1.01, None)),
        ('sampling at 1 %, over not sampling', BEST + ', 1 %', BEST, (1.03, None)),
        ('sampling at 0.1 %, over not sampling', BEST + ', 0.1 %', BEST, (1.01, None)),
    ):
        got, text = real.summary(name, over)
        add(
            figure + ' (geomean / worst)',
            '%.2f' % goal[0] + (' / %g' % goal[1] if goal[1] else ''),
            text,
            got and got[0] < goal[0] + 0.005 and (not goal[1] or got[1] < goal[1] + 0.005),
        )
    by = {(r['build'], r['group'], r['rival']): r for r in micro['rows']}
    for build in ('gcc', 'gcc -O3', 'clang-19'):
        loops = [(g, by[build, g, 'BURST_FOR']['ratio']) for g in ('sum', 'hash', 'compare')]
        add(
            'BURST_FOR over the plain loop, %s' % build,
            '<= 1.02',
            ', '.join('%s %.2f' % l for l in loops),
            all(r < 1.025 for g, r in loops),
        )
    for form in ('BURST_DUAL', 'BURST_ENTRY'):
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
    add(
        'equation 4, predicted against measured overhead, worst of programs at 1 % and 0.1 %',
        'within 1 point',
        *worst_prediction(real, equation_4, 'ratio', 0.01)
    )
    for figure, what, most in (
        ('', 'ratio', 0.01),
        (', executed instructions', 'instructions', 0.001),
    ):
        add(
            'the same with what a burst costs (e and E below)' + figure,
            'within %g point%s' % (100 * most, '' if most == 0.01 else 's'),
            *worst_prediction(real, with_bursts, what, most)
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


def burst_table(real):
    """e and E of this machine."""
    rows = []
    for about in real.data['programs']:
        p = about['program']
        e, each, _ = burst_costs(real, p, 'ratio')
        ns = 1e9 * real.rows[p, 'plain']['seconds'] / about['checks']
        ie, ieach, x = burst_costs(real, p, 'instructions')
        per = real.rows[p, 'plain']['executed'] / about['counted_checks']
        rows.append(
            [p] + ['%.1f' % (ns * e), '%.0f' % (ns * each)]
            + ['%.0f' % (per * n) for n in (ie, ieach, x)]
        )
    return table(
        ['program', 'e, ns', 'E, ns', 'e, instructions', 'E, instructions', 'sums, instructions'],
        rows,
    )


def with_spread(row):
    return '%.3f' % row['ratio'] + ('' if row['spread'] is None else ' ± %.3f' % row['spread'])


def real_tables(real):
    names = [n for n in dict.fromkeys(r['row'] for r in real.data['rows']) if n != 'plain']
    hidden = [BEST + ', ' + n for n in ('idle', 'often', 'always')]
    shown = [n for n in names if n not in hidden]
    rows = []
    for n in shown:
        t = real.ratios(n)
        rows.append(
            [n]
            + [with_spread(real.rows[p, n]) if p in t else '' for p in real.programs]
            + [number(geomean(t.values())), number(max(t.values()))]
        )
    text = [
        'Time, user and system, over plain (%d runs of each by hyperfine, order reversed every '
        'time; '
        '± two standard errors):\n' % real.data['passes'],
        table(['checks'] + real.programs + ['geomean', 'worst'], rows),
    ]
    rows = []
    for n in names:
        i = real.ratios(n, what='instructions')
        if i and n != 'A/A':
            cells = [number(i.get(p)) for p in real.programs]
            rows.append([n] + cells + [number(geomean(i.values())), number(max(i.values()))])
    text += [
        'Executed instructions over plain, on a smaller input (they and time can disagree); '
        '*always* records '
        'every event,\n*often* one of 10 in bursts of 10, *idle* samples, but no burst ever '
        'comes; all write a dump at exit, which takes a million instructions:\n',
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
                '%.2f %%' % (100 * p['events'] / p['checks']) if p['checks'] else 'none',
            ]
        )
    text += [
        'What was run, plain; then %s: checks a second of plain, and what was recorded when 1 %% '
        'was asked for.\n' % BEST,
        table(['program', 'seconds', 'million checks a second', 'asked 1 %'], rows),
    ]
    names = [s['set'] for s in real.data['programs'][0]['sets'] if s['set'] != 'plain']
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
    rates = list(dict.fromkeys(o['rate'] for o in real.data['overlap']))
    rows = []
    for p in real.programs:
        cells = [
            ', '.join(
                '%.2f' % (100 * f(real, p, rate, what)) for f in (equation_4, with_bursts, measured)
            )
            for what in ('ratio', 'instructions')
            for rate in CYCLES
        ]
        at = {o['rate']: o for o in real.data['overlap'] if o['program'] == p}
        seen = [
            '%.1f, %.1f' % (100 * at[r]['methods'], 100 * at[r]['pairs']) if at else ''
            for r in rates
        ]
        rows.append([p] + cells + seen)
    text += [
        'Overhead over plain in percent with %s: predicted by equation 4 from the run that '
        'records every event, '
        'predicted with what a burst costs, too,\nand measured. Then the overlap of sampled '
        'with full profiles, in percent: methods, call pairs\n(scopes at every function entry, '
        'jitter 12 %%, one run).\n'
        % BEST,
        table(
            ['program']
            + [
                '%s, %s: equation 4, with bursts, measured' % (w, rate)
                for w in ('time', 'instructions')
                for rate in CYCLES
            ]
            + ['overlap at ' + r.replace(':', ' : ') for r in rates],
            rows,
        ),
    ]
    text += [
        'Equation 4 leaves out the ends of bursts. Here overhead = basic + events x e + bursts x '
        'E: an event costs e, '
        'by the run that records\nevery event; a burst of 10 costs E beside its events, by a run '
        'with a burst in 100 checks. '
        'Neither run is one of those predicted.\nOf the first 1024 bursts each goes into the '
        'sums for intervals, later one of 8: '
        'that is counted for itself where instructions are counted\n(from a run of %d bursts), '
        'and is part of E in times.\n'
        % real.data['programs'][0]['few_bursts'],
        burst_table(real),
    ]
    return '\n'.join(text + elimination(real))


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


def peer_tables(micro, real):
    base = {'g': 'gcc plain', 'c': 'clang plain'}
    peers = {(r['program'], r['row']): r for r in real.data['peers']}
    programs = list(dict.fromkeys(r['program'] for r in real.data['peers']))
    rows = dict.fromkeys(r['row'] for r in real.data['peers'])
    names = [n for n in rows if n not in base.values()]

    def over(program, name, what):
        mine, plain = peers[program, name], peers.get((program, base.get(name[0])))
        return plain and mine[what] and mine[what] / plain[what]

    text = []
    if programs:
        p = programs[0]
        rows = [
            [
                n,
                with_spread(dict(peers[p, n], ratio=over(p, n, 'ratio'))),
                number(over(p, n, 'instructions')),
            ]
            for n in names
            if n[0] in base
        ]
        text += [
            p + ', each over the plain build of the same compiler:\n',
            table(['build', 'time', 'instructions'], rows),
        ]
    if len(programs) > 1:
        rows = [
            [n]
            + [
                '%.2f, %.2f' % (over(p, n, 'ratio'), over(p, n, 'instructions'))
                for p in programs
            ]
            for n in names
            if n[0] in base
        ]
        text += ['All programs: time, instructions:\n', table(['build'] + programs, rows)]
    by = {(r['build'], r['group'], r['rival']): r for r in micro['rows']}
    names = [
        (
            'bursty, BURST_DUAL and BURST_FOR: gcc',
            'gcc',
            ('BURST_DUAL', 'BURST_FOR', 'BURST_FOR', 'BURST_FOR'),
        ),
        (
            'bursty, BURST_ENTRY and BURST_LOOP: gcc',
            'gcc',
            ('BURST_ENTRY', 'BURST_LOOP', 'BURST_LOOP', 'BURST_LOOP'),
        ),
        (
            'bursty, BURST_DUAL and BURST_FOR: clang-19',
            'clang-19',
            ('BURST_DUAL', 'BURST_FOR', 'BURST_FOR', 'BURST_FOR'),
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
    text.append(
        'What a point adds to an empty function, its cold part left out: %s.\n'
        % '; '.join(
            '%s %d instructions, %d bytes' % (f['target'], f['instructions'], f['bytes'])
            for f in micro['fast']
        )
    )
    return '\n'.join(text)


def register_counts():
    """What tests/test_registers.sh counted: extra executed instructions of whole functions, by
    function and compiler."""
    counts = {}
    for line in open(os.path.join(BUILD, 'registers.txt')):
        found = re.match(r'(\S+) (-DBURSTY_PORTABLE)?: (.*): (\d+) instructions, (-?[\d.]+) more', line)
        if found:
            compiler = found.group(1) + (', BURSTY_PORTABLE' if found.group(2) else '')
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


def main():
    micro, real_data, host = load('micro.json'), load('real.json'), machine()
    real = Real(real_data)
    text = '''# What the benches measured

Written by `make bench%s` on %s; run it to make your own. %s, %d cores, Linux %s, load %.1f over
the last 15 minutes;
%s.
Only ratios taken in one run count. Claim nothing below the spread of the A/A row, where plain
runs against itself.

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
sets (`bursty cc` has no such form; the bench makes it of what `bursty cc` writes). Nothing
samples unless a rate is given. All outputs were equal, byte for byte, and all plans but EN and LN
were proved on what was built. Lua is built with its switch instead of its jump table; its hash
seed is fixed.

%s
## Beside other ways of looking

-pg, -finstrument-functions with empty hooks, gcov, XRay unpatched and sampled profile
instrumentation: what they cost while nothing is recorded, or, for -pg, gcov, `--cover` and the
sampled profile, what they cost as they are.

%s
## Forms

In-process, rivals in turn; times of one operation; "leaf call" has the empty loop's time taken
off. A word in memory that every check decrements makes a chain of some 5 cycles, which the
processor can sometimes skip: in loops of a few cycles times jump accordingly.

%s
## What a check costs a whole function

Executed instructions that a check adds to a function, registers saved and moved for its sake
included; a loop per iteration. `make test` counts them too and fails when there are more
(tests/test_registers.sh).

%s
''' % (
        '' if MODE == 'full' else '-' + MODE,
        host['date'],
        host['cpu'],
        host['cores'],
        host['kernel'],
        host['load'],
        '; '.join(host['compilers']),
        goals(micro, real),
        real_tables(real),
        peer_tables(micro, real),
        micro_tables(micro),
        register_table(),
    )
    text += other('hcct') + '\n' + other('footprint')
    open(MD, 'w').write(text.rstrip('\n') + '\n')


main()
