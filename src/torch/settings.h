// The process-wide settings of libtorch that pollen relies on, and the translation of its errors.
#pragma once

#include <c10/core/Device.h>
#include <c10/util/Exception.h>

#include <stdexcept>

#include "network/network.h"

namespace pollen::torch_room {

// Sets one thread per call and deterministic algorithms. It acts once per process.
void prepare_process();

// Returns the device "cpu" or "cuda", which must exist. For cuda it also sets tf32, which the process can choose only
// once.
at::Device device_of(const NetworkSpec& spec);

// Calls `work`. libtorch's errors come out as std::runtime_error, in their own words but without the stack.
template <typename Work>
auto plainly(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const c10::Error& error) {
    throw std::runtime_error(std::string("libtorch: ") + error.what_without_backtrace());
  }
}

}  // namespace pollen::torch_room
