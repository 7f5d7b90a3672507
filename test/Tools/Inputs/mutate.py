"""Looks for texts that comm-opt crashes on, hangs on or eats all memory for.

Takes the programs of files (each part between `// -----` is one), deletes,
doubles, moves and replaces tokens and lines of them, and gives the text to
comm-opt, with limits of time and memory. What it may do is accept or refuse. A
text with which it does anything else is reduced, by lines, and printed; the exit
code is then 1. A crash inside of MLIR's own code, with none of ours on the stack
(its parsers have some), is only counted, and printed with --upstream.

  mutate.py COUNT SEED FILE.mlir... [--save=FOLDER] [--upstream] [--command=...]...

Each command is one of the ways in which a text is used, in turn: it reads the
standard input, as `comm-run /dev/stdin` does too.
"""

import argparse
import os
import random
import re
import resource
import subprocess
import sys

COMMANDS = [
    "comm-opt -canonicalize -cse",
    "comm-opt -comm-differentiate",
    "comm-opt -comm-differentiate -comm-to-host",
    "comm-opt -comm-to-host",
    "comm-opt -comm-materialize-replication -comm-simplify-collectives",
    "comm-opt -comm-annotate-replication -comm-annotate-activity",
]
BATCH = 20
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//.*|[%@#!^]?[\w$.]+|->|\s+|.', re.S)
NUMBERS = [
    "0", "1", "-1", "2", "3", "7", "64", "65", "4294967296", "2147483648", "9223372036854775807",
    "-9223372036854775808", "9223372036854775808", "1000000000000000000000", "1.0e999", "0x7FC00000",
]
WORDS = [
    "f32", "f64", "f16", "bf16", "i1", "i8", "i32", "i64", "index", "i65", "none", "tensor<?xf32>", "tensor<f32>",
    "tensor<0xf32>", "tensor<*xf32>", "tensor<4xi1>", "tensor<4xindex>", "memref<4xf32>", "memref<?xf32, strided<[?]>>",
    "complex<f32>", "vector<4xf32>", "tensor<4xcomplex<f32>>", "!comm.message<tensor<4xf32>>", "() -> ()",
    "tensor<9223372036854775807xf32>", "tensor<4x9223372036854775807x4xf32>", '@mesh["tp"]', '@mesh["dp"]',
    '@mesh["dp", "tp"]', '@mesh[]', '@other["tp"]', "{}", "unit", "sum", "avg", "max", "prod", "and", "xor",
    "{comm.replicated}", '{comm.replicated = #comm.axes<@mesh["tp"]>}', '{comm.replicated = "tp"}', "dim", "root",
    "split", "concat", "from", "to", "over", "wrt", "cotangents", "[]", "[0]", "[(0, 0)]", "[(0, 1), (1, 0)]",
]
OPS = [
    "comm.all_reduce", "comm.all_gather", "comm.reduce_scatter", "comm.all_to_all", "comm.broadcast", "comm.reduce",
    "comm.gather", "comm.scatter", "comm.permute", "comm.all_slice", "comm.root_mask", "comm.vary", "comm.send",
    "comm.recv", "comm.barrier", "comm.axis_index", "comm.vjp", "comm.value_and_grad", "comm.mesh", "func.call",
    "func.return", "return", "arith.addf", "arith.mulf", "arith.select", "math.tanh", "math.powf", "tensor.cast",
    "tensor.extract", "tensor.dim", "linalg.matmul", "scf.if", "scf.for", "scf.yield", "linalg.yield", "module",
    "func.func", "func.func private",
]


def is_number(token):
    return re.fullmatch(r"-?\d[\w.]*", token) is not None


def mutate(text, pool, rng):
    """One small change of a text."""
    if rng.random() < 0.3:
        lines = text.split("\n")
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        choice = rng.randrange(5)
        if choice == 0:
            del lines[i]
        elif choice == 1:
            lines.insert(i, lines[j])
        elif choice == 2:
            lines[i], lines[j] = lines[j], lines[i]
        elif choice == 3:
            lines.insert(i, rng.choice(pool))
        else:
            del lines[min(i, j):max(i, j)]
        return "\n".join(lines)
    tokens = TOKEN.findall(text)
    kept = [i for i, token in enumerate(tokens) if not token.isspace() and not token.startswith("//")]
    if not kept:
        return text
    i, j = rng.choice(kept), rng.choice(kept)
    choice = rng.randrange(8)
    if choice == 0:
        tokens[i] = ""
    elif choice == 1:
        tokens[i] += " " + tokens[i]
    elif choice == 2:
        tokens[i], tokens[j] = tokens[j], tokens[i]
    elif choice == 3:
        tokens[i] = tokens[j]
    elif choice == 4:
        numbers = [k for k in kept if is_number(tokens[k])]
        tokens[rng.choice(numbers) if numbers else i] = rng.choice(NUMBERS)
    elif choice == 5:
        tokens[i] = rng.choice(WORDS)
    elif choice == 6:
        ops = [k for k in kept if "." in tokens[k] and tokens[k][0].isalpha()]
        tokens[rng.choice(ops) if ops else i] = rng.choice(OPS)
    else:
        # A value in the place of another, a symbol in that of another.
        alike = [k for k in kept if tokens[k][0] == tokens[i][0]]
        tokens[i] = tokens[rng.choice(alike)]
    return "".join(tokens)


def limit(seconds, memory):
    # An address sanitizer reserves more than any limit.
    if not os.environ.get("COMM_SANITIZER"):
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def is_upstream(errors):
    """Whether the stack of a crash has no code of ours but main."""
    frames = re.findall(r"^ *#\d+ (.*)", errors, re.M)
    ours = [frame for frame in frames if re.search(r"/comm-(opt|run)\+0x|\w\.cpp:\d+:\d+", frame)]
    return bool(frames) and all(re.search(r" (main|_start) ", frame) for frame in ours)


def find_fault(command, text, options):
    """What is wrong with how a command ends, or None."""
    try:
        result = subprocess.run(
            command.split(), input=text.encode(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            timeout=10 * options.seconds,
            preexec_fn=lambda: limit(options.seconds, options.megabytes << 20),
        )
    except subprocess.TimeoutExpired:
        return "hangs"
    errors = result.stderr.decode(errors="replace")
    if not 0 <= result.returncode < 100:
        where = "in MLIR" if is_upstream(errors) else "here"
        return f"crashes {where} with {result.returncode}: " + errors[-600:]
    if result.returncode and "error:" not in errors:
        return "fails without an error: " + errors[-600:]
    return None


def shrink(command, text, options):
    """Drops lines while the fault stays of its kind."""
    fault = find_fault(command, text, options)
    kind = fault[:14]
    lines = text.split("\n")
    size = max(1, len(lines) // 2)
    while size:
        i = 0
        while i < len(lines):
            fewer = lines[:i] + lines[i + size:]
            found = find_fault(command, "\n".join(fewer), options)
            if found and found[:14] == kind:
                lines = fewer
            else:
                i += size
        size //= 2
    return "\n".join(lines)


def read_programs(paths):
    programs = []
    for path in paths:
        with open(path) as file:
            parts = re.split(r"^// -----.*\n", file.read(), flags=re.M)
        # Comments of tests say nothing to comm-opt.
        parts = [re.sub(r"^\s*//.*\n", "", part, flags=re.M) for part in parts]
        programs += [part for part in parts if part.strip() and len(part) < 8000]
    return programs


def make_text(number, programs, pool):
    rng = random.Random(number)
    text = rng.choice(programs)
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 5])):
        text = mutate(text, pool, rng)
    return text


def find_suspects(programs, pool, commands, options):
    """Numbers, commands and texts of batches that a process did not survive: a process for each text takes longer to
    start than to read it."""
    for start in range(options.seed, options.seed + options.count, BATCH):
        command = commands[start // BATCH % len(commands)]
        numbers = range(start, min(start + BATCH, options.seed + options.count))
        texts = [make_text(number, programs, pool) for number in numbers]
        if "comm-opt" not in command or find_fault(command + " -split-input-file", "\n// -----\n".join(texts), options):
            yield from ((number, command, text) for number, text in zip(numbers, texts))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--command", action="append")
    parser.add_argument("--save")
    parser.add_argument("--upstream", action="store_true")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--megabytes", type=int, default=4000)
    options = parser.parse_args()
    commands = options.command or COMMANDS
    programs = read_programs(options.files)
    pool = [line for program in programs for line in program.split("\n")]
    faults, upstream = 0, 0
    for number, command, text in find_suspects(programs, pool, commands, options):
        fault = find_fault(command, text, options)
        if not fault:
            continue
        if fault.startswith("crashes in MLIR"):
            upstream += 1
            if not options.upstream:
                continue
        else:
            faults += 1
        small = shrink(command, text, options)
        print(f"// text {number}: '{command}' {fault}\n{small}\n", flush=True)
        if options.save:
            os.makedirs(options.save, exist_ok=True)
            with open(os.path.join(options.save, f"{number}.mlir"), "w") as file:
                file.write(f"// {command}\n{small}\n")
    print(f"{options.count} texts from seed {options.seed}: {faults} faults, {upstream} crashes of MLIR's own")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
