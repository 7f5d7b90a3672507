"""Runs the sections of the benchmark and reports them beside their targets.

A section is a program tools/bench/SECTION.py that prints one JSON object a
line: {"section", "what", "measured", "unit", "target", "sense"}; sense is
">=" or "<=", and target and sense are null where a number only informs.
Progress goes to standard error. The environment has COMM_BUILD_DIR.
"""

import argparse
import json
import os
import platform
import subprocess
import sys

SECTIONS = ["collectives", "compile", "lowering", "execution", "derivatives"]
HERE = os.path.dirname(os.path.abspath(__file__))


def first_line(command):
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return "not installed"
    return (result.stdout + result.stderr).strip().split("\n")[0]


def describe_machine():
    with open("/proc/cpuinfo") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    with open("/proc/meminfo") as file:
        gib = round(int(file.readline().split()[1]) / 2**20)
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "memory": f"{gib} GiB",
        "system": platform.system() + " " + platform.release(),
        "compiler": first_line(["c++", "--version"]),
        "LLVM": first_line(["llvm-config-22", "--version"]),
        "MPI": first_line(["mpirun", "--version"]),
    }


def run_section(name, quick):
    print(f"== {name}", file=sys.stderr, flush=True)
    command = [sys.executable, os.path.join(HERE, name + ".py")] + (["--quick"] if quick else [])
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    rows = []
    for line in process.stdout:
        row = json.loads(line)
        rows.append(row)
        print(f"{row['what']}: {format_number(row['measured'])} {row['unit']}", file=sys.stderr, flush=True)
    if process.wait():
        sys.exit(f"section '{name}' exits with {process.returncode}")
    if not rows:
        sys.exit(f"section '{name}' measured nothing")
    return rows


def format_number(value):
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def judge(row):
    if row["target"] is None:
        return ""
    met = row["measured"] >= row["target"] if row["sense"] == ">=" else row["measured"] <= row["target"]
    return "met" if met else "MISSED"


def table(rows):
    lines = [["section", "what", "measured", "target", ""]]
    for row in rows:
        target = "" if row["target"] is None else f"{row['sense']} {format_number(row['target'])}"
        measured = f"{format_number(row['measured'])} {row['unit']}".strip()
        lines.append([row["section"], row["what"], measured, target, judge(row)])
    widths = [max(len(line[i]) for line in lines) for i in range(5)]
    lines.insert(1, ["-" * width for width in widths])
    text = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in lines]
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(prog="tools/bench.sh", description="ratios measured side by side in one run")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS) + " (all by default)")
    parser.add_argument("--quick", action="store_true", help="smaller sizes and fewer repetitions: does it run?")
    parser.add_argument("--results", metavar="FILE.md", help="write the page for docs/results")
    options = parser.parse_args()
    unknown = [name for name in options.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"unknown section '{unknown[0]}', expected one of {', '.join(SECTIONS)}")

    names = options.sections or SECTIONS
    rows = [row for name in names for row in run_section(name, options.quick)]
    machine = describe_machine()
    folder = os.path.join(os.environ["COMM_BUILD_DIR"], "bench")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "results.json"), "w") as file:
        json.dump({"machine": machine, "quick": options.quick, "rows": rows}, file, indent=1)
    print(table(rows), end="")
    print(f"written: {os.path.relpath(file.name)}")
    if options.results:
        with open(options.results, "w") as file:
            file.write("# What `tools/bench.sh` measured\n\n")
            file.writelines(f"- {key}: {value}\n" for key, value in machine.items())
            file.write("\n" + table(rows))


main()
