"""kept.py - what was counted once. A count of instructions does not change while the program, its
input, its environment and what counts stay the same; so it is kept under the hash of all of them,
and a run that was broken off goes on where it stopped."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import threading


def digest(path, seen={}):
    """Of a file's bytes; read again when its size or time has changed."""
    about = os.stat(path)
    key = path, about.st_size, about.st_mtime_ns
    if key not in seen:
        with open(path, 'rb') as file:
            seen[key] = hashlib.sha256(file.read()).hexdigest()
    return seen[key]


def libraries(binary):
    """The shared libraries that it loads: what they execute is counted, too."""
    said = subprocess.run(['ldd', binary], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return sorted(set(re.findall(r'(/\S+)', said.stdout.decode())) - {binary})


class Kept:
    """path: one line for each value, a hash and JSON; a line that was cut off is no value."""

    def __init__(self, path, counters):
        self.path, self.lock, self.values = path, threading.Lock(), {}
        self.counters = [digest(c) for c in counters]
        if os.path.exists(path):
            with open(path) as file:
                for line in file:
                    key, _, value = line.partition(' ')
                    if value.endswith('\n'):
                        self.values[key] = json.loads(value)

    def key(self, what, binary, env, words, before, uses):
        """before: the words of another program that starts this one. uses: files that it reads."""
        files = [binary] + libraries(binary) + [w for w in words if os.path.isfile(w)] + uses
        files += [f for f in (shutil.which(w) for w in before[:1]) if f]
        seen = [what, sorted(env.items()), [os.path.basename(w) for w in words], before]
        seen += [self.counters, [digest(f) for f in files]]
        return hashlib.sha256(json.dumps(seen).encode()).hexdigest()

    def get(self, make, what, binary, env=None, words=(), before=(), uses=()):
        key = self.key(what, binary, env or {}, list(words), list(before), list(uses))
        if key not in self.values:
            value = make()
            with self.lock, open(self.path, 'ab', buffering=0) as file:  # one write: whole lines
                self.values[key] = value
                file.write(('%s %s\n' % (key, json.dumps(value))).encode())
        return self.values[key]
