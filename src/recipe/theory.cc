#include <fmt/format.h>

#include <algorithm>

#include "parts.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

struct LinkCheck {
  const Config& config;
  Index dimension;
  Problems& problems;

  // Makes a compressor. If the spec is invalid, it records a problem and returns null.
  std::unique_ptr<const Compressor> make(const CompressorSpec& spec, const std::string& key) {
    try {
      return make_compressor(spec, dimension);
    } catch (const ConfigError& e) {
      for (const Problem& p : e.problems()) problems.add(config.file + ": " + key_of(key, p.where), p.what);
      return nullptr;
    }
  }

  // Returns the key beside `key` that holds the compressor's `part`, for example "sampler.k",
  // "sampler.downlink_k" or "client 2, k".
  static std::string key_of(const std::string& key, const std::string& part) {
    if (part != "k" && part != "levels") return part.empty() ? key : key + ": " + part;
    const std::string downlink = "sampler.downlink";
    return key == downlink ? downlink + "_" + part
                           : key.substr(0, key.size() - std::string("compressor").size()) + part;
  }

  void must_be_unbiased(const Compressor& c, const CompressorSpec& spec, const std::string& key) {
    if (c.unbiased()) return;
    problems.add(
        config.file + ": " + key,
        fmt::format("found \"{}\"{}, which is biased; accepted without error feedback: identity, qsgd, rand-k, "
                    "natural (or sampler.name = \"d-elf\")",
                    spec.kind, spec.scaled ? " with scaled = true" : ""));
  }

  void must_be_contractive(const Compressor& c, const CompressorSpec& spec, const std::string& key) {
    if (c.alpha(dimension) > 0) return;
    problems.add(config.file + ": " + key,
                 fmt::format("found \"{}\" with omega = {:.3g}, which does not contract; accepted for error feedback: "
                             "top-k, or scaled = true",
                             spec.kind, c.omega(dimension)));
  }
};

}  // namespace

void check_theory(Config& config, Index clients, Index dimension, Recipe& recipe, std::vector<std::string>& warnings) {
  Problems problems;
  LinkCheck check{config, dimension, problems};
  const auto& specs = recipe.up.per_client;
  double omega = 0;
  for (Index i = 0; i < std::max<Index>(1, static_cast<Index>(specs.size())); ++i) {
    const CompressorSpec& spec = specs.empty() ? recipe.up.compressor : specs[static_cast<std::size_t>(i)];
    if (i > 0 && spec == specs[static_cast<std::size_t>(i) - 1]) continue;
    const std::string key = specs.empty() ? "sampler.compressor" : fmt::format("client {}, compressor", i + 1);
    const auto compressor = check.make(spec, key);
    if (!compressor) continue;
    omega = std::max(omega, compressor->omega(dimension));
    if (recipe.up.memory == Memory::feedback)
      check.must_be_contractive(*compressor, spec, key);
    else
      check.must_be_unbiased(*compressor, spec, key);
  }
  if (recipe.down.feedback)
    if (const auto down = check.make(recipe.down.compressor, "sampler.downlink"))
      check.must_be_contractive(*down, recipe.down.compressor, "sampler.downlink");
  problems.raise();

  if (recipe.up.memory == Memory::feedback) recipe.up.rate = 1;
  if (recipe.up.memory == Memory::average) {
    if (!config.sampler.memory_rate) config.sampler.memory_rate = 1 / (1 + omega);
    recipe.up.rate = *config.sampler.memory_rate;
    if (recipe.up.rate > 1 / (1 + omega))
      warnings.push_back(fmt::format("sampler.memory_rate {} is above 1/(1+omega) = {:.4g}, the theory's bound",
                                     recipe.up.rate, 1 / (1 + omega)));
  }
  const bool partial = recipe.participation.policy != ParticipationPolicy::full && clients > 1;
  if (partial && recipe.up.memory == Memory::feedback)
    warnings.push_back(fmt::format(
        "{} with partial participation: absent clients keep their last gradient, so the drift is stale, not unbiased",
        recipe.name));
  if (recipe.down.feedback && recipe.oracle != OracleKind::full)
    warnings.push_back("a compressed downlink with a stochastic gradient: this combination has no theory behind it");
}

}  // namespace pollen
