"""Runs or checks every fenced code block of Markdown files.

Usage: check_blocks.py FILE.md...

  console  a line "$ command" is run by bash in the repository's root; the lines
           after it are its output (stdout and stderr)
  mlir     comm-opt reads it
  tree     paths, each with a remark: they exist
  others   an excerpt of a file that the build or a test uses, named in a comment
           on the line before the block: <!-- from: test/Package/Embed/embed.cpp -->

"..." in a block stands for anything in a line, and alone for any lines. A block of
another kind, or one that ran nothing, is a failure. In docs/generated, which
tools/generate-reference.py compares with the TableGen files, only the examples of
the ops are read, with the declarations below around them.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What the examples of the ops leave out.
EXAMPLE_MESH = "comm.mesh @mesh [dp = 2, tp = 4]\n"
EXAMPLE_FUNCTIONS = """
func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @step(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %loss = arith.constant dense<0.0> : tensor<f32>
  return %loss, %x : tensor<f32>, tensor<4xf32>
}
"""


class Block:
    def __init__(self, path, line, language, source, lines):
        self.path, self.line, self.language = path, line, language
        self.source, self.lines = source, lines

    def __str__(self):
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def read_blocks(path):
    blocks, block, previous = [], None, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.lstrip().startswith("```") and block is None:
            source = re.fullmatch(r"<!-- from: (\S+) -->", previous.strip())
            block = Block(path, number, line.strip()[3:], source and source[1], [])
            blocks.append(block)
        elif line.strip() == "```":
            block = None
        elif block is not None:
            block.lines.append(line)
        previous = line
    if block is not None:
        block.language = "that has no end"
    return blocks


def matches(expected, text):
    """Whether the text is what the lines say, "..." standing for anything."""
    pattern = ""
    for line in expected:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ ]*\n"
    return re.fullmatch(pattern, text + ("" if text.endswith("\n") or not text else "\n"))


def run(command, text=None):
    result = subprocess.run(
        command, cwd=ROOT, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return result.returncode, result.stdout


def check_console(block):
    if not block.lines or not block.lines[0].startswith("$ "):
        return "expected a line '$ command' first"
    commands = []
    for line in block.lines:
        if line.startswith("$ "):
            commands.append((line[2:], []))
        else:
            commands[-1][1].append(line)
    for command, expected in commands:
        # A stock program cannot load what needs a sanitizer.
        if "--load-" in command and os.environ.get("COMM_SANITIZER"):
            continue
        _, output = run(["bash", "-c", command])
        if not matches(expected, output):
            return "\n".join([f"$ {command}", "expected:", *expected, "got:", output])


def check_mlir(block):
    status, output = run(["comm-opt", "-"], "\n".join(block.lines) + "\n")
    if status != 0:
        return output


def add_context(lines):
    """Makes a program of ops: operands that nothing defines become arguments."""
    text = "\n".join(lines)
    if "comm.mesh" in text:
        return text
    arguments, defined = {}, set()
    for line in re.sub(r"\n\s+", " ", text).splitlines():
        results, _, op = line.rpartition(" = ")
        body, _, types = op.rpartition(" : ")
        operands = [name for name in re.findall(r"%\w+", body)]
        types = re.findall(r"(?:tensor|memref)<[^>]*>", types)
        for position, operand in enumerate(operands):
            if operand not in defined:
                arguments[operand] = types[min(position, len(types) - 1)]
        defined.update(re.findall(r"%\w+", results))
    names = ", ".join(f"{name}: {type}" for name, type in arguments.items())
    return f"{EXAMPLE_MESH}{EXAMPLE_FUNCTIONS}func.func @example({names}) {{\n{text}\nreturn\n}}\n"


def check_example(block):
    program = add_context(block.lines)
    status, output = run(["comm-opt", "-"], program)
    if status != 0:
        return program + output


def check_tree(block):
    """A line is paths, separated by commas, then a remark; lines that are indented
    by two are in the folders above them, lines further in go on with a remark."""
    folders = [ROOT]
    for line in block.lines:
        indent = len(line) - len(line.lstrip())
        if indent > 2:
            continue
        paths = re.split(r"\s{2,}", line.strip())[0].split(", ")
        here = [folder / path for folder in (folders if indent else [ROOT]) for path in paths]
        if not indent:
            folders = here
        missing = [str(path) for path in here if not path.exists()]
        if missing:
            return "there is no " + ", ".join(missing)


def check_excerpt(block):
    if not block.source:
        return "expected a comment before it that names its file: <!-- from: path -->"
    path = ROOT / block.source
    if not path.exists():
        return f"there is no {block.source}"

    def strip(lines):
        return [line.strip() for line in lines if line.strip()]

    expected = ["..."] + strip(block.lines) + ["..."]
    if not strip(block.lines):
        return "an excerpt of nothing"
    if not matches(expected, "\n".join(strip(path.read_text().splitlines()))):
        return f"this text is not in {block.source}"


CHECKS = {
    "console": check_console,
    "mlir": check_mlir,
    "tree": check_tree,
    "c": check_excerpt,
    "cpp": check_excerpt,
    "cmake": check_excerpt,
    "sh": check_excerpt,
}


def is_generated(block):
    return block.path.parent == ROOT / "docs" / "generated"


def get_check(block):
    if not is_generated(block):
        return CHECKS.get(block.language)
    if block.language == "mlir" and block.path.name == "Dialect.md":
        return check_example
    # Signatures, grammars, and what passes do, abbreviated.
    return (lambda block: None) if block.language else None


def main():
    failed = 0
    for argument in sys.argv[1:]:
        path = pathlib.Path(argument).resolve()
        blocks = read_blocks(path)
        for block in blocks:
            check = get_check(block)
            error = check(block) if check else f"a block of the kind '{block.language}', which nothing checks"
            if error:
                failed += 1
                print(f"{block}: {error}")
        print(f"{path.relative_to(ROOT)}: {len(blocks)} blocks")
    sys.exit(1 if failed or len(sys.argv) < 2 else 0)


main()
