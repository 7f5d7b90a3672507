//===- TranspositionTest.cpp - Every adjoint is the transpose -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Builds the dense matrix of every registered collective from basis vectors, on
// real ranks, and the matrices of what the compiler emitted as its adjoint and
// as its tangent, and compares them exactly in the typed inner product: each
// replica class of a replicated value is one vector, counted once.

#include "Cases.h"
#include "comm/IR/Comm.h"
#include "comm/InitAll.h"
#include "comm/Runner/Launch.h"
#include "comm/Transforms/DifferentiatePass.h"
#include "mlir/Parser/Parser.h"
#include "tools/comm-run/Compile.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace mlir::comm;
using runner::HostTensor;

namespace {

/// Divisible by every group size up to 8, so that avg is exact.
constexpr double kScale = 840;

/// A boundary value: its shape, and the replica classes of the ranks.
struct Boundary {
  std::vector<int64_t> shape;
  /// The axes over which it is replicated.
  std::vector<int64_t> replicatedAxes;
  int64_t numElements = 1;
  /// The class of every rank, numbered from 0, and a rank of every class.
  std::vector<int64_t> classOf, representative;

  Boundary(std::vector<int64_t> shape, std::vector<int64_t> replicatedAxes,
           const runtime::Mesh &mesh, int64_t numRanks)
      : shape(std::move(shape)), replicatedAxes(std::move(replicatedAxes)) {
    for (int64_t size : this->shape)
      numElements *= size;
    std::map<int64_t, int64_t> numbers;
    for (int64_t rank = 0; rank < numRanks; ++rank) {
      int64_t key = runner::getReplicaClass(mesh, this->replicatedAxes, rank);
      auto [entry, isNew] = numbers.try_emplace(key, numbers.size());
      classOf.push_back(entry->second);
      if (isNew)
        representative.push_back(rank);
    }
  }

  /// The length of the one vector that it is in the world.
  int64_t getDimension() const {
    return numElements * int64_t(representative.size());
  }
  std::vector<int64_t> getShape(int64_t columns) const {
    std::vector<int64_t> result = shape;
    result.push_back(columns);
    return result;
  }
  std::string getType(int64_t columns) const {
    std::string type = "tensor<";
    for (int64_t size : getShape(columns))
      type += std::to_string(size) + "x";
    return type + "f64>";
  }
  /// Column k of a rank's tensor is the rank's part of basis vector k.
  HostTensor makeBasis(int64_t rank, int64_t columns) const {
    HostTensor tensor(COMM_F64, getShape(columns));
    for (int64_t element = 0; element < numElements; ++element)
      tensor.setDouble(
          element * columns + classOf[rank] * numElements + element, kScale);
    return tensor;
  }
};

std::string replaceAll(std::string text, const std::string &word,
                       const std::string &by) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;
       at += by.size())
    text.replace(at, word.size(), by);
  return text;
}

/// A case on a mesh.
struct Program {
  Case description;
  Boundary argument, result;
  int64_t columns;
  std::string name, axes;

  Program(Case c, std::string name, const runtime::Mesh &mesh, int64_t numRanks)
      : description(std::move(c)),
        argument(description.shape,
                 description.isArgumentMarked ? description.axes
                                              : std::vector<int64_t>(),
                 mesh, numRanks),
        result(description.resultShape,
               description.isResultMarked ? description.axes
                                          : std::vector<int64_t>(),
               mesh, numRanks),
        columns(std::max(argument.getDimension(), result.getDimension())),
        name(std::move(name)) {
    for (int64_t axis : description.axes)
      axes += (axes.empty() ? "" : ", ") + ("\"" + mesh[axis].name + "\"");
    axes = "@mesh[" + axes + "]";
  }

  std::string getText() const {
    std::string mark = " {comm.replicated = #comm.axes<" + axes + ">}";
    std::string body = replaceAll(description.body, "OVER", "over " + axes);
    body = replaceAll(body, "IN", argument.getType(columns));
    body = replaceAll(body, "OUT", result.getType(columns));
    return "func.func @" + name + "(%x: " + argument.getType(columns) +
           (description.isArgumentMarked ? mark : "") + ") -> (" +
           result.getType(columns) + (description.isResultMarked ? mark : "") +
           ") {\n" + body + "\nreturn %y : " + result.getType(columns) +
           "\n}\n";
  }

  /// Of @case_vjp, or @case_jvp.
  runner::FunctionSignature getSignature(const runtime::Mesh &mesh,
                                         bool isForward) const {
    auto info = [&](const Boundary &boundary) {
      runner::ValueInfo value;
      value.type = COMM_F64;
      value.shape = boundary.getShape(columns);
      return value;
    };
    const Boundary &seed = isForward ? argument : result;
    const Boundary &derivative = isForward ? result : argument;
    return {name + (isForward ? "_jvp" : "_vjp"),
            mesh,
            {info(argument), info(seed)},
            {info(result), info(derivative)}};
  }
};

/// What a rank holds where an op is not linear: with ties, a zero and signs.
double getFixedPoint(int64_t rank, int64_t element) {
  return double((rank * 7 + element * 3) % 5) - 1;
}

runtime::Mesh makeMesh(const std::vector<int64_t> &sizes) {
  runtime::Mesh mesh;
  for (size_t axis = 0; axis < sizes.size(); ++axis)
    mesh.push_back({std::string(1, char('a' + axis)), sizes[axis]});
  return mesh;
}

class Transposition : public testing::TestWithParam<std::vector<int64_t>> {
protected:
  Transposition() : mesh(makeMesh(GetParam())) {
    for (const runtime::MeshAxis &axis : mesh)
      numRanks *= axis.size;
    DialectRegistry registry;
    comm::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.getOrLoadDialect<CommDialect>();
  }

  /// Every list of distinct axes of the mesh, in every order.
  std::vector<std::vector<int64_t>> getAxisLists() const {
    if (mesh.size() == 1)
      return {{0}};
    return {{0}, {1}, {0, 1}, {1, 0}};
  }

  std::vector<Program> makePrograms() const {
    std::vector<Program> programs;
    for (const std::vector<int64_t> &axes : getAxisLists()) {
      int64_t n = 1;
      for (int64_t axis : axes)
        n *= mesh[axis].size;
      for (Case &c : makeCases(axes, n))
        programs.emplace_back(std::move(c),
                              "case" + std::to_string(programs.size()), mesh,
                              numRanks);
    }
    return programs;
  }

  OwningOpRef<ModuleOp> differentiate(const std::vector<Program> &programs) {
    std::string text = "comm.mesh @mesh [";
    for (const runtime::MeshAxis &axis : mesh)
      text += (&axis == &mesh.front() ? "" : ", ") + axis.name + " = " +
              std::to_string(axis.size);
    text += "]\n";
    for (const Program &program : programs)
      text += program.getText();
    auto module = parseSourceString<ModuleOp>(text, &context, "cases.mlir");
    if (!module)
      return nullptr;
    // An unmarked result of a reduction is meant as each rank's own here.
    ScopedDiagnosticHandler quiet(&context, [](Diagnostic &diagnostic) {
      return success(diagnostic.getSeverity() == DiagnosticSeverity::Warning);
    });
    CommDifferentiator differentiator(*module);
    for (const Program &program : programs) {
      auto function = module->lookupSymbol<func::FuncOp>(program.name);
      if (failed(differentiator.getVjp(function)) ||
          failed(differentiator.getJvp(function)))
        return nullptr;
    }
    for (auto function :
         llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
      if (!function.getName().ends_with("_vjp") &&
          !function.getName().ends_with("_jvp"))
        function.erase();
    return module;
  }

  /// Runs @case_vjp once: [rank] -> {y, x̄}; or @case_jvp: [rank] -> {y, ẏ}.
  runner::RankValues run(const Program &program,
                         runner::PackedFunction function,
                         bool isForward) const {
    runner::RankValues inputs(numRanks);
    for (int64_t rank = 0; rank < numRanks; ++rank) {
      HostTensor x = program.argument.makeBasis(rank, program.columns);
      if (program.description.derivative)
        for (int64_t i = 0; i < x.getElementCount(); ++i)
          x.setDouble(i, getFixedPoint(rank, i / program.columns));
      const Boundary &seed = isForward ? program.argument : program.result;
      inputs[rank] = {std::move(x), seed.makeBasis(rank, program.columns)};
    }
    runner::Launch launch =
        runner::launch(function, program.getSignature(mesh, isForward), inputs,
                       runner::LaunchOptions());
    EXPECT_FALSE(launch.failure) << launch.failure->message;
    return std::move(launch.results);
  }

  /// All replicas of a class hold the same.
  void expectReplicasAgree(const runner::RankValues &results, unsigned value,
                           const Boundary &boundary) const {
    for (int64_t rank = 0; rank < numRanks; ++rank) {
      int64_t other = boundary.representative[boundary.classOf[rank]];
      EXPECT_TRUE(results[rank][value].isIdenticalTo(results[other][value]))
          << "ranks " << rank << " and " << other << " disagree";
    }
  }

  /// The derivative of `element` of the result on rank `to` by the operand on
  /// rank `from`, by definition.
  double getDerivative(const Case &c, int64_t to, int64_t from,
                       int64_t element) const {
    auto groupOf = [&](int64_t rank) {
      return runner::getReplicaClass(mesh, c.axes, rank);
    };
    if (groupOf(to) != groupOf(from))
      return 0;
    std::vector<double> held;
    size_t index = 0;
    for (int64_t rank = 0; rank < numRanks; ++rank) {
      if (groupOf(rank) != groupOf(from))
        continue;
      if (rank == from)
        index = held.size();
      held.push_back(getFixedPoint(rank, element));
    }
    return c.derivative(held, index);
  }

  /// A[output, input] = Aᵀ[input, output], to the bit, and the matrix of the
  /// tangent is A.
  void expectTransposed(const Program &program,
                        const runner::RankValues &results,
                        const runner::RankValues &tangents) const {
    const Boundary &in = program.argument, &out = program.result;
    expectReplicasAgree(results, 0, out);
    expectReplicasAgree(results, 1, in);
    expectReplicasAgree(tangents, 1, out);
    for (size_t outClass = 0; outClass < out.representative.size(); ++outClass)
      for (size_t inClass = 0; inClass < in.representative.size(); ++inClass)
        for (int64_t o = 0; o < out.numElements; ++o)
          for (int64_t i = 0; i < in.numElements; ++i) {
            int64_t to = out.representative[outClass];
            int64_t from = in.representative[inClass];
            double forward = results[to][0].getDouble(
                o * program.columns + inClass * in.numElements + i);
            if (program.description.derivative)
              forward = o == i ? kScale * getDerivative(program.description, to,
                                                        from, o)
                               : 0;
            double backward = results[from][1].getDouble(
                i * program.columns + outClass * out.numElements + o);
            ASSERT_EQ(forward, backward)
                << program.getText() << "element " << o << " of rank " << to
                << " by element " << i << " of rank " << from;
            double tangent = tangents[to][1].getDouble(
                o * program.columns + inClass * in.numElements + i);
            ASSERT_EQ(tangent, backward)
                << program.getText() << "tangent of element " << o
                << " of rank " << to << " by element " << i << " of rank "
                << from;
          }
  }

  runtime::Mesh mesh;
  int64_t numRanks = 1;
  MLIRContext context;
};

} // namespace

TEST_P(Transposition, EveryCollective) {
  std::vector<Program> programs = makePrograms();
  OwningOpRef<ModuleOp> module = differentiate(programs);
  ASSERT_TRUE(module);
  auto compiled = runner::CompiledModule::create(*module);
  ASSERT_TRUE(bool(compiled)) << compiled.getFailure().message;
  for (const Program &program : programs) {
    SCOPED_TRACE(program.getText());
    runner::RankValues results[2];
    for (bool isForward : {false, true}) {
      auto function =
          compiled->lookup(program.name + (isForward ? "_jvp" : "_vjp"));
      ASSERT_TRUE(bool(function)) << function.getFailure().message;
      results[isForward] = run(program, *function, isForward);
      ASSERT_FALSE(results[isForward].empty());
    }
    expectTransposed(program, results[0], results[1]);
    if (HasFatalFailure())
      return;
  }
}

/// A collective that is not in the cases fails here.
TEST_P(Transposition, KnowsEveryRegisteredCollective) {
  std::set<std::string> known;
  for (const Program &program : makePrograms())
    known.insert(program.description.ops.begin(),
                 program.description.ops.end());
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.hasInterface<CollectiveOpInterface>() && numRanks > 1) {
      EXPECT_TRUE(known.count(name.getStringRef().str()))
          << name.getStringRef().str() << " has no case";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Meshes, Transposition,
    testing::Values(std::vector<int64_t>{1}, std::vector<int64_t>{2},
                    std::vector<int64_t>{3}, std::vector<int64_t>{4},
                    std::vector<int64_t>{6}, std::vector<int64_t>{8},
                    std::vector<int64_t>{2, 2}, std::vector<int64_t>{2, 3},
                    std::vector<int64_t>{4, 2}),
    [](const testing::TestParamInfo<std::vector<int64_t>> &info) {
      std::string name = "Mesh";
      for (int64_t size : info.param)
        name += "_" + std::to_string(size);
      return name;
    });
