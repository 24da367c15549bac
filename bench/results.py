#!/usr/bin/python3
"""results.py quick|full|smoke BUILD_DIR RESULTS.md RESULTS.json - what the benches measured, as
tables, beside what was aimed at. RESULTS.json has the figures of the tables, one line a row;
every single time stays in BUILD_DIR."""
import json, os, platform, re, subprocess, sys, time
from stats import geomean

MODE, BUILD, MD, JSON = sys.argv[1:]


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
        out = []
        for p in self.programs:
            a, b = self.rows.get((p, name)), self.rows.get((p, over))
            if not a or not b or a[what] is None or b[what] is None:
                return None
            out.append(a[what] / b[what])
        return out

    def summary(self, name, over='plain'):
        """'geomean / worst' of times, and of instructions."""
        t, i = self.ratios(name, over), self.ratios(name, over, 'instructions')
        if not t:
            return None, None
        worst = max(range(len(t)), key=lambda k: t[k])
        return (geomean(t), max(t)), '%.3f / %.3f (%s); instructions %s' % (
            geomean(t),
            t[worst],
            self.programs[worst],
            '%.3f / %.3f' % (geomean(i), max(i)) if i else 'not counted',
        )


def goals(micro, real):
    rows = []

    def add(figure, goal, measured, met):
        rows.append(
            [
                figure,
                goal,
                measured or 'not measured',
                '' if measured is None else 'met' if met else '**missed**',
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
        more = counts[figure]
        add(
            'check in a whole function, %s: %s' % (figure, ', '.join(more)),
            '2 more instructions',
            ', '.join(more.values()),
            all(float(m) <= 2 for m in more.values()),
        )
    programs = ', '.join(real.programs)
    for figure, name, over, goal in (
        ('basic overhead, points, EC+L4: ' + programs, 'few', 'plain', (1.02, 1.04)),
        ('the same as dual paths', 'dual', 'plain', (1.02, 1.05)),
        ('poll mode, closed', 'poll', 'plain', (1.01, None)),
        ('sampling at 1 %, over not sampling', 'few, 1 %', 'few', (1.03, None)),
        ('sampling at 0.1 %, over not sampling', 'few, 0.1 %', 'few', (1.01, None)),
    ):
        got, text = real.summary(name, over)
        add(
            figure + ' (geomean / worst)',
            '%.2f' % goal[0] + (' / %.2f' % goal[1] if goal[1] else ''),
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
    off = [equation_2(real, p['program'], rate) for p in real.data['programs'] for rate in CYCLES]
    add(
        'equation 2, predicted against measured overhead, worst of programs at 1 % and 0.1 %',
        'within 1 point',
        '%.1f points (%s at %s)' % max((abs(m - q) * 100, p, r) for p, r, q, m in off),
        all(abs(m - q) < 0.01 for p, r, q, m in off),
    )
    sizes = {n: [p[n]['text'] for p in real.data['programs']] for n in ('few', 'dual')}
    add(
        'text growth, points, EC+L4 (geomean / worst)',
        '<= 1.08',
        '%.3f / %.3f' % (geomean(sizes['few']), max(sizes['few'])),
        geomean(sizes['few']) < 1.085,
    )
    add(
        'text growth, dual paths (geomean / worst)',
        '<= 1.9',
        '%.2f / %.2f' % (geomean(sizes['dual']), max(sizes['dual'])),
        geomean(sizes['dual']) < 1.95,
    )
    return table(['figure', 'goal', 'measured', ''], rows, 4)


CYCLES = {'1 %': (990, 10), '0.1 %': (9990, 10)}


def equation_2(real, program, rate):
    """(program, rate, predicted, measured) share of time that sampling adds to the checks."""
    check, burst = CYCLES[rate]
    time = {
        name: real.rows[program, 'few' + name]['ratio'] for name in ('', ', always', ', ' + rate)
    }
    predicted = burst / (check + burst) * (time[', always'] / time[''] - 1)
    return program, rate, predicted, time[', ' + rate] / time[''] - 1


def with_spread(row):
    return '%.3f' % row['ratio'] + ('' if row['spread'] is None else ' ± %.3f' % row['spread'])


def real_tables(real):
    names = [n for n in dict.fromkeys(r['row'] for r in real.data['rows']) if n != 'plain']
    shown = [n for n in names if n != 'few, always']
    rows = []
    for n in shown:
        t = real.ratios(n)
        rows.append(
            [n]
            + [with_spread(real.rows[p, n]) for p in real.programs]
            + [number(geomean(t)), number(max(t))]
        )
    text = [
        'Time, user and system, over plain (%d runs of each by hyperfine, order reversed every time; '
        '± two standard errors):\n' % real.data['passes'],
        table(['variant'] + real.programs + ['geomean', 'worst'], rows),
    ]
    rows = []
    for n in names:
        i = real.ratios(n, what='instructions')
        if i and n != 'A/A':
            rows.append([n] + [number(x) for x in i] + [number(geomean(i)), number(max(i))])
    text += [
        'Executed instructions over plain, on a smaller input (they and time can disagree); *always* records '
        'every event:\n',
        table(['variant'] + real.programs + ['geomean', 'worst'], rows),
    ]
    rows = []
    for p in real.data['programs']:
        seconds, few, every = real.rows[p['program'], 'plain']['seconds'], p['few'], p['all']
        same = {True: 'same code', False: '**differs**', None: ''}[p.get('off_is_plain')]
        rows.append(
            [
                '%s `%s`' % (p['program'], p['arguments']),
                number(seconds, 2),
                '%d, %d' % (few['functions'], few['loops']),
                '%d, %d' % (every['entry_checks'], every['loop_checks']),
                '%d, %d' % (few['entry_checks'], few['loop_checks']),
                '%d, %d' % (every['left_alone'], p['dual']['single']),
                '%.0f, %.0f' % (every['checks'] / seconds / 1e6, few['checks'] / seconds / 1e6),
                '%.2f %%' % (100 * few['events'] / few['checks']) if few['checks'] else 'none',
                same,
                '%.2f, %.2f, %.2f' % (few['text'], every['text'], p['dual']['text']),
            ]
        )
    text += [
        'What was built and run. Pairs of numbers count function entries and loops; *kept* are places that got no '
        'check, and no dual path. *off* compares the machine code of a build with BURSTY_OFF with the plain one.\n',
        table(
            [
                'program',
                'seconds',
                'has',
                'checks: all',
                'few',
                'kept',
                'million checks a second: all, few',
                'asked 1 %',
                'off',
                'text: few, all, dual',
            ],
            rows,
        ),
    ]
    rows = []
    for p in real.programs:
        both = [equation_2(real, p, rate) for rate in CYCLES]
        at = {o['rate']: o for o in real.data['overlap'] if o['program'] == p}
        rows.append(
            [p]
            + ['%.2f, %.2f' % (100 * q, 100 * m) for _, _, q, m in both]
            + ['%.1f, %.1f' % (100 * o['methods'], 100 * o['pairs']) for o in at.values()]
        )
    rates = list(dict.fromkeys(o['rate'] for o in real.data['overlap']))
    text += [
        'What sampling adds to the time of the checks, in percent: predicted by equation 2 from the run that records '
        'every event, and measured. The\nequation leaves out the ends of bursts and mispredicted branches. Then the '
        'overlap of sampled with full profiles, in percent: methods, call pairs\n(scopes at every function entry, '
        'jitter 12 %, one run).\n',
        table(
            ['program']
            + ['%s: predicted, measured' % rate for rate in CYCLES]
            + ['overlap at ' + r.replace(':', ' : ') for r in rates],
            rows,
        ),
    ]
    return '\n'.join(text)


def peer_tables(micro, real):
    rows = []
    base = {'g': 'gcc plain', 'c': 'clang plain'}
    peers = {r['row']: r for r in real.data['peers']}
    for name, r in peers.items():
        b = peers[base[name[0]]] if name[0] in base else None
        if b and r is not b:
            rows.append(
                [
                    name,
                    with_spread(dict(r, ratio=r['ratio'] / b['ratio'])),
                    number(r['instructions'] and r['instructions'] / b['instructions']),
                ]
            )
    text = (
        [
            'lua, each over the plain build of the same compiler:\n',
            table(['build', 'time', 'instructions'], rows),
        ]
        if rows
        else []
    )
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
    """What tests/test_registers.sh counted: extra executed instructions of whole functions, by function and compiler."""
    counts = {}
    for line in open(os.path.join(BUILD, 'registers.txt')):
        found = re.match(r'(\S+): (.*): (\d+) instructions, (-?[\d.]+) more', line)
        if found:
            counts.setdefault(found.group(2), {})[found.group(1)] = found.group(4)
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


def compact(micro, real):
    """The figures of the tables, rounded."""

    def short(row, *keys):
        return {k: round(row[k], 4) if isinstance(row[k], float) else row[k] for k in keys}

    out = dict(machine=machine())
    out['real'] = [
        short(r, 'program', 'row', 'ratio', 'spread', 'instructions') for r in real.data['rows']
    ]
    out['peers'] = [
        short(r, 'program', 'row', 'ratio', 'spread', 'instructions') for r in real.data['peers']
    ]
    out['overlap'] = [short(o, 'program', 'rate', 'methods', 'pairs') for o in real.data['overlap']]
    out['micro'] = [
        short(r, 'build', 'group', 'rival', 'median_ns', 'ratio') for r in micro['rows']
    ]
    return out


def write_json(path, data):
    """One line a row, so that a difference between two runs can be read."""
    with open(path, 'w') as file:
        file.write('{"machine": %s' % json.dumps(data['machine']))
        for name in [n for n in data if n != 'machine']:
            file.write(
                ',\n"%s": [\n%s\n]'
                % (name, ',\n'.join(json.dumps(list(r.values())) for r in data[name]))
            )
        file.write('}\n')


def main():
    micro, real_data, host = load('micro.json'), load('real.json'), machine()
    real = Real(real_data)
    text = '''# What the benches measured

Written by `make bench%s` on %s; run it to make your own. %s, %d cores, Linux %s, load %.1f over the last 15 minutes;
%s.
Only ratios taken in one run count. Claim nothing below the spread of the A/A row, where plain runs against itself.

## Goals

%s
Figure 3 (0 mismatches), strip-mined against naive event streams (0 differences) and the Cortex-M0's flash and RAM are not timings:
`make test` and `make matrix` check them.

## Real programs

Rows: *few* has checks at the entries that equation 3 names and in loops that are not 4-boring (EC+L4); *all* at every entry and in
every loop ("orig"); *scopes* is all with a scope at each entry; *poll* is few with BURSTY_POLL; *dual* is few with the code twice, and
a data reference recorded wherever a statement goes through a pointer. Nothing samples unless a rate is given. Functions and loops whose
braces come out of a macro are left alone, as are functions defined in headers. Lua is built with its switch instead of its
jump table, whose dispatch is a back-edge that no source loop shows; its hash seed is fixed. All outputs were equal, byte for byte.

%s
## Beside other ways of looking

-pg, -finstrument-functions with empty hooks, XRay unpatched and sampled profile instrumentation: what they cost while nothing is
recorded, or, for -pg and the sampled profile, what they cost as they are.

%s
## Forms

In-process, rivals in turn; times of one operation; "leaf call" has the empty loop's time taken off. A word in memory that every check
decrements makes a chain of some 5 cycles, which the processor can sometimes skip: in loops of a few cycles times jump accordingly.

%s
## What a check costs a whole function

Executed instructions that a check adds to a function, registers saved and moved for its sake included; a loop per iteration.
`make test` counts them too and fails when there are more (tests/test_registers.sh).

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
    write_json(JSON, compact(micro, real))


main()
