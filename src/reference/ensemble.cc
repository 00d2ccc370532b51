// A deep ensemble (Lakshminarayanan et al. 2017). Each chain descended from its own start in the run's warm-up and does
// not move afterwards.
#include "samplers.h"

namespace pollen::reference {

namespace {

class Members final : public Kernel {
 public:
  void iterate(Chains&) override {}
};

}  // namespace

KernelPointer make_ensemble(const Chains&, const ReferenceSettings&) { return std::make_unique<Members>(); }

}  // namespace pollen::reference
