//===- KernelCache.cpp - Objects of kernels compiled before ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCache.h"

#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir::comm::runner;

/// A file is an object with its checksum behind it: a file cut short or
/// overwritten is no object.
static constexpr size_t checksumSize = sizeof(uint64_t);

KernelCache::KernelCache(llvm::StringRef folder) : folder(folder) {}

KernelCache::~KernelCache() {
  if (!hasWritten)
    return;
  llvm::CachePruningPolicy policy;
  policy.MaxSizePercentageOfAvailableSpace = 0;
  policy.MaxSizeBytes = 256 << 20;
  llvm::pruneCache(folder, policy);
}

std::string KernelCache::getDefaultFolder() {
  llvm::SmallString<128> path;
  if (!llvm::sys::path::cache_directory(path))
    return "";
  llvm::sys::path::append(path, "comm");
  return path.str().str();
}

/// Upstream's cache of files calls `found` with a file that exists, and
/// otherwise returns the function that makes one.
static llvm::AddStreamFn openEntry(llvm::StringRef folder, llvm::StringRef key,
                                   llvm::AddBufferFn found) {
  llvm::Expected<llvm::FileCache> cache =
      llvm::localCache("comm", "comm-kernel", folder, std::move(found));
  if (!cache) {
    llvm::consumeError(cache.takeError());
    return nullptr;
  }
  llvm::Expected<llvm::AddStreamFn> addStream =
      (*cache)(/*Task=*/0, key, /*ModuleName=*/"");
  if (!addStream) {
    llvm::consumeError(addStream.takeError());
    return nullptr;
  }
  return std::move(*addStream);
}

std::unique_ptr<llvm::MemoryBuffer> KernelCache::read(llvm::StringRef key) {
  std::unique_ptr<llvm::MemoryBuffer> file;
  openEntry(folder, key,
            [&](unsigned, const llvm::Twine &,
                std::unique_ptr<llvm::MemoryBuffer> buffer) {
              file = std::move(buffer);
            });
  if (!file)
    return nullptr;
  llvm::StringRef content = file->getBuffer();
  if (content.size() > checksumSize) {
    llvm::StringRef object = content.drop_back(checksumSize);
    if (llvm::xxh3_64bits(object) ==
        llvm::support::endian::read64le(object.end()))
      return llvm::MemoryBuffer::getMemBufferCopy(object, key);
  }
  // Out of the way of the file that is written in its place.
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, "llvmcache-" + key);
  llvm::sys::fs::remove(path);
  return nullptr;
}

void KernelCache::write(llvm::StringRef key, llvm::StringRef object) {
  llvm::AddStreamFn addStream =
      openEntry(folder, key,
                [](unsigned, const llvm::Twine &,
                   std::unique_ptr<llvm::MemoryBuffer>) {});
  if (!addStream)
    return;
  llvm::Expected<std::unique_ptr<llvm::CachedFileStream>> file =
      addStream(/*Task=*/0, /*ModuleName=*/"");
  if (!file)
    return llvm::consumeError(file.takeError());
  char checksum[checksumSize];
  llvm::support::endian::write64le(checksum, llvm::xxh3_64bits(object));
  llvm::raw_pwrite_stream &stream = *(*file)->OS;
  stream << object << llvm::StringRef(checksum, checksumSize);
  stream.flush();
  // A stream with an error would end the process. What there is of the file is
  // found to be cut short when it is read.
  if (auto *out = dynamic_cast<llvm::raw_fd_ostream *>(&stream))
    out->clear_error();
  llvm::consumeError((*file)->commit());
  hasWritten = true;
}

void KernelCache::add(llvm::StringRef key, llvm::MemoryBufferRef object) {
  std::lock_guard<std::mutex> lock(mutex);
  objects[key] = llvm::MemoryBuffer::getMemBufferCopy(object.getBuffer(), key);
  if (!folder.empty())
    write(key, object.getBuffer());
}

std::unique_ptr<llvm::MemoryBuffer> KernelCache::get(llvm::StringRef key) {
  std::lock_guard<std::mutex> lock(mutex);
  auto object = objects.find(key);
  if (object == objects.end()) {
    std::unique_ptr<llvm::MemoryBuffer> file =
        folder.empty() ? nullptr : read(key);
    if (!file) {
      ++numMisses;
      return nullptr;
    }
    object = objects.try_emplace(key, std::move(file)).first;
  }
  ++numHits;
  return llvm::MemoryBuffer::getMemBufferCopy(object->second->getBuffer(), key);
}
