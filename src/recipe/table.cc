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
          {"qlsd++", "QLSD", "variance-reduced gradients, quantised with memory", "svrg", "qsgd", M::average},
          {"lsd++", "QLSD", "variance-reduced gradients, uncompressed", "svrg", "identity", M::average},
          {"d-elf", "ELF", "error feedback on what clients send", "full", "top-k", M::feedback},
          {"p-elf", "ELF", "error feedback on what the server sends", "full", "identity", M::none, true},
          {"b-elf", "ELF", "error feedback both ways", "full", "top-k", M::feedback, true},
          {"fald", "FALD", "local steps, averaged", "minibatch", "identity", M::none, false, false, F::fald},
          {"vr-fald*", "FALD", "local steps with control variates, averaged", "control", "identity", M::none, false,
           false, F::fald},
          {"fa-ld", "FA-LD", "local steps, averaged by size; some devices; privacy", "minibatch", "identity", M::none,
           false, false, F::fa_ld},
          {"fedsoul", "FedPop",
           "personal latents, Langevin on every client; mixed-effects models, networks' last layers", "full",
           "identity", M::none, false, false, F::personal},
          {"fedsouk", "FedPop", "the same with another local kernel: mala, hmc", "full", "identity", M::none, false,
           false, F::personal},
          {"custom", "", "your own: oracle, compressor, memory or error_feedback, downlink, local_steps", "full",
           "identity"},
      });
  return table;
}

}  // namespace

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
