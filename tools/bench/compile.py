#!/usr/bin/env python3
"""How the compiler's time and memory grow with the size of the graph.

Each program is generated in some sizes, and these runs are compared side by
side, in turn, as the machine is now:

  whole      comm-opt parses, differentiates, canonicalizes, merges, prints
  again      comm-opt -canonicalize -cse on the output of `whole`
  pass       the differentiation alone, as -mlir-timing tells it
  parse      parsing the same file, as -mlir-timing tells it

Times are processor times of the process (of one run, wall times: the fastest
of some repetitions each), memory is the largest resident set.

  compile.py [--quick] [--shapes=chain,...] [--sizes=10000,...] [--repeat=N]
  compile.py --program SHAPE:N        writes a program to stdout
"""

import argparse
import functools
import os
import re
import subprocess
import sys
import tempfile

import section
from programs import GENERATORS, SHAPES

report = functools.partial(section.report, "compile")


class Runs:
    """Runs comm-opt and keeps the best figures of each kind of run."""

    def __init__(self, tool):
        self.tool = tool

    def run(self, arguments, timing=False):
        """Processor seconds, resident KiB, and the seconds of each pass."""
        command = [self.tool, *arguments]
        if timing:
            command += ["-mlir-timing", "-mlir-timing-display=list"]
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stderr=errors)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            text = errors.read().decode()
        if process.returncode:
            sys.exit(f"{' '.join(command)}\nfailed:\n{text[-2000:]}")
        passes = {}
        for seconds, name in re.findall(r"^ +([\d.]+) \( *[\d.]+%\) +(\S+)", text, re.M):
            passes[name] = passes.get(name, 0) + float(seconds)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss, passes


def measure(runs, shape, size, repeat, folder):
    source = os.path.join(folder, f"{shape}-{size}.mlir")
    with open(source, "w") as file:
        file.write(GENERATORS[shape](size))
    output = source + ".out"
    figures = []
    for _ in range(repeat):
        whole, memory, _ = runs.run(
            [source, "-comm-differentiate", "-canonicalize", "-cse", "-o", output]
        )
        again, memory_again, _ = runs.run(
            [output, "-canonicalize", "-cse", "-o", os.devnull]
        )
        _, _, passes = runs.run(
            [source, "-comm-differentiate", "-o", os.devnull], timing=True
        )
        figures.append(
            {
                "whole": whole,
                "again": again,
                "memory": memory,
                "memory_again": memory_again,
                "pass": passes["Differentiate"],
                "parse": passes["Parser"],
            }
        )
    os.remove(source)
    os.remove(output)
    best = {key: min(f[key] for f in figures) for key in figures[0]}
    print(f"{shape} {size}: {best}", file=sys.stderr, flush=True)
    return best


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--shapes")
    parser.add_argument("--sizes")
    parser.add_argument("--repeat", type=int)
    parser.add_argument("--program")
    options = parser.parse_args()
    if options.program:
        shape, size = options.program.split(":")
        sys.stdout.write(GENERATORS[shape](int(size)))
        return
    build = os.environ.get("COMM_BUILD_DIR", "build")
    runs = Runs(os.path.join(build, "bin", "comm-opt"))
    shapes = options.shapes.split(",") if options.shapes else list(SHAPES)
    sizes = [1_000, 10_000] if options.quick else [10_000, 100_000]
    if options.sizes:
        sizes = [int(size) for size in options.sizes.split(",")]
    repeat = options.repeat or (1 if options.quick else 3)
    with tempfile.TemporaryDirectory() as folder:
        for shape in shapes:
            last = None
            # The million is for the growth of the shape that networks have.
            more = [] if options.quick or options.sizes or shape != "chain" else [1_000_000]
            for size in sizes + more:
                best = measure(runs, shape, size, repeat if size <= 100_000 else 1, folder)
                name = f"{shape}, {size} ops: "
                report(name + "whole", best["whole"], "s")
                report(name + "whole / its output again", best["whole"] / best["again"], "x", 1.5, "<=")
                report(name + "differentiation", best["pass"], "s")
                report(name + "differentiation / parsing", best["pass"] / best["parse"], "x", 1.5, "<=")
                report(name + "memory / its output again", best["memory"] / best["memory_again"], "x", 2.0, "<=")
                if last:
                    growth = best["whole"] / last[1]["whole"]
                    scale = size / last[0]
                    report(name + f"time for {scale:g} times the ops", growth, "x", 1.2 * scale, "<=")
                last = (size, best)


if __name__ == "__main__":
    main()
