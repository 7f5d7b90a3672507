#!/usr/bin/env python3
"""Breaks rules on purpose and says which tests notice (docs/Testing.md).

Usage: mutations.py [--build DIR] [--only NAME]... [--tests NAME]... [--check-patches]

Patches one rule at a time in the sources of this checkout, builds, runs the tests
and puts the source back; prints a table. The exit code is 1 if a mutant survives
all tests or a patch no longer applies. Use a build folder of its own.
"""

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OPS = "lib/IR/Collectives/"

# Name, file, what stands there (once), what the mutant has in its place.
MUTANTS = [
    ("vary's adjoint lost", OPS + "Vary.cpp",
     "  return {AllReduceOp::create(builder, getLoc(), cotangents[0],\n"
     "                              ReductionKind::Sum, getAxes())\n"
     "              .getResult()};",
     "  (void)builder;\n  return {cotangents[0]};"),
    ("no vary inserted", "lib/Transforms/MaterializeReplication.cpp",
     "  apply(changes, axes);", "  (void)apply;"),
    ("all_reduce's adjoint summed again", OPS + "AllReduce.cpp",
     "  default:\n    return {cotangent};",
     "  default:\n    return {VaryOp::create(builder, getLoc(),\n"
     "        AllReduceOp::create(builder, getLoc(), cotangent, ReductionKind::Sum,\n"
     "                            getAxes()).getResult(), getAxes())};"),
    ("avg without 1/n", OPS + "AllReduce.cpp",
     "  if (getReduction() == ReductionKind::Avg)\n"
     "    cotangent = emitQuotient(",
     "  if (false)\n    cotangent = emitQuotient("),
    ("reduce_scatter avg without 1/n", OPS + "ReduceScatter.cpp",
     "  if (getReduction() == ReductionKind::Avg)\n", "  if (false)\n"),
    ("ties counted in full", OPS + "AllReduce.cpp",
     "  return arith::DivFOp::create(builder, loc, indicator, ties);",
     "  (void)ties;\n  return indicator;"),
    ("prod: all but the last factor", OPS + "AllReduce.cpp",
     "distance < n; ++distance", "distance < n - (n > 2); ++distance"),
    ("broadcast: root off by one", OPS + "Broadcast.cpp",
     "      RootMaskOp::create(builder, getLoc(), cotangents[0], getRoot(), getAxes())",
     "      RootMaskOp::create(builder, getLoc(), cotangents[0],\n"
     "          (getRoot() + 1) % getGroupSize(*this, getAxes()), getAxes())"),
    ("split and concat not swapped", OPS + "AllToAll.cpp",
     "cotangents[0], getConcatDim(), getSplitDim(),",
     "cotangents[0], getSplitDim(), getConcatDim(),"),
    ("permute: pairs not inverted", OPS + "Permute.cpp",
     "    std::swap(inverted[i], inverted[i + 1]);", "    (void)i;"),
    ("message not sent back", OPS + "SendRecv.cpp",
     "cotangents[0], send.getTo(),\n                         send.getFrom(),",
     "cotangents[0], send.getFrom(),\n                         send.getTo(),"),
    ("reduce's adjoint on the root only", OPS + "Reduce.cpp",
     "  return {VaryOp::create(builder, getLoc(), root, getAxes())};",
     "  return {RootMaskOp::create(builder, getLoc(), root, getRoot(), getAxes())};"),
    ("law: all_slice of all_gather with any axes", OPS + "AllSlice.cpp",
     "  if (!gather || gather.getAxes() != op.getAxes())\n    return failure();\n"
     "  if (gather.getDim()",
     "  if (!gather ||\n"
     "      getGroupSize(op, gather.getAxes()) != getGroupSize(op, op.getAxes()))\n"
     "    return failure();\n"
     "  if (gather.getDim()"),
    ("law: all_reduce of vary without n", OPS + "AllReduce.cpp",
     "  rewriter.replaceOp(op, emitMultiple(rewriter, loc, y, *n));",
     "  rewriter.replaceOp(op, y);"),
    ("law: broadcast of root_mask with any root", OPS + "Broadcast.cpp",
     " || mask.getRoot() != op.getRoot())", ")"),
    ("law: permutes composed in the other order", OPS + "Permute.cpp",
     "targets.find(innerPairs[i + 1])", "targets.find(innerPairs[i])"),
    ("insert_slice keeps the cotangent beneath",
     "lib/Autodiff/ExternalModels/TensorAdjoints.cpp",
     "      adjoints[1] = tensor::InsertSliceOp::create(\n"
     "          builder, loc, zeros, cotangents[0], offsets, sizes, strides);",
     "      (void)zeros;\n      adjoints[1] = cotangents[0];"),
    ("divf: sign of the denominator's cotangent",
     "lib/Autodiff/ExternalModels/ArithAdjoints.cpp",
     "      adjoints[1] = -(quotient * Term(context, primals.getResult(0)));",
     "      adjoints[1] = quotient * Term(context, primals.getResult(0));"),
    ("the last contribution replaces the sum", "lib/Autodiff/ReverseMode.cpp",
     "  sum = sum ? add(builder, sum, cotangent) : cotangent;",
     "  (void)add;\n  sum = cotangent;"),
    ("vary placed at its first use, in a branch or not",
     "lib/Transforms/MaterializeReplication.cpp",
     "    builder.setInsertionPointAfterValue(previous);",
     "    builder.setInsertionPoint(change.uses.front()->getOwner());"),
    ("sums of the first two ranks only", "lib/Runtime/Threads/Reductions.cpp",
     "  reduction.numInputs = n;", "  reduction.numInputs = n < 2 ? n : 2;"),
    ("scatter: root off by one", OPS + "Scatter.cpp",
     "cotangents[0], getDim(), getRoot(), getAxes())",
     "cotangents[0], getDim(),\n"
     "                 (getRoot() + 1) % getGroupSize(*this, getAxes()), getAxes())"),
    ("law: sums of all_reduces over any axes", "lib/IR/Sums.cpp",
     "           reduce.getReduction() == cast<AllReduceOp>(second).getReduction() &&\n"
     "           haveSameAxes(a.getGroup(), b.getGroup());",
     "           reduce.getReduction() == cast<AllReduceOp>(second).getReduction();"),
    ("law: a transpose forgotten in a sum", "lib/IR/Sums.cpp",
     "rearrange(rewriter, a.ops, a.reduce.getInput());",
     "rearrange(rewriter, {}, a.reduce.getInput());"),
    ("stop_gradient does not stop", "lib/Analysis/ActivityAnalysis.cpp",
     "!op->hasTrait<StopsDerivative>();", "true;"),
    ("messages not ordered for the backward",
     "lib/Transforms/MaterializeReplication.cpp",
     "  orderMessagesForAdjoint(*analysis);", "  (void)orderMessagesForAdjoint;"),
    ("tangent: the last operand's term alone",
     "lib/Autodiff/ExternalModels/Elementwise.h",
     "        sum = sum ? Value(Term(context, sum) + Term(context, term)) : term;",
     "        sum = term;"),
    ("tangent: the primal where it is zero", "lib/Interfaces/AdjointOpInterface.cpp",
     "    if (!isDifferentiable(type))\n"
     "      operands.push_back(primals.getOperand(number));",
     "    if (!isDifferentiable(type) || !tangent)\n"
     "      operands.push_back(primals.getOperand(number));"),
    ("tangent: of one factor of a contraction",
     "lib/Autodiff/ExternalModels/LinalgTangents.cpp",
     "  for (unsigned input : {0, 1}) {", "  for (unsigned input : {0}) {"),
    ("tangent: a sum starts at zero",
     "lib/Autodiff/ExternalModels/LinalgTangents.cpp",
     "    Value out = isSum(init) ? tangents[init] : Value();",
     "    Value out;"),
    ("reduce_scatter's state is replicated", "include/comm/IR/ExchangingOps.td",
     'def Comm_ReduceScatterOp : Comm_CollectiveOp<"reduce_scatter", Comm_Exchanged,',
     'def Comm_ReduceScatterOp : Comm_CollectiveOp<"reduce_scatter", Comm_Reduced,'),
]

TARGETS = ["comm-oracle", "comm-opt", "comm-run", "CommTranspositionTests"]


def run(command, build):
    # One failure is enough.
    environment = dict(os.environ, COMM_BUILD_DIR=str(build),
                       LIT_OPTS="--max-failures=1")
    return subprocess.run(command, cwd=ROOT, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def get_tests(build):
    lit = ["ctest", "--test-dir", build, "-R"]
    return [
        ("oracle", [build / "bin/comm-oracle", "--count=400", "--seed=1",
                    "--max-failures=1", "--reduce=0"]),
        ("transposition", lit + ["^unit-CommTranspositionTests$"]),
        ("lit", lit + ["^lit-(Transforms|Autodiff|Analysis)$"]),
        ("values", lit + ["^lit-Integration$"]),
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=ROOT / "build-mutations",
                        type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--only", action="append")
    parser.add_argument("--tests", action="append")
    parser.add_argument("--check-patches", action="store_true")
    options = parser.parse_args()

    stale = [name for name, file, old, new in MUTANTS
             if (ROOT / file).read_text().count(old) != 1]
    for name in stale:
        print(f"the patch of '{name}' does not apply once")
    if stale or options.check_patches:
        return 1 if stale else 0
    if not (options.build / "build.ninja").exists():
        configured = run(["cmake", "--preset", "default", "-B", options.build],
                         options.build)
        if configured.returncode:
            print(configured.stdout)
            return 1
    tests = [(name, command) for name, command in get_tests(options.build)
             if not options.tests or name in options.tests]
    build = ["ninja", "-C", options.build] + [
        target for target in TARGETS
        if target != "CommTranspositionTests" or "transposition" in dict(tests)]
    names = [name for name, _ in tests]
    # Without a mutant all is green.
    if run(build, options.build).returncode:
        print("the sources do not build")
        return 1
    for name, command in tests:
        if run(command, options.build).returncode:
            print(f"'{name}' is red without a mutant")
            return 1
    print("| mutant | " + " | ".join(names) + " |")
    print("| --- |" + " --- |" * len(names), flush=True)
    survivors = 0
    for name, file, old, new in MUTANTS:
        if options.only and name not in options.only:
            continue
        path = ROOT / file
        source = path.read_text()
        try:
            path.write_text(source.replace(old, new))
            built = run(build, options.build)
            if built.returncode:
                print(f"| {name} | does not build |")
                print(built.stdout[-2000:], file=sys.stderr)
                survivors += 1
                continue
            red = [run(command, options.build).returncode != 0
                   for _, command in tests]
        finally:
            path.write_text(source)
        survivors += not any(red)
        print(f"| {name} | " +
              " | ".join("red" if is_red else "-" for is_red in red) + " |",
              flush=True)
    run(build, options.build)
    if survivors:
        print(f"{survivors} survived or did not build")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
