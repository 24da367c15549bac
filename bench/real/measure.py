"""measure.py - runs of a built program: what it prints, how long it takes, how many instructions
it executes, and what its dump says."""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from kept import Kept

OFF = {'BURSTY_OFF': '1'}


def rate(every, burst):
    return {'BURSTY_EVERY': str(every), 'BURSTY_BURST': str(burst)}


ALWAYS = rate(1, 1 << 30)
IDLE = rate(1 << 30, 1)  # the paper's nCheck0 = infinity, nInstr0 = 1: a dump, and nothing in it
OFTEN = rate(90, 10)  # what a burst costs beside its events
RATES = {'1 %': rate(990, 10), '0.1 %': rate(9990, 10)}


class Failed(SystemExit):
    """A program ended with another status than 0."""


class Row:
    """A build, how it samples, and the command that looks at it, if one does; {} in a word of that
    is the folder of the build. uncounted: why no count of instructions can tell what it costs.
    may_fail: it is another's, and the page says so if it cannot run the program."""

    def __init__(self, name, build, env=OFF, before=(), uncounted=None, may_fail=False):
        self.name, self.build, self.env = name, build, env
        self.before, self.uncounted, self.may_fail = before, uncounted, may_fail


class Runner:
    def __init__(self, workshop):
        self.shop = workshop
        self.env = dict(workshop.env, LLVM_PROFILE_FILE='/dev/null')
        self.plugin = os.path.join(workshop.own, 'icount.so')
        here = os.path.dirname(os.path.abspath(__file__))
        workshop.call(
            ['gcc', '-O2', '-fPIC', '-shared', '-o', self.plugin, os.path.join(here, 'icount.c')]
        )
        counters = [shutil.which('qemu-x86_64'), os.path.join(here, 'icount.c'), shutil.which('valgrind')]
        self.kept = Kept(os.path.join(workshop.folder, 'kept.txt'), filter(None, counters))

    def environment(self, row, program):
        folder = self.shop.place_of(row.build, program)
        env = {key: value.format(folder) for key, value in row.env.items()}
        dump = os.path.join(folder, 'run.brst')
        return dict(env, BURSTY_FILE=dump, BURSTY_COVERAGE='/dev/null')

    def run(self, row, program, words, before=(), binary=None):
        folder = self.shop.place_of(row.build, program)
        looks = [word.format(folder) for word in row.before]
        done = subprocess.run(
            list(before) + looks + [binary or self.shop.binary(row.build, program)] + words,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(self.env, **self.environment(row, program)),
            cwd=folder,
        )
        for log in glob.glob(os.path.join(folder, 'xray-log.*')) + glob.glob(folder + '/record.brst*'):
            os.remove(log)
        if done.returncode != 0:
            said = done.stderr.decode(errors='replace')[-2000:]
            raise Failed(
                'real.py: %s, %s: status %d\n%s' % (program.name, row.name, done.returncode, said)
            )
        return done.stdout

    def get(self, what, row, program, words, make, binary=None):
        """make(), or what it gave before of the same binary, input and environment."""
        binary = binary or self.shop.binary(row.build, program)
        own = os.path.join(os.path.dirname(self.shop.tool), 'bursty-record.so')
        uses = [own] if self.shop.tool in row.before else []
        return self.kept.get(make, what, binary, row.env, words, row.before, uses)

    def output(self, row, program, words):
        """The hash of what it prints; None if it fails and may."""
        said = lambda: hashlib.sha256(self.run(row, program, words)).hexdigest()
        try:
            return self.get('output', row, program, words, said)
        except Failed as failed:
            if not row.may_fail:
                raise
            print(str(failed).splitlines()[0].replace('real.py', 'bench'), file=sys.stderr)
            row.uncounted = 'fails'

    def instructions(self, row, program, words):
        if row.uncounted:
            return None
        return self.get(
            'instructions', row, program, words, lambda: self.count(row, program, words)
        )

    def count(self, row, program, words):
        if row.before:
            return self.beside(row, program, words)
        with tempfile.NamedTemporaryFile('r') as log:
            plugin = ['-plugin', self.plugin, '-d', 'plugin', '-D', log.name]
            self.run(row, program, words, ['qemu-x86_64'] + plugin)
            return int(re.search(r'instructions (\d+)', log.read()).group(1))

    def beside(self, row, program, words):
        """The same of a program that another one starts: callgrind follows both, and its count of
        the plain program says what its way to count makes of it."""
        with tempfile.TemporaryDirectory() as folder:
            out = '--callgrind-out-file=' + os.path.join(folder, 'cg.%p')
            count = ['valgrind', '-q', '--tool=callgrind', '--smc-check=all', out]
            self.run(row, program, words, count + ['--trace-children=yes'])
            total = 0
            for name in os.listdir(folder):
                with open(os.path.join(folder, name)) as file:
                    text = file.read()
                command = re.search(r'^cmd: *(\S+)', text, re.M).group(1)
                if command.startswith(self.shop.folder):
                    total += int(re.search(r'^totals: (\d+)', text, re.M).group(1))
        return total

    def command(self, row, program, shift, words):
        env = ['%s=%s' % e for e in self.environment(row, program).items()]
        looks = [word.format(self.shop.place_of(row.build, program)) for word in row.before]
        words = looks + [self.shop.binary(row.build, program, shift)] + words
        if program.repeat > 1:
            again = 'n=%d; while [ $n -gt 0 ]; do "$@" || exit; n=$((n - 1)); done' % program.repeat
            words = ['sh', '-c', again, 'sh'] + words
        return ['env'] + env + words

    def profile(self, row, program, words):
        """What is known from a run with memory enough for all rows: how many checks and events, and
        the shares of its calls."""
        binary = self.shop.wide_binary(row.build, program)
        make = lambda: self.seen(row, program, words)
        return self.get('profile', row, program, words, make, binary)

    def seen(self, row, program, words):
        """The same, from the dump as `bursty report --json` tells it."""
        dump = self.environment(row, program)['BURSTY_FILE']
        if os.path.exists(dump):
            os.remove(dump)
        self.run(row, program, words, binary=self.shop.wide_binary(row.build, program))
        said = self.shop.call([self.shop.tool, 'report', '--json', '--min', '0', dump])
        sampled = json.loads(said)['sampled']
        if sampled['programs'][0]['lost']:
            sys.exit('real.py: %s, %s: events were lost' % (program.name, row.name))
        one = sampled['programs'][0]
        return dict(checks=one['checks'], events=one['events'], shares=shares(sampled))


CALL = 1  # the kind of an event


def shares(profile):
    """(shares of functions, shares of call pairs) among the calls that were recorded."""
    sites = profile['sites']
    functions, pairs = {}, {}
    for row in profile['functions']:
        site = sites[row['site']]
        if site['kind'] & CALL:
            key = '%s:%s %s' % (site['file'], site['line'], site['name'])
            functions[key] = functions.get(key, 0) + row['estimated']
    for row in profile['pairs']:
        site, caller = sites[row['site']], sites[row['caller']]['name']
        if site['kind'] & CALL:
            key = '%s < %s' % (site['name'], caller)
            pairs[key] = pairs.get(key, 0) + row['estimated']
    return [{k: v / (sum(t.values()) or 1) for k, v in t.items()} for t in (functions, pairs)]


def overlap(full, part):
    """Equation 5: the sum of the smaller of both shares."""
    return sum(min(share, full.get(key, 0)) for key, share in part.items())
