"""programs.py - the real programs of the benches: what to compile and what to run.

Nothing of them is committed; bench/setup.sh fetches them by the names of their packages. @ in a
word stands for the folder of the sources, % for this folder. A program that could not be fetched
has missing() tell the file that is not there.

programs.py: prints their names. programs.py NAME SOURCES: its files, --, a compiler and flags."""
import glob
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


class Program:
    """arguments: (quick, full, counted); the last is small, for a counter of instructions. full is
    what is timed: two seconds and more, of repeat runs.
    smoke: the builds that a smoke test makes of it, by name; None: all."""

    def __init__(self, name, files, flags=(), libs=(), arguments=(), smoke=None, repeat=1):
        self.name = name
        self.smoke, self.repeat = smoke, repeat
        self.patterns = files
        self.words = list(flags)
        self.libs = list(libs)
        self.lines = arguments

    def find(self, sources):
        """The files, now that the sources are there."""
        self.sources = sources
        self.flags = [self.put(word) for word in self.words]
        self.files = []
        for pattern in self.patterns:
            without = []
            if ' but ' in pattern:
                pattern, names = pattern.split(' but ')
                without = names.split()
            found = sorted(glob.glob(self.put(pattern))) or [self.put(pattern)]
            self.files += [f for f in found if os.path.basename(f) not in without]
        return self

    def missing(self):
        return next((f for f in self.files if not os.path.exists(f)), None)

    def put(self, word):
        return word.replace('@', self.sources).replace('%', HERE)

    def arguments(self, which):
        return [self.put(word) for word in self.lines[which].split()]

    def shown(self, which):
        return self.lines[which].replace('@/', '').replace('%/', '')


BZIP2 = 'blocksort huffman crctable randtable compress decompress bzlib'.split()
DOOM = '''aes_prng d_event d_iwad d_loop d_mode deh_* gusconf i_glob m_* memio net_client net_common
net_io net_loop net_packet net_petname net_query net_server net_structrw sha1 tables v_* w_checksum
w_file w_file_posix w_file_stdc w_main w_merge w_wad z_zone'''.split()
REXP = ' '.join('rexp%s.c' % n for n in ('', 0, 1, 2, 3, 4, 'db'))  # regexp.c includes them
EXPAT = ('xmlparse', 'xmlrole', 'xmltok')
SMALL = ('plain', 'orig', 'EC+L4')

PROGRAMS = [
    Program(
        'lua',
        ['@/lua/src/*.c but luac.c'],
        ['-I@/lua/src', '-I@/include', '-DLUA_USE_LINUX', '-Dluai_makeseed(L)=1u',
         '-DLUA_USE_JUMPTABLE=0'],
        ['-lm', '-ldl'],
        ('%/work.lua 4', '%/work.lua 60', '%/work.lua 1'),
    ),
    Program(
        'bzip2',
        ['%/main_bzip2.c'] + ['@/bzip2/%s.c' % n for n in BZIP2],
        ['-I@/bzip2'],
        [],
        (
            '@/sqlite/sqlite3.c 2000000 1',
            '@/sqlite/sqlite3.c 3000000 9',
            '@/sqlite/sqlite3.c 500000 1',
        ),
    ),
    Program(
        'cjson',
        ['%/main_cjson.c', '@/cjson/cJSON.c'],
        ['-I@/cjson'],
        ['-lm'],
        ('10000 1', '20000 12', '4000 1'),
    ),
    Program(
        'sqlite',
        ['%/main_sqlite.c', '@/sqlite/sqlite3.c'],
        ['-I@/sqlite', '-D_GNU_SOURCE'],
        ['-lm', '-ldl', '-lpthread'],
        ('%/work.sql 1', '%/work.sql 16', '%/work.sql 1'),
        ('plain', 'orig', 'EC+L4', 'Q', 'scopes', 'dual'),
    ),
    Program(
        'chipmunk',
        ['%/main_chipmunk.c', '@/chipmunk/src/*.c'],
        ['-I@/chipmunk/include', '-I@/chipmunk/src', '-DNDEBUG'],
        ['-lm', '-lpthread'],
        ('300 800', '300 10000', '150 300'),
    ),
    Program(
        'tree-sitter',
        ['%/main_treesitter.c', '@/tree-sitter/lib/src/lib.c']
        + ['@/tree-sitter-javascript/src/%s.c' % n for n in ('parser', 'scanner')],
        ['-I@/tree-sitter/lib/include', '-I@/tree-sitter/lib/src', '-I@/tree-sitter-javascript/src']
        + ['-D_GNU_SOURCE'],
        [],
        (
            '@/typescript/typescript.js 500000 16',
            '@/typescript/typescript.js 800000 300',
            '@/typescript/typescript.js 100000 16',
        ),
        SMALL,
    ),
    Program(
        'doom',
        ['%/main_doom.c', '@/doom/src/doom/*.c'] + ['@/doom/src/%s.c' % n for n in DOOM],
        ['-I%', '-I@/include/doom', '-I@/doom/src', '-I@/doom/src/doom'],
        ['-lm'],
        (
            '@/freedoom1.wad demo4 4000',
            '@/freedoom1.wad demo4 9999',
            '@/freedoom1.wad demo2 500',
        ),
        SMALL,
        repeat=5,  # a demo has an end
    ),
    # Nobody looked at these while bursty was made.
    Program(
        'zopfli',
        ['@/zopfli/src/zopfli/*.c'],
        [],
        ['-lm'],
        (
            '-c --i1 @/sqlite/sqlite3.h',
            '-c --i15 @/sqlite/sqlite3.h',
            '-c --i1 @/zopfli/CMakeLists.txt',
        ),
        SMALL,
    ),
    Program(
        'clzip',
        ['@/clzip/*.c'],
        ['-DPROGVERSION="1.13"'],
        [],
        ('-c @/sqlite/sqlite3.h', '-c @/sqlite/sqlite3.c', '-c @/sqlite/sqlite3ext.h'),
        SMALL,
    ),
    Program(
        'duktape',
        ['@/duktape/src/duktape.c', '@/duktape/examples/cmdline/duk_cmdline.c']
        + ['@/duktape/extras/print-alert/duk_print_alert.c'],
        ['-DDUK_CMDLINE_PRINTALERT_SUPPORT', '-I@/duktape/src', '-I@/duktape/extras/print-alert'],
        ['-lm'],
        (
            '-e scriptArgs=[4] %/work.js',
            '-e scriptArgs=[50] %/work.js',
            '-e scriptArgs=[1] %/work.js',
        ),
        SMALL,
    ),
    Program(
        'mawk',
        ['@/mawk/*.c but makescan.c fpe_check.c trace.c regexp_system.c ' + REXP],
        ['-DHAVE_CONFIG_H', '-DLOCAL_REGEXP', '-I@/mawk'],
        ['-lm'],
        (
            '-f %/work.awk @/sqlite/sqlite3.h',
            '-f %/work.awk @/sqlite/sqlite3.c',
            '-f %/work.awk @/sqlite/sqlite3ext.h',
        ),
        SMALL,
    ),
    Program(
        'expat',
        ['%/main_expat.c'] + ['@/expat/expat/lib/%s.c' % n for n in EXPAT],
        ['-I@/expat/expat/lib', '-DXML_NS', '-DXML_DTD', '-DXML_CONTEXT_BYTES=1024']
        + ['-DBYTEORDER=1234', '-DHAVE_MEMMOVE', '-DXML_POOR_ENTROPY', '-DXML_STATIC'],
        [],
        ('20000 1', '40000 20', '4000 1'),
        SMALL,
    ),
]
UNTUNED = ('zopfli', 'clzip', 'duktape', 'mawk', 'expat')

if __name__ == '__main__':
    if len(sys.argv) < 3:
        print(' '.join(p.name for p in PROGRAMS))
    else:
        chosen = next(p for p in PROGRAMS if p.name == sys.argv[1]).find(sys.argv[2])
        words = chosen.files + ['--', 'gcc'] + chosen.flags
        print(' '.join("'%s'" % word for word in words))
