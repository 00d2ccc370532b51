// Where exact kernels learn about the posterior: the potential U/T and its gradient, with U = U_0 + Σ U_i, at several
// positions at once. A run asks the clients of its federation (run/exact_posterior.h); a chain on one client's own rows
// asks that client's potential. Objects are not thread-safe.
#pragma once

#include <vector>

#include "pollen/archive.h"
#include "pollen/client.h"
#include "pollen/errors.h"
#include "pollen/model.h"

namespace pollen::exact {

class Posterior {
 public:
  virtual ~Posterior() = default;
  virtual Index dimension() const = 0;
  virtual double temperature() const { return 1; }
  // Writes to column c of `out`, which has d + 1 rows, the gradient of U/T at column c of `at` and then U/T. A column's
  // answer has the same bits whatever the other columns are. Numbers may be infinite or NaN where the density is 0 or
  // cannot be computed. What the question costs is added to the counters.
  virtual void ask(ConstPanelView at, PanelView out, Counters& counters) = 0;
  // Says that the burn-in is over, so that answers which cannot be may be told from those far from the bulk.
  virtual void settle() {}
  // Called with an error to which the answers have led; `fell` says that it is an energy that fell as no energy does.
  // If it is known whose answers they are, another error is thrown that says so.
  virtual void blame(const NumericError& /*error*/, bool /*fell*/) {}
  virtual void listen(TrafficListener) {}
  virtual void archive(Archive&) {}
};

// The parts of an answer: its gradients, and the potential in one column.
inline PanelView gradients_of(PanelView answer) {
  return {answer.data, answer.rows - 1, answer.columns, answer.stride};
}
inline double& potential_of(PanelView answer, Index column) { return answer.column(column).back(); }

// Turns the sums over clients in `answer`, which are of the likelihood, into what Posterior::ask() writes: adds `share`
// times the prior's potential and divides by the temperature.
struct PriorPart {
  const Prior* prior = nullptr;
  double share = 1;
};
void complete_answer(const PriorPart& prior, double temperature, ConstPanelView at, PanelView answer);

// The posterior of potentials that this process has. They are asked one after another and must outlive the object.
class HeldPosterior final : public Posterior {
 public:
  HeldPosterior(std::vector<const Potential*> parts, const PriorPart& prior, double temperature);

  Index dimension() const override { return parts_.front()->dimension(); }
  double temperature() const override { return temperature_; }
  void ask(ConstPanelView at, PanelView out, Counters& counters) override;

 private:
  std::vector<const Potential*> parts_;
  PriorPart prior_;
  double temperature_;
  Scratch scratch_;
};

}  // namespace pollen::exact
