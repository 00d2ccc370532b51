#include <algorithm>

#include "minibatches.h"
#include "oracle/oracles.h"

namespace pollen::oracle {

namespace {

class SvrgOracle final : public Oracle {
 public:
  SvrgOracle(const Potential& potential, Index batch, Index chains)
      : batches_(potential, batch),
        gradient_(potential.dimension(), chains),
        version_(static_cast<std::size_t>(chains), 0),
        evaluated_(version_) {}

  std::int64_t estimate(const OracleInput& input, const PanelView& out, Workspace& work) override {
    catch_up(input, work);
    std::int64_t evaluated = 0;
    for (Index c = 0; c < out.columns; ++c) {
      const std::uint32_t chain = input.chains[static_cast<std::size_t>(c)];
      const auto column = out.column(c);
      const auto anchor_gradient = gradient_.column(chain);
      const bool equal = at_anchor(input.anchor_version[chain], input.round);
      evaluated += svrg_gradients(batches_.size, evaluated_[chain] == input.round + 1, equal);
      if (equal) {  // θ equals the anchor ζ, so the difference is zero
        std::copy(anchor_gradient.begin(), anchor_gradient.end(), column.begin());
        continue;
      }
      const auto rows = batches_.draw(input, c, work);
      batches_.potential.difference_rows(input.position.column(c), input.anchor.column(chain), rows, column,
                                         work.scratch);
      math::scale_add(batches_.factor, anchor_gradient, column);
    }
    return evaluated;
  }

  std::vector<std::span<double>> state() override { return {gradient_.flat()}; }
  std::vector<std::span<std::uint64_t>> versions() override { return {version_, evaluated_}; }

 private:
  // Evaluates ∇U_i(ζ) for the chains whose anchor ζ is newer than the one this client has a gradient for.
  void catch_up(const OracleInput& input, Workspace& work) {
    Scratch::Frame frame(work.scratch);
    const auto stale = work.scratch.take<std::uint32_t>(static_cast<Index>(input.chains.size()));
    Index count = 0;
    for (const std::uint32_t chain : input.chains)
      if (version_[chain] != input.anchor_version[chain]) stale[static_cast<std::size_t>(count++)] = chain;
    if (count == 0) return;
    const PanelView at = work.scratch.panel(gradient_.rows(), count);
    const PanelView gradient = work.scratch.panel(gradient_.rows(), count);
    for (Index c = 0; c < count; ++c) {
      const auto from = input.anchor.column(stale[static_cast<std::size_t>(c)]);
      std::copy(from.begin(), from.end(), at.column(c).begin());
    }
    batches_.potential.gradient(at, gradient, work.scratch);
    for (Index c = 0; c < count; ++c) {
      const std::uint32_t chain = stale[static_cast<std::size_t>(c)];
      const auto from = gradient.column(c);
      std::copy(from.begin(), from.end(), gradient_.column(chain).begin());
      version_[chain] = input.anchor_version[chain];
      evaluated_[chain] = input.round + 1;
    }
  }

  Minibatches batches_;
  Panel gradient_;                      // ∇U_i(ζ), one column per chain
  std::vector<std::uint64_t> version_;  // version of the ζ at which gradient_ was taken; 0 if none yet
  // 1 + the round in which gradient_ was evaluated, so that a repeated answer reports the same work.
  std::vector<std::uint64_t> evaluated_;
};

}  // namespace

OracleRow svrg_row() {
  return {"svrg", "the difference to an anchor that moves every refresh rounds, over random rows, and its gradient",
          "batch refresh", OracleKind::svrg,
          [](const Potential& potential, Index batch, Index chains) -> std::unique_ptr<Oracle> {
            if (batch >= potential.rows()) return make_full(potential);
            return std::make_unique<SvrgOracle>(potential, batch, chains);
          }};
}

}  // namespace pollen::oracle
