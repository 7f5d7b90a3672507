//===- GroupMessages.cpp - Neighbouring messages, at once -----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "comm/Conversion/Passes.h"
#include "comm/IR/Comm.h"
#include "mlir/Analysis/AliasAnalysis/LocalAliasAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <limits>

namespace mlir::comm {
#define GEN_PASS_DEF_GROUPMESSAGES
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

namespace {

/// The bytes of an allocation or an argument that a message reads or writes;
/// all of them where it is not known which.
struct Span {
  Value base;
  int64_t begin, end;
  bool isWritten;
};

/// Messages that follow one another.
class Run {
public:
  /// Takes the next message, unless it has to do with the memory of another.
  bool add(Operation *message);
  /// Takes what stands behind the last message, if that does not matter to
  /// those that come after it.
  bool pass(Operation *op);
  void close();

private:
  bool meets(const Span &a, const Span &b);

  SmallVector<Operation *> messages;
  SmallVector<Span> spans;
  /// What stands behind the last message; what is to stand behind the run.
  SmallVector<Operation *> passed, freed;
  DenseMap<std::pair<Value, Value>, bool> areSeparate;
};

} // namespace

static Span getSpan(Operation *message) {
  auto send = dyn_cast<SendOp>(message);
  Value base = send ? send.getInput() : cast<RecvOp>(message).getDest();
  Span span{base, 0, std::numeric_limits<int64_t>::max(), !send};
  while (auto view = span.base.getDefiningOp<ViewLikeOpInterface>()) {
    span.base = view.getViewSource();
    span.begin = 0;
    span.end = std::numeric_limits<int64_t>::max();
    // A place in a frame, if that is no view itself.
    auto place = dyn_cast<memref::ViewOp>(view.getOperation());
    if (!place || !place.getType().hasStaticShape())
      continue;
    if (auto shift = getConstantIntValue(place.getByteShift())) {
      span.begin = *shift;
      span.end = *shift + place.getType().getNumElements() *
                              getElementBytes(place.getType().getElementType());
    }
  }
  return span;
}

/// Whether the memory was there before the allocation, and so is none of it:
/// both are alive while the run's messages are.
static bool isOlder(Value memory, Value alloc) {
  if (!alloc.getDefiningOp<memref::AllocOp>())
    return false;
  Operation *later =
      memory.getParentBlock()->findAncestorOpInBlock(*alloc.getDefiningOp());
  Operation *op = memory.getDefiningOp();
  return later && (!op || (op != later && op->isBeforeInBlock(later)));
}

bool Run::meets(const Span &a, const Span &b) {
  if (!a.isWritten && !b.isWritten)
    return false;
  if (a.base == b.base)
    return a.begin < b.end && b.begin < a.end;
  if (isOlder(a.base, b.base) || isOlder(b.base, a.base))
    return false;
  auto [known, isNew] = areSeparate.try_emplace({a.base, b.base});
  if (isNew)
    known->second = LocalAliasAnalysis().alias(a.base, b.base).isNo();
  return !known->second;
}

bool Run::add(Operation *message) {
  Span span = getSpan(message);
  if (llvm::any_of(spans,
                   [&](const Span &other) { return meets(other, span); }))
    return false;
  for (Operation *op : passed) {
    if (isa<memref::DeallocOp>(op))
      freed.push_back(op);
    else
      op->moveBefore(messages.front());
  }
  passed.clear();
  messages.push_back(message);
  spans.push_back(span);
  return true;
}

bool Run::pass(Operation *op) {
  if (messages.empty())
    return true;
  bool isMemory = isa<memref::AllocOp, memref::DeallocOp>(op);
  if (!isMemory && (op->getNumRegions() != 0 || !isPure(op)))
    return false;
  passed.push_back(op);
  return true;
}

/// Whether each message is sent and received here.
static bool isClosed(ArrayRef<Operation *> messages) {
  DenseSet<Operation *> sends;
  for (Operation *op : messages) {
    auto recv = dyn_cast<RecvOp>(op);
    if (recv ? !sends.erase(recv.getSend()) : !sends.insert(op).second)
      return false;
  }
  return sends.empty();
}

static AxesAttr getAxes(Operation *message) {
  return cast<CollectiveOpInterface>(message).getGroup();
}

static void mark(ArrayRef<Operation *> group) {
  if (group.size() < 2)
    return;
  auto unit = UnitAttr::get(group.front()->getContext());
  group.front()->setAttr(kGroupStartAttrName, unit);
  group.back()->setAttr(kGroupEndAttrName, unit);
}

void Run::close() {
  for (Operation *op : llvm::reverse(freed))
    op->moveAfter(messages.back());
  // NCCL serves one communicator of a group after another: a message of the
  // first whose other end comes later may wait for a rank that waits for the
  // second.
  ArrayRef<Operation *> rest = messages;
  bool isWhole = isClosed(rest);
  while (!rest.empty()) {
    size_t size = isWhole ? rest.size() : 1;
    while (size < rest.size() && getAxes(rest[size]) == getAxes(rest[0]))
      ++size;
    mark(rest.take_front(size));
    rest = rest.drop_front(size);
  }
  *this = Run();
}

static void groupMessages(Block &block) {
  Run run;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<SendOp, RecvOp>(op)) {
      if (!run.add(&op)) {
        run.close();
        run.add(&op);
      }
    } else if (!run.pass(&op)) {
      run.close();
    }
  }
  run.close();
}

namespace {
struct GroupMessages : comm::impl::GroupMessagesBase<GroupMessages> {
  void runOnOperation() override {
    getOperation().walk([](Block *block) { groupMessages(*block); });
  }
};
} // namespace
