"""Assembles the kernels of programs and prints what they take.

kernel_table.py CHIP[,CHIP...] FILE.mlir...: lowers each file, forward and
backward, to PTX for each chip, assembles it with ptxas, and prints a row for
each: how many kernels, registers of a thread, bytes that are spilled, bytes of
shared memory of a block, threads of a block. Fails where ptxas does or where a
kernel spills.
"""

import re
import subprocess
import sys
import tempfile


def get_image(module):
    """The PTX in a lowered module: the constant that begins as PTX does."""
    text = re.search(rb'constant @comm_text\w*\("(//\\0A(?:[^"\\]|\\.)*)"\)', module)
    if not text:
        return None
    unescaped = re.sub(
        rb"\\([0-9A-F]{2})", lambda code: bytes([int(code.group(1), 16)]), text.group(1)
    )
    return unescaped.replace(rb"\\", b"\\").rstrip(b"\0")


def get_range(numbers):
    least, most = min(numbers), max(numbers)
    return str(most) if least == most else f"{least} to {most}"


def get_row(file, chip):
    lowered = subprocess.run(
        ["comm-opt", file, "-comm-differentiate", f"-comm-to-nccl=cubin-chip={chip}"],
        capture_output=True,
    )
    if lowered.returncode:
        sys.exit(f"{file}: {lowered.stderr.decode()}")
    image = get_image(lowered.stdout)
    name = file.rsplit("/", 1)[-1].removesuffix(".mlir")
    if image is None:
        return [name, chip, "0", "", "", "", ""]
    with tempfile.NamedTemporaryFile(suffix=".ptx") as ptx:
        ptx.write(image)
        ptx.flush()
        assembled = subprocess.run(
            ["ptxas", "-v", f"-arch={chip}", "-o", "/dev/null", ptx.name],
            capture_output=True,
            text=True,
        )
    if assembled.returncode:
        sys.exit(f"{file}, {chip}: {assembled.stderr}")
    registers = [int(n) for n in re.findall(r"Used (\d+) registers", assembled.stderr)]
    spills = sum(int(n) for n in re.findall(r"(\d+) bytes spill", assembled.stderr))
    shared = [int(n) for n in re.findall(r"(\d+) bytes smem", assembled.stderr)]
    threads = [int(n) for n in re.findall(rb"\.maxntid (\d+), 1, 1", image)]
    if spills:
        sys.exit(f"{file}, {chip}: kernels spill {spills} bytes")
    if len(threads) != len(registers):
        sys.exit(f"{file}, {chip}: {len(threads)} of {len(registers)} kernels say how many threads they have")
    if min(threads) < 32:
        sys.exit(f"{file}, {chip}: a kernel has {min(threads)} threads a block")
    return [
        name,
        chip,
        str(len(registers)),
        get_range(registers),
        str(spills),
        get_range(shared or [0]),
        get_range(threads),
    ]


def main():
    rows = [["program", "chip", "kernels", "registers", "spilled", "shared", "threads"]]
    for file in sys.argv[2:]:
        rows += [get_row(file, chip) for chip in sys.argv[1].split(",")]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    rows.insert(1, ["-" * width for width in widths])
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths)]
        print("| " + " | ".join(cells) + " |")


main()
