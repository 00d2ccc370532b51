#include "distill.h"

#include <algorithm>
#include <utility>

#include "math/math.h"

namespace pollen::reference {

Distillation::Distillation(std::shared_ptr<const Unlabelled> unlabelled, const ReferenceSettings& settings)
    : unlabelled_(std::move(unlabelled)),
      batch_(settings.batch.of(unlabelled_->rows)),
      steps_(settings.distill_steps),
      rate_(settings.distill_rate),
      sum_(static_cast<std::size_t>(unlabelled_->rows) * unlabelled_->labelled.size(), 0.0),
      now_(sum_.size()),
      chosen_(unlabelled_->labelled.size()),
      uniform_(2 * static_cast<std::size_t>(batch_)) {}

void Distillation::clear() {
  members_ = 0;
  std::ranges::fill(sum_, 0.0);
}

void Distillation::add(std::span<const double> theta, Chains& chains) {
  unlabelled_->predict(theta, now_, chains.work.scratch);
  math::add(now_, sum_);
  ++members_;
}

void Distillation::teach(std::span<double> theta, const Stream& from, Chains& chains) {
  average_.assign(theta.size(), 0.0);
  const Index first = steps_ / 2;
  for (Index k = 0; k < steps_; ++k) {
    Stream stream = from;
    stream.step = static_cast<std::uint32_t>(k);
    step(theta, stream, chains);
    if (k >= first) math::axpy(1 / static_cast<double>(steps_ - first), theta, average_);
  }
  std::ranges::copy(average_, theta.begin());
}

void Distillation::step(std::span<double> theta, Stream stream, Chains& chains) {
  const std::size_t classes = chosen_.size();
  for (auto& rows : chosen_) rows.clear();
  uniforms(stream, uniform_);
  for (std::size_t i = 0; i < uniform_.size(); i += 2) {
    const auto row = static_cast<std::size_t>(uniform_[i] * static_cast<double>(unlabelled_->rows));
    const double* const q = sum_.data() + row * classes;
    double left = uniform_[i + 1] * static_cast<double>(members_);
    std::size_t label = 0;
    for (; label + 1 < classes && left >= q[label]; ++label) left -= q[label];
    chosen_[label].push_back(static_cast<std::uint32_t>(row));
  }
  gradient_.assign(theta.size(), 0.0);
  part_.resize(theta.size());
  for (std::size_t c = 0; c < classes; ++c) {
    if (chosen_[c].empty()) continue;
    unlabelled_->labelled[c]->gradient_rows(theta, chosen_[c], part_, chains.work.scratch);
    math::add(part_, gradient_);
  }
  math::axpy(-rate_ / static_cast<double>(batch_), gradient_, theta);
  chains.counters.gradients += batch_;
}

}  // namespace pollen::reference
