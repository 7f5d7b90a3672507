//===- Devices.cpp - Devices and versions ---------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cudart/Call.h"

#include <cstdio>

using namespace mlir::comm::cudadouble;

cudaError_t cudaGetDeviceCount(int *count) {
  if (!getEngine().getNumDevices())
    *count = 0;
  return enter("cudaGetDeviceCount", [&](Call &call) {
    *count = call.engine.getNumDevices();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return enter("cudaSetDevice", [&](Call &call) {
    if (device < 0 || device >= call.engine.getNumDevices())
      return cudaErrorInvalidDevice;
    getCaller().device = device;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int *device) {
  return enter("cudaGetDevice", [&](Call &call) {
    *device = call.device();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute,
                                   int device) {
  return enter("cudaDeviceGetAttribute", [&](Call &call) {
    if (device < 0 || device >= call.engine.getNumDevices())
      return cudaErrorInvalidDevice;
    switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = 0;
      return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
      *value = 132;
      return cudaSuccess;
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
      *value = 1024;
      return cudaSuccess;
    case cudaDevAttrMaxGridDimX:
      *value = 2147483647;
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = 48 << 10;
      return cudaSuccess;
    case cudaDevAttrWarpSize:
      *value = 32;
      return cudaSuccess;
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrUnifiedAddressing:
      *value = 1;
      return cudaSuccess;
    case cudaDevAttrPciBusId:
      *value = device + 1;
      return cudaSuccess;
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrIntegrated:
      *value = 0;
      return cudaSuccess;
    default:
      report("handle", "cudaDeviceGetAttribute: the double does not know "
                       "attribute " +
                           std::to_string(attribute));
      return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device) {
  return enter("cudaDeviceGetPCIBusId", [&](Call &call) {
    if (device < 0 || device >= call.engine.getNumDevices())
      return cudaErrorInvalidDevice;
    int needed = std::snprintf(text, length, "0000:%02X:00.0", device + 1);
    return needed < length ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return enter("cudaDeviceSynchronize", [&](Call &call) {
    std::vector<std::shared_ptr<Completion>> last;
    for (const auto &stream : call.engine.streams) {
      if (stream->device != call.device())
        continue;
      if (stream->capture) {
        stream->capture->isBroken = true;
        return cudaErrorStreamCaptureUnsupported;
      }
      if (stream->last)
        last.push_back(stream->last);
    }
    count("host waits");
    for (const auto &completion : last)
      call.engine.wait(call.lock, completion);
    return call.engine.deviceErrors[call.device()];
  });
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  return enter("cudaRuntimeGetVersion", [&](Call &) {
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int *version) {
  return enter("cudaDriverGetVersion", [&](Call &) {
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}
