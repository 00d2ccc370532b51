#include <algorithm>
#include <optional>

#include "minibatches.h"

namespace pollen {

namespace oracle {

namespace {

// The minibatch oracle, with every row's gradient cut to the norm `clip` if there is one.
class MinibatchOracle final : public Oracle {
 public:
  MinibatchOracle(const Potential& potential, Index batch, std::optional<double> clip = {})
      : batches_(potential, batch), clip_(clip) {}

  std::int64_t estimate(const OracleInput& input, const PanelView& out, Workspace& work) override {
    batches_.each(input, out, work, [&](Index c, auto rows, auto column) {
      if (clip_)
        batches_.potential.clipped_rows(input.position.column(c), rows, *clip_, column, work.scratch);
      else
        batches_.potential.gradient_rows(input.position.column(c), rows, column, work.scratch);
    });
    return batches_.size.batch * out.columns;
  }

 private:
  Minibatches batches_;
  std::optional<double> clip_;
};

}  // namespace

OracleRow minibatch_row() {
  return {"minibatch", "the gradient over random rows, scaled up", "batch", OracleKind::minibatch,
          [](const Potential& potential, Index batch, Index) -> std::unique_ptr<Oracle> {
            if (batch >= potential.rows()) return make_full(potential);
            return std::make_unique<MinibatchOracle>(potential, batch);
          }};
}

}  // namespace oracle

std::unique_ptr<Oracle> make_clipped_oracle(const Potential& potential, Index batch, double clip) {
  return std::make_unique<oracle::MinibatchOracle>(potential, std::min(batch, potential.rows()), clip);
}

}  // namespace pollen
