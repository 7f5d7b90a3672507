//===- Npy.cpp - NumPy's array files --------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Npy.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

using namespace mlir::comm::runner;

namespace {

constexpr char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

struct Descriptor {
  std::string_view name;
  CommDataType type;
};
constexpr Descriptor descriptors[] = {
    {"<f2", COMM_F16}, {"<f4", COMM_F32}, {"<f8", COMM_F64}, {"|b1", COMM_I1},
    {"|i1", COMM_I8},  {"<i2", COMM_I16}, {"<i4", COMM_I32}, {"<i8", COMM_I64},
};

/// Reads the header's dictionary, a literal of Python with three known keys.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  std::string_view descriptor;
  bool fortranOrder = false;
  Shape shape;

  /// Whether the text is such a dictionary and nothing else.
  bool parse() {
    bool hasDescriptor = false, hasOrder = false, hasShape = false;
    if (!take('{'))
      return false;
    while (!take('}')) {
      std::string_view key;
      if (!parseString(key) || !take(':'))
        return false;
      if (key == "descr" && !hasDescriptor)
        hasDescriptor = parseString(descriptor);
      else if (key == "fortran_order" && !hasOrder)
        hasOrder = parseBool();
      else if (key == "shape" && !hasShape)
        hasShape = parseShape();
      else
        return false;
      if (!take(',') && peek() != '}')
        return false;
    }
    return hasDescriptor && hasOrder && hasShape && peek() == 0;
  }

private:
  char peek() {
    size_t start = text.find_first_not_of(" \n\t");
    text.remove_prefix(start == std::string_view::npos ? text.size() : start);
    return text.empty() ? 0 : text[0];
  }
  bool take(char expected) {
    bool found = peek() == expected;
    text.remove_prefix(found);
    return found;
  }
  bool parseString(std::string_view &value) {
    char quote = peek();
    size_t end = text.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos)
      return false;
    value = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return true;
  }
  bool parseBool() {
    peek();
    for (std::string_view word : {"True", "False"})
      if (text.substr(0, word.size()) == word) {
        fortranOrder = word == "True";
        text.remove_prefix(word.size());
        return true;
      }
    return false;
  }
  bool parseShape() {
    if (!take('('))
      return false;
    while (!take(')')) {
      int64_t size = 0;
      peek();
      auto result =
          std::from_chars(text.data(), text.data() + text.size(), size);
      if (result.ec != std::errc() || size < 0)
        return false;
      text.remove_prefix(result.ptr - text.data());
      shape.push_back(size);
      if (!take(',') && peek() != ')')
        return false;
    }
    return true;
  }

  std::string_view text;
};

/// Moves the column-major elements of `source` to row-major order.
HostTensor transposed(const HostTensor &source) {
  HostTensor target(source.getType(), source.getShape());
  const Shape &shape = source.getShape();
  int64_t bytes = getByteSize(source.getType());
  for (int64_t position = 0; position < target.getElementCount(); ++position) {
    Shape index = getIndex(shape, position);
    int64_t from = 0;
    for (size_t i = shape.size(); i-- > 0;)
      from = from * shape[i] + index[i];
    std::memcpy(target.getElement(position), source.getElement(from), bytes);
  }
  return target;
}

Result<HostTensor> readStream(std::istream &file, int64_t fileSize) {
  char start[8];
  if (!file.read(start, 8) || std::memcmp(start, magic, sizeof(magic)) != 0)
    return usageFailure("not a .npy file");
  int version = start[6];
  if (version < 1 || version > 3)
    return usageFailure("version " + std::to_string(version) +
                        " of the .npy format is not supported");
  int64_t lengthBytes = version == 1 ? 2 : 4, length = 0;
  unsigned char digits[4];
  if (!file.read(reinterpret_cast<char *>(digits), lengthBytes))
    return usageFailure("truncated in the header");
  for (int64_t i = lengthBytes; i-- > 0;)
    length = length << 8 | digits[i];
  int64_t remaining = fileSize - 8 - lengthBytes - length;
  if (remaining < 0)
    return usageFailure("truncated in the header");
  std::string header(length, 0);
  file.read(header.data(), length);
  HeaderParser parser(header);
  if (!parser.parse())
    return usageFailure("malformed .npy header");

  const Descriptor *found = nullptr;
  for (const Descriptor &descriptor : descriptors)
    if (descriptor.name == parser.descriptor)
      found = &descriptor;
  if (!found)
    return usageFailure("element type '" + std::string(parser.descriptor) +
                        "' is not supported: expected little-endian f2, f4, "
                        "f8, i1, i2, i4, i8 or b1");
  std::optional<int64_t> count = getElementCount(parser.shape);
  if (!count || *count * getByteSize(found->type) != remaining)
    return usageFailure(
        "holds " + std::to_string(remaining) + " bytes of data, and its type " +
        formatType(found->type, parser.shape) + " needs " +
        (count ? std::to_string(*count * getByteSize(found->type))
               : "more than memory can hold"));
  HostTensor tensor(found->type, parser.shape);
  if (!file.read(static_cast<char *>(tensor.getData()), remaining))
    return usageFailure("cannot be read to its end");
  // A bool has one bit here, whatever byte the writer took for true.
  if (found->type == COMM_I1)
    for (int64_t i = 0; i < *count; ++i)
      tensor.setInt64(i, *static_cast<char *>(tensor.getElement(i)) != 0);
  return parser.fortranOrder ? transposed(tensor) : std::move(tensor);
}

} // namespace

Result<HostTensor> mlir::comm::runner::readNpy(const std::string &path) {
  std::error_code error;
  uintmax_t size = std::filesystem::file_size(path, error);
  if (error)
    return usageFailure("cannot read '" + path + "': " + error.message());
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return usageFailure("cannot read '" + path + "': " + std::strerror(errno));
  Result<HostTensor> tensor = readStream(file, static_cast<int64_t>(size));
  if (!tensor)
    return usageFailure("cannot read '" + path +
                        "': " + tensor.getFailure().message);
  return tensor;
}

static Failure writeFailure(const std::string &path) {
  return {ExitCode::Runtime,
          "cannot write '" + path + "': " + std::strerror(errno)};
}

MaybeFailure mlir::comm::runner::checkWritable(const std::string &path) {
  namespace fs = std::filesystem;
  std::error_code error;
  bool exists = fs::exists(path, error);
  // To open a pipe could block or end its reader.
  if (exists && !fs::is_regular_file(path, error) &&
      !fs::is_directory(path, error))
    return std::nullopt;
  std::ofstream file(path, std::ios::binary | std::ios::app);
  if (!file)
    return writeFailure(path);
  file.close();
  if (!exists)
    fs::remove(path, error);
  return std::nullopt;
}

MaybeFailure mlir::comm::runner::writeNpy(const std::string &path,
                                          const HostTensor &tensor) {
  if (tensor.getType() == COMM_BF16) {
    HostTensor widened(COMM_F32, tensor.getShape());
    for (int64_t i = 0; i < tensor.getElementCount(); ++i)
      widened.setDouble(i, tensor.getDouble(i));
    return writeNpy(path, widened);
  }
  std::string shape;
  for (int64_t size : tensor.getShape())
    shape += std::to_string(size) + ", ";
  // Python writes (3,) but (3, 4); both commas are read by every reader.
  std::string header = "{'descr': '";
  for (const Descriptor &descriptor : descriptors)
    if (descriptor.type == tensor.getType())
      header += descriptor.name;
  header += "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The data starts at a multiple of 64 bytes; the last byte is a newline.
  header.append(63 - (sizeof(magic) + 4 + header.size()) % 64, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write(magic, sizeof(magic));
  const char start[] = {1, 0, static_cast<char>(header.size() & 0xff),
                        static_cast<char>(header.size() >> 8)};
  file.write(start, sizeof(start));
  file.write(header.data(), header.size());
  file.write(static_cast<const char *>(tensor.getData()),
             tensor.getByteCount());
  file.close();
  if (!file)
    return writeFailure(path);
  return std::nullopt;
}
