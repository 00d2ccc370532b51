#include <algorithm>
#include <utility>

#include "base/words.h"
#include "engine.h"
#include "pooled.h"
#include "samplers.h"

namespace pollen {

namespace reference {
namespace {

using Make = KernelPointer (*)(const Chains&, const ReferenceSettings&);

template <KernelPointer (*make)(const Chains&, const ReferenceSettings&, Target)>
KernelPointer on_all(const Chains& chains, const ReferenceSettings& settings) {
  const ReferenceProblem& problem = chains.problem;
  return make(chains, settings, Target(make_pooled(problem), {problem.prior, 1.0}, problem.temperature));
}

struct Entry {
  ReferenceSampler row;
  Make make;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> table = {
      {{"ula", "Roberts and Tweedie 1996", "unadjusted Langevin on the pooled data", "step", false, true, true},
       make_ula},
      {{"mala", "Roberts and Tweedie 1996", "Metropolis-adjusted Langevin on the pooled data",
        "step warm_up target_accept", false, true, false, true},
       on_all<make_mala>},
      {{"hmc", "Duane et al. 1987; Neal 2011", "Hamiltonian Monte Carlo on the pooled data",
        "step warm_up target_accept adapt_mass leapfrogs trajectory jitter most_leapfrogs", false, true, false, true},
       on_all<make_hmc>},
      {{"nuts", "Hoffman and Gelman 2014; Betancourt 2017", "the no-U-turn sampler on the pooled data",
        "step warm_up target_accept adapt_mass max_depth", false, true, false, true},
       on_all<make_nuts>},
      {{"sgld-pooled", "Welling and Teh 2011", "minibatch Langevin on the pooled data", "step batch", false, true,
        true},
       make_sgld_pooled},
      {{"svrg-ld", "Dubey et al. 2016", "variance-reduced minibatch Langevin on the pooled data", "step batch refresh",
        false, true, true},
       make_svrg_ld},
      {{"psgld", "Li et al. 2016", "RMSprop-preconditioned SGLD without its correction term: biased",
        "step batch decay damping", false, true, true},
       make_psgld},
      {{"dg-lmc", "Plassier et al. 2021", "Langevin within Gibbs: clients sample around the server's draw",
        "step batch local_steps tolerance", true, true, true},
       make_dg_lmc},
      {{"fsgld", "El Mekkaoui et al. 2021", "a chain visits clients, corrected by Gaussian surrogates",
        "step batch warm_up local_steps surrogate swag_rate swag_least_sd local_kernel diagonal target_accept "
        "adapt_mass "
        "max_depth",
        true, true, true},
       make_fsgld},
      {{"consensus", "Scott et al. 2016", "local posteriors' draws, averaged by inverse covariance",
        "warm_up local_kernel diagonal target_accept adapt_mass max_depth", true, true, false},
       make_consensus},
      {{"fedavg", "McMahan et al. 2017", "local gradient steps, averaged: an optimiser",
        "step batch local_steps server_step", true, false, true},
       make_fedavg},
      {{"scaffold", "Karimireddy et al. 2020", "fedavg with control variates: an optimiser",
        "step batch local_steps server_step", true, false, true},
       make_scaffold},
      {{"fedpa", "Al-Shedivat et al. 2021", "local posteriors averaged by shrunk precision: an optimiser",
        "step batch local_steps server_step samples local_burn_in shrinkage", true, false, true},
       make_fedpa},
      {{"fedbe", "Chen and Chao 2021", "draws from a law over clients' models after local steps: no posterior's",
        "step batch local_steps server_law samples distill distill_steps distill_rate", true, true, true},
       make_fedbe},
      {{"ensemble", "Lakshminarayanan et al. 2017", "every chain is a member: where its warm-up ended", "", false,
        false, false},
       make_ensemble},
  };
  return table;
}

}  // namespace
}  // namespace reference

const std::vector<ReferenceSampler>& reference_table() {
  static const std::vector<ReferenceSampler> table = [] {
    std::vector<ReferenceSampler> rows;
    for (const reference::Entry& entry : reference::entries()) rows.push_back(entry.row);
    return rows;
  }();
  return table;
}

const ReferenceSampler* find_reference(const std::string& name) {
  const auto& table = reference_table();
  const auto at = std::ranges::find_if(table, [&](const ReferenceSampler& s) { return s.name == name; });
  return at == table.end() ? nullptr : &*at;
}

std::unique_ptr<Engine> make_reference(const std::string& name, const ReferenceProblem& problem,
                                       const ReferenceSettings& settings) {
  std::vector<std::string> names;
  for (const reference::Entry& entry : reference::entries()) {
    names.emplace_back(entry.row.name);
    if (name != entry.row.name) continue;
    reference::check_settings(entry.row, problem, settings);
    auto chains = std::make_unique<reference::Chains>(problem);
    auto kernel = entry.make(*chains, settings);
    return reference::make_engine(std::move(chains), std::move(kernel));
  }
  refuse_name("sampler.name", name, names);
}

}  // namespace pollen
