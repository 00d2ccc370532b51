#include <algorithm>

#include "pollen/recipe.h"

namespace pollen {

const std::vector<NamedSampler>& recipe_table() {
  using O = OracleKind;
  using M = Memory;
  using F = NamedSampler::Family;
  static const std::vector<NamedSampler> table = {
      {"lsd", "QLSD", "Langevin over clients: full gradients, uncompressed", O::full, "identity", M::none, false, false},
      {"lmc", "ELF", "another name for lsd", O::full, "identity", M::none, false, false},
      {"sgld", "QLSD", "minibatch gradients, uncompressed", O::minibatch, "identity", M::none, false, true},
      {"qlsd", "QLSD", "full gradients, quantised", O::full, "qsgd", M::none, false, false},
      {"qlsd#", "QLSD", "minibatch gradients, quantised", O::minibatch, "qsgd", M::none, false, true},
      {"qlsd*", "QLSD", "differences to the mode, quantised", O::fixed_point, "qsgd", M::none, false, false},
      {"lsd*", "QLSD", "differences to the mode, uncompressed", O::fixed_point, "identity", M::none, false, false},
      {"qlsd++", "QLSD", "variance-reduced gradients, quantised with memory", O::svrg, "qsgd", M::average, false, false},
      {"lsd++", "QLSD", "variance-reduced gradients, uncompressed", O::svrg, "identity", M::average, false, false},
      {"d-elf", "ELF", "error feedback on what clients send", O::full, "top-k", M::feedback, false, false},
      {"p-elf", "ELF", "error feedback on what the server sends", O::full, "identity", M::none, true, false},
      {"b-elf", "ELF", "error feedback both ways", O::full, "top-k", M::feedback, true, false},
      {"fald", "FALD", "local steps, averaged", O::minibatch, "identity", M::none, false, false, F::fald},
      {"vr-fald*", "FALD", "local steps with control variates, averaged", O::control, "identity", M::none, false, false,
       F::fald},
      {"fa-ld", "FA-LD", "local steps, averaged by size; some devices; privacy", O::minibatch, "identity", M::none, false,
       false, F::fa_ld},
      {"fedsoul", "FedPop", "personal latents, Langevin on every client; mixed-effects models, networks' last layers", O::full, "identity", M::none,
       false, false, F::personal},
      {"fedsouk", "FedPop", "the same with another local kernel: mala, hmc", O::full, "identity", M::none, false, false,
       F::personal},
      {"custom", "", "your own: oracle, compressor, memory or error_feedback, downlink, local_steps", O::full, "identity", M::none,
       false, false},
  };
  return table;
}

const NamedSampler* find_sampler(const std::string& name) {
  const auto& table = recipe_table();
  const auto at = std::find_if(table.begin(), table.end(), [&](const NamedSampler& s) { return s.name == name; });
  return at == table.end() ? nullptr : &*at;
}

}  // namespace pollen
