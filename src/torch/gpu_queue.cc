#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "queue.h"

namespace pollen::torch_room {
namespace {

class Stream : public Queue {
 public:
  explicit Stream(const at::Device& device)
      : stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index())) {}

  void within(const std::function<void()>& work) override {
    c10::cuda::CUDAStreamGuard guard(stream_);
    work();
  }

  // Runs the work three times before it is recorded: libtorch picks algorithms and allocates memory in the first
  // rounds, which a graph must not contain.
  std::function<void()> repeatable(std::function<void()> work) override {
    auto graph = std::make_shared<at::cuda::CUDAGraph>();
    within([&] {
      for (int i = 0; i < 3; ++i) work();
      wait();
      graph->capture_begin();
      work();
      graph->capture_end();
    });
    return [graph] { graph->replay(); };
  }

  void messages(const MessagePass& pass) override { make_messages_on_gpu(pass, stream_.stream()); }
  void wait() override { stream_.synchronize(); }

 private:
  c10::cuda::CUDAStream stream_;
};

}  // namespace

std::unique_ptr<Queue> make_gpu_queue(const at::Device& device) { return std::make_unique<Stream>(device); }

}  // namespace pollen::torch_room
