// A deep ensemble: chains that have descended from starts of their own (the run's warm-up) and stay where they are.
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
