#include "oracle/oracles.h"

#include <algorithm>

#include "math/math.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

std::span<const std::uint32_t> draw_rows(const OracleInput& input, std::size_t c, Index rows, Index batch,
                                         Workspace& work) {
  draw_minibatch(input.minibatch[input.chains[c]], input.round, input.client, {rows, batch}, work.rows);
  return work.rows;
}

class FullOracle final : public Oracle {
 public:
  explicit FullOracle(const Potential& potential) : potential_(potential), rows_(potential.rows()) {}

  std::int64_t estimate(const OracleInput& input, const PanelView& out, Workspace& work) override {
    potential_.gradient(input.position, out, work.scratch);
    return rows_ * input.position.columns;
  }

 private:
  const Potential& potential_;
  Index rows_;
};

class MinibatchOracle final : public Oracle {
 public:
  MinibatchOracle(const Potential& potential, Index batch)
      : potential_(potential),
        batch_(batch),
        factor_(static_cast<double>(potential.rows()) / static_cast<double>(batch)) {}

  std::int64_t estimate(const OracleInput& input, const PanelView& out, Workspace& work) override {
    for (std::size_t c = 0; c < input.chains.size(); ++c) {
      const auto rows = draw_rows(input, c, potential_.rows(), batch_, work);
      const auto column = out.column(static_cast<Index>(c));
      potential_.gradient_rows(input.position.column(static_cast<Index>(c)), rows, column, work.scratch);
      math::scale(factor_, column);
    }
    return batch_ * input.position.columns;
  }

 private:
  const Potential& potential_;
  Index batch_;
  double factor_;
};

// The fixed-point oracle: differences of gradients at θ and at the point θ̂ near the mode. If every row is used, the
// gradient at θ̂ is known already and only ∇U_i(θ) is evaluated.
class FixedPointOracle final : public Oracle {
 public:
  FixedPointOracle(const Potential& potential, Index batch)
      : potential_(potential),
        batch_(batch),
        all_(batch == potential.rows()),
        factor_(static_cast<double>(potential.rows()) / static_cast<double>(batch)),
        anchor_(static_cast<std::size_t>(potential.dimension())),
        gradient_(anchor_) {}

  void set_anchor(std::span<const double> at, std::span<const double> gradient) override {
    std::copy(at.begin(), at.end(), anchor_.begin());
    std::copy(gradient.begin(), gradient.end(), gradient_.begin());
  }

  std::int64_t estimate(const OracleInput& input, const PanelView& out, Workspace& work) override {
    if (all_) {
      potential_.gradient_less(input.position, gradient_, out, work.scratch);
      return batch_ * out.columns;
    }
    for (std::size_t c = 0; c < input.chains.size(); ++c) {
      const auto rows = draw_rows(input, c, potential_.rows(), batch_, work);
      const auto column = out.column(static_cast<Index>(c));
      potential_.difference_rows(input.position.column(static_cast<Index>(c)), anchor_, rows, column, work.scratch);
      math::scale(factor_, column);
    }
    return 2 * batch_ * out.columns;
  }

  std::vector<std::span<double>> state() override { return {anchor_, gradient_}; }

 private:
  const Potential& potential_;
  Index batch_;
  bool all_;
  double factor_;
  std::vector<double> anchor_, gradient_;
};

class SvrgOracle final : public Oracle {
 public:
  SvrgOracle(const Potential& potential, Index batch, Index chains)
      : potential_(potential),
        batch_(batch),
        factor_(static_cast<double>(potential.rows()) / static_cast<double>(batch)),
        gradient_(potential.dimension(), chains),
        version_(static_cast<std::size_t>(chains), 0),
        evaluated_(version_) {}

  std::int64_t estimate(const OracleInput& input, const PanelView& out, Workspace& work) override {
    catch_up(input, work);
    std::int64_t evaluated = 0;
    for (std::size_t c = 0; c < input.chains.size(); ++c) {
      const std::uint32_t chain = input.chains[c];
      const auto column = out.column(static_cast<Index>(c));
      const auto anchor_gradient = gradient_.column(chain);
      const bool equal = at_anchor(input.anchor_version[chain], input.round);
      evaluated += svrg_gradients({potential_.rows(), batch_}, evaluated_[chain] == input.round + 1, equal);
      if (equal) {  // θ equals the anchor ζ, so the difference is zero
        std::copy(anchor_gradient.begin(), anchor_gradient.end(), column.begin());
        continue;
      }
      const auto rows = draw_rows(input, c, potential_.rows(), batch_, work);
      potential_.difference_rows(input.position.column(static_cast<Index>(c)), input.anchor.column(chain), rows, column,
                                 work.scratch);
      math::scale_add(factor_, anchor_gradient, column);
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
    const PanelView at = work.scratch.panel(potential_.dimension(), count);
    const PanelView gradient = work.scratch.panel(potential_.dimension(), count);
    for (Index c = 0; c < count; ++c) {
      const auto from = input.anchor.column(stale[static_cast<std::size_t>(c)]);
      std::copy(from.begin(), from.end(), at.column(c).begin());
    }
    potential_.gradient(at, gradient, work.scratch);
    for (Index c = 0; c < count; ++c) {
      const std::uint32_t chain = stale[static_cast<std::size_t>(c)];
      const auto from = gradient.column(c);
      std::copy(from.begin(), from.end(), gradient_.column(chain).begin());
      version_[chain] = input.anchor_version[chain];
      evaluated_[chain] = input.round + 1;
    }
  }

  const Potential& potential_;
  Index batch_;
  double factor_;
  Panel gradient_;                      // ∇U_i(ζ), one column per chain
  std::vector<std::uint64_t> version_;  // version of the ζ at which gradient_ was taken; 0 if none yet
  // 1 + the round in which gradient_ was evaluated, so that a repeated answer reports the same work.
  std::vector<std::uint64_t> evaluated_;
};

// The control oracle of VR-FALD*: differences between the gradients at the position and at an anchor that the broadcast
// brings. It has no state.
class ControlOracle final : public Oracle {
 public:
  ControlOracle(const Potential& potential, Index batch)
      : potential_(potential),
        batch_(batch),
        factor_(static_cast<double>(potential.rows()) / static_cast<double>(batch)) {}

  std::int64_t estimate(const OracleInput& input, const PanelView& out, Workspace& work) override {
    if (batch_ == potential_.rows()) {
      difference(input, out, work);
      return 2 * batch_ * out.columns;
    }
    for (std::size_t c = 0; c < input.chains.size(); ++c) {
      const auto column = static_cast<Index>(c);
      const auto rows = draw_rows(input, c, potential_.rows(), batch_, work);
      potential_.difference_rows(input.position.column(column),
                                 input.anchor.column(static_cast<Index>(input.chains[c])), rows, out.column(column),
                                 work.scratch);
      math::scale(factor_, out.column(column));
    }
    return 2 * batch_ * out.columns;
  }

 private:
  // The difference over all rows. All chains are evaluated at once if the client works for all of them.
  void difference(const OracleInput& input, const PanelView& out, Workspace& work) const {
    if (out.columns == input.anchor.columns)
      return potential_.difference(input.position, input.anchor, out, work.scratch);
    const Index d = potential_.dimension();
    for (Index c = 0; c < out.columns; ++c) {
      const auto anchor = input.anchor.column(static_cast<Index>(input.chains[static_cast<std::size_t>(c)]));
      potential_.difference({input.position.column(c).data(), d, 1, d}, {anchor.data(), d, 1, d},
                            {out.column(c).data(), d, 1, d}, work.scratch);
    }
  }

  const Potential& potential_;
  Index batch_;
  double factor_;
};

// The minibatch oracle with every row's gradient cut to the norm `clip`.
class ClippedOracle final : public Oracle {
 public:
  ClippedOracle(const Potential& potential, Index batch, double clip)
      : potential_(potential),
        batch_(batch),
        clip_(clip),
        factor_(static_cast<double>(potential.rows()) / static_cast<double>(batch)) {}

  std::int64_t estimate(const OracleInput& input, const PanelView& out, Workspace& work) override {
    for (std::size_t c = 0; c < input.chains.size(); ++c) {
      const auto rows = draw_rows(input, c, potential_.rows(), batch_, work);
      const auto column = out.column(static_cast<Index>(c));
      potential_.clipped_rows(input.position.column(static_cast<Index>(c)), rows, clip_, column, work.scratch);
      math::scale(factor_, column);
    }
    return batch_ * out.columns;
  }

 private:
  const Potential& potential_;
  Index batch_;
  double clip_, factor_;
};

}  // namespace

void draw_minibatch(Stream chain, std::uint64_t round, std::uint32_t client, BatchSize size,
                    std::vector<std::uint32_t>& out) {
  chain.round = round;
  chain.client = client;
  Sequence sequence(chain);
  sample_without_replacement(sequence, static_cast<std::uint32_t>(size.rows), static_cast<std::uint32_t>(size.batch),
                             out);
}

std::unique_ptr<Oracle> make_clipped_oracle(const Potential& potential, Index batch, double clip) {
  return std::make_unique<ClippedOracle>(potential, std::min(batch, potential.rows()), clip);
}

void Oracle::set_anchor(std::span<const double>, std::span<const double>) {}

namespace {

std::unique_ptr<Oracle> make_full(const Potential& potential, Index, Index) {
  return std::make_unique<FullOracle>(potential);
}

}  // namespace

const Registry<OracleRow>& oracles() {
  using P = const Potential&;
  static const Registry<OracleRow> rows(
      "sampler.oracle",
      {{"full", "the gradient over all rows", "", OracleKind::full, make_full},
       {"minibatch", "the gradient over random rows, scaled up", "batch", OracleKind::minibatch,
        [](P potential, Index batch, Index chains) -> std::unique_ptr<Oracle> {
          if (batch >= potential.rows()) return make_full(potential, batch, chains);
          return std::make_unique<MinibatchOracle>(potential, batch);
        }},
       {"fixed-point", "the difference to the gradient at the mode, over random rows", "batch mode_tolerance",
        OracleKind::fixed_point,
        [](P potential, Index batch, Index) -> std::unique_ptr<Oracle> {
          return std::make_unique<FixedPointOracle>(potential, std::min(batch, potential.rows()));
        }},
       {"svrg", "the difference to an anchor that moves every refresh rounds, over random rows, and its gradient",
        "batch refresh", OracleKind::svrg,
        [](P potential, Index batch, Index chains) -> std::unique_ptr<Oracle> {
          if (batch >= potential.rows()) return make_full(potential, batch, chains);
          return std::make_unique<SvrgOracle>(potential, batch, chains);
        }},
       {"control", "the difference to an anchor that is renewed at random, for local steps (VR-FALD*)",
        "batch refresh_probability", OracleKind::control,
        [](P potential, Index batch, Index) -> std::unique_ptr<Oracle> {
          return std::make_unique<ControlOracle>(potential, std::min(batch, potential.rows()));
        }}});
  return rows;
}

const OracleRow& oracle_row(OracleKind kind) { return *std::ranges::find(oracles(), kind, &OracleRow::kind); }

std::unique_ptr<Oracle> make_oracle(OracleKind kind, const Potential& potential, Index batch, Index chains) {
  return oracle_row(kind).make(potential, batch, chains);
}

}  // namespace pollen
