#!/usr/bin/env python3
"""How the compiler's time and memory grow with the size of the graph.

Each program is generated in some sizes, and these runs are compared side by
side, in turn, as the machine is now:

  whole      comm-opt parses, differentiates, canonicalizes, merges, prints; in
             the same run, -mlir-timing tells the time of the differentiation
             alone and of parsing
  again      comm-opt -canonicalize -cse on the output of `whole`

The shape that networks have, `chain`, is measured so, the fastest of some
repetitions each. The other shapes are there to find what is not linear: `whole`
alone, once, as many at a time as there are cores, so their parts have no
targets. A million ops of the chain are for the growth too: once, parsed,
differentiated and written as bytecode, compared with 10^5 ops in the same way;
MLIR's canonicalizer, CSE and printer would take more than twice as long again
(--shapes=chain --sizes=100000,1000000 --repeat=1 has them).

Times are processor times of the process (of one pass, wall times), memory is the
largest resident set.

  compile.py [--quick] [--shapes=chain,...] [--sizes=10000,...] [--repeat=N]
  compile.py --program SHAPE:N        writes a program to stdout
"""

import argparse
import concurrent.futures
import functools
import os
import re
import subprocess
import sys
import tempfile

import section
from programs import GENERATORS, SHAPES

report = functools.partial(section.report, "compile")


MAIN = "chain"
MILLION = 1_000_000
WHOLE = ("-comm-differentiate", "-canonicalize", "-cse")


class Runs:
    """Runs comm-opt on programs in a folder."""

    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder

    def run(self, arguments):
        """Processor seconds, resident KiB, and the seconds of each pass."""
        command = [self.tool, *arguments, "-mlir-timing", "-mlir-timing-display=list"]
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

    def measure(self, shape, size, repeat=1, again=False, passes=WHOLE):
        """The best figures of some repetitions."""
        source = os.path.join(self.folder, f"{shape}-{size}.mlir")
        output = source + ".out" if again else os.devnull
        with open(source, "w") as file:
            file.write(GENERATORS[shape](size))
        figures = []
        for _ in range(repeat):
            whole, memory, seconds = self.run([source, *passes, "-o", output])
            figure = {"whole": whole, "memory": memory, "pass": seconds["Differentiate"], "parse": seconds["Parser"]}
            if again:
                figure["again"], figure["memory_again"], _ = self.run(
                    [output, "-canonicalize", "-cse", "-o", os.devnull]
                )
            figures.append(figure)
        for path in {source, output} - {os.devnull}:
            os.remove(path)
        best = {key: min(f[key] for f in figures) for key in figures[0]}
        print(f"{shape} {size}: {best}", file=sys.stderr, flush=True)
        return best


def report_growth(name, small, large, times):
    growth = large["whole"] / small["whole"]
    report(f"{name}: time for {times:g} times the ops", growth, "x", 1.2 * times, "<=")


def measure_main(runs, sizes, repeat):
    last = None
    for size in sizes:
        best = runs.measure(MAIN, size, repeat if size < 100_000 else 1, again=True)
        name = f"{MAIN}, {size} ops: "
        report(name + "whole", best["whole"], "s")
        report(name + "whole / its output again", best["whole"] / best["again"], "x", 1.5, "<=")
        report(name + "differentiation", best["pass"], "s")
        report(name + "differentiation / parsing", best["pass"] / best["parse"], "x", 1.5, "<=")
        report(name + "memory / its output again", best["memory"] / best["memory_again"], "x", 2.0, "<=")
        if last:
            report_growth(f"{MAIN}, {size} ops", last[1], best, size / last[0])
        last = (size, best)


def measure_others(runs, shapes, sizes, repeat):
    def measure(shape):
        return [runs.measure(shape, size, repeat if size < 100_000 else 1) for size in sizes]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for shape, figures in zip(shapes, pool.map(measure, shapes)):
            for size, best in zip(sizes, figures):
                report(f"{shape}, {size} ops: differentiation / parsing", best["pass"] / best["parse"], "x")
            for i in range(1, len(sizes)):
                report_growth(f"{shape}, {sizes[i]} ops", figures[i - 1], figures[i], sizes[i] / sizes[i - 1])


def measure_million(runs):
    passes = ["-comm-differentiate", "-emit-bytecode"]
    small, large = (runs.measure(MAIN, size, passes=passes) for size in [MILLION // 10, MILLION])
    name = f"{MAIN}, {MILLION} ops, differentiated, to bytecode"
    report(f"{name}: whole", large["whole"], "s")
    report(f"{name}: differentiation / parsing", large["pass"] / large["parse"], "x")
    report(f"{name}: memory", large["memory"] / 2**20, "GiB")
    report_growth(name, small, large, 10)


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
    tool = os.path.join(os.environ.get("COMM_BUILD_DIR", "build"), "bin", "comm-opt")
    shapes = options.shapes.split(",") if options.shapes else list(SHAPES)
    sizes = [1_000, 10_000] if options.quick else [10_000, 100_000]
    if options.sizes:
        sizes = [int(size) for size in options.sizes.split(",")]
    repeat = options.repeat or (1 if options.quick else 3)
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(tool, folder)
        if MAIN in shapes:
            measure_main(runs, sizes, repeat)
        measure_others(runs, [shape for shape in shapes if shape != MAIN], sizes, repeat)
        if MAIN in shapes and not options.quick and not options.sizes:
            measure_million(runs)


if __name__ == "__main__":
    main()
