#include "run_parts.h"

#include "pollen/version.h"

namespace pollen::report {

Json versions() {
  return {{"version", version()},
          {"revision", revision()},
          {"build", build_type()},
          {"compiler", compiler()}};
}

Json parameter_row(const std::string& name, const std::string& label, const stats::ParameterSummary& p) {
  return {{"name", name},
          {"label", label},
          {"mean", number(p.mean)},
          {"mcse", number(p.mcse)},
          {"sd", number(p.sd)},
          {"q5", number(p.q5)},
          {"q50", number(p.q50)},
          {"q95", number(p.q95)},
          {"essBulk", number(p.ess_bulk)},
          {"essTail", number(p.ess_tail)},
          {"rhat", number(p.rhat)}};
}

}  // namespace pollen::report
