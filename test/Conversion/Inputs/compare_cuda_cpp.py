"""Runs programs that are printed as CUDA C++, and compares what they give with
comm-exec on threads: compare_cuda_cpp.py FOLDER FILE.mlir...

Each file is printed with the vector-Jacobian products of its functions. All are
compiled in one translation unit, each in a namespace of its own, as most of the
time goes into CUDA's headers; warnings are errors. FILE.mlir:RANKS is the file on
a mesh whose axis has so many ranks, FILE.mlir:old the file with what the text has
for versions of NCCL before 2.28, FILE.mlir@NAME only that function and no product.
"""

import itertools
import math
import os
import random
import re
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
# How elements lie in memory; bf16 is the upper half of an f32.
FORMATS = {"i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f16": "e", "f32": "f", "f64": "d"}
# Of sums in another order, and of products and sums that are fused.
TOLERANCE = {"f64": 1e-12, "f32": 1e-5, "f16": 4e-3, "bf16": 3e-2}
# A size that only the run knows.
DYNAMIC = 8


def pack(values, element):
    if element == "bf16":
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    return struct.pack(f"<{len(values)}{FORMATS[element]}", *values)


def unpack(data, element):
    if element == "bf16":
        return [struct.unpack("<f", b"\0\0" + data[i : i + 2])[0] for i in range(0, len(data), 2)]
    return [value for (value,) in struct.iter_unpack("<" + FORMATS[element], data)]


def fail(text):
    sys.exit("compare_cuda_cpp.py: " + text)


def execute(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        fail(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
    return result.stdout


@dataclass
class Value:
    """An argument or a result, as docs/Artifacts.md describes it."""

    name: str
    position: int
    element: str
    # None: a number.
    sizes: list
    # Positions of the mesh's axes over which it is replicated.
    axes: list
    # The sizes that it is given with.
    actual: list = field(init=False)

    def __post_init__(self):
        self.actual = [DYNAMIC if size == "?" else int(size) for size in self.sizes or []]

    @property
    def count(self):
        return math.prod(self.actual)


@dataclass
class Function:
    name: str
    # Of a vector-Jacobian product.
    primal: str
    arguments: list = field(default_factory=list)
    results: list = field(default_factory=list)


@dataclass
class Program:
    name: str
    is_old: bool
    shared: str
    text: str
    # Names and sizes.
    mesh: list = field(default_factory=list)
    functions: list = field(default_factory=list)

    @property
    def ranks(self):
        ranks = 1
        for _, size in self.mesh:
            ranks *= size
        return ranks

    def coordinates(self, rank):
        position = []
        for _, size in reversed(self.mesh):
            position.insert(0, rank % size)
            rank //= size
        return position

    def describe(self):
        data = open(self.shared, "rb").read()
        start = data.index(b"comm-artifact 1\n")
        for line in data[start : data.index(b"\0", start)].decode().splitlines():
            words = re.findall(r'"[^"]*"|\S+', line)
            names = [word[1:-1] for word in words if word.startswith('"')]
            if words[0] == "axis":
                self.mesh.append((names[0], int(words[2])))
            elif words[0] == "function":
                self.functions.append(Function(names[0], names[1] if "of" in words else None))
            elif words[0] in ("argument", "result"):
                sizes = words[words.index("[") + 1 : words.index("]")] if "[" in words else None
                end = words.index("gradient") if "gradient" in words else len(words)
                axes = [int(axis) for axis in words[words.index("over") + 1 : end]] if "over" in words else []
                values = self.functions[-1].arguments if words[0] == "argument" else self.functions[-1].results
                values.append(Value(names[0], len(values), words[2], sizes, axes))

    def groups(self):
        """The axes of each member of struct Communicators, by their positions."""
        struct_text = re.search(r"struct Communicators \{(.*?)\};", self.text, re.S)[1]
        names = [name for name, _ in self.mesh]
        for member, ranks in re.findall(r"ncclComm_t (\w+); // (\d+) ranks", struct_text):
            for axes in (a for n in range(1, len(names) + 1) for a in itertools.permutations(range(len(names)), n)):
                joined = "_".join(names[axis] for axis in axes)
                if re.fullmatch(joined + r"(_\d+)?", member):
                    break
            else:
                fail(f"{self.name}: no axes for the communicator {member}")
            size = 1
            for axis in axes:
                size *= self.mesh[axis][1]
            if size != int(ranks):
                fail(f"{self.name}: {member} has {size} ranks, the text says {ranks}")
            yield axes

    def get_symbol(self, function):
        """What a function is called in the text."""
        return re.search(rf"^/// @{function.name}\b[^\n]*\nint (\w+)\(", self.text, re.M)[1]


def prepare(folder, argument):
    argument, _, only = argument.partition("@")
    path, _, variant = argument.partition(":")
    flags = [f"--function={only}"] if only else ["--grad"]
    name = os.path.basename(path).rsplit(".", 1)[0] + ("_" + variant if variant else "")
    if variant.isdigit():
        text = open(path).read()
        text = re.sub(r"(comm\.mesh @\w+ \[\w+ = )\d+\]", rf"\g<1>{variant}]", text)
        path = os.path.join(folder, name + ".mlir")
        open(path, "w").write(text)
    printed, shared = (os.path.join(folder, name + end) for end in (".cu", ".so"))
    execute("comm-compile", path, "--emit=cuda-cpp", *flags, "-o", printed)
    execute("comm-compile", path, *flags, "-o", shared)
    program = Program(name, variant == "old", shared, open(printed).read())
    program.describe()
    return program


#
# What is compiled.
#

NEW_IN_NCCL = ["ncclAlltoAll", "ncclGather", "ncclScatter"]


def compile_all(folder, programs):
    includes = [line for p in programs for line in re.findall("^#include.*", p.text, re.M)]
    unit, calls = [*dict.fromkeys(includes), f'#include "{HERE}/run_cuda_cpp.h"'], []
    for number, program in enumerate(programs):
        # What they include again inside of a namespace is empty.
        include = [f"namespace program_{number} {{", f'#include "{program.name}.cu"', "}"]
        if program.is_old:
            include = ["#undef NCCL_VERSION_CODE", "#define NCCL_VERSION_CODE 22700"]
            include += [f"#define {f} {f}Before" for f in NEW_IN_NCCL]
            include += [f"namespace program_{number} {{", f'#include "{program.name}.cu"', "}"]
            include += [f"#undef {f}" for f in NEW_IN_NCCL]
        unit += include
        for function in program.functions:
            symbol = f"program_{number}::{program.get_symbol(function)}"
            calls.append(
                f'  run(argv[1], "{program.name}.{function.name}", {program.ranks}, makeFunction({symbol}));'
            )
    unit += ["int main(int, char **argv) {", "  using namespace driver;", *calls, "}"]
    source, driver = os.path.join(folder, "all.cu"), os.path.join(folder, "all")
    open(source, "w").write("\n".join(unit) + "\n")
    command = ["nvcc", "-std=c++17", "-gencode", "arch=compute_80,code=compute_80", "--no-compress"]
    command += ["-Werror", "all-warnings", "-Xcompiler", "-Wall", "-cudart", "shared"]
    command += [source, "-o", driver, "-lnccl", "-lcublasLt"]
    execute(*command)
    return driver


#
# What they are given, and what they should give.
#


def draw(program, function, value, rank):
    """The same on the ranks that hold one value, and different on others."""
    place = [0 if axis in value.axes else c for axis, c in enumerate(program.coordinates(rank))]
    source = random.Random(f"{function.primal or function.name} {value.position} {place}")
    if value.element == "i1":
        return [source.random() < 0.5 for _ in range(value.count)]
    if value.element[0] == "i":
        if not value.sizes:
            # What may count something.
            return [source.randint(0, 7)]
        limit = 1 << int(value.element[1:]) - 1
        return [source.choice([source.randint(-8, 7), source.randint(-limit, limit - 1)]) for _ in range(value.count)]
    # What all types of floats have.
    return [source.randint(-15, 15) / 8 for _ in range(value.count)]


def give(folder, program, function, expected):
    """Writes what the driver reads."""
    for rank in range(program.ranks):
        place = program.coordinates(rank)
        groups = list(program.groups())
        data = struct.pack("<q", len(groups))
        for axes in groups:
            color = key = 0
            for axis, (_, size) in enumerate(program.mesh):
                color = color if axis in axes else color * size + place[axis]
            for axis in axes:
                key = key * program.mesh[axis][1] + place[axis]
            data += struct.pack("<qq", color, key)
        for value in function.arguments:
            if value.sizes is not None:
                data += struct.pack("<q", value.count)
            data += pack(draw(program, function, value, rank), value.element)
            unknown = [actual for size, actual in zip(value.sizes or [], value.actual) if size == "?"]
            data += struct.pack(f"<{len(unknown)}q", *unknown)
        for value, (sizes, each) in zip(function.results, expected):
            data += struct.pack("<q", -1 if value.sizes is None else len(each[rank]))
            data += struct.pack("<q", -1) * (value.sizes or []).count("?")
        open(os.path.join(folder, f"{program.name}.{function.name}.{rank}.given"), "wb").write(data)


def parse_number(word):
    if word in ("true", "false"):
        return word == "true"
    return int(word) if re.fullmatch(r"-?\d+", word) else float(word)


def parse(output, ranks):
    """For each result its sizes and each rank's elements, from what comm-exec prints."""
    results = []
    for type, body in re.findall(r"^[^\s:][^\n:]*: (\S+)\n((?:  .*\n)+)", output, re.M):
        each = [None] * ranks
        for listed, text in re.findall(r"^  ranks? ([\d., ]+): (.*(?:\n   .*)*)", body, re.M):
            numbers = [parse_number(word) for word in re.findall(r"[^\s,\[\]]+", text)]
            for part in listed.split(", "):
                first, _, last = part.partition("..")
                for rank in range(int(first), int(last or first) + 1):
                    each[rank] = numbers
        results.append(([int(size) for size in type.split("x")[:-1]], each))
    return results


def expect(program, function, expected):
    """What comm-exec gives; `expected` is what it gave for the functions before."""
    command = ["comm-exec", program.shared, f"--function={function.primal or function.name}", "--print-all"]
    command += ["--grad"] if function.primal else []
    primal = next(f for f in program.functions if f.name == (function.primal or function.name))
    # Seeds follow the arguments: for the results that are floats.
    seeds = [("seed", i) for i, value in enumerate(primal.results) if value.element[0] in "fb"]
    flags = [("input", i) for i in range(len(primal.arguments))] + (seeds if function.primal else [])
    for (flag, position), value in zip(flags, function.arguments, strict=True):
        if flag == "seed":
            value.actual = expected[program.name, primal.name][position][0]
        for rank in range(program.ranks):
            literals = ",".join(str(number).lower() for number in draw(program, function, value, rank)) or "zeros"
            shape = "x".join([*map(str, value.actual), value.element]) + "=" if "?" in (value.sizes or []) else ""
            command.append(f"--{flag}={position}@{rank}={shape}{literals}")
    results = parse(execute(*command), program.ranks)
    if len(results) != len(function.results):
        fail(f"{program.name}, @{function.name}: {len(function.results)} results, comm-exec prints {len(results)}")
    return results


#
# Comparing.
#


def differ(a, b, tolerance, scale):
    if a != a or b != b:
        return (a != a) != (b != b)
    return a != b and not abs(a - b) <= tolerance * scale


def compare(folder, program, function, expected):
    """The results of which some rank has another value than it should."""
    wrong = []
    data = [open(f"{folder}/{program.name}.{function.name}.{r}.results", "rb").read() for r in range(program.ranks)]

    def take(rank, element, count):
        size = count * len(pack([0], element))
        got, data[rank] = unpack(data[rank][:size], element), data[rank][size:]
        return got

    for value, (sizes, each) in zip(function.results, expected):
        for rank in range(program.ranks):
            got = take(rank, value.element, len(each[rank]))
            known = [size for size, declared in zip(sizes, value.sizes or []) if declared == "?"]
            if take(rank, "i64", len(known)) != known:
                wrong.append(f"result {value.position} on rank {rank} has other sizes than {known}")
            scale = max([1.0] + [abs(x) for x in each[rank] if abs(x) < float("inf")])
            tolerance = TOLERANCE.get(value.element, 0)
            if len(got) != len(each[rank]) or any(differ(a, b, tolerance, scale) for a, b in zip(got, each[rank])):
                wrong.append(f"result {value.position} ({value.name}) on rank {rank}: got {got}, expected {each[rank]}")
    return wrong


def main():
    folder = sys.argv[1]
    with ThreadPoolExecutor(2) as pool:
        programs = list(pool.map(lambda argument: prepare(folder, argument), sys.argv[2:]))
        driver = pool.submit(compile_all, folder, programs)
        cases = [(program, function) for program in programs for function in program.functions]
        expected = {}
        for program, function in cases:
            values = expect(program, function, expected)
            expected[program.name, function.name] = values
            give(folder, program, function, values)
        driver = driver.result()
    execute(driver, folder)
    failures = 0
    for program, function in cases:
        wrong = compare(folder, program, function, expected[program.name, function.name])
        failures += bool(wrong)
        for text in wrong:
            print(f"{program.name}, @{function.name}: {text}")
    print(f"{len(programs)} programs, {len(cases)} functions, {failures} differ")
    sys.exit(failures > 0)


main()
