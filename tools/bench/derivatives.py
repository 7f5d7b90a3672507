"""What derivatives cost: the backward and forward mode of a feed-forward layer
and of twelve such layers in a loop, run apart and together; what is kept for
the backward; loops in loops through the compiler; the oracle's speed.
"""

import functools
import os
import re
import subprocess
import sys
import tempfile
import time

import section

BIN = os.path.join(os.environ.get("COMM_BUILD_DIR", "build"), "bin")
QUICK = "--quick" in sys.argv[1:]
ROWS, WIDTH, HIDDEN, LAYERS = (16, 64, 64, 3) if QUICK else (256, 512, 512, 12)
MESH = "comm.mesh @mesh [tp = 2]\n"
REP = '{comm.replicated = #comm.axes<@mesh["tp"]>}'
X, H = f"tensor<{ROWS}x{WIDTH}xf32>", f"tensor<{ROWS}x{HIDDEN}xf32>"
W1, W2 = f"tensor<{WIDTH}x{HIDDEN}xf32>", f"tensor<{HIDDEN}x{WIDTH}xf32>"

report = functools.partial(section.report, "derivatives")


def layer(x, w1, w2, y):
    return f"""
  %h = linalg.matmul ins({x}, {w1} : {X}, {W1}) outs(%zh : {H}) -> {H}
  %a = math.tanh %h : {H}
  %p = linalg.matmul ins(%a, {w2} : {H}, {W2}) outs(%zx : {X}) -> {X}
  %s = comm.all_reduce sum %p over @mesh["tp"] : {X}
  {y} = arith.addf {x}, %s : {X}"""


def make_ffn():
    return f"""{MESH}func.func @f(%x: {X} {REP}, %w1: {W1}, %w2: {W2}) -> ({X} {REP}) {{
  %zh = arith.constant dense<0.0> : {H}
  %zx = arith.constant dense<0.0> : {X}{layer("%x", "%w1", "%w2", "%y")}
  return %y : {X}
}}
"""


def make_scan():
    all1, all2 = W1.replace("<", f"<{LAYERS}x"), W2.replace("<", f"<{LAYERS}x")
    return f"""{MESH}func.func @f(%x: {X} {REP}, %w1: {all1}, %w2: {all2}) -> ({X} {REP}) {{
  %zh = arith.constant dense<0.0> : {H}
  %zx = arith.constant dense<0.0> : {X}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cn = arith.constant {LAYERS} : index
  %y = scf.for %i = %c0 to %cn step %c1 iter_args(%v = %x) -> {X} {{
  %u1 = tensor.extract_slice %w1[%i, 0, 0] [1, {WIDTH}, {HIDDEN}] [1, 1, 1] : {all1} to {W1}
  %u2 = tensor.extract_slice %w2[%i, 0, 0] [1, {HIDDEN}, {WIDTH}] [1, 1, 1] : {all2} to {W2}{layer("%v", "%u1", "%u2", "%n")}
  scf.yield %n : {X}
  }}
  return %y : {X}
}}
"""


def make_nested(ops):
    """Three loops in one another, with `ops` ops in the innermost."""
    type_ = "tensor<8xf32>"
    text = f"{MESH}func.func @f(%x: {type_}, %w: {type_} {REP}) -> {type_} {{\n"
    text += "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
    value = "%x"
    for depth in range(3):
        text += f"%r{depth} = scf.for %i{depth} = %c0 to %c2 step %c1 iter_args(%v{depth} = {value}) -> {type_} {{\n"
        value = f"%v{depth}"
    for i in range(ops // 2):
        text += f"%a{i} = arith.mulf {value}, %w : {type_}\n%b{i} = math.tanh %a{i} : {type_}\n"
        value = f"%b{i}"
    for depth in reversed(range(3)):
        text += f"scf.yield {value} : {type_}\n}}\n"
        value = f"%r{depth}"
    return text + f"return {value} : {type_}\n}}\n"


def differentiate(text, options, folder):
    source, result = os.path.join(folder, "in.mlir"), os.path.join(folder, "out.mlir")
    with open(source, "w") as file:
        file.write(text)
    subprocess.run([os.path.join(BIN, "comm-opt"), source, f"-comm-differentiate={options}", "-o", result], check=True)
    with open(result) as file:
        return file.read()


def get_signature(text, name):
    """The types of the arguments and of the results of a function, with marks."""
    arguments, results = re.search(rf"func.func (?:private )?@{name}\((.*?)\) -> (.*?) {{\n", text).groups()
    arguments = re.sub(r"%\w+: ", "", arguments)
    results = results[1:-1] if results.startswith("(") else results
    split = functools.partial(re.findall, r"tensor<[^>]*>(?: {[^}]*})?")
    return split(arguments), split(results)


def strip(types):
    return [type_.split(" ")[0] for type_ in types]


def add_apart(text):
    """A function that calls the halves, one after the other."""
    arguments, results = get_signature(text, "f_fwd")
    inputs, gradients = get_signature(text, "f_bwd")
    kept = len(results) - 1
    seeds = inputs[kept:]
    names = [f"%a{i}" for i in range(len(arguments))]
    declared = ", ".join(f"{n}: {t}" for n, t in zip(names + ["%dy"], arguments + seeds))
    residuals = ", ".join(f"%r#{i + 1}" for i in range(kept))
    function = f"""func.func @apart({declared}) -> ({", ".join(results[:1] + gradients)}) {{
  %r:{len(results)} = call @f_fwd({", ".join(names)}) : ({", ".join(strip(arguments))}) -> ({", ".join(strip(results))})
  %g:{len(gradients)} = call @f_bwd({residuals}, %dy) : ({", ".join(strip(inputs))}) -> ({", ".join(strip(gradients))})
  return %r#0, {", ".join(f"%g#{i}" for i in range(len(gradients)))} : {", ".join(strip(results[:1] + gradients))}
}}
"""
    end = text.rstrip().rindex("}")
    return text[:end] + function + "}\n"


def get_bytes(type_):
    sizes = re.match(r"tensor<([\dx]*)xf32>", type_).group(1).split("x")
    return 4 * functools.reduce(lambda a, b: a * int(b), sizes, 1)


def time_functions(text, names, folder):
    """The best time of each function in milliseconds, taken in turns."""
    path = os.path.join(folder, "run.mlir")
    with open(path, "w") as file:
        file.write(text)
    best = {name: float("inf") for name in names}
    for _ in range(1 if QUICK else 3):
        for name in names:
            command = [os.path.join(BIN, "comm-run"), path, f"--function={name}", "--time",
                       f"--repeat={3 if QUICK else 12}"]
            result = subprocess.run(command, check=True, capture_output=True, text=True)
            found = re.search(r"time: best ([\d.]+) (\S+),", result.stdout + result.stderr)
            scale = {"s": 1e3, "ms": 1, "us": 1e-3, "µs": 1e-3}[found.group(2)]
            best[name] = min(best[name], float(found.group(1)) * scale)
    return best


def measure_program(what, text, minimum, folder):
    both = differentiate(text, "functions=f", folder)
    results = get_signature(both, "f_fwd")[1]
    kept = sum(map(get_bytes, strip(results)[1:]))
    report(f"{what}: bytes kept for the backward / the fewest by hand", kept / minimum, "x", 1, "<=")
    tangents = differentiate(add_apart(both), "functions=f mode=forward", folder)
    times = time_functions(tangents, ["f", "f_vjp", "apart", "f_jvp"], folder)
    report(f"{what}: forward alone", times["f"], "ms")
    report(f"{what}: value and gradient / forward", times["f_vjp"] / times["f"], "x", 3, "<=")
    report(f"{what}: halves run apart / together", times["apart"] / times["f_vjp"], "x", 1.05, "<=")
    report(f"{what}: forward mode / forward", times["f_jvp"] / times["f"], "x", 2.5, "<=")


def measure_nested(folder):
    seconds = []
    sizes = (1000, 10000) if QUICK else (10000, 100000)
    for ops in sizes:
        source = os.path.join(folder, "nested.mlir")
        with open(source, "w") as file:
            file.write(make_nested(ops))
        command = [os.path.join(BIN, "comm-opt"), source, "-comm-differentiate", "-emit-bytecode", "-o", os.devnull]
        start = time.perf_counter()
        subprocess.run(command, check=True)
        seconds.append(time.perf_counter() - start)
    report(f"{sizes[1]:,} ops in three nested loops, differentiated / a tenth", seconds[1] / seconds[0], "x", 12, "<=")


def measure_oracle():
    count = 40 if QUICK else 400
    command = [os.path.join(BIN, "comm-oracle"), "--control-flow", f"--count={count}", "--seed=1"]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    rate = re.search(r"([\d.]+) programs a second", result.stdout).group(1)
    report("programs that the oracle checks", float(rate), "a second", 20, ">=")


def main():
    with tempfile.TemporaryDirectory() as folder:
        weights, per_layer = get_bytes(W1) + get_bytes(W2), get_bytes(X) + get_bytes(H)
        measure_program("feed-forward layer", make_ffn(), weights + per_layer, folder)
        measure_program(f"{LAYERS} layers in a loop", make_scan(), LAYERS * (weights + per_layer), folder)
        measure_nested(folder)
    measure_oracle()


main()
