// All sections together, and the keys of those that have few: [participation], [run], [warm_up], [output], [privacy],
// [federation], [[client]].
#include "schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "key_kinds.h"
#include "parts.h"
#include "schema_sections.h"

namespace pollen {

std::string toml_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string toml_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::vector<Key> only_mixed(std::vector<Key> keys) {
  for (Key& key : keys)
    key.write = [write = key.write](const Config& c) { return is_mixed(c) ? write(c) : std::string(); };
  return keys;
}

namespace {

bool read_init(const toml::node& n, Config& c) {
  if (n.is_array()) {
    c.run.init = "list";
    return read_numbers(n, {}, c.run.init_values);
  }
  std::string word;
  if (read_string(n, word) && word.starts_with("file:") && word.size() > 5) {
    c.run.init = word;
    return true;
  }
  return read_choice(n, {"zero", "prior", "mode", "random", "model"}, c.run.init);
}

bool read_probability(const toml::node& n, Config& c) {
  c.participation.probability_is_list = n.is_array();
  return read_numbers(n, kShare, c.participation.probability);
}

std::string write_probability(const Config& c) {
  const auto& p = c.participation;
  if (p.probability.empty()) return {};
  return p.probability_is_list ? write_numbers(p.probability) : toml_number(p.probability[0]);
}

bool read_words(const toml::node& n, const std::vector<std::string>& words, std::vector<std::string>& out) {
  return read_strings(n, out) &&
         std::ranges::all_of(out, [&](const std::string& word) { return std::ranges::count(words, word) > 0; });
}

bool read_draws(const toml::node& n, Config& c) { return read_words(n, {"csv", "none"}, c.output.draws); }

bool read_augment(const toml::node& n, Config& c) { return read_words(n, {"flip", "crop"}, c.warm_up.augment); }

// What can touch the data outside the accountants, by the key that does it (data.missing, data.levels, ...).
const std::vector<std::string> kOutside = {"init", "step", "schedule", "standardize", "missing", "levels", "lp"};

bool read_accept(const toml::node& n, Config& c) { return read_words(n, kOutside, c.privacy.accept); }

bool read_expect(const toml::node& n, Config& c) {
  if (n.is_integer()) return read_integer(n, 1, kMost, c.federation.expect_count.emplace());
  if (!n.is_array() || !read_strings(n, c.federation.expect) || c.federation.expect.empty()) return false;
  const std::set<std::string> once(c.federation.expect.begin(), c.federation.expect.end());
  return once.size() == c.federation.expect.size() && !once.contains("");
}

std::string write_expect(const Config& c) {
  if (c.federation.expect_count) return fmt::format("{}", *c.federation.expect_count);
  return c.federation.expect.empty() ? std::string() : write_strings(c.federation.expect);
}

std::vector<Key> run_keys() {
  return {
      choice("participation.policy", {"full", "bernoulli", "fixed-size"}, AT(std::string, participation.policy)),
      {"participation.probability", "a number above 0 up to 1, or a list of them, one a client", read_probability,
       write_probability},
      maybe_choice("participation.scaling", {"active", "inverse-probability"},
                   MAYBE(std::string, participation.scaling)),
      maybe_integer<Index>("participation.size", "an integer from 1", 1, MAYBE(Index, participation.size)),
      boolean("participation.replacement", AT(bool, participation.replacement)),
      integer<Index>("run.iterations", "an integer from 1", 1, AT(Index, run.iterations), std::int64_t{1} << 43),
      maybe_integer<Index>("run.burn_in", "an integer from 0", 0, MAYBE(Index, run.burn_in)),
      integer<Index>("run.thin", "an integer from 1", 1, AT(Index, run.thin)),
      integer<Index>("run.chains", "an integer from 1 to 4096", 1, AT(Index, run.chains), 4096),
      boolean("run.coupled", AT(bool, run.coupled)),
      {"run.init",
       "\"zero\", \"prior\", \"mode\", \"random\" (networks), \"model\" (torchscript), \"file:PATH\" or a list of "
       "numbers, one a coefficient",
       read_init,
       [](const Config& c) {
         return c.run.init == "list" ? write_numbers(c.run.init_values) : toml_string(c.run.init);
       }},
      text("output.dir", "a path", AT(std::string, output.dir)),
      {"output.draws", "a list of \"csv\", \"none\"", read_draws,
       [](const Config& c) { return write_strings(c.output.draws); }},
      integer<Index>("output.metrics_every", "an integer from 1", 1, AT(Index, output.metrics_every)),
      boolean("output.lp", AT(bool, output.lp)),
      integer<int>("output.ece_bins", "an integer from 1 to 10000", 1, AT(int, output.ece_bins), 10000),
  };
}

// Written out only where there is a warm-up.
std::vector<Key> warm_up_keys() {
  std::vector<Key> keys = {
      integer<Index>("warm_up.epochs", "an integer from 0 (0: none)", 0, AT(Index, warm_up.epochs), 1 << 30),
      integer<Index>("warm_up.batch", "an integer from 1", 1, AT(Index, warm_up.batch)),
      number("warm_up.rate", "a number above 0", kPositive, AT(double, warm_up.rate)),
      number("warm_up.momentum", "a number from 0 to below 1", {.least = 0, .most = 1, .most_open = true},
             AT(double, warm_up.momentum)),
      choice("warm_up.schedule", {"one-cycle", "constant"}, AT(std::string, warm_up.schedule)),
      {"warm_up.augment", "a list of \"flip\", \"crop\"", read_augment,
       [](const Config& c) { return c.warm_up.augment.empty() ? std::string() : write_strings(c.warm_up.augment); }},
  };
  for (Key& key : keys)
    key.write = [write = key.write](const Config& c) { return c.warm_up.epochs > 0 ? write(c) : std::string(); };
  return keys;
}

std::vector<Key> client_output_keys() {
  return only_mixed({
      integer<Index>("output.clients", "an integer from 0", 0, AT(Index, output.clients)),
      integer<Index>("output.client_draws", "an integer from 1", 1, AT(Index, output.client_draws), 1 << 24),
  });
}

// Optional without exception, as [privacy]: a run without a federation is written out without the section.
std::vector<Key> federation_keys() {
  return {
      {"federation.expect", "a number of clients, or a list of their names, each once", read_expect, write_expect},
      maybe_integer("federation.quorum", "a whole number from 1", 1, MAYBE(Index, federation.quorum)),
      maybe_number("federation.start_timeout", "seconds above 0", kPositive, MAYBE(double, federation.start_timeout)),
      maybe_number("federation.round_deadline", "seconds above 0", kPositive, MAYBE(double, federation.round_deadline)),
      maybe_choice("federation.on_missing", {"wait", "skip", "abort"}, MAYBE(std::string, federation.on_missing)),
  };
}

// Optional without exception: a configuration that says nothing about privacy is written out without the section.
std::vector<Key> privacy_keys() {
  const Range open{.least = 0, .most = 1, .least_open = true, .most_open = true};
  const std::string share = "a number between 0 and 1";
  return {
      maybe_number("privacy.target_epsilon", "a number above 0", kPositive, MAYBE(double, privacy.target_epsilon)),
      maybe_number("privacy.delta", share, open, MAYBE(double, privacy.delta)),
      maybe_number("privacy.delta_0", share, open, MAYBE(double, privacy.delta_0)),
      maybe_number("privacy.delta_1", share, open, MAYBE(double, privacy.delta_1)),
      maybe_number("privacy.delta_2", share, open, MAYBE(double, privacy.delta_2)),
      maybe_choice("privacy.on_spent", {"stop", "warn"}, MAYBE(std::string, privacy.on_spent)),
      maybe_choice("privacy.accountant", {"theorem", "renyi"}, MAYBE(std::string, privacy.accountant)),
      maybe_choice("privacy.adversary", {"server", "outside"}, MAYBE(std::string, privacy.adversary)),
      {"privacy.accept", "a list of " + listed(kOutside), read_accept,
       [](const Config& c) { return c.privacy.accept.empty() ? std::string() : write_strings(c.privacy.accept); }},
  };
}

}  // namespace

const std::vector<Key>& schema() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all = {{"seed", "an integer from 0",
                             [](const toml::node& n, Config& c) {
                               return read_integer(n, 0, std::numeric_limits<std::int64_t>::max(), c.seed);
                             },
                             [](const Config& c) { return fmt::format("{}", c.seed); }}};
    for (auto& part :
         {model_keys(), latent_keys(), network_keys(), data_keys(), partition_keys(), synthetic_mixed_keys(),
          sampler_keys(), reference_keys(), personal_keys(), baseline_keys(), run_keys(), client_output_keys(),
          warm_up_keys(), privacy_keys(), population_keys(), federation_keys(), network_time_keys()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return keys;
}

const std::vector<Key>& client_schema() {
  static const std::vector<Key> keys = {
      {"mean", "a list of numbers",
       [](const toml::node& n, Config& c) { return n.is_array() && read_numbers(n, {}, c.clients.back().mean); },
       [](const Config& c) {
         return c.clients.back().mean.empty() ? std::string() : write_numbers(c.clients.back().mean);
       }},
      {"precision", "a list of rows of numbers",
       [](const toml::node& n, Config& c) { return read_matrix(n, c.clients.back().precision); },
       [](const Config& c) { return write_matrix(c.clients.back().precision); }},
      {"data", "a list of rows of numbers",
       [](const toml::node& n, Config& c) { return read_matrix(n, c.clients.back().data); },
       [](const Config& c) { return write_matrix(c.clients.back().data); }},
      maybe_choice("compressor", kCompressors, MAYBE(std::string, clients.back().compressor)),
      maybe_integer<std::uint32_t>("levels", "an integer from 1 to 1048576", 1,
                                   MAYBE(std::uint32_t, clients.back().levels), 1 << 20),
      maybe_integer<Index>("k", "an integer from 1", 1, MAYBE(Index, clients.back().k)),
  };
  return keys;
}

}  // namespace pollen
