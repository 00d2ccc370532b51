// Runs mlp and lenet5 on one core, in blocks of 64 rows. Sums over blocks are kept in floats for 512 rows and then
// added to doubles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "lean/pass.h"
#include "network/network.h"

namespace pollen {
namespace {

using lean::Block;
using lean::kBlock;

// Rows start on 64-byte boundaries and are padded with zeros.
struct LeanRows : NetworkRows {
  std::int64_t count = 0, inputs = 0;
  Index stride = 0;
  AlignedVector<float> x;
  std::vector<float> y;
  std::int64_t rows() const override { return count; }
  const float* row(Index r) const { return x.data() + r * stride; }
};

// Gathers the rows from `first` on, at most one block of them.
template <class RowOf>
Block block_of(const LeanRows& held, Index first, Index count, RowOf row_of) {
  Block block;
  block.rows = std::min(kBlock, count - first);
  block.stride = lean::whole_groups(block.rows);
  for (Index l = 0; l < kBlock; ++l) {
    const Index r = row_of(l < block.rows ? first + l : first);
    if (r < 0 || r >= held.count)
      throw std::runtime_error(fmt::format("found row {}, accepted: 1 to {}", r + 1, held.count));
    block.x[l] = held.row(r);
    if (!held.y.empty()) block.y[l] = held.y[static_cast<std::size_t>(r)];
  }
  return block;
}

class LeanNetwork : public Network {
 public:
  explicit LeanNetwork(const NetworkSpec& spec) : shape_(spec) {}
  const NetworkSpec& spec() const override { return shape_.spec; }
  const std::vector<NetworkTensor>& tensors() const override { return shape_.tensors; }

  std::unique_ptr<NetworkRows> hold(const float* x, const float* y, std::int64_t rows) const override {
    auto held = std::make_unique<LeanRows>();
    held->count = rows;
    held->inputs = shape_.spec.inputs();
    held->stride = lean::whole_groups(held->inputs);
    held->x.resize(static_cast<std::size_t>(rows * held->stride));
    for (Index r = 0; r < rows; ++r) std::copy_n(x + r * held->inputs, held->inputs, held->x.data() + r * held->stride);
    if (y == nullptr) return held;
    held->y.assign(y, y + rows);
    if (!shape_.spec.classifies) return held;
    for (Index r = 0; r < rows; ++r) {
      if (!(y[r] >= 0 && y[r] < static_cast<float>(shape_.spec.outputs) && y[r] == std::floor(y[r])))
        throw std::runtime_error(
            fmt::format("row {}: found the class {}, accepted: 0 to {}", r + 1, y[r], shape_.spec.outputs - 1));
    }
    return held;
  }

  double loss(const NetworkRows& held, const std::uint32_t* rows, std::int64_t count, const float* theta,
              float* out) const override {
    return sum(held, rows, count, theta, std::numeric_limits<double>::infinity(), out);
  }
  // Clips all rows of a block at once, which costs little more than loss().
  void clipped(const NetworkRows& held, const std::uint32_t* rows, std::int64_t count, const float* theta, double clip,
               float* out) const override {
    sum(held, rows, count, theta, clip, out);
  }

  void outputs(const NetworkRows& held, std::int64_t first, std::int64_t count, const float* theta,
               float* out) const override {
    const LeanRows& data = own(held);
    lean::Pass pass(shape_, theta);
    const std::int64_t width = shape_.spec.outputs;
    for (Index done = 0; done < count; done += kBlock) {
      const Block block = block_of(data, done, count, [first](Index j) { return first + j; });
      const float* z = pass.forward(block);
      for (Index l = 0; l < block.rows; ++l)
        for (Index k = 0; k < width; ++k) out[(done + l) * width + k] = z[k * block.stride + l];
    }
  }

 private:
  const LeanRows& own(const NetworkRows& held) const {
    const auto* rows = dynamic_cast<const LeanRows*>(&held);
    if (rows == nullptr || rows->inputs != shape_.spec.inputs())
      throw std::runtime_error("found rows that another network holds, accepted: rows that this network holds");
    return *rows;
  }

  double sum(const NetworkRows& held, const std::uint32_t* rows, std::int64_t count, const float* theta, double clip,
             float* out) const {
    constexpr Index kFloats = 8;  // number of blocks that are summed in floats
    const LeanRows& data = own(held);
    if (count > 0 && data.y.empty())
      throw std::runtime_error("found rows without targets, accepted: rows with targets, which a loss needs");
    const auto row_of = [rows](Index j) { return rows == nullptr ? j : static_cast<Index>(rows[j]); };
    AlignedVector<double>& total = lean::Memory::of_thread(shape_).total;
    const bool long_sum = count > kFloats * kBlock && out != nullptr;
    if (long_sum) total.assign(static_cast<std::size_t>(dimension()), 0.0);
    if (out != nullptr) std::fill_n(out, dimension(), 0.0f);
    lean::Pass pass(shape_, theta);
    double loss = 0;
    for (Index first = 0, blocks = 1; first < count; first += kBlock, ++blocks) {
      const Block block = block_of(data, first, count, row_of);
      pass.forward(block);
      loss += pass.loss(block);
      if (out == nullptr) continue;
      pass.backward(block, clip, out);
      if (long_sum && (blocks % kFloats == 0 || first + kBlock >= count)) lean::flush(out, dimension(), total.data());
    }
    for (Index i = 0; long_sum && i < dimension(); ++i) out[i] = static_cast<float>(total[static_cast<std::size_t>(i)]);
    return loss;
  }

  lean::Shape shape_;
};

}  // namespace

std::unique_ptr<Network> make_lean_network(const NetworkSpec& spec) { return std::make_unique<LeanNetwork>(spec); }

}  // namespace pollen
