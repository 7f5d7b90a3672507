//===- LoadProgram.cpp - The function to run, from its text ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadProgram.h"

#include "ValueNames.h"
#include "comm/IR/Comm.h"
#include "comm/Runner/ChooseFunction.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

//===----------------------------------------------------------------------===//
// The choice of the function
//===----------------------------------------------------------------------===//

static std::vector<NamedFunction> getFunctions(ModuleOp module) {
  std::vector<NamedFunction> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      functions.push_back({function.getName().str(), function.isPublic()});
  return functions;
}

static Result<func::FuncOp> findFunction(ModuleOp module, StringRef name) {
  name.consume_front("@");
  if (auto function = module.lookupSymbol<func::FuncOp>(name);
      function && function.isExternal())
    return usageFailure("'@" + name.str() + "' has no body");
  Result<std::string> chosen =
      chooseFunction(getFunctions(module), name.str(), "the module");
  if (!chosen)
    return chosen.getFailure();
  return module.lookupSymbol<func::FuncOp>(*chosen);
}

//===----------------------------------------------------------------------===//
// Its signature
//===----------------------------------------------------------------------===//

static std::optional<CommDataType> getDataType(Type type) {
  if (type.isF16())
    return COMM_F16;
  if (type.isBF16())
    return COMM_BF16;
  if (type.isF32())
    return COMM_F32;
  if (type.isF64())
    return COMM_F64;
  if (type.isIndex())
    return COMM_I64;
  for (auto [width, integer] :
       {std::pair(1, COMM_I1), std::pair(8, COMM_I8), std::pair(16, COMM_I16),
        std::pair(32, COMM_I32), std::pair(64, COMM_I64)})
    if (type.isSignlessInteger(width))
      return integer;
  return std::nullopt;
}

namespace {

/// Describes the values at the boundary of one function.
class SignatureBuilder {
public:
  SignatureBuilder(func::FuncOp function, MeshOp mesh)
      : function(function), mesh(mesh) {}

  FailureOr<ValueInfo> describe(Type type, Location loc, const Twine &what,
                                Attribute mark) {
    ValueInfo info;
    Type element = type;
    info.isScalar = true;
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && !tensor.getEncoding()) {
      info.isScalar = false;
      element = tensor.getElementType();
      for (int64_t size : tensor.getShape())
        info.shape.push_back(ShapedType::isDynamic(size) ? kDynamic : size);
    }
    std::optional<CommDataType> dataType = getDataType(element);
    if (!dataType)
      return emitError(loc)
             << what << " of '@" << function.getName() << "' has type " << type
             << ": expected a scalar or ranked tensor of f16, bf16, f32, f64, "
                "i1, i8, i16, i32, i64 or index";
    info.type = *dataType;
    if (auto axes = dyn_cast_or_null<AxesAttr>(mark))
      for (StringAttr axis : axes.getAxes())
        if (mesh)
          if (std::optional<unsigned> position = mesh.getAxisPosition(axis))
            info.replicatedAxes.push_back(*position);
    return info;
  }

private:
  func::FuncOp function;
  MeshOp mesh;
};

} // namespace

static FailureOr<FunctionSignature> getSignature(func::FuncOp function,
                                                 const llvm::SourceMgr &text) {
  FunctionSignature signature;
  signature.name = function.getName().str();
  auto module = function->getParentOfType<ModuleOp>();
  MeshOp mesh;
  for (auto op : module.getOps<MeshOp>())
    mesh = op;
  if (mesh)
    for (auto [name, size] :
         llvm::zip(mesh.getAxisNames().getAsValueRange<StringAttr>(),
                   mesh.getAxisSizes()))
      signature.mesh.push_back({name.str(), size});

  SignatureBuilder builder(function, mesh);
  std::vector<std::string> argumentNames = getArgumentNames(function, text);
  std::vector<std::string> resultNames = getResultNames(function, text);
  bool ok = true;
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    FailureOr<ValueInfo> info = builder.describe(
        argument.getType(), argument.getLoc(), "argument " + Twine(number),
        function.getArgAttr(number, kReplicatedAttrName));
    ok &= succeeded(info);
    if (failed(info))
      continue;
    info->name = argumentNames[number];
    signature.arguments.push_back(*info);
  }
  for (auto [number, type] : llvm::enumerate(function.getResultTypes())) {
    FailureOr<ValueInfo> info =
        builder.describe(type, function.getLoc(), "result " + Twine(number),
                         function.getResultAttr(number, kReplicatedAttrName));
    ok &= succeeded(info);
    if (failed(info))
      continue;
    info->name = resultNames[number];
    signature.results.push_back(*info);
  }
  if (!ok)
    return failure();
  return signature;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

LogicalResult comm::runner::keepOnly(ModuleOp module,
                                     ArrayRef<func::FuncOp> functions) {
  for (auto function : module.getOps<func::FuncOp>())
    function.setVisibility(llvm::is_contained(functions, function)
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  PassManager manager(module.getContext());
  manager.addPass(createSymbolDCEPass());
  return manager.run(module);
}

/// The functions called `names`; where there are none, all public ones.
static Result<std::vector<func::FuncOp>>
findFunctions(ModuleOp module, const std::vector<std::string> &names,
              bool derivatives) {
  std::vector<func::FuncOp> functions;
  for (const std::string &name : names) {
    Result<func::FuncOp> function = findFunction(module, name);
    if (!function)
      return function.getFailure();
    if (!llvm::is_contained(functions, *function))
      functions.push_back(*function);
  }
  if (!names.empty())
    return functions;
  std::vector<NamedFunction> known = getFunctions(module);
  for (const NamedFunction &function : known)
    if (function.isPublic &&
        (derivatives || !isDerivativeName(function.name, known)))
      functions.push_back(module.lookupSymbol<func::FuncOp>(function.name));
  if (functions.empty())
    return usageFailure("the module has no public function");
  return functions;
}

Result<Library> comm::runner::loadLibrary(MLIRContext *context,
                                          const llvm::SourceMgr &text,
                                          const std::vector<std::string> &names,
                                          bool derivatives) {
  const Failure refused{ExitCode::Compile, ""};
  Library library;
  library.module = parseSourceFile<ModuleOp>(text, ParserConfig(context));
  if (!library.module)
    return refused;
  Result<std::vector<func::FuncOp>> functions =
      findFunctions(*library.module, names, derivatives);
  if (!functions)
    return functions.getFailure();
  bool ok = true;
  for (func::FuncOp function : *functions) {
    FailureOr<FunctionSignature> signature = getSignature(function, text);
    ok &= succeeded(signature);
    if (ok)
      library.functions.push_back(std::move(*signature));
  }
  if (!ok || failed(keepOnly(*library.module, *functions)))
    return refused;
  return library;
}

Result<Program> comm::runner::loadProgram(MLIRContext *context,
                                          const llvm::SourceMgr &text,
                                          StringRef name) {
  const Failure refused{ExitCode::Compile, ""};
  Program program;
  program.module = parseSourceFile<ModuleOp>(text, ParserConfig(context));
  if (!program.module)
    return refused;
  Result<func::FuncOp> function = findFunction(*program.module, name);
  if (!function)
    return function.getFailure();
  FailureOr<FunctionSignature> signature = getSignature(*function, text);
  if (failed(signature))
    return refused;
  program.signature = std::move(*signature);
  if (MaybeFailure failure = checkNumRanks(program.signature))
    return *failure;
  if (failed(keepOnly(*program.module, *function)))
    return refused;
  return program;
}
