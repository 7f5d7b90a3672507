"""Runs the ```console blocks of a Markdown file and compares their output.

Usage: run_console_blocks.py FILE.md

A line "$ command" is run by bash in the repository's root; the lines after it are
its expected output (stdout and stderr). A line "..." stands for any lines.
"""

import pathlib
import re
import subprocess
import sys


def blocks(text):
    """Yields (line number, command, expected lines)."""
    inside, command, expected, start = False, None, [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if command is not None:
                yield start, command, expected
            inside, command, expected = line == "```console", None, []
        elif inside and line.startswith("$ "):
            if command is not None:
                yield start, command, expected
            start, command, expected = number, line[2:], []
        elif inside and command is not None:
            expected.append(line)


def matches(expected, output):
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line.rstrip()) + r"[ ]*\n"
        for line in expected
    )
    return re.fullmatch(pattern, output + ("" if output.endswith("\n") or not output else "\n"))


def main():
    path = pathlib.Path(sys.argv[1])
    root = pathlib.Path(__file__).resolve().parent.parent
    count = failed = 0
    for number, command, expected in blocks(path.read_text()):
        count += 1
        run = subprocess.run(
            ["bash", "-c", command], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if not matches(expected, run.stdout):
            failed += 1
            print(f"{path}:{number}: $ {command}\nexpected:", *expected, "got:", run.stdout, sep="\n")
    print(f"{path}: {count} commands, {failed} failed")
    sys.exit(1 if failed or not count else 0)


main()
