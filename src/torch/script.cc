// Networks from a TorchScript file. The file's parameters, in its order, are θ, and forward(x) gives the outputs. x is
// rows × channels × height × width, or rows × channels if height and width are 1. The network is put into evaluation
// mode.
//
// A script module holds its parameters, so each call borrows a copy of the module and writes θ into it. There are as
// many copies as there are calls at the same time.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <mutex>
#include <stdexcept>

#include "architecture.h"
#include "layout.h"
#include "settings.h"

namespace pollen::torch_room {
namespace {

struct Copy {
  torch::jit::Module module;
  std::vector<at::Tensor> parameters;
};

class Script : public Architecture {
 public:
  Script(const NetworkSpec& spec, const torch::jit::Module& module) : spec_(spec), module_(module) {
    read_layout();
    check_outputs();
  }
  const std::vector<NetworkTensor>& tensors() const override { return layout_.tensors(); }
  std::unique_ptr<Function> at(const at::Tensor& theta, bool with_gradient, std::int64_t groups) const override;
  std::vector<std::int64_t> row_shape() const override {
    if (spec_.height == 1 && spec_.width == 1) return {spec_.channels};
    return {spec_.channels, spec_.height, spec_.width};
  }

  std::vector<float> stored() const override {
    std::vector<float> values(
        static_cast<std::size_t>(layout_.tensors().back().offset + layout_.tensors().back().size));
    auto tensor = layout_.tensors().begin();
    for (const at::Tensor& p : std::as_const(module_).parameters()) {
      at::from_blob(values.data() + tensor->offset, p.sizes(), at::TensorOptions(at::kFloat)).copy_(p.detach());
      ++tensor;
    }
    return values;
  }

  std::unique_ptr<Copy> borrow() const {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      std::unique_ptr<Copy> copy = std::move(spare_.back());
      spare_.pop_back();
      return copy;
    }
    auto copy = std::make_unique<Copy>(Copy{module_.deepcopy(), {}});
    for (const at::Tensor& p : copy->module.parameters()) copy->parameters.push_back(p);
    return copy;
  }
  void bring_back(std::unique_ptr<Copy> copy) const {
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(copy));
  }

 private:
  void read_layout();
  void check_outputs() const;

  NetworkSpec spec_;
  torch::jit::Module module_;
  Layout layout_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Copy>> spare_;
};

class Borrowed : public Function {
 public:
  Borrowed(const Script& script, const at::Tensor& theta, bool with_gradient)
      : script_(script), copy_(script.borrow()) {
    at::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < copy_->parameters.size(); ++i) {
      const NetworkTensor& t = script.tensors()[i];
      copy_->parameters[i].copy_(theta.narrow(0, t.offset, t.size).view(t.shape));
      copy_->parameters[i].set_requires_grad(with_gradient);
    }
  }
  ~Borrowed() override { script_.bring_back(std::move(copy_)); }
  const std::vector<at::Tensor>& leaves() const override { return copy_->parameters; }
  at::Tensor outputs(const at::Tensor& x) override {
    // The optimising executor rewrites a network during its first calls, which would change the last bits of its
    // results.
    const torch::jit::GraphOptimizerEnabledGuard as_written(false);
    return copy_->module.forward({x}).toTensor();
  }

 private:
  const Script& script_;
  std::unique_ptr<Copy> copy_;
};

std::unique_ptr<Function> Script::at(const at::Tensor& theta, bool with_gradient, std::int64_t /*groups*/) const {
  return std::make_unique<Borrowed>(*this, theta, with_gradient);
}

void Script::read_layout() {
  std::vector<const void*> seen;
  for (const auto& [name, tensor] : std::as_const(module_).named_parameters()) {
    if (tensor.scalar_type() != at::kFloat)
      throw std::runtime_error(fmt::format("{}: parameter {} is not of float32 numbers", spec_.file, name));
    for (const void* other : seen)
      if (other == tensor.data_ptr())
        throw std::runtime_error(fmt::format("{}: parameter {} is shared with another", spec_.file, name));
    seen.push_back(tensor.data_ptr());
    layout_.add(name, tensor.sizes().vec());
  }
  if (layout_.tensors().empty()) throw std::runtime_error(fmt::format("{}: has no parameters", spec_.file));
}

void Script::check_outputs() const {
  at::NoGradGuard no_gradients;
  std::vector<std::int64_t> shape = row_shape();
  shape.insert(shape.begin(), 1);
  at::Tensor y;
  try {
    const torch::jit::GraphOptimizerEnabledGuard as_written(false);
    torch::jit::Module module = module_;
    y = module.forward({at::zeros(shape, at::TensorOptions(device_of(spec_)).dtype(at::kFloat))}).toTensor();
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: forward() fails on one row of {} x {} x {} numbers: {}", spec_.file,
                                         spec_.channels, spec_.height, spec_.width, error.what()));
  }
  if (y.dim() != 2 || y.size(0) != 1 || y.size(1) != spec_.outputs || y.scalar_type() != at::kFloat)
    throw std::runtime_error(fmt::format("{}: forward() makes a tensor of [{}] from one row, where [1, {}] is wanted",
                                         spec_.file, fmt::join(y.sizes(), ", "), spec_.outputs));
}

}  // namespace

std::unique_ptr<Architecture> make_torchscript(const NetworkSpec& spec) {
  if (spec.file.empty()) throw std::runtime_error("a torchscript network needs its file");
  const at::Device device = device_of(spec);
  try {
    torch::jit::Module module = torch::jit::load(spec.file, device);
    module.eval();
    return std::make_unique<Script>(spec, module);
  } catch (const c10::Error& error) {
    throw std::runtime_error(
        fmt::format("{}: cannot be read as TorchScript: {}", spec.file, error.what_without_backtrace()));
  }
}

}  // namespace pollen::torch_room
