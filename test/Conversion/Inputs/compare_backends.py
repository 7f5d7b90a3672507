"""Runs every op on a GPU's backend and on the host, and compares.

compare_backends.py TYPE...: of the functions of every_op.py, on one rank.
"""

import math
import os
import re
import subprocess
import sys
import tempfile

# Of a function of the C library and one of libdevice, after rounding.
TOLERANCE = {"f64": 1e-13, "f32": 1e-5, "f16": 1e-2, "bf16": 4e-2}


def run(file, *flags):
    command = ["comm-run", file, "--function=every", "--print-all", "--kernel-cache=off", *flags]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    return re.findall(r"^r\d+_\d+: \S*?(?:x)?([a-z]+\d+)\n  rank 0: \[?(.*?)\]?$", result.stdout, re.M)


def parse(text):
    names = {"true": 1.0, "false": 0.0}
    return [names[word] if word in names else float(word) for word in re.findall(r"[^\s,\[\]]+", text)]


def differ(a, b, tolerance):
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) != math.isnan(b)
    return a != b and not abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def compare(element):
    here = os.path.dirname(__file__)
    program = subprocess.run(
        [sys.executable, os.path.join(here, "every_op.py"), element], capture_output=True, text=True, check=True
    ).stdout
    names = re.findall(r"^  (%r\d+_\d+(?:, %r\d+_\d+)*) = call @(\w+)", program, re.M)
    names = [name for results, name in names for _ in results.split(",")]
    with tempfile.NamedTemporaryFile(suffix=".mlir", mode="w") as file:
        file.write(program)
        file.flush()
        host, gpu = run(file.name), run(file.name, "--backend=cuda-local")
    if not len(names) == len(host) == len(gpu):
        sys.exit(f"{element}: {len(names)} results, the host printed {len(host)} and the GPU {len(gpu)}")
    wrong = 0
    for name, (type, expected), (_, got) in zip(names, host, gpu):
        pairs = list(zip(parse(expected), parse(got), strict=True))
        worst = [pair for pair in pairs if differ(*pair, TOLERANCE.get(type, 0))]
        if worst:
            print(f"{name}: {len(worst)} of {len(pairs)} differ, such as {worst[0][0]} on the host and {worst[0][1]} on the GPU")
            wrong += 1
    print(f"{element}: {len(names)} results, {wrong} differ")
    return wrong


sys.exit(1 if sum([compare(element) for element in sys.argv[1:]]) else 0)
