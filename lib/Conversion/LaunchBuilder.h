//===- LaunchBuilder.h - Builds the kernel of one op ------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_LAUNCHBUILDER_H
#define COMM_LIB_CONVERSION_LAUNCHBUILDER_H

#include "LaunchLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::comm {

/// Threads of a block: enough to hide the latency of memory, few enough for
/// several blocks on a multiprocessor.
constexpr int64_t kMostThreads = 256;
constexpr int64_t kWarp = 32;
/// Fewer results than this leave most of a device idle, if a block reduces
/// each.
constexpr int64_t kFewResults = 32;
/// From so many elements for each on, more blocks share the work; at most so
/// many.
constexpr int64_t kManyParts = 1 << 15;
constexpr int64_t kMostParts = 128;

/// The iterations of `loops` together, where they are known.
int64_t multiplyStatic(ArrayRef<int64_t> sizes, ArrayRef<unsigned> loops);

/// What `combiner` changes no number by, of any type.
std::optional<TypedAttr> getNeutralElement(Operation *combiner);

/// See createLaunches. The code of a thread for each element is in
/// LaunchLoops.cpp, that of a block for each in LaunchBlocks.cpp.
class LaunchBuilder {
public:
  LaunchBuilder(OpBuilder &builder, linalg::GenericOp op,
                ArrayRef<Value> initial);
  SmallVector<gpu::LaunchOp> create(bool mayAllocate);

private:
  // What the op is.
  bool findCombiners();
  bool reducesNeighbours();
  bool shouldReduceByBlock();

  // Numbers outside of the launch.
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value multiply(ArrayRef<unsigned> loops);
  gpu::LaunchOp launch(Value blocks, int64_t threads, TypeRange shared);

  // Code of a thread.
  void split(Value linear, ArrayRef<unsigned> loops);
  SmallVector<Value> getIndices(OpOperand &operand);
  Value load(OpOperand &operand);
  void store(ValueRange values);
  SmallVector<Value> runBody(ValueRange outputs);
  SmallVector<Value> combine(ValueRange a, ValueRange b);
  SmallVector<Value> loadOutputs();
  void computeElement(Value linear, Value end);
  SmallVector<Value> reduce(unsigned position, ValueRange outputs);
  gpu::LaunchOp createThreadPerElement();
  SmallVector<gpu::LaunchOp> createBlocksPerElement(int64_t parts);
  int64_t getNumParts();
  linalg::GenericOp reduceParts(ValueRange memory);
  gpu::LaunchOp createBlocks(int64_t parts, ValueRange memory);
  void reduceShared(gpu::LaunchOp launch, ValueRange partial,
                    function_ref<void(ValueRange)> storeAll);

  OpBuilder &builder;
  linalg::GenericOp op;
  ArrayRef<Value> initial;
  Location loc;
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> sizes;
  SmallVector<unsigned> parallel, reduced;
  /// The op of the body that combines each result with what was there.
  SmallVector<Operation *> combiners;
  /// The iteration that the code at the builder's place computes.
  SmallVector<Value> indices;
};

} // namespace mlir::comm

#endif // COMM_LIB_CONVERSION_LAUNCHBUILDER_H
