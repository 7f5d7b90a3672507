import os
import platform
import sys

import lit.formats

config.name = "comm"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Unit", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.comm_binary_dir, "bin"), config.llvm_tools_dir, os.environ["PATH"]]
)
# Kernels that the tests compile are not for the user's cache.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
config.substitutions.append(("%examples", os.path.join(config.comm_source_dir, "docs", "examples")))
config.substitutions.append(("%source_dir", config.comm_source_dir))
config.substitutions.append(("%plugin", os.path.join(config.comm_binary_dir, "lib", "libCommPlugin.so")))
config.environment["LD_LIBRARY_PATH"] = os.path.join(config.comm_binary_dir, "lib")
# A sanitizer must be in the program that loads a library, so stock ones cannot.
config.environment["COMM_SANITIZER"] = config.comm_sanitizer
if config.comm_sanitizer:
    # A sanitizer does not see what the JIT compiles.
    config.environment["COMM_RUN_OPTIONS"] = "--verify-runtime"
    config.environment["COMM_COMPILE_OPTIONS"] = "--verify-runtime"
    config.available_features.add("sanitizer")
if platform.machine() == "x86_64":
    config.available_features.add("x86")
# Code for GPUs takes the CUDA toolkit, but no GPU.
if config.comm_have_cuda:
    config.available_features.add("cuda")
    config.environment["CUDA_HOME"] = config.cuda_toolkit
# What runs on a GPU runs on the double of CUDA and NCCL, which stops at the
# first fault that it finds.
if config.cuda_double:
    config.available_features.add("cuda-double")
    double = f"env LD_LIBRARY_PATH={config.cuda_double}:{config.environment['LD_LIBRARY_PATH']} COMM_DOUBLE_STRICT=1"
    # The search for leaks at the end sometimes crashes on a stream's thread that
    # is ending too; the unit tests of the double and the backends look for them.
    if config.comm_sanitizer:
        double += " LSAN_OPTIONS=detect_leaks=0"
    config.substitutions.append(("%on-double", double))
    config.substitutions.append(("%cuda-double", config.cuda_double))
    config.substitutions.append(("%cuda-include", os.path.join(config.cuda_toolkit, "include")))
# The functions and what each communicates, a line each.
config.substitutions.append(
    (
        "%list-collectives",
        r"grep -oE 'func\.func( private)? @[a-z0-9_]+|comm\.(all_reduce|all_gather|all_to_all"
        r"|reduce_scatter|reduce|gather|scatter|broadcast|permute|send|recv) '",
    )
)
# %exits CODE COMMAND...: runs the command and fails unless it exits with the code.
config.substitutions.append(
    ("%exits", "bash " + os.path.join(config.comm_source_dir, "test", "Runner", "Inputs", "exits.sh"))
)
# %json-get FILE PATH...: prints values of a JSON file.
config.substitutions.append(
    (
        "%json-get",
        sys.executable
        + " "
        + os.path.join(config.comm_source_dir, "test", "Runner", "Inputs", "json_get.py"),
    )
)
# %check-blocks FILE.md...: runs or checks the code blocks of pages.
config.substitutions.append(
    ("%check-blocks", sys.executable + " " + os.path.join(config.comm_source_dir, "test", "check_blocks.py"))
)
# %check-reference: compares docs/generated with the TableGen files.
config.substitutions.append(
    (
        "%check-reference",
        sys.executable + " " + os.path.join(config.comm_source_dir, "tools", "generate-reference.py") + " --check",
    )
)
config.substitutions.append(("%bin", os.path.join(config.comm_binary_dir, "bin")))
# Python, for the scripts of a test's own folder.
config.substitutions.append(("%python", sys.executable))
# %mutate COUNT SEED FILE.mlir...: changes texts and looks for one that crashes comm-opt.
config.substitutions.append(
    ("%mutate", sys.executable + " " + os.path.join(config.comm_source_dir, "test", "Tools", "Inputs", "mutate.py"))
)
# %compare-exec FOLDER EXAMPLES TESTS: compares comm-exec with comm-run.
config.substitutions.append(
    (
        "%compare-exec",
        sys.executable + " " + os.path.join(config.comm_source_dir, "test", "Tools", "Inputs", "compare_exec.py"),
    )
)
# %generate SHAPE:N: a program of about N ops, as the benchmark of the compiler has it.
config.substitutions.append(
    (
        "%generate",
        sys.executable
        + " "
        + os.path.join(config.comm_source_dir, "tools", "bench", "compile.py")
        + " --program",
    )
)
