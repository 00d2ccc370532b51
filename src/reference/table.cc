#include <utility>

#include "samplers.h"

namespace pollen {

namespace reference {
namespace {

// A deep ensemble (Lakshminarayanan et al. 2017). Each chain descended from its own start in the run's warm-up and does
// not move afterwards.
class Members final : public Kernel {
 public:
  void iterate(Chains&) override {}
};

KernelPointer make_ensemble(const Chains&, const ReferenceSettings&) { return std::make_unique<Members>(); }

}  // namespace
}  // namespace reference

const Registry<ReferenceSampler>& reference_table() {
  using namespace reference;
  static const Registry<ReferenceSampler> table(
      "sampler.name",
      {
          {"ula", "Roberts and Tweedie 1996", "unadjusted Langevin on the pooled data", "step", make_ula, false, true,
           true},
          {"sgld-pooled", "Welling and Teh 2011", "minibatch Langevin on the pooled data", "step batch",
           make_sgld_pooled, false, true, true},
          {"svrg-ld", "Dubey et al. 2016", "variance-reduced minibatch Langevin on the pooled data",
           "step batch refresh", make_svrg_ld, false, true, true},
          {"psgld", "Li et al. 2016", "RMSprop-preconditioned SGLD without its correction term: biased",
           "step batch decay damping", make_psgld, false, true, true},
          {"dg-lmc", "Plassier et al. 2021", "Langevin within Gibbs: clients sample around the server's draw",
           "step batch local_steps tolerance", make_dg_lmc, true, true, true},
          {"fsgld", "El Mekkaoui et al. 2021", "a chain visits clients, corrected by Gaussian surrogates",
           "step batch warm_up local_steps surrogate swag_rate swag_least_sd local_kernel diagonal target_accept "
           "adapt_mass max_depth",
           make_fsgld, true, true, true},
          {"consensus", "Scott et al. 2016", "local posteriors' draws, averaged by inverse covariance",
           "warm_up local_kernel diagonal target_accept adapt_mass max_depth", make_consensus, true, true, false},
          {"fedavg", "McMahan et al. 2017", "local gradient steps, averaged: an optimiser",
           "step batch local_steps server_step", make_fedavg, true, false, true},
          {"scaffold", "Karimireddy et al. 2020", "fedavg with control variates: an optimiser",
           "step batch local_steps server_step", make_scaffold, true, false, true},
          {"fedpa", "Al-Shedivat et al. 2021", "local posteriors averaged by shrunk precision: an optimiser",
           "step batch local_steps server_step samples local_burn_in shrinkage", make_fedpa, true, false, true},
          {"fedbe", "Chen and Chao 2021", "draws from a law over clients' models after local steps: no posterior's",
           "step batch local_steps server_law samples distill distill_steps distill_rate", make_fedbe, true, true,
           true},
          {"ensemble", "Lakshminarayanan et al. 2017", "every chain is a member: where its warm-up ended", "",
           make_ensemble, false, false, false},
      });
  return table;
}

std::unique_ptr<Engine> make_reference(const std::string& name, const ReferenceProblem& problem,
                                       const ReferenceSettings& settings) {
  const ReferenceSampler& row = reference_table().at(name);
  reference::check_settings(row, problem, settings);
  auto chains = std::make_unique<reference::Chains>(problem);
  auto kernel = row.make(*chains, settings);
  return reference::make_engine(std::move(chains), std::move(kernel));
}

}  // namespace pollen
