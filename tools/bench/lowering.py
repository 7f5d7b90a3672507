#!/usr/bin/env python3
"""Measures the lowering: its time by the size of the program, and against
upstream's bufferization. One JSON object per line on stdout."""
import argparse
import functools
import os
import statistics
import subprocess
import sys
import tempfile
import time

import section

BUILD = os.environ.get("COMM_BUILD_DIR", "build")
COMM_OPT = os.path.join(BUILD, "bin", "comm-opt")

report = functools.partial(section.report, "lowering")

# What the pipeline does before it makes kernels, for local programs.
PREPARE = (
    "comm-lower-local,comm-normalize-layout,canonicalize,comm-prepare-tensors,"
    "func.func(convert-elementwise-to-linalg),resolve-ranked-shaped-type-result-dims"
)
# From tensors to linalg on memrefs, with the memory freed: upstream's way and ours.
UPSTREAM = (
    "one-shot-bufferize{bufferize-function-boundaries"
    " function-boundary-type-conversion=identity-layout-map"
    " allow-return-allocs-from-loops},canonicalize,"
    "ownership-based-buffer-deallocation,canonicalize,buffer-deallocation-simplification"
)
OURS = "comm-outline-kernels,comm-assign-buffers"


def local_layer(n, value, weight):
    """A layer without communication."""
    return [
        f"%p{n} = linalg.matmul ins({value}, {weight} : tensor<8x16xf32>, tensor<16x16xf32>)"
        f" outs(%zero : tensor<8x16xf32>) -> tensor<8x16xf32>",
        f"%b{n} = arith.addf %p{n}, %bias : tensor<8x16xf32>",
        f"%a{n} = math.tanh %b{n} : tensor<8x16xf32>",
        f"%v{n} = arith.mulf %a{n}, {value} : tensor<8x16xf32>",
    ]


def parallel_layer(n, value, weight):
    """The layer, split by columns and gathered again by a sum."""
    return [
        *local_layer(n, value, weight)[:3],
        f"%v{n} = comm.all_reduce sum %a{n} over @mesh[\"tp\"] : tensor<8x16xf32>",
    ]


def program(layers, layer, result_mark):
    lines = ["comm.mesh @mesh [tp = 4]", ""]
    mark = '{comm.replicated = #comm.axes<@mesh["tp"]>}' if result_mark else ""
    result = f"(tensor<8x16xf32> {mark})" if mark else "tensor<8x16xf32>"
    lines.append(
        f"func.func @f(%x: tensor<8x16xf32> {mark}, %w: tensor<16x16xf32>, %bias: tensor<8x16xf32>) -> {result} {{"
    )
    lines.append("  %zero = arith.constant dense<0.0> : tensor<8x16xf32>")
    value = "%x"
    for n in range(layers):
        lines += ["  " + line for line in layer(n, value, "%w")]
        value = f"%v{n}"
    lines += [f"  return {value} : tensor<8x16xf32>", "}", ""]
    return "\n".join(lines)


def run(arguments, output=os.devnull):
    # Bytecode: of a long program, printing the text takes longer than making it.
    form = ["-emit-bytecode"] if output == os.devnull else []
    subprocess.run([COMM_OPT, *arguments, *form, "-o", output], check=True, stderr=subprocess.DEVNULL)


def seconds(arguments):
    start = time.perf_counter()
    run(arguments)
    return time.perf_counter() - start


def count_ops(path):
    """Ops of the functions, as text has them: a line each, but for those in bodies."""
    with open(path) as text:
        return sum(1 for line in text if line.startswith("    %"))


class Programs:
    """Programs of about so many ops, each made once."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, name, text, *arguments):
        source = os.path.join(self.folder, name + ".mlir")
        with open(source, "w") as file:
            file.write(text)
        made = os.path.join(self.folder, name + ".made.mlir")
        run([source, *arguments], made)
        return made

    def step(self, ops):
        """Forward and backward of a chain of parallel layers."""
        return self.write(
            f"step{ops}", program(max(1, ops // 32), parallel_layer, True), "-comm-differentiate=functions=f"
        )

    def merged(self, path):
        """The same after CSE, which merges its constants and empty tensors."""
        made = path.replace(".made.", ".merged.")
        run([path, "-convert-elementwise-to-linalg", "-cse"], made)
        return made

    def unmerged(self, path):
        made = path.replace(".made.", ".unmerged.")
        run([path, "-convert-elementwise-to-linalg"], made)
        return made

    def local(self, ops):
        """A chain of local layers, as linalg ops."""
        return self.write(
            f"local{ops}",
            program(ops // 4, local_layer, False),
            f"--pass-pipeline=builtin.module({PREPARE})",
        )


def interleaved(repetitions, *commands):
    """The best time of each command, run in turn."""
    times = [[] for _ in commands]
    for _ in range(repetitions):
        for command, of in zip(commands, times):
            of.append(seconds(command))
    return [min(of) for of in times]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(folder)

        ops = 1000 if quick else 3000
        path = programs.local(ops)
        repetitions = 2 if quick else 3
        ours, upstream = interleaved(
            repetitions,
            [path, f"--pass-pipeline=builtin.module({OURS})"],
            [path, f"--pass-pipeline=builtin.module({UPSTREAM})"],
        )
        report(f"tensors to memrefs, {ops} ops: upstream's bufferization pipeline over ours", upstream / ours, "x", 5, ">=")

        sizes = [1000, 10000] if quick else [1000, 3000, 10000, 100000]
        paths = {size: programs.step(size) for size in sizes}
        times = {}
        for size in sizes:
            (times[size],) = interleaved(1 if size == 100000 else repetitions, [paths[size], "--comm-to-host"])
            report(f"comm-to-host, forward and backward, {count_ops(paths[size])} ops", times[size], "s")
        for small in sizes:
            if 10 * small in times:
                report(
                    f"comm-to-host, {10 * small} ops over {small} ops",
                    times[10 * small] / times[small],
                    "x",
                    12,
                    "<=",
                )

        size = 3000 if not quick else 1000
        unmerged, merged = programs.unmerged(paths[size]), programs.merged(paths[size])
        ratios = []
        for _ in range(repetitions):
            first, second = interleaved(1, [merged, "--comm-to-host"], [unmerged, "--comm-to-host"])
            ratios.append(first / second)
        report(f"comm-to-host after CSE over without, {size} ops", statistics.median(ratios), "x", 1.2, "<=")


if __name__ == "__main__":
    sys.exit(main())
