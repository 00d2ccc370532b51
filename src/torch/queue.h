// A queue of work for a device, done in the order in which it is added. On the CPU the work is done at once. On a GPU
// the queue is a stream, and repeated work becomes a graph.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

#include "messages.h"

namespace pollen::torch_room {

class Queue {
 public:
  virtual ~Queue() = default;
  virtual void within(const std::function<void()>& work) = 0;  // runs `work`; its libtorch calls go to this queue
  // Returns a function that does `work` each time it is called. The tensors that `work` uses must stay where they are.
  virtual std::function<void()> repeatable(std::function<void()> work) = 0;
  virtual void messages(const MessagePass& pass) = 0;
  virtual void wait() = 0;
};

std::unique_ptr<Queue> make_queue(const at::Device& device);
std::unique_ptr<Queue> make_gpu_queue(const at::Device& device);  // only in modules built with CUDA

}  // namespace pollen::torch_room
