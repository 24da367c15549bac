#!/usr/bin/python3
"""cc_oracle.py FILE.c ... [-- COMPILER ARGUMENTS] - the parser of `bursty cc` against libclang's tree.

For each file: the skeletons that `bursty cc --side` writes (docs/formats.md), and those made from libclang's tree of the
same preprocessed text, function by function. Prints each function that differs and a line of sums; status 1 if one does.
Needs python3-clang-14 or -19 with its libclang. What libclang cannot read of gcc's headers is blanked in a copy of the same
length: attributes, _Float128 and its relatives."""
import bisect, os, re, subprocess, sys, tempfile
from clang.cindex import Config, CursorKind as K, Index, StorageClass

BURSTY = os.environ.get('BURSTY', 'build/bursty')
BUILTIN = ('__builtin_', '__sync_', '__atomic_')
sys.setrecursionlimit(20000)


def masked(text):
    """The same bytes without what libclang refuses."""
    out = bytearray(text)
    for m in re.finditer(rb'\b_Float(32|64|128)x?\b', text):
        out[m.start():m.end()] = b'double'.ljust(m.end() - m.start())[:m.end() - m.start()]
    for m in re.finditer(rb'"(?:\\.|[^"\\\n])*"|\b__attribute__\s*\(\(|\b__attribute\s*\(\(', text):
        if m.group().startswith(b'"'):
            continue
        depth, i = 0, text.index(b'(', m.start())
        while True:
            depth += {40: 1, 41: -1}.get(text[i], 0)
            i += 1
            if depth == 0:
                break
        for k in range(m.start(), i):
            if out[k] != 10:
                out[k] = 32
    return bytes(out)


class Function:
    def __init__(self, cursor, text):
        self.text, self.callees, self.loops, self.out = text, [], 0, []
        body = [c for c in cursor.get_children() if c.kind == K.COMPOUND_STMT][-1]
        self.labels, self.back = [], set()
        gotos = []
        for c in cursor.walk_preorder():
            kind = c.kind               # not free: libclang's number is looked up
            if kind == K.LABEL_STMT:
                self.labels.append((c.spelling, c.extent.start.offset))
            if kind == K.GOTO_STMT:
                gotos.append((next(c.get_children()).spelling, c.extent.start.offset))
        self.labels.sort(key=lambda p: p[1])
        place = dict(self.labels)
        self.back = {name for name, at in gotos if place.get(name, at + 1) < at}
        self.number = {name: i for i, (name, _) in enumerate(self.labels)}
        self.statement(body)

    def say(self, words):
        self.out.append(words)

    def between(self, a, b):
        return re.sub(rb'^\s*#.*$', b'', self.text[a.extent.end.offset:b.extent.start.offset], flags=re.M)

    def choice(self, *arms):
        before = len(self.out)
        self.say('(')
        for i, arm in enumerate(arms):
            if i:
                self.say('|')
            if arm is not None:
                (self.statement if arm.kind.is_statement() else self.expression)(arm)
        self.say(')')
        if ''.join(self.out[before:]) == '(|)':
            del self.out[before:]

    def callee(self, c):
        while c.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR, K.UNARY_OPERATOR, K.CSTYLE_CAST_EXPR):
            inner = [x for x in c.get_children() if x.kind.is_expression()]
            if len(inner) != 1 or c.kind == K.CSTYLE_CAST_EXPR:
                return None
            if c.kind == K.UNARY_OPERATOR and self.text[c.extent.start.offset:c.extent.start.offset + 1] not in b'*&':
                return None
            c = inner[0]
        if c.kind == K.DECL_REF_EXPR and c.referenced is not None and c.referenced.kind == K.FUNCTION_DECL:
            return c.spelling
        return None

    def call(self, c):
        parts = list(c.get_children())
        if not parts:
            return
        for part in parts:
            self.expression(part)
        name = self.callee(parts[0])
        if name is None:
            self.say('i%d' % (len(parts) - 1))
        elif not name.startswith(BUILTIN):
            if name not in self.callees:
                self.callees.append(name)
            self.say('c%d' % self.callees.index(name))

    def expression(self, c):
        kind = c.kind
        parts = [x for x in c.get_children() if x.kind != K.TYPE_REF]
        if kind == K.CALL_EXPR:
            self.call(c)
        elif kind == K.BINARY_OPERATOR and len(parts) == 2 and \
                re.search(rb'&&|\|\|', self.between(parts[0], parts[1])):
            self.expression(parts[0])
            self.choice(parts[1], None)
        elif kind == K.CONDITIONAL_OPERATOR:
            self.expression(parts[0])
            self.choice(parts[1], parts[2])
        elif kind == K.StmtExpr:
            self.statement(parts[0])
        elif kind in (K.CXX_UNARY_EXPR, K.GENERIC_SELECTION_EXPR):
            pass
        else:
            for part in parts:
                (self.statement if part.kind.is_statement() else self.expression)(part)

    def declaration(self, c):
        for var in c.get_children():
            if var.kind == K.VAR_DECL and var.storage_class not in (StorageClass.STATIC, StorageClass.EXTERN):
                for part in var.get_children():
                    if part.kind.is_expression():
                        self.expression(part)

    def loop(self, letter, parts):
        self.say('%s%d{' % (letter, self.loops))
        self.loops += 1
        for i, part in enumerate(parts):
            if i:
                self.say(';')
            if part is not None:
                self.any(part)
        self.say('}')

    def any(self, c):
        (self.expression if c.kind.is_expression() else self.statement)(c)

    def for_parts(self, c):
        text, depth, i, marks = self.text, 0, c.extent.start.offset, []
        while len(marks) < 2:
            ch = text[i:i + 1]
            if ch in b'"\'':
                j = i + 1
                while text[j:j + 1] != ch:
                    j += 2 if text[j:j + 1] == b'\\' else 1
                i = j
            elif ch in b'([{':
                depth += 1
            elif ch in b')]}':
                depth -= 1
            elif ch == b';' and depth == 1:
                marks.append(i)
            i += 1
        slots = [None, None, None]
        *heads, body = list(c.get_children())
        for part in heads:
            at = part.extent.start.offset
            slots[0 if at < marks[0] else 1 if at < marks[1] else 2] = part
        return slots + [body]

    def statement(self, c):
        kind = c.kind
        parts = list(c.get_children())
        if kind == K.IF_STMT:
            self.expression(parts[0])
            self.choice(parts[1], parts[2] if len(parts) > 2 else None)
        elif kind == K.FOR_STMT:
            init, condition, step, body = self.for_parts(c)
            if init is not None:
                self.any(init)
            self.loop('W', [condition, body, step])
        elif kind == K.WHILE_STMT:
            self.loop('W', [parts[0], parts[1], None])
        elif kind == K.DO_STMT:
            e = parts[1].extent
            if self.text[e.start.offset:e.end.offset] == b'0':
                self.say('{')
                self.any(parts[0])
                self.say('}')
            else:
                self.loop('D', parts)
        elif kind == K.SWITCH_STMT:
            self.expression(parts[0])
            self.say('S{')
            self.any(parts[1])
            self.say('}')
        elif kind in (K.CASE_STMT, K.DEFAULT_STMT):
            self.any(parts[-1])
        elif kind == K.LABEL_STMT:
            self.say('l%d' % self.number[c.spelling])
            if c.spelling in self.back:
                self.say('G%d' % self.loops)
                self.loops += 1
            self.any(parts[0])
        elif kind == K.GOTO_STMT:
            self.say('g%d' % self.number[parts[0].spelling])
        elif kind == K.INDIRECT_GOTO_STMT:
            self.expression(parts[0])
            self.say('x')
        elif kind == K.BREAK_STMT:
            self.say('b')
        elif kind == K.CONTINUE_STMT:
            self.say('k')
        elif kind == K.RETURN_STMT:
            for part in parts:
                self.expression(part)
            self.say('r')
        elif kind == K.DECL_STMT:
            self.declaration(c)
        elif kind not in (K.ASM_STMT, K.MS_ASM_STMT):
            for part in parts:
                self.any(part)


def ours(path):
    found, name, callees = {}, None, []
    for line in open(path, encoding='latin1'):
        words = line.split()
        if words[0] == 'F':
            name, callees = words[1], []
        elif words[0] == 'C':
            callees.append(words[1])
        elif words[0] in 'BN':
            body = '' if words[1] == '-' else re.sub('<[^>]*>', '', words[1])     # without types of pointers
            found[name] = (body, callees) if words[0] == 'B' else None
    return found


def theirs(text, path):
    open(path, 'wb').write(text)
    unit = Index.create().parse(path, args=['-x', 'cpp-output', '-std=gnu11', '-ferror-limit=0', '-w'])
    found, errors = {}, 0
    marks = [(m.start(), int(b' 3' in m.group(1))) for m in re.finditer(rb'^# \d+ "[^"]*"(.*)$', text, re.M)]
    for d in unit.diagnostics:
        if d.severity >= 3:
            errors += 1
            if errors == 1:
                print('libclang:', d, file=sys.stderr)
    for c in unit.cursor.get_children():
        if c.kind != K.FUNCTION_DECL or not c.is_definition():
            continue
        marker = bisect.bisect(marks, (c.location.offset, 2)) - 1
        if marker >= 0 and marks[marker][1]:
            continue
        f = Function(c, text)
        found[c.spelling] = (''.join(f.out), f.callees)
    return found, errors


def main():
    files = sys.argv[1:]
    command = ['gcc']
    if '--' in files:
        command = files[files.index('--') + 1:]
        files = files[:files.index('--')]
    total = same = left = unread = 0
    for file in files:
        with tempfile.TemporaryDirectory() as folder:
            o = os.path.join(folder, 'x.o')
            subprocess.run([BURSTY, 'cc', '--side', '--', *command, '-w', '-c', file, '-o', o], check=True)
            text = subprocess.run([*command, '-E', file], check=True, stdout=subprocess.PIPE).stdout
            a, (b, errors) = ours(o + '.burstycg'), theirs(masked(text), os.path.join(folder, 'x.i'))
        if errors:
            print('%s: libclang does not read it' % file)
            unread += 1
            continue
        for name in sorted(set(a) | set(b)):
            total += 1
            if a.get(name, 0) is None:
                left += 1
            elif a.get(name) == b.get(name):
                same += 1
            else:
                print('%s: %s:\n  bursty   %s\n  libclang %s' % (file, name, a.get(name), b.get(name)))
    print('%d files, %d functions: %d the same, %d left alone, %d differ; %d files that libclang refuses' %
          (len(files), total, same, left, total - same - left, unread))
    print('%d passed, %d failed' % (same, total - same - left + unread))
    return total != same + left or unread > 0


if __name__ == '__main__':
    if os.environ.get('LIBCLANG'):
        Config.set_library_file(os.environ['LIBCLANG'])
    sys.exit(main())
