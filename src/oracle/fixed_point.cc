#include <algorithm>

#include "minibatches.h"

namespace pollen::oracle {

namespace {

// The fixed-point oracle: differences of gradients at θ and at the point θ̂ near the mode. If every row is used, the
// gradient at θ̂ is known already and only ∇U_i(θ) is evaluated.
class FixedPointOracle final : public Oracle {
 public:
  FixedPointOracle(const Potential& potential, Index batch)
      : batches_(potential, batch), anchor_(static_cast<std::size_t>(potential.dimension())), gradient_(anchor_) {}

  void set_anchor(std::span<const double> at, std::span<const double> gradient) override {
    std::copy(at.begin(), at.end(), anchor_.begin());
    std::copy(gradient.begin(), gradient.end(), gradient_.begin());
  }

  std::int64_t estimate(const OracleInput& input, const PanelView& out, Workspace& work) override {
    if (batches_.all()) {
      batches_.potential.gradient_less(input.position, gradient_, out, work.scratch);
      return batches_.size.batch * out.columns;
    }
    batches_.each(input, out, work, [&](Index c, auto rows, auto column) {
      batches_.potential.difference_rows(input.position.column(c), anchor_, rows, column, work.scratch);
    });
    return 2 * batches_.size.batch * out.columns;
  }

  std::vector<std::span<double>> state() override { return {anchor_, gradient_}; }

 private:
  Minibatches batches_;
  std::vector<double> anchor_, gradient_;
};

}  // namespace

OracleRow fixed_point_row() {
  return {"fixed-point", "the difference to the gradient at the mode, over random rows", "batch mode_tolerance",
          OracleKind::fixed_point, [](const Potential& potential, Index batch, Index) {
            return std::make_unique<FixedPointOracle>(potential, std::min(batch, potential.rows()));
          }};
}

}  // namespace pollen::oracle
