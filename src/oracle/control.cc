#include <algorithm>

#include "minibatches.h"

namespace pollen::oracle {

namespace {

// The control oracle of VR-FALD*: differences between the gradients at the position and at an anchor that the broadcast
// brings. It has no state.
class ControlOracle final : public Oracle {
 public:
  ControlOracle(const Potential& potential, Index batch) : batches_(potential, batch) {}

  std::int64_t estimate(const OracleInput& input, const PanelView& out, Workspace& work) override {
    const auto anchor = [&](Index c) { return input.anchor.column(input.chains[static_cast<std::size_t>(c)]); };
    const Potential& potential = batches_.potential;
    if (!batches_.all())
      batches_.each(input, out, work, [&](Index c, auto rows, auto column) {
        potential.difference_rows(input.position.column(c), anchor(c), rows, column, work.scratch);
      });
    else if (out.columns == input.anchor.columns)  // the client works for all chains, which are evaluated at once
      potential.difference(input.position, input.anchor, out, work.scratch);
    else
      for (Index c = 0, d = out.rows; c < out.columns; ++c)
        potential.difference({input.position.column(c).data(), d, 1, d}, {anchor(c).data(), d, 1, d},
                             {out.column(c).data(), d, 1, d}, work.scratch);
    return 2 * batches_.size.batch * out.columns;
  }

 private:
  Minibatches batches_;
};

}  // namespace

OracleRow control_row() {
  return {"control", "the difference to an anchor that is renewed at random, for local steps (VR-FALD*)",
          "batch refresh_probability", OracleKind::control, [](const Potential& potential, Index batch, Index) {
            return std::make_unique<ControlOracle>(potential, std::min(batch, potential.rows()));
          }};
}

}  // namespace pollen::oracle
