// The keys of [sampler].
#include <fmt/format.h>

#include <algorithm>

#include "key_kinds.h"
#include "parts.h"
#include "personal/baselines.h"
#include "reference/reference.h"
#include "schema_sections.h"

namespace pollen {

namespace {

bool read_batch(const toml::node& n, Config& c) {
  Batch batch;
  if (n.is_integer()) {
    if (!read_integer(n, 1, kMost, batch.count.emplace())) return false;
  } else if (!number_of(n, batch.fraction.emplace()) || !kShare.holds(*batch.fraction)) {
    return false;
  }
  c.sampler.batch = batch;
  return true;
}

std::string write_batch(const Config& c) {
  if (!c.sampler.batch) return {};
  const Batch& b = *c.sampler.batch;
  return b.count ? fmt::format("{}", *b.count) : toml_number(b.fraction.value_or(1.0));
}

std::vector<std::string> sampler_names() {
  std::vector<std::string> names;
  for (const NamedSampler& s : recipe_table()) names.emplace_back(s.name);
  for (const ReferenceSampler& s : reference_table()) names.emplace_back(s.name);
  for (const PersonalBaseline& s : baseline_table())
    if (std::ranges::count(names, s.name) == 0) names.emplace_back(s.name);
  return names;
}

}  // namespace

std::vector<Key> sampler_keys() {
  return {
      choice("sampler.name", sampler_names(), AT(std::string, sampler.name)),
      number_or_auto("sampler.step", MAYBE(double, sampler.step)),
      {"sampler.batch", "a count (an integer from 1) or a fraction (a decimal above 0 up to 1.0)", read_batch,
       write_batch},
      maybe_choice("sampler.oracle", {"full", "minibatch", "fixed-point", "svrg", "control"},
                   MAYBE(std::string, sampler.oracle)),
      maybe_choice("sampler.compressor", kCompressors, MAYBE(std::string, sampler.compressor)),
      integer<std::uint32_t>("sampler.levels", "an integer from 1 to 1048576", 1, AT(std::uint32_t, sampler.levels),
                             1 << 20),
      maybe_integer<Index>("sampler.k", "an integer from 1", 1, MAYBE(Index, sampler.k)),
      boolean("sampler.scaled", AT(bool, sampler.scaled)),
      {"sampler.bits", "32 or 64",
       [](const toml::node& n, Config& c) {
         return read_integer(n, 32, 64, c.sampler.bits) && (c.sampler.bits == 32 || c.sampler.bits == 64);
       },
       [](const Config& c) { return fmt::format("{}", c.sampler.bits); }},
      choice("sampler.wire", {"bytes", "lengths"}, AT(std::string, sampler.wire)),
      maybe_boolean("sampler.memory", MAYBE(bool, sampler.memory)),
      choice("sampler.memory_init", {"zero", "gradient"}, AT(std::string, sampler.memory_init)),
      maybe_number("sampler.memory_rate", "a number above 0 up to 1", kShare, MAYBE(double, sampler.memory_rate)),
      maybe_boolean("sampler.error_feedback", MAYBE(bool, sampler.error_feedback)),
      maybe_choice("sampler.downlink", kCompressors, MAYBE(std::string, sampler.downlink)),
      maybe_integer<Index>("sampler.downlink_k", "an integer from 1", 1, MAYBE(Index, sampler.downlink_k)),
      maybe_integer<std::uint32_t>("sampler.downlink_levels", "an integer from 1 to 1048576", 1,
                                   MAYBE(std::uint32_t, sampler.downlink_levels), 1 << 20),
      integer<Index>("sampler.refresh", "an integer from 1", 1, AT(Index, sampler.refresh)),
      maybe_choice("sampler.prior_at", {"server", "clients"}, MAYBE(std::string, sampler.prior_at)),
      number("sampler.mode_tolerance", "a number above 0", kPositive, AT(double, sampler.mode_tolerance)),
      maybe_integer<Index>("sampler.local_steps", "an integer from 1", 1, MAYBE(Index, sampler.local_steps)),
      maybe_number("sampler.communicate", "a number above 0 up to 1", kShare, MAYBE(double, sampler.communicate)),
      maybe_number("sampler.refresh_probability", "a number above 0 up to 1", kShare,
                   MAYBE(double, sampler.refresh_probability)),
      maybe_number("sampler.correlation", "a number from 0 to 1", kUnit, MAYBE(double, sampler.correlation)),
      choice("sampler.scheme", {"full", "I", "II"}, AT(std::string, sampler.scheme)),
      choice("sampler.emit", {"communication", "every"}, AT(std::string, sampler.emit)),
      maybe_number("sampler.clip", "a number above 0", kPositive, MAYBE(double, sampler.clip)),
      choice("sampler.schedule", {"constant", "decaying"}, AT(std::string, sampler.schedule)),
      maybe_number("sampler.smoothness", "a number above 0", kPositive, MAYBE(double, sampler.smoothness)),
      maybe_number("sampler.convexity", "a number above 0", kPositive, MAYBE(double, sampler.convexity)),
      boolean("sampler.allow_unbalanced", AT(bool, sampler.allow_unbalanced)),
  };
}

// Written out only for the samplers that read them.
std::vector<Key> reference_keys() {
  std::vector<Key> keys = {
      maybe_number("sampler.target_accept", "a number above 0 below 1",
                   {.least = 0, .most = 1, .least_open = true, .most_open = true},
                   MAYBE(double, reference.target_accept)),
      boolean("sampler.adapt_mass", AT(bool, reference.adapt_mass)),
      integer<Index>("sampler.leapfrogs", "an integer from 0 (0: trajectory over step)", 0,
                     AT(Index, reference.leapfrogs), 1 << 20),
      number("sampler.trajectory", "a number above 0", kPositive, AT(double, reference.trajectory)),
      number("sampler.jitter", "a number from 0 to below 1", {.least = 0, .most = 1, .most_open = true},
             AT(double, reference.jitter)),
      integer<Index>("sampler.most_leapfrogs", "an integer from 1", 1, AT(Index, reference.most_leapfrogs), 1 << 20),
      integer<Index>("sampler.max_depth", "an integer from 1 to 20", 1, AT(Index, reference.max_depth), 20),
      number("sampler.decay", "a number from 0 to below 1", {.least = 0, .most = 1, .most_open = true},
             AT(double, reference.decay)),
      number("sampler.damping", "a number above 0", kPositive, AT(double, reference.damping)),
      maybe_number("sampler.server_step", "a number above 0", kPositive, MAYBE(double, reference.server_step)),
      maybe_number("sampler.tolerance", "a number above 0", kPositive, MAYBE(double, reference.tolerance)),
      choice("sampler.local_kernel", {"nuts", "mala"}, AT(std::string, reference.local_kernel)),
      boolean("sampler.diagonal", AT(bool, reference.diagonal)),
      integer<Index>("sampler.samples", "an integer from 2", 2, AT(Index, reference.samples), 1 << 20),
      integer<Index>("sampler.local_burn_in", "an integer from 0", 0, AT(Index, reference.local_burn_in), 1 << 30),
      choice("sampler.server_law", {"gaussian", "dirichlet"}, AT(std::string, reference.server_law)),
      boolean("sampler.distill", AT(bool, reference.distill)),
      integer<Index>("sampler.distill_steps", "an integer from 1", 1, AT(Index, reference.distill_steps),
                     (1 << 20) - 1),
      number("sampler.distill_rate", "a number above 0", kPositive, AT(double, reference.distill_rate)),
      maybe_choice("sampler.surrogate", {"draws", "swag"}, MAYBE(std::string, reference.surrogate)),
      maybe_number("sampler.swag_rate", "a number above 0", kPositive, MAYBE(double, reference.swag_rate)),
      maybe_number("sampler.swag_least_sd", "a number above 0", kPositive, MAYBE(double, reference.swag_least_sd)),
      number("sampler.shrinkage", "a number above 0", kPositive, AT(double, reference.shrinkage)),
  };
  for (Key& key : keys)
    key.write = [name = key.path.substr(std::string("sampler.").size()), write = key.write](const Config& c) {
      const ReferenceSampler* reference = find_reference(c.sampler.name);
      const bool read =
          is_mixed(c) ? baseline_reads(c, name) : reference != nullptr && reference_reads(*reference, name);
      return read ? write(c) : std::string();
    };
  return keys;
}

std::vector<Key> personal_keys() {
  return only_mixed({
      maybe_choice("sampler.kernel", {"langevin", "mala", "hmc"}, MAYBE(std::string, sampler.kernel)),
      boolean("sampler.warm_start", AT(bool, sampler.warm_start)),
      integer<Index>("sampler.local_leapfrogs", "an integer from 1", 1, AT(Index, sampler.local_leapfrogs), 1 << 20),
      number_or_auto("sampler.shared_step", MAYBE(double, sampler.shared_step)),
      number_or_auto("sampler.population_step", MAYBE(double, sampler.population_step)),
      number("sampler.step_decay", "a number from 0 to 1", kUnit, AT(double, sampler.step_decay)),
      maybe_number("sampler.shared_radius", "a number above 0", kPositive, MAYBE(double, sampler.shared_radius)),
  });
}

// Written out only for the baselines that read them.
std::vector<Key> baseline_keys() {
  std::vector<Key> keys = {
      number("sampler.penalty", "a number from 0", {.least = 0}, AT(double, sampler.penalty)),
      number("sampler.mixture", "a number from 0 to 1", kUnit, AT(double, sampler.mixture)),
      boolean("sampler.adapt_mixture", AT(bool, sampler.adapt_mixture)),
      number("sampler.aggregate", "a number from 0 to 1", kUnit, AT(double, sampler.aggregate)),
      integer<Index>("sampler.head_steps", "an integer from 1", 1, AT(Index, sampler.head_steps), 1 << 30),
      number("sampler.inner_step", "a number from 0", {.least = 0}, AT(double, sampler.inner_step)),
      boolean("sampler.hessian_free", AT(bool, sampler.hessian_free)),
  };
  for (Key& key : keys)
    key.write = [name = key.path.substr(std::string("sampler.").size()), write = key.write](const Config& c) {
      return baseline_reads(c, name) ? write(c) : std::string();
    };
  return keys;
}

}  // namespace pollen
