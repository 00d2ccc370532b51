#include <utility>

#include "engine.h"
#include "pooled.h"
#include "samplers.h"

namespace pollen {

namespace reference {
namespace {

template <KernelPointer (*make)(const Chains&, const ReferenceSettings&, Target)>
KernelPointer on_all(const Chains& chains, const ReferenceSettings& settings) {
  const ReferenceProblem& problem = chains.problem;
  return make(chains, settings, Target(make_pooled(problem), {problem.prior, 1.0}, problem.temperature));
}

}  // namespace
}  // namespace reference

const Registry<ReferenceSampler>& reference_table() {
  using namespace reference;
  static const Registry<ReferenceSampler> table(
      "sampler.name",
      {
          {"ula", "Roberts and Tweedie 1996", "unadjusted Langevin on the pooled data", "step", false, true, true,
           make_ula},
          {"mala", "Roberts and Tweedie 1996", "Metropolis-adjusted Langevin on the pooled data",
           "step warm_up target_accept", false, true, false, on_all<make_mala>, true},
          {"hmc", "Duane et al. 1987; Neal 2011", "Hamiltonian Monte Carlo on the pooled data",
           "step warm_up target_accept adapt_mass leapfrogs trajectory jitter most_leapfrogs", false, true, false,
           on_all<make_hmc>, true},
          {"nuts", "Hoffman and Gelman 2014; Betancourt 2017", "the no-U-turn sampler on the pooled data",
           "step warm_up target_accept adapt_mass max_depth", false, true, false, on_all<make_nuts>, true},
          {"sgld-pooled", "Welling and Teh 2011", "minibatch Langevin on the pooled data", "step batch", false, true,
           true, make_sgld_pooled},
          {"svrg-ld", "Dubey et al. 2016", "variance-reduced minibatch Langevin on the pooled data",
           "step batch refresh", false, true, true, make_svrg_ld},
          {"psgld", "Li et al. 2016", "RMSprop-preconditioned SGLD without its correction term: biased",
           "step batch decay damping", false, true, true, make_psgld},
          {"dg-lmc", "Plassier et al. 2021", "Langevin within Gibbs: clients sample around the server's draw",
           "step batch local_steps tolerance", true, true, true, make_dg_lmc},
          {"fsgld", "El Mekkaoui et al. 2021", "a chain visits clients, corrected by Gaussian surrogates",
           "step batch warm_up local_steps surrogate swag_rate swag_least_sd local_kernel diagonal target_accept "
           "adapt_mass max_depth",
           true, true, true, make_fsgld},
          {"consensus", "Scott et al. 2016", "local posteriors' draws, averaged by inverse covariance",
           "warm_up local_kernel diagonal target_accept adapt_mass max_depth", true, true, false, make_consensus},
          {"fedavg", "McMahan et al. 2017", "local gradient steps, averaged: an optimiser",
           "step batch local_steps server_step", true, false, true, make_fedavg},
          {"scaffold", "Karimireddy et al. 2020", "fedavg with control variates: an optimiser",
           "step batch local_steps server_step", true, false, true, make_scaffold},
          {"fedpa", "Al-Shedivat et al. 2021", "local posteriors averaged by shrunk precision: an optimiser",
           "step batch local_steps server_step samples local_burn_in shrinkage", true, false, true, make_fedpa},
          {"fedbe", "Chen and Chao 2021", "draws from a law over clients' models after local steps: no posterior's",
           "step batch local_steps server_law samples distill distill_steps distill_rate", true, true, true,
           make_fedbe},
          {"ensemble", "Lakshminarayanan et al. 2017", "every chain is a member: where its warm-up ended", "", false,
           false, false, make_ensemble},
      });
  return table;
}

const ReferenceSampler* find_reference(const std::string& name) { return reference_table().find(name); }

std::unique_ptr<Engine> make_reference(const std::string& name, const ReferenceProblem& problem,
                                       const ReferenceSettings& settings) {
  const ReferenceSampler& row = reference_table().at(name);
  reference::check_settings(row, problem, settings);
  auto chains = std::make_unique<reference::Chains>(problem);
  auto kernel = row.make(*chains, settings);
  return reference::make_engine(std::move(chains), std::move(kernel));
}

}  // namespace pollen
