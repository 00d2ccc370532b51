// Work on a device, done in the order it is put in. On the CPU at once; on a GPU a stream, whose repeated work is a
// graph.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

#include "messages.h"

namespace pollen::torch_room {

class Queue {
 public:
  virtual ~Queue() = default;
  virtual void within(const std::function<void()>& work) = 0;  // what libtorch is asked for in it goes to this queue
  // Work on tensors that stay where they are, to be done again by calling what is returned.
  virtual std::function<void()> repeatable(std::function<void()> work) = 0;
  virtual void messages(const MessagePass& pass) = 0;
  virtual void wait() = 0;
};

std::unique_ptr<Queue> make_queue(const at::Device& device);
std::unique_ptr<Queue> make_gpu_queue(const at::Device& device);  // where the module is built with CUDA

}  // namespace pollen::torch_room
