#!/usr/bin/env python3
"""rounds.py - section 5 of Optimally Profiling and Tracing: a counted loop needs no counter of its
own, for its induction variable says how often it ran. How many instructions `bursty cc --cover` adds
to each round of two loops, by callgrind: those of 2000 rounds less those of 1000, gcc -O2."""
import os, re, subprocess, tempfile

source = r"""
#include <stdlib.h>
static int a[2000];
__attribute__((noipa)) static int rounds(const int *a, int n, int s) {
    int i;
    for (i = 0; i < n; i++) LOOP
    return s;
}
int main(int argc, char **argv) {
    int i;
    for (i = 0; i < 2000; i++) a[i] = i * 7 % 64;
    return rounds(a, atoi(argv[1]), argc) == 1;
}
"""
loops = [("without a branch", "s = s * 3 + a[i];"),
         ("with a condition", "if (a[i] & 4) s = s / (a[i] + 1) + i;")]
here = os.getcwd()
bursty = os.path.join(here, os.environ.get("BUILD", "build"), "bursty")

def instructions(program, rounds):
    if os.path.exists(os.environ["BURSTY_COVERAGE"]):
        os.remove(os.environ["BURSTY_COVERAGE"])  # it would be added to, which costs, too
    said = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                           program, str(rounds)], capture_output=True, text=True)
    return int(re.search(r"Collected : (\d+)", said.stderr).group(1))

with tempfile.TemporaryDirectory() as folder:
    os.environ["BURSTY_COVERAGE"] = folder + "/coverage.brst"
    for name, loop in loops:
        with open(folder + "/a.c", "w") as f:
            f.write(source.replace("LOOP", loop))
        took = []
        for how in ["gcc"], [bursty, "cc", "--cover", "--", "gcc"]:
            program = folder + "/" + os.path.basename(how[0])
            subprocess.run(how + ["-O2", "-w", "-o", program, "a.c"], cwd=folder, check=True)
            took.append(instructions(program, 2000) - instructions(program, 1000))
        print("%s: %.2f more instructions a round" % (name, (took[1] - took[0]) / 1000))
