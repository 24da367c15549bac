#!/usr/bin/python3
"""micro.py quick|full|smoke BUILD_DIR RESULT.json - bench_bursty.c by several compilers, in
several ways, beside other ways of looking.

Each build is linked several times with its text moved by 16 bytes, since alignment alone moves
fib by a fifth and a short loop by two; what is kept is the geometric mean over these of each
median and of each ratio, and the best of all. Peers compile the plain rivals alone (BENCH_BARE)
and are set beside the plain rivals of their own compiler. The fast path is counted in the
disassembly of a function with a point; quick does that alone."""
import json, os, re, subprocess, sys
import stats

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
MODE, BUILD, RESULT = sys.argv[1], os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
WORK = os.path.join(BUILD, 'micro')
ROUNDS, SCALE, PADS = {'smoke': ('1', '1', 1), 'quick': ('', '', 0), 'full': ('7', '50', 8)}[
    MODE
]
XRAY = ['-fxray-instrument', '-fxray-instruction-threshold=1']
HOOKS = '-finstrument-functions'
ALIGN = '-falign-loops=32'  # loops of one cycle double in time when they straddle a boundary; all builds alike

# name, compiler, flags
BUILDS = [
    ('gcc', 'gcc', ['-O2', ALIGN]),
    ('gcc -O3', 'gcc', ['-O3', ALIGN]),
    ('gcc, BURSTY_POLL', 'gcc', ['-O2', ALIGN, '-DBURSTY_POLL']),
    ('gcc, BURSTY_OFF', 'gcc', ['-O2', ALIGN, '-DBURSTY_OFF']),
    ('clang-19', 'clang-19', ['-O2', ALIGN]),
    ('gcc, BURSTY_PORTABLE', 'gcc', ['-O2', ALIGN, '-DBURSTY_PORTABLE']),
    ('clang-19, BURSTY_PORTABLE', 'clang-19', ['-O2', ALIGN, '-DBURSTY_PORTABLE']),
]
# name, the build it is compared with, compiler, flags
PEERS = [
    ('gcc -pg', 'gcc', 'gcc', ['-O2', ALIGN, '-pg']),
    ('gcc -finstrument-functions, empty hooks', 'gcc', 'gcc', ['-O2', ALIGN, HOOKS]),
    ('clang XRay, unpatched', 'clang-19', 'clang-19', ['-O2', ALIGN] + XRAY),
    (
        'clang -fprofile-generate -sampled-instrumentation',
        'clang-19',
        'clang-19',
        ['-O2', ALIGN, '-fprofile-generate', '-mllvm', '-sampled-instrumentation'],
    ),
]
# what must be two instructions, or five on Thumb-2
FAST = [
    ('gcc', ['gcc'], 'objdump'),
    ('clang-14', ['clang-14'], 'objdump'),
    ('clang-19', ['clang-19'], 'objdump'),
    ('gcc, BURSTY_NO_TLS', ['gcc', '-DBURSTY_NO_TLS'], 'objdump'),
    ('gcc, BURSTY_PORTABLE', ['gcc', '-DBURSTY_PORTABLE'], 'objdump'),
    (
        'Cortex-M3, BURSTY_TINY',
        ['arm-none-eabi-gcc', '-mcpu=cortex-m3', '-mthumb', '-DBURSTY_TINY'],
        'arm-none-eabi-objdump',
    ),
]


def call(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    if done.returncode != 0:
        sys.exit('%s\n%s' % (' '.join(command), done.stderr.decode(errors='replace')[-3000:]))
    return done.stdout.decode()


def build(name, cc, flags):
    """Binaries of one build, one per pad."""
    stem = os.path.join(WORK, re.sub(r'\W+', '-', name))
    extra = []
    if HOOKS in flags:
        extra = [stem + '-hooks.o']
        call([cc, '-O2', '-c', HERE + '/peers_hooks.c', '-o', extra[0]])
    call(
        [cc, '-std=gnu11', '-w', '-I' + TOP]
        + flags
        + ['-c', HERE + '/bench_bursty.c', '-o', stem + '.o']
    )
    for pad in range(PADS):
        call(
            [cc]
            + flags
            + [os.path.join(WORK, 'pad%d.o' % pad), stem + '.o']
            + extra
            + ['-o', '%s.%d' % (stem, pad), '-pthread', '-lm']
        )
    return ['%s.%d' % (stem, pad) for pad in range(PADS)]


def run(binary, times, values):
    env = dict(os.environ, LLVM_PROFILE_FILE='/dev/null')
    for line in call([binary, ROUNDS, SCALE], env=env, cwd=WORK).splitlines():
        what, *words = line.split('\t')
        if what == 'value':
            values.setdefault(words[0], []).append(float(words[1]))
        else:
            times.setdefault(words[0], {})[words[1]] = [float(w) for w in words[2:]]


def figures(groups):
    """Best and median of every rival, and its median over that of the group's first; the time of "empty" taken off."""
    out = {}
    for group, rivals in groups.items():
        empty = stats.summary(rivals['empty'])['median'] if 'empty' in rivals else 0
        base = None
        for rival, samples in rivals.items():
            if rival == 'empty':
                continue
            s = stats.summary(samples)
            best, median = s['best'] - empty, s['median'] - empty
            base = base or median
            out[group, rival] = best, median, median / base
    return out


def fast_path(command, objdump):
    """(instructions, bytes) that a point adds to a function that does nothing, cold part left out; None without the compiler."""

    def hot(text):
        out = os.path.join(WORK, 'fast.o')
        call(
            command + ['-O2', '-w', '-I' + TOP, '-x', 'c', '-c', '-', '-o', out],
            input=text.encode(),
        )
        lines, size = [], 0
        for line in (
            call([objdump, '-d', '--no-show-raw-insn', out]).split('<f>:\n')[1].splitlines()
        ):
            found = re.match(r'\s*([0-9a-f]+):\s+(\S+)', line)
            if not found:
                break
            lines.append((int(found.group(1), 16), found.group(2)))
            if re.match(r'ret|bx|pop', found.group(2)):
                break
        return len(lines), lines[-1][0]

    try:
        subprocess.run(
            command[:1] + ['--version'],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    except OSError:
        return None
    plain = hot('void f(void) { }')
    point = hot('#include "bursty.h"\nvoid f(void) { BURST_ENTRY(); }')
    return point[0] - plain[0], point[1] - plain[1]


def main():
    os.makedirs(WORK, exist_ok=True)
    for pad in range(PADS):
        call(
            ['gcc', '-c', '-x', 'assembler', '-', '-o', os.path.join(WORK, 'pad%d.o' % pad)],
            input=b'.text\n.p2align 4\n.skip %d\n.section .note.GNU-stack,"",@progbits\n'
            % (16 * pad),
        )
    kinds = [(name, None, cc, flags) for name, cc, flags in BUILDS]
    kinds += [(name, base, cc, flags + ['-DBENCH_BARE']) for name, base, cc, flags in PEERS]
    kinds = kinds if PADS else []
    binaries = {name: build(name, cc, flags) for name, base, cc, flags in kinds}
    rows, values = {k[0]: {} for k in kinds}, {k[0]: {} for k in kinds}
    for pad in range(PADS):  # builds in turn, too
        for name, base, cc, flags in kinds:
            times = {}
            run(binaries[name][pad], times, values[name])
            for key, figure in figures(times).items():
                rows[name].setdefault(key, []).append(figure)
    result = dict(rows=[], values=[], fast=[])
    medians = {}
    for name, base, cc, flags in kinds:
        for (group, rival), runs in rows[name].items():
            best, median, ratio = (
                min(r[0] for r in runs),
                stats.geomean(r[1] for r in runs),
                stats.geomean(r[2] for r in runs),
            )
            medians[name, group, rival] = median
            if base:
                ratio = median / medians[base, group, 'plain']
            result['rows'].append(
                dict(
                    build=name,
                    peer=bool(base),
                    group=group,
                    rival=rival,
                    best_ns=best,
                    median_ns=median,
                    ratio=ratio,
                )
            )
        for what, seen in values[name].items():
            result['values'].append(
                dict(build=name, what=what, value=stats.summary(seen)['median'])
            )
    for name, command, objdump in FAST:
        counted = fast_path(command, objdump)
        if counted:
            result['fast'].append(dict(target=name, instructions=counted[0], bytes=counted[1]))
    json.dump(result, open(RESULT, 'w'), indent=1)


main()
