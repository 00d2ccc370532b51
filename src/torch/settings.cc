#include "settings.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <mutex>
#include <optional>

namespace pollen::torch_room {
namespace {

// Sets TF32. It is a switch of the whole process, so the first network that computes on the GPU decides.
void choose_tf32(bool wanted) {
  static std::mutex mutex;
  static std::optional<bool> chosen;
  const std::lock_guard lock(mutex);
  if (chosen && *chosen != wanted)
    throw std::runtime_error("tf32 is one choice for all networks of a process, and it was made the other way before");
  if (chosen) return;
  at::globalContext().setAllowTF32CuBLAS(wanted);
  at::globalContext().setAllowTF32CuDNN(wanted);
  chosen = wanted;
}

}  // namespace

void prepare_process() {
  static std::once_flag once;
  std::call_once(once, [] {
    at::set_num_threads(1);
    at::set_num_interop_threads(1);
    // This only warns: libtorch names an algorithm that may add in varying order, but the pools here do not overlap,
    // and then it has only one order.
    at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
    at::globalContext().setDeterministicCuDNN(true);
    at::globalContext().setBenchmarkCuDNN(false);
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 2)
    // Determinism also fills every new tensor with NaN. That finds errors in libtorch but costs a pass over memory.
    at::globalContext().setDeterministicFillUninitializedMemory(false);
#endif
  });
}

at::Device device_of(const NetworkSpec& spec) {
  if (spec.device == "cpu") return at::Device(at::kCPU);
  if (spec.device != "cuda")
    throw std::runtime_error(fmt::format("a network's device is cpu or cuda, not \"{}\"", spec.device));
  if (!at::globalContext().hasCUDA())
    throw std::runtime_error(
        "device = \"cuda\": this libtorch sees no GPU (Debian's is built without CUDA: build pollen against PyTorch's "
        "own "
        "libtorch, and see that nvidia-smi lists a GPU), or choose device = \"cpu\"");
  choose_tf32(spec.tf32);
  return at::Device(at::kCUDA, 0);
}

}  // namespace pollen::torch_room
