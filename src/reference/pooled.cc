#include "pooled.h"

#include <algorithm>
#include <utility>

#include "math/math.h"

namespace pollen::reference {

namespace {

using Rows = std::span<const std::uint32_t>;

class Pooled final : public Potential {
 public:
  explicit Pooled(std::vector<const Potential*> clients) : clients_(std::move(clients)) {
    for (const Potential* client : clients_) {
      first_.push_back(rows_);
      rows_ += client->rows();
    }
  }

  Index dimension() const override { return clients_.front()->dimension(); }
  Index rows() const override { return rows_; }

  void value(const ConstPanelView& theta, std::span<double> out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const auto part = scratch.take<double>(theta.columns);
    std::ranges::fill(out, 0.0);
    for (const Potential* client : clients_) {
      client->value(theta, part, scratch);
      for (std::size_t c = 0; c < part.size(); ++c) out[c] += part[c];
    }
  }

  void gradient(const ConstPanelView& theta, const PanelView& out, Scratch& scratch) const override {
    sum(out, scratch, [&](const Potential& client, const PanelView& part) { client.gradient(theta, part, scratch); });
  }

  void difference(const ConstPanelView& theta, const ConstPanelView& anchor, const PanelView& out,
                  Scratch& scratch) const override {
    sum(out, scratch,
        [&](const Potential& client, const PanelView& part) { client.difference(theta, anchor, part, scratch); });
  }

  void gradient_rows(std::span<const double> theta, Rows rows, std::span<double> out, Scratch& scratch) const override {
    split(rows, out, scratch, [&](const Potential& client, Rows own, std::span<double> part) {
      client.gradient_rows(theta, own, part, scratch);
    });
  }

  void difference_rows(std::span<const double> theta, std::span<const double> anchor, Rows rows, std::span<double> out,
                       Scratch& scratch) const override {
    split(rows, out, scratch, [&](const Potential& client, Rows own, std::span<double> part) {
      client.difference_rows(theta, anchor, own, part, scratch);
    });
  }

  void curvature(std::span<const double> at, std::span<const double> v, std::span<double> out,
                 Scratch& scratch) const override {
    sum({out.data(), dimension(), 1, dimension()}, scratch,
        [&](const Potential& client, const PanelView& part) { client.curvature(at, v, part.column(0), scratch); });
  }
  bool curvature_is_bound() const override { return clients_.front()->curvature_is_bound(); }
  double row_curvature(std::span<const double> at, Scratch& scratch) const override {
    double largest = 0;
    for (const Potential* client : clients_) largest = std::max(largest, client->row_curvature(at, scratch));
    return largest;
  }

 private:
  template <class Evaluate>
  void sum(const PanelView& out, Scratch& scratch, const Evaluate& evaluate) const {
    Scratch::Frame frame(scratch);
    const PanelView part = scratch.panel(out.rows, out.columns);
    evaluate(*clients_.front(), out);
    for (std::size_t i = 1; i < clients_.size(); ++i) {
      evaluate(*clients_[i], part);
      for (Index c = 0; c < out.columns; ++c) math::add(part.column(c), out.column(c));
    }
  }

  // Splits sorted pooled rows among the clients and calls `evaluate` with each client's own row numbers.
  template <class Evaluate>
  void split(Rows rows, std::span<double> out, Scratch& scratch, const Evaluate& evaluate) const {
    Scratch::Frame frame(scratch);
    const auto part = scratch.take<double>(dimension());
    const auto own = scratch.take<std::uint32_t>(static_cast<Index>(rows.size()));
    std::ranges::fill(out, 0.0);
    std::size_t at = 0;
    for (std::size_t i = 0; i < clients_.size() && at < rows.size(); ++i) {
      const auto first = static_cast<std::uint32_t>(first_[i]);
      const auto end = static_cast<std::uint32_t>(first_[i] + clients_[i]->rows());
      std::size_t count = 0;
      for (; at < rows.size() && rows[at] < end; ++at) own[count++] = rows[at] - first;
      if (count == 0) continue;
      evaluate(*clients_[i], own.first(count), part);
      math::add(part, out);
    }
  }

  std::vector<const Potential*> clients_;
  std::vector<Index> first_;  // the pooled number of each client's first row
  Index rows_ = 0;
};

}  // namespace

std::shared_ptr<const Potential> make_pooled(const ReferenceProblem& problem) {
  if (problem.pool) return problem.pool();
  return std::make_shared<Pooled>(problem.clients);
}

}  // namespace pollen::reference
