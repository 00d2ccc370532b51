#include <algorithm>
#include <stdexcept>

#include "base/registry.h"
#include "personal/baselines.h"
#include "recipe/samplers.h"
#include "reference/reference.h"

namespace pollen {

namespace {

Registry<NamedSampler>& sampler_table() {
  using M = Memory;
  using F = NamedSampler::Family;
  // Keys that several samplers read.
  const std::string memory = "memory memory_rate";
  const std::string local =
      "local_steps communicate correlation scheme allow_unbalanced emit clip schedule smoothness convexity " + memory;
  const std::string personal =
      "local_steps kernel warm_start local_leapfrogs shared_step population_step step_decay shared_radius " + memory;
  static Registry<NamedSampler> table(
      "sampler.name",
      {
          {"lsd", "QLSD", "Langevin over clients: full gradients, uncompressed"},
          {"lmc", "ELF", "another name for lsd"},
          {"sgld", "QLSD", "minibatch gradients, uncompressed", "minibatch", "identity", M::none, false, true},
          {"qlsd", "QLSD", "full gradients, quantised", "full", "qsgd"},
          {"qlsd#", "QLSD", "minibatch gradients, quantised", "minibatch", "qsgd", M::none, false, true},
          {"qlsd*", "QLSD", "differences to the mode, quantised", "fixed-point", "qsgd"},
          {"lsd*", "QLSD", "differences to the mode, uncompressed", "fixed-point", "identity"},
          {"clsd*", "pollen", "differences to the mode, coded: the errors of messages are the noise", "fixed-point",
           "coded"},
          {"clsd++", "pollen",
           "differences to coded gradients at an anchor, coded: the errors of messages are the noise", "svrg", "coded",
           M::reference},
          {"qlsd++", "QLSD", "variance-reduced gradients, quantised with memory", "svrg", "qsgd", M::average, false,
           false, F::gradient, memory + " memory_init"},
          {"lsd++", "QLSD", "variance-reduced gradients, uncompressed", "svrg", "identity", M::average, false, false,
           F::gradient, memory + " memory_init"},
          {"d-elf", "ELF", "error feedback on what clients send", "full", "top-k", M::feedback},
          {"p-elf", "ELF", "error feedback on what the server sends", "full", "identity", M::none, true},
          {"b-elf", "ELF", "error feedback both ways", "full", "top-k", M::feedback, true},
          {"fald", "FALD", "local steps, averaged", "minibatch", "identity", M::none, false, false, F::fald, local},
          {"vr-fald*", "FALD", "local steps with control variates, averaged", "control", "identity", M::none, false,
           false, F::fald, local},
          {"fa-ld", "FA-LD", "local steps, averaged by size; some devices; privacy", "minibatch", "identity", M::none,
           false, false, F::fa_ld, local},
          {"fedsoul", "FedPop",
           "personal latents, Langevin on every client; mixed-effects models, networks' last layers", "full",
           "identity", M::none, false, false, F::personal, personal},
          {"fedsouk", "FedPop", "the same with another local kernel: mala, hmc", "full", "identity", M::none, false,
           false, F::personal, personal},
          {"nuts", "Hoffman and Gelman 2014; Betancourt 2017",
           "the no-U-turn sampler: exact, a round per leapfrog step", "full", "identity", M::none, false, false,
           F::exact, "target_accept adapt_mass max_depth"},
          {"hmc", "Duane et al. 1987; Neal 2011", "Hamiltonian Monte Carlo: exact, a round per leapfrog step", "full",
           "identity", M::none, false, false, F::exact,
           "target_accept adapt_mass leapfrogs trajectory jitter most_leapfrogs"},
          {"mala", "Roberts and Tweedie 1996", "Metropolis-adjusted Langevin: exact, a round per transition", "full",
           "identity", M::none, false, false, F::exact, "target_accept"},
          {"custom", "", "your own: oracle, compressor, memory or error_feedback, downlink, local_steps", "full",
           "identity", M::none, false, false, F::gradient, local + " memory_init oracle error_feedback"},
      });
  return table;
}

}  // namespace

const Registry<NamedSampler>& recipe_samplers() { return sampler_table(); }

const NamedSampler* find_sampler(const std::string& name) { return sampler_table().find(name); }

void register_sampler(NamedSampler row) {
  if (find_reference(row.name) != nullptr || find_baseline(row.name) != nullptr)
    throw std::invalid_argument("sampler.name: " + std::string(row.name) + " is taken");
  sampler_table().add(std::move(row));
}

std::vector<SamplerRow> sampler_rows() {
  std::vector<SamplerRow> rows;
  const auto add = [&](const auto& row) {
    if (std::ranges::count(rows, row.name, &SamplerRow::name) == 0) rows.push_back({row.name, row.paper, row.summary});
  };
  std::ranges::for_each(sampler_table(), add);
  std::ranges::for_each(reference_table(), add);
  std::ranges::for_each(baseline_table(), add);
  return rows;
}

}  // namespace pollen
