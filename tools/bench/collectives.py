"""How fast the collectives of the threads backend are, beside Open MPI's.

Both programs fill the buffers, make the call and read the result, with the
same code (CollectivesProtocol.h). A cell is a collective and a size, and its
number the ratio of the medians over processes: each process has its buffers
at other places, and the two programs take turns.

The rate of a collective of 64 MiB is the bytes that it has to move by its
time: each byte that is sent read once, each that is received written once. It
is compared with that of the same threads when each copies 64 MiB from buffer to
buffer with non-temporal stores, in the same process, right before it.
"""

import functools
import json
import math
import os
import statistics
import subprocess
import sys

import section

BIN = os.path.join(os.environ.get("COMM_BUILD_DIR", "build"), "bin")
SIZES = {1 << 10: "1 KiB", 1 << 16: "64 KiB", 1 << 20: "1 MiB", 1 << 26: "64 MiB"}
LARGEST = max(SIZES)
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

report = functools.partial(section.report, "collectives")


def run(ranks, who, process, effort):
    """The lines that one process of a program prints."""
    sizes = ",".join(str(size) for size in SIZES)
    if who == "mpi":
        # The programs bind their ranks themselves, both in the same way.
        command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks),
                   os.path.join(BIN, "comm-bench-collectives-mpi")]
    else:
        command = [os.path.join(BIN, "comm-bench-collectives"), str(ranks)]
    result = subprocess.run(command + [sizes, str(process), str(effort)], check=True, stdout=subprocess.PIPE,
                            text=True, env={**os.environ, **MPI})
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]


def moved(what, ranks):
    """The bytes that a collective must read and write, by those of the copy."""
    if what in ("all_gather", "reduce_scatter"):
        return (1 + 1 / ranks) / 2
    # A broadcast leaves the root's buffer alone.
    return 1 / 2 if what == "broadcast" else 1


def collect(ranks, processes, effort):
    """Seconds by program and cell, rates by collective, and what MPI it was."""
    seconds, rates, library = {}, {}, ""
    for process in range(processes):
        print(f"{ranks} ranks, process {process + 1} of {processes}", file=sys.stderr, flush=True)
        for who in ["comm", "mpi"]:
            copy = None
            for line in run(ranks, who, process, effort):
                if "library" in line:
                    library = f"{line['library']} ({line['transport']})"
                elif line["what"] == "copy":
                    copy = line["seconds"]
                else:
                    cell = line["what"], line["bytes"]
                    seconds.setdefault(cell, {}).setdefault(who, []).append(line["seconds"])
                    if who == "comm" and line["bytes"] == LARGEST:
                        rates.setdefault(line["what"], []).append(moved(line["what"], ranks) * copy / line["seconds"])
    return seconds, rates, library


def measure(ranks, processes, effort, least):
    seconds, rates, library = collect(ranks, processes, effort)
    ratios = {}
    for cell, programs in seconds.items():
        medians = {who: statistics.median(values) for who, values in programs.items()}
        ratios[cell] = medians["mpi"] / medians["comm"]
        print(f"{cell[0]:15s} {SIZES[cell[1]]:>7s}  {1e6 * medians['comm']:11.2f} us  "
              f"mpi {1e6 * medians['mpi']:11.2f} us", file=sys.stderr, flush=True)
    prefix = f"{ranks} ranks, {library} / comm: "
    report(prefix + "geometric mean of all cells",
           math.exp(statistics.fmean(math.log(ratio) for ratio in ratios.values())), "x", 2.5, ">=")
    worst = min(ratios, key=ratios.get)
    report(prefix + f"worst cell ({worst[0]}, {SIZES[worst[1]]})", ratios[worst], "x", least, ">=")
    for (what, size), ratio in ratios.items():
        wanted = ranks == 2 and what == "all_reduce" and size == LARGEST
        report(prefix + f"{what}, {SIZES[size]}", ratio, "x", 4 if wanted else None, ">=" if wanted else None)
    for what, values in rates.items():
        wanted = ranks == 2 and what in ("all_reduce", "all_gather", "all_to_all")
        report(f"{ranks} ranks: {what}, 64 MiB / non-temporal copy", 100 * statistics.median(values), "%",
               85 if wanted else None, ">=" if wanted else None)


def main():
    if not os.path.exists(os.path.join(BIN, "comm-bench-collectives-mpi")):
        sys.exit("comm-bench-collectives-mpi was not built: install Open MPI, as tools/bench.sh does")
    quick = "--quick" in sys.argv[1:]
    measure(2, 3 if quick else 7, 0.1 if quick else 0.5, 1.2)
    measure(4, 3 if quick else 7, 0.05 if quick else 0.25, 1.0)


if __name__ == "__main__":
    main()
