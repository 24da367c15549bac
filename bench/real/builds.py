"""builds.py - builds the real programs: as they are, with `bursty cc` and a plan, and with what
others offer.

A build with checks goes by one word before the compiler. Its plan comes from `bursty place`, which
reads the call graph out of the build "orig", where every function and loop has a check. A plan for
checks behind the optimizer comes from "orig late" of the same compiler, for compilers inline
otherwise. An object is compiled again only if the command, the preprocessed text, the plan or the
tool has changed; what processor time it took stands beside it."""
import concurrent.futures
import hashlib
import os
import re
import subprocess
import sys
import tempfile

from kept import digest

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
JOBS = int(os.environ.get('JOBS') or os.cpu_count())  # as many at a time
ALL = ('--entries=all', '--loops=all')


class Build:
    """One way to compile a program.

    set: what `bursty place --set` is asked for. options: of `bursty cc`. Neither: no checks.
    late: checks come from the compiler's plugin, else they are put into the source.
    behind: what `bursty cc` calls instead of the compiler. links: flags of the link alone."""

    def __init__(
        self,
        name,
        set=None,
        options=None,
        cc='gcc',
        flags=(),
        extra=(),
        behind=None,
        links=(),
        late=False,
    ):
        self.name, self.set, self.cc, self.behind = name, set, cc, behind
        self.options, self.late = options, late
        self.flags, self.extra, self.links = list(flags), list(extra), list(links)

    def has_checks(self):
        return self.set is not None or self.options is not None

    def graph(self):
        """Builds that have this in common are compiled with the same plan of a set."""
        return self.cc if self.late else 'source'

    def can_be_profiled(self):
        others = self.late or self.cc != 'gcc' or self.behind or '--cover' in (self.options or ())
        return self.has_checks() and not others


class Workshop:
    """Where the builds of one mode stand. level: -O2, or less to save time."""

    def __init__(self, folder, tool, level, shifts):
        self.folder, self.tool, self.level, self.shifts = folder, tool, level, shifts
        self.env = dict(os.environ, LC_ALL='C', BURSTY_CACHE=os.path.join(folder, 'cache'))
        os.makedirs(self.env['BURSTY_CACHE'], exist_ok=True)
        own = tempfile.TemporaryDirectory(prefix='own-', dir=folder)  # for two runs side by side
        self.own, self.until_the_end = own.name, own
        with open(tool, 'rb') as file:
            self.tool_hash = hashlib.sha256(file.read()).hexdigest()

        self.forget_other_compilers()
        for cc in 'gcc', 'clang-19':
            self.build_plugin(cc)

    def forget_other_compilers(self):
        """What compilers of another version have built is built again."""
        now = b''.join(self.call([cc, '--version']) for cc in ('gcc', 'clang-19', 'ld')).decode()
        path = os.path.join(self.folder, 'compilers')
        before = None
        if os.path.exists(path):
            with open(path) as file:
                before = file.read()
        if before not in (now, None):
            for folder, _, names in os.walk(self.folder):
                for name in names:
                    if name.endswith('.sig'):
                        os.remove(os.path.join(folder, name))
        with open(path, 'w') as file:
            file.write(now)

    def build_plugin(self, cc):
        """Into the tool's cache, if it was not built of this tool for this compiler."""
        path = os.path.join(self.env['BURSTY_CACHE'], cc + '.sig')
        signature = self.tool_hash + self.call([cc, '--version']).decode()
        if os.path.exists(path):
            with open(path) as file:
                if file.read() == signature:
                    return
        self.call([self.tool, 'cc', '--build-plugin', '--', cc])
        with open(path, 'w') as file:
            file.write(signature)

    # ---- where things are

    def place_of(self, build, program):
        return os.path.join(self.folder, program.name, build.name.replace(' ', '-'))

    def binary(self, build, program, shift=0):
        return os.path.join(self.place_of(build, program), 'program.%d' % shift)

    def wide_binary(self, build, program):
        """The same with memory for every row of a profile."""
        return os.path.join(self.place_of(build, program), 'program.wide')

    def objects(self, build, program):
        base = [os.path.basename(p)[:-2] + '.o' for p in program.files + build.extra]
        return [os.path.join(self.place_of(build, program), b) for b in base]

    def plan(self, build, program):
        way = '.late-' + build.cc if build.late else ''
        return os.path.join(self.folder, program.name, build.set + way + '.plan')

    # ---- steps

    def call(self, command, **more):
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env, **more
        )
        if done.returncode != 0:
            said = done.stderr.decode(errors='replace')[-3000:]
            sys.exit('real.py: %s\n%s' % (' '.join(command), said))
        return done.stdout

    def compiler(self, build, program):
        if not build.has_checks():
            return [build.cc]
        plan = ['--plan=' + self.plan(build, program)] if build.set else []
        options = list(build.options or ())
        way = ['--late' if build.late else '--no-late']
        if any(o in options for o in ('--cover', '--form=dual', '--keep-events')):
            way = []  # always in source, and --no-late would be refused
        words = [self.tool, 'cc'] + way + options + plan
        return words + ['--', build.behind or build.cc]

    def choose(self, build, program, orig):
        """Writes the plan and what bursty place says, if it is not of this tool and this orig."""
        signature = self.tool_hash + ' ' + digest(self.binary(orig, program))
        if os.path.exists(self.plan(build, program) + '.sig'):
            with open(self.plan(build, program) + '.sig') as file:
                if file.read() == signature:
                    return
        said = self.call(
            [self.tool, 'place', '--set', build.set, '--json', '-o', self.plan(build, program)]
            + [self.binary(orig, program)]
        )
        with open(self.plan(build, program) + '.json', 'wb') as file:
            file.write(said)
        with open(self.plan(build, program) + '.sig', 'w') as file:
            file.write(signature)

    def checks(self, build, program):
        """(entry checks, loop checks) that the plan gives."""
        with open(self.plan(build, program) + '.json') as file:
            text = file.read()
        return tuple(
            int(re.search(r'"%s":(\d+)' % n, text).group(1))
            for n in ('entry_checks', 'loop_checks')
        )

    def compile(self, build, program, path, out):
        flags = [self.level, '-w'] + build.flags + program.flags
        command = self.compiler(build, program) + flags + ['-c', path, '-o', out]
        seen = self.call([build.cc] + flags + ['-E', '-P', path])
        if build.has_checks():
            seen += self.tool_hash.encode()
        for used in filter(None, (build.set and self.plan(build, program), build.behind)):
            with open(used, 'rb') as file:
                seen += file.read()
        signature = hashlib.sha256(repr(command).encode() + seen).hexdigest()
        if all(os.path.exists(out + end) for end in ('', '.sig', '.time')):
            with open(out + '.sig') as file:
                if file.read() == signature:
                    return
        with open(out + '.time', 'w') as file:
            file.write('%.3f' % self.timed(command, os.path.dirname(out)))
        with open(out + '.sig', 'w') as file:
            file.write(signature)

    def timed(self, command, cwd):
        """Runs it; seconds of processor time, those of what it starts included."""
        with tempfile.NamedTemporaryFile('r', dir=self.own) as times:
            with_times = '"$@" || exit; times >"$0"'
            self.call(['sh', '-c', with_times, times.name] + command, cwd=cwd)
            children = times.read().split('\n')[1]
        return sum(60 * float(m) + float(s) for m, s in re.findall(r'([\d.]+)m([\d.]+)s', children))

    def compile_all(self, wanted):
        jobs = []
        for program, build in wanted:
            os.makedirs(self.place_of(build, program), exist_ok=True)
            for path, out in zip(program.files + build.extra, self.objects(build, program)):
                chosen = Build('hooks', cc=build.cc) if path in build.extra else build
                jobs.append((os.path.getsize(path), chosen, program, path, out))
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            list(pool.map(lambda j: self.compile(*j[1:]), sorted(jobs, key=lambda j: -j[0])))

    def pad(self, shift):
        path = os.path.join(self.own, 'pad%d.o' % shift)
        text = '.text\n.p2align 4\n.skip %d\n.section .note.GNU-stack,"",@progbits\n'
        self.call(
            ['gcc', '-c', '-x', 'assembler', '-', '-o', path], input=(text % (16 * shift)).encode()
        )
        return path

    def link_new(self, command, objects, end, out):
        """Links if the command or what it links has changed since."""
        used = [digest(path) for path in objects] + [self.tool_hash] + end
        signature = hashlib.sha256(repr((command, used)).encode()).hexdigest()
        if os.path.exists(out) and os.path.exists(out + '.sig'):
            with open(out + '.sig') as file:
                if file.read() == signature + digest(out):
                    return
        self.call(command + objects + ['-o', out] + end)
        with open(out + '.sig', 'w') as file:
            file.write(signature + digest(out))

    def link(self, build, program, pads):
        for shift, pad in enumerate(pads):
            command = self.compiler(build, program) + build.flags + build.links
            objects = [pad] + self.objects(build, program)
            self.link_new(command, objects, program.libs, self.binary(build, program, shift))

    def link_wide(self, build, program):
        """`bursty cc --no-runtime`, and the runtime compiled here with more memory."""
        runtime = os.path.join(self.own, 'runtime.o')
        name = os.path.join(self.own, 'name.o')
        if not os.path.exists(name):
            text = b'const char bursty_cc_file[] = "run.brst";'
            text += b'const unsigned bursty_cc_rates[2] = {990, 10};'
            text += b'const int bursty_cc_ticks = 0;'
            more = ['-O2', '-std=gnu99', '-DBURSTY_MEMORY=0x1000000', '-I' + TOP, '-c']
            self.call(['gcc'] + more + [os.path.join(TOP, 'record', 'cc', 'checks.c'), '-o', runtime])
            self.call(['gcc', '-x', 'c', '-c', '-', '-o', name], input=text)
        self.link_new(
            [self.tool, 'cc', '--no-runtime', '--', build.cc],
            [runtime, name] + self.objects(build, program),
            program.libs,
            self.wide_binary(build, program),
        )

    def make(self, wanted):
        """wanted: pairs of program and build. What needs no plan comes first."""
        pads = [self.pad(shift) for shift in range(self.shifts)]
        first = [w for w in wanted if not w[1].set]
        then = [w for w in wanted if w[1].set]
        self.compile_all(first)
        for program, build in first:
            self.link(build, program, pads)
        for program, build in then:
            orig = next(
                b for p, b in first if p is program and b.options == ALL and b.graph() == build.graph()
            )
            self.choose(build, program, orig)
        self.compile_all(then)
        for program, build in then:
            self.link(build, program, pads)
        for program, build in wanted:
            if build.can_be_profiled():
                self.link_wide(build, program)

    # ---- what was built

    def text_size(self, build, program):
        total = 0
        said = self.call(['size', '-A'] + self.objects(build, program)[: len(program.files)])
        for line in said.decode().splitlines():
            words = line.split()
            if words and words[0].startswith('.text'):
                total += int(words[1])
        return total

    def compile_time(self, build, program):
        """Seconds of processor time that its objects took, when they were compiled last."""
        total = 0
        for path in self.objects(build, program)[: len(program.files)]:
            with open(path + '.time') as file:
                total += float(file.read())
        return total

    def is_proved(self, build, program):
        """Is no cycle without a check in what was built? EN and LN cannot be."""
        said = subprocess.run(
            [self.tool, 'place', '--built', '--set', build.set, self.binary(build, program)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ).stdout.decode()
        return bool(re.search('^holds', said, re.M))
