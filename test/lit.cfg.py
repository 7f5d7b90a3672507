import os

import lit.formats

config.name = "comm"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Unit", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.comm_binary_dir, "bin"), config.llvm_tools_dir, os.environ["PATH"]]
)
config.substitutions.append(("%examples", os.path.join(config.comm_source_dir, "docs", "examples")))
config.substitutions.append(("%source_dir", config.comm_source_dir))
