#include "minibatches.h"

namespace pollen::oracle {

namespace {

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

}  // namespace

std::unique_ptr<Oracle> make_full(const Potential& potential) { return std::make_unique<FullOracle>(potential); }

OracleRow full_row() {
  return {"full", "the gradient over all rows", "", OracleKind::full,
          [](const Potential& potential, Index, Index) { return make_full(potential); }};
}

}  // namespace pollen::oracle
