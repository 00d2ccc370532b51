#include "queue.h"

#include <stdexcept>

namespace pollen::torch_room {
namespace {

class AtOnce : public Queue {
 public:
  void within(const std::function<void()>& work) override { work(); }
  std::function<void()> repeatable(std::function<void()> work) override { return work; }
  void messages(const MessagePass& pass) override { make_messages(pass); }
  void wait() override {}
};

}  // namespace

std::unique_ptr<Queue> make_queue(const at::Device& device) {
  if (device.is_cpu()) return std::make_unique<AtOnce>();
#ifdef POLLEN_TORCH_CUDA
  return make_gpu_queue(device);
#else
  throw std::runtime_error("the module was built without CUDA's compiler");
#endif
}

}  // namespace pollen::torch_room
