"""Compares comm-exec with comm-run: output, errors of the run and exit codes.

Usage: compare_exec.py FOLDER EXAMPLES TESTS

Each program of EXAMPLES is compiled with gradients, and each of its functions that
comm-run runs is run with random arguments, plainly and with --grad, and as the RUN
lines of TESTS say. FOLDER is for what is compiled.
"""

import pathlib
import re
import shlex
import subprocess
import sys


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr


def run_both(program, shared, flags):
    """What the two did; of their messages, those of the run, not of the compiler."""
    for command in ["comm-run", program, *flags], ["comm-exec", shared, *flags]:
        status, output, errors = run(*command)
        yield status, output, re.findall(rf"^{command[0]}: (.*)", errors, re.MULTILINE)


def get_functions(program):
    """The public functions that are not refused."""
    for name in re.findall(r"^func\.func @(\w+)", program.read_text(), re.MULTILINE):
        if run("comm-run", program, f"--function={name}")[0] != 3:
            yield name


def get_run_lines(tests, program):
    """What the tests give to comm-run, checks of gradients apart."""
    for test in sorted(tests.glob("*.test")):
        for line in re.findall(r"RUN: comm-run %examples/(\S+) ?(.*)", test.read_text()):
            if line[0] == program.name and not re.search(r"--check-grad|[|>]", line[1]):
                yield shlex.split(line[1])


def main():
    folder, examples, tests = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    failures = runs = 0
    for program in sorted(examples.glob("*.mlir")):
        shared = folder / (program.stem + ".so")
        functions = list(get_functions(program))
        flags = [f"--function={name}" for name in functions]
        status, _, errors = run("comm-compile", program, "-o", shared, "--grad", *flags)
        if status:
            print(f"{program.name} is not compiled:\n{errors}")
            failures += 1
            continue
        lines = [[f, *g] for f in flags for g in ([], ["--grad"])] + list(get_run_lines(tests, program))
        for line in lines:
            expected, got = run_both(program, shared, line)
            runs += 1
            if got != expected or got[0] not in (0, 1):
                print(f"{program.name} {shlex.join(line)}:\nexpected {expected}\ngot {got}")
                failures += 1
    print(f"{runs} runs, {failures} failures")
    sys.exit(failures > 0 or runs < 50)


main()
