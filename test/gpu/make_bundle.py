"""Packs what a machine with a GPU needs to check this build: make_bundle.py BUILD EXAMPLES BUNDLE [NAME...].

BUNDLE gets every example compiled for GPUs, the values that the host backend
computes for each of its functions (of 4 ranks and more, gradients too), the
runner, the runtime with its backends and what they load besides CUDA and NCCL,
what measures, and run.sh. `bash BUNDLE/run.sh` does the rest. With names, only
these examples.
"""

import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
# What a machine with a GPU has of its own.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread)\.so|lib(cuda|cublas|nccl))")


def run(*command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {result.stdout}{result.stderr}")
    return result.stdout


def compile(build, source, output, target, *flags):
    run(build / "bin" / "comm-compile", source, "--grad", f"--target={target}", *flags, "-o", output)


def get_functions(describe):
    """The functions that are not a gradient's own, each with the names of its
    results and, where it has gradients, theirs."""
    functions, gradients = {}, {}
    for name, results, of in re.findall(r"^@(\w+)\(.*\) -> \((.*?)\)(?:, for --grad of @(\w+))?$", describe, re.M):
        names = re.findall(r"([\w.]+): ", results)
        if of:
            gradients[of] = names
        else:
            functions[name] = names
    return {name: (names, gradients.get(name)) for name, names in functions.items()}


def add_program(build, source, bundle, cases, *flags):
    name = source.stem
    host, gpu = bundle / "host.so", bundle / f"{name}.so"
    compile(build, source, host, "host")
    compile(build, source, gpu, "nccl", *flags)
    for function, (results, gradients) in get_functions(run(build / "bin" / "comm-exec", host, "--describe")).items():
        grad = ["--grad"] if gradients else []
        folder = bundle / "expected" / f"{name}.{function}"
        folder.mkdir(parents=True)
        values = [(f"{result}", f"expected/{folder.name}/{result}.{{rank}}.npy") for result in gradients or results]
        outputs = [f"--output={value}=@{bundle}/{file}" for value, file in values]
        run(build / "bin" / "comm-exec", host, f"--function={function}", *grad, *outputs)
        expected = [f"--expect={value}=@{file}" for value, file in values]
        cases.append(" ".join([f"{name}.so", f"--function={function}", *grad, *expected]))
    host.unlink()


def add_libraries(build, bundle):
    (bundle / "lib").mkdir()
    (bundle / "bin").mkdir()
    for program in ["comm-exec", "gpu-measure"]:
        shutil.copy(build / "bin" / program, bundle / "bin")
    ours = [*(build / "lib").glob("libCommRuntime*.so*")]
    for library in ours:
        shutil.copy(library, bundle / "lib")
    for library in ours + [build / "bin" / "comm-exec"]:
        for name, path in re.findall(r"^\s*(\S+) => (/\S+)", run("ldd", library), re.M):
            if not SYSTEM.match(name) and not (bundle / "lib" / name).exists():
                shutil.copy(path, bundle / "lib" / name)


def main():
    build, examples, bundle = map(pathlib.Path, sys.argv[1:4])
    names = sys.argv[4:]
    shutil.rmtree(bundle, ignore_errors=True)
    bundle.mkdir(parents=True)
    cases, alone, two = [], [], []
    # syntax.mlir is not a program that can be lowered.
    for source in sorted(examples.glob("*.mlir")):
        if source.stem != "syntax" and (not names or source.stem in names):
            add_program(build, source, bundle, cases)
    add_program(build, HERE / "one_rank.mlir", bundle, alone, "--keep-groups-of-one")
    add_program(build, HERE / "two.mlir", bundle, two)
    (bundle / "cases").write_text("\n".join(cases) + "\n")
    (bundle / "cases.nccl").write_text("\n".join(alone) + "\n")
    (bundle / "cases.two").write_text("\n".join(two) + "\n")
    compile(build, HERE / "steps.mlir", bundle / "steps.so", "nccl", "--keep-groups-of-one")
    add_libraries(build, bundle)
    shutil.copy(HERE / "run.sh", bundle)
    print(f"{bundle}: {len(cases)} runs on one device, {len(alone)} with NCCL on one rank")


main()
