#include "torch_network.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/nll_loss.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fleet.h"
#include "held_rows.h"
#include "settings.h"

namespace pollen::torch_room {
namespace {

constexpr std::int64_t kBlockRows = 512;  // a sum is made of sums over this many rows, in order

class TorchNetwork : public Network {
 public:
  TorchNetwork(NetworkSpec spec, std::unique_ptr<Architecture> architecture)
      : spec_(std::move(spec)), device_(device_of(spec_)), architecture_(std::move(architecture)) {}

  const NetworkSpec& spec() const override { return spec_; }
  const std::vector<NetworkTensor>& tensors() const override { return architecture_->tensors(); }

  std::unique_ptr<NetworkRows> hold(const float* x, const float* y, std::int64_t rows) const override {
    return plainly([&] { return hold_rows(x, y, rows); });
  }
  double loss(const NetworkRows& held, const std::uint32_t* rows, std::int64_t count, const float* theta,
              float* out) const override {
    return plainly([&] { return sum(own(held), rows, count, theta, out); });
  }
  void outputs(const NetworkRows& held, std::int64_t first, std::int64_t count, const float* theta,
               float* out) const override {
    plainly([&] { write_outputs(own(held), first, count, theta, out); });
  }
  std::unique_ptr<NetworkFleet> fleet(const NetworkFleetSpec& spec) const override {
    if (!architecture_->can_group()) return nullptr;
    return plainly([&] { return make_fleet(spec_, *architecture_, device_, spec); });
  }
  std::vector<float> stored() const override {
    return plainly([&] { return architecture_->stored(); });
  }

 private:
  struct Batch {
    at::Tensor x, y;
  };

  std::unique_ptr<NetworkRows> hold_rows(const float* x, const float* y, std::int64_t rows) const {
    auto held = std::make_unique<Rows>();
    std::vector<std::int64_t> shape = architecture_->row_shape();
    shape.insert(shape.begin(), rows);
    held->x = view_of(x, rows * spec_.inputs()).view(shape).to(device_, at::kFloat, false, /*copy=*/true);
    if (y == nullptr) return held;
    if (spec_.classifies) check_classes(y, rows);
    held->y = view_of(y, rows).to(device_, spec_.classifies ? at::kLong : at::kFloat, false, /*copy=*/true);
    return held;
  }

  void check_classes(const float* y, std::int64_t rows) const {
    for (std::int64_t j = 0; j < rows; ++j)
      if (!(y[j] >= 0 && y[j] < static_cast<float>(spec_.outputs) && y[j] == std::floor(y[j])))
        throw std::runtime_error(
            fmt::format("row {}: class {} is not one of 0 to {}", j, static_cast<double>(y[j]), spec_.outputs - 1));
  }

  // Returns the `count` rows from position `start` of the list on.
  Batch batch(const Rows& held, const std::uint32_t* rows, std::int64_t start, std::int64_t count) const {
    if (rows == nullptr) {
      if (start + count > held.rows())
        throw std::runtime_error(fmt::format("row {} of {} does not exist", start + count - 1, held.rows()));
      return {held.x.narrow(0, start, count), held.y.defined() ? held.y.narrow(0, start, count) : at::Tensor()};
    }
    std::vector<std::int64_t> at_rows(rows + start, rows + start + count);
    for (const std::int64_t r : at_rows)
      if (r >= held.rows()) throw std::runtime_error(fmt::format("row {} of {} does not exist", r, held.rows()));
    const at::Tensor index = at::from_blob(at_rows.data(), {count}, at::TensorOptions(at::kLong)).to(device_);
    return {held.x.index_select(0, index), held.y.defined() ? held.y.index_select(0, index) : at::Tensor()};
  }

  // Sums the rows' float32 losses in double.
  at::Tensor batch_loss(Function& f, const Batch& b) const {
    return row_losses(spec_, f.outputs(b.x), b.y).sum(at::kDouble);
  }

  at::Tensor flat_gradient(const at::Tensor& loss, const Function& f) const {
    std::vector<at::Tensor> parts = torch::autograd::grad({loss}, f.leaves());
    for (at::Tensor& part : parts) part = part.reshape({-1});
    return at::cat(parts);
  }

  double sum(const Rows& held, const std::uint32_t* rows, std::int64_t count, const float* theta, float* out) const {
    if (!held.y.defined()) throw std::runtime_error("these rows are held without targets, so they have no loss");
    if (count == 0 && out != nullptr) std::fill_n(out, dimension(), 0.0f);
    at::AutoGradMode gradients(out != nullptr);
    const at::Tensor flat = view_of(theta, dimension()).to(device_);
    const std::unique_ptr<Function> f = architecture_->at(flat, out != nullptr);
    at::Tensor value, gradient;  // kept on the device, so that nothing waits for them between blocks
    for (std::int64_t start = 0; start < count; start += kBlockRows) {
      const at::Tensor loss = batch_loss(*f, batch(held, rows, start, std::min(kBlockRows, count - start)));
      value = value.defined() ? value + loss.detach() : loss.detach();
      if (out == nullptr) continue;
      const at::Tensor g = flat_gradient(loss, *f);
      if (count > kBlockRows)
        gradient = gradient.defined() ? gradient.add_(g) : g.to(at::kDouble);
      else
        gradient = g;
    }
    if (gradient.defined()) at::from_blob(out, {dimension()}, at::TensorOptions(at::kFloat)).copy_(gradient);
    return value.defined() ? value.item<double>() : 0.0;
  }

  void write_outputs(const Rows& held, std::int64_t first, std::int64_t count, const float* theta, float* out) const {
    at::NoGradGuard no_gradients;
    const at::Tensor flat = view_of(theta, dimension()).to(device_);
    const std::unique_ptr<Function> f = architecture_->at(flat, false);
    for (std::int64_t done = 0; done < count; done += kBlockRows) {
      const std::int64_t n = std::min(kBlockRows, count - done);
      const at::Tensor block = f->outputs(batch(held, nullptr, first + done, n).x);
      at::from_blob(out + done * spec_.outputs, {n, spec_.outputs}, at::TensorOptions(at::kFloat)).copy_(block);
    }
  }

  NetworkSpec spec_;
  at::Device device_;
  std::unique_ptr<Architecture> architecture_;
};

}  // namespace

std::unique_ptr<Network> make_network(const NetworkSpec& spec) {
  return std::make_unique<TorchNetwork>(spec, make_architecture(spec));
}

}  // namespace pollen::torch_room
