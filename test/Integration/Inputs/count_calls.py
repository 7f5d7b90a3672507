"""Counts what one step of a program asks of CUDA and NCCL, on their double.

count_calls.py FLAGS...: runs `comm-run FLAGS` once and eleven times, and prints
the difference of each count for a rank and a step. What only the first step
does, such as loading kernels and taking memory, is not in it. There are 4 ranks,
or as many as the environment's RANKS says.
"""

import os
import re
import subprocess
import sys

STEPS = 10
RANKS = int(os.environ.get("RANKS", 4))


def count(repetitions):
    command = ["comm-run", *sys.argv[1:], f"--repeat={repetitions}"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    calls = result.stderr.split("cuda double: calls\n", 1)[-1]
    return {name: int(number) for name, number in re.findall(r"^  (\S.*?) +(\d+)$", calls, re.M)}


first, all_steps = count(1), count(1 + STEPS)
for name, number in sorted(all_steps.items()):
    per_step = (number - first.get(name, 0)) / STEPS / RANKS
    if per_step:
        print(f"{name}: {per_step:g}")
