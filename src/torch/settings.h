// The process-wide settings of libtorch that pollen relies on, and its errors as ours.
#pragma once

#include <c10/core/Device.h>
#include <c10/util/Exception.h>

#include <stdexcept>

#include "network/network.h"

namespace pollen::torch_room {

// One thread for each of our calls, no algorithm that depends on chance. Once for the process.
void prepare_process();

// "cpu" or "cuda", which must be there. On cuda it also settles tf32, one choice for the process.
at::Device device_of(const NetworkSpec& spec);

// Calls `work`; libtorch's errors come out as std::runtime_error, in their own words without the stack.
template <typename Work>
auto plainly(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const c10::Error& error) {
    throw std::runtime_error(std::string("libtorch: ") + error.what_without_backtrace());
  }
}

}  // namespace pollen::torch_room
