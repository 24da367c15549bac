#!/usr/bin/python3
"""real.py build-MODE|quick|full|smoke BUILD_DIR RESULT.json - real programs, plain and with
checks, side by side.

Every program is built in several ways. few has checks where equation 3 wants them (EC+L4), all
has one at every function entry and in every loop, scopes is all with a scope at each entry, poll
is few in poll mode, dual is few with the code twice, and off is all with BURSTY_OFF. Each build
is linked four times with its text moved by 16 bytes, because alignment alone moves a program by
some percent. The output of every row must equal the plain program's before anything is timed.
Then hyperfine runs all rows once, A B C ..., and in the next pass in reverse order, and so on. A
ratio is the summed user and system time over that of plain; its spread is two standard errors of
the ratios of single passes. Plain runs twice in every pass: the A/A row. qemu-x86_64 with a
plugin counts executed instructions, on a smaller input.

smoke runs every row on the smaller input in one pass and ends with a line "N passed, N failed"."""
import concurrent.futures, glob, hashlib, json, os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import stats

MODE, BUILD, RESULT = sys.argv[1], os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
FULL, SMOKE = MODE.endswith('full'), MODE.endswith('smoke')
PASSES = 16 if FULL else 1 if SMOKE else 4  # every other one in reverse order
SHIFTS = 1 if SMOKE else 4
INPUT = 1 if FULL else 2 if SMOKE else 0  # which of a program's arguments
SRC, WORK = os.path.join(BUILD, 'src'), os.path.join(BUILD, 'real')
RATES = {'1 %': '990:10', '0.1 %': '9990:10'}
ALWAYS = '4294967295:1'  # BURSTY_ALWAYS


def source(pattern, *without):
    return [
        p
        for p in sorted(glob.glob(os.path.join(SRC, pattern)))
        if os.path.basename(p) not in without
    ]


class Program:
    """args: (quick, full, counted)"""

    def __init__(self, name, files, flags, libs, args):
        self.name, self.files, self.libs, self.args = name, files, libs, args
        self.flags = [f.replace('@', SRC) for f in flags]

    def arguments(self, which):
        return [a.replace('@', SRC).replace('%', HERE) for a in self.args[which].split()]

    def shown(self, which):
        return self.args[which].replace('@/', '').replace('%/', '')


BZIP2 = 'blocksort huffman crctable randtable compress decompress bzlib'.split()
PROGRAMS = [
    Program(
        'lua',
        source('lua/src/*.c', 'luac.c'),
        [
            '-I@/lua/src',
            '-I@/include',
            '-DLUA_USE_LINUX',
            '-Dluai_makeseed(L)=1u',
            '-DLUA_USE_JUMPTABLE=0',
        ],
        ['-lm', '-ldl'],
        ('%/work.lua 4', '%/work.lua 8', '%/work.lua 1'),
    ),
    Program(
        'bzip2',
        [HERE + '/main_bzip2.c'] + [SRC + '/bzip2/%s.c' % n for n in BZIP2],
        ['-I@/bzip2'],
        [],
        (
            '@/sqlite/sqlite3.c 2000000 1',
            '@/sqlite/sqlite3.c 3000000 1',
            '@/sqlite/sqlite3.c 500000 1',
        ),
    ),
    Program(
        'cjson',
        [HERE + '/main_cjson.c', SRC + '/cjson/cJSON.c'],
        ['-I@/cjson'],
        ['-lm'],
        ('10000 1', '20000 2', '4000 1'),
    ),
    Program(
        'sqlite',
        [HERE + '/main_sqlite.c', SRC + '/sqlite/sqlite3.c'],
        ['-I@/sqlite', '-D_GNU_SOURCE'],
        ['-lm', '-ldl', '-lpthread'],
        ('%/work.sql 1', '%/work.sql 2', '%/work.sql 1'),
    ),
    Program(
        'chipmunk',
        [HERE + '/main_chipmunk.c'] + source('chipmunk/src/*.c'),
        ['-I@/chipmunk/include', '-I@/chipmunk/src', '-DNDEBUG'],
        ['-lm', '-lpthread'],
        ('300 800', '300 1300', '60 100'),
    ),
]


class Build:
    """One way to compile a program. placement: None (as it is), 'few', 'all' or 'dual'."""

    def __init__(self, name, placement=None, flags=(), cc='gcc', extra=()):
        self.name, self.placement, self.flags, self.cc, self.extra = (
            name,
            placement,
            list(flags),
            cc,
            list(extra),
        )

    def directory(self, program):
        return os.path.join(WORK, program.name, self.name)

    def binary(self, program, shift=0):
        return os.path.join(self.directory(program), 'program.%d' % shift)


BUILDS = [
    Build('plain'),
    Build('off', 'all', ['-DBURSTY_OFF']),
    Build('few', 'few'),
    Build('all', 'all'),
    Build('poll', 'few', ['-DBURSTY_POLL']),
    Build('dual', 'dual', ['-ftrack-macro-expansion=0']),
    Build('scopes', 'all', ['-DBENCH_SCOPES']),
]
CLANG = 'clang-19'
PEERS = [
    Build('gcc -pg', flags=['-pg']),
    Build(
        'gcc -finstrument-functions',
        flags=['-finstrument-functions'],
        extra=[HERE + '/../peers_hooks.c'],
    ),
    Build('clang plain', cc=CLANG),
    Build('clang few', 'few', cc=CLANG),
    Build('clang all', 'all', cc=CLANG),
    Build('clang XRay unpatched', cc=CLANG, flags=['-fxray-instrument']),
    Build(
        'clang sampled profile',
        cc=CLANG,
        flags=['-fprofile-generate', '-mllvm', '-sampled-instrumentation'],
    ),
]
PEER_PROGRAM = 'lua'


def call(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    if done.returncode != 0:
        sys.exit('%s\n%s' % (' '.join(command), done.stderr.decode(errors='replace')[-3000:]))
    return done.stdout


def place(program, placement):
    """Instrumented copies of a program's files; what place.py said about them."""
    out = os.path.join(WORK, program.name, 'placed-' + placement)
    if os.path.exists(out + '.json') and all(
        os.path.getmtime(out + '.json') > os.path.getmtime(f)
        for f in program.files + [HERE + '/place.py']
    ):
        return json.load(open(out + '.json'))
    shutil.rmtree(out, ignore_errors=True)
    builtin = call([CLANG, '-print-resource-dir']).decode().strip() + '/include'
    said = call(
        ['/usr/bin/python3', HERE + '/place.py', placement, out, '-I' + builtin]
        + program.flags
        + ['--']
        + program.files
    )
    open(out + '.json', 'wb').write(said)
    return json.loads(said)


def compile_object(cc, flags, path, out):
    command = [cc, '-O2', '-w'] + flags + ['-c', path, '-o', out]
    seen = call([cc, '-O2', '-w', '-E', '-P'] + flags + [path])
    signature = hashlib.sha256(repr(command).encode() + seen).hexdigest()
    if (
        os.path.exists(out)
        and os.path.exists(out + '.sig')
        and open(out + '.sig').read() == signature
    ):
        return
    call(command)
    open(out + '.sig', 'w').write(signature)


def object_name(build, program, path):
    return os.path.join(build.directory(program), os.path.basename(path)[:-2] + '.o')


def build_all(wanted):
    for program in {p for p, b in wanted}:
        for placement in {b.placement for p, b in wanted if p is program and b.placement}:
            place(program, placement)
    jobs = []
    for program, build in wanted:
        os.makedirs(build.directory(program), exist_ok=True)
        folder = os.path.join(WORK, program.name, 'placed-%s' % build.placement)
        for path in program.files:
            chosen = os.path.join(folder, os.path.basename(path)) if build.placement else path
            jobs.append(
                (
                    os.path.getsize(path),
                    build.cc,
                    build.flags + program.flags + ['-I' + TOP, '-I' + HERE],
                    chosen,
                    object_name(build, program, path),
                )
            )
        if build.placement:
            jobs.append(
                (
                    0,
                    build.cc,
                    build.flags + ['-I' + TOP],
                    HERE + '/profile.c',
                    object_name(build, program, 'profile.c'),
                )
            )
        for path in build.extra:
            jobs.append((0, build.cc, [], path, object_name(build, program, path)))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda j: compile_object(*j[1:]), sorted(jobs, key=lambda j: -j[0])))
    pads = []
    for shift in range(SHIFTS):
        pads.append(os.path.join(WORK, 'pad%d.o' % shift))
        call(
            ['gcc', '-c', '-x', 'assembler', '-', '-o', pads[-1]],
            input=b'.text\n.p2align 4\n.skip %d\n.section .note.GNU-stack,"",@progbits\n'
            % (16 * shift),
        )
    for program, build in wanted:
        objects = [
            object_name(build, program, p)
            for p in program.files
            + build.extra
            + ([HERE + '/profile.c'] if build.placement else [])
        ]
        for shift in range(SHIFTS):
            call(
                [build.cc]
                + build.flags
                + [pads[shift]]
                + objects
                + ['-o', build.binary(program, shift)]
                + program.libs
            )


def text_size(build, program):
    total = 0
    for line in (
        call(['size', '-A'] + [object_name(build, program, p) for p in program.files])
        .decode()
        .splitlines()
    ):
        words = line.split()
        if words and words[0].startswith('.text'):
            total += int(words[1])
    return total


def same_code(a, b, program):
    """Are the machine instructions of all objects the same, byte for byte?"""

    def text(build, path):
        with tempfile.NamedTemporaryFile() as out:
            call(
                [
                    'objcopy',
                    '-O',
                    'binary',
                    '-j',
                    '.text*',
                    '--set-section-flags',
                    '.text*=alloc,load,code',
                    object_name(build, program, path),
                    out.name,
                ]
            )
            return open(out.name, 'rb').read()

    return all(text(a, p) == text(b, p) for p in program.files)


class Row:
    """A build and how it samples."""

    def __init__(self, name, build, rate='off', poll='off'):
        self.name, self.build, self.env = name, build, dict(BENCH_RATE=rate, BENCH_POLL=poll)


ENV = dict(os.environ, LC_ALL='C', LLVM_PROFILE_FILE='/dev/null')


def output_of(row, program, which):
    return call(
        [row.build.binary(program)] + program.arguments(which),
        env=dict(ENV, **row.env),
        cwd=row.build.directory(program),
    )


def times_of(rows, program, shift):
    """User and system seconds of every row, run once in this order."""
    commands = [
        ['env']
        + ['%s=%s' % e for e in row.env.items()]
        + [row.build.binary(program, shift)]
        + program.arguments(INPUT)
        for row in rows
    ]
    return stats.hyperfine(commands, os.path.join(WORK, program.name), ENV)


def sampled(row, program, which):
    with tempfile.NamedTemporaryFile('r') as out:
        env = dict(ENV, BENCH_STATS=out.name, **row.env)
        call(
            [row.build.binary(program)] + program.arguments(which),
            env=env,
            cwd=row.build.directory(program),
        )
        checks, bursts, events, lost = map(int, out.read().split())
        return dict(checks=checks, bursts=bursts, events=events, lost=lost)


def hot(build, rate, program, which):
    """Shares of functions and of call pairs in what was sampled."""
    with tempfile.NamedTemporaryFile('r') as out:
        call(
            [build.binary(program)] + program.arguments(which),
            cwd=build.directory(program),
            env=dict(os.environ, BENCH_ROWS=out.name, BENCH_RATE=rate),
        )
        tables = {}, {}
        for line in out.read().splitlines():
            pairs, kind, weight, site, caller = line.split()
            if int(kind) & 1:  # BURSTY_CALL
                key = (site, caller) if pairs == '1' else site
                tables[int(pairs)][key] = tables[int(pairs)].get(key, 0) + int(weight)
        return [{k: v / sum(t.values()) for k, v in t.items()} for t in tables]


def overlap(program, which):
    scopes = next(b for b in BUILDS if b.name == 'scopes')
    full = hot(scopes, ALWAYS, program, which)
    out = []
    for rate in ('99:1', '499:1', '990:10', '4990:10'):
        part = hot(scopes, rate, program, which)
        methods, pairs = (
            sum(min(f.get(k, 0), v) for k, v in p.items()) for f, p in zip(full, part)
        )
        out.append(dict(program=program.name, rate=rate, methods=methods, pairs=pairs))
    return out


def instructions(row, program):
    if row.env['BENCH_POLL'] != 'off':  # a timer decides how many
        return None
    plugin = os.path.join(WORK, 'icount.so')
    with tempfile.NamedTemporaryFile('r') as log:
        call(
            [
                'qemu-x86_64',
                '-plugin',
                plugin,
                '-d',
                'plugin',
                '-D',
                log.name,
                row.build.binary(program),
            ]
            + program.arguments(2),
            env=dict(ENV, **row.env),
            cwd=row.build.directory(program),
        )
        return int(re.search(r'instructions (\d+)', log.read()).group(1))


def same_outputs(program, rows):
    """The rows whose output differs from that of rows[0], the plain program."""
    plain = output_of(rows[0], program, 2)
    return [row.name for row in rows if output_of(row, program, 2) != plain]


def measure(program, rows):
    """rows[0] is plain. Counts instructions, times; one dict per row."""
    different = same_outputs(program, rows)
    if different:
        sys.exit(
            '%s: the output of "%s" differs from the plain program\'s'
            % (program.name, different[0])
        )
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = list(pool.map(lambda r: instructions(r, program), rows))
    line = rows + [Row('A/A', rows[0].build)]
    times = {r.name: [] for r in line}
    for k in range(PASSES):
        order = line[::-1] if k % 2 else line
        shift = k // 2 % SHIFTS if FULL else k % SHIFTS
        for row, seconds in zip(order, times_of(order, program, shift)):
            times[row.name].append(seconds)
    base = times[rows[0].name]
    return [
        dict(
            program=program.name,
            row=row.name,
            seconds=sum(times[row.name]) / PASSES,
            instructions=count and count / counts[0],
            **stats.ratio(times[row.name], base)
        )
        for row, count in zip(line, counts + [None])
    ]


def rows_of(by_name):
    few = by_name['few']
    rows = [Row('plain', by_name['plain']), Row('few', few)]
    rows += [Row('few, ' + name, few, rate) for name, rate in RATES.items()]
    rows += [
        Row('few, always', few, ALWAYS),
        Row('all', by_name['all']),
        Row('poll', by_name['poll']),
        Row('dual', by_name['dual']),
    ]
    if FULL or SMOKE:
        rows += [Row('dual, 1 %', by_name['dual'], '990:10'), Row('scopes', by_name['scopes'])]
    if FULL:
        rows += [Row('poll, 1 %', by_name['poll'], poll='100:9900')]
    return rows


def smoke(programs, by_name):
    """One round of everything; returns how many rows passed and what failed."""
    passed, failed = 0, []
    for p in programs:
        rows = rows_of(by_name)
        different = same_outputs(p, rows)
        failed += [
            '%s: the output of "%s" differs from the plain program\'s' % (p.name, r)
            for r in different
        ]
        passed += len(rows) - len(different)
        for row in rows:
            if row.env['BENCH_RATE'] == RATES['1 %']:
                seen = sampled(row, p, 2)
                share = seen['events'] / seen['checks']  # dual paths record data references besides
                if 0.009 < share < 0.011 or row.build.name == 'dual' and share > 0.009:
                    passed += 1
                else:
                    failed.append(
                        '%s: "%s" recorded %d events of %d checks'
                        % (p.name, row.name, seen['events'], seen['checks'])
                    )
    return passed, failed


def main():
    os.makedirs(WORK, exist_ok=True)
    call(
        [
            'gcc',
            '-O2',
            '-fPIC',
            '-shared',
            '-o',
            os.path.join(WORK, 'icount.so'),
            HERE + '/icount.c',
        ]
    )
    only = os.environ.get('BENCH_ONLY', '').split()
    programs = [p for p in PROGRAMS if not only or p.name in only]
    by_name = {b.name: b for b in BUILDS}
    wanted = [
        (p, b)
        for p in programs
        for b in BUILDS
        if FULL or not (b.name == 'off' and p.name == 'sqlite')
    ]  # a minute saved
    peer_programs = [p for p in programs if p.name == PEER_PROGRAM and not SMOKE]
    wanted += [(p, b) for p in peer_programs for b in PEERS]
    build_all(wanted)
    if MODE.startswith('build'):
        return
    if SMOKE:
        passed, failed = smoke(programs, by_name)
        for line in failed:
            print(line)
        print('%d passed, %d failed' % (passed, len(failed)))
        if failed:
            sys.exit(1)
    result = dict(passes=PASSES, programs=[], rows=[], peers=[], overlap=[])
    for p in programs:
        about = dict(program=p.name, arguments=p.shown(INPUT))
        plain_size = text_size(by_name['plain'], p)
        for name in ('few', 'all', 'dual'):
            about[name] = dict(place(p, name), text=text_size(by_name[name], p) / plain_size)
        if (p, by_name['off']) in wanted:
            about['off_is_plain'] = same_code(by_name['plain'], by_name['off'], p)
        for name in ('few', 'all'):
            about[name].update(sampled(Row(name, by_name[name], '990:10'), p, INPUT))
        result['programs'].append(about)
        result['rows'] += measure(p, rows_of(by_name))
        result['overlap'] += overlap(p, 2 if SMOKE else 1)
    for p in peer_programs:
        rows = [
            Row('gcc plain', by_name['plain']),
            Row('gcc few', by_name['few']),
            Row('gcc all', by_name['all']),
        ]
        result['peers'] += measure(p, rows + [Row(b.name, b) for b in PEERS])
    with open(RESULT, 'w') as file:
        json.dump(result, file, indent=1)


main()
