#!/usr/bin/python3
"""place.py all|few|dual OUT_DIR [COMPILER_ARG ...] -- FILE.c ... - copies C files with bursty checks put in.

all   BURST_ENTRY() at the entry of every function, BURST_LOOP() at the start of every loop body ("orig" in the paper)
few   EC+L4: entry checks by equation 3, no check in 4-boring loops: no calls, and at most 4 events of interest. What a point
      records is a call or a back-edge, so these are loops that call nothing and have at most 3 loops in them
dual  the same checks as dual paths: BURST_DUAL for functions with a check, BURST_DUAL_LEAF and BURST_SAME for those without,
      BURST_BODY for loops; BURST_REF for up to two pointers that a statement goes through

libclang finds the places. Functions and loops whose braces come out of a macro are left alone and counted, and so are
functions defined in headers. A leaf calls no function of the program and nothing through a pointer. In loops a call
counts as a call whoever is called, but for static functions of headers that call nothing: they will be part of the
loop. What cannot be a dual path (variadic functions, setjmp, computed goto, a label, a static, a #define or a case of
an outer switch in a loop's body, a loop in such a loop) gets the point instead, and is counted too. Prints a summary
in JSON."""
import json, os, re, sys
from clang.cindex import Index, CursorKind as K

BORING = 4
NESTED = 1                                      # dual loops in dual loops would double the text at each level
CLOSE, REFER, LOOP, CALL = range(4)         # the order of insertions at one place
LOOPS = (K.FOR_STMT, K.WHILE_STMT, K.DO_STMT)


class Function:
    def __init__(self, cursor):
        self.cursor, self.name = cursor, cursor.spelling
        self.calls, self.indirect, self.brace, self.single = set(), False, None, False
        self.references = []                        # (offset, text): for dual paths

    def header(self, text):
        """(start, end, storage, type, parameters, arguments) of the definition's head, or None if it cannot be a dual path."""
        c = self.cursor
        start, at = c.extent.start.offset, c.location.offset
        if self.single or c.type.kind.name != 'FUNCTIONPROTO' or c.type.is_function_variadic() or not text[at:].startswith(self.name.encode()):
            return None
        ret, open_ = c.result_type.spelling, text.find(b'(', at)
        depth, end = 0, open_
        while True:
            depth += {40: 1, 41: -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                break
        params = text[open_:end].decode('latin1')
        names = [a.spelling for a in c.get_arguments()]
        if (not re.fullmatch(r'[\w *]+', ret) or '' in names or '#' in params or text[at + len(self.name):open_].strip() or
                re.sub(rb'/\*.*?\*/', b'', text[end:self.brace - 1], flags=re.S).strip() or b'nore' in text[start:at].lower()):
            return None
        storage = 'static ' if c.storage_class.name == 'STATIC' else ''
        return start, end, storage, ret, params, '(%s)' % ', '.join(names)


def strip(cursor):
    """The expression below casts and parentheses."""
    while cursor.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR, K.CSTYLE_CAST_EXPR):
        inner = [c for c in cursor.get_children() if c.kind.is_expression()]
        if len(inner) != 1:
            break
        cursor = inner[0]
    return cursor


def is_reference(c, text):
    if c.kind == K.ARRAY_SUBSCRIPT_EXPR:
        return True
    if c.kind == K.UNARY_OPERATOR:
        return next(c.get_tokens(), None) is not None and next(c.get_tokens()).spelling == '*'
    if c.kind == K.MEMBER_REF_EXPR:
        base = next(c.get_children(), None)
        return base is not None and base.type.get_canonical().kind.name == 'POINTER'
    return False


def is_inlined(function, main, known={}):
    """A static function of a header that calls nothing but its like."""
    usr = function.get_usr()
    if usr not in known:
        known[usr] = False
        body = function.get_definition()
        if body is not None and body.storage_class.name == 'STATIC' and body.location.file.name != main:
            known[usr] = all(c.referenced is not None and c.referenced.kind == K.FUNCTION_DECL and is_inlined(c.referenced, main)
                             for c in body.walk_preorder() if c.kind == K.CALL_EXPR)
    return known[usr]


class File:
    def __init__(self, path, args):
        self.path = path
        self.text = open(path, 'rb').read()
        self.functions, self.loops, self.taken, self.skipped, self.calls, self.switches = {}, [], set(), 0, [], []
        unit = Index.create().parse(path, args=args)
        errors = [d for d in unit.diagnostics if d.severity >= 3]
        if errors:
            sys.exit('%s: %s' % (path, errors[0]))
        for c in unit.cursor.get_children():
            if c.location.file and c.location.file.name == path:
                self.top(c)
            else:
                self.walk(c, None, [])

    def top(self, c):
        body = None
        if c.kind == K.FUNCTION_DECL and c.is_definition():
            body = [k for k in c.get_children() if k.kind == K.COMPOUND_STMT][-1]
            f = self.functions[c.get_usr()] = Function(c)
            f.brace = self.open_brace(body)
            self.skipped += f.brace is None
            for k in c.get_children():
                self.walk(k, f, [])
        else:
            self.walk(c, None, [])

    def open_brace(self, compound):
        at = compound.extent.start.offset
        return at + 1 if self.text[at:at + 1] == b'{' else None

    def statement_end(self, c):
        """Behind the statement's last character; its semicolon is not part of its extent."""
        at = c.extent.end.offset
        rest = self.text[at:]
        spaces = len(rest) - len(rest.lstrip())
        if rest[spaces:spaces + 1] == b';':
            return at + spaces + 1
        return at if self.text[at - 1:at] in (b'}', b';') else None

    def loop(self, c, enclosing):
        children = list(c.get_children())
        body = children[0] if c.kind == K.DO_STMT else children[-1]
        loop = dict(calls=0, loops=1, start=None, end=None, body=body.extent, single=False, around=enclosing[1])
        if body.kind == K.COMPOUND_STMT:
            loop['start'] = self.open_brace(body)
        elif c.extent.start.offset < body.extent.start.offset and self.text[body.extent.start.offset - 1:][:1] != b'#':
            start, end = body.extent.start.offset, self.statement_end(body)
            if end is not None and end > start and body.kind != K.NULL_STMT:
                loop['start'], loop['end'] = start, end
        words = {K.FOR_STMT: b'for', K.WHILE_STMT: b'while', K.DO_STMT: b'do'}
        if not self.text[c.extent.start.offset:].startswith(words[c.kind]):
            loop['start'] = None
        self.skipped += loop['start'] is None
        self.loops.append(loop)
        for outer in enclosing[1]:
            outer['loops'] += 1
        for k in children:
            self.walk(k, enclosing[0], enclosing[1] + [loop])
        body = self.text[loop['body'].start.offset:loop['body'].end.offset]
        loop['single'] |= re.search(rb'^[ \t]*#[ \t]*(define|undef|include)', body, re.M) is not None

    def refer(self, statement, function, loops):
        """Notes up to two pointers that an expression, a return or an if's condition goes through."""
        if statement.kind == K.IF_STMT:
            top = next(statement.get_children())
        elif statement.kind.is_expression() or statement.kind == K.RETURN_STMT:
            top = statement
        else:
            return
        found = []
        for c in top.walk_preorder():
            if c.kind == K.MEMBER_REF_EXPR and is_reference(c, self.text):
                base = strip(next(c.get_children()))
                if (base.kind == K.DECL_REF_EXPR and base.referenced.kind in (K.PARM_DECL, K.VAR_DECL) and
                        base.referenced.extent.end.offset < statement.extent.start.offset and base.spelling not in found):
                    found.append(base.spelling)         # declared before the statement, not by a macro in it
        if found:
            text = ' '.join('BURST_REF(BURSTY_LOAD | BURSTY_STORE, %s);' % name for name in found[:2])
            function.references.append((statement.extent.start.offset, text.encode() + b' ', list(loops)))

    def walk(self, c, function, loops):
        if c.kind in LOOPS:
            return self.loop(c, (function, loops))
        if c.kind in (K.LABEL_STMT, K.ADDR_LABEL_EXPR) or c.kind == K.VAR_DECL and c.storage_class.name == 'STATIC':
            for l in loops:
                l['single'] = True
        if c.kind in (K.CASE_STMT, K.DEFAULT_STMT):
            for l in loops[self.switches[-1]:]:         # a case of a switch around the loop
                l['single'] = True
        if c.kind == K.SWITCH_STMT:
            self.switches.append(len(loops))
        if function and (c.kind == K.ADDR_LABEL_EXPR or c.kind == K.CALL_EXPR and 'setjmp' in c.spelling):
            function.single = True
        if function and c.kind == K.COMPOUND_STMT and self.open_brace(c) is not None:
            for k in c.get_children():
                self.refer(k, function, loops)
        callee = None
        if c.kind == K.CALL_EXPR:
            parts = list(c.get_children())
            callee = strip(parts[0]) if parts else None
            target = callee.referenced if callee is not None and callee.kind == K.DECL_REF_EXPR else None
            if target is not None and target.kind == K.FUNCTION_DECL:
                if not target.spelling.startswith('__builtin_') and not is_inlined(target, self.path):
                    for l in loops:
                        l['calls'] += 1
                if function:
                    function.calls.add(target.get_usr())
                    self.calls.append((target.get_usr(), c.extent.start.offset, c.extent.end.offset, target.spelling, function))
            else:
                callee = None
                for l in loops:
                    l['calls'] += 1
                if function:
                    function.indirect = True
        elif c.kind == K.DECL_REF_EXPR and c.referenced is not None and c.referenced.kind == K.FUNCTION_DECL:
            self.taken.add(c.referenced.get_usr())
        for i, k in enumerate(c.get_children()):
            if not (i == 0 and callee is not None):         # the name of a direct callee is no address taken
                self.walk(k, function, loops)
        if c.kind == K.SWITCH_STMT:
            self.switches.pop()


def components(graph):
    """Strongly connected component of each node (Tarjan, without recursion)."""
    order, low, stack, on, out, n = {}, {}, [], set(), {}, 0
    for root in graph:
        if root in order:
            continue
        order[root] = low[root] = n = n + 1
        stack.append(root); on.add(root)
        work = [(root, iter(graph[root]))]
        while work:
            v, edges = work[-1]
            for w in edges:
                if w not in order:
                    order[w] = low[w] = n = n + 1
                    stack.append(w); on.add(w)
                    work.append((w, iter(graph[w])))
                    break
                if w in on:
                    low[v] = min(low[v], order[w])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[v])
                if low[v] == order[v]:
                    while True:
                        w = stack.pop(); on.discard(w); out[w] = v
                        if w == v:
                            break
    return out


def entry_checks(files):
    """Equation 3: not a leaf, and a root, or address taken, or recursion from below."""
    functions, taken = {}, set()
    for f in files:
        functions.update(f.functions)
        taken |= f.taken
    graph = {u: sorted(c for c in f.calls if c in functions) for u, f in functions.items()}
    callers = {u: [] for u in graph}
    for u in graph:
        for v in graph[u]:
            callers[v].append(u)
    roots = [u for u in graph if not [c for c in callers[u] if c != u]]
    distance = {u: 0 for u in roots + [u for u in graph if u in taken]}
    front = list(distance)
    while front:
        following = []
        for u in front:
            for v in graph[u]:
                if v not in distance:
                    distance[v] = distance[u] + 1
                    following.append(v)
        front = following
    far = len(graph)
    scc = components(graph)
    size = {}
    for u in scc:
        size[scc[u]] = size.get(scc[u], 0) + 1

    def below(u):
        return any(scc[g] == scc[u] and (size[scc[u]] > 1 or g == u) and
                   distance.get(g, far) >= distance.get(u, far) for g in callers[u])

    roots = set(roots)
    return {u for u, f in functions.items()
            if (graph[u] or f.indirect) and (u in roots or u in taken or below(u))}


def boring(loop, mode):
    """k-boring: no calls and at most k events, here its own back-edge and those of loops in it."""
    return mode != 'all' and not loop['calls'] and loop['loops'] <= BORING


def point_edits(f, chosen, mode, total):
    edits = []
    for u, fn in f.functions.items():
        total['functions'] += 1
        if fn.brace is not None and u in chosen:
            total['entry_checks'] += 1
            edits.append((fn.brace, fn.brace, LOOP, b' BURST_ENTRY();'))
    for l in f.loops:
        total['loops'] += 1
        if l['start'] is not None and not boring(l, mode):
            total['loop_checks'] += 1
            edits += loop_point(l)
    return edits


def loop_point(l):
    if l['end'] is None:
        return [(l['start'], l['start'], LOOP, b' BURST_LOOP();')]
    return [(l['start'], l['start'], LOOP, b'{ BURST_LOOP(); '), (l['end'], l['end'], CLOSE, b' }')]


def dual_edits(f, chosen, total):
    edits, copied, subs = [], set(), {}
    for u, fn in f.functions.items():
        total['functions'] += 1
        check = u in chosen
        total['entry_checks'] += check
        head = fn.header(f.text) if fn.brace is not None else None
        if head is None:
            if fn.brace is not None and check:
                total['single'] += 1
                edits.append((fn.brace, fn.brace, LOOP, b' BURST_ENTRY();'))
            continue
        start, end, storage, ret, params, args = head
        form = 'BURST_DUAL' if check else 'BURST_DUAL_LEAF'
        edits.append((start, end, LOOP, ('%s%s(%s)' % (storage, form, ', '.join([ret, fn.name, params, args]))).encode()))
        copied.add(u)
        if not check:
            subs[u] = end
    for l in f.loops:                               # outer ones stand first
        l['copies'] = 0 if l['single'] or boring(l, 'dual') else 1 + max([o['copies'] for o in l['around']], default=0)
        l['single'] |= l['copies'] > NESTED
    for l in reversed(f.loops):                     # inner loops close first
        total['loops'] += 1
        if l['start'] is None or boring(l, 'dual'):
            continue
        total['loop_checks'] += 1
        if l['single']:
            total['single'] += 1
            edits += loop_point(l)
        elif l['end'] is None:
            edits += [(l['start'] - 1, l['start'] - 1, LOOP, b' BURST_BODY('), (l['body'].end.offset, l['body'].end.offset, CLOSE, b')')]
        else:
            edits += [(l['start'], l['start'], LOOP, b'BURST_BODY({ '), (l['end'], l['end'], CLOSE, b' })')]
    for u, start, end, name, caller in f.calls:
        at = start + len(name)
        if (u in subs and subs[u] < start and caller.cursor.get_usr() in copied and f.text[start:at] == name.encode() and
                f.text[at:].lstrip()[:1] == b'(' and f.text[end - 1:end] == b')'):
            edits += [(start, start, CALL, b'BURST_SAME('), (at, at, CALL, b', '), (end, end, CLOSE, b')')]
    for u, fn in f.functions.items():
        for at, what, loops in fn.references if u in copied else []:
            if not any(boring(l, 'dual') for l in loops):
                edits.append((at, at, REFER, what))
    return edits


def main():
    mode, out = sys.argv[1], sys.argv[2]
    split = sys.argv.index('--')
    args, paths = sys.argv[3:split], sys.argv[split + 1:]
    sys.setrecursionlimit(100000)
    files = [File(p, args) for p in paths]
    chosen = {u for f in files for u in f.functions} if mode == 'all' else entry_checks(files)
    total = dict(functions=0, loops=0, entry_checks=0, loop_checks=0, left_alone=sum(f.skipped for f in files), single=0)
    os.makedirs(out, exist_ok=True)
    for f in files:
        edits = dual_edits(f, chosen, total) if mode == 'dual' else point_edits(f, chosen, mode, total)
        text, last, parts = f.text, 0, []
        for start, end, _, what in sorted(edits, key=lambda e: e[:3]):
            parts += [text[last:start], what]
            last = end
        parts.append(text[last:])
        with open(os.path.join(out, os.path.basename(f.path)), 'wb') as o:
            o.write(b'#include "placed.h"\n#line 1 "%s"\n' % os.path.basename(f.path).encode() + b''.join(parts))
    print(json.dumps(total))


main()
