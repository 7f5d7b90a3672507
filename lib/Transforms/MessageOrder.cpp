//===- MessageOrder.cpp - Refuses messages that block each other ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Analysis/ReplicationAnalysis.h"
#include "comm/IR/Comm.h"
#include "comm/Transforms/MaterializeReplication.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <set>

using namespace mlir;
using namespace mlir::comm;

namespace {
/// A place in program order where ranks wait for each other: a collective, one
/// end of a message, or a call that holds some.
struct Line {
  enum class Kind { Collective, Send, Recv, Call };

  Operation *op;
  Kind kind;
  /// The axes of the group, in the order written.
  SmallVector<unsigned> group;
  /// The line of the message's send; of a collective, its own.
  unsigned node;
};

/// One line as one group of ranks executes it; both ends of a message are one.
struct Node {
  /// The ends of edges: the node that a rank reaches after this one.
  struct Edge {
    unsigned to;
    unsigned rank;
    /// Where the rank waits: its own end of a message.
    unsigned line;
  };
  SmallVector<Edge, 2> edges;
  unsigned numPredecessors = 0;
};

/// The lines of a function, and the search for a cycle among them.
class MessageOrder {
public:
  /// With `adjoints`, what moves nothing but whose adjoint does is a line too.
  MessageOrder(const ReplicationAnalysis &analysis, bool adjoints)
      : analysis(analysis), axes(analysis.getMeshAxes()), adjoints(adjoints) {}

  /// Fails where there is a cycle, with errors if it is to `report` them.
  LogicalResult verify(bool report);

private:
  void addLine(Operation *op, Line::Kind kind, ArrayRef<unsigned> group,
               unsigned node);
  void collect(Region &region, bool expandCalls);
  SmallVector<unsigned> getGroup(AxesAttrInterface axesAttr);
  SmallVector<std::pair<unsigned, unsigned>> findClusters();
  LogicalResult verifyCluster(unsigned begin, unsigned end, bool report);
  unsigned getCoordinate(ArrayRef<unsigned> group, unsigned member,
                         unsigned axis);
  InFlightDiagnostic reportCycle(ArrayRef<Node> nodes);
  std::string formatRank(unsigned rank);

  const ReplicationAnalysis &analysis;
  const MeshAxes &axes;
  bool adjoints;
  SmallVector<Line> lines;
  /// The functions whose lines are being collected.
  SmallVector<Operation *> stack;

  /// The ranks that stand for all: the coordinates that matter along each axis.
  SmallVector<SmallVector<unsigned>> coordinates;
  SmallVector<SmallVector<unsigned>> ranks;
};
} // namespace

SmallVector<unsigned> MessageOrder::getGroup(AxesAttrInterface axesAttr) {
  SmallVector<unsigned> group;
  MeshOpInterface mesh = axes.getMesh();
  for (StringAttr name : axesAttr.getAxes())
    for (auto [axis, known] : llvm::enumerate(mesh.getAxisNames()))
      if (known == name)
        group.push_back(axis);
  return group;
}

void MessageOrder::addLine(Operation *op, Line::Kind kind,
                           ArrayRef<unsigned> group, unsigned node) {
  lines.push_back({op, kind, SmallVector<unsigned>(group), node});
}

/// Collects the lines of a region, regions of control flow in the order in
/// which they stand. A call is one line, or, with `expandCalls`, those of the
/// function.
void MessageOrder::collect(Region &region, bool expandCalls) {
  DenseMap<Operation *, unsigned> sends;
  for (Operation &op : region.getOps()) {
    unsigned next = lines.size();
    if (auto send = dyn_cast<SendOp>(op)) {
      sends[send] = next;
      addLine(send, Line::Kind::Send, getGroup(send.getGroupAxes()), next);
    } else if (auto recv = dyn_cast<RecvOp>(op)) {
      addLine(recv, Line::Kind::Recv, getGroup(recv.getGroupAxes()),
              sends.lookup(recv.getSend()));
    } else if (auto group = dyn_cast<ReplicationOpInterface>(op)) {
      // A change of state moves nothing, but its adjoint does.
      bool moves =
          group.getWantedState() != WantedState::Replicated ||
          (adjoints && llvm::any_of(op.getResultTypes(), isDifferentiable));
      if (group.isSynchronizing() && moves)
        addLine(&op, Line::Kind::Collective, getGroup(group.getGroupAxes()),
                next);
    } else if (FunctionOpInterface callee =
                   analysis.getFacts().getCalledFunction(&op)) {
      HeldGroups held = analysis.getFacts().getHeldGroups(callee);
      if (!held.op)
        continue;
      if (expandCalls && isa<CallOpInterface>(op) && !callee.isDeclaration() &&
          !llvm::is_contained(stack, callee.getOperation())) {
        stack.push_back(callee);
        collect(callee.getFunctionBody(), expandCalls);
        stack.pop_back();
        continue;
      }
      // What stands for a call (a derivative) waits for all of these ranks.
      SmallVector<unsigned> group;
      for (unsigned axis = 0; axis < ReplicationState::kMaxAxes; ++axis)
        if (held.axes.variesOver(axis))
          group.push_back(axis);
      addLine(&op, Line::Kind::Call, group, next);
    }
    for (Region &nested : op.getRegions())
      if (!nested.empty())
        collect(nested, expandCalls);
  }
}

/// The coordinate along `axis` of a member of a group, which is numbered
/// row-major in the order in which the axes are written.
unsigned MessageOrder::getCoordinate(ArrayRef<unsigned> group, unsigned member,
                                     unsigned axis) {
  MeshOpInterface mesh = axes.getMesh();
  for (unsigned last : llvm::reverse(group)) {
    unsigned size = mesh.getAxisSizes()[last];
    if (last == axis)
      return member % size;
    member /= size;
  }
  return 0;
}

/// The members at the two ends of a message.
static std::pair<unsigned, unsigned> getEnds(const Line &send) {
  auto op = cast<SendOp>(send.op);
  return {op.getFrom(), op.getTo()};
}

/// Searches a run of overlapping messages and what lies between for a cycle.
/// Ranks that no message names behave alike, so one of them stands for
/// all: the number of ranks does not matter, only that of the messages.
LogicalResult MessageOrder::verifyCluster(unsigned begin, unsigned end,
                                          bool report) {
  MeshOpInterface mesh = axes.getMesh();
  unsigned numAxes = mesh.getAxisSizes().size();
  SmallVector<std::set<unsigned>> used(numAxes);
  std::set<unsigned> named;
  for (const Line &line : ArrayRef<Line>(lines).slice(begin, end - begin)) {
    named.insert(line.group.begin(), line.group.end());
    if (line.kind != Line::Kind::Send)
      continue;
    auto [from, to] = getEnds(line);
    for (unsigned axis : line.group) {
      used[axis].insert(getCoordinate(line.group, from, axis));
      used[axis].insert(getCoordinate(line.group, to, axis));
    }
  }
  coordinates.assign(numAxes, {});
  ranks.assign(1, SmallVector<unsigned>(numAxes, 0));
  for (unsigned axis : named) {
    unsigned other = 0;
    while (used[axis].count(other))
      ++other;
    if (other < mesh.getAxisSizes()[axis])
      used[axis].insert(other);
    SmallVector<SmallVector<unsigned>> extended;
    for (const SmallVector<unsigned> &rank : ranks)
      for (unsigned coordinate : used[axis]) {
        extended.push_back(rank);
        extended.back()[axis] = coordinate;
      }
    ranks = std::move(extended);
  }

  // A node is a line and the coordinates outside of its group.
  std::map<std::pair<unsigned, SmallVector<unsigned>>, unsigned> numbers;
  SmallVector<Node> nodes;
  for (auto [number, rank] : llvm::enumerate(ranks)) {
    std::optional<Node::Edge> last;
    for (unsigned position = begin; position < end; ++position) {
      const Line &line = lines[position];
      bool isSend = line.kind == Line::Kind::Send;
      if (isSend || line.kind == Line::Kind::Recv) {
        auto [from, to] = getEnds(lines[line.node]);
        if (llvm::any_of(line.group, [&, from = from, to = to](unsigned axis) {
              return rank[axis] !=
                     getCoordinate(line.group, isSend ? from : to, axis);
            }))
          continue;
      }
      SmallVector<unsigned> outside(rank);
      for (unsigned axis : line.group)
        outside[axis] = 0;
      auto [entry, isNew] =
          numbers.try_emplace({line.node, outside}, nodes.size());
      if (isNew)
        nodes.emplace_back();
      if (last) {
        nodes[last->to].edges.push_back(
            {entry->second, unsigned(number), last->line});
        ++nodes[entry->second].numPredecessors;
      }
      last = {entry->second, unsigned(number), position};
    }
  }

  // What cannot be ordered lies on a cycle or after one.
  SmallVector<unsigned> ready;
  size_t numOrdered = 0;
  for (auto [number, node] : llvm::enumerate(nodes))
    if (node.numPredecessors == 0)
      ready.push_back(number);
  while (!ready.empty()) {
    ++numOrdered;
    unsigned number = ready.pop_back_val();
    for (const Node::Edge &edge : nodes[number].edges)
      if (--nodes[edge.to].numPredecessors == 0)
        ready.push_back(edge.to);
  }
  if (numOrdered == nodes.size())
    return success();
  return report ? LogicalResult(reportCycle(nodes)) : failure();
}

std::string MessageOrder::formatRank(unsigned rank) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  MeshOpInterface mesh = axes.getMesh();
  stream << "rank (";
  llvm::interleaveComma(
      llvm::enumerate(mesh.getAxisNames().getAsValueRange<StringAttr>()),
      stream, [&](auto axis) {
        stream << axis.value() << " = " << ranks[rank][axis.index()];
      });
  stream << ")";
  return text;
}

/// Reports a cycle among the nodes that could not be ordered.
InFlightDiagnostic MessageOrder::reportCycle(ArrayRef<Node> nodes) {
  // An edge into each of these nodes from another of them; following them
  // backwards ends in a cycle.
  std::map<unsigned, std::pair<unsigned, const Node::Edge *>> into;
  for (auto [number, node] : llvm::enumerate(nodes))
    if (node.numPredecessors != 0)
      for (const Node::Edge &edge : node.edges)
        if (nodes[edge.to].numPredecessors != 0)
          into.try_emplace(edge.to, number, &edge);
  llvm::SetVector<unsigned> path;
  unsigned current = into.begin()->first;
  while (path.insert(current))
    current = into.at(current).first;
  SmallVector<const Node::Edge *> cycle;
  for (unsigned number = current;;) {
    auto [previous, edge] = into.at(number);
    cycle.push_back(edge);
    number = previous;
    if (number == current)
      break;
  }
  // Begin at the line that stands first.
  std::reverse(cycle.begin(), cycle.end());
  auto first = std::min_element(cycle.begin(), cycle.end(),
                                [](const Node::Edge *a, const Node::Edge *b) {
                                  return a->line < b->line;
                                });
  std::rotate(cycle.begin(), first, cycle.end());

  InFlightDiagnostic diagnostic = lines[cycle.front()->line].op->emitError()
                                  << "deadlock: ranks wait for each other in "
                                     "a cycle of "
                                  << cycle.size() << " ops";
  for (const Node::Edge *edge : cycle) {
    const Line &line = lines[edge->line];
    diagnostic.attachNote(line.op->getLoc())
        << formatRank(edge->rank) << " waits in this '" << line.op->getName()
        << "' before it reaches the next one";
  }
  return diagnostic;
}

/// The runs of lines from a send to where no message is open any more, those of
/// a lone message excepted.
SmallVector<std::pair<unsigned, unsigned>> MessageOrder::findClusters() {
  SmallVector<std::pair<unsigned, unsigned>> clusters;
  unsigned begin = 0, open = 0;
  for (auto [position, line] : llvm::enumerate(lines)) {
    if (line.kind == Line::Kind::Send && open++ == 0)
      begin = position;
    if (line.kind == Line::Kind::Recv && --open == 0 && position - begin > 1)
      clusters.emplace_back(begin, position + 1);
  }
  return clusters;
}

/// recv_c3: receives of one channel stand in the order of their sends.
static LogicalResult verifyChannels(FunctionOpInterface function) {
  bool valid = true;
  function->walk([&](Block *block) {
    std::map<std::tuple<const void *, uint64_t, uint64_t>, RecvOp> latest;
    for (RecvOp recv : block->getOps<RecvOp>()) {
      SendOp send = recv.getSend();
      RecvOp &previous = latest[{send.getAxes().getAsOpaquePointer(),
                                 send.getFrom(), send.getTo()}];
      if (previous && send->isBeforeInBlock(previous.getSend())) {
        InFlightDiagnostic diagnostic =
            recv.emitOpError("takes a message of rank ")
            << (int64_t)send.getFrom() << " to rank " << (int64_t)send.getTo()
            << " out of order: receives of one channel stand in the order of "
               "their sends";
        diagnostic.attachNote(send.getLoc()) << "it was sent here";
        diagnostic.attachNote(previous.getSend().getLoc())
            << "a message that was sent later";
        diagnostic.attachNote(previous.getLoc()) << "is taken earlier";
        valid = false;
        continue;
      }
      previous = recv;
    }
  });
  return success(valid);
}

/// Every maximal run of overlapping messages is searched on its own: what lies
/// outside of all messages is ordered alike on all ranks.
LogicalResult MessageOrder::verify(bool report) {
  FunctionOpInterface function = analysis.getFunction();
  collect(function.getFunctionBody(), /*expandCalls=*/false);
  SmallVector<std::pair<unsigned, unsigned>> clusters = findClusters();
  bool hasCall = llvm::any_of(clusters, [&](auto cluster) {
    return llvm::any_of(
        ArrayRef<Line>(lines).slice(cluster.first,
                                    cluster.second - cluster.first),
        [](const Line &line) { return line.kind == Line::Kind::Call; });
  });
  if (hasCall) {
    lines.clear();
    collect(function.getFunctionBody(), /*expandCalls=*/true);
    clusters = findClusters();
  }
  bool valid = true;
  for (auto [begin, end] : clusters)
    valid &= succeeded(verifyCluster(begin, end, report));
  return success(valid);
}

LogicalResult comm::verifyMessageOrder(const ReplicationAnalysis &analysis) {
  if (failed(verifyChannels(analysis.getFunction())))
    return failure();
  return MessageOrder(analysis, /*adjoints=*/false).verify(/*report=*/true);
}

void comm::orderMessagesForAdjoint(const ReplicationAnalysis &analysis) {
  if (succeeded(
          MessageOrder(analysis, /*adjoints=*/true).verify(/*report=*/false)))
    return;
  // Where each message is taken right after it is sent, all ranks meet in the
  // order of the lines, whatever stands between.
  analysis.getFunction()->walk([](SendOp send) {
    auto recv = cast<RecvOp>(*send.getMessage().user_begin());
    if (!recv.getDest())
      recv->moveAfter(send);
  });
}
