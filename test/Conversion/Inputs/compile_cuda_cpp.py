"""Compiles programs that were printed as CUDA C++: compile_cuda_cpp.py FILE.cu...

All of them in one translation unit, each in a namespace of its own, as most of
the time goes into CUDA's headers; warnings are errors. What comes out is linked
to CUDA, cuBLASLt and NCCL as a shared object in which no symbol is undefined.
"""

import os
import subprocess
import sys
import tempfile

files = [os.path.abspath(file) for file in sys.argv[1:]]
includes = []
for file in files:
    for line in open(file):
        if line.startswith("#include") and line not in includes:
            includes.append(line)
with tempfile.TemporaryDirectory() as folder:
    unit = os.path.join(folder, "all.cu")
    with open(unit, "w") as text:
        # Once: what they include again inside of a namespace is empty.
        text.writelines(includes)
        for number, file in enumerate(files):
            text.write(f'namespace program_{number} {{\n#include "{file}"\n}}\n')
    command = ["nvcc", "-std=c++17", "-arch=sm_80", "-Werror", "all-warnings"]
    command += ["-Xcompiler", "-fPIC,-Wall", "-shared", "-cudart", "shared"]
    command += ["-Xlinker", "--no-undefined", unit, "-o", os.path.join(folder, "all.so")]
    command += ["-lnccl", "-lcublasLt"]
    compiled = subprocess.run(command, capture_output=True, text=True)
    if compiled.returncode:
        sys.exit(" ".join(command) + "\n" + compiled.stdout + compiled.stderr)
print(f"compiled {len(files)} programs")
