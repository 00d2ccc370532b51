// What a client's messages do to the gradient of U near the mode, as sums that a forecast needs (docs/plan.md, "What
// the clients send"). Rows do not leave the client, and neither does its own gradient: answers are matrices that the
// transport adds up over the clients.
//
// With S the posterior's covariance and S^½ the directions, J = H_i S^½ holds the change of the client's gradient over
// one posterior standard deviation in every direction, from central differences. Rows are looked at in the same way, at
// most kRows of them and kPairs pairs of a row and a direction.
#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "pollen/round.h"

namespace pollen {

namespace {

constexpr Index kRows = 1000, kPairs = 4000;
constexpr double kStep = 1e-3;  // of central differences, in posterior standard deviations

// Adds up outer products in the lower half of a symmetric matrix, column by column.
class LowerHalf {
 public:
  explicit LowerHalf(std::span<double> out) : out_(out) { std::ranges::fill(out_, 0.0); }

  void add(std::span<const double> v, double weight) {
    std::size_t at = 0;
    for (std::size_t j = 0; j < v.size(); ++j)
      for (std::size_t i = j; i < v.size(); ++i) out_[at++] += weight * v[i] * v[j];
  }
  void add_product(std::span<const double> u, std::span<const double> v, double weight) {  // ½ (u vᵀ + v uᵀ)
    std::size_t at = 0;
    for (std::size_t j = 0; j < v.size(); ++j)
      for (std::size_t i = j; i < v.size(); ++i) out_[at++] += 0.5 * weight * (u[i] * v[j] + v[i] * u[j]);
  }
  void add_diagonal(std::span<const double> diagonal, double weight) {
    for (std::size_t j = 0, at = 0; j < diagonal.size(); at += diagonal.size() - j, ++j)
      out_[at] += weight * diagonal[j];
  }

 private:
  std::span<double> out_;
};

class ClientNoise {
 public:
  ClientNoise(const Potential& potential, const ClientParts& parts, std::span<const double> at,
              ConstPanelView directions)
      : potential_(potential), parts_(parts), at_(at), directions_(directions), d_(std::ssize(at)) {
    const Recipe& recipe = *parts.recipe;
    const Index n = potential.rows();
    rows_ = static_cast<double>(n);
    const auto batch = static_cast<double>(recipe.batch.of(n));
    remembers_ = recipe.up.memory == Memory::average;
    rows_at_mode_ = recipe.oracle == OracleKind::full || recipe.oracle == OracleKind::minibatch;
    at_mode_ = !remembers_ && recipe.oracle != OracleKind::fixed_point && recipe.oracle != OracleKind::control &&
               recipe.up.memory != Memory::reference;
    if (recipe.local) round_ = recipe.local->mean_square_steps();
    if (batch < rows_) drawn_ = rows_ * (rows_ - batch) / (batch * (rows_ - 1));
    sampled_ = std::min(n, kRows);
    per_row_ = std::clamp<Index>(kPairs / sampled_, 1, d_);
  }

  // Finds g_i and J, with the client's share of the prior or of the likelihood alone.
  void look(bool with_prior, Scratch& scratch) {
    Panel ends(d_, 2 * d_);
    gradient_ = Panel(d_, 1);
    change_ = Panel(d_, d_);
    for (Index c = 0; c < d_; ++c)
      for (const Index side : {0, 1}) {
        std::ranges::copy(at_, ends.column(2 * c + side).begin());
        math::axpy(side == 0 ? kStep : -kStep, directions_.column(c), ends.column(2 * c + side));
      }
    Panel slopes(d_, 2 * d_);
    potential_.gradient(ends, slopes, scratch);
    potential_.gradient({at_.data(), d_, 1, d_}, gradient_, scratch);
    for (Index c = 0; c < d_; ++c) {
      math::subtract(slopes.column(2 * c), slopes.column(2 * c + 1), change_.column(c));
      math::scale(0.5 / kStep, change_.column(c));
      if (with_prior && parts_.prior_share != 0)
        parts_.prior->add_curvature(directions_.column(c), parts_.prior_share, change_.column(c));
    }
    if (with_prior && parts_.prior_share != 0) parts_.prior->add_gradient(at_, parts_.prior_share, gradient_.column(0));
  }

  // Σ h hᵀ over the posterior, where h is the gradient or its difference to the one at the mode.
  void add_square(double weight, LowerHalf& sum) const {
    if (at_mode_) sum.add(gradient_.column(0), weight);
    for (Index c = 0; c < d_; ++c) sum.add(change_.column(c), weight);
  }

  // The covariance of the minibatch's gradient.
  void add_minibatch(double weight, LowerHalf& sum, Scratch& scratch) const {
    if (drawn_ == 0) return;
    each_row(scratch, [&](std::span<const double> v, double share) { sum.add(v, weight * drawn_ * share); });
    if (rows_at_mode_) sum.add(gradient_.column(0), -weight * drawn_ / rows_);
    for (Index c = 0; c < d_; ++c) sum.add(change_.column(c), -weight * drawn_ / rows_);
  }

  // The mean covariance of the compressed message: at the mode and √d posterior standard deviations to every side,
  // together with what a minibatch of random rows adds. Every row that is looked at meets every direction. Over K local
  // steps the former grows like K and the latter like √K.
  void add_compression(double weight, LowerHalf& sum, Scratch& scratch) const {
    const Panel rows = remembers_ ? Panel() : row_deviations(scratch);
    const Index found = std::max<Index>(1, rows.columns()), used = std::clamp<Index>(kPairs / d_, 1, found);
    const double far = std::sqrt(round_);
    std::vector<double> v(static_cast<std::size_t>(d_));
    for (Index r = 0; r < used; ++r)
      for (Index c = 0; c < d_; ++c)
        for (const double side : {1.0, -1.0}) {
          std::ranges::fill(v, 0.0);
          if (at_mode_) math::axpy(far, gradient_.column(0), v);
          math::axpy(side * far * std::sqrt(static_cast<double>(d_)), change_.column(c), v);
          if (!rows.empty()) math::add(rows.column(used == found ? r : deviation(r)), v);
          add_code(v, 0.5 * weight / static_cast<double>(used * d_), sum);
        }
  }

  void add_row_compression(double weight, LowerHalf& sum, Scratch& scratch) const {
    const Panel rows = row_deviations(scratch);
    for (Index r = 0; r < rows.columns(); ++r)
      add_code(rows.column(r), weight / static_cast<double>(rows.columns()), sum);
  }

  // H_i²/w_i. The directions are orthogonal, so J of their unit vectors has H_i² as the sum of its squares.
  void add_squares(LowerHalf& sum) const {
    for (Index c = 0; c < d_; ++c)
      sum.add(change_.column(c), 1 / (parts_.weight * math::squared_norm(directions_.column(c))));
  }

  // H_i times the mean age of what is known of a client that takes part with this probability.
  void add_delay(double chance, LowerHalf& sum) const {
    const double passes = parts_.compressor->unbiased() ? 1 : parts_.compressor->alpha(d_);
    for (Index c = 0; c < d_; ++c) {
      const auto direction = directions_.column(c);
      sum.add_product(change_.column(c), direction, (1 / (chance * passes) - 1) / math::squared_norm(direction));
    }
  }

  void drift(std::span<double> out) const {
    std::ranges::fill(out, 0.0);
    for (Index c = 0; c < d_; ++c) {
      const auto direction = directions_.column(c);
      const double along = math::dot(direction, gradient_.column(0)) / math::squared_norm(direction);
      math::axpy(along / parts_.weight, change_.column(c), out);
    }
  }

 private:
  void add_code(std::span<const double> v, double weight, LowerHalf& sum) const {
    std::vector<double> diagonal(v.size());
    const double between = parts_.compressor->covariance(v, diagonal);
    sum.add_diagonal(diagonal, weight);
    if (between != 0) sum.add(v, weight * between);
  }

  // The fractional part of n times an irrational number: evenly spread, in step with no period of the data.
  static Index spread(Index n, double irrational, Index size) {
    const double x = static_cast<double>(n) * irrational;
    return static_cast<Index>((x - std::floor(x)) * static_cast<double>(size));
  }

  std::uint32_t row(Index place) const {
    const Index rows = potential_.rows();
    return static_cast<std::uint32_t>(sampled_ == rows ? place : spread(place, 0.6180339887498949, rows));
  }

  // The r-th of a part of the row deviations. Rows and directions are picked apart from each other.
  Index deviation(Index r) const {
    return spread(r, 0.7548776662466927, sampled_) * each() + spread(r, 0.5698402909980532, each());
  }

  Index each() const { return per_row_ + (rows_at_mode_ ? 1 : 0); }  // vectors per row in each_row()

  // Calls use(v, share) for vectors whose weighted outer products add up to Σ_j g_ij g_ijᵀ (if it counts) and Σ_j H_ij
  // S H_ij over all rows.
  template <class Use>
  void each_row(Scratch& scratch, const Use& use) const {
    std::vector<double> v(static_cast<std::size_t>(d_)), up(v.size()), down(v.size());
    const double share = rows_ / static_cast<double>(sampled_);
    for (Index place = 0; place < sampled_; ++place) {
      const std::uint32_t one[] = {row(place)};
      if (rows_at_mode_) {
        potential_.gradient_rows(at_, one, v, scratch);
        use(v, share);
      }
      for (Index p = 0; p < per_row_; ++p) {
        const auto direction = directions_.column((place * per_row_ + p) % d_);
        std::ranges::copy(at_, up.begin());
        std::ranges::copy(at_, down.begin());
        math::axpy(kStep, direction, up);
        math::axpy(-kStep, direction, down);
        potential_.difference_rows(up, down, one, v, scratch);
        math::scale(0.5 / kStep, v);
        use(v, share * static_cast<double>(d_) / static_cast<double>(per_row_));
      }
    }
  }

  // Equally likely vectors with the mean 0 and the covariance of the minibatch's gradient; none if all rows are used.
  Panel row_deviations(Scratch& scratch) const {
    if (drawn_ == 0) return {};
    std::vector<std::vector<double>> found;
    std::vector<double> shares;
    each_row(scratch, [&](std::span<const double> v, double share) {
      found.emplace_back(v.begin(), v.end());
      shares.push_back(share);
    });
    Panel result(d_, std::ssize(found));
    const auto count = static_cast<double>(found.size());
    for (std::size_t r = 0; r < found.size(); ++r) {
      const Index place = static_cast<Index>(r) / each(),
                  of_row = static_cast<Index>(r) % each() - (rows_at_mode_ ? 1 : 0);
      const auto mean = of_row < 0 ? gradient_.column(0) : change_.column((place * per_row_ + of_row) % d_);
      math::axpy(-1 / rows_, mean, found[r]);
      math::axpy(std::sqrt(drawn_ * shares[r] * count), found[r], result.column(static_cast<Index>(r)));
    }
    return result;
  }

  const Potential& potential_;
  const ClientParts& parts_;
  std::span<const double> at_;
  ConstPanelView directions_;
  Index d_, sampled_ = 1, per_row_ = 1;
  double rows_ = 1;
  double round_ = 1;           // E K²/E K of K local steps
  double drawn_ = 0;           // N(N-n)/(n(N-1)); 0 if all rows are used
  bool remembers_ = false;     // the message is a difference to a memory
  bool rows_at_mode_ = false;  // rows add noise at the mode, too, as no anchor is taken off
  bool at_mode_ = false;       // the message is not zero at the mode
  Panel gradient_, change_;    // g_i and J
};

// The factors a_i of Σ a_i h_i h_iᵀ and E[w_i²] where clients differ in them. Where they do not, the server multiplies.
struct PresenceFactors {
  double own = 1, square = 1;
};

PresenceFactors factors(const Participation& who, std::uint32_t index, double rows, double all_rows) {
  if (who.policy == ParticipationPolicy::bernoulli && who.scaling == Scaling::inverse_probability) {
    const double p = who.probability.size() == 1 ? who.probability.front() : who.probability[index];
    return {(1 - p) / p, 1 / p};
  }
  if (who.policy != ParticipationPolicy::fixed_size || !who.replacement) return {};
  const double own = all_rows / (static_cast<double>(who.size) * rows);
  return {own, 1 - 1 / static_cast<double>(who.size) + own};
}

// The probability that a client takes part in a round.
double chance_of(const Participation& who, std::uint32_t index, double share, Index clients) {
  if (!who.partial(clients)) return 1;
  const auto b = static_cast<double>(clients), size = static_cast<double>(who.size);
  if (who.policy == ParticipationPolicy::fixed_size) return who.replacement ? 1 - std::pow(1 - share, size) : size / b;
  const double p = who.probability.size() == 1 ? who.probability.front() : who.probability[index];
  return who.scaling == Scaling::active ? p / (1 - std::pow(1 - p, b)) : p;  // active: empty rounds are drawn again
}

}  // namespace

void Client::noise(const NoiseQuestion& question, std::span<const double> at, ConstPanelView directions,
                   std::span<double> out, Workspace& work) const {
  using Part = NoiseQuestion::Part;
  const Recipe& recipe = *parts_.recipe;
  ClientNoise noise(*potential_, parts_, at, directions);
  const bool rows_alone = question.part == Part::minibatch || question.part == Part::row_compression;
  noise.look(!rows_alone, work.scratch);
  if (question.part == Part::drift) return noise.drift(out);
  const auto rows = static_cast<double>(potential_->rows()), all_rows = static_cast<double>(question.rows);
  const PresenceFactors by = factors(recipe.participation, index_, rows, all_rows);
  LowerHalf sum(out);
  if (question.part == Part::participation) noise.add_square(by.own, sum);
  if (question.part == Part::minibatch) noise.add_minibatch(by.square, sum, work.scratch);
  if (question.part == Part::compression) noise.add_compression(by.square, sum, work.scratch);
  if (question.part == Part::row_compression) noise.add_row_compression(by.square, sum, work.scratch);
  if (question.part == Part::squares) noise.add_squares(sum);
  if (question.part == Part::delay)
    noise.add_delay(chance_of(recipe.participation, index_, rows / all_rows, parts_.clients), sum);
}

}  // namespace pollen
