//===- MeetingFile.h - A file that says where rank 0 is ---------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_STORE_MEETINGFILE_H
#define COMM_LIB_RUNTIME_STORE_MEETINGFILE_H

#include <string>
#include <vector>

namespace mlir::comm::runtime {

/// Where rank 0 listens for the others of its run.
struct MeetingPlace {
  std::string run;
  int port;
  std::vector<std::string> addresses;
};

/// A port of this host, for a run that is like no other.
MeetingPlace createMeetingPlace(int port);

/// Replaces the file in one step: nobody sees a part of it.
bool writeMeetingFile(const std::string &path, const MeetingPlace &place,
                      std::string &error);

/// False if there is no such file.
bool readMeetingFile(const std::string &path, MeetingPlace &place);

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_STORE_MEETINGFILE_H
