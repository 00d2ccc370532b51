#include "oracle/oracles.h"

#include <algorithm>
#include <optional>

#include "math/math.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

// The rows of a client and its minibatches of n of them.
struct Minibatches {
  Minibatches(const Potential& of, Index batch)
      : potential(of), size{of.rows(), batch}, factor(static_cast<double>(size.rows) / static_cast<double>(batch)) {}

  // Calls evaluate(c, rows, column) for the minibatch of every chain c, where column is out(:, c), and multiplies what
  // it leaves there by N/n.
  template <class Evaluate>
  void each(const OracleInput& input, const PanelView& out, Workspace& work, const Evaluate& evaluate) const {
    for (Index c = 0; c < out.columns; ++c) {
      const auto column = out.column(c);
      evaluate(c, draw(input, c, work), column);
      math::scale(factor, column);
    }
  }
  std::span<const std::uint32_t> draw(const OracleInput& input, Index c, Workspace& work) const {
    const std::uint32_t chain = input.chains[static_cast<std::size_t>(c)];
    draw_minibatch(input.minibatch[chain], input.round, input.client, size, work.rows);
    return work.rows;
  }
  bool all() const { return size.batch == size.rows; }

  const Potential& potential;
  BatchSize size;
  double factor;  // N/n
};

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

void draw_minibatch(Stream chain, std::uint64_t round, std::uint32_t client, BatchSize size,
                    std::vector<std::uint32_t>& out) {
  chain.round = round;
  chain.client = client;
  Sequence sequence(chain);
  sample_without_replacement(sequence, static_cast<std::uint32_t>(size.rows), static_cast<std::uint32_t>(size.batch),
                             out);
}

std::unique_ptr<Oracle> make_clipped_oracle(const Potential& potential, Index batch, double clip) {
  return std::make_unique<MinibatchOracle>(potential, std::min(batch, potential.rows()), clip);
}

void Oracle::set_anchor(std::span<const double>, std::span<const double>) {}

namespace {

std::unique_ptr<Oracle> make_full(const Potential& potential, Index, Index) {
  return std::make_unique<FullOracle>(potential);
}

Registry<OracleRow>& oracle_table() {
  using P = const Potential&;
  static Registry<OracleRow> rows(
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

}  // namespace

const Registry<OracleRow>& oracles() { return oracle_table(); }

void register_oracle(OracleRow row) { oracle_table().add(std::move(row)); }

std::unique_ptr<Oracle> make_oracle(const std::string& name, const Potential& potential, Index batch, Index chains) {
  return oracles().at(name).make(potential, batch, chains);
}

}  // namespace pollen
