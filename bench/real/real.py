#!/usr/bin/python3
"""real.py full|quick|smoke BUILD_DIR RESULT.json - real programs, plain and with the
checks that `bursty cc` puts in, side by side: Figure 6 of Bursty Tracing, today.

Every program is built plain and once for each set of checks: orig has one at every function entry
and in every loop; EL, EC, EN, L4, L10, LN, EC+L4 leave out what the paper leaves out; default is
what `bursty place` does without --set; Q is its rule Q; scopes is orig with a scope at each entry;
dual is EC+L4 with two copies of functions and loops; poll is EC+L4 with checks that read a flag.
All of these have their checks in source, but those called "late": theirs are put in by a plugin of
the compiler, behind its optimizer.
The output of every row must equal the plain program's, and every plan but EN and LN must be proved
on what was built, before anything is timed.

qemu-x86_64 with a plugin counts executed instructions, on a small input; where a second program
starts the first, callgrind does. quick: that alone, of the rows that most want. full: all rows, and
times, too. Each build is linked four
times with its text moved by 16 bytes, because alignment alone moves a program by some percent.
hyperfine runs all rows once, A B C ..., and in the next pass in reverse order, and so on. A ratio
is the summed user and system time over that of plain; its spread is two standard errors of the
ratios of single passes. Plain runs twice in every pass: the A/A row.

One program after the other is built and counted. Whatever was counted is kept under the hash of the
binary, its input and its environment (kept.py): a run that was broken off goes on where it stopped,
and another run counts again what has changed alone.

smoke builds with -O1, runs every row on the smaller input and times it once; it ends with a line
"N passed, N failed". BENCH_ONLY="lua bzip2" leaves out the other programs, BENCH_FEW="doom sqlite"
half of the rows of these, which compile for long: the result says so."""
import concurrent.futures
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import stats
from builds import ALL, HERE, JOBS, TOP, Build, Workshop
from measure import ALWAYS, IDLE, OFF, OFTEN, RATES, Row, Runner, overlap, rate
from programs import PROGRAMS

MODE, BUILD, RESULT = sys.argv[1], os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
FULL, SMOKE = MODE.endswith('full'), MODE.endswith('smoke')
PASSES = 1 if SMOKE else 20 if FULL else 0  # every other one in reverse order
SHIFTS = 4 if FULL else 1
INPUT = 2 if SMOKE else 1 if FULL else 0  # which of a program's arguments

FIGURE_6 = ['EL', 'EC', 'EN', 'L4', 'L10', 'LN', 'EC+L4']
FEW = 500  # bursts of a run in which each goes into the sums for intervals
NO_PROOF = ('EN', 'LN')
BEST = 'EC+L4'  # the paper's choice; the rates are measured with it
PLAIN = Build('plain')
ORIG = Build('orig', options=ALL)
SETS = {name: Build(name, name) for name in FIGURE_6 + ['Q']}
SETS['default'] = Build('default', 'EC+L4+bounded+always')
ORIG_LATE = Build('orig late', options=ALL, late=True)
LATE = {name: Build(name + ' late', name, late=True) for name in (BEST, 'Q')}
SCOPES = Build('scopes', options=ALL + ('--form=scope',))
DUAL = Build('dual', BEST, options=('--form=dual',))
POLL = Build('poll', BEST, behind=os.path.join(HERE, 'poll_cc.sh'))
KEPT = {
    name: Build(name + ' kept', name, options=('--keep-events',))
    for name in ('EL', 'EC', BEST, 'Q')
}
CLANG = 'clang-19'
PG = Build('gcc -pg', flags=['-pg'])
HOOKS = Build(
    'gcc -finstrument-functions',
    flags=['-finstrument-functions'],
    extra=[os.path.join(HERE, '..', 'peers_hooks.c')],
)
GCOV = Build('gcc gcov', flags=['--coverage'])
COVER = Build('gcc bursty cc --cover', options=('--cover',))
CLANG_PLAIN = Build('clang plain', cc=CLANG)
CLANG_ORIG_LATE = Build('clang orig late', options=ALL, cc=CLANG, late=True)
CLANG_SETS = [
    Build('clang EC+L4', BEST, cc=CLANG),
    Build('clang EC+L4 late', BEST, cc=CLANG, late=True),
    Build('clang Q', 'Q', cc=CLANG),
    Build('clang Q late', 'Q', cc=CLANG, late=True),
    Build('clang dual', BEST, options=('--form=dual',), cc=CLANG),
]
XRAY = Build('clang XRay', cc=CLANG, flags=['-fxray-instrument'])
XRAY_ALL = Build(
    'clang XRay of all', cc=CLANG, flags=['-fxray-instrument', '-fxray-instruction-threshold=1']
)
SAMPLED = Build(
    'clang sampled profile',
    cc=CLANG,
    flags=['-fprofile-generate', '-mllvm', '-sampled-instrumentation'],
)
PEERS = [PG, HOOKS, GCOV, COVER, CLANG_PLAIN, CLANG_ORIG_LATE] + CLANG_SETS
PEERS += [XRAY, XRAY_ALL, SAMPLED]
PEER_PROGRAM = 'lua'  # its rows are timed
LONG = [SETS['default'], SCOPES, POLL, HOOKS, COVER, XRAY_ALL]  # what BENCH_FEW leaves out
LONG += [b for b in CLANG_SETS if not b.late]
FEW_ROWS = os.environ.get('BENCH_FEW', '').split()


def xray(mode):
    more = {'XRAY_FDR_OPTIONS': 'buffer_max=20000'} if mode == 'fdr' else {}
    return dict(
        OFF,
        XRAY_OPTIONS='patch_premain=true xray_mode=xray-%s xray_logfile_base={}/xray-log.' % mode,
        **more
    )


def peer_rows(program, tool):
    """What stands beside us, the first row of a compiler plain. -pg, gcov, --cover and the sampled
    profile count as they run; hooks are empty; XRay is asleep unless its row says otherwise."""
    record = [tool, 'record', '--quiet', '--follow', '-o', '{}/record.brst']
    kernel = 'the kernel does the work'
    all_rows = [
        Row('gcc plain', PLAIN),
        Row('gcc EC+L4', SETS[BEST]),
        Row('gcc EC+L4, 1 %', SETS[BEST], RATES['1 %']),
        Row('gcc EC+L4 late', LATE[BEST]),
        Row('gcc EC+L4 late, 1 %', LATE[BEST], RATES['1 %']),
        Row('gcc Q', SETS['Q']),
        Row('gcc Q late', LATE['Q']),
        Row('gcc Q late, 1 %', LATE['Q'], RATES['1 %']),
        Row('gcc dual', DUAL),
        Row('gcc orig', ORIG),
        Row(PG.name, PG),
        Row(HOOKS.name, HOOKS),
        Row(GCOV.name, GCOV),
        Row(COVER.name, COVER),
        Row(CLANG_PLAIN.name, CLANG_PLAIN),
        *[Row(b.name, b) for b in CLANG_SETS],
        Row('clang XRay asleep', XRAY),
        Row('clang XRay basic', XRAY, xray('basic')),
        Row('clang XRay FDR', XRAY, xray('fdr')),
        Row('clang XRay of all, asleep', XRAY_ALL),
        Row('clang XRay of all, FDR', XRAY_ALL, xray('fdr')),
        Row(SAMPLED.name, SAMPLED),
        Row('run plain', PLAIN, before=['env']),
        Row('run bursty record', PLAIN, before=record),
        Row('run bursty record --calls', PLAIN, before=record + ['--calls']),
        Row('run uftrace record', PG, before=['uftrace', 'record', '-d', '{}/uftrace.data'],
            may_fail=True),
        Row('run perf record', PLAIN, before=['perf', 'record', '-q', '-o', '{}/perf.data'],
            uncounted=kernel),
        Row('run callgrind', PLAIN, before=['valgrind', '-q', '--tool=callgrind',
            '--callgrind-out-file=/dev/null'], uncounted='a second program'),
    ]
    return [
        row
        for row in all_rows
        if not is_left_out(program, row.build) and not (program.name in FEW_ROWS and row.before)
    ]


def builds(program):
    """Those of this mode, without peers."""
    late = [ORIG_LATE] + list(LATE.values())
    others = late + [SCOPES, DUAL, POLL]
    if FULL:
        return [PLAIN, ORIG] + list(SETS.values()) + others + list(KEPT.values())
    few = [PLAIN, ORIG, SETS[BEST], SETS['Q'], SETS['default']] + others
    few = [b for b in few if not is_left_out(program, b)]
    return [b for b in few if not SMOKE or not program.smoke or b.name in program.smoke]


def is_left_out(program, build):
    return program.name in FEW_ROWS and build in LONG


def rows(program):
    best = SETS[BEST]
    out = [Row(b.name, b) for b in builds(program) if b not in KEPT.values()]
    out += [Row('%s, %s' % (BEST, name), best, env) for name, env in RATES.items()]
    sampled = [b for b in LATE.values() if b in builds(program)]
    out += [Row(b.name + ', 1 %', b, RATES['1 %']) for b in sampled]
    others = (('idle', IDLE), ('often', OFTEN), ('always', ALWAYS))
    return out + [Row('%s, %s' % (BEST, name), best, env) for name, env in others]


# ---- what is measured


def same_outputs(runner, program, line):
    """The rows whose output differs from that of their compiler's plain program, the first of its
    rows: compilers differ in what C leaves open, such as the order of arguments."""
    words, plain, different = program.arguments(2), {}, []
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        outputs = list(pool.map(lambda row: runner.output(row, program, words), line))
    for row, out in zip(line, outputs):
        if out and plain.setdefault(row.build.cc, out) != out:
            different.append(row.name)
    return different


def measure(runner, program, line, passes):
    """line[0] is plain. Counts instructions, times; one dict per row."""
    different = same_outputs(runner, program, line)
    if different:
        sys.exit(NOT_EQUAL % (program.name, different[0]))
    line = [row for row in line if not (row.uncounted == 'fails' and passes)]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        words = program.arguments(2)
        counts = list(pool.map(lambda r: runner.instructions(r, program, words), line))
    timed = line + [Row('A/A', line[0].build)]
    times = {r.name: [] for r in timed}
    for k in range(passes):
        order = timed[::-1] if k % 2 else timed
        shift = k // 2 % SHIFTS
        words = program.arguments(INPUT)
        commands = [runner.command(row, program, shift, words) for row in order]
        for row, seconds in zip(order, stats.hyperfine(commands, runner.shop.folder, runner.env)):
            times[row.name].append(seconds)
    base = times[line[0].name]
    return [
        dict(
            program=program.name,
            row=row.name,
            seconds=sum(times[row.name]) / passes if passes else None,
            instructions=count and count / counts[0],
            executed=count,
            uncounted=row.uncounted,
            **(stats.ratio(times[row.name], base) if passes else dict(ratio=None, spread=None))
        )
        for row, count in zip(timed, counts + [None])
    ]


def overlaps(runner, program, which):
    """Sampled profiles against the full one: scopes at several rates."""
    words = program.arguments(which)
    full = runner.profile(Row('full', SCOPES, ALWAYS), program, words)['shares']
    out = []
    for every, burst in ((99, 1), (499, 1), (990, 10), (4990, 10)):
        seen = runner.profile(Row('part', SCOPES, rate(every, burst)), program, words)
        methods, pairs = (overlap(f, p) for f, p in zip(full, seen['shares']))
        name = '%d:%d' % (every, burst)
        out.append(dict(program=program.name, rate=name, methods=methods, pairs=pairs))
    return out


def elimination(runner, program, which):
    """Figure 8's question: how much of the profile is lost with the checks? At the paper's
    1000 : 50, shares of function entries, against every entry of orig; "kept" records also the
    entries that lost their check, inside of bursts."""
    words = program.arguments(which)
    full, _ = runner.profile(Row('full', ORIG, ALWAYS), program, words)['shares']
    out = []
    chosen = [('orig', ORIG)] + list(SETS.items())
    for name, build in chosen + [(name + ' kept', build) for name, build in KEPT.items()]:
        part, _ = runner.profile(Row(name, build, rate(1000, 50)), program, words)['shares']
        out.append(dict(program=program.name, set=name, methods=overlap(full, part)))
    return out


def about(runner, program):
    shop = runner.shop
    plain = shop.text_size(PLAIN, program)
    out = dict(program=program.name, arguments=program.shown(INPUT), sets=[], compile={})
    for build in [b for b in made_of(program) if b not in (PLAIN, CLANG_PLAIN)]:
        over = CLANG_PLAIN if build.cc == CLANG else PLAIN
        seconds = [shop.compile_time(b, program) for b in (build, over)]
        out['compile'][build.name] = seconds[0] / seconds[1]
    for build in builds(program):
        row = dict(set=build.name, text=shop.text_size(build, program) / plain)
        if build.set:
            row['entries'], row['loops'] = shop.checks(build, program)
        out['sets'].append(row)
    seen = Row('seen', SETS[BEST], RATES['1 %'])
    timed = runner.profile(seen, program, program.arguments(INPUT))
    counted = runner.profile(seen, program, program.arguments(2))
    out.update({key: timed[key] * program.repeat for key in ('checks', 'events')})
    few = Row('few', SETS[BEST], rate(max(counted['checks'] // FEW - 10, 1), 10))
    return dict(
        out,
        counted_checks=counted['checks'],
        few_bursts=FEW,
        few_executed=runner.instructions(few, program, program.arguments(2)),
    )


def made_of(program):
    """All builds of it, peers too."""
    peers = [] if SMOKE else [b for b in PEERS if not is_left_out(program, b)]
    return builds(program) + peers


def not_proved(runner, program):
    """Names of the builds with a cycle without a check in what was built, and how many have none."""
    out, proved = [], 0
    for build in [b for b in made_of(program) if b.set and b.set not in NO_PROOF]:
        row, make = Row('proof', build), lambda: runner.shop.is_proved(build, program)
        if runner.get('proof ' + runner.shop.tool_hash, row, program, [], make):
            proved += 1
        else:
            out.append(build.name)
    return out, proved


NOT_PROVED = '%s: the checks of "%s" are not proved'
NOT_EQUAL = '%s: the output of "%s" differs from the plain program\'s'


def smoke(runner, program):
    """One round of everything; returns how many rows passed and what failed."""
    line = rows(program)
    different = same_outputs(runner, program, line)
    failed = [NOT_EQUAL % (program.name, r) for r in different]
    holes, proved = not_proved(runner, program)
    failed += [NOT_PROVED % (program.name, name) for name in holes]
    passed = len(line) - len(different) + proved
    seen = runner.profile(Row('seen', SETS[BEST], RATES['1 %']), program, program.arguments(2))
    checks, events = seen['checks'], seen['events']
    if 0.009 < events / checks < 0.011:
        passed += 1
    else:
        text = '%s: %d events of %d checks were recorded at 1 %%'
        failed.append(text % (program.name, events, checks))
    return passed, failed


def wanted_programs():
    """The programs whose sources are there; the others fail by name."""
    only = os.environ.get('BENCH_ONLY', '').split()
    names = [p.name for p in PROGRAMS]
    for name in only:
        if name not in names:
            sys.exit('real.py: BENCH_ONLY: no program %s; there are %s' % (name, ' '.join(names)))
    programs = [
        p.find(os.path.join(BUILD, 'src')) for p in PROGRAMS if not only or p.name in only
    ]
    missing = [(p, p.missing()) for p in programs if p.missing()]
    for program, path in missing:
        print('real.py: %s: %s is not there: was it fetched?' % (program.name, path))
    if missing:
        sys.exit(1)
    return programs


def figures(runner, program, tool):
    """The rows of one program, by the table that has them."""
    holes, _ = not_proved(runner, program)
    for name in holes:
        print(NOT_PROVED % ('bench: ' + program.name, name), file=sys.stderr)
    passes = PASSES if program.name == PEER_PROGRAM else 0
    return dict(
        programs=[dict(about(runner, program), not_proved=holes)],
        rows=measure(runner, program, rows(program), PASSES),
        overlap=overlaps(runner, program, INPUT) if SCOPES in builds(program) else [],
        elimination=elimination(runner, program, INPUT) if FULL else [],
        peers=[] if SMOKE else measure(runner, program, peer_rows(program, tool), passes),
    )


def main():
    level = '-O1' if SMOKE else '-O2'
    tool = os.path.join(os.path.dirname(BUILD), 'bursty')
    programs = wanted_programs()
    shop = Workshop(os.path.join(BUILD, 'real' + level), tool, level, SHIFTS)
    runner = Runner(shop)
    commit = subprocess.run(['git', 'describe', '--always', '--dirty'], stdout=subprocess.PIPE, cwd=TOP)
    result = dict(passes=PASSES, commit=commit.stdout.decode().strip(), few=FEW_ROWS)
    passed, failed = 0, []
    for program in programs:
        began = time.monotonic()
        shop.make([(program, b) for b in made_of(program)])
        built = time.monotonic()
        if SMOKE:
            good, bad = smoke(runner, program)
            passed, failed = passed + good, failed + bad
            for line in bad:
                print(line)
        if not failed:
            for table, lines in figures(runner, program, tool).items():
                result[table] = result.get(table, []) + lines
        took = built - began, time.monotonic() - built
        print('bench: %s: built in %.0f s, measured in %.0f s' % (program.name, *took), file=sys.stderr)
    if SMOKE:
        print('%d passed, %d failed' % (passed, len(failed)))
        if failed:
            sys.exit(1)
    with open(RESULT, 'w') as file:
        json.dump(result, file, indent=1)


main()
