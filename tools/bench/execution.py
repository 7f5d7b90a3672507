"""How fast what is compiled runs, and how fast comm-run starts.

The feed-forward layer against a program written by hand, elementwise kernels
against memcpy, and comm-run's hello world against mlir-opt, which has nothing
to do. Each in turn with what it is compared with.
"""

import functools
import os
import statistics
import subprocess
import sys
import tempfile
import time

import section

BIN = os.path.join(os.environ.get("COMM_BUILD_DIR", "build"), "bin")
HERE = os.path.dirname(os.path.abspath(__file__))
HELLO = os.path.join(HERE, "..", "..", "docs", "examples", "hello.mlir")

report = functools.partial(section.report, "execution")


def run(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def find_mlir_opt():
    prefix = subprocess.run(["llvm-config-22", "--bindir"], capture_output=True, text=True, check=True)
    return os.path.join(prefix.stdout.strip(), "mlir-opt")


def measure_start_up(quick):
    with tempfile.TemporaryDirectory() as folder:
        empty = os.path.join(folder, "empty.mlir")
        with open(empty, "w") as file:
            file.write("module {}\n")
        hello = [os.path.join(BIN, "comm-run"), HELLO, "--function=loss_of_each_rank", "--grad", "--input=x=ones"]
        cache = "--kernel-cache=" + os.path.join(folder, "cache")
        commands = {
            "mlir-opt": [find_mlir_opt(), empty],
            "cold": hello + ["--kernel-cache=off"],
            "warm": hello + [cache],
        }
        times = {name: [] for name in commands}
        for i in range(-1, 5 if quick else 21):
            for name, command in commands.items():
                seconds = run(command)
                if i >= 0:
                    times[name].append(seconds)
    medians = {name: statistics.median(values) for name, values in times.items()}
    report("start-up of mlir-opt on an empty module", 1e3 * medians["mlir-opt"], "ms")
    report("comm-run's hello world, no kernel cached / mlir-opt's start-up",
           medians["cold"] / medians["mlir-opt"], "x", 12, "<=")
    report("comm-run's hello world, kernels cached / mlir-opt's start-up",
           medians["warm"] / medians["mlir-opt"], "x", 12, "<=")


def main():
    quick = sys.argv[1:]
    for program in ["ffn", "elementwise"]:
        subprocess.run([os.path.join(BIN, "comm-bench-" + program)] + quick, check=True)
    measure_start_up(bool(quick))


main()
